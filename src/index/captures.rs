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

/// Which of several equally full captures of a URL becomes its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Choice {
    /// The newest.
    #[default]
    Newest,
    /// The one nearest in time to the main date of its domain: pages that are translations of each other are then of about one time.
    Nearest,
}

/// How long a crawl of a domain lasts, in milliseconds: 30 days (an estimate).
const CRAWL_MS: i64 = 30 * 24 * 60 * 60 * 1000;

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
pub struct CaptureRow {
    /// Its capture.
    pub source: Source,
    /// The record with its links, if it is not its own record, else 0.
    pub links: u64,
}

/// The pages of a table, by URL, and how many captures were dropped in favour of another of the same URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// One page for each URL.
    pub order: Vec<CaptureRow>,
    /// How many captures did not become pages.
    pub older: u64,
}

/// Chooses one capture of each URL: the fullest, and of these the one of the `choice`. A text without markup takes its links from the newest
/// capture that is links only.
///
/// The newest captures can be chosen step by step, from those chosen before and new ones; the nearest only from all captures at once.
/// `count` is about how many sources there are. Cost: sorting them by URL, and by date where the nearest are chosen.
pub fn merge<C: Captures>(captures: &C, sources: impl Iterator<Item = Source>, count: usize, choice: Choice) -> Merged {
    let mut order: Vec<([u64; 2], Source)> = Vec::with_capacity(count);
    order.extend(sources.map(|source| ([0; 2], source)));
    let identity = |source: Source| captures.identity(source);
    let tie = |a: Source, b: Source| captures.stamp(b).cmp(&captures.stamp(a)).then_with(|| a.cmp(&b));
    sort_by_url(&mut order, &identity, &tie);
    if choice == Choice::Nearest {
        nearest_first(captures, &mut order);
    }
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
    Merged { order: order.into_iter().map(|(links, source)| CaptureRow { links: links[0], source }).collect(), older }
}

/// Puts the capture that is nearest to the main date first among the fullest captures of each URL. Captures are sorted by URL, then by
/// fullness, then from the newest on.
fn nearest_first<C: Captures>(captures: &C, order: &mut [([u64; 2], Source)]) {
    let is_same = |a: &([u64; 2], Source), b: &([u64; 2], Source)| captures.identity(a.1) == captures.identity(b.1);
    let fullest = |of_url: &[([u64; 2], Source)]| {
        of_url.iter().take_while(|one| captures.form(one.1) == captures.form(of_url[0].1)).count()
    };
    let mut dates: Vec<(i64, u32)> = Vec::with_capacity(order.len());
    for (of_url, number) in order.chunk_by(is_same).zip(0u32..) {
        let known = of_url[..fullest(of_url)].iter().map(|one| captures.stamp(one.1).date_ms).filter(|date| *date != 0);
        dates.extend(known.map(|date| (date, number)));
    }
    let Some(main) = main_date(&mut dates) else { return };
    for of_url in order.chunk_by_mut(is_same) {
        // A capture without a date is as far away as any can be.
        let distance = |at: &usize| match captures.stamp(of_url[*at].1).date_ms {
            0 => u64::MAX,
            date => date.abs_diff(main),
        };
        // Of captures that are equally near, the newest one counts.
        if let Some(nearest) = (0..fullest(of_url)).min_by_key(distance) {
            of_url[..=nearest].rotate_right(1);
        }
    }
}

/// The main date of some URLs, given the dates of their captures and the number of the URL of each. Of all spans of [`CRAWL_MS`], the one
/// is taken in which the most URLs were captured; if several have about as many (a twentieth less at most), the latest of them. The main
/// date is that of the middle capture in this span.
fn main_date(dates: &mut [(i64, u32)]) -> Option<i64> {
    dates.sort_unstable();
    let mut captured = vec![0_u32; dates.iter().map(|one| one.1 as usize + 1).max()?];
    let (mut start, mut urls) = (0, 0_usize);
    let mut windows: Vec<(usize, usize)> = Vec::with_capacity(dates.len());
    for &(date, url) in dates.iter() {
        captured[url as usize] += 1;
        urls += usize::from(captured[url as usize] == 1);
        while date.saturating_sub(dates[start].0) > CRAWL_MS {
            let left = &mut captured[dates[start].1 as usize];
            *left -= 1;
            urls -= usize::from(*left == 0);
            start += 1;
        }
        windows.push((start, urls));
    }
    let most = windows.iter().map(|window| window.1).max()?;
    let end = windows.iter().rposition(|window| window.1 * 20 >= most * 19)?;
    Some(dates[windows[end].0.midpoint(end)].0)
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
            self.merged_by(Choice::Newest)
        }

        fn merged_by(&self, choice: Choice) -> (Vec<(u32, u64)>, u64) {
            let count = self.0.len() as u32;
            let Merged { order, older } = merge(self, (0..count).map(|at| Source::new(0, at)), 0, choice);
            let place =
                |row: &CaptureRow| (0..count).find(|&at| Source::new(0, at) == row.source).expect("one of them");
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

    const DAY: i64 = 24 * 60 * 60 * 1000;

    #[test]
    fn the_nearest_capture_is_that_of_the_crawl_with_the_most_urls() {
        let page = Form::Page;
        let listed = Listed(vec![
            ("a", page, 100 * DAY, 0),
            ("b", page, 101 * DAY, 0),
            ("c", page, 102 * DAY, 0),
            ("a", page, 900 * DAY, 0),
            ("d", page, 900 * DAY, 0),
            ("b", Form::Text, 101 * DAY, 0),
            ("e", Form::Text, 101 * DAY, 7),
            ("e", page, 2000 * DAY, 0),
            ("f", page, 0, 0),
        ]);
        // URL a gets the capture of the first crawl. URLs with only one capture, or only one full capture, keep it.
        assert_eq!(listed.merged_by(Choice::Nearest), (vec![(0, 0), (1, 0), (2, 0), (4, 0), (7, 0), (8, 0)], 3));
        assert_eq!(listed.merged().0[0], (3, 0));
        // A capture without a date is farther than any other; it does not count as one of 1970.
        let listed =
            Listed(vec![("a", page, DAY, 0), ("b", page, 2 * DAY, 0), ("c", page, 900 * DAY, 0), ("c", page, 0, 0)]);
        assert_eq!(listed.merged_by(Choice::Nearest), (vec![(0, 0), (1, 0), (2, 0)], 1));
    }

    #[test]
    fn the_main_date_is_that_of_the_latest_crawl_that_is_about_as_full_as_any() {
        let crawl = |day: i64, urls: u32| (0..urls).map(move |url| (day * DAY + i64::from(url), url));
        let main = |crawls: &[(i64, u32)]| {
            let mut dates: Vec<(i64, u32)> = crawls.iter().flat_map(|&(day, urls)| crawl(day, urls)).collect();
            main_date(&mut dates).map(|date| date / DAY)
        };
        assert_eq!(main(&[(100, 40), (500, 38), (900, 5)]), Some(500));
        assert_eq!(main(&[(100, 40), (500, 37), (900, 5)]), Some(100));
        // One URL that is captured again and again counts once.
        let often: Vec<(i64, u32)> = (900..920).map(|day| (day, 1)).chain([(100, 2)]).collect();
        assert_eq!((main(&often), main(&[])), (Some(100), None));
        // Days of one crawl.
        assert_eq!(main(&[(10, 3), (20, 3), (35, 3), (1000, 2)]), Some(20));
    }
}
