//! Makes the URLs on a page absolute.

use encoding_rs::{Encoding, UTF_8};
use memchr::{memchr, memchr2_iter};
use rustc_hash::FxHashMap;
use url::{Position, Url};

use crate::types::without_session;

/// Resolves the URLs of one page.
///
/// The results are those of [`Url::join`] without the fragment and without session ids. Most URLs of a page are plain names below its own
/// folder or host, and are put together without parsing; each of the others is parsed once.
pub struct Resolver {
    base: Url,
    encoding: &'static Encoding,
    /// Where the path begins in `base`.
    host_end: usize,
    /// Where the folder ends in `base`, after its `/`.
    folder_end: usize,
    parsed: FxHashMap<String, Option<String>>,
    /// Number of bytes in `parsed`.
    parsed_bytes: usize,
}

/// If the base is longer, in bytes, relative URLs are dropped, since they would be longer than any URL that browsers open.
const MAX_BASE_BYTES: usize = 8 << 10;
/// Bytes of parsed URLs that are kept, so that each is parsed only once.
const MAX_PARSED_BYTES: usize = 4 << 20;

impl Resolver {
    /// Resolves against an absolute URL; `None` if `base` is not one. `encoding` is the page's charset, in which queries are written.
    pub fn new(base: &str, encoding: &'static Encoding) -> Option<Resolver> {
        Resolver::from_url(Url::parse(base).ok()?, encoding)
    }

    fn from_url(base: Url, encoding: &'static Encoding) -> Option<Resolver> {
        if !matches!(base.scheme(), "http" | "https") {
            return None;
        }
        let host_end = base[..Position::BeforePath].len();
        let folder_end = base[..Position::AfterPath].rfind('/').map_or(host_end, |slash| slash + 1);
        Some(Resolver { base, encoding, host_end, folder_end, parsed: FxHashMap::default(), parsed_bytes: 0 })
    }

    /// Uses the page's `<base href>` for the URLs that follow, if it is a URL of the web.
    pub fn rebase(&mut self, href: &str) {
        let base = self.base.join(href).ok().and_then(|base| Resolver::from_url(base, self.encoding));
        if let Some(base) = base {
            *self = base;
        }
    }

    /// The absolute URL without its fragment and without session ids, like the URLs of pages. `None` for places on the page itself (`#top`,
    /// empty), for schemes other than http and https, and for what cannot be parsed.
    pub fn resolve(&mut self, href: &str) -> Option<String> {
        self.resolve_as_written(href).map(without_session)
    }

    fn resolve_as_written(&mut self, href: &str) -> Option<String> {
        let whole = href.trim_matches(|c: char| c <= ' ');
        let href = &whole[..memchr(b'#', whole.as_bytes()).unwrap_or(whole.len())];
        let is_relative = || !href.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("http"));
        if href.is_empty() || has_other_scheme(href) || self.base.as_str().len() > MAX_BASE_BYTES && is_relative() {
            return None;
        }
        if let Some(plain) = self.resolve_plain(href) {
            return Some(plain);
        }
        // White space before a fragment belongs to the path; white space at the end of the URL does not.
        let href = if href.ends_with(|c: char| c <= ' ') { whole } else { href };
        if let Some(known) = self.parsed.get(href) {
            return known.clone();
        }
        let parsed = self.parse(href);
        let bytes = href.len() + parsed.as_ref().map_or(0, String::len);
        if self.parsed_bytes + bytes <= MAX_PARSED_BYTES {
            self.parsed_bytes += bytes;
            self.parsed.insert(href.to_owned(), parsed.clone());
        }
        parsed
    }

    /// The URL put together from the base and `href`, if it needs no parsing.
    fn resolve_plain(&self, href: &str) -> Option<String> {
        let base = self.base.as_str();
        let (mut kept, mut rest) = if let Some(rest) = href.strip_prefix(&base[..self.host_end]) {
            if !rest.starts_with('/') {
                return None;
            }
            (self.host_end, rest)
        } else if href.starts_with('/') {
            if href.starts_with("//") {
                return None;
            }
            (self.host_end, href)
        } else {
            (self.folder_end, href)
        };
        while kept > self.host_end {
            if let Some(below) = rest.strip_prefix("../") {
                rest = below;
                kept = self.parent(kept);
            } else if let Some(below) = rest.strip_prefix("./") {
                rest = below;
            } else {
                break;
            }
        }
        is_plain(rest).then(|| [&base[..kept], rest].concat())
    }

    /// Where the folder above ends; the root is its own parent.
    fn parent(&self, folder_end: usize) -> usize {
        let above = &self.base.as_str()[..folder_end - 1];
        above.rfind('/').map_or(folder_end, |slash| slash + 1).max(self.host_end + 1)
    }

    fn parse(&self, href: &str) -> Option<String> {
        let mut url = if self.encoding == UTF_8 {
            self.base.join(href).ok()?
        } else {
            let encoding = self.encoding;
            Url::options()
                .base_url(Some(&self.base))
                .encoding_override(Some(&move |query| encoding.encode(query).0))
                .parse(href)
                .ok()?
        };
        url.set_fragment(None);
        matches!(url.scheme(), "http" | "https").then(|| url.into())
    }
}

/// True for `mailto:`, `javascript:` and similar schemes, which a large share of all URLs have.
fn has_other_scheme(href: &str) -> bool {
    let Some(colon) = memchr(b':', href.as_bytes()) else { return false };
    let scheme = &href.as_bytes()[..colon];
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b));
    is_scheme && !scheme.eq_ignore_ascii_case(b"http") && !scheme.eq_ignore_ascii_case(b"https")
}

