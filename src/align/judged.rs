//! Aligns two pages, and judges every bead.

use std::ops::Range;

use super::beads::align;
use super::clean::{self, SideText, TextFacts};
use super::document::Document;
use super::features::scored;
use super::model::Model;
use super::params::Params;
use super::resorted::Resorted;
use super::scoring::{Scored, classes};
use super::translation::{PageWords, WordEvidence};
use crate::language;
use crate::language::foreign::Untold;
use crate::types::{Bead, Lang};

/// A page, prepared for alignment with any number of other pages.
pub struct AlignPage<'t> {
    /// The page.
    pub document: Document<'t>,
    lang: Lang,
    untold: &'t Untold,
    /// True when its language is written in A–Z, or may be and half of its letters are. Japanese is not, however much code a page has.
    is_latin: bool,
    words: PageWords,
    /// Facts about the text of each sentence.
    texts: Vec<TextFacts>,
}

impl<'t> AlignPage<'t> {
    /// Prepares a page of a site whose languages are known as `untold` says.
    pub fn new(document: Document<'t>, lang: Lang, untold: &'t Untold) -> AlignPage<'t> {
        let words = PageWords::new(&document.words);
        let texts =
            (0..document.sentences.len() as u32).map(|at| TextFacts::new(document.text_of(at..at + 1))).collect();
        let is_latin =
            language::writes_latin(lang) || !language::is_alone(lang) && language::latin_share(document.text) >= 0.5;
        AlignPage { document, lang, untold, is_latin, words, texts }
    }

    fn text(&self, sentences: Range<u32>) -> TextFacts {
        match sentences.len() {
            0 => TextFacts::default(),
            1 => self.texts[sentences.start as usize],
            _ => TextFacts::new(self.document.text_of(sentences)),
        }
    }

    fn side(&self, sentences: Range<u32>, facts: &TextFacts, words: usize) -> SideText {
        let is_foreign = || self.untold.is_foreign(self.document.text_of(sentences), facts.lang, self.lang);
        SideText::new(facts, words, facts.lang.is_known() && is_foreign())
    }
}

/// A judged bead of two pages.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedBead {
    /// The sentences.
    pub bead: Bead,
    /// Probability that they are translations, 0..=1; 0 where a side is empty.
    pub score: f32,
    /// The reason for leaving it out of bitext; `None`: it is kept.
    pub reason: Option<clean::Reason>,
    /// Both texts, as repeated and untranslated ones are found.
    pub texts: [SideText; 2],
}

/// Two pages, aligned, with every bead judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aligned {
    /// The beads in order; each sentence of both pages occurs once.
    pub beads: Vec<JudgedBead>,
    /// Share of aligned text: the characters in beads that are more likely translations than not, divided by all characters of both pages,
    /// 0..=1.
    pub score: f32,
}

/// Least score with which text counts as aligned.
const ALIGNED_SCORE: f32 = 0.5;

