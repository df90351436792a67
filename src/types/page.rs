//! A page: what extraction takes out of an HTML body.

use super::{Lang, Signals};

/// The text and structure of one captured page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Bytes of the body from which it was extracted, with codings undone: the file size of Tomás et al. (2008, §2.2).
    pub body_bytes: u32,
    /// Charset in which the bytes were read (WHATWG name, lower case).
    pub charset: String,
    /// `<title>`, white space folded.
    pub title: String,
    /// All text blocks in document order, each followed by a line feed; white space folded inside a block.
    pub text: String,
    /// Where the blocks lie in `text`.
    pub blocks: Vec<Block>,
    /// Start tags in document order ([`tag_code`]), and between them [`TEXT_TOKEN`]` | n` for a run of text of n words (Tomás et al. 2008,
    /// §2.2).
    pub tags: Vec<u16>,
    /// Links in document order.
    pub links: Vec<Link>,
    /// Images in document order.
    pub images: Vec<Image>,
    /// Language of the text; [`Lang::UNKNOWN`] where it is too short or too mixed to tell.
    pub detected: Lang,
    /// Confidence of the detection, 0..=1.
    pub confidence: f32,
    /// True where the language was guessed among those that are known by their function words. Not set in pages that are read from a store,
    /// like `letters`.
    pub is_guess: bool,
    /// True where a program of the user told the language.
    pub is_by_program: bool,
    /// Languages that the page declares, the most specific source first: `<html lang>`, `<meta>`, then the HTTP header.
    pub declared: Vec<Lang>,
    /// What it says of itself beyond its text.
    pub signals: Signals,
    /// Share of A–Z and a–z in the letters of the text, 0..=1. Kit & Ng (2007, §3) recognise English pages by it.
    pub latin_share: f32,
    /// Which letters stand beside each other in the text, where this may be needed; empty otherwise, and in pages that are read from a
    /// store, which keeps these counts with the URL.
    pub letters: Vec<u8>,
}

/// A run of text between two block-level tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Where it begins in [`Page::text`], in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Code of the nearest enclosing block-level tag: `p`, `li`, `td`, `h1`, `pre` …
    pub tag: u16,
    /// How many entries of [`Page::tags`] stand before it.
    pub at: u32,
}

/// The kind of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum LinkKind {
    /// `<a href>`, `<area href>`; `<option value>` with the name of a language; `lang-href`.
    #[default]
    Anchor = 0,
    /// `<link rel="alternate" hreflang>`, and other `<link href>` that lead to pages.
    Head = 1,
    /// `<iframe src>`, `<frame src>`.
    Frame = 2,
    /// Not a link: the URL of the page itself, as `<meta property="og:url">` or an HTTP header names it.
    Own = 3,
}

impl LinkKind {
    /// The kind of a stored code; an anchor where there is no such code.
    pub fn from_code(code: u8) -> LinkKind {
        [LinkKind::Anchor, LinkKind::Head, LinkKind::Frame, LinkKind::Own]
            .get(usize::from(code))
            .copied()
            .unwrap_or_default()
    }
}

/// One link: where it leads, and its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Absolute URL, resolved against `<base>` or the page; fragment dropped.
    pub url: String,
    /// Its text, white space folded; the alternative text of an image where there is none.
    pub anchor: String,
    /// `rel`, lower case.
    pub rel: String,
    /// `hreflang`, if it is a language.
    pub hreflang: Option<Lang>,
    /// The kind of element.
    pub kind: LinkKind,
    /// How many entries of [`Page::tags`] stand before it.
    pub at: u32,
}

/// One image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Absolute URL.
    pub url: String,
    /// Alternative text.
    pub alt: String,
}

/// Marks an entry of [`Page::tags`] that is a run of text. The other bits are its number of words.
pub const TEXT_TOKEN: u16 = 0x8000;

/// Number of a tag in [`Page::tags`]; all tags that are not in the table have the code 0. Codes are stored: only append.
pub fn tag_code(name: &str) -> u16 {
    TAGS.iter().position(|&tag| tag == name).unwrap_or(0) as u16
}

/// Name of a tag code; `?` for codes that are not in the table.
pub fn tag_name(code: u16) -> &'static str {
    TAGS.get(code as usize).copied().unwrap_or("?")
}

/// Every element of the HTML standard, and the common obsolete ones. The position of a tag is its code.
pub const TAGS: &[&str] = &[
    "?",
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdi",
    "bdo",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "meta",
    "meter",
    "nav",
    "nobr",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "pre",
    "progress",
    "q",
    "rb",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "slot",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

/// The version of how records become the texts of pages. It is raised whenever these texts change.
pub const EXTRACTION: u32 = 9;
/// The name of this version, in files that depend on the exact texts.
pub const EXTRACTOR: &str = "diglot-extraction-9";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extractor_has_its_number_in_its_name() {
        assert!(EXTRACTOR.ends_with(&format!("-{EXTRACTION}")));
    }
}
