//! The language of a text by its words and its letters together.
//!
//! Words and models name a language with some certainty, and do not know all of its relatives: a model is as sure of Italian on a page in Romansh
//! as on one in Italian, and Asturian has most of the function words of Spanish. Here what the [words](super::words) and the [letters](super::letters)
//! of a text say of this language and of those that are like it is weighed once, in nats, and the language gets the probability that is left to it
//! beside them; or another one gets its place.

use super::params::Params;
use super::profiles::{Distances, NEARER, Profiles};
use super::words::{self, Words};
use crate::types::Lang;

/// So many pairs of letters say as much as any number: what a text is about changes its letters as far as a near relative would (an estimate. Of 1,800
/// pages of manuals in 17 languages those that are nearer to the profile of a relative with a list of words are so by .08 nats a pair at most).
const PAIRS: f64 = 50.0;
/// The nats of a function word of full [weight](words::Words::weight_of) that one of two languages has and the other has not (an estimate: it is twice as
/// likely in the language whose list has it, since lists of relatives lack words that both have).
const NATS_PER_WORD: f64 = 0.7;
/// Texts in a relative that has no list of words have less than this share of the variety of function words of a language, and how many nats what a
/// text has more of them counts for the language. Less says nothing, since lists and menus have few of them in any language (estimates: of those
/// manuals three pages of four have .68 and more, and one of twenty less than .36; pages of the Declaration of Human Rights in relatives of their
/// language that have no list have .3 to .6).
const VARIETY: f64 = 0.6;
const NATS_OF_VARIETY: f64 = 20.0;
/// How much less often texts are in a relative that has no list of words than in the language that has one, in nats (an estimate: one of fifty).
const RARER: f64 = 4.0;
/// Languages whose profiles diverge by no more than this are relatives, in nats a pair of letters (an estimate, as where
/// [foreign](super::foreign) texts are told), unless it is so little that [letters cannot tell](NEARER) them, as Croatian and Bosnian.
const KIN: f64 = 0.35;
/// How sure a language is at most that letters tell against words or models (an estimate: less than what is told).
const MOST: f64 = 0.9;

/// The likeliest language of a text that words and models take for `lang`, and how sure that is: `confidence` at most if it is the same.
/// Only where the text lacks the words of `lang` ([`Words::exclude`]) it may also be in a language that is not like it, by most of its words: a text partly
/// in another language has words of both.
pub fn weigh(words: &Words, letters: &Distances, lang: Lang, confidence: f32, params: &Params) -> (Lang, f32) {
    let nearer = letters.nearer(lang);
    if nearer.is_empty() {
        return (lang, confidence);
    }
    let verdict = words.verdict().filter(|_| words.exclude(lang, params)).map_or(lang, |verdict| verdict.lang);
    let rivals = nearer.into_iter().filter_map(|(other, by)| {
        let is_family = |known: Lang| other == known || words::are_family(other, known);
        let apart = divergence(lang, other);
        let can_be = (is_family(verdict) || is_family(lang) || apart <= KIN) && apart > NEARER;
        can_be.then(|| (other, of_letters(letters.pairs, by) - of_words(words, lang, other)))
    });
    let rivals: Vec<(Lang, f64)> = rivals.collect();
    let all: f64 = 1.0 + rivals.iter().map(|(_, nats)| nats.exp()).sum::<f64>();
    match rivals.into_iter().filter(|(_, nats)| *nats > 0.0).max_by(|x, y| x.1.total_cmp(&y.1)) {
        Some((other, nats)) => (other, (nats.exp() / all).min(MOST) as f32),
        None => (lang, confidence.min((1.0 / all) as f32)),
    }
}

/// What letters say for a language to whose profile a text of so many pairs is nearer by `by`, in nats.
fn of_letters(pairs: u64, by: f64) -> f64 {
    let pairs = pairs as f64;
    by * pairs / (1.0 + pairs / PAIRS)
}

