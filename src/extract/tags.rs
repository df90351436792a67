//! What each element means for text: where blocks end, what is code, and what is not text at all.

use std::sync::LazyLock;

use crate::types::{tag_code, tag_name};

/// The properties of an element that matter for extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its code in [`crate::types::Page::tags`].
    pub code: u16,
    /// How it divides text.
    pub layout: Layout,
    /// What stands between its tags.
    pub content: Content,
    /// What to read from its attributes.
    pub role: Role,
    /// True if the text inside is not prose: program text, formulas, choices of a form.
    pub listing: bool,
}

/// How an element divides text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// It does not divide a line.
    Inline,
    /// `<br>`: it ends a line, [mostly](super::lines::goes_on); two in a row end a block.
    Break,
    /// `<hr>`: it ends a block and contains no text.
    Rule,
    /// Its text is separate from the text before and after it.
    Block(Group),
}

/// Groups of blocks: those whose end tags may be left out, and those that separate them (HTML standard, §13.1.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Closed only by its end tag.
    Plain,
    /// `p`, closed by every block.
    Paragraph,
    /// `li`.
    Item,
    /// `ul`, `ol`, `menu`, `dir`.
    List,
    /// `dt`, `dd`.
    Term,
    /// `dl`.
    Terms,
    /// `td`, `th`.
    Cell,
    /// `tr`.
    Row,
    /// `thead`, `tbody`, `tfoot`, `caption`.
    Rows,
    /// `table`.
    Table,
    /// `option`.
    Choice,
    /// `select`, `datalist`.
    Choices,
}

impl Group {
    /// True when a start tag of this group closes an open element of group `open`.
    pub fn closes(self, open: Group) -> bool {
        use Group::{Cell, Choice, Item, Paragraph, Row, Rows, Term};
        match open {
            Paragraph => true,
            Item => self == Item,
            Term => self == Term,
            Cell => matches!(self, Cell | Row | Rows),
            Row => matches!(self, Row | Rows),
            Rows => self == Rows,
            Choice => self == Choice,
            _ => false,
        }
    }

    /// True when start tags inside an element of this group do not close elements outside it.
    pub fn shields(self) -> bool {
        matches!(self, Group::List | Group::Terms | Group::Table | Group::Choices)
    }
}

/// What stands between the tags of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text and tags.
    Markup,
    /// The title: text with character references, no tags.
    Title,
    /// Text as it stands, without character references or tags (`xmp`, `plaintext`).
    Literal,
    /// No text of the page: programs, styles, and what browsers do not show or users type.
    Dropped,
}

/// What to read from the attributes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing.
    Plain,
    /// `<a href>`.
    Anchor,
    /// `<area href>`.
    Area,
    /// `<link href>`.
    Link,
    /// `<iframe src>`, `<frame src>`.
    Frame,
    /// `<option value>`.
    Choice,
    /// A custom element: `<x-header>`.
    Custom,
    /// `<img src>`.
    Image,
    /// `<base href>`.
    Base,
    /// `<meta>`.
    Meta,
    /// `<input type>`.
    Input,
    /// `<html lang>`, `<body lang>`.
    Root,
    /// `<font style>`.
    Font,
    /// Nothing; the element is left out, with everything inside it.
    Svg,
    /// The same as [`Role::Svg`].
    Template,
    /// Nothing; the element says how the text before it is read (`rt`), and its own text is left out.
    Reading,
}

/// The element with a tag name, in upper or lower case. Names that are not in the table are inline and have the code 0.
pub fn lookup(name: &str) -> Tag {
    let Some(packed) = pack(name.as_bytes()) else {
        return if name.contains('-') { CUSTOM } else { UNKNOWN };
    };
    let table = &*TABLE;
    let mut slot = slot(packed);
    loop {
        match table.keys[slot] {
            key if key == packed => return table.tags[slot],
            EMPTY => return UNKNOWN,
            _ => slot = (slot + 1) % SLOTS,
        }
    }
}

const UNKNOWN: Tag =
    Tag { code: 0, layout: Layout::Inline, content: Content::Markup, role: Role::Plain, listing: false };

const CUSTOM: Tag = Tag { role: Role::Custom, ..UNKNOWN };

/// A power of two, and at least four times the number of names, so that searches are short.
const SLOTS: usize = 1024;

/// A hash table with open addressing by [`slot`]. Names are looked up twice for each element, and a linear search would cost more than
/// parsing.
struct Table {
    /// The result of [`pack`] for each name; [`EMPTY`] in free slots.
    keys: Box<[u64; SLOTS]>,
    tags: Box<[Tag; SLOTS]>,
}

