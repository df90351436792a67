//! What pages say of themselves: marks of machine translation, directives to opt out, licences, and what their records are called.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

#[cfg(feature = "exec")]
use crate::engine::Engine;
use crate::support::{Held, diglot, export, failure, rows, run, stdout, text, webserver};

const EN: [&str; 3] = [
    "The museum opens every morning at nine and shows the work of painters who lived in this valley",
    "Visitors who want to see the old tower should ask for the key at the desk near the entrance",
    "Children under twelve do not pay when they come with their parents on the first Sunday of the month",
];
const FR: [&str; 3] = [
    "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la vallée",
    "Les visiteurs qui veulent voir la vieille tour demandent la clé à la réception, tout près de l'entrée",
    "Les enfants de moins de douze ans ne paient pas quand ils viennent avec leurs parents le premier dimanche",
];

/// A response to be written.
struct Response {
    url: String,
    head: String,
    body: String,
}

/// What a page has: its name, what stands in the head of the page in each language, and HTTP headers of the French one.
type Sample = (&'static str, &'static str, &'static str, &'static str);

const BY: &str = "https://creativecommons.org/licenses/by/4.0/";

/// A page for each sign.
const SAMPLES: [Sample; 15] = [
    ("plain", "", "", ""),
    ("link", "", "<link rel='alternate machine-translated-from' hreflang=en href=../en/link>", ""),
    ("tag", "", "<meta name=machine-translated-from content=en>", ""),
    ("google", "", "<meta http-equiv=X-Translated-By content=Google>", ""),
    ("gtranslate", GTRANSLATE, GTRANSLATE, ""),
    ("weglot", WEGLOT, WEGLOT, ""),
    (
        "transposh",
        "",
        "<meta name=translation-stats content='{\"translated_phrases\":9,\"human_translated_phrases\":0}'>",
        "",
    ),
    ("widget", WIDGET, WIDGET, ""),
    ("header", "", "", "X-Machine-Translated-From: en\r\n"),
    ("noai", "", "<meta name=robots content='noai, noimageai'>", ""),
    ("tag-header", "", "", "X-Robots-Tag: noindex\r\n"),
    ("tdm", "", "", "TDM-Reservation: 1\r\n"),
    ("private/diary", "", "", ""),
    (
        "license",
        "<link rel=license href=https://creativecommons.org/licenses/by/4.0/>",
        "",
        "Link: </terms>; rel=license\r\n",
    ),
    ("json", "", JSON, ""),
];

const GTRANSLATE: &str =
    "<script>window.gtranslateSettings = {\"default_language\":\"en\",\"url_structure\":\"sub_directory\"}</script>";
const WEGLOT: &str =
    "<script type=application/json id=weglot-data>{\"cdn\":\"weglot\",\"language_from\":\"en\"}</script>";
const WIDGET: &str = "<div id=google_translate_element></div>\
    <script src=//translate.google.com/translate_a/element.js?cb=googleTranslateElementInit></script>";
const JSON: &str = "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\
    \"license\":\"https://creativecommons.org/licenses/by/4.0/\"}</script>";

/// The page of a sample in one language. Whatever a page says, it has the same text.
fn page(at: usize, lang: &str) -> Response {
    let (name, en, fr, headers) = SAMPLES[at];
    let (texts, head, headers) = if lang == "en" { (EN, en, "") } else { (FR, fr, headers) };
    let text: String = (0..4).map(|n| format!("<p>{}, {}.</p>", texts[(at + n) % 3], at * 7 + n)).collect();
    let url = format!("http://signs.test/{lang}/{name}");
    let body = format!("<html lang={lang}><head><title>{name} {at}</title>{head}</head><body>{text}</body></html>");
    Response { url, head: format!("Content-Type: text/html\r\n{headers}"), body }
}

fn pages() -> Vec<Response> {
    (0..SAMPLES.len()).flat_map(|at| ["en", "fr"].map(|lang| page(at, lang))).collect()
}

