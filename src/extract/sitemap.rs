//! Sitemaps in XML: which URLs they declare to be versions of one page in several languages.
//!
//! A `<url>` names its page (`<loc>`) and versions of it (`<xhtml:link rel="alternate" hreflang href>`). What one `<url>` names is a group.
//! An index of sitemaps names no pages. Entities that a document defines by itself are never expanded, and nothing is kept of elements
//! but of the `<url>` that is being read, so that memory grows with the groups alone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::types::{CanonicalUrl, Lang, registrable_domain};

/// How many URLs a sitemap may have (sitemaps.org). What follows is not read.
const MAX_URLS: u64 = 50_000;
/// How deeply elements may be nested; sitemaps need four levels.
const MAX_DEPTH: usize = 32;
/// How many pages a group may have: more than the languages of any site (an estimate). A larger group counts for nothing.
const MAX_VERSIONS: usize = 250;
/// How long a URL may be, in bytes: what browsers open, and four times what sitemaps.org allows.
const MAX_URL_BYTES: usize = 8 << 10;

/// What a sitemap says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// How many URLs it lists.
    pub urls: u64,
    /// How many versions of these it names in all, whether [`Self::groups`] has them or not.
    pub alternates: u64,
    /// The distinct groups of versions, in the form that [`groups`] reads: a line for each version with its language (`und` where none is
    /// given) and its URL without scheme, sorted; an empty line behind each group. The groups are sorted too, since their order in a sitemap
    /// means nothing.
    pub groups: String,
}

impl Sitemap {
    /// What the sitemap says, in words.
    pub fn in_words(&self) -> String {
        match (self.urls, self.alternates) {
            (0, _) => "names no pages".to_owned(),
            (urls, 0) => format!("{urls} URLs, no versions in other languages"),
            (urls, alternates) => format!("{urls} URLs, {alternates} versions in other languages"),
        }
    }
}

/// Reads the sitemap whose URL is `of`, up to the first error in its XML. A `<url>` counts if its `<loc>` is in the registrable domain of
/// the sitemap; the versions that it names may be in any domain.
pub fn read(body: &[u8], of: &CanonicalUrl) -> Sitemap {
    let body = String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
    let mut reader = Reader::from_str(&body);
    let config = reader.config_mut();
    (config.check_end_names, config.allow_dangling_amp) = (false, true);
    let mut reading = Reading { domain: of.domain(), ..Reading::default() };
    let mut depth = 0;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => {
                depth += 1;
                if depth > MAX_DEPTH || !reading.begin(&tag) {
                    break;
                }
            }
            Event::Empty(tag) => {
                if !reading.begin(&tag) {
                    break;
                }
                reading.end(tag.local_name().as_ref());
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                reading.end(tag.local_name().as_ref());
            }
            Event::Text(text) => reading.text(&text),
            Event::CData(text) => reading.text(&text),
            Event::GeneralRef(entity) => match entity.resolve_char_ref() {
                Ok(Some(found)) => reading.text(found.encode_utf8(&mut [0; 4])),
                _ => reading.text(quick_xml::escape::resolve_predefined_entity(&entity).unwrap_or(UNKNOWN)),
            },
            Event::Eof => break,
            _ => {}
        }
    }
    let groups = reading.groups.iter().flat_map(|group| [group.as_str(), "\n"]).collect();
    Sitemap { groups, ..reading.found }
}

/// Stands in place of an entity that XML does not define, and of a URL that is too long: no URL that contains it can be parsed.
const UNKNOWN: &str = "\u{0}://";

/// The state between two events.
#[derive(Default)]
struct Reading<'u> {
    /// The registrable domain of the sitemap.
    domain: Cow<'u, str>,
    found: Sitemap,
    /// The groups that were found.
    groups: BTreeSet<String>,
    is_in_url: bool,
    /// The prefix of `<url>`. That of `<loc>` must be the same, because images and videos have a `<loc>` of their own.
    prefix: Option<String>,
    /// The text of `<loc>` so far, while it is being read.
    loc: Option<String>,
    /// The page of this `<url>`, once it is known.
    page: Option<String>,
    versions: Vec<(Lang, String)>,
}

