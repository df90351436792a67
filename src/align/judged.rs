//! Two pages, aligned, and every bead judged.

use super::beads::align;
use super::clean;
use super::document::Document;
use super::model::Model;
use super::params::Params;
use super::score::features;
use super::translation::Evidence;
use crate::types::Bead;

/// One sentence pair of an aligned page pair, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The sentences.
    pub bead: Bead,
    /// Probability that they are translations, 0..=1; 0 where a side is empty.
    pub score: f32,
    /// Why it is no bitext; `None`: it is kept.
    pub reason: Option<clean::Reason>,
}

/// Two pages, aligned and judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aligned {
    /// Sentence pairs in order; each sentence of both pages once.
    pub beads: Vec<Judged>,
    /// Share of aligned text: characters in pairs that are rather translations than not, of all characters of both pages, 0..=1.
    pub score: f32,
}

/// Score from which text counts as aligned.
const ALIGNED_SCORE: f32 = 0.5;

/// Aligns two pages and judges every bead.
pub fn align_pages(a: &Document<'_>, b: &Document<'_>, model: &Model, params: &Params) -> Aligned {
    let evidence = Evidence::new(a, b, model, &params.translation);
    let beads = align(a, b, &evidence, &model.lengths, params);
    let mut aligned = Aligned::default();
    let (mut paired, mut all) = (0u64, 0u64);
    for bead in beads {
        let (span_a, span_b) = (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
        let chars = u64::from(span_a.chars) + u64::from(span_b.chars);
        all += chars;
        let score =
            if bead.is_paired() { model.score(&features(&span_a, &span_b, &evidence, &model.lengths)) } else { 0.0 };
        if score >= ALIGNED_SCORE {
            paired += chars;
        }
        let texts = (a.text_of(bead.a_start..bead.a_end), b.text_of(bead.b_start..bead.b_end));
        let facts = clean::Facts {
            texts,
            score,
            length_delta: model.lengths.delta(span_a.chars, span_b.chars),
            foreign: (evidence.foreign_a(span_a.words), evidence.foreign_b(span_b.words)),
        };
        aligned.beads.push(Judged { bead, score, reason: clean::judge(&facts, &params.clean) });
    }
    aligned.score = if all == 0 { 0.0 } else { (paired as f64 / all as f64) as f32 };
    aligned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::Words;
    use crate::types::{Block, Lang};

    fn aligned(a: &str, b: &str) -> Aligned {
        let words = Words::new();
        let document = |text: &'static str| {
            let block = Block { start: 0, end: text.len() as u32, ..Block::default() };
            Document::new(text, [block].into_iter(), Lang::EN, &words, 100)
        };
        let [a, b] = [a, b].map(|text| document(text.to_owned().leak()));
        align_pages(&a, &b, &Model::default(), &Params::default())
    }

    #[test]
    fn the_score_of_two_pages_is_the_share_of_text_in_pairs_that_are_rather_translations() {
        let Aligned { beads, score } = aligned("Debian 12 has 59551 packages.", "Debian 12 bietet 59551 Pakete an. ");
        assert_eq!(beads.len(), 1);
        let is_aligned = beads[0].score >= ALIGNED_SCORE;
        assert_eq!(score, if is_aligned { 1.0 } else { 0.0 });
        assert!(is_aligned && beads[0].reason.is_none(), "{beads:?}");
    }

    #[test]
    fn a_sentence_without_a_partner_is_no_bitext() {
        let Aligned { beads, score } = aligned("Debian 12 has 59551 packages.", "");
        let reasons: Vec<_> = beads.iter().map(|judged| (judged.score, judged.reason)).collect();
        assert_eq!((reasons, score), (vec![(0.0, Some(clean::Reason::Unaligned))], 0.0));
        assert_eq!(aligned("", ""), Aligned::default());
    }
}
