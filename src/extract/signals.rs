//! What a page says of itself beyond its text: marks of machine translation, directives to opt out, and its licence.
//!
//! A mark of machine translation says that the text of the page was translated by a machine. It is no mark if a page offers to be
//! translated, by a widget or by links to translations, because the same code stands on the original. Where such code names the language of
//! the original, as the settings of GTranslate and Weglot do, the page is translated if it declares another language, and its text is not
//! in that of the original.

use memchr::memmem;
use serde_json::Value;

use super::canonical;
use super::params::Params;
use crate::types::{CanonicalUrl, Capture, Lang, OptOuts, Signals, Translated, TranslationMark};

/// How many bytes at the end of a page are searched for the comment of GTranslate's proxy.
const TAIL_BYTES: usize = 2 << 10;
/// If a page has this many `<font style="vertical-align: inherit">`, two for each sentence, it was saved while a browser showed it
/// translated. A text that was pasted from such a page has fewer.
const MIN_FONTS: u32 = 10;
/// A longer URL of a licence is none.
const MAX_LICENSE_BYTES: usize = 2048;
/// Longer JSON-LD is not read.
const MAX_JSON_BYTES: usize = 256 << 10;

/// Where a licence was found, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Rel,
    Header,
    JsonLd,
    Meta,
}

/// A mark of machine translation that still has to be compared with the language of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    mark: TranslationMark,
    from: Lang,
    /// False where the mark stands on the original, too.
    is_sure: bool,
}

impl Found {
    /// The mark, if it fits a page that declares these languages and whose text is in `detected`.
    pub fn of(self, declared: &[Lang], detected: Lang) -> Option<Translated> {
        let Found { mark, from, is_sure } = self;
        let is_original = |lang: Lang| from.is_known() && lang.is_known() && lang.agrees(from);
        let is_other =
            || declared.first().is_some_and(|lang| lang.is_known() && from.is_known() && !is_original(*lang));
        (!is_original(detected) && (is_sure || is_other())).then_some(Translated { mark, from })
    }
}

/// Collects what a page says of itself.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    found: Option<Found>,
    opt_outs: OptOuts,
    license: Option<(Source, String)>,
    fonts: u32,
}

impl Collector {
    /// What was found, and the mark of machine translation that the language of the text still has to confirm.
    pub fn finish(mut self) -> (Signals, Option<Found>) {
        if self.fonts >= MIN_FONTS {
            self.mark(TranslationMark::GoogleTranslate, Lang::UNKNOWN, true);
        }
        let license = self.license.map_or_else(String::new, |(_, url)| url);
        (Signals { translated: None, opt_outs: self.opt_outs, license }, self.found)
    }

    /// Notes a mark. The first sure mark counts; if there is none, the first one.
    fn mark(&mut self, mark: TranslationMark, from: Lang, is_sure: bool) {
        if self.found.is_none_or(|known| is_sure && !known.is_sure) {
            self.found = Some(Found { mark, from, is_sure });
        }
    }

    fn license(&mut self, source: Source, url: &str) {
        let is_url = url.starts_with("https://") || url.starts_with("http://");
        // Authors may write a text of any length here.
        let is_sound = url.len() <= MAX_LICENSE_BYTES && !url.contains(char::is_whitespace);
        if is_url && is_sound && self.license.as_ref().is_none_or(|(known, _)| source < *known) {
            self.license = Some((source, url.to_owned()));
        }
    }

    /// Reads the URL of a page and the headers of its response.
    pub fn capture(&mut self, capture: &Capture, url: &CanonicalUrl, params: &Params) {
        self.url(url);
        capture.robots.iter().flat_map(|tag| tag.lines()).for_each(|line| self.robots_tag(line));
        if capture.tdm_reservation.as_deref().is_some_and(is_reserved) {
            self.opt_outs = self.opt_outs | OptOuts::TDM;
        }
        if let Some(lang) = &capture.translated_from {
            self.mark(TranslationMark::TranslatedFrom, lang_of(lang), true);
        }
        if let Some(url) = canonical::license_link(capture, url, params) {
            self.license(Source::Header, &url);
        }
    }

