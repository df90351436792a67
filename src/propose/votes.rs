//! Votes: accepted pairs vote for the pairs that their aligned links lead to, and the versions of one page vote for each other.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::aligned_links;
use super::network::Network;
use super::partners::Partners;
use crate::types::{JudgedPair, LangPair, PagePair};
use crate::verify::{PageIds, SiteView};

/// The votes that the accepted pairs of a site cast.
#[derive(Clone, Debug, Default)]
pub struct Votes {
    of_pair: BTreeMap<PagePair, u32>,
    /// All votes for pairs that a page is in.
    of_page: FxHashMap<(LangPair, u32), u32>,
}

/// Added to the votes of a page when a share of them is computed, so that one vote of one counts less than twenty of twenty.
const SMOOTHING: f32 = 0.5;

impl Votes {
    /// Aligns the links of all accepted pairs: each pair of aligned targets gets a vote. Two partners of one page, in two other languages,
    /// get a vote too. `ordered` puts two pages into the order of their languages. Cost: that of aligning, and for each page the square of
    /// its versions.
    pub fn cast(
        accepted: &[JudgedPair],
        network: &Network,
        params: &aligned_links::Params,
        ordered: &dyn Fn(u32, u32) -> Option<PagePair>,
    ) -> Votes {
        let mut believed: FxHashMap<LangPair, FxHashMap<u32, (u32, f32)>> = FxHashMap::default();
        for JudgedPair { pair: PagePair { langs, a, b }, score, .. } in accepted {
            let of = believed.entry(*langs).or_default();
            of.insert(*a, (*b, *score));
            of.insert(*b, (*a, *score));
        }
        let ballots = accepted.par_iter().map(|judged| {
            let PagePair { langs, a, b } = judged.pair;
            let partners = &believed[&langs];
            let believed = |page: u32| partners.get(&page).copied();
            let mut aligned = aligned_links::align(network.links(a), network.links(b), &believed, params);
            // A pair does not vote for its own pages.
            aligned.retain(|&(x, y)| x != a && y != b);
            aligned
        });
        let ballots: Vec<Vec<PageIds>> = ballots.collect();
        let mut votes = Votes::default();
        for (judged, ballot) in accepted.iter().zip(&ballots) {
            let langs = judged.pair.langs;
            ballot.iter().for_each(|&(a, b)| votes.add(PagePair { langs, a, b }));
        }
        let mut versions_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for PagePair { a, b, .. } in accepted.iter().map(|judged| judged.pair) {
            versions_of.entry(a).or_default().push(b);
            versions_of.entry(b).or_default().push(a);
        }
        for versions in versions_of.values() {
            for (at, &x) in versions.iter().enumerate() {
                versions[at + 1..].iter().filter_map(|&y| ordered(x, y)).for_each(|pair| votes.add(pair));
            }
        }
        votes
    }

    fn add(&mut self, pair: PagePair) {
        *self.of_pair.entry(pair).or_default() += 1;
        *self.of_page.entry((pair.langs, pair.a)).or_default() += 1;
        *self.of_page.entry((pair.langs, pair.b)).or_default() += 1;
    }

    /// The votes for a pair divided by those of the one of its pages that has more votes (plus ½); `None` where neither page has any.
    pub fn share(&self, pair: PagePair) -> Option<f32> {
        let of = |page: u32| self.of_page.get(&(pair.langs, page)).copied().unwrap_or(0);
        let most = of(pair.a).max(of(pair.b));
        let got = self.of_pair.get(&pair).copied().unwrap_or(0);
        (most > 0).then(|| got as f32 / (most as f32 + SMOOTHING))
    }

    /// The pairs with at least this share of the votes, in order.
    pub fn elected(&self, min_share: f32) -> impl Iterator<Item = PagePair> + '_ {
        let has_votes = move |pair: &PagePair| self.share(*pair).is_some_and(|share| share >= min_share);
        self.of_pair.keys().copied().filter(has_votes)
    }
}

/// Accepted pairs that speak for one pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// Accepted pairs whose aligned links lead to the pair.
    pub voters: Vec<PageIds>,
    /// Pages that are accepted as versions of both pages.
    pub versions: Vec<u32>,
    /// Neighbours of the first page, each with its accepted partner among the neighbours of the second.
    pub neighbours: Vec<PageIds>,
    /// How many neighbours of the first page, and of the second, have any accepted partner.
    pub with_partner: (usize, usize),
}

