//! `diglot explore`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use diglot::config::Config;
use diglot::explore::{Arrivals, By};
use diglot::inputs::Inputs;
use diglot::pipeline::explore::{Explored, keep, remember};
use diglot::pipeline::{Context, Observer};
use diglot::query::{gains, number};
use diglot::store::Store;
use serde_json::{Value, json};

use super::freshness::Lists;
use super::global::Global;
use super::listing::{FormatArg, Listing, count};
use super::output;
use super::say::say;
use super::stop::{STOP, look_at_stop};

/// Reads `--by`, and lists its values with a line of help each.
fn by_parser() -> impl TypedValueParser<Value = By> {
    let values = By::ALL.map(|by| PossibleValue::new(by.name()).help(by.help()));
    PossibleValuesParser::new(values).try_map(|name| By::parse(&name).ok_or("unknown ranking"))
}

/// List the sites to crawl next.
///
/// They are sites outside the store to which bilingual sites link. The seeds are the sites of the store that have pairs. A site outside the store is ranked by the sum of Linkout, PageRank or
/// weighted PageRank over the seeds that link to it; SEEDS and LINKS count these seeds and their links. The sites listed are
/// remembered as requested, as one round. Crawl them, add the archives with `diglot run`, and call this command again for the next
/// round; --rounds shows what each round has brought.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot explore --top 100
  diglot explore --top 500 --by linkout -o next.txt      then, for instance:
    wget -r -l 3 -i next.txt --warc-file=next && diglot run next.warc.gz
  diglot explore --rounds")]
pub struct Explore {
    /// How many sites to list.
    #[arg(long, visible_alias = "limit", value_name = "K", default_value = "100", allow_negative_numbers = true,
          value_parser = count)]
    top: usize,
    /// How sites are ranked.
    #[arg(long, value_parser = by_parser(), default_value = "weighted")]
    by: By,
    /// Rank registrable domains instead of hosts.
    #[arg(long)]
    by_domain: bool,
    /// Write the home pages of the sites to this file, one per line, as a list for a crawler; `-`: to stdout, instead of the listing.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// List the rounds so far and what each has brought, instead of new sites.
    #[arg(long)]
    rounds: bool,
    #[command(flatten)]
    format: FormatArg,
}

impl Explore {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Keys)?;
        if self.rounds {
            return self.list_rounds(&store);
        }
        let explored = explored(global, &store, &config, self.by_domain)?;
        // Before keys are searched, nothing is known of pairs; the user has been told so.
        let is_asked_too_early = Lists::Keys.missing(&store, &config)?.is_some();
        drop(store);
        let mut next = explored.next(self.by);
        next.truncate(self.top);
        if next.is_empty() {
            if !is_asked_too_early {
                let why = if explored.has_seeds() {
                    "sites with pairs link to no site outside the store"
                } else {
                    "no site of the store has pairs"
                };
                say(format!("nothing to do: {why}"));
            }
            return Ok(Listing::new(self.format.get(), &Explored::COLUMNS)?.finish()?);
        }
        let requested = next.iter().map(|next| explored.name(next.site).to_owned()).collect();
        if let Some(path) = &self.output {
            // The list is written before the sites are stored as requested: requesting a site twice does less harm than never.
            let list: String = next.iter().map(|next| format!("http://{}/\n", explored.name(next.site))).collect();
            output::write(path, list.as_bytes())?;
        }
        let mut store = global.write()?;
        keep(&mut store, &explored, self.by_domain)?;
        remember(&mut store, &explored, self.by, self.by_domain, requested)?;
        drop(store);
        if self.output.as_deref().is_some_and(|path| path.as_os_str() == "-") {
            return Ok(());
        }
        let mut listing = Listing::new(self.format.get(), &Explored::COLUMNS)?;
        for next in next {
            listing.row(explored.values(&next).to_vec())?;
        }
        Ok(listing.finish()?)
    }

    fn list_rounds(&self, store: &Store) -> anyhow::Result<()> {
        let columns = [
            "round",
            "by",
            "site_is",
            "seeds",
            "pairs_before",
            "requested",
            "arrived",
            "bilingual",
            "precision",
            "pairs",
        ];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        for (gain, number_of) in gains(store)?.into_iter().zip(1..) {
            let Arrivals { arrived, bilingual, pairs } = gain.arrivals;
            let share = match arrived {
                0 => Value::Null,
                arrived => number(f64::from(bilingual) / f64::from(arrived), 4),
            };
            listing.row(vec![
                json!(number_of),
                json!(gain.by),
                json!(if gain.by_domain { "domain" } else { "host" }),
                json!(gain.seeds),
                json!(gain.pairs),
                json!(gain.requested.len()),
                json!(arrived),
                json!(bilingual),
                share,
                json!(pairs),
            ])?;
        }
        Ok(listing.finish()?)
    }
}

/// The graph of sites and their ranks; the store is only read.
pub fn explored(global: &Global, store: &Store, config: &Config, by_domain: bool) -> anyhow::Result<Explored> {
    look_at_stop();
    let observer = global.progress();
    let context = Context { config, inputs: &Inputs::default(), observer: &observer, stop: &STOP };
    let explored = Explored::open(store, &context, by_domain);
    Observer::end(&observer, "explore", explored.is_ok());
    Ok(explored?)
}
