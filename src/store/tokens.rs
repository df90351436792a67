//! The inverted index of tokens: token → roaring bitmap of the sites whose URLs have it.
//!
//! Many tokens share a block of about 4 KB, kept by sled ([`super::token_index`]) under the hash of its first token; one entry for each token
//! would cost 3 to 40 times as much. A token's list of up to seven sites is stored as plain integers, a longer one as a roaring bitmap.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use xxhash_rust::xxh3::xxh3_64;

use super::catalog::Changes;
use super::manifest::Manifest;
use super::token_index::TokenIndex;
use super::{Store, access};
use crate::error::Result;
use crate::types::SiteId;

const BLOCK_BYTES: usize = 4096;
const PLAIN_SITES: u64 = 7;

/// The hash under which a token is kept. Two tokens with the same hash share their sites, so that some sites are looked at in vain.
pub fn token_hash(token: &str) -> u64 {
    xxh3_64(token.as_bytes())
}

/// The sites that have a token.
///
/// # Errors
/// When the index cannot be read, or a block is damaged.
pub fn sites_with(index: &TokenIndex, token: &str) -> Result<RoaringBitmap> {
    let hash = token_hash(token);
    let Some((_, block)) = index.at_or_before(hash)? else { return Ok(RoaringBitmap::new()) };
    Ok(decode(index, &block)?.remove(&hash).unwrap_or_default())
}

/// True when no token was ever added. The first block stays once it exists.
///
/// # Errors
/// When the index cannot be read.
pub fn is_empty(index: &TokenIndex) -> Result<bool> {
    Ok(index.at_or_before(0)?.is_none())
}

/// Reads all blocks, and returns how many there are.
///
/// # Errors
/// When one cannot be read, or makes no sense.
pub fn check(index: &TokenIndex) -> Result<u64> {
    index.blocks().try_fold(0, |count, block| decode(index, &block?.1).map(|_| count + 1))
}

/// A token's hash, a site, and whether the site has it (now) or no longer.
pub type Posting = (u64, SiteId, bool);

/// Adds and removes tokens of sites. Call it once for each commit: it does not see what `changes` already holds.
///
/// # Errors
/// When the index cannot be read, or a block is damaged.
pub fn change(index: &TokenIndex, postings: &mut Vec<Posting>, changes: &mut Changes) -> Result<()> {
    postings.sort_unstable();
    postings.dedup();
    let mut rest = &postings[..];
    while let Some(&(first, ..)) = rest.first() {
        let (key, mut lists) = match index.at_or_before(first)? {
            Some((key, block)) => (key, decode(index, &block)?),
            None => (0, BTreeMap::new()),
        };
        let end = match index.after(first)? {
            Some(next) => rest.partition_point(|&(hash, ..)| hash < next),
            None => rest.len(),
        };
        let (here, later) = rest.split_at(end.max(1));
        rest = later;
        let mut changed = false;
        for &(hash, site, present) in here {
            let sites = lists.entry(hash).or_default();
            changed |= if present { sites.insert(site.0) } else { sites.remove(site.0) };
        }
        if changed {
            lists.retain(|_, sites| !sites.is_empty());
            put_blocks(key, &lists, changes);
        }
    }
    Ok(())
}

/// Divides lists into blocks. The first block keeps its key, so that no token lies before the first block.
fn put_blocks(mut key: u64, lists: &BTreeMap<u64, RoaringBitmap>, changes: &mut Changes) {
    let mut block = Vec::with_capacity(BLOCK_BYTES + 512);
    for (&hash, sites) in lists {
        if block.len() >= BLOCK_BYTES {
            changes.tokens.insert(key, std::mem::take(&mut block));
            key = hash;
        }
        encode(hash, sites, &mut block);
    }
    changes.tokens.insert(key, block);
}

