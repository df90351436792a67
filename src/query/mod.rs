//! Queries on a store: pairs, keys, hosts and pages, in an order that depends only on URLs.
//!
//! A query has a [`Scope`]: all sites, a domain or a host. `Site` is one site with the results of the stages, and the only place that says
//! which language a page counts for. [`for_each_pair`], [`keys`], [`hosts`], [`bitext`], [`for_each_document`], [`for_each_unit`], [`for_each_page`],
//! [`for_each_record`], [`fetch()`] and [`gains`] list; [`shortages`] names the hosts of which few pages are paired; [`explain`] says why a
//! page has a partner or has none; `diff` says what differs between two stores. For the web page there are [`overview()`], [`pairs_page`],
//! [`lone_pages`], [`pairs_from`] and [`lone_from`], which list parts of what all sites have, and [`reading()`], which gives two pages side by side.

mod alternatives;
mod archives;
mod bins;
pub mod bitext;
mod browse;
mod corrections;
mod counts;
pub mod diff;
mod documents;
pub mod explain;
mod fetch;
mod frequency;
mod hosts;
mod joining;
mod keys;
mod known_sentences;
pub(crate) mod languages;
mod learnt;
mod lone;
pub(crate) mod model_cache;
mod nearest;
mod number;
#[cfg(not(feature = "internals"))]
pub(crate) mod numbered;
#[cfg(feature = "internals")]
pub mod numbered;
#[cfg(not(feature = "internals"))]
pub(crate) mod open;
#[cfg(feature = "internals")]
pub mod open;
mod overview;
#[cfg(not(feature = "internals"))]
pub(crate) mod paired_site;
#[cfg(feature = "internals")]
pub mod paired_site;
mod pairs;
mod paragraphs;
mod patterns;
mod reading;
pub mod realign;
mod records;
mod repetitions;
mod rounds;
mod scarcity;
pub(crate) mod scope;
pub(crate) mod scores;
mod shortage;
mod shown;
#[cfg(not(feature = "internals"))]
pub(crate) mod site;
#[cfg(feature = "internals")]
pub mod site;
pub(crate) mod teaching;
mod tokens;
mod units;
pub(crate) mod verdicts;
mod walk;

pub use crate::keys::State as KeyState;
pub use archives::{ArchiveLine, Known, SkipSample, archives, inputs, known, refused};
pub use bins::{BINS, EDGES};
pub use browse::{Decided, PairFilter, PairOrder, PairPage, key_examples, pairs_page, place_of};
pub use corrections::{CorrectionLine, check_pins, correction, corrections};
pub use counts::{Totals, totals};
pub use documents::{for_each_document, for_each_page};
pub use fetch::fetch;
pub(crate) use frequency::hash_of_bead;
pub use hosts::{HostLine, hosts, hosts_in, hosts_named};
pub use joining::Joiner;
pub use keys::{KeyLine, keys};
#[cfg(feature = "exec")]
pub(crate) use keys::{numbered_keys, state_name};
pub use known_sentences::KnownSentences;
pub use languages::{for_each_language, learnt_languages};
pub use learnt::learnt_words;
#[cfg(feature = "exec")]
pub(crate) use learnt::pairs_of_halves;
pub(crate) use learnt::{learnt_halves, learnt_pairs, learnt_record, training_places};
pub use lone::{LoneFilter, LonePage, LonePages, LoneReason, lone_pages};
pub use nearest::{Nearest, nearest};
pub use number::number;
pub use overview::{Overview, overview};
pub use pairs::{PairRecords, assigned, for_each_judged, for_each_of, for_each_pair, pairs};
pub(crate) use paragraphs::sentence_text;
pub use patterns::{PatternLine, patterns};
pub use reading::{Piece, ReadBead, ReadBlock, Reading, Side, reading, side};
pub use records::for_each_record;
pub use rounds::gains;
pub use scarcity::{Scarcity, scarcity};
pub use scope::Scope;
#[cfg(not(feature = "internals"))]
pub(crate) use scope::sites;
#[cfg(feature = "internals")]
pub use scope::sites;
pub use shortage::{Shortage, ShortageReason, shortages};
pub use shown::{ShownBlock, ShownLink, ShownPage, shown_page, shown_record};
#[cfg(not(feature = "internals"))]
pub(crate) use site::Site;
#[cfg(feature = "internals")]
pub use site::Site;
pub use tokens::hosts_with_token;
pub use units::{Contradictions, for_each_unit};
pub use walk::{Digest, Part, Spot, Steps, lone_from, pairs_from};
