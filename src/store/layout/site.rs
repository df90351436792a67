//! Site chunks: the page table of one registrable domain, in columns, sorted by URL.

use rkyv::{Archive, Serialize};

use super::{PageEntry, SkipEntry};
use crate::index::site::PageFacts;
use crate::language::letters::KINDS;
use crate::types::{Form, Lang};

/// Number of pages in a chunk; only the last chunk of a site has fewer.
pub const CHUNK_PAGES: usize = 1 << 14;

/// Some pages of one site. Kind 3. All columns have one entry a page.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct SiteChunk {
    /// URLs without scheme, end to end.
    pub identities: String,
    /// End of each URL.
    pub ends: Vec<u32>,
    /// Scheme is https.
    pub https: Vec<bool>,
    /// References to page records.
    pub pages: Vec<u64>,
    /// Milliseconds since 1970 UTC.
    pub dates: Vec<i64>,
    /// [`PageEntry::digest`].
    pub digests: Vec<u64>,
    /// Languages that occur in the chunk.
    pub langs: Vec<[u8; 8]>,
    /// Language of the text, as a position in `langs`.
    pub detected: Vec<u16>,
    /// Confidence of the detection, in 1/255.
    pub confidence: Vec<u8>,
    /// [`PageEntry::is_guess`].
    pub guesses: Vec<bool>,
    /// Declared language, as a position in `langs`.
    pub declared: Vec<u16>,
    /// Share of the letters A–Z, in 1/255.
    pub latin_share: Vec<u8>,
    /// [`PageEntry::letters`] of the pages that have them, [`KINDS`] bytes a page.
    pub letters: Vec<u8>,
    /// Where those of a page stand: 0 for none, or their place among those of the chunk, from 1.
    pub letter_places: Vec<u32>,
    /// Bytes of text.
    pub text_bytes: Vec<u32>,
    /// Hashes of titles.
    pub titles: Vec<u64>,
    /// Smallest hashes of blocks.
    pub sketches: Vec<[u32; 8]>,
    /// [`Form`].
    pub forms: Vec<u8>,
    /// [`PageEntry::links`].
    pub links: Vec<u64>,
}

/// Left-out captures of one site, sorted by URL. Kind 5.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct SkipChunk {
    /// The captures.
    pub entries: Vec<SkipEntry>,
}

/// Fills chunks with pages.
#[derive(Default)]
pub struct ChunkBuilder {
    chunk: SiteChunk,
}

impl ChunkBuilder {
    /// Adds a page; returns a chunk once it is full.
    pub fn push(&mut self, entry: &PageEntry) -> Option<SiteChunk> {
        let chunk = &mut self.chunk;
        chunk.identities.push_str(&entry.identity);
        chunk.ends.push(chunk.identities.len() as u32);
        chunk.https.push(entry.https);
        chunk.pages.push(entry.page);
        chunk.dates.push(entry.date_ms);
        chunk.digests.push(entry.digest);
        let (detected, declared) = (self.lang(entry.detected), self.lang(entry.declared));
        let chunk = &mut self.chunk;
        chunk.detected.push(detected);
        chunk.declared.push(declared);
        let share = |share: f32| (share.clamp(0.0, 1.0) * 255.0).round() as u8;
        chunk.confidence.push(share(entry.confidence));
        chunk.guesses.push(entry.is_guess);
        chunk.latin_share.push(share(entry.latin_share));
        let has_letters = entry.letters.len() == KINDS;
        if has_letters {
            chunk.letters.extend_from_slice(&entry.letters);
        }
        chunk.letter_places.push(if has_letters { (chunk.letters.len() / KINDS) as u32 } else { 0 });
        chunk.text_bytes.push(entry.text_bytes);
        chunk.titles.push(entry.title);
        chunk.sketches.push(entry.sketch);
        chunk.forms.push(entry.form);
        chunk.links.push(entry.links);
        (chunk.ends.len() == CHUNK_PAGES).then(|| std::mem::take(chunk))
    }

    /// The last chunk, if any page is left.
    pub fn finish(self) -> Option<SiteChunk> {
        (!self.chunk.ends.is_empty()).then_some(self.chunk)
    }

    fn lang(&mut self, lang: [u8; 8]) -> u16 {
        let langs = &mut self.chunk.langs;
        let at = langs.iter().position(|&known| known == lang).unwrap_or_else(|| {
            langs.push(lang);
            langs.len() - 1
        });
        at as u16
    }
}

impl ArchivedSiteChunk {
    /// How many pages the chunk has; `None` where the columns differ in length.
    pub fn count(&self) -> Option<usize> {
        let columns = [
            self.https.len(),
            self.pages.len(),
            self.dates.len(),
            self.digests.len(),
            self.detected.len(),
            self.confidence.len(),
            self.guesses.len(),
            self.declared.len(),
            self.latin_share.len(),
            self.letter_places.len(),
            self.text_bytes.len(),
            self.titles.len(),
            self.sketches.len(),
            self.forms.len(),
            self.links.len(),
        ];
        columns.iter().all(|&length| length == self.ends.len()).then_some(self.ends.len())
    }

    /// URL of a page, without scheme.
    pub fn identity(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1].to_native() as usize };
        self.identities.get(start..self.ends[at].to_native() as usize).unwrap_or("")
    }

    fn lang(&self, at: u16) -> Lang {
        self.langs.get(usize::from(at)).map_or(Lang::UNKNOWN, |&bytes| Lang::from_bytes(bytes))
    }

    /// Detected language of a page.
    pub fn detected(&self, at: usize) -> Lang {
        self.lang(self.detected[at].to_native())
    }

    /// The facts about a page that key discovery uses.
    pub fn facts(&self, at: usize) -> PageFacts {
        PageFacts {
            detected: self.detected(at),
            confidence: f32::from(self.confidence[at]) / 255.0,
            is_guess: self.guesses[at],
            declared: self.lang(self.declared[at].to_native()),
            latin_share: f32::from(self.latin_share[at]) / 255.0,
            text_bytes: self.text_bytes[at].to_native(),
            title: self.titles[at].to_native(),
            sketch: self.sketches[at].map(|hash| hash.to_native()),
            form: self.form(at),
        }
    }

    /// Counts of the letters of a page; empty where there are none.
    pub fn letters(&self, at: usize) -> &[u8] {
        let place = self.letter_places[at].to_native() as usize;
        place.checked_sub(1).and_then(|at| self.letters.get(at * KINDS..(at + 1) * KINDS)).unwrap_or(&[])
    }

    /// Reference to the page record with the links of a page.
    pub fn link_record(&self, at: usize) -> u64 {
        match self.links[at].to_native() {
            0 => self.pages[at].to_native(),
            links => links,
        }
    }

    /// The form of a page.
    pub fn form(&self, at: usize) -> Form {
        Form::from_code(self.forms[at])
    }

    /// The page as an entry, to be merged with newer captures.
    pub fn entry(&self, at: usize) -> PageEntry {
        let facts = self.facts(at);
        PageEntry {
            identity: self.identity(at).to_owned(),
            https: self.https[at],
            form: self.forms[at],
            page: self.pages[at].to_native(),
            date_ms: self.dates[at].to_native(),
            digest: self.digests[at].to_native(),
            text_bytes: facts.text_bytes,
            title: facts.title,
            sketch: facts.sketch,
            detected: facts.detected.to_bytes(),
            confidence: facts.confidence,
            is_guess: facts.is_guess,
            declared: facts.declared.to_bytes(),
            latin_share: facts.latin_share,
            letters: self.letters(at).to_vec(),
            links: self.links[at].to_native(),
        }
    }
}
