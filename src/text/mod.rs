//! Text tools that two or more methods need: [`addresses`] knows the ways to write a URL, [`tokens`] takes URLs apart, [`runs`] gives the
//! texts in them that may name a language, and [`counterpart`] makes the URLs into which a key turns a URL; [`words`] and [`sentences`]
//! divide texts; [`contacts`] finds e-mail addresses and telephone numbers, [`near`] near duplicates; [`scored`] makes the questions for a
//! scorer; [`json`] writes a value on one line.

pub mod addresses;
mod boundaries;
pub mod contacts;
pub mod counterpart;
pub mod json;
pub mod lists;
pub mod near;
mod quotes;
pub mod runs;
pub mod scored;
pub mod sentences;
pub mod tokens;
pub mod words;

/// The text without signs and spaces at either end.
pub fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}
