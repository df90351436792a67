//! Why something of an archive did not become a page.

use std::fmt;

use super::coded;

coded! {
    /// Why a record or page was left out. Codes are stored: never reuse one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SkipReason {
        /// A `warcinfo` record or the file header of an ARC.
        WarcInfo = 0, "warcinfo record";
        /// A `request` record.
        Request = 1, "request record";
        /// A `metadata` record.
        Metadata = 2, "metadata record";
        /// A `revisit` record: the same bytes as an earlier capture.
        Revisit = 3, "revisit record";
        /// A `conversion` record.
        Conversion = 4, "conversion record";
        /// A record of any other type, or of none.
        OtherRecord = 5, "record of another type";
        /// A URL that is not that of a web page (`dns:`, `metadata:`, `urn:` …).
        NotWeb = 6, "URL is not http or https";
        /// A URL that cannot be parsed.
        BadUrl = 7, "URL cannot be parsed";
        /// Longer than `max_record_bytes`.
        TooLong = 8, "record longer than the limit";
        /// The archive ends inside the record.
        Truncated = 9, "record cut off";
        /// The record's header cannot be read.
        BadRecord = 10, "record header malformed";
        /// The compressed data is corrupt.
        BadCompression = 11, "compressed data corrupt";
        /// The block does not begin as an HTTP response does.
        BadHttp = 12, "http response malformed";
        /// HTTP status other than 200.
        Status = 13, "http status not 200";
        /// The content type is not HTML.
        NotHtml = 14, "not html";
        /// The content coding cannot be undone.
        BadCoding = 15, "content coding corrupt or unknown";
        /// Undoing the content coding gives more than `max_record_bytes`.
        BodyTooLong = 16, "body longer than the limit";
        /// The body is empty.
        EmptyBody = 17, "empty body";
        /// The parser gave up (its memory limit).
        ParserLimit = 18, "html beyond the parser's memory limit";
        /// Less text than `min_text_bytes`, which is 100 bytes unless a program that uses the library sets it (Liu et al. 2014, §4.1).
        ShortText = 19, "text shorter than 100 bytes";
        /// Another capture of the same URL counts: a fuller one, or a newer one that is as full.
        OlderCapture = 20, "older capture of the same URL";
        /// A page with hardly any text that makes the browser go to another URL.
        Redirect = 22, "redirect to another URL";
        /// A page with hardly any text, which says that the page does not exist.
        NotFound = 23, "page not found, with status 200";
        /// A page with hardly any text, which asks the reader to log in.
        LogIn = 24, "only a log-in form";
        /// A file that an input contains or names, but that is a symbolic link, is not a regular file, lies outside the input's folder, or is
        /// too long.
        FileNotRead = 25, "file not read: link, pipe or too long";
        /// A sitemap: no page, but the versions that it declares of the pages of its site are kept.
        Sitemap = 26, "sitemap";
        /// A `robots.txt` or `tdmrep.json`: no page, but its rules are kept.
        OwnerFile = 27, "robots.txt or tdmrep.json, kept for their rules";
        /// The owner of a page opts out of the use of its text. Only with a setting.
        OptedOut = 28, "opted out";
        /// A page that a machine translated. Only with a setting.
        MachineTranslated = 29, "translated by a machine";
        /// A PDF that is damaged, encrypted, or takes too much time or memory.
        BadPdf = 30, "pdf that cannot be read";
    }
}

impl SkipReason {
    /// True for reasons that concern a page; the others concern records that never hold one.
    pub fn is_of_page(self) -> bool {
        use SkipReason::*;
        !matches!(self, WarcInfo | Request | Metadata | Conversion | OtherRecord | NotWeb | BadUrl)
    }

    /// True for reasons that only a damaged or cut archive gives.
    pub fn is_damage(self) -> bool {
        matches!(self, SkipReason::Truncated | SkipReason::BadRecord | SkipReason::BadCompression)
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for SkipReason {}

/// Something that was left out, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Why.
    pub reason: SkipReason,
    /// Where it begins in the archive file.
    pub offset: u64,
    /// How many bytes of the archive it takes, 0 where unknown.
    pub length: u64,
    /// Its URL; empty if it has none.
    pub url: String,
    /// What was found and what was expected, in words for people; may be empty.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_that_of_one_reason() {
        for reason in SkipReason::ALL {
            assert_eq!(SkipReason::from_code(reason as u8), Some(reason));
            // People read the name, so it must not look like code.
            assert!(!reason.name().contains('_'), "{reason}");
        }
        assert_eq!(SkipReason::from_code(u8::MAX), None);
    }
}
