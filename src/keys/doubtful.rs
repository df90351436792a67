//! Languages that are in doubt, resolved by the markers of strong keys.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::found::FoundKey;
use super::params::Params;
use crate::corrections::OfSite;
use crate::index::parts::{Parts, pooled};
use crate::index::site::{Pages, SiteIndex};
use crate::labels::folders;
use crate::language::codes::named_language;
use crate::language::{are_relatives, is_told};
use crate::text::runs::for_each_text;
use crate::text::tokens::Anatomy;
use crate::types::{Field, Lang};

/// What stands for languages in strong keys.
struct Markers {
    /// The languages of the keys.
    established: FxHashSet<Lang>,
    /// Those for which (null) stands.
    unmarked: FxHashSet<Lang>,
    /// What each marker means, and whether most of what it pairs is in that language.
    meanings: FxHashMap<(Field, String), (Lang, bool)>,
}

impl Markers {
    fn of(keys: &[FoundKey]) -> Markers {
        let mut established: FxHashSet<Lang> = FxHashSet::default();
        let mut unmarked: FxHashSet<Lang> = FxHashSet::default();
        let mut votes: FxHashMap<(Field, String), FxHashMap<Lang, u64>> = FxHashMap::default();
        for found in keys.iter().filter(|key| !key.state.is_out()) {
            for edit in found.key.edits.iter().filter(|edit| !edit.core) {
                for (lang, text) in [(found.key.langs.a, &edit.from), (found.key.langs.b, &edit.to)] {
                    established.insert(lang);
                    if text.is_empty() {
                        unmarked.insert(lang);
                    } else {
                        *votes.entry((edit.field, text.clone())).or_default().entry(lang).or_default() +=
                            found.evidence.power;
                    }
                }
            }
        }
        let winner = |langs: &FxHashMap<Lang, u64>| {
            langs.iter().map(|(&lang, &power)| (power, lang)).max().map(|(_, lang)| lang)
        };
        // A marker that names a language stands for it, even where most of its pages are not translated.
        let meaning = |text: &str, langs: &FxHashMap<Lang, u64>| {
            let is_of_site = |named: &Lang| {
                let is_relative = |lang: &Lang| are_relatives(*named, *lang);
                established.iter().any(|lang| named.agrees(*lang)) || winner(langs).as_ref().is_some_and(is_relative)
            };
            let named = named_language(text).filter(is_of_site);
            let exact = named.and_then(|named| langs.keys().copied().filter(|lang| named.agrees(*lang)).max());
            exact.or(named).or_else(|| winner(langs))
        };
        let meanings = votes
            .iter()
            .filter_map(|(marker, langs)| {
                let meant = meaning(&marker.1, langs)?;
                Some((marker.clone(), (meant, winner(langs) == Some(meant))))
            })
            .collect();
        Markers { established, unmarked, meanings }
    }
}

