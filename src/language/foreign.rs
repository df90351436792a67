//! Whether a text is in another language than its page.
//!
//! Function words tell of a sentence that it is English, whatever else is on its page. That it is not in the language of the page needs no words of
//! that one either, as long as the two are not taken for each other: for a language with a list of words, near relatives and what is taken for it
//! are known. For all others, letters decide: those of the two languages have to differ, and the text has to be nearer to the one that its words
//! tell. Of the sentences of the Declaration of Human Rights in all languages without a list, words tell 95 to be in another language that is not
//! known as a relative; letters agree with none of them.
//!
//! Nor do words tell a sentence in a language without a list, such as one in Wolof that was left on a page in French. Of the languages of the site, letters
//! tell it, if it is long enough and these two languages differ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::letters::{Letters, count};
use super::profiles::{LEAST, LEAST_TEXT, Line, Profiles, near};
use super::{are_relatives, composed, is_taken_for, is_told};
use crate::types::Lang;

/// Languages whose profiles diverge by more than this are not taken for each other, in nats a pair of letters (an estimate: of the pairs of languages in
/// which words told a sentence of the other one by mistake, most of those that are related are below).
const APART: f64 = 0.35;
/// A text is in another language than its page, by its letters alone, if it is nearer to the other one by this, in nats a pair of letters (an estimate: half
/// of what is between two languages that [`APART`] says are not taken for each other).
const BEYOND: f64 = APART / 2.0;

/// The languages of a site that words cannot tell, by the letters of texts in them.
#[derive(Debug, Default)]
pub struct Untold {
    /// Of the site alone: there may be many sites, and what is part of the program is the same for all.
    own: Profiles,
    /// Languages that the site writes otherwise than their shipped profiles, as in another script.
    otherwise: BTreeSet<Lang>,
    /// Those of which it shows enough.
    shown: Vec<Lang>,
    /// Which languages differ, as far as it was asked.
    differ: RwLock<FxHashMap<(Lang, Lang), bool>>,
}

impl Untold {
    /// From the letters of the texts that a site has in each language. Too few tell nothing.
    pub fn new(shown: BTreeMap<Lang, Letters>) -> Untold {
        let shown = shown.into_iter().filter(|(_, letters)| letters.total() >= LEAST);
        let lines: Vec<Line> = shown.map(|(lang, letters)| Line { lang, letters }).collect();
        let is_otherwise = |line: &&Line| Profiles::shipped().are_far(&line.letters, line.lang);
        let otherwise = lines.iter().filter(is_otherwise).map(|line| line.lang.base()).collect();
        let shown = lines.iter().map(|line| line.lang).collect();
        Untold { own: Profiles::default().with(&lines), otherwise, shown, differ: RwLock::default() }
    }

    /// True when texts in one language are not taken for texts in the other one; false where that is not known of a language that words cannot tell.
    pub fn differ(&self, one: Lang, other: Lang) -> bool {
        if !may_differ(one, other) {
            return false;
        }
        if is_told(one) && is_told(other) {
            return true;
        }
        let known = self.differ.read().unwrap_or_else(PoisonError::into_inner).get(&(one, other)).copied();
        known.unwrap_or_else(|| {
            let differ = self.have_other_letters(one, other);
            self.differ.write().unwrap_or_else(PoisonError::into_inner).insert((one, other), differ);
            differ
        })
    }

    /// True for a text that words tell to be in one language, if it is certainly not in another one, `lang`.
    pub fn is_foreign(&self, text: &str, told: Lang, lang: Lang) -> bool {
        self.differ(told, lang) && (is_told(lang) || self.is_nearer(text, told, lang))
    }

    /// True for a text of which words tell nothing, if its letters are certainly those of a language of the site that has no list of words, and not
    /// those of `lang`, the language of its page. Short texts show no letters.
    pub fn is_left(&self, text: &str, lang: Lang) -> bool {
        if self.shown.is_empty() || (text.len() as u64) < LEAST_TEXT {
            return false;
        }
        let mut others = self.shown.iter().copied().filter(|&other| self.differ(other, lang)).peekable();
        if others.peek().is_none() {
            return false;
        }
        let letters = Letters::of(&count(&composed(text))).unwrap_or_default();
        if letters.total() < LEAST_TEXT {
            return false;
        }
        let Some(own) = self.distance(&letters, lang) else { return false };
        others.any(|other| {
            let found = self.known(other).distance(&letters, other);
            found.is_some_and(|found| found <= near(letters.total()) && own - found >= BEYOND)
        })
    }

