//! Candidates and what the measures say of them → judged pairs: the step that verification and iteration share.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::config::Config;
use crate::judge::decide::{Choice, best_first};
use crate::judge::prior;
use crate::judge::score::Scorer;
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

/// Gives pairs that were outdone the probability that they are right all the same: their own times that every better pair
/// with a page of theirs is wrong. Before, a score tells nothing of other pairs. Rows are those of one site.
pub fn beside_rivals(rows: &mut [(LangPair, JudgedRow)]) {
    let mut taken: FxHashMap<(LangPair, u32), (u32, f32)> = FxHashMap::default();
    for (at, (langs, row)) in (0u32..).zip(rows.iter()).filter(|(_, (_, row))| row.is_accepted()) {
        taken.insert((*langs, row.a), (at, row.score));
        taken.insert((*langs, row.b), (at, row.score));
    }
    for (langs, row) in rows.iter_mut().filter(|(_, row)| row.fate == Fate::Outdone as u8) {
        let [of_a, of_b] = [row.a, row.b].map(|page| taken.get(&(*langs, page)));
        let others = [of_a, of_b.filter(|b| of_a.is_none_or(|a| a.0 != b.0))];
        row.score *= others.into_iter().flatten().map(|(_, score)| 1.0 - score).product::<f32>();
    }
}

/// Weighs the evidence, learns how often each source is right, and takes the best pairs first, one partner a page in
/// each language pair. `scorer` gives the weights of a language pair, `smaller` the pages of its smaller language. Cost: n log n.
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
    let mut judged = Judged::default();
    for (langs, compared) in by_langs {
        let scorer = scorer(langs);
        let evidence: Vec<f64> = compared.iter().map(|one| scorer.evidence(&one.similarities, &params.fit)).collect();
        let mut of_source: BTreeMap<(Method, u32), Vec<f64>> = BTreeMap::new();
        for (one, &evidence) in compared.iter().zip(&evidence) {
            if one.same_text <= params.most_same_text {
                of_source.entry((one.candidate.method, one.candidate.key)).or_default().push(evidence);
            }
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
        if by_keys >= params.prior.many_pairs && by_keys as f64 >= params.prior.most_pages * smaller(langs) as f64 {
            for ((method, _), share) in &mut shares {
                if belief(*method) == params.prior.other {
                    *share = share.min(params.prior.beside_keys);
                }
            }
        }
        let is_same = |one: &Compared| one.same_text > params.most_same_text;
        let score = |(one, &evidence): (&&Compared, &f64)| {
            let share = shares.get(&(one.candidate.method, one.candidate.key)).copied().unwrap_or(0.5);
            if is_same(one) { 0.0 } else { prior::probability(evidence, share) }
        };
        let scores: Vec<f64> = compared.iter().zip(&evidence).map(score).collect();
        let choice = |(one, &score): (&&Compared, &f64)| Choice { a: one.candidate.a, b: one.candidate.b, score };
        let choices: Vec<Choice> = compared.iter().zip(&scores).map(choice).collect();
        let fates = best_first(&choices, params.min_score, usize::MAX);
        let mut counts: BTreeMap<(Method, u32), (u32, u32)> = BTreeMap::new();
        for (at, one) in compared.iter().enumerate() {
            let fate = if is_same(one) { Fate::SameText } else { fates[at] };
            let count = counts.entry((one.candidate.method, one.candidate.key)).or_default();
            *count = (count.0 + 1, count.1 + u32::from(fate == Fate::Accepted));
            let row = one.candidate.row(scores[at], one.similarities, fate);
            judged.rows.push((langs, JudgedRow { evidence: evidence[at] as f32, ..row }));
        }
        for ((method, key), (pairs, accepted)) in counts {
            let share = shares.get(&(method, key)).copied().unwrap_or(0.0) as f32;
            let (lang_a, lang_b) = (langs.a.to_bytes(), langs.b.to_bytes());
            judged
                .sources
                .push((langs, SourceRow { lang_a, lang_b, key, method: method as u8, pairs, accepted, share }));
        }
    }
    judged
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
