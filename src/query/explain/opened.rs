//! An open site, whose stored decisions are turned into facts.

use std::cmp::Ordering;

use super::facts::{CandidateFacts, NeighbourPair, Round, Rounds};
use super::named::NamedPair;
use super::verdict::CandidateOutcome;
use crate::config::{Config, Strategy};
use crate::error::Result;
use crate::papers::ets::History;
use crate::query::pairs::{judged_line, pair_line};
use crate::site::results::Site;
use crate::store::Store;
use crate::store::layout::SkipEntry;
use crate::types::{ArchiveId, CanonicalUrl, JudgedPair, Lang, Outcome, PairLine};

/// A site, with the store and the settings.
pub struct Opened<'s> {
    /// The store.
    pub store: &'s Store,
    /// Its settings.
    pub config: &'s Config,
    /// The site.
    pub site: Site,
}

/// The minimum that a score did not reach; `None` where the score is not below the minimum in the settings.
pub fn min_score(config: &Config, score: f32) -> Option<f64> {
    let min = match config.strategy {
        Strategy::Links => config.ets.min_sim?,
        _ => config.judge.min_score,
    };
    // A score is stored with less precision than it had when it was compared.
    (f64::from(score) < min || score == min as f32).then_some(min)
}

/// A pair that `pairs` lists.
pub struct Listed {
    /// Its pages.
    pub pages: (u32, u32),
    /// The same pages by their URLs.
    pub named: NamedPair,
}

