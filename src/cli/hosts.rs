//! `diglot hosts`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use diglot::query::{self, number};
use serde_json::json;

use super::filter::HostArg;
use super::freshness::Lists;
use super::global::Global;
use super::listing::ListArgs;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// By host name.
    Name,
    /// Most pages first.
    Pages,
    /// Most pairs first.
    Pairs,
    /// Most credible first: C(w), that of its best key.
    Credibility,
    /// Highest PageRank among the hosts with pairs first; it is listed too.
    Rank,
}

/// List the hosts, with their numbers of pages, of pairs, and of pages in each language.
///
/// CREDIBILITY is C(w), that of the best key of the host: the share of its pages that the key pairs. `und` counts pages of no
/// language, and untranslated copies.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot hosts
  diglot hosts example.org                  a domain with its hosts, or one host
  diglot hosts --sort credibility --format tsv | head -20")]
pub struct Hosts {
    #[command(flatten)]
    host: HostArg,
    /// What comes first.
    #[arg(long, value_enum, default_value = "pairs")]
    sort: Sort,
    #[command(flatten)]
    list: ListArgs,
}

impl Hosts {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Keys)?;
        let mut hosts = query::hosts_in(&store, &self.host.scope(&store)?)?;
        let mut ranks = BTreeMap::new();
        if self.sort == Sort::Rank {
            let explored = super::explore::explored(global, &store, &config, false)?;
            let rank = |host: &str| explored.rank_of(host).map_or(0.0, |rank| rank.pagerank);
            ranks = hosts.iter().map(|host| (host.host.clone(), rank(&host.host))).collect();
        }
        let rank = |host: &str| ranks.get(host).copied().unwrap_or(0.0);
        match self.sort {
            Sort::Name => {}
            Sort::Pages => hosts.sort_by_key(|host| Reverse(host.pages)),
            Sort::Pairs => hosts.sort_by_key(|host| Reverse(host.pairs)),
            Sort::Credibility => hosts.sort_by(|a, b| b.credibility.total_cmp(&a.credibility)),
            Sort::Rank => hosts.sort_by(|a, b| rank(&b.host).total_cmp(&rank(&a.host))),
        }
        let mut columns = vec!["host", "domain", "pages", "pairs", "credibility", "langs"];
        if self.sort == Sort::Rank {
            columns.push("rank");
        }
        let mut listing = self.list.listing(&columns)?;
        for host in hosts {
            let langs: Vec<String> = host.langs.iter().map(|(lang, pages)| format!("{lang}:{pages}")).collect();
            let mut row = vec![
                json!(host.host),
                json!(host.domain),
                json!(host.pages),
                json!(host.pairs),
                number(host.credibility, 4),
                json!(langs.join(" ")),
            ];
            if self.sort == Sort::Rank {
                row.push(number(rank(&host.host), 9));
            }
            listing.row(row)?;
        }
        Ok(listing.finish()?)
    }
}
