//! Letters with their places → lines → paragraphs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::glyphs::Letter;
use crate::extract::lines::is_unspaced;

/// A gap that is wider than this part of the font's size is a space.
const SPACE: f64 = 0.17;
/// A gap that is wider than this many font sizes separates columns.
const COLUMN: f64 = 2.5;
/// Lines whose base lines are more than this many font sizes apart do not belong together.
const LEADING: f64 = 1.75;
/// Letters that are this many times as large as most of the text belong to a heading.
const HEADING: f64 = 1.15;
/// A line at the head or foot of this many pages is no text.
const REPEATS: usize = 3;
/// The ends of lines count as the same place if they are no further apart than this, in points.
const TOGETHER: f64 = 1.5;
/// A line that is further than this many font sizes from the next one stands apart from it.
const APART: f64 = 1.7;
/// How many lines at the head and at the foot of a page are examined.
const EDGE_LINES: usize = 2;
/// Signs before an item of a list.
const BULLETS: &[char] = &['•', '◦', '▪', '‣', '·', '●', '○', '■', '–', '—', '*', '-', '\u{f0b7}', '\u{f0a7}'];

/// A line, or the part of it that stands in one column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) x: f64,
    pub(super) end: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    /// Where the first word ends.
    first_end: f64,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A paragraph.
    Text,
    /// Larger than the text.
    Heading,
    /// An item of a list.
    Item,
}

impl Kind {
    /// The element of HTML.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Kind::Text => "p",
            Kind::Heading => "h2",
            Kind::Item => "li",
        }
    }
}

/// A paragraph, or something else that stands by itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// The lines of a page, in the order in which their letters are drawn.
pub(super) fn lines(letters: Vec<Letter>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut last: Option<Letter> = None;
    for letter in letters {
        // Bold letters may be drawn twice.
        let is_twice = last.as_ref().is_some_and(|last| {
            last.text == letter.text
                && (last.x - letter.x).abs() < 0.1 * letter.size
                && (last.y - letter.y).abs() < 0.1 * letter.size
        });
        if is_twice {
            continue;
        }
        let text = plain(&letter.text);
        let is_blank = text.trim().is_empty();
        match lines.last_mut().filter(|line| line.goes_on_with(&letter)) {
            Some(line) => line.add(&text, &letter),
            None if is_blank => {}
            None => lines.push(Line {
                text,
                x: letter.x,
                end: letter.end.max(letter.x),
                y: letter.y,
                size: letter.size,
                first_end: f64::NAN,
            }),
        }
        last = Some(letter);
    }
    for line in &mut lines {
        line.text.truncate(line.text.trim_end().len());
        if line.first_end.is_nan() {
            line.first_end = line.end;
        }
    }
    lines.retain(|line| !line.text.is_empty());
    lines
}

impl Line {
    fn goes_on_with(&self, letter: &Letter) -> bool {
        let size = self.size.max(letter.size);
        // Smaller letters may stand higher or lower than the others.
        let is_level = (letter.y - self.y).abs() < if letter.size < 0.85 * self.size { 0.6 } else { 0.3 } * size;
        is_level && letter.x > self.end - 0.7 * size && letter.x < self.end + COLUMN * size
    }

    fn add(&mut self, text: &str, letter: &Letter) {
        let gap = letter.x - self.end;
        let is_apart = gap > SPACE * letter.size.min(self.size) && !is_unspaced(&self.text, text);
        if (is_apart || text.trim().is_empty()) && !self.text.ends_with(' ') {
            if self.first_end.is_nan() {
                self.first_end = self.end;
            }
            self.text.push(' ');
        }
        if !text.trim().is_empty() {
            self.text.push_str(text);
            self.end = self.end.max(letter.end);
            // The line is that of its largest letters.
            if letter.size > self.size {
                (self.size, self.y) = (letter.size, letter.y);
            }
        }
    }

    /// Its text, whatever its numbers are.
    fn pattern(&self) -> String {
        let mut pattern = String::new();
        for c in self.text.chars() {
            match c {
                c if c.is_numeric() => {
                    if !pattern.ends_with('#') {
                        pattern.push('#');
                    }
                }
                c => pattern.push(c),
            }
        }
        // The number of a page may be Roman, and is then all that changes from page to page.
        if pattern.chars().all(|c| matches!(c, 'i' | 'v' | 'x' | 'l')) { "#".to_owned() } else { pattern }
    }
}

