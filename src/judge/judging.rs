//! Candidates and what the measures say of them → judged pairs: the step that verification and iteration share.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::decide::{Choice, best_first};
use super::odds::{logit, sigmoid};
use super::params::Params;
use super::prior;
use super::score::Scorer;
use super::shares::{Paired, Shares};
use super::versions::Versions;
use crate::index::parts::Parts;
use crate::types::{Candidate, Compared, JudgedPair, LangPair, Measure, Method, Outcome, PagePair, SourceStats};

/// Judged pairs of one site.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// By language pair, page of the first language, page of the second.
    pub pairs: Vec<JudgedPair>,
    /// By language pair, method and key; of all parts of the site.
    pub sources: Vec<SourceStats>,
    /// How often each source is right in each part.
    shares: BTreeMap<(LangPair, Source), Shares>,
}

/// Share of right pairs below which a key is doubtful.
const DOUBTFUL: f64 = 0.9;

impl Judged {
    /// True for a pair of a source that is wrong once in ten times or more, in the part of the pair.
    pub fn is_doubtful(&self, candidate: &Candidate, parts: &Parts) -> bool {
        let Candidate { pair, method, key } = *candidate;
        let shares = self.shares.get(&(pair.langs, (method, key)));
        shares.is_some_and(|shares| shares.at(parts.common(pair.a, pair.b), parts) < DOUBTFUL)
    }
}

/// One of each pair, proposed by what is trusted most; sorted by languages and pages.
pub fn unique(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_unstable();
    // The order of methods is that of trust.
    candidates.dedup_by_key(|candidate| candidate.pair);
    candidates
}

/// Gives pairs that lost to a better one or were contradicted the probability that they are right all the same: their own times that
/// every better pair with a page of theirs is wrong, or that those which contradict are. Before, a score tells nothing of other pairs.
/// `pairs` are those of one site.
pub fn beside_rivals(pairs: &mut [JudgedPair], params: &prior::Params) {
    let mut best: FxHashMap<(LangPair, u32), (usize, f32)> = FxHashMap::default();
    let accepted = || pairs.iter().enumerate().filter(|(_, judged)| judged.is_accepted());
    for (at, JudgedPair { pair, score, .. }) in accepted() {
        best.insert((pair.langs, pair.a), (at, *score));
        best.insert((pair.langs, pair.b), (at, *score));
    }
    let log_odds = |score: f32| params.log_odds(f64::from(score));
    let versions = Versions::new(accepted().map(|(_, judged)| (judged.pair, log_odds(judged.score))));
    for judged in pairs.iter_mut() {
        let PagePair { langs, a, b } = judged.pair;
        if judged.outcome == Outcome::LostToBetter {
            let [of_a, of_b] = [a, b].map(|page| best.get(&(langs, page)));
            let others = [of_a, of_b.filter(|b| of_a.is_none_or(|a| a.0 != b.0))];
            judged.score *= others.into_iter().flatten().map(|(_, score)| 1.0 - score).product::<f32>();
        } else if judged.outcome == Outcome::Contradicted {
            // That they are surer was seen by all of the evidence.
            let against = versions.against(a, b, f64::NEG_INFINITY);
            judged.score *= 1.0 - against.unwrap_or(0.0) as f32;
        }
    }
}

/// Weighs the evidence, learns how often each source is right in each part of the site, and takes the best pairs first, one partner a page in
/// each language pair; then takes back the pairs that no URL and no declaration proposed and that surer ones contradict, as long as
/// there are any. `scorer` gives the weights of a language pair in a part. Cost: n log n, times the depth of the parts.
pub fn judge(
    compared: &[Compared],
    scorer: impl Fn(LangPair, u32) -> Scorer,
    parts: &Parts,
    params: &Params,
) -> Judged {
    let mut by_langs: BTreeMap<LangPair, Vec<&Compared>> = BTreeMap::new();
    for one in compared {
        by_langs.entry(one.candidate.pair.langs).or_default().push(one);
    }
    let by_keys = paired_by_keys(&by_langs, parts, params.prior.borrowed);
    let weighed = by_langs.into_iter().map(|(langs, list)| weigh(langs, list, &scorer, (parts, &by_keys), params));
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
    weighed.into_iter().for_each(|weighed| weighed.into_pairs(&params.prior, &mut judged));
    judged
}

