//! Verdicts on a page, on a pair, and on the URLs to which keys lead, with the words in which they are told.

use std::fmt;

use serde::Serialize;

use super::named::NamedPair;
use crate::site::scope::{NOT_INDEXED, REMOVED};
use crate::types::{Lang, SkipReason, grouped};

/// Why a page has partners or has none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PageVerdict {
    /// The store has nothing of its domain.
    UnknownDomain {
        /// The registrable domain.
        domain: String,
    },
    /// The archives have no capture of the URL.
    NotCaptured,
    /// The URL, its host or its registrable domain was removed from the store.
    Removed,
    /// The URL is not known, but some of what was read is not indexed yet.
    NotIndexed,
    /// There are captures of the URL, but all were left out.
    CapturesLeftOut,
    /// Keys have not been searched since the page was read.
    KeysNotSearched,
    /// Keys were searched with other requested languages than the present ones.
    LanguagesChanged {
        /// The language the page would count for.
        lang: Lang,
    },
    /// Its letters or the names that the site uses contradict the language that was detected.
    LanguageDoubted {
        /// The detected language.
        lang: Lang,
    },
    /// It is a copy, as the canonical URL that it names shows.
    CopyByCanonical {
        /// The canonical page that it names.
        named: String,
        /// The page that stands for it.
        of: String,
        /// The language of both.
        lang: Lang,
    },
    /// It is an untranslated copy, as its URL shows.
    CopyByUrl {
        /// The page that stands for it.
        of: String,
        /// The language of both.
        lang: Lang,
    },
    /// It is an untranslated copy, as its links show.
    CopyByLinks {
        /// The page that stands for it.
        of: String,
        /// The language of both.
        lang: Lang,
    },
    /// Its own text is in another language than its URL and declarations say.
    ForeignText {
        /// The language of its own text.
        lang: Lang,
        /// The language it would count for.
        counts_for: Lang,
    },
    /// It has partners.
    Paired {
        /// How many.
        pages: usize,
    },
    /// Its language is unknown.
    LanguageUnknown {
        /// What its text was taken for, where only some languages are requested.
        guess: Option<Lang>,
        /// The requested languages.
        requested: Vec<Lang>,
    },
    /// Its language is not among `--langs`.
    LanguageNotRequested {
        /// Its language.
        lang: Lang,
        /// The requested languages.
        requested: Vec<Lang>,
    },
    /// Pairs with it were proposed, but all were rejected.
    CandidatesRejected {
        /// How many.
        pairs: usize,
    },
    /// No pair was proposed, and the settings do not use URLs.
    NothingProposed,
    /// No pair was proposed, and the site has no strong key.
    NoStrongKey,
    /// No pair was proposed; the page is in another language by its URL than by its text.
    TextNotInUrlLanguage {
        /// The language of the text.
        lang: Lang,
        /// The languages of such URLs.
        url: Vec<Lang>,
    },
    /// No key leads from its URL to a known URL.
    KeysLeadNowhere,
    /// Keys lead to URLs, but none of these can be its partner.
    LeadsAreNoPartners {
        /// How many URLs.
        urls: usize,
    },
}

impl PageVerdict {
    /// True where the store has nothing of the page.
    pub fn is_unknown(&self) -> bool {
        matches!(self, PageVerdict::UnknownDomain { .. } | PageVerdict::NotCaptured | PageVerdict::Removed)
    }
}

