//! Learns the alignment model of a language pair from page pairs: how the lengths of translations are related, how to tell translations
//! from other pairs, and, where verification has not learnt them, words.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::calibrate::calibrate;
use super::document::{Document, Pages};
use super::lengths::{Lengths, ratio_of};
use super::model::Model;
use super::moved::align_anywhere;
use super::params::Params;
use super::translation::WordEvidence;
use crate::lexicon::{Corpus, Kept, KnownPair, Vocabulary, known_vocabularies, vocabularies};
use crate::types::{Bead, Step, Watch};

/// Words that are known before sentences are aligned.
#[derive(Clone, Debug, Default)]
pub struct KnownWords {
    /// Those that verification has learnt.
    pub learnt: Vec<KnownPair>,
    /// Those of the user's word lists.
    pub given: Vec<KnownPair>,
}

/// Learns a language pair from page pairs, beginning with the words that are `known`.
///
/// Words give less evidence on pages from which they were not learnt. So `held_out` pages replace some of the others in the calibration: as
/// many of the `calibrate_pages` as corresponds to the share of such pages among all.
/// `watch` is told the progress.
pub fn learn(
    pages: &[Pages<'_>],
    held_out: &[Pages<'_>],
    known: &KnownWords,
    params: &Params,
    watch: &dyn Watch,
) -> Model {
    let mut model = learn_words(pages, known, params, watch);
    let of_learnt = params.train.calibrate_pages.saturating_sub(held_out.len()).min(pages.len());
    let calibrated: Vec<&Pages<'_>> = pages[..of_learnt].iter().chain(held_out).collect();
    model.scoring = calibrate(&model, &calibrated, params);
    model
}

/// From how many page pairs the first words are learnt; each step learns from [`GROWTH`] times as many.
const FIRST_PAGES: usize = 32;
const GROWTH: usize = 4;

/// Learns which words translate each other, and how the lengths of translations are related.
///
/// The model is trained on the fly (Tomás et al. 2008, §2.3): a few pages are aligned by known words, equal words and lengths, then more
/// pages with the help of what these taught, and in the end all pages.
fn learn_words(pages: &[Pages<'_>], known: &KnownWords, params: &Params, watch: &dyn Watch) -> Model {
    let (train, translation) = (&params.train, &params.translation);
    let (max_translations, min_probability) = (translation.max_translations, translation.min_probability);
    let kept = Kept { max_translations, min_probability };
    let mut model = Model::default();
    let known = &confirmed(pages, known);
    [model.a, model.b] = known_words(pages, known);
    let mut count = FIRST_PAGES;
    loop {
        let portion = &pages[..count.min(pages.len())];
        let told = Step::new(watch, "aligning pages that are learnt from", portion.len());
        let beads_of = |pages: &Pages<'_>| {
            let beads = paired(pages, &model, params);
            told.did(1);
            beads
        };
        let beads: Vec<Vec<Bead>> = portion.par_iter().map(beads_of).collect();
        let mut corpus = Corpus::default();
        for ((a, b), beads) in portion.iter().zip(&beads) {
            for bead in beads {
                let (side_a, side_b) = (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
                let (words_a, words_b) = (a.words_in(side_a.words), b.words_in(side_b.words));
                corpus.add(words_a, words_b, 0, train.words.model.max_sentence_words);
            }
        }
        corpus.give(&known.given, 0);
        let counts = corpus.learn(0, &train.words);
        let beside = corpus.beside(&known.learnt);
        [model.a, model.b] = vocabularies(&corpus, &counts, &beside, &train.words, kept);
        model.lengths = lengths(portion, &beads);
        if count >= pages.len() {
            return model;
        }
        count = count.saturating_mul(GROWTH);
    }
}

/// The words that are known, without those that were learnt of a word that stands in one entry of an alphabetical list and nowhere else: it is that entry
/// that taught them, by what stands at the same place of the other list, and there they would vouch for themselves.
fn confirmed(pages: &[Pages<'_>], known: &KnownWords) -> KnownWords {
    let [once_a, once_b] = [0, 1].map(|side| {
        // For each word, the entry that it stands in; `None` where it stands elsewhere too.
        let mut entries: FxHashMap<u64, Option<u64>> = FxHashMap::default();
        let documents = || pages.iter().map(|(a, b)| if side == 0 { a } else { b });
        if !documents().any(|document| document.blocks.iter().any(|block| block.in_list)) {
            return entries;
        }
        for (document, block) in
            documents().flat_map(|document| document.blocks.iter().map(move |block| (document, block)))
        {
            let words = document.words_in(document.span(block.sentences.clone()).words);
            let entry =
                block.in_list.then(|| xxh3_64(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()));
            for &word in words {
                entries
                    .entry(word)
                    .and_modify(|known| *known = known.filter(|&known| Some(known) == entry))
                    .or_insert(entry);
            }
        }
        entries
    });
    let is_once = |of: &FxHashMap<u64, Option<u64>>, word: u64| of.get(&word).is_some_and(Option::is_some);
    let is_confirmed = |&&(a, b, ..): &&KnownPair| a == b || !is_once(&once_a, a) || !is_once(&once_b, b);
    KnownWords { learnt: known.learnt.iter().filter(is_confirmed).copied().collect(), given: known.given.clone() }
}

/// The vocabularies of some pages, with the known translations; of a pair of words that was learnt and given, as it was learnt.
fn known_words(pages: &[Pages<'_>], known: &KnownWords) -> [Vocabulary; 2] {
    let mut pairs = [known.learnt.as_slice(), known.given.as_slice()].concat();
    if pairs.is_empty() {
        return Default::default();
    }
    pairs.sort_by_key(|pair| (pair.0, pair.1));
    pairs.dedup_by_key(|pair| (pair.0, pair.1));
    let mut corpus = Corpus::default();
    for (a, b) in pages {
        corpus.add(&a.words, &b.words, 0, usize::MAX);
    }
    known_vocabularies(&corpus, &pairs)
}

/// The beads of a page pair that have two sides; those in lists that each language sorts itself are left out, since they would teach errors.
fn paired((a, b): &Pages<'_>, model: &Model, params: &Params) -> Vec<Bead> {
    let evidence = WordEvidence::new(a, b, model, &params.translation);
    let mut lengths = model.lengths;
    let chars = (chars(a), chars(b));
    if lengths == Lengths::default() && chars.0 > 0 && chars.1 > 0 {
        // At first only the total lengths of these two pages are known.
        lengths.ratio = ratio_of(chars.0, chars.1);
    }
    let found = align_anywhere([a, b], (&evidence, model), &lengths, params, &[]);
    let beads = found.beads.into_iter().zip(found.in_lists);
    beads.filter(|(bead, in_list)| bead.is_paired() && in_list.is_none()).map(|(bead, _)| bead).collect()
}

fn chars(document: &Document<'_>) -> u64 {
    document.sentences.iter().map(|sentence| u64::from(sentence.chars)).sum()
}

/// Estimates lengths from the 1–1 beads of some pages, or from whole pages where these beads are few.
fn lengths(pages: &[Pages<'_>], beads: &[Vec<Bead>]) -> Lengths {
    let mut plain = Vec::new();
    let mut all = (0, 0);
    for ((a, b), beads) in pages.iter().zip(beads) {
        all = (all.0 + chars(a), all.1 + chars(b));
        let is_plain = |bead: &&Bead| bead.shape() == (1, 1);
        let lengths = |bead: &Bead| (a.span(bead.a_start..bead.a_end).chars, b.span(bead.b_start..bead.b_end).chars);
        plain.extend(beads.iter().filter(is_plain).map(lengths));
    }
    let of_pages = Lengths { ratio: ratio_of(all.0.max(1), all.1.max(1)), ..Lengths::default() };
    Lengths::estimate(&plain).unwrap_or(of_pages)
}

#[cfg(test)]
mod tests {
    use super::super::scoring::Scoring;
    use super::*;
    use crate::text::words::{Words, hash};
    use crate::types::{Block, Lang};

    /// A page with a line for each word, each followed by a number.
    fn page(words: &[&str], seed: usize) -> String {
        (0..12)
            .map(|line| {
                let word = |at: usize| words[(seed * 5 + line * 3 + at * at) % words.len()];
                format!("{} {} {} {}.\n", word(0), word(1), word(2), seed * 100 + line)
            })
            .collect()
    }

    fn document<'t>(text: &'t str, words: &Words) -> Document<'t> {
        let mut start = 0;
        let blocks: Vec<Block> = text
            .split_inclusive('\n')
            .map(|line| {
                let block = Block { start, end: start + line.len() as u32 - 1, ..Block::default() };
                start += line.len() as u32;
                block
            })
            .collect();
        Document::new(text, blocks.into_iter(), Lang::EN, words, 1000)
    }

    const ENGLISH: &[&str] = &["house", "tree", "river", "road", "horse", "bridge", "window"];
    const FRENCH: &[&str] = &["maison", "arbre", "fleuve", "route", "cheval", "pont", "fenêtre"];

    fn learnt(pages: usize) -> Model {
        let words = Words::new();
        let texts: Vec<(String, String)> = (0..pages).map(|seed| (page(ENGLISH, seed), page(FRENCH, seed))).collect();
        let pages: Vec<Pages<'_>> = texts.iter().map(|(a, b)| (document(a, &words), document(b, &words))).collect();
        learn(&pages, &[], &KnownWords::default(), &Params::default(), &())
    }

    #[test]
    fn words_that_stand_together_are_learnt_to_be_translations() {
        let model = learnt(40);
        for (english, french) in ENGLISH.iter().zip(FRENCH) {
            let at = model.a.find(hash(english)).expect("it stands on a page");
            let best = model.a.translations(at).next().expect("a translation").0;
            assert_eq!(model.b.words[best as usize], hash(french), "{english}");
        }
        assert!(model.a.is_sound(model.b.words.len()) && model.b.is_sound(model.a.words.len()));
        // Each share is stored in eight bits.
        assert!((model.a.shares.iter().sum::<f32>() - 1.0).abs() < 0.01);
        assert!(model.scoring != Scoring::default() && model.lengths != Lengths::default());
    }

    #[test]
    fn entries_of_word_lists_are_known_though_no_page_has_them() {
        let words = Words::new();
        let (a, b) = (page(&["house", "tree"], 1), page(&["maison", "arbre"], 1));
        let pages = [(document(&a, &words), document(&b, &words))];
        let given = vec![(hash("violin"), hash("violon"), 1.0, 1.0)];
        let known = KnownWords { given, ..KnownWords::default() };
        let model = learn(&pages, &[], &known, &Params::default(), &());
        let at = model.a.find(hash("violin")).expect("a word of the list");
        assert_eq!(model.a.shares[at], 0.0, "it does not stand anywhere");
        let (other, p) = model.a.translations(at).next().expect("a translation");
        assert!(model.b.words[other as usize] == hash("violon") && p > 0.3, "{p}");
    }

    #[test]
    fn an_entry_of_a_list_does_not_confirm_what_it_taught() {
        let words = Words::new();
        let (a, b) = ("anvil\nbellows\nhouse tree\nhouse\n", "amboss\nbalg\nmaison arbre\nmaison\n");
        let page = |is_list: bool| {
            let mut pages = (document(a, &words), document(b, &words));
            pages.0.blocks.iter_mut().chain(&mut pages.1.blocks).for_each(|block| block.in_list = is_list);
            pages
        };
        let pair = |a: &str, b: &str| (hash(a), hash(b), 0.9, 0.9);
        let learnt =
            vec![pair("anvil", "balg"), pair("house", "maison"), pair("anvil", "anvil"), pair("violin", "violon")];
        let known = KnownWords { learnt, given: vec![pair("anvil", "amboss")] };
        let confirmed = |pages: &[Pages<'_>]| {
            let confirmed = confirmed(pages, &known);
            assert_eq!(confirmed.given, known.given);
            confirmed.learnt
        };
        assert_eq!(confirmed(&[page(true)]), known.learnt[1..], "a word of no page was learnt elsewhere");
        assert_eq!(confirmed(&[page(true), page(true)]), known.learnt[1..], "an entry that stands on two pages is one");
        assert_eq!(confirmed(&[page(true), page(false)]), known.learnt);
        assert_eq!(confirmed(&[page(false)]), known.learnt);
    }

    #[test]
    fn without_pages_nothing_is_learnt() {
        assert_eq!(learnt(0).scoring, Scoring::default());
    }
}
