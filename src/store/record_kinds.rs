//! The record files of a store: one line a kind.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::access::{Access, LOCK};
use super::catalog::Catalog;
use super::check_file::{FileReport, is_page_block, is_record};
use super::corrections::CorrectionFile;
use super::disk;
use super::kept_blocks::{KeptBlocks, PAGE_BYTES};
use super::layout::*;
use super::records::{RecordFile, RecordRef, START};
use super::removed::Removed;
use super::rewriting::{Damaged, Kept};
use super::seals::check_seal;
use super::seen::Seen;
use super::survey_damage::Survey;
use super::token_index::TokenIndex;
use super::view::Publisher;
use super::witness::Witness;
use crate::corrections::Corrections;
use crate::error::{Error, Result};

macro_rules! record_files {
    ($(
        $(#[$doc:meta])*
        $name:ident: $record:ty = $kind:literal
        $(source $source:literal)? $(sound $sound:ident)?;
    )*) => {
        /// An open store.
        pub struct Store {
            pub(super) folder: PathBuf,
            /// Held by the process that writes.
            _lock: Option<File>,
            pub(super) catalog: Catalog,
            pub(super) sentinel: Sentinel,
            pub(super) settings: StoredSettings,
            /// The corrections that people made.
            pub(super) corrections: Corrections,
            /// The token index; readers have none.
            pub(super) tokens: Option<TokenIndex>,
            /// Writes the view of each commit; readers have none.
            pub(super) publisher: Option<Publisher>,
            /// The pages and batches that were removed.
            pub(super) removed: Removed,
            /// A commit has failed.
            pub(super) has_failed: bool,
            /// For readers: the files that were opened.
            pub(super) witness: Option<Arc<Witness>>,
            $($(#[$doc])* pub(crate) $name: RecordFile<$record>,)*
            /// Blocks of pages that were read last.
            pub(super) page_blocks: KeptBlocks,
            /// True when opening had to make the catalog again from the record files.
            pub was_rebuilt: bool,
        }

        /// All record files, in the order of their kinds.
        pub(super) const KINDS: &[RecordKind] = &[$(RecordKind {
            name: stringify!($name),
            number: $kind,
            is_source: false $(|| $source)?,
            is_sound: {
                const CHECKS: &[Sound] = &[is_record::<$record> $(, $sound)?];
                CHECKS[CHECKS.len() - 1]
            },
        }),*];

        impl Store {
            pub(super) fn with_catalog(
                folder: &Path,
                lock: Option<File>,
                catalog: Catalog,
                sentinel: Sentinel,
                access: Access,
            ) -> Result<Store> {
                let write = access == Access::Write;
                Ok(Store {
                    $($name: RecordFile::open(
                        &folder.join(stringify!($name)),
                        $kind,
                        end_of($kind, &sentinel),
                        write,
                    )?,)*
                    page_blocks: KeptBlocks::new(PAGE_BYTES),
                    folder: folder.to_owned(),
                    _lock: lock,
                    catalog,
                    sentinel,
                    settings: StoredSettings::default(),
                    corrections: CorrectionFile::of(folder).read()?,
                    tokens: None,
                    publisher: None,
                    removed: Removed::default(),
                    has_failed: false,
                    witness: None,
                    was_rebuilt: false,
                })
            }

            /// The segments that are open, as they are now.
            pub(super) fn seen_segments(&self) -> Result<Vec<Seen>> {
                let mut seen = Vec::new();
                $(self.$name.seen(&mut seen)?;)*
                Ok(seen)
            }

            /// Syncs the record files; returns their ends, and the checksums of the seals before these ends.
            pub(super) fn sync(&mut self) -> Result<(Vec<u64>, Vec<u32>)> {
                $(self.$name.sync()?;)*
                Ok((vec![$(self.$name.end().0),*], vec![$(self.$name.last_seal()),*]))
            }

            /// Reads all of the record file of a kind.
            pub(super) fn check_kind(&self, kind: &RecordKind) -> Result<FileReport> {
                match kind.number {
                    $($kind => self.$name.check(kind.name, kind.is_sound),)*
                    number => unreachable!("there is no kind {number}"),
                }
            }

            /// Checks that the lock file still has its name: if it does not, another process may write too.
            pub(super) fn check_lock(&self) -> Result<()> {
                self._lock.as_ref().map_or(Ok(()), |lock| disk::check_name(lock, &self.folder.join(LOCK)))
            }

            /// Holds the lock for as long as the store is open.
            pub(super) fn keep_lock(&mut self, lock: File) {
                self._lock = Some(lock);
            }

            /// Closes the store and keeps the lock.
            pub(super) fn into_lock(self) -> Option<File> {
                self._lock
            }

            /// Writes the record file of a kind anew: see [`RecordFile::rewrite`].
            pub(super) fn rewrite_kind(
                &mut self,
                kind: u32,
                damaged: Damaged,
                least_share: f64,
                decide: Decide<'_>,
            ) -> Result<u64> {
                match kind {
                    $($kind => self.$name.rewrite(damaged, least_share, decide),)*
                    number => unreachable!("there is no kind {number}"),
                }
            }

            /// True when a record stands at a place of the record file of a kind.
            pub(super) fn kind_has(&self, kind: u32, at: RecordRef) -> bool {
                match kind {
                    $($kind => self.$name.has(at),)*
                    number => unreachable!("there is no kind {number}"),
                }
            }

            /// The bytes of the record file of a kind, and the bytes of some of its records with their frames.
            pub(super) fn bytes_of_kind(&self, kind: u32, records: &[u64]) -> (u64, u64) {
                match kind {
                    $($kind => (self.$name.bytes(), self.$name.bytes_of(records)),)*
                    number => unreachable!("there is no kind {number}"),
                }
            }

            /// Releases the maps of records that were read; they are made again when needed.
            pub(crate) fn unmap(&self) {
                $(self.$name.unmap();)*
            }
        }

        /// Checks that no record file is shorter than what was committed.
        ///
        /// # Errors
        /// When one is.
        pub(super) fn check_ends(folder: &Path, sentinel: &Sentinel) -> Result<()> {
            $(RecordFile::<$record>::check_end(&folder.join(stringify!($name)), $kind, end_of($kind, sentinel))?;)*
            Ok(())
        }

        /// Surveys what can be read of the file of a kind before `limit`.
        pub(super) fn survey(folder: &Path, kind: &RecordKind, limit: RecordRef) -> Result<Survey> {
            match kind.number {
                $($kind => RecordFile::<$record>::survey(
                    &folder.join(kind.name),
                    kind.number,
                    limit,
                    kind.is_sound,
                ),)*
                number => unreachable!("there is no kind {number}"),
            }
        }
    };
}

// One line a kind: its folder and field, what it holds, and its number. A new kind gets the next number, by which its end is stored; a
// store from before that kind has no records of it. `source` files survive a rebuild; all others can be made again from them.
record_files! {
    /// Pages as extracted; `Store::page` reads one.
    pages: PageBlock = 1 source true sound is_page_block;
    /// What each commit of ingestion has read.
    batches: BatchRecord = 2 source true;
    /// Page tables of sites.
    sites: SiteChunk = 3;
    /// Keys and pairs of sites.
    results: ResultRecord = 4;
    /// Captures that were left out, by site.
    skips: SkipChunk = 5;
    /// Links of the pages of sites.
    graphs: GraphRecord = 6;
    /// Links between sites.
    webs: WebRecord = 7;
    /// Pairs as verified.
    verified: JudgedRecord = 8;
    /// Pairs as resolved by iteration.
    resolved: JudgedRecord = 9;
    /// What was learnt of language pairs.
    learnt: LearntRecord = 10;
    /// Sentence pairs of sites.
    bitexts: BitextChunk = 11;
    /// Which of the sentence pairs occur more than once.
    repeats: RepeatRecord = 12;
    /// What was learnt of pairs of languages.
    models: ModelRecord = 13;
    /// URLs that were requested of crawlers.
    requests: RequestRecord = 14 source true;
    /// The pages and batches that were removed.
    removals: RemovalRecord = 15 source true;
    /// Scores of the user's scorer, by site.
    scores: ScoreRecord = 16;
}

/// Decides what becomes of a record, given its place, its payload, and whether that is packed.
pub(super) type Decide<'d> = &'d mut dyn FnMut(RecordRef, &[u8], bool) -> Result<Kept>;

/// True of a payload that is a record; gets the payload, and whether it is packed.
type Sound = fn(&[u8], bool) -> bool;

/// The properties of a kind of records.
pub(super) struct RecordKind {
    /// Folder.
    pub(super) name: &'static str,
    /// From 1, without gaps.
    pub(super) number: u32,
    /// True when the records cannot be made again from others.
    pub(super) is_source: bool,
    /// True of a payload that is a record of this kind, given that its checksum fits.
    pub(super) is_sound: Sound,
}

const _: () = {
    let mut at = 0;
    while at < KINDS.len() {
        assert!(KINDS[at].number == at as u32 + 1, "kinds are numbered in their order");
        at += 1;
    }
};

/// Checks that the record files, as far as they exist, belong to the commit of `sentinel`. Returns the first file whose end is damaged, so
/// that this cannot be decided for it.
///
/// # Errors
/// When a file belongs to another commit.
pub(super) fn check_seals(folder: &Path, sentinel: &Sentinel) -> Result<Option<PathBuf>> {
    let check = |(kind, &seal): (&RecordKind, &u32)| {
        check_seal(&folder.join(kind.name), kind.number, end_of(kind.number, sentinel), seal)
    };
    let damaged: Vec<_> = KINDS.iter().zip(&sentinel.seals).map(check).collect::<Result<_>>()?;
    Ok(damaged.into_iter().flatten().next())
}

/// True when the record files hold what was committed, judging by their ends.
///
/// # Errors
/// When they cannot be read.
pub(super) fn hold(folder: &Path, sentinel: &Sentinel) -> Result<bool> {
    let fits = |found: Result<bool>| if matches!(found, Err(Error::Store { .. })) { Ok(false) } else { found };
    Ok(fits(check_seals(folder, sentinel).map(|damaged| damaged.is_none()))?
        && fits(check_ends(folder, sentinel).map(|()| true))?)
}

/// Where the record file of a kind ends.
pub(super) fn end_of(kind: u32, sentinel: &Sentinel) -> RecordRef {
    sentinel.ends.get(kind as usize - 1).map_or(START, |&end| RecordRef(end))
}
