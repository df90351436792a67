//! The model beside the reference implementation, and its properties.

use proptest::prelude::*;

use super::{Params, TranslationModel};
use crate::lexicon::reference::{Owned, Reference, corpus, turned};
use crate::lexicon::{ModelParams, Side};
use crate::text::words::hash;

fn train(model: &mut TranslationModel, pairs: &Owned, passes: usize) {
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
    model.train(&pairs, passes);
}

fn sentences(texts: &[(&str, &str)]) -> Owned {
    let words = |text: &str| text.split(' ').map(hash).collect::<Vec<_>>();
    texts.iter().map(|(a, b)| (words(a), words(b))).collect()
}

#[test]
fn the_example_by_hand() {
    let params = ModelParams { initial_p: 0.01, prior_count: 0.5, ..ModelParams::default() };
    let mut model = TranslationModel::new(Params { model: params, ..Params::default() });
    let p = |model: &TranslationModel, target: &str, source: &str| model.p(Side::A, hash(target), hash(source));
    let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-6, "{x} {y}");
    close(p(&model, "maison", "house"), 0.01);
    assert_eq!(p(&model, "radio", "radio"), 1.0);
    train(&mut model, &sentences(&[("house", "maison")]), 1);
    close(p(&model, "maison", "house"), 0.505);
    close(p(&model, "la", "house"), 0.005);
    train(&mut model, &sentences(&[("the house", "la maison")]), 1);
    let house = 0.5 + 0.505 / 1.02;
    close(p(&model, "maison", "house"), (house + 0.005) / (house + 0.25 + 0.5));
    close(p(&model, "maison", "house"), 0.573_090);
    close(p(&model, "la", "the"), 0.500_097);
    // Words about which nothing was learnt keep their initial values.
    assert_eq!(p(&model, "radio", "radio"), 1.0);
}

#[test]
fn a_sentence_is_as_probable_as_by_hand() {
    let params = ModelParams { initial_p: 0.01, ..ModelParams::default() };
    let model = TranslationModel::new(Params { model: params, alpha: 0.9, ..Params::default() });
    let expected = (0.9 * 1.01 * 0.02_f64).ln();
    assert!((model.log_prob(Side::A, &[7, 8], &[7]) - expected).abs() < 1e-6);
    // The probability of long sentences neither becomes 0 nor overflows.
    let long: Vec<u64> = (1..2000).collect();
    assert!((model.log_prob(Side::B, &long, &[5000]) - (0.9_f64.ln() * 1998.0 + 0.02_f64.ln() * 1999.0)).abs() < 1e-2);
    assert_eq!(model.log_prob(Side::A, &[], &[]), 0.0);
}

#[test]
fn translations_are_learnt_from_a_few_sentences() {
    let texts = sentences(&[
        ("the house", "la maison"),
        ("the book", "le livre"),
        ("a book", "un livre"),
        ("a house", "une maison"),
        ("the red house", "la maison rouge"),
        ("red book", "livre rouge"),
    ]);
    let mut model = TranslationModel::new(Params::default());
    train(&mut model, &texts, 20);
    for (word, other) in [("house", "maison"), ("book", "livre"), ("red", "rouge")] {
        let p = |target: &str| model.p(Side::A, hash(target), hash(word));
        assert!(["la", "maison", "le", "livre", "un", "une", "rouge"].iter().all(|one| p(one) <= p(other)), "{word}");
        assert!(model.p(Side::B, hash(word), hash(other)) > 0.2);
    }
}

proptest! {
    #[test]
    fn counts_are_those_of_the_formula(first in corpus(), second in corpus(), passes in 1usize..4) {
        let mut model = TranslationModel::new(Params::default());
        let params = ModelParams::default();
        let (mut forth, mut back) = (Reference::default(), Reference::default());
        for corpus in [&first, &second] {
            train(&mut model, corpus, passes);
            forth.train(corpus, passes, &params);
            back.train(&turned(corpus), passes, &params);
        }
        for a in 0..16 {
            for b in 0..16 {
                if b != 0 {
                    let (fast, slow) = (model.p(Side::A, b, a), forth.p(b, a, &params));
                    prop_assert!((fast - slow).abs() < 1e-4, "t({b}|{a}): {fast} {slow}");
                }
                if a != 0 {
                    let (fast, slow) = (model.p(Side::B, a, b), back.p(a, b, &params));
                    prop_assert!((fast - slow).abs() < 1e-4, "t({a}|{b}): {fast} {slow}");
                }
            }
        }
    }

    #[test]
    fn pruning_keeps_what_tells_most(corpus in corpus(), max_entries in 1usize..20) {
        let mut model = TranslationModel::new(Params::default());
        train(&mut model, &corpus, 3);
        let before: Vec<f64> = (1..16).flat_map(|a| (1..16).map(move |b| (a, b))).map(|(a, b)| model.p(Side::A, b, a)).collect();
        model.prune(max_entries);
        prop_assert!(model.len() <= max_entries);
        // Pairs that are kept do not become more probable, unless nothing else is kept of a word.
        for (at, before) in before.iter().enumerate() {
            let (a, b) = (1 + at as u64 / 15, 1 + at as u64 % 15);
            let is_dropped = !model.has(a, b);
            if !is_dropped {
                prop_assert!((model.p(Side::A, b, a) - before).abs() < 1e-9);
            }
        }
    }
}
