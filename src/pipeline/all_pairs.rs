//! All pages of a site against each other, by size, structure and content: WebMining (Tomás et al. 2008, §2.2–2.3).

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Context;
use super::judging::NO_KEY;
use super::learn::aligned_blocks;
use super::site::SiteView;
use crate::error::Result;
use crate::judge::decide::{Choice, Fate, best_first};
use crate::lexicon::{ModelParams, SentencePair, Side, TranslationModel};
use crate::store::layout::JudgedRow;
use crate::text::words::Words;
use crate::types::{LangPair, Measure, Method, Page, Similarities, TEXT_TOKEN};
use crate::verify::webmining::Params;
use crate::verify::{self, Profile, With};

/// The pairs of a site, of each language pair. Sites that are too large have none, and a message.
///
/// # Errors
/// When the store cannot be read.
pub fn judged(view: &SiteView<'_>, context: &Context<'_>) -> Result<Vec<JudgedRow>> {
    let (config, params) = (context.config, &context.config.webmining);
    let pairs = view.lang_pairs();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mut pages: Vec<u32> = pairs.iter().flat_map(|(_, a, b)| a.iter().chain(b)).copied().collect();
    pages.sort_unstable();
    pages.dedup();
    if pages.len() > params.most_pages {
        context.observer.message(&format!(
            "{}: {} pages are too many to compare all with all; left out",
            view.head.domain,
            pages.len()
        ));
        return Ok(Vec::new());
    }
    let made = pages.par_iter().map_init(Words::new, |words, &page| {
        let profile = view.profile(page, words)?;
        Ok((page, Shape::new(page, profile)))
    });
    let shapes: FxHashMap<u32, Shape> = made.collect::<Result<Vec<_>>>()?.into_iter().collect();
    let mut rows = Vec::new();
    for (langs, a, b) in pairs {
        context.check_stop()?;
        let of = |pages: &[u32]| pages.iter().filter_map(|page| shapes.get(page)).collect::<Vec<_>>();
        let choices = alike(&of(&a), &of(&b), &config.verify, params.most_partners);
        let shares = if config.without_content {
            vec![Verdict::Unasked; choices.len()]
        } else {
            let texts = texts(view, &choices)?;
            by_content(langs, &choices, &texts, params)
        };
        rows.extend(decide(&choices, &shares, config.judge.min_score, params));
    }
    Ok(rows)
}

/// What is compared of the structure of a page.
struct Shape {
    page: u32,
    /// Sizes and tags; the rest is dropped.
    profile: Profile,
    /// How often each tag stands in it, text left out; by tag.
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

    /// A distance that the edit distance is not below: an insertion or deletion changes one count by 1, a replacement two.
    fn least_distance(&self, other: &Shape) -> f64 {
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

/// Pairs that pass the filters of §2.2, with the similarity of their structures, by page; of each page of the first language
/// the `most` best. Cost: the pages of the first language times those of the second whose size is near, times the cost of an
/// edit distance where the numbers of tags allow one below the limit.
fn alike(a: &[&Shape], b: &[&Shape], params: &verify::Params, most: usize) -> Vec<Choice> {
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
            if !params.sizes.allow(&shape.profile, &other.profile) || shape.least_distance(other) >= limit {
                continue;
            }
            let score = structure.similarity(&shape.profile, &other.profile, &with).unwrap_or(0.0);
            if score > 0.0 {
                found.push(Choice { a: shape.page, b: other.page, score });
            }
        }
        found.sort_unstable_by(|x, y| y.score.total_cmp(&x.score).then(x.b.cmp(&y.b)));
        found.truncate(most);
        found
    };
    let mut found: Vec<Choice> = a.par_iter().map(of_page).collect::<Vec<_>>().into_iter().flatten().collect();
    found.sort_unstable_by_key(|choice| (choice.a, choice.b));
    found
}

/// The blocks of a page and their words.
struct Text {
    /// Its blocks alone.
    page: Page,
    /// The words of each.
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

    /// Blocks that correspond and have words on both sides.
    fn sentences<'t>(&'t self, other: &'t Text) -> Vec<SentencePair<'t>> {
        let aligned = aligned_blocks(&self.page, &other.page).into_iter();
        let pairs = aligned.map(|(x, y)| (self.words[x].as_slice(), other.words[y].as_slice()));
        pairs.filter(|(x, y)| !x.is_empty() && !y.is_empty()).collect()
    }
}

fn texts(view: &SiteView<'_>, choices: &[Choice]) -> Result<BTreeMap<u32, Text>> {
    let pages: BTreeSet<u32> = choices.iter().flat_map(|choice| [choice.a, choice.b]).collect();
    let pages: Vec<u32> = pages.into_iter().collect();
    let most = ModelParams::default().max_sentence_words;
    let made =
        pages.par_iter().map_init(Words::new, |words, &page| Ok((page, Text::new(view.page(page)?, words, most))));
    made.collect::<Result<Vec<_>>>().map(|made| made.into_iter().collect())
}

/// What the content says of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// It was not asked.
    Unasked,
    /// One of the first pairs, which the model began with.
    First,
    /// This share of the sentences is translated.
    Share(f64),
}

