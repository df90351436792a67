//! How fast pairs of pages are verified, without anything being learnt.
//!
//! ```text
//! cargo run --release -p diglot-lab -- verify-rate STORE...
//! ```
//!
//! Each STORE is one that `diglot run --until iterate` left. All pairs judged there are compared again by all measures, on one
//! thread. One line a store: pairs, different pages among them, seconds for the profiles of the pages with the weights of their words
//! and for the comparisons, and pairs a second of both together.

use std::path::Path;
use std::time::Instant;

use diglot::config::Config;
use diglot::laboratory::models;
use diglot::laboratory::site::{OpenSite, Site};
use diglot::laboratory::verify::PageIds;
use diglot::store::{Access, Store};
use diglot::types::SiteId;

use crate::{Result, Usage};

/// Prints the table.
pub fn run(arguments: &[String]) -> Result<()> {
    if arguments.is_empty() {
        return Err(Usage.into());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!("store\tpairs\tpages\tprofiles s\tcomparisons s\tpairs/s");
    for store in arguments {
        pool.install(|| measure(Path::new(store))).map_err(|error| format!("{store}: {error}"))?;
    }
    Ok(())
}

fn measure(path: &Path) -> Result<()> {
    let store = Store::open(path, Access::Read)?;
    let config = Config::preset("default").ok_or("no preset")?;
    let models = models::read(&store, &config)?;
    let (mut pairs, mut pages, mut times) = (0, 0, [0.0; 2]);
    for id in (0..store.site_count()?).map(SiteId) {
        let (Some(open), Some(judged)) = (OpenSite::open(&store, id)?, Site::open(&store, id)?.judged) else {
            continue;
        };
        let view = open.view(&config);
        let judged: Vec<PageIds> = judged
            .pairs()
            .filter_map(|judged| view.ordered(judged.pair.a, judged.pair.b))
            .map(|pair| (pair.a, pair.b))
            .collect();
        let mut different: Vec<u32> = judged.iter().flat_map(|&(a, b)| [a, b]).collect();
        different.sort_unstable();
        different.dedup();
        let mut lap = Instant::now();
        let mut time = |sum: &mut f64| {
            *sum += lap.elapsed().as_secs_f64();
            lap = Instant::now();
        };
        (0..view.parts().count()).try_for_each(|part| view.word_weights(part).map(drop))?;
        time(&mut times[0]);
        let compared = view.similarities(&judged, &models)?;
        time(&mut times[1]);
        pairs += compared.len();
        pages += different.len();
    }
    let [profiles, comparisons] = times;
    let rate = pairs as f64 / (profiles + comparisons);
    println!("{}\t{pairs}\t{pages}\t{profiles:.3}\t{comparisons:.3}\t{rate:.0}", path.display());
    Ok(())
}