impl Reading<'_> {
    /// Enters an element; false where the sitemap has as many URLs as it may have.
    fn begin(&mut self, tag: &BytesStart<'_>) -> bool {
        let prefix = tag.name().prefix().map(|prefix| prefix.as_ref().to_owned());
        match tag.local_name().as_ref() {
            "url" => {
                (self.is_in_url, self.page, self.loc, self.prefix) = (true, None, None, prefix);
                self.versions.clear();
                return self.found.urls < MAX_URLS;
            }
            "loc" if self.is_in_url && self.page.is_none() && self.prefix == prefix => self.loc = Some(String::new()),
            "link" if self.is_in_url => self.versions.extend(version(tag)),
            _ => {}
        }
        true
    }

    fn text(&mut self, text: &str) {
        let Some(loc) = self.loc.as_mut() else { return };
        if loc.len() + text.len() <= MAX_URL_BYTES {
            loc.push_str(text);
        } else {
            // If it were cut short, it would be another URL.
            UNKNOWN.clone_into(loc);
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "loc" => self.page = self.loc.take().and_then(|loc| identity(&loc)).or(self.page.take()),
            "url" if self.is_in_url => {
                self.is_in_url = false;
                self.found.urls += 1;
                self.found.alternates += self.versions.len() as u64;
                self.take_group();
            }
            _ => {}
        }
    }

    fn take_group(&mut self) {
        let Some(page) = self.page.take() else { return };
        let host = page.split('/').next().unwrap_or_default();
        if self.versions.is_empty() || registrable_domain(host) != self.domain {
            return;
        }
        if !self.versions.iter().any(|(_, version)| *version == page) {
            self.versions.push((Lang::UNKNOWN, page));
        }
        self.versions.sort_unstable();
        self.versions.dedup();
        if !(2..=MAX_VERSIONS).contains(&self.versions.len()) {
            return;
        }
        // Each page of a group usually names all of the group.
        self.groups.insert(self.versions.iter().map(|(lang, identity)| format!("{lang} {identity}\n")).collect());
    }
}

/// The version that a `<link rel="alternate" hreflang href>` names; none where the language is none (`x-default`).
fn version(tag: &BytesStart<'_>) -> Option<(Lang, String)> {
    let (mut is_alternate, mut lang, mut href) = (false, None, None);
    for attribute in tag.attributes().with_checks(false).flatten() {
        let value = || tolerant(&attribute);
        // Names with a prefix are other names: `xlink:href` is not `href`.
        match attribute.key.as_ref() {
            "rel" => {
                is_alternate = value()?.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("alternate"));
            }
            "hreflang" => lang = Lang::parse(&value()?),
            "href" => href = identity(&value()?),
            _ => {}
        }
    }
    lang.zip(href).filter(|_| is_alternate)
}

/// The value of an attribute. An `&` that begins no entity stands for itself, as it does in `<loc>`. `None` where an entity is unknown.
fn tolerant<'t>(attribute: &'t Attribute<'_>) -> Option<Cow<'t, str>> {
    if let Ok(value) = attribute.normalized_value(XmlVersion::Implicit1_0) {
        return Some(value);
    }
    let mut escaped = String::with_capacity(attribute.value.len() + 16);
    for (at, piece) in attribute.value.split('&').enumerate() {
        let name = piece.split_once(';').map_or("", |(name, _)| name);
        let is_entity = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#');
        escaped.push_str(match at {
            0 => "",
            _ if is_entity => "&",
            _ => "&amp;",
        });
        escaped.push_str(piece);
    }
    quick_xml::escape::unescape(&escaped).ok().map(|value| Cow::Owned(value.into_owned()))
}

/// The URL without its scheme, where it is one of the web.
fn identity(url: &str) -> Option<String> {
    let url = Some(url.trim()).filter(|url| url.len() <= MAX_URL_BYTES && !url.contains('\0'))?;
    CanonicalUrl::parse(url).ok().map(|url| url.identity().to_owned())
}