/// True for what keys in use and declarations propose: a third language does not outweigh them, as it may have the same page twice.
fn is_declared(method: Method) -> bool {
    matches!(method, Method::Key | Method::Marks | Method::Hreflang)
}

/// How often pairs are decided anew for those that are contradicted, at the most. Pairs that come in for these may contradict others,
/// fewer each time.
const CONTRADICTIONS: usize = 8;

/// True for a pair of URLs that name one page: by a key that names its languages, or with a name in common.
fn is_named(one: &Compared) -> bool {
    one.similarities.get(Measure::Named) == Some(1.0)
}

/// True where one of the pages links to the other.
fn are_linked(one: &Compared) -> bool {
    one.similarities.get(Measure::Link).is_some_and(|link| link > 0.0)
}

/// A method, with the key where it is one.
type Source = (Method, Option<u32>);

/// The candidates of one language pair, weighed.
struct Weighed<'c> {
    langs: LangPair,
    compared: Vec<&'c Compared>,
    evidence: Vec<f64>,
    /// The log odds of each that it is right, in nats, with all of its evidence: what candidates are ranked by.
    log_odds: Vec<f64>,
    /// The probability of each.
    scores: Vec<f64>,
    outcomes: Vec<Outcome>,
    /// True where what is refused is an [`Outcome::Edition`].
    are_editions: Vec<bool>,
    /// How often each source is right in each part.
    shares: BTreeMap<Source, Shares>,
}

/// For how many pages of all smaller languages keys propose a partner, whether it is right or not.
fn paired_by_keys(by_langs: &BTreeMap<LangPair, Vec<&Compared>>, parts: &Parts, borrowed: f64) -> Paired {
    let is_of_key = |one: &&&Compared| one.candidate.method == Method::Key && !one.same_text;
    let pairs = by_langs.values().flatten().filter(is_of_key).map(|one| (part_of(parts, one), 1.0));
    let smaller = |part: u32| by_langs.keys().map(|&langs| f64::from(parts.smaller(part, langs))).sum::<f64>();
    Paired::new(pairs, parts, smaller, borrowed)
}

/// The innermost part of the site that a pair is in.
fn part_of(parts: &Parts, one: &Compared) -> u32 {
    parts.common(one.candidate.pair.a, one.candidate.pair.b)
}

/// True for what credible keys, declarations and orders propose, whatever stands there.
fn is_by_address(method: Method) -> bool {
    is_declared(method) || method == Method::Order
}

/// What a source is believed to be before its pairs are seen.
fn belief(method: Method, params: &prior::Params) -> (f64, f64) {
    match method {
        Method::Key | Method::Hreflang => params.strong,
        Method::Marks => params.marks,
        Method::Order => params.order,
        Method::WeakKey => params.weak,
        Method::Link | Method::Words | Method::Votes | Method::All => params.other,
    }
}

/// What is said of one candidate, in nats.
struct Said {
    /// By all of it, and by its contents.
    all: f64,
    all_contents: f64,
    /// By its contents, as far as it counts.
    contents: f64,
    /// By its addresses.
    addresses: f64,
    /// The part of the site that it is in.
    part: u32,
}

impl Said {
    /// What all of it says of the addresses: where they belong together, contents are translations but for one in so many.
    fn of_addresses(&self, agree: f64, params: &Params) -> f64 {
        params.fit.counted(self.addresses + (agree * self.contents.exp() + 1.0 - agree).ln())
    }
}

/// How often each source is right about addresses, and how often contents agree where addresses belong together, by part. Each of the two is
/// estimated by what is known of the other, from what is believed on, [`SHARE_ROUNDS`] times.
fn shares_of(
    compared: &[&Compared],
    said: &[Said],
    parts: &Parts,
    params: &Params,
) -> (BTreeMap<Source, Shares>, Shares) {
    let all = || compared.iter().zip(said).filter(|(one, _)| !one.same_text);
    let source = |one: &Compared| (one.candidate.method, one.candidate.key);
    let mut agree = Shares::new(&[], parts, params.prior.contents);
    let mut shares = BTreeMap::new();
    for _ in 0..SHARE_ROUNDS {
        let of_addresses = |said: &Said| said.of_addresses(agree.at(said.part, parts), params);
        let mut of_source: BTreeMap<Source, Vec<(u32, f64)>> = BTreeMap::new();
        for (one, said) in all() {
            of_source.entry(source(one)).or_default().push((said.part, of_addresses(said)));
        }
        let share = |(source, pairs): (Source, Vec<(u32, f64)>)| {
            (source, Shares::new(&pairs, parts, belief(source.0, &params.prior)))
        };
        shares = of_source.into_iter().map(share).collect::<BTreeMap<_, _>>();
        let belong = |(one, said): &(&&Compared, &Said)| {
            let share = shares[&source(one)].at(said.part, parts);
            is_by_address(one.candidate.method) && of_addresses(said) + logit(share) > 0.0
        };
        let contents: Vec<(u32, f64)> = all().filter(belong).map(|(_, said)| (said.part, said.contents)).collect();
        agree = Shares::new(&contents, parts, params.prior.contents);
    }
    (shares, agree)
}

