//! Names of saved files → the URLs that were saved under them.

use std::ffi::OsStr;
use std::path::Path;

use url::Url;

use crate::archive::mime::{ending_of, is_page_ending};

/// Endings of host names that no registry knows, but that people use all the same.
const OWN_SUFFIXES: &[&str] = &[
    "test",
    "example",
    "invalid",
    "localhost",
    "local",
    "localdomain",
    "internal",
    "lan",
    "home",
    "intranet",
    "onion",
    "arpa",
];
/// The endings of programs that make pages. A name with such an ending needs no `.html`, so a `.html` behind it was added when the page was
/// saved.
const PROGRAMS: &[&str] = &[
    "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "ashx", "jsp", "jspx", "jsf", "do", "action", "cgi", "pl",
    "py", "rb", "cfm", "cfml", "dll", "exe", "shtml", "shtm", "xhtml", "xhtm", "htm", "html", "xht", "nsf",
];
/// The page that stands for its folder.
const OF_FOLDER: &str = "index.html";
/// The endings that are added on saving.
const ADDED: &[&str] = &[".html", ".htm"];

/// What the paths in a folder stand for.
pub(super) struct Names {
    base: Option<Url>,
    /// The host of which the folder itself has the name.
    host: Option<String>,
}

impl Names {
    /// The names in the folder at `root`, which was saved from `base`, if that is known.
    ///
    /// # Errors
    /// When it is not a URL of a web page.
    pub(super) fn new(root: &Path, base: Option<&str>) -> Result<Names, String> {
        let base = base.map(base_url).transpose()?;
        let host = host_of_folder(root);
        Ok(Names { base, host })
    }

    /// The URL of the file at `path`, parts joined by `/`. `at_is_query` says whether `@` may stand for `?`, as on Windows.
    ///
    /// If the first folder of the path is named like a host, it stands for that host. Otherwise the path is appended to the base, or
    /// belongs to the host after which the root is named.
    pub(super) fn url_of(&self, path: &str, at_is_query: bool) -> Option<String> {
        let rest_of = |path: &str| rest_of(path, at_is_query);
        if let Some((scheme, host, rest)) = on_host(path) {
            let scheme = scheme.or_else(|| self.scheme_of(&host)).unwrap_or("http");
            return Some(format!("{scheme}://{host}/{}", rest_of(rest)));
        }
        if let Some(base) = &self.base {
            return Some(format!("{base}{}", rest_of(path)));
        }
        let host = self.host.as_ref()?;
        Some(format!("http://{host}/{}", rest_of(path)))
    }

    /// The host after which the root is named, if the root stands for it.
    pub(super) fn host_of_root(&self) -> Option<&str> {
        self.host.as_deref().filter(|_| self.base.is_none())
    }

    /// True if the first folder of a path is named like a host.
    pub(super) fn is_of_host(&self, path: &str) -> bool {
        on_host(path).is_some()
    }

    /// True if another base would give a path another URL.
    pub(super) fn follows_from_base(&self, path: &str) -> bool {
        match on_host(path) {
            Some((scheme, host, _)) => scheme.is_none() && self.scheme_of(&host).is_some_and(|scheme| scheme != "http"),
            None => self.base.is_some(),
        }
    }

    fn scheme_of(&self, host: &str) -> Option<&str> {
        let base = self.base.as_ref()?;
        (base.host_str() == host.split(':').next()).then(|| base.scheme())
    }
}

/// The host of which a folder has the name.
pub(super) fn host_of_folder(path: &Path) -> Option<String> {
    let full = path.canonicalize().ok()?;
    full.file_name().and_then(OsStr::to_str).and_then(host_of)
}

/// Scheme, host and the rest of a path whose first folder is named like a host. A folder above it may be named after the scheme.
fn on_host(path: &str) -> Option<(Option<&str>, String, &str)> {
    let (scheme, inner) = match path.split_once('/') {
        Some((scheme @ ("http" | "https"), inner)) => (Some(scheme), inner),
        _ => (None, path),
    };
    let (first, rest) = inner.split_once('/')?;
    Some((scheme, host_of(first)?, rest))
}

