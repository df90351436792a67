//! How many gold pairs the search for candidates leaves to be proposed, when no address has a say.
//!
//! ```text
//! cargo run --release -p diglot-lab -- candidate-recall STORE GOLD.pairs.tsv...
//! ```
//!
//! STORE is one that `diglot run --until keys` left, or a later stage. One line for each gold file: gold pairs; those whose pages
//! are both there and of different languages, which is what comparing all pairs would see; of these, those that declarations
//! and language bars propose, those that rare words propose (8 pages for each page, the default, then 1, 4, 16 and 32), and those
//! that either proposes; at last pairs proposed for each page, and those of the store's settled pairs that are gold, accepted or
//! not. The default asks words for pages that are not paired yet, and compares fewer pairs; links propose more.

use std::collections::BTreeSet;
use std::path::Path;

use diglot::config::Config;
use diglot::laboratory::models;
use diglot::laboratory::propose::{self, Partners};
use diglot::laboratory::retrieval;
use diglot::laboratory::site::{OpenSite, Site};
use diglot::laboratory::verify::SiteView;
use diglot::store::{Access, Store};
use diglot::types::{Candidate, CanonicalUrl, SiteId};

use crate::{Result, Usage};

type Pairs = BTreeSet<(u32, u32)>;

/// Pages given for each page, beside the default.
const COUNTS: [usize; 4] = [1, 4, 16, 32];

/// Prints the table.
pub fn run(arguments: &[String]) -> Result<()> {
    let [store, gold @ ..] = arguments else { return Err(Usage.into()) };
    measure(Path::new(store), gold)
}

fn measure(store: &Path, gold: &[String]) -> Result<()> {
    let store = Store::open(store, Access::Read)?;
    let config = Config::preset("default").ok_or("no preset")?;
    println!(
        "gold\tpairs\tall pairs\tdirect\twords\twords 1\twords 4\twords 16\twords 32\teither\tproposed a page\tsettled"
    );
    for path in gold {
        let text = std::fs::read_to_string(path)?;
        let mut counts = Counts::default();
        for id in (0..store.site_count()?).map(SiteId) {
            if let Some(open) = OpenSite::open(&store, id)? {
                counts.add(&store, &open.view(&config), &config, &text)?;
            }
        }
        println!("{path}\t{}\t{counts}", text.lines().count());
    }
    Ok(())
}

/// What is counted of one gold file.
#[derive(Default)]
struct Counts {
    comparable: usize,
    direct: usize,
    words: usize,
    by_count: [usize; COUNTS.len()],
    either: usize,
    proposed: usize,
    pages: usize,
    settled: usize,
}

impl Counts {
    fn add(&mut self, store: &Store, view: &SiteView<'_>, config: &Config, gold: &str) -> Result<()> {
        let find = |url: &str| view.pages().find(CanonicalUrl::parse(url).ok()?.identity());
        let pages_of = |line: &str| {
            let mut urls = line.split('\t');
            let (a, b) = (find(urls.next()?)?, find(urls.next()?)?);
            view.ordered(a, b).map(|pair| (pair.a, pair.b))
        };
        let gold: Pairs = gold.lines().filter_map(pages_of).collect();
        if gold.is_empty() {
            return Ok(());
        }
        let models = models::given(config)?;
        let pairs = |found: &[Candidate]| -> Pairs { found.iter().map(|one| (one.pair.a, one.pair.b)).collect() };
        let of_words = |paired: &Partners, params: &retrieval::Params| {
            propose::of_words(view, paired, &models, (&|_| true, params))
        };
        let right = |found: &Pairs| gold.intersection(found).count();
        let direct = propose::direct(view, None);
        let words = pairs(&of_words(&Partners::default(), &config.retrieval)?);
        self.comparable += gold.len();
        self.direct += right(&pairs(&direct));
        self.words += right(&words);
        for (count, sum) in COUNTS.into_iter().zip(&mut self.by_count) {
            let params = retrieval::Params { candidates: count, ..config.retrieval.clone() };
            *sum += right(&pairs(&of_words(&Partners::default(), &params)?));
        }
        let either: Pairs = &pairs(&direct) | &words;
        self.either += right(&either);
        self.proposed += either.len();
        self.pages += view.langs.iter().filter(|lang| lang.is_known()).count();
        if let Some(judged) = Site::open(store, view.id)?.judged {
            let settled: Pairs = judged.pairs().map(|judged| (judged.pair.a, judged.pair.b)).collect();
            self.settled +=
                gold.iter().filter(|(a, b)| settled.contains(&(*a, *b)) || settled.contains(&(*b, *a))).count();
        }
        Ok(())
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\t{}\t{}", self.comparable, self.direct, self.words)?;
        self.by_count.iter().try_for_each(|count| write!(f, "\t{count}"))?;
        let a_page = self.proposed as f64 / self.pages.max(1) as f64;
        write!(f, "\t{}\t{a_page:.1}\t{}", self.either, self.settled)
    }
}
