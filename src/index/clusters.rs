//! Sets that are joined pairwise.

/// Sets of the numbers below a limit; at first each number is a set of its own.
#[derive(Clone, Debug)]
pub struct Clusters {
    /// A smaller number of the same set, or the number itself if it is the smallest.
    parents: Vec<u32>,
}

impl Clusters {
    /// The sets of the numbers below `count`.
    pub fn new(count: u32) -> Clusters {
        Clusters { parents: (0..count).collect() }
    }

    /// The smallest number of the set of a number, which is the same for all its members. Panics for a number that is not below the limit.
    pub fn root(&mut self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            let parent = self.parents[at as usize];
            self.parents[at as usize] = self.parents[parent as usize];
            at = parent;
        }
        at
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The sets of two numbers or more, each in order, and in the order of their smallest numbers.
    pub fn members(mut self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.parents.len()];
        (0..self.parents.len() as u32).for_each(|at| members[self.root(at) as usize].push(at));
        members.retain(|of| of.len() > 1);
        members
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_are_those_that_a_walk_over_all_joins_finds(joined in proptest::collection::vec((0u32..20, 0u32..20), 0..20)) {
            let mut clusters = Clusters::new(20);
            joined.iter().for_each(|&(a, b)| clusters.join(a, b));
            let walked = |from: u32| {
                let mut found = BTreeSet::from([from]);
                for _ in 0..joined.len() {
                    let met: Vec<(u32, u32)> =
                        joined.iter().copied().filter(|(a, b)| found.contains(a) || found.contains(b)).collect();
                    found.extend(met.into_iter().flat_map(|(a, b)| [a, b]));
                }
                found.into_iter().collect::<Vec<u32>>()
            };
            let expected: BTreeSet<Vec<u32>> = (0..20).map(walked).filter(|of| of.len() > 1).collect();
            prop_assert!((0..20).all(|at| clusters.root(at) == walked(at)[0]));
            prop_assert_eq!(clusters.members(), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
