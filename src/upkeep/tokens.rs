//! Makes the token index again from the page tables, where it was lost or is of another commit.

use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::sides::Sides;
use crate::store::catalog::Changes;
use crate::store::layout::StageRecord;
use crate::store::{Store, tokens};
use crate::types::SiteId;

/// How many sites are committed at once, at most. As in indexing, every commit rewrites those blocks of the token index that its sites
/// touch.
const COMMIT_SITES: usize = 1000;
/// Pages after which a commit is made.
const COMMIT_PAGES: usize = 200_000;
/// The key of the record of progress, among those of the stages: its cursor is the number of the first site not done yet.
const MARK: &str = "tokens";

/// Makes sure that the token index has all sites. Must be called before the index is read or changed. Calls `go_on` after each commit.
///
/// # Errors
/// When the store cannot be read, the disk does not take it, or what `go_on` returns; the next call then continues from there.
pub(crate) fn complete_tokens(store: &mut Store, go_on: impl Fn() -> Result<()>) -> Result<()> {
    let count = store.site_count()?;
    let mark: Option<StageRecord> = store.token_progress()?;
    let mut site = match &mark {
        // The index is empty, so a record of progress is of tokens that have been lost again.
        _ if store.has_no_tokens()? => 0,
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
            // No site has a token.
            return Ok(());
        }
        let mut changes = Changes::default();
        store.change_tokens(&mut postings, &mut changes)?;
        if site < count {
            let mark = StageRecord { cursor: u64::from(site), ..StageRecord::default() };
            changes.put_stage(MARK, &mark);
        } else {
            changes.remove_stage(MARK);
        }
        store.commit(changes)?;
        go_on()?;
    }
    Ok(())
}
