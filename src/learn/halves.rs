//! Training pairs in two halves, so that what a pair taught does not speak for the pair itself.

use xxhash_rust::xxh3::xxh3_64;

/// Two words that translate each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurePair {
    /// Hash of the word of the first language.
    pub a: u64,
    /// Hash of that of the second.
    pub b: u64,
    /// t(b|a).
    pub forth: f32,
    /// t(a|b).
    pub back: f32,
}

/// Translations to look up for the pages of each half, by the hashes of their words: learnt from the other one.
pub type Halves = [Vec<SurePair>; 2];

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
