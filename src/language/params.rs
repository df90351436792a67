//! Settings of language detection.

/// Settings of language detection.
///
/// Sizes and pieces of the sample and `links_per_prose` were chosen on the test sites, where neighbouring values change
/// up to 9 of 11,131 pages; the other defaults are estimates.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// How much text is looked at, in bytes of UTF-8.
    pub sample_bytes: u32,
    /// In how many pieces, spread evenly from beginning to end: menus and licences stand at the ends of pages.
    pub sample_pieces: u32,
    /// Links are looked at only where there is less prose than this, in bytes: menus are often left untranslated.
    pub enough_prose_bytes: u32,
    /// … or where links have so many times the text that they are the page: tables of contents, portals.
    pub links_per_prose: u32,
    /// A text with fewer letters has no language we could name. A character of Chinese, Japanese or Korean counts as
    /// [`Params::letters_per_ideograph`]. Most sentences have more.
    pub min_letters: u32,
    /// How many letters of an alphabet say as much as one character of Chinese, Japanese or Korean.
    pub letters_per_ideograph: u32,
    /// A language is detected by function words if the text has so many, compared with a text of sentences, which has 1.
    pub min_coverage: f32,
    /// The same where the models are no help: tables of contents have fewer function words, lists of names next to none.
    pub min_weak_coverage: f32,
    /// The fewest function words that the nearest other language does not have.
    pub min_own_words: u32,
    /// The smallest share of the language in the function words that distinguish it from the nearest other one, 0..=1; where
    /// that is a relative, `min_close_share`.
    pub min_share: f32,
    /// See [`Params::min_share`].
    pub min_close_share: f32,
    /// The fewest different function words, compared with what a text of as many words would have, for a text to be in a language with a
    /// list of them. Of texts of the Universal Declaration of Human Rights of some 400 bytes, 90 in a hundred have fewer of any list in
    /// 337 languages without one, and 2 in a hundred of their own list in 89 languages; short news have fewer than that text.
    pub min_variety: f32,
    /// The smallest probability, 0..=1, at which the last model is believed alone.
    pub min_model_confidence: f32,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            sample_bytes: 3000,
            sample_pieces: 6,
            enough_prose_bytes: 300,
            links_per_prose: 2,
            min_letters: 50,
            letters_per_ideograph: 3,
            min_coverage: 0.5,
            min_weak_coverage: 0.15,
            min_own_words: 6,
            min_share: 0.6,
            min_close_share: 0.8,
            min_variety: 0.3,
            min_model_confidence: 0.8,
        }
    }
}
