//! Text tools that two or more methods need: [`tokens`] takes URLs apart, [`counterpart`] writes those that a key turns
//! a URL into; [`words`] and [`sentences`] take texts apart.

mod boundaries;
pub mod counterpart;
mod lists;
mod quotes;
pub mod sentences;
pub mod tokens;
pub mod words;
