//! Compares all pages of a site with each other, by size, structure and content: WebMining (Tomás et al. 2008, §2.2–2.3).

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::best_two::BestTwo;
use super::decide::{Choice, best_first, judged_pair, worth_keeping};
use super::incremental::{self, SentencePair, TranslationModel};
use crate::error::Result;
use crate::lexicon::Side;
use crate::text::words::Words;
use crate::types::{JudgedPair, LangPair, Measure, Outcome, Page, Similarities, Step, TEXT_TOKEN};
use crate::verify::{self, BlockShape, Profile, SiteView, With, aligned_blocks};

/// Settings of comparing all pages with each other.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Sites with more pages are skipped. A page takes at most 12 KB while structures are compared, and 8 bytes a word while contents are.
    /// Default 20,000, an estimate.
    pub max_pages: usize,
    /// Partners that are kept for a page, those most alike in structure. Default 30: all that pass, on most sites.
    pub max_partners: usize,
    /// Pairs of pages that the model learns from first, without comparing their contents. Default 30, an estimate: some ten thousand words.
    pub first_pairs: usize,
    /// With fewer first pairs, the structure alone decides. Default 5, an estimate.
    pub min_first: usize,
    /// Least similarity of structure of the first pairs, 0..=1: the "very restricted thresholds" of §2.3, which gives no number. Default
    /// 0.7.
    pub first_similarity: f64,
    /// How much more alike in structure the pages of a first pair must be than either is to any other page. Default 0.05. It is not in the
    /// paper; without it, pages made from one template would be taken, since all of them are alike.
    pub first_lead: f64,
    /// Passes of EM over each new pair of pages; the paper makes several. Default 3.
    pub passes: usize,
    /// A sentence counts as translated if ln Pr(f|e)/|f| is at least this, in nats a word. The paper gives no value. Default −5.
    pub min_log_prob: f64,
    /// Least share of the sentences that must be translated, 0..=1. The paper gives no value. Default 0.5.
    pub min_share: f64,
    /// Pairs of a page that are stored with the reason why they were not accepted, beside the accepted ones. Default 3.
    pub kept_rows: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            max_pages: 20_000,
            max_partners: 30,
            first_pairs: 30,
            min_first: 5,
            first_similarity: 0.7,
            first_lead: 0.05,
            passes: 3,
            min_log_prob: -5.0,
            min_share: 0.5,
            kept_rows: 3,
        }
    }
}