impl fmt::Display for PageVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use PageVerdict::*;
        match self {
            UnknownDomain { domain } => write!(f, "unknown: the store has nothing of the domain {domain}"),
            NotCaptured => f.write_str("not captured: the archives have nothing of this URL"),
            Removed => f.write_str(REMOVED),
            NotIndexed => f.write_str(NOT_INDEXED),
            CapturesLeftOut => f.write_str("no page: every capture of this URL was left out"),
            KeysNotSearched => f.write_str(
                "not paired yet: keys have not been searched since this page was read; `diglot run` searches them",
            ),
            LanguagesChanged { lang } => write!(
                f,
                "not paired yet: keys were searched while {lang} was not among the languages requested; `diglot run` searches again"
            ),
            LanguageDoubted { lang } => write!(
                f,
                "not paired: its text was taken for {lang}, but its letters or the names that the site uses speak against that: it counts for no \
                 language"
            ),
            CopyByCanonical { named, of, lang } => {
                write!(
                    f,
                    "not paired: it declares {named} as its canonical URL and has its text ({lang}); {} stands for both",
                    if named == of { "that page" } else { of }
                )
            }
            CopyByUrl { of, lang } => {
                write!(
                    f,
                    "not paired: an untranslated copy ({lang}) of {of}, as its URL tells; that page stands for both"
                )
            }
            CopyByLinks { of, lang } => {
                write!(
                    f,
                    "not paired: an untranslated copy ({lang}) of {of} among pages of another language, as its links tell; \
                     that page stands for both"
                )
            }
            ForeignText { lang, counts_for } => write!(
                f,
                "not paired: its own text, which does not stand on many pages of the site, is in {lang}; only its labels are in {counts_for}"
            ),
            Paired { pages: 1 } => f.write_str("paired, with 1 page"),
            Paired { pages } => write!(f, "paired, with {} pages", grouped(*pages as u64)),
            LanguageUnknown { guess: None, .. } => {
                f.write_str("not paired: its language is not known, and neither a name nor a key of the site tells it")
            }
            LanguageUnknown { guess: Some(guess), requested } => write!(
                f,
                "not paired: its text was taken for {guess}, which is a guess, and nothing tells that it is in one of the languages requested ({})",
                list(requested)
            ),
            LanguageNotRequested { lang, requested } => {
                write!(f, "not paired: its language, {lang}, is not among those requested ({})", list(requested))
            }
            CandidatesRejected { pairs: 1 } => {
                f.write_str("not paired: one pair with it was proposed and kept, and it was rejected")
            }
            CandidatesRejected { pairs } => {
                let pairs = grouped(*pairs as u64);
                write!(f, "not paired: {pairs} pairs with it were proposed and kept, and all of them were rejected")
            }
            NothingProposed => f.write_str("not paired: nothing proposes a pair with it that is worth keeping"),
            NoStrongKey => f.write_str(
                "not paired: nothing proposes a pair with it that is worth keeping, and the site has no strong key",
            ),
            TextNotInUrlLanguage { lang, url } => write!(
                f,
                "not paired: its text is not in the language of its URL: it is {lang}, such URLs are {}",
                list(url)
            ),
            KeysLeadNowhere => f.write_str("not paired: no key of the site leads from its URL to one that is known"),
            LeadsAreNoPartners { urls: 1 } => {
                f.write_str("not paired: the one URL that keys lead to cannot be its partner")
            }
            LeadsAreNoPartners { urls } => {
                write!(f, "not paired: none of the {} URLs that keys lead to can be its partner", grouped(*urls as u64))
            }
        }
    }
}

/// What keys show about a page whose candidates were not proposed by keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeysSay {
    /// The site has no strong key.
    NoneStrong,
    /// No key leads from the URL of the page to a known URL.
    LeadNowhere,
}

impl fmt::Display for KeysSay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeysSay::NoneStrong => "the site has no strong key",
            KeysSay::LeadNowhere => "no key of the site leads from its URL to one that is known",
        })
    }
}

fn list(langs: &[Lang]) -> String {
    langs.iter().map(Lang::to_string).collect::<Vec<_>>().join(", ")
}

/// Why a page counts for a language or for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LanguageReason {
    /// A correction says so.
    Stated,
    /// Its text is in this language.
    Detected,
    /// It is written in the letters of this language; this preset looks at nothing else.
    Letters,
    /// The names that the site uses, its keys or its pages show that language.
    Site,
    /// The letters of its text stand beside each other as they do in texts in this language.
    Profile,
    /// The letters of its text stand beside each other as they do in texts that other sites call by the name of this language.
    Learnt,
    /// A language that nothing names: pages of the site are alike, and lack the words of all languages that can be told.
    Unnamed,
    /// None: an untranslated copy takes no part.
    Copy,
    /// None: its own text is in another language than its URL and declarations say.
    OwnText,
    /// None: its language is not among `--langs`.
    NotRequested,
    /// None: its language was not among `--langs` when keys were searched.
    LanguagesChanged,
    /// None: its letters or the names that the site uses contradict the detected language.
    Doubted,
    /// None: neither the text nor the site gives a language, or the text is in none that can be told.
    Unknown,
    /// The detected language, until keys are searched.
    KeysNotSearched,
}

