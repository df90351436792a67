//! Finds the addresses that the entries of a ZIM have, from what its metadata says about the site that it was made from.

use url::Url;

use crate::archive::pages::names::{base_url, host_of};
use crate::types::Lang;

/// Projects of Wikimedia, which have their articles below `/wiki/`.
const PROJECTS: &[&str] =
    &["wikipedia", "wiktionary", "wikibooks", "wikinews", "wikiquote", "wikisource", "wikiversity", "wikivoyage"];
/// Programs that keep the host of a page in its path.
const WITH_HOSTS: &[&str] = &["warc2zim", "zimit"];

/// Metadata of a ZIM, empty where it has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Metadata {
    pub(super) source: String,
    pub(super) name: String,
    pub(super) scraper: String,
    pub(super) language: String,
    pub(super) date: String,
}

impl Metadata {
    /// The language of all pages, if there is but one.
    pub(super) fn language(&self) -> Lang {
        // A program that crawls any site is told its language by whoever starts it, or is not told any, so this language is not believed.
        let language = self.language.trim();
        let is_one = !language.is_empty() && !language.contains([',', ';', ' ']);
        if is_one && !self.has_hosts() { Lang::parse(language).unwrap_or_default() } else { Lang::UNKNOWN }
    }

    fn has_hosts(&self) -> bool {
        let scraper = self.scraper.to_ascii_lowercase();
        WITH_HOSTS.iter().any(|program| scraper.contains(program))
    }

    /// The address that `Source` says: a URL, or a host.
    fn of_source(&self) -> Option<Url> {
        let source = self.source.trim();
        base_url(source).ok().or_else(|| {
            let host = host_of(source.trim_end_matches('/'))?;
            base_url(&format!("https://{host}/")).ok()
        })
    }

    /// The address that follows from `Name`: `android.stackexchange.com_en_all`, `wikipedia_fr_football`.
    fn of_name(&self) -> Option<Url> {
        let mut parts = self.name.trim().trim_start_matches("kiwix.").split('_');
        let (project, language) = (parts.next()?, parts.next()?);
        let host = if PROJECTS.contains(&project) { format!("{language}.{project}.org") } else { project.to_owned() };
        base_url(&format!("https://{}/", host_of(&host)?)).ok()
    }
}

/// How paths of entries become addresses.
#[derive(Debug)]
pub(super) struct Addresses {
    /// What paths are appended to.
    base: String,
    /// The scheme of pages whose paths begin with their hosts.
    scheme: Option<String>,
    /// True where the addresses follow from the base URL that the user gave.
    pub(super) is_given: bool,
    /// Why the user's base URL does not count, if it differs from the address that the ZIM says.
    pub(super) not_given: Option<String>,
}

impl Addresses {
    /// The addresses of a ZIM with this metadata. The user's base URL `given` counts where the metadata does not say what site the ZIM was
    /// made from.
    ///
    /// # Errors
    /// When nothing says it, or `given` is not a URL of a web page.
    pub(super) fn new(metadata: &Metadata, given: Option<&str>) -> Result<Addresses, String> {
        let source = metadata.of_source();
        if metadata.has_hosts() {
            let scheme = source.as_ref().map_or("https", |source| source.scheme()).to_owned();
            let not_given = given
                .map(|_| "`--base-url` does not count, for the paths of its pages begin with their hosts".to_owned());
            return Ok(Addresses { base: String::new(), scheme: Some(scheme), is_given: false, not_given });
        }
        let given = given.map(base_url).transpose()?;
        let is_given = source.is_none() && given.is_some();
        // One base URL is given for all inputs, so it must not merge two sites.
        let not_given = source
            .as_ref()
            .filter(|source| given.as_ref().is_some_and(|given| given != *source))
            .map(|source| format!("`--base-url` does not count, for its `Source` says {source}"));
        let Some(mut base) = source.or(given).or_else(|| metadata.of_name()) else {
            return Err(
                "a ZIM that does not say where it comes from: neither its source nor its name is that of a site; \
                 say it, as in `--base-url https://example.org/`"
                    .to_owned(),
            );
        };
        let is_project = |host: &str| {
            let mut labels = host.trim_end_matches(".org").rsplit('.');
            host.ends_with(".org") && labels.next().is_some_and(|project| PROJECTS.contains(&project))
        };
        if !is_given && base.path() == "/" && base.host_str().is_some_and(is_project) {
            base.set_path("/wiki/");
        }
        Ok(Addresses { base: base.into(), scheme: None, is_given, not_given })
    }

