//! The texts of a site that can be a side of a key, so that sites with a text are found without reading their URLs.

use rustc_hash::FxHashSet;

use crate::index::site::Urls;
use crate::text::tokens::Anatomy;

/// Texts of a site, as hashes: spans of tokens with a letter, and not long. Where this is changed, the mark of the token index
/// (`store::token_index`) gets another version.
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

    /// What stands for a site of which not all texts are kept: no text.
    pub const NOT_ALL: &str = "";

    /// None yet, of a site of so many URLs; `hash` is how a text is kept.
    pub fn new(urls: usize, hash: fn(&str) -> u64) -> Sides {
        let is_sample = Sides::step(urls) > 1;
        let hashes = is_sample.then(|| hash(Self::NOT_ALL)).into_iter().collect();
        Sides { anatomy: Anatomy::default(), hash, hashes }
    }

    /// True of a text that is kept of every site that has it, unless [`Sides::NOT_ALL`] is kept of the site.
    pub fn keeps(text: &str, hash: fn(&str) -> u64) -> bool {
        let mut sides = Sides::new(1, hash);
        // As a part of a segment: of whole segments, longer runs of tokens are kept too.
        sides.add(&format!("a.test/x-{text}-x"));
        sides.hashes.contains(&hash(text))
    }

    /// The texts of a site's URLs; `hash` is how a text is kept.
    pub fn of(urls: &impl Urls, hash: fn(&str) -> u64) -> Sides {
        let mut sides = Sides::new(urls.count() as usize, hash);
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
        let is_full = self.hashes.len() >= Self::MAX_TEXTS;
        if is_full || !self.anatomy.read(identity, Default::default()) {
            self.hashes.insert((self.hash)(Self::NOT_ALL));
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
        let mut sides = Sides::new(1, hash);
        sides.add("fr.example.org/docs/2024/a-text-that-is-far-too-long");
        for (text, is_kept) in [("fr", true), ("docs", true), ("2024", false), ("a-text-that-is-far", false)] {
            assert_eq!(sides.hashes.contains(&hash(text)), is_kept, "{text}");
        }
        assert_eq!((Sides::step(5), Sides::step(3 * Sides::MAX_URLS)), (1, 3));
        let all = |sides: &Sides| !sides.hashes.contains(&hash(Sides::NOT_ALL));
        assert!(all(&sides) && !all(&Sides::new(3 * Sides::MAX_URLS, hash)));
        for number in 0..Sides::MAX_TEXTS {
            sides.add(&format!("a.test/x{number}"));
        }
        assert!(!all(&sides));
        for (text, is_kept) in [
            ("fr", true),
            ("en-us", true),
            ("2024", false),
            ("a-text-that-is-far", false),
            ("a-b-c-d-e", false),
            ("", false),
        ] {
            assert_eq!(Sides::keeps(text, hash), is_kept, "{text}");
        }
    }
}
