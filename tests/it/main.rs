//! Integration tests: one binary, one file a subject.

mod archive;
mod bitext;
mod cli;
mod damage;
mod format;
mod quality;
mod resume;
mod sites;
mod support;
mod tidy;