    /// The URL of an entry; `None` for an entry that does not belong to the site.
    pub(super) fn url_of(&self, path: &str) -> Option<String> {
        let Some(scheme) = &self.scheme else { return Some(self.base.clone() + &escaped(path)) };
        // Its first versions kept namespaces as folders.
        let path = path.strip_prefix("A/").unwrap_or(path);
        let (host, rest) = path.split_once('/')?;
        let host = host_of(host)?;
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let query = query.map_or(String::new(), |query| format!("?{}", escaped(query)));
        Some(format!("{scheme}://{host}/{}{query}", escaped(rest)))
    }

    /// True where links to other hosts lead to their folders.
    pub(super) fn has_hosts(&self) -> bool {
        self.scheme.is_some()
    }
}

/// Escapes a path or query as in a URL: characters that would end it there, or would be lost.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '%' | '#' | '?' | ' ' | '\\' | '\0'..='\x1f' => escaped.push_str(&format!("%{:02X}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str, name: &str, given: Option<&str>) -> String {
        let metadata = Metadata { source: source.into(), name: name.into(), ..Metadata::default() };
        let addresses = Addresses::new(&metadata, given);
        addresses.map_or_else(|error| error, |addresses| addresses.url_of("a/b").expect("a URL"))
    }

    #[test]
    fn the_source_goes_before_what_is_given_and_that_before_the_name() {
        let given = Some("http://given.test/x/index.html");
        for (source, name, given, url) in [
            ("https://ex.org/docs", "wikipedia_fr_all", given, "https://ex.org/docs/a/b"),
            ("ex.org", "", None, "https://ex.org/a/b"),
            ("fr.wikipedia.org", "", given, "https://fr.wikipedia.org/wiki/a/b"),
            ("https://fr.wikipedia.org/w/", "", None, "https://fr.wikipedia.org/w/a/b"),
            ("a book", "wikipedia_fr_all", given, "http://given.test/x/a/b"),
            ("", "wikipedia_fr_all", None, "https://fr.wikipedia.org/wiki/a/b"),
            ("", "kiwix.wikibooks_be_all", None, "https://be.wikibooks.org/wiki/a/b"),
            ("", "ru.stackoverflow.com_ru_all", None, "https://ru.stackoverflow.com/a/b"),
        ] {
            assert_eq!(of(source, name, given), url);
        }
        let crawl = Metadata { scraper: "zimit".into(), ..Metadata::default() };
        assert!(Addresses::new(&crawl, None).expect("a crawl").not_given.is_none());
        let not_given = Addresses::new(&crawl, given).expect("a crawl").not_given;
        assert!(not_given.is_some_and(|remark| remark.contains("begin with their hosts")));
        assert!(of("", "gutenberg_fr_all", None).contains("--base-url"));
        assert!(of("", "", Some("x")).contains("not the address"));
        assert!(of("", "wikipedia_../x_all", None).contains("--base-url"));
    }

    #[test]
    fn paths_are_escaped_and_those_of_crawls_begin_with_hosts() {
        let metadata = Metadata { source: "http://ex.org".into(), language: "fra".into(), ..Metadata::default() };
        let addresses = Addresses::new(&metadata, None).expect("a source");
        assert_eq!(
            addresses.url_of("\u{e9} 100%? #1\t").as_deref(),
            Some("http://ex.org/\u{e9}%20100%25%3F%20%231%09")
        );
        assert_eq!(metadata.language().as_str(), "fr");
        let crawl = Metadata { scraper: "zimit 2.0,warc2zim 2.0".into(), ..metadata };
        let addresses = Addresses::new(&crawl, None).expect("a crawl");
        assert_eq!(addresses.url_of("fr.ex.org/a b?x=1?2").as_deref(), Some("http://fr.ex.org/a%20b?x=1%3F2"));
        assert_eq!(addresses.url_of("A/fr.ex.org/").as_deref(), Some("http://fr.ex.org/"));
        assert_eq!([addresses.url_of("_zim_static/x"), addresses.url_of("x")], [None, None]);
        assert!(!crawl.language().is_known());
        assert!(!Metadata { language: "fra,eng".into(), ..Metadata::default() }.language().is_known());
    }
}
