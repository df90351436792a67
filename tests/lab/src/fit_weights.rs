//! Fits the shipped weights of the score on judged pairs.
//!
//! ```text
//! cargo run --release -p diglot-lab -- fit-weights SITES
//! ```
//!
//! SITES is a folder with `warc/NAME.warc.gz`, `gold/NAME.pairs.tsv` and `gold/NAME.grey.tsv`. Prints the weights as they stand in
//! src/types/measures.rs (the bias: src/judge/score.rs), and for each site what weights that were fitted without it make of its examples.

use std::path::Path;

use diglot::laboratory::judge::Scorer;
use diglot::types::Similarities;

use crate::weights::{Examples, fit, listed, sites};
use crate::{Result, Usage};

/// Prints the weights.
pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else { return Err(Usage.into()) };
    let examples: Vec<Examples> = sites(Path::new(folder))?.iter().map(Examples::of).collect::<Result<_>>()?;
    println!(
        "nats of contents at the 1st, 5th, 50th, 95th and 99th of 100, by weights that were fitted without the site"
    );
    for (at, one) in examples.iter().enumerate() {
        let others: Vec<&Examples> =
            examples.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other).collect();
        let scorer = fit(&others);
        println!("{:>11}: good {:>5}: {}", one.name, one.good.len(), spread(&scorer, &one.good));
        println!("{:>11}   bad  {:>5}: {}", "", one.bad.len(), spread(&scorer, &one.bad));
    }
    listed(&fit(&examples.iter().collect::<Vec<_>>())).iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn spread(scorer: &Scorer, examples: &[Similarities]) -> String {
    let mut nats: Vec<f64> = examples.iter().map(|one| scorer.contents(one)).collect();
    nats.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| nats.get((share * nats.len() as f64) as usize).copied().unwrap_or(f64::NAN);
    [0.01, 0.05, 0.5, 0.95, 0.99].map(|share| format!("{:>6.1}", at(share))).join(" ")
}