impl fmt::Display for LanguageReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LanguageReason::Detected | LanguageReason::KeysNotSearched => "as detected",
            LanguageReason::Stated => "stated by a correction",
            LanguageReason::Letters => "by its letters",
            LanguageReason::Site => "resolved by the names, keys and pages of the site",
            LanguageReason::Profile => "by which letters stand beside each other in its text",
            LanguageReason::Learnt => "by which letters stand beside each other in its text, as other sites show",
            LanguageReason::Unnamed => "pages of the site are in one language, which nothing names",
            LanguageReason::Copy => "none: an untranslated copy",
            LanguageReason::OwnText => "none: its own text is in another language",
            LanguageReason::NotRequested => "none: its language was not requested",
            LanguageReason::LanguagesChanged => "none: its language was not requested when keys were searched",
            LanguageReason::Doubted => {
                "none: its letters or the names that the site uses speak against the detected one"
            }
            LanguageReason::Unknown => "none: its language is not known, or was not requested",
        })
    }
}

/// The decision on a pair that was proposed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CandidateOutcome {
    /// It is a pair.
    Accepted,
    /// Its score is too low.
    LowScore {
        /// The minimum; `None` where it has been changed since, or where the preset has thresholds of its own.
        min_score: Option<f64>,
    },
    /// A page of it has a better partner in that language.
    LostToBetter {
        /// The better pairs; empty where the store did not keep them.
        better: Vec<NamedPair>,
    },
    /// Both sides have the same text.
    SameText,
    /// More certain pairs show that its pages are versions of two different documents.
    Contradicted,
    /// Its URLs belong together, but its texts are not translations of each other.
    Edition,
    /// A correction says that it is no pair.
    Forbidden,
}

impl CandidateOutcome {
    /// Score and outcome in words. A score and the minimum that it missed are printed with as many digits as it takes to tell them apart.
    pub fn with_score(&self, score: f32) -> String {
        match self {
            CandidateOutcome::Accepted => format!("score {score:.4}"),
            CandidateOutcome::LowScore { min_score: Some(min) } => {
                let (score, min) = told_apart(score, *min);
                format!("score {score}: below the minimum {min}")
            }
            CandidateOutcome::LowScore { min_score: None } => format!("score {score:.4}: too low"),
            CandidateOutcome::LostToBetter { better } => {
                let pairs: Vec<String> = better.iter().map(NamedPair::to_string).collect();
                let colon = if pairs.is_empty() { "" } else { ": " };
                format!("score {score:.4}: lost to a better pair{colon}{}", pairs.join("; "))
            }
            CandidateOutcome::SameText => "the same text on both sides".to_owned(),
            CandidateOutcome::Forbidden => "forbidden by a correction".to_owned(),
            CandidateOutcome::Edition => {
                format!(
                    "score {score:.4}: an edition or another text: the addresses belong together, the texts probably do not"
                )
            }
            CandidateOutcome::Contradicted => {
                format!(
                    "score {score:.4}: contradicted, as by surer pairs its pages are versions of two documents: they have different partners in some language"
                )
            }
        }
    }
}

/// How many digits after the point scores are usually printed with.
const DIGITS: usize = 4;
/// How many digits are printed at most: scores have no more.
const MAX_DIGITS: usize = 9;

/// A score below a minimum, and the minimum, with enough digits to differ.
fn told_apart(score: f32, min: f64) -> (String, String) {
    let mut minimum = format!("{min:.MAX_DIGITS$}");
    minimum.truncate(minimum.trim_end_matches('0').trim_end_matches('.').len());
    for digits in DIGITS..=MAX_DIGITS {
        let text = format!("{score:.digits$}");
        if text.parse::<f64>().is_ok_and(|rounded| rounded < min) {
            return (text, minimum);
        }
    }
    (format!("just under {minimum}"), minimum)
}

