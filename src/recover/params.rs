//! Settings of the search for deep pages.

/// Settings of the search for deep pages.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// A place is used if at least this share of a key's known pairs that could have their partner there do have it there. Default 0.5:
    /// more often right than wrong.
    pub min_place_share: f64,
    /// Pairs of a key from which its places are learnt, at most, spread evenly over all its pairs. Default 2,000: shares are then accurate
    /// to two digits.
    pub learnt_pairs: usize,
    /// How many pages the share of a group is worth in the share of the next group inside it. Default 4: half a dozen pages outweigh it.
    pub prior_pages: f64,
    /// Least factor for the odds of a URL to which no page links. Default 0.1: crawlers find pages by their links, so the pages of an
    /// archive say too little about pages to which nothing links.
    pub min_unlinked: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { min_place_share: 0.5, learnt_pairs: 2000, prior_pages: 4.0, min_unlinked: 0.1 }
    }
}
