//! The records of an archive in portions, each of which is worked on at once.

use super::format::{Archive, Item};
use crate::error::Result;
use crate::types::Form;

/// So many lines of an index count as one record.
const LINES: usize = 64;

/// How much a portion holds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of records after which it ends.
    pub bytes: usize,
    /// Records, at the most.
    pub records: usize,
}

/// Records of an archive that are worked on together.
#[derive(Debug, Default)]
pub struct Portion {
    /// The records, in the order of the archive.
    pub items: Vec<Item>,
    /// Bytes of them.
    pub bytes: usize,
    /// Position behind them.
    pub to: u64,
    /// True when the archive ends there.
    pub done: bool,
}

/// The portions of what is left of `source`; the last one is `done`, or an error.
pub fn portions(source: &mut dyn Archive, limits: Limits) -> impl Iterator<Item = Result<Portion>> {
    let mut has_ended = false;
    std::iter::from_fn(move || {
        if has_ended {
            return None;
        }
        let portion = next_portion(source, limits);
        has_ended = portion.as_ref().map_or(true, |portion| portion.done);
        Some(portion)
    })
}

fn next_portion(source: &mut dyn Archive, limits: Limits) -> Result<Portion> {
    let mut portion = Portion::default();
    // A line of an index is no work to speak of.
    let mut lines = 0;
    while portion.bytes < limits.bytes && portion.items.len() < limits.records + lines - lines / LINES {
        let Some(item) = source.next()? else {
            portion.done = true;
            break;
        };
        if let Item::Record(record) = &item {
            portion.bytes += record.block.len();
            lines += usize::from(record.form == Form::Index);
        }
        portion.items.push(item);
    }
    portion.to = source.position();
    Ok(portion)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::types::RawRecord;

    /// So many records, then the end or a failure.
    struct Counted(u64, u64, bool);

    impl Archive for Counted {
        fn next(&mut self) -> Result<Option<Item>> {
            if self.0 == self.1 {
                return if self.2 { Err(Error::input("x", "broken")) } else { Ok(None) };
            }
            self.0 += 1;
            Ok(Some(Item::Record(RawRecord { block: vec![0; 10], ..RawRecord::default() })))
        }

        fn position(&self) -> u64 {
            self.0
        }

        fn end(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn portions_end_at_their_limits_and_the_last_one_says_so() {
        let cut = |source: &mut Counted, bytes, records| -> Vec<(usize, u64, bool)> {
            let portions = portions(source, Limits { bytes, records });
            portions.map(|portion| portion.map_or((0, 0, true), |p| (p.items.len(), p.to, p.done))).collect()
        };
        assert_eq!(cut(&mut Counted(0, 5, false), 1000, 2), [(2, 2, false), (2, 4, false), (1, 5, true)]);
        assert_eq!(cut(&mut Counted(0, 5, false), 25, 9), [(3, 3, false), (2, 5, true)]);
        assert_eq!(cut(&mut Counted(0, 2, true), 1000, 2), [(2, 2, false), (0, 0, true)], "a failure is the last one");
    }
}
