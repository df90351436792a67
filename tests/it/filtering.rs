//! What bitext is filtered by: columns, conditions on them, and sentence pairs that are joined.

use std::collections::{BTreeMap, BTreeSet};

use diglot::types::grouped;
use serde_json::Value;

use crate::support::{Held, diglot, export, failure, number, sample_store, stdout, text};

fn bitext(arguments: &[&str]) -> Vec<Value> {
    export(sample_store(), &[&["--what", "bitext"], arguments].concat())
}

/// As near duplicates are compared.
fn near(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    kept.map(|c| if c.is_numeric() { '0' } else { c }).collect()
}

#[test]
fn a_condition_on_scores_that_nobody_gave_says_so() {
    for command in ["bitext", "export"] {
        let mut asked = diglot(sample_store());
        let output = asked.args([command, "--where", "scorer>=0.5", "--limit", "1"]).assert().success().output;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("no scorer has given scores: `diglot run --scorer COMMAND"), "{told}");
    }
}

#[test]
fn columns_say_what_the_texts_and_their_pages_say() {
    let documents: BTreeMap<[String; 2], Value> = export(sample_store(), &["--what", "documents"])
        .into_iter()
        .map(|row| (["url_a", "url_b"].map(|url| text(&row, url).to_owned()), row))
        .collect();
    let mut of_near: BTreeMap<String, String> = BTreeMap::new();
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    let rows = bitext(&[]);
    for row in &rows {
        let document = &documents[&["url_a", "url_b"].map(|url| text(row, url).to_owned())];
        let sentences = document["sentences"].as_array().expect("a list");
        let same = |found: &&Value| {
            let fields =
                ["text_a", "text_b", "paragraph_a", "sentence_a", "paragraph_b", "sentence_b", "count_a", "count_b"];
            fields.iter().all(|field| found[field] == row[field])
        };
        assert!(sentences.iter().any(|found| same(&found)), "{row}");
        for side in ["a", "b"] {
            let field = |name: &str| format!("{name}_{side}");
            let said = text(row, &field("text"));
            assert_eq!(number(row, &field("chars")), said.chars().count() as u64, "{row}");
            let hash = of_near.entry(near(said)).or_insert_with(|| text(row, &field("near")).to_owned());
            assert_eq!(text(row, &field("near")), hash, "{row}");
            let tag = &document[field("tags")][number(row, &field("paragraph")) as usize];
            assert_eq!(
                text(row, &field("block")),
                format!("{}:{}", row[field("paragraph")], tag.as_str().unwrap_or(""))
            );
            let is_heading = tag.as_str().is_some_and(|tag| tag.len() == 2 && tag.starts_with('h') && tag != "hr");
            assert_eq!(row[field("kind")] == "heading", is_heading, "{row}");
        }
        kinds.insert(text(row, "kind_a"));
        let has_at = text(row, "text_a").contains('@') || text(row, "text_b").contains('@');
        assert!(has_at || row["email"] == false, "{row}");
        // The page pairs of the site are this one and the others of it.
        let site = |url: &Value| {
            url.as_str().and_then(|url| url.split('/').nth(2)?.split_once('.')).map(|host| host.1.to_owned())
        };
        let of_site =
            row["also"].as_array().expect("a list").iter().filter(|also| site(&also[0]) == site(&row["url_a"]));
        assert!(number(row, "page_pairs") > of_site.count() as u64, "{row}");
    }
    assert_eq!(of_near.values().collect::<BTreeSet<_>>().len(), of_near.len(), "other texts have other hashes");
    assert!(kinds.is_superset(&BTreeSet::from(["paragraph", "heading"])), "{kinds:?}");
    assert!(rows.iter().any(|row| row["email"] == true) && rows.iter().any(|row| row["furniture"] == true));
}

#[test]
fn what_is_left_out_as_said_already_has_the_number_of_page_pairs_of_the_first() {
    let mut of_text: BTreeMap<[String; 4], BTreeSet<u64>> = BTreeMap::new();
    for row in bitext(&["--keep-all"])
        .iter()
        .filter(|row| ["", "duplicate"].contains(&row["reason"].as_str().unwrap_or_default()))
    {
        let squeezed = |field: &str| text(row, field).split_whitespace().collect::<String>();
        let key = ["lang_a", "lang_b", "text_a", "text_b"].map(squeezed);
        // Other sites count by themselves.
        if !text(row, "url_a").contains("packaging") {
            of_text.entry(key).or_default().insert(number(row, "page_pairs"));
        }
    }
    assert!(of_text.values().any(|counts| counts.iter().any(|count| *count > 1)));
    let odd = of_text.iter().find(|(_, counts)| counts.len() > 1);
    assert_eq!(odd, None);
}