/// Rounds in which two shares that depend on each other are estimated; after these they hardly move.
const SHARE_ROUNDS: usize = 3;

fn weigh<'c>(
    langs: LangPair,
    compared: Vec<&'c Compared>,
    scorer: &dyn Fn(LangPair, u32) -> Scorer,
    (parts, all_by_keys): (&Parts, &Paired),
    params: &Params,
) -> Weighed<'c> {
    let prior = &params.prior;
    let mut scorers: FxHashMap<u32, Scorer> = FxHashMap::default();
    let mut say = |one: &&Compared| {
        let part = part_of(parts, one);
        let scorer = scorers.entry(part).or_insert_with(|| scorer(langs, part));
        let (all_contents, all) = scorer.contents_and_all(&one.similarities);
        // Two pages under one language are hardly versions of each other.
        let place = one
            .similarities
            .get(Measure::Place)
            .map_or(0.0, |place| prior.misplaced + if place < 0.5 { prior.under_one_mark } else { 0.0 });
        let (contents, addresses) = (params.fit.counted(all_contents), all - all_contents - place);
        Said { all, all_contents, contents, addresses, part }
    };
    let said: Vec<Said> = compared.iter().map(&mut say).collect();
    let (shares, agree) = shares_of(&compared, &said, parts, params);
    // Where keys are right and pair many pages, a page they do not pair has hardly a partner.
    let by_keys = compared.iter().zip(&said).filter(|(one, _)| one.candidate.method == Method::Key && !one.same_text);
    let by_keys =
        by_keys.map(|(one, said)| (said.part, shares[&(Method::Key, one.candidate.key)].at(said.part, parts)));
    let smaller = |part: u32| f64::from(parts.smaller(part, langs));
    let by_keys = Paired::new(by_keys.filter(|(_, share)| *share > 0.5), parts, smaller, prior.borrowed);
    let beside_keys = |part: u32| {
        let (right, share) = (by_keys.pages(part), by_keys.share(part));
        let is_many = right >= prior.many_pairs as f64 && share >= prior.min_share;
        if is_many { prior.beside_keys(right, right / share) } else { 1.0 }
    };
    // … and least of all one under another name.
    let under_other_name = |one: &Compared, part: u32| match one.similarities.get(Measure::Named) {
        Some(named) if named < 0.5 && !are_linked(one) => {
            prior.renamed * by_keys.share(part).min(1.0).max(all_by_keys.share(part))
        }
        _ => 0.0,
    };
    let share_of = |one: &Compared, part: u32| {
        let Candidate { method, key, .. } = one.candidate;
        let belief = belief(method, prior);
        let share = shares.get(&(method, key)).map_or(belief.0, |shares| shares.at(part, parts));
        let is_beside = !is_by_address(method) && !is_named(one);
        if is_beside { share.min(beside_keys(part)) } else { share }
    };
    let mut weighed = Weighed {
        langs,
        evidence: said.iter().map(|said| said.all).collect(),
        log_odds: Vec::new(),
        scores: Vec::new(),
        outcomes: Vec::new(),
        are_editions: Vec::new(),
        shares: BTreeMap::new(),
        compared: Vec::new(),
    };
    for (one, said) in compared.iter().zip(&said) {
        let (share, agree) = (logit(share_of(one, said.part)), agree.at(said.part, parts));
        let addresses = sigmoid(share + said.addresses - under_other_name(one, said.part));
        // However sure addresses are: what stands there may be something else.
        let expected = logit(agree * addresses);
        let score = if one.same_text { 0.0 } else { prior.probability(said.contents + expected) };
        weighed.log_odds.push(said.all_contents + expected);
        weighed.scores.push(score);
        weighed.outcomes.push(if one.same_text { Outcome::SameText } else { Outcome::LowScore });
        let belong = is_declared(one.candidate.method) && share + said.of_addresses(agree, params) > 0.0;
        weighed.are_editions.push(belong && said.contents + expected < 0.0);
    }
    (weighed.compared, weighed.shares) = (compared, shares);
    weighed.decide(params);
    weighed
}

