//! Text tools that two or more methods need: [`addresses`] knows the ways to write a URL, [`tokens`] takes URLs apart, [`counterpart`] writes those that a key turns
//! a URL into; [`words`] and [`sentences`] take texts apart; [`json`] keeps a value on its line.

pub mod addresses;
mod boundaries;
pub mod counterpart;
pub mod json;
mod lists;
mod quotes;
pub mod sentences;
pub mod tokens;
pub mod words;

/// Without signs and spaces at either end.
pub fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}
