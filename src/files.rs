//! Opens files that others wrote or named, in such a way that reading them ends, and that no other file is read in their place.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use xxhash_rust::xxh3::xxh3_64;

/// The most bytes of a text file that is read into memory: word lists, lists of inputs, gold, the log of a mirror. Such files, made by hand
/// or for one crawl, have a hundredth of this.
pub const MAX_TEXT_BYTES: u64 = 256 << 20;

/// Opens a regular file. Whatever else has that name is refused without waiting for it: a pipe may never say anything, and a
/// device need not end.
///
/// # Errors
/// When the name is not that of a regular file, or the file cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    regular(system::open(path)?)
}

/// The same, as the options say: to write, or to make where there is none.
///
/// # Errors
/// When there is something else of that name, or it cannot be opened.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    regular(system::open_with(options, path)?)
}

/// All of a regular file.
///
/// # Errors
/// When the name is not that of a regular file, or the file cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file that the user gave for a setting. Results depend on its name and contents, wherever it lies.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct GivenFile {
    /// Where it is.
    #[serde(skip)]
    pub path: PathBuf,
    /// The file's name, which may tell its languages, and a hash of its bytes; or its path, if it cannot be read.
    contents: String,
}

impl GivenFile {
    /// The file as it is now.
    pub fn new(path: impl Into<PathBuf>) -> GivenFile {
        let path = path.into();
        let mut bytes = Vec::new();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let contents = match open(&path).and_then(|file| text(file).read_to_end(&mut bytes)) {
            Ok(_) => format!("{name} {:016x}", xxh3_64(&bytes)),
            Err(_) => path.to_string_lossy().into_owned(),
        };
        GivenFile { path, contents }
    }
}

/// When a file was last changed, since 1970; `None` where that is not known.
pub fn modified(metadata: &Metadata) -> Option<Duration> {
    metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()
}

/// The same in milliseconds; 0 where that is not known.
pub fn modified_ms(metadata: &Metadata) -> i64 {
    modified(metadata).and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0)
}

/// Opens a regular file by a name that stands in an input: below `folder`, and by way of no symbolic link. The folder itself may be
/// one.
///
/// # Errors
/// [`is_refusal`] when the name leads elsewhere, or to no regular file; else why it cannot be opened.
pub fn open_below(folder: &Path, name: impl AsRef<Path>) -> io::Result<File> {
    let mut parts = Vec::new();
    for part in name.as_ref().components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            _ => return Err(refusal("leads out of its folder")),
        }
    }
    let last = parts.pop().ok_or_else(|| refusal("names no file"))?;
    regular(system::open_below(folder, &parts, last)?)
}

/// Makes the names in a folder durable. An empty path, which is what stands above a bare name of a file, is the present folder.
///
/// # Errors
/// When the disk does not take it. Not every system opens or syncs folders: where it does not, names are durable by themselves or not at
/// all.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let opened = match File::open(here) {
        Err(_) if !cfg!(unix) => return Ok(()),
        opened => opened?,
    };
    match opened.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// True when a file was refused for what it is or where it lies; other errors are those of the system.
pub fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
}

fn refusal(problem: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem)
}

/// The open file is examined, not the name, which may have meant another file a moment ago.
fn regular(file: File) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        Ok(file)
    } else if kind.is_dir() {
        Err(refusal("a folder, expected a file"))
    } else {
        Err(refusal("a pipe or device, expected a file"))
    }
}

/// Reads up to [`MAX_TEXT_BYTES`], and fails where there is more.
pub fn text<R: Read>(reader: R) -> impl Read + use<R> {
    AtMost { reader, max: MAX_TEXT_BYTES, left: MAX_TEXT_BYTES }
}

struct AtMost<R> {
    reader: R,
    max: u64,
    left: u64,
}

