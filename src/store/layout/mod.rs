//! The bytes of each record.
#![doc = include_str!("../../../docs/format.md")]

mod batch;
mod catalog;
mod page;
mod result;
mod site;

pub use batch::{
    ArchiveIdentity, ArchivedBatchRecord, ArchivedPageEntry, ArchivedSkipEntry, BatchRecord, PageEntry, SkipEntry,
    SkipSample,
};
pub use catalog::{ArchiveRecord, Credibility, HostRecord, ResultHead, RunConfig, Sentinel, SiteHead, StageRecord};
pub use page::{ArchivedPageRecord, BlockRecord, ImageRecord, LinkRecord, PageRecord};
pub use result::{ArchivedKeyRow, ArchivedResultRecord, EditRow, HostRow, KeyRow, PairRow, ResultRecord};
pub use site::{ArchivedSiteChunk, CHUNK_PAGES, ChunkBuilder, SiteChunk, SkipChunk};