/// The groups of versions in [`Sitemap::groups`]: each version with its language, if that is given. Lines that make no sense are left out.
pub fn groups(text: &str) -> impl Iterator<Item = Vec<(Option<Lang>, &str)>> {
    text.split("\n\n").map(|group| {
        let version = |line| -> Option<(Option<Lang>, &str)> {
            let (lang, identity) = str::split_once(line, ' ')?;
            Some((Lang::parse(lang).filter(|lang| lang.is_known()), identity))
        };
        group.lines().filter_map(version).collect()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(body: &str) -> Sitemap {
        read(body.as_bytes(), &CanonicalUrl::parse("https://www.ex.org/map/sitemap.xml").expect("a URL"))
    }

    fn listed(body: &str) -> Vec<String> {
        let found =
            of(&format!("<?xml version=\"1.0\"?><urlset xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">{body}</urlset>"));
        let line = |(lang, identity): &(Option<Lang>, &str)| {
            format!("{} {identity}", lang.map_or("-".to_owned(), |lang| lang.to_string()))
        };
        let group = |group: Vec<(Option<Lang>, &str)>| group.iter().map(line).collect::<Vec<_>>().join(", ");
        groups(&found.groups).map(group).filter(|group| !group.is_empty()).collect()
    }

    const FR: &str = r#"<xhtml:link rel="alternate" hreflang="fr-CA" href="http://ex.org/a?x=1&amp;l=fr"/>"#;

    #[test]
    fn a_url_and_its_versions_are_a_group_and_equal_groups_are_one() {
        let self_named = r#"<link href='https://ex.org/a' hreflang="en" rel='ALTERNATE'></link>"#;
        let default = r#"<xhtml:link rel="alternate" hreflang="x-default" href="https://ex.org/"/>"#;
        let body = format!(
            "<url><image:loc>http://ex.org/i.png</image:loc><loc> https://ex.org/a </loc><lastmod>2020</lastmod>{FR}{default}{self_named}</url>\
             <url>{self_named}{FR}<loc>http://ex.org/a?x=1&#38;l=fr</loc></url>\
             <url><loc><![CDATA[http://m.ex.org/b?u=1&l=de]]></loc>{FR}</url>\
             <url><loc>http://ex.org/alone</loc></url>"
        );
        assert_eq!(listed(&body), ["en ex.org/a, fr ex.org/a?x=1&l=fr", "fr ex.org/a?x=1&l=fr, - m.ex.org/b?u=1&l=de"]);
        let found = of(&format!("<urlset>{body}</urlset>"));
        assert_eq!((found.urls, found.alternates), (4, 5));
        assert_eq!(found.in_words(), "4 URLs, 5 versions in other languages");
    }

    #[test]
    fn what_names_no_pages_of_its_own_domain_or_no_languages_declares_nothing() {
        for body in [
            format!("<url><loc>http://other.org/a</loc>{FR}</url>"),
            format!("<url><loc>/a</loc>{FR}</url><url>{FR}</url>{FR}"),
            format!("<url><loc>http://ex.org/a&x;b</loc>{FR}</url>"),
            "<url><loc>http://ex.org/a</loc><xhtml:link rel='alternate' media='print' href='http://ex.org/b'/></url>"
                .into(),
            "<url><loc>http://ex.org/a</loc><xhtml:link rel='stylesheet' hreflang='fr' href='http://ex.org/b'/></url>"
                .into(),
            "<url><loc>http://ex.org/a</loc><xhtml:link rel='alternate' hreflang='fr' href='mailto:b'/></url>".into(),
        ] {
            assert_eq!(listed(&body), Vec::<String>::new(), "{body}");
        }
        let index = of("<sitemapindex><sitemap><loc>http://ex.org/1.xml</loc></sitemap></sitemapindex>");
        assert_eq!((index.in_words(), index.groups), ("names no pages".to_owned(), String::new()));
    }

    #[test]
    fn a_bare_ampersand_stands_for_itself_and_a_url_that_is_too_long_for_nothing() {
        let link = |href: &str| format!("<xhtml:link rel='alternate' title='A & B' hreflang='fr' {href}/>");
        let url = |loc: &str, href: &str| listed(&format!("<url><loc>{loc}</loc>{}</url>", link(href)));
        let of_both = ["fr ex.org/b?x=1&l=fr&y=2, - ex.org/a?x=1&l=en"];
        let loc = "http://ex.org/a?x=1&l=en";
        assert_eq!(url(loc, "href='http://ex.org/b?x=1&l=fr&amp;y=2'"), of_both);
        assert_eq!(url(loc, "href='http://ex.org/b?x=1&l=fr&amp;y=2' xlink:href='http://ex.org/c'"), of_both);
        assert!(url(loc, "href='http://ex.org/b?x=1&l=fr&what;'").is_empty());
        let long = "x".repeat(MAX_URL_BYTES);
        for loc in [format!("http://ex.org/?a&amp;{long}"), format!("http://ex.org/?{long}&amp;a")] {
            assert_eq!(url(&loc, "href='http://ex.org/b'"), Vec::<String>::new());
        }
    }

    #[test]
    fn hostile_documents_cost_what_they_are_long() {
        let url = |n: usize| format!("<url><loc>http://ex.org/{n}</loc>{FR}</url>");
        let cut = [url(1), url(2), "<url><loc>http://ex.org/3</lo".into()].concat();
        assert_eq!(listed(&cut).len(), 2, "what comes before the cut counts");
        assert_eq!(listed(&format!("{}{}", url(1), "<a>".repeat(100_000))).len(), 1);
        let many: String =
            (0..MAX_URLS as usize + 7).map(|n| format!("<url><loc>http://ex.org/{n}</loc></url>")).collect();
        assert_eq!(of(&format!("<urlset>{many}</urlset>")).urls, MAX_URLS);
        let wide: String =
            (0..1000).map(|n| format!("<link rel='alternate' hreflang='fr' href='http://ex.org/{n}'/>")).collect();
        assert_eq!(listed(&format!("<url><loc>http://ex.org/a</loc>{wide}</url>")), Vec::<String>::new());
        let entities = "<!DOCTYPE u [<!ENTITY a \"http://ex.org/\"><!ENTITY b \"&a;&a;\">]>";
        let found = of(&format!("{entities}<urlset><url><loc>&b;</loc>{FR}</url></urlset>"));
        assert_eq!((found.urls, found.groups.as_str()), (1, ""));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(parts in prop::collection::vec(
            prop::sample::select(vec![
                "<url>", "</url>", "<loc>", "</loc>", "http://ex.org/a", "http://ex.org/b", FR, "&amp;", "&#0;", "&", "<", ">",
                "<!--", "-->", "<![CDATA[", "]]>", "<?", "\u{0}", "é", "<xhtml:link rel='alternate' hreflang='de' href='http://ex.org/a'/>",
            ]), 0..30)) {
            let found = of(&parts.concat());
            for group in groups(&found.groups).filter(|group| !group.is_empty()) {
                prop_assert!(group.len() > 1 && group.iter().all(|(_, identity)| identity.starts_with("ex.org/")));
            }
        }
    }
}