/// The text of a letter without ligatures and odd spaces.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ﬀ' => plain.push_str("ff"),
            'ﬁ' => plain.push_str("fi"),
            'ﬂ' => plain.push_str("fl"),
            'ﬃ' => plain.push_str("ffi"),
            'ﬄ' => plain.push_str("ffl"),
            'ﬅ' | 'ﬆ' => plain.push_str("st"),
            c if c.is_whitespace() || c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

/// The blocks of all pages.
pub(super) fn blocks(mut pages: Vec<Vec<Line>>) -> Vec<Block> {
    drop_edges(&mut pages);
    pages.iter_mut().flatten().for_each(without_leader);
    let body = body_size(&pages);
    let words = Words::of(&pages);
    let mut blocks: Vec<(Block, Line)> = Vec::new();
    for page in &pages {
        let margins = margins(page);
        for (at, line) in page.iter().enumerate() {
            if line.text.is_empty() {
                continue;
            }
            let kind = kind_of(line, body);
            let before = blocks.last_mut().filter(|(block, last)| {
                let is_new_page = at == 0;
                kind != Kind::Item && goes_on(block, last, line, kind, is_new_page)
            });
            let mut line = line.clone();
            match before {
                Some((block, last)) => {
                    words.join(&mut block.text, &line.text);
                    line.x = line.x.min(last.x);
                    *last = with_room(line, margins[at]);
                }
                None => {
                    blocks.push((Block { kind, text: without_bullet(kind, &line.text) }, with_room(line, margins[at])))
                }
            }
        }
    }
    blocks.into_iter().map(|(block, _)| block).collect()
}

fn without_bullet(kind: Kind, text: &str) -> String {
    let bare = if kind == Kind::Item { text.trim_start_matches(BULLETS).trim_start() } else { text };
    bare.to_owned()
}

/// The line with the room between its end and the margin, in place of its first word, which is no longer needed.
fn with_room(mut line: Line, margin: f64) -> Line {
    line.first_end = margin - line.end;
    line
}

/// True where a line belongs to the block before it. `last` is the last line of that block, with the room that is left at its end.
fn goes_on(block: &Block, last: &Line, line: &Line, kind: Kind, is_new_page: bool) -> bool {
    let (size, room) = (last.size.max(line.size), last.first_end);
    let is_alike = (last.size - line.size).abs() < 0.08 * size;
    let is_same_kind = kind == block.kind || (block.kind == Kind::Item && kind == Kind::Text);
    let fits = line.first_end - line.x + 0.25 * size;
    // If there was room for the next word, the paragraph has ended.
    let is_cut = block.text.ends_with(HYPHENS) && line.text.starts_with(char::is_lowercase);
    let is_full = is_cut || fits > room;
    if !is_alike || !is_same_kind {
        return false;
    }
    if kind == Kind::Heading {
        let down = line.y - last.y;
        return !is_new_page && down > 0.0 && down < LEADING * size && is_full;
    }
    if is_new_page || line.y < last.y {
        let starts_small = line.text.chars().next().is_some_and(char::is_lowercase);
        let is_open = !block.text.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', ';']);
        return is_full && is_open && (starts_small || is_unspaced(&block.text, &line.text));
    }
    let down = line.y - last.y;
    let is_below = down > 0.3 * size && down < LEADING * size;
    let shift = line.x - last.x;
    // The first line may begin further to the right or to the left than the others, which all begin at the same place.
    let is_aligned = shift < 0.7 * size && shift > -4.0 * size || (block.kind == Kind::Item && shift < 4.0 * size);
    is_below && is_aligned && is_full
}

fn kind_of(line: &Line, body: f64) -> Kind {
    let mut words = line.text.split(' ');
    let first = words.next().unwrap_or_default();
    let number = first.trim_end_matches(['.', ')']);
    let is_number = number.len() < first.len() && number.len() <= 2 && number.chars().all(|c| c.is_ascii_digit());
    let is_bullet = first.chars().count() == 1 && first.contains(BULLETS) || is_number;
    if line.size > HEADING * body {
        Kind::Heading
    } else if is_bullet && words.next().is_some() {
        Kind::Item
    } else {
        Kind::Text
    }
}

