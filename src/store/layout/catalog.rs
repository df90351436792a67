//! Values of the catalog.

use rkyv::{Archive, Deserialize, Serialize};

use super::{ArchiveIdentity, SkipSample};
use crate::types::SkipReason;

/// Which commit a store holds, and where the record files end at that commit. Key `m` `sentinel`.
#[derive(
    Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize,
)]
pub struct Sentinel {
    /// Number of the commit.
    pub commit: u64,
    /// Ends of the record files, in the order of their kinds.
    pub ends: Vec<u64>,
    /// Checksums of the seals before these ends, 0 where there is no seal; empty where they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seals: Vec<u32>,
}

impl Sentinel {
    /// A hash of it, which is never 0: two commits have the same only where they hold the same records.
    pub fn hash(&self) -> u64 {
        let numbers = [self.commit].into_iter().chain(self.ends.iter().copied());
        let bytes: Vec<u8> =
            numbers.flat_map(u64::to_le_bytes).chain(self.seals.iter().flat_map(|seal| seal.to_le_bytes())).collect();
        xxhash_rust::xxh3::xxh3_64(&bytes).max(1)
    }
}

/// One archive. Key `a` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveRecord {
    /// Its identity.
    pub identity: ArchiveIdentity,
    /// Position up to which it was read.
    pub position: u64,
    /// True when it was read to its end.
    pub done: bool,
    /// Records read.
    pub records: u64,
    /// Pages taken.
    pub pages: u64,
    /// Code of each reason for which captures were left out, and how many there were.
    pub skips: Vec<(u8, u64)>,
    /// A few of the captures that were left out.
    pub samples: Vec<SkipSample>,
}

impl ArchiveRecord {
    /// True when the archive was removed. Its record stays, so that no other archive gets its number.
    pub fn is_removed(&self) -> bool {
        self.identity.path.is_empty()
    }

    /// True when the archive was found to be damaged or cut off while it was read.
    pub fn is_damaged(&self) -> bool {
        self.skips.iter().any(|&(code, _)| SkipReason::from_code(code).is_some_and(SkipReason::is_damage))
    }
}

/// One site: where its pages are. Key `s` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct SiteHead {
    /// Registrable domain; with a `*` in place of the public suffix, a family of domains.
    pub domain: String,
    /// Its chunks, in order.
    pub chunks: Vec<u64>,
    /// Records of its left-out captures.
    pub skipped: Vec<u64>,
    /// Pages.
    pub pages: u32,
    /// Captures that were replaced by a newer one of the same URL.
    pub older: u64,
    /// Grows whenever its pages change.
    pub generation: u64,
    /// The batches before this place are merged.
    pub indexed: u64,
    /// Hosts.
    pub hosts: Vec<HostRecord>,
    /// Chunks of the pages that settings leave out, in order.
    pub withheld: Vec<u64>,
    /// Code of each reason for which settings leave pages out, and how many.
    pub left_out: Vec<(u8, u64)>,
}

/// One host of a site.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct HostRecord {
    /// Host name, with port where it is not the default.
    pub host: String,
    /// Pages of each detected language.
    pub langs: Vec<([u8; 8], u32)>,
}

/// Result of key discovery for one site. Key `r` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultHead {
    /// Reference to its result record.
    pub record: u64,
    /// [`SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Fingerprint of the settings.
    pub params: u64,
    /// Hash of the patterns considered for rescue; 0: none.
    pub considered: u64,
    /// Pairs.
    pub pairs: u64,
    /// Hash of what had been learnt of languages on other sites when its languages were named; 0: nothing, or nothing was asked.
    pub languages: u64,
    /// True where the letters of its texts were compared with those of languages.
    pub is_asked: bool,
}

/// A loss: data that the store had and cannot make again. Key `k` number of the archive; 2³² − 1: archives that are not known by name; 2³²
/// − 2: removals; 2³² − 3: requests.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct LossRecord {
    /// Pages that were lost.
    pub pages: u64,
    /// How many archives the store had, where it is not known which of them lost pages; else 0.
    pub archives: u32,
}

/// Global credibility of a pattern. Key `c` pattern.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credibility {
    /// [`crate::keys::GlobalSum`].
    pub sum: u64,
    /// Number of sites that add to the sum.
    pub sites: u32,
}

/// The letters of texts that a site calls by the name of a language. Key `n` tag, hash of the family of the domain, number of the site.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Taught {
    /// How often each kind of pairs of letters occurs ([`crate::language::letters`]).
    pub letters: Vec<u32>,
}

/// Progress of a stage. Key `g` name.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct StageRecord {
    /// Fingerprint of the stage's name, version and settings; 0: never run.
    pub fingerprint: u64,
    /// How far the stage has come; each stage says what the number means.
    pub cursor: u64,
    /// True when the stage has finished.
    pub finished: bool,
}

/// The stages that had nothing to do at a commit, stored so that not all heads need be read to find out. Key `m` `fresh`.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct FreshRecord {
    /// Number of the commit; the record is valid at that commit only.
    pub commit: u64,
    /// Names of the stages, and the fingerprints with which they were fresh.
    pub stages: Vec<(String, u64)>,
}

/// What was known of a file when its bytes were last looked at. Key `h` path.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HintRecord {
    /// Hash of the file's metadata; while it is the same, the bytes are taken to be the same.
    pub stamp: u64,
    /// Fingerprint of its bytes.
    pub fingerprint: u64,
}

/// An input that was not read, or not to its end. Key `u` path.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedRecord {
    /// Its path, or what the user named.
    pub path: String,
    /// Reason.
    pub reason: String,
    /// True when the user named the file, or reading it failed; false when it was found in a folder or by a pattern.
    pub is_fault: bool,
}
