//! Ratios of sizes: of files, of numbers of tags, of paragraphs (Tomás et al. 2008, §2.2).

use super::profile::Profile;

/// The similarity of two sizes: 1 − |a − b| / max(a, b), 0..=1. `None` when both are 0.
///
/// By hand: 700 and 1,000 bytes differ by 30 %, so 0.7.
pub fn ratio(a: u32, b: u32) -> Option<f64> {
    let most = a.max(b);
    (most > 0).then(|| 1.0 - f64::from(a.abs_diff(b)) / f64::from(most))
}

/// How much two pages may differ in size: shares of the larger size, 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Limits {
    /// Bytes of the file (Tomás et al., §4: 0.3).
    pub bytes: f64,
    /// Numbers of start tags (Tomás et al., §4: 0.2).
    pub tags: f64,
    /// Numbers of paragraphs (Tomás et al., §4: 0.4).
    pub paragraphs: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 0.3, tags: 0.2, paragraphs: 0.4 }
    }
}

impl Limits {
    /// True when two pages pass the first filter of Tomás et al.: none of the three differs by more than its limit.
    ///
    /// A size that is 0 for both pages (such as no tags at all) does not separate them.
    pub fn allow(&self, a: &Profile, b: &Profile) -> bool {
        let within = |x, y, limit| ratio(x, y).is_none_or(|alike| alike >= 1.0 - limit);
        within(a.body_bytes, b.body_bytes, self.bytes)
            && within(a.tag_count, b.tag_count, self.tags)
            && within(a.paragraphs, b.paragraphs, self.paragraphs)
    }
}

/// The similarity of two lengths of text, when text of the second language is `c` times as long as that of the first (Liu et al. 2014,
/// §3.2: length(E) ≈ C·length(F)), 0..=1. `None` when both are empty.
pub fn text_ratio(a: &Profile, b: &Profile, c: f64) -> Option<f64> {
    let (a, b) = (f64::from(a.text_bytes) * c, f64::from(b.text_bytes));
    let most = a.max(b);
    (most > 0.0).then(|| 1.0 - (a - b).abs() / most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_differ_by_a_share_of_the_larger() {
        assert!((ratio(700, 1000).expect("sizes") - 0.7).abs() < 1e-12);
        assert_eq!(ratio(5, 5), Some(1.0));
        assert_eq!(ratio(0, 9), Some(0.0));
        assert_eq!(ratio(0, 0), None);
    }

    #[test]
    fn each_limit_parts_pages_by_itself() {
        let page =
            |body_bytes, tag_count, paragraphs| Profile { body_bytes, tag_count, paragraphs, ..Profile::default() };
        let whole = page(1000, 100, 100);
        for (other, passes) in [
            (page(710, 81, 61), true),
            (page(690, 100, 100), false),
            (page(1000, 79, 100), false),
            (page(1000, 100, 59), false),
        ] {
            assert_eq!(Limits::default().allow(&whole, &other), passes, "{other:?}");
            assert_eq!(Limits::default().allow(&other, &whole), passes, "{other:?}");
        }
    }

    #[test]
    fn lengths_of_text_are_compared_after_the_factor_of_the_languages() {
        let text = |text_bytes| Profile { text_bytes, ..Profile::default() };
        assert_eq!(text_ratio(&text(100), &text(120), 1.2), Some(1.0));
        assert_eq!(text_ratio(&text(0), &text(0), 1.2), None);
    }
}
