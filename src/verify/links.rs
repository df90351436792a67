//! What two pages say of each other: declared translations and direct links.

use super::profile::Profile;

/// 1 when one of two pages declares the other its version in that one's language (`hreflang`).
///
/// 0.5 when one declares it and the other declares another page; 0 when what is declared is another page. `None` when
/// neither declares a version in the other's language.
pub fn hreflang(a: &Profile, b: &Profile) -> Option<f64> {
    match (declares(a, b), declares(b, a)) {
        (None, None) => None,
        (Some(true), Some(false)) | (Some(false), Some(true)) => Some(0.5),
        (forth, back) => Some(if forth == Some(true) || back == Some(true) { 1.0 } else { 0.0 }),
    }
}

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
            (page(fr, 2, &[], &[]), Some(1.0)),
            (page(fr, 2, &[(1, Lang::EN)], &[]), Some(1.0)),
            (page(fr, 2, &[(7, Lang::EN)], &[]), Some(0.5)),
            (page(fr, 3, &[], &[]), Some(0.0)),
            (page(Lang::ZH_HANS, 9, &[], &[]), Some(1.0)),
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
