//! Chooses the page pairs of two languages from which alignment learns: a sample of limited size that depends neither on the order in which
//! archives were read nor on the numbers of sites and pages.

use xxhash_rust::xxh3::Xxh3;

use super::params::TrainParams;
use crate::types::{PagePair, SiteId};

/// A page pair that may be in the sample. The pairs with the smallest hashes are chosen ([`Smallest`](crate::index::smallest::Smallest)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampledPair {
    /// [`hash_of_pair`](crate::index::site::hash_of_pair) of its URLs.
    pub hash: u64,
    /// Digests of the contents of the two pages.
    pub digests: (u64, u64),
    /// The site of both pages.
    pub site: SiteId,
    /// The pages.
    pub pair: PagePair,
    /// References to their records.
    pub places: (u64, u64),
    /// Bytes of their text.
    pub bytes: u64,
}

/// From how many page pairs of a sample, from its beginning, words are learnt, and how many of the following ones are also used for
/// calibration.
///
/// Words are learnt from as many pages as have [`max_words`](crate::lexicon::LearnParams::max_words); if there are many pairs, from a
/// sixteenth of all pairs, but from at most five times as many words. Scores are calibrated both with pairs from which words were learnt
/// and with other pairs, in the same proportion as among all `total` pairs of the two languages: on pages from which words were not learnt,
/// words give less evidence.
pub fn portions(sample: &[SampledPair], total: u64, params: &TrainParams) -> (usize, usize) {
    /// Bytes that a word takes on a page, space included.
    const WORD_BYTES: u64 = 6;
    /// Where there are many page pairs, words are learnt from at most this many times as many words.
    const MOST_TIMES: u64 = 5;
    /// One in this many page pairs is learnt from.
    const LEARNT_OF: u64 = 16;
    let (max_bytes, enough) = (params.words.max_words as u64 * WORD_BYTES, total / LEARNT_OF);
    let mut bytes = 0;
    let mut learnt = 0;
    while learnt < sample.len().min(params.max_pages)
        && (bytes < max_bytes || (learnt as u64) < enough && bytes < MOST_TIMES * max_bytes)
    {
        bytes = u64::saturating_add(bytes, sample[learnt].bytes);
        learnt += 1;
    }
    let others = 1.0 - learnt as f64 / total.max(1) as f64;
    let held_out = (params.calibrate_pages as f64 * others.max(0.0)).round() as usize;
    (learnt, held_out.min(sample.len() - learnt))
}

/// A hash of a sample: of its URLs, of the contents of the pages, and of the number of pairs from which words are learnt.
pub fn input_hash(sample: &[SampledPair], learnt: usize) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&(learnt as u64).to_le_bytes());
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
    use crate::index::site::hash_of_pair;
    use crate::index::smallest::Smallest;
    use crate::types::{Lang, LangPair};

    fn sample(numbers: impl Iterator<Item = u32>, shift: u32) -> Vec<SampledPair> {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let mut sample = Smallest::new(5);
        sample.extend(numbers.map(|n| SampledPair {
            hash: hash_of_pair(&format!("x.org/en/{n}"), &format!("x.org/zh/{n}")),
            digests: (u64::from(n), 7),
            site: SiteId(shift),
            pair: PagePair { langs, a: n + shift, b: n + 100 + shift },
            places: (0, 0),
            bytes: 1000,
        }));
        sample.into_sorted()
    }

    #[test]
    fn words_are_learnt_from_few_pages_and_scores_are_calibrated_to_those_they_are_for() {
        let sample = Vec::from_iter(sample(0..30, 0).into_iter().cycle().take(40));
        let mut params = TrainParams { max_pages: 20, calibrate_pages: 10, ..TrainParams::default() };
        // Five pairs of 1,000 bytes contain this many words.
        params.words.max_words = 5 * 1000 / 6;
        assert_eq!(portions(&sample, 40, &params), (5, 9));
        assert_eq!(portions(&sample[..5], 5, &params), (5, 0));
        assert_eq!(portions(&sample[..3], 3, &params), (3, 0));
        assert_eq!(portions(&sample, 16 * 8, &params), (8, 9));
        assert_eq!(portions(&sample, 16 * 1000, &params), (20, 10));
        assert_eq!(portions(&[], 0, &params), (0, 0));
    }

    #[test]
    fn a_sample_depends_on_urls_and_contents_alone() {
        let (one, other) = (sample(0..30, 0), sample((0..30).rev(), 9));
        assert_eq!(
            one.iter().map(|pair| pair.hash).collect::<Vec<_>>(),
            other.iter().map(|pair| pair.hash).collect::<Vec<_>>()
        );
        assert_eq!(input_hash(&one, 3), input_hash(&other, 3));
        let mut changed = one.clone();
        changed[2].digests.1 += 1;
        assert_ne!(input_hash(&one, 3), input_hash(&changed, 3));
        assert_ne!(input_hash(&one, 3), input_hash(&one, 2));
        assert_ne!(hash_of_pair("a", "bc"), hash_of_pair("ab", "c"));
    }
}
