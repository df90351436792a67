//! The URL that a page names as its own: by `<link rel=canonical>` or the header `Link`, by `og:url`, by a version in its own language, or
//! by the header `Content-Location`.
//!
//! These URLs are among the links of a page. [`own_links`] gives those of HTTP headers, which have the kind [`LinkKind::Own`], like
//! `og:url`. [`Named`] decides which of them counts.

use encoding_rs::UTF_8;

use super::links::Resolver;
use super::params::Params;
use crate::index::addresses::Addresses;
use crate::text::addresses::is_same;
use crate::types::{CanonicalUrl, Capture, Lang, Link, LinkKind};

/// `rel` of a canonical URL.
const CANONICAL: &str = "canonical";
/// `rel` that stands for `<meta property="og:url">`.
pub const OG_URL: &str = "og:url";
/// `rel` that stands for the header `Content-Location`.
const CONTENT_LOCATION: &str = "content-location";

/// The URLs that the HTTP headers of a page name as its own.
pub fn own_links(capture: &Capture, url: &CanonicalUrl, params: &Params) -> Vec<Link> {
    let Some(mut resolver) = Resolver::new(url.as_str(), UTF_8) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |target: &str, rel: &str| {
        let max = params.max_url_bytes as usize;
        if let Some(url) = resolver.resolve(target).filter(|url| url.len() <= max) {
            found.push(Link { url, rel: rel.to_owned(), kind: LinkKind::Own, ..Link::default() });
        }
    };
    let of_header = targets(capture.link.as_deref().unwrap_or(""), CANONICAL);
    of_header.take(params.max_links as usize).for_each(|target| add(target, CANONICAL));
    if let Some(target) = &capture.content_location {
        add(target, CONTENT_LOCATION);
    }
    found
}

/// The URL that a `Link` header names as the licence of the page.
pub fn license_link(capture: &Capture, url: &CanonicalUrl, params: &Params) -> Option<String> {
    let target = targets(capture.link.as_deref()?, "license").next()?;
    let url = Resolver::new(url.as_str(), UTF_8)?.resolve(target)?;
    Some(url).filter(|url| url.len() <= params.max_url_bytes as usize)
}

/// The targets in a `Link` header that have a relation (RFC 8288, §3).
fn targets<'h>(header: &'h str, relation: &str) -> impl Iterator<Item = &'h str> {
    header.split('<').skip(1).filter_map(move |link| {
        let (target, parameters) = link.split_once('>')?;
        let is_it = parameters.split([';', ',']).any(|parameter| {
            let Some((name, value)) = parameter.split_once('=') else { return false };
            let mut words = value.trim().trim_matches('"').split_ascii_whitespace();
            name.trim().eq_ignore_ascii_case("rel") && words.any(|word| word.eq_ignore_ascii_case(relation))
        });
        is_it.then_some(target)
    })
}

/// The URLs that one kind of declaration names.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
enum Said {
    #[default]
    Nothing,
    One(String),
    Several,
}

/// The URL that a page names as its own, found from all its links.
#[derive(Default)]
pub struct Named([Said; 4]);

impl Named {
    /// Adds a link of the page, which is in the language `own`. `version` is the language in which the link's target is said to be.
    pub fn take(&mut self, url: &str, rel: &str, version: Option<Lang>, own: Lang) {
        let is_own_lang = own.is_known() && version.is_some_and(|version| version.agrees(own));
        let has = |wanted: &str| rel.split_ascii_whitespace().any(|word| word == wanted);
        let level = match () {
            () if has(CANONICAL) => 0,
            () if has(OG_URL) => 1,
            () if is_own_lang && has("alternate") => 2,
            () if has(CONTENT_LOCATION) => 3,
            () => return,
        };
        let Some((_, identity)) = url.split_once("://") else { return };
        let said = &mut self.0[level];
        *said = match std::mem::take(said) {
            Said::Nothing => Said::One(identity.to_owned()),
            Said::One(known) if known == identity => Said::One(known),
            _ => Said::Several,
        };
    }

