//! Candidates and what the measures say of them → judged pairs: the step that verification and iteration share.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::config::Config;
use crate::judge::decide::{Choice, best_first};
use crate::judge::score::Scorer;
use crate::judge::versions::Versions;
use crate::judge::{self, prior};
use crate::store::layout::{JudgedRow, SourceRow};
use crate::types::{Fate, LangPair, Method, Similarities};

/// One pair that something proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The two languages.
    pub langs: LangPair,
    /// Page of the first.
    pub a: u32,
    /// Page of the second.
    pub b: u32,
    /// What proposed it.
    pub method: Method,
    /// Its key; [`NO_KEY`]: none.
    pub key: u32,
}

impl Candidate {
    /// The candidate as it is stored, once it is judged by something else than the weight of evidence.
    pub fn row(&self, score: f64, similarities: Similarities, fate: Fate) -> JudgedRow {
        JudgedRow {
            a: self.a,
            b: self.b,
            key: self.key,
            evidence: 0.0,
            score: score as f32,
            similarities: similarities.0,
            method: self.method as u8,
            fate: fate as u8,
        }
    }
}

/// No key.
pub const NO_KEY: u32 = u32::MAX;

/// A candidate with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The candidate.
    pub candidate: Candidate,
    /// What the measures say.
    pub similarities: Similarities,
    /// Share of the text that both sides have in common, 0..=1.
    pub same_text: f32,
}

/// Judged pairs of one site.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// By language pair, page of the first language, page of the second.
    pub rows: Vec<(LangPair, JudgedRow)>,
    /// By language pair, method and key.
    pub sources: Vec<(LangPair, SourceRow)>,
}

/// One of each pair, proposed by what is trusted most; sorted by languages and pages.
pub fn unique(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_unstable();
    // The order of methods is that of trust.
    candidates.dedup_by_key(|candidate| (candidate.langs, candidate.a, candidate.b));
    candidates
}

/// Gives pairs that were outdone or contradicted the probability that they are right all the same: their own times that every better
/// pair with a page of theirs is wrong, or that those which contradict are. Before, a score tells nothing of other pairs. Rows are
/// those of one site.
pub fn beside_rivals(rows: &mut [(LangPair, JudgedRow)]) {
    let mut taken: FxHashMap<(LangPair, u32), (u32, f32)> = FxHashMap::default();
    let accepted = || (0u32..).zip(rows.iter()).filter(|(_, (_, row))| row.is_accepted());
    for (at, (langs, row)) in accepted() {
        taken.insert((*langs, row.a), (at, row.score));
        taken.insert((*langs, row.b), (at, row.score));
    }
    let versions = Versions::new(accepted().map(|(_, (langs, row))| (*langs, row.a, row.b, f64::from(row.score))));
    for (langs, row) in rows.iter_mut() {
        if row.fate == Fate::Outdone as u8 {
            let [of_a, of_b] = [row.a, row.b].map(|page| taken.get(&(*langs, page)));
            let others = [of_a, of_b.filter(|b| of_a.is_none_or(|a| a.0 != b.0))];
            row.score *= others.into_iter().flatten().map(|(_, score)| 1.0 - score).product::<f32>();
        } else if row.fate == Fate::Contradicted as u8 {
            let against = versions.against(row.a, row.b, f64::from(row.score));
            row.score *= 1.0 - against.unwrap_or(0.0) as f32;
        }
    }
}