/// A text without white space, as duplicates are compared.
fn squeezed(row: &Value, field: &str) -> String {
    text(row, field).split_whitespace().collect()
}

#[test]
fn the_translations_of_a_text_are_counted_on_its_site() {
    // By site, languages and side: the texts, and what is kept as translations of them.
    let key = |row: &Value, side: &str| {
        let site = text(row, "url_a").contains("packaging");
        let langs = ["lang_a", "lang_b"].map(|lang| text(row, lang).to_owned());
        (site, langs, side.to_owned(), squeezed(row, &format!("text_{side}")))
    };
    let mut translations: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let rows = bitext(&["--keep-all"]);
    for row in rows.iter().filter(|row| ["", "duplicate"].contains(&row["reason"].as_str().unwrap_or_default())) {
        translations.entry(key(row, "a")).or_default().insert(squeezed(row, "text_b"));
        translations.entry(key(row, "b")).or_default().insert(squeezed(row, "text_a"));
    }
    let mut most = 0;
    for row in &rows {
        for (column, side) in [("targets", "a"), ("sources", "b")] {
            if ["", "duplicate"].contains(&row["reason"].as_str().unwrap_or_default()) {
                most = most.max(number(row, column));
                assert_eq!(number(row, column), translations[&key(row, side)].len() as u64, "{row}");
            } else {
                assert!(row[column].is_null(), "{row}");
            }
        }
    }
    assert!(most > 1, "no text has several translations");
    // Languages that are given in the other order turn the columns.
    let turn = |rows: Vec<Value>, columns: [&str; 4]| -> BTreeSet<Vec<String>> {
        rows.iter().map(|row| columns.iter().map(|column| row[*column].to_string()).collect()).collect()
    };
    let one = turn(bitext(&["--langs", "en,fr"]), ["text_a", "text_b", "targets", "sources"]);
    let other = turn(bitext(&["--langs", "fr,en"]), ["text_b", "text_a", "sources", "targets"]);
    assert!(!one.is_empty() && one == other);
    let joined = bitext(&["--langs", "en,fr", "--join", "500"]);
    assert!(joined.iter().all(|row| number(row, "targets") >= 1));
}

#[test]
fn texts_have_the_languages_of_their_pages_or_say_which_other_one() {
    let rows = bitext(&["--detect", "--langs", "en,fr"]);
    let mut counts = (0, 0);
    for row in &rows {
        for side in ["a", "b"] {
            let column = |name: &str| &row[format!("{name}_{side}")];
            let (told, sure) = (column("detected_lang").as_str(), column("detected_confidence").as_f64());
            assert_eq!(told.is_some(), sure.is_some(), "{row}");
            assert!(sure.is_none_or(|sure| (0.0..=1.0).contains(&sure)), "{row}");
            if sure >= Some(0.9) && number(row, &format!("chars_{side}")) >= 80 {
                counts.0 += u32::from(told == column("lang").as_str());
                counts.1 += 1;
            }
        }
    }
    assert!(counts.1 > 100 && counts.0 * 100 >= counts.1 * 99, "{counts:?}");
    // Joined texts are told as a whole, whatever was asked of their parts.
    let some = ["--langs", "en,es", "--join", "500"];
    let asked = bitext(&[&some[..], &["--detect", "--where", "detected_lang_a!=tlh"]].concat());
    let joined = bitext(&[&some[..], &["--detect"]].concat());
    assert!(!joined.is_empty() && asked == joined);
    // Conditions do not need the columns, which only formats with columns have.
    let english = bitext(&[&some[..2], &["--where", "detected_lang_b=en"]].concat());
    assert!(english.iter().all(|row| row["detected_lang_b"].is_null()), "{english:?}");
    for arguments in [["--what", "pairs"], ["--format", "tmx"]] {
        let (code, stderr) = failure(diglot(sample_store()).args(["export", "--detect"]).args(arguments));
        assert!(code == 2 && stderr.contains("--detect"), "{code} {stderr}");
    }
}

