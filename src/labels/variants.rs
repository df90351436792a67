//! Variants of a language side by side, `/pt/` and `/pt-br/`, or Serbian in Latin and in Cyrillic letters: each has pages of its own, and each page a
//! partner in each.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::folders;
use crate::index::parts::Parts;
use crate::index::site::{Pages, SiteIndex};
use crate::language::codes::names_language;
use crate::language::other_script;
use crate::text::tokens::{Anatomy, Segment, Separators, Span};
use crate::types::Lang;

/// Pages that both variants must have, at the least, and as a share of the pages of the one with fewer (estimates).
const MIN_PAGES: usize = 3;
const MIN_SHARE: f64 = 0.2;
/// Tokens of the longest text that may mark a variant: `pt_BR`, `es_419`.
const MAX_RUN: usize = 2;

/// A page whose URL marks a variant, and what is left of the URL.
struct Marked {
    page: u32,
    /// The variant; the language itself where the mark has no region.
    variant: Lang,
    skeleton: u64,
}

/// Lets pages count for the variant of their language that their URL marks, where the site has the same pages in two variants of it: URLs that
/// differ in nothing but the mark. Of each page, variants are compared with the one that has most pages, so that time grows with the pages, however many
/// variants there are.
pub fn split(pages: &dyn Pages, site: &mut SiteIndex<'_>) {
    let marked = marked(pages, site);
    let mut variants: FxHashMap<(Lang, u64), BTreeSet<Lang>> = FxHashMap::default();
    let mut counts: BTreeMap<Lang, usize> = BTreeMap::new();
    for Marked { variant, skeleton, .. } in &marked {
        variants.entry((variant.base(), *skeleton)).or_default().insert(*variant);
        *counts.entry(*variant).or_default() += 1;
    }
    let mut both: BTreeMap<(Lang, Lang), usize> = BTreeMap::new();
    for together in variants.values().filter(|together| together.len() > 1) {
        let Some(&most) = together.iter().max_by_key(|variant| counts[*variant]) else { continue };
        together.iter().filter(|&&other| other != most).for_each(|&other| *both.entry((most, other)).or_default() += 1);
    }
    let mut split: BTreeSet<Lang> = BTreeSet::new();
    for ((x, y), pages) in both {
        let fewer = counts[&x].min(counts[&y]);
        if pages >= MIN_PAGES && pages as f64 >= MIN_SHARE * fewer as f64 {
            split.extend([x, y]);
        }
    }
    for Marked { page, variant, .. } in marked {
        if split.contains(&variant) {
            site.set(page, Some(variant));
        }
    }
}

/// Of the pages with a text in their URLs so many are in one script where it marks the script (an estimate: program text has Latin letters).
const MARKS: f64 = 0.9;

/// A page of a language in several scripts. These are numbered: Latin letters are 0, the [others](Lang::other_scripts) follow.
struct Written {
    page: u32,
    lang: Lang,
    /// The script of most of its letters, as far as that is known.
    script: usize,
    /// The one that it declares, if it declares one of them.
    declared: Option<usize>,
}

/// Scripts of one language at the most.
const SCRIPTS: usize = 3;

/// How many pages are in each script.
#[derive(Clone, Copy, Default)]
struct Scripts([u32; SCRIPTS]);

impl Scripts {
    /// The script that they are in, but for a few.
    fn one(self) -> Option<usize> {
        let all: u32 = self.0.iter().sum();
        let most = (0..SCRIPTS).max_by_key(|&script| (self.0[script], std::cmp::Reverse(script)))?;
        (all as usize >= MIN_PAGES && f64::from(self.0[most]) >= MARKS * f64::from(all)).then_some(most)
    }

    /// The script that a text marks, if it marks one: it stands in the URLs of pages in that script, and hardly any of `all` pages in
    /// other ones have it, however few these are.
    fn marked(self, all: Scripts) -> Option<usize> {
        let others = |of: Scripts, script: usize| f64::from(of.0.iter().sum::<u32>() - of.0[script]);
        self.one().filter(|&script| others(self, script) <= (1.0 - MARKS) * others(all, script))
    }

    /// How many are in the second script.
    fn second(self) -> usize {
        let mut sizes = self.0;
        sizes.sort_unstable();
        sizes[SCRIPTS - 2] as usize
    }
}

/// The number of a script of a language, by its code.
fn number_of(lang: Lang, script: &str) -> Option<usize> {
    std::iter::once(&"Latn").chain(lang.other_scripts()).position(|known| *known == script)
}

