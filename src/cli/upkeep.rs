//! `diglot check`, `diglot compact` and `diglot remove`.

use std::io::{self, Write, stdout};

use anyhow::bail;
use clap::Args;
use diglot::error::Error;
use diglot::export::rows::printable;
use diglot::pipeline::Observer;
use diglot::store::{Access, Report};
use diglot::types::{counted, grouped};
use diglot::upkeep::{self, Removal, Taken};
use serde_json::json;

use super::freshness::place;
use super::global::Global;
use super::listing::{FormatArg, Listing};
use super::say::{say, tell};

/// Read every byte of the store and report what is damaged.
///
/// Damage is listed with everything that depends on it: sites and models that a run makes again, and archives that must be given again.
/// Exit code 1 if there is any. May run beside other commands; the index of tokens is read only while no other command writes.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot check
  diglot check --repair && diglot run       drop what is damaged, and make it again")]
pub struct Check {
    /// Drop what is damaged, so that the next run makes it again, and keep what is sound.
    #[arg(long)]
    repair: bool,
    #[command(flatten)]
    format: FormatArg,
}

impl Check {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        if self.repair && global.has_store()? {
            // Opening the store to write repairs faults that keep readers out.
            drop(global.write()?);
        }
        let store = global.open(Access::Read)?;
        if !self.repair {
            super::touched::watch(&store);
        }
        let progress = global.progress();
        progress.begin("check", "every byte of the store", "stores", Some(1));
        let report = store.check(&progress);
        progress.end("check", report.is_ok());
        let report = report?;
        self.list(&report)?;
        let told = super::losses::tell(&store);
        if report.damage.is_none() {
            return told;
        }
        if !self.repair {
            bail!(
                "the store is damaged; `diglot check --repair` drops what is damaged, and `diglot run` makes it again"
            );
        }
        drop(store);
        let store = global.write()?;
        let store = if store.was_rebuilt { store } else { store.repair(&report.damage)? };
        super::losses::tell(&store)?;
        tell("diglot: what was damaged is dropped; `diglot run` makes it again");
        Ok(())
    }

    fn list(&self, report: &Report) -> anyhow::Result<()> {
        let mut listing = Listing::new(self.format.get(), &["what", "name", "count", "detail"])?;
        for (kind, found) in &report.files {
            let holes =
                if found.holes > 0 { format!(", {} of them holes", grouped(found.holes)) } else { String::new() };
            let detail = format!("{}{holes}", counted(found.bytes, "byte"));
            listing.row(vec![json!("sound"), json!(kind), json!(found.records), json!(detail)])?;
        }
        listing.row(vec![json!("sound"), json!("view"), json!(report.entries), json!("entries")])?;
        listing.row(match &report.token_blocks {
            Ok(blocks) => vec![json!("sound"), json!("tokens"), json!(blocks), json!("blocks")],
            Err(why) => vec![json!("not looked at"), json!("tokens"), json!(null), json!(why)],
        })?;
        let damage = &report.damage;
        let named = damage.view.iter().map(|problem| ("view", problem));
        let named = named.chain(damage.tokens.iter().map(|problem| ("tokens", problem)));
        for torn in &damage.torn {
            let place = format!("{}, {}: {}", torn.place(), counted(torn.bytes(), "byte"), torn.why);
            listing.row(vec![json!("damaged"), json!(torn.kind), json!(null), json!(place)])?;
        }
        for (name, problem) in named {
            listing.row(vec![json!("damaged"), json!(name), json!(null), json!(problem)])?;
        }
        for (site, kinds) in &damage.sites {
            listing.row(vec![json!("to be made again"), json!(site), json!(null), json!(kinds.join(", "))])?;
        }
        if damage.others > 0 {
            listing.row(vec![json!("to be made again"), json!("models"), json!(damage.others), json!("")])?;
        }
        for (archive, pages) in &damage.archives {
            listing.row(vec![json!("lost pages"), json!(archive), json!(pages), json!("to be given again")])?;
        }
        Ok(listing.finish()?)
    }
}

