//! What an explanation is made of: plain data, as it is printed and written as JSON.

use serde::Serialize;

use super::verdict::{CandidateOutcome, KeysSay, LanguageReason, LeadOutcome, PageVerdict, PairVerdict};
use crate::keys::State;
use crate::types::{Beliefs, Lang, LangPair, Measure, Method, Outcome, SkipReason};

/// Everything known of a page, or of two and of what they are to each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The page; with a second URL both, in the order they were given.
    pub pages: Vec<PageExplanation>,
    /// What the two are to each other.
    pub pair: Option<PairExplanation>,
}

/// Everything known of one URL.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageExplanation {
    /// The URL, as it was given.
    pub url: String,
    /// Captures of it that were left out.
    pub left_out: Vec<LeftOut>,
    /// The capture that became its page.
    pub capture: Option<CaptureFacts>,
    /// Its languages.
    pub languages: Option<PageLanguages>,
    /// The page that stands for it, if it is an untranslated copy.
    pub copy_of: Option<String>,
    /// Pairs of the page that were accepted or judged: the accepted ones first, then the best of the others.
    pub candidates: Vec<Candidate>,
    /// `link-2014`: how the candidates came by their similarity.
    pub rounds: Vec<CandidateRounds>,
    /// What keys say of a page whose candidates were all refused, and were proposed by no key.
    pub keys: Option<KeysSay>,
    /// Where keys lead from a page without a partner, and why that is none.
    pub leads: Vec<Lead>,
    /// Languages whose pages have such a URL, by keys that lead from it to known pages; of a page without a partner whose text is
    /// in another language.
    pub url_languages: Vec<UrlLanguage>,
    /// Why it has partners, or none.
    pub verdict: PageVerdict,
}

impl PageExplanation {
    /// Only its URL, with a verdict that needs no more.
    pub fn bare(url: &str, verdict: PageVerdict) -> PageExplanation {
        PageExplanation {
            url: url.to_owned(),
            left_out: Vec::new(),
            capture: None,
            languages: None,
            copy_of: None,
            candidates: Vec::new(),
            rounds: Vec::new(),
            keys: None,
            leads: Vec::new(),
            url_languages: Vec::new(),
            verdict,
        }
    }

    /// The accepted candidates.
    pub fn partners(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter().filter(|candidate| candidate.outcome == CandidateOutcome::Accepted)
    }

    /// The others.
    pub fn rejected(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter().filter(|candidate| candidate.outcome != CandidateOutcome::Accepted)
    }
}

/// Where a record lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordPlace {
    /// The archive, as it was named when it was read.
    pub archive: String,
    /// Where the record begins in it, in bytes.
    pub offset: u64,
    /// Bytes it takes there; 0 where that is unknown.
    pub length: u64,
}

/// A capture that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Why; `None`: a reason that this release does not know.
    pub reason: Option<SkipReason>,
    /// What was found; may be empty.
    pub detail: String,
    /// Where its record lies.
    #[serde(flatten)]
    pub place: RecordPlace,
}

/// A capture and its content.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaptureFacts {
    /// Where its record lies.
    #[serde(flatten)]
    pub place: RecordPlace,
    /// When it was captured, as RFC 3339 in UTC.
    pub captured: Option<String>,
    /// Its title.
    pub title: String,
    /// Bytes of text.
    pub text_bytes: usize,
    /// Blocks of text.
    pub blocks: usize,
    /// Start tags.
    pub tags: usize,
    /// Links.
    pub links: usize,
    /// Images.
    pub images: usize,
    /// The charset it was read as.
    pub charset: String,
}

/// The languages of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageLanguages {
    /// Of its text.
    pub detected: Lang,
    /// How sure that is, 0..=1.
    pub confidence: f32,
    /// What it declares, the most specific source first.
    pub declared: Vec<Lang>,
    /// What it counts for in the competition; `und`: it takes no part.
    pub counts_for: Lang,
    /// Why it counts for that.
    pub reason: LanguageReason,
    /// Of its own text, if it takes part.
    pub own_text: Option<OwnText>,
}

/// What of a page does not stand on many pages of its site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OwnText {
    /// Bytes of it.
    pub bytes: usize,
    /// Shares of it by language, 0..=1, the largest first; `und`: too short to tell.
    pub shares: Vec<(Lang, f64)>,
}

/// A pair of the page that was judged, or that keys assigned where nothing is judged yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The other page.
    pub url: String,
    /// The language the other page counts for.
    pub lang: Lang,
    /// What proposed the pair.
    pub method: &'static str,
    /// The pattern of its key, from the first language in the order of listing to the second, where a key proposed it.
    pub key: Option<String>,
    /// Its score, 0..=1.
    pub score: f32,
    /// Weight of the evidence, in nats; 0 where the pair was judged by something else.
    pub evidence: f32,
    /// What was decided.
    pub outcome: CandidateOutcome,
    /// What speaks most for it and against it: of the best candidates in a few languages of a page without a partner.
    pub weighed: Option<Weighed>,
}

/// What speaks most for a refused pair, and against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weighed {
    /// The measures that take most from the evidence, the most first.
    pub against: Vec<MeasureFacts>,
    /// Those that add most, the most first.
    pub in_favour: Vec<MeasureFacts>,
    /// What proposed it, if most of what that proposes is wrong.
    pub source: Option<SourceFacts>,
}

impl Candidate {
    /// Scores from which a rejected candidate is listed as text.
    const MIN_LISTED_SCORE: f32 = 0.1;
    /// … or the weight of evidence, in nats: such pairs lost to others.
    const MIN_LISTED_EVIDENCE: f32 = 4.0;

