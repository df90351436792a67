//! Sentences in several languages, as `export --what units` writes them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{Held, diglot, export, failure, number, root, sample_store, stdout, text, write_warc};

fn units(arguments: &[&str]) -> Vec<Value> {
    export(sample_store(), &[&["--what", "units"], arguments].concat())
}

fn texts(unit: &Value) -> &[Value] {
    unit["texts"].as_array().expect("a list")
}

#[test]
fn a_unit_has_one_text_in_each_language_where_its_page_has_it() {
    let pages: BTreeMap<String, Vec<String>> = export(sample_store(), &["--what", "pages"])
        .into_iter()
        .map(|page| (text(&page, "url").to_owned(), text(&page, "text").split('\n').map(str::to_owned).collect()))
        .collect();
    let rows = units(&[]);
    let mut most = 0;
    let (mut ids, mut document_of): (BTreeSet<&str>, BTreeMap<&str, &str>) = Default::default();
    for unit in &rows {
        let langs: Vec<&str> = texts(unit).iter().map(|one| text(one, "lang")).collect();
        assert_eq!((langs.len() as u64, langs.join(",").as_str()), (number(unit, "languages"), text(unit, "langs")));
        assert_eq!(langs.iter().collect::<BTreeSet<_>>().len(), langs.len(), "{unit}");
        assert!(langs.len() >= 2 && ids.insert(text(unit, "unit")), "{unit}");
        most = most.max(langs.len());
        for one in texts(unit) {
            let paragraph = &pages[text(one, "url")][number(one, "paragraph") as usize..];
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            assert!(squeezed(&paragraph.concat()).contains(&squeezed(text(one, "text"))), "{one}");
            let document = document_of.entry(text(one, "url")).or_insert(text(unit, "document"));
            assert_eq!(*document, text(unit, "document"), "a page is of one document");
        }
        let pairs = unit["pairs"].as_array().expect("a list");
        // Sentence pairs hold all languages together, those of the unit's score or more.
        let mut reached = BTreeSet::from([langs[0]]);
        for _ in &langs {
            for pair in pairs {
                let two = [text(pair, "lang_a"), text(pair, "lang_b")];
                assert!(two.iter().all(|lang| langs.contains(lang)), "{unit}");
                if pair["score"].as_f64() >= unit["score"].as_f64() && two.iter().any(|lang| reached.contains(lang)) {
                    reached.extend(two);
                }
            }
        }
        assert_eq!(reached.len(), langs.len(), "{unit}");
    }
    assert!(most >= 4, "no document stands in several languages");
}

#[test]
fn every_sentence_pair_is_in_one_unit_or_said_to_contradict() {
    let mut of_place: BTreeMap<(String, u64, u64), usize> = BTreeMap::new();
    let rows = units(&[]);
    for (unit, at) in rows.iter().zip(0..) {
        for one in texts(unit) {
            let place = (text(one, "url").to_owned(), number(one, "paragraph"), number(one, "sentence"));
            assert_eq!(of_place.insert(place, at), None, "a sentence is in one unit");
        }
    }
    let (mut inside, mut outside) = (0, 0);
    for row in export(sample_store(), &["--what", "bitext", "--keep-all"]) {
        if !["", "duplicate"].contains(&row["reason"].as_str().unwrap_or_default()) {
            continue;
        }
        // The unit that begins at a sentence or the nearest before it on its page.
        let unit = |side: &str| {
            let field = |name: &str| format!("{name}_{side}");
            let (url, paragraph) = (text(&row, &field("url")), number(&row, &field("paragraph")));
            let place = (url.to_owned(), paragraph, number(&row, &field("sentence")));
            let (found, unit) = of_place.range(..=place).next_back()?;
            (found.0 == url).then_some(*unit)
        };
        if unit("a").is_some() && unit("a") == unit("b") { inside += 1 } else { outside += 1 }
    }
    let told =
        diglot(sample_store()).args(["export", "--what", "units", "--format", "jsonl"]).output().expect("it runs");
    let told = String::from_utf8(told.stderr).expect("UTF-8");
    let said =
        told.strip_prefix("diglot: ").and_then(|told| told.split(' ').next()).and_then(|count| count.parse().ok());
    let said: u64 = said.unwrap_or_else(|| panic!("{told}"));
    assert!(told.contains(" sentence pairs are in no unit, since they contradict others: "), "{told}");
    assert!(outside <= said && said < inside / 20, "{inside} inside, {outside} outside; {told}");
    assert!(rows.iter().any(|unit| number(unit, "contradictions") > 0));
    // Each is counted for its two languages.
    let langs = ["en", "es", "fr", "zh-Hans", "ko", "tr", "ja", "de"];
    let of_two = langs
        .iter()
        .enumerate()
        .flat_map(|(at, one)| langs[..at].iter().map(move |other| contradictions(&[one, other])));
    assert_eq!(of_two.sum::<u64>(), said);
}

/// How many sentence pairs of some languages are said to contradict others.
fn contradictions(langs: &[&str]) -> u64 {
    let told = diglot(sample_store())
        .args(["export", "--what", "units", "--format", "jsonl", "--langs", &langs.join(",")])
        .output()
        .expect("it runs");
    let told = String::from_utf8(told.stderr).expect("UTF-8");
    let line = told.lines().find(|line| line.contains(" in no unit"));
    line.and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0)
}

