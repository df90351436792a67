//! Training pairs in two halves, so that what a pair has taught is not used to judge that pair.

use xxhash_rust::xxh3::xxh3_64;

/// Two words that translate each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurePair {
    /// Hash of the word of the first language.
    pub a: u64,
    /// Hash of the word of the second language.
    pub b: u64,
    /// t(b|a).
    pub forth: f32,
    /// t(a|b).
    pub back: f32,
}

/// For each half, the translations to look up for its pages; they were learnt from the other half. Words are hashes.
pub type Halves = [Vec<SurePair>; 2];

/// The half, 0 or 1, to which a pair belongs, by the URL (without scheme) of its page in the first language.
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
