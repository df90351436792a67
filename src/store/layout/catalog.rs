//! Values of the catalog.

use rkyv::{Archive, Deserialize, Serialize};

use super::{ArchiveIdentity, SkipSample};
use crate::types::SkipReason;

/// Which commit the catalog holds, and where the record files end in it. Key `m` `sentinel`.
#[derive(
    Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize,
)]
pub struct Sentinel {
    /// Number of the commit.
    pub commit: u64,
    /// Ends of the record files, in the order of their kinds.
    pub ends: Vec<u64>,
    /// What the seals before these ends say, 0 where there is none; empty where that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seals: Vec<u32>,
}

/// One archive. Key `a` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveRecord {
    /// What it is.
    pub identity: ArchiveIdentity,
    /// How far it is read.
    pub position: u64,
    /// Read to its end.
    pub done: bool,
    /// Records read.
    pub records: u64,
    /// Pages taken.
    pub pages: u64,
    /// Code of each reason something was left out for, and how often.
    pub skips: Vec<(u8, u64)>,
    /// A few of them.
    pub samples: Vec<SkipSample>,
}

impl ArchiveRecord {
    /// True when the archive was removed: its number alone is left, so that no other gets it.
    pub fn is_removed(&self) -> bool {
        self.identity.path.is_empty()
    }

    /// True when it was found to be damaged or cut off while it was read.
    pub fn is_damaged(&self) -> bool {
        self.skips.iter().any(|&(code, _)| SkipReason::from_code(code).is_some_and(SkipReason::is_damage))
    }
}

/// One site: where its pages are. Key `s` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct SiteHead {
    /// Registrable domain; with a `*` for the public suffix, a family of them.
    pub domain: String,
    /// Its chunks, in order.
    pub chunks: Vec<u64>,
    /// Its left-out captures.
    pub skipped: Vec<u64>,
    /// Pages.
    pub pages: u32,
    /// Captures that a newer one of their URL replaced.
    pub older: u64,
    /// Grows whenever its pages change.
    pub generation: u64,
    /// Batches before it are merged.
    pub indexed: u64,
    /// Hosts.
    pub hosts: Vec<HostRecord>,
}

/// One host of a site.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct HostRecord {
    /// Host name, with port where it is not the default.
    pub host: String,
    /// Pages of each detected language.
    pub langs: Vec<([u8; 8], u32)>,
}

/// What key discovery left for one site. Key `r` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultHead {
    /// Its result record.
    pub record: u64,
    /// [`SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Fingerprint of the settings.
    pub params: u64,
    /// Hash of the patterns considered for rescue; 0: none.
    pub considered: u64,
    /// Pairs.
    pub pairs: u64,
}

/// What the store lost and cannot make again. Key `k` number of the archive; 2³² − 1: of archives that are not known; 2³² − 2: removals; 2³² − 3: requests.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct LossRecord {
    /// Pages that were lost.
    pub pages: u64,
    /// How many archives there were, where it is not known which; 0 where it is.
    pub archives: u32,
}

/// Global credibility of a pattern. Key `c` pattern.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credibility {
    /// [`crate::keys::GlobalSum`].
    pub sum: u64,
    /// Sites that add to it.
    pub sites: u32,
}

/// How far a stage is. Key `g` name.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct StageRecord {
    /// Fingerprint of the stage's name, version and settings; 0: never run.
    pub fingerprint: u64,
    /// How far it is; each stage says what the number means.
    pub cursor: u64,
    /// True when it came to its end.
    pub finished: bool,
}

/// Which stages were fresh at a commit, so that not all heads need be looked at to see it. Key `m` `fresh`.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct FreshRecord {
    /// Number of the commit; at any later one it says nothing.
    pub commit: u64,
    /// Their names, and the fingerprints they were fresh with.
    pub stages: Vec<(String, u64)>,
}

/// What was known of a file when its bytes were last looked at. Key `h` path.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HintRecord {
    /// Hash of what the file system says of it; while that is the same, so are its bytes.
    pub stamp: u64,
    /// Fingerprint of its bytes.
    pub fingerprint: u64,
}

/// An input that was not read, or not to its end. Key `u` path.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedRecord {
    /// Its path, or what the user named.
    pub path: String,
    /// Why.
    pub reason: String,
    /// The user named it, or reading it failed; else it was found in a folder or by a pattern.
    pub is_fault: bool,
}
