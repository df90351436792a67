//! `diglot hosts`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use diglot::config::Config;
use diglot::query::{self, Scope, Shortage, number};
use diglot::store::Store;
use diglot::types::Lang;
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
/// language, and untranslated copies. With --few-pairs, WHY is the likeliest reason why few pages of the host are paired.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot hosts
  diglot hosts example.org                  a domain with its hosts, or one host
  diglot hosts --few-pairs                  hosts that lack pairs, and why
  diglot hosts --sort credibility --format tsv | head -20")]
pub struct Hosts {
    #[command(flatten)]
    host: HostArg,
    /// What comes first.
    #[arg(long, value_enum, default_value = "pairs")]
    sort: Sort,
    /// Only the hosts with pages in two languages or more of which few are paired, with the likeliest reason; the ones with most such pages first.
    #[arg(long, conflicts_with = "sort")]
    few_pairs: bool,
    #[command(flatten)]
    list: ListArgs,
}

impl Hosts {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Keys)?;
        let scope = self.host.scope(&store)?;
        if self.few_pairs {
            return self.list_few_pairs(&store, &config, &scope);
        }
        let mut hosts = query::hosts_in(&store, &scope)?;
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
            let mut row = vec![
                json!(host.host),
                json!(host.domain),
                json!(host.pages),
                json!(host.pairs),
                number(host.credibility, 4),
                json!(langs_of(host.langs.iter())),
            ];
            if self.sort == Sort::Rank {
                row.push(number(rank(&host.host), 9));
            }
            listing.row(row)?;
        }
        Ok(listing.finish()?)
    }

    fn list_few_pairs(&self, store: &Store, config: &Config, scope: &Scope) -> anyhow::Result<()> {
        let mut listing = self.list.listing(&["host", "pages", "pairs", "langs", "why"])?;
        for Shortage { host, pages, pairs, langs, reason, .. } in query::shortages(store, config, scope)? {
            let langs = langs_of(langs.iter().map(|(lang, pages)| (lang, pages)));
            let row = vec![json!(host), json!(pages), json!(pairs), json!(langs), json!(reason.to_string())];
            listing.row(row)?;
        }
        Ok(listing.finish()?)
    }
}

/// "en:12 fr:3".
fn langs_of<'l>(langs: impl Iterator<Item = (&'l Lang, &'l u32)>) -> String {
    langs.map(|(lang, pages)| format!("{lang}:{pages}")).collect::<Vec<_>>().join(" ")
}
