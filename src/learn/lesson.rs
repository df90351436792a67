//! What a site teaches of a language pair, in a form that can be sent elsewhere.

use super::trainer::Taught;

/// What a site teaches of a language pair. Learning from lessons gives the same as learning from their sites.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lesson {
    /// What each sure pair teaches, in order.
    pub(super) taught: Vec<Taught>,
}

impl Lesson {
    /// True when all positions lead to something and all lists are in order.
    pub fn is_sound(&self) -> bool {
        self.taught.iter().all(Taught::is_sound)
    }
}
