//! Batch records: what one commit of ingestion read, and from which position to which. The archive's progress can be rebuilt from them.

use rkyv::{Archive, Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::store::packing::unpack;
use crate::types::{CanonicalUrl, Capture, Lang, Page, Signals};

/// One batch of records of one archive. Kind 2.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct BatchRecord {
    /// Number of the archive.
    pub archive: u32,
    /// Identity of the archive; the same in all its batches.
    pub identity: ArchiveIdentity,
    /// Position in the archive where the batch begins.
    pub from: u64,
    /// Position where it ends.
    pub to: u64,
    /// True when the archive ends there.
    pub done: bool,
    /// Records read.
    pub records: u64,
    /// Code of each reason for which captures were left out, and how many there were.
    pub skips: Vec<(u8, u64)>,
    /// A few of the captures that were left out.
    pub samples: Vec<SkipSample>,
    /// Pages, in the order of the archive.
    pub pages: Vec<PageEntry>,
    /// Left-out captures that have a web URL.
    pub skipped: Vec<SkipEntry>,
}

/// Tells an archive from all others.
#[derive(
    Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize,
)]
pub struct ArchiveIdentity {
    /// Where it was when it was read.
    pub path: String,
    /// Name of its format.
    pub format: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Hash of its bytes; of a folder, of the names and bytes of its files.
    pub fingerprint: u64,
}

/// One left-out record, for `status`.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct SkipSample {
    /// Code of the reason.
    pub reason: u8,
    /// Where the record begins in the archive.
    pub offset: u64,
    /// Details of what was found.
    pub detail: String,
}

/// One page as indexing sees it.
#[derive(Archive, Serialize, Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct PageEntry {
    /// URL without scheme.
    pub identity: String,
    /// Scheme is https.
    pub https: bool,
    /// [`crate::types::Form`].
    pub form: u8,
    /// Reference to its page record.
    pub page: u64,
    /// Milliseconds since 1970 UTC.
    pub date_ms: i64,
    /// Hash of its text, title and links. It decides which of two captures of the same instant is kept, so that their order does not.
    pub digest: u64,
    /// Bytes of text.
    pub text_bytes: u32,
    /// Hash of its title.
    pub title: u64,
    /// Smallest hashes of its blocks.
    pub sketch: [u32; 8],
    /// Language detected in the text.
    pub detected: [u8; 8],
    /// Confidence of that detection.
    pub confidence: f32,
    /// That language was guessed among those that are known.
    pub is_guess: bool,
    /// Language that the page declares; `und`: none.
    pub declared: [u8; 8],
    /// Share of the letters A–Z among all letters of the text.
    pub latin_share: f32,
    /// Which letters stand beside each other in its text ([`crate::language::letters::count`]); empty where that is not asked.
    pub letters: Vec<u8>,
    /// Reference to the page record with the links, for a page whose own record has only text; 0: the page's own record.
    pub links: u64,
    /// Code of the mark by which it is known to be translated by a machine; 0: there is none.
    pub translated: u8,
    /// Language of the original according to that mark.
    pub original: [u8; 8],
    /// Directives by which it opts out of uses ([`crate::types::OptOuts`]).
    pub opt_outs: u16,
    /// URL of its licence; empty: it names none.
    pub license: String,
}

/// One left-out capture, for `explain`.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SkipEntry {
    /// URL without scheme.
    pub identity: String,
    /// Code of the reason.
    pub reason: u8,
    /// Details of what was found.
    pub detail: String,
    /// Number of the archive.
    pub archive: u32,
    /// Where it begins in the archive.
    pub offset: u64,
    /// Length of the record in the archive, in bytes.
    pub length: u64,
    /// What a sitemap declares: its groups of versions ([`crate::extract::sitemap::groups`]), packed; empty where it declares nothing, and
    /// for all other captures.
    pub declared: Vec<u8>,
}

impl SkipEntry {
    /// What a sitemap declares, as text; `None` where it declares nothing, or the bytes make no sense.
    pub fn declared(&self) -> Option<String> {
        if self.declared.is_empty() {
            return None;
        }
        String::from_utf8(unpack(&self.declared)?.to_vec()).ok()
    }
}

