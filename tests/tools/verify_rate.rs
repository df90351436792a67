//! How fast pairs of pages are verified, without anything being learnt.
//!
//! ```text
//! cargo run --release --example verify_rate -- STORE...
//! ```
//!
//! Each STORE is one that `diglot run --until iterate` left. All pairs judged there are compared again by all measures, on one
//! thread. One line a store: pairs, different pages among them, seconds for the profiles of the pages with the weights of their words
//! and for the comparisons, and pairs a second of both together.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use diglot::config::Config;
use diglot::pipeline::learn::Models;
use diglot::pipeline::site::{PageIds, SiteView};
use diglot::query::Site;
use diglot::store::{Access, Store};
use diglot::types::SiteId;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() {
    let stores: Vec<String> = std::env::args().skip(1).collect();
    if stores.is_empty() {
        eprintln!("usage: verify_rate STORE...");
        std::process::exit(2);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!("store\tpairs\tpages\tprofiles s\tcomparisons s\tpairs/s");
    for store in &stores {
        if let Err(error) = pool.install(|| measure(Path::new(store))) {
            eprintln!("verify_rate: {store}: {error}");
            std::process::exit(1);
        }
    }
}

fn measure(path: &Path) -> Result<()> {
    let store = Store::open(path, Access::Read)?;
    let config = Config::preset("default").ok_or("no preset")?;
    let models = Models::read(&store, &config)?;
    let (mut pairs, mut pages, mut times) = (0, 0, [0.0; 2]);
    for id in (0..store.site_count()?).map(SiteId) {
        let (Some(view), Some(judged)) = (SiteView::open(&store, &config, id)?, Site::open(&store, id)?.judged) else {
            continue;
        };
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
        let weights = view.word_weights()?;
        time(&mut times[0]);
        let compared = view.similarities(&judged, &models, &weights)?;
        time(&mut times[1]);
        pairs += compared.len();
        pages += different.len();
    }
    let [profiles, comparisons] = times;
    let rate = pairs as f64 / (profiles + comparisons);
    println!("{}\t{pairs}\t{pages}\t{profiles:.3}\t{comparisons:.3}\t{rate:.0}", path.display());
    Ok(())
}