    /// How far letters are from those of a language, shipped or on the site.
    fn distance(&self, letters: &Letters, lang: Lang) -> Option<f64> {
        let [shipped, own] = [Profiles::shipped(), &self.own].map(|known| known.distance(letters, lang));
        shipped.into_iter().chain(own).reduce(f64::min)
    }

    /// The profiles that show how the site writes a language.
    fn known(&self, lang: Lang) -> &Profiles {
        let shipped = Profiles::shipped();
        // What a site shows of a language may be partly in another one.
        if self.otherwise.contains(&lang.base()) || !shipped.has(lang) { &self.own } else { shipped }
    }

    /// True when the profiles of both languages, each in its way of writing on the site, diverge both ways.
    fn have_other_letters(&self, one: Lang, other: Lang) -> bool {
        let (of_one, of_other) = (self.known(one), self.known(other));
        let [there, back] = [of_one.divergence(one, of_other, other), of_other.divergence(other, of_one, one)];
        there.zip(back).is_some_and(|(there, back)| there.min(back) > APART)
    }

    /// True for a text whose letters are at least as near to those of `told`; false where nothing is known of one of the two.
    fn is_nearer(&self, text: &str, told: Lang, lang: Lang) -> bool {
        let letters = Letters::of(&count(&composed(text))).unwrap_or_default();
        let distances = (self.distance(&letters, told), self.distance(&letters, lang));
        matches!(distances, (Some(told), Some(lang)) if told <= lang)
    }
}

