//! Aligns two pages, and judges every bead.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::clean::{self, SideText, TextFacts};
use super::document::Document;
use super::features::scored;
use super::moved::{Found, align_anywhere};
use super::params::Params;
use super::scoring::{Scored, Seen, wrong_shares};
use super::translation::{PageWords, WordEvidence, foreign_words};
use super::via::Known;
use crate::language;
use crate::language::foreign::Untold;
use crate::text::near::{numbers_and_letters, wording};
use crate::types::{Bead, Lang};

/// A page, prepared for alignment with any number of other pages.
pub struct AlignPage<'t> {
    /// The page.
    pub document: Document<'t>,
    lang: Lang,
    untold: &'t Untold,
    /// True when its language is written in A–Z, or may be and half of its letters are. Japanese and Arabic are not, however much code or how many names a page
    /// has.
    is_latin: bool,
    words: PageWords,
    /// What each sentence shows by itself, as far as it was asked: a page is aligned with as many pages as its document has versions.
    sentences: Vec<OnceLock<Shown>>,
    /// The same of several sentences in a row, by the numbers of the first one and of the one behind the last.
    together: Mutex<FxHashMap<(u32, u32), Shown>>,
}

/// What one side of a bead shows, whatever the other side is.
#[derive(Clone, Copy, Default)]
struct Shown {
    facts: TextFacts,
    text: SideText,
    /// True when it is certainly not in the language of its page, or in letters that its page is not written in.
    is_elsewhere: bool,
}

