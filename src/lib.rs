//! Finds the pages of web archives that are translations of each other.

pub mod archive;
pub mod config;
pub mod error;
pub mod evaluate;
pub mod export;
pub mod extract;
pub mod index;
pub mod keys;
pub mod pipeline;
pub mod query;
pub mod store;
pub mod text;
pub mod types;
