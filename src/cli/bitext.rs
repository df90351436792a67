//! `diglot bitext`, `diglot align`.

use clap::Args;
use diglot::export::{Content, Row};
use diglot::inputs::Inputs;
use diglot::query::bitext::{self, ALTERNATIVES, Asked, RECORDS};
use diglot::query::number;
use serde_json::json;

use super::filter::{Filter, HostArg};
use super::freshness::Lists;
use super::global::Global;
use super::listing::ListArgs;
use super::settings::{AfterIngest, Settings};
use super::stop::look_at_stop;

/// List the sentence pairs of a host, or of all.
///
/// Columns: the two texts, their languages, the probability that they are translations, the two URLs, and the number of other page pairs
/// that have the same two texts; with --keep-all, also the reason why a sentence pair is left out.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot bitext example.org
  diglot bitext --langs fr,en --min-score 0.9 --format tsv > fr-en.tsv
  diglot bitext --where kind_a=paragraph --where 'page_pairs<5'
  diglot bitext example.org --keep-all | grep duplicate")]
pub struct Bitext {
    #[command(flatten)]
    host: HostArg,
    #[command(flatten)]
    filter: Filter,
    /// Also list what was left out, with the reason.
    #[arg(long)]
    keep_all: bool,
    #[command(flatten)]
    list: ListArgs,
}

impl Bitext {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, mut config) = global.query(Lists::Bitext)?;
        let wanted = self.filter.wanted_pairs(&mut config, Content::Bitext)?;
        let scope = self.host.scope(&store)?;
        let mut columns = vec!["text_a", "text_b", "lang_a", "lang_b", "score", "url_a", "url_b", "others"];
        if self.keep_all {
            columns.push("reason");
        }
        let mut listing = self.list.listing(&columns)?;
        let asked = Asked {
            all: self.keep_all,
            alternatives: wanted.asks_for(ALTERNATIVES),
            records: wanted.asks_for(RECORDS),
            ..Asked::default()
        };
        let asked = bitext::for_each_bead(&store, &config, &scope, asked, |line| {
            if !wanted.takes(line.score, [line.lang_a, line.lang_b]) || !wanted.takes_row(Row::Sentences(&line)) {
                return Ok(());
            }
            let mut row = vec![
                json!(line.text_a),
                json!(line.text_b),
                json!(line.lang_a.as_str()),
                json!(line.lang_b.as_str()),
                number(line.score, 4),
                json!(line.a.url),
                json!(line.b.url),
                json!(line.others.len()),
            ];
            if self.keep_all {
                row.push(json!(line.reason));
            }
            listing.next(row)
        });
        let is_whole = listing.end(asked)?;
        wanted.say_left_out(Content::Bitext, is_whole);
        if is_whole {
            wanted.say_absent(Content::Bitext, &store, &scope)?;
        }
        Ok(())
    }
}

/// Find the sentence pairs of the page pairs that the store has.
///
/// Runs the earlier stages first, as far as they are not up to date. `diglot run` does the same.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot align
  diglot align --store museums.store")]
pub struct Align {
    #[command(flatten)]
    settings: Settings<AfterIngest>,
}

impl Align {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        self.settings.check(&global.store)?;
        if !global.has_store()? {
            // Opening for reading fails with an error that says what to do.
            global.read()?;
        }
        look_at_stop();
        let mut store = global.write()?;
        let config = self.settings.apply(&mut store)?;
        super::run::work(&mut store, &config, &Inputs::default(), global, "align")?;
        Ok(())
    }
}
