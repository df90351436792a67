//! What verification and iteration have in common: the hash that shows which sites are stale, and the judging of these sites.

use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::Xxh3;

use super::groups::{Groups, SiteTasks, do_groups};
use crate::error::Result;
use crate::pipeline::{Context, Stage};
use crate::site::verdicts::Verdicts;
use crate::store::catalog::Changes;
use crate::store::layout::{JudgedHead, JudgedRecord};
use crate::store::{Judged, Store};
use crate::types::{JudgedSite, Lang, LangPair, SiteId};

/// A site to be judged anew, with a hash of everything on which its judged pairs depend.
pub type Stale = (SiteId, u64);

/// Sites are worked on together until they have so many pages.
const GROUP_PAGES: u64 = 20_000;

/// Judges sites by `work`, and stores the results as those of `by`. Each group of sites is one commit.
///
/// # Errors
/// When the store cannot be read or written, or the run was stopped.
pub fn judge_sites(
    (stage, what): (&dyn Stage, &str),
    store: &mut Store,
    context: &Context<'_>,
    (by, stale): (Judged, Vec<Stale>),
    work: impl Fn(&Store, SiteId) -> Result<Option<JudgedSite>> + Sync,
) -> Result<()> {
    context.observer.begin(stage.name(), what, "sites", Some(stale.len() as u64));
    let sites = SiteTasks::new(stale, GROUP_PAGES);
    do_groups(&mut Judging { sites, by, work, context, done: AtomicU64::new(0) }, store, context)
}

struct Judging<'j, W> {
    sites: SiteTasks<Stale>,
    by: Judged,
    work: W,
    context: &'j Context<'j>,
    done: AtomicU64,
}

impl<W: Fn(&Store, SiteId) -> Result<Option<JudgedSite>> + Sync> Groups for Judging<'_, W> {
    type Task = Stale;
    type Done = Option<JudgedSite>;

    fn next(&mut self, store: &Store) -> Result<Option<Vec<Stale>>> {
        self.sites.next(store, |stale| stale.0)
    }

    fn work(&self, store: &Store, &(id, _): &Stale) -> Result<Option<JudgedSite>> {
        let site = (self.work)(store, id)?;
        self.context.observer.progress(self.done.fetch_add(1, Ordering::Relaxed) + 1, "");
        Ok(site)
    }

    fn keep(&mut self, store: &mut Store, done: Vec<(Stale, Option<JudgedSite>)>) -> Result<()> {
        let mut changes = Changes::default();
        for ((_, inputs), site) in done {
            if let Some(site) = site {
                put(store, self.by, &site, inputs, &mut changes)?;
            }
        }
        store.commit(changes)
    }
}

/// Appends the result for a site, and records where it is.
fn put(store: &mut Store, by: Judged, site: &JudgedSite, inputs: u64, changes: &mut Changes) -> Result<()> {
    let pairs = site.pairs.iter().filter(|judged| judged.is_accepted()).count() as u64;
    let result = store.result_head(site.site)?.map_or(0, |head| head.record);
    let place = store.append_judged(by, &JudgedRecord::new(site))?.0;
    let head = JudgedHead { record: place, generation: site.generation, result, inputs, pairs };
    changes.put_judged(by, site.site, &head);
    Ok(())
}

/// A hash of everything on which the judged pairs of a site depend: the settings (`params`, the stage's fingerprint), its keys, the models
/// of its language pairs with the verdicts of reviewers that they were learnt from, and the corrections that people made.
///
/// # Errors
/// When the store cannot be read.
pub fn inputs_of(params: u64, store: &Store, verdicts: &Verdicts, id: SiteId) -> Result<u64> {
    let mut hasher = Xxh3::new();
    hasher.update(&params.to_le_bytes());
    hasher.update(&store.result_head(id)?.map_or(0, |head| head.record).to_le_bytes());
    if let Some(result) = store.result(id)? {
        let mut langs: Vec<_> = result.hosts.iter().flat_map(|host| host.langs.iter().map(|lang| lang.0)).collect();
        langs.sort_unstable();
        langs.dedup();
        let langs: Vec<_> = langs.into_iter().map(Lang::from_bytes).collect();
        for (at, &first) in langs.iter().enumerate() {
            for &second in &langs[at + 1..] {
                if let Some(pair) = LangPair::new(first, second)
                    && let Some(head) = store.learnt_head(pair)?
                {
                    hasher.update(&head.inputs.to_le_bytes());
                    let judged = verdicts.hash_of(pair);
                    if judged != 0 {
                        hasher.update(&judged.to_le_bytes());
                    }
                }
            }
        }
    }
    let corrections = match store.site(id)? {
        Some(head) => store.corrections_of(&head)?.hash(),
        None => 0,
    };
    if corrections != 0 {
        hasher.update(&corrections.to_le_bytes());
    }
    // 0 stands for "never made".
    Ok(hasher.digest() | 1)
}