/// Remove dead data from the disk.
///
/// Dead are results that were replaced, and data that were removed. Answers stay the same. If it is killed at any moment, the store is whole; give the command again. `diglot run` does a part of this by
/// itself once more than half of the results is dead (`--no-compact` prevents it). Files keep their length: removed data become holes,
/// which take no room on disk (`du` shows it; copy stores by `cp --sparse` or `rsync -S`).
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot compact
  diglot remove --host example.org && diglot run && diglot compact      off the disk, too")]
pub struct Compact {}

impl Compact {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let mut store = global.write()?;
        let before = store.usage()?;
        let progress = global.progress();
        progress.begin("compact", "what is dead", "stores", Some(1));
        let freed = store.compact(&progress);
        progress.end("compact", freed.is_ok());
        let freed = freed?;
        super::losses::tell(&store)?;
        let [freed, live] = [freed, before.live].map(|bytes| counted(bytes, "byte"));
        writeln!(stdout(), "freed: {freed} of records; results in use: {live}")?;
        Ok(())
    }
}

/// Remove archives, hosts or URLs from the store: take-down.
///
/// They disappear from all listings at once. `diglot run` then makes again all results that depended on them, as if they had never been
/// read, and `diglot compact` deletes their bytes from the disk. An archive that is read later may bring a host or URL back. An archive
/// that was removed is passed over in folders and patterns; name the file itself to have it read again. If the command is killed at any
/// moment, all or nothing is removed; give it again, which reports what was already removed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot remove --host example.org && diglot run && diglot compact
  diglot remove --url https://example.org/en/a.html
  diglot remove --archive crawl-17.warc.gz")]
pub struct Remove {
    /// An archive, by the path that `diglot status --archives` shows, or the last part of it.
    #[arg(long, value_name = "ARCHIVE")]
    archive: Vec<String>,
    /// A host, or a registrable domain with all its hosts.
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// A URL, with http or https.
    #[arg(long, value_name = "URL")]
    url: Vec<String>,
    /// Accept the losses of the store: commands no longer report that answers lack the lost data.
    #[arg(long)]
    lost: bool,
}

impl Remove {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let removal = Removal { archives: self.archive, hosts: self.host, urls: self.url };
        if removal == Removal::default() && !self.lost {
            return Err(Error::Config("nothing is named; give --archive, --host, --url or --lost".into()).into());
        }
        // Opening to read first, so that a wrong path does not make a new store.
        drop(global.open(Access::Read)?);
        let mut store = global.write()?;
        if self.lost {
            let accepted = upkeep::accept_losses(&mut store)?;
            writeln!(stdout(), "losses accepted: {accepted}")?;
        }
        if removal != Removal::default() {
            say_taken(&upkeep::remove(&mut store, &removal)?, &place(&global.store))?;
        }
        super::losses::tell(&store)
    }
}

fn say_taken(taken: &Taken, place: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    for name in &taken.already {
        writeln!(out, "removed already: {}", printable(name))?;
    }
    if taken.archives + taken.captures + taken.left_out > 0 {
        let (archives, captures) = (counted(taken.archives, "archive"), counted(taken.captures, "capture"));
        let left_out = counted(taken.left_out, "capture");
        let (sites, are) = (counted(taken.sites, "site"), if taken.sites == 1 { "is" } else { "are" });
        writeln!(
            out,
            "removed: {archives}, {captures}, {left_out} that had been left out; {sites} {are} to be indexed again: `diglot run{place}`"
        )?;
    }
    if taken.marks + taken.samples > 0 {
        let (marks, samples) = (counted(taken.marks, "mark"), counted(taken.samples, "sample"));
        writeln!(out, "forgotten: {marks} of reviewers, {samples}")?;
    }
    if !taken.corrections.is_empty() {
        let numbers: Vec<String> = taken.corrections.iter().map(usize::to_string).collect();
        let (count, numbers) = (counted(numbers.len() as u64, "correction"), numbers.join(", "));
        say(format!(
            "kept though they name what was removed: {count} ({numbers}); `diglot correct undo` takes one out"
        ));
    }
    if let Some(lines) = &taken.left {
        say(format_args!("left as they are, though they may name what was removed: {lines}; these are no marks"));
    }
    Ok(())
}