/// Resolves doubtful languages by the markers of strong keys; `true` when anything changed.
///
/// Doubtful is a page whose language is unknown, or takes part in no strong key (noise of detection), or that is in two
/// languages of different letters (`Letters`), unless a person has stated its language. When its URL carries markers of one language only, it counts for that language, unless
/// it declares another one. A page without markers counts for the language it declares where (null) stands for that language,
/// if it has no other.
pub fn resolve(
    pages: &dyn Pages,
    (params, corrections): (&Params, &OfSite),
    site: &mut SiteIndex<'_>,
    copies: &[(u32, u32)],
    keys: &[FoundKey],
) -> bool {
    let Markers { established, unmarked, meanings } = Markers::of(keys);
    let copied: FxHashSet<u32> = copies.iter().map(|&(copy, _)| copy).collect();
    let mut changed = false;
    let mut letters = None;
    let mut anatomy = Anatomy::default();
    for page in 0..pages.count() {
        let label = site.lang(page);
        let is_stated = || corrections.language(pages.identity(page)).is_some();
        if established.is_empty() || copied.contains(&page) || is_stated() {
            continue;
        }
        let facts = pages.facts(page);
        let is_established = label.is_some_and(|lang| established.contains(&lang));
        // Short texts are taken for relatives, and texts of nothing but names for anything.
        let is_doubtful = |lang: Lang| {
            let are_relatives = label.is_some_and(|label| are_relatives(label, lang));
            let least = if are_relatives { SURE_OF_RELATIVES } else { SURE };
            facts.form.has_text() && facts.confidence < least
        };
        // Pages whose letters show that they are in no language that can be told do not count for one because of a marker in their URLs, unless most
        // pages with that marker are in that language.
        let is_by_letters = label.is_some_and(|lang| lang.is_unnamed() || facts.is_guess && lang != facts.detected);
        // Nor do those whose letters are those of another language of the site that keys know.
        let is_of_site = is_established && label.is_some_and(|lang| !lang.is_unnamed());
        let cannot_be = |lang: Lang, is_usual: bool| is_by_letters && (is_of_site || !is_usual && is_told(lang));
        if (is_established && (!facts.form.has_text() || facts.confidence >= SURE_OF_RELATIVES))
            || (label.is_none() && facts.detected.is_known() && !(facts.is_guess && params.wants(facts.detected)))
        {
            continue;
        }
        let in_two = facts.form.has_text() && f64::from(facts.confidence) < params.min_confidence;
        let mut found: Vec<Lang> = Vec::new();
        let mut is_usual = true;
        for_each_text(&mut anatomy, pages.identity(page), &mut |field, text| {
            if let Some(&(lang, usual)) = meanings.get(&(field, text.to_owned())) {
                found.push(lang);
                is_usual &= usual;
            }
        });
        found.sort_unstable();
        found.dedup();
        let shown = |lang: Lang, letters: &mut Option<Letters>| {
            let letters = letters.get_or_insert_with(|| Letters::new(pages, site, keys, params));
            label.is_none_or(|label| letters.way(page, (label, lang), facts.latin_share) >= params.min_shift)
        };
        let resolved = match found[..] {
            [lang] if cannot_be(lang, is_usual) => None,
            [lang] if is_established && !is_doubtful(lang) && !(in_two && shown(lang, &mut letters)) => None,
            [lang] if !facts.declared.is_known() || facts.declared.agrees(lang) => Some(lang),
            [] if !is_established => {
                unmarked.iter().copied().find(|lang| [facts.declared, facts.declared.base()].contains(lang))
            }
            _ => None,
        };
        if let Some(lang) = resolved.filter(|&lang| params.wants(lang) && label != Some(lang)) {
            site.set(page, Some(lang));
            changed = true;
        }
    }
    changed
}

/// The usual share of A–Z in the letters of pages, by language and part of the site.
struct Letters {
    parts: Parts,
    /// The sum of the shares of the pages in one language, and their number.
    sums: BTreeMap<(Lang, u32), (f64, u32)>,
}

impl Letters {
    /// From the pages that are in one language. The marks of `keys` are no folders.
    fn new(pages: &dyn Pages, site: &SiteIndex<'_>, keys: &[FoundKey], params: &Params) -> Letters {
        let keys = keys.iter().filter(|key| !key.state.is_out()).map(|found| &found.key);
        let mut letters = Letters { parts: folders::parts(pages, keys, site), sums: BTreeMap::new() };
        for page in 0..pages.count() {
            let Some(lang) = site.lang(page) else { continue };
            let facts = pages.facts(page);
            if facts.form.has_text() && f64::from(facts.confidence) >= params.min_confidence {
                letters.add(lang, page, f64::from(facts.latin_share));
            }
        }
        letters
    }

    fn add(&mut self, lang: Lang, page: u32, share: f64) {
        for part in self.parts.chain(self.parts.of(page)) {
            let sum = self.sums.entry((lang, part)).or_default();
            *sum = (sum.0 + share, sum.1 + 1);
        }
    }

    /// How far the text of a page has come from the letters usual in one language to those usual in another: 0 none of the way, 1 all of it.
    /// Usual is what pages of the part that it is in have; what is usual in the part around it counts for [`WORTH`](crate::index::parts::WORTH) pages of each language.
    /// 0 too where the letters of both are alike, and tell nothing, and where the part has more of the other language: pages are partly in
    /// what they were translated from, which there is most of, and not the other way round.
    fn way(&self, page: u32, (from, to): (Lang, Lang), share: f32) -> f64 {
        let sum_in =
            |lang: Lang, part: u32| self.sums.get(&(lang, part)).map_or((0.0, 0.0), |sum| (sum.0, f64::from(sum.1)));
        // The usual share of A–Z in either language, and the share of `to` among the pages in both.
        let mut usual: Option<[f64; 3]> = None;
        for part in self.parts.inwards(self.parts.of(page)) {
            let [of_from, of_to] = [from, to].map(|lang| sum_in(lang, part));
            let added = [of_from, of_to, (of_to.1, of_from.1 + of_to.1)];
            usual = match usual {
                Some(round) => Some(std::array::from_fn(|at| pooled(round[at], added[at].0, added[at].1))),
                None if of_from.1 > 0.0 && of_to.1 > 0.0 => Some(added.map(|(sum, pages)| sum / pages)),
                None => None,
            };
        }
        let Some([from, to, translated]) = usual else { return 0.0 };
        let tells = translated <= 0.5 && (from - to).abs() >= MIN_DIFFERENCE;
        if tells { (from - f64::from(share)) / (from - to) } else { 0.0 }
    }
}

