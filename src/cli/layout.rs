//! How a table fits a terminal: which columns it has, how wide each is, and what is cut out of a value that is too long.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Spaces between two columns.
pub const GAP: usize = 2;
/// What stands for the middle of a value that is cut.
const CUT: char = '…';
/// Columns of text: their values are wrapped, and not cut, even where they have no spaces.
const TEXTS: [&str; 4] = ["text_a", "text_b", "detail", "reason"];
/// The width below which a column of URLs or of text says too little.
const MIN_WIDTH: usize = 20;
/// Columns of names, which say nothing once they are cut.
const NAMES: [&str; 3] = ["host", "site", "scope"];
/// The width up to which a name is not cut where other columns can be left out.
const NAME_WIDTH: usize = 40;
/// The width below which no column goes, however narrow the terminal is, and up to which a heading stands on one line.
const LEAST_WIDTH: usize = 8;
/// Columns that a table does without where the terminal is too narrow for all, first those that say least: other columns say the same,
/// or one looks for them in a file. They go in groups. Those that no table can do without are not here.
const EXPENDABLE: [&[&str]; 17] = [
    &["field", "from", "to"],
    &["global"],
    &["est_precision"],
    &["site"],
    &["accepted"],
    &["power"],
    &["others"],
    &["reason"],
    &["url_a", "url_b"],
    &["domain"],
    &["method"],
    &["lang"],
    &["credibility"],
    &["lang_a", "lang_b"],
    &["linkout"],
    &["seeds", "links"],
    &["rank"],
];

/// One column, as wide as it would like to be.
pub struct Wish {
    /// Its name.
    pub name: &'static str,
    /// The width of its widest value.
    pub values: usize,
    /// The width of its heading on one line.
    pub heading: usize,
    /// The width of the longest word of its heading.
    pub word: usize,
    /// All its values are numbers, which are never cut.
    pub is_number: bool,
}

impl Wish {
    /// What it would take on one line.
    fn natural(&self) -> usize {
        self.values.max(self.heading)
    }

    /// What it can do with.
    fn least(&self) -> usize {
        let values = match () {
            () if self.is_number => self.values,
            () if NAMES.contains(&self.name) => self.values.min(NAME_WIDTH),
            () => self.values.min(MIN_WIDTH),
        };
        values.max(if self.heading <= LEAST_WIDTH { self.heading } else { self.word })
    }

    /// A value of the column as it is put into `room`: text is wrapped there, and anything else is cut, URLs and paths in a text too.
    pub fn fitted(&self, value: &str, room: usize) -> String {
        if !TEXTS.contains(&self.name) && !value.contains(' ') {
            return shorten(value, room);
        }
        let is_address = |word: &str| word.is_ascii() && word.contains('/') && word.len() > room;
        if value.split(' ').any(is_address) {
            let word = |word| if is_address(word) { shorten(word, room).into() } else { Cow::Borrowed(word) };
            value.split(' ').map(word).collect::<Vec<_>>().join(" ")
        } else {
            value.to_owned()
        }
    }
}

/// The columns that fit, by number, with their widths.
///
/// Columns are left out only where the rest would be too narrow, and the room that is left is shared among those that want more.
pub fn fit(wishes: &[Wish], room: usize) -> Vec<(usize, usize)> {
    let mut kept: Vec<usize> = (0..wishes.len()).collect();
    let has = |name: &str| wishes.iter().any(|wish| wish.name == name);
    // The URLs of a listing without texts are what it lists, and a site is named by nothing but the scope of a key.
    let is_needed = |name: &str| name == "url_a" && !has("text_a") || name == "site" && !has("scope");
    let needs = |kept: &[usize]| kept.iter().map(|&at| wishes[at].least() + GAP).sum::<usize>().saturating_sub(GAP);
    for group in EXPENDABLE.iter().filter(|group| !group.iter().any(|name| is_needed(name))) {
        if needs(&kept) <= room || kept.len() <= 2 {
            break;
        }
        kept.retain(|&at| !group.contains(&wishes[at].name));
    }
    // What said more may have made room for what says less; nothing is cut for it.
    for group in EXPENDABLE.iter().rev() {
        let back = (0..wishes.len()).filter(|&at| kept.contains(&at) || group.contains(&wishes[at].name));
        let back: Vec<usize> = back.collect();
        if back.iter().map(|&at| wishes[at].natural() + GAP).sum::<usize>() <= room.saturating_add(GAP) {
            kept = back;
        }
    }
    let mut widths: Vec<usize> = kept.iter().map(|&at| wishes[at].least()).collect();
    let sum = |widths: &[usize]| widths.iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP);
    // One at a time, the narrowest first: terminals are not that wide.
    while sum(&widths) < room {
        let wants = |at: &usize| widths[*at] < wishes[kept[*at]].natural();
        let Some(at) = (0..kept.len()).filter(wants).min_by_key(|&at| widths[at]) else { break };
        widths[at] += 1;
    }
    while sum(&widths) > room {
        let can = |at: &usize| widths[*at] > LEAST_WIDTH && !wishes[kept[*at]].is_number;
        let Some(at) = (0..kept.len()).filter(can).max_by_key(|&at| widths[at]) else { break };
        widths[at] -= 1;
    }
    kept.into_iter().zip(widths).collect()
}

