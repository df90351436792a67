//! Versions of one page in several languages: two translations of one page are translations of each other, and a pair whose pages
//! have different partners in a third language is none.

use rustc_hash::FxHashMap;

use super::odds::sigmoid;
use crate::types::{Lang, PagePair};

/// By how much two pairs must be surer than a third to speak against it, in nats (an estimate): odds of seven to one.
const SURER: f64 = 2.0;

/// Accepted pairs, by page.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// Language, page and log odds of each partner.
    partners: FxHashMap<u32, Vec<(Lang, u32, f64)>>,
}

impl Versions {
    /// Those that accepted pairs give, each with the log odds that it is right, in nats.
    pub fn new(accepted: impl Iterator<Item = (PagePair, f64)>) -> Versions {
        let mut partners: FxHashMap<u32, Vec<(Lang, u32, f64)>> = FxHashMap::default();
        for (PagePair { langs, a, b }, log_odds) in accepted {
            partners.entry(a).or_default().push((langs.b, b, log_odds));
            partners.entry(b).or_default().push((langs.a, a, log_odds));
        }
        Versions { partners }
    }

    /// How probable it is that pairs which are surer than this one, of log odds `log_odds`, speak against it; `None` where as many
    /// third languages speak for it, or none does.
    ///
    /// A third language speaks for a pair when both pages have the same partner there, and against it when both have partners
    /// that differ, each surer than the pair by 2 nats (`SURER`); the probability is that both are right, of the surest such language.
    pub fn against(&self, a: u32, b: u32, log_odds: f64) -> Option<f64> {
        let of = |page: u32| self.partners.get(&page).map_or(&[][..], Vec::as_slice);
        let (mut agreed, mut differed, mut surest) = (0, 0, 0.0f64);
        for &(lang, x, surety_x) in of(a) {
            for &(_, y, surety_y) in of(b).iter().filter(|(other, ..)| *other == lang) {
                if x == y {
                    agreed += 1;
                } else if surety_x.min(surety_y) - log_odds >= SURER {
                    differed += 1;
                    surest = surest.max(sigmoid(surety_x) * sigmoid(surety_y));
                }
            }
        }
        (differed > agreed).then_some(surest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::LangPair;

    fn pair(a: Lang, b: &str) -> LangPair {
        LangPair::new(a, Lang::parse(b).expect("a tag")).expect("two languages")
    }

    #[test]
    fn surer_pairs_with_a_third_language_speak_for_a_pair_or_against_it() {
        // Pages 1 and 2 have partners 10 and 20 in French, 1 and 3 have 11 in German.
        let (fr, de) = (pair(Lang::EN, "fr"), pair(Lang::EN, "de"));
        let accepted = [(fr, 1, 10, 0.9375), (fr, 2, 20, 0.75), (fr, 3, 30, 0.75), (de, 1, 11, 0.5), (de, 3, 11, 0.5)];
        let order = |(langs, x, y, score): (LangPair, u32, u32, f64)| {
            let (a, b) = if langs.a == Lang::EN { (x, y) } else { (y, x) };
            (PagePair { langs, a, b }, score)
        };
        use crate::judge::odds::logit;
        let versions = Versions::new(accepted.into_iter().map(order).map(|(pair, score)| (pair, logit(score))));
        let against = versions.against(1, 2, logit(0.25)).expect("French speaks against it");
        assert!((against - 0.703125).abs() < 1e-9, "{against}");
        // The pair is nearly as sure as they are.
        assert_eq!(versions.against(1, 2, logit(0.5)), None);
        // German speaks for it, French against it.
        assert_eq!(versions.against(1, 3, logit(0.25)), None);
        assert_eq!(versions.against(1, 9, logit(0.25)), None);
    }
}
