//! The contents of an explanation as plain data, to be printed or written as JSON.

use serde::Serialize;

use super::verdict::{CandidateOutcome, KeysSay, LanguageReason, LeadOutcome, PageVerdict, PairVerdict};
use crate::keys::State;
use crate::types::{Beliefs, Lang, LangPair, Measure, Method, Outcome, SkipReason};

/// Everything known of a page, or of two pages and their relation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The page; if a second URL was given, both pages, in the order they were given.
    pub pages: Vec<PageExplanation>,
    /// The relation of the two pages.
    pub pair: Option<PairExplanation>,
}

/// Everything known of one URL.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageExplanation {
    /// The URL, as it was given.
    pub url: String,
    /// Captures of this URL that were left out.
    pub left_out: Vec<LeftOut>,
    /// The capture from which the page was made.
    pub capture: Option<CaptureFacts>,
    /// Its languages.
    pub languages: Option<PageLanguages>,
    /// The page that stands for it, if it is an untranslated copy.
    pub copy_of: Option<String>,
    /// Pairs of the page that were accepted or judged: the accepted ones first, then the best of the others.
    pub candidates: Vec<CandidateFacts>,
    /// `link-2014`: how the candidates got their similarities.
    pub rounds: Vec<CandidateRounds>,
    /// What keys show about a page whose candidates were all rejected, and proposed by other methods than keys.
    pub keys: Option<KeysSay>,
    /// For a page without a partner: the URLs to which keys lead, and why none of them is its partner.
    pub leads: Vec<Lead>,
    /// Where the URL of a page names another language than the page counts for: the languages whose pages have URLs of this form, according to
    /// keys that lead from it to known pages.
    pub url_languages: Vec<UrlLanguage>,
    /// The corrections that concern it, each with its line in the file of corrections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<String>,
    /// Why it has partners or has none.
    pub verdict: PageVerdict,
}

impl PageExplanation {
    /// An explanation with nothing but the URL, for a verdict that needs no more facts.
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
            corrections: Vec::new(),
            verdict,
        }
    }

    /// The candidates that were accepted.
    pub fn partners(&self) -> impl Iterator<Item = &CandidateFacts> {
        self.candidates.iter().filter(|candidate| candidate.outcome == CandidateOutcome::Accepted)
    }

    /// The candidates that were rejected.
    pub fn rejected(&self) -> impl Iterator<Item = &CandidateFacts> {
        self.candidates.iter().filter(|candidate| candidate.outcome != CandidateOutcome::Accepted)
    }
}

/// Where a record lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordPlace {
    /// The archive, as it was named when it was read.
    pub archive: String,
    /// Where the record begins in the archive, in bytes.
    pub offset: u64,
    /// Length of the record in bytes; 0 where that is unknown.
    pub length: u64,
}

/// A capture that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Reason; `None`: a reason that this release does not know.
    pub reason: Option<SkipReason>,
    /// Details of what was found; may be empty.
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
    /// Language detected in its text.
    pub detected: Lang,
    /// Confidence of the detection, 0..=1.
    pub confidence: f32,
    /// True where it was guessed among the languages that can be told: the text has too few of its function words, or the language program is
    /// not sure enough.
    pub is_guess: bool,
    /// True where the language program of the user told it.
    pub is_by_program: bool,
    /// Languages that it declares, the most specific source first.
    pub declared: Vec<Lang>,
    /// Language that it counts for in the competition; `und`: it takes no part.
    pub counts_for: Lang,
    /// Why it counts for that language.
    pub reason: LanguageReason,
    /// Its own text, if it takes part.
    pub own_text: Option<OwnText>,
}

/// The own text of a page: the part that does not stand on many pages of its site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OwnText {
    /// Its length in bytes.
    pub bytes: usize,
    /// Shares of the languages in it, 0..=1, the largest first; `und`: too short to tell.
    pub shares: Vec<(Lang, f64)>,
}

/// A pair of the page that was judged, or that a key was assigned and that is not judged yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateFacts {
    /// The other page.
    pub url: String,
    /// The language the other page counts for.
    pub lang: Lang,
    /// The method that proposed the pair.
    pub method: &'static str,
    /// The pattern of the key that proposed it, from the first language in the order of listing to the second.
    pub key: Option<String>,
    /// Its score, 0..=1.
    pub score: f32,
    /// Weight of the evidence, in nats; 0 where the pair was not judged by evidence.
    pub evidence: f32,
    /// The decision.
    pub outcome: CandidateOutcome,
    /// What speaks most for it and against it; only for the best candidates, in a few languages, of a page without a partner.
    pub weighed: Option<Weighed>,
}

/// What speaks most for a rejected pair, and against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weighed {
    /// The measures that lower the evidence most, the strongest first.
    pub against: Vec<MeasureFacts>,
    /// The measures that raise the evidence most, the strongest first.
    pub in_favour: Vec<MeasureFacts>,
    /// The source that proposed it, if most of the source's pairs are wrong.
    pub source: Option<SourceFacts>,
}

impl CandidateFacts {
    /// Lowest score with which a rejected candidate is listed as text.
    const MIN_LISTED_SCORE: f32 = 0.1;
    /// Or the lowest weight of evidence, in nats: pairs with much evidence lost to others.
    const MIN_LISTED_EVIDENCE: f32 = 4.0;

