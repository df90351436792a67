//! Records of the aligned page pairs of a site. Page pairs are aligned document by document, and lie in the order of their languages.

use std::collections::BTreeMap;
use std::vec;

use crate::error::Result;
use crate::store::Store;
use crate::store::layout::{ArchivedBitextPairRow, BeadRow, BitextChunk, BitextHead, BitextRecord, PairBitextRow};
use crate::store::records::{Mapped, RecordRef};
use crate::types::{Lang, LangPair, PagePair, SiteId};

/// Page pairs in one record, at most.
const RECORD_PAIRS: usize = 256;
/// The number of beads in one record at most, unless its first page pair has more: a few megabytes.
const RECORD_BEADS: usize = 1 << 16;

/// How many sequences of records that are sorted become one at a time. For each of them, the beads of one record are in memory.
const RUNS: usize = 32;

/// How many page pairs go into one record, given the numbers of their beads.
fn in_record(beads: impl Iterator<Item = usize>) -> usize {
    let mut sum = 0;
    let fits = |beads: &usize| {
        let is_first = sum == 0;
        sum += beads;
        is_first || sum <= RECORD_BEADS
    };
    beads.take(RECORD_PAIRS).take_while(fits).count()
}

/// Appends aligned page pairs to those of a site, sorted among themselves.
///
/// # Errors
/// When the store cannot be written.
pub fn append(store: &mut Store, head: &mut BitextHead, site: SiteId, mut rows: Vec<PairBitextRow>) -> Result<()> {
    rows.sort_by_key(|row| order(row.lang_a, row.lang_b, row.a, row.b));
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let count = in_record(rows.as_slice().iter().map(|row| row.beads.len()));
        let pairs: Vec<PairBitextRow> = rows.by_ref().take(count).collect();
        let record = BitextRecord { site: site.0, first: head.done, pairs };
        head.done += record.pairs.len() as u32;
        head.chunks.push(store.append_bitext(&record)?.0);
    }
    Ok(())
}

/// Brings the page pairs of a site nearer to their order, if they were appended several times: each `RUNS` sorted sequences become one.
/// Returns `false` where all are in order. The result must be committed before this is called again. Memory: eight bytes for each page pair
/// of these sequences, and the beads of one record of each.
///
/// # Errors
/// When the store cannot be read or written.
pub fn put_in_order(store: &mut Store, head: &mut BitextHead, site: SiteId) -> Result<bool> {
    let chunks: Vec<Mapped<BitextChunk>> =
        head.chunks.iter().map(|&at| store.bitexts.read(RecordRef(at))).collect::<Result<_>>()?;
    let goes_on = |x: &Mapped<BitextChunk>, y: &Mapped<BitextChunk>| x.pairs.last().map(of) <= y.pairs.first().map(of);
    let runs: Vec<&[Mapped<BitextChunk>]> = chunks.chunk_by(goes_on).collect();
    if runs.len() < 2 {
        return Ok(false);
    }
    head.done = 0;
    head.chunks.clear();
    let mut rest = &chunks[..];
    for runs in runs.chunks(RUNS) {
        let run;
        (run, rest) = rest.split_at(runs.iter().map(|run| run.len()).sum());
        merge(store, head, site, run)?;
    }
    Ok(true)
}

/// Appends the page pairs of some records in order. Within each record they are in order already.
fn merge(store: &mut Store, head: &mut BitextHead, site: SiteId, chunks: &[Mapped<BitextChunk>]) -> Result<()> {
    let places =
        |(chunk, number): (&Mapped<BitextChunk>, u32)| (0..chunk.pairs.len() as u32).map(move |row| (number, row));
    let mut places: Vec<(u32, u32)> = chunks.iter().zip(0u32..).flat_map(places).collect();
    let row = |&(chunk, row): &(u32, u32)| &chunks[chunk as usize].pairs[row as usize];
    places.sort_by_key(|place| of(row(place)));
    let mut open: BTreeMap<u32, vec::IntoIter<Vec<BeadRow>>> = BTreeMap::new();
    let mut rest = &places[..];
    while !rest.is_empty() {
        let places;
        (places, rest) = rest.split_at(in_record(rest.iter().map(|place| row(place).beads.to_native() as usize)));
        let mut rows = Vec::with_capacity(places.len());
        for place in places {
            // The rows of a record are taken in their order.
            let beads = || chunks[place.0 as usize].beads().collect::<Vec<_>>().into_iter();
            let beads = open.entry(place.0).or_insert_with(beads);
            let row = row(place);
            rows.push(PairBitextRow {
                page_a: row.page_a.to_native(),
                page_b: row.page_b.to_native(),
                a: row.a.to_native(),
                b: row.b.to_native(),
                lang_a: row.lang_a,
                lang_b: row.lang_b,
                score: row.score.to_native(),
                beads: beads.next().unwrap_or_default(),
            });
            if beads.len() == 0 {
                open.remove(&place.0);
            }
        }
        append(store, head, site, rows)?;
    }
    Ok(())
}