    /// Finds out whether the page was fetched through a translator.
    fn url(&mut self, url: &CanonicalUrl) {
        let host = url.host();
        if host.ends_with(".translate.goog") {
            let from = url.as_str().split(['?', '&']).find_map(|pair| pair.strip_prefix("_x_tr_sl="));
            self.mark(TranslationMark::GoogleTranslate, from.map_or(Lang::UNKNOWN, lang_of), true);
        } else if host == "translate.googleusercontent.com" {
            self.mark(TranslationMark::GoogleTranslate, Lang::UNKNOWN, true);
        }
    }

    /// Reads `X-Robots-Tag`: directives for all, or for the one agent that is named before them.
    fn robots_tag(&mut self, line: &str) {
        const WITH_VALUES: [&str; 4] = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];
        let named = line.split_once(':').map(|(name, rest)| (name.trim(), rest));
        match named.filter(|(name, _)| !name.contains(',') && !is_one_of(name, &WITH_VALUES)) {
            Some(("*", rest)) => self.directives(rest),
            Some(_) => {}
            None => self.directives(line),
        }
    }

    fn directives(&mut self, list: &str) {
        // `max-snippet: 0` is one directive, `noindex nofollow` two.
        let mut list = list.to_ascii_lowercase();
        while let Some(at) = list.find(": ").or_else(|| list.find(" :")) {
            list.replace_range(at..at + 2, ":");
        }
        for word in list.split(|c: char| c == ',' || c.is_whitespace()) {
            self.opt_outs = self.opt_outs
                | match word {
                    "noindex" | "none" => OptOuts::NO_INDEX,
                    "noarchive" | "nocache" => OptOuts::NO_ARCHIVE,
                    "nosnippet" | "max-snippet:0" => OptOuts::NO_SNIPPET,
                    "noai" => OptOuts::NO_AI,
                    "noimageai" => OptOuts::NO_IMAGE_AI,
                    _ => OptOuts::default(),
                };
        }
    }

    /// Reads a `<meta>`, of which `name` is its name, property or HTTP header.
    pub fn meta(&mut self, name: &str, content: &str) {
        let name = name.trim();
        // Most names are none of these, and most of those can be told by their lengths.
        if !(6..=25).contains(&name.len()) {
            return;
        }
        match name.to_ascii_lowercase().as_str() {
            "robots" => self.directives(content),
            "tdm-reservation" if is_reserved(content) => self.opt_outs = self.opt_outs | OptOuts::TDM,
            "machine-translated-from" | "x-machine-translated-from" => {
                self.mark(TranslationMark::TranslatedFrom, lang_of(content), true);
            }
            "translation-stats" if is_mostly_by_machine(content) => {
                self.mark(TranslationMark::Transposh, Lang::UNKNOWN, true)
            }
            "ms.translationtype" if content.trim().eq_ignore_ascii_case("MT") => {
                self.mark(TranslationMark::Microsoft, Lang::UNKNOWN, true);
            }
            "x-translated-by" if content.trim().eq_ignore_ascii_case("google") => {
                self.mark(TranslationMark::GoogleTranslate, Lang::UNKNOWN, true);
            }
            "translator" | "x-translated-by" if names_program(content) => {
                self.mark(TranslationMark::Translator, Lang::UNKNOWN, true);
            }
            "dcterms.license" | "dc.rights.license" | "dcterms.rights" | "dc.rights" | "license" => {
                self.license(Source::Meta, content.trim());
            }
            _ => {}
        }
    }

    /// Reads the relation of a link, and the absolute URL to which it leads.
    pub fn rel(&mut self, rel: &str, url: &str, language: Option<Lang>) {
        for word in rel.split_ascii_whitespace() {
            if word.eq_ignore_ascii_case("license") {
                self.license(Source::Rel, url);
            } else if word.eq_ignore_ascii_case("machine-translated-from") {
                self.mark(TranslationMark::TranslatedFrom, language.unwrap_or_default(), true);
            }
        }
    }

    /// Reads the classes and the language tag of the root.
    pub fn root(&mut self, class: &str, tag: &str) {
        if class.split_ascii_whitespace().any(|class| matches!(class, "translated-ltr" | "translated-rtl")) {
            self.mark(TranslationMark::GoogleTranslate, Lang::UNKNOWN, true);
        }
        // RFC 6497 has `t0` for machine translation; Google recommended `x-mtfrom`.
        let tag = tag.to_ascii_lowercase();
        let from = match tag.split_once("-t-") {
            Some((_, rest)) if rest.contains("-t0-") => Some(rest),
            _ => tag.split_once("-x-mtfrom-").map(|(_, rest)| rest),
        };
        if let Some(from) = from {
            self.mark(TranslationMark::TranslatedFrom, lang_of(from.split('-').next().unwrap_or("")), true);
        }
    }

    /// Reads what an `<a>` does when it is clicked, and where it leads. Without a URL of its own, the browser translates the page, and
    /// originals have such links too.
    pub fn anchor(&mut self, on_click: Option<&str>, href: &str) {
        let is_url = !href.is_empty() && !href.starts_with('#') && !href.starts_with("javascript:");
        if let Some((_, pair)) = on_click.filter(|_| is_url).and_then(|code| code.split_once("doGTranslate('")) {
            let from = pair.split('|').next().map_or(Lang::UNKNOWN, lang_of);
            self.mark(TranslationMark::GTranslate, from, false);
        }
    }

    /// Reads the style of a `<font>`: a browser that translates puts each text into two of them.
    pub fn font(&mut self, style: &str) {
        let style = style.trim().trim_end_matches(';');
        let is_inherited = style.split_once(':').is_some_and(|(name, value)| {
            name.trim().eq_ignore_ascii_case("vertical-align") && value.trim().eq_ignore_ascii_case("inherit")
        });
        self.fonts += u32::from(is_inherited);
    }

    /// Reads the end of a page, where GTranslate's proxy leaves a comment.
    pub fn tail(&mut self, source: &str) {
        let tail = &source.as_bytes()[source.len().saturating_sub(TAIL_BYTES)..];
        if memmem::find(tail, b"<!-- delivered by GTranslate").is_some() {
            self.mark(TranslationMark::GTranslate, Lang::UNKNOWN, true);
        }
    }

    /// Reads a script: the settings of translating services, and JSON-LD.
    pub fn script(&mut self, code: &str) {
        if memmem::find(code.as_bytes(), b"_language").is_some() {
            self.settings(code);
        } else if let Some(from) = text_of(code, "language_from")
            && code.contains("weglot")
        {
            self.mark(TranslationMark::Weglot, lang_of(from), false);
        }
        let start = code.trim_start();
        if start.starts_with(['{', '[']) && start.len() <= MAX_JSON_BYTES && start.contains("\"license\"") {
            self.json_ld(start);
        }
    }

    fn settings(&mut self, code: &str) {
        let from = |key| text_of(code, key).map_or(Lang::UNKNOWN, lang_of);
        if code.contains("gtranslateSettings") {
            // If translations have no URLs of their own, the browser translates.
            if text_of(code, "url_structure").is_some_and(|how| matches!(how, "sub_directory" | "sub_domain")) {
                self.mark(TranslationMark::GTranslate, from("default_language"), false);
            }
        } else if code.contains("linguise_configs") {
            self.mark(TranslationMark::Linguise, from("default_language"), false);
        } else if code.contains("language_from") && code.contains("weglot") {
            self.mark(TranslationMark::Weglot, from("language_from"), false);
        } else if code.contains("conveythis")
            && let Some(original) = text_of(code, "source_language_id")
            && let Some(shown) = active_id(code)
            && shown != original
        {
            self.mark(TranslationMark::ConveyThis, Lang::UNKNOWN, true);
        }
    }

    /// Reads the licence of the page in JSON-LD of schema.org: not that of the pictures, data or programs on it.
    fn json_ld(&mut self, json: &str) {
        if !json.contains("schema.org") {
            return;
        }
        let Ok(value) = serde_json::from_str::<Value>(json) else { return };
        let items = match &value {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        for item in items {
            let graph = item["@graph"].as_array().map_or(&[][..], Vec::as_slice);
            for item in std::iter::once(item).chain(graph).filter(|item| is_of_text(&item["@type"])) {
                let license = item["license"].as_array().and_then(|list| list.first()).unwrap_or(&item["license"]);
                let url = [license, &license["@id"], &license["url"]].into_iter().find_map(Value::as_str);
                self.license(Source::JsonLd, url.unwrap_or("").trim());
            }
        }
    }
}

