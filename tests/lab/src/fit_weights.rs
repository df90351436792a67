//! Fits the shipped weights of the score on judged pairs.
//!
//! ```text
//! cargo run --release -p diglot-lab -- fit-weights STORE GOLD.pairs.tsv GREY.grey.tsv ...
//! ```
//!
//! Every candidate that a store of the default has judged is good if gold has it, and bad otherwise; grey pairs are left
//! out. Prints the weights as they stand in src/judge/score.rs, and for each site the log loss of weights that were
//! fitted without it.

use std::collections::BTreeSet;
use std::path::Path;

use diglot::judge::score::{FitParams, INPUTS, Scorer};
use diglot::judge::sigmoid;
use diglot::query::{Scope, Site, sites};
use diglot::store::{Access, Store};
use diglot::types::{CanonicalUrl, Lang, MEASURES, Similarities};

use crate::{Result, Usage};

type Pair = (String, String);

fn pairs(path: &str) -> Result<BTreeSet<Pair>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let pairs = text
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let mut next = || CanonicalUrl::parse(cells.next()?).ok().map(|url| url.identity().to_owned());
            let (a, b) = (next()?, next()?);
            Some(if a < b { (a, b) } else { (b, a) })
        })
        .collect();
    Ok(pairs)
}

struct Examples {
    name: String,
    good: Vec<Similarities>,
    bad: Vec<Similarities>,
}

fn read(store: &str, gold: &str, grey: &str) -> Result<Examples> {
    let (gold, grey) = (pairs(gold)?, pairs(grey)?);
    let store = Store::open(Path::new(store), Access::Read)?;
    let mut examples = Examples { name: store.folder().display().to_string(), good: Vec::new(), bad: Vec::new() };
    for id in sites(&store, &Scope::all())? {
        use diglot::index::site::Urls;
        let site = Site::open(&store, id)?;
        let Some(judged) = &site.judged else { continue };
        // Language pairs that gold knows nothing of tell nothing.
        let mut known: BTreeSet<(Lang, Lang)> = BTreeSet::new();
        let rows: Vec<_> = judged.pairs().collect();
        let of = |a: u32, b: u32| {
            let (a, b) = (site.pages.identity(a).to_owned(), site.pages.identity(b).to_owned());
            if a < b { (a, b) } else { (b, a) }
        };
        for row in &rows {
            if gold.contains(&of(row.pair.a, row.pair.b)) {
                known.insert((site.lang(row.pair.a), site.lang(row.pair.b)));
            }
        }
        for row in rows {
            let pair = of(row.pair.a, row.pair.b);
            if grey.contains(&pair) || !known.contains(&(site.lang(row.pair.a), site.lang(row.pair.b))) {
                continue;
            }
            let examples = if gold.contains(&pair) { &mut examples.good } else { &mut examples.bad };
            examples.push(row.similarities);
        }
    }
    Ok(examples)
}

/// At most this many examples of each kind from a site, so that none outweighs the others.
const MOST: usize = 1500;

fn thin(list: &[Similarities]) -> Vec<Similarities> {
    list.iter().step_by(list.len() / MOST + 1).copied().collect()
}

fn fit(examples: &[&Examples]) -> Scorer {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for one in examples {
        good.extend(thin(&one.good));
        bad.extend(thin(&one.bad));
    }
    // More alike is never worse: a measure that gets a negative weight says nothing here that others do not say.
    let mut left_out: BTreeSet<usize> = BTreeSet::new();
    loop {
        let without = |list: &[Similarities]| -> Vec<Similarities> {
            let mut list = list.to_vec();
            list.iter_mut().for_each(|one| left_out.iter().for_each(|&at| one.0[at] = f32::NAN));
            list
        };
        let flat = Scorer { weights: [0.0; INPUTS] };
        let params = FitParams { stiffness: 1.0, ..FitParams::default() };
        let scorer = Scorer::fit(&without(&good), &without(&bad), &flat, &params);
        let negative: Vec<usize> = (0..Similarities::COUNT).filter(|&at| scorer.weights[2 + 2 * at] < -1e-9).collect();
        if negative.is_empty() {
            return scorer;
        }
        // The worst goes first: others may have been negative because of it.
        let worst =
            negative.into_iter().min_by(|&x, &y| scorer.weights[2 + 2 * x].total_cmp(&scorer.weights[2 + 2 * y]));
        left_out.extend(worst);
    }
}

/// Prints the weights.
pub fn run(arguments: &[String]) -> Result<()> {
    if arguments.is_empty() || !arguments.len().is_multiple_of(3) {
        return Err(Usage.into());
    }
    let examples: Vec<Examples> =
        arguments.chunks_exact(3).map(|site| read(&site[0], &site[1], &site[2])).collect::<Result<_>>()?;
    for (at, one) in examples.iter().enumerate() {
        let others: Vec<&Examples> =
            examples.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, o)| o).collect();
        let scorer = fit(&others);
        let loss = |list: &[Similarities], sign: f64| {
            let sum: f64 = list.iter().map(|s| -sigmoid(sign * scorer.evidence(s)).ln()).sum();
            sum / list.len().max(1) as f64
        };
        eprintln!(
            "{}: {} good, {} bad, log loss {:.3} and {:.3}",
            one.name,
            one.good.len(),
            one.bad.len(),
            loss(&one.good, 1.0),
            loss(&one.bad, -1.0)
        );
    }
    let scorer = fit(&examples.iter().collect::<Vec<_>>());
    println!("    {:.3}, // bias", scorer.weights[0]);
    for (at, measure) in MEASURES.iter().enumerate() {
        println!(
            "    {:.3},\n    {:.3}, // {}",
            scorer.weights[1 + 2 * at],
            scorer.weights[2 + 2 * at],
            measure.name()
        );
    }
    Ok(())
}
