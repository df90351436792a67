//! From candidates, and what the measures say of them, to judged pairs: the step that verification and iteration share.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::names::{NameCounts, Names, Seen};
use super::near;
use super::odds::{EVEN, logit, sigmoid};
use super::params::Params;
use super::prior::{self, Shown};
use super::rivals::{Rivals, beside};
use super::score::Scorer;
use super::shares::{OfKeys, Paired, Rate, Shares};
use super::usual::Usual;
use super::versions::{Documents, Versions};
use crate::index::parts::Parts;
use crate::types::{
    Beliefs, Candidate, Compared, JudgedPair, LangPair, Measure, Method, Outcome, PagePair, Similarities, SourceStats,
};

/// Judged pairs of one site.
#[derive(Clone, Debug, Default)]
pub struct JudgedPairs {
    /// The pairs, sorted by language pair, page of the first language, page of the second.
    pub pairs: Vec<JudgedPair>,
    /// Figures of each language pair, method and key over all parts of the site, sorted by these three.
    pub sources: Vec<SourceStats>,
    /// How often each source is right in each part of the site.
    shares: BTreeMap<(LangPair, Source), Shares>,
}

impl JudgedPairs {
    /// True for a candidate whose source is right less often than is believed of a strong one ([`STRONG`](prior::STRONG)), in the part of the
    /// site that the pair is in.
    pub fn is_doubtful(&self, candidate: &Candidate, parts: &Parts) -> bool {
        self.share(candidate, parts).is_some_and(|share| share < prior::STRONG)
    }

    /// True for a candidate of sitemaps, most of whose pairs in the part of the site that the pair is in are wrong.
    pub fn is_disbelieved(&self, candidate: &Candidate, parts: &Parts) -> bool {
        candidate.method == Method::Sitemap && self.share(candidate, parts).is_some_and(|share| share < EVEN)
    }

    fn share(&self, candidate: &Candidate, parts: &Parts) -> Option<f64> {
        let Candidate { pair, method, key } = *candidate;
        let shares = self.shares.get(&(pair.langs, (method, key)))?;
        Some(shares.at(parts.common(pair.a, pair.b), parts))
    }
}

/// Each pair once, with the most trusted of the methods that propose it; sorted by languages and pages.
pub fn unique(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_unstable();
    // `Method` is ordered by trust, the most trusted first.
    candidates.dedup_by_key(|candidate| candidate.pair);
    candidates
}

/// A candidate that people forbid: it is not compared, and says nothing of what proposed it.
pub fn refused(candidate: Candidate) -> JudgedPair {
    JudgedPair::new(candidate, 0.0, Similarities::default(), Outcome::Forbidden)
}

/// Multiplies the score of each contradicted pair by the probability that the contradiction is not real: until then, its score says nothing of
/// third languages. `pairs` are those of one site.
pub fn beside_versions(pairs: &mut [JudgedPair], params: &prior::Params) {
    let log_odds = |score: f32| params.log_odds(f64::from(score));
    let accepted = pairs.iter().filter(|judged| judged.is_accepted());
    let versions = Versions::new(accepted.map(|judged| (judged.pair, log_odds(judged.score))));
    for judged in pairs.iter_mut().filter(|judged| judged.outcome == Outcome::Contradicted) {
        let PagePair { langs, a, b } = judged.pair;
        // `decide` has found by all of the evidence that the pairs which contradict this one are more certain.
        judged.score *= 1.0 - versions.differ((langs.a, a), (langs.b, b)) as f32;
    }
}

/// Weighs the evidence, learns how often each source is right in each part of the site, and accepts the best pairs first: each page gets
/// one partner in each language pair, each document one page in each language. `scorer` gives the weights of a language pair.
/// Cost: n log n for n candidates, times the depth of the parts.
pub fn judge(
    compared: &[Compared],
    scorer: impl Fn(LangPair) -> Scorer,
    parts: &Parts,
    params: &Params,
) -> JudgedPairs {
    let mut by_langs: BTreeMap<LangPair, Vec<&Compared>> = BTreeMap::new();
    for one in compared {
        by_langs.entry(one.candidate.pair.langs).or_default().push(one);
    }
    let names = names_by_keys(by_langs.values().flatten(), parts);
    let weighed = by_langs.into_iter().map(|(langs, list)| weigh(langs, list, &scorer(langs), (parts, &names), params));
    let mut weighed: Vec<Weighed<'_>> = weighed.collect();
    decide(&mut weighed, params.min_score);
    let mut judged = JudgedPairs::default();
    weighed.into_iter().for_each(|weighed| weighed.into_pairs(&params.prior, &mut judged));
    judged.pairs.sort_unstable_by_key(|judged| judged.pair);
    judged
}

