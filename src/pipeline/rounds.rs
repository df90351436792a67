//! The rounds of the default in one site: judge, let the links of accepted pairs vote, compare what they propose.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use super::candidates::{self, Partners};
use super::judging::{Judged, beside_rivals, judge, unique};
use super::learn::{Models, teach_site};
use super::network::Network;
use super::site::{PageIds, SiteView, WordWeights};
use crate::config::Config;
use crate::error::Result;
use crate::iterate::neighbours;
use crate::iterate::propose::{self, Belief};
use crate::judge::score::Scorer;
use crate::types::{Candidate, Compared, JudgedPair, JudgedSite, LangPair, Measure, Method, PagePair};

/// What rounds work on in one site.
pub struct Rounds<'v, 's> {
    view: &'v SiteView<'s>,
    context: &'v Context<'v>,
    config: &'v Config,
    models: &'v Models,
    /// What this site itself teaches, for language pairs the run has learnt nothing of.
    taught: Models,
    /// The pairs that taught it.
    heard: BTreeMap<LangPair, Vec<PageIds>>,
    /// Weights fitted to this site.
    fitted: BTreeMap<LangPair, Scorer>,
    shipped: Scorer,
    weights: WordWeights,
    network: Network,
    compared: Vec<Compared>,
    known: FxHashSet<PagePair>,
    judged: Judged,
}