/// True for relations that [`Collector::rel`] reads.
pub fn are_told(rel: &str) -> bool {
    rel.split_ascii_whitespace().any(|word| is_one_of(word, &["license", "machine-translated-from"]))
}

/// True for types of schema.org that a text may have.
fn is_of_text(kind: &Value) -> bool {
    const OTHERS: [&str; 8] = [
        "Dataset",
        "DataCatalog",
        "SoftwareApplication",
        "WebApplication",
        "SoftwareSourceCode",
        "Organization",
        "Person",
        "Product",
    ];
    let kinds = match kind {
        Value::Array(kinds) => kinds.as_slice(),
        one => std::slice::from_ref(one),
    };
    kinds.iter().filter_map(Value::as_str).all(|kind| !kind.ends_with("Object") && !OTHERS.contains(&kind))
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| word.eq_ignore_ascii_case(one))
}

fn is_reserved(value: &str) -> bool {
    value.trim() == "1"
}

/// The language of a tag as sites write it: `en`, `pt-BR`, `en_US`.
fn lang_of(tag: &str) -> Lang {
    Lang::parse(tag.trim()).unwrap_or_default()
}

/// True where the statistics of Transposh count more translated phrases than phrases translated by people.
fn is_mostly_by_machine(stats: &str) -> bool {
    let count = |key| text_of(stats, key).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    // The quotation marks belong to the key, because the other key ends in the same word.
    count("\"translated_phrases") > count("\"human_translated_phrases")
}

