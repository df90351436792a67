//! What real sites do: one smallest site for each cause of wrong and missed pairs.

use std::collections::BTreeSet;

use crate::sites::{Dice, SiteBuilder};
use crate::stories::{page, sentences, story, title};
use crate::support;

/// A made-up site with the pairs it has.
#[derive(Default)]
struct Site {
    builder: SiteBuilder,
    gold: BTreeSet<[String; 2]>,
    /// Pairs that count neither as right nor as wrong.
    ignored: BTreeSet<[String; 2]>,
}

/// Wrong and missed pairs.
#[derive(Debug, PartialEq)]
struct Errors {
    wrong: Vec<[String; 2]>,
    missed: Vec<[String; 2]>,
}

impl Errors {
    fn none() -> Errors {
        Errors { wrong: Vec::new(), missed: Vec::new() }
    }
}

fn url(path: &str) -> String {
    format!("http://site.test{path}")
}

fn pair(x: &str, y: &str) -> [String; 2] {
    let mut pair = [url(x), url(y)];
    pair.sort();
    pair
}

impl Site {
    fn add(&mut self, path: &str, html: &str) {
        self.builder.capture(url(path), SiteBuilder::DAY, html);
    }

    /// A page of a story under a title of its own.
    fn story(&mut self, path: &str, lang: &str, number: u64) {
        self.add(path, &page(lang, "", &title(lang, number), &story(lang, number, 5)));
    }

    fn pair(&mut self, x: &str, y: &str) {
        self.gold.insert(pair(x, y));
    }

    /// Stories 0..count at `/en/storyN.html` and so on, in every pair of languages.
    fn keyed(&mut self, langs: &[&str], count: u64) {
        for number in 0..count {
            let path = |lang: &str| format!("/{lang}/story{number}.html");
            for (at, lang) in langs.iter().enumerate() {
                self.story(&path(lang), lang, number);
                langs[..at].iter().for_each(|other| self.pair(&path(other), &path(lang)));
            }
        }
    }

    /// What is wrong with the pairs after a run until a stage.
    fn errors_until(&self, stage: &str) -> Errors {
        let folder = tempfile::tempdir().expect("a folder");
        let warc = folder.path().join("site.warc.gz");
        self.builder.write(&warc);
        let store = folder.path().join("s");
        let warc = warc.display().to_string();
        support::stdout(&store, &["run", &warc, "--until", stage, "--quiet"]);
        let text = |value: &serde_json::Value| value.as_str().expect("a URL").to_owned();
        let rows = support::rows(&store, &["pairs"]);
        let found: BTreeSet<[String; 2]> = rows
            .iter()
            .map(|row| {
                let mut pair = [text(&row["url_a"]), text(&row["url_b"])];
                pair.sort();
                pair
            })
            .collect();
        let is_wrong = |pair: &&[String; 2]| !self.gold.contains(*pair) && !self.ignored.contains(*pair);
        if std::env::var_os("SHOW_ROWS").is_some() {
            rows.iter().for_each(|row| println!("{row:?}"));
            let all = found.iter().filter(is_wrong).chain(self.gold.difference(&found));
            for [x, y] in all {
                println!("{}", support::stdout(&store, &["explain", x, y]));
            }
        }
        Errors {
            wrong: found.iter().filter(is_wrong).cloned().collect(),
            missed: self.gold.difference(&found).cloned().collect(),
        }
    }

    fn errors(&self) -> Errors {
        self.errors_until("iterate")
    }
}

/// A page about a person, of one template: name, address, picture, and the same few words for everybody.
fn person(lang: &str, name: &str, number: u64) -> String {
    let slug = name.to_lowercase().replace(' ', "-");
    let labels = sentences(lang, 800, 4);
    let body = format!(
        "<img src=\"/people/{slug}.jpg\"><table><tr><th>{}</th><td>{name}</td></tr><tr><th>{}</th><td>{slug}@site.test</td></tr>\
         <tr><th>{}</th><td>+49 30 {}</td></tr></table><p>{}</p><p>{}</p>",
        labels[0],
        labels[1],
        labels[2],
        1000 + number * 37,
        labels[3],
        sentences(lang, 810 + 2 * number, 2).join(" "),
    );
    page(lang, "", name, &body)
}