/// Weighs the evidence, learns how often each source is right, and takes the best pairs first, one partner a page in
/// each language pair; then takes back the pairs that no address and no declaration proposed and that surer ones contradict, as long as
/// there are any. `scorer` gives the weights of a language pair, `smaller` the pages of its smaller language. Cost: n log n.
pub fn judge(
    compared: &[Compared],
    scorer: impl Fn(LangPair) -> Scorer,
    smaller: impl Fn(LangPair) -> usize,
    config: &Config,
) -> Judged {
    let params = &config.judge;
    let mut by_langs: BTreeMap<LangPair, Vec<&Compared>> = BTreeMap::new();
    for one in compared {
        by_langs.entry(one.candidate.langs).or_default().push(one);
    }
    let weighed = by_langs.into_iter().map(|(langs, list)| weigh(langs, list, &scorer(langs), smaller(langs), params));
    let mut weighed: Vec<Weighed<'_>> = weighed.collect();
    for _ in 0..CONTRADICTIONS {
        let versions = Versions::new(weighed.iter().flat_map(Weighed::accepted));
        // All languages are looked at before any is decided anew.
        let changed: Vec<bool> = weighed.iter_mut().map(|weighed| weighed.bar(&versions, params)).collect();
        if !changed.contains(&true) {
            break;
        }
        weighed.iter_mut().zip(changed).filter(|(_, changed)| *changed).for_each(|(weighed, _)| weighed.decide(params));
    }
    // What contradicted a pair may have been taken back since.
    let versions = Versions::new(weighed.iter().flat_map(Weighed::accepted));
    for weighed in &mut weighed {
        if weighed.open(&versions) {
            weighed.decide(params);
        }
    }
    let mut judged = Judged::default();
    weighed.into_iter().for_each(|weighed| weighed.into_rows(&mut judged));
    judged
}

/// True for what keys in use and declarations propose: a third language does not outweigh them, as it may have the same page twice.
fn is_declared(method: Method) -> bool {
    matches!(method, Method::Key | Method::Hreflang)
}

/// How often pairs are decided anew for those that are contradicted, at the most. Pairs that come in for these may contradict others,
/// fewer each time.
const CONTRADICTIONS: usize = 8;

/// The candidates of one language pair, weighed.
struct Weighed<'c> {
    langs: LangPair,
    compared: Vec<&'c Compared>,
    evidence: Vec<f64>,
    scores: Vec<f64>,
    fates: Vec<Fate>,
    /// How often each source is right.
    shares: BTreeMap<(Method, u32), f64>,
}

fn weigh<'c>(
    langs: LangPair,
    compared: Vec<&'c Compared>,
    scorer: &Scorer,
    smaller: usize,
    params: &judge::Params,
) -> Weighed<'c> {
    let evidence: Vec<f64> = compared.iter().map(|one| scorer.evidence(&one.similarities, &params.fit)).collect();
    let is_same = |one: &Compared| one.same_text > params.most_same_text;
    let mut of_source: BTreeMap<(Method, u32), Vec<f64>> = BTreeMap::new();
    for (one, &evidence) in compared.iter().zip(&evidence).filter(|(one, _)| !is_same(one)) {
        of_source.entry((one.candidate.method, one.candidate.key)).or_default().push(evidence);
    }
    let belief = |method: Method| match method {
        Method::Key | Method::Hreflang => params.prior.strong,
        Method::WeakKey => params.prior.weak,
        Method::Link | Method::Words | Method::Votes | Method::All => params.prior.other,
    };
    let mut shares: BTreeMap<(Method, u32), f64> =
        of_source.iter().map(|(&source, e)| (source, prior::share_right(e, belief(source.0)))).collect();
    // Where keys are right and pair many pages, a page they do not pair has hardly a partner.
    let by_keys = of_source.iter().filter(|(source, _)| source.0 == Method::Key && shares[source] > 0.5);
    let by_keys = by_keys.map(|(_, pairs)| pairs.len()).sum::<usize>();
    if by_keys >= params.prior.many_pairs && by_keys as f64 >= params.prior.most_pages * smaller as f64 {
        for ((method, _), share) in &mut shares {
            if belief(*method) == params.prior.other {
                *share = share.min(params.prior.beside_keys);
            }
        }
    }
    let score = |(one, &evidence): (&&Compared, &f64)| {
        let share = shares.get(&(one.candidate.method, one.candidate.key)).copied().unwrap_or(0.5);
        if is_same(one) { 0.0 } else { prior::probability(evidence, share) }
    };
    let scores: Vec<f64> = compared.iter().zip(&evidence).map(score).collect();
    let fates = compared.iter().map(|one| if is_same(one) { Fate::SameText } else { Fate::LowScore }).collect();
    let mut weighed = Weighed { langs, compared, evidence, scores, fates, shares };
    weighed.decide(params);
    weighed
}

