//! A program of the user that names the languages of pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Held, diglot, failure, gzip, langs_of, packaging, rows, stdout, write_warc};

/// Sentences in Twi, Yoruba and English: `A` and `B` stand for what each page has of its own. No list of words knows Twi.
const TEXTS: [(&str, [&str; 4]); 3] = [
    (
        "tw",
        [
            "Nnipa A na wɔbaa kurom hɔ afe B mu, na wɔsii adan foforɔ wɔ asubɔnten no ho.",
            "Wɔn mma kɔɔ sukuu, na wɔsuaa nwoma ne akontaabuo wɔ A ne B mu.",
            "Ɛdwa no wɔ kurow no mfimfini, na nnipa bɛtɔn nneɛma da biara anɔpa.",
            "Ɔhene no kaa kyerɛɛ wɔn sɛ: Mo nsa aka asase no, monhwɛ so yiye.",
        ],
    ),
    (
        "yo",
        [
            "Àwọn ènìyàn A wá sí ìlú náà ní ọdún B, wọ́n sì kọ́ ilé tuntun sí ẹ̀gbẹ́ odò náà.",
            "Àwọn ọmọ wọn lọ sí ilé ẹ̀kọ́, wọ́n sì kọ́ ìwé àti ìṣirò ní A àti B.",
            "Ọjà náà wà ní àárín ìlú, àwọn ènìyàn sì ń ta ọjà níbẹ̀ ní gbogbo òwúrọ̀.",
            "Ọba sọ fún wọn pé: Ẹ ti gba ilẹ̀ náà, ẹ tọ́jú rẹ̀ dáadáa.",
        ],
    ),
    (
        "en",
        [
            "A people came to the town in the year B, and they built new houses beside the river.",
            "Their children went to school, and they learnt reading and arithmetic in A and B.",
            "The market is in the middle of the town, and people sell things there every morning.",
            "The king told them: You have been given the land, look after it well.",
        ],
    ),
];

/// Names a language by its letters, as fastText prints it.
const BY_LETTERS: &str = r#"
while IFS= read -r line; do
  case "$line" in
    *ɛ*|*ɔ*) echo "__label__twi_Latn 0.98" ;;
    *ọ*|*ẹ*) echo "__label__yor_Latn 0.97" ;;
    *) echo "__label__eng_Latn 0.96" ;;
  esac
done"#;

/// The command that runs a script, which is put in a folder.
pub fn program(folder: &Path, name: &str, script: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, script).expect("room on disk");
    format!("sh '{}'", path.display())
}

/// Pages of a site by language and number: the addresses of those of all languages have the number alone in common.
fn site(url: impl Fn(&str, usize) -> String, langs: &[&str], count: usize) -> Vec<(String, String)> {
    let names = ["Adu", "Boateng", "Osei", "Mensah", "Owusu", "Asante", "Darko", "Frimpong", "Gyasi", "Opoku"];
    let mut pages = Vec::new();
    for number in 0..count {
        for lang in langs {
            let (_, sentences) = TEXTS.iter().find(|(of, _)| of == lang).expect("a text");
            let (a, b) = (17 + number * 31, 1500 + number * 37);
            let name = names[number % names.len()];
            let mut html = format!("<title>{name} {b}</title><h1>{name} {b}</h1><img src=/i/{name}{b}.png>");
            for (at, sentence) in sentences.iter().cycle().take(4 + number % 5).enumerate() {
                let sentence = sentence.replace('A', &(a + at).to_string()).replace('B', &(b + 7 * at).to_string());
                html += &format!("<p>{name} {}: {sentence}", names[(number + at) % names.len()]);
                html += &"<ul><li>1<li>2</ul>".repeat(number * at % 3);
            }
            pages.push((url(lang, number), html));
        }
    }
    pages
}

fn archive(path: &Path, pages: &[(String, String)]) -> PathBuf {
    let responses: Vec<_> = pages.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    write_warc(path, &responses);
    path.to_owned()
}

/// No address and no declaration says what language a page is in.
fn without_markers(lang: &str, number: usize) -> String {
    let offset = TEXTS.iter().position(|(of, _)| *of == lang).expect("a text");
    format!("http://town.test/n/{}", (number * 3 + offset) * 7919 % 10007)
}

