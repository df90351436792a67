//! `diglot keys`.

use clap::Args;
use diglot::query::{self, KeyLine};
use diglot::types::{Edit, pattern};
use serde_json::json;

use super::filter::HostArg;
use super::freshness::Lists;
use super::global::Global;
use super::listing::{ListArgs, number};

/// List the keys of a host, or of all.
///
/// A key is the difference between the URLs of a page and of its translation: where the one has FROM, the other has TO. POWER is
/// the number of URL pairs that match the key, ASSIGNED how many of them it was assigned, after all stronger keys, and ACCEPTED
/// how many of these verification accepted. EST PRECISION is the estimated share of assigned pairs that are right; a key below one
/// half is demoted. CREDIBILITY is C(p, w), the share of the site's pages that the key pairs; GLOBAL is C(p), the credibility
/// over all sites, in pages.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot keys example.org
  diglot keys --weak --format tsv")]
pub struct Keys {
    #[command(flatten)]
    host: HostArg,
    /// Also list weak keys, which match too few pairs to be assigned any.
    #[arg(long)]
    weak: bool,
    #[command(flatten)]
    list: ListArgs,
}

impl Keys {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Keys)?;
        let scope = self.host.scope(&store)?;
        let columns = [
            "site",
            "field",
            "from",
            "to",
            "lang_a",
            "lang_b",
            "power",
            "assigned",
            "accepted",
            "est_precision",
            "credibility",
            "global",
            "state",
            "key",
        ];
        let mut listing = self.list.listing(&columns)?;
        for line in query::keys(&store, &config, &scope, self.weak)? {
            let (_, edits) = in_order(&line);
            let join = |text: fn(&Edit) -> String| edits.iter().map(text).collect::<Vec<_>>().join("+");
            let langs = line.key.langs;
            let (lang_a, lang_b) = if line.turned { (langs.b, langs.a) } else { (langs.a, langs.b) };
            listing.row(vec![
                json!(line.site),
                json!(join(|edit| edit.field.to_string())),
                json!(join(|edit| or_null(&edit.from))),
                json!(join(|edit| or_null(&edit.to))),
                json!(lang_a.as_str()),
                json!(lang_b.as_str()),
                json!(line.power),
                json!(line.assigned),
                json!(line.accepted),
                line.est_precision.map_or(serde_json::Value::Null, |precision| number(precision, 3)),
                number(line.credibility, 4),
                number(line.global, 1),
                json!(line.state_name()),
                json!(pattern(&edits)),
            ])?;
        }
        Ok(listing.finish()?)
    }
}

fn or_null(text: &str) -> String {
    if text.is_empty() { diglot::types::NULL.to_owned() } else { text.to_owned() }
}

/// Languages and edits of a key in the order of listing.
pub fn in_order(line: &KeyLine) -> (String, Vec<Edit>) {
    let langs = line.key.langs;
    if line.turned {
        (format!("{}-{}", langs.b, langs.a), line.key.turned())
    } else {
        (format!("{}-{}", langs.a, langs.b), line.key.edits.clone())
    }
}
