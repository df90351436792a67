//! Makes of a judged site one whose URL key is strong and wrong.
//!
//! ```text
//! cargo run --release -p diglot-lab -- shift-site OUT SITE.warc.gz GOLD_PREFIX \
//!     [--langs en,de] [--inserts 1] [--other OTHER.warc.gz] [--seed 1]
//! ```
//!
//! The documents that two languages have are numbered in order, `/en/node7.html` and `/de/node7.html`. Then pages
//! without a partner are put in between in the second language, so that behind each of them the numbers are one more
//! than in the first. They are pages of the site itself, and then pages of OTHER in the same language. `--inserts N` puts in N,
//! spread evenly: of N + 1 stretches only the first keeps right numbers. Other pages without a partner lie at
//! `/en/only-HASH.html`; those of further languages are left out. OUT.warc.gz, OUT.pairs.tsv and OUT.grey.tsv are
//! written; the host is named by the last part of OUT.

use std::collections::VecDeque;
use std::path::Path;

use diglot::evaluate::GoldPairs;

use crate::Result;
use crate::sites::{self, Arguments, Moves, Site};

/// Makes the site.
pub fn run(arguments: &[String]) -> Result<()> {
    make(&Arguments::read(arguments, 3, &["langs", "inserts", "other", "seed"])?)
}

fn make(arguments: &Arguments) -> Result<()> {
    let out = Path::new(&arguments.plain[0]);
    let inserts: usize = arguments.number("inserts", 1)?;
    let site = Site::read(Path::new(&arguments.plain[1]), &arguments.plain[2])?;
    let other = match arguments.text("other") {
        Some(path) => Site::read_pages(Path::new(path), GoldPairs::default())?,
        None => Site::default(),
    };
    let langs = site.langs(arguments.langs()?)?;
    let documents = site.documents(langs);
    if documents.len() <= inserts {
        return Err(
            format!("{} documents in {} and {}, --inserts is {inserts}", documents.len(), langs.0, langs.1).into()
        );
    }
    let alone = [site.alone(langs.0, &documents), site.alone(langs.1, &documents)];
    let mut waiting: VecDeque<&String> = alone[1].iter().collect();
    let mut strangers = other.alone(langs.1, &[]);
    // OTHER may be a crawl of the same hosts.
    strangers.retain(|page| !site.pages.contains_key(page));
    waiting.extend(&strangers);
    if waiting.len() < inserts {
        let problem = format!(
            "{} pages of {} without a partner, --inserts is {inserts}; give another site with --other",
            waiting.len(),
            langs.1
        );
        return Err(problem.into());
    }

    let mut old_hosts = site.hosts();
    old_hosts.extend(other.hosts());
    let mut moves = Moves::new(sites::host_of(out)?, old_hosts, arguments.number("seed", 1)?);
    let mut shift = 0;
    for (at, (a, b)) in documents.iter().enumerate() {
        // Insertion k of N stands before document k·n/(N + 1).
        while shift < inserts && at >= (shift + 1) * documents.len() / (inserts + 1) {
            if let Some(page) = waiting.pop_front() {
                moves.add(page, format!("/{}/node{}.html", langs.1, at + shift + 1))?;
            }
            shift += 1;
        }
        moves.add(a, format!("/{}/node{}.html", langs.0, at + 1))?;
        moves.add(b, format!("/{}/node{}.html", langs.1, at + shift + 1))?;
    }
    // What was put in is there already.
    let rest = alone[1].iter().skip(inserts);
    for (page, lang) in alone[0].iter().map(|page| (page, langs.0)).chain(rest.map(|page| (page, langs.1))) {
        let path = format!("/{lang}/only-{}.html", moves.opaque(page));
        moves.add(page, path)?;
    }
    sites::write(out, &[&site, &other], &moves)
}
