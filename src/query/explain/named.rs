//! A pair by its URLs.

use std::fmt;

use serde::Serialize;

/// A pair that exists: one that `pairs` lists or that a key was assigned, given by its URLs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedPair {
    /// The page of the language that sorts first.
    pub url_a: String,
    /// The page of the other language.
    pub url_b: String,
    /// Its score, 0..=1.
    pub score: f32,
}

impl fmt::Display for NamedPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, score {:.4}", self.url_a, self.url_b, self.score)
    }
}
