//! What pages say of themselves and of each other: which URL is theirs, which pages are their versions, and that they are no pages.

use std::collections::BTreeSet;
use std::path::Path;

use crate::sites::{SiteBuilder, diglot, html, stdout};

/// The run of a site, to the end of iteration.
fn run(folder: &Path, site: &SiteBuilder) -> std::path::PathBuf {
    let (archive, store) = (folder.join("site.warc.gz"), folder.join("store"));
    site.write(&archive);
    stdout(diglot(&store).args(["run", "--until", "iterate"]).arg(archive));
    store
}

/// The pairs of a store, as the paths of their URLs.
fn pairs(store: &Path) -> BTreeSet<[String; 2]> {
    let listed = stdout(diglot(store).args(["pairs", "--format", "tsv"]));
    let path = |cell: &str| cell.split_once("site.test").map(|(_, path)| path.to_owned());
    let paths = |line: &str| line.split('\t').filter_map(path).collect::<Vec<_>>().try_into().ok();
    listed.lines().filter_map(paths).collect()
}

fn explained(store: &Path, path: &str) -> String {
    stdout(diglot(store).arg("explain").arg(format!("http://site.test{path}")))
}

/// What two pages declare of each other, as `explain` shows it.
fn declared(store: &Path, a: &str, b: &str) -> Option<String> {
    let urls = [a, b].map(|path| format!("http://site.test{path}"));
    let text = stdout(diglot(store).arg("explain").args(urls));
    text.lines().find_map(|line| line.trim().strip_prefix("hreflang  ").map(|value| value.trim()[..5].to_owned()))
}

/// A page of that number with more in its head and at the end of its body.
fn page(lang: &str, number: usize, head: &str, end: &str) -> String {
    html(lang, number).replace("<head>", &format!("<head>{head}")).replace("</body>", &format!("{end}</body>"))
}

/// Lists of three pages in two languages, under names that no key joins. The switch of languages on each page leads to page 1.
fn lists() -> SiteBuilder {
    let mut site = SiteBuilder::default();
    let names = [("en", ["archive", "older-news", "oldest-news"]), ("de", ["liste", "frueheres", "ganz-alt"])];
    for (lang, paths) in names {
        let other = if lang == "en" { ("de", "liste") } else { ("en", "archive") };
        let switch = format!("<link rel=alternate hreflang={} href=/{}>", other.0, other.1);
        for (number, path) in paths.iter().enumerate() {
            let links: String = paths.iter().map(|path| format!("<a href=/{path}>{path}</a> ")).collect();
            let text = page(lang, number, &switch, &format!("<p>{links}</p>"));
            site.capture(format!("http://site.test/{path}"), SiteBuilder::DAY, &text);
        }
    }
    site
}

#[test]
fn a_switch_that_always_leads_to_the_first_page_says_nothing_of_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = run(folder.path(), &lists());
    let found = pairs(&store);
    assert!(found.iter().any(|pair| pair.contains(&"/archive".to_owned()) && pair.contains(&"/liste".to_owned())));
    for pair in &found {
        let firsts = ["/archive", "/liste"].iter().filter(|first| pair.contains(&(**first).to_owned())).count();
        assert_ne!(firsts, 1, "a first page is paired with another one: {pair:?}");
    }
    // The first pages name each other. What page 2 says of the first page says nothing of page 2 either.
    assert_eq!(declared(&store, "/archive", "/liste").as_deref(), Some("1.000"));
    assert_eq!(declared(&store, "/older-news", "/frueheres"), None);
}

#[test]
fn a_version_is_found_however_its_url_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = SiteBuilder::default();
    // Where each page is, and how the other one writes it.
    let versions = [
        [("/harvest.html", "/harvest"), ("/ernte/", "/ernte")],
        [("/letters/index.php", "/letters/"), ("/briefe", "/briefe.html")],
        [("/", "/index.html"), ("/start.htm", "/start")],
    ];
    for (number, [en, de]) in versions.iter().enumerate() {
        for (lang, (path, _), (other, (_, written))) in [("en", en, ("de", de)), ("de", de, ("en", en))] {
            let head = format!("<link rel=alternate hreflang={other} href={written}>");
            site.capture(format!("http://site.test{path}"), SiteBuilder::DAY, &page(lang, number, &head, ""));
        }
    }
    let store = run(folder.path(), &site);
    for [(en, _), (de, _)] in versions {
        assert_eq!(declared(&store, en, de).as_deref(), Some("1.000"), "{en} {de}");
    }
}

