//! Text tools that two or more methods need: [`tokens`] takes addresses apart, [`words`] texts into words, [`sentences`]
//! into sentences.

pub mod sentences;
pub mod tokens;
pub mod words;
