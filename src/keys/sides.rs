//! The texts of a site that can be a side of a key, so that sites with a text are found without reading their URLs.

use rustc_hash::FxHashSet;

use crate::index::site::Urls;
use crate::text::tokens::Anatomy;

/// Texts of a site, as hashes: spans of tokens with a letter, and not long.
pub struct Sides {
    anatomy: Anatomy,
    hash: fn(&str) -> u64,
    /// The hashes.
    pub hashes: FxHashSet<u64>,
}

impl Sides {
    /// Longest text kept, in bytes.
    const MAX_BYTES: usize = 16;
    /// Tokens of the longest span kept, as in [`super::Params::max_span_tokens`].
    const MAX_TOKENS: usize = 4;
    /// Texts kept of a site.
    const MAX_TEXTS: usize = 1 << 14;
    /// URLs looked at, spread over a site: a side of a key that matters stands in many.
    const MAX_URLS: usize = 1 << 14;

    /// None yet; `hash` is how a text is kept.
    pub fn new(hash: fn(&str) -> u64) -> Sides {
        Sides { anatomy: Anatomy::default(), hash, hashes: FxHashSet::default() }
    }

    /// The texts of a site's URLs; `hash` is how a text is kept.
    pub fn of(urls: &impl Urls, hash: fn(&str) -> u64) -> Sides {
        let mut sides = Sides::new(hash);
        for page in (0..urls.count()).step_by(Sides::step(urls.count() as usize)) {
            sides.add(urls.identity(page));
        }
        sides
    }

    /// Of so many URLs, the step from one that is looked at to the next.
    pub fn step(urls: usize) -> usize {
        urls.div_ceil(Self::MAX_URLS).max(1)
    }

    /// Adds the texts of a URL.
    pub fn add(&mut self, identity: &str) {
        if self.hashes.len() >= Self::MAX_TEXTS || !self.anatomy.read(identity, Default::default()) {
            return;
        }
        for segment in self.anatomy.segments() {
            let spans = self.anatomy.spans(segment, Self::MAX_TOKENS);
            for span in spans.filter(|span| span.len() <= Self::MAX_BYTES) {
                let text = self.anatomy.text(span);
                if text.bytes().any(|b| b.is_ascii_alphabetic()) {
                    self.hashes.insert((self.hash)(text));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_site_are_those_that_can_be_a_side_of_a_key() {
        let hash = |text: &str| xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        let mut sides = Sides::new(hash);
        sides.add("fr.example.org/docs/2024/a-text-that-is-far-too-long");
        for (text, is_kept) in [("fr", true), ("docs", true), ("2024", false), ("a-text-that-is-far", false)] {
            assert_eq!(sides.hashes.contains(&hash(text)), is_kept, "{text}");
        }
        assert_eq!((Sides::step(5), Sides::step(3 * Sides::MAX_URLS)), (1, 3));
    }
}
