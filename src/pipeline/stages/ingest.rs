//! Archives → page records and batches. Unit of work: a portion of records of one archive.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rayon::prelude::*;

use crate::archive::{self, Item};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::extract;
use crate::keys::copies;
use crate::pipeline::{Context, Stage, fingerprint};
use crate::store::Store;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::{
    ArchiveIdentity, ArchiveRecord, BatchRecord, PageEntry, PageRecord, SkipEntry, SkipSample, StageRecord, encode,
};
use crate::types::{ArchiveId, CanonicalUrl, Capture, Form, Lang, RawRecord, Skip, SkipReason, host_of};

/// Archives → pages.
pub struct Ingest;

/// So many lines of an index count as one record.
const LINES: usize = 64;
/// Samples of one reason kept of a batch.
const SAMPLES: usize = 8;

impl Stage for Ingest {
    fn name(&self) -> &'static str {
        "ingest"
    }

    fn version(&self) -> u32 {
        2
    }

    fn sections(&self) -> &'static [&'static str] {
        &["archive", "extract"]
    }

    fn remaining(&self, store: &Store, _: &Config) -> Result<String> {
        let partial =
            store.archives()?.iter().filter(|archive| !archive.done && !archive.identity.path.is_empty()).count();
        Ok(if partial == 0 { String::new() } else { format!("{partial} archives read in part") })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let mut changes = Changes::default();
        let record = StageRecord { fingerprint: fingerprint(self, context.config), cursor: 0, finished: true };
        if store.stage(self.name())? != record {
            changes.put(Keyspace::Stage, self.name().as_bytes(), &record);
            store.commit(changes)?;
        }
        for (at, path) in context.inputs.iter().enumerate() {
            let place = format!("{} ({} of {})", path.display(), at + 1, context.inputs.len());
            ingest_archive(store, context, path, &place)?;
        }
        Ok(())
    }
}

fn ingest_archive(store: &mut Store, context: &Context<'_>, path: &Path, place: &str) -> Result<()> {
    let identity = identify(path)?;
    let (number, mut known) = match store.archive_by_fingerprint(identity.fingerprint)? {
        Some(id) => (id.0, store.archive(id)?.unwrap_or_default()),
        None => (store.archive_count()?, ArchiveRecord::default()),
    };
    if known.done {
        return Ok(());
    }
    let mut source = archive::open(path, known.position, &context.config.archive)?;
    context.observer.begin("ingest", place, "bytes", source.end());
    let config = context.config;
    let (send, receive) = sync_channel(1);
    std::thread::scope(|scope| -> Result<()> {
        let reader = scope.spawn(move || read_portions(source.as_mut(), config, &send));
        let mut batch = Batch::new(number, identity, known.position);
        let outcome = take_portions(store, context, &receive, &mut batch, &mut known);
        // The reader stops at its next portion when nobody receives.
        drop(receive);
        let read = reader
            .join()
            .unwrap_or_else(|_| Err(Error::input(place, "reading this archive failed in an unforeseen way")));
        outcome.and(read)
    })
}

fn identify(path: &Path) -> Result<ArchiveIdentity> {
    let format = archive::format_of(path)?.name().to_owned();
    let archive::Identity { path, bytes, fingerprint } = archive::identify(path)?;
    Ok(ArchiveIdentity { path: path.display().to_string(), format, bytes, fingerprint })
}

/// Records of an archive that are extracted together.
#[derive(Default)]
struct Portion {
    items: Vec<Item>,
    bytes: usize,
    /// Position behind it.
    to: u64,
    done: bool,
}

fn read_portions(source: &mut dyn archive::Archive, config: &Config, send: &SyncSender<Portion>) -> Result<()> {
    loop {
        let mut portion = Portion::default();
        // A line of an index is no work to speak of.
        let mut lines = 0;
        while portion.bytes < config.ingest.portion_bytes
            && portion.items.len() < config.ingest.portion_records + lines - lines / LINES
        {
            let Some(item) = source.next()? else {
                portion.done = true;
                break;
            };
            portion.bytes += item.bytes();
            lines += usize::from(matches!(&item, Item::Record(record) if record.form == Form::Index));
            portion.items.push(item);
        }
        portion.to = source.position();
        let done = portion.done;
        if send.send(portion).is_err() || done {
            return Ok(());
        }
    }
}

fn take_portions(
    store: &mut Store,
    context: &Context<'_>,
    receive: &Receiver<Portion>,
    batch: &mut Batch,
    known: &mut ArchiveRecord,
) -> Result<()> {
    // Ends early when the reader failed; its error is reported by the caller.
    while let Ok(portion) = receive.recv() {
        batch.take(store, context, portion)?;
        let stop = context.check_stop();
        if batch.record.done || stop.is_err() || batch.bytes >= context.config.ingest.commit_bytes {
            batch.commit(store, known)?;
            stop?;
        }
        context.observer.progress(batch.record.to, &format!("{} pages", known.pages + batch.record.pages.len() as u64));
    }
    if batch.record.done { Ok(()) } else { batch.commit(store, known) }
}

/// What is gathered for one commit.
struct Batch {
    record: BatchRecord,
    skips: BTreeMap<SkipReason, u64>,
    bytes: usize,
}

/// One record, worked on: a page, or the reason there is none.
enum Outcome {
    Page(Box<PageEntry>, Vec<u8>),
    Skip(Skip, Option<String>),
}

