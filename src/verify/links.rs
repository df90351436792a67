//! What two pages say about each other: declared translations and direct links.

use super::profile::Profile;

/// How far two pages declare each other as versions in the other's language (`hreflang`).
///
/// 1 when each names the other; [`ONE_WAY`] when one names the other, which names none; [`CONTRADICTED`] when the other names a third page;
/// 0 when only other pages are named. `None` when neither names a version in the other's language.
pub fn hreflang(a: &Profile, b: &Profile) -> Option<f64> {
    match (declares(a, b), declares(b, a)) {
        (None, None) => None,
        (Some(true), Some(true)) => Some(1.0),
        (Some(true), None) | (None, Some(true)) => Some(ONE_WAY),
        (Some(true), Some(false)) | (Some(false), Some(true)) => Some(CONTRADICTED),
        (None | Some(false), None | Some(false)) => Some(0.0),
    }
}

/// The value when one page names the other and the other names none: three quarters of a mutual declaration (an estimate; search engines
/// ignore it altogether).
const ONE_WAY: f64 = 0.75;
/// The value when one page names the other, which names a third page: less than if nothing were declared (an estimate).
const CONTRADICTED: f64 = 0.25;

/// Whether the version that `page` declares in the language of `other` is `other`; `None` when it declares none.
fn declares(page: &Profile, other: &Profile) -> Option<bool> {
    let mut versions = page.alternates.iter().filter(|(_, lang)| lang.agrees(other.lang)).peekable();
    versions.peek()?;
    Some(versions.any(|(identity, _)| *identity == other.identity))
}

/// 1 when each of two pages links to the other, 0.5 when one does, 0 when none does. `None` when neither has links.
pub fn direct(a: &Profile, b: &Profile) -> Option<f64> {
    if a.links.is_empty() && b.links.is_empty() {
        return None;
    }
    let leads = |from: &Profile, to: &Profile| f64::from(u8::from(from.links.binary_search(&to.identity).is_ok()));
    Some((leads(a, b) + leads(b, a)) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;

    fn page(lang: Lang, identity: u64, alternates: &[(u64, Lang)], links: &[u64]) -> Profile {
        Profile { lang, identity, alternates: alternates.to_vec(), links: links.to_vec(), ..Profile::default() }
    }

    #[test]
    fn a_declared_version_counts_for_its_language_only() {
        let fr = Lang::parse("fr").expect("a tag");
        let en = page(Lang::EN, 1, &[(2, fr), (9, Lang::ZH)], &[]);
        for (other, expected) in [
            (page(fr, 2, &[], &[]), Some(ONE_WAY)),
            (page(fr, 2, &[(1, Lang::EN)], &[]), Some(1.0)),
            (page(fr, 2, &[(7, Lang::EN)], &[]), Some(CONTRADICTED)),
            (page(fr, 3, &[(7, Lang::EN)], &[]), Some(0.0)),
            (page(fr, 3, &[(1, Lang::EN)], &[]), Some(CONTRADICTED)),
            (page(fr, 3, &[], &[]), Some(0.0)),
            (page(Lang::ZH_HANS, 9, &[], &[]), Some(ONE_WAY)),
            (page(Lang::parse("de").expect("a tag"), 2, &[], &[]), None),
        ] {
            assert_eq!(hreflang(&en, &other), expected, "{other:?}");
            assert_eq!(hreflang(&other, &en), expected, "{other:?}");
        }
    }

    #[test]
    fn links_count_either_way() {
        let (a, b, c) = (page(Lang::EN, 1, &[], &[2, 5]), page(Lang::ZH, 2, &[], &[1]), page(Lang::ZH, 5, &[], &[]));
        assert_eq!(direct(&a, &b), Some(1.0));
        assert_eq!(direct(&a, &c), Some(0.5));
        assert_eq!(direct(&b, &c), Some(0.0));
        assert_eq!(direct(&c, &c), None);
    }
}