/// Accepts the candidates of all languages, the best first, if they have `min_score` or more, if both of their pages are still without a
/// partner in the other's language, and if the pairs accepted before do not make the pages two different documents. Pairs that keys, marks
/// and declarations propose are accepted despite such a contradiction. What is contradicted is no rival of other candidates, and these are
/// decided anew, [`DECISIONS`] times at most. O(n log n).
fn decide(weighed: &mut [Weighed<'_>], min_score: f64) {
    for _ in 0..DECISIONS {
        weighed.iter_mut().for_each(Weighed::set_scores);
        if !decide_once(weighed, min_score) {
            break;
        }
    }
}

/// Decisions, at most; where pairs are contradicted, the second mostly contradicts no others.
const DECISIONS: usize = 3;

/// Decides of all candidates but those that are the same text and those that were contradicted before; true if others are contradicted now.
fn decide_once(weighed: &mut [Weighed<'_>], min_score: f64) -> bool {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (of, weighed) in weighed.iter().enumerate() {
        order.extend((0..weighed.compared.len()).filter(|&at| weighed.is_open(at)).map(|at| (of, at)));
    }
    let rank = |&(of, at): &(usize, usize)| (weighed[of].is_enough(at, min_score), weighed[of].log_odds[at]);
    order.sort_unstable_by(|x, y| {
        let ((is_enough_x, odds_x), (is_enough_y, odds_y)) = (rank(x), rank(y));
        let pair = |(of, at): &(usize, usize)| weighed[*of].compared[*at].candidate.pair;
        is_enough_y.cmp(&is_enough_x).then(odds_y.total_cmp(&odds_x)).then_with(|| pair(x).cmp(&pair(y)))
    });
    let mut taken: FxHashSet<(usize, u32)> = FxHashSet::default();
    let mut documents = Documents::default();
    let mut is_contradicted = false;
    for (of, at) in order {
        let Candidate { pair, method, .. } = weighed[of].compared[at].candidate;
        let is_taken = [pair.a, pair.b].iter().any(|&page| taken.contains(&(of, page)));
        let is_above_all = method.is_declared() || method == Method::Pinned;
        let is_enough = weighed[of].is_enough(at, min_score);
        weighed[of].outcomes[at] = if is_taken {
            Outcome::LostToBetter
        } else if !is_enough {
            // What is probable but for its rivals makes way for them if it is contradicted.
            let makes_way = weighed[of].alone[at] >= min_score && !is_above_all && !documents.agree(pair);
            if makes_way { Outcome::Contradicted } else { Outcome::LowScore }
        } else if !documents.join(pair) && !is_above_all {
            Outcome::Contradicted
        } else {
            taken.extend([(of, pair.a), (of, pair.b)]);
            Outcome::Accepted
        };
        is_contradicted |= weighed[of].outcomes[at] == Outcome::Contradicted;
    }
    is_contradicted
}

/// Whether two URLs that both name their pages have a name in common; `None` where one of them does not name its page.
fn shares_name(one: &Compared) -> Option<bool> {
    one.similarities.get(Measure::Named).map(|named| named > 0.5)
}

/// What proposes candidates: a method, with the key where the method is a key.
type Source = (Method, Option<u32>);

/// The candidates of one language pair, weighed.
struct Weighed<'c> {
    langs: LangPair,
    compared: Vec<&'c Compared>,
    evidence: Vec<f64>,
    beliefs: Vec<Beliefs>,
    /// The log odds that each candidate is right, in nats, with all of its evidence, not only what counts: they rank the candidates.
    log_odds: Vec<f64>,
    /// The probability that each candidate is right if its pages have no other candidates.
    alone: Vec<f64>,
    /// The candidates of the same pages.
    rivals: Rivals,
    /// The probability that each candidate is right.
    scores: Vec<f64>,
    outcomes: Vec<Outcome>,
    /// True where a candidate that is not accepted is an [`Outcome::Edition`].
    are_editions: Vec<bool>,
    /// How often each source is right in each part.
    shares: BTreeMap<Source, Shares>,
}

