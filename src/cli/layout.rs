//! Fits a table to a terminal: which columns it has, how wide each is, and how long values are cut.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Spaces between two columns.
pub const GAP: usize = 2;
/// Stands for the middle of a value that was cut.
const CUT: char = '…';
/// Columns of text: their values are wrapped instead of cut, even where they have no spaces.
const TEXTS: [&str; 4] = ["text_a", "text_b", "detail", "reason"];
/// A column of URLs or text that is narrower than this is of little use.
const MIN_WIDTH: usize = 20;
/// Columns of names, which are of no use when cut.
const NAMES: [&str; 3] = ["host", "site", "scope"];
/// A column of URLs is given this much room before others, where each row takes two lines to have it.
const STACKED_WIDTH: usize = 36;
/// Names up to this width are not cut while other columns can be left out instead.
const NAME_WIDTH: usize = 40;
/// No column is narrower than this, however narrow the terminal is; headings up to this width stay on one line.
const LEAST_WIDTH: usize = 8;
/// Columns that are left out where the terminal is too narrow, in groups, the least useful first: other columns say the same, or one looks
/// them up in a file. Columns that every table needs are not in this list.
const EXPENDABLE: [&[&str]; 20] = [
    &["archive"],
    &["content_type", "status"],
    &["bytes", "date"],
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

/// A column, with the widths that suit it.
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
    /// None of its rows has a value.
    pub is_empty: bool,
    /// Another column stands below it.
    pub is_stacked: bool,
}

impl Wish {
    /// The width that it needs to be on one line.
    fn natural(&self) -> usize {
        self.values.max(self.heading)
    }

    /// The smallest width that is of use.
    fn least(&self) -> usize {
        let values = match () {
            () if self.is_number => self.values,
            () if NAMES.contains(&self.name) => self.values.min(NAME_WIDTH),
            () if self.is_stacked => self.values.min(STACKED_WIDTH),
            () => self.values.min(MIN_WIDTH),
        };
        values.max(if self.heading <= LEAST_WIDTH { self.heading } else { self.word })
    }

