//! How the limit of the distance of tags (Tomás et al. 2008, figure 3) is best drawn.
//!
//! ```text
//! cargo run --release --example structure_limit -- STORE GOLD.pairs.tsv GREY.grey.tsv...
//! ```
//!
//! For each STORE that `diglot run --until keys` left, its gold pairs and its grey ones, `webmining-2008` without content is run with
//! limits of B + T·tags. One line for each B and T: F1 of each store, and their mean.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use diglot::config::Config;
use diglot::pipeline::observer::Silent;
use diglot::pipeline::site::SiteView;
use diglot::pipeline::{Context, all_pairs};
use diglot::store::{Access, Store};
use diglot::types::{CanonicalUrl, SiteId};
use diglot::verify::Limit;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const BASES: [f64; 4] = [0.0, 5.0, 10.0, 20.0];
const PER_TAG: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() || !arguments.len().is_multiple_of(3) {
        eprintln!("usage: structure_limit STORE GOLD.pairs.tsv GREY.grey.tsv...");
        std::process::exit(2);
    }
    if let Err(error) = measure(&arguments) {
        eprintln!("structure_limit: {error}");
        std::process::exit(1);
    }
}

fn measure(arguments: &[String]) -> Result<()> {
    let stores: Vec<&str> = arguments.chunks(3).map(|three| three[0].as_str()).collect();
    println!("base\tper tag\t{}\tmean", stores.join("\t"));
    for base in BASES {
        for per_tag in PER_TAG {
            let of_each =
                arguments.chunks(3).map(|three| f1(three, Limit { base, per_tag })).collect::<Result<Vec<_>>>()?;
            let mean = of_each.iter().sum::<f64>() / of_each.len() as f64;
            let of_each: Vec<String> = of_each.iter().map(|f1| format!("{f1:.3}")).collect();
            println!("{base}\t{per_tag}\t{}\t{mean:.4}", of_each.join("\t"));
        }
    }
    Ok(())
}

/// Right, wrong and missed pairs as `diglot eval` counts them, as F1.
fn f1(three: &[String], limit: Limit) -> Result<f64> {
    let store = Store::open(Path::new(&three[0]), Access::Read)?;
    let mut config = Config::preset("webmining-2008").ok_or("no preset")?;
    config.verify.structure = limit;
    config.without_content = true;
    let (gold, grey) = (std::fs::read_to_string(&three[1])?, std::fs::read_to_string(&three[2])?);
    let (mut right, mut wrong, mut judged) = (0, 0usize, 0usize);
    for id in (0..store.site_count()?).map(SiteId) {
        let Some(view) = SiteView::open(&store, &config, id)? else { continue };
        let find = |url: &str| view.pages.find(CanonicalUrl::parse(url).ok()?.identity());
        // Pairs with what is said of them; nothing is said of languages that gold is silent about.
        let mut known: BTreeMap<(u32, u32), bool> = BTreeMap::new();
        let mut langs = std::collections::BTreeSet::new();
        for (text, is_gold) in [(&gold, true), (&grey, false)] {
            for line in text.lines() {
                let fields: Vec<&str> = line.split('\t').collect();
                let (Some(a), Some(b)) = (find(fields[0]), find(fields[1])) else { continue };
                langs.extend(view.ordered(a, b).map(|pair| pair.langs));
                if is_gold || fields.get(4).is_some_and(|&reason| reason != "untranslated") {
                    known.insert((a.min(b), a.max(b)), is_gold);
                }
                judged += usize::from(is_gold);
            }
        }
        let context = Context { config: &config, inputs: &[], observer: &Silent, stop: &AtomicBool::new(false) };
        for row in all_pairs::judged(&view, &context)?.iter().filter(|row| row.is_accepted()) {
            let is_asked = view.ordered(row.pair.a, row.pair.b).is_some_and(|pair| langs.contains(&pair.langs));
            match known.get(&(row.a.min(row.b), row.a.max(row.b))) {
                Some(true) => right += 1u32,
                Some(false) => {}
                None => wrong += usize::from(is_asked),
            }
        }
    }
    Ok(2.0 * f64::from(right) / (f64::from(right) + wrong as f64 + judged as f64))
}
