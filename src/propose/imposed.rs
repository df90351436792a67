//! Applies what people say of pairs, for presets that judge pairs in a way of their own.

use rustc_hash::FxHashSet;

use crate::judge::refused;
use crate::types::{Candidate, JudgedPair, LangPair, Method, Outcome, PagePair, Similarities};
use crate::verify::SiteView;

/// Rejects the pairs of a site that people forbid, and accepts those that they pin, in place of other pairs of their pages. `pairs` are
/// sorted by [`PagePair`], and stay so.
pub fn impose(site: &SiteView<'_>, pairs: &mut Vec<JudgedPair>) {
    let (pins, forbidden) = (site.pins(), site.forbidden());
    let mut taken: FxHashSet<(LangPair, u32)> = FxHashSet::default();
    let mut pinned: FxHashSet<PagePair> = FxHashSet::default();
    for pin in pins {
        let sides = [(pin.langs, pin.a), (pin.langs, pin.b)];
        if !sides.iter().any(|side| taken.contains(side)) {
            taken.extend(sides);
            pinned.insert(pin);
        }
    }
    for judged in pairs.iter_mut() {
        let PagePair { langs, a, b } = judged.pair;
        if forbidden.contains(&judged.pair) {
            let JudgedPair { pair, method, key, .. } = *judged;
            *judged = refused(Candidate { pair, method, key });
        } else if pinned.remove(&judged.pair) {
            (judged.method, judged.key, judged.score, judged.outcome) = (Method::Pinned, None, 1.0, Outcome::Accepted);
        } else if judged.is_accepted() && [a, b].iter().any(|&page| taken.contains(&(langs, page))) {
            judged.outcome = Outcome::LostToBetter;
        }
    }
    let added = pinned.into_iter().map(|pair| {
        let candidate = Candidate { pair, method: Method::Pinned, key: None };
        JudgedPair::new(candidate, 1.0, Similarities::default(), Outcome::Accepted)
    });
    pairs.extend(added);
    pairs.sort_unstable_by_key(|judged| judged.pair);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrections::Corrections;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn a_pin_takes_its_pages_from_others_and_a_forbidden_pair_is_none() {
        let pages = ["x.org/a", "x.org/b", "x.org/c"].map(|url| (url, "en", ""));
        let others = ["x.org/d", "x.org/e", "x.org/f"].map(|url| (url, "fr", ""));
        let site = ListedSite::new(&[pages, others].concat());
        let text = "pin\tx.org/a\tx.org/e\nforbid\tx.org/c\tx.org/f\npin\tx.org/a\tx.org/b\n";
        let said = Corrections::parse(text).expect("a sound text").of_site(["x.org"].into_iter());
        let view = site.view().corrected(said);
        let accepted = |(a, b)| {
            let pair = view.ordered(a, b).expect("two languages");
            JudgedPair::new(
                Candidate { pair, method: Method::All, key: None },
                0.9,
                Default::default(),
                Outcome::Accepted,
            )
        };
        let mut pairs: Vec<JudgedPair> = [(0, 3), (1, 4), (2, 5)].map(accepted).to_vec();
        impose(&view, &mut pairs);
        let found: Vec<_> = pairs.iter().map(|one| (one.pair.a, one.pair.b, one.outcome)).collect();
        use Outcome::{Accepted, Forbidden, LostToBetter};
        assert_eq!(found, [(0, 3, LostToBetter), (0, 4, Accepted), (1, 4, LostToBetter), (2, 5, Forbidden)]);
        assert_eq!(pairs[1].method, Method::Pinned);
        assert!(view.is_stated(4) && !view.is_stated(3));
    }
}
