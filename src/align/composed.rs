//! Composes the alignment of two versions of a document from their alignments with a third one, the hub.
//!
//! A document of L versions has L(L − 1)/2 pairs, and L − 1 of them say most of what the others would: sentences that translate the same
//! sentences of the hub belong together. Only what these alignments leave open is aligned directly.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::clean::Reason;
use super::judged::{ALIGNED_SCORE, AlignPage, Aligned, JudgedBead, Open, Said, align_part, align_whole, judge};
use super::params::Params;
use super::via::Known;
use super::widen::is_possible;
use crate::types::Bead;

/// The alignment of a version with the hub.
#[derive(Clone, Copy)]
pub struct WithHub<'h> {
    /// The beads.
    pub aligned: &'h Aligned,
    /// True when the hub is the first of the two pages.
    pub is_hub_first: bool,
}

/// A bead of a version with the hub that is more likely right than wrong, and whose sides are in the languages of their pages.
struct Part {
    own: Range<u32>,
    hub: Range<u32>,
    score: f32,
    /// It stands elsewhere on the two pages: the other beads are in an order in which this one is not.
    is_moved: bool,
}

impl WithHub<'_> {
    /// The beads, as they rise in the hub.
    fn parts(&self) -> Vec<Part> {
        let part = |judged: &JudgedBead| {
            let Bead { a_start, a_end, b_start, b_end } = judged.bead;
            let (a, b) = (a_start..a_end, b_start..b_end);
            let (own, hub) = if self.is_hub_first { (b, a) } else { (a, b) };
            Part { own, hub, score: judged.score, is_moved: false }
        };
        let is_translated =
            |judged: &JudgedBead| !matches!(judged.reason, Some(Reason::SameText | Reason::WrongLanguage));
        let is_right = |judged: &&JudgedBead| judged.score >= ALIGNED_SCORE && is_translated(judged);
        let mut parts: Vec<Part> = self.aligned.beads.iter().filter(is_right).map(part).collect();
        parts.sort_by_key(|part| part.hub.start);
        let owns: Vec<u32> = parts.iter().map(|part| part.own.start).collect();
        for (part, rises) in parts.iter_mut().zip(longest_rising(&owns)) {
            part.is_moved = !rises;
        }
        parts
    }
}

/// For each of some numbers, whether it is in the longest rising sequence of them. Time n·log n.
fn longest_rising(numbers: &[u32]) -> Vec<bool> {
    if numbers.is_sorted() {
        return vec![true; numbers.len()];
    }
    // For each length, the position that ends such a sequence with the least number; for each position, the one before it.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, &number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|&end| numbers[end] <= number);
        before.push(length.checked_sub(1).map(|length| ends[length]));
        ends.splice(length..(length + 1).min(ends.len()), [at]);
    }
    let mut rises = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        rises[at] = true;
        next = before[at];
    }
    rises
}

