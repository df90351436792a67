//! Records of an archive → pages in the form in which the store keeps them.
//!
//! [`take`] works on a portion of records with all cores, and gives the pages, and the captures that are left out, to a [`Sink`]: a batch
//! of a store, or rows for an engine. `contents.rs` says what an archive holds, without a store. If the user has a program for the
//! languages of texts, it is asked about some pages of a share while others are extracted.

pub mod contents;

use rayon::prelude::*;

use crate::archive::{self, Item, Portion};
use crate::config::Config;
use crate::copies;
use crate::error::{Error, Result};
use crate::extract;
use crate::language::asked::Answer;
use crate::program::{Program, Stop, html_of_pdf};
use crate::store::layout::{PageEntry, encode};
use crate::store::pack;
use crate::types::{CanonicalUrl, Capture, Form, Page, RawRecord, Skip, SkipReason};

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
    /// Reports that something was left out. `identity` is its URL without scheme, if it has one; `declared` is what a sitemap declares, as
    /// [`SkipEntry::declared`](crate::store::layout::SkipEntry::declared).
    fn skip(&mut self, skip: Skip, identity: Option<String>, declared: Vec<u8>);
    /// Reports how many bytes of records were read, or of pages where these are more.
    fn weigh(&mut self, bytes: usize);
}

/// The language program, and how to stop waiting for it.
pub struct Asking<'a> {
    /// The program.
    pub program: &'a mut Program<Answer>,
    /// Says that the user wants to stop.
    pub stop: Stop<'a>,
}

