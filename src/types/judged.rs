//! Pairs of pages on their way: proposed, compared, judged.
//!
//! One type for each step, from the method that proposes a pair to the listing that shows it. The store writes them as rows of its
//! own (`store/layout/judged.rs`), and turns them back at its door; nothing else knows that form.

use super::{Lang, LangPair, PagePair, Similarities, SiteId};

/// What proposed a pair. Codes are stored: only append. The order is that of trust ([`Method::BY_TRUST`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Method {
    /// A key that is strong or rescued.
    Key = 0,
    /// A weak key.
    WeakKey = 1,
    /// A page declares the other as its translation.
    Hreflang = 2,
    /// The two pages link to each other.
    Link = 3,
    /// Rare words, numbers, images and tags in common.
    Words = 4,
    /// Aligned links of a pair lead to them.
    Votes = 5,
    /// All pages are compared with all others.
    All = 6,
    /// Marks of languages, which keys have learnt, in another place of the URL.
    Marks = 7,
    /// Numbered pages near the same place of their order.
    Order = 8,
}

impl Method {
    /// Every method, in the order of its code.
    pub const ALL: [Method; 9] = {
        use Method::*;
        [Key, WeakKey, Hreflang, Link, Words, Votes, All, Marks, Order]
    };

    /// Every method, the most trusted first.
    pub const BY_TRUST: [Method; 9] = {
        use Method::*;
        [Key, Marks, Hreflang, WeakKey, Order, Link, Words, Votes, All]
    };

    /// The method of a stored code.
    pub fn from_code(code: u8) -> Option<Method> {
        Method::ALL.get(usize::from(code)).copied()
    }

    /// As it is listed.
    pub fn name(self) -> &'static str {
        match self {
            Method::Key => "key",
            Method::WeakKey => "weak-key",
            Method::Hreflang => "hreflang",
            Method::Link => "link",
            Method::Words => "words",
            Method::Votes => "aligned-links",
            Method::All => "all-pairs",
            Method::Marks => "marks",
            Method::Order => "order",
        }
    }
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

/// What judging decided about a pair. Codes are stored: only append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// Taken for a pair of translations.
    Accepted = 0,
    /// Its score is below the minimum.
    LowScore = 1,
    /// One of its pages has a better partner in that language.
    LostToBetter = 2,
    /// Both sides have the same text.
    SameText = 3,
    /// By surer pairs its pages are versions of two documents.
    Contradicted = 4,
    /// Its addresses belong together, and its contents are no translations of each other: editions of different ages, or other texts.
    Edition = 5,
}

impl Outcome {
    /// Every outcome, in the order of its code.
    pub const ALL: [Outcome; 6] = {
        use Outcome::*;
        [Accepted, LowScore, LostToBetter, SameText, Contradicted, Edition]
    };

    /// The outcome of a stored code.
    pub fn from_code(code: u8) -> Option<Outcome> {
        Outcome::ALL.get(usize::from(code)).copied()
    }

    /// As it is listed.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::LowScore => "low score",
            Outcome::LostToBetter => "lost to a better pair",
            Outcome::SameText => "same text",
            Outcome::Contradicted => "contradicted",
            Outcome::Edition => "edition",
        }
    }
}

/// One pair that something proposed. The order is that of pairs, then of trust in what proposed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The two pages.
    pub pair: PagePair,
    /// What proposed it.
    pub method: Method,
    /// Position of its key among the keys of the site, where a key proposed it.
    pub key: Option<u32>,
}

/// A candidate with what the measures say of it.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The candidate.
    pub candidate: Candidate,
    /// What the measures say.
    pub similarities: Similarities,
    /// True when the two sides have so much text in common that the pair counts as untranslated.
    pub same_text: bool,
}

/// What is believed of a pair beside its measures, in the part of the site that it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Beliefs {
    /// How often the addresses that its source proposes there belong together, 0..=1; of links, words and votes no more than what keys leave.
    pub source: f32,
    /// What names in its addresses say, in nats.
    pub names: f32,
    /// How often the contents of addresses that belong together are translations there, 0..=1.
    pub agree: f32,
    /// What is taken from what its contents say by how unusual that is among the right pairs there, in nats, 0 at the most.
    pub usual: f32,
    /// The log odds that it is right, in nats: what its contents say, and how usual that is, beside ln(p/(1 − p)) of the probability p that its addresses belong together and
    /// contents of such are translations. The score is made of these and of what other pairs take from it; it is 0 where both pages have the same text.
    pub log_odds: f32,
}

/// One pair that was judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    /// The two pages.
    pub pair: PagePair,
    /// What proposed it.
    pub method: Method,
    /// Position of its key among the keys of the site, where a key proposed it.
    pub key: Option<u32>,
    /// What the measures say.
    pub similarities: Similarities,
    /// Weight of the evidence, in nats; 0 where the pair was judged by something else.
    pub evidence: f32,
    /// Position of its weights among those that were fitted to the site ([`JudgedSite::fitted`]); none: it has those of the run.
    pub weights: Option<u32>,
    /// What else its probability was made of; all 0 where the pair was judged by something else than the weight of evidence.
    pub beliefs: Beliefs,
    /// Probability that it is right, 0..=1, or what its preset has in place of one.
    pub score: f32,
    /// What was decided.
    pub outcome: Outcome,
}

impl JudgedPair {
    /// A candidate with its score, judged by something else than the weight of evidence.
    pub fn new(candidate: Candidate, score: f64, similarities: Similarities, outcome: Outcome) -> JudgedPair {
        let Candidate { pair, method, key } = candidate;
        JudgedPair {
            pair,
            method,
            key,
            similarities,
            evidence: 0.0,
            weights: None,
            beliefs: Beliefs::default(),
            score: score as f32,
            outcome,
        }
    }

    /// True for a pair that was taken.
    pub fn is_accepted(&self) -> bool {
        self.outcome == Outcome::Accepted
    }

    /// The pair as it was before it was judged.
    pub fn compared(&self) -> Compared {
        let candidate = Candidate { pair: self.pair, method: self.method, key: self.key };
        Compared { candidate, similarities: self.similarities, same_text: self.outcome == Outcome::SameText }
    }
}

/// How reliable one proposer of candidates is in a site: a key, or a method without keys.
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
    /// Those accepted.
    pub accepted: u32,
    /// Share of its pairs that is right, as estimated, 0..=1.
    pub precision: f32,
}

/// What verification or iteration leaves of one site.
#[derive(Clone, Debug, Default)]
pub struct JudgedSite {
    /// Number of the site.
    pub site: SiteId,
    /// The state of its pages it was made from: a number that grows whenever they change.
    pub generation: u64,
    /// Pairs, by language pair, then page.
    pub pairs: Vec<JudgedPair>,
    /// By language pair, method and key.
    pub sources: Vec<SourceStats>,
    /// Accepted pairs with a page on each host, by host.
    pub hosts: Vec<(String, u64)>,
    /// Untranslated copies that stand among pages of another language: the copy, and the page it is a copy of.
    pub copies: Vec<(u32, u32)>,
    /// Pages whose own text is in another language of the site than they count for, sorted, each with that language: only their labels are
    /// translated.
    pub foreign: Vec<(u32, Lang)>,
    /// Weights of the score that were fitted to parts of the site.
    pub fitted: Vec<(LangPair, Vec<f64>)>,
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
        assert_eq!((Method::from_code(9), Outcome::from_code(6)), (None, None));
    }
}
