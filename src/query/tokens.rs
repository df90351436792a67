//! Finds hosts by tokens in their URLs.

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::sides::Sides;
use crate::site::hosts::{HostLine, hosts_of};
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::store::tokens::token_hash;
use crate::text::tokens::Anatomy;
use crate::types::host_of;

/// The hosts of a scope that have a text in the URL of a page, as a token, a run of tokens or a whole segment; by name. The token index
/// tells which sites need not be searched. While it cannot be asked, for example beside a run, all sites are searched, and the answer is
/// the same.
///
/// # Errors
/// When the store cannot be read.
pub fn hosts_with_token(store: &Store, scope: &Scope, text: &str) -> Result<Vec<HostLine>> {
    let is_kept = Sides::keeps(text, token_hash);
    let known = if is_kept { store.ask_tokens(&[text, Sides::NOT_ALL])? } else { None };
    let (mut lines, mut anatomy) = (Vec::new(), Anatomy::default());
    for id in sites(store, scope)? {
        if known.as_ref().is_some_and(|known| !known.contains(id.0)) {
            continue;
        }
        let pages = store.site_pages(&store.site(id)?.unwrap_or_default())?;
        let mut found: FxHashSet<&str> = FxHashSet::default();
        for page in 0..pages.count() {
            let identity = pages.identity(page);
            let host = host_of(identity);
            if scope.has_host(host) && !found.contains(host) && has(&mut anatomy, identity, text) {
                found.insert(host);
            }
        }
        if !found.is_empty() {
            lines.extend(hosts_of(store, id, |host| found.contains(host))?);
        }
    }
    lines.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(lines)
}

/// True when a URL without scheme has a text as a token, a run of tokens or a whole segment.
fn has(anatomy: &mut Anatomy, identity: &str, text: &str) -> bool {
    if !identity.contains(text) || !anatomy.read(identity, Default::default()) {
        return false;
    }
    let mut segments = anatomy.segments().iter();
    segments.any(|segment| anatomy.spans(segment, usize::MAX).any(|span| anatomy.text(span) == text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_as_tokens_and_not_as_a_part_of_one() {
        let mut anatomy = Anatomy::default();
        for (url, text, expected) in [
            ("ex.org/fr/a.html", "fr", true),
            ("fr.ex.org/a.html", "fr", true),
            ("ex.org/africa", "fr", false),
            ("ex.org/en-us/a", "en-us", true),
            ("ex.org/en-us-x/a", "en-us", true),
            ("ex.org/a?lang=fr", "fr", true),
            ("ex.org/fr/a", "fr/a", false),
        ] {
            assert_eq!(has(&mut anatomy, url, text), expected, "{url} {text}");
        }
    }

    #[test]
    fn what_the_index_keeps_of_a_url_is_what_is_found_in_it() {
        let urls = ["a.test/a-b-c-d-e", "a.test/a-b-c-d-e-f/x", "fr.a.co.uk/-fr-", "a.test/x?a=en-us&b=a.b&c=a-b-c-d"];
        let texts = ["a-b-c-d-e", "a-b-c-d", "b-c-d-e-f", "-fr-", "fr", "co.uk", "en-us", "a.b", "b=a.b", "test"];
        let mut anatomy = Anatomy::default();
        let kept: Vec<&str> = texts.into_iter().filter(|text| Sides::keeps(text, token_hash)).collect();
        assert_eq!(kept, ["a-b-c-d", "fr", "co.uk", "en-us", "a.b", "b=a.b", "test"]);
        for url in urls {
            let mut sides = Sides::new(1, token_hash);
            sides.add(url);
            for text in &kept {
                let is_kept = sides.hashes.contains(&token_hash(text));
                assert_eq!(has(&mut anatomy, url, text), is_kept, "{url} {text}");
            }
        }
    }
}
