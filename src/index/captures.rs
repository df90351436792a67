//! Chooses the capture of each URL that becomes its page.

use super::order::sort_by_url;
use crate::types::Form;

/// Where a capture comes from, in eight bytes. Old ones sort first, so that of two equal captures the one already in the table stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source(u64);

/// A [`Source`] taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A page of an existing table: the table, and the page in it.
    Old(usize, u32),
    /// An entry of a batch: the batch, and the entry in it.
    New(usize, usize),
}

impl Source {
    const NEW: u64 = 1 << 63;

    /// A page of the table of a site; sites are fewer than 2³¹.
    pub fn old(site: u32, page: u32) -> Source {
        Source(u64::from(site) << 32 | u64::from(page))
    }

    /// An entry of a batch; batches are fewer than 2³¹.
    pub fn new(batch: u32, at: u32) -> Source {
        Source(Source::NEW | u64::from(batch) << 32 | u64::from(at))
    }

    /// The place of the capture.
    pub fn place(self) -> Place {
        if self.0 & Source::NEW == 0 {
            Place::Old((self.0 >> 32) as usize, self.0 as u32)
        } else {
            Place::New(((self.0 & !Source::NEW) >> 32) as usize, self.0 as u32 as usize)
        }
    }
}

/// What decides between two captures of one URL: the fuller one wins; of equally full ones, the newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Code of a [`Form`].
    pub form: u8,
    /// Milliseconds since 1970 UTC.
    pub date_ms: i64,
    /// Digest of its content, so that the order of archives never decides.
    pub digest: u64,
}

/// Access to the facts about captures.
pub trait Captures {
    /// The URL without its scheme.
    fn identity(&self, source: Source) -> &str;

    /// What decides between captures of one URL.
    fn stamp(&self, source: Source) -> Stamp;

    /// Code of its [`Form`].
    fn form(&self, source: Source) -> u8;

    /// The record with the links of a capture, if it is not the capture's own record, else 0; for a capture that is links only, its own
    /// record.
    fn link_record(&self, source: Source) -> u64;
}

/// A page of a new table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its capture.
    pub source: Source,
    /// The record with its links, if it is not its own record, else 0.
    pub links: u64,
}

/// The pages of a table, by URL, and how many captures were dropped in favour of another of the same URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// One page for each URL.
    pub order: Vec<Row>,
    /// How many captures did not become pages.
    pub older: u64,
}

/// Chooses one capture of each URL: the fullest, and of these the newest. A text without markup takes its links from the newest capture
/// that is links only.
///
/// `count` is about how many sources there are. Cost: sorting them by URL.
pub fn merge<C: Captures>(captures: &C, sources: impl Iterator<Item = Source>, count: usize) -> Merged {
    let mut order: Vec<([u64; 2], Source)> = Vec::with_capacity(count);
    order.extend(sources.map(|source| ([0; 2], source)));
    let identity = |source: Source| captures.identity(source);
    let tie = |a: Source, b: Source| captures.stamp(b).cmp(&captures.stamp(a)).then_with(|| a.cmp(&b));
    sort_by_url(&mut order, &identity, &tie);
    let all = order.len();
    // The sort keys are not needed any more; the first number now holds the record with the links.
    order.iter_mut().for_each(|(key, _)| *key = [0; 2]);
    order.dedup_by(|(_, b), (key, a)| {
        let is_same = identity(*a) == identity(*b);
        let lacks_links = || captures.form(*a) == Form::Text as u8 && captures.link_record(*a) == 0;
        if is_same && key[0] == 0 && lacks_links() {
            key[0] = captures.link_record(*b);
        }
        is_same
    });
    let older = (all - order.len()) as u64;
    Merged { order: order.into_iter().map(|(links, source)| Row { links: links[0], source }).collect(), older }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// URL, form, date and record of links of captures in one batch.
    struct Listed(Vec<(&'static str, Form, i64, u64)>);

    impl Listed {
        fn at(&self, source: Source) -> &(&'static str, Form, i64, u64) {
            let Place::New(0, at) = source.place() else { panic!("all are of one batch") };
            &self.0[at]
        }

        fn merged(&self) -> (Vec<(u32, u64)>, u64) {
            let count = self.0.len() as u32;
            let Merged { order, older } = merge(self, (0..count).map(|at| Source::new(0, at)), 0);
            let place = |row: &Row| (0..count).find(|&at| Source::new(0, at) == row.source).expect("one of them");
            (order.iter().map(|row| (place(row), row.links)).collect(), older)
        }
    }

    impl Captures for Listed {
        fn identity(&self, source: Source) -> &str {
            self.at(source).0
        }
        fn stamp(&self, source: Source) -> Stamp {
            Stamp { form: self.form(source), date_ms: self.at(source).2, digest: 0 }
        }
        fn form(&self, source: Source) -> u8 {
            self.at(source).1 as u8
        }
        fn link_record(&self, source: Source) -> u64 {
            self.at(source).3
        }
    }

    #[test]
    fn a_source_is_its_place_and_old_ones_come_first() {
        let (old, new) = (Source::old(3, 7), Source::new(2, 9));
        assert_eq!((old.place(), new.place()), (Place::Old(3, 7), Place::New(2, 9)));
        assert!(old < new && Source::old(u32::MAX >> 1, u32::MAX) < Source::new(0, 0));
    }

    #[test]
    fn of_each_url_the_fullest_capture_stays_and_of_these_the_newest() {
        let page = Form::Page;
        let listed = Listed(vec![
            ("b", page, 1, 0),
            ("a", page, 1, 0),
            ("b", page, 2, 0),
            ("b", Form::Text, 9, 0),
            ("b", page, 2, 0),
        ]);
        // Of two equal captures the first wins.
        assert_eq!(listed.merged(), (vec![(1, 0), (2, 0)], 3));
    }

    #[test]
    fn text_without_markup_takes_its_links_from_the_newest_capture_that_has_only_these() {
        let (text, links) = (Form::Text, Form::Links);
        let listed = Listed(vec![("a", links, 1, 10), ("a", text, 5, 0), ("a", links, 2, 20), ("b", Form::Page, 0, 0)]);
        assert_eq!(listed.merged(), (vec![(1, 20), (3, 0)], 2));
        // A capture that already has a record of links keeps it.
        let listed = Listed(vec![("a", links, 1, 10), ("a", text, 5, 7)]);
        assert_eq!(listed.merged(), (vec![(1, 0)], 1));
    }
}