fn all_listings(store: &Path) -> Vec<String> {
    ["pairs", "hosts", "keys"].iter().map(|what| stdout(store, &[what])).collect()
}

#[test]
fn a_site_without_markers_has_its_languages_from_the_program_and_its_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = site(without_markers, &["tw", "yo", "en"], 24);
    let whole = archive(&folder.path().join("whole.warc"), &pages);
    let command = program(folder.path(), "by-letters.sh", BY_LETTERS);
    let store = folder.path().join("s");
    diglot(&store).args(["run", "-q", "--language-program", &command]).arg(&whole).assert().success();
    assert_eq!(langs_of(&rows(&store, &["hosts"])[0]), "en:24 tw:24 yo:24");
    let pairs = rows(&store, &["pairs"]);
    let of = |a: &str, b: &str| pairs.iter().filter(|row| row["lang_a"] == a && row["lang_b"] == b).count();
    assert!(of("en", "tw") >= 20 && of("tw", "yo") >= 20 && of("en", "yo") >= 20, "{} pairs", pairs.len());
    let right = |row: &&serde_json::Map<String, Value>| {
        let number = |url: &Value| pages.iter().position(|(known, _)| url == known).map(|at| at / 3);
        number(&row["url_a"]) == number(&row["url_b"])
    };
    assert!(pairs.iter().filter(right).count() * 20 >= pairs.len() * 19);
    let explained = stdout(&store, &["explain", &pages[0].0]);
    assert!(explained.contains("tw by the language program, confidence 0.98\n"), "{explained}");
    let json: Value = serde_json::from_str(&stdout(&store, &["explain", &pages[0].0, "--json"])).expect("JSON");
    assert_eq!(json["pages"][0]["languages"]["is_by_program"], true);

    // In any order, by any number of threads and processes.
    let (first, second) = pages.split_at(pages.len() / 2);
    let parts = [("b.warc", second), ("a.warc", first)].map(|(name, pages)| archive(&folder.path().join(name), pages));
    let other = folder.path().join("other");
    let arguments = ["run", "-q", "--threads", "1", "--language-processes", "3", "--language-program", &command];
    diglot(&other).args(arguments).args(&parts).assert().success();
    assert_eq!(all_listings(&other), all_listings(&store));
    diglot(&store).arg("check").assert().success();
}

/// Bodies that become very long are worked on one by one.
#[test]
fn long_pages_are_asked_about_among_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = site(without_markers, &["tw", "en"], 4);
    let mut warc = Vec::new();
    for (at, (url, html)) in pages.iter().enumerate() {
        let body = gzip(format!("{html}{}", " ".repeat(if at % 3 == 0 { 6_000_000 } else { 1 })).as_bytes());
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n\r\n";
        let length = head.len() + body.len();
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
             Content-Type: application/http;msgtype=response\r\nContent-Length: {length}\r\n\r\n{head}"
        );
        warc.extend([record.as_bytes(), &body, b"\r\n\r\n"].concat());
    }
    let archive = folder.path().join("long.warc");
    fs::write(&archive, warc).expect("room on disk");
    let (store, command) = (folder.path().join("s"), program(folder.path(), "by-letters.sh", BY_LETTERS));
    diglot(&store).args(["run", "-q", "--language-program", &command]).arg(&archive).assert().success();
    for (at, (url, _)) in pages.iter().enumerate() {
        let explained = stdout(&store, &["explain", url]);
        let lang = if at % 2 == 0 { "tw" } else { "en" };
        assert!(explained.contains(&format!("{lang} by the language program, confidence 0.9")), "{explained}");
    }
}