impl PageEntry {
    /// The entry of a page that was extracted from `capture`; `sketch`: smallest hashes of its blocks.
    pub fn new(url: &CanonicalUrl, capture: &Capture, page: &Page, sketch: [u32; 8]) -> PageEntry {
        let declared = page.declared.first().copied().unwrap_or(Lang::UNKNOWN);
        let mut entry = PageEntry {
            form: capture.form as u8,
            identity: url.identity().to_owned(),
            https: url.is_https(),
            date_ms: capture.date_ms,
            text_bytes: u32::try_from(page.text.len()).unwrap_or(u32::MAX),
            title: xxhash_rust::xxh3::xxh3_64(page.title.as_bytes()),
            sketch,
            detected: page.detected.to_bytes(),
            confidence: page.confidence,
            is_guess: page.is_guess,
            declared: declared.to_bytes(),
            latin_share: page.latin_share,
            letters: page.letters.clone(),
            ..PageEntry::default()
        };
        entry.set_signals(&page.signals);
        let mut hasher = Xxh3::new();
        hasher.update(&[u8::from(entry.https)]);
        hasher.update(page.text.as_bytes());
        hasher.update(page.title.as_bytes());
        hasher.update(&entry.declared);
        for link in &page.links {
            hasher.update(link.url.as_bytes());
        }
        if let Some(pointer) = &capture.pointer {
            hasher.update(pointer.file.as_bytes());
            hasher.update(&pointer.offset.to_le_bytes());
        }
        entry.digest = hasher.digest();
        entry
    }

    /// Notes what a page says of itself.
    pub fn set_signals(&mut self, signals: &Signals) {
        self.translated = signals.translated.map_or(0, |translated| translated.mark as u8);
        self.original = signals.translated.map_or(Lang::UNKNOWN, |translated| translated.from).to_bytes();
        self.opt_outs = signals.opt_outs.code();
        self.license.clone_from(&signals.license);
    }
}

impl ArchivedBatchRecord {
    /// Identity of the archive.
    pub fn identity(&self) -> ArchiveIdentity {
        ArchiveIdentity {
            path: self.identity.path.to_string(),
            format: self.identity.format.to_string(),
            bytes: self.identity.bytes.to_native(),
            fingerprint: self.identity.fingerprint.to_native(),
        }
    }

    /// The record by itself: without pages, without captures that were left out, and without samples of them.
    pub fn head(&self) -> BatchRecord {
        BatchRecord {
            archive: self.archive.to_native(),
            identity: self.identity(),
            from: self.from.to_native(),
            to: self.to.to_native(),
            done: self.done,
            records: self.records.to_native(),
            skips: self.skips.iter().map(|skip| (skip.0, skip.1.to_native())).collect(),
            ..BatchRecord::default()
        }
    }

    /// Some of the captures that were left out.
    pub fn samples(&self) -> impl Iterator<Item = SkipSample> {
        self.samples.iter().map(|sample| SkipSample {
            reason: sample.reason,
            offset: sample.offset.to_native(),
            detail: sample.detail.to_string(),
        })
    }
}

impl ArchivedPageEntry {
    /// The entry, owned.
    pub fn to_owned(&self) -> PageEntry {
        PageEntry {
            identity: self.identity.to_string(),
            https: self.https,
            form: self.form,
            page: self.page.to_native(),
            date_ms: self.date_ms.to_native(),
            digest: self.digest.to_native(),
            text_bytes: self.text_bytes.to_native(),
            title: self.title.to_native(),
            sketch: self.sketch.map(|hash| hash.to_native()),
            detected: self.detected,
            confidence: self.confidence.to_native(),
            is_guess: self.is_guess,
            declared: self.declared,
            latin_share: self.latin_share.to_native(),
            letters: self.letters.to_vec(),
            links: self.links.to_native(),
            translated: self.translated,
            original: self.original,
            opt_outs: self.opt_outs.to_native(),
            license: self.license.to_string(),
        }
    }
}

impl ArchivedSkipEntry {
    /// The entry, owned.
    pub fn to_owned(&self) -> SkipEntry {
        SkipEntry {
            identity: self.identity.to_string(),
            reason: self.reason,
            detail: self.detail.to_string(),
            archive: self.archive.to_native(),
            offset: self.offset.to_native(),
            length: self.length.to_native(),
            declared: self.declared.to_vec(),
        }
    }
}
