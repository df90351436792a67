//! `diglot recover`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use diglot::error::Error;
use diglot::inputs::{self, Inputs};
use diglot::pipeline::recover::{Plan, Request, plan, remember};
use diglot::pipeline::{Context, Observer};
use diglot::query::number;
use diglot::recover::{DeepPage, Outcome};
use diglot::types::counted;
use serde_json::json;

use super::filter::HostArg;
use super::freshness::Lists;
use super::global::Global;
use super::listing::{ListArgs, WhereArg, count};
use super::output;
use super::say::tell;
use super::stop::{STOP, look_at_stop};

/// Find deep pages, which keys name and the archives lack.
///
/// For every page without a partner, and every key that applies to its URL, the URL that its partner would have. CHANCE is how
/// likely that URL is to exist, estimated from the counterparts of neighbouring pages and from links; LINKED says whether any page
/// of the store links to it; CREDIBILITY is that of the key. OUTCOME is one of:
///
/// missing: it is not in the store, and was not requested yet; requested: it was requested, and has not arrived; recovered: it was
/// requested, it arrived, and the key pairs it; arrived: it was requested and arrived, but the key does not pair it; indexed: an
/// index given with --index has it (DETAIL: file, offset, length); present: it is in the store, and DETAIL says why it is no
/// partner; left-out: an archive has it, and DETAIL says why it is no page. Present and left-out URLs are listed last.
///
/// With -o, the missing URLs are written to a list for a crawler and count as requested from then on. A list that is already there
/// is replaced only if there is something new to request.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot recover example.org                      what could be requested
  diglot recover --top 1000 -o list.txt           request the likeliest, then:
    wget -i list.txt --warc-file=deep && diglot run deep.warc.gz
  diglot recover --index cdx-00000.gz             what a larger archive has of it")]
pub struct Recover {
    #[command(flatten)]
    host: HostArg,
    /// Look missing URLs up in indexes of larger archives (CDXJ, CDX, Parquet): files, folders, patterns, or @LIST.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    index: Vec<OsString>,
    /// List at most K missing URLs, the likeliest ones.
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = count)]
    top: Option<usize>,
    /// Leave out missing and requested URLs whose chance is below this; 0 lists all.
    #[arg(long, value_name = "0..1", default_value_t = 0.05)]
    min_chance: f64,
    /// Request again what was requested before and has not arrived.
    #[arg(long)]
    again: bool,
    /// Write the missing URLs to this file, one per line, and remember that they are requested; `-`: to stdout, instead of the listing.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    rows: WhereArg,
    #[command(flatten)]
    list: ListArgs,
}

impl Recover {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        if !(0.0..=1.0).contains(&self.min_chance) {
            return Err(Error::Config(format!("--min-chance is {}, expected 0 to 1", self.min_chance)).into());
        }
        let indexes = super::run::files(inputs::expand_with_indexes(&self.index)?)?.archives;
        let (store, config) = global.query(Lists::Keys)?;
        let scope = self.host.scope(&store)?;
        look_at_stop();
        let observer = global.progress();
        let context = Context { config: &config, inputs: &Inputs::default(), observer: &observer, stop: &STOP };
        let request =
            Request { scope: &scope, indexes: &indexes, top: self.top, min_chance: self.min_chance, again: self.again };
        let planned = plan(&store, &context, &request);
        Observer::end(&observer, "recover", planned.is_ok());
        let Plan { pages, unlikely } = planned?;
        if unlikely > 0 && !global.quiet {
            let bound = self.min_chance;
            tell(format_args!(
                "diglot: {} with a chance below {bound} left out; --min-chance 0 lists all",
                counted(unlikely as u64, "URL")
            ));
        }
        drop(store);
        match &self.output {
            None => self.print(&pages),
            Some(path) => self.request(path, &pages, global),
        }
    }

    /// Writes the list for a crawler, and stores the URLs as requested.
    fn request(&self, path: &Path, pages: &[DeepPage], global: &Global) -> anyhow::Result<()> {
        output::refuse_within_store(path)?;
        let missing: Vec<&DeepPage> = pages.iter().filter(|page| page.outcome == Outcome::Missing).collect();
        let to_stdout = path.as_os_str() == "-";
        if missing.is_empty() && !to_stdout && path.exists() {
            // The list may not have been crawled yet, or a run was interrupted after all URLs had been stored as requested.
            if !global.quiet {
                tell(format_args!("diglot: nothing to do: no URL to request; {} stays as it is", path.display()));
            }
            return self.print(pages);
        }
        super::touched::check()?;
        let list: String = missing.iter().map(|page| format!("{}\n", page.url)).collect();
        output::write(path, list.as_bytes())?;
        // The list is written first: requesting a URL twice does less harm than never.
        remember(&mut global.write()?, pages)?;
        if to_stdout { Ok(()) } else { self.print(pages) }
    }

    fn print(&self, pages: &[DeepPage]) -> anyhow::Result<()> {
        let columns = ["url", "lang", "chance", "linked", "credibility", "key", "outcome", "detail", "from"];
        let mut listing = self.rows.listing(&self.list, &columns, None)?;
        // URLs that can be requested or were requested come first; those that the store already has are often more.
        let is_here = |page: &&DeepPage| matches!(page.outcome, Outcome::Present(_) | Outcome::LeftOut(_));
        for page in pages.iter().filter(|page| !is_here(page)).chain(pages.iter().filter(is_here)) {
            let detail = match &page.outcome {
                Outcome::Present(why) | Outcome::LeftOut(why) => json!(why),
                Outcome::Indexed(at) => json!(format!("{} {} {}", at.file, at.offset, at.length)),
                Outcome::Recovered | Outcome::Arrived | Outcome::Requested | Outcome::Missing => json!(null),
            };
            listing.row(vec![
                json!(page.url),
                json!(page.lang.as_str()),
                number(page.chance, 4),
                json!(page.is_linked),
                number(page.credibility, 4),
                json!(page.key),
                json!(page.outcome.name()),
                detail,
                json!(page.from),
            ])?;
        }
        Ok(listing.finish()?)
    }
}
