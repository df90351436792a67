//! Records of an archive → pages in the form in which the store keeps them.
//!
//! [`take`] works on a portion of records by all cores, and gives the pages, and what is left out, to a [`Sink`]: a batch of a store, or rows
//! for an engine.

use rayon::prelude::*;

use crate::archive::{self, Item, Portion};
use crate::config::Config;
use crate::error::Result;
use crate::extract;
use crate::keys::copies;
use crate::store::layout::{PageEntry, encode};
use crate::types::{CanonicalUrl, Capture, Form, RawRecord, Skip};

/// Receives the pages of an archive, and what is left out.
pub trait Sink {
    /// Number of the archive.
    fn archive(&self) -> u32;
    /// Reports records that were read, up to a position.
    fn records(&mut self, records: u64, to: u64, done: bool);
    /// Receives pages, each with its record as bytes.
    ///
    /// # Errors
    /// When they cannot be written.
    fn pages(&mut self, pages: Vec<(PageEntry, Vec<u8>)>) -> Result<()>;
    /// Reports that something was left out. `identity` is its URL without scheme, if it has one.
    fn skip(&mut self, skip: Skip, identity: Option<String>);
    /// Reports how many bytes of records were read, or of pages where these are more.
    fn weigh(&mut self, bytes: usize);
}

/// Works on the records of a portion, and passes on the pages in them.
///
/// # Errors
/// Errors of the sink.
pub fn take(sink: &mut dyn Sink, config: &Config, portion: Portion) -> Result<()> {
    sink.records(portion.items.len() as u64, portion.to, portion.done);
    let archive = sink.archive();
    let mut page_bytes = 0;
    for share in archive::shares(portion.items, config.ingest.decoded_bytes, &config.archive) {
        let usual: Vec<_> = share.into_par_iter().map(|item| extract_usual(item, archive, config)).collect();
        let (mut pages, mut held) = (Vec::new(), 0);
        for outcome in usual {
            // Large bodies are decoded one after another, so that with any number of threads only one is in memory.
            match outcome.unwrap_or_else(|record| Outcome::of_record(record, archive, config)) {
                Outcome::Page(entry, bytes) => {
                    held += bytes.len() + entry.identity.len();
                    pages.push((*entry, bytes));
                }
                Outcome::Skip(skip, identity) => sink.skip(skip, identity),
            }
            if held >= config.ingest.decoded_bytes {
                page_bytes += std::mem::take(&mut held);
                sink.pages(std::mem::take(&mut pages))?;
            }
        }
        page_bytes += held;
        sink.pages(pages)?;
    }
    sink.weigh(portion.bytes.max(page_bytes));
    Ok(())
}

/// The result for one record: a page, or the reason why there is none.
enum Outcome {
    Page(Box<PageEntry>, Vec<u8>),
    Skip(Skip, Option<String>),
}

impl Outcome {
    fn of_record(record: RawRecord, archive: u32, config: &Config) -> Outcome {
        match archive::capture(record, &config.archive) {
            Ok(capture) => extract_capture(capture, archive, config),
            Err(skip) => Outcome::of_skip(skip),
        }
    }

    fn of_skip(skip: Skip) -> Outcome {
        let identity = CanonicalUrl::parse(&skip.url).ok().map(|url| url.identity().to_owned());
        Outcome::Skip(skip, identity)
    }
}

/// Works on one item. A record for which [`Outcome::of_record`] may need much memory is given back.
fn extract_usual(item: Item, archive: u32, config: &Config) -> std::result::Result<Outcome, RawRecord> {
    let record = match item {
        Item::Skip(skip) => return Ok(Outcome::of_skip(skip)),
        Item::Record(record) => record,
    };
    // A line of an index contains its URL.
    if record.form != Form::Index
        && let Err(reason) = CanonicalUrl::parse(&record.url)
    {
        let RawRecord { offset, length, url, .. } = record;
        return Ok(Outcome::of_skip(Skip { reason, offset, length, url, detail: String::new() }));
    }
    Ok(match archive::capture_usual(record, &config.archive)? {
        Ok(capture) => extract_capture(capture, archive, config),
        Err(skip) => Outcome::of_skip(skip),
    })
}

fn extract_capture(mut capture: Capture, archive: u32, config: &Config) -> Outcome {
    let of_page = CanonicalUrl::parse(&capture.url)
        .map_err(|reason| (reason, String::new()))
        .and_then(|url| extract::extract(&capture, &url, &config.extract).map(|page| (url, page)));
    // The body is dropped first, since a page may take several times as much.
    capture.body = Vec::new();
    let (url, page) = match of_page {
        Ok(found) => found,
        Err((reason, detail)) => {
            let Capture { offset, length, url, .. } = capture;
            return Outcome::of_skip(Skip { reason, offset, length, url, detail });
        }
    };
    let blocks = page.blocks.iter().filter_map(|block| page.text.get(block.start as usize..block.end as usize));
    let entry = PageEntry::new(&url, &capture, &page, copies::sketch(blocks));
    Outcome::Page(Box::new(entry), encode(url.as_str(), archive, &capture, &page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SkipReason;

    #[test]
    fn a_record_becomes_a_page_or_says_why_not() {
        let text =
            "Ein kurzer Text, der lang genug ist, um eine Seite zu sein, und auf Deutsch geschrieben. ".repeat(2);
        let record = |url: &str, body: &str| RawRecord {
            url: url.to_owned(),
            content_type: Some("text/html".to_owned()),
            block: body.as_bytes().to_vec(),
            ..RawRecord::default()
        };
        let page = |url: &str, body: &str| match extract_usual(Item::Record(record(url, body)), 3, &Config::default())
            .expect("a short body")
        {
            Outcome::Page(entry, bytes) => (entry.identity.clone(), !bytes.is_empty(), None),
            Outcome::Skip(skip, identity) => (identity.unwrap_or_default(), false, Some(skip.reason)),
        };
        assert_eq!(page("https://ex.org/a#b", &text_page(&text)), ("ex.org/a".to_owned(), true, None));
        assert_eq!(page("http://ex.org/a", "<p>x"), ("ex.org/a".to_owned(), false, Some(SkipReason::ShortText)));
        assert_eq!(page("dns:ex.org", &text_page(&text)), (String::new(), false, Some(SkipReason::NotWeb)));
    }

    fn text_page(text: &str) -> String {
        format!("<html><body><p>{text}</p></body></html>")
    }
}