/// False for languages whose texts are taken for each other.
fn may_differ(one: Lang, other: Lang) -> bool {
    /// Languages that write Han characters.
    const HAN: &[&str] =
        &["zh", "zh-Hans", "zh-Hant", "ja", "ko", "yue", "wuu", "lzh", "nan", "hak", "gan", "cdo", "hsn", "cjy"];
    let both_write_han = |one: Lang, other: Lang| one.agrees(Lang::ZH) && HAN.contains(&other.base().as_str());
    one.is_known()
        && other.is_known()
        && one.base() != other.base()
        && !are_relatives(one, other)
        && !is_taken_for(one, other)
        && !is_taken_for(other, one)
        && !both_write_han(one, other)
        && !both_write_han(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::of_sentence;

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    const ENGLISH: &str = "For these scenarios you have two options: either you upload to a PPA or prepare a backport.";
    const SPANISH: &str = "Para esto tiene que estar en la misma máquina que la que está en el sistema de la red.";

    #[test]
    fn words_tell_what_is_not_in_the_language_of_its_page() {
        let is_other = |text: &str, tag: &str| Untold::default().is_foreign(text, of_sentence(text), lang(tag));
        assert!(
            ["de", "fr", "ja", "ru", "th"].into_iter().all(|tag| is_other(ENGLISH, tag)) && !is_other(ENGLISH, "en")
        );
        assert!(is_other(SPANISH, "de") && is_other(SPANISH, "fr"));
        assert!(!is_other(SPANISH, "gl"), "relatives are taken for each other");
        assert!(!is_other(SPANISH, "ast"), "nobody knows the function words of Asturian");
        assert!(is_other("最新版（Latest）", "en") && !is_other("最新版（Latest）", "zh-Hans"));
        assert!(!is_other("管理者設定", "ja"), "Japanese writes Han characters too");
        // Navajo and Wolof have no list of words either, but letters that are not those of English, Spanish or Chinese.
        for tag in ["nv", "wo"] {
            assert!(
                !is_told(lang(tag))
                    && is_other(ENGLISH, tag)
                    && is_other(SPANISH, tag)
                    && is_other("最新版（Latest）", tag),
                "{tag}"
            );
        }
        assert!(!is_other(SPANISH, "tlh"), "a language without a profile");
        let known = Untold::default();
        assert!(!known.differ(lang("ast"), lang("es")) && !known.differ(lang("es"), lang("ast")));
        assert!(!known.differ(lang("tlh"), lang("en")) && !known.differ(lang("en"), lang("tlh")));
    }

    #[test]
    fn a_text_that_is_nearer_to_the_language_of_its_page_is_in_it() {
        let samoan =
            "Na taunuu le vaa i le taulaga i le taeao o le Aso Lua, ma na faatalia e le toatele o tagata i le uafu.";
        let (italian, known) = (lang("it"), Untold::default());
        assert!(known.differ(italian, lang("sm")) && !known.is_foreign(samoan, italian, lang("sm")));
        let text = "Il porto è stato costruito nel corso degli anni, e la nave che vi è arrivata era la prima.";
        assert!(known.is_foreign(text, italian, lang("sm")));
    }

    #[test]
    fn a_site_shows_what_its_languages_look_like() {
        let text = "Wexa molu tavi renko sabu wexa dimu tavora, molu renka sabu. Tavi wexo dimu renko, sabu molu tavora wexa renka. Dimu wexa \
                    molu sabu tavi renko.";
        let mut letters = Letters::of(&count(text)).expect("counts of all kinds");
        let few = Untold::new(BTreeMap::from([(lang("tlh"), letters.clone())]));
        assert!(!few.differ(lang("es"), lang("tlh")), "too few letters");
        (0..3).for_each(|_| letters.add(&letters.clone()));
        let (a, b) = (Lang::unnamed(0).expect("a letter"), Lang::unnamed(1).expect("a letter"));
        let mut english = Letters::of(&count(&ENGLISH.repeat(3))).expect("counts of all kinds");
        (0..3).for_each(|_| english.add(&english.clone()));
        let of_site = Untold::new(BTreeMap::from([(lang("tlh"), letters.clone()), (a, letters.clone()), (b, english)]));
        assert!(
            of_site.is_foreign(ENGLISH, lang("en"), a) && !of_site.is_foreign(ENGLISH, lang("en"), b),
            "languages without a name are kept apart"
        );
        assert!(
            of_site.is_foreign(SPANISH, lang("es"), lang("tlh"))
                && of_site.is_foreign(ENGLISH, lang("en"), lang("tlh"))
        );
        assert!(!of_site.is_foreign(text, lang("es"), lang("tlh")));
    }

    #[test]
    fn a_text_in_a_language_without_words_is_told_by_its_letters_on_a_page_of_another_one() {
        let wolof = "Doomi aadama yépp danuy juddu, yam ci tawfeex ci sag ak sañ-sañ. Nekk na it ku xam dëgg te ànd na ak xelam, te war naa jëflante ak nawleen.";
        let french = "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir \
                      les uns envers les autres dans un esprit de fraternité.";
        let mut letters = Letters::of(&count(wolof)).expect("counts of all kinds");
        (0..3).for_each(|_| letters.add(&letters.clone()));
        // The site calls it by the name of a language without a profile, or by none.
        let unnamed = Lang::unnamed(0).expect("a letter");
        for other in [lang("wo"), lang("tlh"), unnamed] {
            let of_site = Untold::new(BTreeMap::from([(other, letters.clone())]));
            assert!(of_site.is_left(wolof, lang("fr")) && of_site.is_left(wolof, lang("nv")), "{other:?}");
            assert!(!of_site.is_left(wolof, other) && !of_site.is_left(french, lang("fr")));
            assert!(!of_site.is_left("Doomi aadama yépp danuy juddu", lang("fr")), "too short");
            assert!(!of_site.is_left(french, lang("nv")), "French is told by its words");
        }
        assert!(!Untold::default().is_left(wolof, lang("fr")), "no page of the site is in it");
    }

    #[test]
    fn a_language_in_another_script_than_its_profile_is_what_the_site_shows() {
        // Azerbaijani of Iran, in Arabic letters, whose profile is in Latin ones.
        let text = "بوتون اینسانلار لیاقت و حقوقلارینا گؤره آزاد و برابر دوغولارلار. اونلارین شعورلاری و وجدانلاری وار و بیر بیرلرینه مناسبتده قارداشلیق \
                    روحوندا داورانمالیدیرلار. هر کس بو بیاننامه ده گؤستریلن بوتون حقوق و آزادلیقلاردان فایدالانا بیلر.";
        let mut letters = Letters::of(&count(text)).expect("counts of all kinds");
        (0..3).for_each(|_| letters.add(&letters.clone()));
        let of_site = Untold::new(BTreeMap::from([(lang("azb"), letters)]));
        assert!(of_site.otherwise.contains(&lang("azb")) && !of_site.is_foreign(text, lang("fa"), lang("azb")));
        assert!(of_site.is_foreign(ENGLISH, lang("en"), lang("azb")));
    }
}
