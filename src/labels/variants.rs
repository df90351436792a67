//! Variants of a language side by side, `/pt/` and `/pt-br/`: each has pages of its own, and each page a partner in each.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::index::site::{Pages, SiteIndex};
use crate::language::codes::names_language;
use crate::text::tokens::{Anatomy, Separators};
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
