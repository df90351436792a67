//! Pairs of pages on their way: proposed, compared, judged.
//!
//! There is one type for each step, from the method that proposes a pair to the listing that shows it. The store writes them as rows of its
//! own form (`store/layout/judged.rs`) and turns these back when it reads them; nothing else knows that form.

use super::{Lang, LangPair, PagePair, Similarities, SiteId, coded};

coded! {
    /// What proposed a pair. Codes are stored: only append. Methods are ordered by trust ([`Method::BY_TRUST`]).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Method {
        /// A key that is strong or rescued.
        Key = 0, "key";
        /// A weak key.
        WeakKey = 1, "weak-key";
        /// A page declares the other as its translation.
        Hreflang = 2, "hreflang";
        /// The two pages link to each other.
        Link = 3, "link";
        /// Rare words, numbers, images and tags in common.
        Words = 4, "words";
        /// Aligned links of accepted pairs lead to the two pages, or both are accepted as versions of a third page.
        Votes = 5, "aligned-links";
        /// All pages of the site are compared with each other.
        All = 6, "all-pairs";
        /// Marks of languages, known from keys, in another place of the URL.
        Marks = 7, "marks";
        /// Numbered pages near the same place of their order.
        Order = 8, "order";
        /// A sitemap declares the two pages as versions of each other.
        Sitemap = 9, "sitemap";
        /// A person says that they are a pair.
        Pinned = 10, "pinned";
    }
}

impl Method {
    /// True for keys in use, marks and declarations. A contradiction in a third language does not outweigh what they propose, since that
    /// language may have the same page twice.
    pub fn is_declared(self) -> bool {
        matches!(self, Method::Key | Method::Marks | Method::Hreflang)
    }

    /// True for what proposes pages by their addresses, whatever these contain: keys in use, marks, declarations and the order of numbered
    /// pages.
    pub fn is_by_address(self) -> bool {
        self.is_declared() || self == Method::Order
    }

    /// Every method, the most trusted first.
    pub const BY_TRUST: [Method; 11] = {
        use Method::*;
        [Pinned, Key, Marks, Hreflang, Sitemap, WeakKey, Order, Link, Words, Votes, All]
    };
}

impl PartialOrd for Method {
    fn partial_cmp(&self, other: &Method) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Method {
    fn cmp(&self, other: &Method) -> std::cmp::Ordering {
        let place = |method: &Method| Method::BY_TRUST.iter().position(|known| known == method);
        place(self).cmp(&place(other))
    }
}

coded! {
    /// What judging decided about a pair. Codes are stored: only append.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Outcome {
        /// Taken for a pair of translations.
        Accepted = 0, "accepted";
        /// Its score is below the minimum.
        LowScore = 1, "low score";
        /// One of its pages has a better partner in that language.
        LostToBetter = 2, "lost to a better pair";
        /// Both sides have the same text.
        SameText = 3, "same text";
        /// More certain pairs make its pages versions of two different documents.
        Contradicted = 4, "contradicted";
        /// Its addresses belong together, but its contents do not translate each other: they are editions of different ages, or other texts.
        Edition = 5, "edition";
        /// A person says that it is no pair.
        Forbidden = 6, "forbidden";
    }
}

/// One proposed pair. Candidates are ordered by pair, then by the trust in what proposed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The two pages.
    pub pair: PagePair,
    /// What proposed it.
    pub method: Method,
    /// Position of its key among the keys of the site, if a key proposed it.
    pub key: Option<u32>,
}

/// A candidate with the values of its measures.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The candidate.
    pub candidate: Candidate,
    /// What the measures say.
    pub similarities: Similarities,
    /// True when the two sides have so much text in common that the pair counts as untranslated.
    pub same_text: bool,
}

