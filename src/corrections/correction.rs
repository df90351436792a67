//! One correction, and the place for which it holds.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

use crate::index::site::Urls;
use crate::language::names::did_you_mean;
use crate::types::{CanonicalUrl, Lang, NULL, host_of, name_of_host, registrable_domain, without_scheme};

/// Where a correction holds. URLs are without their scheme.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// On all sites.
    Everywhere,
    /// On a host; of a registrable domain, on all its hosts.
    Host(String),
    /// In a folder and below it; the URL ends in a slash.
    Folder(String),
    /// On one page.
    Page(String),
}

impl Place {
    /// Reads `*` (everywhere), `example.org` (a host), `example.org/docs/*` (a folder) or any other URL (a page).
    ///
    /// # Errors
    /// What is wrong with the text, and what was expected.
    pub fn parse(text: &str) -> Result<Place, String> {
        let text = text.trim();
        if text.is_empty() || text == "*" {
            return Ok(Place::Everywhere);
        }
        let problem = |_| {
            format!("{text} is no place; expected a host (example.org), a folder (example.org/docs/*), a URL, or *")
        };
        let is_host = !without_scheme(text).contains(['/', '?']);
        let (url, is_folder) = match text.strip_suffix("/*") {
            Some(folder) => (format!("{folder}/"), true),
            None => (text.to_owned(), false),
        };
        let url = CanonicalUrl::parse_typed(&url).map_err(problem)?;
        Ok(match (is_host, is_folder) {
            (true, _) => Place::Host(url.host().to_owned()),
            (_, true) => Place::Folder(url.identity().to_owned()),
            _ => Place::Page(url.identity().to_owned()),
        })
    }

    /// True for a page (its URL without the scheme) of the place.
    pub fn covers(&self, identity: &str) -> bool {
        match self {
            Place::Everywhere => true,
            Place::Host(host) => covers_host(host, host_of(identity)),
            Place::Folder(folder) => identity.starts_with(folder.as_str()),
            Place::Page(page) => page == identity,
        }
    }

    /// True where a site with these hosts and pages has a page of the place.
    fn is_on(&self, hosts: &[&str], pages: &dyn Urls) -> bool {
        match self {
            Place::Everywhere => true,
            Place::Host(name) => hosts.iter().any(|host| covers_host(name, host)),
            Place::Folder(folder) => {
                let first = pages.first_from(folder);
                first < pages.count() && pages.identity(first).starts_with(folder.as_str())
            }
            Place::Page(page) => pages.find(page).is_some(),
        }
    }

    /// The registrable domain; `None` for everywhere.
    pub fn domain(&self) -> Option<String> {
        match self {
            Place::Everywhere => None,
            Place::Host(url) | Place::Folder(url) | Place::Page(url) => {
                Some(registrable_domain(host_of(url)).into_owned())
            }
        }
    }

    /// How narrow the place is. If two places cover a page, the narrower one counts.
    pub fn narrowness(&self) -> (u8, usize) {
        match self {
            Place::Everywhere => (0, 0),
            Place::Host(host) => (1, host.len()),
            Place::Folder(folder) => (2, folder.len()),
            Place::Page(page) => (3, page.len()),
        }
    }
}

/// True for a host, and for the hosts of a registrable domain.
pub(super) fn covers_host(name: &str, host: &str) -> bool {
    name == host || (host.ends_with(name) && registrable_domain(host) == name)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Everywhere => f.write_str("*"),
            Place::Host(host) => f.write_str(host),
            Place::Folder(folder) => write!(f, "{folder}*"),
            // Written otherwise, it would be read as the folder.
            Place::Page(page) if page.ends_with("/*") => write!(f, "http://{page}#"),
            Place::Page(page) => write!(f, "http://{page}"),
        }
    }
}

/// What a correction says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Said {
    /// The key pairs pages, however few URLs match it.
    Named,
    /// The key pairs no pages.
    Forbidden,
}

/// One correction. URLs are without their scheme, and of two URLs or domains the one that sorts first comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Correction {
    /// Two pages are a pair.
    Pin([String; 2]),
    /// Two pages are no pair.
    Forbid([String; 2]),
    /// The pages of a place count for a language, whatever text and URLs say.
    Language(Place, Lang),
    /// What is said of a key, given by its pattern in either direction, for pairs with at least one page in the place.
    Key(Said, String, Place),
    /// Two registrable domains are one site.
    Together([String; 2]),
}

impl Correction {
    /// The kinds, by the names that they have in the file and on the command line.
    pub const KINDS: [&str; 6] = ["pin", "forbid", "language", "name-key", "forbid-key", "together"];

