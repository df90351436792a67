//! Site → keys → candidate pairs (Kit & Ng 2007; Zhang, Yao & Kit 2013).
//!
//! [`discover()`] does one registrable domain. Its pages get their languages ([`labels`], `naming`; without text, [`unlabelled`]) and lose
//! [`copies`], those that say so and untranslated ones that URLs show; every host is scanned for keys in path, file and query, the whole domain for keys in host labels
//! ([`candidate`], of the [`slots`] of URLs); their linking power is counted exactly ([`linking_power`]); [`credibility`] tells
//! which are strong; [`competition`] lets them compete for pages. What single keys leave alone is scanned once more for character
//! cores and compound keys; [`Marks`] are what the keys say of languages elsewhere in URLs. A second call with the keys that are credible across sites rescues weak ones ([`rescue`]).
//! Where a site is divided, pages that keys pair are kin, and keep together (`kin`).

mod alike;
pub mod by_letters;
pub mod candidate;
mod canonical;
mod classes;
pub mod competition;
pub mod copies;
pub mod credibility;
mod discover;
pub mod folders;
mod found;
pub mod hosts;
#[cfg(feature = "exec")]
mod kin;
mod known;
pub mod labels;
pub mod language_names;
pub mod linking_power;
mod marks;
mod naming;
mod params;
pub mod rescue;
pub mod sides;
pub mod slots;
#[cfg(test)]
mod small_sites;
mod sources;
pub mod suffixes;
mod texts;
pub mod unlabelled;
mod variants;

#[cfg(test)]
pub use credibility::Evidence;
pub use credibility::{GlobalSum, State};
pub use discover::{Elsewhere, discover};
pub use found::{FoundKey, FoundPair};
#[cfg(feature = "exec")]
pub(crate) use kin::Kin;
pub use known::{KnownKey, KnownKeys};
pub use language_names::named_language;
pub use marks::Marks;
pub use params::{LabelMode, Params, SiteUnit};

#[cfg(feature = "internals")]
pub use crate::index::site::{PageFacts, Pages};
pub use crate::text::counterpart;