impl<'v, 's> Rounds<'v, 's> {
    /// Takes up what verification judged.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(
        view: &'v SiteView<'s>,
        context: &'v Context<'v>,
        models: &'v Models,
        verified: impl Iterator<Item = JudgedPair>,
    ) -> Result<Rounds<'v, 's>> {
        let mut rounds = Rounds {
            view,
            context,
            config: context.config,
            models,
            taught: Models::default(),
            heard: BTreeMap::new(),
            fitted: BTreeMap::new(),
            shipped: Scorer::default(),
            weights: view.word_weights()?,
            network: Network::new(view),
            compared: Vec::new(),
            known: FxHashSet::default(),
            judged: Judged::default(),
        };
        for judged in verified {
            // Copies found since are out of the competition.
            if view.ordered(judged.pair.a, judged.pair.b).is_some() {
                rounds.note(judged.compared());
            }
        }
        Ok(rounds)
    }

    fn note(&mut self, one: Compared) {
        self.known.insert(one.candidate.pair);
        self.compared.push(one);
    }

    /// Rounds until nothing changes: judge, let the links of accepted pairs vote, compare what they propose.
    ///
    /// # Errors
    /// When the store cannot be read, or the run was stopped.
    pub fn run(&mut self) -> Result<()> {
        self.judge();
        let found = self.by_words()?;
        self.compare(found)?;
        self.fit();
        self.judge();
        for round in 0..self.config.iterate.rounds {
            self.context.check_stop()?;
            let before = self.accepted();
            let proposed = self.vote()?;
            let new = self.compare(proposed)?;
            if new > 0 {
                self.vote()?;
            }
            self.judge();
            if round < TEACHING_ROUNDS {
                self.fit();
                self.teach()?;
                self.judge();
            }
            if self.accepted() == before && new == 0 {
                break;
            }
        }
        Ok(())
    }

    fn judge(&mut self) {
        let scorer = |langs| self.fitted.get(&langs).cloned().unwrap_or_else(|| self.models.scorer(langs));
        self.judged = judge(&self.compared, scorer, |langs| self.view.smaller(langs), self.config);
    }

    /// Fits the weights of language pairs that the run has learnt nothing of to what this site has: good are pairs that are
    /// each other's best by far, bad the other candidates of their pages.
    fn fit(&mut self) {
        let params = &self.config.judge.fit;
        let mut by_langs: BTreeMap<LangPair, Vec<(&Compared, f64)>> = BTreeMap::new();
        for one in self.compared.iter().filter(|one| !one.same_text) {
            let langs = one.candidate.pair.langs;
            if !self.models.learnt.contains_key(&langs) {
                let scorer = self.fitted.get(&langs).unwrap_or(&self.shipped);
                by_langs.entry(langs).or_default().push((one, scorer.evidence(&one.similarities, params)));
            }
        }
        for (langs, list) in by_langs {
            // Best and second best of each page.
            let mut best: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
            for (one, evidence) in &list {
                for page in [one.candidate.pair.a, one.candidate.pair.b] {
                    let (first, second) = best.entry(page).or_insert((f64::NEG_INFINITY, f64::NEG_INFINITY));
                    if evidence > first {
                        (*first, *second) = (*evidence, *first);
                    } else if evidence > second {
                        *second = *evidence;
                    }
                }
            }
            let leads = |page: u32, evidence: f64| {
                best.get(&page).is_some_and(|(first, second)| evidence >= *first && evidence - second >= LEAD)
            };
            let (mut good, mut bad, mut led) = (Vec::new(), Vec::new(), FxHashSet::default());
            for (one, evidence) in &list {
                if leads(one.candidate.pair.a, *evidence) && leads(one.candidate.pair.b, *evidence) {
                    good.push(one.similarities);
                    led.extend([one.candidate.pair.a, one.candidate.pair.b]);
                }
            }
            for (one, evidence) in &list {
                let is_good = leads(one.candidate.pair.a, *evidence) && leads(one.candidate.pair.b, *evidence);
                if !is_good && (led.contains(&one.candidate.pair.a) || led.contains(&one.candidate.pair.b)) {
                    bad.push(one.similarities);
                }
            }
            self.fitted.insert(langs, Scorer::fit(&good, &bad, &self.shipped, params));
        }
    }

    fn accepted(&self) -> Vec<PagePair> {
        self.judged.pairs.iter().filter(|judged| judged.is_accepted()).map(|judged| judged.pair).collect()
    }

    /// Adds candidates that are new, with what the measures say; gives how many.
    fn compare(&mut self, candidates: Vec<Candidate>) -> Result<usize> {
        let new: Vec<Candidate> =
            unique(candidates).into_iter().filter(|candidate| !self.known.contains(&candidate.pair)).collect();
        let compared = self.view.compared(&new, &self.sources(), &self.weights)?;
        compared.into_iter().for_each(|one| self.note(one));
        self.set_margins();
        Ok(new.len())
    }

    /// Sets how far the content of each candidate is above that of the others of its two pages: what a page that has no
    /// partner shares with pages of its subject, all of them share. Time grows with the candidates.
    fn set_margins(&mut self) {
        let mut of_page: FxHashMap<(LangPair, u32), Vec<f32>> = FxHashMap::default();
        for one in &self.compared {
            let PagePair { langs, a, b } = one.candidate.pair;
            if let Some(content) = one.similarities.get(Measure::Content) {
                for page in [a, b] {
                    of_page.entry((langs, page)).or_default().push(content);
                }
            }
        }
        of_page.values_mut().for_each(|contents| contents.sort_unstable_by(|x, y| y.total_cmp(x)));
        for one in &mut self.compared {
            let PagePair { langs, a, b } = one.candidate.pair;
            let margin = one.similarities.get(Measure::Content).and_then(|content| {
                let others = [a, b].map(|page| mean_of_others(&of_page[&(langs, page)], content));
                let [Some(x), Some(y)] = others else { return None };
                Some(margin(content, (x + y) / 2.0))
            });
            one.similarities.set(Measure::Margin, margin);
        }
    }

    fn sources(&self) -> candidates::Either<'_> {
        candidates::Either { first: self.models, second: &self.taught }
    }

    /// Pages without a partner, by the rare words they share.
    fn by_words(&self) -> Result<Vec<Candidate>> {
        let paired = Partners::of(self.accepted().into_iter());
        candidates::of_words(self.view, &paired, &self.sources(), &self.config.retrieval)
    }

    /// Learns the words of language pairs that nothing is known of from the pairs that are surest, and asks again.
    fn teach(&mut self) -> Result<()> {
        let mut sure: BTreeMap<LangPair, Vec<PageIds>> = BTreeMap::new();
        for judged in &self.judged.pairs {
            let PagePair { langs, a, b } = judged.pair;
            let is_sure = judged.is_accepted() && judged.score >= SURE;
            if is_sure && !self.models.knows(langs) {
                sure.entry(langs).or_default().push((a, b));
            }
        }
        // What has been learnt from the same pairs is known.
        sure.retain(|langs, pairs| pairs.len() >= LEAST_SURE && self.heard.get(langs) != Some(pairs));
        if sure.is_empty() {
            return Ok(());
        }
        self.taught.learnt.extend(teach_site(self.view, &sure, self.config)?.learnt);
        self.heard.extend(sure.clone());
        let places: Vec<usize> =
            (0..self.compared.len()).filter(|&at| sure.contains_key(&self.compared[at].candidate.pair.langs)).collect();
        let pairs: Vec<PageIds> =
            places.iter().map(|&at| self.compared[at].candidate.pair).map(|pair| (pair.a, pair.b)).collect();
        let again = self.view.similarities(&pairs, &self.sources(), &self.weights)?;
        for (at, similarities) in places.into_iter().zip(again) {
            let one = &mut self.compared[at].similarities;
            for measure in [Measure::Content, Measure::Length] {
                one.set(measure, similarities.get(measure));
            }
        }
        let found = self.by_words()?;
        self.compare(found)?;
        self.judge();
        Ok(())
    }

    /// Aligns the links of all accepted pairs: their targets get votes. Sets what votes and neighbours say of every
    /// candidate, and gives the pairs that have many votes.
    fn vote(&mut self) -> Result<Vec<Candidate>> {
        let accepted: Vec<JudgedPair> =
            self.judged.pairs.iter().filter(|judged| judged.is_accepted()).copied().collect();
        let partners = Partners::of(accepted.iter().map(|judged| judged.pair));
        let scores: FxHashMap<PagePair, f32> = accepted.iter().map(|judged| (judged.pair, judged.score)).collect();
        let params = &self.config.iterate.propose;
        let ballots = accepted.par_iter().map(|judged| -> Result<Vec<PageIds>> {
            let PagePair { langs, a, b } = judged.pair;
            let belief = |x: u32, y: u32| match scores.get(&PagePair { langs, a: x, b: y }) {
                Some(&score) => Belief::Pair(score),
                None if partners.has(langs, x) || partners.has(langs, y) => Belief::Otherwise,
                None => Belief::Open,
            };
            let links = |page: u32| self.network.links(page);
            let mut aligned = propose::align(links(a), links(b), &belief, params);
            // A page says nothing of itself.
            aligned.retain(|&(x, y)| x != a && y != b);
            Ok(aligned)
        });
        let ballots: Vec<Vec<PageIds>> = ballots.collect::<Result<_>>()?;
        let mut votes: BTreeMap<PagePair, u32> = BTreeMap::new();
        let mut all: FxHashMap<(LangPair, u32), u32> = FxHashMap::default();
        let mut cast = |pair: PagePair| {
            *votes.entry(pair).or_default() += 1;
            *all.entry((pair.langs, pair.a)).or_default() += 1;
            *all.entry((pair.langs, pair.b)).or_default() += 1;
        };
        for (judged, ballot) in accepted.iter().zip(&ballots) {
            let langs = judged.pair.langs;
            ballot.iter().for_each(|&(a, b)| cast(PagePair { langs, a, b }));
        }
        // Two translations of one page are translations of each other.
        let mut of_page: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for PagePair { a, b, .. } in accepted.iter().map(|judged| judged.pair) {
            of_page.entry(a).or_default().push(b);
            of_page.entry(b).or_default().push(a);
        }
        for versions in of_page.values() {
            for (at, &x) in versions.iter().enumerate() {
                for &y in &versions[at + 1..] {
                    if let Some(pair) = self.view.ordered(x, y) {
                        cast(pair);
                    }
                }
            }
        }
        let share = |pair: PagePair| -> Option<f32> {
            let of = |page: u32| all.get(&(pair.langs, page)).copied().unwrap_or(0);
            let most = of(pair.a).max(of(pair.b));
            // One vote of one is less than twenty of twenty.
            let got = votes.get(&pair).copied().unwrap_or(0);
            (most > 0).then(|| got as f32 / (most as f32 + 0.5))
        };
        let network = &self.network;
        self.compared.par_iter_mut().for_each(|one| {
            let PagePair { langs, a, b } = one.candidate.pair;
            let partner = |page: u32| partners.get(langs, page);
            let neighbours =
                neighbours::share((a, b), (network.neighbours(langs.a), network.neighbours(langs.b)), &partner);
            one.similarities.set(Measure::Neighbours, neighbours);
            one.similarities.set(Measure::Votes, share(one.candidate.pair));
        });
        let proposed = votes.keys().filter(|&&pair| {
            share(pair).is_some_and(|share| share >= params.least_share)
                && self.view.ordered(pair.a, pair.b).is_some_and(|known| known.langs == pair.langs)
        });
        Ok(proposed.map(|&pair| Candidate { pair, method: Method::Votes, key: None }).collect())
    }

    /// Puts into `site` the judged pairs that are worth keeping, how reliable each source was, and the weights fitted.
    pub fn outcome(self, site: &mut JudgedSite) {
        let mut kept = self.judged.pairs;
        // What words alone proposed and nothing supports is not worth its bytes.
        let least = self.config.iterate.least_kept;
        kept.retain(|judged| judged.score >= least || judged.method < Method::Words);
        beside_rivals(&mut kept);
        site.pairs = kept;
        site.sources = self.judged.sources;
        site.fitted = self.fitted.into_iter().map(|(langs, scorer)| (langs, scorer.weights.to_vec())).collect();
    }
}