#[test]
fn pages_left_alone_by_a_key_that_pairs_nearly_all_stay_alone() {
    let mut site = Site::default();
    // So many that the run learns its weights from them.
    site.keyed(&["en", "de"], 100);
    for (at, name) in ["Alice Miller", "Brian Harper", "Carol Whitfield"].iter().enumerate() {
        let path = format!("/en/people/{}.html", name.to_lowercase().replace(' ', "-"));
        site.add(&path, &person("en", name, at as u64));
    }
    for (at, name) in ["Dieter Schulze", "Erika Baumann", "Frank Krause"].iter().enumerate() {
        let path = format!("/de/people/{}.html", name.to_lowercase().replace(' ', "-"));
        site.add(&path, &person("de", name, 10 + at as u64));
    }
    // People who are in both languages.
    for (at, name) in ["Greta Holm", "Henry Klein", "Ines Moreau", "Jan Novak"].iter().enumerate() {
        let [en, de] =
            ["en", "de"].map(|lang| format!("/{lang}/people/{}.html", name.to_lowercase().replace(' ', "-")));
        site.add(&en, &person("en", name, 20 + at as u64));
        site.add(&de, &person("de", name, 20 + at as u64));
        site.pair(&en, &de);
    }
    // News in one language each.
    for number in 0..4 {
        let slug = |lang: &str, number: u64| title(lang, number).to_lowercase().replace([' ', '\''], "-");
        site.story(&format!("/en/news/{}.html", slug("en", 300 + number)), "en", 300 + number);
        site.story(&format!("/de/news/{}.html", slug("de", 400 + number)), "de", 400 + number);
    }
    assert_eq!(site.errors(), Errors::none());
}

#[test]
fn english_text_under_another_language_does_not_displace_the_english_page() {
    for alternates in [true, false] {
        let mut site = Site::default();
        for number in 0..24 {
            let path = |lang: &str| format!("/{lang}/story{number}.html");
            let link =
                |lang: &str| format!("<link rel=\"alternate\" hreflang=\"{lang}\" href=\"{}\">", url(&path(lang)));
            let head: String = if alternates { ["en", "de", "fr"].map(link).concat() } else { String::new() };
            site.add(&path("en"), &page("en", &head, &title("en", number), &story("en", number, 5)));
            site.add(&path("de"), &page("de", &head, &title("de", number), &story("de", number, 5)));
            site.pair(&path("en"), &path("de"));
            // Every third page was never translated: English text in a French frame.
            let of = if number % 3 == 0 { "en" } else { "fr" };
            site.add(&path("fr"), &page("fr", &head, &title(of, number), &story(of, number, 5)));
            if of == "fr" {
                site.pair(&path("en"), &path("fr"));
                site.pair(&path("de"), &path("fr"));
            }
        }
        assert_eq!(site.errors(), Errors::none(), "hreflang {alternates}");
    }
}

#[test]
fn each_variant_of_a_language_has_a_partner() {
    for declared in [true, false] {
        let mut site = Site::default();
        for number in 0..16 {
            let path = |lang: &str| format!("/{lang}/story{number}.html");
            site.story(&path("en"), "en", number);
            for (variant, more) in [("fr", 0), ("fr-ca", 500)] {
                // The same story in words of its own.
                let body = story("fr", number, 4) + &story("fr", number + more, 1);
                let html = page("fr", "", &title("fr", number), &body);
                let html = if declared { html.replace("lang=\"fr\"", &format!("lang=\"{variant}\"")) } else { html };
                site.add(&path(variant), &html);
                site.pair(&path("en"), &path(variant));
            }
            site.ignored.insert(pair(&path("fr"), &path("fr-ca")));
        }
        assert_eq!(site.errors(), Errors::none(), "declared {declared}");
    }
}

#[test]
fn only_the_labels_of_a_page_in_another_language() {
    let mut site = Site::default();
    site.keyed(&["en", "de"], 20);
    for number in 20..32 {
        let path = |lang: &str| format!("/{lang}/story{number}.html");
        site.story(&path("en"), "en", number);
        // Menu, footer, heading and labels in German, the text in English.
        let labels = sentences("de", 850, 6).join("</p><p>");
        let html = page("de", "", &title("de", number), &format!("<p>{labels}</p>{}", story("en", number, 5)));
        site.add(&path("de"), &html);
    }
    assert_eq!(site.errors(), Errors::none());
}

