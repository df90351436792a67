//! Finds sentence pairs that several sites have, once all sites are aligned. The site where such a pair is best keeps it, with the places where
//! others have it.

use std::collections::BTreeMap;

use crate::align::repeats::{BeadId, Finder};
use crate::error::Result;
use crate::pipeline::Context;
use crate::site::numbered::NumberedBitext;
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::{BitextHead, RepeatRecord, RepeatRow};
use crate::types::SiteId;

/// Rows of a record, at most.
const ROWS: usize = 1 << 11;
/// Mapped page pairs are released after so many records, since each record needs page pairs of many sites.
const RELEASED_AFTER: usize = 16;

/// Finds the sentence pairs that several of the sites have, and records in the heads of the sites that they were compared. Of several sites
/// with the same pair, the one where it has the best score keeps it; if several are equally good, the one that comes first in `sites`.
///
/// Memory, beyond the two buffers in which sentence pairs are sorted: a few bytes for each 16 page pairs, and a record of repeats for each
/// site.
///
/// # Errors
/// When the store cannot be read or written.
pub fn find(store: &mut Store, sites: &[SiteId], compared: u64, context: &Context<'_>) -> Result<()> {
    let folder = store.temporary()?;
    let mut heads: Vec<BitextHead> = Vec::with_capacity(sites.len());
    for &site in sites {
        let head = store.bitext_head(site)?.unwrap_or_default();
        heads.push(BitextHead { shared: Vec::new(), shared_dropped: Vec::new(), compared, ..head });
    }
    if sites.len() > 1 {
        let open =
            heads.iter().map(|head| NumberedBitext::new(store, head)).collect::<Result<Vec<NumberedBitext>>>()?;
        let mut finder = Finder::new(context.config.memory.sorted_beads(), &folder);
        for (site, unit) in open.iter().zip(0u32..) {
            site.for_each_kept(store, |hash, number, score| finder.add(hash, score, BeadId { unit, number }))?;
            store.bitexts.release();
            context.observer.progress(u64::from(unit) + 1, "");
        }
        keep(store, &mut heads, &open, finder)?;
    }
    let mut changes = Changes::default();
    for (site, head) in sites.iter().zip(&heads) {
        if store.bitext_head(*site)?.as_ref() != Some(head) {
            changes.put_bitext(*site, head);
        }
        store.commit_many(&mut changes)?;
    }
    if !changes.is_empty() {
        store.commit(changes)?;
    }
    store.bitexts.unmap();
    store.repeats.unmap();
    Ok(())
}

/// Writes the results, and records them in the heads.
fn keep(store: &mut Store, heads: &mut [BitextHead], open: &[NumberedBitext], finder: Finder) -> Result<()> {
    let mut record = RepeatRecord::default();
    let mut at = 0;
    let mut dropped: BTreeMap<(usize, u8), u64> = BTreeMap::new();
    let mut written = 0usize;
    let mut write = |store: &mut Store, record: &mut RepeatRecord, site: usize| -> Result<()> {
        if !record.rows.is_empty() {
            heads[site].shared.push(store.repeats.append_short_or_packed(&std::mem::take(record))?.0);
            written += 1;
            if written.is_multiple_of(RELEASED_AFTER) {
                store.bitexts.release();
            }
        }
        Ok(())
    };
    finder.for_each(|repeat| {
        let (site, number) = (repeat.bead.unit as usize, repeat.bead.number);
        if site != at || record.rows.len() == ROWS {
            write(store, &mut record, at)?;
            at = site;
        }
        let Some((_, pair, bead)) = open[site].find(number) else { return Ok(()) };
        let reason = repeat.reason.map_or(0, |reason| reason as u8);
        if reason != 0 {
            *dropped.entry((site, reason)).or_default() += 1;
        }
        let mut elsewhere = Vec::new();
        for other in &repeat.others {
            elsewhere.extend(open[other.unit as usize].places(store, other.number)?);
        }
        record.rows.push(RepeatRow { pair, bead, reason, others: Vec::new(), elsewhere });
        Ok(())
    })?;
    write(store, &mut record, at)?;
    for ((site, reason), count) in dropped {
        heads[site].shared_dropped.push((reason, count));
    }
    Ok(())
}