/// Lets pages count for their language in their script, `sr-Latn` and `sr-Cyrl`, where the site tells these apart: where its pages declare the
/// script, or where the same pages are in both, that is, under URLs that differ in nothing but a text that stands in those of one script only. This is
/// asked of all of the site first, and of each [part](crate::index::parts) of it that does not follow from that. Time grows with the pages and the depth
/// of the parts.
pub fn split_scripts(pages: &dyn Pages, site: &mut SiteIndex<'_>) {
    let is_written = |site: &SiteIndex<'_>, page: u32| {
        site.lang(page).is_some_and(|lang| other_script(lang).is_some()) && pages.facts(page).form.has_text()
    };
    if (0..pages.count()).filter(|&page| is_written(site, page)).count() < 2 * MIN_PAGES {
        return;
    }
    let mut anatomy = Anatomy::default();
    // A part may be in one language, and in two scripts.
    let lang_of = |page: u32| match site.lang(page) {
        Some(lang) if is_written(site, page) && pages.facts(page).latin_share > 0.5 => lang.in_script("Latn"),
        lang => lang.unwrap_or(Lang::UNKNOWN),
    };
    let langs: Vec<Lang> = (0..pages.count()).map(lang_of).collect();
    let parts = Parts::new(&folders::tree(pages, [].iter(), &langs), &langs);
    for part in 0..parts.count() {
        let members = parts.members(part).into_iter().filter(|&page| is_written(site, page));
        let written: Vec<Written> =
            members.filter_map(|page| Some(written(pages, page, site.lang(page)?, &mut anatomy))).collect();
        split_scripts_of(pages, written, &mut anatomy, site);
    }
}

fn written(pages: &dyn Pages, page: u32, lang: Lang, anatomy: &mut Anatomy) -> Written {
    let facts = pages.facts(page);
    let declared = facts.declared.script().and_then(|script| number_of(lang, script));
    let script = match lang.other_scripts() {
        _ if facts.latin_share > 0.5 => 0,
        // Letters do not show which of the others it is.
        [_, third, ..] => {
            let mut is_named = declared == Some(2);
            let third = lang.in_script(third);
            for_spans(pages, page, anatomy, |anatomy, _, span| {
                is_named |= Lang::variant(anatomy.text(span)) == Some(third);
            });
            if is_named { 2 } else { 1 }
        }
        _ => 1,
    };
    Written { page, lang, script, declared }
}

fn split_scripts_of(pages: &dyn Pages, mut written: Vec<Written>, anatomy: &mut Anatomy, site: &mut SiteIndex<'_>) {
    let mut sizes: BTreeMap<Lang, Scripts> = BTreeMap::new();
    written.iter().for_each(|page| sizes.entry(page.lang).or_default().0[page.script] += 1);
    written.retain(|page| sizes[&page.lang].second() >= MIN_PAGES);
    let mut texts: FxHashMap<(Lang, u64), Scripts> = FxHashMap::default();
    for page in &written {
        for_spans(pages, page.page, anatomy, |anatomy, _, span| {
            texts.entry((page.lang, anatomy.hash(span))).or_default().0[page.script] += 1;
        });
    }
    let declared = declared(&written);
    let mut same: FxHashMap<(Lang, u64), [bool; SCRIPTS]> = FxHashMap::default();
    for page in &mut written {
        let mut skeletons = Vec::new();
        for_spans(pages, page.page, anatomy, |anatomy, segment, span| {
            let marks =
                texts.get(&(page.lang, anatomy.hash(span))).and_then(|scripts| scripts.marked(sizes[&page.lang]));
            if let Some(script) = marks {
                page.script = script;
                let cuts = anatomy.cuts(segment, span).into_iter().flatten().map(|cut| anatomy.cut_hash(cut));
                skeletons.extend(cuts.chain([anatomy.slot_hash(span)]));
            }
        });
        if !anatomy.segments().is_empty() {
            skeletons.push(anatomy.hash(anatomy.whole()));
        }
        for skeleton in skeletons {
            same.entry((page.lang, skeleton)).or_default()[page.script] = true;
        }
    }
    let mut several: BTreeMap<Lang, usize> = BTreeMap::new();
    let in_several = same.iter().filter(|(_, scripts)| scripts.iter().filter(|has| **has).count() > 1);
    in_several.for_each(|((lang, _), _)| *several.entry(*lang).or_default() += 1);
    for Written { page, lang, script, .. } in written {
        let pages = several.get(&lang).copied().unwrap_or_default();
        let is_same = pages >= MIN_PAGES && pages as f64 >= MIN_SHARE * sizes[&lang].second() as f64;
        if declared.contains(&lang) || is_same {
            let other = script.checked_sub(1).and_then(|at| lang.other_scripts().get(at));
            site.set(page, Some(lang.in_script(other.unwrap_or(&"Latn"))));
        }
    }
}