#[test]
fn two_pages_in_one_language_are_no_pair_whatever_their_urls_say() {
    let mut site = Site::default();
    for number in 0..30 {
        let path = |lang: &str| format!("/{lang}/blog/{number}.html");
        site.story(&path("zh-cn"), "zh", number);
        // Two thirds of what stands under /en/ is Chinese, some of it in an edition of its own.
        if number % 3 == 0 {
            site.story(&path("en"), "en", number);
            site.pair(&path("en"), &path("zh-cn"));
        } else {
            let more = if number % 2 == 0 { 600 } else { 0 };
            let body = story("zh", number, 3) + &story("zh", number + more, 2);
            site.add(&path("en"), &page("en", "", &title("zh", number), &body));
        }
    }
    assert_eq!(site.errors(), Errors::none());
}

#[test]
fn marks_that_mean_a_language_in_one_place_mean_it_in_others() {
    let mut site = Site::default();
    let langs = [("en", "en"), ("jp", "zh"), ("ge", "de")];
    let gold = |site: &mut Site, path: &dyn Fn(&str) -> String| {
        for (at, (mark, _)) in langs.iter().enumerate() {
            langs[..at].iter().for_each(|(other, _)| site.pair(&path(other), &path(mark)));
        }
    };
    for number in 0..20 {
        let path = |mark: &str| format!("/guide/{mark}/story{number}.html");
        langs.iter().for_each(|(mark, lang)| site.story(&path(mark), lang, number));
        gold(&mut site, &path);
    }
    // One page elsewhere, with little to tell its versions by.
    let path = |mark: &str| format!("/welcome/welcome_{mark}.html");
    for (mark, lang) in langs {
        let text = sentences(lang, 700, 4).join(" ");
        site.add(&path(mark), &format!("<html><title>{mark}</title><body><p>{text}</p></body></html>"));
    }
    gold(&mut site, &path);
    assert_eq!(site.errors(), Errors::none());
}

#[test]
fn numbers_that_shift_are_followed() {
    let mut site = Site::default();
    // Three pages stand in the English manual alone; from the first of them on, numbers part.
    let mut german = 0;
    for english in 0..40u64 {
        let en = format!("/en/node{english}.html");
        // Sections of all lengths, each with its numbers.
        let section = |lang: &str| {
            let body = story(lang, english, 2 + (english as usize * 7) % 5);
            let figures = format!("<p>{} {} {}</p>", 1000 + english * 37, english * english, 5 * english);
            page(lang, "", &title(lang, english), &(body + &figures))
        };
        site.add(&en, &section("en"));
        if ![6, 19, 28].contains(&english) {
            let de = format!("/de/node{german}.html");
            site.add(&de, &section("de"));
            site.pair(&en, &de);
            german += 1;
        }
    }
    assert_eq!(site.errors(), Errors::none());
}

#[test]
fn editions_of_differing_age_are_pairs_all_the_same() {
    let mut site = Site::default();
    site.keyed(&["en", "de"], 12);
    for number in 12..16 {
        let path = |lang: &str| format!("/{lang}/story{number}.html");
        site.story(&path("en"), "en", number);
        // The German page is of an older edition, of which little is left in the English one.
        let body = story("de", number, 1) + &story("de", number + 200, 5);
        site.add(&path("de"), &page("de", "", &title("de", number), &body));
        site.pair(&path("en"), &path("de"));
    }
    assert_eq!(site.errors(), Errors::none());
}

#[test]
fn a_bilingual_corner_of_a_huge_site_in_one_language_is_found() {
    let mut site = Site::default();
    let mut dice = Dice(5);
    for number in 0..1200 {
        let words = sentences("en", 2000 + number, 3).join(" ");
        let path = format!("/{}/{}.html", ["news", "shop", "talk"][dice.roll(3) as usize], 4000 + number);
        site.add(&path, &format!("<html><title>{number}</title><body><p>{words}</p></body></html>"));
    }
    for number in 0..5 {
        let path = |mark: &str| format!("/visitors/{mark}page{number}.html");
        site.story(&path(""), "en", number);
        site.story(&path("d-"), "de", number);
        site.pair(&path(""), &path("d-"));
    }
    assert_eq!(site.errors(), Errors::none());
}