impl<'t> AlignPage<'t> {
    /// Prepares a page; `untold` has what is known of the languages of its site.
    pub fn new(document: Document<'t>, lang: Lang, untold: &'t Untold) -> AlignPage<'t> {
        let words = PageWords::new(&document.words);
        let sentences = document.sentences.iter().map(|_| OnceLock::new()).collect();
        let may_be_latin = || !language::is_alone(lang) && !language::has_one_other_script(lang);
        let is_latin = language::writes_latin(lang) || may_be_latin() && language::latin_share(document.text) >= 0.5;
        AlignPage { document, lang, untold, is_latin, words, sentences, together: Mutex::default() }
    }

    /// Some sentences of the page; `None`: all of them.
    fn part(&self, sentences: &Range<u32>) -> Option<Document<'t>> {
        (sentences.len() < self.document.sentences.len()).then(|| self.document.part(sentences.clone()))
    }

    /// What some sentences in a row show.
    fn shown(&self, sentences: Range<u32>) -> Shown {
        if sentences.is_empty() {
            return Shown::default();
        }
        if sentences.len() == 1 {
            let shown = &self.sentences[sentences.start as usize];
            return *shown.get_or_init(|| self.look_at(sentences));
        }
        let together = || self.together.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (sentences.start, sentences.end);
        let known = together().get(&key).copied();
        known.unwrap_or_else(|| {
            let shown = self.look_at(sentences);
            together().insert(key, shown);
            shown
        })
    }

    fn look_at(&self, sentences: Range<u32>) -> Shown {
        let words = self.document.span(sentences.clone()).words.len();
        let text = self.document.text_of(sentences);
        let facts = TextFacts::new(text);
        let is_foreign = if facts.lang.is_known() {
            self.untold.is_foreign(text, facts.lang, self.lang)
        } else {
            self.untold.is_left(text, self.lang)
        };
        // The number of a heading makes no phrase of a name.
        let text = SideText::new(&facts, words.saturating_sub(numbers_and_letters(text)), is_foreign);
        Shown { facts, text, is_elsewhere: is_foreign || !self.is_latin && facts.is_latin(words) }
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
    /// Facts about both texts, by which repeated and untranslated ones are found.
    pub texts: [SideText; 2],
    /// True where one text repeats the other one: in the same [`wording`], or in most of its words, many of which belong to the language of
    /// one page alone.
    pub is_copy: bool,
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
pub(super) const ALIGNED_SCORE: f32 = 0.5;

/// A bead that is to be judged.
pub(super) struct Open {
    pub bead: Bead,
    pub said: Said,
}

/// What is known of a bead before it is judged.
pub(super) enum Said {
    /// The bead has only one side.
    Alone,
    /// What the words and the lengths of its sides say.
    Words(WordsSay),
    /// The probability that follows from the beads of which it was composed.
    Parts(f32),
}

pub(super) struct WordsSay {
    scored: Scored,
    /// [`WordEvidence::foreign_a`] and `foreign_b`.
    foreign: (Option<f32>, Option<f32>),
    /// How many entries may stand at its place, if it stands in lists that each language sorts itself.
    entries: Option<u32>,
}

/// Aligns two pages and judges every bead.
pub fn align_pages(a: &AlignPage<'_>, b: &AlignPage<'_>, known: &Known<'_>, params: &Params) -> Aligned {
    judge([a, b], align_whole([a, b], known, params, &[]), known, params)
}

/// Aligns two pages by their words and lengths. `told` are blocks that belong together for other reasons.
pub(super) fn align_whole(
    pages: [&AlignPage<'_>; 2],
    known: &Known<'_>,
    params: &Params,
    told: &[(u32, u32)],
) -> Vec<Open> {
    let documents = pages.map(|page| &page.document);
    let mut open = Vec::new();
    align_words(documents, pages.map(|page| &page.words), (known, told), params, |bead, said| {
        open.push(Open { bead, said });
    });
    open
}

/// Aligns parts of two pages by their words and lengths.
pub(super) fn align_part(
    pages: [&AlignPage<'_>; 2],
    [of_a, of_b]: [Range<u32>; 2],
    known: &Known<'_>,
    params: &Params,
    open: &mut Vec<Open>,
) {
    if of_a.is_empty() || of_b.is_empty() {
        let bead = |a: u32, b: u32, m: u32, n: u32| Bead { a_start: a, a_end: a + m, b_start: b, b_end: b + n };
        let (end_a, start_b) = (of_a.end, of_b.start);
        let alone = of_a.map(|at| bead(at, start_b, 1, 0)).chain(of_b.map(|at| bead(end_a, at, 0, 1)));
        open.extend(alone.map(|bead| Open { bead, said: Said::Alone }));
        return;
    }
    let parts = [pages[0].part(&of_a), pages[1].part(&of_b)];
    let [a, b] = [0, 1].map(|side: usize| parts[side].as_ref().unwrap_or(&pages[side].document));
    let words = [0, 1].map(|side: usize| parts[side].as_ref().map(|part| PageWords::new(&part.words)));
    let [words_a, words_b] = [0, 1].map(|side: usize| words[side].as_ref().unwrap_or(&pages[side].words));
    align_words([a, b], [words_a, words_b], (known, &[]), params, |bead, said| {
        let bead = Bead {
            a_start: of_a.start + bead.a_start,
            a_end: of_a.start + bead.a_end,
            b_start: of_b.start + bead.b_start,
            b_end: of_b.start + bead.b_end,
        };
        open.push(Open { bead, said });
    });
}

/// Aligns two pages by their words and lengths, and calls `each` with every bead.
fn align_words(
    [a, b]: [&Document<'_>; 2],
    [words_a, words_b]: [&PageWords; 2],
    (known, told): (&Known<'_>, &[(u32, u32)]),
    params: &Params,
    mut each: impl FnMut(Bead, Said),
) {
    let model = known.model(a, b, &params.translation);
    let evidence = WordEvidence::of_words(words_a, words_b, &model, &params.translation);
    let Found { beads, in_lists } = align_anywhere([a, b], (&evidence, &model), &model.lengths, params, told);
    for (bead, entries) in beads.into_iter().zip(in_lists) {
        let words = |scored| {
            let side = |document: &Document<'_>, sentences| document.span(sentences).words;
            let foreign_a = evidence.foreign_a(side(a, bead.a_start..bead.a_end));
            let foreign_b = evidence.foreign_b(side(b, bead.b_start..bead.b_end));
            Said::Words(WordsSay { scored, foreign: (foreign_a, foreign_b), entries })
        };
        let said = scored((a, b), &bead, &evidence, &model.lengths).map_or(Said::Alone, words);
        each(bead, said);
    }
}

/// Judges all beads of two pages.
pub(super) fn judge([a, b]: [&AlignPage<'_>; 2], open: Vec<Open>, known: &Known<'_>, params: &Params) -> Aligned {
    let mut aligned = Aligned { beads: Vec::with_capacity(open.len()), score: 0.0 };
    let (mut paired, mut all) = (0u64, 0u64);
    let (lengths, scoring, [of_a, of_b]) = (known.lengths(), known.scoring(), known.words());
    let said = |open: &Open| match &open.said {
        Said::Alone => Seen::Alone,
        Said::Words(words) => Seen::Words(words.scored),
        Said::Parts(score) => Seen::Composed(*score),
    };
    let shares = wrong_shares(&scoring, &open.iter().map(said).collect::<Vec<_>>());
    for (Open { bead, said }, share) in open.iter().zip(shares) {
        let (side_a, side_b) = (bead.a_start..bead.a_end, bead.b_start..bead.b_end);
        let (span_a, span_b) = (a.document.span(side_a.clone()), b.document.span(side_b.clone()));
        let chars = u64::from(span_a.chars) + u64::from(span_b.chars);
        all += chars;
        let (score, foreign) = match said {
            Said::Alone => (0.0, (None, None)),
            // The alignments with the third page did not show whether a side is in the language of the other one.
            Said::Parts(score) => {
                let words = [a.document.words_in(span_a.words.clone()), b.document.words_in(span_b.words.clone())];
                (*score, (foreign_words(of_a, of_b, words[0]), foreign_words(of_b, of_a, words[1])))
            }
            Said::Words(words) => (scoring.probability(&words.scored, share.at(words.entries)), words.foreign),
        };
        if score >= ALIGNED_SCORE {
            paired += chars;
        }
        let length_delta = lengths.delta(span_a.chars, span_b.chars);
        let sides = [a.shown(side_a), b.shown(side_b)];
        let texts = (sides[0].facts, sides[1].facts);
        // Pages have paragraphs that nobody translated.
        let is_other_language = sides.iter().any(|side| side.is_elsewhere);
        let words = [(a, span_a.words), (b, span_b.words)].map(|(page, words)| page.document.words_in(words));
        let is_same = || clean::are_mostly_same(words) && a.untold.differ(a.lang, b.lang);
        let facts = clean::Facts { texts, score, length_delta, foreign, is_other_language, is_same: is_same() };
        let reason = clean::judge(&facts, &params.clean);
        let is_copy = reason == Some(clean::Reason::SameText) && is_copy([a, b], bead);
        let texts = sides.map(|side| side.text);
        aligned.beads.push(JudgedBead { bead: *bead, score, reason, texts, is_copy });
    }
    aligned.score = if all == 0 { 0.0 } else { (paired as f64 / all as f64) as f32 };
    aligned
}

/// True where both sides of a bead are the same text because one was copied from the other. They may differ a little: a few words of a
/// command or a name were translated, and there is little else to translate.
fn is_copy([a, b]: [&AlignPage<'_>; 2], bead: &Bead) -> bool {
    let texts = [a.document.text_of(bead.a_start..bead.a_end), b.document.text_of(bead.b_start..bead.b_end)];
    wording(texts[0]) == wording(texts[1])
        || language::is_rather_in(texts[1], a.lang, b.lang)
        || language::is_rather_in(texts[0], b.lang, a.lang)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::model::Model;
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
        align_pages(&a, &b, &Known::Own(&Model::default()), &Params::default())
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
        assert!(!is_latin("ja") && !is_latin("zh-Hans") && !is_latin("ar") && !is_latin("ru"));
        assert!(is_latin("fr") && is_latin("kk"), "Kazakh is written in Latin letters too");
        assert!(is_latin("wo") && is_latin("nv"), "languages whose words are not known");
    }

    #[test]
    fn what_was_composed_has_to_be_in_the_languages_of_its_pages_too() {
        let words = |texts: &str| {
            let mut found = crate::lexicon::Vocabulary::default();
            found.words = texts.split_whitespace().map(crate::text::words::hash).collect();
            found.words.sort_unstable();
            found.shares = vec![0.1; found.words.len()];
            found.ends = vec![0; found.words.len()];
            found
        };
        let model = Model { a: words("one two three four"), b: words("un deux trois quatre"), ..Model::default() };
        let (tokens, untold) = (Words::new(), Untold::default());
        let document = |text: &'static str| {
            let block = Block { start: 0, end: text.len() as u32, ..Block::default() };
            AlignPage::new(Document::new(text, [block].into_iter(), Lang::EN, &tokens, 100), Lang::EN, &untold)
        };
        let reason = |a: &'static str, b: &'static str| {
            let open = Open { bead: Bead { a_start: 0, a_end: 1, b_start: 0, b_end: 1 }, said: Said::Parts(0.9) };
            let pages = [document(a), document(b)];
            judge(pages.each_ref(), vec![open], &Known::Own(&model), &Params::default()).beads[0].reason
        };
        assert_eq!(reason("One two three four.", "Un deux trois quatre."), None);
        assert_eq!(reason("One two three four.", "Two one four three."), Some(clean::Reason::WrongLanguage));
        assert_eq!(reason("Trois un deux quatre.", "Un deux trois quatre."), Some(clean::Reason::WrongLanguage));
    }

    #[test]
    fn what_was_copied_is_told_from_what_was_adapted() {
        let fr = Lang::parse("fr").expect("a tag");
        let is_copy = |a: &str, b: &str| {
            let bead = &aligned_as(a, b, fr).beads[0];
            (bead.reason == Some(clean::Reason::SameText)).then_some(bead.is_copy)
        };
        assert_eq!(is_copy("3.1. The \"fast boot\" feature", "3.2. The « fast boot » feature"), Some(true));
        assert_eq!(is_copy("web-server (web server)", "web-server (Web-Server)"), Some(false));
        let told = "Show w and the others for the list of what this is about and why you are to see it in street";
        assert_eq!(is_copy(&format!("{told} 9."), &format!("{} avenue", told.trim_end_matches(" street"))), Some(true));
        let command = "ar tar xv cd debootstrap zcat cat ls rm mv cp dd grep sed";
        assert_eq!(is_copy(&format!("{command} work /x"), &format!("{command} travail /x")), Some(false));
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