/// A base to which paths can be appended: it ends with a slash, and has neither query nor fragment.
pub(in crate::archive) fn base_url(text: &str) -> Result<Url, String> {
    let expected = || format!("{text:?} is not the address of a web page, expected one such as https://example.org/");
    let mut base = Url::parse(text).map_err(|_| expected())?;
    if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
        return Err(expected());
    }
    base.set_query(None);
    base.set_fragment(None);
    if !base.path().ends_with('/') {
        // The last part of the base is dropped where it names a page, and kept where it names a folder.
        let last = base.path().rsplit('/').next().unwrap_or_default().to_owned();
        let path = base.path().to_owned();
        let ending = ending_of(&last);
        let folder = if is_page_ending(&ending) || is_program(&ending) {
            path[..path.len() - last.len()].to_owned()
        } else {
            path + "/"
        };
        base.set_path(&folder);
    }
    Ok(base)
}

/// The host, with its port, after which a folder is named: `example.org`, `example.org:8080`, `example.org+8080`.
pub(in crate::archive) fn host_of(name: &str) -> Option<String> {
    let (host, port) = match name.split_once([':', '+']) {
        Some((host, port)) => (host, Some(port.parse::<u16>().ok()?)),
        None => (name, None),
    };
    let host = host.to_lowercase();
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        !label.is_empty() && label.len() <= 63 && label.chars().all(is_letter) && !label.starts_with('-')
    };
    if host.len() > 253 || !labels.iter().all(is_label) {
        return None;
    }
    let is_address = labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    let last = labels.last().copied().unwrap_or_default();
    let is_suffix =
        OWN_SUFFIXES.contains(&last) || psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known());
    let is_name = host == "localhost" || (labels.len() > 1 && is_suffix);
    (is_address || is_name).then(|| port.map_or(host.clone(), |port| format!("{host}:{port}")))
}

/// Path and query, escaped, of the page that was saved as `path` on its host.
fn rest_of(path: &str, at_is_query: bool) -> String {
    let (folders, file) = path.rsplit_once('/').map_or(("", path), |(folders, file)| (folders, file));
    let query_at = file.find('?').or_else(|| {
        let at = file.find('@').filter(|_| at_is_query)?;
        file[at..].contains('=').then_some(at)
    });
    let (name, query) = query_at.map_or((file, None), |at| (&file[..at], Some(&file[at + 1..])));
    let (name, query) = match query {
        Some(query) => (name, Some(without_added(query).unwrap_or(query))),
        None => (without_added(name).filter(|bare| is_program(&ending_of(bare))).unwrap_or(name), None),
    };
    let name = if name == OF_FOLDER { "" } else { name };
    let mut rest = String::with_capacity(path.len() + 8);
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        escape(folder, &mut rest);
        rest.push('/');
    }
    escape(name, &mut rest);
    if let Some(query) = query {
        rest.push('?');
        escape(query, &mut rest);
    }
    rest
}

fn without_added(name: &str) -> Option<&str> {
    ADDED.iter().find_map(|added| name.strip_suffix(added)).filter(|name| !name.is_empty())
}

/// True for an ending that is that of a page by itself, without `.html`.
pub(super) fn is_program(ending: &str) -> bool {
    PROGRAMS.contains(&ending)
}

