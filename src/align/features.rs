//! The features of a bead by which it is scored.

use super::document::Document;
use super::lengths::Lengths;
use super::numbers;
use super::scoring::Scored;
use super::translation::WordEvidence;
use crate::types::Bead;

/// What scoring needs to know of a bead; `None` for one with an empty side.
///
/// The features that distinguish translations from other pairs: 1; L(b|a) per word; L(a|b) per word; half their sum, in tens of nats,
/// limited to ±4; |δ| of the lengths, limited to 6; how many numbers stand on one side only, limited to 4. "Per word" divides by the number
/// of words that the model can judge plus two, so that few words give less evidence.
pub fn scored(
    (a, b): (&Document<'_>, &Document<'_>),
    bead: &Bead,
    evidence: &WordEvidence,
    lengths: &Lengths,
) -> Option<Scored> {
    if !bead.is_paired() {
        return None;
    }
    let (at_a, at_b) = (bead.a_start..bead.a_end, bead.b_start..bead.b_end);
    let (side_a, side_b) = (a.span(at_a.clone()), b.span(at_b.clone()));
    let logs = evidence.logs(&side_a.words, &side_b.words);
    let mean = |log: f32, known: u32| log / (known + 2) as f32;
    let features = [
        1.0,
        mean(logs.b_given_a, logs.known_b),
        mean(logs.a_given_b, logs.known_a),
        ((logs.b_given_a + logs.a_given_b) / 20.0).clamp(-4.0, 4.0),
        lengths.delta(side_a.chars, side_b.chars).abs().min(6.0),
        numbers::alone(a.text_of(at_a), b.text_of(at_b)).min(4) as f32,
    ];
    Some(Scored { features, words: side_a.words.len().min(side_b.words.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::model::Model;
    use crate::align::translation::Params;
    use crate::text::words::Words;
    use crate::types::{Block, Lang};

    #[test]
    fn words_in_common_speak_for_a_bead_and_lengths_that_differ_against_it() {
        let words = Words::new();
        let document = |text: &'static str| {
            let block = Block { start: 0, end: text.len() as u32, tag: 7, at: 0 };
            Document::new(text, [block].into_iter(), Lang::EN, &words, 10)
        };
        let (a, b) = (document("Debian has 59551 packages."), document("Debian bietet 59551 Pakete."));
        let evidence = WordEvidence::new(&a, &b, &Model::default(), &Params::default());
        let bead = Bead { a_start: 0, a_end: 1, b_start: 0, b_end: 1 };
        let found = scored((&a, &b), &bead, &evidence, &Lengths::default()).expect("two sides");
        // Two of four words are the same, and each counts at most six nats. "Per word" adds two to the count of words. The sides have 23
        // and 24 characters.
        let expected = [1.0, 3.0, 3.0, 1.2];
        assert!(
            found.words == 4 && found.features.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-5),
            "{found:?}"
        );
        assert_eq!(found.features[5], 0.0);
        assert!((found.features[4] - Lengths::default().delta(23, 24)).abs() < 1e-6 && found.features[4] > 0.0);
        assert_eq!(scored((&a, &b), &Bead { b_end: 0, ..bead }, &evidence, &Lengths::default()), None);
    }
}