/// How often the pairs of keys have a name in common. All of them count as right.
fn names_by_keys<'c>(compared: impl Iterator<Item = &'c &'c Compared>, parts: &Parts) -> NameCounts {
    let of_keys = compared.filter(|one| one.candidate.method == Method::Key && !one.same_text);
    let seen = |one: &&Compared| {
        Some(Seen { part: part_of(parts, one), shared: shares_name(one)?, right: 1.0, is_free: false })
    };
    NameCounts::new(of_keys.filter_map(seen), parts)
}

/// The innermost part of the site that a pair is in.
fn part_of(parts: &Parts, one: &Compared) -> u32 {
    parts.common(one.candidate.pair.a, one.candidate.pair.b)
}

/// What is believed of a source before its pairs are seen: the share of them that is right, and how many pairs this belief is worth.
fn belief(method: Method, params: &prior::Params) -> (f64, f64) {
    let share = match method {
        Method::Pinned | Method::Key | Method::Marks | Method::Hreflang => params.strong,
        Method::Sitemap => params.listed,
        Method::WeakKey | Method::Order | Method::Link | Method::Words | Method::Votes | Method::All => params.other,
    };
    (share, params.worth)
}

/// What the evidence says of one candidate, in nats.
struct Said {
    /// What all measures say, of contents and of addresses.
    all: f64,
    /// What the measures of contents say.
    all_contents: f64,
    /// As much of `all_contents` as counts ([`FitParams::counted`](super::score::FitParams::counted)).
    counted: f64,
    /// What is taken off because such contents are unusual among the right pairs of the part; 0 at most.
    usual: f64,
    /// What is taken off because near misses have such contents too; 0 at most.
    near: f64,
    /// What the measures of addresses say, less the cost of a misplaced page.
    addresses: f64,
    /// What names in the URLs say.
    names: f64,
    /// How many times as probable other partners of its pages are ([`Rivals`]).
    rivals: f64,
    /// The innermost part of the site that has both pages.
    part: u32,
    /// True where neither page is in a part inside it.
    is_own: bool,
}

impl Said {
    /// What contents say when it is asked how often the pair's source is right. Where pages of a template are alike, near misses take from
    /// most pairs what their contents said, and none of it shows that these disagree; so near misses are left out here.
    fn contents(&self) -> f64 {
        self.counted + self.usual
    }

    /// The log odds by which candidates are ranked, in nats: all that contents say, not only as much as counts, with what is expected of the
    /// pair without them.
    fn rank(&self, expected: f64) -> f64 {
        self.all_contents + self.usual + self.near + expected
    }

    /// What is shown of the pair when it is asked how often its source is right about addresses.
    fn shown(&self, agree: f64, params: &Params) -> Shown {
        Shown { evidence: self.of_addresses(agree, params), rivals: self.rivals }
    }

    /// The evidence of contents and addresses that the addresses belong together, where the contents of the share `agree` of such pairs are
    /// translations.
    fn of_addresses(&self, agree: f64, params: &Params) -> f64 {
        params.fit.counted(self.addresses + self.names + (agree * self.contents().exp() + 1.0 - agree).ln())
    }
}

/// The log odds, in nats, that two pages are translations before their contents are compared. `share` are the log odds of the source.
/// However certain the addresses are, the contents are translations only in the share `agree` of the cases.
fn expected(share: f64, said: &Said, agree: f64) -> f64 {
    logit(agree * sigmoid(share + said.addresses + said.names))
}

/// How often the contents of pages whose addresses belong together are translations, by part: for pairs that addresses propose, and for the
/// others. Pages that words, links or votes bring together may belong together in other ways: a page and what it is about, an article and the
/// list that has it.
struct Agree {
    by_address: Shares,
    free: Shares,
}

