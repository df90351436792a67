//! URLs, and the site a URL belongs to.

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

use super::{SkipReason, session};

/// A URL in the only form that the store uses: WHATWG-normalised, without fragment, user, default port and session id.
///
/// Two URLs that differ only in `http` and `https` are one page: [`CanonicalUrl::identity`] leaves the scheme out, and URLs are looked up
/// and sorted by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalUrl {
    url: String,
    /// Where the identity begins: after `http://` or `https://`.
    identity: usize,
    /// Where host and port end.
    host_end: usize,
}

impl CanonicalUrl {
    /// Parses a URL as people type it, with or without `http://`.
    ///
    /// # Errors
    /// As [`CanonicalUrl::parse`].
    pub fn parse_typed(text: &str) -> Result<CanonicalUrl, SkipReason> {
        if text.contains("://") { CanonicalUrl::parse(text) } else { CanonicalUrl::parse(&format!("http://{text}")) }
    }

    /// Parses a URL as archives and pages give it.
    ///
    /// # Errors
    /// [`SkipReason::NotWeb`] for schemes other than http and https, [`SkipReason::BadUrl`] if the URL cannot be parsed.
    pub fn parse(raw: &str) -> Result<CanonicalUrl, SkipReason> {
        let raw = raw.trim().trim_start_matches('<').trim_end_matches('>');
        // Archives have URLs with raw spaces; the parser percent-encodes them.
        let url = Url::parse(raw).map_err(|_| if scheme_is_web(raw) { SkipReason::BadUrl } else { not_web(raw) })?;
        CanonicalUrl::from_url(url)
    }

    /// Does the same as [`CanonicalUrl::parse`] for a URL that is parsed already.
    ///
    /// # Errors
    /// As [`CanonicalUrl::parse`].
    pub fn from_url(mut url: Url) -> Result<CanonicalUrl, SkipReason> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SkipReason::NotWeb);
        }
        url.set_fragment(None);
        if !url.username().is_empty() || url.password().is_some() {
            url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| SkipReason::BadUrl)?;
        }
        // The parser has removed the default port of the scheme. Any other port stays, as in `http://x:443/`.
        session::strip(&mut url);
        if url.query() == Some("") {
            url.set_query(None);
        }
        let identity = url.scheme().len() + 3;
        let host_end = identity + url[url::Position::BeforeHost..url::Position::AfterPort].len();
        Ok(CanonicalUrl { url: String::from(url), identity, host_end })
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// The URL without its scheme. URLs with the same identity are one page.
    pub fn identity(&self) -> &str {
        &self.url[self.identity..]
    }

    /// True when the scheme is https.
    pub fn is_https(&self) -> bool {
        self.identity == "https://".len()
    }

    /// Host, with the port where it is not the scheme's default.
    pub fn host(&self) -> &str {
        &self.url[self.identity..self.host_end]
    }

    /// The part after the host: `/path/file?query`.
    pub fn rest(&self) -> &str {
        &self.url[self.host_end..]
    }

    /// The registrable domain of the host (public suffix list), or the host where it has none.
    pub fn domain(&self) -> Cow<'_, str> {
        registrable_domain(self.host())
    }
}

fn scheme_is_web(raw: &str) -> bool {
    let lower = raw.get(..6).unwrap_or(raw).to_ascii_lowercase();
    lower.starts_with("http:") || lower.starts_with("https")
}

fn not_web(raw: &str) -> SkipReason {
    let scheme = raw.split(':').next().unwrap_or("");
    let is_scheme = raw.contains(':')
        && !scheme.is_empty()
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if is_scheme { SkipReason::NotWeb } else { SkipReason::BadUrl }
}

/// The host, with its port, of a URL without its scheme ([`CanonicalUrl::identity`]).
pub fn host_of(identity: &str) -> &str {
    identity.split('/').next().unwrap_or("")
}

/// A URL without its scheme, which is its identity if the URL is canonical. A URL that has no scheme is returned as it is.
pub fn without_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

/// The registrable domain of the host of a URL.
pub fn domain_of(url: &str) -> Cow<'_, str> {
    registrable_domain(host_of(without_scheme(url)))
}

/// A host without its port, and without the dot that may end it.
pub fn name_of_host(host: &str) -> &str {
    let name = without_port(host).0;
    name.strip_suffix('.').unwrap_or(name)
}

/// A host, and its port.
pub fn without_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    }
}

