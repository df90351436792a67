//! `diglot hosts`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clap::Args;
use diglot::config::Config;
use diglot::query::{self, Scope, Shortage, in_english, number};
use diglot::store::Store;
use diglot::types::Lang;
use serde_json::{Value, json};

use super::filter::HostArg;
use super::freshness::Lists;
use super::global::Global;
use super::listing::{ListArgs, WhereArg};
use super::table::NAME;

/// List the hosts, with their pages, pairs and languages.
///
/// The ones with most pairs come first, unless --sort says otherwise. CREDIBILITY is C(w), that of the best key of the host: the share of
/// its pages that the key pairs. `--sort rank` adds PageRank among the hosts with pairs. `und` counts pages of no language, and untranslated
/// copies; `und-x-a`, `und-x-b` those in languages that nothing names. With --few-pairs, WHY is the likeliest reason why few pages of the host
/// are paired. What the languages are called in English is told below a table on a terminal, and is `name` in JSON.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot hosts
  diglot hosts example.org                  a domain with its hosts, or one host
  diglot hosts --few-pairs                  hosts that lack pairs, and why
  diglot hosts --with-token fr              hosts with `fr` in a URL, as in /fr/ or ?lang=fr
  diglot hosts --where langs=fr --where 'pairs=0'
  diglot hosts --sort credibility --format tsv | head -20")]
pub struct Hosts {
    #[command(flatten)]
    host: HostArg,
    /// Only the hosts with pages in two languages or more of which few are paired, with the likeliest reason; the ones with most such pages first.
    #[arg(long)]
    few_pairs: bool,
    /// Only the hosts that have TEXT in the URL of a page: as a token between `/`, `.`, `-` and the like, or several that stand together.
    #[arg(long, value_name = "TEXT", conflicts_with = "few_pairs")]
    with_token: Option<String>,
    #[command(flatten)]
    rows: WhereArg,
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
        let hosts = match &self.with_token {
            Some(text) => query::hosts_with_token(&store, &scope, text)?,
            None => query::hosts_in(&store, &scope)?,
        };
        let is_ranked = self.list.sort().is_some_and(|sort| sort.trim_start_matches('-') == "rank");
        let explored = if is_ranked { Some(super::explore::explored(global, &store, &config, false)?) } else { None };
        let mut columns = vec!["host", "domain", "pages", "pairs", "credibility", "langs"];
        columns.extend(is_ranked.then_some("rank"));
        let mut listing = self.rows.listing(&self.list, &columns, Some("pairs"))?;
        for host in hosts {
            let mut row = vec![
                json!(host.host),
                json!(host.domain),
                json!(host.pages),
                json!(host.pairs),
                number(host.credibility, 4),
                langs_of(host.langs.iter()),
            ];
            if let Some(explored) = &explored {
                row.push(number(explored.rank_of(&host.host).map_or(0.0, |rank| rank.pagerank), 9));
            }
            listing.row(row)?;
        }
        Ok(listing.finish_with(legend)?)
    }

    fn list_few_pairs(&self, store: &Store, config: &Config, scope: &Scope) -> anyhow::Result<()> {
        let mut listing = self.rows.listing(&self.list, &["host", "pages", "pairs", "langs", "why"], None)?;
        for Shortage { host, pages, pairs, langs, reason, .. } in query::shortages(store, config, scope)? {
            let langs = langs_of(langs.iter().map(|(lang, pages)| (lang, pages)));
            let row = vec![json!(host), json!(pages), json!(pairs), langs, json!(reason.to_string())];
            listing.row(row)?;
        }
        Ok(listing.finish_with(legend)?)
    }
}

/// The languages of a host with their numbers of pages, as a list; as text, "en:12 fr:3", where the format has no lists.
fn langs_of<'l>(langs: impl Iterator<Item = (&'l Lang, &'l u32)>) -> Value {
    langs.map(|(lang, pages)| json!({ "lang": lang.as_str(), NAME: in_english(*lang), "pages": pages })).collect()
}

/// How many languages are named below a table.
const NAMED: usize = 40;

/// What the languages of a table are called, those with the most pages first.
fn legend(rows: &[Vec<Value>]) -> Option<String> {
    let mut pages: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for found in rows.iter().flatten().filter_map(Value::as_array).flatten() {
        let (Some(lang), Some(name)) = (found["lang"].as_str(), found[NAME].as_str()) else { continue };
        pages.entry(lang).or_insert((0, name)).0 += found["pages"].as_u64().unwrap_or_default();
    }
    let mut langs: Vec<_> = pages.into_iter().collect();
    langs.sort_by_key(|(_, (pages, _))| Reverse(*pages));
    let more = langs.len().saturating_sub(NAMED);
    let mut names: Vec<String> =
        langs.into_iter().take(NAMED).map(|(lang, (_, name))| format!("{lang} {name}")).collect();
    names.extend((more > 0).then(|| format!("and {more} more")));
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_a_table_are_named_once_and_those_without_a_name_are_not() {
        let langs = |langs: &[(&str, u32)]| {
            let langs: Vec<_> =
                langs.iter().map(|(tag, pages)| (Lang::from_tag(tag).expect("a tag"), *pages)).collect();
            vec![json!("a.org"), langs_of(langs.iter().map(|(lang, pages)| (lang, pages)))]
        };
        let rows = [langs(&[("en", 3), ("kmb", 5), ("und", 9)]), langs(&[("en", 7)])];
        assert_eq!(legend(&rows).as_deref(), Some("en English, kmb Kimbundu"));
        assert_eq!(legend(&[langs(&[("und", 9)])]), None);
    }
}
