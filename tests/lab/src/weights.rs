//! What the shipped weights of the score are fitted to: pairs of judged sites, right and wrong ones.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use diglot::config::Config;
use diglot::evaluate::GoldPairs;
use diglot::laboratory::judge::{Example, FitParams, Scorer, inputs};
use diglot::laboratory::models;
use diglot::laboratory::site::{OpenSite, Site};
use diglot::laboratory::verify::PageIds;
use diglot::pipeline::{Context, Silent};
use diglot::store::{Access, Store};
use diglot::types::{CanonicalUrl, LangPair, MEASURES, Measure, Similarities, SiteId};

use crate::Result;

/// A site with gold: `warc/NAME.warc.gz`, `gold/NAME.pairs.tsv` and `gold/NAME.grey.tsv` of a folder.
pub struct JudgedSite {
    pub name: String,
    pub archive: PathBuf,
    pub gold: GoldPairs,
}

/// The sites of a folder, by name.
pub fn sites(folder: &Path) -> Result<Vec<JudgedSite>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join("gold"))? {
        let path = entry?.path();
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(name) = file.strip_suffix(".pairs.tsv") else { continue };
        found.push(JudgedSite {
            name: name.to_owned(),
            archive: folder.join("warc").join(format!("{name}.warc.gz")),
            gold: gold(&path, &path.with_file_name(format!("{name}.grey.tsv")))?,
        });
    }
    found.sort_by(|x, y| x.name.cmp(&y.name));
    Ok(found)
}

/// Gold pairs, and the pairs to ignore where there is a file of them.
pub fn gold(pairs: &Path, ignored: &Path) -> Result<GoldPairs> {
    let mut gold = GoldPairs::default();
    gold.read_pairs(&pairs.display().to_string(), File::open(pairs)?)?;
    if ignored.exists() {
        gold.read_ignored(&ignored.display().to_string(), File::open(ignored)?)?;
    }
    Ok(gold)
}

/// Reads and judges archives, to the rounds over links, and calls `then` with the store.
pub fn judged<T>(inputs: &[&Path], config: &Config, then: impl FnOnce(&Store) -> Result<T>) -> Result<T> {
    let folder = tempfile::tempdir()?;
    let inputs: Vec<std::ffi::OsString> = inputs.iter().map(|path| path.as_os_str().to_owned()).collect();
    let inputs =
        diglot::laboratory::archive::expand(&inputs, false, &diglot::laboratory::archive::Params::default(), &|_| {
            false
        })?;
    let mut store = Store::open(&folder.path().join("store"), Access::Write)?;
    let stop = AtomicBool::new(false);
    let context = Context { config, inputs: &inputs, observer: &Silent, stop: &stop };
    diglot::pipeline::run(&mut store, &context, "iterate")?;
    then(&store)
}

/// What measures say of right and of wrong pairs of a site.
pub struct Examples {
    pub name: String,
    pub good: Vec<Similarities>,
    pub bad: Vec<Similarities>,
}

/// Examples of a kind that a site gives, at the most, so that none outweighs the others.
const MOST: usize = 500;

impl Examples {
    /// Those of a site. Good are the gold pairs. Bad are the other candidates, of language pairs that gold knows, and gold pairs that have exchanged one page
    /// with the next in the list and with one half a list away: what stands at addresses that belong together when something else was put there.
    pub fn of(site: &JudgedSite) -> Result<Examples> {
        let mut config = Config::preset("default").ok_or("no preset")?;
        config.iterate.min_kept = 0.0;
        let mut examples = Examples { name: site.name.clone(), good: Vec::new(), bad: Vec::new() };
        judged(&[&site.archive], &config, |store| {
            let models = models::read(store, &config)?;
            for id in (0..store.site_count()?).map(SiteId) {
                let (Some(open), Some(judged)) = (OpenSite::open(store, id)?, Site::open(store, id)?.judged) else {
                    continue;
                };
                let view = open.view(&config);
                let url = |page: u32| CanonicalUrl::parse(&open.pages.url(page)).ok();
                let known: BTreeSet<LangPair> = site.gold.paired_langs();
                let mut right: Vec<(LangPair, PageIds, Similarities)> = Vec::new();
                for row in judged.pairs() {
                    let (Some(a), Some(b)) = (url(row.pair.a), url(row.pair.b)) else { continue };
                    match site.gold.get(&a, &b) {
                        Some(gold) if gold.ignored.is_none() => {
                            right.push((row.pair.langs, (row.pair.a, row.pair.b), row.similarities));
                        }
                        Some(_) => {}
                        None if known.contains(&row.pair.langs) => examples.bad.push(row.similarities),
                        None => {}
                    }
                }
                let exchanged = |by: &dyn Fn(usize) -> usize| -> Vec<PageIds> {
                    let of_langs = right.chunk_by(|x, y| x.0 == y.0);
                    let pairs = of_langs.flat_map(|pairs| {
                        let other = |at: usize| pairs[(at + by(pairs.len())) % pairs.len()].1.1;
                        (0..pairs.len()).map(move |at| (pairs[at].1, other(at))).collect::<Vec<_>>()
                    });
                    thin(pairs.collect())
                        .into_iter()
                        .filter(|(pair, other)| pair.1 != *other)
                        .map(|(pair, other)| (pair.0, other))
                        .collect()
                };
                let mut bad = thin(std::mem::take(&mut examples.bad));
                bad.extend(view.similarities(&exchanged(&|_| 1), &models)?);
                bad.extend(view.similarities(&exchanged(&|pairs| pairs / 2), &models)?);
                examples.bad = bad;
                examples.good.extend(thin(right).into_iter().map(|(_, _, similarities)| similarities));
            }
            Ok(())
        })?;
        Ok(examples)
    }
}