/// True for the name of a program that translates; people have names too.
fn names_program(name: &str) -> bool {
    const PROGRAMS: [&str; 11] = [
        "google translate",
        "deepl",
        "microsoft translator",
        "bing translator",
        "yandex translate",
        "amazon translate",
        "libretranslate",
        "systran",
        "machine translation",
        "chatgpt",
        "weglot",
    ];
    let name = name.to_ascii_lowercase();
    PROGRAMS.iter().any(|program| name.contains(program))
}

/// The word that is the value of a key in JSON or JavaScript: `"key":"value"`, `key: 'value'`, `key: 12`.
fn text_of<'c>(code: &'c str, key: &str) -> Option<&'c str> {
    let rest = &code[memmem::find(code.as_bytes(), key.as_bytes())? + key.len()..];
    let rest = rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
    let rest = rest.trim_start().trim_start_matches(['"', '\'']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|word| !word.is_empty())
}

/// The number of the language that ConveyThis shows: `{"id":"768","active":true}`.
fn active_id(code: &str) -> Option<&str> {
    let active = code
        .split('{')
        .find(|entry| text_of(entry, "active").is_some_and(|value| value == "true") && entry.contains("id"))?;
    text_of(active, "id")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::extract::{Params, extract};
    use crate::types::Page;

    const FRENCH: &str = "<p>Le président de la République a déclaré que les élections auront lieu au mois de mai, et que tous les \
        citoyens pourront voter dans leur commune sans autre formalité que leur carte.</p>";

    fn page_at(url: &str, html: &str, capture: Capture) -> Page {
        let url = CanonicalUrl::parse(url).expect("a sound URL");
        let capture = Capture { url: url.as_str().to_owned(), body: html.as_bytes().to_vec(), ..capture };
        extract(&capture, &url, &Params::default()).expect("enough text")
    }

    /// The name of the mark of a page in French, and the language of the original.
    fn mark(html: &str) -> Option<(&'static str, String)> {
        let page = page_at("http://ex.org/fr/a", &format!("{html}{FRENCH}"), Capture::default());
        page.signals.translated.map(|found| (found.mark.name(), found.from.to_string()))
    }

    fn of(name: &'static str, from: &str) -> Option<(&'static str, String)> {
        Some((name, from.to_owned()))
    }

    #[test]
    fn marks_of_pages_that_a_machine_translated_are_told() {
        let link = "<html lang=fr><link rel='alternate machine-translated-from' hreflang=en href=/a>";
        assert_eq!(mark(link), of("machine-translated-from", "en"));
        assert_eq!(mark("<html lang=fr-x-mtfrom-ja>"), of("machine-translated-from", "ja"));
        assert_eq!(mark("<html lang=fr-t-en-t0-und>"), of("machine-translated-from", "en"));
        assert_eq!(mark("<meta name=machine-translated-from content=en-US>"), of("machine-translated-from", "en"));
        assert_eq!(mark("<html lang=fr class='js translated-ltr'>"), of("google-translate", "und"));
        assert_eq!(mark("<meta http-equiv='X-Translated-By' content=Google>"), of("google-translate", "und"));
        let font = "<font style='vertical-align: inherit;'>";
        assert_eq!(mark(&font.repeat(MIN_FONTS as usize)), of("google-translate", "und"));
        assert_eq!(mark(&font.repeat(MIN_FONTS as usize - 1)), None, "pasted from elsewhere");
        let stats = |all: u32, human: u32| {
            format!(
                "<meta name=translation-stats content='{{\"total_phrases\":9,\"translated_phrases\":{all},\"human_translated_phrases\":{human}}}'>"
            )
        };
        assert_eq!(mark(&stats(9, 2)), of("transposh", "und"));
        assert_eq!([mark(&stats(9, 9)), mark(&stats(0, 0))], [None, None]);
        assert_eq!(mark("<html lang=fr><meta name=ms.translationtype content=MT>"), of("ms.translationtype", "und"));
        assert_eq!(mark("<meta name=ms.translationtype content=HT>"), None, "a human translated it");
        assert_eq!(mark("<meta name=translator content='DeepL Pro'>"), of("translator", "und"));
        assert_eq!(mark("<meta name=translator content='Marie Dupont'>"), None, "a human translated it");
        let conveythis = |shown: &str| {
            let (a, b) = (shown == "703", shown == "768");
            format!(
                "<script>conveythis.init({{source_language_id: 703, languages: [{{\"id\":\"703\",\"active\":{a}}},{{\"id\":\"768\",\"active\":{b}}}]}})</script>"
            )
        };
        assert_eq!(mark(&conveythis("768")), of("conveythis", "und"));
        assert_eq!(mark(&conveythis("703")), None);
        let page = format!("<html lang=fr>{FRENCH}</html><!-- delivered by GTranslate v8 in 96ms -->");
        let page = page_at("http://ex.org/", &page, Capture::default());
        assert_eq!(page.signals.translated.map(|found| found.mark), Some(TranslationMark::GTranslate));
    }

    #[test]
    fn settings_of_services_mark_translations_and_not_originals() {
        let services = [
            (
                "gtranslate",
                "<script>window.gtranslateSettings = {\"default_language\":\"FROM\",\"url_structure\":\"sub_directory\"}</script>",
            ),
            ("gtranslate", "<a href=/de/ onclick=\"doGTranslate('FROM|de');return false;\">Deutsch</a>"),
            (
                "weglot",
                "<script id=weglot-data type=application/json>{\"api_key\":\"wg_1\",\"cdn\":\"weglot\",\"language_from\":\"FROM\"}</script>",
            ),
            (
                "linguise",
                "<script>var linguise_configs = {\"vars\":{\"configs\":{\"default_language\":\"FROM\"}}}</script>",
            ),
        ];
        for (name, html) in services {
            assert_eq!(mark(&format!("<html lang=fr>{}", html.replace("FROM", "en"))), of(name, "en"), "{html}");
            assert_eq!(mark(&format!("<html lang=fr>{}", html.replace("FROM", "fr"))), None, "the original: {html}");
            assert_eq!(mark(&html.replace("FROM", "en")), None, "which language it is in is not said: {html}");
            // The template says English, but the text is the original.
            assert_eq!(mark(&format!("<html lang=en>{}", html.replace("FROM", "fr"))), None, "{html}");
        }
        let in_browser = services[0].1.replace("sub_directory", "none").replace("FROM", "en");
        assert_eq!(mark(&format!("<html lang=fr>{in_browser}")), None);
        let in_browser = services[1].1.replace("/de/", "#").replace("FROM", "en");
        assert_eq!(mark(&format!("<html lang=fr>{in_browser}")), None);
        let widgets = "<html lang=fr class=notranslate><meta name=google content=notranslate><div id=google_translate_element></div>\
            <script src=//translate.google.com/translate_a/element.js?cb=googleTranslateElementInit></script>\
            <div class=gtranslate_wrapper></div><script src=https://cdn.weglot.com/weglot.min.js></script>\
            <script src=//api.bablic.com/js/bablic.js></script><script>!function(a){a.Localize=a.Localize||{}}(window)</script>";
        assert_eq!(mark(widgets), None);
    }

    #[test]
    fn a_translator_is_told_by_its_host() {
        let html = format!("<html lang=fr>{FRENCH}");
        let page = page_at("https://ex-org.translate.goog/a?_x_tr_sl=en&_x_tr_tl=fr", &html, Capture::default());
        let translated = Translated { mark: TranslationMark::GoogleTranslate, from: Lang::EN };
        assert_eq!(page.signals.translated, Some(translated));
        // Only a part of the page is in its view translated.
        let page = page_at("https://ex-org.translate.goog/a?_x_tr_sl=fr&_x_tr_tl=en", &html, Capture::default());
        assert_eq!(page.signals.translated, None);
    }

    #[test]
    fn directives_to_opt_out_are_told() {
        let names = |html: &str, capture: Capture| {
            page_at("http://ex.org/", &format!("{html}{FRENCH}"), capture).signals.opt_outs.names()
        };
        let meta = "<meta name=ROBOTS content='NoIndex, nofollow'><meta name=robots content=noai,noimageai>";
        assert_eq!(names(meta, Capture::default()), "noai noindex noimageai");
        assert_eq!(names("<meta name=robots content='noindex nofollow noai'>", Capture::default()), "noai noindex");
        assert_eq!(names("<meta name=googlebot content=noindex>", Capture::default()), "");
        assert_eq!(names("<meta name=robots content='index, follow, max-snippet:-1'>", Capture::default()), "");
        let robots = "googlebot: noindex, nofollow\n*: noarchive\nmax-snippet: 0, max-image-preview:large\nnoai";
        let headers = Capture { robots: Some(robots.into()), tdm_reservation: Some("1".into()), ..Capture::default() };
        assert_eq!(names("", headers), "tdm-reservation noai noarchive nosnippet");
        assert_eq!(names("<meta name=tdm-reservation content=1>", Capture::default()), "tdm-reservation");
        assert_eq!(names("<meta name=tdm-reservation content=0>", Capture::default()), "");
    }

    #[test]
    fn the_licence_is_that_of_the_page() {
        const BY: &str = "https://creativecommons.org/licenses/by/4.0/";
        let license = |html: &str, capture: Capture| {
            page_at("http://ex.org/", &format!("{html}{FRENCH}"), capture).signals.license
        };
        let html = |html: &str| license(html, Capture::default());
        assert_eq!(html(&format!("<p><a rel='License nofollow' href={BY}>CC BY</a>")), BY);
        assert_eq!(html("<link rel=license href=/terms>"), "http://ex.org/terms");
        assert_eq!(html(&format!("<meta name=dcterms.license content={BY}>")), BY);
        assert_eq!(html("<meta name=dc.rights content='All rights reserved'>"), "");
        assert_eq!(html("<meta name=license content='http://ex.org All rights reserved'>"), "");
        assert_eq!(html(&format!("<meta name=license content=http://ex.org/{}>", "a".repeat(MAX_LICENSE_BYTES))), "");
        let json = |kind: &str| {
            format!(
                "<script type=application/ld+json>{{\"@context\":\"https://schema.org\",\"@graph\":[{{\"@type\":\"{kind}\",\"license\":{{\"@id\":\"{BY}\"}}}}]}}</script>"
            )
        };
        assert_eq!([html(&json("NewsArticle")), html(&json("ImageObject"))], [BY, ""]);
        let link = Capture { link: Some(format!("<{BY}>; rel=\"license\"")), ..Capture::default() };
        assert_eq!(license("<meta name=dc.rights content=http://ex.org/other>", link.clone()), BY);
        assert_eq!(license("<a rel=license href=/own>x</a>", link), "http://ex.org/own");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(code in "(doGTranslate\\('|language_from|_language|weglot|\"|:|\\{|\\}|license|schema.org|.){0,30}") {
            let mut collector = Collector::default();
            collector.script(&code);
            collector.tail(&code);
            collector.anchor(Some(&code), &code);
            collector.root(&code, &code);
            collector.font(&code);
            collector.robots_tag(&code);
            collector.finish();
        }
    }
}
