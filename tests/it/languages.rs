//! A language that no list of words and no profile knows: what two sites call by its name is known on a third, in whatever order they come, and in
//! another store to which it is given.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::sites::{Dice, SiteBuilder};
use crate::support::{Held, diglot, export, run, stdout};

/// Pages of each language that a site has.
const PAGES: u64 = 6;

/// Article 22 of the Universal Declaration of Human Rights in Ilocano, which a model takes for Javanese.
pub const ILOCANO: &str = "<html><body><p>Tunggal meysa ket kas meysa nga miembro iti gimong, nga adda kalinteganna iti kinatalged ti gimong ken \
    kaikarianna nga maawatan iti babaen a kabaelan ti umili ken pannakitinnulong ti sangalubongan a mayannatop ti organisasyon ken kinabaknang ti \
    tunggal Estado iti panabiag, sosyal ken dagiti kalintegan kultural nga nasken ti kinatak-nenga ken ti wayawaya a panangpasayaatna iti \
    kinataona.</p></body></html>";

/// A page in a language that is made up: of syllables that no other has.
fn klingon(number: u64) -> String {
    let mut dice = Dice(number * 7919 + 5);
    let mut of = |choices: &[&str]| choices[dice.roll(choices.len() as u64) as usize].to_owned();
    let mut paragraphs = String::new();
    for _ in 0..4 {
        let mut text = String::new();
        for _ in 0..14 {
            for _ in 0..3 {
                text += &of(&["vj", "zw", "kx", "wq", "xh"]);
                text += &of(&["u", "oo", "y"]);
            }
            text.push(' ');
        }
        paragraphs += &format!("<p>{text}.</p>\n");
    }
    format!("<html><body>{paragraphs}</body></html>")
}

/// A site of English pages and others. With `names`, addresses and pages name their languages.
pub fn site(folder: &Path, name: &str, names: bool) -> PathBuf {
    let mut site = SiteBuilder::default();
    let first = name.bytes().fold(0, |sum, byte| sum * 31 + u64::from(byte));
    for number in 0..PAGES {
        let english = crate::sites::html("en", number as usize);
        let other = klingon(first + number);
        if names {
            let declared = |html: &str, lang: &str| html.replacen("<html", &format!("<html lang=\"{lang}\""), 1);
            site.capture(format!("http://{name}.test/en/{number}"), SiteBuilder::DAY, &declared(&english, "en"));
            site.capture(format!("http://{name}.test/tlh/{number}"), SiteBuilder::DAY, &declared(&other, "tlh"));
        } else {
            site.capture(format!("http://{name}.test/a{number}"), SiteBuilder::DAY, &english);
            site.capture(format!("http://{name}.test/b{number}"), SiteBuilder::DAY, &other);
        }
    }
    let path = folder.join(format!("{name}.warc.gz"));
    site.write(&path);
    path
}

