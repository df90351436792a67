//! Hubs of documents: which page pairs are aligned, in what order, and which are composed.
//!
//! The pages of a document are versions of each other. One version is its hub: with it the others are aligned, and the rest follows from that.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::versions::Documents;
use crate::types::{Lang, LangPair, Measure, PagePair, Similarities};

/// An accepted page pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accepted {
    /// The two pages.
    pub pair: PagePair,
    /// The probability that it is right; 1 before pairs are verified.
    pub score: f32,
    /// Whether [`is_whole`] holds for it; false where its pages were not compared.
    pub is_whole: bool,
}

/// The least `lcs` and `paragraphs` of a page pair that is whole. An estimate: pages and their translations have more, pages that lack
/// paragraphs have less (figures in docs/methods.md, "Versions of a document").
const WHOLE: f32 = 0.97;

/// True where tags and paragraphs show that hardly anything of either page is missing on the other.
pub fn is_whole(similarities: &Similarities) -> bool {
    [Measure::Lcs, Measure::Paragraphs]
        .into_iter()
        .all(|measure| similarities.get(measure).is_some_and(|value| value >= WHOLE))
}

/// A page pair that is to be aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The two pages.
    pub pair: PagePair,
    /// Number of the document; two pages of different documents are by themselves.
    pub document: u32,
    /// Language and page of the hub, if both pages make whole pairs with it.
    pub hub: Option<(Lang, u32)>,
}

/// The page pairs of a site, document by document, in each those first that are aligned directly. `pairs` are sorted.
///
/// Pairs, the most probable first, join their pages to documents. The hub of a document of three versions or more is in the language with the
/// most pairs within documents of the site (of several, English, or the one that sorts first), of those that have at least half as many whole
/// pairs in the document as any: so most documents of a site have hubs of one language, and few language pairs are learnt. A pair is composed
/// if both its pages make whole pairs with the hub; what else is, depends on what is learnt (`pipeline/stages/align.rs`). Time grows with the pairs, but for the sorting.
pub fn planned(pairs: &[Accepted]) -> Vec<Planned> {
    let mut order: Vec<&Accepted> = pairs.iter().collect();
    order.sort_by(|x, y| y.score.total_cmp(&x.score).then(x.pair.cmp(&y.pair)));
    let mut joined = Documents::default();
    order.iter().for_each(|accepted| {
        joined.join(accepted.pair);
    });
    let groups: Vec<Vec<(Lang, u32)>> = joined.into_groups().collect();
    let group_of: FxHashMap<u32, u32> = groups
        .iter()
        .zip(0u32..)
        .flat_map(|(group, number)| group.iter().map(move |&(_, page)| (page, number)))
        .collect();
    let common = |pair: &PagePair| Some(group_of[&pair.a]).filter(|group| *group == group_of[&pair.b]);
    // Whole pairs of each page in its document, and all pairs of each language.
    let mut of_page: FxHashMap<u32, u32> = FxHashMap::default();
    let mut of_lang: BTreeMap<Lang, u64> = BTreeMap::new();
    for Accepted { pair, is_whole, .. } in pairs.iter().filter(|accepted| common(&accepted.pair).is_some()) {
        for (lang, page) in pair.sides() {
            *of_lang.entry(lang).or_default() += 1;
            *of_page.entry(page).or_default() += u32::from(*is_whole);
        }
    }
    let of_page = |page: u32| of_page.get(&page).copied().unwrap_or(0);
    let hub = |group: &Vec<(Lang, u32)>| {
        let most = group.iter().map(|&(_, page)| of_page(page)).max().unwrap_or(0);
        let central = group.iter().copied().filter(|&(_, page)| of_page(page) * 2 >= most);
        central.max_by_key(|&(lang, _)| (of_lang.get(&lang), lang == Lang::EN, Reverse(lang)))
    };
    let hubs: Vec<Option<(Lang, u32)>> = groups.iter().map(hub).collect();
    let are_whole = |(lang_x, x): (Lang, u32), (lang_y, y): (Lang, u32)| {
        let Some(langs) = LangPair::new(lang_x, lang_y) else { return false };
        let (a, b) = if langs.a == lang_x { (x, y) } else { (y, x) };
        let place = pairs.binary_search_by_key(&PagePair { langs, a, b }, |accepted| accepted.pair);
        place.is_ok_and(|at| pairs[at].is_whole)
    };
    // Documents are numbered by their first pairs.
    let (mut numbers, mut next): (FxHashMap<u32, u32>, u32) = Default::default();
    let planned = |&Accepted { pair, .. }: &Accepted| {
        let group = common(&pair);
        let document = group.map_or(next, |group| *numbers.entry(group).or_insert(next));
        next += u32::from(document == next);
        let hub = group
            .and_then(|group| hubs[group as usize])
            .filter(|&hub| pair.sides().into_iter().all(|side| are_whole(side, hub)));
        Planned { pair, document, hub }
    };
    let mut planned: Vec<Planned> = pairs.iter().map(planned).collect();
    planned.sort_by_key(|planned| (planned.document, planned.hub.is_some()));
    planned
}

