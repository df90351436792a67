//! `diglot index` and `diglot cat`: what archives hold, without a store.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Args;
use diglot::config::Config;
use diglot::error::Error;
use diglot::inputs::{self, Inputs, Wanted};
use diglot::types::counted;
use serde_json::{Value, json};

use super::listing::{ListArgs, WhereArg};
use super::say::tell;

/// List the records of archives, with their places and URLs.
///
/// TYPE is `page`, or the reason why the record is no page: `request record`, `http status not 200`. OFFSET and LENGTH are bytes of the
/// file, or, in a WACZ, ZIP or tarball, of the WARC file inside it; LENGTH is 0 where one compressed stream holds many records. STATUS is
/// given for pages, and for responses that are no pages because of their status. BYTES is the length of a page with codings undone.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot index crawl.warc.gz
  diglot index crawl.warc.gz --where type=page --where url~/en/ --format csv
  diglot cat crawl.warc.gz --offset 12345   one of them")]
pub struct Index {
    #[arg(value_name = "ARCHIVE", required = true, help = super::run::FILES, long_help = super::run::files_help())]
    archives: Vec<OsString>,
    #[command(flatten)]
    rows: WhereArg,
    #[command(flatten)]
    list: ListArgs,
}

impl Index {
    pub fn run(self) -> anyhow::Result<()> {
        let config = Config::default();
        let found = found(&self.archives, &config)?;
        let columns = ["archive", "offset", "length", "type", "status", "content_type", "bytes", "date", "url"];
        let mut listing = self.rows.listing(&self.list, &columns, None)?;
        let mut asked = Ok(());
        for path in &found.archives {
            let archive = path.display().to_string();
            asked = inputs::contents(path, &config.archive, |entry| {
                let date = jiff::Timestamp::from_millisecond(entry.date_ms).ok().filter(|_| entry.date_ms != 0);
                listing.next(vec![
                    json!(archive),
                    json!(entry.offset),
                    json!(entry.length),
                    json!(entry.kind),
                    json!(entry.status),
                    json!(entry.content_type),
                    json!(entry.bytes),
                    json!(date.map(|date| date.to_string())),
                    if entry.url.is_empty() { Value::Null } else { json!(entry.url) },
                ])
            });
            if asked.is_err() || listing.is_full() {
                break;
            }
        }
        // What was listed so far is printed before the error.
        let is_full = listing.is_full();
        listing.finish()?;
        if !is_full {
            asked?;
        }
        Ok(())
    }
}

/// Print records of an archive, as they lie in it.
///
/// Of a WARC file, each record is printed with header and block, or the block alone where one compressed stream holds many records; of
/// other archives, whatever they have of the record. With --body, only pages are printed, without HTTP envelope and codings. Without
/// --offset and --url, all records are printed. If records could not be copied, their number is reported, and the exit code is 1: these are
/// records that are damaged or too long, and records in a stream of many that are no pages.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot cat crawl.warc.gz --offset 12345
  diglot cat crawl.warc.gz --url http://example.org/ --body > page.html")]
pub struct Cat {
    /// The archive.
    #[arg(value_name = "ARCHIVE")]
    archive: OsString,
    /// The record that begins at this byte, as `diglot index` lists it; in a WACZ, those of all its WARC files.
    #[arg(long, value_name = "BYTE")]
    offset: Option<u64>,
    /// The records of this URL.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The body of a page alone.
    #[arg(long)]
    body: bool,
}

impl Cat {
    pub fn run(self) -> anyhow::Result<()> {
        let config = Config::default();
        let url = self.url.as_deref().map(super::explain::parse).transpose()?;
        let wanted = Wanted { offset: self.offset, url, date_ms: None, body: self.body };
        let mut out = io::stdout().lock();
        let (mut count, mut lost) = (0u64, 0u64);
        for path in &found(&[self.archive], &config)?.archives {
            lost += inputs::copies_of(path, &config.archive, &wanted, |bytes| {
                count += 1;
                out.write_all(bytes).map_err(Error::io("stdout", "writing"))
            })?;
        }
        out.flush()?;
        if lost > 0 {
            anyhow::bail!(
                "{} could not be copied: damaged, too long, or no page and in one stream with others; see `diglot index`",
                counted(lost, "record")
            );
        }
        if count == 0 {
            anyhow::bail!("the archive has no such record; `diglot index` lists those it has");
        }
        Ok(())
    }
}

/// The archives that the arguments stand for; files that are not read are reported.
fn found(given: &[OsString], config: &Config) -> anyhow::Result<Inputs> {
    let found = super::run::files(inputs::expand(given, false, &config.archive, &|_| false)?)?;
    for refused in &found.refused {
        tell(format_args!("diglot: {}: {}", refused.path.display(), refused.reason));
    }
    Ok(found)
}
