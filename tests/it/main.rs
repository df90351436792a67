//! Integration tests: one binary, one file a subject.

mod archive;
mod bitext;
mod cli;
mod damage;
mod deep;
mod format;
mod presets;
mod quality;
mod resume;
mod scores;
mod sites;
mod support;
mod tidy;
mod tools;