/// Aligns two pages and judges every bead.
pub fn align_pages(a: &AlignPage<'_>, b: &AlignPage<'_>, model: &Model, params: &Params) -> Aligned {
    let evidence = WordEvidence::of_words(&a.words, &b.words, model, &params.translation);
    let beads = align(&a.document, &b.document, &evidence, &model.lengths, params);
    let mut aligned = Aligned { beads: Vec::with_capacity(beads.len()), score: 0.0 };
    let (mut paired, mut all) = (0u64, 0u64);
    let documents = (&a.document, &b.document);
    let resorted = Resorted::new(&a.document, &b.document);
    let scored: Vec<Option<Scored>> =
        beads.iter().map(|bead| scored(documents, bead, &evidence, &model.lengths)).collect();
    let classes = classes(&model.scoring, &scored);
    for ((bead, scored), class) in beads.into_iter().zip(scored).zip(classes) {
        let (side_a, side_b) = (bead.a_start..bead.a_end, bead.b_start..bead.b_end);
        let (span_a, span_b) = (a.document.span(side_a.clone()), b.document.span(side_b.clone()));
        let chars = u64::from(span_a.chars) + u64::from(span_b.chars);
        all += chars;
        let class = (!resorted.has(&bead)).then_some(class);
        let score = scored.map_or(0.0, |scored| model.scoring.probability(&scored, class));
        if score >= ALIGNED_SCORE {
            paired += chars;
        }
        let texts = (a.text(side_a.clone()), b.text(side_b.clone()));
        let length_delta = model.lengths.delta(span_a.chars, span_b.chars);
        let foreign = (evidence.foreign_a(span_a.words.clone()), evidence.foreign_b(span_b.words.clone()));
        let is_unwritten =
            |page: &AlignPage<'_>, text: &TextFacts, words: usize| !page.is_latin && text.is_latin(words);
        let sides = [a.side(side_a, &texts.0, span_a.words.len()), b.side(side_b, &texts.1, span_b.words.len())];
        // Pages have paragraphs that nobody translated.
        let is_other_language = sides.iter().any(|side| side.is_foreign)
            || is_unwritten(a, &texts.0, span_a.words.len())
            || is_unwritten(b, &texts.1, span_b.words.len());
        let facts = clean::Facts { texts, score, length_delta, foreign, is_other_language };
        let reason = clean::judge(&facts, &params.clean);
        aligned.beads.push(JudgedBead { bead, score, reason, texts: sides });
    }
    aligned.score = if all == 0 { 0.0 } else { (paired as f64 / all as f64) as f32 };
    aligned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::Words;
    use crate::types::Block;

    fn aligned(a: &str, b: &str) -> Aligned {
        aligned_as(a, b, Lang::EN)
    }

    /// Two pages, the first in English.
    fn aligned_as(a: &str, b: &str, lang_b: Lang) -> Aligned {
        let (words, untold) = (Words::new(), Untold::default());
        let document = |(text, lang): (&'static str, Lang)| {
            let block = Block { start: 0, end: text.len() as u32, ..Block::default() };
            AlignPage::new(Document::new(text, [block].into_iter(), lang, &words, 100), lang, &untold)
        };
        let [a, b] = [(a, Lang::EN), (b, lang_b)].map(|(text, lang)| document((text.to_owned().leak(), lang)));
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
    fn what_is_in_other_letters_than_its_page_is_no_bitext() {
        let russian = "В дистрибутив Debian 12 входит всего 59551 пакет. Все пакеты подписаны. ";
        let ru = Lang::parse("ru").expect("a tag");
        let reasons = |b: &str, lang: Lang| -> Vec<Option<clean::Reason>> {
            aligned_as("Debian 12 has 59551 packages. All are signed.", b, lang)
                .beads
                .iter()
                .map(|judged| judged.reason)
                .collect()
        };
        assert_eq!(reasons(russian, ru), [None, None]);
        let half = russian.replace("Все пакеты подписаны", "Signed by developers");
        assert_eq!(reasons(&half, ru), [None, Some(clean::Reason::WrongLanguage)]);
        assert_eq!(reasons(&half, Lang::EN)[1], None, "a page in English that quotes much Russian");
    }

    #[test]
    fn a_label_in_other_letters_than_its_page_is_no_bitext_either_but_an_abbreviation_may_be() {
        let reason = |a: &str, b: &str, lang: &str| {
            aligned_as(a, b, Lang::parse(lang).expect("a tag")).beads[0].reason == Some(clean::Reason::WrongLanguage)
        };
        assert!(reason("Response example", "serviceName", "zh"));
        assert!(reason("Settings 7", "Preferences 7", "ja"), "nobody has translated it");
        assert!(!reason("Television 7", "TV 7", "ja"));
        assert!(!reason("Settings 7", "Preferences 7", "fr"));
    }

    #[test]
    fn much_code_makes_no_page_one_in_latin_letters_if_its_language_has_a_script_of_its_own() {
        let (words, untold) = (Words::new(), Untold::default());
        let is_latin = |lang: &str| {
            let document = Document::new("if test; then echo no; fi その行", [].into_iter(), Lang::EN, &words, 100);
            AlignPage::new(document, Lang::parse(lang).expect("a tag"), &untold).is_latin
        };
        assert!(!is_latin("ja") && !is_latin("zh-Hans"));
        assert!(is_latin("fr") && is_latin("kk"), "Kazakh is written in Latin letters too");
    }

    #[test]
    fn a_sentence_without_a_partner_is_no_bitext() {
        let Aligned { beads, score } = aligned("Debian 12 has 59551 packages.", "");
        let reasons: Vec<_> = beads.iter().map(|judged| (judged.score, judged.reason)).collect();
        assert_eq!((reasons, score), (vec![(0.0, Some(clean::Reason::Unaligned))], 0.0));
        assert_eq!(aligned("", ""), Aligned::default());
    }

    #[test]
    fn a_sentence_that_nobody_translated_is_no_bitext() {
        let en = "You can choose one of the two options, and the second is for those who have an account.";
        let lang = |tag: &str| Lang::parse(tag).expect("a language");
        let reason = |lang_b: &str| aligned_as(en, en, lang(lang_b)).beads[0].reason;
        assert_eq!((reason("en"), reason("fr")), (Some(clean::Reason::SameText), Some(clean::Reason::SameText)));
        let other = en.replace("second", "2nd").replace("an account", "accounts at home");
        for tag in ["fr", "wo"] {
            assert_eq!(aligned_as(en, &other, lang(tag)).beads[0].reason, Some(clean::Reason::WrongLanguage), "{tag}");
        }
    }
}
