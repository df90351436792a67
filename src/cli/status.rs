//! `diglot status`.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stdout};
use std::time::Duration;

use clap::Args;
use diglot::config::Config;
use diglot::pipeline::{self, LAST_STAGE, StageState};
use diglot::query::{self, ArchiveLine, Scope, Totals};
use diglot::store::{Access, Store};
use diglot::types::{SkipReason, counted, grouped};
use serde_json::json;

use super::dry::changed_files;
use super::freshness::no_archive;
use super::global::Global;
use super::how_far::Note;
use super::listing::{FormatArg, Listing};
use super::progress::Follower;
use super::say::say;
use super::settings::Differing;

/// Show the stages, the contents, and what was left out and why.
///
/// Settings are listed if they are not at their defaults. A stage is fresh, at work (of a run that goes on), partial (interrupted; `diglot run` resumes it), stale
/// (its settings or its input have changed) or not run. `language` names what pages are in, the 20 with the most pages; of some it says how many of
/// these words and models take for another one or for none, so that letters or the site named them. `few pairs` names hosts with pages in two languages of which few are paired, with the
/// number of pages and the likeliest reason. Damage in an archive is reported with the archive and the offset.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot status
  diglot status --archives --format jsonl")]
pub struct Status {
    /// Also list each archive, inputs that were skipped, and samples of captures that were left out.
    #[arg(long)]
    archives: bool,
    /// Show it again after every commit, and how far the run is, until the run ends; into a file or pipe, only at the end.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    format: FormatArg,
}

/// How many hosts with few pairs are listed.
const FEW_PAIRS: usize = 5;

/// How many languages are listed.
const LANGUAGES: usize = 20;
/// And how many that nothing names, at most.
const UNNAMED: usize = 6;

/// How often to look for a new commit.
const POLL: Duration = Duration::from_millis(500);