#[test]
fn links_that_are_named_after_languages_lead_to_versions() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = SiteBuilder::default();
    let names = [["archive", "liste"], ["older-news", "frueheres"], ["oldest-news", "ganz-alt"], ["about", "ueber"]];
    for (number, [en, de]) in names.into_iter().enumerate() {
        for (lang, path, label, other) in [("en", en, "Deutsch", de), ("de", de, "Englisch", en)] {
            let switch = match number {
                0 => format!("<p><a href=/{other}>{label}</a></p>"),
                1 => format!("<select><option value=/{path}>-<option value=/{other}>{label}</select>"),
                2 => format!("<x-header lang-href=/{other}></x-header>"),
                // To the first page, which leads to another one.
                _ => format!("<p><a href=/{}>{label}</a></p>", if lang == "en" { "liste" } else { "archive" }),
            };
            site.capture(format!("http://site.test/{path}"), SiteBuilder::DAY, &page(lang, number, "", &switch));
        }
    }
    let store = run(folder.path(), &site);
    let found = names.map(|[en, de]| declared(&store, &format!("/{en}"), &format!("/{de}")));
    assert_eq!(found.map(|one| one.as_deref() == Some("1.000")), [true, true, true, false]);
}

#[test]
fn a_page_that_names_its_canonical_url_is_a_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = SiteBuilder::default();
    for number in 0..6 {
        for lang in ["en", "de"] {
            let canonical = format!("<link rel=canonical href='https://site.test/{lang}/{number}.html'>");
            let text = page(lang, number, &canonical, "");
            site.capture(format!("http://site.test/{lang}/{number}.html"), SiteBuilder::DAY, &text);
            site.capture(format!("http://site.test/show?{lang}&p={number}&print=1"), SiteBuilder::DAY, &text);
        }
    }
    // A translation that names its original, and a page that names the home page.
    let original = "<link rel=canonical href=/en/7.html>";
    site.page("http://site.test/en/7.html", "en", 7);
    site.capture("http://site.test/de/7.html", SiteBuilder::DAY, &page("de", 7, original, ""));
    site.page("http://site.test/en/8.html", "en", 8);
    site.capture("http://site.test/de/8.html", SiteBuilder::DAY, &page("de", 8, "<link rel=canonical href=/>", ""));
    let store = run(folder.path(), &site);
    let number = |lang: &str, number: usize| format!("/{lang}/{number}.html");
    let expected = [0, 1, 2, 3, 4, 5, 7, 8].map(|n| [number("de", n), number("en", n)]);
    assert_eq!(pairs(&store), BTreeSet::from(expected));
    let copy = explained(&store, "/show?de&p=3&print=1");
    assert!(copy.contains("declares http://site.test/de/3.html as its canonical URL"), "{copy}");
}

#[test]
fn what_is_no_page_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 4, |lang, number| format!("http://site.test/{lang}/{number}.html"));
    let words =
        "some words that are more than a hundred bytes of text, but say nothing else than what any page would say ";
    for (path, text) in [
        ("old", format!("<meta http-equiv=refresh content='0; url=/en/1.html'><p>{words}")),
        ("gone", format!("<title>Page not found</title><p>{words}")),
        ("login", format!("<form><input type=password></form><p>{words}")),
    ] {
        site.capture(format!("http://site.test/{path}"), SiteBuilder::DAY, &text);
    }
    let store = run(folder.path(), &site);
    for (path, reason) in [
        ("/old", "redirect to another URL (refresh after 0 s to http://site.test/en/1.html"),
        ("/gone", "page not found, with status 200"),
        ("/login", "only a log-in form"),
    ] {
        let text = explained(&store, path);
        assert!(text.contains(reason), "{text}");
    }
    let status = stdout(diglot(&store).arg("status"));
    assert!(status.contains("redirect to another URL") && status.contains("only a log-in form"), "{status}");
}