/// What words say for a language against another one, in nats.
fn of_words(words: &Words, lang: Lang, other: Lang) -> f64 {
    match (words.weight_of(lang), words.weight_of(other)) {
        (Some(own), Some(others)) => f64::from(own - others) * NATS_PER_WORD,
        (None, Some(others)) => -f64::from(others) * NATS_PER_WORD,
        (Some(_), None) => {
            let variety = f64::from(words.variety(lang).unwrap_or_default());
            RARER + ((variety - VARIETY) * NATS_OF_VARIETY).max(0.0)
        }
        (None, None) => 0.0,
    }
}

/// How far texts in a language are from the profile of one that they are taken for.
fn divergence(taken_for: Lang, lang: Lang) -> f64 {
    let known = Profiles::shipped();
    known.divergence(lang, known, taken_for).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::letters::{Letters, count};

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// What a text is in that is taken for `taken` with a confidence of .9, and how sure that is.
    fn weighed(text: &str, taken: &str) -> (String, f32) {
        let letters = Profiles::shipped().distances(&Letters::of(&count(text)).expect("as many as there are kinds"));
        let (lang, sure) = weigh(&words::read(text), &letters, lang(taken), 0.9, &Params::default());
        (lang.to_string(), sure)
    }

    /// News, written for this: Asturian, Romansh, Malay, and the same in languages that these are taken for.
    const ASTURIAN: &str = "Los vecinos del conceyu axuntáronse ayeri na plaza pa falar del agua que-yos falta dende va dos selmanes. L'alcaldesa dixo que \
                            nun hai perres pa facer obres esti añu, pero que diba pidir ayuda al Gobiernu. La xente marchó pa casa ensin sabelo too.";
    const SPANISH: &str = "Los vecinos del pueblo se reunieron ayer en la plaza para hablar del agua que les falta desde hace dos semanas. La alcaldesa dijo que \
                           no hay dinero para hacer obras este año, pero que iba a pedir ayuda al Gobierno. La gente se fue a casa sin saberlo todo.";

    #[test]
    fn a_relative_without_a_list_of_words_is_told_from_the_language_that_has_its_words() {
        assert_eq!(weighed(ASTURIAN, "es").0, "ast");
        assert_eq!(weighed(SPANISH, "es"), ("es".to_owned(), 0.9));
    }

    #[test]
    fn a_model_that_does_not_know_a_language_is_not_believed_against_words_and_letters() {
        let romansh = "Las vischnancas da la regiun han tschernì er in nov president, che vegn a manar la suprastanza durant ils proxims quatter onns. \
                       El ha ditg ch'el veglia gidar ils giuvens a chattar lavur en las valladas, e che las scolas na dastgan betg vegnir serradas.";
        let (told, sure) = weighed(romansh, "it");
        assert_eq!(told, "rm");
        assert!(f64::from(sure) <= MOST && sure > 0.5, "{sure}");
        // What they agree on stays as sure as it was.
        assert_eq!(weighed(romansh, "rm"), ("rm".to_owned(), 0.9));
    }

    #[test]
    fn letters_do_not_tell_languages_that_have_the_same_and_not_the_language_of_short_texts() {
        let croatian = "Građani su se jučer okupili na trgu kako bi razgovarali o vodi koje nemaju već dva tjedna, a gradonačelnica je rekla da ove \
                        godine nema novca za radove, ali da će zatražiti pomoć od vlade i da će o tome uskoro obavijestiti sve stanovnike grada.";
        assert_eq!(weighed(croatian, "hr").0, "hr");
        assert!(divergence(lang("hr"), lang("bs")) <= NEARER && divergence(lang("es"), lang("ast")) > NEARER);
        assert_eq!(weighed("Pa falar del agua", "es"), ("es".to_owned(), 0.9));
        // Klingon has no profile.
        assert_eq!(weighed(ASTURIAN, "tlh"), ("tlh".to_owned(), 0.9));
    }

    #[test]
    fn more_letters_say_no_more_than_so_many() {
        let letters = |times: usize| Letters::of(&count(&SPANISH.repeat(times))).expect("as many as there are kinds");
        let [once, twice] = [1, 2].map(|times| of_letters(letters(times).total(), 0.1));
        assert!(once > 3.0 && once < twice && twice < 0.1 * PAIRS, "{once} {twice}");
    }
}
