//! `diglot compare`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use diglot::config::settings::BASE_URL;
use diglot::config::{Config, PRESETS, presets};
use diglot::error::{Error, Result};
use diglot::evaluate::plot::{self, Bars};
use diglot::evaluate::{self, Counts, GoldPairs, OutPair};
use diglot::inputs::{self, Inputs};
use diglot::pipeline::{self, STAGES};
use diglot::query::{self, Scope, number};
use diglot::store::{Access, Store};
use diglot::types::nearest_name;
use diglot::upkeep::Given;
use serde_json::{Value, json};

use super::eval::{scored_pairs, share};
use super::global::Global;
use super::gold::{self, SiteGold};
use super::listing::{FormatArg, Listing};
use super::output;
use super::say::tell;
use super::stop::look_at_stop;

/// Run several presets on the same archives and score each against gold.
///
/// Lists precision, recall and F1 of every site for which the gold folder has NAME.pairs.tsv (and NAME.grey.tsv, the pairs to
/// ignore) and which is in the archives, and their means over the sites, each site weighing the same. The archives are read only
/// once; the stages in which the presets differ are run for each preset. SECONDS is the time that these stages take, up to
/// `iterate`: sentences are not aligned.
///
/// The stores are temporary unless --keep names a folder for them; --store is ignored.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot compare crawls/ --gold gold/
  diglot compare crawls/ --gold gold/ --presets default,pupsniffer-2013 --svg f1.svg
  diglot compare crawls/ --gold gold/ --keep stores/    then: diglot eval --store stores/default.store …")]
pub struct Compare {
    #[arg(value_name = "INPUT", required = true, help = super::run::FILES, long_help = super::run::files_help())]
    inputs: Vec<OsString>,
    /// Gold folder: NAME.pairs.tsv of each site, and NAME.grey.tsv for the pairs to ignore.
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Presets to compare, in this order; all by default.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    presets: Vec<String>,
    /// Draw F1 by site and preset into this SVG file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Address from which folders of pages were saved, where no folder in them has the name of a host.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Keep the stores, as DIR/PRESET.store.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArg,
}

/// A site with gold.
struct Judged {
    name: String,
    gold: GoldPairs,
    hosts: BTreeSet<String>,
}

/// The result of a preset on one site.
struct Score {
    counts: Counts,
    /// Pairs with a page on its hosts.
    pairs: u64,
}

impl Compare {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let presets = self.presets()?;
        let judged = read_gold(&self.gold)?;
        let reading = self.reading()?;
        let inputs = super::run::files(inputs::expand(&self.inputs, false, &reading.archive, &|_| false)?)?;
        look_at_stop();
        let temporary = tempfile::Builder::new().prefix("diglot-compare-").tempdir();
        let temporary = temporary.context("making a temporary folder")?;
        let folder = match &self.keep {
            Some(folder) => {
                output::refuse_within_store(folder)?;
                fs::create_dir_all(folder).map_err(Error::io(folder, "making"))?;
                folder.as_path()
            }
            None => temporary.path(),
        };
        let store_of = |preset: &str| folder.join(format!("{preset}.store"));
        if let Some(there) = presets.iter().map(|preset| store_of(&preset.preset)).find(|path| path.exists()) {
            let problem = "it exists already; name another folder with --keep";
            return Err(Error::input(there.display().to_string(), problem).into());
        }