impl Agree {
    fn at(&self, one: &Compared, part: u32, parts: &Parts) -> f64 {
        if one.candidate.method.is_by_address() { &self.by_address } else { &self.free }.at(part, parts)
    }
}

/// How often each source is right about addresses, and how often contents agree where addresses belong together, by part. Along the way,
/// how usual contents are and what names say are set in `said`. Each of the four is estimated from the others, beginning with what is
/// believed, [`SHARE_ROUNDS`] times.
fn shares_of(
    langs: LangPair,
    compared: &[&Compared],
    said: &mut [Said],
    (parts, all_names): (&Parts, &NameCounts),
    (rivals, params): (&Rivals, &Params),
) -> (BTreeMap<Source, Shares>, Agree) {
    let source = |one: &Compared| (one.candidate.method, one.candidate.key);
    let names_of_all = (all_names, &names_by_keys(compared.iter(), parts));
    let contents = (params.prior.contents, params.prior.worth);
    let agree_of = |by_address: &[(u32, f64)], free: &[(u32, f64)]| Agree {
        by_address: Shares::new(by_address, parts, contents),
        free: Shares::new(free, parts, contents),
    };
    let mut agree = agree_of(&[], &[]);
    let mut shares: BTreeMap<Source, Shares> = BTreeMap::new();
    for round in 0..SHARE_ROUNDS {
        let expected = |(one, said): (&&Compared, &Said)| {
            let share = share_at(&shares, one, (said.part, parts), &params.prior);
            expected(logit(share), said, agree.at(one, said.part, parts))
        };
        let expected: Vec<f64> = compared.iter().zip(said.iter()).map(expected).collect();
        let odds = rivals.odds(|at| match compared[at].same_text {
            _ if compared[at].candidate.method == Method::Pinned => f64::INFINITY,
            true => f64::NEG_INFINITY,
            false => said[at].rank(expected[at]),
        });
        said.iter_mut().zip(odds).for_each(|(said, odds)| said.rivals = odds);
        let right = |((one, said), expected): ((&&Compared, &Said), &f64)| {
            match one.candidate.method.is_by_address() && !one.same_text {
                false => 0.0,
                // In the first round only contents are known.
                true if round == 0 => sigmoid(said.counted + said.near),
                true => beside(sigmoid(said.contents() + said.near + expected), said.rivals),
            }
        };
        let rights: Vec<f64> = compared.iter().zip(said.iter()).zip(&expected).map(right).collect();
        let seen = said.iter().zip(&rights).filter(|(_, right)| **right > 0.0);
        let seen: Vec<_> = seen.map(|(said, right)| (said.part, *right, said.counted)).collect();
        let usual = Usual::new(&seen, parts, &params.prior);
        for (said, right) in said.iter_mut().zip(rights) {
            said.usual = usual.evidence(said.part, parts, right, said.counted);
        }
        let by_keys = paired_by_keys(compared, said, &shares, (langs, parts), &params.prior);
        let names = names_of(compared, said, &by_keys, (&shares, &agree), (parts, names_of_all), params);
        for (one, said) in compared.iter().zip(said.iter_mut()).filter(|(one, _)| is_named_freely(one.candidate.method))
        {
            said.names = shares_name(one).map_or(0.0, |shared| names.evidence(said.part, parts, shared));
        }
        let all = || compared.iter().zip(said.iter()).filter(|(one, _)| !one.same_text);
        let shown = |one: &Compared, said: &Said| said.shown(agree.at(one, said.part, parts), params);
        let mut of_source: BTreeMap<Source, Vec<(u32, Shown)>> = BTreeMap::new();
        for (one, said) in all() {
            of_source.entry(source(one)).or_default().push((said.part, shown(one, said)));
        }
        let share = |(source, pairs): (Source, Vec<(u32, Shown)>)| {
            (source, Shares::new(&pairs, parts, belief(source.0, &params.prior)))
        };
        shares = of_source.into_iter().map(share).collect::<BTreeMap<_, _>>();
        let belong = |(one, said): &(&&Compared, &Said)| {
            shown(one, said).probability(logit(shares[&source(one)].at(said.part, parts))) > EVEN
        };
        let (by_address, free): (Vec<_>, Vec<_>) =
            all().filter(belong).partition(|(one, _)| one.candidate.method.is_by_address());
        let [by_address, free] = [by_address, free]
            .map(|list| list.iter().map(|(_, said)| (said.part, said.contents())).collect::<Vec<_>>());
        agree = agree_of(&by_address, &free);
    }
    (shares, agree)
}

