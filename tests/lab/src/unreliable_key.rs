//! Makes of a judged site one whose URL key is right for some pages and off by one for the others.
//!
//! ```text
//! cargo run --release -p diglot-lab -- unreliable-key OUT SITE.warc.gz GOLD_PREFIX \
//!     [--langs en,de] [--share 0.5] [--stretches 4] [--seed 1]
//! ```
//!
//! The documents that two languages have are numbered in order, `/en/node7.html` and `/de/node7.html`, and cut into
//! STRETCHES of like length. Of each, the first part has right numbers; in the rest, which is SHARE of it, the second
//! language is one ahead, and the last number goes to the first of that part. Pages without a partner lie at
//! `/en/only-HASH.html`; those of further languages are left out. OUT.warc.gz, OUT.pairs.tsv and OUT.grey.tsv are
//! written; the host is named by the last part of OUT.

use std::path::Path;

use crate::Result;
use crate::sites::{self, Arguments, Moves, Site};

/// Makes the site.
pub fn run(arguments: &[String]) -> Result<()> {
    make(&Arguments::read(arguments, 3, &["langs", "share", "stretches", "seed"])?)
}

fn make(arguments: &Arguments) -> Result<()> {
    let out = Path::new(&arguments.plain[0]);
    let share: f64 = arguments.number("share", 0.5)?;
    let stretches: usize = arguments.number("stretches", 4)?;
    let site = Site::read(Path::new(&arguments.plain[1]), &arguments.plain[2])?;
    let langs = site.langs(arguments.langs()?)?;
    let documents = site.documents(langs);
    if !(0.0..=1.0).contains(&share) || stretches == 0 || documents.len() < stretches {
        let found = format!("--share {share}, --stretches {stretches}, {} documents", documents.len());
        return Err(format!("{found}; expected a share in 0..=1 and 1 to so many stretches").into());
    }
    let mut moves = Moves::new(sites::host_of(out)?, site.hosts(), arguments.number("seed", 1)?);
    let mut off = 0;
    for stretch in 0..stretches {
        let [start, end] = [stretch, stretch + 1].map(|at| at * documents.len() / stretches);
        let wrong = ((end - start) as f64 * share).round() as usize;
        let first_wrong = end - wrong;
        for (at, (a, b)) in documents.iter().enumerate().take(end).skip(start) {
            let number = match at {
                at if at < first_wrong => at,
                at if at + 1 == end => first_wrong,
                at => at + 1,
            };
            off += usize::from(number != at);
            moves.add(a, format!("/{}/node{}.html", langs.0, at + 1))?;
            moves.add(b, format!("/{}/node{}.html", langs.1, number + 1))?;
        }
    }
    for lang in [langs.0, langs.1] {
        for page in site.alone(lang, &documents) {
            let path = format!("/{lang}/only-{}.html", moves.opaque(&page));
            moves.add(&page, path)?;
        }
    }
    eprintln!("{off} of {} documents are off by one", documents.len());
    sites::write(out, &[&site], &moves)
}
