//! `diglot explore`.

use clap::{Args, ValueEnum};
use diglot::explore::By;
use diglot::pipeline::Context;
use diglot::pipeline::explore::{Explored, gains, is_fresh, make_web, remember};
use serde_json::{Value, json};

use super::listing::{Listing, number};
use super::progress::Progress;
use super::{FormatArg, Global, STOP};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sum {
    /// Links of the sites that link there to bilingual sites.
    Linkout,
    /// Their PageRank among bilingual sites.
    Pagerank,
    /// Their PageRank, weighted by how bilingual they are.
    Weighted,
}

impl Sum {
    fn by(self) -> (&'static str, By) {
        By::ALL[self as usize]
    }
}

/// Name the sites to crawl next: those that bilingual sites link to.
///
/// Seeds are the sites of the store that have pairs. A site outside the store is ranked by the sum of Linkout, PageRank or
/// weighted PageRank over the seeds that link to it. Crawl the sites named, take them in with `diglot run`, and run this
/// again: --rounds shows what each round has brought.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot explore --top 100
  diglot explore --top 500 --by pagerank --by-domain --format tsv | cut -f1 > next.txt
  diglot explore --rounds")]
pub struct Explore {
    /// How many sites to name.
    #[arg(long, value_name = "K", default_value = "100")]
    top: usize,
    /// What sites are ranked by.
    #[arg(long, value_enum, default_value = "weighted")]
    by: Sum,
    /// A site is a registrable domain, not a host.
    #[arg(long)]
    by_domain: bool,
    /// List the rounds so far, and what each has brought, and name nothing.
    #[arg(long)]
    rounds: bool,
    #[command(flatten)]
    format: FormatArg,
}

impl Explore {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        super::run::bring_up_to_date(global, "keys")?;
        if self.rounds {
            return self.list_rounds(global);
        }
        let explored = explored(global, self.by_domain)?;
        let (name, by) = self.by.by();
        let mut next = explored.next(by);
        next.truncate(self.top);
        let asked = next.iter().map(|next| explored.web.name(next.site).to_owned()).collect();
        remember(&mut global.write()?.0, &explored, name, self.by_domain, asked)?;
        let columns = ["site", "linkout", "pagerank", "weighted", "seeds", "links"];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        for next in next {
            listing.row(vec![
                json!(explored.web.name(next.site)),
                json!(next.linkout),
                number(next.pagerank, 9),
                number(next.weighted, 9),
                json!(next.seeds),
                json!(next.links),
            ])?;
        }
        Ok(listing.finish()?)
    }

    fn list_rounds(&self, global: &Global) -> anyhow::Result<()> {
        let (store, _) = global.read()?;
        let columns =
            ["round", "by", "site_is", "seeds", "pairs_before", "asked", "came", "bilingual", "precision", "pairs"];
        let mut listing = Listing::new(self.format.get(), &columns)?;
        for (gain, number_of) in gains(&store)?.into_iter().zip(1..) {
            let share = match gain.came {
                0 => Value::Null,
                came => number(f64::from(gain.bilingual) / f64::from(came), 4),
            };
            listing.row(vec![
                json!(number_of),
                json!(gain.round.by),
                json!(if gain.round.by_domain { "domain" } else { "host" }),
                json!(gain.round.seeds),
                json!(gain.round.pairs),
                json!(gain.round.asked.len()),
                json!(gain.came),
                json!(gain.bilingual),
                share,
                json!(gain.pairs),
            ])?;
        }
        Ok(listing.finish()?)
    }
}

/// The graph of sites and its ranks, brought up to date first.
pub fn explored(global: &Global, by_domain: bool) -> anyhow::Result<Explored> {
    let (mut store, mut config) = global.read()?;
    if !is_fresh(&store, by_domain)? {
        drop(store);
        (store, config) = global.write()?;
        let observer = Progress::new(global.quiet);
        let context = Context { config: &config, inputs: &[], observer: &observer, stop: &STOP };
        let made = make_web(&mut store, &context, by_domain);
        diglot::pipeline::observer::Observer::end(&observer, "explore", made.is_ok());
        made?;
    }
    Ok(Explored::new(&store, &config.explore, by_domain)?)
}