impl Batch {
    fn new(archive: u32, identity: ArchiveIdentity, from: u64) -> Batch {
        let record = BatchRecord { archive, identity, from, to: from, ..BatchRecord::default() };
        Batch { record, skips: BTreeMap::new(), bytes: 0 }
    }

    fn take(&mut self, store: &mut Store, context: &Context<'_>, portion: Portion) -> Result<()> {
        self.record.to = portion.to;
        self.record.done = portion.done;
        self.record.records += portion.items.len() as u64;
        let (archive, config) = (self.record.archive, context.config);
        let mut page_bytes = 0;
        for share in archive::shares(portion.items, config.ingest.decoded_bytes, &config.archive) {
            let usual: Vec<_> = share.into_par_iter().map(|item| extract_usual(item, archive, config)).collect();
            let (mut entries, mut texts, mut held) = (Vec::new(), Vec::new(), 0);
            for outcome in usual {
                // Large ones take their turns, so that no number of threads holds several.
                match outcome.unwrap_or_else(|record| Outcome::of_record(record, archive, config)) {
                    Outcome::Page(entry, bytes) => {
                        held += bytes.len() + entry.identity.len();
                        entries.push(*entry);
                        texts.push(bytes);
                    }
                    Outcome::Skip(skip, identity) => self.skip(skip, identity),
                }
                if held >= config.ingest.decoded_bytes {
                    page_bytes += std::mem::take(&mut held);
                    self.append(store, &mut entries, &mut texts)?;
                }
            }
            page_bytes += held;
            self.append(store, &mut entries, &mut texts)?;
        }
        self.bytes += portion.bytes.max(page_bytes);
        Ok(())
    }

    fn append(&mut self, store: &mut Store, entries: &mut Vec<PageEntry>, texts: &mut Vec<Vec<u8>>) -> Result<()> {
        let pages = entries.iter().map(|entry| host_of(&entry.identity)).zip(texts.iter().map(Vec::as_slice)).collect();
        let places = store.append_pages(pages)?;
        entries.iter_mut().zip(places).for_each(|(entry, at)| entry.page = at.0);
        self.record.pages.append(entries);
        texts.clear();
        Ok(())
    }

    fn skip(&mut self, skip: Skip, identity: Option<String>) {
        let count = self.skips.entry(skip.reason).or_default();
        *count += 1;
        let code = skip.reason as u8;
        if *count <= SAMPLES as u64 {
            let detail =
                if skip.url.is_empty() { skip.detail.clone() } else { format!("{} {}", skip.url, skip.detail) };
            self.record.samples.push(SkipSample { reason: code, offset: skip.offset, detail });
        }
        if let Some(identity) = identity.filter(|_| skip.reason.is_of_page()) {
            let (offset, length, archive) = (skip.offset, skip.length, self.record.archive);
            self.record.skipped.push(SkipEntry {
                identity,
                reason: code,
                detail: skip.detail,
                archive,
                offset,
                length,
            });
        }
    }

    /// Makes the batch durable and begins the next one.
    fn commit(&mut self, store: &mut Store, known: &mut ArchiveRecord) -> Result<()> {
        if self.record.records == 0 && !self.record.done {
            return Ok(());
        }
        self.record.skips = self.skips.iter().map(|(&reason, &count)| (reason as u8, count)).collect();
        let at = store.batches.append(&self.record)?;
        store.batches.sync()?;
        store.pages.sync()?;
        crate::store::add_batch(known, &*store.batches.read(at)?);
        let mut changes = Changes::default();
        changes.put(Keyspace::Archive, &self.record.archive.to_be_bytes(), known);
        changes.put(Keyspace::Fingerprint, &self.record.identity.fingerprint.to_be_bytes(), &self.record.archive);
        if self.record.done {
            store.regain(ArchiveId(self.record.archive), &mut changes)?;
        }
        store.commit(changes)?;
        let next = Batch::new(self.record.archive, self.record.identity.clone(), self.record.to);
        let done = self.record.done;
        *self = next;
        self.record.done = done;
        Ok(())
    }
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

/// Works on one item; gives a record back that [`Outcome::of_record`] may need a lot of memory for.
fn extract_usual(item: Item, archive: u32, config: &Config) -> std::result::Result<Outcome, RawRecord> {
    let record = match item {
        Item::Skip(skip) => return Ok(Outcome::of_skip(skip)),
        Item::Record(record) => record,
    };
    // The URL of a line is inside it.
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
    // A page may take several times its body.
    capture.body = Vec::new();
    let (url, page) = match of_page {
        Ok(found) => found,
        Err((reason, detail)) => {
            let Capture { offset, length, url, .. } = capture;
            return Outcome::of_skip(Skip { reason, offset, length, url, detail });
        }
    };
    let blocks = page.blocks.iter().filter_map(|block| page.text.get(block.start as usize..block.end as usize));
    let entry = PageEntry {
        digest: extract::digest(&url, &capture, &page),
        form: capture.form as u8,
        identity: url.identity().to_owned(),
        https: url.is_https(),
        date_ms: capture.date_ms,
        text_bytes: u32::try_from(page.text.len()).unwrap_or(u32::MAX),
        title: xxhash_rust::xxh3::xxh3_64(page.title.as_bytes()),
        sketch: copies::sketch(blocks),
        detected: page.detected.to_bytes(),
        confidence: page.confidence,
        declared: page.declared.first().copied().unwrap_or(Lang::UNKNOWN).to_bytes(),
        latin_share: page.latin_share,
        ..PageEntry::default()
    };
    Outcome::Page(Box::new(entry), encode(&PageRecord::new(url.as_str(), archive, &capture, page)))
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
