//! All measures by name, and how each is computed from two pages.

use super::overlap::{dice, in_common};
use super::profile::Profile;
use super::size::text_ratio;
use super::with::With;
use super::words::shared_words;
use super::{content, language, lcs, links, size, structure};
use crate::types::measures::measures;
use crate::types::{Measure, Similarities};

/// How one measure is computed from two pages.
pub struct Verifier {
    name: &'static str,
    measure: Option<Measure>,
    similarity: fn(&Profile, &Profile, &With<'_>) -> Option<f64>,
}

impl Verifier {
    /// The name used in settings and listings.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The measure of the score that it computes, if it belongs to the score.
    pub fn measure(&self) -> Option<Measure> {
        self.measure
    }

    /// From 0 (nothing in common) to 1 (as similar as translations can be); pages are given in the order of their languages. `None` where
    /// the pages do not allow a result.
    pub fn similarity(&self, a: &Profile, b: &Profile, with: &With<'_>) -> Option<f64> {
        (self.similarity)(a, b, with)
    }
}

macro_rules! verifiers {
    (
        scored { $($(#[$doc:meta])* $name:ident = $text:literal $(weight $weight:literal)? $(by $by:expr)?;)* }
        alone { $($(#[$alone_doc:meta])* $alone:literal by $alone_by:expr;)* }
    ) => {
        /// Every measure that can be computed from two pages alone, those of the score first.
        pub const VERIFIERS: &[Verifier] = &[
            $($(Verifier { name: $text, measure: Some(Measure::$name), similarity: $by },)?)*
            $(Verifier { name: $alone, measure: None, similarity: $alone_by },)*
        ];
    };
}
measures!(verifiers);

/// The verifier with a name.
pub fn verifier(name: &str) -> Option<&'static Verifier> {
    VERIFIERS.iter().find(|verifier| verifier.name == name)
}

/// The measures that depend on the two languages.
pub fn similarities_by_words<'v>(
    a: &'v Profile,
    b: &'v Profile,
    with: &'v With<'_>,
) -> impl Iterator<Item = (Measure, Option<f32>)> + 'v {
    let needs_words = |verifier: &&Verifier| matches!(verifier.measure, Some(Measure::Content | Measure::Length));
    VERIFIERS.iter().filter(needs_words).filter_map(|verifier| {
        Some((verifier.measure?, verifier.similarity(a, b, with).map(|similarity| similarity as f32)))
    })
}

/// All measures of the score that can be computed from two pages alone, which are given in the order of their languages.
pub fn similarities(a: &Profile, b: &Profile, with: &With<'_>) -> Similarities {
    let mut found = Similarities::default();
    for verifier in VERIFIERS {
        if let Some(measure) = verifier.measure {
            found.set(measure, verifier.similarity(a, b, with).map(|similarity| similarity as f32));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::text::words::Words;
    use crate::types::{Block, Image, Lang, Link, Page, TEXT_TOKEN};
    use crate::verify::{Own, Params, ProfileParams};

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        let names: BTreeSet<_> = VERIFIERS.iter().map(|verifier| verifier.name()).collect();
        assert_eq!(names.len(), VERIFIERS.len());
        for name in names {
            assert_eq!(verifier(name).map(|found| found.name()), Some(name));
        }
        assert!(verifier("none").is_none());
    }

    fn any_page(lang: Lang) -> impl Strategy<Value = Profile> {
        let text = r"([a-d]{1,7}|[0-9]{1,3})( ([a-d]{1,7}|[0-9]{1,3})){0,12}";
        let tags = prop::collection::vec(prop_oneof![0u16..20, (0u16..30).prop_map(|n| TEXT_TOKEN | n)], 0..30);
        let links = prop::collection::vec(0u8..6, 0..6);
        (text, tags, links, 0u8..6, 0u32..5000).prop_map(move |(text, tags, links, own, bytes)| {
            let address = |n: u8| format!("http://x.org/{n}");
            let page = Page {
                body_bytes: bytes,
                blocks: vec![Block { start: 0, end: text.len() as u32, ..Block::default() }],
                text,
                tags,
                links: links
                    .iter()
                    .map(|&n| Link { url: address(n), hreflang: (n < 3).then_some(lang), ..Link::default() })
                    .collect(),
                images: links.iter().map(|&n| Image { url: address(n / 2), alt: String::new() }).collect(),
                ..Page::default()
            };
            Profile::new(&page, &address(own), lang, &Own::default(), &Words::new(), &ProfileParams::default())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn measures_are_shares_and_the_same_either_way(
            a in any_page(Lang::EN),
            b in any_page(Lang::ZH),
        ) {
            let params = Params::default();
            let with = With::new(&params);
            for verifier in VERIFIERS {
                let alike = verifier.similarity(&a, &b, &with);
                prop_assert!(alike.is_none_or(|alike| (0.0..=1.0).contains(&alike)), "{} {alike:?}", verifier.name());
                prop_assert_eq!(alike, verifier.similarity(&b, &a, &with), "{}", verifier.name());
                // A page is as similar to itself as possible, except for its language and its links to itself.
                let own = verifier.similarity(&a, &a, &with);
                let least = match verifier.name() {
                    "language" | "hreflang" | "link" => 0.0,
                    "numbers" | "links" | "images" => 0.75,
                    _ => 1.0,
                };
                prop_assert!(own.is_none_or(|own| own >= least), "{} {own:?}", verifier.name());
            }
        }
    }
}