/// The registrable domain of a host: its public suffix and one more label; or the host itself if it has none (an IP address, a bare
/// suffix). The port is kept.
pub fn registrable_domain(host: &str) -> Cow<'_, str> {
    let (name, port) = without_port(host);
    if name.parse::<std::net::Ipv4Addr>().is_ok() || name.starts_with('[') {
        return Cow::Borrowed(host);
    }
    match (psl::domain_str(name), port) {
        (Some(domain), None) => Cow::Borrowed(domain),
        (Some(domain), Some(port)) => Cow::Owned(format!("{domain}:{port}")),
        (None, _) => Cow::Borrowed(host),
    }
}

/// Where the public suffix of a host is: `co.uk` of `www.example.co.uk:8080`. `None` for an IP address.
pub fn public_suffix(host: &str) -> Option<Range<usize>> {
    let (name, _) = without_port(host);
    if name.parse::<std::net::Ipv4Addr>().is_ok() || name.starts_with('[') {
        return None;
    }
    let suffix = psl::suffix_str(name)?;
    Some(name.len() - suffix.len()..name.len())
}

/// A common name for all hosts that differ only in the labels before the registrable domain and in the public suffix: `example.*` for
/// `www.example.co.uk`. The host itself if it has no registrable domain.
pub fn family(host: &str) -> Cow<'_, str> {
    let domain = registrable_domain(host);
    match public_suffix(&domain).filter(|suffix| suffix.start > 0) {
        Some(suffix) => Cow::Owned(format!("{}*{}", &domain[..suffix.start], &domain[suffix.end..])),
        None => domain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(raw: &str) -> CanonicalUrl {
        CanonicalUrl::parse(raw).expect("a sound URL")
    }

    #[test]
    fn one_page_has_one_identity() {
        for raw in [
            "http://Ex.org/a b#c",
            "https://ex.org:443/a%20b",
            "<http://user:pw@ex.org:80/a%20b?>",
            " http://ex.org/x/../a b",
        ] {
            assert_eq!(parse(raw).identity(), "ex.org/a%20b", "{raw}");
        }
        assert_eq!(parse("http://ex.org:8080/").identity(), "ex.org:8080/");
        let page = parse("http://ex.org:8080/x?y");
        assert_eq!((host_of(page.identity()), page.host(), page.rest()), ("ex.org:8080", "ex.org:8080", "/x?y"));
        assert_eq!(host_of(parse("http://ex.org?y").identity()), "ex.org");
    }

    #[test]
    fn what_is_no_web_url_says_so() {
        assert_eq!(CanonicalUrl::parse("dns:ex.org"), Err(SkipReason::NotWeb));
        assert_eq!(CanonicalUrl::parse("metadata://gnu.org/software/wget"), Err(SkipReason::NotWeb));
        assert_eq!(CanonicalUrl::parse("http://"), Err(SkipReason::BadUrl));
        assert_eq!(CanonicalUrl::parse("nonsense"), Err(SkipReason::BadUrl));
    }

    #[test]
    fn domains_follow_the_public_suffix_list() {
        assert_eq!(registrable_domain("www.fr.example.co.uk"), "example.co.uk");
        assert_eq!(registrable_domain("fr.example.org:8080"), "example.org:8080");
        assert_eq!(registrable_domain("127.0.0.1:80"), "127.0.0.1:80");
        assert_eq!(registrable_domain("localhost"), "localhost");
        assert_eq!(domain_of("https://fr.example.co.uk/a.b?c"), "example.co.uk");
        for (host, name) in
            [("ex.org", "ex.org"), ("ex.org.:8080", "ex.org"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]")]
        {
            assert_eq!(name_of_host(host), name);
        }
    }

    #[test]
    fn a_family_differs_in_the_public_suffix_only() {
        for (host, expected) in [
            ("www.example.co.uk", "example.*"),
            ("example.fr", "example.*"),
            ("shop.example.com:8080", "example.*:8080"),
            ("other.fr", "other.*"),
            ("co.uk", "co.uk"),
            ("localhost", "localhost"),
            ("127.0.0.1:80", "127.0.0.1:80"),
        ] {
            assert_eq!(family(host), expected, "{host}");
        }
        assert_eq!(family("example.*"), "example.*", "the name of a family is that of its family");
        assert_eq!(public_suffix("a.co.uk:80"), Some(2..7));
        assert_eq!(public_suffix("[::1]"), None);
    }
}
