//! Who speaks for a pair: the accepted pairs whose aligned links lead to it, and the neighbours of it that are partners.

use rustc_hash::FxHashMap;

use super::candidates::Partners;
use super::network::Network;
use super::site::{PageIds, SiteView};
use crate::config::Config;
use crate::iterate::propose::{self, Belief};
use crate::types::{JudgedPair, PagePair};

/// What the accepted pairs of a site say of one pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// Accepted pairs whose links, aligned, lead to it.
    pub voters: Vec<PageIds>,
    /// Pages of a third language that both are accepted translations of.
    pub versions: Vec<u32>,
    /// Neighbours of the first page and of the second that are accepted as partners of each other.
    pub neighbours: Vec<PageIds>,
    /// How many neighbours of each page have a partner at all.
    pub with_partner: (usize, usize),
}

/// What accepted pairs say of a pair of pages. Links are aligned anew, those of pairs that
/// link to both pages. Iteration asked the pairs of its last round, which may differ from those it left by a few.
pub fn support(view: &SiteView<'_>, config: &Config, judged: &[JudgedPair], asked: PagePair) -> Support {
    let PagePair { langs, a, b } = asked;
    let network = Network::new(view);
    let mut partners = Partners::default();
    let mut scores: FxHashMap<PageIds, f32> = FxHashMap::default();
    // Translations of the two pages, in whatever language.
    let mut versions: (Vec<u32>, Vec<u32>) = Default::default();
    for JudgedPair { pair, score, .. } in judged.iter().filter(|judged| judged.is_accepted()) {
        for (of, page) in [(&mut versions.0, a), (&mut versions.1, b)] {
            of.extend((pair.a == page).then_some(pair.b).or((pair.b == page).then_some(pair.a)));
        }
        if view.ordered(pair.a, pair.b).is_some_and(|known| known.langs == langs) {
            partners.add(*pair);
            scores.insert((pair.a, pair.b), *score);
        }
    }
    let belief = |x: u32, y: u32| match scores.get(&(x, y)) {
        Some(&score) => Belief::Pair(score),
        None if partners.has(langs, x) || partners.has(langs, y) => Belief::Otherwise,
        None => Belief::Open,
    };
    let leads_to = |from: u32, to: u32| from != to && network.links(from).iter().any(|link| link.to == to);
    let mut voters: Vec<PageIds> = scores.keys().copied().filter(|&(x, y)| leads_to(x, a) && leads_to(y, b)).collect();
    voters.retain(|&(x, y)| {
        propose::align(network.links(x), network.links(y), &belief, &config.iterate.propose).contains(&(a, b))
    });
    voters.sort_unstable();
    versions.0.retain(|page| versions.1.contains(page));
    versions.0.sort_unstable();
    let (of_a, of_b) = (network.neighbours(langs.a).of(a), network.neighbours(langs.b).of(b));
    let partner = |page: &u32| partners.get(langs, *page);
    let with_partner = (of_a.iter().filter_map(partner).count(), of_b.iter().filter_map(partner).count());
    let common = |&x: &u32| Some((x, partner(&x).filter(|y| of_b.binary_search(y).is_ok())?));
    Support { voters, versions: versions.0, neighbours: of_a.iter().filter_map(common).collect(), with_partner }
}
