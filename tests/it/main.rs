//! Integration tests: one binary, one file a subject.

mod archive;
mod cli;
mod damage;
mod format;
mod quality;
mod support;
mod tidy;
