//! The least that makes a key strong, and whatever else is judged as a key is.

/// Least local credibility of a strong key (Zhang et al. 2013), and of whatever is judged as one.
pub const MIN_CREDIBILITY: f64 = 0.1;
/// Least share of the smaller language's pages that makes a key strong, or what is judged as one, on its own (an estimate).
pub const MIN_COVERAGE: f64 = 0.3;

/// Pairs that make a key strong beside its share, as fewer may be chance. All are estimates that nobody should turn.
pub struct MinPairs {
    /// For keys that are judged by their local credibility.
    pub by_credibility: u64,
    /// For keys that are judged by their coverage.
    pub by_coverage: u32,
}

/// Of a key that names its languages: its texts are evidence themselves.
pub const MIN_PAIRS_NAMED: MinPairs = MinPairs { by_credibility: 1, by_coverage: 2 };
/// Of any other key.
pub const MIN_PAIRS_OTHER: MinPairs = MinPairs { by_credibility: 2, by_coverage: 5 };
/// Of a key that only tells numbers apart.
pub const MIN_PAIRS_OF_NUMBERS: u64 = 3;