    /// The page of a site that is named: the page with exactly that URL; otherwise `own`, or another page, whose URL is another way to
    /// write it.
    pub fn page(self, own: u32, own_identity: &str, site: &Addresses<'_>) -> Option<u32> {
        let identity = self.identity()?;
        let is_own = || is_same(&identity, own_identity);
        site.exact(&identity).or_else(|| is_own().then_some(own)).or_else(|| site.page(&identity))
    }

    /// The URL, without its scheme, that the most direct kind of declaration names; `None` if that kind names several.
    fn identity(self) -> Option<String> {
        match self.0.into_iter().find(|said| *said != Said::Nothing)? {
            Said::One(identity) => Some(identity),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{ListedPages, PageFacts};

    #[test]
    fn headers_name_the_url_of_a_page() {
        let url = CanonicalUrl::parse("http://ex.org/a/b").expect("a sound URL");
        let link = "</x>; rel=next, <c?d,e>; title=\"f\"; rel=\"Canonical up\", <http://ex.org/g>;rel=alternate";
        let capture = Capture { link: Some(link.into()), content_location: Some("b.de".into()), ..Capture::default() };
        let found = own_links(&capture, &url, &Params::default());
        let found: Vec<_> = found.iter().map(|link| (link.url.as_str(), link.rel.as_str(), link.kind)).collect();
        let own = LinkKind::Own;
        let expected = [("http://ex.org/a/c?d,e", CANONICAL, own), ("http://ex.org/a/b.de", CONTENT_LOCATION, own)];
        assert_eq!(found, expected);
    }

    fn named(links: &[(&str, &str, bool)]) -> Option<String> {
        let mut named = Named::default();
        for (url, rel, is_own_lang) in links {
            let version = if *is_own_lang { Lang::EN } else { Lang::ZH };
            named.take(&format!("http://{url}"), rel, Some(version), Lang::EN);
        }
        named.identity()
    }

    #[test]
    fn the_most_direct_declaration_counts_unless_it_contradicts_itself() {
        let (canonical, og, version, place) =
            (("c", CANONICAL, false), (("o"), OG_URL, false), ("v", "alternate", true), ("l", CONTENT_LOCATION, false));
        assert_eq!(named(&[place, version, og, canonical]).as_deref(), Some("c"));
        assert_eq!(named(&[place, version, og]).as_deref(), Some("o"));
        assert_eq!(named(&[place, version]).as_deref(), Some("v"));
        assert_eq!(named(&[place, ("w", "alternate", false)]).as_deref(), Some("l"));
        assert_eq!(named(&[canonical, canonical]).as_deref(), Some("c"));
        assert_eq!(named(&[canonical, ("d", CANONICAL, false), og]), None);
        assert_eq!(named(&[("s", "stylesheet", false)]), None);
    }

    #[test]
    fn the_page_named_may_be_written_in_another_way() {
        let pages = ["ex.org/a/", "ex.org/b", "www.ex.org/a"];
        let listed = ListedPages(pages.iter().map(|&url| (url.to_owned(), PageFacts::default())).collect());
        let site = Addresses::new(&listed);
        let page = |own: u32, url: &str| {
            let mut named = Named::default();
            named.take(&format!("https://{url}"), CANONICAL, None, Lang::UNKNOWN);
            named.page(own, pages[own as usize], &site)
        };
        assert_eq!([page(1, "ex.org/a"), page(2, "ex.org/a"), page(1, "www.ex.org/a")], [Some(0), Some(2), Some(2)]);
        assert_eq!([page(1, "ex.org/b.html"), page(0, "www.ex.org/a/index.php")], [Some(1), Some(0)]);
        assert_eq!([page(1, "www.ex.org/b/"), page(0, "www.ex.org/b"), page(0, "ex.org/c")], [Some(1), Some(1), None]);
    }
}
