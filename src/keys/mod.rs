//! Site → keys → candidate pairs (Kit & Ng 2007; Zhang, Yao & Kit 2013).
//!
//! [`discover()`] does one registrable domain. Its pages get their languages ([`labels`](crate::labels); without text, [`unlabelled`]; those in
//! doubt, once keys are known, `doubtful`) and lose [`copies`](mod@crate::copies); every host is scanned for keys in path, file and query, the whole domain for keys in host labels
//! ([`candidate`], of the [`slots`] of URLs); their linking power is counted exactly ([`linking_power`]); [`credibility`] tells
//! which are strong; [`competition`] lets them compete for pages. What single keys leave alone is scanned once more for character
//! cores and compound keys; [`Marks`] are what the keys say of languages elsewhere in URLs. A second call with the keys that are credible across sites rescues weak ones ([`rescue`]).
//! Where a site is divided, pages that keys pair are kin, and keep together (`kin`).

pub mod candidate;
pub mod competition;
pub mod credibility;
mod discover;
mod doubtful;
mod found;
pub mod hosts;
#[cfg(feature = "exec")]
mod kin;
mod known;
pub mod least;
pub mod linking_power;
mod marks;
mod params;
pub mod rescue;
pub mod sides;
pub mod slots;
#[cfg(test)]
mod small_sites;
pub mod suffixes;
pub mod unlabelled;

#[cfg(test)]
pub use credibility::KeyEvidence;
pub use credibility::{GlobalSum, State};
pub use discover::{Elsewhere, discover};
pub use found::{FoundKey, FoundPair};
#[cfg(feature = "exec")]
pub(crate) use kin::Kin;
pub use known::{KnownKey, KnownKeys};
pub use marks::Marks;
pub use params::{Params, SiteUnit};

pub use crate::text::counterpart;
