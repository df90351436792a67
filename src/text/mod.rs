//! Text tools that two or more methods need: [`tokens`] takes addresses apart.

pub mod tokens;