/// For each line, how far the lines in its column go to the right.
fn margins(page: &[Line]) -> Vec<f64> {
    // Lines that begin within a few letters of each other are in one column.
    let mut ends: FxHashMap<i64, Vec<f64>> = FxHashMap::default();
    let column = |line: &Line| (line.x / (4.0 * line.size.max(1.0))).round().clamp(-1e6, 1e6) as i64;
    for line in page {
        (-1..=1).for_each(|by| ends.entry(column(line) + by).or_default().push(line.end));
    }
    let ends: FxHashMap<i64, f64> = ends.into_iter().map(|(column, ends)| (column, margin(ends))).collect();
    page.iter().map(|line| ends.get(&column(line)).copied().unwrap_or(line.end)).collect()
}

/// The place where most lines end together; of several such places, the one furthest to the right. Where no lines end together, the end of
/// the longest line. A single line may go beyond the margin.
fn margin(mut ends: Vec<f64>) -> f64 {
    ends.sort_by(f64::total_cmp);
    let (mut most, mut margin, mut from) = (REPEATS, None, 0);
    for at in 0..ends.len() {
        while ends[at] - ends[from] > TOGETHER {
            from += 1;
        }
        if at - from + 1 >= most {
            (most, margin) = (at - from + 1, Some(ends[at]));
        }
    }
    margin.or(ends.last().copied()).unwrap_or(0.0)
}

/// The size of most of the text.
fn body_size(pages: &[Vec<Line>]) -> f64 {
    let mut sizes: FxHashMap<i64, usize> = FxHashMap::default();
    for line in pages.iter().flatten() {
        *sizes.entry((line.size * 4.0).round().min(1e9) as i64).or_default() += line.text.len();
    }
    let most = sizes.into_iter().max_by_key(|(size, bytes)| (*bytes, *size));
    most.map_or(0.0, |(size, _)| size as f64 / 4.0)
}

/// Drops lines that stand at the head or foot of several pages and differ only in their numbers.
fn drop_edges(pages: &mut [Vec<Line>]) {
    let rounded = |y: f64| (y / 4.0).round().clamp(-1e9, 1e9) as i64;
    let mut repeated: FxHashMap<(String, i64), usize> = FxHashMap::default();
    let mut apart: FxHashMap<i64, usize> = FxHashMap::default();
    let edges: Vec<[Vec<Edge>; 2]> = pages.iter().map(|page| [edge(page, 1.0), edge(page, -1.0)]).collect();
    for (page, edges) in pages.iter().zip(&edges) {
        // On a short page, the same line may be both at the head and at the foot.
        let names: FxHashSet<(String, i64)> =
            edges.iter().flatten().map(|edge| (page[edge.line].pattern(), rounded(edge.y))).collect();
        names.into_iter().for_each(|name| *repeated.entry(name).or_default() += 1);
        // A line that stands apart from the text on many pages belongs to their frame, whatever it says.
        let alone = edges.iter().filter_map(|edge| edge.first()).filter(|edge| edge.is_apart);
        alone.for_each(|edge| *apart.entry(rounded(edge.y)).or_default() += 1);
    }
    let many = REPEATS.max(pages.len() * 2 / 5);
    for (page, edges) in pages.iter_mut().zip(edges) {
        let is_frame = |edge: &&Edge| {
            repeated.get(&(page[edge.line].pattern(), rounded(edge.y))).is_some_and(|count| *count >= REPEATS)
                || (edge.is_apart && apart.get(&rounded(edge.y)).is_some_and(|count| *count >= many))
        };
        let dropped: FxHashSet<usize> = edges.iter().flatten().filter(is_frame).map(|edge| edge.line).collect();
        let mut at = 0;
        page.retain(|_| {
            at += 1;
            !dropped.contains(&(at - 1))
        });
    }
}

/// A line at the head or foot of a page.
struct Edge {
    line: usize,
    y: f64,
    /// True where the line is further from the next one than lines of a paragraph are from each other.
    is_apart: bool,
}

