//! Growth of indexing and key discovery with the number of addresses, on generated ones.
//!
//! ```text
//! cargo run --release -p diglot-lab -- growth LAYOUT URLS [SITES]
//! ```
//!
//! Fills a store with generated addresses (no text), runs the stages and prints CPU seconds, peak
//! memory and what was found. Layouts: `unique` (a name a page), `shared` (50 names in every folder), `ids` (numbers in the
//! query). With SITES, the addresses are spread over so many domains by Zipf's law.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use diglot::config::Config;
use diglot::inputs::Inputs;
use diglot::laboratory::store::{BatchRecord, PageEntry};
use diglot::pipeline::Silent;
use diglot::pipeline::{self, Context};
use diglot::query::{self, Scope};
use diglot::store::{Access, Store};
use diglot::types::Lang;

use crate::clock::{cpu_seconds, peak_bytes};
use crate::{Result, Usage};

/// Prints a line a stage, and what was found.
pub fn run(arguments: &[String]) -> Result<()> {
    let number = |at: usize| arguments.get(at).and_then(|text| text.replace('_', "").parse::<u64>().ok());
    match (arguments.first().map(String::as_str), number(1)) {
        // Each stage in a process of its own, so that none is charged with what another left in memory.
        (Some("--stage"), Some(urls)) => stage(&arguments[3], Path::new(&arguments[4]), urls, number(2).unwrap_or(1)),
        (Some(layout), Some(urls)) => measure(layout, urls, number(2).unwrap_or(1)),
        _ => Err(Usage.into()),
    }
}

fn measure(layout: &str, urls: u64, sites: u64) -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("store");
    fill(&mut Store::open(&path, Access::Write)?, layout, urls, sites)?;
    for name in ["index", "keys"] {
        let program = std::env::current_exe().expect("this program has a place");
        let numbers = [urls.to_string(), sites.to_string()];
        print!("{layout}\t{urls} urls\t{sites} sites\t");
        std::io::stdout().flush().expect("stdout takes it");
        let status =
            std::process::Command::new(program).args(["growth", "--stage"]).args(numbers).arg(name).arg(&path).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("the stage {name} failed").into());
        }
    }
    let config = Config::preset("default").expect("it is a preset");
    let store = Store::open(&path, Access::Read)?;
    let mut pairs = 0u64;
    query::for_each_pair(&store, &config, &Scope::all(), |_| {
        pairs += 1;
        Ok(())
    })?;
    let mut keys = query::keys(&store, &config, &Scope::all(), false)?;
    keys.sort_by_key(|key| std::cmp::Reverse(key.assigned));
    let best: Vec<String> =
        keys.iter().take(3).map(|key| format!("{} took {}", key.key.pattern(), key.assigned)).collect();
    println!("\t{pairs} pairs; {} keys: {}", keys.len(), best.join(", "));
    Ok(())
}

fn stage(name: &str, path: &Path, urls: u64, sites: u64) -> Result<()> {
    let config = Config::preset("default").expect("it is a preset");
    let stop = AtomicBool::new(false);
    let context = Context { config: &config, inputs: &Inputs::default(), observer: &Silent, stop: &stop };
    let mut store = Store::open(path, Access::Write)?;
    let largest = if sites == 1 { urls } else { share(1, sites, urls) };
    let before = cpu_seconds();
    pipeline::run_stage(pipeline::stage(name).expect("it is a stage"), &mut store, &context)?;
    let seconds = cpu_seconds() - before;
    let peak = peak_bytes();
    let per_url = seconds * 1e6 / urls as f64;
    println!(
        "{name}\t{seconds:.2} s CPU\t{per_url:.2} us/url\tpeak {:.0} MB\t{:.0} bytes/url of the largest site",
        peak / 1e6,
        peak / largest as f64
    );
    Ok(())
}

/// Pages of site number `rank` (from 1) of `sites`, by Zipf's law, so that all have `urls`.
fn share(rank: u64, sites: u64, urls: u64) -> u64 {
    let harmonic = (sites as f64).ln() + 0.5772;
    ((urls as f64 / harmonic / rank as f64) as u64).max(2)
}

fn fill(store: &mut Store, layout: &str, urls: u64, sites: u64) -> Result<()> {
    let mut batch = BatchRecord { done: true, ..BatchRecord::default() };
    let mut written = 0;
    let mut flush = |batch: &mut BatchRecord, store: &mut Store, last: bool| -> Result<()> {
        if batch.pages.len() < 8192 && !last {
            return Ok(());
        }
        written += 1;
        store.put_batch(batch, written % 64 == 0 || last)?;
        batch.pages.clear();
        Ok(())
    };
    for site in 1..=sites {
        let pages = if sites == 1 { urls } else { share(site, sites, urls) };
        for page in 0..pages {
            batch.pages.push(entry(layout, site, page));
            flush(&mut batch, store, false)?;
        }
    }
    flush(&mut batch, store, true)
}

fn entry(layout: &str, site: u64, page: u64) -> PageEntry {
    // Every tenth page has no partner, every fiftieth is called the wrong language.
    let (document, french) = (page / 2, page % 2 == 1);
    let document = if document % 10 == 9 && french { document + 1_000_000_000 } else { document };
    let stirred = document.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let lang = if french { "fr" } else { "en" };
    let host = format!("www.site{site}.org");
    let identity = match layout {
        "unique" => format!("{host}/docs/{lang}/d{}/article-{stirred:x}-about.html", stirred % 997),
        "shared" => {
            format!("{host}/{lang}/part{}/section{}/name{}.html", document / 2500, document / 50 % 50, document % 50)
        }
        _ => format!("{host}/view.php?id={document}&lang={lang}"),
    };
    let noise = (page.wrapping_add(site << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).is_multiple_of(50);
    let detected = if french != noise { Lang::parse("fr") } else { Some(Lang::EN) };
    PageEntry {
        identity,
        detected: detected.unwrap_or(Lang::UNKNOWN).to_bytes(),
        declared: Lang::UNKNOWN.to_bytes(),
        digest: page,
        text_bytes: 1000,
        ..PageEntry::default()
    }
}
