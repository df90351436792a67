//! Text tools that two or more methods need: [`tokens`] takes addresses apart, [`sentences`] and [`words`] texts.

pub mod sentences;
pub mod tokens;
