//! URLs that programs note in the pages that they save.

use memchr::memmem;

/// How many bytes of a page are searched for a note.
pub(super) const NOTE_BYTES: usize = 4 << 10;

/// What a browser (`saved from url=(0019)https://ex.org/a`) or SingleFile (`url: …`, `saved date: …`) noted in a comment at the start of a
/// page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) url: String,
    /// 0 where the note says no date.
    pub(super) date_ms: i64,
}

impl Note {
    /// The note in the first bytes of a page.
    pub(super) fn find(head: &[u8]) -> Option<Note> {
        memmem::find_iter(head, b"<!--").find_map(|at| {
            let text = &head[at + 4..];
            // A note that is cut off is no note.
            let text = String::from_utf8_lossy(&text[..memmem::find(text, b"-->")?]).into_owned();
            of_browser(text.trim()).or_else(|| of_single_file(&text))
        })
    }
}

fn of_browser(text: &str) -> Option<Note> {
    let (length, url) = text.strip_prefix("saved from url=(")?.split_once(')')?;
    let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    web(url.trim()).filter(|_| is_number).map(|url| Note { url, date_ms: 0 })
}

fn of_single_file(text: &str) -> Option<Note> {
    if !text.contains("SingleFile") {
        return None;
    }
    let value = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name)).map(str::trim);
    let url = web(value("url:")?)?;
    Some(Note { url, date_ms: value("saved date:").map_or(0, date_ms) })
}

/// An address of a web page.
pub(super) fn web(url: &str) -> Option<String> {
    (url.starts_with("http://") || url.starts_with("https://")).then(|| url.to_owned())
}

/// A date as JavaScript writes it: `Sat Nov 28 2026 12:00:00 GMT+0100 (…)`; 0 where it is none.
fn date_ms(text: &str) -> i64 {
    let text = text.split('(').next().unwrap_or_default().trim();
    let date = jiff::fmt::strtime::parse("%a %b %d %Y %H:%M:%S GMT%z", text);
    date.and_then(|date| date.to_timestamp()).map_or(0, |date| date.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_browsers_and_of_single_file_are_found() {
        let page = "<!DOCTYPE html> <html lang=en><!--\n Page saved with SingleFile \n url: https://ex.org/a?b=c \n saved date: \
            Sat Nov 28 2026 12:00:00 GMT+0100 (Central European Standard Time)\n--><meta charset=utf-8>";
        let found = Note { url: "https://ex.org/a?b=c".to_owned(), date_ms: 1_795_863_600_000 };
        assert_eq!(Note::find(page.as_bytes()), Some(found));
        let page = b"<!-- saved from url=(0016)https://ex.org/a -->\n<html>";
        assert_eq!(Note::find(page), Some(Note { url: "https://ex.org/a".to_owned(), date_ms: 0 }));
        let dated = page_with("Page saved with SingleFile\n url: http://ex.org/\n saved date: yesterday");
        assert_eq!(Note::find(dated.as_bytes()), Some(Note { url: "http://ex.org/".to_owned(), date_ms: 0 }));
    }

    fn page_with(comment: &str) -> String {
        format!("<html><!-- {comment} --><p>")
    }

    #[test]
    fn other_comments_are_no_notes() {
        for comment in [
            "saved from url=(0014)about:internet",
            "saved from url=(x)http://ex.org/",
            "url: http://ex.org/",
            "Page saved with SingleFile\n url: file:///a",
        ] {
            assert_eq!(Note::find(page_with(comment).as_bytes()), None, "{comment}");
        }
        assert_eq!(Note::find(b"<!-- saved from url=(0016)https://ex.org/a "), None);
    }
}
