//! The measure that the languages of two pages differ (Tomás et al. 2008, §2.2, second filter).

use super::profile::Profile;

/// 1 when the languages of two pages differ, 0 when they may be the same. `None` when either is unknown.
pub fn similarity(a: &Profile, b: &Profile) -> Option<f64> {
    (a.lang.is_known() && b.lang.is_known()).then(|| f64::from(u8::from(!a.lang.agrees(b.lang))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;

    #[test]
    fn languages_that_can_be_one_do_not_differ() {
        let page = |lang| Profile { lang, ..Profile::default() };
        assert_eq!(similarity(&page(Lang::EN), &page(Lang::ZH)), Some(1.0));
        assert_eq!(similarity(&page(Lang::ZH_HANS), &page(Lang::ZH)), Some(0.0));
        assert_eq!(similarity(&page(Lang::ZH_HANS), &page(Lang::ZH_HANT)), Some(1.0));
        assert_eq!(similarity(&page(Lang::EN), &page(Lang::UNKNOWN)), None);
    }
}
