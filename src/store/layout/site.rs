//! Site chunks: the page table of one registrable domain, in columns, sorted by URL.

use rkyv::{Archive, Serialize};

use super::{PageEntry, SkipEntry};
use crate::index::site::PageFacts;
use crate::language::letters::KINDS;
use crate::store::records::RecordRef;
use crate::types::{Form, Lang, OptOuts, Signals, Translated, TranslationMark};

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
    /// Where the letters of each page stand in `letters`: 0 for a page that has none, else the place of the page among those that have
    /// some, counted from 1.
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
    /// What pages say of themselves, in the order of the pages. Most pages say nothing, and have no row.
    pub signals: Vec<SignalRow>,
    /// URLs of licences that they name, each once.
    pub licenses: Vec<String>,
}

/// What one page of a chunk says of itself.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct SignalRow {
    /// Its place in the chunk.
    pub at: u16,
    /// [`PageEntry::opt_outs`].
    pub opt_outs: u16,
    /// Position of its licence in `licenses`, from 1; 0: it names none.
    pub license: u16,
    /// [`PageEntry::translated`].
    pub mark: u8,
    /// [`PageEntry::original`].
    pub original: [u8; 8],
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
        self.add_signals(entry);
        let chunk = &mut self.chunk;
        (chunk.ends.len() == CHUNK_PAGES).then(|| std::mem::take(chunk))
    }

    /// Notes what the page that was added last says of itself.
    fn add_signals(&mut self, entry: &PageEntry) {
        if (entry.translated, entry.opt_outs) == (0, 0) && entry.license.is_empty() {
            return;
        }
        let chunk = &mut self.chunk;
        let license = if entry.license.is_empty() {
            0
        } else {
            let known = chunk.licenses.iter().position(|known| *known == entry.license);
            known.unwrap_or_else(|| {
                chunk.licenses.push(entry.license.clone());
                chunk.licenses.len() - 1
            }) + 1
        };
        chunk.signals.push(SignalRow {
            // A chunk has fewer pages than a `u16` counts.
            at: (chunk.ends.len() - 1) as u16,
            opt_outs: entry.opt_outs,
            license: license as u16,
            mark: entry.translated,
            original: entry.original,
        });
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

    /// The record of a page.
    pub fn page(&self, at: usize) -> RecordRef {
        RecordRef(self.pages[at].to_native())
    }

    /// The record that has the links of a page, where that is another one; else 0.
    pub fn links_of(&self, at: usize) -> u64 {
        self.links[at].to_native()
    }

    /// When a page was captured, in milliseconds since 1970 UTC.
    pub fn date_ms(&self, at: usize) -> i64 {
        self.dates[at].to_native()
    }

    /// Hash of what extraction took out of a page.
    pub fn digest(&self, at: usize) -> u64 {
        self.digests[at].to_native()
    }

    /// Bytes of the text of a page.
    pub fn bytes_of_text(&self, at: usize) -> u32 {
        self.text_bytes[at].to_native()
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

    /// What a page says of itself.
    pub fn signals(&self, at: usize) -> Signals {
        let Ok(row) = self.signals.binary_search_by_key(&at, |row| usize::from(row.at.to_native())) else {
            return Signals::default();
        };
        let row = &self.signals[row];
        let mark = TranslationMark::from_code(row.mark);
        let license = usize::from(row.license.to_native()).checked_sub(1).and_then(|at| self.licenses.get(at));
        Signals {
            translated: mark.map(|mark| Translated { mark, from: Lang::from_bytes(row.original) }),
            opt_outs: OptOuts::from_code(row.opt_outs.to_native()),
            license: license.map_or_else(String::new, |license| license.to_string()),
        }
    }

    /// The directives by which the owner of a page opts out, and whether the page has a mark of machine translation.
    pub fn signs(&self, at: usize) -> (OptOuts, bool) {
        match self.signals.binary_search_by_key(&at, |row| usize::from(row.at.to_native())) {
            Ok(row) => (OptOuts::from_code(self.signals[row].opt_outs.to_native()), self.signals[row].mark != 0),
            Err(_) => (OptOuts::default(), false),
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
        let mut entry = PageEntry {
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
            ..PageEntry::default()
        };
        entry.set_signals(&self.signals(at));
        entry
    }
}
