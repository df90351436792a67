//! Everything that can be proposed without comparing pages.

use super::hreflang::of_hreflang;
use super::keys::{of_keys, of_weak_keys};
use super::links::of_mutual_links;
use super::partners::Partners;
use crate::judge::unique;
use crate::keys::KnownKeys;
use crate::types::Candidate;
use crate::verify::SiteView;

/// All that URLs, declarations and language bars propose; without `known` keys, URLs propose nothing.
pub fn direct(site: &SiteView<'_>, known: Option<&KnownKeys>) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some(known) = known {
        found = of_keys(site, known);
        let paired = Partners::of(found.iter().map(|candidate| candidate.pair));
        found.extend(of_weak_keys(site, known, &paired));
    }
    found.extend(of_hreflang(site));
    found.extend(of_mutual_links(site));
    unique(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::FoundPair;
    use crate::types::Method;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn what_two_methods_propose_is_one_candidate_of_the_more_trusted() {
        let site = ListedSite::new(&[("a", "en", ""), ("b", "fr", "")]).alternate(0, 1);
        let known = KnownKeys { keys: Vec::new(), pairs: vec![FoundPair { a: 0, b: 1, key: 0 }] };
        let method = |known| direct(&site.view(), known).iter().map(|one| one.method).collect::<Vec<_>>();
        assert_eq!((method(Some(&known)), method(None)), (vec![Method::Key], vec![Method::Hreflang]));
    }
}
