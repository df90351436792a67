//! Integration tests: one binary, one file a subject.

mod archive;
mod cli;
mod damage;
mod format;
mod presets;
mod quality;
mod resume;
mod scores;
mod sites;
mod support;
mod tidy;
mod tools;
