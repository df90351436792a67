//! One archived response, before and after its HTTP envelope is taken off.

use super::lang::Lang;

/// How much of a page an archive gives. The codes are stored. A higher code is a fuller form, and of two captures of one URL the fuller one
/// counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Form {
    /// A line of an index: URL, language if it has one, and where the capture lies.
    Index = 0,
    /// Title, links and headers, as WAT files have them.
    Links = 1,
    /// Text without markup, as WET files have it.
    Text = 2,
    /// The whole page.
    #[default]
    Page = 3,
}

impl Form {
    /// The form of a stored code; [`Form::Page`] for other codes.
    pub fn from_code(code: u8) -> Form {
        [Form::Index, Form::Links, Form::Text].get(usize::from(code)).copied().unwrap_or_default()
    }

    /// True when the text of the page is there.
    pub fn has_text(self) -> bool {
        self >= Form::Text
    }
}

/// Where a capture lies, in an archive that was not read itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Name of the archive file, as the index has it.
    pub file: String,
    /// Where its record begins there.
    pub offset: u64,
    /// Bytes it takes there; 0 where this is not given.
    pub length: u64,
}

/// The names by which a record of a WARC file calls itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordName {
    /// `WARC-Record-ID`; empty where there is none.
    pub id: String,
    /// `WARC-Payload-Digest`; empty where there is none.
    pub digest: String,
}

/// A record of an archive that may hold a page, with its bytes unchanged.
///
/// An archive is read by one thread, so no more is done at this point; `archive::capture` undoes the HTTP codings in parallel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawRecord {
    /// How much of a page it gives, and so what `block` is: a response or body, a text, JSON of a WAT, or a line of an index.
    pub form: Form,
    /// The URL as the archive gives it, without angle brackets but otherwise unchanged. Empty for lines of an index, which are parsed
    /// later, together with HTTP envelopes.
    pub url: String,
    /// When it was fetched: milliseconds since 1970 UTC, 0 where the archive does not say.
    pub date_ms: i64,
    /// Where the record begins in the archive file, in bytes of that file (compressed, if it is).
    pub offset: u64,
    /// How many bytes of that file it takes; 0 where one compressed stream holds many records.
    pub length: u64,
    /// Where the record itself lies, if the archive file is a list of ranges.
    pub pointer: Option<Box<Pointer>>,
    /// The names of the record, if it has any.
    pub name: Option<Box<RecordName>>,
    /// True when `block` begins with an HTTP status line and headers; false when it is the body alone.
    pub http: bool,
    /// Type of the body, if the archive and not HTTP gives it (`resource` records, mirror files).
    pub content_type: Option<String>,
    /// Language of the body, if the archive and not HTTP says it.
    pub language: Lang,
    /// The record's block.
    pub block: Vec<u8>,
}

/// One archived response: URL, the headers that matter, and the body with all codings undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// How much of a page it is; this decides what `body` is.
    pub form: Form,
    /// Where the page itself lies, if it is known from an index, a WAT or a list of ranges.
    pub pointer: Option<Pointer>,
    /// The URL as the archive gives it.
    pub url: String,
    /// Milliseconds since 1970 UTC, 0 where unknown.
    pub date_ms: i64,
    /// Where the record begins in the archive file.
    pub offset: u64,
    /// How many bytes of the archive file it takes; 0 where one compressed stream holds many records.
    pub length: u64,
    /// HTTP status; 200 where there is none (`resource` records, mirror files).
    pub status: u16,
    /// `Content-Type` as sent, with its parameters.
    pub content_type: Option<String>,
    /// `Content-Language` as sent; for a line of an index, the languages it names.
    pub content_language: Option<String>,
    /// `Link` as sent; several headers are joined.
    pub link: Option<String>,
    /// `Content-Location` as sent.
    pub content_location: Option<String>,
    /// `X-Robots-Tag` as sent; several headers are on lines of their own.
    pub robots: Option<String>,
    /// `TDM-Reservation` as sent.
    pub tdm_reservation: Option<String>,
    /// `X-Machine-Translated-From` as sent.
    pub translated_from: Option<String>,
    /// The names of the record.
    pub name: RecordName,
    /// The body: bytes of the page in its own charset.
    pub body: Vec<u8>,
    /// True where the body is not a page but a sitemap, in XML.
    pub is_sitemap: bool,
}