/// What is believed of a pair besides its measures, given the part of the site that it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Beliefs {
    /// The share of its source's pairs there whose addresses belong together, 0..=1; for links, words and votes, limited by what keys pair.
    pub source: f32,
    /// The evidence of names in its addresses, in nats.
    pub names: f32,
    /// The share of pairs whose contents are translations, of the pairs there whose addresses belong together, 0..=1.
    pub agree: f32,
    /// What is added to the evidence of its contents because it is unusual among the right pairs there, in nats; 0 at most.
    pub usual: f32,
    /// The log odds that it is right, in nats: the evidence of its contents, plus `usual`, plus ln(p/(1 − p)), where p is the probability
    /// that its addresses belong together and that contents of such pairs are translations. The score is computed from these log odds and
    /// those of the other candidates of its pages; it is 0 where both pages have the same text.
    pub log_odds: f32,
}

/// One pair that was judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    /// The two pages.
    pub pair: PagePair,
    /// What proposed it.
    pub method: Method,
    /// Position of its key among the keys of the site, if a key proposed it.
    pub key: Option<u32>,
    /// What the measures say.
    pub similarities: Similarities,
    /// The evidence of all measures, in nats; 0 where the pair was judged in another way.
    pub evidence: f32,
    /// The other numbers that its probability was computed from; all 0 where the pair was judged in another way.
    pub beliefs: Beliefs,
    /// Probability that it is right, 0..=1, or what its preset gives instead.
    pub score: f32,
    /// What was decided.
    pub outcome: Outcome,
}

impl JudgedPair {
    /// A candidate with its score, judged in another way than by the evidence of all measures.
    pub fn new(candidate: Candidate, score: f64, similarities: Similarities, outcome: Outcome) -> JudgedPair {
        let Candidate { pair, method, key } = candidate;
        JudgedPair {
            pair,
            method,
            key,
            similarities,
            evidence: 0.0,
            beliefs: Beliefs::default(),
            score: score as f32,
            outcome,
        }
    }

    /// True for an accepted pair.
    pub fn is_accepted(&self) -> bool {
        self.outcome == Outcome::Accepted
    }

    /// The pair as it was before it was judged.
    pub fn compared(&self) -> Compared {
        let candidate = Candidate { pair: self.pair, method: self.method, key: self.key };
        Compared { candidate, similarities: self.similarities, same_text: self.outcome == Outcome::SameText }
    }
}

/// How reliable a source of candidates is on a site: a key, or a method without keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceStats {
    /// The two languages.
    pub langs: LangPair,
    /// What proposed the pairs.
    pub method: Method,
    /// Position of the key among the keys of the site.
    pub key: Option<u32>,
    /// Pairs it proposed.
    pub proposed: u32,
    /// How many of them were accepted.
    pub accepted: u32,
    /// Estimated share of its pairs that are right, 0..=1.
    pub precision: f32,
}

/// What verification or iteration finds on one site.
#[derive(Clone, Debug, Default)]
pub struct JudgedSite {
    /// Number of the site.
    pub site: SiteId,
    /// The state of its pages from which this was made: a number that grows whenever they change.
    pub generation: u64,
    /// The judged pairs, sorted by language pair, then by page.
    pub pairs: Vec<JudgedPair>,
    /// Figures of each source, sorted by language pair, method and key.
    pub sources: Vec<SourceStats>,
    /// For each host, the number of accepted pairs with a page on it; sorted by host.
    pub hosts: Vec<(String, u64)>,
    /// Untranslated copies among pages of another language, each with the page that it copies.
    pub copies: Vec<(u32, u32)>,
    /// Pages whose own text is in another language of the site than the one they count for, because only their labels are translated; each
    /// with that language, sorted.
    pub foreign: Vec<(u32, Lang)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_lead_back_to_what_they_stand_for() {
        for method in Method::ALL {
            assert_eq!(Method::from_code(method as u8), Some(method));
        }
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_code(outcome as u8), Some(outcome));
        }
        assert_eq!((Method::from_code(11), Outcome::from_code(7)), (None, None));
    }
}
