//! What several domains show of the letters of a language.
//!
//! Most languages of the world have no list of words here, and many no profile. Where domains that know nothing of each other call texts by one
//! name, and these texts are alike, the name is believed, unless the language has a profile that they are unlike: codes of countries are taken for
//! those of languages in many places alike. One domain alone shows nothing to others, unless its letters tell the language by the profiles
//! that are part of the program.

use super::letters::{ALIKE, Letters};
use super::profiles::{Line, Profiles};
use crate::types::Lang;

/// A language is learnt from so many domains at most: the first ones by the hash of their names, so that one more domain seldom changes what was
/// learnt (an estimate: this many show a language as well as all).
pub const DOMAINS: usize = 8;
/// A domain shows so many pairs of letters at most, so that no large one speaks for all (an estimate; the Declaration of Human Rights has 10,000).
const MOST_LETTERS: u64 = 20_000;

/// What is learnt of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// The letters of its texts.
    pub line: Line,
    /// The domains whose texts these are.
    pub domains: u32,
}

/// The letters of a language, from those of the texts that each of some domains calls by its name: of all domains together whose texts are alike. A
/// language in two scripts is learnt twice.
pub fn learn(lang: Lang, domains: &[Letters]) -> Vec<Learnt> {
    let known = Profiles::shipped();
    let shown: Vec<Letters> = domains.iter().take(DOMAINS).map(|letters| letters.at_most(MOST_LETTERS)).collect();
    // Each domain with the first one whose texts are like its own, by way of others.
    let mut group: Vec<usize> = (0..shown.len()).collect();
    for at in 0..shown.len() {
        for before in 0..at {
            let (one, other) = (group[at], group[before]);
            if one != other && shown[at].distance(&shown[before]) <= ALIKE {
                let (from, to) = (one.max(other), one.min(other));
                group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
            }
        }
    }
    let learnt = (0..shown.len()).filter_map(|first| {
        let members = || group.iter().zip(&shown).filter(|(of, _)| **of == first).map(|(_, letters)| letters);
        let domains = members().count() as u32;
        let mut letters = Letters::default();
        members().for_each(|one| letters.add(one));
        let is_shown = match domains {
            0 => false,
            1 => known.tell(&letters, Lang::UNKNOWN, |_| true) == Some(lang),
            _ => !known.are_far(&letters, lang),
        };
        is_shown.then_some(Learnt { line: Line { lang, letters }, domains })
    });
    learnt.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::letters::count;

    fn letters(text: &str) -> Letters {
        Letters::of(&count(text)).expect("as many as there are kinds")
    }

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// Texts of the kind that a language without a profile could have.
    const ONE: [&str; 2] = [
        "Wexa molu tavi renko sabu wexa dimu tavora, molu renka sabu. Tavi wexo dimu renko, sabu molu tavora wexa renka. Dimu wexa molu sabu tavi renko.",
        "Sabu tavora renko molu dimu, wexa tavi renka molu. Renko dimu sabu wexo tavi, molu tavora dimu wexa. Tavi renka sabu wexa dimu molu renko.",
    ];
    const OTHER: &str = "Chüplit hörnz gatschk plürn, zmörk chögt brintz hörz. Gatschk zmörk plürnt chüplitz brintk hörnz gatscht zmörkt plürn.";

    #[test]
    fn a_language_is_learnt_from_domains_that_agree() {
        let [one, two] = ONE.map(letters);
        let other = letters(OTHER);
        let of = |domains: &[&Letters]| {
            let domains: Vec<Letters> = domains.iter().map(|&letters| letters.clone()).collect();
            learn(lang("tlh"), &domains)
        };
        let both = of(&[&one, &other, &two]);
        assert_eq!((both.len(), both[0].domains), (1, 2));
        let mut sum = one.clone();
        sum.add(&two);
        assert_eq!(both[0].line.letters, sum);
        assert_eq!(of(&[&two, &one])[0].line.letters, sum);
        // One alone, two that differ, and two of each.
        assert_eq!(of(&[&one]), []);
        assert_eq!(of(&[&one, &other]), []);
        assert_eq!(of(&[&one, &other, &two, &other]).iter().map(|learnt| learnt.domains).collect::<Vec<_>>(), [2, 2]);
        // More than are looked at.
        assert_eq!(of(&[&one; DOMAINS + 3])[0].domains, DOMAINS as u32);
    }

    #[test]
    fn one_domain_adds_to_what_is_known() {
        let samoan = letters(
            "Na taunuu le vaa i le taulaga i le taeao o le Aso Lua, ma na faatalia e le toatele o tagata i le uafu. O nisi o i latou na sau \
             mai nuu mamao e faafeiloai o latou aiga. Ua fai mai le pule o le taulaga o le a toe alu le vaa i le vaiaso fou.",
        );
        assert_eq!(learn(lang("sm"), std::slice::from_ref(&samoan)).len(), 1);
        assert_eq!(learn(lang("to"), std::slice::from_ref(&samoan)), []);
        // Two that err in the same way.
        assert_eq!(learn(lang("ee"), &[ONE[0], ONE[1]].map(letters)), []);
    }

    #[test]
    fn a_large_domain_is_no_larger_than_others_may_be() {
        let mut large = letters(ONE[0]);
        (0..12).for_each(|_| large.add(&large.clone()));
        let smaller = large.at_most(MOST_LETTERS);
        assert!(smaller.total() <= MOST_LETTERS && smaller.total() > MOST_LETTERS - 256, "{}", smaller.total());
        assert!(smaller.distance(&large) < 0.01);
        assert_eq!(letters(ONE[0]).at_most(MOST_LETTERS), letters(ONE[0]));
    }
}