/// What names say in the parts of a site, from all candidates and from `of_all`: the pairs of keys in all languages and in these.
fn names_of(
    compared: &[&Compared],
    said: &[Said],
    by_keys: &Paired,
    (shares, agree): (&BTreeMap<Source, Shares>, &Agree),
    (parts, of_all): (&Parts, (&NameCounts, &NameCounts)),
    params: &Params,
) -> Names {
    // Where keys pair most pages, candidates for the other pages are probably wrong, and do not show how often right pairs share a name.
    let belong = |one: &Compared, said: &Said| {
        let part = said.part;
        if !one.candidate.method.is_by_address() && beside_keys(by_keys, said, &params.prior) < 1.0 {
            return 0.0;
        }
        let share = share_at(shares, one, (part, parts), &params.prior);
        said.shown(agree.at(one, part, parts), params).probability(logit(share))
    };
    let seen = |(one, said): (&&Compared, &Said)| {
        let is_free = is_named_freely(one.candidate.method);
        let is_seen = (is_free || one.candidate.method == Method::Key) && !one.same_text;
        let shared = shares_name(one).filter(|_| is_seen)?;
        Some(Seen { part: said.part, shared, right: belong(one, said), is_free })
    };
    Names::new(&NameCounts::new(compared.iter().zip(said).filter_map(seen), parts), of_all, parts, &params.prior)
}

/// How often the source of a candidate is right in a part; what is believed of the source until its pairs are seen.
fn share_at(
    shares: &BTreeMap<Source, Shares>,
    one: &Compared,
    (part, parts): (u32, &Parts),
    prior: &prior::Params,
) -> f64 {
    let Candidate { method, key, .. } = one.candidate;
    shares.get(&(method, key)).map_or_else(|| belief(method, prior).0, |shares| shares.at(part, parts))
}

/// How many pages keys pair rightly, by part. A page whose key leads to a copy that is not translated is not looked for elsewhere either.
fn paired_by_keys(
    compared: &[&Compared],
    said: &[Said],
    shares: &BTreeMap<Source, Shares>,
    (langs, parts): (LangPair, &Parts),
    prior: &prior::Params,
) -> Paired {
    let of_keys = |(one, said): (&&Compared, &Said)| {
        let is_of_key = one.candidate.method == Method::Key;
        let share = is_of_key.then(|| share_at(shares, one, (said.part, parts), prior));
        OfKeys { part: said.part, is_own: said.is_own, right: share.filter(|share| *share > EVEN).unwrap_or(0.0) }
    };
    let smaller = |part: u32| [parts.smaller(part, langs), parts.smaller_own(part, langs)];
    Paired::new(compared.iter().zip(said).map(of_keys), parts, smaller, prior.worth)
}

/// The highest share that is believed of sources other than addresses where a pair is. Where keys are right and pair many pages, a page that
/// they do not pair hardly ever has a partner.
fn beside_keys(by_keys: &Paired, said: &Said, prior: &prior::Params) -> f64 {
    let Rate { paired, share } = by_keys.at(said.part, said.is_own);
    if paired > 0.0 && share >= prior.min_share { prior.beside_keys(paired, paired / share) } else { 1.0 }
}

/// True for methods that propose candidates whatever names stand in the URLs.
fn is_named_freely(method: Method) -> bool {
    matches!(method, Method::Link | Method::Words | Method::Votes | Method::All)
}

/// Rounds in which estimates that depend on each other are made; later rounds hardly change them.
const SHARE_ROUNDS: usize = 3;

