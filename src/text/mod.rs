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

use std::borrow::Cow;

/// A part of a URL with the characters that its escapes stand for: `français` for `fran%C3%A7ais`. What is no escape stays.
pub fn percent_decoded(text: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy()
}

/// The text without signs and spaces at either end.
pub fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}