#[test]
fn a_document_is_numbered_by_the_first_of_all_of_its_versions() {
    let langs = [
        ("de", "Im Jahr A haben die Leute W gebaut, und seit B ist die Stadt noch größer.", ["das Haus", "den Garten"]),
        ("en", "In the year A the people built W, and since B the town is still larger.", ["the house", "the garden"]),
        ("fr", "En l’an A les gens ont construit W, et depuis B la ville est plus grande.", ["la maison", "le jardin"]),
    ];
    // No sentence of the German page of document 7 is translated.
    let other =
        "hier steht heute nichts davon, denn der Text wurde von niemandem geschrieben oder ist verloren, ".repeat(16);
    let mut pages = Vec::new();
    for (number, (lang, sentence, words)) in (0..16).flat_map(|number| langs.map(|lang| (number, lang))) {
        let line = |at: usize| {
            let (a, b) = ((1500 + number * 31 + at).to_string(), (1700 + number * 7 + at * 3).to_string());
            format!("<p>{}</p>", sentence.replace('A', &a).replace('B', &b).replace('W', words[(number + at) % 2]))
        };
        let text = if (number, lang) == (7, "de") { other.clone() } else { (0..8).map(line).collect() };
        pages.push((format!("http://ex.test/{lang}/p{number}.html"), format!("<html lang={lang}><body>{text}")));
    }
    let responses: Vec<_> = pages.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("x.warc"), folder.path().join("s"));
    write_warc(&archive, &responses);
    // A method that pairs pages by their URLs alone.
    diglot(&store).args(["run", "-q", "--preset", "pupsniffer-2013"]).arg(&archive).assert().success();
    let units = export(&store, &["--what", "units"]);
    let first = xxhash_rust::xxh3::xxh3_64(b"ex.test/de/p7.html");
    let of_seven = units.iter().filter(|unit| texts(unit).iter().any(|one| text(one, "url").ends_with("/p7.html")));
    let of_seven: Vec<(&str, &str)> = of_seven.map(|unit| (text(unit, "langs"), text(unit, "document"))).collect();
    assert_eq!(of_seven, [("en,fr", format!("{first:016x}").as_str()); 8]);
}

#[test]
fn languages_and_conditions_choose_units() {
    let all = units(&[]);
    let some = units(&["--langs", "fr,en"]);
    assert!(!some.is_empty() && some.iter().all(|unit| text(unit, "langs") == "fr,en"));
    let of_both = |unit: &&Value| ["en", "fr"].iter().all(|lang| texts(unit).iter().any(|one| one["lang"] == *lang));
    assert_eq!(some.len(), all.iter().filter(of_both).count(), "a unit is the same, whatever is taken of it");
    let three = units(&["--langs", "fr,en,es"]);
    assert!(three.iter().any(|unit| text(unit, "langs") == "fr,en,es"));
    for (condition, holds) in [
        ("languages>=3", (|unit| number(unit, "languages") >= 3) as fn(&Value) -> bool),
        ("langs~zh-Hans", |unit| text(unit, "langs").contains("zh-Hans")),
        ("contradictions=0", |unit| unit["contradictions"] == 0),
        ("repeated=false", |unit| unit["repeated"] == false),
        ("score>=0.99", |unit| unit["score"].as_f64() >= Some(0.99)),
    ] {
        let expected: Vec<&Value> = all.iter().filter(|unit| holds(unit)).collect();
        let found = units(&["--where", condition]);
        assert!(found.iter().eq(expected) && found.len() < all.len() && !found.is_empty(), "{condition}");
    }
    assert_eq!(units(&["--min-score", "0.99"]), units(&["--where", "score>=0.99"]));
    let here = units(&["--host", "webserver.site.test"]);
    assert!(!here.is_empty() && here.len() < all.len() && here.iter().all(|unit| all.contains(unit)));
    for (arguments, expected) in [
        (&["--where", "texts~a"][..], "texts is a list of sentences, for which there are no conditions"),
        (&["--where", "pairs~a"], "pairs is a list of sentence pairs, for which there are no conditions"),
        (&["--format", "tsv"], "--format is tsv, expected one of jsonl, tmx"),
        (&["--format", "moses"], "--format is moses, expected one of jsonl, tmx"),
        (&["--keep-all"], "--keep-all needs --what bitext, rebuild, documents; --what is units"),
        (&["--join", "100"], "--join needs --what bitext; --what is units"),
        (&["--langs", "fr"], "--langs is fr alone"),
    ] {
        let (code, stderr) = failure(diglot(sample_store()).args(["export", "--what", "units"]).args(arguments));
        assert!(code == 2 && stderr.contains(expected), "{stderr}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark").display().to_string();
    assert_eq!(units(&["--mark", &mark]), all);
    assert!(units(&["--since", &mark]).is_empty());
}

#[test]
fn the_same_archives_give_the_same_units_on_one_thread_and_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["1", "2"].map(|threads| {
        let store = folder.path().join(threads);
        diglot(&store).args(["-q", "--threads", threads, "run"]).arg(root().join("data/sites")).assert().success();
        stdout(&store, &["-q", "--threads", threads, "export", "--what", "units"])
    });
    assert!(one == two && one.lines().count() > 1000);
}