/// The judged pairs of a site. Each language pair comes with the pages of its first language and of its second. `stop` is called before
/// each language pair.
///
/// # Errors
/// When a page cannot be read, or an error that `stop` returns.
pub fn judged(
    site: &SiteView<'_>,
    lang_pairs: Vec<(LangPair, Vec<u32>, Vec<u32>)>,
    min_score: f64,
    params: &Params,
    stop: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Vec<JudgedPair>> {
    let pages = pages_of(&lang_pairs);
    let told = site.step("reading pages", pages.len());
    let made = pages.par_iter().map_init(Words::new, |words, &page| {
        let profile = site.profile(page, words)?;
        told.did(1);
        Ok((page, Shape::new(page, profile)))
    });
    let shapes: FxHashMap<u32, Shape> = made.collect::<Result<Vec<_>>>()?.into_iter().collect();
    let mut judged = Vec::new();
    for (langs, a, b) in lang_pairs {
        stop()?;
        let of = |pages: &[u32]| pages.iter().filter_map(|page| shapes.get(page)).collect::<Vec<_>>();
        let told = site.step("comparing pages with all others", a.len());
        let choices = alike(&of(&a), &of(&b), site.params(), params.max_partners, &told);
        let verdicts = if site.without_content() {
            vec![Verdict::Unasked; choices.len()]
        } else {
            let texts = texts(site, &choices)?;
            by_content(&choices, &texts, params)
        };
        judged.extend(decide(langs, &choices, &verdicts, min_score, params));
    }
    Ok(judged)
}

/// The pages of some language pairs, each once, sorted.
pub fn pages_of(lang_pairs: &[(LangPair, Vec<u32>, Vec<u32>)]) -> Vec<u32> {
    let mut pages: Vec<u32> = lang_pairs.iter().flat_map(|(_, a, b)| a.iter().chain(b)).copied().collect();
    pages.sort_unstable();
    pages.dedup();
    pages
}

/// What is compared of the structure of a page.
struct Shape {
    page: u32,
    /// Language, sizes and tags of the page; nothing else is kept.
    profile: Profile,
    /// Each tag with the number of times that it occurs, sorted by tag; text is left out.
    counts: Vec<(u16, u32)>,
}

impl Shape {
    fn new(page: u32, profile: Profile) -> Shape {
        let mut tags: Vec<u16> = profile.tags.iter().copied().filter(|tag| tag & TEXT_TOKEN == 0).collect();
        tags.sort_unstable();
        let counts = tags.chunk_by(|x, y| x == y).map(|run| (run[0], run.len() as u32)).collect();
        let Profile { lang, body_bytes, tag_count, paragraphs, tags, .. } = profile;
        Shape { page, profile: Profile { lang, body_bytes, tag_count, paragraphs, tags, ..Profile::default() }, counts }
    }

    /// A lower bound of the edit distance: an insertion or deletion changes one count by 1, a replacement two counts.
    fn min_distance(&self, other: &Shape) -> f64 {
        let (mut x, mut y) = (self.counts.iter().peekable(), other.counts.iter().peekable());
        let mut sum = 0u32;
        loop {
            sum += match (x.peek(), y.peek()) {
                (Some(left), Some(right)) if left.0 == right.0 => {
                    let difference = left.1.abs_diff(right.1);
                    x.next();
                    y.next();
                    difference
                }
                (Some(left), Some(right)) if left.0 > right.0 => {
                    let count = right.1;
                    y.next();
                    count
                }
                (Some(left), _) => {
                    let count = left.1;
                    x.next();
                    count
                }
                (None, Some(right)) => {
                    let count = right.1;
                    y.next();
                    count
                }
                (None, None) => return f64::from(sum) / 2.0,
            };
        }
    }
}

/// The pairs that pass the filters of §2.2, with the similarity of their structures, sorted by pages; for each page of the first language
/// the `most` best. Cost: the pages of the first language times those of the second that are near in size, times the cost of an edit
/// distance where the numbers of tags allow one below the limit.
fn alike(a: &[&Shape], b: &[&Shape], params: &verify::Params, most: usize, told: &Step<'_>) -> Vec<Choice> {
    let mut by_size: Vec<&Shape> = b.to_vec();
    by_size.sort_unstable_by_key(|shape| (shape.profile.body_bytes, shape.page));
    let structure = verify::verifier("structure").expect("every measure has its verifier");
    let with = With::new(params);
    let of_page = |shape: &&Shape| -> Vec<Choice> {
        let size = f64::from(shape.profile.body_bytes);
        let start =
            by_size.partition_point(|other| f64::from(other.profile.body_bytes) < size * (1.0 - params.sizes.bytes));
        let mut found = Vec::new();
        for other in &by_size[start..] {
            if size < f64::from(other.profile.body_bytes) * (1.0 - params.sizes.bytes) {
                break;
            }
            let limit = params.structure.of(&shape.profile.tags, &other.profile.tags);
            if !params.sizes.allow(&shape.profile, &other.profile) || shape.min_distance(other) >= limit {
                continue;
            }
            let score = structure.similarity(&shape.profile, &other.profile, &with).unwrap_or(0.0);
            if score > 0.0 {
                found.push(Choice { a: shape.page, b: other.page, score });
            }
        }
        found.sort_unstable_by(|x, y| y.score.total_cmp(&x.score).then(x.b.cmp(&y.b)));
        found.truncate(most);
        told.did(1);
        found
    };
    let mut found: Vec<Choice> = a.par_iter().map(of_page).collect::<Vec<_>>().into_iter().flatten().collect();
    found.sort_unstable_by_key(|choice| (choice.a, choice.b));
    found
}

/// The blocks of a page and their words.
struct Text {
    /// The page with its blocks only.
    page: Page,
    /// The words of each block.
    words: Vec<Vec<u64>>,
}

impl Text {
    fn new(page: Page, words: &Words, most: usize) -> Text {
        let of_block = |block: &crate::types::Block| {
            let mut found = Vec::new();
            let text = page.text.get(block.start as usize..block.end as usize).unwrap_or("");
            words.for_each(text, |_, word| found.push(word));
            found.truncate(most);
            found
        };
        let words = page.blocks.iter().map(of_block).collect();
        Text { page: Page { blocks: page.blocks, ..Page::default() }, words }
    }

    /// The pairs of blocks that correspond and have words on both sides.
    fn sentences<'t>(&'t self, other: &'t Text) -> Vec<SentencePair<'t>> {
        let layout = |page: &Page| page.blocks.iter().map(BlockShape::of).collect::<Vec<_>>();
        let aligned = aligned_blocks(&layout(&self.page), &layout(&other.page)).into_iter();
        let pairs = aligned.map(|(x, y)| (self.words[x].as_slice(), other.words[y].as_slice()));
        pairs.filter(|(x, y)| !x.is_empty() && !y.is_empty()).collect()
    }
}

fn texts(view: &SiteView<'_>, choices: &[Choice]) -> Result<BTreeMap<u32, Text>> {
    let pages: BTreeSet<u32> = choices.iter().flat_map(|choice| [choice.a, choice.b]).collect();
    let pages: Vec<u32> = pages.into_iter().collect();
    let most = incremental::Params::default().model.max_sentence_words;
    let made =
        pages.par_iter().map_init(Words::new, |words, &page| Ok((page, Text::new(view.page(page)?, words, most))));
    made.collect::<Result<Vec<_>>>().map(|made| made.into_iter().collect())
}

/// What the content says of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// The content was not compared.
    Unasked,
    /// The model learnt from this pair first, without comparing its content.
    First,
    /// This share of the sentences is translated.
    Share(f64),
}

