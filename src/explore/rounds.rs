//! What a round of exploring has brought.

use std::collections::BTreeMap;

/// How many of the sites that a round requested are in the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// How many of them are in the store now.
    pub arrived: u32,
    /// How many of these have a pair.
    pub bilingual: u32,
    /// How many pairs they have.
    pub pairs: u64,
}

/// Counts the requested sites that have arrived. `pairs` gives the pairs of each site of the store, by its name.
pub fn arrivals(requested: &[String], pairs: &BTreeMap<String, u64>) -> Arrivals {
    let arrived = requested.iter().filter_map(|site| pairs.get(site));
    arrived.fold(Arrivals::default(), |sum, pairs| Arrivals {
        arrived: sum.arrived + 1,
        bilingual: sum.bilingual + u32::from(*pairs > 0),
        pairs: sum.pairs + pairs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_arrive_with_pairs_or_without() {
        let pairs = [("a.org", 4), ("b.org", 0), ("c.org", 9)].map(|(site, pairs)| (site.to_owned(), pairs));
        let requested = ["a.org", "b.org", "d.org"].map(str::to_owned);
        let expected = Arrivals { arrived: 2, bilingual: 1, pairs: 4 };
        assert_eq!(arrivals(&requested, &BTreeMap::from(pairs)), expected);
    }
}