        let base_url = self.base_url.as_deref();
        let mut bases = Bases { folder: temporary.path(), base_url, made: Vec::new() };
        let mut scores = Vec::new();
        for preset in &presets {
            let path = store_of(&preset.preset);
            copy_folder(&bases.of(preset, &presets, &inputs, global)?, &path)?;
            let (seconds, found) = self.score(preset, &path, &judged, global)?;
            scores.push((preset.preset.as_str(), seconds, found));
            if self.keep.is_none() {
                fs::remove_dir_all(&path).map_err(Error::io(&path, "removing"))?;
            }
        }
        let sites: Vec<usize> =
            (0..judged.len()).filter(|&at| scores.iter().any(|(.., found)| found[at].is_some())).collect();
        if sites.is_empty() {
            let problem = "the archives have none of the hosts that its pairs name";
            return Err(Error::input(self.gold.display().to_string(), problem).into());
        }
        if !global.quiet {
            let absent = (0..judged.len()).filter(|at| !sites.contains(at)).map(|at| judged[at].name.as_str());
            let absent: Vec<&str> = absent.collect();
            if !absent.is_empty() {
                tell(format_args!(
                    "diglot: left out, because the archives have no page of them: {}",
                    absent.join(", ")
                ));
            }
        }
        if let Some(path) = &self.svg {
            let group = |&at: &usize| {
                let f1 = |(.., found): &(_, _, Vec<Option<Score>>)| found[at].as_ref().and_then(|s| s.counts.f1());
                (judged[at].name.clone(), scores.iter().map(f1).collect())
            };
            let bars = Bars {
                title: "F1 of pairs, by site and preset".into(),
                axis: "F1".into(),
                series: presets.iter().map(|preset| preset.preset.clone()).collect(),
                groups: sites.iter().map(group).collect(),
            };
            output::write(path, plot::bars_svg(&bars)?.as_bytes())?;
        }
        let sites: Vec<(usize, &str)> = sites.iter().map(|&at| (at, judged[at].name.as_str())).collect();
        self.print(&sites, &scores)
    }

    /// The settings of reading.
    fn reading(&self) -> Result<Config> {
        let mut config = Config::default();
        if let Some(url) = &self.base_url {
            Given::of(&[(BASE_URL, url)])?.check(&self.gold)?;
            config.archive.base_url = Some(url.clone());
        }
        Ok(config)
    }

    /// The settings of the requested presets.
    fn presets(&self) -> Result<Vec<Config>> {
        let all = || PRESETS.iter().map(|preset| preset.name.to_owned()).collect();
        let names: Vec<String> = if self.presets.is_empty() { all() } else { self.presets.clone() };
        let mut presets: Vec<Config> = Vec::new();
        for name in names {
            let known = Config::preset(&name).ok_or_else(|| {
                let meant = nearest_name(&name, PRESETS.iter().map(|preset| preset.name));
                Error::Config(format!("--presets has {name}, expected some of {}{meant}", presets::names()))
            })?;
            if !presets.contains(&known) {
                presets.push(known);
            }
        }
        Ok(presets)
    }

    /// Finishes a store by a preset, and scores its pairs: `None` where no page of a site is in it.
    fn score(
        &self,
        preset: &Config,
        path: &Path,
        judged: &[Judged],
        global: &Global,
    ) -> anyhow::Result<(f64, Vec<Option<Score>>)> {
        let mut store = Store::open(path, Access::Write)?;
        let settings = Given::of(&[("preset", &preset.preset)])?;
        let config = settings.apply(&mut store)?;
        let began = Instant::now();
        // Sentences do not affect the score.
        super::run::work(&mut store, &config, &Inputs::default(), global, "iterate")?;
        let seconds = began.elapsed().as_secs_f64();
        let hosts: BTreeSet<String> = query::hosts(&store)?.into_iter().map(|line| line.host).collect();
        let out = scored_pairs(&store, &config, &Scope::all())?;
        let score = |site: &Judged| {
            if site.hosts.is_disjoint(&hosts) {
                return None;
            }
            let is_here = |pair: &OutPair| [&pair.url_a, &pair.url_b].iter().any(|url| site.hosts.contains(url.host()));
            let here: Vec<OutPair> = out.iter().map(|(pair, _)| pair).filter(|pair| is_here(pair)).cloned().collect();
            let pairs = here.len() as u64;
            Some(Score { counts: evaluate::pairs(here, &site.gold).total, pairs })
        };
        Ok((seconds, judged.iter().map(score).collect()))
    }

    fn print(&self, sites: &[(usize, &str)], scores: &[(&str, f64, Vec<Option<Score>>)]) -> anyhow::Result<()> {
        let columns = ["preset", "site", "precision", "recall", "f1", "pairs", "seconds"];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        for (preset, seconds, found) in scores {
            for (at, name) in sites {
                let Some(score) = &found[*at] else { continue };
                let shares = [score.counts.precision(), score.counts.recall(), score.counts.f1()].map(share);
                let row = [json!(preset), json!(name)].into_iter().chain(shares);
                listing.row(row.chain([json!(score.pairs), Value::Null]).collect())?;
            }
            let found: Vec<&Score> = found.iter().flatten().collect();
            let means = [Counts::precision, Counts::recall, Counts::f1].map(|of| share(mean(&found, of)));
            let pairs: u64 = found.iter().map(|score| score.pairs).sum();
            let row = [json!(preset), json!("macro")].into_iter().chain(means);
            listing.row(row.chain([json!(pairs), number(*seconds, 2)]).collect())?;
        }
        Ok(listing.finish()?)
    }
}

