//! `diglot status`.

use std::collections::BTreeMap;

use clap::Args;
use diglot::align::clean::Reason;
use diglot::pipeline;
use diglot::query;
use diglot::store::Store;
use diglot::types::SkipReason;
use serde_json::json;

use super::global::Global;
use super::listing::{FormatArg, Listing};

/// Show the stages, what the store holds, and what was left out and why.
///
/// A stage is fresh, partial (the same `run` goes on with it), stale (its settings or something before it changed) or not run. Damage in an
/// archive is told with the archive and the offset.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot status
  diglot status --archives --format jsonl")]
pub struct Status {
    /// A line for each archive too, and samples of all that was left out.
    #[arg(long)]
    archives: bool,
    #[command(flatten)]
    format: FormatArg,
}

impl Status {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.read()?;
        let mut listing = Listing::new(self.format.get(), &["what", "name", "count", "detail"])?;
        for stage in pipeline::progress(&store, &config, "align")? {
            let detail = join(stage.state.name(), &stage.remaining);
            listing.row(vec![json!("stage"), json!(stage.name), json!(null), json!(detail)])?;
        }
        let archives = store.archives()?;
        let sum = |count: fn(&diglot::store::layout::ArchiveRecord) -> u64| archives.iter().map(count).sum::<u64>();
        let are_compared = query::bitext::are_compared(&store)?;
        let mut dropped: BTreeMap<u8, u64> = BTreeMap::new();
        let (mut pages, mut hosts, mut older, mut pairs, mut sentences) = (0u64, 0u64, 0u64, 0u64, 0u64);
        for site in (0..store.site_count()?).map(diglot::types::SiteId) {
            let head = store.site(site)?.unwrap_or_default();
            pages += u64::from(head.pages);
            hosts += head.hosts.len() as u64;
            older += head.older;
            let (kept, left_out) = query::sentence_counts(&store, site, &head, are_compared)?;
            sentences += kept;
            left_out.into_iter().for_each(|(code, count)| *dropped.entry(code).or_default() += count);
            pairs += query::pair_count(&store, site, &head)?;
        }
        for (name, count, detail) in [
            ("archives", archives.len() as u64, format!("preset {}", config.preset)),
            ("records", sum(|a| a.records), String::new()),
            ("captures taken", sum(|a| a.pages), String::new()),
            ("pages", pages, "one an address, the newest capture".into()),
            ("domains", u64::from(store.site_count()?), String::new()),
            ("hosts", hosts, String::new()),
            ("pairs", pairs, String::new()),
            ("sentence pairs", sentences, String::new()),
        ] {
            listing.row(vec![json!("total"), json!(name), json!(count), json!(detail)])?;
        }
        for (reason, count) in reasons(&store)? {
            listing.row(vec![json!("left out"), json!(reason.name()), json!(count), json!("")])?;
        }
        if older > 0 {
            listing.row(vec![json!("left out"), json!(SkipReason::OlderCapture.name()), json!(older), json!("")])?;
        }
        for (code, count) in dropped {
            let reason = Reason::from_code(code).map_or("?", Reason::name);
            listing.row(vec![json!("sentences left out"), json!(reason), json!(count), json!("")])?;
        }
        for archive in &archives {
            let path = &archive.identity.path;
            if self.archives || !archive.done {
                let state = if archive.done { "read".to_owned() } else { format!("read up to {}", archive.position) };
                let detail = format!(
                    "{}, {} bytes, {state}, {} pages",
                    archive.identity.format, archive.identity.bytes, archive.pages
                );
                listing.row(vec![json!("archive"), json!(path), json!(archive.records), json!(detail)])?;
            }
            for sample in archive.samples.iter().filter(|sample| self.archives || is_fault(sample.reason)) {
                let reason = SkipReason::from_code(sample.reason).map_or("?", SkipReason::name);
                let place = format!("{path} at byte {}", sample.offset);
                listing.row(vec![json!(reason), json!(place), json!(null), json!(sample.detail)])?;
            }
        }
        Ok(listing.finish()?)
    }
}

/// Reasons that tell of damage in an archive; the others are how archives are.
fn is_fault(reason: u8) -> bool {
    use SkipReason::*;
    SkipReason::from_code(reason).is_some_and(|reason| {
        matches!(
            reason,
            BadUrl | TooLong | Truncated | BadRecord | BadCompression | BadHttp | BadCoding | BodyTooLong | ParserLimit
        )
    })
}

fn join(state: &str, remaining: &str) -> String {
    if remaining.is_empty() { state.to_owned() } else { format!("{state}: {remaining}") }
}

/// How often each reason left something out, most often first.
fn reasons(store: &Store) -> anyhow::Result<Vec<(SkipReason, u64)>> {
    let mut counts: BTreeMap<SkipReason, u64> = BTreeMap::new();
    for archive in store.archives()? {
        for (code, count) in archive.skips {
            if let Some(reason) = SkipReason::from_code(code) {
                *counts.entry(reason).or_default() += count;
            }
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason));
    Ok(counts)
}

/// The reasons in one line.
pub fn left_out(store: &Store) -> anyhow::Result<String> {
    let reasons = reasons(store)?;
    let parts: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    Ok(if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") })
}