/// Why the URL that a key leads to is no partner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LeadOutcome {
    /// The archives do not have it.
    NotInArchives,
    /// It was removed from the store.
    Removed,
    /// Its capture was left out.
    LeftOut {
        /// Reason; `None`: a reason that this release does not know.
        reason: Option<SkipReason>,
        /// Details of what was found; may be empty.
        detail: String,
    },
    /// It is an untranslated copy.
    CopyOf {
        /// The page that stands for it.
        of: String,
    },
    /// It counts for another language, or for none (`und`).
    OtherLanguage {
        /// The language that it counts for.
        lang: Lang,
        /// The language of the pages to which the key leads.
        expected: Lang,
    },
    /// It has a partner in the language of the page.
    PairedElsewhere {
        /// The pair, which `pairs` lists.
        pair: NamedPair,
    },
    /// A key was assigned a pair of it, or of the page, with another page, and that pair was rejected later.
    AssignedElsewhere {
        /// That pair.
        pair: NamedPair,
    },
    /// The key was not applied to these two pages.
    NotMatched,
}

impl fmt::Display for LeadOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LeadOutcome::*;
        match self {
            NotInArchives => f.write_str("which is not in the archives"),
            Removed => f.write_str("which was removed from the store"),
            LeftOut { reason, detail } => {
                let reason = reason.map_or("for a reason unknown to this release", SkipReason::name);
                write!(f, "left out: {reason}{}", in_parentheses(detail))
            }
            CopyOf { of } => write!(f, "an untranslated copy of {of}"),
            OtherLanguage { lang, expected } if lang.is_known() => write!(f, "but its text is {lang}, not {expected}"),
            OtherLanguage { expected, .. } => write!(f, "but it counts for no language, not for {expected}"),
            PairedElsewhere { pair } => write!(f, "which has another partner: {pair}"),
            AssignedElsewhere { pair } => {
                write!(f, "but keys assigned another pair, which was rejected: {} {}", pair.url_a, pair.url_b)
            }
            NotMatched => f.write_str("which the key was not applied to"),
        }
    }
}

/// The detail in parentheses, with a space before; nothing where it is empty.
pub fn in_parentheses(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(" ({detail})") }
}

/// What proposed a pair: a key or another method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposer {
    /// The method.
    pub method: &'static str,
    /// The pattern of the key, if it was one.
    pub key: Option<String>,
}

impl fmt::Display for Proposer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "key {key}"),
            None => f.write_str(self.method),
        }
    }
}

/// Why two pages are a pair or are not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PairVerdict {
    /// They are a pair, which `pairs` lists.
    Pair {
        /// What proposed the pair.
        by: Proposer,
        /// The score, 0..=1.
        score: f32,
    },
    /// They were judged, and rejected.
    Rejected {
        /// What proposed the pair.
        by: Proposer,
        /// The score, 0..=1.
        score: f32,
        /// The reason.
        outcome: CandidateOutcome,
    },
    /// They are of domains that are not paired with each other.
    DifferentDomains,
    /// Their domains differ only in the suffix, and such domains are paired only with `--across-suffixes`.
    AcrossSuffixesOff,
    /// Their domains differ only in the suffix, but nothing shows that they are one site.
    NotOneSite,
    /// Not both are pages of the store.
    NotBothPages,
    /// Not both are known, but some of what was read is not indexed yet.
    NotIndexed,
    /// Keys have not been searched, or the pairs of the site not been judged, since these pages were read.
    NotJudgedYet,
    /// Both count for the same language.
    SameLanguage {
        /// That language.
        lang: Lang,
    },
    /// One of them counts for no language.
    NoLanguage {
        /// That page.
        url: String,
    },
    /// Nothing proposed them as a pair.
    NotProposed,
    /// `link-2014`: the two were not compared.
    NotCompared,
}

