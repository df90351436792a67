//! Makes of a judged site one whose addresses tell nothing.
//!
//! ```text
//! cargo run --release -p diglot-lab -- hide-urls OUT SITE.warc.gz GOLD_PREFIX [--langs en,de] [--seed 1]
//! ```
//!
//! Every page of every host moves to `/p/HASH.html` of one host, which the last part of OUT names, and all links with
//! it. With `--langs`, pages of other languages are left out. OUT.warc.gz, OUT.pairs.tsv and OUT.grey.tsv are written.

use std::path::Path;

use crate::Result;
use crate::sites::{self, Arguments, Moves, Site};

/// Makes the site.
pub fn run(arguments: &[String]) -> Result<()> {
    make(&Arguments::read(arguments, 3, &["langs", "seed"])?)
}

fn make(arguments: &Arguments) -> Result<()> {
    let out = Path::new(&arguments.plain[0]);
    let site = Site::read(Path::new(&arguments.plain[1]), &arguments.plain[2])?;
    let langs = arguments.langs()?;
    let mut moves = Moves::new(sites::host_of(out)?, site.hosts(), arguments.number("seed", 1)?);
    for (identity, page) in &site.pages {
        if langs.is_none_or(|(a, b)| [a, b].contains(&page.lang)) {
            let path = format!("/p/{}.html", moves.opaque(identity));
            moves.add(identity, path)?;
        }
    }
    sites::write(out, &[&site], &moves)
}
