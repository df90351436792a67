//! Scores sites by weights that were fitted without them, alone and in company.
//!
//! ```text
//! cargo run --release -p diglot-lab -- held-out SITES FOLDS ARRANGED...
//! ```
//!
//! SITES is a folder as `fit-weights` takes it. Each ARRANGED folder has the same sites together, under other addresses: `warc/*.warc.gz`, and for each site
//! `gold/NAME.pairs.tsv`, `gold/NAME.grey.tsv` and `gold/NAME.pages.tsv.gz`, whose first column names its pages. The sites are dealt into FOLDS
//! groups; each is scored by weights fitted to the others, and by what is usual there by these weights. Prints one line an arrangement, the bins of calibration over all of them, and
//! what each site has. What is *across sites* is the most of any group. Examples are chosen with the shipped weights, of all sites; what is fitted is without the site.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use diglot::config::Config;
use diglot::evaluate::{self, CalibrationParams, Counts, GoldPairs, OutPair, ScoredPairs};
use diglot::query::{self, Scope};
use diglot::store::Store;
use diglot::types::{CanonicalUrl, Outcome};

use crate::weights::{Examples, fit, gold, judged, sites, usual};
use crate::{Result, Usage};

/// What came out of one arrangement.
#[derive(Default)]
struct Outcomes {
    sites: BTreeMap<String, Counts>,
    /// All pairs that were judged.
    scored: ScoredPairs,
    /// Pairs of pages of two sites.
    across: usize,
}

/// Prints the tables.
pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, folds, arranged @ ..] = arguments else { return Err(Usage.into()) };
    let folds: usize = folds.parse()?;
    let sites = sites(Path::new(folder))?;
    let examples: Vec<Examples> = sites.iter().map(Examples::of).collect::<Result<_>>()?;
    let mut all: Vec<(String, Outcomes)> = std::iter::once("alone")
        .chain(arranged.iter().map(String::as_str))
        .map(|how| (how.to_owned(), Outcomes::default()))
        .collect();
    for fold in 0..folds {
        let others: Vec<&Examples> =
            examples.iter().enumerate().filter(|(at, _)| at % folds != fold).map(|(_, one)| one).collect();
        let mut config = Config::preset("default").ok_or("no preset")?;
        let weights = fit(&others);
        (config.judge.prior.usual, config.judge.prior.usual_variance) = usual(&others, &weights);
        eprintln!("fold {fold}: usual {:.2} ± √{:.2}", config.judge.prior.usual, config.judge.prior.usual_variance);
        config.judge.fit.shipped = weights;
        let held: Vec<_> = sites.iter().enumerate().filter(|(at, _)| at % folds == fold).map(|(_, one)| one).collect();
        for (how, outcomes) in &mut all {
            if how == "alone" {
                for site in &held {
                    judged(&[&site.archive], &config, |store| {
                        outcomes.add(&site.name, read(store, &config)?, &site.gold);
                        Ok(())
                    })?;
                }
                continue;
            }
            let company = Company::read(Path::new(how))?;
            let pairs = judged(&[&company.archives], &config, |store| read(store, &config))?;
            let of_sites = company.by_site(pairs, &mut outcomes.across);
            for site in &held {
                let of_site = of_sites.get(&site.name).cloned().unwrap_or_default();
                let place = |kind: &str| Path::new(how).join(format!("gold/{}.{kind}.tsv", site.name));
                outcomes.add(&site.name, of_site, &gold(&place("pairs"), &place("grey"))?);
            }
        }
    }
    print(&all);
    Ok(())
}

/// A pair that was judged: its score, and whether it was accepted.
type Found = (OutPair, f64, bool);

fn read(store: &Store, config: &Config) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    query::for_each_judged(store, config, &Scope::all(), |pair, outcome| {
        if let (Ok(url_a), Ok(url_b)) = (CanonicalUrl::parse(&pair.url_a), CanonicalUrl::parse(&pair.url_b)) {
            let is_accepted = outcome == Some(Outcome::Accepted);
            found.push((OutPair { url_a, url_b, lang_a: pair.lang_a, lang_b: pair.lang_b }, pair.score, is_accepted));
        }
        Ok(())
    })?;
    Ok(found)
}

impl Outcomes {
    fn add(&mut self, site: &str, found: Vec<Found>, gold: &GoldPairs) {
        let accepted = found.iter().filter(|(_, _, is_accepted)| *is_accepted).map(|(pair, _, _)| pair.clone());
        self.sites.insert(site.to_owned(), evaluate::pairs(accepted, gold).total);
        let scored = evaluate::scored(found.into_iter().map(|(pair, score, _)| (pair, score)), gold);
        self.scored.pairs.extend(scored.pairs);
        self.scored.gold += scored.gold;
    }

