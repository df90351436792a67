//! Tests on real sites and archives, which are no part of the repository: `cargo test --test real`.
//!
//! They fail where the data is not there; see [`data::real`] for where it is looked for.

mod archives;
mod data;
mod quality;

#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the tests of the repository use the rest")]
mod support;

/// A folder of the test data.
fn real(folder: &str) -> std::path::PathBuf {
    data::real(support::root(), folder)
}

/// The mirror of a site, unpacked.
fn mirror(site: &str) -> tempfile::TempDir {
    data::mirror(support::root(), site)
}
