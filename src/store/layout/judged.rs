//! Judged pairs, and the models that judged them.
//!
//! These rows are converted from and to [`JudgedSite`], the form that the rest of the program uses, by [`JudgedRecord::new`] and by
//! [`ArchivedJudgedRecord::pairs`] and its neighbours, and nowhere else.

use rkyv::{Archive, Deserialize, Serialize};

use crate::types::{
    Beliefs, JudgedPair, JudgedSite, Lang, LangPair, Method, Outcome, PagePair, Similarities, SourceStats,
};

/// The pairs of one site that verification or iteration looked at. Kinds 8 and 9.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct JudgedRecord {
    /// Number of the site.
    pub site: u32,
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Language pairs of the rows.
    pub langs: Vec<([u8; 8], [u8; 8])>,
    /// Pairs, by language pair, then page.
    pub pairs: Vec<JudgedRow>,
    /// How many measures there were when it was written.
    pub measures: u32,
    /// The values of all measures for each pair, in the order of [`crate::types::MEASURES`], pair after pair; NaN: the measure says
    /// nothing.
    pub similarities: Vec<f32>,
    /// How often each source of candidates was right.
    pub sources: Vec<SourceRow>,
    /// Number of pairs per host, as `hosts` lists it.
    pub hosts: Vec<(String, u64)>,
    /// Untranslated copies that stand among pages of another language: the copy, and its original.
    pub copies: Vec<(u32, u32)>,
    /// Pages whose own text is in another language than the one they count for, and the language of the text.
    pub foreign: Vec<(u32, [u8; 8])>,
}

/// One judged pair.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq)]
pub struct JudgedRow {
    /// Page in the language that sorts first.
    pub a: u32,
    /// Page in the other.
    pub b: u32,
    /// Position of its key in the site's result; `u32::MAX`: none.
    pub key: u32,
    /// Weight of the evidence, in nats.
    pub evidence: f32,
    /// [`Beliefs`], in their order.
    pub beliefs: [f32; 5],
    /// Probability.
    pub score: f32,
    /// Position of its languages in [`JudgedRecord::langs`].
    pub langs: u16,
    /// The method that proposed the pair ([`Method`]).
    pub method: u8,
    /// The decision ([`Outcome`]).
    pub outcome: u8,
}

/// One source of candidates: a key, or a method.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq)]
pub struct SourceRow {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Position of the key; `u32::MAX`: none.
    pub key: u32,
    /// The method that proposed the pairs.
    pub method: u8,
    /// Pairs it proposed.
    pub proposed: u32,
    /// Pairs that were accepted.
    pub accepted: u32,
    /// Estimated share of right pairs.
    pub precision: f32,
}

/// Stands for "no key".
const NONE: u32 = u32::MAX;

fn place_of(stored: u32) -> Option<u32> {
    (stored != NONE).then_some(stored)
}

fn stored(&Beliefs { source, names, agree, usual, log_odds }: &Beliefs) -> [f32; 5] {
    [source, names, agree, usual, log_odds]
}

fn known([source, names, agree, usual, log_odds]: [f32; 5]) -> Beliefs {
    Beliefs { source, names, agree, usual, log_odds }
}

fn langs_of(a: [u8; 8], b: [u8; 8]) -> Option<LangPair> {
    LangPair::new(Lang::from_bytes(a), Lang::from_bytes(b))
}

impl JudgedRecord {
    /// The record of a site.
    pub fn new(site: &JudgedSite) -> JudgedRecord {
        let mut langs: Vec<LangPair> = site.pairs.iter().map(|judged| judged.pair.langs).collect();
        langs.sort_unstable();
        langs.dedup();
        let row = |judged: &JudgedPair| JudgedRow {
            a: judged.pair.a,
            b: judged.pair.b,
            key: judged.key.unwrap_or(NONE),
            evidence: judged.evidence,
            beliefs: stored(&judged.beliefs),
            score: judged.score,
            langs: langs.binary_search(&judged.pair.langs).map_or(u16::MAX, |at| at as u16),
            method: judged.method as u8,
            outcome: judged.outcome as u8,
        };
        let source = |stats: &SourceStats| SourceRow {
            lang_a: stats.langs.a.to_bytes(),
            lang_b: stats.langs.b.to_bytes(),
            key: stats.key.unwrap_or(NONE),
            method: stats.method as u8,
            proposed: stats.proposed,
            accepted: stats.accepted,
            precision: stats.precision,
        };
        JudgedRecord {
            site: site.site.0,
            generation: site.generation,
            pairs: site.pairs.iter().map(row).collect(),
            langs: langs.iter().map(|langs| (langs.a.to_bytes(), langs.b.to_bytes())).collect(),
            measures: Similarities::COUNT as u32,
            similarities: site.pairs.iter().flat_map(|judged| judged.similarities.0).collect(),
            sources: site.sources.iter().map(source).collect(),
            hosts: site.hosts.clone(),
            copies: site.copies.clone(),
            foreign: site.foreign.iter().map(|&(page, lang)| (page, lang.to_bytes())).collect(),
        }
    }
}

