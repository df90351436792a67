//! Settings of comparing all pages of a site with all others, as WebMining does (Tomás et al. 2008).

/// Settings of comparing all pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Pages of the largest site that is compared. A page takes 12 KB at the most while structures are compared, and 8 bytes a
    /// word while contents are. Default 20,000, an estimate.
    pub most_pages: usize,
    /// Partners of a page that are kept, those most alike in structure. Default 30: all that pass on most sites.
    pub most_partners: usize,
    /// Pairs of pages that the model first learns from, unasked. Default 30, an estimate: some ten thousand words.
    pub first_pairs: usize,
    /// With fewer of them the structure alone decides. Default 5, an estimate.
    pub least_first: usize,
    /// Similarity of structure, 0..=1, that those must have: the "very restricted thresholds" of §2.3, which gives none.
    pub first_similarity: f64,
    /// How much more alike they must be than either page is to any other. Ours: pages from one mould are all alike.
    pub first_lead: f64,
    /// Passes of EM over each new pair of pages; the paper has several. Default 3.
    pub passes: usize,
    /// ln Pr(f|e)/|f|, in nats a word, from which a sentence counts as translated. The paper gives no value.
    pub least_log_prob: f64,
    /// Share of the sentences that must be translated, 0..=1. The paper gives no value.
    pub least_share: f64,
    /// Pairs of a page that are kept with their reasons beside the accepted ones. Default 3.
    pub kept_rows: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            most_pages: 20_000,
            most_partners: 30,
            first_pairs: 30,
            least_first: 5,
            first_similarity: 0.7,
            first_lead: 0.05,
            passes: 3,
            least_log_prob: -5.0,
            least_share: 0.5,
            kept_rows: 3,
        }
    }
}
