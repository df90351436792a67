//! What an archive is, whatever its name.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::error::{Error, Result};

/// What an archive is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Where it lies.
    pub path: PathBuf,
    /// How long it is; a mirror: all its files.
    pub bytes: u64,
    /// Hash of its length and its ends; of a mirror, of the names and lengths of its files.
    pub fingerprint: u64,
}

/// What an archive is, by its bytes rather than its name: it may have been moved since.
///
/// # Errors
/// When it cannot be read.
pub fn identify(path: &Path) -> Result<Identity> {
    let mut hasher = Xxh3::new();
    let mut bytes = 0;
    if path.is_dir() {
        for (name, length) in listing(path)? {
            hasher.update(name.as_bytes());
            hasher.update(&length.to_le_bytes());
            bytes += length;
        }
    } else {
        bytes = hash_ends(path, &mut hasher).map_err(Error::io(path, "reading"))?;
    }
    hasher.update(&bytes.to_le_bytes());
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    Ok(Identity { path, bytes, fingerprint: hasher.digest() })
}

/// Bytes at each end of a file that tell it from others.
const END_BYTES: u64 = 64 << 10;

fn hash_ends(path: &Path, hasher: &mut Xxh3) -> std::io::Result<u64> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut buffer = Vec::new();
    file.by_ref().take(END_BYTES).read_to_end(&mut buffer)?;
    if bytes > END_BYTES {
        file.seek(SeekFrom::Start(bytes.saturating_sub(END_BYTES)))?;
        file.take(END_BYTES).read_to_end(&mut buffer)?;
    }
    hasher.update(&buffer);
    Ok(bytes)
}

/// The files of a mirror and their lengths, sorted by name.
fn listing(folder: &Path) -> Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).map_err(Error::io(&current, "listing"))? {
            let entry = entry.map_err(Error::io(&current, "listing"))?;
            let kind = entry.file_type().map_err(Error::io(entry.path(), "listing"))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let length = entry.metadata().map_err(Error::io(entry.path(), "listing"))?.len();
                let path = entry.path();
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
                files.push((name, length));
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_under_another_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let [first, second, other] = ["a.warc", "b.warc", "c.warc"].map(|name| folder.path().join(name));
        fs::write(&first, "WARC/1.0\r\n").expect("a file");
        fs::copy(&first, &second).expect("a file");
        fs::write(&other, "WARC/1.1\r\n").expect("a file");
        let fingerprint = |path: &Path| identify(path).expect("an archive").fingerprint;
        assert_eq!(fingerprint(&first), fingerprint(&second));
        assert_ne!(fingerprint(&first), fingerprint(&other));
        let listed = listing(folder.path()).expect("a folder");
        assert_eq!(listed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a.warc", "b.warc", "c.warc"]);
    }
}
