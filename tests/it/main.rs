//! Integration tests: one binary, one file a subject.

mod archive;
mod resume;
mod support;