/// A condition, and the same said once more.
type Said = (&'static str, fn(&Value) -> bool);

const CONDITIONS: &[Said] = &[
    ("score>=0.99", |row| row["score"].as_f64() >= Some(0.99)),
    ("score < 0.9", |row| row["score"].as_f64() < Some(0.9)),
    ("kind_a=paragraph", |row| row["kind_a"] == "paragraph"),
    ("kind_b!=paragraph", |row| row["kind_b"] != "paragraph"),
    ("chars_a>40", |row| number(row, "chars_a") > 40),
    ("count_b=2", |row| number(row, "count_b") == 2),
    ("page_pairs<=1", |row| number(row, "page_pairs") <= 1),
    ("targets<=2", |row| number(row, "targets") <= 2),
    ("sources>1", |row| number(row, "sources") > 1),
    ("email=true", |row| row["email"] == true),
    ("furniture!=true", |row| row["furniture"] == false),
    ("text_a~server", |row| text(row, "text_a").contains("server")),
    ("url_b>http://webserver", |row| text(row, "url_b") > "http://webserver"),
    ("also~/manual/", |row| row["also"].to_string().contains("/manual/")),
    ("near_a=0000000000000000", |_| false),
];

#[test]
fn a_condition_takes_what_it_says_in_every_format() {
    let all = bitext(&[]);
    for (condition, holds) in CONDITIONS {
        let expected: Vec<&Value> = all.iter().filter(|row| holds(row)).collect();
        let found = bitext(&["--where", condition]);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{condition}");
        let tmx = stdout(sample_store(), &["-q", "export", "--format", "tmx", "--where", condition]);
        assert_eq!(tmx.matches("<tu ").count(), expected.len(), "{condition}");
        let listed = stdout(sample_store(), &["-q", "bitext", "--format", "tsv", "--where", condition]);
        assert_eq!(listed.lines().count(), expected.len() + 1, "{condition}");
    }
    let some = ["--where", "kind_a=paragraph", "--where", "chars_a>=30", "--langs", "en,fr"];
    let found = bitext(&some);
    let expected = all.iter().filter(|row| {
        let langs = [&row["lang_a"], &row["lang_b"]];
        row["kind_a"] == "paragraph" && number(row, "chars_a") >= 30 && langs == ["en", "fr"]
    });
    assert!(!found.is_empty() && found.iter().eq(expected));
    assert_eq!(bitext(&["--min-score", "0.95"]), bitext(&["--where", "score>=0.95"]));
    let pairs = stdout(sample_store(), &["-q", "pairs", "--format", "tsv"]);
    let by_key = stdout(sample_store(), &["-q", "pairs", "--format", "tsv", "--where", "method=key"]);
    assert_eq!(by_key.lines().skip(1).count(), pairs.lines().filter(|line| line.contains("\tkey\t")).count());
    let headings = export(sample_store(), &["--what", "pages", "--where", "tags=h2"]);
    let has_heading = |page: &Value| page["tags"].as_array().is_some_and(|tags| tags.iter().any(|tag| tag == "h2"));
    assert!(headings.iter().eq(export(sample_store(), &["--what", "pages"]).iter().filter(|page| has_heading(page))));
}

#[test]
fn what_conditions_leave_out_is_counted_and_wrong_ones_are_refused() {
    let all = bitext(&[]);
    let low = all.iter().filter(|row| row["score"].as_f64() < Some(0.95)).count();
    let is_high = |row: &&Value| row["score"].as_f64() >= Some(0.95);
    let others = all.iter().filter(is_high).filter(|row| row["kind_a"] != "paragraph").count();
    let told = diglot(sample_store())
        .args(["export", "--what", "bitext", "--min-score", "0.95", "--where", "kind_a = paragraph"])
        .assert()
        .success();
    let told = String::from_utf8_lossy(&told.output.stderr).into_owned();
    let [sum, low, others] = [low + others, low, others].map(|count| grouped(count as u64));
    let expected =
        format!("diglot: {sum} sentence pairs left out: {low} by --min-score 0.95, {others} by kind_a=paragraph\n");
    assert!(told.ends_with(&expected), "{told}");
    // What comes behind the limit is not looked at.
    for command in [&["export", "--what", "bitext"][..], &["bitext"]] {
        let told = diglot(sample_store()).args(command).args(["--where", "kind_a=paragraph", "--limit", "9"]).assert();
        let told = String::from_utf8_lossy(&told.success().output.stderr).into_owned();
        assert!(told.contains(" sentence pairs left out before --limit was reached: "), "{told}");
    }
    for (arguments, expected) in [
        (
            &["--what", "bitext", "--where", "kind=item"][..],
            "--where: --what bitext has no column kind; it has text_a,",
        ),
        (
            &["--where", "text_a~x"],
            "--where: --what pairs has no column text_a; it has url_a, url_b, lang_a, lang_b, score",
        ),
        (&["--what", "bitext", "--where", "score>=x"], "score>=x does not fit the column, score is a number"),
        (&["--what", "warc", "--where", "url=x"], "--where: --what warc has no columns"),
        (&["--what", "bitext", "--join", "0"], "--join is 0, expected a number of characters, such as 1000"),
        (&["--join", "100"], "--join needs --what bitext; --what is pairs"),
        (&["--what", "bitext", "--join", "100", "--keep-all"], "--join joins what is kept; leave out --keep-all"),
    ] {
        let (code, stderr) = failure(diglot(sample_store()).arg("export").args(arguments));
        assert!(code == 2 && stderr.contains(expected), "{stderr}");
    }
}

/// True where a sentence pair follows another on a side, within a paragraph or from one of running text to the next.
fn follows(before: &Value, next: &Value, side: &str) -> bool {
    let of = |row: &Value, name: &str| number(row, &format!("{name}_{side}"));
    if of(before, "paragraph") == of(next, "paragraph") {
        return of(next, "sentence") == of(before, "sentence") + of(before, "count");
    }
    let kind = format!("kind_{side}");
    before[&kind] == "paragraph" && next[&kind] == "paragraph" && of(next, "sentence") == 0
}

#[test]
fn joined_rows_are_the_rows_that_follow_one_another() {
    const MOST: usize = 200;
    for condition in [&[][..], &["--where", "chars_a>=25"]] {
        let alone = bitext(condition);
        let joined = bitext(&[condition, &["--join", "200"]].concat());
        let (mut at, mut longest) = (0, 0);
        for row in &joined {
            let first = at;
            let sides = ["a", "b"].map(|side| {
                let mut rest = text(row, &format!("text_{side}"));
                let mut count = 0;
                while let Some(part) = alone.get(first + count) {
                    let Some(after) = rest.strip_prefix(text(part, &format!("text_{side}"))) else { break };
                    (rest, count) = (after.strip_prefix(' ').unwrap_or(after), count + 1);
                    if rest.is_empty() {
                        break;
                    }
                }
                assert_eq!(rest, "", "{row} {}", alone[first]);
                count
            });
            assert_eq!(sides[0], sides[1], "{row}");
            at += sides[0];
            let parts = &alone[first..at];
            longest = longest.max(parts.len());
            let sum = |field: &str| parts.iter().map(|part| number(part, field)).sum::<u64>();
            assert_eq!((number(row, "count_a"), number(row, "count_b")), (sum("count_a"), sum("count_b")));
            let least = parts.iter().filter_map(|part| part["score"].as_f64()).fold(1.0, f64::min);
            assert_eq!(row["score"].as_f64(), Some(least), "{row}");
            for field in ["url_a", "url_b", "block_a", "sentence_b", "kind_a"] {
                assert_eq!(row[field], parts[0][field], "{row}");
            }
            for two in parts.windows(2) {
                assert!(["a", "b"].iter().all(|side| follows(&two[0], &two[1], side)), "{row}");
                assert_eq!((&two[0]["url_a"], &two[0]["url_b"]), (&two[1]["url_a"], &two[1]["url_b"]));
            }
            for side in ["a", "b"] {
                let said = text(row, &format!("text_{side}"));
                assert_eq!(number(row, &format!("chars_{side}")), said.chars().count() as u64);
                assert!(parts.len() == 1 || said.chars().count() <= MOST, "{row}");
            }
            // What follows in the paragraph would have been too long.
            if let Some(next) = alone.get(at) {
                let last = &parts[parts.len() - 1];
                let is_next = |side: &str| {
                    let paragraph = format!("paragraph_{side}");
                    last[&paragraph] == next[&paragraph] && follows(last, next, side)
                };
                let is_of_pair = (&last["url_a"], &last["url_b"]) == (&next["url_a"], &next["url_b"]);
                let length =
                    |side: &str| number(row, &format!("chars_{side}")) + number(next, &format!("chars_{side}"));
                let fits = ["a", "b"].iter().all(|side| length(side) < MOST as u64);
                assert!(!(is_of_pair && fits && is_next("a") && is_next("b")), "{row} {next}");
            }
        }
        assert_eq!(at, alone.len());
        assert!(longest > 2, "nothing is joined");
    }
}