fn file(url: &str, body: &str) -> Response {
    Response { url: url.to_owned(), head: "Content-Type: text/plain\r\n".to_owned(), body: body.to_owned() }
}

fn robots(body: &str) -> Response {
    file("http://signs.test/robots.txt", body)
}

const PRIVATE: &str = "User-agent: *\nDisallow: /fr/private/\n\nUser-agent: TestBot\nDisallow: /fr/\nDisallow: /en/";

/// Writes a WARC, captured on a day of May.
fn write(path: &Path, day: u32, responses: &[Response]) {
    let mut warc = String::new();
    for (at, Response { url, head, body }) in responses.iter().enumerate() {
        let block = format!("HTTP/1.1 200 OK\r\n{head}Content-Length: {}\r\n\r\n{body}", body.len());
        warc += &format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-{day:02}T07:08:09Z\r\n\
             WARC-Record-ID: {}\r\nWARC-Payload-Digest: {DIGEST}\r\nContent-Type: application/http;msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            record_id(at),
            block.len()
        );
    }
    fs::write(path, warc).expect("room on the disk");
}

const DIGEST: &str = "sha1:RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU";

fn record_id(at: usize) -> String {
    format!("<urn:uuid:9fd4b2ed-3bd6-4b02-96f5-e83e6fa3d{at:03x}>")
}

/// The value of a column for each page, by its URL.
fn of_pages(store: &Path, column: &str) -> Vec<(String, String)> {
    let value =
        |page: &Value| Some((text(page, "url").replace("http://signs.test/", ""), page[column].as_str()?.to_owned()));
    export(store, &["--what", "pages"]).iter().filter_map(value).collect()
}

fn told(found: &[(String, String)]) -> Vec<(&str, &str)> {
    found.iter().map(|(url, value)| (url.as_str(), value.as_str())).collect()
}

fn left_out(store: &Path, reason: &str) -> u64 {
    let rows = rows(store, &["status"]);
    rows.iter().filter(|row| row["name"] == reason).filter_map(|row| row["count"].as_u64()).sum()
}

#[test]
fn every_sign_of_a_page_is_recorded_and_stands_in_every_export() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("a.warc"), folder.path().join("s"));
    let mut responses = pages();
    responses.push(robots(PRIVATE));
    write(&warc, 6, &responses);
    run(&store, &[&warc]);
    let marks = of_pages(&store, "machine_translated");
    let expected = [
        ("fr/google", "google-translate"),
        ("fr/gtranslate", "gtranslate"),
        ("fr/header", "machine-translated-from"),
        ("fr/link", "machine-translated-from"),
        ("fr/tag", "machine-translated-from"),
        ("fr/transposh", "transposh"),
        ("fr/weglot", "weglot"),
    ];
    assert_eq!(told(&marks), expected, "originals and widgets are not marked");
    let opt_outs = of_pages(&store, "opt_out");
    let expected = [
        ("fr/noai", "noai noimageai"),
        ("fr/private/diary", "robots.txt"),
        ("fr/tag-header", "noindex"),
        ("fr/tdm", "tdm-reservation"),
    ];
    assert_eq!(told(&opt_outs), expected);
    let licenses = of_pages(&store, "license");
    assert_eq!(told(&licenses), [("en/license", BY), ("fr/json", BY), ("fr/license", "http://signs.test/terms")]);
    let ids = of_pages(&store, "record_id");
    assert_eq!(ids.len(), 2 * SAMPLES.len());
    for (at, response) in responses.iter().enumerate().filter(|(_, response)| !response.url.ends_with(".txt")) {
        let url = response.url.replace("http://signs.test/", "");
        assert!(ids.contains(&(url.clone(), record_id(at))), "{url}");
    }
    assert!(of_pages(&store, "payload_digest").iter().all(|(_, digest)| digest == DIGEST));
    pairs_say_what_their_pages_say(&store);
    assert_eq!(left_out(&store, "robots.txt or tdmrep.json, kept for their rules"), 1);
    let explained = stdout(&store, &["explain", "http://signs.test/robots.txt"]);
    assert!(explained.contains("robots.txt or tdmrep.json"), "{explained}");
}

