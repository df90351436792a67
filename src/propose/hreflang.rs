//! Pairs that pages declare by `hreflang`.

use crate::types::{Candidate, Lang, Method};
use crate::verify::SiteView;

/// The pairs that pages declare by `hreflang`, as far as the declared language agrees with that of the other page. A pair that both pages
/// declare is returned twice.
pub fn of_hreflang(site: &SiteView<'_>) -> Vec<Candidate> {
    declared(site, Method::Hreflang, |page, each| site.for_each_version(page, each))
}

/// The pairs of pages and the versions that are declared of them, as far as the declared language agrees with that of the version.
pub fn declared(
    site: &SiteView<'_>,
    method: Method,
    for_each_version: impl Fn(u32, &mut dyn FnMut(u32, Lang)),
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for page in 0..site.pages().count() {
        for_each_version(page, &mut |other, lang| {
            if lang.agrees(site.langs[other as usize])
                && let Some(pair) = site.ordered(page, other)
            {
                found.push(Candidate { pair, method, key: None });
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn declared_versions_are_proposed_where_the_language_is_the_declared_one() {
        let pages = [("x.org/a", "en", ""), ("x.org/b", "fr", ""), ("x.org/c", "en", "")];
        let site = ListedSite::new(&pages).alternate(1, 0).alternate(0, 2);
        let view = site.view();
        let found = of_hreflang(&view);
        // Page 2 is in the language of page 0.
        assert_eq!(found.iter().map(|one| (one.pair.a, one.pair.b)).collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!((found[0].method, found[0].key), (Method::Hreflang, None));
        assert!(view.declared_otherwise(view.ordered(2, 1).expect("two languages")));
        assert!(!view.declared_otherwise(found[0].pair));
    }
}