/// A value that is no wider than `room`: the scheme of a URL goes first, then its middle, so that host and name of the page stay.
pub fn shorten(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let text = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")).unwrap_or(text);
    if text.width() <= room {
        return text.to_owned();
    }
    let room = room.saturating_sub(1);
    // More of the end: of the URLs of a listing, many begin alike.
    let head_room = room * 2 / 5;
    let mut head = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > head_room {
            break;
        }
        head.push(c);
    }
    let mut tail: Vec<char> = Vec::new();
    let mut used = head.width();
    for c in text.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        tail.push(c);
    }
    // A mark without its letter says nothing.
    while tail.last().is_some_and(|c| c.width() == Some(0)) {
        tail.pop();
    }
    head.push(CUT);
    head.extend(tail.iter().rev());
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(name: &'static str, natural: usize) -> Wish {
        let word = name.split('_').map(str::len).max().unwrap_or(0);
        Wish { name, values: natural, heading: name.len(), word, is_number: name == "score" }
    }

    #[test]
    fn a_heading_takes_two_lines_before_a_column_is_left_out() {
        let wishes = [wish("url_a", 70), wish("est_precision", 3), wish("lang_a", 2)];
        assert_eq!(fit(&wishes, 20 + 2 + 9 + 2 + 6), [(0, 20), (1, 9), (2, 6)]);
    }

    #[test]
    fn a_name_is_whole_where_other_columns_can_be_left_out() {
        let wishes = [wish("host", 30), wish("domain", 16), wish("credibility", 4), wish("langs", 20)];
        assert_eq!(fit(&wishes, 70), [(0, 30), (2, 11), (3, 20)]);
        assert_eq!(fit(&wishes, 60), [(0, 30), (3, 20)]);
        // What was left out first comes back where it fits.
        let wishes = [wish("host", 30), wish("domain", 9), wish("credibility", 4), wish("langs", 15)];
        assert_eq!(fit(&wishes, 60), [(0, 30), (2, 11), (3, 15)]);
        assert_eq!(fit(&wishes, 59), [(0, 30), (1, 9), (3, 15)]);
    }

    #[test]
    fn urls_are_cut_and_text_is_wrapped() {
        let url = "http://example.org/manual/en/index.html";
        assert_eq!(wish("url_a", 70).fitted(url, 20).chars().count(), 20);
        assert_eq!(wish("name", 70).fitted("text shorter than 100 bytes", 20), "text shorter than 100 bytes");
        let detail = "a copy of example.org/manual/en/index.html";
        assert_eq!(wish("detail", 70).fitted(detail, 20), "a copy of example…n/index.html");
        assert_eq!(wish("text_a", 70).fitted("漢字漢字漢字漢字漢字漢字", 10), "漢字漢字漢字漢字漢字漢字");
    }

    fn names<'w>(wishes: &'w [Wish], fitted: &[(usize, usize)]) -> Vec<&'w str> {
        fitted.iter().map(|&(at, _)| wishes[at].name).collect()
    }

    fn pairs() -> Vec<Wish> {
        vec![
            wish("url_a", 70),
            wish("url_b", 70),
            wish("lang_a", 7),
            wish("lang_b", 7),
            wish("score", 6),
            wish("method", 10),
        ]
    }

    #[test]
    fn a_table_that_fits_stays_as_it_is() {
        let fitted = fit(&pairs(), 200);
        assert_eq!(fitted, [(0, 70), (1, 70), (2, 7), (3, 7), (4, 6), (5, 10)]);
    }

    #[test]
    fn a_table_is_as_wide_as_its_terminal() {
        for room in [60, 80, 120, 160] {
            let wishes = pairs();
            let fitted = fit(&wishes, room);
            let width: usize = fitted.iter().map(|(_, width)| width + GAP).sum();
            assert_eq!(width - GAP, room, "{room}");
            assert!(names(&wishes, &fitted).starts_with(&["url_a", "url_b"]), "{room}");
        }
        // Numbers are whole wherever they stand.
        assert!(fit(&pairs(), 30).iter().all(|&(at, width)| pairs()[at].name != "score" || width == 6));
    }

    #[test]
    fn a_site_goes_where_the_scope_of_a_key_names_it() {
        let keys = |with: &'static str| vec![wish("site", 19), wish(with, 27), wish("state", 6), wish("key", 13)];
        assert_eq!(names(&keys("scope"), &fit(&keys("scope"), 60)), ["scope", "state", "key"]);
        assert_eq!(names(&keys("langs"), &fit(&keys("langs"), 60)), ["site", "langs", "state", "key"]);
    }

    #[test]
    fn the_urls_of_sentences_go_before_the_sentences() {
        let wishes = [wish("text_a", 300), wish("text_b", 300), wish("score", 6), wish("url_a", 60), wish("url_b", 60)];
        assert_eq!(names(&wishes, &fit(&wishes, 80)), ["text_a", "text_b", "score"]);
        assert_eq!(names(&wishes, &fit(&wishes, 120)).len(), 5);
    }

    #[test]
    fn urls_keep_host_and_page() {
        let url = "http://fr.example.org/manual/mod/long/path/index.html";
        assert_eq!(shorten(url, 60), url);
        assert_eq!(shorten(url, 46), "fr.example.org/manual/mod/long/path/index.html");
        assert_eq!(shorten(url, 26), "fr.example…path/index.html");
        assert_eq!(shorten("https://ex.org/a", 5), "e…g/a");
        assert_eq!(shorten("abc", 0), "…");
    }

    #[test]
    fn wide_letters_and_marks_count_as_they_are_shown() {
        // Each takes two columns.
        let text = "漢字漢字漢字漢字";
        for room in 3..16 {
            let cut = shorten(text, room);
            assert!(cut.width() <= room && cut.width() + 3 > room, "{room}: {cut}");
        }
        // A point below stays with its letter.
        assert_eq!(shorten("שָׁלוֹם עולם", 5).width(), 5);
        assert!(!shorten("aaaaaae\u{301}b", 4).contains("…\u{301}"));
    }
}
