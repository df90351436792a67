//! The files of segments: their names, their lengths, and reading them without a map.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::format::{FORMAT_VERSION, other_format};
use super::frames::{FILE_HEADER, format_of, is_foreign};
use crate::error::{Error, Result};
use crate::files;

/// Length at which a new segment is begun; small in the unit tests, so that files there have several segments.
pub const SEGMENT_BYTES: u64 = if cfg!(test) { 1 << 14 } else { 1 << 30 };

/// The file of a segment and the bytes of its header that exist; `None` where there is no file.
fn begun(path: &Path) -> Result<Option<(File, [u8; FILE_HEADER as usize])>> {
    let file = match files::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(Error::io(path, "opening"))?,
    };
    let mut header = [0; FILE_HEADER as usize];
    read_at(&file, &mut header, 0).map_err(Error::io(path, "reading"))?;
    Ok(Some((file, header)))
}

/// The length of the file of a segment; `None` where there is none, or the file is that of another segment or kind.
///
/// # Errors
/// When it cannot be read.
pub fn own_length(path: &Path, kind: u32, segment: u32) -> Result<Option<u64>> {
    let Some((file, header)) = begun(path)? else { return Ok(None) };
    let length = file.metadata().map_err(Error::io(path, "reading its length"))?.len();
    Ok((!is_foreign(&header, kind, segment)).then_some(length))
}

/// Checks that a segment, if it exists, is of the current format.
///
/// # Errors
/// When it is of another format, or cannot be read. The error names the folder of the store.
pub fn refuse_other_format(store: &Path, path: &Path) -> Result<()> {
    let format = begun(path)?.and_then(|(_, header)| format_of(&header));
    let other = format.filter(|&format| format != FORMAT_VERSION);
    other.map_or(Ok(()), |format| Err(other_format(store, u64::from(format))))
}

/// The path of a segment.
pub fn segment_path(folder: &Path, segment: u32) -> PathBuf {
    folder.join(format!("{segment:06}.rec"))
}

/// Reads bytes at an offset; fewer where the file ends.
///
/// # Errors
/// When they cannot be read.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<usize> {
    use std::os::unix::fs::FileExt;
    read_whole(bytes, offset, |bytes, offset| file.read_at(bytes, offset))
}

/// Reads bytes at an offset; fewer where the file ends.
///
/// # Errors
/// When they cannot be read.
#[cfg(windows)]
pub fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<usize> {
    use std::os::windows::fs::FileExt;
    read_whole(bytes, offset, |bytes, offset| file.seek_read(bytes, offset))
}

/// Reads until the bytes are full or the file ends.
fn read_whole(
    bytes: &mut [u8],
    offset: u64,
    read: impl Fn(&mut [u8], u64) -> std::io::Result<usize>,
) -> std::io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match read(&mut bytes[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
