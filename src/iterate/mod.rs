//! Pairs and their neighbours decide together, and pairs come in that no URL reveals: link-based iteration (Liu et al. 2014).
//!
//! [`rounds`] are what the default does: judge, let the links of accepted pairs vote, compare what they propose.
//! [`ets`] is the paper's method as it stands: every page of one language against every page of the other.
//! [`copies`] finds untranslated copies that no URL reveals.

pub mod copies;
pub mod ets;
mod params;
pub mod rounds;

pub use params::Params;