impl Store {
    /// True when the token index has no token.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn has_no_tokens(&self) -> Result<bool> {
        self.on_tokens(is_empty)
    }

    /// The sites that have a token; for the process that writes.
    ///
    /// # Errors
    /// When the token index cannot be read.
    pub(crate) fn sites_with_token(&self, token: &str) -> Result<RoaringBitmap> {
        self.on_tokens(|index| sites_with(index, token))
    }

    /// The sites that have one of these tokens, for queries; `None` while the index cannot be asked, because another process writes it or
    /// it has to be made again.
    ///
    /// # Errors
    /// When the catalog cannot be read, or file handles or memory run out.
    pub(crate) fn ask_tokens(&self, tokens: &[&str]) -> Result<Option<RoaringBitmap>> {
        // sled opens its files for one process, and a process that writes would find them taken.
        let Some(_lock) = access::lock_to_ask(&self.folder) else { return Ok(None) };
        let is_last = Manifest::read(&self.folder).is_ok_and(|manifest| manifest.sentinel == self.sentinel);
        if !is_last || self.token_progress()?.is_some() {
            return Ok(None);
        }
        let Ok(index) = TokenIndex::there(&self.folder, self.token_mark()?)? else { return Ok(None) };
        let sites = index.ask(|| {
            if is_empty(&index)? {
                return Ok(None);
            }
            let sites = |all, token: &&str| Ok(all | sites_with(&index, token)?);
            tokens.iter().try_fold(RoaringBitmap::new(), sites).map(Some)
        })?;
        // Where the index is damaged, the next run says what to do; a query answers as if it had no sites.
        Ok(sites.unwrap_or_default())
    }

    /// Adds and removes tokens of sites, once for each commit.
    ///
    /// # Errors
    /// When the token index cannot be read.
    pub(crate) fn change_tokens(&self, postings: &mut Vec<Posting>, changes: &mut Changes) -> Result<()> {
        self.on_tokens(|index| change(index, postings, changes))
    }
}

fn encode(hash: u64, sites: &RoaringBitmap, block: &mut Vec<u8>) {
    block.extend_from_slice(&hash.to_le_bytes());
    if sites.len() <= PLAIN_SITES {
        block.extend_from_slice(&(sites.len() as u32 * 4).to_le_bytes());
        block.extend(sites.iter().flat_map(u32::to_le_bytes));
        return;
    }
    let mut sites = sites.clone();
    sites.optimize();
    block.extend_from_slice(&(1 << 31 | sites.serialized_size() as u32).to_le_bytes());
    sites.serialize_into(&mut *block).expect("writing to memory does not fail");
}

fn decode(index: &TokenIndex, block: &[u8]) -> Result<BTreeMap<u64, RoaringBitmap>> {
    let damaged = || index.senseless();
    let mut lists = BTreeMap::new();
    let mut rest = block;
    while !rest.is_empty() {
        let (hash, tail) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (length, tail) = tail.split_first_chunk::<4>().ok_or_else(damaged)?;
        let length = u32::from_le_bytes(*length);
        let bytes = (length & !(1 << 31)) as usize;
        let (list, tail) = tail.split_at_checked(bytes).ok_or_else(damaged)?;
        let sites = if length >> 31 == 1 {
            RoaringBitmap::deserialize_from(list).map_err(|_| damaged())?
        } else {
            list.as_chunks::<4>().0.iter().map(|site| u32::from_le_bytes(*site)).collect()
        };
        lists.insert(u64::from_le_bytes(*hash), sites);
        rest = tail;
    }
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn tokens_changed_in_any_portions_are_as_last_told(told in proptest::collection::vec((0u32..3000, 0u32..40, 0u32..4), 1..6000), portions in 1usize..5) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let index = TokenIndex::open(folder.path(), 0).expect("a new index opens");
            let mut present: BTreeSet<(u32, u32)> = BTreeSet::new();
            for part in told.chunks(told.len().div_ceil(portions)) {
                // In one commit, a token and site get one posting only.
                let part: BTreeMap<(u32, u32), bool> = part.iter().map(|&(token, site, dice)| ((token, site), dice > 0)).collect();
                let posting = |(&(token, site), &here): (&(u32, u32), &bool)| (token_hash(&token.to_string()), SiteId(site), here);
                let mut changes = Changes::default();
                change(&index, &mut part.iter().map(posting).collect(), &mut changes).expect("a sound index");
                index.apply(&changes.tokens, 1).expect("room on disk");
                for (posting, here) in part {
                    if here { present.insert(posting) } else { present.remove(&posting) };
                }
            }
            for token in [0, 1, 2, 77, 2999, 3001] {
                let expected: RoaringBitmap = present.iter().filter(|(t, _)| *t == token).map(|(_, site)| *site).collect();
                prop_assert_eq!(sites_with(&index, &token.to_string()).expect("a sound index"), expected);
            }
        }
    }
}