impl<'s> Opened<'s> {
    /// Opens the site of a URL; `None` where the store has nothing of its domain.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of(store: &'s Store, config: &'s Config, url: &CanonicalUrl) -> Result<Option<Opened<'s>>> {
        let Some(id) = store.site_of_domain(&url.domain())? else { return Ok(None) };
        Ok(Some(Opened { store, config, site: Site::open(store, id)? }))
    }

    /// The name of an archive.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn archive(&self, number: u32) -> Result<String> {
        let archive = self.store.archive(ArchiveId(number))?;
        Ok(archive.map_or_else(|| "?".to_owned(), |archive| archive.identity.path))
    }

    /// True for a language that takes part, by `--langs`.
    pub fn is_requested(&self, lang: Lang) -> bool {
        self.config.keys.wants(lang)
    }

    /// True where the settings let keys propose pairs.
    pub fn asks_keys(&self) -> bool {
        let by_all = matches!(self.config.strategy, Strategy::Webmining | Strategy::Links);
        !self.config.without_keys && !by_all
    }

    /// Captures of a URL (without scheme) of any site that were left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn skipped(&self, identity: &str) -> Result<Vec<SkipEntry>> {
        let Ok(url) = CanonicalUrl::parse(&format!("http://{identity}")) else { return Ok(Vec::new()) };
        match self.store.site_of_domain(&url.domain())? {
            Some(id) if id == self.site.id => self.site.skipped(self.store, identity),
            Some(id) => Site::open(self.store, id)?.skipped(self.store, identity),
            None => Ok(Vec::new()),
        }
    }

    /// The judged pairs of a page.
    pub fn judged_pairs(&self, page: u32) -> impl Iterator<Item = JudgedPair> + '_ {
        let pairs = self.site.judged.iter().flat_map(|judged| judged.pairs());
        pairs.filter(move |judged| [judged.pair.a, judged.pair.b].contains(&page))
    }

    /// The pairs of a page that `pairs` lists: accepted ones, or those that keys were assigned while none is judged.
    pub fn listed(&self, page: u32) -> Vec<Listed> {
        let named = |(a, b): (u32, u32), score: f32| Listed {
            pages: (a, b),
            named: NamedPair { url_a: self.site.pages.url(a), url_b: self.site.pages.url(b), score },
        };
        if self.site.judged.is_some() {
            let accepted = self.judged_pairs(page).filter(JudgedPair::is_accepted);
            return accepted.map(|judged| named((judged.pair.a, judged.pair.b), judged.score)).collect();
        }
        let Some(result) = &self.site.result else { return Vec::new() };
        let of_page = result.pairs.iter().map(|row| ((row.a.to_native(), row.b.to_native()), row.key.to_native()));
        let of_page = of_page.filter(|((a, b), _)| [*a, *b].contains(&page));
        let score = |key: u32| result.keys.get(key as usize).map_or(0.0, |row| row.credibility.to_native());
        of_page.map(|(pages, key)| named(pages, score(key) as f32)).collect()
    }

    /// The pairs of a page that were judged, or that keys were assigned while none is judged: accepted ones first, then by score,
    /// untranslated ones last. Each with its stored row, where it was judged.
    pub fn candidates(&self, page: u32) -> Vec<(CandidateFacts, Option<JudgedPair>)> {
        let Some(result) = &self.site.result else { return Vec::new() };
        if self.site.judged.is_none() {
            let of_page = result.pairs.iter().filter(|row| row.a == page || row.b == page);
            let candidate = |row| {
                let line = pair_line(&self.site, result, self.config, row);
                let score = line.score as f32;
                (self.candidate(page, line, score, CandidateOutcome::Accepted), None)
            };
            return of_page.map(candidate).collect();
        }
        let candidate = |judged: JudgedPair| {
            let line = judged_line(&self.site, result, self.config, &judged);
            let outcome = self.outcome(&judged);
            (CandidateFacts { evidence: judged.evidence, ..self.candidate(page, line, judged.score, outcome) }, judged)
        };
        let mut found: Vec<(CandidateFacts, JudgedPair)> = self.judged_pairs(page).map(candidate).collect();
        found.sort_by(|(_, x), (_, y)| {
            let order = |judged: &JudgedPair| (!judged.is_accepted(), judged.outcome == Outcome::SameText);
            let better = || y.score.total_cmp(&x.score).then(y.evidence.total_cmp(&x.evidence));
            // Accepted pairs stay in the order of their languages.
            order(x).cmp(&order(y)).then_with(|| if x.is_accepted() { Ordering::Equal } else { better() })
        });
        found.into_iter().map(|(candidate, judged)| (candidate, Some(judged))).collect()
    }

    fn candidate(&self, page: u32, line: PairLine, score: f32, outcome: CandidateOutcome) -> CandidateFacts {
        let is_first = line.url_a == self.site.pages.url(page);
        let (url, lang) = if is_first { (line.url_b, line.lang_b) } else { (line.url_a, line.lang_a) };
        let key = Some(line.key).filter(|key| !key.is_empty());
        CandidateFacts { url, lang, method: line.method, key, score, evidence: 0.0, outcome, weighed: None }
    }

    /// The stored decision on a pair, with its reasons.
    pub fn outcome(&self, judged: &JudgedPair) -> CandidateOutcome {
        match judged.outcome {
            Outcome::Accepted => CandidateOutcome::Accepted,
            Outcome::LowScore => CandidateOutcome::LowScore { min_score: min_score(self.config, judged.score) },
            Outcome::LostToBetter => CandidateOutcome::LostToBetter { better: self.better(judged) },
            Outcome::SameText => CandidateOutcome::SameText,
            Outcome::Contradicted => CandidateOutcome::Contradicted,
            Outcome::Edition => CandidateOutcome::Edition,
            Outcome::Forbidden => CandidateOutcome::Forbidden,
        }
    }

    /// The accepted pairs, of the same languages, that share a page with a pair that lost to a better one.
    fn better(&self, lost: &JudgedPair) -> Vec<NamedPair> {
        let accepted = self.site.judged.iter().flat_map(|judged| judged.accepted());
        let shares = |pair: &JudgedPair| pair.pair.a == lost.pair.a || pair.pair.b == lost.pair.b;
        let rivals = accepted.filter(|pair| pair.pair.langs == lost.pair.langs && shares(pair));
        let named = |JudgedPair { pair, score, .. }: JudgedPair| NamedPair {
            url_a: self.site.pages.url(pair.a),
            url_b: self.site.pages.url(pair.b),
            score,
        };
        rivals.map(named).collect()
    }

    /// Rounds, with pages given by their URLs.
    pub fn rounds(&self, history: History) -> Rounds {
        let neighbour = |(a, b, part): (u32, u32, f64)| NeighbourPair {
            url_a: self.site.pages.url(a),
            url_b: self.site.pages.url(b),
            part,
        };
        let rounds_by_url = history.rounds.into_iter().map(|round| Round {
            external: round.external,
            enhanced: round.enhanced,
            neighbours: round.neighbours.into_iter().map(neighbour).collect(),
        });
        Rounds {
            content: history.content,
            structure: history.structure,
            internal: history.internal,
            rounds: rounds_by_url.collect(),
            outcome: history.outcome,
        }
    }
}