/// The result of [`pack`] for an empty name, which no element has.
const EMPTY: u64 = 0;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { keys: Box::new([EMPTY; SLOTS]), tags: Box::new([UNKNOWN; SLOTS]) };
    let known = (1..).map(tag_name).take_while(|&name| name != "?");
    for name in known.chain(OUTSIDE_THE_CODES.iter().copied()) {
        let packed = pack(name.as_bytes()).expect("names of elements are short");
        let mut at = slot(packed);
        while table.keys[at] != EMPTY {
            at = (at + 1) % SLOTS;
        }
        (table.keys[at], table.tags[at]) = (packed, describe(name));
    }
    table
});

/// Elements that matter for text but have no code.
const OUTSIDE_THE_CODES: &[&str] = &["xmp", "plaintext", "noembed", "listing", "rtc"];

/// The longest name that [`pack`] can pack, in bytes; no element has a longer one.
const MAX_NAME_BYTES: usize = 12;
/// One more than the number of codes. `CODE_BASE`¹² fits into 64 bits.
const CODE_BASE: u64 = 33;

/// A name in lower case as one number; `None` for names that are longer than those of all elements, and for those with characters other
/// than ASCII letters and the digits `1` to `6`.
fn pack(name: &[u8]) -> Option<u64> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    name.iter().try_fold(0, |packed, &byte| match CODES[usize::from(byte)] {
        0 => None,
        code => Some(packed * CODE_BASE + u64::from(code)),
    })
}

/// A code for each byte of a name: for letters, in upper or lower case, and for the digits of headings; 0 for other bytes.
const CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let mut letter = 0;
    while letter < 26 {
        codes[(b'a' + letter) as usize] = letter + 1;
        codes[(b'A' + letter) as usize] = letter + 1;
        letter += 1;
    }
    let mut digit = 1;
    while digit < 7 {
        codes[(b'0' + digit) as usize] = 26 + digit;
        digit += 1;
    }
    codes
};

fn slot(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % SLOTS
}

fn describe(name: &str) -> Tag {
    let layout = match name {
        "br" => Layout::Break,
        "hr" => Layout::Rule,
        "p" => Layout::Block(Group::Paragraph),
        "li" => Layout::Block(Group::Item),
        "ul" | "ol" | "menu" | "dir" => Layout::Block(Group::List),
        "dt" | "dd" => Layout::Block(Group::Term),
        "dl" => Layout::Block(Group::Terms),
        "td" | "th" => Layout::Block(Group::Cell),
        "tr" => Layout::Block(Group::Row),
        "thead" | "tbody" | "tfoot" | "caption" => Layout::Block(Group::Rows),
        "table" => Layout::Block(Group::Table),
        "option" => Layout::Block(Group::Choice),
        "select" | "datalist" => Layout::Block(Group::Choices),
        "address" | "article" | "aside" | "blockquote" | "body" | "button" | "center" | "details" | "dialog"
        | "div" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "frameset" | "h1" | "h2" | "h3" | "h4"
        | "h5" | "h6" | "head" | "header" | "hgroup" | "html" | "legend" | "listing" | "main" | "marquee" | "nav"
        | "optgroup" | "plaintext" | "pre" | "search" | "section" | "summary" | "xmp" => Layout::Block(Group::Plain),
        _ => Layout::Inline,
    };
    let content = match name {
        "title" => Content::Title,
        "xmp" | "plaintext" => Content::Literal,
        "script" | "style" | "noscript" | "iframe" | "noembed" | "noframes" | "textarea" => Content::Dropped,
        _ => Content::Markup,
    };
    let role = match name {
        "a" => Role::Anchor,
        "area" => Role::Area,
        "link" => Role::Link,
        "iframe" | "frame" => Role::Frame,
        "option" => Role::Choice,
        "img" => Role::Image,
        "base" => Role::Base,
        "meta" => Role::Meta,
        "input" => Role::Input,
        "html" | "body" => Role::Root,
        "font" => Role::Font,
        "svg" => Role::Svg,
        "template" => Role::Template,
        "rt" | "rp" | "rtc" => Role::Reading,
        _ => Role::Plain,
    };
    let listing = matches!(
        name,
        "pre" | "code" | "tt" | "samp" | "kbd" | "math" | "select" | "datalist" | "listing" | "xmp" | "plaintext"
    );
    Tag { code: tag_code(name), layout, content, role, listing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_code_in_any_case() {
        for name in (1..).map(tag_name).take_while(|&name| name != "?") {
            assert_eq!(lookup(name).code, tag_code(name), "{name}");
            assert_eq!(lookup(&name.to_ascii_uppercase()), describe(name), "{name}");
        }
        for name in ["", "h7", "a1b2", "blockquotes", "anamelongerthansixteenbytes", "é"] {
            assert_eq!(lookup(name), UNKNOWN, "{name}");
        }
        assert_eq!(["x-thing", "a-name-longer-than-sixteen-bytes"].map(lookup), [CUSTOM; 2]);
        assert_eq!(lookup("XMP").content, Content::Literal);
    }
}
