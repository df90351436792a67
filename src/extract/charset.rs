//! Turns the bytes of a page into UTF-8.
//!
//! These are believed, in this order: a byte order mark; UTF-16 or UTF-8 that shows in the bytes; the HTTP header; `<meta>` or the XML
//! declaration in the first bytes; a guess from the bytes. In browsers the bytes do not overrule a declaration. Here they do if they leave
//! no doubt: text that is valid UTF-8 with characters beyond ASCII is UTF-8, whatever is declared; and the charset of text that is declared
//! to be UTF-8, but is mostly broken, is guessed.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

use super::params::Params;

/// The text of a page, and the charset in which it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<'a> {
    /// The page in UTF-8. Bytes that are not valid in its charset are U+FFFD. Borrowed when nothing had to change.
    pub text: Cow<'a, str>,
    /// The charset in which it was read.
    pub encoding: &'static Encoding,
}

/// Decodes the bytes of a page. `content_type` is the HTTP header. `tld` is the last label of the host in lower case, which helps to guess
/// (`.cn` is seldom Cyrillic). Cost: one pass, or two if the charset must be guessed.
pub fn decode<'a>(body: &'a [u8], content_type: Option<&str>, tld: Option<&str>, params: &Params) -> Decoded<'a> {
    if let Some((encoding, bom_len)) = Encoding::for_bom(body) {
        return transcode(&body[bom_len..], encoding);
    }
    if let Some(encoding) = utf16_by_zeros(body) {
        return transcode(body, encoding);
    }
    let declared = content_type.and_then(header_charset).or_else(|| prescan(body, params.charset_prescan_bytes));
    match std::str::from_utf8(body) {
        Ok(text) => valid_utf8(text, declared, params),
        Err(_) => not_utf8(body, declared, tld, params),
    }
}

fn transcode<'a>(body: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    Decoded { text: encoding.decode_without_bom_handling(body).0, encoding }
}

/// Recognises UTF-16 without a byte order mark. As markup begins with `<`, the first bytes show it (XML recommendation, appendix F).
fn utf16_by_zeros(body: &[u8]) -> Option<&'static Encoding> {
    match body.get(..4)? {
        [first, 0, second, 0] if *first != 0 && *second != 0 => Some(UTF_16LE),
        [0, first, 0, second] if *first != 0 && *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// Decodes bytes that are valid UTF-8.
fn valid_utf8<'a>(text: &'a str, declared: Option<&'static Encoding>, params: &Params) -> Decoded<'a> {
    let utf8 = Decoded { text: Cow::Borrowed(text), encoding: UTF_8 };
    let Some(declared) = declared else {
        // ISO-2022-JP is ASCII with escape sequences.
        return if text.contains('\u{1b}') { guess(text.as_bytes(), None, params) } else { utf8 };
    };
    if declared == UTF_8 {
        return utf8;
    }
    if declared == ISO_2022_JP && text.contains('\u{1b}') {
        return transcode(text.as_bytes(), declared);
    }
    if text.is_ascii() {
        let encoding = if declared.is_ascii_compatible() { declared } else { UTF_8 };
        return Decoded { encoding, ..utf8 };
    }
    // A few pairs of bytes in GBK, Shift_JIS or Big5 may be valid UTF-8 by chance. An accented letter in Latin text hardly can, since it
    // would need an odd sign beside it (`Ã©`).
    let needed = if declared.is_single_byte() { 1 } else { params.min_utf8_chars as usize };
    let beyond_ascii = text.chars().filter(|c| !c.is_ascii()).take(needed).count();
    if beyond_ascii >= needed { utf8 } else { transcode(text.as_bytes(), declared) }
}

/// Decodes bytes that are not valid UTF-8.
fn not_utf8<'a>(
    body: &'a [u8],
    declared: Option<&'static Encoding>,
    tld: Option<&str>,
    params: &Params,
) -> Decoded<'a> {
    let Some(declared) = declared else { return guess(body, tld, params) };
    let decoded = transcode(body, declared);
    if declared.is_single_byte() || mostly_sound(&decoded.text) { decoded } else { guess(body, tld, params) }
}

/// False where more characters beyond ASCII are broken than whole, so that the declared charset must be wrong.
fn mostly_sound(text: &str) -> bool {
    let (mut broken, mut whole) = (0usize, 0usize);
    for c in text.chars() {
        match c {
            char::REPLACEMENT_CHARACTER => broken += 1,
            c if !c.is_ascii() => whole += 1,
            _ => {}
        }
    }
    broken <= whole
}

