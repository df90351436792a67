//! How far to trust a key: within a site, and across sites (Zhang, Yao & Kit 2013, §2.1).

use super::least::{MIN_PAIRS_NAMED, MIN_PAIRS_OF_NUMBERS, MIN_PAIRS_OTHER};
use super::params::{Params, Strength};
use crate::language::codes::names_language;
use crate::types::{Key, coded};

coded! {
    /// What becomes of a key.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum State {
        /// Above the local threshold: its pairs are taken.
        Strong = 0, "strong";
        /// Below it, but credible across sites: its pairs are taken.
        Rescued = 1, "rescued";
        /// Below both.
        Weak = 2, "weak";
        /// Lost to better keys: above a threshold, but stronger keys were assigned all its pages.
        Lost = 3, "lost";
        /// Below both thresholds, but a person names it: its pairs are taken.
        Named = 4, "named";
        /// A person forbids all its pairs.
        Forbidden = 5, "forbidden";
    }
}

impl State {
    /// True for keys whose pairs are taken.
    pub fn takes_pairs(self) -> bool {
        matches!(self, State::Strong | State::Rescued | State::Named)
    }

    /// True for keys that show nothing of the site.
    pub fn is_out(self) -> bool {
        matches!(self, State::Weak | State::Forbidden)
    }
}

/// What the trust in a key is judged by, within one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyEvidence {
    /// Linking power: URL pairs matched.
    pub power: u64,
    /// Pages of the site that could be matched: those in the first and in the second language.
    pub pages: (u32, u32),
    /// All pages of the site.
    pub all_pages: u32,
}

impl KeyEvidence {
    /// |w|: pages of the site that count for the key.
    pub fn site_pages(&self, params: &Params) -> u64 {
        match params.strength {
            Strength::PairsOfUrls { .. } | Strength::PagesOfSite { .. } => u64::from(self.all_pages),
            Strength::PagesOfLanguages { .. } => u64::from(self.pages.0) + u64::from(self.pages.1),
        }
    }

    /// Local credibility C(p, w) = N(p, w) / |w|, with N = 2·power pages; in 0..=1.
    pub fn credibility(&self, params: &Params) -> f64 {
        let pages = self.site_pages(params);
        if pages == 0 { 0.0 } else { ((2 * self.power) as f64 / pages as f64).min(1.0) }
    }

    /// Share of the pages of the smaller language that the key matches, in 0..=1.
    pub fn coverage(&self) -> f64 {
        let smaller = self.pages.0.min(self.pages.1);
        if smaller == 0 { 0.0 } else { (self.power as f64 / f64::from(smaller)).min(1.0) }
    }
}

/// The state of a key in a site, before competition.
///
/// `PairsOfUrls`: p(κ) > τ = |U|/10 (Kit & Ng 2007, eq. 3). `PagesOfSite`: C(p, w) > 0.1 (Zhang et al. 2013).
/// `PagesOfLanguages` is ours; its departures are in docs/methods.md: a language translated in part is judged by its
/// own pages too, one pair alone proves nothing unless the key names its languages, and bare numbers must match most
/// of the site.
pub fn judge(key: &Key, evidence: &KeyEvidence, rescued: bool, params: &Params) -> State {
    let credibility = evidence.credibility(params);
    let strong = match params.strength {
        Strength::PairsOfUrls { min_share } => evidence.power as f64 > min_share * f64::from(evidence.all_pages),
        Strength::PagesOfSite { min_credibility } => credibility > min_credibility,
        Strength::PagesOfLanguages { min_credibility, min_coverage, number_credibility } => {
            let named = names_languages(key);
            if is_number(key) {
                credibility > number_credibility && evidence.power >= MIN_PAIRS_OF_NUMBERS
            } else {
                let min_pairs = if named { &MIN_PAIRS_NAMED } else { &MIN_PAIRS_OTHER };
                let by_size = credibility > min_credibility && evidence.power >= min_pairs.by_credibility;
                by_size || (evidence.coverage() > min_coverage && evidence.power >= u64::from(min_pairs.by_coverage))
            }
        }
    };
    match (strong, rescued) {
        (true, _) => State::Strong,
        (false, true) => State::Rescued,
        (false, false) => State::Weak,
    }
}

/// True when every edit says which languages it stands for (`en` and `fr`; one of the two may be (null)).
pub fn names_languages(key: &Key) -> bool {
    key.edits.iter().all(|edit| {
        let names = |text: &str, lang| text.is_empty() || names_language(text, lang);
        !edit.core && names(&edit.from, key.langs.a) && names(&edit.to, key.langs.b)
    })
}