/// True when parsing does not change a path and query: no dot segments, nothing to escape, no scheme.
fn is_plain(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    let is_dot = |after: &[u8]| matches!(after, [b'/', b'.', ..] | [b'%', b'2', b'e' | b'E', ..]);
    if bytes.is_empty() || matches!(bytes[0], b'.' | b'?') || !bytes.iter().all(|&b| PLAIN[usize::from(b)]) {
        return false;
    }
    !memchr2_iter(b'/', b'%', bytes).any(|at| is_dot(&bytes[at..]))
}

/// The bytes of plain paths and queries.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let signs = b"-._~/+,;=&()!$*@%?";
    let mut at = 0;
    while at < signs.len() {
        plain[signs[at] as usize] = true;
        at += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BASES: &[&str] = &[
        "http://ex.org/",
        "http://ex.org/a/b/c.html?x=/y",
        "https://ex.org:8443/a//b/",
        "http://ex.org/a",
        "http://user@ex.org/a/",
    ];

    fn joined(base: &str, href: &str) -> Option<String> {
        let mut url = Url::parse(base).expect("a sound base").join(href).ok()?;
        url.set_fragment(None);
        let itself = href.trim_matches(|c: char| c <= ' ').split('#').next() == Some("");
        (matches!(url.scheme(), "http" | "https") && !itself).then(|| url.into())
    }

    fn resolved(base: &str, href: &str) -> Option<String> {
        Resolver::new(base, UTF_8).expect("a sound base").resolve(href)
    }

    #[test]
    fn links_have_no_session_as_pages_have_none() {
        let id = "0123456789abcdef0123456789abcdef";
        for (href, expected) in [
            ("p.html;jsessionid=AB12", "http://ex.org/p.html"),
            ("/a/p?PHPSESSID=1&id=7", "http://ex.org/a/p?id=7"),
            ("a b.html;jsessionid=AB12#x", "http://ex.org/a%20b.html"),
            ("?sid=42", "http://ex.org/?sid=42"),
        ] {
            assert_eq!(resolved("http://ex.org/", href).as_deref(), Some(expected));
        }
        assert_eq!(resolved("http://ex.org/", &format!("v?sid={id}")).as_deref(), Some("http://ex.org/v"));
    }

    #[test]
    fn what_is_relative_to_an_endless_base_leads_nowhere() {
        let mut resolver = Resolver::new("http://ex.org/", UTF_8).expect("a sound base");
        resolver.rebase(&format!("/{}/", "a".repeat(MAX_BASE_BYTES)));
        let all = ["?1", "b", "/b", "//ex.com/", "http://ex.com/"].map(|href| resolver.resolve(href));
        assert_eq!(all, [None, None, None, None, Some("http://ex.com/".to_owned())]);
    }

    #[test]
    fn links_resolve_as_the_standard_says() {
        for base in BASES {
            for href in [
                "x.html",
                "x.html#y",
                "./x",
                "../x",
                "../../../x",
                "a/../x",
                "a/./x",
                "..",
                ".",
                "../",
                "./",
                "/",
                "/x",
                "/../x",
                "/a/.",
                "//other.org/x",
                "//other.org",
                "?q",
                "?",
                "#",
                "#top",
                "",
                " x ",
                "a b",
                "x\ty",
                "é",
                "a%2e/x",
                "%2e%2e/x",
                "..//x",
                ".//x",
                "a//b",
                "x?y=../z",
                "x?",
                "http:x",
                "http://EX.org/x",
                "http://ex.org/./x",
                "http://ex.org",
                "http://ex.org?x",
                "http://ex.org:8443/x",
                "HTTP://ex.org/x",
                "https:/x",
                "mailto:a@b",
                "javascript:void(0)",
                "java\tscript:x",
                "data:,x",
                "x:y",
                "a/x:y",
                "1:2",
                "http://",
                "http://[",
                "\\x",
                "x\\y",
                "/x?a=b&c=d;e",
                "{x}",
                "x|y",
                "x^y",
                "x'y",
                "x?'y",
                "x\u{0}y",
                "...",
                ".../x",
                ".hidden",
                "a/.hidden",
                "../.hidden",
            ] {
                assert_eq!(resolved(base, href), joined(base, href), "{href:?} on {base}");
            }
        }
    }

    #[test]
    fn a_base_element_moves_what_follows() {
        let mut resolver = Resolver::new("http://ex.org/a/b.html", UTF_8).expect("a sound base");
        resolver.rebase("/c/");
        assert_eq!(resolver.resolve("x").as_deref(), Some("http://ex.org/c/x"));
        resolver.rebase("file:///etc/");
        resolver.rebase("http://[");
        assert_eq!(resolver.resolve("../x").as_deref(), Some("http://ex.org/x"));
    }

    #[test]
    fn queries_are_written_in_the_charset_of_the_page() {
        let mut resolver = Resolver::new("http://ex.org/", encoding_rs::KOI8_R).expect("a sound base");
        assert_eq!(resolver.resolve("/ж?ж").as_deref(), Some("http://ex.org/%D0%B6?%D6"));
    }

    proptest! {
        #[test]
        fn resolving_equals_url_join(href in "(\\.|\\.\\.|/|[a-c]|%2e|%|\\?|#|:|http:|//|ex\\.org| |\\\\|é|=|&){0,8}", base in 0..BASES.len()) {
            prop_assert_eq!(resolved(BASES[base], &href), joined(BASES[base], &href), "{:?} on {}", href, BASES[base]);
        }

        #[test]
        fn any_link_is_resolved_as_url_join_does(href: String, base in 0..BASES.len()) {
            prop_assert_eq!(resolved(BASES[base], &href), joined(BASES[base], &href));
        }
    }
}
