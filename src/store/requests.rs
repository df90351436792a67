//! What was asked of crawlers: in a record file, and by domain in the catalog.

use std::collections::BTreeMap;

use super::Store;
use super::catalog::{Changes, Table};
use super::layout::{AskedRecord, RequestRecord};
use crate::error::Result;
use crate::types::{host_of, registrable_domain};

impl Store {
    /// What crawlers were asked for because pages of a registrable domain lack it, by address without scheme.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn asked(&self, domain: &str) -> Result<BTreeMap<String, AskedRecord>> {
        let mut asked = BTreeMap::new();
        self.catalog.for_each_below(Table::Asked, &asked_key(domain, ""), |identity, record| {
            asked.insert(String::from_utf8_lossy(identity).into_owned(), record);
            Ok(())
        })?;
        Ok(asked)
    }

    /// Remembers what was asked of crawlers, from the next commit on. It outlives the catalog.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn remember(&mut self, request: &RequestRecord, changes: &mut Changes) -> Result<()> {
        self.requests.append(request)?;
        put_request(request, changes);
        Ok(())
    }
}

/// What the catalog has of a request.
pub(super) fn put_request(request: &RequestRecord, changes: &mut Changes) {
    for (identity, asked) in &request.asked {
        let from = registrable_domain(host_of(&asked.from));
        changes.put(Table::Asked, &asked_key(&from, identity), asked);
    }
    for (number, round) in &request.rounds {
        changes.put(Table::Round, &number.to_be_bytes(), round);
    }
}

fn asked_key(domain: &str, identity: &str) -> Vec<u8> {
    [domain.as_bytes(), &[0], identity.as_bytes()].concat()
}