/// Aligns two pages by their alignments with the hub, and judges every bead.
///
/// Beads that have sentences of the hub in common, even by way of others, become one if all their sentences of the hub have a counterpart in
/// both pages, and if it is not larger than beads may be. It is as probable as that the least probable of its beads is right on either side,
/// and it is dropped if that is less than one half. What stands between such beads on both pages is aligned as by
/// [`align_pages`](super::align_pages). Time grows with the sentences, and for the rest as of `align_pages`.
pub fn compose_pages(
    pages: [&AlignPage<'_>; 2],
    with_hub: [WithHub<'_>; 2],
    known: &Known<'_>,
    params: &Params,
) -> Aligned {
    let [a, b] = pages.map(|page| &page.document);
    let block = |document: &super::Document<'_>, at: u32| document.sentences[at as usize].block;
    let is_one_block = |bead: &Bead| {
        block(a, bead.a_start) == block(a, bead.a_end - 1) && block(b, bead.b_start) == block(b, bead.b_end - 1)
    };
    let mut parts = with_hub.map(|with_hub| with_hub.parts());
    let told = Told::new(&parts, [a, b]);
    if !told.blocks.is_empty() {
        return judge(pages, told.align(pages, known, params), known, params);
    }
    parts.iter_mut().for_each(|parts| parts.retain(|part| !part.is_moved));
    let mut composed = composed(parts);
    composed.retain(|open| is_possible(open.bead.shape()) && is_one_block(&open.bead));
    let ends = [a.sentences.len() as u32, b.sentences.len() as u32];
    let mut all = Vec::with_capacity(ends[0].max(ends[1]) as usize);
    let mut from = [0, 0];
    for open in composed {
        let Bead { a_start, a_end, b_start, b_end } = open.bead;
        align_part(pages, [from[0]..a_start, from[1]..b_start], known, params, &mut all);
        all.push(open);
        from = [a_end, b_end];
    }
    align_part(pages, [from[0]..ends[0], from[1]..ends[1]], known, params, &mut all);
    judge(pages, all, known, params)
}

/// What the hub tells of two versions one of which has another order.
struct Told {
    /// The blocks that belong together.
    blocks: Vec<(u32, u32)>,
    /// For the sentences of the first version that translate the same ones of the hub as some of the second, the sentences of the
    /// second, and how likely it is that they translate each other.
    beads: FxHashMap<Range<u32>, (Range<u32>, f32)>,
}

impl Told {
    /// Without blocks where both have the order of the hub.
    fn new(parts: &[Vec<Part>; 2], documents: [&super::Document<'_>; 2]) -> Told {
        let mut told = Told { blocks: Vec::new(), beads: FxHashMap::default() };
        if parts.iter().flatten().all(|part| !part.is_moved) {
            return told;
        }
        let of_b: FxHashMap<&Range<u32>, &Part> = parts[1].iter().map(|part| (&part.hub, part)).collect();
        let block = |side: usize, part: &Part| documents[side].sentences[part.own.start as usize].block;
        for part in &parts[0] {
            let Some(other) = of_b.get(&part.hub) else { continue };
            let score = part.score * other.score;
            if score >= ALIGNED_SCORE {
                told.blocks.push((block(0, part), block(1, other)));
                told.beads.insert(part.own.clone(), (other.own.clone(), score));
            }
        }
        told.blocks.sort_unstable();
        told.blocks.dedup();
        let mut times: [FxHashMap<u32, u32>; 2] = Default::default();
        for (a, b) in &told.blocks {
            *times[0].entry(*a).or_default() += 1;
            *times[1].entry(*b).or_default() += 1;
        }
        told.blocks.retain(|(a, b)| times[0][a] == 1 && times[1][b] == 1);
        told
    }

    /// Aligns the two versions by their words, and by what is told. What the words find, too, is as probable as is told.
    fn align(&self, pages: [&AlignPage<'_>; 2], known: &Known<'_>, params: &Params) -> Vec<Open> {
        let mut open = align_whole(pages, known, params, &self.blocks);
        for Open { bead, said } in &mut open {
            let is_same = |(of_b, _): &&(Range<u32>, f32)| *of_b == (bead.b_start..bead.b_end);
            if let Some((_, score)) = self.beads.get(&(bead.a_start..bead.a_end)).filter(is_same) {
                *said = Said::Parts(*score);
            }
        }
        open
    }
}

/// Joins beads with the hub, which rise on both sides, to beads of the two versions.
fn composed([of_a, of_b]: [Vec<Part>; 2]) -> Vec<Open> {
    let mut found = Vec::with_capacity(of_a.len().min(of_b.len()));
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (of_a.get(i), of_b.get(j)) {
        let (first_a, first_b) = (i, j);
        let mut end = a.hub.end.max(b.hub.end);
        i += usize::from(a.hub.start < b.hub.end);
        j += usize::from(b.hub.start < a.hub.end);
        if i > first_a && j > first_b {
            // The bead takes in everything that has sentences of the hub before its end; this may move the end further.
            loop {
                let next = [of_a.get(i), of_b.get(j)].map(|part| part.filter(|part| part.hub.start < end));
                i += usize::from(next[0].is_some());
                j += usize::from(next[1].is_some());
                let Some(reached) = next.into_iter().flatten().map(|part| part.hub.end).max() else { break };
                end = end.max(reached);
            }
            found.extend(joined(&of_a[first_a..i], &of_b[first_b..j]));
        }
    }
    found
}

/// The bead that these beads make, which have the same sentences of the hub. `None` where a side lacks some of these sentences or has other
/// sentences between, and where the bead is more likely wrong than right.
fn joined(of_a: &[Part], of_b: &[Part]) -> Option<Open> {
    let whole = |parts: &[Part], side: fn(&Part) -> &Range<u32>| {
        let range = side(parts.first()?).start..side(parts.last()?).end;
        let is_whole = parts.iter().map(|part| side(part).len()).sum::<usize>() == range.len();
        is_whole.then_some(range)
    };
    let own = [whole(of_a, |part| &part.own)?, whole(of_b, |part| &part.own)?];
    if whole(of_a, |part| &part.hub)? != whole(of_b, |part| &part.hub)? {
        return None;
    }
    let least = |parts: &[Part]| parts.iter().map(|part| part.score).fold(1.0, f32::min);
    let [a, b] = own;
    let bead = Bead { a_start: a.start, a_end: a.end, b_start: b.start, b_end: b.end };
    let score = least(of_a) * least(of_b);
    (score >= ALIGNED_SCORE).then_some(Open { bead, said: Said::Parts(score) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::document::of_blocks;
    use super::super::judged::align_pages;
    use super::super::model::Model;
    use super::*;
    use crate::language::foreign::Untold;
    use crate::types::Lang;

    /// Beads with the hub of these numbers of own and hub sentences, each with its score.
    fn parts(shapes: &[(u32, u32, f32)]) -> Vec<Part> {
        let (mut own, mut hub) = (0, 0);
        let mut found = Vec::new();
        for &(m, n, score) in shapes {
            if m > 0 && n > 0 && score >= ALIGNED_SCORE {
                found.push(Part { own: own..own + m, hub: hub..hub + n, score, is_moved: false });
            }
            (own, hub) = (own + m, hub + n);
        }
        found
    }

    /// The sides and the score of each bead.
    type Plain = Vec<(Range<u32>, Range<u32>, f32)>;

    fn plain(found: Vec<Open>) -> Plain {
        let one = |Open { bead, said }: Open| match said {
            Said::Parts(score) => (bead.a_start..bead.a_end, bead.b_start..bead.b_end, score),
            _ => panic!("it was not composed"),
        };
        found.into_iter().map(one).collect()
    }

    #[test]
    fn what_has_the_same_sentences_of_the_hub_is_one_bead() {
        let join = |a: &[(u32, u32, f32)], b: &[(u32, u32, f32)]| plain(composed([parts(a), parts(b)]));
        let one = (1, 1, 0.9);
        assert_eq!(join(&[one; 2], &[one; 2]), [(0..1, 0..1, 0.9 * 0.9), (1..2, 1..2, 0.9 * 0.9)]);
        // Two sentences of the hub are one of the first page, and two of the second.
        assert_eq!(join(&[(1, 2, 0.8), one], &[one, (1, 1, 0.7), one])[0], (0..1, 0..2, 0.8 * 0.7));
        // Each is rather right, but both are not.
        assert_eq!(join(&[(1, 1, 0.8), one], &[(1, 1, 0.6), one]), [(1..2, 1..2, 0.9 * 0.9)]);
        // By way of others: 1+2 with 1, 2+3 with 2.
        assert_eq!(join(&[(2, 2, 1.0), one], &[one, (1, 2, 0.7)]), [(0..3, 0..2, 0.9 * 0.7)]);
        // The second page lacks the second sentence of the hub, or it is doubtful there.
        assert_eq!(join(&[(1, 2, 0.9), one], &[one, (0, 1, 0.0), one]), [(1..2, 1..2, 0.9 * 0.9)]);
        assert_eq!(join(&[(1, 2, 0.9), one], &[one, (1, 1, 0.4), one]), [(1..2, 2..3, 0.9 * 0.9)]);
        // The first page has something else between.
        assert_eq!(join(&[one, (1, 0, 0.0), one], &[(1, 2, 0.9)]), []);
        assert_eq!(join(&[], &[one]), []);
    }

    #[test]
    fn beads_that_are_no_translations_compose_nothing() {
        let judged = |at: u32, score: f32, reason: Option<Reason>| JudgedBead {
            bead: Bead { a_start: at, a_end: at + 1, b_start: at, b_end: at + 1 },
            score,
            reason,
            texts: Default::default(),
            is_copy: false,
        };
        let beads = vec![
            judged(0, 0.9, None),
            judged(1, 0.9, Some(Reason::SameText)),
            judged(2, 0.9, Some(Reason::WrongLanguage)),
            judged(3, 0.4, Some(Reason::LowScore)),
            judged(4, 0.9, Some(Reason::NoLetters)),
        ];
        let aligned = Aligned { beads, score: 1.0 };
        let parts = WithHub { aligned: &aligned, is_hub_first: true }.parts();
        assert_eq!(parts.into_iter().map(|part| part.own).collect::<Vec<_>>(), [0..1, 4..5]);
    }

    /// The slow way to compose beads: looks again and again for all beads that share sentences of the hub.
    fn composed_slowly(of_a: &[Part], of_b: &[Part]) -> Plain {
        let mut groups: Vec<[BTreeSet<usize>; 2]> = Vec::new();
        let hub = |side: usize, at: usize| if side == 0 { &of_a[at].hub } else { &of_b[at].hub };
        let meet = |x: &Range<u32>, y: &Range<u32>| x.start < y.end && y.start < x.end;
        for first in 0..of_a.len() {
            let mut group = [BTreeSet::from([first]), BTreeSet::new()];
            loop {
                let before = group.clone();
                for (at, part) in of_b.iter().enumerate() {
                    if before[0].iter().any(|&other| meet(hub(0, other), &part.hub)) {
                        group[1].insert(at);
                    }
                }
                for (at, part) in of_a.iter().enumerate() {
                    if group[1].iter().any(|&other| meet(hub(1, other), &part.hub)) {
                        group[0].insert(at);
                    }
                }
                if group == before {
                    break;
                }
            }
            if !group[1].is_empty() && !groups.contains(&group) {
                groups.push(group);
            }
        }
        let bead = |[a, b]: &[BTreeSet<usize>; 2]| {
            let sentences =
                |parts: Vec<&Range<u32>>| parts.into_iter().flat_map(Clone::clone).collect::<BTreeSet<u32>>();
            let run = |all: &BTreeSet<u32>| {
                let (first, last) = (*all.first()?, *all.last()?);
                (all.len() as u32 == last + 1 - first).then_some(first..last + 1)
            };
            let own = [
                sentences(a.iter().map(|&at| &of_a[at].own).collect()),
                sentences(b.iter().map(|&at| &of_b[at].own).collect()),
            ];
            let hubs = [(0, a), (1, b)].map(|(side, of)| sentences(of.iter().map(|&at| hub(side, at)).collect()));
            let least = |scores: Vec<f32>| scores.into_iter().fold(1.0, f32::min);
            let score = least(a.iter().map(|&at| of_a[at].score).collect())
                * least(b.iter().map(|&at| of_b[at].score).collect());
            (hubs[0] == hubs[1] && run(&hubs[0]).is_some()).then_some(())?;
            (score >= ALIGNED_SCORE).then_some((run(&own[0])?, run(&own[1])?, score))
        };
        groups.iter().filter_map(bead).collect()
    }

    /// A page, judged by itself.
    fn page<'t>(blocks: &[String], lang: &str, untold: &'t Untold) -> AlignPage<'t> {
        AlignPage::new(of_blocks(blocks), Lang::parse(lang).expect("a tag"), untold)
    }

    /// German and French beads with their reasons, once aligned directly and once by way of English. `paragraphs` has the number of
    /// sentences of each paragraph, and each version consists of the paragraphs with the given numbers.
    fn both_ways(paragraphs: &[u32], [of_de, of_en, of_fr]: [&[usize]; 3]) -> [Vec<(Bead, Option<Reason>)>; 2] {
        let sentence = |word: &str, paragraph: usize, at: u32| {
            let initial = char::from(b'A' + at as u8);
            format!("{initial} {word} {} {} {word}{at}. ", 1000 + paragraph * 7 + at as usize, 5000 - paragraph * 11)
        };
        let untold = Untold::default();
        let version = |word: &str, lang: &str, has: &[usize]| {
            let block = |&number: &usize| (0..paragraphs[number]).map(|at| sentence(word, number, at)).collect();
            page(&has.iter().map(block).collect::<Vec<String>>(), lang, &untold)
        };
        let [de, en, fr] = [version("wort", "de", of_de), version("word", "en", of_en), version("mot", "fr", of_fr)];
        let (model, params) = (Model::default(), Params::default());
        let known = Known::Own(&model);
        let with_hub = [align_pages(&de, &en, &known, &params), align_pages(&en, &fr, &known, &params)];
        let with_hub = [0, 1].map(|at| WithHub { aligned: &with_hub[at], is_hub_first: at == 1 });
        let all = [align_pages(&de, &fr, &known, &params), compose_pages([&de, &fr], with_hub, &known, &params)];
        all.map(|aligned| aligned.beads.iter().map(|judged| (judged.bead, judged.reason)).collect())
    }

    #[test]
    fn versions_in_three_orders_are_composed() {
        let paragraphs = [2, 1, 3, 1, 2, 1, 2];
        let [direct, composed] =
            both_ways(&paragraphs, [&[3, 0, 6, 1, 5, 2, 4], &[0, 1, 2, 3, 4, 5, 6], &[6, 4, 2, 0, 5, 3, 1]]);
        assert_eq!(direct, composed);
        assert_eq!(composed.iter().filter(|(bead, reason)| bead.is_paired() && reason.is_none()).count(), 12);
    }

    #[test]
    fn the_longest_rising_sequence_is_told() {
        assert_eq!(longest_rising(&[5, 1, 2, 9, 3, 3]), [false, true, true, false, true, true]);
        assert_eq!(longest_rising(&[1, 1, 4]), [true; 3]);
        assert_eq!(longest_rising(&[]), [false; 0]);
    }

    #[test]
    fn what_the_hub_lacks_is_aligned_directly() {
        let paragraphs = [3, 2, 1, 4, 2, 3];
        let all = [0, 1, 2, 3, 4, 5];
        for of_en in [&[0, 1, 3, 4, 5][..], &[0, 2, 4], &[1], &[]] {
            let [direct, composed] = both_ways(&paragraphs, [&all, of_en, &all]);
            assert_eq!(direct, composed, "{of_en:?}");
            assert_eq!(composed.iter().filter(|(bead, _)| bead.is_paired()).count(), 15, "{of_en:?}");
        }
        // The French page lacks what the English one has, and has what the German one lacks.
        let [direct, composed] = both_ways(&paragraphs, [&[0, 1, 3, 4, 5], &all, &[0, 1, 2, 3, 5]]);
        assert_eq!(direct, composed);
        assert_eq!(composed.iter().filter(|(bead, _)| bead.is_paired()).count(), 12);
    }

    proptest! {
        #[test]
        fn beads_are_joined_as_by_the_slow_way(
            a in prop::collection::vec((0u32..3, 0u32..3, 0.3f32..1.0), 0..30),
            b in prop::collection::vec((0u32..3, 0u32..3, 0.3f32..1.0), 0..30),
        ) {
            let of = [parts(&a), parts(&b)];
            let slowly = composed_slowly(&of[0], &of[1]);
            prop_assert_eq!(plain(composed(of)), slowly);
        }

        /// Documents of paragraphs of sentences that are translated one by one.
        #[test]
        fn of_exact_translations_composed_beads_are_direct_ones(
            paragraphs in prop::collection::vec(1u32..5, 1..30),
        ) {
            let all: Vec<usize> = (0..paragraphs.len()).collect();
            let [direct, composed] = both_ways(&paragraphs, [&all, &all, &all]);
            prop_assert_eq!(direct, composed);
        }
    }
}
