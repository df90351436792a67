//! What the measures say of two pages.

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// One of the measures a score is made of. Stored by position: only append.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Measure {
            $($(#[$doc])* $name,)*
        }

        /// All measures, in the order they are stored.
        pub const MEASURES: &[Measure] = &[$(Measure::$name,)*];

        const COUNT: usize = [$($text,)*].len();

        impl Measure {
            /// As it is told, and the name of its verifier where it is one.
            pub fn name(self) -> &'static str {
                [$($text,)*][self as usize]
            }
        }
    };
}

measures! {
    /// Ratio of the lengths of the texts, the usual ratio of the two languages taken out.
    Length = "length",
    /// Ratio of the sizes of the bodies.
    Size = "size",
    /// Ratio of the numbers of tags.
    Tags = "tags",
    /// Ratio of the numbers of text blocks.
    Paragraphs = "paragraphs",
    /// LCS of the tags that are not visual (Liu et al. 2014, §3.2).
    Lcs = "lcs",
    /// Edit distance of the tag sequences with ⟨text_n⟩ (Tomás et al. 2008, §2.2).
    Structure = "structure",
    /// Numbers in common.
    Numbers = "numbers",
    /// Link targets in common.
    Links = "links",
    /// Images in common.
    Images = "images",
    /// Words in common, rare ones counting more.
    Words = "words",
    /// Words with a translation on the other side, rare ones counting more.
    Content = "content",
    /// One page declares the other as its translation (1), or another page (0).
    Hreflang = "hreflang",
    /// One page links to the other.
    Link = "link",
    /// How often aligned links of paired pages lead to the two.
    Votes = "votes",
    /// Neighbours of the one that are paired with neighbours of the other (Liu et al. 2014, eq. 3).
    Neighbours = "neighbours",
    /// Content beside that of the other candidates of the two pages (ratio margin: Artetxe & Schwenk 2019).
    Margin = "margin",
}

/// The similarities of two pages: a number in 0..=1 for each measure, NaN where it cannot be told.
#[derive(Clone, Copy, Debug)]
pub struct Similarities(pub [f32; COUNT]);

impl Default for Similarities {
    fn default() -> Similarities {
        Similarities([f32::NAN; COUNT])
    }
}

impl PartialEq for Similarities {
    fn eq(&self, other: &Similarities) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

impl Similarities {
    /// How many measures there are.
    pub const COUNT: usize = COUNT;

    /// What a measure says.
    pub fn get(&self, measure: Measure) -> Option<f32> {
        let value = self.0[measure as usize];
        (!value.is_nan()).then_some(value)
    }

    /// Notes what a measure says; `None`: it cannot be told.
    pub fn set(&mut self, measure: Measure, value: Option<f32>) {
        self.0[measure as usize] = value.map_or(f32::NAN, |value| value.clamp(0.0, 1.0));
    }
}