impl Status {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        // Where lists are not read as they appear, all but the last one would only be more rows of the same list.
        let is_live = stdout().is_terminal();
        let mut listed = if self.watch && !is_live { None } else { Some(self.list_last_commit(global)?) };
        if !self.watch {
            return Ok(());
        }
        let mut follower = Follower::new(global.shown());
        let mut was_at_work = false;
        // Whether a run is at work is asked before its last commit is looked up, so that the very last commit is listed.
        while Store::is_worked_on(&global.store) || self.is_new(global, listed)? {
            if self.is_new(global, listed)? {
                follower.pause();
                writeln!(stdout())?;
                listed = Some(self.list_last_commit(global)?);
            }
            if let Some(how_far) = Note::read(&global.store) {
                follower.show(&how_far);
            }
            was_at_work = true;
            std::thread::sleep(POLL);
        }
        follower.pause();
        if !is_live {
            self.list_last_commit(global)?;
        }
        say(if was_at_work { "the run has ended" } else { "no run is at work on the store" });
        Ok(())
    }

    /// True when the last commit is not the one that was listed last, if any was listed.
    fn is_new(&self, global: &Global, listed: Option<u64>) -> anyhow::Result<bool> {
        let Some(listed) = listed else { return Ok(false) };
        Ok(Store::open(&global.store, Access::Read)?.commit_number() != listed)
    }

    /// Lists the last commit, and returns its number.
    fn list_last_commit(&self, global: &Global) -> anyhow::Result<u64> {
        let (store, config) = global.read()?;
        self.list(&store, &config)?;
        let listed = store.commit_number();
        drop(store);
        super::touched::check()?;
        super::touched::forget();
        Ok(listed)
    }

    fn list(&self, store: &Store, config: &Config) -> anyhow::Result<()> {
        let mut listing = Listing::new(self.format.get(), &["what", "name", "count", "detail"])?;
        let at_work = Note::read(store.folder()).map(|how_far| how_far.stage);
        for stage in pipeline::progress(store, config, LAST_STAGE)? {
            let is_at_work = at_work.as_deref() == Some(stage.name);
            let why = if stage.state == StageState::Stale { changed_files(store.settings(), &stage) } else { None };
            let why = why.map_or_else(String::new, |why| format!("; {why}"));
            let detail =
                if is_at_work { "at work".to_owned() } else { join(stage.state.name(), &stage.remaining) + &why };
            listing.row(vec![json!("stage"), json!(stage.name), json!(null), json!(detail)])?;
        }
        if let Some(missing) = no_archive(store)?.filter(|_| !Store::is_worked_on(store.folder())) {
            say(missing.join("; "));
        }
        let differing = Differing::of(store);
        for (name, value) in &differing.settings {
            let detail = format!("{value}; {} takes it back", differing.reset(name));
            listing.row(vec![json!("setting"), json!(name), json!(null), json!(detail)])?;
        }
        let archives = query::archives(store)?;
        let sum = |count: fn(&ArchiveLine) -> u64| archives.iter().map(count).sum::<u64>();
        let totals = query::totals(store)?;
        for loss in store.losses()? {
            listing.row(vec![json!("lost"), json!(loss.path()), json!(loss.pages()), json!("must be given again")])?;
        }
        for (name, count, detail) in [
            ("archives", archives.len() as u64, format!("preset {}", config.preset)),
            ("records", sum(|a| a.records), String::new()),
            ("captures kept", sum(|a| a.pages), String::new()),
            ("pages", totals.pages, "one for each URL, its fullest capture".into()),
            ("domains", totals.domains, String::new()),
            ("hosts", totals.hosts, String::new()),
            ("pairs", totals.pairs, String::new()),
            ("sentence pairs", totals.sentences, String::new()),
        ] {
            listing.row(vec![json!("total"), json!(name), json!(count), json!(detail)])?;
        }
        // While a run writes, these would be counted again and again: languages, and hosts with few pairs.
        if !self.watch {
            list_languages(store, config, &mut listing)?;
            list_verdicts(store, config, &mut listing)?;
        }
        let lacking = if self.watch { Vec::new() } else { query::shortages(store, config, &Scope::all())? };
        if lacking.len() > FEW_PAIRS {
            let detail = "the first of them below; `diglot hosts --few-pairs` lists all";
            listing.row(vec![json!("total"), json!("hosts with few pairs"), json!(lacking.len()), json!(detail)])?;
        }
        for host in lacking.iter().take(FEW_PAIRS) {
            let (name, concerned, why) = (&host.host, host.concerned, host.reason.to_string());
            listing.row(vec![json!("few pairs"), json!(name), json!(concerned), json!(why)])?;
        }
        for (reason, count) in reasons(&archives) {
            let of_sitemaps = "no pages; what they declare is used where the pages bear it out";
            let detail = if reason == SkipReason::Sitemap { of_sitemaps } else { "" };
            listing.row(vec![json!("left out"), json!(reason.name()), json!(count), json!(detail)])?;
        }
        for (reason, count) in &totals.left_out {
            listing.row(vec![json!("left out"), json!(reason.name()), json!(count), json!("")])?;
        }
        if totals.older > 0 {
            listing.row(vec![
                json!("left out"),
                json!(SkipReason::OlderCapture.name()),
                json!(totals.older),
                json!(""),
            ])?;
        }
        for (reason, count) in totals.sentences_left_out {
            listing.row(vec![json!("sentences left out"), json!(reason.name()), json!(count), json!("")])?;
        }
        self.list_archives(store, &archives, &mut listing)?;
        Ok(listing.finish()?)
    }

    /// Lists inputs that were skipped, and archives that were not read to their end or are damaged; with `--archives`, all of them.
    fn list_archives(&self, store: &Store, archives: &[ArchiveLine], listing: &mut Listing) -> anyhow::Result<()> {
        let refused = query::refused(store)?;
        if !refused.is_empty() && !self.archives {
            let detail = "not read, or not to their end: `diglot status --archives` says why";
            listing.row(vec![json!("total"), json!("skipped inputs"), json!(refused.len()), json!(detail)])?;
        }
        for refused in refused.iter().filter(|_| self.archives) {
            let path = refused.path.display().to_string();
            listing.row(vec![json!("skipped input"), json!(path), json!(null), json!(refused.reason)])?;
        }
        for archive in archives {
            let path = &archive.path;
            if self.archives || !archive.is_read {
                let state =
                    if archive.is_read { "read".to_owned() } else { format!("read up to {}", archive.position) };
                let [bytes, pages] =
                    [(archive.bytes, "byte"), (archive.pages, "page")].map(|(of, noun)| counted(of, noun));
                let detail = format!("{}, {bytes}, {state}, {pages}", archive.format);
                listing.row(vec![json!("archive"), json!(path), json!(archive.records), json!(detail)])?;
            }
            for sample in archive.samples.iter().filter(|sample| self.archives || is_fault(sample.reason)) {
                let place = format!("{path} at byte {}", sample.offset);
                listing.row(vec![json!(sample.reason.name()), json!(place), json!(null), json!(sample.detail)])?;
            }
        }
        Ok(())
    }
}