/// The share of translated sentences of every choice. Page by page, all choices of a page are compared, and the model learns from the best
/// of them before the next page (§2.3). `choices` are sorted by page.
fn by_content(choices: &[Choice], texts: &BTreeMap<u32, Text>, params: &Params) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Unasked; choices.len()];
    let first = first_pairs(choices, params);
    if first.len() < params.min_first {
        return verdicts;
    }
    let sentences = |choice: &Choice| match (texts.get(&choice.a), texts.get(&choice.b)) {
        (Some(a), Some(b)) => a.sentences(b),
        _ => Vec::new(),
    };
    let mut model = TranslationModel::new(incremental::Params::default());
    let mut taught: BTreeSet<u32> = BTreeSet::new();
    for at in first {
        model.train(&sentences(&choices[at]), params.passes);
        verdicts[at] = Verdict::First;
        taught.insert(choices[at].b);
    }
    let mut start = 0;
    for group in choices.chunk_by(|x, y| x.a == y.a) {
        let places = start..start + group.len();
        start = places.end;
        let ask = |choice: &Choice| share(&model, &sentences(choice), params.min_log_prob);
        let shares: Vec<f64> = group.par_iter().map(ask).collect();
        let has_first = verdicts[places.clone()].contains(&Verdict::First);
        let mut best: Option<usize> = None;
        for at in places.clone() {
            if verdicts[at] == Verdict::First {
                continue;
            }
            let found = shares[at - places.start];
            verdicts[at] = Verdict::Share(found);
            let rank = |at: usize| (shares[at - places.start], choices[at].score);
            let is_better = |than: usize| {
                let (x, y) = (rank(at), rank(than));
                x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)).is_gt()
            };
            if found >= params.min_share && !taught.contains(&choices[at].b) && best.is_none_or(is_better) {
                best = Some(at);
            }
        }
        if let Some(at) = best.filter(|_| !has_first) {
            model.train(&sentences(&choices[at]), params.passes);
            taught.insert(choices[at].b);
        }
    }
    verdicts
}