impl ArchivedJudgedRecord {
    /// True when all pages that it names are among the first `pages`.
    pub fn is_of(&self, pages: u32) -> bool {
        self.pairs.iter().all(|pair| pair.a < pages && pair.b < pages)
            && self.copies.iter().all(|copy| copy.0 < pages && copy.1 < pages)
            && self.foreign.iter().all(|row| row.0 < pages)
    }

    /// The judged pairs, in order. Rows that make no sense are left out; since the record has a sound checksum, there are none.
    pub fn pairs(&self) -> impl Iterator<Item = JudgedPair> + '_ {
        self.pairs.iter().zip(0usize..).filter_map(|(row, at)| self.pair(row, at))
    }

    /// The pair at a position.
    pub fn pair_at(&self, at: usize) -> Option<JudgedPair> {
        self.pair(self.pairs.get(at)?, at)
    }

    /// The accepted pairs.
    pub fn accepted(&self) -> impl Iterator<Item = JudgedPair> + '_ {
        let accepted = self.pairs.iter().zip(0usize..).filter(|(row, _)| row.outcome == Outcome::Accepted as u8);
        accepted.filter_map(|(row, at)| self.pair(row, at))
    }

    fn pair(&self, row: &ArchivedJudgedRow, at: usize) -> Option<JudgedPair> {
        let (lang_a, lang_b) = self.langs.get(usize::from(row.langs.to_native())).map(|langs| (langs.0, langs.1))?;
        let pair = PagePair { langs: langs_of(lang_a, lang_b)?, a: row.a.to_native(), b: row.b.to_native() };
        Some(JudgedPair {
            pair,
            method: Method::from_code(row.method)?,
            key: place_of(row.key.to_native()),
            similarities: self.similarities_at(at),
            evidence: row.evidence.to_native(),
            beliefs: known(row.beliefs.map(|value| value.to_native())),
            score: row.score.to_native(),
            outcome: Outcome::from_code(row.outcome)?,
        })
    }

    /// Measures that were added later say nothing of pairs written before.
    fn similarities_at(&self, at: usize) -> Similarities {
        let width = self.measures.to_native() as usize;
        let mut found = Similarities::default();
        let stored = self.similarities.get(at * width..(at + 1) * width).unwrap_or_default();
        for (value, stored) in found.0.iter_mut().zip(stored) {
            *value = stored.to_native();
        }
        found
    }

    /// How reliable each source of candidates is.
    pub fn sources(&self) -> impl Iterator<Item = SourceStats> + '_ {
        self.sources.iter().filter_map(|row| {
            Some(SourceStats {
                langs: langs_of(row.lang_a, row.lang_b)?,
                method: Method::from_code(row.method)?,
                key: place_of(row.key.to_native()),
                proposed: row.proposed.to_native(),
                accepted: row.accepted.to_native(),
                precision: row.precision.to_native(),
            })
        })
    }

    /// The original of a page that is a copy among pages of another language.
    pub fn copy_of(&self, page: u32) -> Option<u32> {
        let at = self.copies.binary_search_by_key(&page, |copy| copy.0.to_native()).ok()?;
        Some(self.copies[at].1.to_native())
    }

    /// The copies among pages of another language.
    pub fn copies(&self) -> impl Iterator<Item = u32> + '_ {
        self.copies.iter().map(|copy| copy.0.to_native())
    }

    /// The language of a page's own text, where it differs from the one the page counts for.
    pub fn foreign(&self, page: u32) -> Option<Lang> {
        let at = self.foreign.binary_search_by_key(&page, |row| row.0.to_native()).ok()?;
        Some(Lang::from_bytes(self.foreign[at].1))
    }

    /// The pages whose own text is in another language than the one they count for, with the language of the text.
    pub fn foreign_pages(&self) -> impl Iterator<Item = (u32, Lang)> + '_ {
        self.foreign.iter().map(|row| (row.0.to_native(), Lang::from_bytes(row.1)))
    }

    /// The whole record in the form that the rest of the program uses.
    #[cfg(test)]
    pub fn to_site(&self) -> JudgedSite {
        JudgedSite {
            site: crate::types::SiteId(self.site.to_native()),
            generation: self.generation.to_native(),
            pairs: self.pairs().collect(),
            sources: self.sources().collect(),
            hosts: self.hosts.iter().map(|host| (host.0.to_string(), host.1.to_native())).collect(),
            copies: self.copies.iter().map(|copy| (copy.0.to_native(), copy.1.to_native())).collect(),
            foreign: self.foreign_pages().collect(),
        }
    }
}

