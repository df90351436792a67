//! Text tools that two or more methods need: [`tokens`] takes addresses apart, [`counterpart`] writes those that a key turns
//! an address into, [`words`] takes texts apart.

pub mod counterpart;
pub mod tokens;
pub mod words;