fn of(row: &ArchivedBitextPairRow) -> Option<PagePair> {
    order(row.lang_a, row.lang_b, row.a.to_native(), row.b.to_native())
}

/// The place of a page pair among those of its site: by languages, then pages.
fn order(lang_a: [u8; 8], lang_b: [u8; 8], a: u32, b: u32) -> Option<PagePair> {
    let langs = LangPair::new(Lang::from_bytes(lang_a), Lang::from_bytes(lang_b))?;
    Some(PagePair { langs, a, b })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::bitext::SiteBitext;
    use crate::store::Access;
    use crate::store::catalog::Changes;

    #[test]
    fn what_was_appended_document_by_document_lies_by_languages() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let lang = |tag: &str| Lang::parse(tag).expect("a tag").to_bytes();
        // 400 documents in three languages; each page pair has as many beads as its number in seven.
        let rows = |documents: std::ops::Range<u32>| -> Vec<PairBitextRow> {
            let of = |document: u32| {
                [("de", "en"), ("de", "fr"), ("en", "fr")].map(|(a, b)| PairBitextRow {
                    a: document,
                    b: document + 1000,
                    lang_a: lang(a),
                    lang_b: lang(b),
                    beads: vec![
                        BeadRow { a_start: document, a_end: document + 9, m: 1, ..BeadRow::default() };
                        document as usize % 7
                    ],
                    ..PairBitextRow::default()
                })
            };
            documents.flat_map(of).collect()
        };
        let appended = |store: &mut Store, parts: &[std::ops::Range<u32>]| {
            let mut head = BitextHead::default();
            for part in parts {
                append(store, &mut head, SiteId(3), rows(part.clone())).expect("it is written");
            }
            store.commit(Changes::default()).expect("it is committed");
            let mut passes = 0;
            while put_in_order(store, &mut head, SiteId(3)).expect("it is read and written") {
                store.commit(Changes::default()).expect("it is committed");
                passes += 1;
            }
            let bitext = SiteBitext::read(store, &head).expect("it was written");
            let all: Vec<_> =
                bitext.aligned().map(|(row, beads)| (row.lang_a, row.lang_b, row.a.to_native(), beads)).collect();
            ((head.done, head.chunks.len(), all), passes)
        };
        let (at_once, passes) = appended(&mut store, std::slice::from_ref(&(0..400)));
        assert_eq!((at_once.0, at_once.1, passes), (1200, 5, 0));
        assert_eq!(at_once.2[401].3.len(), 1, "the second document in German and French");
        assert_eq!(appended(&mut store, &[0..90, 90..93, 93..400]), (at_once.clone(), 1));
        let each: Vec<_> = (0..400).map(|document| document..document + 1).collect();
        assert_eq!(appended(&mut store, &each), (at_once, 2), "400, 13, 1");
        assert_eq!(appended(&mut store, &[]).0.1, 0);
    }

    #[test]
    fn a_record_has_so_many_page_pairs_or_so_many_beads() {
        let count = |beads: &[usize]| in_record(beads.iter().copied());
        assert_eq!((count(&[7; 300]), count(&[7; 9]), count(&[])), (RECORD_PAIRS, 9, 0));
        assert_eq!((count(&[RECORD_BEADS + 1, 1]), count(&[RECORD_BEADS - 1, 1, 1])), (1, 2));
    }
}
