//! Finds the pages of web archives that are translations of each other, and learns by itself how each site writes its
//! languages into its addresses.
//!
//! ```text
//!  files        archive       extract        index         keys
//!  WARC, ARC ─▶ RawRecord ──▶ Page ────────▶ pages of ───▶ keys, pairs ──▶ query ──▶ cli, export, evaluate
//!  WACZ         Capture       text, links,   each domain   copies
//!  HTTrack      or Skip       language       tokens        languages settled
//!
//!             ╰──────── ingest ────────╯ ╰── index ──╯ ╰─── keys ───╯
//!                                 stages of the pipeline, over the store
//! ```
//!
//! The folders that do the work know neither the store nor threads: they take borrowed data and return values.
//! [`pipeline`] runs them in stages over a [`store`], resumes what was interrupted, and skips what is fresh.
//!
//! The heart is [`keys::discover`]. It needs the addresses of a site and the language of each page:
//!
//! ```
//! use diglot::index::site::{PageFacts, Pages, Urls};
//! use diglot::keys::{self, Params};
//! use diglot::types::Lang;
//!
//! /// Pages in the order of their addresses, scheme left out.
//! struct Site(Vec<(&'static str, Lang)>);
//!
//! impl Urls for Site {
//!     fn count(&self) -> u32 {
//!         self.0.len() as u32
//!     }
//!     fn identity(&self, page: u32) -> &str {
//!         self.0[page as usize].0
//!     }
//! }
//!
//! impl Pages for Site {
//!     fn facts(&self, page: u32) -> PageFacts {
//!         PageFacts { detected: self.0[page as usize].1, ..PageFacts::default() }
//!     }
//! }
//!
//! # fn main() -> diglot::error::Result<()> {
//! let fr = Lang::parse("fr").expect("a language tag");
//! let site = Site(vec![
//!     ("example.org/en/about.html", Lang::EN),
//!     ("example.org/en/news.html", Lang::EN),
//!     ("example.org/en/only-here.html", Lang::EN),
//!     ("example.org/fr/about.html", fr),
//!     ("example.org/fr/news.html", fr),
//! ]);
//! let no_rescue = Default::default();
//! let found = keys::discover(&site, &Params::default(), &no_rescue, &std::env::temp_dir())?;
//!
//! assert_eq!(found.keys[0].key.pattern(), "path:en:fr");
//! let pairs: Vec<(u32, u32)> = found.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
//! assert_eq!(pairs, [(0, 3), (1, 4)]);
//! # Ok(())
//! # }
//! ```
//!
//! Where to read next: [`types`] for the nouns; [`keys`] for the method and [`text::tokens`] for how an address is taken
//! apart; [`archive`] and [`extract`] for what pages come from; [`pipeline`] for stages and resuming; [`store::layout`] for
//! every byte on disk. In the repository, `docs/architecture.md` has the map, `docs/methods.md` the papers and their
//! equations beside the names used here.

pub mod align;
pub mod archive;
pub mod config;
pub mod error;
pub mod evaluate;
pub mod explore;
pub mod export;
pub mod extract;
pub mod index;
pub mod iterate;
pub mod judge;
pub mod keys;
pub mod learn;
pub mod lexicon;
pub mod pipeline;
pub mod propose;
pub mod query;
pub mod recover;
pub mod sequence;
pub mod store;
pub mod text;
pub mod types;
pub mod verify;