/// The mean over the sites that have a value.
fn mean(scores: &[&Score], of: impl Fn(&Counts) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = scores.iter().filter_map(|score| of(&score.counts)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn read_gold(folder: &Path) -> anyhow::Result<Vec<Judged>> {
    if !folder.is_dir() {
        let problem = "not a folder, expected one with NAME.pairs.tsv of each site";
        return Err(Error::input(folder.display().to_string(), problem).into());
    }
    let read = |site: SiteGold| {
        let mut gold = GoldPairs::default();
        let open = |path: &Path| inputs::open(path).map_err(Error::io(path, "opening"));
        gold.read_pairs(&site.pairs.display().to_string(), open(&site.pairs)?)?;
        if let Some(path) = &site.ignored {
            gold.read_ignored(&path.display().to_string(), open(path)?)?;
        }
        let urls = gold.rows().iter().flat_map(|row| [&row.url_a, &row.url_b]);
        let hosts = urls.map(|url| url.host().to_owned()).collect();
        Ok(Judged { name: site.name, gold, hosts })
    };
    gold::in_folder(folder)?.into_iter().map(read).collect()
}

/// The stores from which presets start: one for all presets that read archives in the same way.
struct Bases<'f> {
    folder: &'f Path,
    /// From where folders of pages were saved.
    base_url: Option<&'f str>,
    /// The stores made so far, by the fingerprint of the settings that affect reading.
    made: Vec<(u64, PathBuf)>,
}

impl Bases<'_> {
    /// The store that a preset starts from; made if it does not exist.
    fn of(&mut self, preset: &Config, presets: &[Config], inputs: &Inputs, global: &Global) -> anyhow::Result<PathBuf> {
        let reading = |config: &Config| STAGES.first().map_or(0, |stage| pipeline::fingerprint(*stage, config));
        let wanted = reading(preset);
        if let Some((_, path)) = self.made.iter().find(|(known, _)| *known == wanted) {
            return Ok(path.clone());
        }
        let path = self.folder.join(format!("base-{}.store", self.made.len()));
        let mut store = Store::open(&path, Access::Write)?;
        // The stages are run as far as these presets agree.
        let alike: Vec<&Config> = presets.iter().filter(|config| reading(config) == wanted).collect();
        let agrees = |stage: &&&dyn pipeline::Stage| {
            alike.iter().all(|config| pipeline::fingerprint(**stage, config) == pipeline::fingerprint(**stage, preset))
        };
        let until = STAGES.iter().take_while(agrees).last().map_or("", |stage| stage.name());
        let address = self.base_url.map(|url| (BASE_URL, url));
        let settings: Vec<_> = [("preset", preset.preset.as_str())].into_iter().chain(address).collect();
        let settings = Given::of(&settings)?;
        let config = settings.apply(&mut store)?;
        super::run::work(&mut store, &config, inputs, global, until)?;
        self.made.push((wanted, path.clone()));
        Ok(path)
    }
}

/// Copies a folder with all its content. Not by hard links, because a store appends to its files.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(Error::io(to, "making"))?;
    let mut entries = BTreeMap::new();
    for entry in fs::read_dir(from).map_err(Error::io(from, "reading"))? {
        let entry = entry.map_err(Error::io(from, "reading"))?;
        entries.insert(entry.file_name(), entry.path());
    }
    for (name, path) in entries {
        let target = to.join(name);
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(Error::io(&path, "copying"))?;
        }
    }
    Ok(())
}