    /// A value of the column, made to fit `room`: text is wrapped; other values, and URLs and paths inside text, are cut.
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

/// The width of a table in which nothing is cut.
pub fn natural(wishes: &[Wish]) -> usize {
    wishes.iter().map(|wish| wish.natural() + GAP).sum::<usize>().saturating_sub(GAP)
}

/// The columns that fit, by number, with their widths.
///
/// A column is left out only where the others would become too narrow; the remaining room is shared among columns that want more.
pub fn fit(wishes: &[Wish], room: usize) -> Vec<(usize, usize)> {
    let mut kept: Vec<usize> = (0..wishes.len()).collect();
    let has = |name: &str| wishes.iter().any(|wish| wish.name == name);
    // In a listing without texts, URLs are the content, and where there are neither URLs nor keys, languages; where there is no scope, the site
    // is named only here.
    let is_needed = |name: &str| match name {
        "url_a" => !has("text_a"),
        "lang_a" | "lang_b" => !has("url_a") && !has("key"),
        "site" => !has("scope"),
        _ => false,
    };
    let needs = |kept: &[usize]| kept.iter().map(|&at| wishes[at].least() + GAP).sum::<usize>().saturating_sub(GAP);
    if natural(wishes) > room {
        kept.retain(|&at| !wishes[at].is_empty);
    }
    for group in EXPENDABLE.iter().filter(|group| !group.iter().any(|name| is_needed(name))) {
        if needs(&kept) <= room || kept.len() <= 2 {
            break;
        }
        kept.retain(|&at| !group.contains(&wishes[at].name));
    }
    // A group that was left out early comes back if leaving out a later one made room for it, and nothing need be cut.
    for group in EXPENDABLE.iter().rev() {
        let back = (0..wishes.len()).filter(|&at| kept.contains(&at) || group.contains(&wishes[at].name));
        let back: Vec<usize> = back.collect();
        if back.iter().map(|&at| wishes[at].natural() + GAP).sum::<usize>() <= room.saturating_add(GAP) {
            kept = back;
        }
    }
    let mut widths: Vec<usize> = kept.iter().map(|&at| wishes[at].least()).collect();
    let sum = |widths: &[usize]| widths.iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP);
    // One column at a time, beginning with the narrowest; terminals are not wide enough for this to take long.
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

/// A value that is no wider than `room`: the scheme of a URL is cut first, then the middle, so that the host and the end of the path stay.
pub fn shorten(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let text = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")).unwrap_or(text);
    if text.width() <= room {
        return text.to_owned();
    }
    let room = room.saturating_sub(1);
    // More of the end is kept, since many URLs of a listing begin alike.
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
    // A combining mark must not be separated from its letter.
    while tail.last().is_some_and(|c| c.width() == Some(0)) {
        tail.pop();
    }
    head.push(CUT);
    head.extend(tail.iter().rev());
    head
}

/// Two URLs that are no wider than `room`, cut so that one sees in what they differ: of what they have in common at their beginning, the
/// host stays if there is room.
pub fn shorten_two(a: &str, b: &str, room: usize) -> [String; 2] {
    let both = [a, b];
    if both.iter().all(|text| text.width() <= room) {
        return both.map(str::to_owned);
    }
    let both = both.map(|text| text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")).unwrap_or(text));
    if both.iter().all(|text| text.width() <= room) {
        return both.map(str::to_owned);
    }
    let common = both[0].chars().zip(both[1].chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    // The part in which the URLs differ begins with the segment that has the first differing letter.
    let start = both[0][..common].rfind(['/', '?', '&']).unwrap_or(0);
    let host = both[0].find('/').filter(|host| *host < start).map_or(0, |host| host + 1);
    both.map(|text| {
        let (before, rest) = text.split_at(start);
        let with_host = format!("{}{CUT}{rest}", &before[..host]);
        if start == 0 || text.width() <= room {
            shorten(text, room)
        } else if with_host.width() <= room {
            with_host
        } else {
            format!("{CUT}{}", shorten(rest, room.saturating_sub(1)))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(name: &'static str, natural: usize) -> Wish {
        let word = name.split('_').map(str::len).max().unwrap_or(0);
        let is_number = name == "score";
        Wish { name, values: natural, heading: name.len(), word, is_number, is_empty: natural == 0, is_stacked: false }
    }

    #[test]
    fn of_two_urls_one_sees_what_differs() {
        let [en, fr] = ["en", "fr"].map(|lang| format!("http://webserver.site.test/manual/{lang}/howto/index.html"));
        let both = |room| shorten_two(&en, &fr, room);
        assert_eq!(both(60), [en.clone(), fr.clone()]);
        assert_eq!(both(48)[0], "webserver.site.test/manual/en/howto/index.html");
        assert_eq!(both(45)[1], "webserver.site.test/…/fr/howto/index.html");
        assert_eq!(both(38), ["…/en/howto/index.html", "…/fr/howto/index.html"]);
        for room in 12..22 {
            let [a, b] = both(room);
            assert!(a != b && a.width() <= room && b.width() <= room, "{room}: {a} {b}");
        }
        // Hosts that differ stay.
        let [de, en] = ["de", "en"].map(|lang| format!("http://{lang}.packaging.site.test/long/path/index.html"));
        assert_eq!(shorten_two(&de, &en, 20), ["de.pack…h/index.html", "en.pack…h/index.html"]);
        // One is the beginning of the other.
        assert_eq!(shorten_two("http://ex.org/a/b/cc", "http://ex.org/a/b/cc/fr", 8), ["…/cc", "…/cc/fr"]);
    }

    #[test]
    fn the_records_of_an_archive_have_room_for_their_urls() {
        let widths = [
            ("archive", 42),
            ("offset", 10),
            ("length", 6),
            ("type", 27),
            ("status", 6),
            ("content_type", 24),
            ("bytes", 7),
            ("date", 20),
            ("url", 60),
        ];
        let wishes = widths.map(|(name, width)| wish(name, width));
        let fitted = fit(&wishes, 80);
        assert_eq!(names(&wishes, &fitted), ["offset", "length", "type", "url"]);
        assert!(fitted.last().is_some_and(|(_, width)| *width >= 30), "{fitted:?}");
    }

    #[test]
    fn what_is_empty_goes_first() {
        let wishes = [wish("url", 30), wish("detail", 0), wish("lang", 2)];
        assert_eq!(fit(&wishes, 60).len(), 3);
        assert_eq!(fit(&wishes, 37), [(0, 30), (2, 4)]);
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
        // The column that was left out first comes back if it fits.
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
        // Numbers are never cut.
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
        // Each of these characters takes two columns.
        let text = "漢字漢字漢字漢字";
        for room in 3..16 {
            let cut = shorten(text, room);
            assert!(cut.width() <= room && cut.width() + 3 > room, "{room}: {cut}");
        }
        // A point below a letter stays with the letter.
        assert_eq!(shorten("שָׁלוֹם עולם", 5).width(), 5);
        assert!(!shorten("aaaaaae\u{301}b", 4).contains("…\u{301}"));
    }
}
