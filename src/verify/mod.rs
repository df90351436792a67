//! Two pages → how likely they are translations of each other, by many measures.
//!
//! A [`Profile`] is what the measures look at of a page, made once. [`VERIFIERS`] has all measures by name; each gives
//! a number from 0 to 1 for two profiles, or says that it cannot tell. [`With`] is what measures need beside the pages:
//! settings, and where there is one, a source of [translations](crate::lexicon::Translations). The table they come from is
//! `types/measures.rs`.
//!
//! | file | measures |
//! |---|---|
//! | `size` | `size`, `tags`, `paragraphs`: Tomás et al.; `length`: Liu et al. |
//! | `language` | `language`: Tomás et al. |
//! | `structure` | `structure`: edit distance of tags, Tomás et al. |
//! | `lcs` | `lcs`: longest common subsequence of tags, Liu et al. |
//! | `overlap` | `numbers`, `links`, `images`, `equal-text` |
//! | `links` | `hreflang`, `link`: what the pages say of each other |
//! | `words` | `words`: those that both languages of the site have |
//! | `content` | `content`, `s_cb` (Liu et al.), `strand`, `bits`, `cognates` |

mod content;
mod language;
mod lcs;
mod links;
mod overlap;
mod profile;
mod size;
mod structure;
pub mod webmining;
mod words;

pub use overlap::dice;
pub use profile::{Bag, Profile, ProfileParams, identity, stem};
pub use size::{Limits, text_ratio};
pub use structure::{Limit, distance};
pub use words::{same_text, shared_words};

use crate::lexicon::Translations;
use crate::types::measures::measures;
use crate::types::{Measure, Similarities};

/// Settings of the measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What is kept of a page.
    pub profile: ProfileParams,
    /// The most that sizes may differ, for [`Limits::allow`].
    pub sizes: Limits,
    /// The edit distance at which two tag sequences have nothing in common.
    pub structure: Limit,
    /// How many tags of each page the longest common subsequence is sought in. An estimate: the cost is their product
    /// over 64.
    pub max_lcs_tags: usize,
    /// True when equal words count as translations of each other in `s_cb`, `strand` and `bits`: names and numbers.
    /// None of the papers says so.
    pub equal_words: bool,
    /// How many different words of two pages together the source of translations must know for `content` (an estimate).
    pub min_known_words: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            profile: ProfileParams::default(),
            sizes: Limits::default(),
            structure: Limit::default(),
            max_lcs_tags: 4096,
            equal_words: false,
            min_known_words: 10,
        }
    }
}

/// What measures need beside two pages.
#[derive(Clone, Copy)]
pub struct With<'a> {
    /// Settings.
    pub params: &'a Params,
    /// Which words mean the same; measures that need to know say nothing without.
    pub translations: Option<&'a dyn Translations>,
    /// How much a word tells, ≥ 0: its inverse document frequency in the site. All alike where it is not given.
    pub weights: Option<&'a (dyn Fn(u64) -> f32 + Sync)>,
    /// The same, and 0 for a word that only one language of the site has.
    pub shared: Option<&'a (dyn Fn(u64) -> f32 + Sync)>,
    /// Bytes of text of the second language for one of the first. Without it lengths say too little: Chinese is half as
    /// long as English.
    pub length_ratio: Option<f64>,
}

impl<'a> With<'a> {
    /// Settings alone.
    pub fn new(params: &'a Params) -> With<'a> {
        With { params, translations: None, weights: None, shared: None, length_ratio: None }
    }
}

/// How one measure is found from two pages.
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

    /// Its part in the score, if it has one.
    pub fn measure(&self) -> Option<Measure> {
        self.measure
    }

    /// From 0, nothing alike, to 1, as translations are at best; the pages in the order of their languages. `None` where
    /// they do not allow to tell.
    pub fn similarity(&self, a: &Profile, b: &Profile, with: &With<'_>) -> Option<f64> {
        (self.similarity)(a, b, with)
    }
}

macro_rules! verifiers {
    (
        scored { $($(#[$doc:meta])* $name:ident = $text:literal $(weight $weight:literal)? $(by $by:expr)?;)* }
        alone { $($(#[$alone_doc:meta])* $alone:literal by $alone_by:expr;)* }
    ) => {
        /// Every measure that two pages tell by themselves, those of the score first.
        pub const VERIFIERS: &[Verifier] = &[
            $($(Verifier { name: $text, measure: Some(Measure::$name), similarity: $by },)?)*
            $(Verifier { name: $alone, measure: None, similarity: $alone_by },)*
        ];
    };
}
measures!(verifiers);

/// The verifier of a name.
pub fn verifier(name: &str) -> Option<&'static Verifier> {
    VERIFIERS.iter().find(|verifier| verifier.name == name)
}

/// What all measures of the score say that two pages tell by themselves, in the order of their languages.
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
            Profile::new(&page, bytes, &address(own), lang, &Words::new(), &ProfileParams::default())
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
                // A page is as alike to itself as pages can be, but for its language and what it links to.
                let own = verifier.similarity(&a, &a, &with);
                if !["language", "hreflang", "link"].contains(&verifier.name()) {
                    prop_assert!(own.is_none_or(|own| own == 1.0), "{} {own:?}", verifier.name());
                }
            }
        }
    }
}
