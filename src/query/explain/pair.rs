//! Explains two pages: the keys that lead from one to the other, what was decided on them, and why.

use super::computed::Computed;
use super::facts::{Alignment, KeyFacts, LangCount, PairExplanation, SentencePair, Support};
use super::named::NamedPair;
use super::opened::{Opened, min_score};
use super::verdict::{CandidateOutcome, PairVerdict, Proposer};
use super::weighing::Weighing;
use crate::align::clean::Reason;
use crate::config::Strategy;
use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::State;
use crate::propose::votes;
use crate::query::pairs::{judged_line, pair_line};
use crate::site::bitext::{SiteBitext, page_record};
use crate::site::paragraphs::sentence_text;
use crate::store::layout::BeadRow;
use crate::text::counterpart;
use crate::types::{CanonicalUrl, JudgedPair, LangPair, Method as Proposed, Outcome, PagePair, PairLine, family};

/// Explains the relation of two pages. `opened` are their sites.
pub fn explain(
    opened: [Option<&Opened<'_>>; 2],
    evidence: &Computed<'_>,
    [first, second]: [&CanonicalUrl; 2],
) -> Result<PairExplanation> {
    let opened = match opened {
        [Some(one), Some(other)] if one.site.id == other.site.id => one,
        _ => {
            let across = opened.iter().flatten().any(|opened| opened.config.keys.across_suffixes);
            let are_known = opened.iter().all(Option::is_some);
            let one_name = family(first.host()) == family(second.host());
            return Ok(PairExplanation::bare(match one_name {
                // Where the store does not have the domain, nothing else can be said.
                true if !are_known || first.domain() == second.domain() => PairVerdict::NotBothPages,
                true if across => PairVerdict::NotOneSite,
                true => PairVerdict::AcrossSuffixesOff,
                false => PairVerdict::DifferentDomains,
            }));
        }
    };
    let pages = &opened.site.pages;
    let (Some(a), Some(b)) = (pages.find(first.identity()), pages.find(second.identity())) else {
        return Ok(PairExplanation::bare(PairVerdict::NotBothPages));
    };
    if opened.site.result.is_none() {
        return Ok(PairExplanation::bare(PairVerdict::NotJudgedYet));
    }
    Two { opened, a, b }.explain(evidence)
}

/// Two pages of one site whose keys have been searched.
struct Two<'o, 's> {
    opened: &'o Opened<'s>,
    a: u32,
    b: u32,
}

impl Two<'_, '_> {
    fn explain(&self, evidence: &Computed<'_>) -> Result<PairExplanation> {
        let (site, config) = (&self.opened.site, self.opened.config);
        let mut found = PairExplanation::bare(PairVerdict::NotProposed);
        found.languages = Some([site.lang(self.a), site.lang(self.b)]);
        found.keys = self.keys();
        found.alignment = self.alignment()?;
        let is_links = config.iterates() && config.strategy == Strategy::Links;
        let pair = self.ordered().filter(|_| site.judged.is_some());
        let judged = self.opened.judged_pairs(self.a).find(|judged| self.is_of(judged.pair.a, judged.pair.b));
        let weighing = Weighing::new(self.opened, evidence);
        let is_compared = judged.is_none() && weighing.is_by_evidence();
        if let Some(pair) = pair.filter(|_| is_links) {
            let rounds = evidence.rounds(site, &[pair])?.into_iter().next().flatten();
            found.rounds = rounds.map(|rounds| self.opened.rounds(rounds));
        } else if let Some(pair) = pair.filter(|_| config.iterates() || is_compared)
            && let Some(open) = evidence.open(site)?
        {
            if config.iterates() {
                found.support = evidence.support(&open, site, pair).map(|support| self.support(pair, support));
            }
            if is_compared && let Some(similarities) = evidence.contents(&open, site, pair)? {
                (found.measures, found.constant) = weighing.measures(pair.langs, &similarities)?;
                found.compared_now = Some(found.constant + found.measures.iter().map(|fact| fact.nats).sum::<f64>());
            }
        }
        if let Some(judged) = &judged {
            if weighing.is_by_evidence() {
                (found.measures, found.constant) = weighing.measures(judged.pair.langs, &judged.similarities)?;
                (found.evidence, found.beliefs) = (Some(judged.evidence), Some(judged.beliefs));
                found.rivals = weighing.left_by_rivals(judged);
            }
            found.source = weighing.source(judged);
        }
        found.verdict = self.verdict(judged.as_ref(), &found);
        Ok(found)
    }

    /// What accepted pairs say of a pair, by the URLs of its pages.
    fn support(&self, pair: PagePair, support: votes::Support) -> Support {
        Support {
            votes: support.voters.into_iter().map(|pair| self.urls(pair)).collect(),
            shared_translations: support.versions.into_iter().map(|page| self.opened.site.pages.url(page)).collect(),
            neighbours: support.neighbours.into_iter().map(|pair| self.urls(pair)).collect(),
            with_partner: [
                LangCount { lang: pair.langs.a, pages: support.with_partner.0 },
                LangCount { lang: pair.langs.b, pages: support.with_partner.1 },
            ],
        }
    }

    fn is_of(&self, a: u32, b: u32) -> bool {
        [(self.a, self.b), (self.b, self.a)].contains(&(a, b))
    }

    fn urls(&self, (a, b): (u32, u32)) -> [String; 2] {
        [a, b].map(|page| self.opened.site.pages.url(page))
    }

    /// The two pages in the order of their languages; `None` for pages of the same language or of no language.
    fn ordered(&self) -> Option<PagePair> {
        let [x, y] = [self.a, self.b].map(|page| self.opened.site.lang(page));
        let langs = LangPair::new(x, y).filter(|_| x.is_known() && y.is_known())?;
        let (a, b) = if langs.a == x { (self.a, self.b) } else { (self.b, self.a) };
        Some(PagePair { langs, a, b })
    }

    /// The keys that lead from one of the two to the other.
    fn keys(&self) -> Vec<KeyFacts> {
        let site = &self.opened.site;
        let mut found = Vec::new();
        for row in site.result.iter().flat_map(|result| result.keys.iter()) {
            let Some(key) = row.key() else { continue };
            let leads = |from: u32, to: u32| {
                let made = counterpart::counterparts(site.pages.identity(from), &key, true);
                made.iter().any(|url| url == site.pages.identity(to))
            };
            if leads(self.a, self.b) || leads(self.b, self.a) {
                found.push(KeyFacts {
                    key: key.pattern(),
                    langs: key.langs,
                    state: State::from_code(row.state),
                    power: row.power.to_native(),
                    credibility: row.credibility.to_native(),
                });
            }
        }
        found
    }

    /// The aligned sentences of the two pages, side by side.
    fn alignment(&self) -> Result<Option<Alignment>> {
        let Opened { store, site, .. } = self.opened;
        let Some(bitext) = SiteBitext::open(store, site)? else { return Ok(None) };
        let (straight, turned) = (bitext.of_pair(self.a, self.b), bitext.of_pair(self.b, self.a));
        let is_turned = straight.is_none();
        let Some((row, beads)) = straight.or(turned) else { return Ok(None) };
        let pages = [page_record(store, site, self.a)?, page_record(store, site, self.b)?];
        let sentence = |bead: &BeadRow| {
            let (a, b) = ((bead.a_start, bead.a_end), (bead.b_start, bead.b_end));
            let (a, b) = if is_turned { (b, a) } else { (a, b) };
            SentencePair {
                score: f64::from(bead.score),
                left_out: Reason::from_code(bead.reason).map(Reason::name),
                text_a: sentence_text(&pages[0], a),
                text_b: sentence_text(&pages[1], b),
            }
        };
        Ok(Some(Alignment { score: f64::from(row.score.to_native()), sentences: beads.iter().map(sentence).collect() }))
    }

    /// The stored decision, or why there is none.
    fn verdict(&self, judged: Option<&JudgedPair>, found: &PairExplanation) -> PairVerdict {
        let (site, config) = (&self.opened.site, self.opened.config);
        let Some(result) = &site.result else { return PairVerdict::NotJudgedYet };
        if let Some(judged) = judged {
            let by = proposer(judged_line(site, result, config, judged));
            return match self.opened.outcome(judged) {
                CandidateOutcome::Accepted => PairVerdict::Pair { by, score: judged.score },
                outcome => PairVerdict::Rejected { by, score: judged.score, outcome },
            };
        }
        if site.judged.is_none() {
            let mut assigned = result.pairs.iter();
            if let Some(row) = assigned.find(|row| self.is_of(row.a.to_native(), row.b.to_native())) {
                let line = pair_line(site, result, config, row);
                let score = line.score as f32;
                return PairVerdict::Pair { by: proposer(line), score };
            }
        }
        let [x, y] = [self.a, self.b].map(|page| site.lang(page));
        if let Some(page) = [self.a, self.b].into_iter().find(|&page| !site.lang(page).is_known()) {
            return PairVerdict::NoLanguage { url: site.pages.url(page) };
        }
        if x == y {
            return PairVerdict::SameLanguage { lang: x };
        }
        if site.judged.is_none() && (config.verifies() || config.iterates()) {
            return PairVerdict::NotJudgedYet;
        }
        match &found.rounds {
            Some(rounds) => {
                let score = rounds.similarity() as f32;
                let outcome = match rounds.outcome {
                    // Accepted under the current settings; the store was made with other settings.
                    Outcome::Accepted => return PairVerdict::NotJudgedYet,
                    Outcome::LostToBetter => CandidateOutcome::LostToBetter { better: self.rivals() },
                    _ => CandidateOutcome::LowScore { min_score: min_score(config, score) },
                };
                let by = Proposer { method: Proposed::All.name(), key: None };
                PairVerdict::Rejected { by, score, outcome }
            }
            None if config.strategy == Strategy::Links => PairVerdict::NotCompared,
            None => PairVerdict::NotProposed,
        }
    }

    /// The pairs that `pairs` lists of either page with a page in the language of the other.
    fn rivals(&self) -> Vec<NamedPair> {
        let site = &self.opened.site;
        let [x, y] = [self.a, self.b].map(|page| site.lang(page));
        let mut found = Vec::new();
        for (page, wanted) in [(self.a, y), (self.b, x)] {
            let listed = self.opened.listed(page).into_iter();
            let other = |(a, b): (u32, u32)| if a == page { b } else { a };
            found.extend(listed.filter(|one| site.lang(other(one.pages)) == wanted).map(|one| one.named));
        }
        found
    }
}

fn proposer(line: PairLine) -> Proposer {
    Proposer { method: line.method, key: Some(line.key).filter(|key| !key.is_empty()) }
}
