//! What the measures say of two pages.

/// Names of the measures a score is made of, in the order they are stored. Only append.
pub const MEASURES: [&str; COUNT] = [
    "length",
    "body",
    "tags",
    "paragraphs",
    "structure",
    "sequence",
    "numbers",
    "links",
    "images",
    "words",
    "content",
    "hreflang",
    "link",
    "votes",
    "neighbours",
];

const COUNT: usize = 15;

/// One of [`MEASURES`], by name, so that a wrong position cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Measure {
    /// Ratio of the lengths of the texts, the usual ratio of the two languages taken out.
    Length = 0,
    /// Ratio of the sizes of the bodies.
    Body = 1,
    /// Ratio of the numbers of tags.
    Tags = 2,
    /// Ratio of the numbers of text blocks.
    Paragraphs = 3,
    /// LCS of the tags that are not visual (Liu et al. 2014, §3.2).
    Structure = 4,
    /// Edit distance of the tag sequences with ⟨text_n⟩ (Tomás et al. 2008, §2.2).
    Sequence = 5,
    /// Numbers in common.
    Numbers = 6,
    /// Link targets in common.
    Links = 7,
    /// Images in common.
    Images = 8,
    /// Words in common, rare ones counting more.
    Words = 9,
    /// Words with a translation on the other side, rare ones counting more.
    Content = 10,
    /// One page declares the other as its translation (1), or another page (0).
    Hreflang = 11,
    /// One page links to the other.
    Link = 12,
    /// How often aligned links of paired pages lead to the two.
    Votes = 13,
    /// Neighbours of the one that are paired with neighbours of the other (Liu et al. 2014, eq. 3).
    Neighbours = 14,
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
