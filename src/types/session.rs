//! Session ids in URLs: they name a visit, not a page.

use memchr::{memchr, memchr2};
use url::Url;

/// Names of parameters that hold session ids only.
const CERTAIN: [&str; 4] = ["jsessionid", "phpsessid", "oscsid", "zenid"];

/// Names of parameters that hold session ids, but other things too.
const POSSIBLE: [&str; 3] = ["sid", "sessionid", "session_id"];

/// A parameter with a [`POSSIBLE`] name holds a session id only if its value has at least so many bytes. Ids of ASP have this length, those
/// of PHP and Java are longer, and numbers of articles are shorter.
const MIN_ID_BYTES: usize = 24;

/// Length of an id that ASP.NET puts into the path, in bytes.
const PATH_ID_BYTES: usize = 24;

/// Removes session ids from a URL: `;jsessionid=…` after a segment of the path, the `(S(…))` of ASP.NET, and parameters of the query, as
/// web archives do when they index. A crawler without cookies is given such URLs: each page would have as many URLs as there were visits,
/// and no two pages would have a skeleton in common.
pub(super) fn strip(url: &mut Url) {
    if url.path().contains([';', '(']) {
        let kept: Vec<String> = url.path().split('/').filter(|segment| !is_path_id(segment)).map(bare).collect();
        let path = kept.join("/");
        if path != url.path() {
            url.set_path(&path);
        }
    }
    if let Some(query) = url.query().filter(|query| query.split('&').any(is_session)) {
        let kept: Vec<&str> = query.split('&').filter(|parameter| !is_session(parameter)).collect();
        let query = kept.join("&");
        url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
    }
}

/// True where `strip` may find something; the URL is not parsed for this.
pub fn may_name_session(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let query = memchr(b'?', bytes).unwrap_or(bytes.len());
    memchr2(b';', b'(', &bytes[..query]).is_some()
        || raw.get(query + 1..).is_some_and(|query| query.split('&').any(is_session))
}

/// The URL without session ids.
pub fn without_session(raw: String) -> String {
    if !may_name_session(&raw) {
        return raw;
    }
    let Ok(mut url) = Url::parse(&raw) else { return raw };
    strip(&mut url);
    url.into()
}

/// A segment of the path without session ids among its parameters.
fn bare(segment: &str) -> String {
    segment.split(';').enumerate().filter(|(i, part)| *i == 0 || !is_session(part)).fold(
        String::new(),
        |mut bare, (i, part)| {
            if i > 0 {
                bare.push(';');
            }
            bare.push_str(part);
            bare
        },
    )
}

fn is_session(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return false };
    let named = |names: &[&str]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let is_id = || {
        value.len() >= MIN_ID_BYTES
            && value.bytes().all(|b| b.is_ascii_alphanumeric())
            && value.bytes().any(|b| b.is_ascii_digit())
    };
    let is_asp = name.get(..12).is_some_and(|head| head.eq_ignore_ascii_case("ASPSESSIONID"));
    named(&CERTAIN) || is_asp || (named(&POSSIBLE) && is_id())
}

/// True for `(S(…))`, and for several such ids in one segment: `(A(…)S(…))`.
fn is_path_id(segment: &str) -> bool {
    let Some(mut inner) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let one = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() >= PATH_ID_BYTES + 3
            && bytes[0].is_ascii_uppercase()
            && bytes[1] == b'('
            && bytes[2..PATH_ID_BYTES + 2].iter().all(u8::is_ascii_alphanumeric)
            && bytes[PATH_ID_BYTES + 2] == b')'
    };
    while one(inner) {
        inner = &inner[PATH_ID_BYTES + 3..];
        if inner.is_empty() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(raw: &str) -> String {
        let mut url = Url::parse(raw).expect("a sound URL");
        strip(&mut url);
        url.into()
    }

    #[test]
    fn pages_have_one_url_whatever_the_session() {
        for (raw, bare) in [
            ("http://x.org/a/show.do;jsessionid=0A1B.node2?id=7", "http://x.org/a/show.do?id=7"),
            ("http://x.org/a;v=1;JSESSIONID=77;w=2/b", "http://x.org/a;v=1;w=2/b"),
            ("http://x.org/v?id=7&PHPSESSID=0hq3&l=fr", "http://x.org/v?id=7&l=fr"),
            ("http://x.org/v?sid=0123456789abcdef0123456789abcdef", "http://x.org/v"),
            ("http://x.org/v.asp?ASPSESSIONIDQABCDEFG=JKLM&p=1", "http://x.org/v.asp?p=1"),
            ("http://x.org/(S(lit3py55t21z5v55vlm25s55))/o.aspx", "http://x.org/o.aspx"),
            ("http://x.org/(A(lit3py55t21z5v55vlm25s55)S(lit3py55t21z5v55vlm25s56))/o.aspx", "http://x.org/o.aspx"),
        ] {
            assert_eq!(stripped(raw), bare);
        }
    }

    #[test]
    fn what_may_be_more_than_a_session_stays() {
        for raw in [
            "http://x.org/v?sid=42&id=7",
            "http://x.org/v?sid=thequickbrownfoxjumpsoverit",
            "http://x.org/v?sid",
            "http://x.org/a;v=1/b",
            "http://x.org/(S(short))/a",
            "http://x.org/wiki/Delta_(letter)",
            "http://x.org/()/a",
            "http://x.org/v?q=a&&b=",
        ] {
            assert_eq!(stripped(raw), raw);
        }
    }

    proptest::proptest! {
        #[test]
        fn stripping_twice_is_stripping_once(rest in "[a-zA-Z0-9;=?&/()é%. ]{0,60}") {
            if let Ok(url) = Url::parse(&format!("http://x.org/{rest}")) {
                let once = stripped(url.as_str());
                proptest::prop_assert!(may_name_session(url.as_str()) || once == url.as_str());
                proptest::prop_assert_eq!(stripped(&once), once.clone());
            }
        }
    }
}