/// Appends a part of a path or query. Escapes in a name were made when the page was saved, since the file system does not allow those
/// characters, so they stay.
fn escape(part: &str, url: &mut String) {
    let bytes = part.as_bytes();
    for (at, c) in part.char_indices() {
        let is_escape = || bytes.get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
        match c {
            '%' if !is_escape() => url.push_str("%25"),
            '#' => url.push_str("%23"),
            '?' => url.push_str("%3F"),
            ' ' => url.push_str("%20"),
            c => url.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> String {
        let names = Names { base: None, host: None };
        names.url_of(path, false).unwrap_or_default()
    }

    #[test]
    fn folders_of_hosts_are_told_from_others() {
        for (name, host) in [
            ("example.org", "example.org"),
            ("WWW.Example.co.uk:8080", "www.example.co.uk:8080"),
            ("guide.site.test+81", "guide.site.test:81"),
            ("127.0.0.1", "127.0.0.1"),
            ("localhost:8000", "localhost:8000"),
            ("bücher.de", "bücher.de"),
        ] {
            assert_eq!(host_of(name).as_deref(), Some(host), "{name}");
        }
        for name in
            ["en", "v1.2", "page_files", "", ".", "..", ".org", "a..org", "site.old", "a b.org", "x.org:y", "1.2.3.4.5"]
        {
            assert_eq!(host_of(name), None, "{name}");
        }
    }

    #[test]
    fn names_become_the_urls_that_were_saved() {
        for (path, expected) in [
            ("ex.org/index.html", "http://ex.org/"),
            ("ex.org/fr/index.html", "http://ex.org/fr/"),
            ("ex.org/fr/a b.html", "http://ex.org/fr/a%20b.html"),
            ("ex.org/a.html?x=1", "http://ex.org/a.html?x=1"),
            ("ex.org/a?x=1&y=%2F.html", "http://ex.org/a?x=1&y=%2F"),
            ("ex.org/index.html?x=1.html", "http://ex.org/?x=1"),
            ("ex.org/a.php.html", "http://ex.org/a.php"),
            ("ex.org/a.html.html", "http://ex.org/a.html"),
            ("ex.org/about.html", "http://ex.org/about.html"),
            ("ex.org/index.de.html", "http://ex.org/index.de.html"),
            ("ex.org/100%#.html", "http://ex.org/100%25%23.html"),
            ("https/ex.org/a/b", "https://ex.org/a/b"),
            ("ex.org:8080/a@x=1", "http://ex.org:8080/a@x=1"),
            ("en/a.html", ""),
            ("ex.org", ""),
        ] {
            assert_eq!(url(path), expected, "{path}");
        }
        let names = Names { base: None, host: None };
        for (path, expected) in [
            ("ex.org+80/a.php@x=1&y=2.html", "http://ex.org:80/a.php?x=1&y=2"),
            ("ex.org/me@work.html", "http://ex.org/me@work.html"),
        ] {
            assert_eq!(names.url_of(path, true).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn other_paths_are_below_the_base_or_on_the_host_of_the_root() {
        let of = |base: &str| Names { base: base_url(base).ok(), host: Some("root.org".to_owned()) };
        assert_eq!(
            of("https://ex.org/docs").url_of("en/a.html", false).as_deref(),
            Some("https://ex.org/docs/en/a.html")
        );
        assert_eq!(of("https://ex.org/docs/i.html?x#y").url_of("a", false).as_deref(), Some("https://ex.org/docs/a"));
        assert_eq!(of("https://ex.org/docs/v1.2").url_of("a", false).as_deref(), Some("https://ex.org/docs/v1.2/a"));
        assert_eq!(of("https://ex.org/docs/i.php").url_of("a", false).as_deref(), Some("https://ex.org/docs/a"));
        assert_eq!(of("").url_of("index.html", false).as_deref(), Some("http://root.org/"));
        assert_eq!(of("https://ex.org").url_of("ex.org/a", false).as_deref(), Some("https://ex.org/a"));
        assert_eq!(of("https://ex.org").url_of("fr.org/a", false).as_deref(), Some("http://fr.org/a"));
        for (path, follows) in [("a", true), ("ex.org/a", true), ("http/ex.org/a", false), ("fr.org/a", false)] {
            assert_eq!(of("https://ex.org").follows_from_base(path), follows, "{path}");
            assert!(!of("").follows_from_base(path), "{path}");
        }
        for wrong in ["", "ex.org", "file:///a", "mailto:x", "http://"] {
            assert!(base_url(wrong).is_err(), "{wrong}");
        }
    }
}