/// The mean of the largest [`OTHERS`] of a list that is sorted from the largest on, one that is `own` left out; `None` where
/// there are fewer.
fn mean_of_others(sorted: &[f32], own: f32) -> Option<f32> {
    let place = sorted.partition_point(|&other| other > own);
    let others = sorted.iter().enumerate().filter(|&(at, _)| at != place).map(|(_, &other)| other).take(OTHERS);
    let (sum, count) = others.fold((0.0, 0), |(sum, count), other| (sum + other, count + 1));
    (count == OTHERS).then(|| sum / OTHERS as f32)
}

/// How much more content a pair has than others, 0..=1: 0.5 for [`FAIR`] times as much.
fn margin(own: f32, others: f32) -> f32 {
    let ratio = (own / others.max(0.01) / FAIR).powi(4);
    ratio / (1.0 + ratio)
}

/// Other candidates that a page is compared with.
const OTHERS: usize = 3;
/// How much more content than the others a pair has that is as likely right as wrong.
const FAIR: f32 = 1.3;

/// How much better than any other a pair must be for both of its pages to be taken as surely good, in nats.
const LEAD: f64 = 1.5;
/// Rounds after which weights and words are learnt again.
const TEACHING_ROUNDS: usize = 3;
/// Probability from which a pair teaches its site.
const SURE: f32 = 0.9;
/// Pairs that teach, at the least.
const LEAST_SURE: usize = 8;
