//! The records of an archive in portions, each of which is worked on at once.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use super::format::{Archive, Item};
use super::own_thread::{arriving, beside};
use crate::error::{Error, Result};
use crate::types::{Form, RawRecord};

/// This many lines of an index count as one record.
const LINES: usize = 64;

/// The size of a portion.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The portion ends when its records have this many bytes.
    pub bytes: usize,
    /// Records, at the most.
    pub records: usize,
}

/// Records of an archive that are worked on together.
#[derive(Debug, Default)]
pub struct Portion {
    /// The records, in the order of the archive.
    pub items: Vec<Item>,
    /// Total bytes of the records.
    pub bytes: usize,
    /// The position after them.
    pub to: u64,
    /// How much of the archive has been read with them ([`Archive::progress`]).
    pub progress: u64,
    /// True when the archive ends with them.
    pub done: bool,
}

/// The portions of the rest of `source`; the last one is `done`, or an error. They are read ahead by a thread of their own, if one can be
/// started, so that waiting for them can be stopped by an error of `stop`.
pub fn portions(
    source: Box<dyn Archive>,
    limits: Limits,
    stop: &dyn Fn() -> Result<()>,
) -> Box<dyn Iterator<Item = Result<Portion>> + '_> {
    let source = Arc::new(Mutex::new(source));
    let read = {
        let source = source.clone();
        move |send: &SyncSender<Result<Portion>>| {
            // Stops when nobody receives any more.
            let _ = until_done(source, limits).try_for_each(|portion| send.send(portion));
        }
    };
    match beside(read) {
        Some(receive) => Box::new(arriving(receive, stop)),
        None => Box::new(until_done(source, limits)),
    }
}

/// The error of an archive whose portions ended before the archive did, for example because its reader panicked.
pub fn unforeseen(place: &str) -> Error {
    Error::input(place, "reading this archive failed in an unforeseen way")
}

/// The portions of an archive, read on demand.
fn until_done(source: Arc<Mutex<Box<dyn Archive>>>, limits: Limits) -> impl Iterator<Item = Result<Portion>> {
    let mut has_ended = false;
    std::iter::from_fn(move || {
        if has_ended {
            return None;
        }
        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let portion = next_portion(source.as_mut(), limits);
        has_ended = portion.as_ref().map_or(true, |portion| portion.done);
        Some(portion)
    })
}

fn next_portion(source: &mut dyn Archive, limits: Limits) -> Result<Portion> {
    let mut portion = Portion::default();
    // A single line of an index is very little work.
    let mut lines = 0;
    while portion.bytes < limits.bytes && portion.items.len() < limits.records + lines - lines / LINES {
        let Some(item) = source.next()? else {
            portion.done = true;
            break;
        };
        portion.bytes += item.bytes();
        lines += usize::from(matches!(&item, Item::Record(record) if record.form == Form::Index));
        portion.items.push(item);
    }
    portion.to = source.position();
    portion.progress = source.progress();
    Ok(portion)
}

/// How many lines of an index are examined together.
const LINES_AT_ONCE: usize = 1 << 16;

/// The next lines of an index, and whether they are the last.
///
/// # Errors
/// When the index cannot be read, or is an archive.
pub fn index_lines(index: &mut dyn Archive, place: &str) -> Result<(Vec<RawRecord>, bool)> {
    let mut portion: Vec<RawRecord> = Vec::new();
    while portion.len() < LINES_AT_ONCE {
        match index.next()? {
            Some(Item::Record(record)) if record.form == Form::Index => portion.push(record),
            Some(Item::Record(_)) => {
                return Err(Error::input(place, "is an archive, expected an index of one (CDX, CDXJ, Parquet)"));
            }
            Some(Item::Skip(_)) => {}
            None => return Ok((portion, true)),
        }
    }
    Ok((portion, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::types::RawRecord;

    /// A number of records, followed by the end or a failure.
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
        let cut = |source: Counted, bytes, records| -> Vec<(usize, u64, bool)> {
            let all = |portions: &mut dyn Iterator<Item = Result<Portion>>| -> Vec<_> {
                portions.map(|portion| portion.map_or((0, 0, true), |p| (p.items.len(), p.to, p.done))).collect()
            };
            let limits = Limits { bytes, records };
            let Counted(from, to, fails) = source;
            let ahead = all(&mut portions(Box::new(source), limits, &|| Ok(())));
            let alone = all(&mut until_done(Arc::new(Mutex::new(Box::new(Counted(from, to, fails)))), limits));
            assert_eq!(ahead, alone, "with a thread and without one");
            ahead
        };
        assert_eq!(cut(Counted(0, 5, false), 1000, 2), [(2, 2, false), (2, 4, false), (1, 5, true)]);
        assert_eq!(cut(Counted(0, 5, false), 25, 9), [(3, 3, false), (2, 5, true)]);
        assert_eq!(cut(Counted(0, 2, true), 1000, 2), [(2, 2, false), (0, 0, true)], "a failure is the last one");
    }
}