/// How sure a detected language must be to be held against the marker of a strong key (an estimate), and beside a near relative, for which short
/// texts are taken with more confidence.
const SURE: f32 = 0.5;
const SURE_OF_RELATIVES: f32 = 0.95;

/// Languages differ in letters when their usual shares of A–Z are so far apart: those of one alphabet differ by 0.25 at the most
/// (English and Vietnamese), those of two by half and more.
const MIN_DIFFERENCE: f64 = 0.3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::{Tree, two_folders};
    use crate::index::site::{ListedPages, PageFacts, Urls};
    use crate::keys::Elsewhere;

    #[test]
    fn a_page_half_translated_counts_for_the_language_of_its_address() {
        let [en, ar] = ["en", "ar"].map(|tag| Lang::parse(tag).expect("a tag"));
        let page = |folder: &str, n: u32, detected, latin_share| {
            // Mixed pages are detected as such, whatever they are mixed of.
            let confidence = if [0.1, 0.95].contains(&latin_share) { 0.95 } else { 0.6 };
            let facts = PageFacts { detected, confidence, latin_share, ..PageFacts::default() };
            (format!("x.org/{folder}/{n}"), facts)
        };
        let mut pages: Vec<_> = (0..20).map(|n| page("arabic", n, ar, 0.1)).collect();
        // Half in Arabic letters; a few of them, in a menu.
        pages.extend([page("arabic", 20, en, 0.55), page("arabic", 21, en, 0.85)]);
        pages.extend((0..22).map(|n| page("english", n, en, 0.95)));
        pages.sort_by(|x, y| x.0.cmp(&y.0));
        let pages = ListedPages(pages);
        let found = crate::keys::discover(&pages, &Params::default(), Elsewhere::default(), &std::env::temp_dir(), &());
        let found = found.expect("a writable folder for temporary files");
        let at = |address: &str| (0..pages.count()).find(|&page| pages.identity(page) == address).expect("it is there");
        let paired = |n: u32| {
            let wanted = (at(&format!("x.org/arabic/{n}")), at(&format!("x.org/english/{n}")));
            found.pairs.iter().any(|pair| (pair.a, pair.b) == wanted)
        };
        assert!(paired(3) && paired(20));
        assert!(!paired(21));
        // Never to the language that the site has more of, though most pages at the URL were not translated.
        let parts = Parts::new(&Tree::flat(30), &[Lang::UNKNOWN; 30]);
        let mut letters = Letters { parts, sums: BTreeMap::new() };
        (0..20).for_each(|page| letters.add(en, page, 0.95));
        (20..30).for_each(|page| letters.add(ar, page, 0.1));
        assert!((letters.way(0, (en, ar), 0.525) - 0.5).abs() < 1e-6);
        assert_eq!(letters.way(0, (ar, en), 0.525), 0.0);
    }

    #[test]
    fn what_letters_are_usual_is_asked_of_the_part_that_a_page_is_in() {
        let parts = two_folders(20);
        let [en, zh] = [Lang::EN, Lang::ZH];
        let of = |part: u32| (0..40).find(|&page| parts.of(page) == part).expect("a page");
        let mut letters = Letters { parts: parts.clone(), sums: BTreeMap::new() };
        for (part, share) in [(1, 0.6), (2, 0.1)] {
            letters.add(en, of(part), 1.0);
            letters.add(zh, of(part), share);
        }
        let way = |letters: &Letters, part: u32| letters.way(of(part), (en, zh), 0.8);
        // In the whole site Chinese has .35 on average, which is worth four pages: (4·.35 + .6)/5 = .4 and (4·.35 + .1)/5 = .3.
        assert!((way(&letters, 1) - 0.2 / 0.6).abs() < 1e-6 && (way(&letters, 2) - 0.2 / 0.7).abs() < 1e-6);
        // The more pages a part has, the less counts what is round it.
        for _ in 0..495 {
            letters.add(en, of(1), 1.0);
            letters.add(zh, of(1), 0.6);
        }
        assert!((way(&letters, 1) - 0.5).abs() < 1e-2);
        // A part without pages in one of them is like the part around it, where Chinese has .599 now.
        letters.sums.remove(&(zh, 2));
        let round = (496.0 * 0.6 + 0.1) / 497.0;
        assert!((way(&letters, 2) - 0.2 / (1.0 - round)).abs() < 1e-6);
    }
}
