//! The format of stores.

use std::path::Path;

use crate::error::Error;

/// Format of the stores that this program writes and reads. No other format was ever released.
pub const FORMAT_VERSION: u32 = 23;

/// The error of a store that is written in a format other than this program's.
pub fn other_format(folder: &Path, format: u64) -> Error {
    let advice = if format > u64::from(FORMAT_VERSION) {
        "use a newer release"
    } else {
        "make another one of its archives with `diglot run ARCHIVE... --store NEW`, then delete this one"
    };
    let problem = format!("written in format {format}, this program reads {FORMAT_VERSION}; {advice}");
    Error::Store { path: folder.to_owned(), problem }
}
