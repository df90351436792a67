//! Settings of extraction.

use crate::language;

/// Settings of extraction.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Pages with less text, in bytes of UTF-8, are left out. Default 100 (Liu et al. 2014, §4.1).
    pub min_text_bytes: u32,
    /// How far into a page `<meta charset>` is looked for, in bytes. Default 1024 (HTML standard, §13.2.3.2).
    pub charset_prescan_bytes: u32,
    /// Bytes of words beyond ASCII from which the charset is guessed. Default 4096: 17 of 18 charsets are then detected in 97 % of pages or
    /// more.
    pub charset_guess_bytes: u32,
    /// Characters beyond ASCII that a text in valid UTF-8 needs to be read as UTF-8 although it declares a charset of two bytes a
    /// character. Default 8: so many are hardly valid UTF-8 by chance (an estimate).
    pub min_utf8_chars: u32,
    /// Memory that the parser may take for one page, at most, in bytes: for open elements and unfinished tags. Default 16 MiB, as much as
    /// the longest page.
    pub parser_memory_bytes: u32,
    /// Links of a page that are kept, at most, and also images. Default 20,000; the longest page of our test sites has 3,256 links.
    pub max_links: u32,
    /// Links that are longer, in bytes, are dropped. Default 2083, the most that Internet Explorer opened.
    pub max_url_bytes: u32,
    /// Anchors and alternative texts are cut to so many bytes, since a link that is never closed would contain the rest of the page.
    /// Default 500.
    pub max_anchor_bytes: u32,
    /// Which pages are stubs.
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

/// Which pages are stubs: pages without a text of their own.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StubParams {
    /// Pages with more text outside their links, in bytes of UTF-8, are not stubs. Default 500, some five lines.
    pub max_own_bytes: u32,
    /// The same for pages recognised by scripts, forms and words, which other pages may have too. Default 250, two or three lines.
    pub max_bare_bytes: u32,
    /// A page that is replaced after more seconds is not a stub because of that, since it gives time to read. Default 5; slides change
    /// after 5 to 30.
    pub max_refresh_seconds: u32,
}

impl StubParams {
    /// True if there are so few bytes of text outside links that scripts, forms and words decide whether the page is a stub.
    pub fn is_bare(&self, own_bytes: usize) -> bool {
        own_bytes <= self.max_bare_bytes as usize
    }
}

impl Default for StubParams {
    fn default() -> StubParams {
        StubParams { max_own_bytes: 500, max_bare_bytes: 250, max_refresh_seconds: 5 }
    }
}
