//! What stands between start tags: end tags, comments, and the raw text of scripts and other elements.
//!
//! Anybody may have written a page, so each scan here goes forward only once, and time grows with length alone.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

/// The range of the tag name that begins at `start`.
pub fn tag_name_at(bytes: &[u8], start: usize) -> Range<usize> {
    let rest = bytes.get(start..).unwrap_or_default();
    let len = rest.iter().position(|&b| ends_name(b)).unwrap_or(rest.len());
    start..start + len
}

fn ends_name(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'/' | b'>')
}

/// The length of an element's raw text, up to its end tag; `None` if there is no end tag.
pub fn raw_len(gap: &str, name: &str) -> Option<usize> {
    if name.eq_ignore_ascii_case("script") {
        return script_len(gap.as_bytes());
    }
    let ends = |&at: &usize| ends_element(&gap.as_bytes()[at + 2..], name);
    memmem::find_iter(gap.as_bytes(), b"</").find(ends)
}

/// True if `rest` begins with this name, and not with a longer one.
fn ends_element(rest: &[u8], name: &str) -> bool {
    rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        && rest.get(name.len()).is_none_or(|&b| ends_name(b))
}

/// The length of a script. `<!--<script></script>-->` inside a script does not end it (HTML standard, §4.12.1.3).
fn script_len(bytes: &[u8]) -> Option<usize> {
    let (mut in_comment, mut in_inner_script) = (false, false);
    let mut at = 0;
    while let Some(found) = memchr2(b'<', b'-', &bytes[at..]) {
        at += found;
        let rest = &bytes[at..];
        if rest.starts_with(b"-->") {
            (in_comment, in_inner_script) = (false, false);
        } else if rest.starts_with(b"</") && ends_element(&rest[2..], "script") {
            if !in_inner_script {
                return Some(at);
            }
            in_inner_script = false;
        } else if !in_comment && rest.starts_with(b"<!--") {
            in_comment = true;
            // The dashes of `<!--` may also be those of `-->`.
            at += 1;
        } else if in_comment && rest[0] == b'<' && ends_element(&rest[1..], "script") {
            in_inner_script = true;
        }
        at += 1;
    }
    None
}

/// The length of the end tag, comment or declaration with which `rest` begins, and whether it is something other than an end tag; `None`
/// where the `<` is text. An unfinished tag at the end of a page counts as no text.
pub fn markup_len(rest: &str, last: bool) -> Option<(usize, bool)> {
    let bytes = rest.as_bytes();
    let to_close = || memchr(b'>', bytes).map_or(bytes.len(), |close| close + 1);
    match *bytes.get(1)? {
        b'/' => match bytes.get(2)? {
            b if b.is_ascii_alphabetic() => Some((end_tag_len(bytes), false)),
            _ => Some((to_close(), true)),
        },
        b'!' if rest.starts_with("<!--") => Some((comment_len(rest), true)),
        b'!' | b'?' => Some((to_close(), true)),
        b if b.is_ascii_alphabetic() && last => Some((bytes.len(), true)),
        _ => None,
    }
}

/// The length of an end tag. It may have attributes, which mean nothing but may contain a quoted `>`.
fn end_tag_len(bytes: &[u8]) -> usize {
    let mut at = 2;
    while let Some(found) = memchr2(b'>', b'=', &bytes[at..]) {
        at += found + 1;
        if bytes[at - 1] == b'>' {
            return at;
        }
        at += bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        if let Some(&quote @ (b'"' | b'\'')) = bytes.get(at) {
            match memchr(quote, &bytes[at + 1..]) {
                Some(len) => at += len + 2,
                None => break,
            }
        }
    }
    bytes.len()
}