impl<R: Read> Read for AtMost<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more is read, to notice that the file is longer.
        let most = usize::try_from(self.left.saturating_add(1)).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.reader.read(&mut buffer[..most])?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let problem = format!("longer than {} bytes, the most that is taken into memory of a text file", self.max);
            io::Error::new(io::ErrorKind::FileTooLarge, problem)
        })?;
        Ok(count)
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    use crate::files::refusal;

    /// Opening never waits, and never makes a terminal that of the program. Reading is not affected.
    const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

    pub fn open(path: &Path) -> io::Result<File> {
        openat(CWD, path, READ, Mode::empty()).map(File::from).map_err(of_system)
    }

    pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        let never_waits = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(never_waits.bits() as i32).open(path).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::NXIO | Errno::OPNOTSUPP) => refusal("a pipe or device, expected a file"),
            Some(Errno::ISDIR) => refusal("a folder, expected a file"),
            _ => error,
        })
    }

    /// Goes from folder to folder by open handles, so that nobody can put a link in between.
    pub fn open_below(folder: &Path, parts: &[&OsStr], last: &OsStr) -> io::Result<File> {
        let folders = READ | OFlags::DIRECTORY;
        let mut at = openat(CWD, folder, folders, Mode::empty())?;
        for part in parts {
            at = openat(&at, *part, folders | OFlags::NOFOLLOW, Mode::empty()).map_err(of_system)?;
        }
        openat(&at, last, READ | OFlags::NOFOLLOW, Mode::empty()).map(File::from).map_err(of_system)
    }

    fn of_system(error: Errno) -> io::Error {
        match error {
            Errno::LOOP | Errno::MLINK => refusal("a symbolic link, which is not followed"),
            Errno::NOTDIR => refusal("behind a symbolic link, which is not followed, or behind what is no folder"),
            Errno::NXIO | Errno::OPNOTSUPP => refusal("a pipe or device, expected a file"),
            other => other.into(),
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::ffi::OsStr;
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::path::Path;

    use crate::files::refusal;

    pub fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.open(path)
    }

    pub fn open_below(folder: &Path, parts: &[&OsStr], last: &OsStr) -> io::Result<File> {
        let mut path = folder.to_owned();
        for part in parts.iter().chain([&last]) {
            path.push(part);
            if fs::symlink_metadata(&path)?.is_symlink() {
                return Err(refusal("a symbolic link, which is not followed"));
            }
        }
        File::open(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_up_to_its_bound_and_no_further() {
        let read = |bytes: &[u8], max| {
            let mut all = Vec::new();
            AtMost { reader: bytes, max, left: max }.read_to_end(&mut all).map(|_| all)
        };
        assert_eq!(read(b"abc", 3).expect("as long as may be"), b"abc");
        let error = read(b"abcd", 3).expect_err("too long").to_string();
        assert!(error.starts_with("longer than 3 bytes"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_an_input_names_is_opened_below_its_folder_only() {
        let outer = tempfile::tempdir().expect("a folder");
        let folder = outer.path().join("in");
        std::fs::create_dir_all(folder.join("a")).expect("room on the disk");
        let link = |target: &Path, name: &str| std::os::unix::fs::symlink(target, folder.join(name)).expect("a link");
        std::fs::write(outer.path().join("secret"), "no").expect("room on the disk");
        std::fs::write(folder.join("a/file"), "yes").expect("room on the disk");
        link(&outer.path().join("secret"), "a/link");
        link(outer.path(), "up");
        link(Path::new("a"), "same");
        link(&folder, "../linked");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .expect("a pipe");
        for folder in [folder.clone(), outer.path().join("linked")] {
            assert_eq!(io::read_to_string(open_below(&folder, "./a/file").expect("a file")).expect("a file"), "yes");
        }
        let outside = outer.path().join("secret").display().to_string();
        for name in ["a/link", "up/secret", "same/file", "../secret", &outside, "", "a", "pipe", "a/file/x"] {
            let error = open_below(&folder, name).map(|_| ()).expect_err(name);
            assert!(is_refusal(&error), "{name}: {error}");
        }
        assert!(!is_refusal(&open_below(&folder, "gone").expect_err("not there")));
        let error = open(&folder.join("pipe")).expect_err("a pipe");
        assert!(is_refusal(&error) && error.to_string().contains("pipe"), "{error}");
    }
}