/// What counts of the evidence of contents of right pairs by some weights, in nats: the mean over sites of its means, and of its variances.
pub fn usual(examples: &[&Examples], scorer: &Scorer) -> (f64, f64) {
    let params = FitParams::default();
    let of_site = |site: &&Examples| {
        let said: Vec<f64> = site.good.iter().map(|one| params.counted(scorer.contents(one))).collect();
        let mean = said.iter().sum::<f64>() / said.len() as f64;
        (mean, said.iter().map(|said| (said - mean).powi(2)).sum::<f64>() / said.len() as f64)
    };
    let sites: Vec<(f64, f64)> = examples.iter().filter(|site| site.good.len() >= LEAST).map(of_site).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| sites.iter().map(of).sum::<f64>() / sites.len() as f64;
    (mean(|site| site.0), mean(|site| site.1))
}

fn thin<T>(list: Vec<T>) -> Vec<T> {
    let step = list.len() / MOST + 1;
    list.into_iter().step_by(step).collect()
}

/// The weights that tell the good from the bad examples of some sites, each of which has an equal say.
///
/// Each example counts twice, half with what needs words that were learnt, and half without: the weights serve before anything is learnt.
pub fn fit(examples: &[&Examples]) -> Scorer {
    let mut rows: Vec<Example> = Vec::new();
    for (truth, of) in [(1.0, (|one| &one.good) as fn(&Examples) -> &Vec<Similarities>), (0.0, |one| &one.bad)] {
        let start = rows.len();
        for list in examples.iter().map(|one| of(one)).filter(|list| list.len() >= LEAST) {
            let weight = list.len().min(EQUAL) as f64 / list.len() as f64 / 2.0;
            for one in list {
                let mut bare = *one;
                [Measure::Content, Measure::Length].into_iter().for_each(|learnt| bare.set(learnt, None));
                rows.extend([one, &bare].map(|one| Example { inputs: inputs(one), truth, weight }));
            }
        }
        let sum: f64 = rows[start..].iter().map(|row| row.weight).sum();
        rows[start..].iter_mut().for_each(|row| row.weight *= WEIGHT / sum);
    }
    let mut flat = Scorer::default();
    flat.weights[0] = 0.0;
    for &measure in MEASURES.iter().filter(|measure| !measure.is_of_addresses()) {
        flat.weights[2 + 2 * measure as usize] = 0.0;
    }
    let params = FitParams { stiffness: 1.0, ..FitParams::default() };
    // More alike is never worse: a measure that gets a negative weight says nothing here that others do not say.
    let mut left_out: BTreeSet<usize> = BTreeSet::new();
    loop {
        let mut rows = rows.clone();
        for row in &mut rows {
            for (at, measure) in MEASURES.iter().enumerate() {
                // That a measure says anything counts for nothing; and what is said of addresses is not fitted.
                row.inputs[1 + 2 * at] = 0.0;
                if measure.is_of_addresses() || left_out.contains(&at) {
                    row.inputs[2 + 2 * at] = 0.0;
                }
            }
        }
        let scorer = Scorer::fit_rows(&rows, &flat, &params);
        let negative = (0..Similarities::COUNT).filter(|&at| scorer.weights[2 + 2 * at] < -1e-9);
        // The worst goes first: others may have been negative because of it.
        match negative.min_by(|&x, &y| scorer.weights[2 + 2 * x].total_cmp(&scorer.weights[2 + 2 * y])) {
            Some(worst) => left_out.insert(worst),
            None => return scorer,
        };
    }
}

/// Examples that a site has at the least.
const LEAST: usize = 5;
/// Examples above which a site has no more say.
const EQUAL: usize = 300;
/// What all right examples weigh, and all wrong ones.
const WEIGHT: f64 = 2000.0;

/// The weights, as they stand in the table of measures.
pub fn listed(scorer: &Scorer) -> Vec<String> {
    let rows = MEASURES
        .iter()
        .enumerate()
        .map(|(at, measure)| format!("{:>11} weight {:.1}", measure.name(), scorer.weights[2 + 2 * at]));
    std::iter::once(format!("{:>11} {:.1}", "bias", scorer.weights[0])).chain(rows).collect()
}