/// How many pages of a site count for each language.
fn langs(store: &Path, name: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for page in export(store, &["--what", "pages"]) {
        if page["url"].as_str().is_some_and(|url| url.starts_with(&format!("http://{name}.test/"))) {
            *counts.entry(page["lang"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    counts
}

fn of(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs.iter().map(|&(lang, count)| (lang.to_owned(), count)).collect()
}

/// What a run prints at its end.
fn summary(store: &Path) -> String {
    String::from_utf8_lossy(&diglot(store).arg("run").assert().success().output.stdout).into_owned()
}

#[test]
fn pairs_of_a_language_that_nothing_knows_are_asked_for_by_its_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = site(folder.path(), "one", true);
    let store = folder.path().join("store");
    diglot(&store).args(["run", "--quiet", "--langs", "tlh,en"]).arg(&archive).assert().success();
    assert_eq!(langs(&store, "one"), of(&[("en", PAGES), ("tlh", PAGES)]));
    let pairs = export(&store, &["--what", "pairs"]);
    assert_eq!(pairs.len() as u64, PAGES);
    assert!(pairs.iter().all(|pair| [&pair["lang_a"], &pair["lang_b"]] == ["tlh", "en"]), "{pairs:?}");
    let hosts = stdout(&store, &["hosts"]);
    assert!(hosts.contains("tlh:6"), "{hosts}");
    // Two letters that are no code are refused; a script is none of the codes.
    let refused = diglot(&store).args(["run", "--langs", "xx,en"]).assert().code(2);
    assert!(String::from_utf8_lossy(&refused.output.stderr).contains("xx"));
}

#[test]
fn what_a_text_was_taken_for_is_no_language_where_it_is_a_guess_or_doubted() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = SiteBuilder::default();
    for number in 0..PAGES {
        for (at, html) in [
            ("a", crate::sites::html("en", number as usize)),
            ("b", crate::sites::html("de", number as usize)),
            ("c", ILOCANO.to_owned()),
        ] {
            site.capture(format!("http://one.test/{at}{number}"), SiteBuilder::DAY, &html);
        }
    }
    let archive = folder.path().join("one.warc.gz");
    site.write(&archive);
    let store = folder.path().join("store");
    diglot(&store).args(["run", "--quiet", "--langs", "fr,en"]).arg(&archive).assert().success();
    let explained = |page: &str| {
        let json = stdout(&store, &["explain", "--json", &format!("http://one.test/{page}")]);
        serde_json::from_str::<Value>(&json).expect("JSON")["pages"][0]["languages"].clone()
    };
    // Words tell the one, and models guess the other.
    assert_eq!((&explained("b1")["detected"], &explained("b1")["is_guess"]), (&"de".into(), &false.into()));
    assert!(explained("c1")["detected"] != "und" && explained("c1")["is_guess"] == true, "{}", explained("c1"));
    assert_eq!(langs(&store, "one"), of(&[("de", PAGES), ("en", PAGES), ("und", PAGES)]));
    // What an export is asked for was not what the run was asked for.
    assert_eq!(export(&store, &["--what", "pages", "--langs", "de"]).len() as u64, PAGES);
    let shown = |page: &str| {
        let json = stdout(&store, &["show", "--json", &format!("http://one.test/{page}")]);
        serde_json::from_str::<Value>(&json).expect("JSON")["lang"].clone()
    };
    assert_eq!([shown("a1"), shown("b1"), shown("c1")], ["en", "de", "und"]);
}

#[test]
fn a_language_that_two_sites_name_is_known_on_a_third() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let [one, two] = ["one", "two"].map(|name| site(folder, name, true));
    let third = site(folder, "third", false);
    let named = of(&[("en", PAGES), ("tlh", PAGES)]);
    let is_unnamed = |store: &Path| !langs(store, "third").contains_key("tlh");

    // One site alone shows nothing to others.
    let store = folder.join("store");
    run(&store, &[&third, &one]);
    assert_eq!(langs(&store, "one"), named);
    assert!(is_unnamed(&store));
    assert_eq!(export(&store, &["--what", "languages"]).len(), 0);

    // In whatever order they come.
    run(&store, &[&two]);
    assert_eq!(langs(&store, "third"), named);
    let fresh = folder.join("fresh");
    run(&fresh, &[&one, &two, &third]);
    for what in ["pages", "pairs", "languages"] {
        let written = |store: &Path| stdout(store, &["export", "--what", what, "--format", "jsonl"]);
        assert_eq!(written(&store), written(&fresh), "{what}");
    }
    // The end of a run says so.
    let again = summary(&store);
    assert!(again.contains("languages learnt from sites: 1 (tlh; `diglot export --what languages"), "{again}");
    let explained = stdout(&store, &["explain", "http://third.test/b1"]);
    assert!(explained.contains("as other sites show"), "{explained}");

    // Given to another store.
    let file = folder.join("seen.tsv");
    let seen = stdout(&store, &["export", "--what", "languages", "--format", "tsv"]);
    assert!(seen.starts_with("lang\tlanguage\tdomains\tletters\ntlh\tKlingon\t2\t"), "{}", &seen[..80]);
    fs::write(&file, &seen).expect("room on disk");
    let other = folder.join("other");
    diglot(&other).args(["run", "--quiet", "--languages"]).arg(&file).arg(&third).assert().success();
    assert_eq!(langs(&other, "third"), named);
    let again = summary(&other);
    assert!(again.contains("profiles of languages that were given (--languages): 1\n"), "{again}");
    // Where the language that the letters tell is not asked for, it is not said that nothing tells it.
    diglot(&other).args(["run", "--quiet", "--langs", "en,fr"]).assert().success();
    let explained = stdout(&other, &["explain", "http://third.test/b1"]);
    assert!(
        explained.contains("which is a guess, and nothing tells that it is in one of the languages requested (en, fr)"),
        "{explained}"
    );
    diglot(&other).args(["run", "--quiet", "--reset", "langs"]).assert().success();
    // A file that is none is refused by its line.
    fs::write(&file, format!("{seen}tlh\t2\t1 2 3\n")).expect("room on disk");
    let refused = diglot(&other).args(["run", "--quiet", "--languages"]).arg(&file).arg(&third).assert();
    let told = String::from_utf8_lossy(&refused.output.stderr).into_owned();
    assert!(told.contains("seen.tsv, line 3") && told.contains("expected 256 counts"), "{told}");

    // So are one with nothing in it, one of a language that words tell, and a language in the place of a file.
    let refuses = |text: &str, expected: &str| {
        fs::write(&file, text).expect("room on disk");
        let refused = diglot(&other).args(["run", "--quiet", "--languages"]).arg(&file).arg(&third).assert();
        let told = String::from_utf8_lossy(&refused.output.stderr).into_owned();
        assert!(!refused.output.status.success() && told.contains(expected), "{told}");
    };
    refuses("lang\tdomains\tletters\n", "there is none");
    refuses(&seen.replace("tlh\t", "fr\t"), "words or script tell fr");
    let refused = diglot(&other).args(["run", "--quiet", "--languages", "en,fr"]).arg(&third).assert();
    assert!(String::from_utf8_lossy(&refused.output.stderr).contains("to choose languages, use --langs"));
    // A query does without the file.
    fs::remove_file(&file).expect("it was written");
    assert!(stdout(&other, &["-q", "explain", "http://third.test/b1"]).contains("tlh"));

    // What shows it no longer is not known.
    stdout(&store, &["remove", "--host", "two.test"]);
    diglot(&store).args(["run", "--quiet"]).assert().success();
    assert!(is_unnamed(&store));
}

#[test]
fn a_directory_with_a_code_that_there_is_not_names_no_language() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = SiteBuilder::default();
    for number in 0..PAGES {
        let english = crate::sites::html("en", number as usize);
        site.capture(format!("http://one.test/en/{number}"), SiteBuilder::DAY, &english);
        site.capture(format!("http://one.test/red/{number}"), SiteBuilder::DAY, &klingon(number));
    }
    let archive = folder.path().join("one.warc.gz");
    site.write(&archive);
    let store = folder.path().join("store");
    diglot(&store).args(["run", "--quiet"]).arg(&archive).assert().success();
    assert_eq!(langs(&store, "one"), of(&[("en", PAGES), ("und-x-a", PAGES)]));
}