/// Finds pairs that are nearly identical in structure, and less alike to all other pages: their places in `choices`, at most `first_pairs`
/// of them, in order.
fn first_pairs(choices: &[Choice], params: &Params) -> Vec<usize> {
    let (mut of_a, mut of_b) = (BestTwo::new(0.0), BestTwo::new(0.0));
    for choice in choices {
        of_a.add(choice.a, choice.score);
        of_b.add(choice.b, choice.score);
    }
    let leads = |choice: &Choice| {
        of_a.leads(choice.a, choice.score, params.first_lead) && of_b.leads(choice.b, choice.score, params.first_lead)
    };
    let places = (0..choices.len()).filter(|&at| choices[at].score >= params.first_similarity && leads(&choices[at]));
    places.take(params.first_pairs).collect()
}

/// The share of the sentence pairs whose log probability by eq. 1, divided by the number of words, is at least `min_log_prob`; 0 if there
/// are no pairs.
fn share(model: &TranslationModel, sentences: &[SentencePair<'_>], min_log_prob: f64) -> f64 {
    let good = sentences.iter().filter(|(a, b)| model.log_prob(Side::A, b, a) / b.len() as f64 >= min_log_prob);
    good.count() as f64 / sentences.len().max(1) as f64
}

/// Accepts the best pairs first, one partner for each page: by structure where the content was not compared, else by the mean of both.
fn decide(
    langs: LangPair,
    choices: &[Choice],
    verdicts: &[Verdict],
    min_score: f64,
    params: &Params,
) -> Vec<JudgedPair> {
    let score = |(choice, verdict): (&Choice, &Verdict)| match verdict {
        Verdict::Share(share) => Choice { score: (choice.score + share) / 2.0, ..*choice },
        _ => *choice,
    };
    let scored: Vec<Choice> = choices.iter().zip(verdicts).map(score).collect();
    let passes = |at: &usize| !matches!(verdicts[*at], Verdict::Share(share) if share < params.min_share);
    let passing: Vec<usize> = (0..scored.len()).filter(passes).collect();
    let wanted: Vec<Choice> = passing.iter().map(|&at| scored[at]).collect();
    let mut outcomes = vec![Outcome::LowScore; scored.len()];
    for (at, outcome) in passing.into_iter().zip(best_first(&wanted, min_score, usize::MAX)) {
        outcomes[at] = outcome;
    }
    let judged: Vec<JudgedPair> = (0..scored.len())
        .map(|at| {
            let mut similarities = Similarities::default();
            similarities.set(Measure::Structure, Some(choices[at].score as f32));
            if let Verdict::Share(share) = verdicts[at] {
                similarities.set(Measure::Content, Some(share as f32));
            }
            judged_pair(langs, scored[at], similarities, outcomes[at])
        })
        .collect();
    worth_keeping(judged, params.kept_rows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::{Block, Lang};

    fn shape(page: u32, body_bytes: u32, tags: Vec<u16>) -> Shape {
        let tag_count = tags.iter().filter(|&&tag| tag & TEXT_TOKEN == 0).count() as u32;
        Shape::new(page, Profile { body_bytes, tag_count, tags, ..Profile::default() })
    }

    fn tags() -> impl Strategy<Value = Vec<u16>> {
        prop::collection::vec(prop_oneof![0u16..5, (0u16..40).prop_map(|n| TEXT_TOKEN | n)], 1..30)
    }

    fn pages() -> impl Strategy<Value = Vec<(u32, Vec<u16>)>> {
        prop::collection::vec((50u32..200, tags()), 0..8)
    }

    proptest! {
        #[test]
        fn the_counts_of_tags_never_promise_more_than_the_edit_distance(x in tags(), y in tags()) {
            let distance = verify::distance(&x, &y, 1000.0).expect("below the limit");
            let (x, y) = (shape(0, 1, x), shape(1, 1, y));
            prop_assert!(x.min_distance(&y) <= distance, "{} {distance}", x.min_distance(&y));
            prop_assert_eq!(x.min_distance(&y), y.min_distance(&x));
        }

        #[test]
        fn the_window_of_sizes_loses_no_pair_that_the_filters_allow(a in pages(), b in pages()) {
            let params = verify::Params::default();
            let made = |pages: Vec<(u32, Vec<u16>)>, from: u32| -> Vec<Shape> {
                pages.into_iter().zip(from..).map(|((bytes, tags), page)| shape(page, bytes, tags)).collect()
            };
            let (a, b) = (made(a, 0), made(b, 100));
            let structure = verify::verifier("structure").expect("it is there");
            let mut wanted = Vec::new();
            for x in &a {
                for y in b.iter().filter(|y| params.sizes.allow(&x.profile, &y.profile)) {
                    let score = structure.similarity(&x.profile, &y.profile, &With::new(&params)).unwrap_or(0.0);
                    if score > 0.0 {
                        wanted.push(Choice { a: x.page, b: y.page, score });
                    }
                }
            }
            let (of_a, of_b): (Vec<&Shape>, Vec<&Shape>) = (a.iter().collect(), b.iter().collect());
            let told = Step::new(&(), "comparing", 0);
            prop_assert_eq!(alike(&of_a, &of_b, &params, 100, &told), wanted);
            let best = alike(&of_a, &of_b, &params, 1, &told);
            prop_assert!(best.windows(2).all(|pair| pair[0].a < pair[1].a));
        }
    }

    fn choice(a: u32, b: u32, score: f64) -> Choice {
        Choice { a, b, score }
    }

    #[test]
    fn the_model_begins_with_pairs_that_are_alike_and_no_page_has_a_rival() {
        let choices = [
            choice(0, 10, 0.9),
            choice(0, 11, 0.4),
            choice(1, 11, 0.6),
            choice(2, 12, 0.9),
            choice(3, 12, 0.88),
            choice(4, 14, 0.95),
        ];
        assert_eq!(first_pairs(&choices, &Params::default()), [0, 5]);
        assert_eq!(first_pairs(&choices, &Params { first_pairs: 1, ..Params::default() }), [0]);
        assert_eq!(first_pairs(&choices, &Params { first_similarity: 0.9, ..Params::default() }), [0, 5]);
    }

    /// A page of five sentences with four words each, chosen by its number from forty words; the words of the second language are others.
    fn text(number: u64, offset: u64) -> Text {
        let word = |place: u64| {
            let mixed = (number * 20 + place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            offset + (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) % 40
        };
        let words = (0..5).map(|s| (0..4).map(|k| word(s * 4 + k)).collect()).collect();
        Text { page: Page { blocks: vec![Block::default(); 5], ..Page::default() }, words }
    }

    #[test]
    fn content_learnt_from_the_first_pairs_tells_pages_of_one_mould_apart() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let mut texts = BTreeMap::new();
        let mut choices: Vec<Choice> = (0..20).map(|page| choice(page, 100 + page, 0.9)).collect();
        // Pages 20 to 22 are all alike, and the true partner of each is the least similar one.
        for a in 20..23 {
            choices.extend((20..23).map(|b| choice(a, 100 + b, if a == b { 0.5 } else { 0.51 })));
        }
        for page in 0..23u32 {
            texts.insert(page, text(u64::from(page), 1));
            texts.insert(100 + page, text(u64::from(page), 1001));
        }
        let params = Params { min_log_prob: -1.5, ..Params::default() };
        let accepted = |verdicts: &[Verdict]| -> Vec<(u32, u32)> {
            let rows = decide(langs, &choices, verdicts, 0.0, &params);
            rows.iter().filter(|row| row.is_accepted()).map(|row| (row.pair.a, row.pair.b)).collect()
        };
        let right: Vec<(u32, u32)> = (0..23).map(|page| (page, 100 + page)).collect();
        let verdicts = by_content(&choices, &texts, &params);
        assert_eq!(verdicts.iter().filter(|verdict| **verdict == Verdict::First).count(), 20);
        assert_eq!(accepted(&verdicts), right, "{verdicts:?}");
        assert_ne!(accepted(&vec![Verdict::Unasked; choices.len()]), right);
        let few = by_content(&choices, &texts, &Params { min_first: 21, ..Params::default() });
        assert!(few.iter().all(|verdict| *verdict == Verdict::Unasked));
    }

    /// A page with a block for each letter, which is a word; a space stands for a block without words.
    fn of_letters(letters: &str) -> Text {
        let word = |letter: char| if letter == ' ' { Vec::new() } else { vec![u64::from(letter)] };
        let words: Vec<Vec<u64>> = letters.chars().map(word).collect();
        Text { page: Page { blocks: vec![Block::default(); words.len()], ..Page::default() }, words }
    }

    #[test]
    fn a_block_without_words_is_no_sentence() {
        let (a, b) = (of_letters("a b"), of_letters("AB "));
        assert_eq!(a.sentences(&b), [(&[u64::from('a')][..], &[u64::from('A')][..])]);
    }

    /// The verdicts by content on `choices`, which are pairs of pages whose words are letters. The model begins with the first pair. A
    /// letter that was learnt once as the translation of another has t = 0.6, and ln 0.6 = -0.5; with other letters it has t(f|NULL) = 0.16
    /// at most, and ln 0.16 = -1.8.
    fn asked(choices: &[(u32, u32, f64)], pages: &[(u32, &str)]) -> Vec<Verdict> {
        let choices: Vec<Choice> = choices.iter().map(|&(a, b, score)| choice(a, b, score)).collect();
        let texts = pages.iter().map(|&(page, letters)| (page, of_letters(letters))).collect();
        by_content(&choices, &texts, &Params { min_first: 1, min_log_prob: -1.0, ..Params::default() })
    }

    #[test]
    fn what_the_best_pair_of_a_page_teaches_is_known_when_the_next_is_asked() {
        // Half of page 1 is translated by what page 0 taught, which is just enough; half of page 2 is translated by what page 1 taught.
        let verdicts = asked(
            &[(0, 100, 0.9), (1, 101, 0.5), (1, 102, 0.5), (2, 103, 0.5)],
            &[(0, "abcd"), (100, "ABCD"), (1, "abef"), (101, "ABEF"), (102, "AXYZ"), (2, "efgh"), (103, "EFGH")],
        );
        assert_eq!(verdicts, [Verdict::First, Verdict::Share(0.5), Verdict::Share(0.25), Verdict::Share(0.5)]);
    }

    #[test]
    fn a_page_without_a_good_pair_teaches_nothing() {
        let verdicts = asked(
            &[(0, 100, 0.9), (1, 101, 0.5), (2, 102, 0.5)],
            &[(0, "abcd"), (100, "ABCD"), (1, "aefg"), (101, "AXYZ"), (2, "efg"), (102, "XYZ")],
        );
        assert_eq!(verdicts, [Verdict::First, Verdict::Share(0.25), Verdict::Share(0.0)]);
    }

    #[test]
    fn of_the_good_pairs_of_a_page_the_one_most_translated_teaches_and_of_equals_the_one_most_alike() {
        // Whether `e` was learnt as `E`, or as `X`.
        let learnt = |first: (&str, f64), second: (&str, f64)| {
            let verdicts = asked(
                &[(0, 100, 0.9), (1, 101, first.1), (1, 102, second.1), (2, 103, 0.5), (2, 104, 0.5)],
                &[(0, "abcd"), (100, "ABCD"), (1, "abce"), (101, first.0), (102, second.0)]
                    .into_iter()
                    .chain([(2, "e"), (103, "E"), (104, "X")])
                    .collect::<Vec<_>>(),
            );
            [verdicts[3], verdicts[4]].map(|verdict| verdict == Verdict::Share(1.0))
        };
        assert_eq!(learnt(("ABZX", 0.5), ("ABCE", 0.5)), [true, false]);
        assert_eq!(learnt(("ABCE", 0.5), ("ABZX", 0.6)), [true, false]);
        assert_eq!(learnt(("ABCE", 0.4), ("ABCX", 0.5)), [false, true]);
        assert_eq!(learnt(("ABCX", 0.5), ("ABCE", 0.4)), [false, true]);
    }

    #[test]
    fn a_page_teaches_by_one_pair_only() {
        // The page of the second language has taught in the first pair; from it, page 1 would otherwise teach `e` as `X` and `f` as `Y`.
        let verdicts = asked(
            &[(0, 100, 0.9), (1, 100, 0.5), (2, 102, 0.5)],
            &[(0, "abcd  "), (100, "ABCDXY"), (1, "abcdef"), (2, "ef"), (102, "XY")],
        );
        assert_eq!(verdicts, [Verdict::First, Verdict::Share(4.0 / 6.0), Verdict::Share(0.0)]);
        // Here the page of the first language has taught in the first pair.
        let verdicts = asked(
            &[(0, 100, 0.9), (0, 101, 0.5), (1, 102, 0.5)],
            &[(0, "abcdef"), (100, "ABCD  "), (101, "ABCDXY"), (1, "ef"), (102, "XY")],
        );
        assert_eq!(verdicts, [Verdict::First, Verdict::Share(4.0 / 6.0), Verdict::Share(0.0)]);
        // Page 101 has taught in its pair with page 1, so its pair with page 2 teaches nothing.
        let verdicts = asked(
            &[(0, 100, 0.9), (1, 101, 0.5), (2, 101, 0.5), (3, 103, 0.5)],
            &[(0, "abcd"), (100, "ABCD"), (1, "abc "), (101, "ABCX"), (2, "abce"), (3, "e"), (103, "X")],
        );
        assert_eq!(verdicts[2..], [Verdict::Share(0.75), Verdict::Share(0.0)]);
    }

    #[test]
    fn the_share_of_translated_sentences_by_hand() {
        // As nothing was learnt, a word is translated only by itself.
        let model = TranslationModel::new(incremental::Params::default());
        let (same, other): (SentencePair<'_>, SentencePair<'_>) = ((&[1], &[1]), (&[1], &[2]));
        let shares = [&[][..], &[same], &[same, other, other, other]].map(|pairs| share(&model, pairs, -1.0));
        assert_eq!(shares, [0.0, 1.0, 0.25]);
        // A probability equal to the minimum is enough.
        assert_eq!(share(&model, &[other], model.log_prob(Side::A, other.1, other.0)), 1.0);
    }

    #[test]
    fn what_structure_and_content_say_counts_alike() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let decided = |verdict: Verdict, min_score: f64| {
            let rows = decide(langs, &[choice(0, 10, 0.75)], &[verdict], min_score, &Params::default());
            (rows[0].score, rows[0].outcome)
        };
        assert_eq!(decided(Verdict::Share(0.5), 0.625), (0.625, Outcome::Accepted));
        assert_eq!(decided(Verdict::Share(1.0), 0.9), (0.875, Outcome::LowScore));
        assert_eq!(decided(Verdict::Unasked, 0.75), (0.75, Outcome::Accepted));
    }

    fn of_tags(page: u32, tags: &[u16]) -> Shape {
        Shape::new(
            page,
            Profile { body_bytes: 100, tag_count: tags.len() as u32, tags: tags.to_vec(), ..Profile::default() },
        )
    }

    #[test]
    fn the_least_distance_of_two_shapes_by_hand() {
        let text = TEXT_TOKEN | 3;
        let of = |x: &[u16], y: &[u16]| of_tags(0, x).min_distance(&of_tags(1, y));
        assert_eq!(of(&[1, 2, 2, text], &[2, 1, 2, TEXT_TOKEN | 9]), 0.0);
        assert_eq!((of(&[1, 2, 3], &[1, 2, 4]), of(&[1, 2], &[1, 2, 2]), of(&[1, 2, 2], &[2, 2])), (1.0, 0.5, 0.5));
        assert_eq!((of(&[5], &[]), of(&[], &[5, 5])), (0.5, 1.0));
    }

    #[test]
    fn a_page_and_its_copy_are_alike() {
        let params = verify::Params::default();
        let tags: Vec<u16> = (0..20).collect();
        let (x, y) = (of_tags(0, &tags), of_tags(1, &tags));
        let told = Step::new(&(), "comparing", 0);
        assert_eq!(alike(&[&x], &[&y], &params, 10, &told), [Choice { a: 0, b: 1, score: 1.0 }]);
    }
}