    fn line(&self) -> String {
        let f1: Vec<f64> =
            self.sites.values().filter(|counts| counts.gold > 0).map(|counts| counts.f1().unwrap_or(0.0)).collect();
        let sum = |of: fn(&Counts) -> u64| self.sites.values().map(of).sum::<u64>();
        let (gold, right, wrong) = (sum(|counts| counts.gold), sum(|counts| counts.right), sum(Counts::wrong));
        let micro = 2.0 * right as f64 / (gold + right + wrong) as f64;
        let sure: Vec<bool> =
            self.scored.pairs.iter().filter(|pair| pair.score >= 0.9).map(|pair| pair.right).collect();
        let precise = sure.iter().filter(|right| **right).count() as f64 / sure.len().max(1) as f64;
        let error = evaluate::calibration(&self.scored, &CalibrationParams::default()).error.unwrap_or(f64::NAN);
        format!(
            "{:.4}\t{micro:.4}\t{right}\t{wrong}\t{}\t{precise:.4}\t{error:.4}\t{}",
            f1.iter().sum::<f64>() / f1.len().max(1) as f64,
            gold - right,
            self.across
        )
    }
}

/// Sites that were crawled together.
struct Company {
    archives: PathBuf,
    /// The site of each page.
    sites: BTreeMap<String, String>,
}

impl Company {
    fn read(folder: &Path) -> Result<Company> {
        let mut sites = BTreeMap::new();
        for entry in std::fs::read_dir(folder.join("gold"))? {
            let path = entry?.path();
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(name) = file.strip_suffix(".pages.tsv.gz") else { continue };
            for line in BufReader::new(flate2::read::MultiGzDecoder::new(File::open(&path)?)).lines() {
                let line = line?;
                let url = line.split('\t').next().unwrap_or_default();
                if let Ok(url) = CanonicalUrl::parse(url) {
                    sites.insert(url.identity().to_owned(), name.to_owned());
                }
            }
        }
        Ok(Company { archives: folder.join("warc"), sites })
    }

    /// The pairs of each site; those of two sites count for the first, and are counted in `across` once.
    fn by_site(&self, pairs: Vec<Found>, across: &mut usize) -> BTreeMap<String, Vec<Found>> {
        let mut found: BTreeMap<String, Vec<Found>> = BTreeMap::new();
        let mut of_two: BTreeSet<(String, String)> = BTreeSet::new();
        for one in pairs {
            let site = |url: &CanonicalUrl| self.sites.get(url.identity());
            let (a, b) = (site(&one.0.url_a), site(&one.0.url_b));
            if let (Some(a), Some(b)) = (a, b)
                && a != b
                && one.2
            {
                of_two.insert((one.0.url_a.identity().to_owned(), one.0.url_b.identity().to_owned()));
            }
            if let Some(site) = a.or(b) {
                found.entry(site.clone()).or_default().push(one);
            }
        }
        *across = (*across).max(of_two.len());
        found
    }
}

fn print(all: &[(String, Outcomes)]) {
    println!("arrangement\tmacro F1\tmicro F1\tright\twrong\tmissed\tprecision at .9\tcalibration error\tacross sites");
    for (how, outcomes) in all {
        println!("{}\t{}", short(how), outcomes.line());
    }
    println!("\narrangement\tscore from\tto\tpairs\tmean score\tright");
    for (how, outcomes) in all {
        for bin in evaluate::calibration(&outcomes.scored, &CalibrationParams::default()).bins {
            if let (Some(mean), Some(right)) = (bin.mean_score(), bin.precision()) {
                println!("{}\t{}\t{}\t{}\t{mean:.3}\t{right:.3}", short(how), bin.from, bin.to, bin.pairs);
            }
        }
    }
    println!("\nsite\t{}", all.iter().map(|(how, _)| short(how)).collect::<Vec<_>>().join("\t"));
    let names: BTreeSet<&String> = all.iter().flat_map(|(_, outcomes)| outcomes.sites.keys()).collect();
    for name in names {
        let cell = |(_, outcomes): &(String, Outcomes)| match outcomes.sites.get(name) {
            Some(counts) => format!("{}/{}/{}", counts.right, counts.wrong(), counts.gold - counts.right),
            None => "-".to_owned(),
        };
        println!("{name}\t{}", all.iter().map(cell).collect::<Vec<_>>().join("\t"));
    }
}

fn short(how: &str) -> &str {
    Path::new(how).file_name().and_then(|name| name.to_str()).unwrap_or(how)
}