impl fmt::Display for PairVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use PairVerdict::*;
        match self {
            Pair { by, score } => write!(f, "a pair, by {by}, score {score:.4}"),
            Rejected { by, score, outcome } => {
                write!(f, "not a pair: proposed by {by}, {}", outcome.with_score(*score))
            }
            DifferentDomains => f.write_str("not a pair: pages of different registrable domains are not compared"),
            AcrossSuffixesOff => f.write_str(
                "not a pair: domains that differ in their suffix are compared with `--across-suffixes` only",
            ),
            NotOneSite => f.write_str("not a pair: nothing shows these domains to be one site"),
            NotBothPages => f.write_str("not a pair: not both are pages of the store"),
            NotIndexed => f.write_str(NOT_INDEXED),
            NotJudgedYet => {
                f.write_str("not judged yet: stages are to be done since these pages were read; `diglot run` does them")
            }
            SameLanguage { lang } => write!(f, "not a pair: both are in one language, {lang}"),
            NoLanguage { url } => write!(f, "not a pair: {url} counts for no language"),
            NotProposed => {
                f.write_str("not a pair: nothing proposes it, or it was rejected with a score too low to be kept")
            }
            NotCompared => {
                f.write_str("not a pair: not compared; lengths too far apart, too little text, or nothing in common")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_below_the_minimum_is_printed_so_that_it_looks_below() {
        for (score, min, wanted) in [
            (0.31, 0.5, ("0.3100", "0.5")),
            (0.99998, 1.0, ("0.99998", "1")),
            (0.499_99, 0.5, ("0.49999", "0.5")),
            (0.999_999_9, 1.0, ("0.9999999", "1")),
            (1.0, 1.0, ("just under 1", "1")),
        ] {
            let (score, min) = told_apart(score, min);
            assert_eq!((score.as_str(), min.as_str()), wanted);
        }
    }

    #[test]
    fn every_outcome_and_every_verdict_on_a_pair_says_what_it_stands_for() {
        let pair = NamedPair { url_a: "http://x.org/a".into(), url_b: "http://x.org/b".into(), score: 0.75 };
        let outcomes = [
            (CandidateOutcome::Accepted, "score 0.2500"),
            (CandidateOutcome::LowScore { min_score: Some(0.5) }, "score 0.2500: below the minimum 0.5"),
            (CandidateOutcome::LowScore { min_score: None }, "score 0.2500: too low"),
            (
                CandidateOutcome::LostToBetter { better: vec![pair.clone()] },
                "score 0.2500: lost to a better pair: http://x.org/a http://x.org/b, score 0.7500",
            ),
            (CandidateOutcome::LostToBetter { better: Vec::new() }, "score 0.2500: lost to a better pair"),
            (CandidateOutcome::SameText, "the same text on both sides"),
            (
                CandidateOutcome::Contradicted,
                "score 0.2500: contradicted, as by surer pairs its pages are versions of two documents: they have different partners in some language",
            ),
        ];
        let by = Proposer { method: "words", key: None };
        for (outcome, wanted) in outcomes {
            assert_eq!(outcome.with_score(0.25), wanted);
            let verdict = PairVerdict::Rejected { by: by.clone(), score: 0.25, outcome };
            assert_eq!(verdict.to_string(), format!("not a pair: proposed by words, {wanted}"));
        }
        let by = Proposer { method: "key", key: Some("path:en:fr".into()) };
        let verdicts = [
            (PairVerdict::Pair { by, score: 0.25 }, "a pair, by key path:en:fr, score 0.2500"),
            (PairVerdict::DifferentDomains, "different registrable domains"),
            (PairVerdict::AcrossSuffixesOff, "`--across-suffixes` only"),
            (PairVerdict::NotOneSite, "nothing shows these domains to be one site"),
            (PairVerdict::NotBothPages, "not both are pages"),
            (PairVerdict::NotIndexed, "not known yet"),
            (PairVerdict::NotJudgedYet, "not judged yet"),
            (PairVerdict::SameLanguage { lang: Lang::EN }, "both are in one language, en"),
            (PairVerdict::NoLanguage { url: pair.url_a.clone() }, "http://x.org/a counts for no language"),
            (PairVerdict::NotProposed, "nothing proposes it"),
            (PairVerdict::NotCompared, "not compared"),
        ];
        for (verdict, wanted) in verdicts {
            assert!(verdict.to_string().contains(wanted), "{verdict}");
        }
        let leads = [
            (LeadOutcome::NotInArchives, "not in the archives"),
            (LeadOutcome::Removed, "was removed"),
            (
                LeadOutcome::LeftOut { reason: Some(SkipReason::EmptyBody), detail: "0".into() },
                "left out: empty body (0)",
            ),
            (LeadOutcome::CopyOf { of: pair.url_a.clone() }, "an untranslated copy of http://x.org/a"),
            (LeadOutcome::OtherLanguage { lang: Lang::ZH, expected: Lang::EN }, "but its text is zh, not en"),
            (LeadOutcome::OtherLanguage { lang: Lang::UNKNOWN, expected: Lang::EN }, "no language"),
            (LeadOutcome::PairedElsewhere { pair: pair.clone() }, "another partner: http://x.org/a http://x.org/b"),
            (LeadOutcome::AssignedElsewhere { pair }, "assigned another pair"),
            (LeadOutcome::NotMatched, "not applied"),
        ];
        for (lead, wanted) in leads {
            assert!(lead.to_string().contains(wanted), "{lead}");
        }
    }

    #[test]
    fn every_verdict_says_what_it_stands_for() {
        use PageVerdict::*;
        let (url, lang) = ("http://x.org/a", Lang::EN);
        let es = Lang::parse("es").expect("a tag");
        let of = url.to_owned();
        let verdicts = [
            (UnknownDomain { domain: "x.org".into() }, "nothing of the domain x.org"),
            (NotCaptured, "not captured"),
            (Removed, "`diglot remove` took this URL"),
            (NotIndexed, "not indexed"),
            (CapturesLeftOut, "every capture of this URL was left out"),
            (KeysNotSearched, "keys have not been searched"),
            (LanguagesChanged { lang }, "while en was not among"),
            (LanguageDoubted { lang }, "was taken for en, but"),
            (
                CopyByCanonical { named: of.clone(), of: of.clone(), lang },
                "it declares http://x.org/a as its canonical URL and has its text (en); that page stands for both",
            ),
            (CopyByUrl { of: of.clone(), lang }, "copy (en) of http://x.org/a, as its URL tells"),
            (CopyByLinks { of, lang }, "as its links tell"),
            (
                ForeignText { lang, counts_for: es },
                "its own text, which does not stand on many pages of the site, is in en",
            ),
            (Paired { pages: 1 }, "paired, with 1 page"),
            (Paired { pages: 2 }, "paired, with 2 pages"),
            (LanguageUnknown { guess: None, requested: vec![] }, "its language is not known"),
            (
                LanguageUnknown { guess: Some(es), requested: vec![lang] },
                "for es, which is a guess, and nothing tells that it is in one of the languages requested (en)",
            ),
            (
                LanguageNotRequested { lang: es, requested: vec![lang] },
                "its language, es, is not among those requested (en)",
            ),
            (CandidatesRejected { pairs: 1 }, "one pair with it was proposed and kept"),
            (CandidatesRejected { pairs: 3 }, "3 pairs with it were proposed"),
            (NothingProposed, "nothing proposes a pair with it"),
            (NoStrongKey, "no strong key"),
            (TextNotInUrlLanguage { lang, url: vec![es] }, "it is en, such URLs are es"),
            (KeysLeadNowhere, "no key of the site leads"),
            (LeadsAreNoPartners { urls: 1 }, "the one URL"),
            (LeadsAreNoPartners { urls: 2 }, "none of the 2 URLs"),
        ];
        for (verdict, wanted) in verdicts {
            assert!(verdict.to_string().contains(wanted), "{verdict}");
            let json = serde_json::to_value(&verdict).expect("JSON");
            assert!(json["kind"].is_string(), "{json}");
        }
    }
}