fn comment_len(rest: &str) -> usize {
    if rest.starts_with("<!-->") {
        return 5;
    }
    if rest.starts_with("<!--->") {
        return 6;
    }
    let inner = &rest.as_bytes()[4..];
    let plain = memmem::find(inner, b"-->").map(|at| at + 3);
    // `--!>` ends a comment too. It is looked for only before the plain end, so that many comments cost one pass.
    let before = &inner[..plain.unwrap_or(inner.len())];
    let odd = memmem::find(before, b"--!>").map(|at| at + 4);
    odd.or(plain).map_or(rest.len(), |len| len + 4)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use lol_html::html_content::Element;
    use lol_html::{ElementContentHandlers, HtmlRewriter, Settings};
    use proptest::prelude::*;

    use super::super::tests::{blocks, decoded, page, url};
    use super::super::{EVERY_ELEMENT, read};
    use crate::extract::Params;
    use crate::types::TEXT_TOKEN;

    #[test]
    fn malformed_markup_is_read_as_far_as_it_goes() {
        assert_eq!(blocks("a < b <3 c<d"), ["body:a < b <3 c"]);
        assert_eq!(blocks("a<"), ["body:a<"]);
        assert_eq!(blocks("a</"), ["body:a</"]);
        assert_eq!(blocks("a</>b</p"), ["body:ab"]);
        assert_eq!(blocks("<b>a<i>b</b>c</i>"), ["body:abc"]);
        assert_eq!(blocks("<form>a<form>b</form>c"), ["form:a", "form:b", "form:c"]);
        assert_eq!(blocks("<p a='>\"x' b=\">\">y"), ["p:y"]);
        assert_eq!(blocks("<code>a<p>b"), ["body:a", "p:b"]);
        assert_eq!(blocks("</p></td></svg></template>x</body></html>y"), ["body:x", "body:y"]);
        let nested = format!("{}x{}y", "<div>".repeat(10_000), "</div>".repeat(10_000));
        assert_eq!(blocks(&nested), ["div:x", "body:y"]);
        assert_eq!(blocks(&format!("<p class='{}'>x", "y".repeat(1 << 20))), ["p:x"]);
    }

    #[test]
    fn hostile_pages_take_time_in_step_with_their_length() {
        let patterns = [
            "<b>",
            "</x>",
            "<!--",
            "<!-- -->",
            "<![CDATA[",
            "<title>",
            "</",
            "&",
            "&#",
            "<a href=x>",
            "<li>",
            "<svg>",
            "<script></script",
            "<p><table>",
            "<br>",
            "<img src=../",
            "<a href='?",
            "--!>",
            "<template>",
        ];
        for pattern in patterns {
            let html = pattern.repeat((1 << 21) / pattern.len());
            let started = std::time::Instant::now();
            // An error is an acceptable result too.
            let _ = read(&decoded(&html), &url(), &Params::default());
            assert!(started.elapsed().as_secs() < 10, "{pattern}");
        }
    }

    /// The text without white space, and the number of start tags, as lol_html itself reports them.
    fn by_lol_html(html: &str) -> (String, usize) {
        use lol_html::html_content::{TextChunk, TextType};
        let (text, hidden, tags) =
            (std::cell::RefCell::new(String::new()), std::cell::Cell::new(false), std::cell::Cell::new(0));
        let settings = Settings::new()
            .with_strict(false)
            .with_enable_esi_tags(false)
            .append_element_content_handler((
                Cow::Borrowed(&*EVERY_ELEMENT),
                ElementContentHandlers::default().element(|element: &mut Element<'_, '_>| {
                    tags.set(tags.get() + 1);
                    hidden.set(matches!(element.tag_name().as_str(), "noscript"));
                    Ok(())
                }),
            ))
            .append_document_content_handler(lol_html::doc_text!(|chunk: &mut TextChunk<'_>| {
                if chunk.text_type() == TextType::Data {
                    text.borrow_mut().push_str(chunk.as_str());
                }
                Ok(())
            }));
        let mut parser = HtmlRewriter::new(settings, |_: &[u8]| {});
        parser.write(html.as_bytes()).expect("no limit");
        parser.end().expect("no limit");
        let text = text.into_inner().split(|c: char| c.is_whitespace() || c < ' ').collect();
        (text, tags.get())
    }

    proptest! {
        #[test]
        fn text_between_start_tags_is_what_lol_html_says(
            html in "(<p>|</p>|<b>|</b>|<td a='>'>|</td|<!--|-->|--!>|<!|<\\?|>|</|<| |x|é|<br/>|<title>|</title>|<style>|</style>|<script>|</script>|</Script >|-->|<x y=z|/|\"|'){0,24}"
        ) {
            let page = page(&html);
            let (text, tags) = by_lol_html(&html);
            let ours: String = page.text.split_whitespace().collect();
            prop_assert_eq!(ours, text);
            prop_assert_eq!(page.tags.iter().filter(|&tag| tag & TEXT_TOKEN == 0).count(), tags);
        }
    }
}