/// Lets each page pair of a document that is not `composing` be a document of its own, and puts these behind the others, language pair by
/// language pair: so the models of few language pairs are needed at a time. `planned` is what [`planned`] gives.
pub fn by_languages(planned: &mut [Planned], composing: &BTreeSet<u32>) {
    let is_composing = |one: &Planned| composing.contains(&one.document);
    planned.sort_by_key(|one| if is_composing(one) { (None, one.document) } else { (Some(one.pair), 0) });
    let next = planned.iter().map(|one| one.document + 1).max().unwrap_or(0);
    let others = planned.iter_mut().filter(|one| !composing.contains(&one.document));
    others.zip(next..).for_each(|(one, document)| one.document = document);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// Page pairs by tags and page numbers, `de1 en2`, those whole that are surer than one half.
    fn pairs(all: &[(&str, f32)]) -> Vec<Accepted> {
        let pair = |&(pair, score): &(&str, f32)| {
            let side = |side: &str| {
                (lang(&side[..2]), side.as_bytes()[0] as u32 * 1000 + side[2..].parse::<u32>().expect("a number"))
            };
            let (x, y) = pair.split_once(' ').map(|(x, y)| (side(x), side(y))).expect("two pages");
            let langs = LangPair::new(x.0, y.0).expect("two languages");
            let (a, b) = if langs.a == x.0 { (x.1, y.1) } else { (y.1, x.1) };
            Accepted { pair: PagePair { langs, a, b }, score, is_whole: score > 0.5 }
        };
        let mut pairs: Vec<Accepted> = all.iter().map(pair).collect();
        pairs.sort_by_key(|accepted| accepted.pair);
        pairs
    }

    fn shown(planned: &[Planned]) -> Vec<String> {
        let pair = |planned: &Planned| {
            let PagePair { langs, a, b } = planned.pair;
            let hub = planned.hub.map(|(lang, page)| format!(" by {lang}{}", page % 1000)).unwrap_or_default();
            format!("{} {}{} {}{}{hub}", planned.document, langs.a, a % 1000, langs.b, b % 1000)
        };
        planned.iter().map(pair).collect()
    }

    #[test]
    fn what_is_not_with_the_hub_is_composed() {
        let all = pairs(&[
            // A whole document.
            ("de1 en1", 0.9),
            ("de1 fr1", 0.9),
            ("en1 fr1", 0.9),
            // One of two versions, and one whose English version is missing.
            ("de2 en2", 0.9),
            ("de3 fr3", 0.9),
            ("de3 ja3", 0.9),
            ("fr3 ja3", 0.9),
            // Of two documents.
            ("de2 fr1", 0.5),
            // One whose French version lacks something.
            ("de8 en8", 0.9),
            ("de8 fr8", 0.4),
            ("en8 fr8", 0.4),
            // English has the most page pairs on the site.
            ("en4 it4", 0.9),
            ("en5 it5", 0.9),
            ("en6 it6", 0.9),
            ("en7 it7", 0.9),
        ]);
        let found = shown(&planned(&all));
        let expected = [
            "0 de1 en1",
            "0 en1 fr1",
            "0 de1 fr1 by en1",
            "1 de2 en2",
            "2 de8 en8",
            "2 de8 fr8",
            "2 en8 fr8",
            "3 de2 fr1",
            "4 de3 fr3",
            "4 de3 ja3",
            "4 fr3 ja3 by de3",
            "5 en4 it4",
            "6 en5 it5",
            "7 en6 it6",
            "8 en7 it7",
        ];
        assert_eq!(found, expected);
        assert_eq!(planned(&[]), []);
    }

    #[test]
    fn a_version_that_few_others_agree_with_is_no_hub() {
        let mut all = vec![("de1 fr1", 0.9), ("de1 ja1", 0.9), ("de1 ru1", 0.9), ("fr1 ja1", 0.9), ("fr1 ru1", 0.9)];
        all.extend([("ja1 ru1", 0.9), ("de1 en1", 0.9), ("en2 fr2", 0.9), ("en3 fr3", 0.9), ("en4 fr4", 0.9)]);
        let hub = |all: &[(&str, f32)]| {
            planned(&pairs(all)).into_iter().find_map(|planned| planned.hub).map(|(lang, page)| (lang, page % 1000))
        };
        // French is in 6 page pairs, English and German in 4 and Russian in 3.
        assert_eq!(hub(&all), Some((lang("fr"), 1)));
        all.extend([("en5 ja5", 0.9), ("en6 ja6", 0.9), ("en7 ja7", 0.9)]);
        assert_eq!(hub(&all), Some((lang("fr"), 1)), "English has one pair there, German four");
        all.push(("en1 ru1", 0.5));
        assert_eq!(hub(&all), Some((lang("fr"), 1)), "one more there, but not a whole one");
        all.push(("en1 ja1", 0.9));
        assert_eq!(hub(&all), Some((lang("en"), 1)));
        let composed =
            |all: &[(&str, f32)]| planned(&pairs(all)).iter().filter(|planned| planned.hub.is_some()).count();
        assert_eq!(composed(&all), 1, "German and Japanese; others lack a whole pair with it");
        let parts: Vec<_> = all.iter().map(|&(pair, _)| (pair, 0.4)).collect();
        assert_eq!((hub(&parts), composed(&parts)), (None, 0));
        all.extend([("fr8 it8", 0.4), ("fr9 it9", 0.4), ("fr8 ru8", 0.4), ("fr9 ru9", 0.4)]);
        assert_eq!(hub(&all), Some((lang("fr"), 1)), "French is in 10 page pairs, whole or not, and English in 9");
    }

    #[test]
    fn documents_that_compose_nothing_go_by_language_pair_where_models_have_no_room() {
        let all = pairs(&[
            ("de1 en1", 0.9),
            ("de1 fr1", 0.4),
            ("en1 fr1", 0.4),
            ("de2 en2", 0.9),
            ("de2 fr2", 0.9),
            ("en2 fr2", 0.9),
            ("de3 en3", 0.4),
            ("en3 fr3", 0.4),
        ]);
        let mut found = planned(&all);
        let composing = found.iter().filter(|one| one.hub.is_some()).map(|one| one.document).collect();
        by_languages(&mut found, &composing);
        assert_eq!(
            shown(&found),
            [
                "1 de2 en2",
                "1 en2 fr2",
                "1 de2 fr2 by en2",
                "3 de1 en1",
                "4 de3 en3",
                "5 de1 fr1",
                "6 en1 fr1",
                "7 en3 fr3"
            ]
        );
        assert!(found.is_sorted_by_key(|one| one.document));
    }
}
