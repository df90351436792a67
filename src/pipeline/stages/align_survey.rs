//! Finds out what alignment has to do: which models and sites are stale, and from which page pairs models are learnt.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::align::routes::{Counted, Route, Routes};
use crate::align::sample::{SampledPair, input_hash, portions};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::{Urls, hash_of_pair};
use crate::index::smallest::Smallest;
use crate::judge::hubs::{Planned, planned};
use crate::site::bitext::{accepted, hash_of_pairs, page_place, text_bytes};
use crate::site::results::pair_source;
use crate::site::{Scope, Site, sites};
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::BitextHead;
use crate::types::{LangPair, PagePair, SiteId};

/// The work to do: the pairs of each site, and the page pairs from which each model is learnt.
pub struct Survey {
    pub samples: BTreeMap<LangPair, Sample>,
    /// Which language pairs are learnt: those that have a sample.
    pub routes: Routes,
    pub sites: Vec<SiteWork>,
    params: u64,
}

/// A site with pairs.
pub struct SiteWork {
    pub site: SiteId,
    pub domain: String,
    pub generation: u64,
    pub pairs: u64,
    pub langs: Vec<LangPair>,
    pub count: u32,
    /// Hash of everything from which the models of its languages are learnt, and of the documents of its page pairs and their hubs.
    pub models: u64,
}

/// The page pairs from which a language pair is learnt, in order.
pub struct Sample {
    pub pairs: Vec<SampledPair>,
    /// Words are learnt from this many of them, counted from the beginning; scores are calibrated with the others, too.
    pub learnt: usize,
    /// [`input_hash`] of these page pairs, combined with a hash of what verification has learnt from.
    pub input: u64,
}

/// For each language pair, the page pairs from which it may be learnt, and how many it has.
pub(crate) type Samples = BTreeMap<LangPair, (Smallest<SampledPair>, Counted)>;

/// The page pairs from which language pairs may be learnt; an error is one of the store.
#[cfg(feature = "exec")]
pub(crate) fn samples(store: &Store, config: &Config) -> Result<Samples> {
    Ok(look_through(store, config)?.0)
}

/// The sites with pairs, and the page pairs of all sites from which language pairs may be learnt.
fn look_through(store: &Store, config: &Config) -> Result<(Samples, Vec<SiteWork>)> {
    let (mut samples, mut found) = (Samples::new(), Vec::new());
    let max_pages = config.align.train.sampled();
    // Sites are sorted by domain, so that the first of several sites with one sentence pair does not depend on the order in which archives
    // came.
    for id in sites(store, &Scope::all())? {
        let site = Site::open(store, id)?;
        let plan = planned(&accepted(&site));
        for &Planned { pair, hub, .. } in &plan {
            let digest = |page: u32| {
                let (chunk, at) = site.pages.chunk(page);
                chunk.digest(at)
            };
            let digests = (digest(pair.a), digest(pair.b));
            let hash = hash_of_pair(site.pages.identity(pair.a), site.pages.identity(pair.b));
            let (sample, counted) =
                samples.entry(pair.langs).or_insert_with(|| (Smallest::new(max_pages), Counted::default()));
            counted.all += 1;
            counted.direct += u64::from(hub.is_none());
            let places = (page_place(&site, pair.a), page_place(&site, pair.b));
            let bytes = text_bytes(&site, pair.a) + text_bytes(&site, pair.b);
            sample.offer(SampledPair { hash, digests, site: id, pair, places, bytes });
        }
        let mut pairs: Vec<PagePair> = plan.iter().map(|planned| planned.pair).collect();
        pairs.sort_unstable();
        let mut langs: Vec<LangPair> = pairs.iter().map(|pair| pair.langs).collect();
        langs.dedup();
        if !pairs.is_empty() {
            found.push(SiteWork {
                site: id,
                domain: site.head.domain.clone(),
                generation: site.head.generation,
                pairs: hash_of_pairs(&pairs),
                langs,
                count: pairs.len() as u32,
                models: hash_of_plan(&plan),
            });
        }
    }
    store.sites.unmap();
    store.results.unmap();
    Ok((samples, found))
}

/// A hash of the order in which page pairs are aligned, and of what is composed.
fn hash_of_plan(plan: &[Planned]) -> u64 {
    let mut hasher = Xxh3::new();
    for Planned { pair, document, hub } in plan {
        for number in [pair.a, pair.b, *document, hub.map_or(u32::MAX, |hub| hub.1)] {
            hasher.update(&number.to_le_bytes());
        }
    }
    hasher.digest()
}