#[cfg(feature = "exec")]
#[test]
fn the_steps_for_engines_ask_the_program_too() {
    use crate::engine::{Engine, lines_of};
    let folder = tempfile::tempdir().expect("a folder");
    let whole = archive(&folder.path().join("whole.warc"), &site(without_markers, &["tw", "en"], 12));
    let command = program(folder.path(), "by-letters.sh", BY_LETTERS);
    let settings = [("language-program", command.as_str()), ("language-min-probability", "0.9")];
    let store = folder.path().join("s");
    let options = settings.iter().map(|(name, value)| format!("--{name}={value}"));
    diglot(&store).args(["run", "-q"]).args(options).arg(&whole).assert().success();
    for what in ["pairs", "pages"] {
        let path = folder.path().join(format!("{what}.arrows"));
        diglot(&store).args(["export", "-q", "--what", what, "-o"]).arg(&path).assert().success();
        let mut expected = lines_of(&fs::read(&path).expect("it was written"));
        expected.sort();
        let found = Engine::new(3, &settings, true).run(std::slice::from_ref(&whole)).expect("it runs");
        assert!(expected.len() >= 10 && found[what] == expected, "{what}: {} {}", found[what].len(), expected.len());
    }
    // A failure of the program may pass.
    let inputs = folder.path().join("inputs.arrows");
    let exec = |step: &str| {
        let mut command = diglot(&store);
        command.args(["exec", step, "--language-program", "sh -c 'exit 7'"]);
        command
    };
    exec("inputs").arg(&whole).arg("-o").arg(&inputs).assert().success();
    let ended =
        exec("pages").arg("--input").arg(&inputs).arg("-o").arg(folder.path().join("x.arrows")).assert().code(4);
    let stderr = String::from_utf8_lossy(&ended.output.stderr).into_owned();
    assert!(stderr.contains("ended (exit status: 7) after 0 answers"), "{stderr}");
}

#[test]
fn a_program_that_fails_leaves_a_sound_store_and_what_was_read_is_not_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = site(without_markers, &["tw", "en"], 12);
    let (first, second) = pages.split_at(10);
    let parts = [("a.warc", first), ("b.warc", second)].map(|(name, pages)| archive(&folder.path().join(name), pages));
    let log = folder.path().join("log");
    // The last page of the second archive is the one that it cannot bear.
    let logged = format!(
        r#"while IFS= read -r line; do
  echo x >>'{log}'
  case "$line" in *"$BAD"*) echo "out of memory" >&2; exit 3 ;; *ɛ*|*ɔ*) echo "twi_Latn	0.98" ;; *) echo "en 0.96" ;; esac
done"#,
        log = log.display()
    );
    let command = program(folder.path(), "logged.sh", &logged);
    let store = folder.path().join("s");
    let mut run = diglot(&store);
    run.args(["run", "-q", "--language-program", &command]).args(&parts).env("BAD", "358");
    let (code, stderr) = failure(&mut run);
    let ends = "ended (exit status: 3) after ";
    assert!(code == 1 && stderr.contains(ends) && stderr.contains("its stderr ends with: out of memory"), "{stderr}");
    assert!(stderr.contains("; the line is of http://town.test/n/"), "{stderr}");
    diglot(&store).arg("check").assert().success();
    let asked = |log: &Path| fs::read_to_string(log).expect("a log").lines().count();
    let before = asked(&log);
    run.env("BAD", "none").assert().success();
    // Of the first archive nothing is asked again.
    assert_eq!(asked(&log) - before, second.len());
    let whole = folder.path().join("whole");
    diglot(&whole)
        .args(["run", "-q", "--language-program", &command])
        .args(&parts)
        .env("BAD", "none")
        .assert()
        .success();
    assert_eq!(all_listings(&store), all_listings(&whole));
}

#[test]
fn what_a_program_does_wrong_is_an_error_and_nothing_is_kept_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = archive(&folder.path().join("whole.warc"), &site(without_markers, &["tw", "en"], 3));
    let store = folder.path().join("s");
    let problem = |command: &str| {
        let mut run = diglot(&store);
        run.args(["run", "-q", "--language-timeout", "1", "--language-program", command]).arg(&whole);
        let (code, stderr) = failure(&mut run);
        assert_eq!(code, 1, "{stderr}");
        assert_eq!(rows(&store, &["hosts", "-q"]).len(), 0, "{stderr}");
        stderr
    };
    for (command, told) in [
        ("no-such-program -x", "language program no-such-program -x: there is no such program"),
        ("sh -c 'exit 5'", "ended (exit status: 5) after 0 answers to 6 lines"),
        ("sh -c 'read line; echo yo; sleep 60'", "is silent for 1 s, after 1 answer to 6 lines"),
        ("sh -c 'cat >/dev/null'", "it must answer each line at once, and flush what it writes"),
        ("sh -c 'while read -r l; do echo yo; echo en; done'", "wrote a line more than it was asked"),
        (
            "sh -c 'while read -r l; do echo language: Yoruba; done'",
            "wrote \"language: Yoruba\": language: is no language",
        ),
        ("sh -c 'while read -r l; do echo yo 17.5; done'", "17.5 is no probability, expected 0 to 1"),
    ] {
        let found = problem(command);
        assert!(found.contains(told), "{command}: {found}");
    }
    let (code, stderr) = failure(diglot(&store).args(["run", "--language-program", "sh 'x"]).arg(&whole));
    assert!(code == 2 && stderr.contains("expected a program and its arguments, with quotes in pairs"), "{stderr}");
    diglot(&store).arg("check").assert().success();
}