impl Weighed<'_> {
    /// Takes the best first of those that are neither the same text on both sides nor contradicted.
    fn decide(&mut self, params: &Params) {
        let is_open = |at: &usize| !matches!(self.outcomes[*at], Outcome::SameText | Outcome::Contradicted);
        let open: Vec<usize> = (0..self.outcomes.len()).filter(is_open).collect();
        let choice = |&at: &usize| {
            let PagePair { a, b, .. } = self.compared[at].candidate.pair;
            // Ranked by all that is known, and taken by what is believed of it.
            let is_enough = self.scores[at] >= params.min_score;
            Choice { a, b, score: if is_enough { self.log_odds[at] } else { f64::NEG_INFINITY } }
        };
        let choices: Vec<Choice> = open.iter().map(choice).collect();
        for (at, outcome) in open.into_iter().zip(best_first(&choices, f64::MIN, usize::MAX)) {
            self.outcomes[at] = outcome;
        }
    }

    /// The accepted pairs, each with the log odds that it is right.
    fn accepted(&self) -> impl Iterator<Item = (PagePair, f64)> {
        let accepted = self.outcomes.iter().enumerate().filter(|(_, outcome)| **outcome == Outcome::Accepted);
        accepted.map(|(at, _)| (self.compared[at].candidate.pair, self.log_odds[at]))
    }

    /// Takes back what could be accepted and is contradicted; true when any of it was.
    fn bar(&mut self, versions: &Versions, params: &Params) -> bool {
        let mut any = false;
        for (at, one) in self.compared.iter().enumerate().filter(|(_, one)| !is_declared(one.candidate.method)) {
            let PagePair { a, b, .. } = one.candidate.pair;
            let is_open = matches!(self.outcomes[at], Outcome::Accepted | Outcome::LostToBetter)
                && self.scores[at] >= params.min_score;
            if is_open && versions.against(a, b, self.log_odds[at]).is_some() {
                any |= self.outcomes[at] == Outcome::Accepted;
                self.outcomes[at] = Outcome::Contradicted;
            }
        }
        any
    }

    /// Opens again what nothing contradicts any more; true when there is any.
    fn open(&mut self, versions: &Versions) -> bool {
        let mut any = false;
        for (at, one) in self.compared.iter().enumerate() {
            let PagePair { a, b, .. } = one.candidate.pair;
            if self.outcomes[at] == Outcome::Contradicted && versions.against(a, b, self.log_odds[at]).is_none() {
                self.outcomes[at] = Outcome::LowScore;
                any = true;
            }
        }
        any
    }

    fn into_pairs(self, params: &prior::Params, judged: &mut Judged) {
        // Of each source: its pairs, those accepted, and of those that are no copies, how many, and how many of them are right.
        let mut counts: BTreeMap<Source, (u32, u32, f64, f64)> = BTreeMap::new();
        for (at, one) in self.compared.iter().enumerate() {
            let outcome = match self.outcomes[at] {
                Outcome::LowScore | Outcome::LostToBetter if self.are_editions[at] => Outcome::Edition,
                outcome => outcome,
            };
            let count = counts.entry((one.candidate.method, one.candidate.key)).or_default();
            *count = (count.0 + 1, count.1 + u32::from(outcome == Outcome::Accepted), count.2, count.3);
            if !one.same_text {
                (count.2, count.3) = (count.2 + 1.0, count.3 + self.scores[at]);
            }
            let pair = JudgedPair::new(one.candidate, self.scores[at], one.similarities, outcome);
            judged.pairs.push(JudgedPair { evidence: self.evidence[at] as f32, ..pair });
        }
        for ((method, key), (proposed, accepted, pairs, right)) in counts {
            let (share, worth) = belief(method, params);
            let precision = if pairs == 0.0 { 0.0 } else { ((share * worth + right) / (worth + pairs)) as f32 };
            judged.sources.push(SourceStats { langs: self.langs, method, key, proposed, accepted, precision });
        }
        let langs = self.langs;
        judged.shares.extend(self.shares.into_iter().map(|(source, shares)| ((langs, source), shares)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::Tree;
    use crate::types::{Lang, Measure, Similarities};

    /// A site of one part, whose pages are those of candidates.
    fn whole(compared: &[Compared]) -> Parts {
        let pairs = || compared.iter().map(|one| one.candidate.pair);
        let pages = pairs().map(|pair| pair.a.max(pair.b) + 1).max().unwrap_or(0);
        let mut langs = vec![Lang::UNKNOWN; pages as usize];
        for PagePair { langs: of, a, b } in pairs() {
            (langs[a as usize], langs[b as usize]) = (of.a, of.b);
        }
        Parts::new(&Tree::flat(pages), &langs)
    }

    #[test]
    fn a_pair_that_two_things_propose_is_judged_once_as_the_more_trusted() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let of = |method, key| Candidate { pair: PagePair { langs, a: 1, b: 2 }, method, key };
        assert_eq!(unique(vec![of(Method::Words, None), of(Method::Key, Some(3))]), [of(Method::Key, Some(3))]);
    }

    #[test]
    fn a_pair_that_lost_is_right_where_its_rivals_are_wrong() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let row = |a, b, score, outcome| {
            let candidate = Candidate { pair: PagePair { langs, a, b }, method: Method::Key, key: Some(0) };
            JudgedPair::new(candidate, score, Similarities::default(), outcome)
        };
        let mut rows = [
            row(0, 10, 0.75, Outcome::Accepted),
            row(1, 11, 0.5, Outcome::Accepted),
            row(0, 12, 0.5, Outcome::LostToBetter),
            row(0, 11, 0.5, Outcome::LostToBetter),
            row(2, 12, 0.25, Outcome::LowScore),
        ];
        beside_rivals(&mut rows, &prior::Params::default());
        assert_eq!(rows.map(|row| row.score), [0.75, 0.5, 0.125, 0.0625, 0.25]);
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
            Compared {
                candidate: Candidate { pair: PagePair { langs, a, b }, method, key: Some(0) },
                similarities,
                same_text: false,
            }
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
            let mut rows = judge(&compared, |_, _| scorer.clone(), &whole(&compared), &Params::default()).pairs;
            rows.sort_by_key(|row| (row.pair.a, row.pair.b));
            beside_rivals(&mut rows, &prior::Params::default());
            let of = |page: u32| *rows.iter().find(|row| [row.pair.a, row.pair.b] == [page, 21]).expect("judged");
            (of(11), of(12))
        };
        let (next, best) = by(Method::Words);
        assert_eq!((next.outcome, best.outcome), (Outcome::Accepted, Outcome::Contradicted));
        assert!(best.score < 0.01, "{best:?}");
        // Keys are not taken back.
        let (next, best) = by(Method::Key);
        assert_eq!((next.outcome, best.outcome), (Outcome::LostToBetter, Outcome::Accepted));
    }

    #[test]
    fn a_key_that_leads_to_the_wrong_pages_is_believed_less_and_its_bad_pairs_go() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let compared: Vec<Compared> = (0..40)
            .map(|page| {
                let mut similarities = Similarities::default();
                similarities.set(Measure::Content, Some(if page % 2 == 0 { 0.95 } else { 0.05 }));
                let pair = PagePair { langs, a: page, b: 100 + page };
                let candidate = Candidate { pair, method: Method::Key, key: Some(0) };
                Compared { candidate, similarities, same_text: page == 0 }
            })
            .collect();
        let mut scorer = Scorer { weights: [0.0; crate::judge::score::INPUTS] };
        scorer.weights[2 + 2 * Measure::Content as usize] = 8.0;
        let judged = judge(&compared, |_, _| scorer.clone(), &whole(&compared), &Params::default());
        let source = judged.sources[0];
        assert!((0.4..0.6).contains(&source.precision) && (source.proposed, source.accepted) == (40, 19), "{source:?}");
        assert_eq!(judged.pairs[0].outcome, Outcome::SameText);
        assert_eq!(judged.pairs[1].outcome, Outcome::LowScore);
        assert!(judged.pairs[2].score > 0.95 && judged.pairs[3].score < 0.05);
    }
}