/// Lists the languages with the most pages, and how many pages are in no language.
fn list_languages(store: &Store, config: &Config, listing: &mut Listing) -> anyhow::Result<()> {
    let found = query::languages(store, config)?;
    let (known, none): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| found.lang.is_named());
    let (of_sites, none): (Vec<_>, Vec<_>) = none.into_iter().partition(|found| found.lang.is_known());
    if of_sites.len() > UNNAMED {
        let detail =
            format!("that nothing names; the {UNNAMED} with the most pages below, each a language of one site");
        listing.row(vec![json!("total"), json!("languages of sites"), json!(of_sites.len()), json!(detail)])?;
    }
    let none = of_sites.into_iter().take(UNNAMED).chain(none);
    if known.len() > LANGUAGES {
        let detail = format!("the {LANGUAGES} with the most pages below; `diglot hosts` lists those of each host");
        listing.row(vec![json!("total"), json!("languages"), json!(known.len()), json!(detail)])?;
    }
    for found in known.into_iter().take(LANGUAGES).chain(none) {
        let named = (found.named > 0).then(|| format!("{} not by their words", grouped(found.named)));
        let learnt = found.is_learnt.then(|| "learnt from these sites".to_owned());
        let none = match &found.of_site {
            Some(site) => {
                Some(format!("a language of {site} that nothing names: `diglot correct language PLACE TAG` names it"))
            }
            None => (!found.lang.is_known()).then(|| "count for no language".to_owned()),
        };
        let detail: Vec<String> = [found.name, none, named, learnt].into_iter().flatten().collect();
        listing.row(vec![
            json!("language"),
            json!(found.lang.as_str()),
            json!(found.pages),
            json!(detail.join(", ")),
        ])?;
    }
    Ok(())
}

/// Lists the languages in which reviewers judged pairs of pages, and whether weights are fitted to what they said.
fn list_verdicts(store: &Store, config: &Config, listing: &mut Listing) -> anyhow::Result<()> {
    let least = config.judge.fit.min_verdicts;
    for found in query::counted_verdicts(store)? {
        let fate = match (found.are_enough(least), found.is_learnt) {
            (true, true) => "weights are fitted to them".to_owned(),
            (true, false) => "nothing is learnt of these languages yet, and no weights are fitted to them".to_owned(),
            (false, _) => format!("weights are fitted from {least} of each on"),
        };
        let (langs, [right, wrong]) = (found.langs, [found.right, found.wrong].map(|count| grouped(count as u64)));
        listing.row(vec![
            json!("verdicts"),
            json!(format!("{}-{}", langs.a, langs.b)),
            json!(found.right + found.wrong),
            json!(format!("{right} right and {wrong} wrong: {fate}")),
        ])?;
    }
    Ok(())
}

/// Reasons that mean damage in an archive; the others are normal for archives.
fn is_fault(reason: SkipReason) -> bool {
    use SkipReason::*;
    matches!(
        reason,
        BadUrl | TooLong | Truncated | BadRecord | BadCompression | BadHttp | BadCoding | BodyTooLong | ParserLimit
    )
}

fn join(state: &str, remaining: &str) -> String {
    if remaining.is_empty() { state.to_owned() } else { format!("{state}: {remaining}") }
}

/// How many captures were left out, by reason, the most frequent first.
fn reasons(archives: &[ArchiveLine]) -> Vec<(SkipReason, u64)> {
    let mut counts: BTreeMap<SkipReason, u64> = BTreeMap::new();
    for (reason, count) in archives.iter().flat_map(|archive| &archive.left_out) {
        *counts.entry(*reason).or_default() += count;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason));
    counts
}

/// How many captures and pages were left out, by reason: first captures, then pages that settings leave out.
pub fn left_out(store: &Store, totals: &Totals) -> anyhow::Result<Vec<(&'static str, u64)>> {
    let reasons = reasons(&query::archives(store)?).into_iter();
    let of_settings = totals.left_out.iter().map(|(reason, count)| (*reason, *count));
    Ok(reasons.chain(of_settings).map(|(reason, count)| (reason.name(), count)).collect())
}

/// The reasons in one line.
pub fn sentence(left_out: &[(&str, u64)]) -> String {
    let parts: Vec<String> = left_out.iter().map(|(reason, count)| format!("{} {reason}", grouped(*count))).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}