/// The share of translated sentences of every choice, asked page by page of a model that learns from the best pair of each page
/// before the next is asked (§2.3). `choices` are sorted by page.
fn by_content(langs: LangPair, choices: &[Choice], texts: &BTreeMap<u32, Text>, params: &Params) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Unasked; choices.len()];
    let first = first_pairs(choices, params);
    if first.len() < params.least_first {
        return verdicts;
    }
    let sentences = |choice: &Choice| match (texts.get(&choice.a), texts.get(&choice.b)) {
        (Some(a), Some(b)) => a.sentences(b),
        _ => Vec::new(),
    };
    let mut model = TranslationModel::new(langs, ModelParams::default());
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
        let ask = |choice: &Choice| share(&model, &sentences(choice), params.least_log_prob);
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
            if found >= params.least_share && !taught.contains(&choices[at].b) && best.is_none_or(is_better) {
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

/// Pairs nearly identical in structure, and less alike to all others, by page; at most so many.
fn first_pairs(choices: &[Choice], params: &Params) -> Vec<usize> {
    let mut best: [FxHashMap<u32, (f64, f64)>; 2] = Default::default();
    for choice in choices {
        for (best, page) in best.iter_mut().zip([choice.a, choice.b]) {
            let (first, second) = best.entry(page).or_insert((0.0, 0.0));
            if choice.score > *first {
                (*first, *second) = (choice.score, *first);
            } else if choice.score > *second {
                *second = choice.score;
            }
        }
    }
    let leads = |choice: &Choice| {
        let of = |side: usize, page: u32| best[side].get(&page).copied().unwrap_or_default();
        [of(0, choice.a), of(1, choice.b)]
            .iter()
            .all(|&(first, second)| choice.score >= first && choice.score >= second + params.first_lead)
    };
    let places = (0..choices.len()).filter(|&at| choices[at].score >= params.first_similarity && leads(&choices[at]));
    places.take(params.first_pairs).collect()
}

/// The share of the sentence pairs whose probability a word, by eq. 1, is at least so much; 0 without any.
fn share(model: &TranslationModel, sentences: &[SentencePair<'_>], least_log_prob: f64) -> f64 {
    let good = sentences.iter().filter(|(a, b)| model.log_prob(Side::A, b, a) / b.len() as f64 >= least_log_prob);
    good.count() as f64 / sentences.len().max(1) as f64
}

/// Takes the best first, one partner a page: by the structure where the content was not asked, else by the mean of both.
fn decide(choices: &[Choice], verdicts: &[Verdict], min_score: f64, params: &Params) -> Vec<JudgedRow> {
    let score = |(choice, verdict): (&Choice, &Verdict)| match verdict {
        Verdict::Share(share) => Choice { score: (choice.score + share) / 2.0, ..*choice },
        _ => *choice,
    };
    let scored: Vec<Choice> = choices.iter().zip(verdicts).map(score).collect();
    let passes = |at: &usize| !matches!(verdicts[*at], Verdict::Share(share) if share < params.least_share);
    let passing: Vec<usize> = (0..scored.len()).filter(passes).collect();
    let wanted: Vec<Choice> = passing.iter().map(|&at| scored[at]).collect();
    let mut fates = vec![Fate::LowScore; scored.len()];
    for (at, fate) in passing.into_iter().zip(best_first(&wanted, min_score, usize::MAX)) {
        fates[at] = fate;
    }
    let rows: Vec<JudgedRow> = (0..scored.len())
        .map(|at| {
            let mut similarities = Similarities::default();
            similarities.set(Measure::Structure, Some(choices[at].score as f32));
            if let Verdict::Share(share) = verdicts[at] {
                similarities.set(Measure::Content, Some(share as f32));
            }
            row(scored[at], similarities, fates[at])
        })
        .collect();
    worth_keeping(rows, params.kept_rows)
}

/// A pair of all pairs, as it is stored.
pub(super) fn row(choice: Choice, similarities: Similarities, fate: Fate) -> JudgedRow {
    JudgedRow {
        a: choice.a,
        b: choice.b,
        key: NO_KEY,
        evidence: 0.0,
        score: choice.score as f32,
        similarities: similarities.0,
        method: Method::All as u8,
        fate: fate as u8,
    }
}

/// Accepted rows, and of the others the best `most` of each page of the first language; sorted by pages.
pub(super) fn worth_keeping(mut rows: Vec<JudgedRow>, most: usize) -> Vec<JudgedRow> {
    let accepted = |row: &JudgedRow| row.fate == Fate::Accepted as u8;
    rows.sort_unstable_by(|x, y| {
        let order = x.a.cmp(&y.a).then(accepted(y).cmp(&accepted(x)));
        order.then(y.score.total_cmp(&x.score)).then(x.b.cmp(&y.b))
    });
    let mut kept = Vec::new();
    for of_page in rows.chunk_by(|x, y| x.a == y.a) {
        let others = of_page.iter().filter(|row| !accepted(row)).take(most);
        kept.extend(of_page.iter().filter(|row| accepted(row)).chain(others).copied());
    }
    kept.sort_unstable_by_key(|row| (row.a, row.b));
    kept
}