/// True when a key tells numbers from numbers, or from nothing: `0` and `1`, (null) and `2`.
fn is_number(key: &Key) -> bool {
    key.edits.iter().any(|edit| {
        let number = |text: &str| text.bytes().all(|b| !b.is_ascii_alphabetic());
        number(&edit.from) && number(&edit.to)
    })
}

/// A sum of C(p, w)·N(p, w), in units of 2⁻²⁰: whole numbers, so that what a site adds can be taken out again exactly, and
/// the order of sites does not show.
pub type GlobalSum = u64;

const UNIT: u128 = 1 << 20;

/// What one site adds to the global credibility C(p) = Σ_w C(p, w)·N(p, w) of a key.
pub fn contribution(evidence: &KeyEvidence, params: &Params) -> GlobalSum {
    let matched = 2 * u128::from(evidence.power);
    let pages = u128::from(evidence.site_pages(params));
    let matched = matched.min(pages);
    (matched * matched * UNIT).checked_div(pages).and_then(|sum| u64::try_from(sum).ok()).unwrap_or(0)
}

/// Global credibility C(p), in pages.
pub fn global(sum: GlobalSum) -> f64 {
    sum as f64 / UNIT as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::keys::small_sites::{any_params, config};
    use crate::types::{Edit, Field, Lang, LangPair};

    /// By hand: 30 pairs in a site of 100 pages, and 5 in one of 200: C = 0.6 and 0.05, C(p) = 0.6·60 + 0.05·10 = 36.5.
    #[test]
    fn credibility_of_two_sites_by_hand() {
        let params = Params::pupsniffer_2013();
        let first = KeyEvidence { power: 30, pages: (50, 50), all_pages: 100 };
        let second = KeyEvidence { power: 5, pages: (100, 100), all_pages: 200 };
        assert!((first.credibility(&params) - 0.6).abs() < 1e-12);
        assert!((second.credibility(&params) - 0.05).abs() < 1e-12);
        let sum = contribution(&first, &params) + contribution(&second, &params);
        assert!((global(sum) - 36.5).abs() < 1e-5);
    }

    /// From the formulas, with the texts of a key read anew.
    fn is_strong_by_definition(key: &Key, evidence: &KeyEvidence, params: &Params) -> bool {
        let names = |text: &str, lang: Lang| {
            text.is_empty()
                || (2..=8).contains(&text.len()) && Lang::parse(text).is_some_and(|named| named.agrees(lang))
        };
        let is_named = key.edits.iter().all(|e| !e.core && names(&e.from, key.langs.a) && names(&e.to, key.langs.b));
        let letters = |text: &str| text.contains(|c: char| c.is_ascii_alphabetic());
        let KeyEvidence { power, pages: (first, second), all_pages } = *evidence;
        let share = |of: u32| if of == 0 { 0.0 } else { 2.0 * power as f64 / f64::from(of) };
        match params.strength {
            Strength::PairsOfUrls { min_share } => power as f64 > min_share * f64::from(all_pages),
            Strength::PagesOfSite { min_credibility } => share(all_pages) > min_credibility,
            Strength::PagesOfLanguages { number_credibility, .. }
                if key.edits.iter().any(|edit| !letters(&edit.from) && !letters(&edit.to)) =>
            {
                share(first + second) > number_credibility && power >= 3
            }
            Strength::PagesOfLanguages { min_credibility, min_coverage, .. } => {
                let (alone, few) = if is_named { (1, 2) } else { (2, 5) };
                let coverage = share(first.min(second)) / 2.0;
                (share(first + second) > min_credibility && power >= alone) || (coverage > min_coverage && power >= few)
            }
        }
    }

    proptest! {
        #![proptest_config(config(2000, 10_000))]
        #[test]
        fn keys_are_as_strong_as_the_formulas_say(
            sides in proptest::collection::vec(select(vec!["", "en", "eng", "zh", "zh_TW", "x", "1-"]), 2..5),
            (power, first, second, others) in (0u64..7, 0u32..16, 0u32..16, 0u32..30),
            (params, rescued, core) in (any_params(), any::<bool>(), any::<bool>()),
        ) {
            let edit = |side: &[&str]| Edit { field: Field::Path, from: side[0].into(), to: side[1].into(), core };
            let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
            let key = Key { langs, edits: sides.chunks_exact(2).map(edit).collect() };
            let evidence = KeyEvidence { power, pages: (first, second), all_pages: first + second + others };
            let weak = if rescued { State::Rescued } else { State::Weak };
            let expected = if is_strong_by_definition(&key, &evidence, &params) { State::Strong } else { weak };
            prop_assert_eq!(judge(&key, &evidence, rescued, &params), expected);
        }
    }
}
