//! What to ask instead, where the store has not the page that is asked for.

use strsim::osa_distance;

use super::scope::Scope;
use super::site::Site;
use crate::error::Result;
use crate::index::site::Urls;
use crate::store::Store;
use crate::types::{CanonicalUrl, host_of};

/// What the store has that is nearest to a URL which it has not, a page or a host, as a sentence.
///
/// # Errors
/// When the store cannot be read.
pub fn nearest(store: &Store, url: &CanonicalUrl) -> Result<String> {
    let (host, mut nearest) = (url.host(), Nearest::to(url.identity()));
    let is_host_known = for_each_near(store, url, |identity| nearest.look_at(identity))?.is_some();
    let is_host_asked = url.identity().trim_end_matches('/') == host;
    Ok(match nearest.found {
        _ if is_host_known && is_host_asked => format!(
            "the store has pages of this host, and not that one; `diglot hosts {host}` counts them, `diglot pairs {host}` lists their pairs"
        ),
        Some((found, _)) => format!("the store has no such page; the nearest URL it has is {found}"),
        None if Scope::of(store, &url.domain()).is_ok() => {
            format!("the store has no page of this host; `diglot hosts {}` lists its sister hosts", url.domain())
        }
        None => "the store has no page of this host; `diglot hosts` lists those it has".to_owned(),
    })
}

/// Pages of a site that are looked at, at the most: a mistyped URL is to be answered at once.
const MAX_PAGES: u32 = 200_000;

/// Calls `each` with the URLs of the pages on the host of `url`, without their schemes: all of them, or those that sort near it.
/// `None` where the store has no page of that host.
///
/// # Errors
/// When the store cannot be read.
fn for_each_near(store: &Store, url: &CanonicalUrl, mut each: impl FnMut(&str)) -> Result<Option<Scope>> {
    let Ok(scope) = Scope::of(store, url.host()) else { return Ok(None) };
    let Some(id) = store.site_of_domain(&url.domain())? else { return Ok(None) };
    let site = Site::open(store, id)?;
    let count = site.pages.count();
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if site.pages.identity(middle) < url.identity() { low = middle + 1 } else { high = middle }
    }
    let first = low.saturating_sub(MAX_PAGES / 2);
    for page in first..count.min(first.saturating_add(MAX_PAGES)) {
        let identity = site.pages.identity(page);
        if host_of(identity) == url.host() {
            each(identity);
        }
    }
    Ok(Some(scope))
}

/// The nearest text so far, and how many letters are to be put in, taken out, changed or swapped.
struct Nearest<'t> {
    to: &'t str,
    found: Option<(String, usize)>,
}

impl Nearest<'_> {
    fn to(text: &str) -> Nearest<'_> {
        Nearest { to: text, found: None }
    }

    /// Compares another text, unless its length alone puts it behind.
    fn look_at(&mut self, text: &str) {
        let best = self.found.as_ref().map_or(usize::MAX, |(_, best)| *best);
        if text.len().abs_diff(self.to.len()) >= best {
            return;
        }
        let (a, b) = without_common_ends(self.to, text);
        let distance = osa_distance(a, b);
        if distance < best {
            self.found = Some((text.to_owned(), distance));
        }
    }
}

/// Two texts without what both begin with and what both end with: of URLs of one host, most of it.
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
        let mut nearest = Nearest::to("ex.org/en/abuot.html");
        for text in
            ["ex.org/", "ex.org/en/index.html", "ex.org/en/about.html", "ex.org/fr/about.html", "ex.org/en/abut.html"]
        {
            nearest.look_at(text);
        }
        assert_eq!(nearest.found, Some(("ex.org/en/about.html".to_owned(), 1)));
    }

    #[test]
    fn what_is_common_does_not_count() {
        assert_eq!(without_common_ends("aa/x/bb", "aa/yy/bb"), ("x", "yy"));
        assert_eq!(without_common_ends("aaa", "aa"), ("a", ""));
        assert_eq!(without_common_ends("é", "è"), ("é", "è"));
    }
}
