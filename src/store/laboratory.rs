//! What the laboratory writes into stores.

use super::catalog::Changes;
use super::layout::{BatchRecord, WebHead, WebRecord};
use super::{SiteWeb, Store};
use crate::error::Result;

impl Store {
    /// Appends a batch of ingestion, and commits if it is to be durable now.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn put_batch(&mut self, batch: &BatchRecord, commit: bool) -> Result<()> {
        self.batches.append(batch)?;
        if commit { self.commit(Changes::default()) } else { Ok(()) }
    }

    /// Puts a graph of sites into the store, and opens it.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn put_web(&mut self, records: &[WebRecord]) -> Result<SiteWeb> {
        let chunks = records.iter().map(|record| Ok(self.webs.append(record)?.0)).collect::<Result<_>>()?;
        self.commit(Changes::default())?;
        self.web(&WebHead { fingerprint: 1, chunks })
    }
}
