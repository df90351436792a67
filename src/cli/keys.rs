//! `diglot keys`.

use clap::Args;
use diglot::query::{self, KeyLine};
use diglot::types::Edit;

use super::filter::HostArg;
use super::freshness::Lists;
use super::global::Global;
use super::listing::{ListArgs, WhereArg};

/// List the keys that act on a host, or all keys.
///
/// A key is the difference between the URLs of a page and of its translation: where the one has FROM, the other has TO. POWER is
/// the number of URL pairs that match the key, ASSIGNED how many of them it was assigned, after all stronger keys, and ACCEPTED
/// how many of these verification accepted. EST PRECISION is the estimated share of assigned pairs that are right; a key below one
/// half is demoted. CREDIBILITY is C(p, w), the share of the site's pages that the key pairs; GLOBAL is C(p), the credibility
/// over all sites, in pages. SCOPE is where the key acts: the domain, the host or the folder, as `example.org/docs/`, that has all pages
/// of the pairs it was assigned; of a key that was assigned none, all pages it was found among.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot keys example.org
  diglot keys --where lang_a=en --where 'accepted>=10' --sort credibility
  diglot keys --weak --format tsv")]
pub struct Keys {
    #[command(flatten)]
    host: HostArg,
    /// Also list weak keys, which match too few pairs to be assigned any.
    #[arg(long)]
    weak: bool,
    #[command(flatten)]
    rows: WhereArg,
    #[command(flatten)]
    list: ListArgs,
}

impl Keys {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (store, config) = global.query(Lists::Keys)?;
        let scope = self.host.scope(&store)?;
        let mut listing = self.rows.listing(&self.list, &KeyLine::COLUMNS, None)?;
        for line in query::keys(&store, &config, &scope, self.weak)? {
            listing.row(line.values().to_vec())?;
        }
        Ok(listing.finish()?)
    }
}

/// Languages and edits of a key in the order of listing.
pub fn in_order(line: &KeyLine) -> (String, Vec<Edit>) {
    let (first, second) = line.langs();
    (format!("{first}-{second}"), line.edits())
}
