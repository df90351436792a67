//! External similarity, computed from accepted pairs.

use crate::index::graph::Neighbours;

/// The share of the neighbours of two pages that are partners of each other:
///
/// S_ext(a, b) = (2·Σ_{x ∈ PG(a), M(x) ∈ PG(b)} w(x) + 1) / (Σ_{x ∈ PG(a), M(x)} w(x) + Σ_{y ∈ PG(b), M(y)} w(y) + 2),
///
/// where M(x) is the accepted partner of x. This is Liu et al. (2014, eq. 3, Algorithm 1) with four departures: partners are the accepted
/// ones, so that no search for the best pairs is needed; neighbours without a partner do not count, since archives are never complete; and
/// popular pages count less, w(x) = ln((N + 1)/(|PG(x)| + 1)) (eq. 6, c = 1); and a neighbour of one nat on each side is added that speaks
/// neither for the pair nor against it, so that one page to which everything links is little evidence. `None` where no neighbour of one of
/// the two pages has a partner: then it is not known where translations of its links would lead. Cost: the neighbours of both.
pub fn share((a, b): (u32, u32), graph: &Neighbours, partner: &dyn Fn(u32) -> Option<u32>) -> Option<f32> {
    let weight = |page: u32| ((f64::from(graph.count()) + 1.0) / (graph.of(page).len() as f64 + 1.0)).ln();
    let (mut all, mut common) = (0.0, 0.0);
    let is_known = |page: u32| graph.of(page).iter().any(|&x| partner(x).is_some());
    if !is_known(a) || !is_known(b) {
        return None;
    }
    for &x in graph.of(a) {
        if let Some(y) = partner(x) {
            let weight = weight(x);
            all += weight;
            if graph.of(b).binary_search(&y).is_ok() {
                common += weight;
            }
        }
    }
    for &y in graph.of(b) {
        if let Some(x) = partner(y) {
            let weight = weight(y);
            all += weight;
            if graph.of(a).binary_search(&x).is_ok() {
                common += weight;
            }
        }
    }
    // Half of what is added on either side counts as common.
    Some(((common + 1.0) / (all + 2.0)) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_among_the_neighbours_count() {
        // Pages 0, 1, 2 in one language, 3, 4, 5 in the other; 1–4 and 2–5 are partners.
        let graph = Neighbours::new(6, vec![(0, 1), (0, 2), (3, 4), (3, 5)]);
        let all = |page: u32| [None, Some(4), Some(5), None, Some(1), Some(2)][page as usize];
        // All have one neighbour or two: 1, 2, 4 and 5 weigh ln(7/2).
        let weight = 3.5f64.ln();
        let found = |partner: &dyn Fn(u32) -> Option<u32>| share((0, 3), &graph, partner).expect("partners");
        assert!((f64::from(found(&all)) - (4.0 * weight + 1.0) / (4.0 * weight + 2.0)).abs() < 1e-6);
        let crossed = |page: u32| [None, Some(4), Some(0), None, Some(1), None][page as usize];
        // 1–4 match both ways; 2 has its partner elsewhere.
        assert!((f64::from(found(&crossed)) - (2.0 * weight + 1.0) / (3.0 * weight + 2.0)).abs() < 1e-6);
        assert_eq!(share((0, 3), &graph, &|_| None), None);
        // Pages 1 and 2 have partners elsewhere; no neighbour of 3 has a partner.
        let of_one = |page: u32| [None, Some(9), Some(10), None, None, None][page as usize];
        assert_eq!(share((0, 3), &graph, &of_one), None);
    }
}
