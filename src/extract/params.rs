//! Settings of extraction.

use crate::language;

/// Settings of extraction.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Pages with less text than this, in bytes of UTF-8, are left out (Liu et al. 2014, §4.1: 100).
    pub min_text_bytes: u32,
    /// How far into a page `<meta charset>` is looked for, in bytes (HTML standard, §13.2.3.2: 1024).
    pub charset_prescan_bytes: u32,
    /// How many bytes of words beyond ASCII the charset is guessed from. With 4096, 17 of 18 charsets are detected in 97 %
    /// of pages or more.
    pub charset_guess_bytes: u32,
    /// How many characters beyond ASCII a text in valid UTF-8 needs to be UTF-8 although it is declared to be in a
    /// charset of two bytes a character. Eight of them are hardly valid UTF-8 by chance (an estimate).
    pub min_utf8_chars: u32,
    /// The most memory that the parser may take for one page, in bytes: open elements and unfinished tags. 16 MiB are
    /// as many as the longest page.
    pub parser_memory_bytes: u32,
    /// The most links, and the most images, that are kept of a page. The longest page of our test sites has 3,256 links.
    pub max_links: u32,
    /// Links longer than this, in bytes, are dropped. 2083 is what Internet Explorer opened at most.
    pub max_url_bytes: u32,
    /// Anchors and alternative texts are cut to this many bytes; a link left open would take in the whole page.
    pub max_anchor_bytes: u32,
    /// What makes a page a stub.
    pub stubs: StubParams,
    /// How the language is detected.
    pub language: language::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            min_text_bytes: 100,
            charset_prescan_bytes: 1024,
            charset_guess_bytes: 4096,
            min_utf8_chars: 8,
            parser_memory_bytes: 16 << 20,
            max_links: 20_000,
            max_url_bytes: 2083,
            max_anchor_bytes: 500,
            stubs: StubParams::default(),
            language: language::Params::default(),
        }
    }
}

/// What makes a page a stub: one without a text of its own.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StubParams {
    /// Pages with more text than this outside their links, in bytes of UTF-8, are no stubs. 500 are some five lines.
    pub max_own_bytes: u32,
    /// The same, of pages told by scripts, forms and words of which other pages have some too. 250 are two or three lines.
    pub max_bare_bytes: u32,
    /// Who waits longer than this before a page is replaced, in seconds, has something to read there. Slides change after 5 to 30.
    pub max_refresh_seconds: u32,
}

impl StubParams {
    /// True for so many bytes of text outside links that scripts, forms and words tell what a page is.
    pub fn is_bare(&self, own_bytes: usize) -> bool {
        own_bytes <= self.max_bare_bytes as usize
    }
}

impl Default for StubParams {
    fn default() -> StubParams {
        StubParams { max_own_bytes: 500, max_bare_bytes: 250, max_refresh_seconds: 5 }
    }
}
