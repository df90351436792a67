//! URLs that were requested of crawlers: in a record file, and by domain in the catalog.

use std::collections::BTreeMap;

use super::catalog::{Changes, Keyspace};
use super::layout::{RequestRecord, RequestedRecord};
use super::record_kinds::Store;
use crate::error::Result;
use crate::types::{host_of, registrable_domain};

impl Store {
    /// The requests made on behalf of pages of a registrable domain, by requested URL without scheme.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn requested(&self, domain: &str) -> Result<BTreeMap<String, RequestedRecord>> {
        let mut requested = BTreeMap::new();
        self.catalog.for_each_below(Keyspace::Requested, &request_key(domain, ""), |identity, record| {
            requested.insert(String::from_utf8_lossy(identity).into_owned(), record);
            Ok(())
        })?;
        Ok(requested)
    }

    /// Forgets the requests made on behalf of pages of a registrable domain.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn forget_requests(&self, domain: &str, changes: &mut Changes) -> Result<()> {
        for identity in self.requested(domain)?.keys() {
            changes.remove(Keyspace::Requested, &request_key(domain, identity));
        }
        Ok(())
    }

    /// Stores requests to crawlers, from the next commit on. They survive the loss of the catalog.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn remember(&mut self, request: &RequestRecord, changes: &mut Changes) -> Result<()> {
        self.requests.append(request)?;
        put_request(request, changes);
        Ok(())
    }
}

/// Enters requests into the catalog.
pub(super) fn put_request(request: &RequestRecord, changes: &mut Changes) {
    for (identity, requested) in &request.requested {
        let from = registrable_domain(host_of(&requested.from));
        changes.put(Keyspace::Requested, &request_key(&from, identity), requested);
    }
    for (number, round) in &request.rounds {
        changes.put(Keyspace::Round, &number.to_be_bytes(), round);
    }
}

fn request_key(domain: &str, identity: &str) -> Vec<u8> {
    [domain.as_bytes(), &[0], identity.as_bytes()].concat()
}