#[test]
fn a_program_that_only_a_store_names_is_not_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = archive(&folder.path().join("whole.warc"), &site(without_markers, &["en"], 3));
    let (store, file) = (folder.path().join("s"), folder.path().join("started"));
    let command = format!("sh -c 'echo >>{}; while read -r line; do echo en 1; done'", file.display());
    diglot(&store).args(["run", "-q", "--language-program", &command]).arg(&whole).assert().success();
    fs::remove_file(&file).expect("it was started");
    // Nothing is read.
    diglot(&store).args(["run", "-q"]).arg(&whole).assert().success();
    let mut run = diglot(&store);
    run.args(["run", "-q"]).arg(packaging());
    let (code, stderr) = failure(&mut run);
    assert!(code == 2 && stderr.contains("give --language-program again, or --reset language-program"), "{stderr}");
    assert!(!file.exists());
    let ended = diglot(&store).arg("run").arg(packaging()).args(["--reset", "language-program"]).assert().success();
    let stderr = String::from_utf8_lossy(&ended.output.stderr).into_owned();
    assert!(stderr.contains("pages that were read before keep their languages; "), "{stderr}");
    assert!(!file.exists());
}

#[test]
fn a_guess_of_the_program_gives_way_to_what_the_site_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = |lang: &str, number: usize| format!("http://town.test/{lang}/{number}");
    let whole = archive(&folder.path().join("whole.warc"), &site(url, &["tw", "en"], 12));
    let unsure = BY_LETTERS.replace("twi_Latn 0.98", "fat_Latn 0.6");
    let command = program(folder.path(), "unsure.sh", &unsure);
    let languages = |min: &str| {
        let store = folder.path().join(format!("s{min}"));
        let arguments = ["run", "-q", "--language-min-probability", min, "--language-program", &command];
        diglot(&store).args(arguments).arg(&whole).assert().success();
        let explained = stdout(&store, &["explain", "http://town.test/tw/3"]);
        (langs_of(&rows(&store, &["hosts"])[0]), explained)
    };
    let (found, explained) = languages("0.75");
    assert_eq!(found, "en:12 tw:12");
    assert!(
        explained.contains("fat by the language program, confidence 0.50, a guess: the program is not sure\n"),
        "{explained}"
    );
    let (found, _) = languages("0.5");
    assert_eq!(found, "en:12 fat:12");
}

#[test]
fn a_run_that_is_stopped_ends_the_program_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = archive(&folder.path().join("whole.warc"), &site(without_markers, &["tw", "en"], 6));
    let (store, ids) = (folder.path().join("s"), folder.path().join("ids"));
    let stuck = format!("echo $$ >'{}'; read -r line; sleep 600", ids.display());
    let stuck = program(folder.path(), "stuck.sh", &stuck);
    let mut child =
        diglot(&store).args(["run", "-q", "--language-program", &stuck]).arg(&whole).spawn().expect("it starts");
    while fs::read_to_string(&ids).unwrap_or_default().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let id = fs::read_to_string(&ids).expect("an id");
    assert!(!Path::new("/proc").join(id.trim()).exists(), "the program runs on");
    let command = program(folder.path(), "by-letters.sh", BY_LETTERS);
    diglot(&store).args(["run", "-q", "--language-program", &command]).arg(&whole).assert().success();
    assert!(!rows(&store, &["pairs"]).is_empty());
}
