//! `diglot pairs`.

use std::collections::BTreeMap;

use clap::Args;
use diglot::export::{Content, Row};
use diglot::query::bitext::RECORDS;
use diglot::query::{self, PairRecords, number};
use diglot::types::{Lang, Outcome, PairLine};
use serde_json::json;

use super::filter::{Filter, HostArg};
use super::freshness::Lists;
use super::global::Global;
use super::listing::ListArgs;
use super::say::say;

/// List the pairs of a host, or of all.
///
/// Columns: the two URLs, their languages, the score, the method that proposed the pair, and its key, if it has one. The score is
/// the probability, from 0 to 1, that the pair is right; as long as pairs are not verified it is the local credibility of the
/// key. A pair of pages on two hosts is listed under both.
///
/// --editions lists others: pairs whose addresses belong together, by keys or declarations, and whose texts speak against it, as
/// editions of different ages do, and pages that hold another text. They are in neither the pairs nor the bitext.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot pairs example.org
  diglot pairs --langs fr,en --min-score 0.3
  diglot pairs --where method=key --where url_a~/docs/
  diglot pairs --summary                    how many of which languages
  diglot pairs --where 'url_b=~/(news|blog)/' --sort -score
  diglot pairs --editions                   addresses that belong together, texts that do not
  diglot pairs --format jsonl | head")]
pub struct Pairs {
    #[command(flatten)]
    host: HostArg,
    #[command(flatten)]
    filter: Filter,
    /// List editions in place of pairs.
    #[arg(long)]
    editions: bool,
    /// Count the pairs of each two languages, with their mean score, in place of listing them.
    #[arg(long)]
    summary: bool,
    #[command(flatten)]
    list: ListArgs,
}

impl Pairs {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, mut config) = global.query(Lists::Pairs)?;
        let wanted = self.filter.wanted_pairs(&mut config, Content::Pairs)?;
        let scope = self.host.scope(&store)?;
        let columns: &[&str] = if self.summary {
            &["lang_a", "lang_b", "pairs", "mean_score"]
        } else {
            &["url_a", "url_b", "lang_a", "lang_b", "score", "method", "key"]
        };
        let mut listing = self.list.sorted(columns, self.summary.then_some("pairs"))?;
        let mut counts: BTreeMap<[Lang; 2], (u64, f64)> = BTreeMap::new();
        let mut count = 0u64;
        let mut records = wanted.asks_for(RECORDS).then(|| PairRecords::of(&store));
        let mut list = |mut pair: PairLine| {
            records.as_mut().map_or(Ok(()), |records| records.add(&mut pair))?;
            if wanted.takes(pair.score, [pair.lang_a, pair.lang_b]) && wanted.takes_row(Row::Pair(&pair)) {
                count += 1;
                if self.summary {
                    let (pairs, scores) = counts.entry([pair.lang_a, pair.lang_b]).or_default();
                    (*pairs, *scores) = (*pairs + 1, *scores + pair.score);
                    return Ok(());
                }
                let row = vec![
                    json!(pair.url_a),
                    json!(pair.url_b),
                    json!(pair.lang_a.as_str()),
                    json!(pair.lang_b.as_str()),
                    number(pair.score, 4),
                    json!(pair.method),
                    json!(pair.key),
                ];
                listing.next(row)?;
            }
            Ok(())
        };
        let outcome = if self.editions { Outcome::Edition } else { Outcome::Accepted };
        let asked = query::for_each_of(&store, &config, &scope, &[outcome], |pair, _| list(pair));
        for ([lang_a, lang_b], (pairs, scores)) in counts {
            let mean = number(scores / pairs as f64, 4);
            listing.row(vec![json!(lang_a.as_str()), json!(lang_b.as_str()), json!(pairs), mean])?;
        }
        let is_whole = listing.end(asked)?;
        wanted.say_left_out(Content::Pairs, is_whole);
        if self.editions {
            if count == 0 {
                say("no editions: no pair that addresses propose is denied by its texts, or texts were not compared");
            }
        } else if is_whole {
            wanted.say_absent(Content::Pairs, &store, &scope)?;
        }
        Ok(())
    }
}
