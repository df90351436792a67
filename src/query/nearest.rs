//! Suggests what to ask for, where the store does not have the requested page.

use std::fmt;

use strsim::osa_distance;

use crate::error::Result;
use crate::index::site::Urls;
use crate::site::results::Site;
use crate::site::scope::{NOT_INDEXED, REMOVED, Scope, is_indexed};
use crate::store::Store;
use crate::types::{CanonicalUrl, host_of};

/// The nearest thing to a URL that the store has, if it does not have the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nearest {
    /// A page, by its URL without a scheme.
    Page(String),
    /// The requested host, which has pages, but not this one.
    Host(String),
    /// Other hosts of the registrable domain.
    Domain(String),
    /// Nothing: the store does not have the domain.
    Nothing,
    /// Nothing yet: some of what was read is not indexed.
    NotIndexed,
    /// Nothing is looked for: the user has removed the URL, its host or its domain.
    Removed,
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nearest::Page(url) => write!(f, "the store has no such page; the nearest URL it has is {url}"),
            Nearest::Host(host) => write!(
                f,
                "the store has pages of this host, and not that one; `diglot hosts {host}` counts them, `diglot pairs {host}` lists \
                 their pairs"
            ),
            Nearest::Domain(domain) => {
                write!(f, "the store has no page of this host; `diglot hosts {domain}` lists its sister hosts")
            }
            Nearest::NotIndexed => f.write_str(NOT_INDEXED),
            Nearest::Removed => f.write_str(REMOVED),
            Nearest::Nothing => f.write_str("the store has no page of this host; `diglot hosts` lists those it has"),
        }
    }
}

/// Finds the nearest thing that the store has to a URL it does not have.
///
/// # Errors
/// When the store cannot be read.
pub fn nearest(store: &Store, url: &CanonicalUrl) -> Result<Nearest> {
    if store.removed().has(url.identity()) {
        return Ok(Nearest::Removed);
    }
    let host = url.host();
    let is_host_known = Scope::of_host(store, host)?.is_some();
    if is_host_known && url.identity().trim_end_matches('/') == host {
        return Ok(Nearest::Host(host.to_owned()));
    }
    let mut search = Search::for_text(url.identity());
    if is_host_known {
        look_around(store, url, &mut search)?;
    }
    Ok(match search.found {
        Some((found, _)) => Nearest::Page(found),
        None if !is_indexed(store)? => Nearest::NotIndexed,
        None if is_host_known => Nearest::Host(host.to_owned()),
        None if Scope::of_host(store, &url.domain())?.is_some() => Nearest::Domain(url.domain().into_owned()),
        None => Nearest::Nothing,
    })
}

/// Compares the URLs of the pages on the host of `url`, beginning with those that sort near it, until the budget of work is used up.
fn look_around(store: &Store, url: &CanonicalUrl, search: &mut Search<'_>) -> Result<()> {
    let Some(id) = store.site_of_domain(&url.domain())? else { return Ok(()) };
    let site = Site::open(store, id)?;
    let count = site.pages.count();
    let first = site.pages.first_from(url.identity());
    let (mut before, mut after) = (first, first);
    while search.work > 0 && (before > 0 || after < count) {
        let around = [before.checked_sub(1), (after < count).then_some(after)];
        for page in around.into_iter().flatten() {
            let identity = site.pages.identity(page);
            if host_of(identity) == url.host() {
                search.look_at(identity);
            }
        }
        (before, after) = (before.saturating_sub(1), (after + 1).min(count));
    }
    Ok(())
}

/// How many pairs of letters are compared at most, so that a mistyped URL is answered at once.
const WORK: u64 = 20_000_000;

/// The nearest text so far, and its edit distance (insertions, deletions, substitutions, swaps).
struct Search<'t> {
    to: &'t str,
    found: Option<(String, usize)>,
    /// The unused part of [`WORK`].
    work: u64,
}

impl Search<'_> {
    fn for_text(text: &str) -> Search<'_> {
        Search { to: text, found: None, work: WORK }
    }

    /// Compares another text, unless its length alone shows that it is farther away.
    fn look_at(&mut self, text: &str) {
        let best = self.found.as_ref().map_or(usize::MAX, |(_, best)| *best);
        let (a, b) = without_common_ends(self.to, text);
        self.work = self.work.saturating_sub(text.len() as u64);
        // Each letter by which the lengths differ is one more edit; a letter has up to four bytes.
        if a.len().abs_diff(b.len()) / 4 >= best {
            return;
        }
        let cells = (a.len() as u64).saturating_mul(b.len() as u64);
        if cells > self.work {
            return;
        }
        self.work -= cells;
        let distance = osa_distance(a, b);
        if distance < best {
            self.found = Some((text.to_owned(), distance));
        }
    }
}

/// Two texts without their common beginning and end, which is most of two URLs of one host.
fn without_common_ends<'t>(a: &'t str, b: &'t str) -> (&'t str, &'t str) {
    let common: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let (a, b) = (&a[common..], &b[common..]);
    let common: usize =
        a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    (&a[..a.len() - common], &b[..b.len() - common])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_the_one_with_the_fewest_changes_and_of_equals_the_first() {
        let mut nearest = Search::for_text("ex.org/en/abuot.html");
        for text in
            ["ex.org/", "ex.org/en/index.html", "ex.org/en/about.html", "ex.org/fr/about.html", "ex.org/en/abut.html"]
        {
            nearest.look_at(text);
        }
        assert_eq!(nearest.found, Some(("ex.org/en/about.html".to_owned(), 1)));
    }

    #[test]
    fn long_texts_end_the_work_and_not_the_answer() {
        let long = |c: &str| format!("ex.org/{}", c.repeat(3_000));
        let asked = long("a");
        let mut nearest = Search::for_text(&asked);
        for c in ["b", "c", "d", "e"] {
            nearest.look_at(&long(c));
        }
        assert!(nearest.work < 3_000 * 3_000);
        assert_eq!(nearest.found, Some((long("b"), 3_000)));
        // Comparisons that cost almost nothing are still made.
        nearest.look_at(&format!("{asked}x"));
        assert_eq!(nearest.found.map(|found| found.1), Some(1));
    }

    #[test]
    fn what_is_common_does_not_count() {
        assert_eq!(without_common_ends("aa/x/bb", "aa/yy/bb"), ("x", "yy"));
        assert_eq!(without_common_ends("aaa", "aa"), ("a", ""));
        assert_eq!(without_common_ends("é", "è"), ("é", "è"));
    }
}
