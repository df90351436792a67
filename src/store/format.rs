//! The format of stores.

use std::path::Path;

use crate::error::Error;

/// Format of the stores that this program writes and reads. No other format was ever released.
pub const FORMAT_VERSION: u32 = 23;

/// How many archives the error of another format names at most.
const NAMED_ARCHIVES: usize = 20;

/// The error of a store that is written in a format other than this program's. `archives` are the paths of its archives; `None` where they
/// cannot be read.
pub fn other_format(folder: &Path, format: u64, archives: Option<&[String]>) -> Error {
    let advice = if format > u64::from(FORMAT_VERSION) {
        "use a newer release".to_owned()
    } else {
        let those = match archives {
            Some(paths) if paths.len() <= NAMED_ARCHIVES => format!("; they are {}", paths.join(", ")),
            Some(paths) => {
                let named = paths[..NAMED_ARCHIVES].join(", ");
                format!("; they are {named} and {} more", paths.len() - NAMED_ARCHIVES)
            }
            None => "; they cannot be named, as its catalog cannot be read".to_owned(),
        };
        format!(
            "make another one of its archives with `diglot run ARCHIVE... --store NEW`, then delete this one{those}"
        )
    };
    let problem = format!("written in format {format}, this program reads {FORMAT_VERSION}; {advice}");
    Error::Store { path: folder.to_owned(), problem }
}