/// What verification or iteration stored for a site. Keys `v` and `i` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgedHead {
    /// Reference to its record.
    pub record: u64,
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Reference to the result record whose keys were judged.
    pub result: u64,
    /// Hash of the settings, the models and all other inputs.
    pub inputs: u64,
    /// Accepted pairs.
    pub pairs: u64,
}

/// What a run has learnt of one language pair. Kind 10.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct LearntRecord {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Hash of the pairs it was learnt from, and of the settings.
    pub inputs: u64,
    /// Page pairs it was learnt from.
    pub pairs: u32,
    /// Weights of the score; empty: the default weights.
    pub weights: Vec<f64>,
    /// Bytes of text of the second language for each byte of the first.
    pub length_ratio: f64,
    /// Word translations, sorted by words: each list was learnt from one half of the pairs, and is used to judge the other half.
    pub halves: [Vec<SureRow>; 2],
    /// References to the records of the pages it was learnt from, those in the first language, sorted. These pages have the words in their
    /// written form.
    pub pages_a: Vec<u64>,
    /// References to those in the second language.
    pub pages_b: Vec<u64>,
}

/// Two words that translate each other.
#[derive(Archive, Serialize, Clone, Copy, Debug, Default, PartialEq)]
pub struct SureRow {
    /// Hash of the word of the first language.
    pub a: u64,
    /// Hash of the word of the second language.
    pub b: u64,
    /// Probability of the second given the first.
    pub forth: f32,
    /// Probability of the first given the second.
    pub back: f32,
}

/// Where the model of a language pair is. Key `o` the two languages, 8 bytes each.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct LearntHead {
    /// Reference to its record.
    pub record: u64,
    /// [`LearntRecord::inputs`].
    pub inputs: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Measure;
    use crate::types::SiteId;

    fn site() -> JudgedSite {
        let langs = |a: &str, b: &str| {
            let parse = |tag: &str| Lang::parse(tag).expect("a tag");
            LangPair::new(parse(a), parse(b)).expect("two languages")
        };
        let mut similarities = Similarities::default();
        similarities.set(Measure::Content, Some(0.75));
        let pair = |langs: LangPair, a: u32, key: Option<u32>, outcome: Outcome| JudgedPair {
            pair: PagePair { langs, a, b: a + 100 },
            method: if key.is_some() { Method::Key } else { Method::Votes },
            key,
            similarities,
            beliefs: Beliefs { source: 0.5, names: 1.0, agree: 0.75, usual: -2.0, log_odds: 3.0 },
            evidence: -1.5,
            score: 0.25,
            outcome,
        };
        let (first, second) = (langs("de", "en"), langs("en", "zh-Hant"));
        JudgedSite {
            site: SiteId(3),
            generation: 4,
            pairs: vec![
                pair(second, 5, Some(2), Outcome::SameText),
                pair(first, 1, None, Outcome::Accepted),
                pair(second, 2, None, Outcome::LostToBetter),
            ],
            sources: vec![SourceStats {
                langs: first,
                method: Method::Votes,
                key: None,
                proposed: 3,
                accepted: 2,
                precision: 0.5,
            }],
            hosts: vec![("ex.org".into(), 1)],
            copies: vec![(7, 8)],
            foreign: vec![(9, Lang::EN)],
        }
    }

    fn archived(record: &JudgedRecord) -> rkyv::util::AlignedVec {
        rkyv::to_bytes::<rkyv::rancor::Error>(record).expect("it can be written")
    }

    #[test]
    fn a_judged_site_comes_back_as_it_was_written() {
        let site = site();
        let bytes = archived(&JudgedRecord::new(&site));
        let record = rkyv::access::<ArchivedJudgedRecord, rkyv::rancor::Error>(&bytes).expect("sound");
        assert_eq!(format!("{:?}", record.to_site()), format!("{site:?}"));
        assert_eq!(record.accepted().collect::<Vec<_>>(), [site.pairs[1]]);
        assert_eq!((record.copy_of(7), record.copy_of(8)), (Some(8), None));
        assert_eq!((record.foreign(9), record.foreign(8)), (Some(Lang::EN), None));
    }

    #[test]
    fn measures_that_came_later_say_nothing_of_what_was_written_before() {
        let mut record = JudgedRecord::new(&site());
        let keep = Measure::Length as usize + 2;
        record.similarities =
            record.similarities.chunks(Similarities::COUNT).flat_map(|row| &row[..keep]).copied().collect();
        record.measures = keep as u32;
        record.similarities[keep] = 0.5;
        let bytes = archived(&record);
        let record = rkyv::access::<ArchivedJudgedRecord, rkyv::rancor::Error>(&bytes).expect("sound");
        let second = record.pairs().nth(1).expect("three pairs").similarities;
        assert_eq!((second.get(Measure::Length), second.get(Measure::Content)), (Some(0.5), None));
    }
}
