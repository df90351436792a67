//! Makes resolved pairs from verified pairs, links and words. Unit of work: a site.

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::Xxh3;

use super::groups::{begin, finish};
use super::judged::{self, Stale};
use crate::config::{Config, Strategy};
use crate::error::Result;
use crate::iterate::{copies, rounds};
use crate::keys::{KnownKeys, Marks};
use crate::learn::Models;
use crate::papers::ets;
use crate::pipeline::{Context, Stage, fingerprint};
use crate::propose::{Signs, impose};
use crate::site::models::{ets_inputs, for_judging};
use crate::site::open::OpenSite;
use crate::site::verdicts::verdicts;
use crate::store::layout::JudgedHead;
use crate::store::records::RecordRef;
use crate::store::{Judged, Results, Store};
use crate::types::{JudgedPair, JudgedSite, Method, SiteId, counted};

/// The stage that makes resolved pairs from verified ones.
pub struct Iterate;

impl Stage for Iterate {
    fn name(&self) -> &'static str {
        "iterate"
    }

    fn version(&self) -> u32 {
        27
    }

    fn sections(&self) -> &'static [&'static str] {
        &[
            "verify",
            "judge",
            "learn",
            "method",
            "without_keys",
            "without_content",
            "lexicons",
            "verifier",
            "retrieval",
            "iterate",
            "ets",
        ]
    }

    fn results(&self) -> Results {
        Results::Resolved
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let record = store.stage(self.name())?;
        let stale = stale_sites(self, store, config)?.len();
        let is_known = record.fingerprint == fingerprint(self, config) && record.finished;
        Ok(match (stale, is_known || store.site_count()? == 0) {
            (0, true) => String::new(),
            (0, false) => "rounds over links".into(),
            (stale, _) => counted(stale as u64, "site") + " to do",
        })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        if self.remaining(store, context.config)?.is_empty() {
            return Ok(());
        }
        begin(self, store, context.config)?;
        if !context.config.iterates() {
            return finish(self, store, context.config);
        }
        let models = for_judging(store, context.config)?;
        let stale = stale_sites(self, store, context.config)?;
        let work = |store: &Store, id| resolve(store, context, &models, id);
        judged::judge_sites((self, "rounds over links"), store, context, (Judged::Resolved, stale), work)?;
        finish(self, store, context.config)
    }
}

/// Sites whose resolved pairs are missing, or were made from other verified pairs or with other settings; each with a hash of these.
fn stale_sites(stage: &dyn Stage, store: &Store, config: &Config) -> Result<Vec<Stale>> {
    let mut stale = Vec::new();
    if !config.iterates() {
        return Ok(stale);
    }
    let params = fingerprint(stage, config);
    let verdicts = verdicts(store, config.judge.fit.min_verdicts)?;
    for id in (0..store.site_count()?).map(SiteId) {
        let verified = if config.strategy == Strategy::Links {
            let generation = store.site(id)?.map_or(0, |head| head.generation);
            JudgedHead { generation, ..JudgedHead::default() }
        } else if let Some(head) = store.judged_head(Judged::Verified, id)? {
            head
        } else {
            continue;
        };
        let mut hasher = Xxh3::new();
        hasher.update(&judged::inputs_of(params, store, &verdicts, id)?.to_le_bytes());
        hasher.update(&verified.record.to_le_bytes());
        let inputs = hasher.digest() | 1;
        let head = store.judged_head(Judged::Resolved, id)?.unwrap_or_default();
        if (head.generation, head.inputs) != (verified.generation, inputs) {
            stale.push((id, inputs));
        }
    }
    Ok(stale)
}

fn resolve(store: &Store, context: &Context<'_>, models: &Models, id: SiteId) -> Result<Option<JudgedSite>> {
    let (config, stop) = (context.config, || context.check_stop());
    let Some(open) = OpenSite::open(store, id)? else { return Ok(None) };
    let mut view = open.view(config).watched(context);
    let mut site = JudgedSite { site: id, generation: open.head.generation, ..JudgedSite::default() };
    if config.strategy == Strategy::Links {
        site.pairs = ets::judged(&ets_inputs(&view, models, config), &stop)?;
        impose(&view, &mut site.pairs);
        site.hosts = open.pairs_of_hosts(&site.pairs);
        return Ok(Some(site));
    }
    let Some(head) = store.judged_head(Judged::Verified, id)? else { return Ok(None) };
    let verified = store.verified.read(RecordRef(head.record))?;
    site.foreign = verified.foreign_pages().collect();
    view.leave_out(site.foreign.iter().map(|found| found.0));
    if view.by_lang().len() < 2 {
        return Ok(Some(site));
    }
    // Pages paired by URLs and declarations are translations; links may also lead to copies.
    let is_declared = |judged: &JudgedPair| judged.method <= Method::WeakKey;
    let paired: FxHashSet<u32> =
        verified.accepted().filter(is_declared).flat_map(|judged| [judged.pair.a, judged.pair.b]).collect();
    let known = if config.without_keys { KnownKeys::default() } else { open.known_keys()? };
    // A page under the mark of its own language is in its place, whatever links to it.
    let marks = Marks::of_known(&known);
    let is_marked = |page: u32| marks.is_under(view.pages().identity(page), view.langs[page as usize]);
    let belongs = |page: u32| paired.contains(&page) || is_marked(page);
    site.copies = copies::copies(&view, &belongs, &config.iterate.copies)?;
    view.leave_out(site.copies.iter().map(|copy| copy.0));
    let settings = rounds::Settings {
        iterate: &config.iterate,
        judge: &config.judge,
        learn: &config.learn,
        retrieval: &config.retrieval,
    };
    let signs = Signs::of(&view, &known);
    let rounds::Resolved { pairs, sources } =
        rounds::resolve((&view, &signs), verified.pairs(), models, settings, &stop)?;
    site.hosts = open.pairs_of_hosts(&pairs);
    (site.pairs, site.sources) = (pairs, sources);
    Ok(Some(site))
}
