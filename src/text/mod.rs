//! Text tools that two or more methods need: [`tokens`] takes addresses apart, [`words`] texts.

pub mod tokens;
pub mod words;
