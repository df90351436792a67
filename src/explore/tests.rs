//! Ranks compared with values computed by hand, and with the series that PageRank sums up.

use super::*;
use crate::index::web::ListedWeb;
use proptest::prelude::*;

/// Three seeds: A → B, C; B → C; C → A. Site 3 is stored but not a seed; sites 4 and 5 are outside the store.
fn web() -> (ListedWeb, Vec<bool>) {
    let links = vec![(0, 1, 1), (0, 2, 4), (0, 4, 2), (1, 2, 1), (1, 3, 1), (1, 5, 1), (2, 0, 1), (2, 4, 1), (3, 5, 9)];
    (ListedWeb { stored: 4, count: 6, links }, vec![true, true, true, false])
}

/// By hand: a = 0.05 + 0.85·c, b = 0.05 + 0.85·a/2, c = 0.05 + 0.85·(a/2 + b), so that a = 0.128625/0.3316875.
#[test]
fn ranks_by_hand() {
    let (web, seeds) = web();
    let credibility = |site: u32| [0.5, 1.0, 0.25, 0.0][site as usize];
    let ranks = rank(&web, &credibility, &seeds, &Params::default());
    let linkout: Vec<u32> = ranks.iter().map(|rank| rank.linkout).collect();
    assert_eq!(linkout, [2, 1, 1, 0]);
    let a = 0.128_625 / 0.331_687_5;
    let b = 0.05 + 0.425 * a;
    let expected = [a, b, 0.05 + 0.425 * a + 0.85 * b, 0.0];
    for (site, (rank, expected)) in ranks.iter().zip(expected).enumerate() {
        assert!((rank.pagerank - expected).abs() < 1e-11, "{rank:?}");
        assert!((rank.weighted - expected * credibility(site as u32)).abs() < 1e-11, "{rank:?}");
    }
    let by = |by| next(&web, &ranks, &seeds, by).iter().map(|next| next.site).collect::<Vec<_>>();
    // Site 4: Linkout 2 + 1, weighted 0.194 + 0.099. Site 5: Linkout 1, weighted 0.215; the links from site 3 do not count.
    assert_eq!((by(By::Linkout), by(By::PageRank), by(By::Weighted)), (vec![4, 5], vec![4, 5], vec![4, 5]));
    let first = next(&web, &ranks, &seeds, By::Linkout)[0];
    assert_eq!((first.seeds, first.links, first.linkout), (2, 3, 3));
    assert!((first.pagerank - (expected[0] + expected[2])).abs() < 1e-11);
    // C(b) = 1 and C(a) = C(c) = 0.1 reverse the order.
    let ranks = rank(&web, &|site| [0.1, 1.0, 0.1, 0.0][site as usize], &seeds, &Params::default());
    assert_eq!(next(&web, &ranks, &seeds, By::Weighted)[0].site, 5);
}

proptest! {
    /// Compares with the sum over all paths: PageRank = r/N · Σ_k (1 − r)^k · (transposed transitions)^k · 1.
    #[test]
    fn iterating_is_the_series(edges in proptest::collection::btree_set((0u32..8, 0u32..8), 0..40)) {
        let links: Vec<(u32, u32, u32)> =
            edges.into_iter().filter(|(from, to)| from != to).map(|(from, to)| (from, to, 1)).collect();
        let web = ListedWeb { stored: 8, count: 8, links: links.clone() };
        let ranks = rank(&web, &|_| 1.0, &[true; 8], &Params::default());
        let out = |site: u32| links.iter().filter(|link| link.0 == site).count() as f64;
        let mut term = [0.15 / 8.0; 8];
        let mut sum = term;
        for _ in 0..250 {
            let mut next = [0.0; 8];
            for &(from, to, _) in &links {
                next[to as usize] += 0.85 * term[from as usize] / out(from);
            }
            term = next;
            sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
        }
        for (rank, sum) in ranks.iter().zip(sum) {
            prop_assert!((rank.pagerank - sum).abs() < 1e-10, "{} {}", rank.pagerank, sum);
        }
    }
}