    /// Reads the fields of a correction as people write them.
    ///
    /// # Errors
    /// What is wrong with them, and what was expected.
    pub fn parse(kind: &str, first: &str, second: &str) -> Result<Correction, String> {
        match kind {
            "pin" => two_pages(first, second).map(Correction::Pin),
            "forbid" => two_pages(first, second).map(Correction::Forbid),
            "language" => {
                let place = Place::parse(first)?;
                if place == Place::Everywhere {
                    return Err("a language is that of a page, a folder or a host; expected one of these".to_owned());
                }
                let lang = Lang::parse_asked(second).and_then(|_| Lang::from_tag(second.trim()));
                let lang = lang.filter(|lang| lang.is_named());
                let problem = || {
                    let meant = did_you_mean(second);
                    format!("{second:?} is no language; expected a code such as fr, zh or pt-BR{meant}")
                };
                let lang = lang.ok_or_else(problem)?;
                Ok(Correction::Language(place, lang))
            }
            "name-key" => Ok(Correction::Key(Said::Named, pattern(first)?, Place::parse(second)?)),
            "forbid-key" => Ok(Correction::Key(Said::Forbidden, pattern(first)?, Place::parse(second)?)),
            "together" => {
                let [a, b] = [domain(first)?, domain(second)?];
                if a == b {
                    return Err(format!("{a} is one domain already; expected two"));
                }
                Ok(Correction::Together(sorted(a, b)))
            }
            _ => Err(format!("{kind:?} is no correction; expected one of {}", Correction::KINDS.join(", "))),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Correction::Pin(_) => "pin",
            Correction::Forbid(_) => "forbid",
            Correction::Language(..) => "language",
            Correction::Key(Said::Named, ..) => "name-key",
            Correction::Key(Said::Forbidden, ..) => "forbid-key",
            Correction::Together(_) => "together",
        }
    }

    /// Its two fields, as [`Correction::parse`] reads them.
    pub fn fields(&self) -> [String; 2] {
        match self {
            Correction::Pin(pages) | Correction::Forbid(pages) => pages.clone().map(|page| format!("http://{page}")),
            Correction::Language(place, lang) => [place.to_string(), lang.to_string()],
            Correction::Key(_, pattern, place) => [pattern.clone(), place.to_string()],
            Correction::Together(domains) => domains.clone(),
        }
    }

    /// The pages that it names, without their schemes.
    pub fn pages(&self) -> &[String] {
        match self {
            Correction::Pin(pages) | Correction::Forbid(pages) => pages,
            Correction::Language(Place::Page(page), _) | Correction::Key(_, _, Place::Page(page)) => {
                std::slice::from_ref(page)
            }
            _ => &[],
        }
    }

    /// The registrable domains whose sites it may change; none: all.
    pub fn domains(&self) -> Vec<String> {
        let of_page = |page: &String| registrable_domain(host_of(page)).into_owned();
        match self {
            Correction::Pin(pages) | Correction::Forbid(pages) => pages.iter().map(of_page).collect(),
            Correction::Language(place, _) | Correction::Key(_, _, place) => place.domain().into_iter().collect(),
            Correction::Together(domains) => domains.to_vec(),
        }
    }

    /// True where it can change anything on a site with these hosts and pages.
    pub(super) fn is_on(&self, hosts: &[&str], pages: &dyn Urls) -> bool {
        match self {
            Correction::Pin(both) | Correction::Forbid(both) => both.iter().all(|page| pages.find(page).is_some()),
            Correction::Language(place, _) | Correction::Key(_, _, place) => place.is_on(hosts, pages),
            Correction::Together(_) => true,
        }
    }

    /// The subject of the correction. Two corrections on the same subject say the same, or contradict each other.
    pub fn subject(&self) -> String {
        match self {
            Correction::Pin([a, b]) | Correction::Forbid([a, b]) => format!("pages {a} {b}"),
            Correction::Language(place, _) => format!("language {place}"),
            Correction::Key(_, pattern, place) => {
                let turned = turned(pattern);
                format!("key {} {place}", if turned < *pattern { &turned } else { pattern })
            }
            Correction::Together([a, b]) => format!("domains {a} {b}"),
        }
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.fields();
        write!(f, "{} {first} {second}", self.kind())
    }
}

fn sorted(a: String, b: String) -> [String; 2] {
    if b < a { [b, a] } else { [a, b] }
}

fn two_pages(first: &str, second: &str) -> Result<[String; 2], String> {
    let page = |text: &str| {
        let url = CanonicalUrl::parse_typed(text.trim());
        url.map(|url| url.identity().to_owned())
            .map_err(|why| format!("{text:?}: {why}; expected the http or https URL of a page"))
    };
    let [a, b] = [page(first)?, page(second)?];
    if a == b { Err(format!("{a} is one page; expected two")) } else { Ok(sorted(a, b)) }
}

fn domain(text: &str) -> Result<String, String> {
    let problem = |_| format!("{text:?} is no domain; expected one such as example.org");
    let url = CanonicalUrl::parse_typed(text.trim()).map_err(problem)?;
    let domain = registrable_domain(url.host());
    if name_of_host(url.host()).is_empty() || !matches!(url.rest(), "" | "/") {
        return Err(format!("{text:?} is no domain; expected one such as example.org"));
    }
    Ok(domain.into_owned())
}

