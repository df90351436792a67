//! One archived response, before and after its HTTP envelope is taken off.

/// A record of an archive that may hold a page, as its bytes stand there.
///
/// Reading an archive is serial, so it stops here; [`crate::archive::capture`] undoes the HTTP codings in parallel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawRecord {
    /// The address as the archive gives it (angle brackets taken off, otherwise unchanged).
    pub url: String,
    /// When it was fetched: milliseconds since 1970 UTC, 0 where the archive does not tell.
    pub date_ms: i64,
    /// Where the record begins in the archive file, in bytes of that file (compressed, if it is).
    pub offset: u64,
    /// How many bytes of that file it takes; 0 where one compressed stream holds many records.
    pub length: u64,
    /// True when `block` begins with an HTTP status line and headers; false when it is the body alone.
    pub http: bool,
    /// Type of the body where the archive, not HTTP, tells it (`resource` records, mirror files).
    pub content_type: Option<String>,
    /// The record's block.
    pub block: Vec<u8>,
}

/// One archived response: address, headers that matter, and the body with all codings undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The address as the archive gives it.
    pub url: String,
    /// Milliseconds since 1970 UTC, 0 where unknown.
    pub date_ms: i64,
    /// Where the record begins in the archive file.
    pub offset: u64,
    /// How many bytes of the archive file it takes; 0 where one compressed stream holds many records.
    pub length: u64,
    /// HTTP status; 200 where there is none (`resource` records, mirror files).
    pub status: u16,
    /// `Content-Type` as sent, parameters and all.
    pub content_type: Option<String>,
    /// `Content-Language` as sent.
    pub content_language: Option<String>,
    /// The body: bytes of the page in its own charset.
    pub body: Vec<u8>,
}
