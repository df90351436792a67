//! Identifies an archive by its content, whatever its name.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::error::{Error, Result};
use crate::files;

/// What the file system knows of a file or mirror; the bytes are not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The full path.
    pub path: PathBuf,
    /// The length; for a mirror, that of all its files.
    pub bytes: u64,
    /// Hash of its length and of the times when its content and its entry were last changed; for a mirror, also of the names of its files.
    /// While it stays the same, the bytes are taken to be the same.
    pub stamp: u64,
}

/// Asks the file system about the file or mirror at `path`.
///
/// # Errors
/// When it cannot be listed.
pub fn stat(path: &Path) -> Result<Stat> {
    let mut hasher = Xxh3::new();
    let mut bytes = 0;
    let mut add = |metadata: &Metadata| {
        hasher.update(&metadata.len().to_le_bytes());
        changes(metadata).into_iter().for_each(|time| hasher.update(&time.to_le_bytes()));
        bytes += metadata.len();
    };
    if path.is_dir() {
        let files = listing(path)?;
        files.iter().for_each(|file| add(&file.metadata));
        files.iter().for_each(|file| hasher.update(file.name.as_encoded_bytes()));
    } else {
        add(&fs::metadata(path).map_err(Error::io(path, "reading"))?);
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    Ok(Stat { path, bytes, stamp: hasher.digest() })
}

/// The times when the bytes of a file and its entry were last changed, in nanoseconds since 1970 where known. A program can set the first
/// one at will, but not the second.
fn changes(metadata: &Metadata) -> [i128; 2] {
    let modified = files::modified(metadata).map_or(0, |since| since.as_nanos() as i128);
    #[cfg(unix)]
    let entry = {
        use std::os::unix::fs::MetadataExt;
        i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())
    };
    #[cfg(not(unix))]
    let entry = 0;
    [modified, entry]
}

/// How many bytes are read at a time: enough to make the cost of a call negligible.
const READ_BYTES: usize = 1 << 20;
/// Seed of the hashes of archives.
const SEED: u64 = 0x6469_676c_6f74_0002;

/// Hash of all bytes of an archive; for a mirror, of the names and bytes of its files, and of its `origin`, where its own name says one.
/// `told` is called with the number of bytes read so far, from any thread, and may stop the work by an error.
///
/// # Errors
/// When it cannot be read, and what `told` returns.
pub(super) fn fingerprint(path: &Path, origin: Option<&str>, told: &(dyn Fn(u64) -> Result<()> + Sync)) -> Result<u64> {
    let read = AtomicU64::new(0);
    let told = |count: usize| told(read.fetch_add(count as u64, Ordering::Relaxed) + count as u64);
    if !path.is_dir() {
        return hash_file(path, &told);
    }
    let files = listing(path)?;
    let hashes: Vec<u64> =
        files.par_iter().map(|file| hash_file(&path.join(&file.name), &told)).collect::<Result<_>>()?;
    let mut hasher = Xxh3::with_seed(SEED);
    for (file, hash) in files.iter().zip(hashes) {
        hasher.update(&(file.name.len() as u64).to_le_bytes());
        hasher.update(file.name.as_encoded_bytes());
        hasher.update(&hash.to_le_bytes());
    }
    if let Some(origin) = origin {
        hasher.update(origin.as_bytes());
    }
    Ok(hasher.digest())
}

fn hash_file(path: &Path, told: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<u64> {
    let mut file = files::open(path).map_err(Error::io(path, "reading"))?;
    let mut hasher = Xxh3::with_seed(SEED);
    // A smaller buffer for small files, of which a mirror has many.
    let bytes = file.metadata().map_or(READ_BYTES, |metadata| usize::try_from(metadata.len()).unwrap_or(READ_BYTES));
    let mut buffer = vec![0; (bytes + 1).min(READ_BYTES)];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.digest()),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                told(count)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(path, "reading")(error)),
        }
    }
}

/// A file of a mirror.
struct Listed {
    /// Its path below the mirror.
    name: OsString,
    metadata: Metadata,
}

/// The files of a mirror, sorted by name.
fn listing(folder: &Path) -> Result<Vec<Listed>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).map_err(Error::io(&current, "listing"))? {
            let entry = entry.map_err(Error::io(&current, "listing"))?;
            let kind = entry.file_type().map_err(Error::io(entry.path(), "listing"))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let metadata = entry.metadata().map_err(Error::io(entry.path(), "listing"))?;
                let path = entry.path();
                let name = path.strip_prefix(folder).unwrap_or(&path).as_os_str().to_owned();
                files.push(Listed { name, metadata });
            }
        }
    }
    files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn print(path: &Path) -> u64 {
        fingerprint(path, None, &|_| Ok(())).expect("an archive")
    }

    #[test]
    fn a_file_is_the_same_under_another_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let [first, second, other] = ["a.warc", "b.warc", "c.warc"].map(|name| folder.path().join(name));
        fs::write(&first, "WARC/1.0\r\n").expect("a file");
        fs::copy(&first, &second).expect("a file");
        fs::write(&other, "WARC/1.1\r\n").expect("a file");
        assert_eq!(print(&first), print(&second));
        assert_ne!(print(&first), print(&other));
        let listed = listing(folder.path()).expect("a folder");
        assert_eq!(listed.iter().map(|file| file.name.as_os_str()).collect::<Vec<_>>(), ["a.warc", "b.warc", "c.warc"]);
    }

    #[test]
    fn files_that_differ_in_the_middle_only_are_not_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.warc");
        let mut bytes = vec![b'x'; 3 << 20];
        fs::write(&path, &bytes).expect("a file");
        let (all, in_folder) = (print(&path), print(folder.path()));
        bytes[1 << 20] = b'y';
        fs::write(&path, &bytes).expect("a file");
        assert_ne!(print(&path), all);
        assert_ne!(print(folder.path()), in_folder, "a mirror is its bytes too");
        let of = |origin| fingerprint(folder.path(), Some(origin), &|_| Ok(())).expect("a mirror");
        assert!(of("a.org") != of("b.org") && of("a.org") != print(folder.path()), "and what its name says");
    }

    #[test]
    fn a_stamp_changes_with_the_bytes_even_where_length_and_date_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.warc");
        fs::write(&path, "one").expect("a file");
        let before = [stat(&path).expect("a file"), stat(folder.path()).expect("a folder")];
        assert_eq!(before, [stat(&path).expect("a file"), stat(folder.path()).expect("a folder")]);
        assert_eq!(before.clone().map(|stat| stat.bytes), [3, 3]);
        let date = fs::metadata(&path).expect("a file").modified().expect("a date");
        // File systems record times in steps of a few milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::write(&path, "two").expect("a file");
        File::options().write(true).open(&path).and_then(|file| file.set_modified(date)).expect("a file");
        let after = [stat(&path).expect("a file"), stat(folder.path()).expect("a folder")];
        if cfg!(unix) {
            assert_ne!(before.map(|stat| stat.stamp), after.map(|stat| stat.stamp));
        }
    }

    #[test]
    fn hashing_ends_when_it_is_told_to() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a"), "text").expect("a file");
        let stopped = fingerprint(folder.path(), None, &|_| Err(Error::Interrupted));
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    }
}
