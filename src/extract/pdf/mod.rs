//! The text of a PDF, as HTML: paragraphs, headings and items of lists.
//!
//! A PDF says where letters stand, and seldom what belongs together. [`html`] has hayro tell all letters with their places (`glyphs`), makes
//! lines of them and paragraphs of the lines (`layout`), and leaves out what stands at the head or foot of many pages. The title and
//! the language are those that the file declares. Whoever calls it limits time and memory: a PDF can take any amount of both.

mod glyphs;
mod layout;
#[cfg(test)]
mod sample;

use std::fmt::Write;

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;
use hayro_interpret::hayro_syntax::object::dict::keys::LANG;

/// The pages that are read, from the first on.
const MAX_PAGES: usize = 5000;
/// The letters that are read.
const MAX_GLYPHS: usize = 10_000_000;

/// The text as HTML.
///
/// # Errors
/// The reason why it cannot be read, in words for people.
pub fn html(bytes: Vec<u8>) -> Result<String, String> {
    let pdf = Pdf::new(bytes).map_err(|error| format!("{error:?}").to_lowercase())?;
    let mut pages = Vec::new();
    let mut left = MAX_GLYPHS;
    for page in pdf.pages().iter().take(MAX_PAGES) {
        let lines = layout::lines(glyphs::of_page(page, &pdf, left));
        left = left.saturating_sub(lines.iter().map(|line| line.text.len()).sum());
        pages.push(lines);
        if left == 0 {
            break;
        }
    }
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let lang = catalog.and_then(|catalog| catalog.get::<hayro_interpret::hayro_syntax::object::String<'_>>(LANG));
    let lang = lang.map_or(String::new(), |lang| text_of(lang.as_bytes()));
    let title = pdf.metadata().title.as_deref().map_or(String::new(), text_of);
    let mut html = String::from("<!DOCTYPE html><html");
    if !lang.is_empty() {
        let _ = write!(html, " lang=\"{}\"", escaped(&lang));
    }
    let _ = writeln!(html, "><meta charset=\"utf-8\"><title>{}</title><body>", escaped(title.trim()));
    for block in layout::blocks(pages) {
        let tag = block.kind.tag();
        let _ = writeln!(html, "<{tag}>{}</{tag}>", escaped(&block.text));
    }
    Ok(html)
}

/// A text of the file itself: UTF-16 or UTF-8 with their marks, else nearly Latin-1.
fn text_of(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return String::from_utf8_lossy(rest).into_owned();
    }
    let is_big = bytes.starts_with(b"\xfe\xff");
    if is_big || bytes.starts_with(b"\xff\xfe") {
        let unit = |two: &[u8]| {
            let two = [two[0], two[1]];
            if is_big { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) }
        };
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(unit).collect();
        return String::from_utf16_lossy(&units);
    }
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// A text as HTML writes it. Characters that cannot be part of a text are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_language_and_paragraphs_are_told() {
        let text = [
            (50.0, 90.0, 16.0, "Of lines & <paragraphs>"),
            (50.0, 120.0, 10.0, "The first paragraph goes over several lines, one of which is cut be-"),
            (50.0, 132.0, 10.0, "hind a hyphen, and ends here."),
            (50.0, 144.0, 10.0, "The second one is below it, and as long as the first line of the first is."),
            (50.0, 170.0, 10.0, "\\225 An item"),
        ];
        let html = html(sample::pdf(&[sample::lines(&text)], "A \\(title\\)", "/Lang(en-GB)")).expect("a PDF");
        assert_eq!(
            html,
            "<!DOCTYPE html><html lang=\"en-GB\"><meta charset=\"utf-8\"><title>A (title)</title><body>\n\
             <h2>Of lines &amp; &lt;paragraphs&gt;</h2>\n\
             <p>The first paragraph goes over several lines, one of which is cut behind a hyphen, and ends here.</p>\n\
             <p>The second one is below it, and as long as the first line of the first is.</p>\n<li>An item</li>\n"
        );
    }

    #[test]
    fn what_is_no_pdf_says_so() {
        assert_eq!(html(b"%PDF-1.4 and nothing else".to_vec()), Err("invalid".to_owned()));
        assert_eq!(html(Vec::new()), Err("invalid".to_owned()));
    }

    #[test]
    fn texts_of_the_file_itself_are_in_three_charsets() {
        for bytes in [b"\xef\xbb\xbf\xc3\xa9".as_slice(), b"\xfe\xff\0\xe9", b"\xff\xfe\xe9\0", b"\xe9"] {
            assert_eq!(text_of(bytes), "\u{e9}");
        }
    }
}
