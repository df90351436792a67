//! Whether a text is in another language than its page.
//!
//! Function words tell of a sentence that it is English, whatever else is on its page. That it is not in the language of the page needs no words of
//! that one either, as long as the two are not taken for each other: for a language with a list of words, near relatives and what is taken for it
//! are known. For all others, letters decide: those of the two languages have to differ, and the text has to be nearer to the one that its words
//! tell. Of the sentences of the Declaration of Human Rights in all languages without a list, words tell 95 to be in another language that is not
//! known as a relative; letters agree with none of them.

use std::collections::BTreeMap;

use super::letters::{ALIKE, Letters, count};
use super::profiles::{Line, Profiles};
use super::{are_relatives, is_taken_for, is_told};
use crate::types::Lang;

/// The languages of a site that words cannot tell, by the letters of texts in them.
#[derive(Clone, Debug, Default)]
pub struct Untold {
    /// Of the site alone: there may be many sites, and what is part of the program is the same for all.
    own: Profiles,
}

impl Untold {
    /// From the letters of the texts that a site has in each language.
    pub fn new(shown: BTreeMap<Lang, Letters>) -> Untold {
        let lines: Vec<Line> = shown.into_iter().map(|(lang, letters)| Line { lang, letters }).collect();
        Untold { own: Profiles::default().with(&lines) }
    }

    /// True when texts in one language are not taken for texts in another one, `lang`: false where nothing is known of these languages.
    pub fn differ(&self, told: Lang, lang: Lang) -> bool {
        may_differ(told, lang) && (is_told(lang) || self.have_other_letters(told, lang))
    }

    /// True for a text that words tell to be in one language, if it is certainly not in another one, `lang`.
    pub fn is_foreign(&self, text: &str, told: Lang, lang: Lang) -> bool {
        self.differ(told, lang) && (is_told(lang) || self.is_nearer(text, told, lang))
    }

    fn have_other_letters(&self, told: Lang, lang: Lang) -> bool {
        let shipped = Profiles::shipped();
        // What a site shows of a language may be partly in another one.
        let divergence = shipped.divergence(lang, told).or_else(|| self.own.divergence_from(lang, shipped, told));
        divergence.is_some_and(|divergence| divergence > ALIKE)
    }

    /// True for a text whose letters are nearer to those of `told`, or as near.
    fn is_nearer(&self, text: &str, told: Lang, lang: Lang) -> bool {
        let letters = Letters::of(&count(text)).unwrap_or_default();
        let distance = |lang: Lang| {
            let [shipped, own] = [Profiles::shipped(), &self.own].map(|known| known.distance(&letters, lang));
            shipped.into_iter().chain(own).reduce(f64::min)
        };
        matches!((distance(told), distance(lang)), (Some(told), Some(lang)) if told <= lang)
    }
}

/// False for languages whose texts are taken for each other.
fn may_differ(told: Lang, lang: Lang) -> bool {
    /// Languages that write Han characters.
    const HAN: &[&str] =
        &["zh", "zh-Hans", "zh-Hant", "ja", "ko", "yue", "wuu", "lzh", "nan", "hak", "gan", "cdo", "hsn", "cjy"];
    told.is_known()
        && lang.base() != told.base()
        && !are_relatives(lang, told)
        && !is_taken_for(lang, told)
        && !(told.base().as_str() == "zh" && HAN.contains(&lang.base().as_str()))
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
        // Yoruba and Navajo have no list of words either, but letters that are not those of English or Spanish.
        assert!(["yo", "nv"].into_iter().all(|tag| is_other(ENGLISH, tag) && is_other(SPANISH, tag)));
        assert!(!is_other(SPANISH, "tlh"), "a language without a profile");
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
        let letters = Letters::of(&count(text)).expect("counts of all kinds");
        let of_site = Untold::new(BTreeMap::from([(lang("tlh"), letters)]));
        assert!(
            of_site.is_foreign(SPANISH, lang("es"), lang("tlh"))
                && of_site.is_foreign(ENGLISH, lang("en"), lang("tlh"))
        );
        assert!(!of_site.is_foreign(text, lang("es"), lang("tlh")));
    }
}
