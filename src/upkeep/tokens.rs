//! The token index made again, where it was lost with the catalog: the view, of which the catalog is made again, has none.

use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::sides::Sides;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::StageRecord;
use crate::store::{Store, tokens};
use crate::types::SiteId;

/// Sites of one commit, at the most: every commit writes anew the blocks of the token index that its sites touch, as in indexing.
const COMMIT_SITES: usize = 1000;
/// Pages after which a commit is made.
const COMMIT_PAGES: usize = 200_000;
/// What is put down while this goes on, among the stages: the cursor is the number of the first site that is left.
const MARK: &[u8] = b"tokens";

/// Sees that the token index has all sites. To be called before it is asked, and before it is changed. After each commit `go_on` is
/// asked.
///
/// # Errors
/// When the store cannot be read, the disk does not take it, or what `go_on` returns; the next call then goes on from there.
pub(crate) fn complete_tokens(store: &mut Store, go_on: impl Fn() -> Result<()>) -> Result<()> {
    let count = store.site_count()?;
    let mark: Option<StageRecord> = store.catalog().get(Keyspace::Stage, MARK)?;
    let mut site = match &mark {
        // A mark that came with the view is of tokens that were lost once more.
        _ if tokens::is_empty(store.catalog())? => 0,
        Some(mark) => mark.cursor as u32,
        None => return Ok(()),
    };
    while site < count {
        let (mut postings, mut pages, first) = (Vec::new(), 0, site);
        while site < count && pages < COMMIT_PAGES && ((site - first) as usize) < COMMIT_SITES {
            let id = SiteId(site);
            let table = store.site_pages(&store.site(id)?.unwrap_or_default())?;
            pages += table.count() as usize;
            postings.extend(Sides::of(&table, tokens::token_hash).hashes.into_iter().map(|hash| (hash, id, true)));
            site += 1;
        }
        store.sites.unmap();
        if postings.is_empty() && mark.is_none() && site == count {
            // Sites without a word.
            return Ok(());
        }
        let mut changes = Changes::default();
        tokens::change(store.catalog(), &mut postings, &mut changes)?;
        if site < count {
            let mark = StageRecord { cursor: u64::from(site), ..StageRecord::default() };
            changes.put(Keyspace::Stage, MARK, &mark);
        } else {
            changes.remove(Keyspace::Stage, MARK);
        }
        store.commit(changes)?;
        go_on()?;
    }
    Ok(())
}
