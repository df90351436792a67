//! Which page pairs of two languages are learnt from: a sample that depends neither on the order in which archives came nor on
//! the numbers that sites and pages have, and of a bounded size.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::types::{PagePair, SiteId};

/// A page pair that may be learnt from. Those with the smallest hashes are
/// ([`Smallest`](crate::index::smallest::Smallest)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampledPair {
    /// [`hash_of`] its URLs.
    pub hash: u64,
    /// Digests of what the two pages hold.
    pub digests: (u64, u64),
    /// The site of both pages.
    pub site: SiteId,
    /// The pages.
    pub pair: PagePair,
    /// References to their records.
    pub places: (u64, u64),
}

/// A hash of the URLs of a page pair, without their schemes, and of nothing else.
pub fn hash_of(identity_a: &str, identity_b: &str) -> u64 {
    xxh3_64([identity_a, "\0", identity_b].concat().as_bytes())
}

/// A hash that tells one sample from another by its URLs and what the pages hold.
pub fn input_hash(sample: &[SampledPair]) -> u64 {
    let mut hasher = Xxh3::new();
    for sampled in sample {
        for number in [sampled.hash, sampled.digests.0, sampled.digests.1] {
            hasher.update(&number.to_le_bytes());
        }
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::smallest::Smallest;
    use crate::types::{Lang, LangPair};

    fn sample(numbers: impl Iterator<Item = u32>, shift: u32) -> Vec<SampledPair> {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let mut sample = Smallest::new(5);
        sample.extend(numbers.map(|n| SampledPair {
            hash: hash_of(&format!("x.org/en/{n}"), &format!("x.org/zh/{n}")),
            digests: (u64::from(n), 7),
            site: SiteId(shift),
            pair: PagePair { langs, a: n + shift, b: n + 100 + shift },
            places: (0, 0),
        }));
        sample.into_sorted()
    }

    #[test]
    fn a_sample_depends_on_urls_and_contents_alone() {
        let (one, other) = (sample(0..30, 0), sample((0..30).rev(), 9));
        assert_eq!(
            one.iter().map(|pair| pair.hash).collect::<Vec<_>>(),
            other.iter().map(|pair| pair.hash).collect::<Vec<_>>()
        );
        assert_eq!(input_hash(&one), input_hash(&other));
        let mut changed = one.clone();
        changed[2].digests.1 += 1;
        assert_ne!(input_hash(&one), input_hash(&changed));
        assert_ne!(hash_of("a", "bc"), hash_of("ab", "c"));
    }
}