    /// True for a candidate that a person wants to see: one that URLs propose, or that something speaks for, or the best there is.
    pub fn is_notable(&self) -> bool {
        self.outcome == CandidateOutcome::Accepted
            || self.weighed.is_some()
            || self.score >= Candidate::MIN_LISTED_SCORE
            || self.evidence >= Candidate::MIN_LISTED_EVIDENCE
            || self.key.is_some()
    }
}

/// Where a key leads from a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// The URL that the key makes.
    pub url: String,
    /// The pattern of the key.
    pub key: String,
    /// Why that is no partner.
    pub outcome: LeadOutcome,
}

/// A language whose pages have such a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UrlLanguage {
    /// The language.
    pub lang: Lang,
    /// The pattern of the key that says so.
    pub key: String,
}

/// `link-2014`: how a candidate came by its similarity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateRounds {
    /// The other page.
    pub url: String,
    /// The rounds.
    #[serde(flatten)]
    pub rounds: Rounds,
}

/// `link-2014`: how a pair came by its similarity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rounds {
    /// What the words say, if they say anything.
    pub content: Option<f32>,
    /// What the tags say.
    pub structure: f32,
    /// S_in (eq. 2).
    pub internal: f64,
    /// The rounds over links, in order.
    pub rounds: Vec<Round>,
    /// What Algorithm 3 decides.
    pub outcome: Outcome,
}

impl Rounds {
    /// The similarity in the end: ETS of the last round.
    pub fn similarity(&self) -> f64 {
        self.rounds.last().map_or(self.internal, |round| round.enhanced)
    }
}

/// One round of Algorithm 2.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Round {
    /// S_ext (eq. 3).
    pub external: f64,
    /// ETS (eq. 1), divided by the largest of the round.
    pub enhanced: f64,
    /// The pairs of neighbours that S_ext comes from, the largest part first.
    pub neighbours: Vec<NeighbourPair>,
}

/// A pair of neighbours, and what it adds to S_ext.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NeighbourPair {
    /// The neighbour of the page whose language sorts first.
    pub url_a: String,
    /// The neighbour of the other.
    pub url_b: String,
    /// What it adds to the sum.
    pub part: f64,
}

/// What accepted pairs say of a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Support {
    /// Accepted pairs whose aligned links lead to it.
    pub votes: Vec<[String; 2]>,
    /// Pages of a third language that both are translations of.
    pub shared_translations: Vec<String>,
    /// Neighbours of the two that are accepted as partners of each other.
    pub neighbours: Vec<[String; 2]>,
    /// How many neighbours of each page have a partner.
    pub with_partner: [LangCount; 2],
}

/// So many pages of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LangCount {
    /// The language.
    pub lang: Lang,
    /// Pages.
    pub pages: usize,
}

/// What two pages are to each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairExplanation {
    /// The languages the two count for, in the order the URLs were given.
    pub languages: Option<[Lang; 2]>,
    /// Keys that lead from one of the URLs to the other.
    pub keys: Vec<KeyFacts>,
    /// Their texts side by side, if they were aligned.
    pub alignment: Option<Alignment>,
    /// `link-2014`: how the pair came by its similarity.
    pub rounds: Option<Rounds>,
    /// What accepted pairs say of it.
    pub support: Option<Support>,
    /// What the measures say, if the pair was judged by them.
    pub measures: Vec<MeasureFacts>,
    /// Weight of the evidence, in nats, if the pair was judged by it.
    pub evidence: Option<f32>,
    /// What all pairs have of it, in nats.
    pub constant: f64,
    /// What else its probability was made of, if it was judged by the weight of evidence.
    pub beliefs: Option<Beliefs>,
    /// How reliable what proposed it is on this site.
    pub source: Option<SourceFacts>,
    /// Why it is a pair, or is none.
    pub verdict: PairVerdict,
}

impl PairExplanation {
    /// A verdict that needs no more.
    pub fn bare(verdict: PairVerdict) -> PairExplanation {
        PairExplanation {
            languages: None,
            keys: Vec::new(),
            alignment: None,
            rounds: None,
            support: None,
            measures: Vec::new(),
            evidence: None,
            constant: 0.0,
            beliefs: None,
            source: None,
            verdict,
        }
    }
}

/// A key that leads from one of two URLs to the other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeyFacts {
    /// Its pattern.
    pub key: String,
    /// Its languages.
    pub langs: LangPair,
    /// Its state; `None`: one that this release does not know.
    pub state: Option<State>,
    /// Linking power.
    pub power: u64,
    /// Local credibility C(p, w).
    pub credibility: f64,
}

/// The texts of two pages side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alignment {
    /// Share of aligned text, 0..=1.
    pub score: f64,
    /// The sentence pairs, in the order of the page.
    pub sentences: Vec<SentencePair>,
}

/// Sentences that are aligned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SentencePair {
    /// Probability that they are translations, 0..=1.
    pub score: f64,
    /// Why they are left out of bitext, if they are.
    pub left_out: Option<&'static str>,
    /// The text of the first page.
    pub text_a: String,
    /// That of the second.
    pub text_b: String,
}

/// What one measure says of a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureFacts {
    /// The measure.
    pub measure: Measure,
    /// What it says, 0..=1.
    pub value: f32,
    /// What that adds to the evidence, in nats.
    pub nats: f64,
}

/// How reliable what proposed a pair is on a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceFacts {
    /// The method.
    pub method: Method,
    /// The pattern of the key, if it is one.
    pub key: Option<String>,
    /// Pairs it proposed.
    pub proposed: u32,
    /// Those accepted.
    pub accepted: u32,
    /// Precision as estimated, 0..=1.
    pub est_precision: f32,
}