/// Guesses the charset from the words that contain bytes beyond ASCII; `params.charset_guess_bytes` of these are as good as all.
fn guess<'a>(body: &'a [u8], tld: Option<&str>, params: &Params) -> Decoded<'a> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let mut left = params.charset_guess_bytes as usize;
    let mut at = 0;
    while let Some(found) = body[at..].iter().position(|&b| !b.is_ascii() || b == 0x1b).filter(|_| left > 0) {
        let start = body[at..at + found].iter().rposition(|&b| ends_word(b)).map_or(at, |i| at + i + 1);
        let from = at + found;
        let end = body[from..].iter().position(|&b| ends_word(b)).map_or(body.len(), |i| from + i + 1);
        // An escape sequence of ISO-2022-JP changes what follows it, so words cannot be looked at one by one.
        let end = if body[from] == 0x1b { (from + left).min(body.len()) } else { end };
        let end = end.min(start + left.max(from + 1 - start));
        detector.feed(&body[start..end], false);
        left = left.saturating_sub(end - start);
        at = end;
    }
    detector.feed(&[], true);
    let tld = tld.filter(|tld| tld.bytes().all(|b| b.is_ascii_lowercase())).map(str::as_bytes);
    transcode(body, detector.guess(tld, Utf8Detection::Deny))
}

/// True for bytes that end a word and are not the second half of a character in any charset of the web.
fn ends_word(byte: u8) -> bool {
    byte < 0x30 && byte != 0x1b && byte != b'$' && byte != b'(' || byte == b'<' || byte == b'>'
}

/// The charset parameter of a `Content-Type` header.
fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    charset_parameter(content_type.as_bytes()).and_then(by_label)
}

/// The encoding with a label, if a page can be in it.
fn by_label(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    match encoding {
        // UTF-16 was recognised before by its bytes, so a remaining declaration of it is a mistake.
        e if e == UTF_16LE || e == UTF_16BE => None,
        e if e == REPLACEMENT => None,
        e if e == X_USER_DEFINED => Some(WINDOWS_1252),
        e => Some(e),
    }
}

/// `charset=` and its value in a header or in the `content` of a `<meta>` (HTML standard, §2.7.3).
fn charset_parameter(value: &[u8]) -> Option<&[u8]> {
    let mut rest = value;
    loop {
        rest = &rest[find_ignoring_case(rest, b"charset")? + b"charset".len()..];
        let after = rest.trim_ascii_start();
        if let Some(value) = after.strip_prefix(b"=") {
            return Some(quoted_or_word(value.trim_ascii_start()));
        }
    }
}

fn quoted_or_word(value: &[u8]) -> &[u8] {
    match value.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let inner = &value[1..];
            &inner[..inner.iter().position(|&b| b == quote).unwrap_or(inner.len())]
        }
        _ => {
            let end = value.iter().position(|&b| b.is_ascii_whitespace() || b";\"'>/,".contains(&b));
            &value[..end.unwrap_or(value.len())]
        }
    }
}

/// The charset that `<meta charset>`, `<meta http-equiv=content-type>` or `<?xml encoding?>` in the first bytes declares.
fn prescan(body: &[u8], prescan_bytes: u32) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(prescan_bytes as usize)];
    if let Some(declaration) = head.trim_ascii_start().strip_prefix(b"<?xml") {
        let declaration = &declaration[..declaration.iter().position(|&b| b == b'>').unwrap_or(declaration.len())];
        if let Some(at) = memmem::find(declaration, b"encoding") {
            let value = declaration[at + b"encoding".len()..].trim_ascii_start();
            let found = value.strip_prefix(b"=").map(|v| quoted_or_word(v.trim_ascii_start())).and_then(by_label);
            if found.is_some() {
                return found;
            }
        }
    }
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &head[at..]) {
        let tag = &head[at + found..];
        let end = if tag.starts_with(b"<!--") {
            memmem::find(tag, b"-->").map_or(tag.len(), |i| i + 3)
        } else {
            memchr::memchr(b'>', tag).map_or(tag.len(), |i| i + 1)
        };
        if tag.get(1..5).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
            && let Some(encoding) = charset_parameter(&tag[5..end]).and_then(by_label)
        {
            return Some(encoding);
        }
        at += found + end;
    }
    None
}

