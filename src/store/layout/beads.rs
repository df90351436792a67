//! Compact storage of beads: equal fields of all beads of a record lie together, and are compressed.
//!
//! Bytes are in docs/format.md.

use super::bitext::{ArchivedBitextChunk, BeadRow, BitextChunk, BitextPairRow, BitextRecord};
use crate::index::numbers::{Reader, folded, put, unfolded};
use crate::store::packing::{pack, unpack};

/// Bytes of the hash of a text.
const TEXT_BYTES: usize = 5;
/// The bit of a flag of the first text; that of the second is one higher.
const FOREIGN: u8 = 0;
const LONG: u8 = 2;
/// The bit of the flag of both texts.
const COPY: u8 = 4;
/// Scores are stored as integers, in units of one part of this many; as many digits are printed.
const SCORE_PARTS: f64 = 1e4;

/// How many lists there are, in their fixed order.
const LISTS: usize = 10;

impl BitextRecord {
    /// The record as it lies in the store.
    ///
    /// # Errors
    /// When it is longer than 2 GiB.
    pub fn packed(&self) -> std::io::Result<BitextChunk> {
        let mut lists = [const { Vec::new() }; LISTS];
        for pair in &self.pairs {
            let (mut a, mut b) = (0, 0);
            for bead in &pair.beads {
                let [a_gaps, b_gaps, a_lengths, b_lengths, shapes, reasons, low, high, flags, hashes] = &mut lists;
                put(a_gaps, folded(i64::from(bead.a_start) - a));
                put(b_gaps, folded(i64::from(bead.b_start) - b));
                put(a_lengths, u64::from(bead.a_end.saturating_sub(bead.a_start)));
                put(b_lengths, u64::from(bead.b_end.saturating_sub(bead.b_start)));
                (a, b) = (i64::from(bead.a_end), i64::from(bead.b_end));
                shapes.extend([bead.m, bead.n]);
                reasons.push(bead.reason);
                let [low_byte, high_byte] = ((f64::from(bead.score) * SCORE_PARTS).round() as u16).to_le_bytes();
                low.push(low_byte);
                high.push(high_byte);
                let bits = |[first, second]: [bool; 2], bit: u8| u8::from(first) << bit | u8::from(second) << (bit + 1);
                let is_copy = u8::from(bead.is_copy) << COPY;
                flags.push(bits(bead.are_foreign, FOREIGN) | bits(bead.are_long, LONG) | is_copy);
                // An empty text has no hash; its length says so.
                let lengths = [bead.a_end.saturating_sub(bead.a_start), bead.b_end.saturating_sub(bead.b_start)];
                for (text, _) in bead.texts.iter().zip(lengths).filter(|(_, length)| *length > 0) {
                    hashes.extend(&text.to_le_bytes()[..TEXT_BYTES]);
                }
            }
        }
        let mut bytes = Vec::with_capacity(lists.iter().map(Vec::len).sum::<usize>() + 64);
        lists.iter().for_each(|list| put(&mut bytes, list.len() as u64));
        lists.iter().for_each(|list| bytes.extend(list));
        let row = |pair: &super::bitext::PairBitextRow| BitextPairRow {
            page_a: pair.page_a,
            page_b: pair.page_b,
            a: pair.a,
            b: pair.b,
            lang_a: pair.lang_a,
            lang_b: pair.lang_b,
            score: pair.score,
            beads: pair.beads.len() as u32,
        };
        let pairs = self.pairs.iter().map(row).collect();
        Ok(BitextChunk { site: self.site, first: self.first, pairs, beads: pack(&bytes)? })
    }
}

