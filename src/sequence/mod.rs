//! Two sequences walked through side by side: the cells of a [`band`] round the diagonal, and the cheapest [`path`] in it.
//!
//! Sentences, blocks and links are aligned by it. Two measures of sequences keep their own algorithms, as they want no path but
//! a number, and faster: edit distances ([`crate::verify`]'s structure) and longest common subsequences.

pub mod band;
pub mod path;