/// A pattern as [`Key::pattern`](crate::types::Key::pattern) writes it: one edit or two, each a field and two values.
fn pattern(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_edit = |edit: &str| {
        let parts: Vec<&str> = edit.split(':').collect();
        let is_field = |name: &str| crate::types::Field::ALL.iter().any(|field| field.name() == name);
        matches!(parts[..], [field, from, to] if is_field(field) && !from.is_empty() && !to.is_empty() && from != to)
    };
    let edits: Vec<&str> = text.split('+').collect();
    if edits.len() <= 2 && edits.iter().all(|edit| is_edit(edit)) {
        return Ok(text.to_owned());
    }
    Err(format!(
        "{text:?} is no key; expected a pattern as `diglot keys` lists it, such as path:en:fr or file:{NULL}:fr"
    ))
}

/// A pattern in the other direction.
pub(super) fn turned(pattern: &str) -> String {
    let turn = |edit: &str| match edit.split(':').collect::<Vec<_>>()[..] {
        [field, from, to] => format!("{field}:{to}:{from}"),
        _ => edit.to_owned(),
    };
    pattern.split('+').map(turn).collect::<Vec<_>>().join("+")
}

/// A hash of corrections, whatever their order; 0 for none.
pub(super) fn hash_of<'c>(corrections: impl Iterator<Item = &'c Correction>) -> u64 {
    let hashes = corrections.map(|one| xxh3_64(one.to_string().as_bytes()));
    hashes.reduce(u64::wrapping_add).map_or(0, |sum| sum | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (kind, first, second) in [
            ("pin", "http://x.org/a", "https://x.org/b"),
            ("forbid", "x.org/b", "x.org/a"),
            ("language", "x.org/docs/*", "fr"),
            ("language", "x.org", "zh"),
            ("language", "http://x.org/fr/", "fr"),
            ("language", "http://x.org/fr/*#", "fr"),
            ("language", "http://x.org/", "pt-BR"),
            ("name-key", "path:en:fr+file:(null):fr", "x.org"),
            ("forbid-key", "path:en:fr", ""),
            ("together", "www.x.org", "y.com"),
        ] {
            let read = Correction::parse(kind, first, second).expect(first);
            let [one, other] = read.fields();
            assert_eq!(Correction::parse(read.kind(), &one, &other), Ok(read.clone()));
            assert_eq!(read.kind(), kind);
        }
    }

    #[test]
    fn what_makes_no_sense_says_what_was_expected() {
        for (kind, first, second, expected) in [
            ("pin", "x.org/a", "http://x.org/a#top", "expected two"),
            ("pin", "ftp://x.org/b", "x.org/a", "expected the http"),
            ("language", "*", "fr", "a page, a folder or a host"),
            ("language", "x.org", "french?", "a code such as"),
            ("language", "x.org", "xx", "a code such as"),
            ("name-key", "path:en", "", "as `diglot keys` lists it"),
            ("together", "x.org", "fr.x.org", "expected two"),
            ("together", "x.org/a", "y.org", "is no domain"),
            ("pinn", "", "", "expected one of pin"),
        ] {
            let problem = Correction::parse(kind, first, second).expect_err(first);
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn a_place_is_a_host_a_folder_or_a_page() {
        let place = |text: &str| Place::parse(text).expect("a place");
        assert!(place("x.org").covers("fr.x.org/a") && place("x.org").covers("x.org/"));
        assert!(!place("fr.x.org").covers("x.org/a") && !place("x.org").covers("xx.org/a"));
        assert!(place("http://x.org/docs/*").covers("x.org/docs/") && !place("x.org/docs/*").covers("x.org/docs"));
        assert_eq!(place("https://x.org/fr/"), Place::Page("x.org/fr/".to_owned()));
        for page in ["x.org/", "x.org/*", "x.org/a?b=/*"].map(|page| Place::Page(page.to_owned())) {
            assert_eq!(place(&page.to_string()), page);
        }
        assert!(place("x.org/a/b/*").narrowness() > place("x.org/a/*").narrowness());
    }

    #[test]
    fn contradictions_are_seen_in_either_direction() {
        let of = |kind, a, b| Correction::parse(kind, a, b).expect("a correction");
        let pin = of("pin", "x.org/a", "x.org/b");
        assert_eq!(pin.subject(), of("forbid", "x.org/b", "x.org/a").subject());
        let key = of("name-key", "path:en:fr", "x.org");
        assert_eq!(key.subject(), of("forbid-key", "path:fr:en", "x.org").subject());
        assert_ne!(key.subject(), of("forbid-key", "path:fr:en", "x.org/a/*").subject());
    }
}
