//! Pairs that sitemaps declare.

use super::hreflang::declared;
use crate::types::{Candidate, Method};
use crate::verify::SiteView;

/// The pairs that the sitemaps of the site declare, as far as the language that a sitemap gives for a page agrees with that of the page. A
/// pair may be returned twice.
pub fn of_sitemaps(site: &SiteView<'_>) -> Vec<Candidate> {
    declared(site, Method::Sitemap, |page, each| site.links().for_each_listed(page, each))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn listed_versions_are_proposed_where_the_language_is_the_listed_one() {
        let pages = [("x.org/a", "en", ""), ("x.org/b", "fr", ""), ("x.org/c", "de", ""), ("x.org/d", "fr", "")];
        let fr = Lang::parse("fr").expect("a tag");
        let site = ListedSite::new(&pages).listed(0, 1, fr).listed(0, 2, fr).listed(1, 3, fr);
        let found = of_sitemaps(&site.view());
        assert_eq!(found.iter().map(|one| (one.pair.a, one.pair.b)).collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!((found[0].method, found[0].key), (Method::Sitemap, None));
    }
}
