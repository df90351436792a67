//! The rounds of the default method in one site: judge, let the links of accepted pairs vote, compare the pages that they propose.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::params::Params;
use super::sitemaps::{self, Believed};
use crate::error::Result;
use crate::index::parts::Parts;
use crate::index::retrieval;
use crate::judge::prior::{LEAST, STRONG};
use crate::judge::{self, JudgedPairs, beside_versions, judge, near, unique};
use crate::learn::{self, ByPart, Model, Models, WithOwn, learn_from_site};
use crate::propose::votes::Votes;
use crate::propose::{Network, Partners, Signs, neighbours, of_words};
use crate::types::{Candidate, Compared, JudgedPair, LangPair, Measure, Method, Outcome, PagePair, SourceStats};
use crate::verify::{PageIds, SiteView};

/// Settings of rounds.
#[derive(Clone, Copy)]
pub struct Settings<'p> {
    /// Settings of the rounds, and of aligning links.
    pub iterate: &'p Params,
    /// Judging.
    pub judge: &'p judge::Params,
    /// Settings of what a site learns from its own pairs.
    pub learn: &'p learn::Params,
    /// Settings of the search for candidates that no URL shows.
    pub retrieval: &'p retrieval::Params,
}

/// The results of the rounds for a site.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The judged pairs that are worth keeping.
    pub pairs: Vec<JudgedPair>,
    /// How reliable each source of candidates was.
    pub sources: Vec<SourceStats>,
}