impl ArchivedBitextChunk {
    /// The beads of each of its page pairs; none where the bytes make no sense.
    pub fn beads(&self) -> impl Iterator<Item = Vec<BeadRow>> + '_ {
        let bytes = unpack(&self.beads);
        let beads = bytes.as_deref().and_then(|bytes| self.decoded(bytes)).unwrap_or_default();
        let mut rest = beads.into_iter();
        self.pairs.iter().map(move |pair| rest.by_ref().take(pair.beads.to_native() as usize).collect())
    }

    fn decoded(&self, bytes: &[u8]) -> Option<Vec<BeadRow>> {
        let mut from = Reader::new(bytes);
        let lengths: [u64; LISTS] = from.numbers()?;
        let mut lists = [const { Reader::new(&[]) }; LISTS];
        for (list, length) in lists.iter_mut().zip(lengths) {
            *list = Reader::new(from.take(usize::try_from(length).ok()?)?);
        }
        let [a_gaps, b_gaps, a_lengths, b_lengths, shapes, reasons, low, high, flags, hashes] = &mut lists;
        let mut beads = Vec::new();
        for pair in self.pairs.iter() {
            let (mut a, mut b) = (0i64, 0i64);
            for _ in 0..pair.beads.to_native() {
                let a_start = a.wrapping_add(unfolded(a_gaps.number()?));
                let b_start = b.wrapping_add(unfolded(b_gaps.number()?));
                a = a_start.wrapping_add(a_lengths.number()? as i64);
                b = b_start.wrapping_add(b_lengths.number()? as i64);
                let ([m, n], [reason]) = (shapes.array()?, reasons.array()?);
                let ([low], [high]) = (low.array()?, high.array()?);
                let [flags] = flags.array()?;
                let bits = |bit: u8| [bit, bit + 1].map(|bit| flags >> bit & 1 == 1);
                let mut texts = [0; 2];
                for (text, length) in texts.iter_mut().zip([a.wrapping_sub(a_start), b.wrapping_sub(b_start)]) {
                    if length > 0 {
                        let mut bytes = [0; 8];
                        bytes[..TEXT_BYTES].copy_from_slice(hashes.take(TEXT_BYTES)?);
                        *text = u64::from_le_bytes(bytes);
                    }
                }
                beads.push(BeadRow {
                    texts,
                    are_foreign: bits(FOREIGN),
                    are_long: bits(LONG),
                    is_copy: flags >> COPY & 1 == 1,
                    a_start: a_start as u32,
                    a_end: a as u32,
                    b_start: b_start as u32,
                    b_end: b as u32,
                    score: (f64::from(u16::from_le_bytes([low, high])) / SCORE_PARTS) as f32,
                    m,
                    n,
                    reason,
                });
            }
        }
        Some(beads)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::super::bitext::PairBitextRow;
    use super::*;

    prop_compose! {
        fn any_bead()(
            (texts, are_foreign, are_long, is_copy) in any::<([u64; 2], [bool; 2], [bool; 2], bool)>(),
            reason in 0u8..3,
            (a_start, b_start, a_bytes, b_bytes) in (0u32..1 << 31, 0u32..1000, 0u32..500, 0u32..1 << 20),
            (score, m, n) in (0u16..=10_000, any::<u8>(), any::<u8>()),
        ) -> BeadRow {
            let text = |text: u64, bytes: u32| if bytes == 0 { 0 } else { text & ((1 << 40) - 1) };
            let texts = [text(texts[0], a_bytes), text(texts[1], b_bytes)];
            let score = (f64::from(score) / SCORE_PARTS) as f32;
            BeadRow { texts, are_foreign, are_long, is_copy, a_start, a_end: a_start + a_bytes, b_start, b_end: b_start + b_bytes, score, m, n, reason }
        }
    }

    fn archived(chunk: &BitextChunk) -> rkyv::util::AlignedVec {
        rkyv::to_bytes::<rancor::Error>(chunk).expect("serialisable")
    }

    fn read(bytes: &[u8]) -> Vec<Vec<BeadRow>> {
        rkyv::access::<ArchivedBitextChunk, rancor::Error>(bytes).expect("sound").beads().collect()
    }

    proptest! {
        #[test]
        fn beads_come_back(pairs in prop::collection::vec(prop::collection::vec(any_bead(), 0..9), 0..5)) {
            let rows = pairs.iter().map(|beads| PairBitextRow { beads: beads.clone(), ..PairBitextRow::default() });
            let record = BitextRecord { site: 1, first: 2, pairs: rows.collect() };
            prop_assert_eq!(read(&archived(&record.packed().expect("it is short"))), pairs);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..200), count in any::<u32>()) {
            let pairs = vec![BitextPairRow { beads: count, ..BitextPairRow::default() }];
            let chunk = BitextChunk { pairs, beads: pack(&bytes).expect("it is short"), ..BitextChunk::default() };
            prop_assert_eq!(read(&archived(&chunk)).len(), 1);
        }
    }

    #[test]
    fn of_hashes_and_scores_so_much_is_kept() {
        let bead = BeadRow { texts: [u64::MAX, 7], a_end: 3, score: 0.123_46, ..BeadRow::default() };
        let record = BitextRecord {
            pairs: vec![PairBitextRow { beads: vec![bead], ..PairBitextRow::default() }],
            ..BitextRecord::default()
        };
        let found = read(&archived(&record.packed().expect("it is short")));
        // An empty side has no text.
        let expected = BeadRow { texts: [(1 << 40) - 1, 0], score: 0.1235, ..bead };
        assert_eq!(found, [[expected]]);
    }
}
