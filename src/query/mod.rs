//! Queries on a store: pairs, keys, hosts and pages, in an order that depends only on URLs.
//!
//! A query has a [`Scope`]: all sites, a domain or a host. [`for_each_pair`], [`keys`], [`hosts`], [`bitext`], [`for_each_document`], [`for_each_unit`], [`for_each_page`],
//! [`for_each_record`], [`languages()`], [`fetch()`] and [`gains`] list; [`shortages`] names the hosts of which few pages are paired; [`explain`] says why a
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
mod joining;
mod keys;
mod known_sentences;
mod languages;
mod lone;
mod nearest;
mod overview;
mod pairs;
mod patterns;
mod reading;
pub mod realign;
mod records;
mod rounds;
mod scarcity;
mod shortage;
mod shown;
mod tokens;
mod units;
mod walk;

pub use crate::keys::State as KeyState;
pub use crate::language::names::{in_english, tag_and_name};
pub use crate::site::Scope;
pub use crate::site::hosts::{HostLine, hosts, hosts_in, hosts_named};
pub use crate::site::languages::{for_each_language, learnt_languages};
pub use crate::site::learnt::{learnt_langs, learnt_words};
pub use crate::site::verdicts::{CountedVerdicts, counted_verdicts};
pub use crate::types::number;
pub use archives::{ArchiveLine, Known, SkipSample, archives, inputs, known, refused};
pub use bins::{BINS, EDGES};
pub use browse::{Decided, PairFilter, PairOrder, PairPage, key_examples, pairs_page, place_of};
pub use corrections::{CorrectionLine, check_pins, correction, corrections};
pub use counts::{Totals, totals};
pub use documents::{for_each_document, for_each_page};
pub use fetch::fetch;
pub use joining::Joiner;
pub use keys::{KeyLine, keys};
#[cfg(feature = "exec")]
pub(crate) use keys::{numbered_keys, state_name};
pub use known_sentences::KnownSentences;
pub use languages::{FoundLanguage, IdleList, idle_lists, languages, missing_langs};
pub use lone::{LoneFilter, LonePage, LonePages, LoneReason, lone_pages};
pub use nearest::{Nearest, nearest};
pub use overview::{Overview, overview};
pub use pairs::{PairRecords, assigned, for_each_judged, for_each_of, for_each_pair, pairs};
pub use patterns::{PatternLine, patterns};
pub use reading::{Piece, ReadBead, ReadBlock, Reading, Side, reading, side};
pub use records::for_each_record;
pub use rounds::gains;
pub use scarcity::{Scarcity, scarcity};
pub use shortage::{Shortage, ShortageReason, shortages};
pub use shown::{ShownBlock, ShownLink, ShownPage, shown_page, shown_record};
pub use tokens::hosts_with_token;
pub use units::{Contradictions, for_each_unit};
pub use walk::{Digest, Part, Spot, Steps, lone_from, pairs_from};