impl Survey {
    /// Looks through the sites of a store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(store: &Store, config: &Config, params: u64) -> Result<Survey> {
        let (samples, sites) = look_through(store, config)?;
        let counted = samples.iter().map(|(&langs, (_, counted))| (langs, *counted)).collect();
        let mut survey = Survey { samples: BTreeMap::new(), routes: Routes::chosen(&counted), sites, params };
        let train = &config.align.train;
        for (langs, (sample, Counted { all: total, .. })) in samples {
            if survey.routes.of(langs) != Route::Own {
                continue;
            }
            let mut pairs = sample.into_sorted();
            let (learnt, held_out) = portions(&pairs, total, train);
            pairs.truncate(learnt + held_out);
            let known = store.learnt_head(langs)?.unwrap_or_default();
            survey.samples.insert(langs, Sample { input: input_hash(&pairs, learnt) ^ known.inputs, pairs, learnt });
        }
        for site in &mut survey.sites {
            let needed = site.langs.iter().flat_map(|&langs| survey.routes.needed(langs));
            let models = needed.flat_map(|langs| survey.samples[&langs].input.to_le_bytes());
            site.models = xxh3_64(&site.models.to_le_bytes().into_iter().chain(models).collect::<Vec<u8>>());
        }
        Ok(survey)
    }

    /// The language pairs whose sample has changed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn stale_models(&self, store: &Store) -> Result<Vec<(&LangPair, &Sample)>> {
        let mut stale = Vec::new();
        for (langs, sample) in &self.samples {
            let head = store.model_head(*langs)?.unwrap_or_default();
            if (head.input, head.params) != (sample.input, self.params) {
                stale.push((langs, sample));
            }
        }
        Ok(stale)
    }

    /// The sites that are not completely aligned with their present inputs, each with its head.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn stale_sites(&self, store: &Store) -> Result<Vec<(&SiteWork, BitextHead)>> {
        let mut stale = Vec::new();
        for work in &self.sites {
            let mut head = store.bitext_head(work.site)?.unwrap_or_default();
            let wanted = (work.generation, self.params, work.pairs, work.models);
            if (head.generation, head.params, head.pairs, head.models) != wanted {
                let (generation, params, pairs, models) = wanted;
                head = BitextHead { generation, params, pairs, models, ..BitextHead::default() };
            }
            if !head.finished {
                stale.push((work, head));
            }
        }
        Ok(stale)
    }

    /// The number of sites that have sentence pairs but no page pairs any more.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn pairless_sites(&self, store: &Store) -> Result<usize> {
        let surveyed: FxHashSet<SiteId> = self.sites.iter().map(|work| work.site).collect();
        let mut count = 0;
        for id in (0..store.site_count()?).map(SiteId).filter(|id| !surveyed.contains(id)) {
            count += usize::from(store.bitext_head(id)?.is_some_and(|head| head.pairs != hash_of_pairs(&[])));
        }
        Ok(count)
    }

    /// Hash of everything from which the sentence pairs of all sites are made.
    pub fn compared(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for site in &self.sites {
            hasher.update(site.domain.as_bytes());
            for number in [site.generation, self.params, site.pairs, site.models] {
                hasher.update(&number.to_le_bytes());
            }
        }
        hasher.digest()
    }

    /// True if exactly these sites were searched for sentence pairs in common.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_compared(&self, store: &Store) -> Result<bool> {
        let compared = self.compared();
        for work in &self.sites {
            if store.bitext_head(work.site)?.unwrap_or_default().compared != compared {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Survey {
    /// Stores for each site which record its page pairs were read from. A site without page pairs has no head, unless its record has pairs
    /// from which no bitext is made.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn note_sources(&self, store: &mut Store) -> Result<()> {
        let surveyed: FxHashSet<SiteId> = self.sites.iter().map(|work| work.site).collect();
        let mut changes = Changes::default();
        for id in (0..store.site_count()?).map(SiteId) {
            let site = store.site(id)?.unwrap_or_default();
            let source = pair_source(store, id, &site)?.filter(|source| source.pairs > 0);
            let known = store.bitext_head(id)?;
            let Some(source) = source else {
                if known.is_some() {
                    changes.remove_bitext(id);
                }
                continue;
            };
            let nothing = || BitextHead {
                generation: site.generation,
                params: self.params,
                pairs: hash_of_pairs(&[]),
                finished: true,
                ..BitextHead::default()
            };
            let head = known.clone().filter(|_| surveyed.contains(&id)).unwrap_or_else(nothing);
            let head = BitextHead { source: source.record, source_table: source.of as u8, ..head };
            if known.as_ref() != Some(&head) {
                changes.put_bitext(id, &head);
            }
            store.commit_many(&mut changes)?;
        }
        if changes.is_empty() { Ok(()) } else { store.commit(changes) }
    }
}