/// Works on the records of a portion, and passes on the pages in them. The languages of their texts are detected, or the program tells them.
/// `worked` is called for each record once it is worked on, by any thread.
///
/// # Errors
/// Errors of the sink and of the program.
pub fn take(
    sink: &mut dyn Sink,
    config: &Config,
    mut asking: Option<Asking<'_>>,
    portion: Portion,
    worked: &(dyn Fn() + Sync),
) -> Result<()> {
    sink.records(portion.items.len() as u64, portion.to, portion.done);
    let archive = sink.archive();
    let mut page_bytes = 0;
    for share in archive::shares(portion.items, config.ingest.decoded_bytes, &config.archive) {
        let usual = extract_share(share, Records { archive, config, program: None }, &mut asking, worked)?;
        let (mut pages, mut held) = (Vec::new(), 0);
        for outcome in usual {
            // Large bodies are decoded one after another, so that with any number of threads only one is in memory.
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(record) => extract_large(*record, archive, config, &mut asking)?,
            };
            match outcome {
                Outcome::Page(entry, bytes) => {
                    held += bytes.len() + entry.identity.len();
                    pages.push((*entry, bytes));
                }
                Outcome::Skip(skip, identity) => sink.skip(skip, identity, Vec::new()),
                Outcome::Sitemap(skip, identity, groups) => {
                    let declared =
                        if groups.is_empty() { Vec::new() } else { pack(groups.as_bytes()).map_err(short)? };
                    held += declared.len();
                    sink.skip(skip, Some(identity), declared);
                }
                Outcome::Untold(_) => unreachable!("the program has told it"),
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

fn short(error: std::io::Error) -> Error {
    Error::io("memory", "compressing what a sitemap declares")(error)
}

/// The result for one record: a page, or the reason why there is none.
enum Outcome {
    Page(Box<PageEntry>, Vec<u8>),
    /// A page for whose language the program is asked.
    Untold(Box<Untold>),
    Skip(Skip, Option<String>),
    /// A sitemap, its URL without scheme, and the groups of versions that it declares.
    Sitemap(Skip, String, String),
}

type Usual = std::result::Result<Outcome, Box<RawRecord>>;

/// Works on a share of the items; those that may need much memory are given back.
fn extract_share(
    share: Vec<Item>,
    from: Records<'_>,
    asking: &mut Option<Asking<'_>>,
    worked: &(dyn Fn() + Sync),
) -> Result<Vec<Usual>> {
    let extracted = |from: Records<'_>| -> Vec<Usual> {
        let each = |item| {
            let outcome = from.usual(item);
            worked();
            outcome
        };
        share.into_par_iter().map(each).collect()
    };
    let Some(Asking { program, stop }) = asking else { return Ok(extracted(from)) };
    program.check()?;
    // The program works on the first pages while others are extracted.
    let Records { archive, config, .. } = from;
    let untold = extracted(Records { program: Some(program), ..from });
    let answers = program.answers(*stop)?;
    let told = |outcome: Usual| outcome.map(|outcome| outcome.told(&answers, archive, config));
    Ok(untold.into_par_iter().map(told).collect())
}

fn extract_large(record: RawRecord, archive: u32, config: &Config, asking: &mut Option<Asking<'_>>) -> Result<Outcome> {
    let program = asking.as_ref().map(|asking| &*asking.program);
    let outcome = Records { archive, config, program }.record(record);
    let Some(Asking { program, stop }) = asking else { return Ok(outcome) };
    Ok(outcome.told(&program.answers(*stop)?, archive, config))
}

impl Outcome {
    fn of_skip(skip: Skip) -> Outcome {
        let identity = CanonicalUrl::parse(&skip.url).ok().map(|url| url.identity().to_owned());
        Outcome::Skip(skip, identity)
    }

    fn of_page(url: &CanonicalUrl, capture: &Capture, page: &Page, archive: u32) -> Outcome {
        let blocks = page.blocks.iter().filter_map(|block| page.text.get(block.start as usize..block.end as usize));
        let entry = PageEntry::new(url, capture, page, copies::sketch(blocks));
        Outcome::Page(Box::new(entry), encode(url.as_str(), archive, capture, page))
    }

    /// The outcome for the record, with the answers of the program.
    fn told(self, answers: &[Answer], archive: u32, config: &Config) -> Outcome {
        let Outcome::Untold(untold) = self else { return self };
        let Untold { url, capture, page, asked } = *untold;
        let asked = asked.as_ref().map(|(number, line)| (line.as_str(), answers[*number]));
        let page = page.told(asked, config.ingest.min_probability as f32, &config.extract);
        Outcome::of_page(&url, &capture, &page, archive)
    }
}

/// A page whose language the program tells.
struct Untold {
    url: CanonicalUrl,
    capture: Capture,
    page: extract::Untold,
    /// The number of the question, and the question, if there is one.
    asked: Option<(usize, String)>,
}

/// An archive, and how its records are worked on.
struct Records<'f> {
    archive: u32,
    config: &'f Config,
    program: Option<&'f Program<Answer>>,
}

impl Records<'_> {
    /// Works on one item. A record for which [`Records::record`] may need much memory is given back.
    fn usual(&self, item: Item) -> Usual {
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
        Ok(self.captured(archive::capture_usual(record, &self.config.archive)?))
    }

    fn record(&self, record: RawRecord) -> Outcome {
        self.captured(archive::capture(record, &self.config.archive))
    }

    /// Puts HTML in place of PDF.
    fn without_pdf(&self, capture: &mut Capture) -> std::result::Result<(), String> {
        let Some(reader) = &self.config.archive.pdf_reader else { return Ok(()) };
        if capture.form == Form::Page && capture.content_type.as_deref().is_some_and(archive::is_pdf_type) {
            capture.body = html_of_pdf(reader, &capture.body)?;
            capture.content_type = Some("text/html; charset=utf-8".to_owned());
        }
        Ok(())
    }

    fn captured(&self, captured: std::result::Result<Capture, Skip>) -> Outcome {
        captured.map_or_else(Outcome::of_skip, |capture| self.capture(capture))
    }

    fn capture(&self, mut capture: Capture) -> Outcome {
        enum Read<'p> {
            Told(Page),
            Untold(extract::Untold, &'p Program<Answer>),
        }
        let params = &self.config.extract;
        if capture.is_sitemap
            && let Ok(url) = CanonicalUrl::parse(&capture.url)
        {
            let sitemap = extract::sitemap::read(&capture.body, &url);
            let Capture { offset, length, url: written, .. } = capture;
            let (reason, detail) = (SkipReason::Sitemap, sitemap.in_words());
            let skip = Skip { reason, offset, length, url: written, detail };
            return Outcome::Sitemap(skip, url.identity().to_owned(), sitemap.groups);
        }
        let read = CanonicalUrl::parse(&capture.url).map_err(|reason| (reason, String::new())).and_then(|url| {
            self.without_pdf(&mut capture).map_err(|problem| (SkipReason::BadPdf, problem))?;
            let read = match self.program {
                None => Read::Told(extract::extract(&capture, &url, params)?),
                Some(program) => Read::Untold(extract::untold(&capture, &url, params)?, program),
            };
            Ok((url, read))
        });
        // The body is dropped first, since a page may take several times as much.
        capture.body = Vec::new();
        match read {
            Ok((url, Read::Told(page))) => Outcome::of_page(&url, &capture, &page, self.archive),
            Ok((url, Read::Untold(page, program))) => {
                let asked = page.question(params).map(|line| (program.ask(&line, url.as_str()), line));
                Outcome::Untold(Box::new(Untold { url, capture, page, asked }))
            }
            Err((reason, detail)) => {
                let Capture { offset, length, url, .. } = capture;
                Outcome::of_skip(Skip { reason, offset, length, url, detail })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let config = Config::default();
        let from = Records { archive: 3, config: &config, program: None };
        let page = |url: &str, body: &str| match from.usual(Item::Record(record(url, body))).expect("a short body") {
            Outcome::Page(entry, bytes) => (entry.identity.clone(), !bytes.is_empty(), None),
            Outcome::Skip(skip, identity) => (identity.unwrap_or_default(), false, Some(skip.reason)),
            Outcome::Untold(_) => panic!("there is no program"),
            Outcome::Sitemap(skip, identity, groups) => (identity, !groups.is_empty(), Some(skip.reason)),
        };
        assert_eq!(page("https://ex.org/a#b", &text_page(&text)), ("ex.org/a".to_owned(), true, None));
        assert_eq!(page("http://ex.org/a", "<p>x"), ("ex.org/a".to_owned(), false, Some(SkipReason::ShortText)));
        let link = "<link rel='alternate' hreflang='fr' href='http://ex.org/fr'/>";
        let sitemap = format!("<urlset><url><loc>http://ex.org/a</loc>{link}</url></urlset>");
        assert_eq!(page("http://ex.org/s.xml", &sitemap), ("ex.org/s.xml".to_owned(), true, Some(SkipReason::Sitemap)));
        assert_eq!(page("dns:ex.org", &text_page(&text)), (String::new(), false, Some(SkipReason::NotWeb)));
    }

    fn text_page(text: &str) -> String {
        format!("<html><body><p>{text}</p></body></html>")
    }
}