fn find_ignoring_case(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(body: &[u8], content_type: Option<&str>) -> (String, &'static str) {
        let decoded = decode(body, content_type, None, &Params::default());
        (decoded.text.into_owned(), decoded.encoding.name())
    }

    const JAPANESE: &str =
        "<p>日本語の文章です。これは文字コードの試験のために書かれました。漢字とかなが混ざっています。</p>";
    const RUSSIAN: &str = "<p>Это предложение написано по-русски, чтобы проверить определение кодировки.</p>";
    const CHINESE: &str = "<p>这是一个用来测试字符编码的句子，里面有很多汉字，应该能够正确识别出来。</p>";
    const TAIWANESE: &str = "<p>這是一個用來測試字元編碼的句子，裡面有很多漢字，應該能夠正確辨識出來。</p>";
    const FRENCH: &str = "<p>Où sont passés les élèves ? À l’école, déjà, malgré la forêt enneigée.</p>";

    #[test]
    fn legacy_charsets_are_read_as_declared_in_header_or_meta() {
        let cases = [
            ("shift_jis", JAPANESE),
            ("euc-jp", JAPANESE),
            ("iso-2022-jp", JAPANESE),
            ("koi8-r", RUSSIAN),
            ("windows-1251", RUSSIAN),
            ("gb2312", CHINESE),
            ("gb18030", CHINESE),
            ("big5", TAIWANESE),
            ("windows-1252", FRENCH),
            ("utf-8", FRENCH),
        ];
        for (label, text) in cases {
            let encoding = Encoding::for_label(label.as_bytes()).expect("a label of the standard");
            let header = format!("text/html; Charset=\"{label}\"");
            assert_eq!(read(&encoding.encode(text).0, Some(&header)), (text.to_owned(), encoding.name()), "{label}");
            for meta in [
                format!("<html><head><meta charset={label}>{text}"),
                format!("<META content='text/html; charset={label}' http-equiv='Content-Type' />{text}"),
                format!("<?xml version='1.0' encoding='{label}'?>{text}"),
                format!("<!-- <meta charset=utf-7> --><title>x</title><meta charset = '{label}' >{text}"),
            ] {
                assert_eq!(read(&encoding.encode(&meta).0, None), (meta.clone(), encoding.name()), "{meta}");
            }
        }
    }

    #[test]
    fn charsets_nobody_declared_are_guessed() {
        for (label, text) in [
            ("shift_jis", JAPANESE),
            ("euc-jp", JAPANESE),
            ("iso-2022-jp", JAPANESE),
            ("koi8-r", RUSSIAN),
            ("windows-1251", RUSSIAN),
            ("gbk", CHINESE),
            ("big5", TAIWANESE),
            ("windows-1252", FRENCH),
        ] {
            let encoding = Encoding::for_label(label.as_bytes()).expect("a label of the standard");
            assert_eq!(read(&encoding.encode(text).0, Some("text/html")).0, text, "{label}");
        }
    }

    #[test]
    fn utf16_is_read_with_and_without_a_mark() {
        for (mark, big) in [(true, true), (true, false), (false, true), (false, false)] {
            let units = mark.then_some(0xfeff).into_iter().chain(JAPANESE.encode_utf16());
            let bytes: Vec<u8> = units.flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect();
            assert_eq!(read(&bytes, Some("text/html; charset=iso-8859-1")).0, JAPANESE);
        }
        assert_eq!(read("\u{feff}é".as_bytes(), Some("text/html; charset=big5")), ("é".into(), "UTF-8"));
    }

    #[test]
    fn utf8_declared_as_something_else_is_read_as_utf8() {
        for label in ["iso-8859-1", "us-ascii", "windows-1251", "gb2312", "shift_jis", "utf-16", "nonsense"] {
            let header = format!("text/html; charset={label}");
            assert_eq!(read(JAPANESE.as_bytes(), Some(&header)), (JAPANESE.into(), "UTF-8"), "{label}");
        }
        assert_eq!(read("café".as_bytes(), Some("text/html; charset=iso-8859-1")), ("café".into(), "UTF-8"));
    }

    #[test]
    fn declared_utf8_that_is_not_is_guessed_unless_only_a_byte_is_broken() {
        let utf8 = Some("text/html; charset=utf-8");
        let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(FRENCH);
        assert_eq!(read(&bytes, utf8).0, FRENCH);
        let mut bytes = FRENCH.as_bytes().to_vec();
        bytes.push(0xff);
        assert_eq!(read(&bytes, utf8), (format!("{FRENCH}\u{fffd}"), "UTF-8"));
    }

    #[test]
    fn plain_ascii_needs_no_copy_whatever_it_is_declared() {
        for label in ["us-ascii", "utf-8", "gb2312", "utf-16", "iso-2022-jp"] {
            let header = format!("text/html; charset={label}");
            let decoded = decode(b"<p>plain", Some(&header), None, &Params::default());
            assert!(matches!(decoded.text, Cow::Borrowed("<p>plain")), "{label}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(body: Vec<u8>, header: Option<String>, tld in proptest::option::of("[a-z]{2,3}")) {
            decode(&body, header.as_deref(), tld.as_deref(), &Params::default());
        }

        #[test]
        fn valid_utf8_comes_out_as_it_went_in(text in "[a-z<>é日🦀]{0,40}") {
            prop_assert_eq!(read(text.as_bytes(), None).0, text);
        }
    }
}