#[test]
fn a_word_list_of_a_language_that_no_page_is_in_is_told_and_one_of_no_language_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = site(folder.path(), "one", true);
    let store = folder.path().join("store");
    let list = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let said = |command: &mut Command, code: i32| {
        let ended = command.arg(&archive).assert().code(code);
        String::from_utf8_lossy(&ended.output.stderr).into_owned()
    };
    let refused = said(diglot(&store).args(["run", "--lexicon", &list("en-xx.tsv", "water\tvu\n")]), 2);
    assert!(refused.contains("en-xx.tsv") && refused.contains("xx is the code of no language"), "{refused}");
    let told = said(diglot(&store).args(["run", "--lexicon", &list("en-fr.tsv", "water\teau\n")]), 0);
    assert!(told.contains("en-fr.tsv serves no pages: none is in fr French"), "{told}");
    list("en-fr.tsv", "water\teau\nfire\tfeu\n");
    let changed = format!("--lexicon {} has changed", folder.path().join("en-fr.tsv").display());
    for asked in [&["status", "--format", "jsonl"][..], &["run", "--dry-run"]] {
        let ended = diglot(&store).args(asked).assert().success().output;
        let [shown, said] = [ended.stdout, ended.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(shown.contains(&changed), "{shown}");
        let is_dry = asked.contains(&"--dry-run");
        assert_eq!(said.contains("en-fr.tsv serves no pages: none is in fr French"), is_dry, "{said}");
    }
    let told = said(diglot(&store).args(["run", "--reset", "lexicon"]), 0);
    assert!(!told.contains("serves no pages"), "{told}");
}