/// The lines at the head of a page, or at its foot if the sign is -1: those of the first levels, as long as they are few.
fn edge(page: &[Line], sign: f64) -> Vec<Edge> {
    let mut order: Vec<usize> = (0..page.len()).collect();
    order.sort_by(|a, b| (sign * page[*a].y).total_cmp(&(sign * page[*b].y)));
    let Some(&first) = order.first() else { return Vec::new() };
    let is_level = |at: &usize| (page[*at].y - page[first].y).abs() < 0.3 * page[first].size;
    let level = order.iter().take_while(|at| is_level(at)).count();
    let is_apart = order.get(level).is_some_and(|at| (page[*at].y - page[first].y).abs() > APART * page[first].size);
    let edge = |(at, &line): (usize, &usize)| Edge { line, y: page[line].y, is_apart: is_apart && at < level };
    order.iter().take(level.max(EDGE_LINES)).enumerate().map(edge).collect()
}

/// Removes the dots and the page number from a line of a table of contents.
fn without_leader(line: &mut Line) {
    let bare = line.text.trim_end_matches(|c: char| c.is_numeric() || matches!(c, 'i' | 'v' | 'x' | ' '));
    let name = bare.trim_end_matches(['.', ' ', '…', '·']);
    if bare[name.len()..].matches(['.', '…', '·']).count() >= 4 {
        line.text.truncate(name.len());
    }
}

/// The words of the text, which show whether a hyphen at the end of a line stays.
struct Words(FxHashSet<String>);

impl Words {
    fn of(pages: &[Vec<Line>]) -> Words {
        let mut words = FxHashSet::default();
        for line in pages.iter().flatten() {
            // The last word of a line may be cut off, and the first word of the next line is then its rest.
            let mut all: Vec<&str> = line.text.split(' ').collect();
            if all.last().is_some_and(|last| last.ends_with(HYPHENS)) {
                all.pop();
            }
            words.extend(all.into_iter().map(bare).filter(|word| !word.is_empty()));
        }
        Words(words)
    }

    /// Appends a line to the lines before.
    fn join(&self, text: &mut String, line: &str) {
        let last = text.rsplit(' ').next().unwrap_or_default();
        let next = line.split(' ').next().unwrap_or_default();
        let cut = last.trim_end_matches(HYPHENS);
        let ends_in_word = cut.chars().next_back().is_some_and(char::is_alphabetic) && cut.len() < last.len();
        if !ends_in_word {
            if !is_unspaced(text, line) {
                text.push(' ');
            }
        } else if next.chars().next().is_some_and(char::is_lowercase) {
            let (whole, hyphened) = (bare(&format!("{cut}{next}")), bare(&format!("{cut}-{next}")));
            let is_soft = last.ends_with('\u{ad}');
            if is_soft || self.0.contains(&whole) || !self.0.contains(&hyphened) {
                text.truncate(text.trim_end_matches(HYPHENS).len());
            }
        }
        text.push_str(line);
    }
}

/// Hyphens at the end of a line.
const HYPHENS: [char; 3] = ['-', '\u{ad}', '\u{2010}'];

