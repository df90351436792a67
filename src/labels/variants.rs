//! Variants of a language side by side, `/pt/` and `/pt-br/`, or Serbian in Latin and in Cyrillic letters: each has pages of its own, and each page a
//! partner in each.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

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
/// differ in nothing but the mark. Time grows with the pages.
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
        for (at, &x) in together.iter().enumerate() {
            together.iter().skip(at + 1).for_each(|&y| *both.entry((x, y)).or_default() += 1);
        }
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

/// A page of a language in two scripts.
struct Written {
    page: u32,
    lang: Lang,
    /// Whether its letters are Latin for the most part.
    is_latin: bool,
    /// Whether it declares that it is in these, if it names a script.
    declares_latin: Option<bool>,
}

/// How many pages are in Latin letters, and how many in others; or how many are in those that they declare.
#[derive(Clone, Copy, Default)]
struct Scripts([u32; 2]);

impl Scripts {
    /// Whether they are in Latin letters, where they are all in one script, but for a few.
    fn one(self) -> Option<bool> {
        let [latin, others] = self.0;
        let all = latin + others;
        let is_one = all as usize >= MIN_PAGES && f64::from(latin.max(others)) >= MARKS * f64::from(all);
        is_one.then_some(latin > others)
    }

    /// Whether a text marks Latin letters, where it marks a script: it stands in the URLs of pages in one script, and hardly any of `all` pages in
    /// the other one have it, however few these are.
    fn marked(self, all: Scripts) -> Option<bool> {
        self.one().filter(|&is_latin| {
            let other = usize::from(is_latin);
            f64::from(self.0[other]) <= (1.0 - MARKS) * f64::from(all.0[other])
        })
    }
}

/// Lets pages count for their language in their script, `sr-Latn` and `sr-Cyrl`, where the site tells these apart: where its pages declare the
/// script, or where the same pages are in both, that is, under URLs that differ in nothing but a text that stands in those of one script only. Time grows with the pages.
pub fn split_scripts(pages: &dyn Pages, site: &mut SiteIndex<'_>) {
    let mut written: Vec<Written> = Vec::new();
    let mut sizes: BTreeMap<Lang, Scripts> = BTreeMap::new();
    for page in 0..pages.count() {
        let Some(lang) = site.lang(page).filter(|lang| other_script(*lang).is_some()) else { continue };
        let facts = pages.facts(page);
        if facts.form.has_text() {
            let is_latin = facts.latin_share > 0.5;
            let declares_latin =
                (facts.declared != facts.declared.base()).then(|| facts.declared == lang.in_script("Latn"));
            written.push(Written { page, lang, is_latin, declares_latin });
            sizes.entry(lang).or_default().0[usize::from(!is_latin)] += 1;
        }
    }
    let smaller = |lang: Lang| sizes.get(&lang).map_or(0, |sizes| sizes.0[0].min(sizes.0[1]) as usize);
    written.retain(|page| smaller(page.lang) >= MIN_PAGES);
    let mut texts: FxHashMap<(Lang, u64), Scripts> = FxHashMap::default();
    let mut anatomy = Anatomy::default();
    for page in &written {
        for_spans(pages, page.page, &mut anatomy, |anatomy, _, span| {
            texts.entry((page.lang, anatomy.hash(span))).or_default().0[usize::from(!page.is_latin)] += 1;
        });
    }
    let declared = declared(&written);
    let mut same: FxHashMap<(Lang, u64), [bool; 2]> = FxHashMap::default();
    for page in &mut written {
        let mut skeletons = Vec::new();
        for_spans(pages, page.page, &mut anatomy, |anatomy, segment, span| {
            let marks =
                texts.get(&(page.lang, anatomy.hash(span))).and_then(|scripts| scripts.marked(sizes[&page.lang]));
            if let Some(is_latin) = marks {
                page.is_latin = is_latin;
                let cuts = anatomy.cuts(segment, span).into_iter().flatten().map(|cut| anatomy.cut_hash(cut));
                skeletons.extend(cuts.chain([anatomy.slot_hash(span)]));
            }
        });
        if !anatomy.segments().is_empty() {
            skeletons.push(anatomy.hash(anatomy.whole()));
        }
        for skeleton in skeletons {
            same.entry((page.lang, skeleton)).or_default()[usize::from(!page.is_latin)] = true;
        }
    }
    let mut both: BTreeMap<Lang, usize> = BTreeMap::new();
    let in_both = same.iter().filter(|(_, scripts)| **scripts == [true; 2]);
    in_both.for_each(|((lang, _), _)| *both.entry(*lang).or_default() += 1);
    for Written { page, lang, is_latin, .. } in written {
        let pages = both.get(&lang).copied().unwrap_or_default();
        if declared.contains(&lang) || pages >= MIN_PAGES && pages as f64 >= MIN_SHARE * smaller(lang) as f64 {
            let script = if is_latin { "Latn" } else { other_script(lang).unwrap_or_default() };
            site.set(page, Some(lang.in_script(script)));
        }
    }
}

/// The languages whose pages declare the script that their text is in, but for a few of those that declare one.
fn declared(written: &[Written]) -> BTreeSet<Lang> {
    let mut counts: BTreeMap<Lang, Scripts> = BTreeMap::new();
    for page in written {
        if let Some(is_latin) = page.declares_latin {
            counts.entry(page.lang).or_default().0[usize::from(is_latin != page.is_latin)] += 1;
        }
    }
    counts.into_iter().filter(|(_, scripts)| scripts.one() == Some(true)).map(|(lang, _)| lang).collect()
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
        let Some(lang) = site.lang(page) else { continue };
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
    fn a_region_alone_or_two_parts_of_a_site_are_no_variants() {
        let alone =
            labels(&urls(&[("en", 4), ("pt_BR", 3)]), |url| lang(if url.contains("/en") { "en" } else { "pt" }));
        assert_eq!(alone[4..], ["pt", "pt", "pt"]);
        let parts = ["x.org/pt-br/a", "x.org/pt-br/b", "x.org/pt-br/c", "x.org/pt/d", "x.org/pt/e", "x.org/pt/f"];
        let parts: Vec<String> = parts.map(str::to_owned).to_vec();
        assert!(labels(&parts, |_| lang("pt")).iter().all(|label| label == "pt"));
    }
}