fn weigh<'c>(
    langs: LangPair,
    compared: Vec<&'c Compared>,
    scorer: &Scorer,
    (parts, all_names): (&Parts, &NameCounts),
    params: &Params,
) -> Weighed<'c> {
    let prior = &params.prior;
    let say = |one: &&Compared| {
        let part = part_of(parts, one);
        let is_own = [one.candidate.pair.a, one.candidate.pair.b].iter().all(|&page| parts.of(page) == part);
        let (all_contents, all) = scorer.contents_and_all(&one.similarities);
        let place = one.similarities.get(Measure::Place).map_or(0.0, |_| prior.misplaced);
        let (counted, addresses) = (params.fit.counted(all_contents), all - all_contents - place);
        let near = if one.candidate.method.is_by_address() { near::evidence(&one.similarities) } else { 0.0 };
        Said { all, all_contents, counted, usual: 0.0, near, addresses, names: 0.0, rivals: 0.0, part, is_own }
    };
    let mut said: Vec<Said> = compared.iter().map(say).collect();
    let rivals = Rivals::new(compared.iter().map(|one| (one.candidate.pair.a, one.candidate.pair.b)));
    let (shares, agree) = shares_of(langs, &compared, &mut said, (parts, all_names), (&rivals, params));
    let by_keys = paired_by_keys(&compared, &said, &shares, (langs, parts), prior);
    let share_of = |one: &Compared, said: &Said| {
        let share = share_at(&shares, one, (said.part, parts), prior);
        if one.candidate.method.is_by_address() { share } else { share.min(beside_keys(&by_keys, said, prior)) }
    };
    let mut weighed = Weighed {
        langs,
        evidence: said.iter().map(|said| said.all).collect(),
        beliefs: Vec::new(),
        log_odds: Vec::new(),
        alone: Vec::new(),
        rivals,
        scores: Vec::new(),
        outcomes: Vec::new(),
        are_editions: Vec::new(),
        shares: BTreeMap::new(),
        compared: Vec::new(),
    };
    for (one, said) in compared.iter().zip(&said) {
        let (source, agree) = (share_of(one, said), agree.at(one, said.part, parts));
        let share = logit(source);
        let expected = expected(share, said, agree);
        let log_odds = said.contents() + said.near + expected;
        let is_pinned = one.candidate.method == Method::Pinned;
        // People may know what no measure shows: their pairs come before all others.
        weighed.log_odds.push(if is_pinned { f64::INFINITY } else { said.rank(expected) });
        weighed.alone.push(match one.same_text {
            _ if is_pinned => 1.0,
            true => 0.0,
            false => prior.probability(log_odds),
        });
        weighed.beliefs.push(Beliefs {
            source: source as f32,
            names: said.names as f32,
            agree: agree as f32,
            usual: said.usual as f32,
            log_odds: log_odds as f32,
        });
        let is_untranslated = one.same_text && !is_pinned;
        weighed.outcomes.push(if is_untranslated { Outcome::SameText } else { Outcome::LowScore });
        let belong = one.candidate.method.is_declared() && share + said.of_addresses(agree, params) > 0.0;
        weighed.are_editions.push(belong && log_odds < 0.0);
    }
    weighed.scores = vec![0.0; compared.len()];
    (weighed.compared, weighed.shares) = (compared, shares);
    weighed
}