/// The languages whose pages declare the script that their text is in, but for a few of those that declare one.
fn declared(written: &[Written]) -> BTreeSet<Lang> {
    let mut counts: BTreeMap<Lang, Scripts> = BTreeMap::new();
    for page in written {
        if let Some(declared) = page.declared {
            counts.entry(page.lang).or_default().0[usize::from(declared != page.script)] += 1;
        }
    }
    counts.into_iter().filter(|(_, counts)| counts.one() == Some(0)).map(|(lang, _)| lang).collect()
}

/// What may mark a script in the URL of a page, with the segment that it is in. Nothing where the URL is too long.
fn for_spans(pages: &dyn Pages, page: u32, anatomy: &mut Anatomy, mut see: impl FnMut(&Anatomy, &Segment, Span)) {
    anatomy.read(pages.identity(page), Separators::Punctuation);
    let mut seen = BTreeSet::new();
    for segment in anatomy.segments() {
        for span in anatomy.spans(segment, MAX_RUN) {
            if seen.insert(anatomy.hash(span)) {
                see(anatomy, segment, span);
            }
        }
    }
}

fn marked(pages: &dyn Pages, site: &SiteIndex<'_>) -> Vec<Marked> {
    let mut anatomy = Anatomy::default();
    let mut found = Vec::new();
    for page in 0..pages.count() {
        // What is in a script of its own stays there, whatever region its URL names.
        let Some(lang) = site.lang(page).filter(|lang| *lang == lang.base()) else { continue };
        if !anatomy.read(pages.identity(page), Separators::Punctuation) {
            continue;
        }
        // The last mark of a URL, and of those that begin together the longest.
        let spans = anatomy.segments().iter().flat_map(|segment| anatomy.spans(segment, MAX_RUN));
        let named = spans.filter(|&span| names_language(anatomy.text(span), lang));
        let Some(span) = named.max_by_key(|span| (span.end, std::cmp::Reverse(span.start))) else { continue };
        let variant = Lang::variant(anatomy.text(span)).unwrap_or(lang);
        found.push(Marked { page, variant, skeleton: anatomy.slot_hash(span) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{ListedPages, PageFacts};

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// The tags that pages count for, of URLs that are sorted.
    fn labels(urls: &[String], of: impl Fn(&str) -> Lang) -> Vec<String> {
        let pages = ListedPages(
            urls.iter().map(|url| (url.clone(), PageFacts { detected: of(url), ..PageFacts::default() })).collect(),
        );
        let mut site = SiteIndex::collect(&pages, |page| Some(pages.detected(page)));
        split(&pages, &mut site);
        (0..urls.len() as u32).map(|page| site.lang(page).map_or(String::new(), |lang| lang.to_string())).collect()
    }

    fn urls(marks: &[(&str, u32)]) -> Vec<String> {
        let mut urls: Vec<String> =
            marks.iter().flat_map(|(mark, count)| (0..*count).map(move |at| format!("x.org/{mark}/{at}"))).collect();
        urls.sort();
        urls
    }

    #[test]
    fn two_variants_with_the_same_pages_are_two_languages() {
        let found = labels(&urls(&[("en", 4), ("pt", 4), ("pt_BR", 3)]), |url| {
            lang(if url.contains("/en") { "en" } else { "pt" })
        });
        assert_eq!(found, ["en", "en", "en", "en", "pt", "pt", "pt", "pt", "pt-BR", "pt-BR", "pt-BR"]);
        let chinese = labels(&urls(&[("zh-hk", 3), ("zh-tw", 3)]), |_| Lang::ZH_HANT);
        assert_eq!(chinese, ["zh-HK", "zh-HK", "zh-HK", "zh-TW", "zh-TW", "zh-TW"]);
        // The ending of a file is no part of a mark.
        let files: Vec<String> =
            (0..3).flat_map(|at| ["pt-br", "pt"].map(|mark| format!("x.org/{at}.{mark}.html"))).collect();
        assert_eq!(labels(&files, |_| lang("pt")), ["pt-BR", "pt", "pt-BR", "pt", "pt-BR", "pt"]);
    }

    #[test]
    fn many_variants_are_told_apart_and_what_is_no_region_is_none() {
        let regions = ["us", "gb", "ca", "au", "nz", "ie", "in", "za", "sg", "hk", "ph", "my", "419"];
        let marks: Vec<String> = regions.iter().map(|region| format!("en-{region}")).collect();
        let of = |marks: &[String]| {
            let urls = urls(&marks.iter().map(|mark| (mark.as_str(), 3)).collect::<Vec<_>>());
            let mut found = labels(&urls, |_| Lang::EN);
            found.dedup();
            found.sort();
            found
        };
        let mut expected: Vec<String> = regions.iter().map(|region| format!("en-{}", region.to_uppercase())).collect();
        expected.sort();
        assert_eq!(of(&marks), expected);
        assert_eq!(of(&["en-qx", "en-xx", "en-404"].map(str::to_owned)), ["en"]);
    }

    /// The same for pages in Serbian, whose text is in Latin letters where `is_latin` says so of the URL, and otherwise in Cyrillic ones.
    fn scripts(urls: &[String], is_latin: impl Fn(&str) -> bool) -> Vec<String> {
        scripts_of(urls, is_latin, "und")
    }

    /// The same, where pages in Latin letters declare a tag.
    fn scripts_of(urls: &[String], is_latin: impl Fn(&str) -> bool, declared: &str) -> Vec<String> {
        let facts = |url: &String| PageFacts {
            detected: lang("sr"),
            declared: if is_latin(url) { Lang::parse_with_script(declared).expect("a tag") } else { Lang::UNKNOWN },
            latin_share: if is_latin(url) { 0.9 } else { 0.1 },
            ..PageFacts::default()
        };
        let pages = ListedPages(urls.iter().map(|url| (url.clone(), facts(url))).collect());
        let mut site = SiteIndex::collect(&pages, |page| Some(pages.detected(page)));
        split_scripts(&pages, &mut site);
        (0..urls.len() as u32).map(|page| site.lang(page).map_or(String::new(), |lang| lang.to_string())).collect()
    }

    #[test]
    fn a_language_in_two_scripts_is_two_languages_where_the_site_has_the_same_pages_in_both() {
        let apart = ["sr-Latn"; 4].into_iter().chain(["sr-Cyrl"; 4]);
        let marked = urls(&[("lat", 4), ("sr", 4)]);
        let of_urls = |url: &str| url.contains("/lat/");
        assert!(scripts(&marked, of_urls).into_iter().eq(apart.clone()));
        // One page is full of program text.
        assert_eq!(
            scripts(&urls(&[("cir", 12), ("lat", 12)]), |url| of_urls(url) || url.ends_with("cir/7"))[..12],
            ["sr-Cyrl"; 12]
        );
        let unmarked: Vec<String> = (0..4).map(|at| format!("x.org/{at}")).collect();
        let both: Vec<String> = unmarked.iter().cloned().chain(urls(&[("lat", 4)])).collect();
        assert!(scripts(&both, of_urls).into_iter().rev().eq(apart));
        // Ten times as many pages in one script: what stands in all URLs marks nothing.
        let mut few: Vec<String> = (0..40).map(|at| format!("x.org/a{at}.html")).collect();
        few.extend((0..4).map(|at| format!("x.org/lat/a{at}.html")));
        few.sort();
        let found = scripts(&few, of_urls);
        assert!(found.iter().zip(&few).all(|(tag, url)| (tag == "sr-Latn") == of_urls(url)), "{found:?}");
        let opaque = urls(&[("a", 8)]);
        let of_numbers = |url: &str| url.ends_with(['0', '2', '5', '6']);
        let found = scripts_of(&opaque, of_numbers, "sr-Latn-RS");
        assert!(found.iter().zip(&opaque).all(|(tag, url)| (tag == "sr-Latn") == of_numbers(url)), "{found:?}");
        assert_eq!(scripts_of(&opaque, of_numbers, "sr"), ["sr"; 8]);
        assert_eq!(scripts_of(&opaque, of_numbers, "sr-Cyrl"), ["sr"; 8], "none is in these");
        // Other pages, one script, a few pages, and numbers that say nothing.
        let parts: Vec<String> =
            (0..8).map(|at| format!("x.org/{}/{at}", if at < 4 { "blog" } else { "news" })).collect();
        for found in [
            scripts(&parts, |url| url.contains("blog")),
            scripts(&marked, |_| true),
            scripts(&urls(&[("lat", 2), ("sr", 9)]), of_urls),
            scripts(&opaque, of_numbers),
        ] {
            assert!(found.iter().all(|tag| tag == "sr"), "{found:?}");
        }
    }

    #[test]
    fn a_language_may_be_in_a_third_script() {
        let facts = |url: &String, declares: bool| PageFacts {
            detected: lang("kk"),
            declared: if declares && url.contains("/arab/") {
                Lang::parse_with_script("kk-Arab").expect("a tag")
            } else {
                Lang::UNKNOWN
            },
            latin_share: if url.contains("/lat/") { 0.9 } else { 0.0 },
            ..PageFacts::default()
        };
        let tags = |urls: &[String], declares: bool| {
            let pages = ListedPages(urls.iter().map(|url| (url.clone(), facts(url, declares))).collect());
            let mut site = SiteIndex::collect(&pages, |page| Some(pages.detected(page)));
            split_scripts(&pages, &mut site);
            let tag = |page: u32| site.lang(page).map_or(String::new(), |lang| lang.to_string());
            (0..urls.len() as u32).map(tag).collect::<BTreeSet<String>>().into_iter().collect::<Vec<_>>()
        };
        let three = ["kk-Arab", "kk-Cyrl", "kk-Latn"];
        assert_eq!(tags(&urls(&[("arab", 4), ("kk", 4), ("lat", 4)]), true), three);
        assert_eq!(tags(&urls(&[("kk-arab", 4), ("kk-cyrl", 4), ("lat", 4)]), false), three);
        assert_eq!(tags(&urls(&[("kk-arab", 4), ("kk", 4)]), false), ["kk-Arab", "kk-Cyrl"]);
        // Nothing says what these are.
        assert_eq!(tags(&urls(&[("a", 4), ("b", 4)]), false), ["kk"]);
    }

    #[test]
    fn scripts_are_told_apart_in_the_part_of_a_site_that_has_both() {
        // Beside large sites, each in one script and English.
        let mut all: Vec<String> = ["blog", "news"]
            .iter()
            .flat_map(|host| (0..200).map(move |at| format!("{host}.x.org/{host}{at}")))
            .collect();
        all.extend((0..30).map(|at| format!("news.x.org/en/{at}")));
        all.extend((0..12).flat_map(|at| [format!("law.x.org/cir/{at}"), format!("law.x.org/lat/{at}")]));
        all.sort();
        let is_latin = |url: &str| !url.contains("/cir/") && !url.starts_with("news");
        let facts = |url: &String| PageFacts {
            detected: if url.contains("/en/") { Lang::EN } else { lang("sr") },
            latin_share: if is_latin(url) { 0.9 } else { 0.1 },
            ..PageFacts::default()
        };
        let pages = ListedPages(all.iter().map(|url| (url.clone(), facts(url))).collect());
        let mut site = SiteIndex::collect(&pages, |page| Some(pages.detected(page)));
        split_scripts(&pages, &mut site);
        for (page, url) in (0..).zip(&all) {
            let expected = match url {
                url if url.contains("/cir/") => "sr-Cyrl",
                url if url.contains("/lat/") => "sr-Latn",
                url if url.contains("/en/") => "en",
                _ => "sr",
            };
            assert_eq!(site.lang(page).map(|lang| lang.to_string()).as_deref(), Some(expected), "{url}");
        }
    }

    #[test]
    fn a_region_does_not_take_the_place_of_a_script() {
        let urls = urls(&[("sr", 4), ("sr-BA", 4)]);
        let facts = |url: &String| PageFacts {
            detected: lang("sr"),
            declared: Lang::parse_with_script(if url.contains("-BA") { "sr-Latn-BA" } else { "sr-Cyrl-RS" })
                .expect("a tag"),
            latin_share: if url.contains("-BA") { 0.9 } else { 0.1 },
            ..PageFacts::default()
        };
        let pages = ListedPages(urls.iter().map(|url| (url.clone(), facts(url))).collect());
        let mut site = SiteIndex::collect(&pages, |page| Some(pages.detected(page)));
        split_scripts(&pages, &mut site);
        split(&pages, &mut site);
        let found: Vec<String> = (0..8).map(|page| site.lang(page).unwrap_or_default().to_string()).collect();
        assert_eq!(found, [["sr-Latn"; 4], ["sr-Cyrl"; 4]].concat(), "{urls:?}");
    }

    #[test]
    fn a_region_alone_or_two_parts_of_a_site_are_no_variants() {
        let alone =
            labels(&urls(&[("en", 4), ("pt_BR", 3)]), |url| lang(if url.contains("/en") { "en" } else { "pt" }));
        assert_eq!(alone[4..], ["pt", "pt", "pt"]);
        let parts = ["x.org/pt-br/a", "x.org/pt-br/b", "x.org/pt-br/c", "x.org/pt/d", "x.org/pt/e", "x.org/pt/f"];
        let parts: Vec<String> = parts.map(str::to_owned).to_vec();
        assert!(labels(&parts, |_| lang("pt")).iter().all(|label| label == "pt"));
    }
}
