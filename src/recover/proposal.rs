//! The keys that can make URLs, and the URLs that they make.

use std::cmp::Ordering;

use crate::types::{Key, KeyScope, Lang};

/// A key that can make URLs: it is strong or rescued and was assigned pairs.
#[derive(Clone, Debug)]
pub struct ActiveKey {
    /// The key.
    pub key: Key,
    /// Local credibility C(p, w).
    pub credibility: f64,
    /// Pages among which it was found.
    pub scope: KeyScope,
    /// Its assigned pairs: pages in its first and in its second language.
    pub pairs: Vec<(u32, u32)>,
}

/// The URL that the missing partner of a page would have.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The URL, without scheme.
    pub identity: String,
    /// The language the partner would be in.
    pub lang: Lang,
    /// The page without a partner.
    pub page: u32,
    /// Position of the key among the keys that made URLs.
    pub key: usize,
    /// Local credibility of the key.
    pub credibility: f64,
    /// How often the key's known pairs have their partner at this place, 0..=1.
    pub place_share: f64,
    /// How likely the URL is to exist, 0..=1: as likely as the counterparts of the pages near its page, times `place_share`; after
    /// [`super::weigh`], corrected by links.
    pub chance: f64,
    /// Whether any page links to it; false until [`super::weigh`].
    pub is_linked: bool,
}

impl Proposal {
    /// The order of proposals: the likeliest first, then by the credibility of the key, then by page, key and URL.
    pub(super) fn order(&self, other: &Proposal) -> Ordering {
        let by_trust = other.chance.total_cmp(&self.chance).then(other.credibility.total_cmp(&self.credibility));
        by_trust
            .then((self.page, self.key).cmp(&(other.page, other.key)))
            .then_with(|| self.identity.cmp(&other.identity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_comes_first_then_the_most_credible_then_page_key_and_url() {
        let proposal = |chance: f64, credibility: f64, page: u32, identity: &str| Proposal {
            identity: identity.into(),
            lang: Lang::EN,
            page,
            key: 0,
            credibility,
            place_share: 1.0,
            chance,
            is_linked: false,
        };
        let expected = [
            proposal(0.9, 0.1, 9, "z"),
            proposal(0.5, 0.8, 9, "z"),
            proposal(0.5, 0.2, 1, "z"),
            proposal(0.5, 0.2, 2, "a"),
            proposal(0.5, 0.2, 2, "b"),
        ];
        let mut found = expected.clone();
        found.reverse();
        found.sort_by(Proposal::order);
        assert_eq!(found, expected);
    }
}