impl Weighed<'_> {
    /// True for candidates that may be accepted.
    fn is_open(&self, at: usize) -> bool {
        !matches!(self.outcomes[at], Outcome::SameText | Outcome::Contradicted)
    }

    /// True for candidates with at least `min_score`, and for those that people have pinned, even if they pinned several for one page.
    fn is_enough(&self, at: usize, min_score: f64) -> bool {
        self.scores[at] >= min_score || self.compared[at].candidate.method == Method::Pinned
    }

    /// Sets the scores of the candidates that may be accepted, given each other.
    fn set_scores(&mut self) {
        let rivals = self.rivals.odds(|at| if self.is_open(at) { self.log_odds[at] } else { f64::NEG_INFINITY });
        for (at, rivals) in rivals.into_iter().enumerate() {
            if self.is_open(at) {
                self.scores[at] = beside(self.alone[at], rivals);
            }
        }
    }

    fn into_pairs(self, params: &prior::Params, judged: &mut JudgedPairs) {
        // Of each source: its pairs, the accepted ones, the pairs whose texts are not the same, and the sum of the probabilities of these.
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
            judged.pairs.push(JudgedPair { evidence: self.evidence[at] as f32, beliefs: self.beliefs[at], ..pair });
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
mod by_hand;

#[cfg(test)]
mod tests {
    use super::by_hand::whole;
    use super::*;
    use crate::types::Lang;

    #[test]
    fn a_pair_that_two_things_propose_is_judged_once_as_the_more_trusted() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let of = |method, key| Candidate { pair: PagePair { langs, a: 1, b: 2 }, method, key };
        assert_eq!(unique(vec![of(Method::Words, None), of(Method::Key, Some(3))]), [of(Method::Key, Some(3))]);
    }

    #[test]
    fn a_pinned_pair_is_accepted_whatever_its_pages_say_and_its_pages_are_not_given_to_others() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let one = |a, b, method, content: f32| {
            let mut similarities = Similarities::default();
            similarities.set(Measure::Content, Some(content));
            let candidate = Candidate { pair: PagePair { langs, a, b }, method, key: None };
            Compared { candidate, similarities, same_text: method == Method::Pinned }
        };
        let compared = [
            one(0, 10, Method::Pinned, 0.0),
            one(0, 11, Method::Hreflang, 1.0),
            one(1, 10, Method::Hreflang, 1.0),
            one(2, 12, Method::Hreflang, 1.0),
        ];
        let mut scorer = Scorer { weights: [0.0; crate::judge::score::INPUTS] };
        scorer.weights[2 + 2 * Measure::Content as usize] = 8.0;
        let mut rows = judge(&compared, |_| scorer.clone(), &whole(&compared), &Params::default()).pairs;
        beside_versions(&mut rows, &prior::Params::default());
        let outcomes: Vec<_> = rows.iter().map(|row| row.outcome).collect();
        assert_eq!(outcomes[..3], [Outcome::Accepted, Outcome::LostToBetter, Outcome::LostToBetter]);
        assert!(rows[0].score == 1.0 && rows[1].score < 1e-9 && outcomes[3] == Outcome::Accepted);
        // Of several pins of one page, one is accepted.
        for pins in 2..4 {
            let compared: Vec<Compared> = (0..pins).map(|at| one(0, 10 + at, Method::Pinned, 0.0)).collect();
            let rows = judge(&compared, |_| scorer.clone(), &whole(&compared), &Params::default()).pairs;
            let outcomes: Vec<_> = rows.iter().map(|row| row.outcome).collect();
            assert!(outcomes[0] == Outcome::Accepted && outcomes[1..].iter().all(|one| *one == Outcome::LostToBetter));
        }
    }

    #[test]
    fn candidates_of_one_page_share_what_is_certain_of_it() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let one = |a, b, content: f32| {
            let mut similarities = Similarities::default();
            similarities.set(Measure::Content, Some(content));
            let candidate = Candidate { pair: PagePair { langs, a, b }, method: Method::Words, key: None };
            Compared { candidate, similarities, same_text: false }
        };
        let mut scorer = Scorer { weights: [0.0; crate::judge::score::INPUTS] };
        scorer.weights[2 + 2 * Measure::Content as usize] = 8.0;
        // A page with one candidate, another whose candidates are as good as each other, and a third of which one is better.
        let compared = [one(0, 10, 0.9), one(1, 11, 0.9), one(1, 12, 0.9), one(2, 13, 0.9), one(2, 14, 0.5)];
        let rows = judge(&compared, |_| scorer.clone(), &whole(&compared), &Params::default()).pairs;
        let scores: Vec<f32> = rows.iter().map(|row| row.score).collect();
        assert!(scores[0] > 0.8 && scores[1] == scores[2] && (0.4..0.5).contains(&scores[1]), "{scores:?}");
        assert!(scores[3] > scores[0] - 0.05 && scores[4] < 0.05, "{scores:?}");
        let outcomes =
            [Outcome::Accepted, Outcome::LowScore, Outcome::LowScore, Outcome::Accepted, Outcome::LostToBetter];
        assert_eq!(rows.iter().map(|row| row.outcome).collect::<Vec<_>>(), outcomes);
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
        let by = |method, likeness: [f32; 2]| {
            // English 1 and 2 have the German versions 11 and 12. French 21 is the version of English 1, and is at least as similar to German 12
            // as to 11.
            let compared = [
                one((en, 1), (de, 11), 1.0, Method::Key),
                one((en, 2), (de, 12), 1.0, Method::Key),
                one((en, 1), (fr, 21), 1.0, Method::Key),
                one((de, 12), (fr, 21), likeness[0], method),
                one((de, 11), (fr, 21), likeness[1], method),
            ];
            let mut rows = judge(&compared, |_| scorer.clone(), &whole(&compared), &Params::default()).pairs;
            rows.sort_by_key(|row| (row.pair.a, row.pair.b));
            beside_versions(&mut rows, &prior::Params::default());
            let of = |page: u32| *rows.iter().find(|row| [row.pair.a, row.pair.b] == [page, 21]).expect("judged");
            (of(11), of(12))
        };
        let (next, best) = by(Method::Words, [0.9, 0.85]);
        assert_eq!((next.outcome, best.outcome), (Outcome::Accepted, Outcome::Contradicted));
        assert!(best.score < 0.01, "{best:?}");
        // Pairs of keys are accepted despite the contradiction.
        let (next, best) = by(Method::Key, [0.9, 0.85]);
        assert_eq!((next.outcome, best.outcome), (Outcome::LostToBetter, Outcome::Accepted));
        // Where both candidates are as good as each other, neither is probable until one of them is known to be contradicted.
        let (next, other) = by(Method::Words, [0.9, 0.9]);
        assert_eq!((next.outcome, other.outcome), (Outcome::Accepted, Outcome::Contradicted));
        assert!(next.score > 0.9 && other.score < 0.01, "{next:?} {other:?}");
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
        let judged = judge(&compared, |_| scorer.clone(), &whole(&compared), &Params::default());
        let source = judged.sources[0];
        assert!((0.4..0.6).contains(&source.precision) && (source.proposed, source.accepted) == (40, 19), "{source:?}");
        assert_eq!(judged.pairs[0].outcome, Outcome::SameText);
        assert_eq!(judged.pairs[1].outcome, Outcome::LowScore);
        assert!(judged.pairs[2].score > 0.95 && judged.pairs[3].score < 0.05);
    }

    /// Outcomes of pairs of one key whose contents have the given evidence, in nats.
    fn outcomes(evidence: impl Iterator<Item = f32>) -> Vec<Outcome> {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let mut scorer = Scorer { weights: [0.0; crate::judge::score::INPUTS] };
        scorer.weights[2 + 2 * Measure::Content as usize] = 4.0;
        let one = |(page, evidence): (u32, f32)| {
            let mut similarities = Similarities::default();
            similarities.set(Measure::Content, Some(1.0 / (1.0 + (-evidence).exp())));
            let candidate =
                Candidate { pair: PagePair { langs, a: page, b: 1000 + page }, method: Method::Key, key: Some(0) };
            Compared { candidate, similarities, same_text: false }
        };
        let compared: Vec<Compared> = (0u32..).zip(evidence).map(one).collect();
        let judged = judge(&compared, |_| scorer.clone(), &whole(&compared), &Params::default());
        judged.pairs.iter().map(|pair| pair.outcome).collect()
    }

    #[test]
    fn what_is_odd_among_pairs_that_are_alike_is_refused_and_among_others_it_is_not() {
        let alike = outcomes((0..40).map(|at| if at == 7 { -1.5 } else { 3.4 + 0.1 * (at % 5) as f32 }));
        assert_eq!(alike[7], Outcome::Edition);
        assert_eq!(alike.iter().filter(|outcome| **outcome == Outcome::Accepted).count(), 39);
        let varied = outcomes((0..40).map(|at| if at == 7 { -1.5 } else { -1.0 + 0.7 * (at % 8) as f32 }));
        assert_eq!(varied[7], Outcome::Accepted);
    }

    #[test]
    fn wrong_pairs_that_are_alike_do_not_confirm_each_other() {
        for (count, evidence) in [(20, -2.0), (100, -2.0), (1000, -3.0)] {
            let found = outcomes((0..count).map(|_| evidence));
            assert!(found.iter().all(|outcome| *outcome != Outcome::Accepted), "{count} {evidence}");
        }
    }
}
