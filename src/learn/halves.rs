//! Training pairs in two halves, so that what a pair taught does not speak for the pair itself.

use xxhash_rust::xxh3::xxh3_64;

/// Translations, as hashes of words, to look up for the pages of each half: learnt from the other one.
pub type Halves = [Vec<(u64, u64)>; 2];

/// Which half the pair of a page of the first language belongs to, by its URL without scheme.
pub fn half_of(identity: &str) -> usize {
    (xxh3_64(identity.as_bytes()) & 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_as_many_pages_are_in_either_half() {
        let second: usize = (0..1000).map(|page| half_of(&format!("x.org/{page}"))).sum();
        assert!((450..550).contains(&second), "{second}");
    }
}