/// A word without the signs around it.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of letters that are half as wide as high.
    fn line(x: f64, y: f64, size: f64, text: &str) -> Vec<Letter> {
        let place = |at: usize| x + at as f64 * size / 2.0;
        let letter = |(at, c): (usize, char)| Letter { text: c.to_string(), x: place(at), end: place(at + 1), y, size };
        text.chars().enumerate().filter(|(_, c)| *c != ' ').map(letter).collect()
    }

    fn page(page: &[(f64, f64, f64, &str)]) -> Vec<Line> {
        lines(page.iter().flat_map(|(x, y, size, text)| line(*x, *y, *size, text)).collect())
    }

    fn texts(pages: Vec<Vec<Line>>) -> Vec<String> {
        blocks(pages).into_iter().map(|block| block.text).collect()
    }

    #[test]
    fn gaps_are_spaces_and_wide_ones_part_columns() {
        let found = page(&[(0.0, 10.0, 10.0, "two words"), (200.0, 10.0, 10.0, "beside"), (0.0, 22.0, 10.0, "日 本")]);
        let texts: Vec<&str> = found.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["two words", "beside", "日本"]);
        let twice = [line(0.0, 0.0, 10.0, "a"), line(0.2, 0.0, 10.0, "a"), line(5.0, 0.0, 10.0, "\u{fb01}")].concat();
        assert_eq!(lines(twice)[0].text, "afi");
    }

    #[test]
    fn lines_join_where_the_next_word_had_no_room() {
        let lines = [
            (0.0, 0.0, 10.0, "a paragraph of some lines"),
            (0.0, 12.0, 10.0, "that ends in the middle."),
            (0.0, 24.0, 10.0, "Here is another that goes"),
            (0.0, 36.0, 10.0, "on."),
            (0.0, 80.0, 10.0, "Far below stands the last"),
        ];
        let paragraphs = [
            "a paragraph of some lines that ends in the middle.",
            "Here is another that goes on.",
            "Far below stands the last",
        ];
        // The second line is full as well, so the paragraph seems to go on.
        let joined = [format!("{} {}", paragraphs[0], paragraphs[1]), paragraphs[2].to_owned()];
        assert_eq!(texts(vec![page(&lines)]), joined);
        let mut short = lines;
        short[1].3 = "that ends.";
        assert_eq!(texts(vec![page(&short)])[1..], paragraphs[1..]);
    }

    #[test]
    fn hyphens_stay_where_words_have_them() {
        let words = Words(["well-known", "cooperation"].map(str::to_owned).into_iter().collect());
        let join = |text: &str, line: &str| {
            let mut text = text.to_owned();
            words.join(&mut text, line);
            text
        };
        assert_eq!(join("a well-", "known one"), "a well-known one");
        assert_eq!(join("in co-", "operation,"), "in cooperation,");
        assert_eq!(join("unknown be-", "fore"), "unknown before");
        assert_eq!(join("Jean-", "Paul"), "Jean-Paul");
        assert_eq!(join("soft\u{ad}", "ly"), "softly");
        assert_eq!(join("1990-", "2000"), "1990- 2000");
        assert_eq!(join("日本", "語"), "日本語");
    }

    const NAMES: [&str; 4] = ["One", "Two", "Three", "Four"];

    #[test]
    fn heads_and_feet_of_pages_are_left_out() {
        let pages: Vec<Vec<Line>> = (0..4)
            .map(|number| {
                let (head, text) = (format!("Chapter {}", NAMES[number]), format!("Text of {}.", NAMES[number]));
                let foot = format!("- {number} -");
                let page = [(0.0, 0.0, 10.0, head.as_str()), (0.0, 40.0, 10.0, &text), (0.0, 400.0, 10.0, &foot)];
                self::page(&page)
            })
            .collect();
        assert_eq!(texts(pages.clone()), [0, 1, 2, 3].map(|number| format!("Text of {}.", NAMES[number])));
        assert_eq!(texts(pages[..2].to_vec()).len(), 6, "two pages show nothing");
    }

    #[test]
    fn a_paragraph_goes_on_over_the_end_of_a_page() {
        let first = page(&[(0.0, 0.0, 10.0, "A sentence that is not at its end when")]);
        let second = page(&[(0.0, 0.0, 10.0, "the page is."), (0.0, 40.0, 10.0, "More.")]);
        assert_eq!(texts(vec![first, second]), ["A sentence that is not at its end when the page is.", "More."]);
    }

    #[test]
    fn items_headings_and_leaders_are_told() {
        let lines = [
            (0.0, 0.0, 14.0, "A heading"),
            (0.0, 30.0, 10.0, "Some text that is longer than all else."),
            (0.0, 50.0, 10.0, "\u{2022} an item"),
            (0.0, 70.0, 10.0, "2. Preface . . . . . . . 17"),
        ];
        let found: Vec<(Kind, String)> =
            blocks(vec![page(&lines)]).into_iter().map(|block| (block.kind, block.text)).collect();
        let expected = [
            (Kind::Heading, "A heading"),
            (Kind::Text, "Some text that is longer than all else."),
            (Kind::Item, "an item"),
            (Kind::Item, "2. Preface"),
        ];
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
    }
}
