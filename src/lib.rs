//! Finds the pages of web archives that are translations of each other, and learns by itself how each site writes its
//! languages into its URLs.
//!
//! ```text
//!  files        archive       extract        index         keys
//!  WARC, ARC ─▶ RawRecord ──▶ Page ────────▶ pages of ───▶ keys, pairs ──▶ query ──▶ cli, export, evaluate
//!  WACZ         Capture       text, links,   each domain   copies
//!  HTTrack      or Skip       language       tokens        languages resolved
//!
//!             ╰──────── ingest ────────╯ ╰── index ──╯ ╰─── keys ───╯
//!                                 stages of the pipeline, over the store
//! ```
//!
//! The folders that do the work do not know the store: they take borrowed data and return values.
//! [`pipeline`] runs them in stages over a [`mod@store`], resumes what was interrupted, and skips what is fresh.
//!
//! The door is narrow. A [`Store`] is opened, [`run_all`] reads archives into it and finds the pairs, and [`query`] lists them;
//! [`explain()`] says why a page has a partner, or has none:
//!
//! ```
//! use diglot::types::CanonicalUrl;
//! use diglot::{Access, Scope, Store, explain, pairs, run_all};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let mut store = Store::open(&folder.path().join("sites.store"), Access::Write)?;
//! let config = run_all(&mut store, &[("min-score", "0.6")], &["data/sites/packaging"])?;
//! let found = pairs(&store, &config, &Scope::of(&store, "fr.packaging.site.test")?)?;
//! assert_eq!((found[0].lang_a.as_str(), found[0].lang_b.as_str()), ("de", "fr"));
//! let why = explain(&store, &config, &CanonicalUrl::parse(&found[0].url_a)?, None)?;
//! println!("{}: {}", why.pages[0].url, why.pages[0].verdict);
//! # Ok(())
//! # }
//! ```
//!
//! The same as a story is `tests/examples/door.rs` in the repository. Where to read next: [`types`] for the nouns; [`config`]
//! for what can be set; [`pipeline`] for stages, progress and resuming; [`query`] for what a store answers; [`export`]
//! and [`evaluate`] for what is made of the answers. What lies behind is private; `docs/architecture.md` has the map,
//! `docs/methods.md` the papers and their equations beside the names used there.

// The door.
pub mod config;
pub mod corrections;
pub mod error;
pub mod evaluate;
#[cfg(feature = "exec")]
pub mod exec;
pub mod explore;
pub mod export;
pub mod pipeline;
pub mod query;
pub mod rebuild;
pub mod recover;
pub mod store;
pub mod types;
pub mod upkeep;

pub use config::Config;
pub use error::{Error, Result};
pub use pipeline::run_all;
pub use query::explain::explain;
pub use query::{Scope, pairs};
pub use store::{Access, Store};

/// What may be read: archives by their paths; and what became of them.
pub mod inputs {
    #[cfg(feature = "pdf")]
    pub use crate::archive::read_pdf_with;
    pub use crate::archive::{
        Inputs, PAGES, Refused, STREAM, Tally, expand, expand_with_indexes, names as format_names,
    };
    #[cfg(feature = "pdf")]
    pub use crate::extract::html_of_pdf;
    pub use crate::files::open;
    pub use crate::intake::contents::{Entry, Wanted, contents, copies as copies_of};
    #[cfg(feature = "pdf")]
    pub use crate::program::PDF_COMMAND;
}

// What lies behind it.
mod align;
mod archive;
mod copies;
#[cfg(test)]
mod extent;
mod extract;
mod files;
mod index;
mod intake;
mod iterate;
mod judge;
mod keys;
mod labels;
#[doc(hidden)]
pub mod laboratory;
mod language;
mod learn;
mod lexicon;
mod logistic;
mod panics;
mod papers;
mod program;
mod propose;
mod sequence;
mod site;
mod text;
mod verify;