impl Weighed<'_> {
    /// Takes the best first of those that are neither the same text on both sides nor contradicted.
    fn decide(&mut self, params: &judge::Params) {
        let is_open = |at: &usize| !matches!(self.fates[*at], Fate::SameText | Fate::Contradicted);
        let open: Vec<usize> = (0..self.fates.len()).filter(is_open).collect();
        let choice = |&at: &usize| {
            let Candidate { a, b, .. } = self.compared[at].candidate;
            Choice { a, b, score: self.scores[at] }
        };
        let choices: Vec<Choice> = open.iter().map(choice).collect();
        for (at, fate) in open.into_iter().zip(best_first(&choices, params.min_score, usize::MAX)) {
            self.fates[at] = fate;
        }
    }

    /// The accepted pairs, each with its languages, its pages in their order, and its score.
    fn accepted(&self) -> impl Iterator<Item = (LangPair, u32, u32, f64)> {
        let accepted = self.fates.iter().enumerate().filter(|(_, fate)| **fate == Fate::Accepted);
        accepted.map(|(at, _)| {
            let Candidate { a, b, .. } = self.compared[at].candidate;
            (self.langs, a, b, self.scores[at])
        })
    }

    /// Takes back what could be accepted and is contradicted; true when any of it was.
    fn bar(&mut self, versions: &Versions, params: &judge::Params) -> bool {
        let mut any = false;
        for (at, one) in self.compared.iter().enumerate().filter(|(_, one)| !is_declared(one.candidate.method)) {
            let Candidate { a, b, .. } = one.candidate;
            let is_open =
                matches!(self.fates[at], Fate::Accepted | Fate::Outdone) && self.scores[at] >= params.min_score;
            if is_open && versions.against(a, b, self.scores[at]).is_some() {
                any |= self.fates[at] == Fate::Accepted;
                self.fates[at] = Fate::Contradicted;
            }
        }
        any
    }

    /// Opens again what nothing contradicts any more; true when there is any.
    fn open(&mut self, versions: &Versions) -> bool {
        let mut any = false;
        for (at, one) in self.compared.iter().enumerate() {
            let Candidate { a, b, .. } = one.candidate;
            if self.fates[at] == Fate::Contradicted && versions.against(a, b, self.scores[at]).is_none() {
                self.fates[at] = Fate::LowScore;
                any = true;
            }
        }
        any
    }

    fn into_rows(self, judged: &mut Judged) {
        let mut counts: BTreeMap<(Method, u32), (u32, u32)> = BTreeMap::new();
        for (at, one) in self.compared.iter().enumerate() {
            let fate = self.fates[at];
            let count = counts.entry((one.candidate.method, one.candidate.key)).or_default();
            *count = (count.0 + 1, count.1 + u32::from(fate == Fate::Accepted));
            let row = one.candidate.row(self.scores[at], one.similarities, fate);
            judged.rows.push((self.langs, JudgedRow { evidence: self.evidence[at] as f32, ..row }));
        }
        for ((method, key), (pairs, accepted)) in counts {
            let share = self.shares.get(&(method, key)).copied().unwrap_or(0.0) as f32;
            let (lang_a, lang_b) = (self.langs.a.to_bytes(), self.langs.b.to_bytes());
            let row = SourceRow { lang_a, lang_b, key, method: method as u8, pairs, accepted, share };
            judged.sources.push((self.langs, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Lang, Measure};

    #[test]
    fn a_pair_that_two_things_propose_is_judged_once_as_the_more_trusted() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let of = |method, key| Candidate { langs, a: 1, b: 2, method, key };
        assert_eq!(unique(vec![of(Method::Words, NO_KEY), of(Method::Key, 3)]), [of(Method::Key, 3)]);
    }

    #[test]
    fn a_pair_that_was_outdone_is_right_where_its_rivals_are_wrong() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let row = |a, b, score, fate| {
            let candidate = Candidate { langs, a, b, method: Method::Key, key: 0 };
            (langs, candidate.row(score, Similarities::default(), fate))
        };
        let mut rows = [
            row(0, 10, 0.75, Fate::Accepted),
            row(1, 11, 0.5, Fate::Accepted),
            row(0, 12, 0.5, Fate::Outdone),
            row(0, 11, 0.5, Fate::Outdone),
            row(2, 12, 0.25, Fate::LowScore),
        ];
        beside_rivals(&mut rows);
        assert_eq!(rows.map(|(_, row)| row.score), [0.75, 0.5, 0.125, 0.0625, 0.25]);
    }

    #[test]
    fn a_pair_that_a_third_language_contradicts_makes_way_for_the_next() {
        let [en, fr, de] = ["en", "fr", "de"].map(|tag| Lang::parse(tag).expect("a tag"));
        let mut scorer = Scorer { weights: [0.0; crate::judge::score::INPUTS] };
        scorer.weights[2 + 2 * Measure::Content as usize] = 10.0;
        let one = |x: (Lang, u32), y: (Lang, u32), content: f32, method: Method| {
            let langs = LangPair::new(x.0, y.0).expect("two languages");
            let (a, b) = if langs.a == x.0 { (x.1, y.1) } else { (y.1, x.1) };
            let mut similarities = Similarities::default();
            similarities.set(Measure::Content, Some(content));
            Compared { candidate: Candidate { langs, a, b, method, key: 0 }, similarities, same_text: 0.0 }
        };
        let by = |method| {
            // English 1 and 2 have German 11 and 12; French 21 is that of 1, and looks more like German 12.
            let compared = [
                one((en, 1), (de, 11), 1.0, Method::Key),
                one((en, 2), (de, 12), 1.0, Method::Key),
                one((en, 1), (fr, 21), 1.0, Method::Key),
                one((de, 12), (fr, 21), 0.9, method),
                one((de, 11), (fr, 21), 0.85, method),
            ];
            let mut rows = judge(&compared, |_| scorer.clone(), |_| 2, &Config::default()).rows;
            rows.sort_by_key(|(_, row)| (row.a, row.b));
            beside_rivals(&mut rows);
            let of = |page: u32| rows.iter().find(|(_, row)| [row.a, row.b] == [page, 21]).expect("judged").1;
            (of(11), of(12))
        };
        let (next, best) = by(Method::Words);
        assert_eq!((next.fate, best.fate), (Fate::Accepted as u8, Fate::Contradicted as u8));
        assert!(best.score < 0.01, "{best:?}");
        // Keys are not taken back.
        let (next, best) = by(Method::Key);
        assert_eq!((next.fate, best.fate), (Fate::Outdone as u8, Fate::Accepted as u8));
    }

    #[test]
    fn a_key_that_leads_to_the_wrong_pages_is_believed_less_and_its_bad_pairs_go() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let compared: Vec<Compared> = (0..40)
            .map(|page| {
                let mut similarities = Similarities::default();
                similarities.set(Measure::Content, Some(if page % 2 == 0 { 0.95 } else { 0.05 }));
                let candidate = Candidate { langs, a: page, b: 100 + page, method: Method::Key, key: 0 };
                Compared { candidate, similarities, same_text: if page == 0 { 1.0 } else { 0.0 } }
            })
            .collect();
        let mut scorer = Scorer { weights: [0.0; crate::judge::score::INPUTS] };
        scorer.weights[2 + 2 * Measure::Content as usize] = 8.0;
        let judged = judge(&compared, |_| scorer.clone(), |_| 40, &Config::default());
        let source = judged.sources[0].1;
        assert!((0.4..0.6).contains(&source.share) && (source.pairs, source.accepted) == (40, 19), "{source:?}");
        assert_eq!(judged.rows[0].1.fate, Fate::SameText as u8);
        assert_eq!(judged.rows[1].1.fate, Fate::LowScore as u8);
        assert!(judged.rows[2].1.score > 0.95 && judged.rows[3].1.score < 0.05);
    }
}
