//! Multi-WACZ: a JSON file that names the WACZ files of one collection, which lie beside it.

use std::io::{BufReader, Read};
use std::path::Path;

use serde::Deserialize;

use crate::files;

/// The profile of such a file.
const PROFILE: &str = "multi-wacz-package";

#[derive(Deserialize)]
struct Package {
    profile: Option<String>,
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    path: Option<String>,
    name: Option<String>,
}

/// The names of the WACZ files in the file at `path`, which begins with `head`; `None` for a file that is no multi-WACZ.
pub(super) fn resources(path: &Path, head: &[u8]) -> Option<Vec<String>> {
    if head.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    names_in(files::text(files::open(path).ok()?))
}

/// Reads one JSON value. Where another one follows, as in files with one object a line, which may be long, the rest is not read and there
/// are no names.
fn names_in(text: impl Read) -> Option<Vec<String>> {
    let package: Package = serde_json::from_reader(BufReader::new(text)).ok()?;
    let names = package.resources.into_iter().filter_map(|resource| resource.path.or(resource.name));
    (package.profile.as_deref() == Some(PROFILE)).then(|| names.collect())
}

/// Refuses a resource that does not lie in the folder of the file that names it, or below that folder.
///
/// # Errors
/// Why it cannot be read, and what to do.
pub(super) fn check(folder: &Path, name: &str) -> Result<(), String> {
    if name.contains("://") {
        return Err("lies elsewhere: fetch it, and give the file".to_owned());
    }
    files::open_below(folder, name).map(|_| ()).map_err(|error| format!("cannot be opened: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_those_of_the_profile() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |text: &str| {
            let path = folder.path().join("datapackage.json");
            std::fs::write(&path, text).expect("room on the disk");
            resources(&path, &text.as_bytes()[..text.len().min(9)])
        };
        let package = "\n{\"profile\": \"multi-wacz-package\", \"resources\": [{\"name\": \"a\", \"path\": \"a.wacz\"}, {\"name\": \"b.wacz\", \
            \"hash\": \"sha256:1\"}, {}]}";
        assert_eq!(of(package), Some(vec!["a.wacz".to_owned(), "b.wacz".to_owned()]));
        for other in [&package.replace("multi-wacz", "data"), &package[..50], "[]", "", "{\"url\": \"x\"}"] {
            assert_eq!(of(other), None, "{other}");
        }
        // The data has no end, and no more than its first line is read.
        let lines = b"{\"url\": \"x\"}\n".chain(std::io::repeat(b'{'));
        assert_eq!(names_in(lines), None);
        std::fs::write(folder.path().join("a.wacz"), "x").expect("room on the disk");
        assert_eq!(check(folder.path(), "./a.wacz"), Ok(()));
        for name in ["../a.wacz", "/a.wacz", "gone.wacz", "https://ex.org/a.wacz", ""] {
            assert!(check(folder.path(), name).is_err(), "{name}");
        }
    }
}