fn pairs_say_what_their_pages_say(store: &Path) {
    let of = |what: &str, more: &[&str]| export(store, &[&["--what", what, "--langs", "en,fr"], more].concat());
    let pairs = of("pairs", &[]);
    assert_eq!(pairs.len(), SAMPLES.len());
    for what in ["pairs", "bitext", "documents"] {
        let rows = of(what, &[]);
        let of = |name: &str| {
            let is_it = |row: &&Value| text(row, "url_b").ends_with(&format!("/fr/{name}"));
            rows.iter().find(is_it).unwrap_or_else(|| panic!("no {name} among {what}"))
        };
        let weglot = of("weglot");
        assert_eq!(text(weglot, "machine_translated_b"), "weglot");
        assert!(weglot["machine_translated_a"].is_null() && weglot["opt_out_b"].is_null());
        // The mark of Weglot names the language of the original; that of Transposh does not.
        assert_eq!((text(weglot, "original"), &of("transposh")["original"]), ("a", &Value::Null));
        assert_eq!(text(of("noai"), "opt_out_b"), "noai noimageai");
        assert_eq!(text(of("private/diary"), "opt_out_b"), "robots.txt");
        let license = of("license");
        assert_eq!([text(license, "license_a"), text(license, "license_b")], [BY, "http://signs.test/terms"]);
        assert!(what == "documents" || weglot.get("record_id_a").is_none(), "{what}");
    }
    for what in ["pairs", "bitext"] {
        let rows = of(what, &["--record-ids"]);
        assert!(
            rows.iter().all(|row| text(row, "payload_digest_a") == DIGEST && text(row, "payload_digest_b") == DIGEST)
        );
        let first = rows.iter().find(|row| text(row, "url_a").ends_with("/en/plain")).expect("the first page");
        assert_eq!([text(first, "record_id_a"), text(first, "record_id_b")], [record_id(0), record_id(1)]);
        let some = of(what, &["--where", &format!("record_id_b={}", record_id(1))]);
        assert!(!some.is_empty() && some.iter().all(|row| text(row, "url_a").ends_with("/en/plain")));
    }
    assert_eq!(of("pairs", &["--where", "machine_translated_b="]).len(), SAMPLES.len() - 7);
    let (code, stderr) = failure(diglot(store).args(["export", "--what", "pages", "--record-ids"]));
    assert!(code == 2 && stderr.contains("--record-ids needs --what pairs, bitext"), "{stderr}");
}

#[test]
fn pages_are_left_out_by_settings_and_come_back_without_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (warc, rules, store) = (at("a.warc"), at("b.warc"), at("s"));
    write(&warc, 6, &pages());
    write(&rules, 6, &[robots(PRIVATE)]);
    run(&store, &[&warc, &rules]);
    let count = |store: &Path| export(store, &["--what", "pages"]).len();
    let set =
        |store: &Path, arguments: &[&str]| _ = diglot(store).args(["-q", "run"]).args(arguments).assert().success();
    let all = 2 * SAMPLES.len();
    assert_eq!(count(&store), all);
    set(&store, &["--skip-machine-translated"]);
    assert_eq!((count(&store), left_out(&store, "translated by a machine")), (all - 7, 7));
    assert_eq!(of_pages(&store, "machine_translated"), []);
    set(&store, &["--respect-robots"]);
    assert_eq!((count(&store), left_out(&store, "opted out")), (all - 11, 4));
    let explained = stdout(&store, &["explain", "http://signs.test/fr/private/diary"]);
    assert!(explained.contains("opted out (robots.txt)"), "{explained}");
    let explained = stdout(&store, &["explain", "http://signs.test/fr/weglot"]);
    assert!(explained.contains("translated by a machine (weglot)"), "{explained}");
    // An agent with rules of its own.
    set(&store, &["--robots-agent", "testbot"]);
    assert_eq!((count(&store), left_out(&store, "opted out")), (0, all as u64));
    set(&store, &["--reset", "robots-agent,respect-robots,skip-machine-translated"]);
    assert_eq!((count(&store), left_out(&store, "opted out")), (all, 0));
}