/// Continues from what verification judged of a site, in rounds, until nothing changes. `stop` is called before each round.
///
/// # Errors
/// When a page cannot be read, or what `stop` returns.
pub fn resolve(
    (site, signs): (&SiteView<'_>, &Signs),
    verified: impl Iterator<Item = JudgedPair>,
    models: &Models,
    settings: Settings<'_>,
    stop: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Resolved> {
    let mut rounds = Rounds::new((site, signs), verified, models, settings)?;
    rounds.run(stop)?;
    Ok(rounds.into_resolved())
}

/// The state of the rounds in one site.
struct Rounds<'v, 's> {
    site: &'v SiteView<'s>,
    signs: &'v Signs,
    settings: Settings<'v>,
    models: &'v Models,
    /// Models that parts of this site have learnt from their own pairs.
    own: ByPart<Model>,
    /// The result of [`Self::parts_with_keys`] after the first judging.
    with_keys: FxHashSet<(LangPair, u32)>,
    network: Network,
    compared: Vec<Compared>,
    known: FxHashSet<PagePair>,
    /// The pairs that people forbid, and those of them that were proposed.
    forbidden: (FxHashSet<PagePair>, Vec<Candidate>),
    /// The pairs that were added because sitemaps declare them.
    listed: FxHashSet<PagePair>,
    /// The same pairs as less trusted methods have proposed them.
    also: FxHashMap<PagePair, Candidate>,
    /// The models of this site that were learnt from pairs of sitemaps.
    taught_by_sitemaps: BTreeSet<(LangPair, u32)>,
    judged: JudgedPairs,
}

impl<'v, 's> Rounds<'v, 's> {
    fn new(
        (site, signs): (&'v SiteView<'s>, &'v Signs),
        verified: impl Iterator<Item = JudgedPair>,
        models: &'v Models,
        settings: Settings<'v>,
    ) -> Result<Rounds<'v, 's>> {
        let mut rounds = Rounds {
            site,
            signs,
            settings,
            models,
            own: ByPart::new(),
            with_keys: FxHashSet::default(),
            network: Network::new(site),
            compared: Vec::new(),
            known: FxHashSet::default(),
            forbidden: (site.forbidden(), Vec::new()),
            listed: FxHashSet::default(),
            also: FxHashMap::default(),
            taught_by_sitemaps: BTreeSet::new(),
            judged: JudgedPairs::default(),
        };
        for judged in verified {
            // Copies that were found since no longer take part.
            if site.ordered(judged.pair.a, judged.pair.b).is_some() {
                rounds.note(judged.compared());
            }
        }
        Ok(rounds)
    }

    fn note(&mut self, mut one: Compared) {
        self.known.insert(one.candidate.pair);
        if self.forbidden.0.contains(&one.candidate.pair) {
            self.forbidden.1.push(one.candidate);
        } else {
            self.signs.set(self.site, &mut one);
            self.compared.push(one);
        }
    }

    /// Runs rounds until nothing changes: judge, let the links of accepted pairs vote, compare the pages that they propose.
    fn run(&mut self, stop: &(dyn Fn() -> Result<()> + Sync)) -> Result<()> {
        self.judge();
        self.with_keys = self.parts_with_keys();
        self.take_sitemaps()?;
        let found = self.by_words(&|_| true)?;
        self.compare(found)?;
        self.judge();
        self.disbelieve()?;
        for round in 0..self.settings.iterate.rounds {
            stop()?;
            self.site.tell("rounds over links", round as u64, self.settings.iterate.rounds as u64);
            let before = self.accepted();
            let proposed = self.vote();
            let mut new = self.compare(proposed)?;
            if new > 0 {
                self.vote();
            }
            self.judge();
            // After the first votes, most of what can be learnt from this site is known.
            if round == 0 {
                new += self.learn()?;
                self.judge();
            }
            if self.accepted() == before && new == 0 {
                break;
            }
        }
        Ok(())
    }

    fn judge(&mut self) {
        self.judged = judge(&self.compared, |langs| self.models.scorer(langs), self.site.parts(), self.settings.judge);
    }

    /// Adds the pairs that sitemaps declare, where they are believed, and the words that these pairs teach of languages of which nothing
    /// else is known.
    fn take_sitemaps(&mut self) -> Result<()> {
        let method = |one: &Compared| one.candidate.method;
        let surer = self.compared.iter().filter(|one| method(one) < Method::Sitemap);
        let mut surer: Vec<PagePair> = surer.map(|one| one.candidate.pair).collect();
        surer.sort_unstable();
        let evidence = |one: &Compared| self.models.scorer(one.candidate.pair.langs).contents(&one.similarities);
        let Believed { listed, models } =
            sitemaps::believed((self.site, &surer), self.models, self.settings.learn, &evidence)?;
        if listed.is_empty() {
            return Ok(());
        }
        self.taught_by_sitemaps = models.keys().copied().collect();
        self.own.extend(models);
        self.measure_again(&self.taught_by_sitemaps.clone())?;
        self.listed = listed.iter().map(|one| one.pair).collect();
        for one in &mut self.compared {
            if let Ok(at) = listed.binary_search_by_key(&one.candidate.pair, |listed| listed.pair) {
                self.also.insert(one.candidate.pair, one.candidate);
                one.candidate = listed[at];
            }
        }
        self.compare(listed)?;
        self.judge();
        self.disbelieve()?;
        Ok(())
    }

    /// Drops the candidates of sitemaps where most pairs of a part turn out to be wrong, together with the words of languages that no other
    /// pairs of sitemaps teach. A pair that a less trusted method has proposed as well becomes a candidate of that method again. Returns
    /// true if anything was dropped.
    fn disbelieve(&mut self) -> Result<bool> {
        let parts = self.site.parts();
        if !self.compared.iter().any(|one| self.judged.is_disbelieved(&one.candidate, parts)) {
            return Ok(false);
        }
        for one in std::mem::take(&mut self.compared) {
            let pair = one.candidate.pair;
            if !self.judged.is_disbelieved(&one.candidate, parts) {
                self.compared.push(one);
            } else if let Some(&candidate) = self.also.get(&pair) {
                self.compared.push(Compared { candidate, ..one });
            } else {
                self.known.remove(&pair);
            }
        }
        let of_sitemaps = self.compared.iter().filter(|one| one.candidate.method == Method::Sitemap);
        let left: BTreeSet<LangPair> = of_sitemaps.map(|one| one.candidate.pair.langs).collect();
        let (kept, forgotten): (BTreeSet<_>, BTreeSet<_>) =
            std::mem::take(&mut self.taught_by_sitemaps).into_iter().partition(|of| left.contains(&of.0));
        self.taught_by_sitemaps = kept;
        self.own.retain(|of, _| !forgotten.contains(of));
        self.measure_again(&forgotten)?;
        self.judge();
        Ok(true)
    }

    /// Computes the measures of words and lengths again, for pairs of the languages and parts for which words were learnt or dropped.
    fn measure_again(&mut self, taught: &BTreeSet<(LangPair, u32)>) -> Result<()> {
        let parts = self.site.parts();
        let is_taught = |one: &Compared| {
            let PagePair { langs, a, .. } = one.candidate.pair;
            parts.chain(parts.of(a)).any(|part| taught.contains(&(langs, part)))
        };
        let places: Vec<usize> = (0..self.compared.len()).filter(|&at| is_taught(&self.compared[at])).collect();
        let pairs: Vec<PageIds> =
            places.iter().map(|&at| self.compared[at].candidate.pair).map(|pair| (pair.a, pair.b)).collect();
        // Borrows single fields, since the pairs are changed below.
        let dictionaries = WithOwn { run: self.models, own: &self.own, site: self.site };
        let again = self.site.similarities(&pairs, &dictionaries)?;
        for (at, similarities) in places.into_iter().zip(again) {
            let one = &mut self.compared[at].similarities;
            for measure in [Measure::Content, Measure::Length] {
                one.set(measure, similarities.get(measure));
            }
        }
        let (site, models, params) = (self.site, self.models, self.settings.judge);
        let scorer = |langs| models.scorer(langs);
        near::compare_near_misses(site, &mut self.compared, &is_taught, (&dictionaries, &scorer), params)
    }

    /// The language pairs, with those parts of the site in which keys pair most pages, or which contain such a part. What the run has
    /// learnt fits these, since it was learnt from pairs of keys. A part without keys learns better from its own pairs than from other
    /// sites. Cost: pairs of keys times the depth of the parts.
    fn parts_with_keys(&self) -> FxHashSet<(LangPair, u32)> {
        let (parts, prior) = (self.site.parts(), &self.settings.judge.prior);
        let mut counts = ByPart::<u32>::new();
        let is_of_key = |one: &&JudgedPair| one.is_accepted() && one.method == Method::Key;
        for PagePair { langs, a, b } in self.judged.pairs.iter().filter(is_of_key).map(|one| one.pair) {
            parts.chain(parts.common(a, b)).for_each(|part| *counts.entry((langs, part)).or_default() += 1);
        }
        let are_most = |langs: LangPair, part: u32, count: u32| {
            f64::from(count) >= prior.min_share * f64::from(parts.smaller(part, langs))
        };
        let with_keys = counts.into_iter().filter(|&((langs, part), count)| are_most(langs, part, count));
        with_keys.flat_map(|((langs, part), _)| parts.chain(part).map(move |part| (langs, part))).collect()
    }

    fn accepted(&self) -> Vec<PagePair> {
        self.judged.pairs.iter().filter(|judged| judged.is_accepted()).map(|judged| judged.pair).collect()
    }

    /// Adds the new ones among the candidates, with their measures; returns how many there are.
    fn compare(&mut self, candidates: Vec<Candidate>) -> Result<usize> {
        let (known, new): (Vec<Candidate>, Vec<Candidate>) =
            unique(candidates).into_iter().partition(|candidate| self.known.contains(&candidate.pair));
        let less_trusted = |one: &Candidate| one.method != Method::Sitemap && self.listed.contains(&one.pair);
        for candidate in known.into_iter().filter(less_trusted) {
            self.also.entry(candidate.pair).or_insert(candidate);
        }
        let compared = self.site.compared(&new, &self.dictionaries())?;
        compared.into_iter().for_each(|one| self.note(one));
        Ok(new.len())
    }

    fn dictionaries(&self) -> WithOwn<'_, 's> {
        WithOwn { run: self.models, own: &self.own, site: self.site }
    }

    /// Candidates for pages of some languages without a partner, found by the rare words that they share. Pages whose partner only a
    /// sitemap has named are included, because that partner may be of another age, and should be compared with others.
    fn by_words(&self, is_asked: &dyn Fn(LangPair) -> bool) -> Result<Vec<Candidate>> {
        let is_sure = |judged: &&JudgedPair| judged.is_accepted() && judged.method != Method::Sitemap;
        let paired = Partners::of(self.judged.pairs.iter().filter(is_sure).map(|judged| judged.pair));
        of_words(self.site, &paired, &self.dictionaries(), (is_asked, self.settings.retrieval))
    }

    /// Learns words from the most certain pairs, in each part of the site, for language pairs of which nothing is known or of which keys
    /// pair few pages there; then computes the measures of words and lengths again, without judging. Returns how many new candidates there
    /// are.
    fn learn(&mut self) -> Result<usize> {
        let parts = self.site.parts();
        let mut sure = ByPart::<Vec<PageIds>>::new();
        for judged in self.judged.pairs.iter().filter(|judged| judged.is_accepted() && judged.score >= SURE) {
            let PagePair { langs, a, b } = judged.pair;
            let teaches = |part: &u32| !self.models.knows(langs) || !self.with_keys.contains(&(langs, *part));
            for part in parts.chain(parts.common(a, b)).filter(teaches) {
                sure.entry((langs, part)).or_default().push((a, b));
            }
        }
        let counts: ByPart<usize> = sure.iter().map(|(&of, pairs)| (of, pairs.len())).collect();
        sure.retain(|&(langs, part), pairs| {
            // If the part around it has the same pairs, they are used there only.
            let outer = parts.outer(part).and_then(|outer| counts.get(&(langs, outer)));
            pairs.len() >= LEAST && outer != Some(&pairs.len())
        });
        if sure.is_empty() {
            return Ok(0);
        }
        self.own.extend(learn_from_site(self.site, &sure, self.settings.learn)?);
        self.measure_again(&sure.keys().copied().collect())?;
        let langs: BTreeSet<LangPair> = sure.keys().map(|(langs, _)| *langs).collect();
        let found = self.by_words(&|of| langs.contains(&of))?;
        self.compare(found)
    }

    /// Lets the accepted pairs vote. Sets the measures of votes and neighbours for every candidate, and returns the pairs with many votes.
    fn vote(&mut self) -> Vec<Candidate> {
        let accepted: Vec<JudgedPair> =
            self.judged.pairs.iter().filter(|judged| judged.is_accepted()).copied().collect();
        let partners = Partners::of(accepted.iter().map(|judged| judged.pair));
        let params = &self.settings.iterate.propose;
        let votes = Votes::cast(&accepted, &self.network, params, &|x, y| self.site.ordered(x, y));
        let network = &self.network;
        self.compared.par_iter_mut().for_each(|one| {
            let PagePair { langs, a, b } = one.candidate.pair;
            let neighbours = neighbours::share((a, b), network.neighbours(), &partners.in_langs(langs));
            one.similarities.set(Measure::Neighbours, neighbours);
            one.similarities.set(Measure::Votes, votes.share(one.candidate.pair));
        });
        let is_of_langs =
            |pair: &PagePair| self.site.ordered(pair.a, pair.b).is_some_and(|known| known.langs == pair.langs);
        let elected = votes.elected(params.min_share).filter(is_of_langs);
        elected.map(|pair| Candidate { pair, method: Method::Votes, key: None }).collect()
    }

    fn into_resolved(mut self) -> Resolved {
        let mut pairs = std::mem::take(&mut self.judged.pairs);
        keep_telling(&mut pairs, self.settings.iterate.min_kept, self.site.parts());
        beside_versions(&mut pairs, &self.settings.judge.prior);
        pairs.extend(self.forbidden.1.into_iter().map(judge::refused));
        pairs.sort_unstable_by_key(|judged| judged.pair);
        Resolved { pairs, sources: self.judged.sources }
    }
}

/// In how many languages the best candidate of a page without a partner is kept.
const TOLD_LANGS: usize = 3;

/// Removes pairs that are not worth storing: those that only words or links proposed and that have a low score. The best candidates of a
/// page without any partner are kept, one in each of up to [`TOLD_LANGS`] languages, beginning with the candidate that is nearest in the
/// site. Time grows with the pairs and the depth of the parts.
fn keep_telling(pairs: &mut Vec<JudgedPair>, min_kept: f32, parts: &Parts) {
    let accepted = pairs.iter().filter(|judged| judged.is_accepted());
    let paired: FxHashSet<u32> = accepted.flat_map(|judged| [judged.pair.a, judged.pair.b]).collect();
    let rank = |judged: &JudgedPair| (judged.outcome != Outcome::SameText, judged.score, judged.evidence);
    let is_worse = |one: &JudgedPair, other: &JudgedPair| rank(one).partial_cmp(&rank(other)) == Some(Ordering::Less);
    let mut best: BTreeMap<(u32, LangPair), usize> = BTreeMap::new();
    for (at, judged) in pairs.iter().enumerate() {
        let PagePair { langs, a, b } = judged.pair;
        for page in [a, b].into_iter().filter(|page| !paired.contains(page)) {
            let best = best.entry((page, langs)).or_insert(at);
            if is_worse(&pairs[*best], judged) {
                *best = at;
            }
        }
    }
    let best: Vec<(u32, usize)> = best.into_iter().map(|((page, _), at)| (page, at)).collect();
    let nearness = |at: usize| parts.chain(parts.common(pairs[at].pair.a, pairs[at].pair.b)).count();
    let mut told: FxHashSet<usize> = FxHashSet::default();
    for of_page in best.chunk_by(|x, y| x.0 == y.0) {
        let mut of_page: Vec<(usize, f32, usize)> =
            of_page.iter().map(|&(_, at)| (nearness(at), pairs[at].score, at)).collect();
        of_page.sort_by(|x, y| y.0.cmp(&x.0).then(y.1.total_cmp(&x.1)).then(x.2.cmp(&y.2)));
        told.extend(of_page.iter().take(TOLD_LANGS).map(|one| one.2));
    }
    let mut at = 0..;
    pairs.retain(|judged| {
        let is_best = at.next().is_some_and(|at| told.contains(&at));
        is_best || judged.score >= min_kept || judged.method < Method::Words
    });
}

/// Least probability for a pair to be a training pair of its own site.
const SURE: f32 = STRONG as f32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::Tree;
    use crate::index::parts::WHOLE;
    use crate::judge::score::Scorer;
    use crate::types::Lang;
    use crate::verify::fixture::ListedSite;

    /// A key pairs two pages, which link to other pages in the same order. No two pages have a word in common.
    #[test]
    fn links_of_a_pair_bring_in_what_no_key_has_paired() {
        const PAGES: u32 = 6;
        let text = |lang: &str, page: char| format!("{lang}a{page} {lang}b{page}\n");
        let pages: Vec<_> = ["en", "fr"]
            .into_iter()
            .flat_map(|lang| {
                ('a'..='f').zip(0..PAGES).map(move |(word, page)| (format!("{lang}/{page}"), lang, text(lang, word)))
            })
            .collect();
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let mut site = ListedSite::new(&listed);
        for page in 1..PAGES {
            site = site.link(0, page).link(PAGES, PAGES + page);
        }
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let candidate = Candidate { pair: PagePair { langs, a: 0, b: PAGES }, method: Method::Key, key: Some(0) };
        let view = site.view();
        let models = Models::default();
        let compared = view.compared(&[candidate], &models).expect("pages in memory");
        let verified = compared.iter().map(|one| JudgedPair::new(candidate, 0.9, one.similarities, Outcome::Accepted));
        let (iterate, judging, learn, retrieval) = Default::default();
        let settings = Settings { iterate: &iterate, judge: &judging, learn: &learn, retrieval: &retrieval };
        let resolved =
            resolve((&view, &Signs::default()), verified, &models, settings, &|| Ok(())).expect("pages in memory");
        let accepted: Vec<_> =
            resolved.pairs.iter().filter(|pair| pair.is_accepted()).map(|pair| (pair.pair.a, pair.pair.b)).collect();
        assert_eq!(accepted, (0..PAGES).map(|page| (page, PAGES + page)).collect::<Vec<_>>());
        let by_votes = resolved.pairs.iter().filter(|pair| pair.method == Method::Votes);
        assert_eq!(by_votes.count(), PAGES as usize - 1);
    }

    #[test]
    fn what_words_propose_too_is_theirs_again_where_a_sitemap_is_not_believed() {
        const PAGES: u32 = 20;
        let pages: Vec<_> = ["en", "fr"]
            .into_iter()
            .flat_map(|lang| (0..PAGES).map(move |page| (format!("x.org/{lang}{page:02}"), lang, page)))
            .map(|(url, lang, page)| {
                let numbers: String = (1..=8).map(|at| format!(" {}", 1000 * at + 37 * page)).collect();
                (url, lang, format!("{lang}{numbers}\n"))
            })
            .collect();
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let listed = ListedSite::new(&listed);
        let (view, signs, models) = (listed.view(), Signs::default(), Models::default());
        let (iterate, judging, learn, retrieval) = Default::default();
        let settings = Settings { iterate: &iterate, judge: &judging, learn: &learn, retrieval: &retrieval };
        let mut rounds = Rounds::new((&view, &signs), [].into_iter(), &models, settings).expect("pages in memory");
        let candidate = |page: u32, method| {
            let pair = view.ordered(page, PAGES + (page + 7) % PAGES).expect("two languages");
            Candidate { pair, method, key: None }
        };
        let of_sitemap: Vec<Candidate> = (0..PAGES).map(|page| candidate(page, Method::Sitemap)).collect();
        let langs = of_sitemap[0].pair.langs;
        rounds.own.insert((langs, WHOLE), Model::new(langs, &Default::default(), 1.0, Scorer::default()));
        rounds.taught_by_sitemaps.insert((langs, WHOLE));
        rounds.listed = of_sitemap.iter().map(|one| one.pair).collect();
        rounds.compare(of_sitemap).expect("pages in memory");
        assert_eq!(rounds.compare(vec![candidate(3, Method::Words)]).expect("pages in memory"), 0, "it is known");
        rounds.judge();
        assert!(rounds.disbelieve().expect("pages in memory"));
        let left: Vec<Candidate> = rounds.compared.iter().map(|one| one.candidate).collect();
        assert_eq!(left, [candidate(3, Method::Words)]);
        assert!(rounds.own.is_empty(), "what wrong pairs taught is forgotten");
        assert!(!rounds.disbelieve().expect("pages in memory"));
    }

    /// Keys pair the pages of folder a, but only one page of the larger folder b.
    #[test]
    fn parts_that_keys_pair_are_told_from_those_that_teach_themselves() {
        const PAGES: u32 = 15;
        let pages: Vec<_> = [("a", PAGES), ("b", 3 * PAGES)]
            .into_iter()
            .flat_map(|(folder, pages)| (0..pages).map(move |page| (folder, page)))
            .flat_map(|(folder, page)| ["en", "fr"].map(|lang| (format!("s/{folder}/{page:02}.{lang}"), lang)))
            .collect();
        let listed: Vec<_> = pages.iter().map(|(url, lang)| (url.as_str(), *lang, "text")).collect();
        let listed = ListedSite::new(&listed).in_folders();
        let (view, signs, models) = (listed.view(), Signs::default(), Models::default());
        let (iterate, judging, learn, retrieval) = Default::default();
        let settings = Settings { iterate: &iterate, judge: &judging, learn: &learn, retrieval: &retrieval };
        let mut rounds = Rounds::new((&view, &signs), [].into_iter(), &models, settings).expect("pages in memory");
        let page = |url: String| view.pages().find(&url).expect("a page");
        let part = |folder: &str| view.parts().of(page(format!("s/{folder}/00.en")));
        let key_pair = |at: u32, folder: &str| {
            let pair = [page(format!("s/{folder}/{at:02}.en")), page(format!("s/{folder}/{at:02}.fr"))];
            let pair = view.ordered(pair[0], pair[1]).expect("two languages");
            let candidate = Candidate { pair, method: Method::Key, key: Some(0) };
            JudgedPair::new(candidate, 0.9, Default::default(), Outcome::Accepted)
        };
        rounds.judged.pairs = (0..PAGES).map(|at| key_pair(at, "a")).chain([key_pair(0, "b")]).collect();
        let langs = rounds.judged.pairs[0].pair.langs;
        let found = rounds.parts_with_keys();
        assert_ne!(part("a"), part("b"));
        assert_eq!(found, FxHashSet::from_iter([(langs, WHOLE), (langs, part("a"))]));
    }

    #[test]
    fn a_page_without_a_partner_keeps_its_best_candidate_in_each_language() {
        let pair = |langs: [&str; 2], pages: [u32; 2], score: f64, outcome| {
            let [x, y] = langs.map(|lang| Lang::parse(lang).expect("a tag"));
            let langs = LangPair::new(x, y).expect("two languages");
            let candidate =
                Candidate { pair: PagePair { langs, a: pages[0], b: pages[1] }, method: Method::Words, key: None };
            JudgedPair::new(candidate, score, Default::default(), outcome)
        };
        use Outcome::{Accepted, LostToBetter, LowScore, SameText};
        let mut pairs = vec![
            pair(["de", "en"], [20, 1], 0.002, LowScore),
            pair(["de", "en"], [20, 2], 0.001, LowScore),
            pair(["en", "fr"], [1, 10], 0.9, Accepted),
            pair(["en", "fr"], [1, 11], 0.003, LostToBetter),
            pair(["en", "fr"], [1, 12], 0.001, LostToBetter),
            pair(["en", "fr"], [2, 10], 0.02, LostToBetter),
            pair(["en", "fr"], [2, 12], 0.004, SameText),
            pair(["en", "fr"], [2, 13], 0.001, LowScore),
            pair(["en", "ja"], [1, 30], 0.001, LowScore),
            pair(["en", "ja"], [2, 30], 0.002, LowScore),
        ];
        keep_telling(&mut pairs, 0.01, &Parts::new(&Tree::flat(31), &[Lang::EN; 31]));
        let kept: Vec<(u32, u32)> = pairs.iter().map(|judged| (judged.pair.a, judged.pair.b)).collect();
        // Page 20 keeps its best candidate in two languages, 2 the best of each language, 11 its only one, and 12 one whose text is not the
        // same; 1 has a partner.
        assert_eq!(kept, [(20, 1), (20, 2), (1, 10), (1, 11), (1, 12), (2, 10), (2, 13), (2, 30)]);
    }

    #[test]
    fn rounds_end_when_a_stop_is_asked_for() {
        let site = ListedSite::new(&[("en/a", "en", "one"), ("fr/a", "fr", "un")]);
        let (iterate, judging, learn, retrieval) = Default::default();
        let settings = Settings { iterate: &iterate, judge: &judging, learn: &learn, retrieval: &retrieval };
        let stop = || Err(crate::error::Error::Interrupted);
        assert!(
            resolve((&site.view(), &Signs::default()), [].into_iter(), &Models::default(), settings, &stop).is_err()
        );
    }
}