/// What speaks for a pair of pages among accepted pairs. The links of pairs that link to both pages are aligned anew. In iteration the
/// votes were cast before pairs were judged for the last time, so a few may differ.
pub fn support(
    site: &SiteView<'_>,
    params: &aligned_links::Params,
    judged: &[JudgedPair],
    requested: PagePair,
) -> Support {
    let PagePair { langs, a, b } = requested;
    let network = Network::new(site);
    let mut partners = Partners::default();
    let mut scores: FxHashMap<u32, f32> = FxHashMap::default();
    let mut pairs: Vec<PageIds> = Vec::new();
    // Versions of the two pages, in any language.
    let mut versions: (Vec<u32>, Vec<u32>) = Default::default();
    for JudgedPair { pair, score, .. } in judged.iter().filter(|judged| judged.is_accepted()) {
        for (of, page) in [(&mut versions.0, a), (&mut versions.1, b)] {
            of.extend((pair.a == page).then_some(pair.b).or((pair.b == page).then_some(pair.a)));
        }
        if site.ordered(pair.a, pair.b).is_some_and(|known| known.langs == langs) {
            partners.add(*pair);
            scores.extend([(pair.a, *score), (pair.b, *score)]);
            pairs.push((pair.a, pair.b));
        }
    }
    let believed = |page: u32| Some((partners.get(langs, page)?, scores[&page]));
    let leads_to = |from: u32, to: u32| from != to && network.links(from).iter().any(|link| link.to == to);
    let mut voters: Vec<PageIds> = pairs.into_iter().filter(|&(x, y)| leads_to(x, a) && leads_to(y, b)).collect();
    voters.retain(|&(x, y)| {
        aligned_links::align(network.links(x), network.links(y), &believed, params).contains(&(a, b))
    });
    voters.sort_unstable();
    versions.0.retain(|page| versions.1.contains(page));
    versions.0.sort_unstable();
    let (of_a, of_b) = (network.neighbours().of(a), network.neighbours().of(b));
    let partner = |page: &u32| partners.get(langs, *page);
    let with_partner = (of_a.iter().filter_map(partner).count(), of_b.iter().filter_map(partner).count());
    let common = |&x: &u32| Some((x, partner(&x).filter(|y| of_b.binary_search(y).is_ok())?));
    Support { voters, versions: versions.0, neighbours: of_a.iter().filter_map(common).collect(), with_partner }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Candidate, Method, Outcome, Similarities};
    use crate::verify::fixture::ListedSite;

    fn accepted(pair: PagePair) -> JudgedPair {
        let candidate = Candidate { pair, method: Method::Key, key: Some(0) };
        JudgedPair::new(candidate, 0.9, Similarities::default(), Outcome::Accepted)
    }

    #[test]
    fn two_translations_of_one_page_vote_for_each_other() {
        let site = ListedSite::new(&[("x.org/a", "en", ""), ("x.org/b", "fr", ""), ("x.org/c", "de", "")]);
        let view = site.view();
        let ordered = |x: u32, y: u32| view.ordered(x, y);
        let pairs = [ordered(0, 1), ordered(0, 2)].map(|pair| accepted(pair.expect("two languages")));
        let votes = Votes::cast(&pairs, &Network::new(&view), &aligned_links::Params::default(), &ordered);
        let expected = ordered(1, 2).expect("two languages");
        assert_eq!(votes.elected(0.5).collect::<Vec<_>>(), [expected]);
        // One vote of one, plus ½.
        assert_eq!(votes.share(expected), Some(1.0 / 1.5));
        assert_eq!(votes.share(PagePair { a: 7, ..expected }), Some(0.0));
    }

    #[test]
    fn aligned_links_vote_for_what_they_lead_to() {
        let pages = ["en/a", "en/b", "en/c", "fr/a", "fr/b", "fr/c"].map(|url| (url, &url[..2], ""));
        let site = ListedSite::new(&pages).link(0, 1).link(0, 2).link(3, 4).link(3, 5);
        let view = site.view();
        let of = |a, b| view.ordered(a, b).expect("two languages");
        let params = aligned_links::Params::default();
        let votes = Votes::cast(&[accepted(of(0, 3))], &Network::new(&view), &params, &|x, y| view.ordered(x, y));
        assert_eq!(votes.elected(0.3).collect::<Vec<_>>(), [of(1, 4), of(2, 5)]);
        assert_eq!(votes.share(of(1, 5)), Some(0.0));
        let support = support(&view, &params, &[accepted(of(0, 3))], of(1, 4));
        assert_eq!(support.voters, [(0, 3)]);
        assert_eq!((support.neighbours, support.with_partner), (vec![(0, 3)], (1, 1)));
    }
}