    /// True for a candidate that a person wants to see: one that URLs propose, one that something speaks for, or the best one.
    pub fn is_notable(&self) -> bool {
        self.outcome == CandidateOutcome::Accepted
            || self.weighed.is_some()
            || self.score >= CandidateFacts::MIN_LISTED_SCORE
            || self.evidence >= CandidateFacts::MIN_LISTED_EVIDENCE
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
    /// Why the page there is not its partner.
    pub outcome: LeadOutcome,
}

/// A language whose pages have URLs of this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UrlLanguage {
    /// The language.
    pub lang: Lang,
    /// The pattern of the key that shows it.
    pub key: String,
}

/// `link-2014`: how a candidate got its similarity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateRounds {
    /// The other page.
    pub url: String,
    /// The rounds.
    #[serde(flatten)]
    pub rounds: Rounds,
}

/// `link-2014`: how a pair got its similarity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rounds {
    /// Similarity of the words, if it can be computed.
    pub content: Option<f32>,
    /// Similarity of the tags.
    pub structure: f32,
    /// S_in (eq. 2).
    pub internal: f64,
    /// The rounds over links, in order.
    pub rounds: Vec<Round>,
    /// What Algorithm 3 decides.
    pub outcome: Outcome,
}

impl Rounds {
    /// The final similarity: ETS of the last round.
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
    /// The pairs of neighbours that S_ext is computed from, the largest contribution first.
    pub neighbours: Vec<NeighbourPair>,
}

/// A pair of neighbours, with its contribution to S_ext.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NeighbourPair {
    /// The neighbour of the page whose language sorts first.
    pub url_a: String,
    /// The neighbour of the other page.
    pub url_b: String,
    /// Its contribution to the sum.
    pub part: f64,
}

/// How accepted pairs support a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Support {
    /// Accepted pairs that vote for it by aligned links.
    pub votes: Vec<[String; 2]>,
    /// Pages of a third language of which both are translations.
    pub shared_translations: Vec<String>,
    /// Pairs of neighbours of the two that are accepted pairs.
    pub neighbours: Vec<[String; 2]>,
    /// How many neighbours of each page have a partner.
    pub with_partner: [LangCount; 2],
}

/// A number of pages in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LangCount {
    /// The language.
    pub lang: Lang,
    /// Pages.
    pub pages: usize,
}

/// The relation of two pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairExplanation {
    /// The languages that the two count for, in the order the URLs were given.
    pub languages: Option<[Lang; 2]>,
    /// Keys that lead from one of the URLs to the other.
    pub keys: Vec<KeyFacts>,
    /// Their texts side by side, if they were aligned.
    pub alignment: Option<Alignment>,
    /// `link-2014`: how the pair came by its similarity.
    pub rounds: Option<Rounds>,
    /// How accepted pairs support it.
    pub support: Option<Support>,
    /// The values of the measures, if the pair was judged by them; of two pages that were not judged, those of contents, compared for the
    /// explanation.
    pub measures: Vec<MeasureFacts>,
    /// Weight of the evidence, in nats, if the pair was judged by it.
    pub evidence: Option<f32>,
    /// Weight of the evidence of two pages that were not judged, in nats: what [`measures`](PairExplanation::measures) and
    /// [`constant`](PairExplanation::constant) say in all.
    pub compared_now: Option<f64>,
    /// The part of the evidence that is the same for all pairs, in nats.
    pub constant: f64,
    /// The other factors of its probability, if it was judged by the weight of evidence.
    pub beliefs: Option<Beliefs>,
    /// The share of its probability that the other candidates of its pages leave it, 0..=1, if it was judged beside them.
    pub rivals: Option<f32>,
    /// How reliable its source is on this site.
    pub source: Option<SourceFacts>,
    /// Why it is a pair or is not.
    pub verdict: PairVerdict,
}

impl PairExplanation {
    /// An explanation for a verdict that needs no more facts.
    pub fn bare(verdict: PairVerdict) -> PairExplanation {
        PairExplanation {
            languages: None,
            keys: Vec::new(),
            alignment: None,
            rounds: None,
            support: None,
            measures: Vec::new(),
            evidence: None,
            compared_now: None,
            constant: 0.0,
            beliefs: None,
            rivals: None,
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
    /// Reason why they are left out of bitext, if they are.
    pub left_out: Option<&'static str>,
    /// The text of the first page.
    pub text_a: String,
    /// The text of the second page.
    pub text_b: String,
}

/// The value of one measure for a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureFacts {
    /// The measure.
    pub measure: Measure,
    /// The value, 0..=1.
    pub value: f32,
    /// Its contribution to the evidence, in nats.
    pub nats: f64,
}

/// How reliable the source of a pair is on a site: a key or a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceFacts {
    /// The method.
    pub method: Method,
    /// The pattern of the key, if it is one.
    pub key: Option<String>,
    /// How many pairs it proposed.
    pub proposed: u32,
    /// How many of them were accepted.
    pub accepted: u32,
    /// Estimated precision, 0..=1.
    pub est_precision: f32,
}