#[test]
fn the_newest_rules_count_whatever_the_order_of_archives() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (warc, old, new) = (at("a.warc"), at("old.warc"), at("new.warc"));
    write(&warc, 6, &pages());
    write(&old, 7, &[robots("User-agent: *\nDisallow: /")]);
    let json = r#"[{"location": "/en/license", "tdm-reservation": 1}]"#;
    let reserved = Response {
        head: "Content-Type: application/json\r\n".to_owned(),
        ..file("http://signs.test/.well-known/tdmrep.json", json)
    };
    write(&new, 8, &[robots("User-agent: *\nDisallow: /fr/plain$"), reserved]);
    let listing = |name: &str, inputs: &[&[&Path]]| {
        let store = at(name);
        for inputs in inputs {
            diglot(&store).args(["-q", "run", "--respect-robots"]).args(*inputs).assert().success();
        }
        let pages = stdout(&store, &["export", "--what", "pages", "--format", "jsonl"]);
        (pages, stdout(&store, &["pairs"]), left_out(&store, "opted out"))
    };
    let together = listing("together", &[&[&warc, &old, &new]]);
    // Four by themselves or a header, one by each file.
    assert_eq!(together.2, 5);
    assert!(!together.0.contains("signs.test/fr/plain\"") && !together.0.contains("signs.test/en/license\""));
    // With the old rules no page is left, until the new ones come.
    assert_eq!(listing("apart", &[&[&old], &[&warc], &[&new]]), together);
    assert_eq!(listing("after", &[&[&new], &[&warc], &[&old]]), together);
    assert_eq!(listing("before", &[&[&warc], &[&old], &[&new]]), together);
}

#[cfg(feature = "exec")]
#[test]
fn steps_leave_out_what_a_run_leaves_out_however_a_domain_is_divided() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, rules) = (folder.path().join("a.warc"), folder.path().join("b.warc"));
    write(&warc, 6, &pages());
    write(&rules, 6, &[robots(PRIVATE)]);
    let archives = [warc, rules];
    let settings = [("respect-robots", "yes")];
    let pages = by_engine(Engine::new(2, &settings, true), &archives);
    assert_eq!(urls(&pages), by_run(&archives));
    assert_eq!(pages.len(), 2 * SAMPLES.len() - 4);
    assert!(pages.iter().any(|page| page["machine_translated"] == "weglot" && page["record_id"].is_string()));
    // Only one part of a domain that is divided has the record with the rules for all.
    let rules = folder.path().join("c.warc");
    write(&rules, 6, &[file("http://webserver.site.test/robots.txt", "User-agent: *\nDisallow: /manual/fr/")]);
    let archives = [webserver(), rules];
    let expected = by_run(&archives);
    assert!(expected.len() > 20 && !expected.iter().any(|url| url.contains("/manual/fr/")), "{expected:?}");
    assert_eq!(urls(&by_engine(Engine::dividing(3, &settings, false), &archives)), expected);
}

/// The rows of pages that the steps give.
#[cfg(feature = "exec")]
fn by_engine(mut engine: Engine, archives: &[PathBuf]) -> Vec<Value> {
    let found = engine.run(archives).expect("it runs");
    found["pages"].iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The URLs of the pages that a run gives, without those that opt out.
#[cfg(feature = "exec")]
fn by_run(archives: &[PathBuf]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    diglot(&store).args(["-q", "run", "--respect-robots", "--until", "keys"]).args(archives).assert().success();
    urls(&export(&store, &["--what", "pages"]))
}

#[cfg(feature = "exec")]
fn urls(pages: &[Value]) -> Vec<String> {
    let mut urls: Vec<String> = pages.iter().map(|page| text(page, "url").to_owned()).collect();
    urls.sort();
    urls
}
