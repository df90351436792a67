//! Reads the first bytes of a file, by which its kind and compression are detected.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::codec::{self, Codec};
use crate::error::{Error, Result};
use crate::files;

/// How many first bytes of a file are used to detect its kind.
const HEAD_BYTES: u64 = 4 << 10;
/// How much output of a member is examined to see whether a record begins there.
const PROBE_BYTES: usize = 4 << 10;

/// How many bytes suffice to detect a codec, and the window of a zstd frame.
pub(super) const CODEC_BYTES: usize = 18;

/// The first bytes of a file; empty for a folder.
pub(super) fn head_of(path: &Path) -> Result<Vec<u8>> {
    if path.is_dir() {
        return Ok(Vec::new());
    }
    let read = || -> io::Result<Vec<u8>> {
        let mut file = files::open(path)?;
        let mut head = Vec::new();
        file.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let needed = Codec::of(&head).probe_bytes() as u64;
        file.take(needed.saturating_sub(HEAD_BYTES)).read_to_end(&mut head)?;
        Ok(head)
    };
    read().map_err(Error::io(path, "reading"))
}

/// The codec of the data that begins at `reader`. Reads the first bytes.
pub(super) fn codec_of(reader: &mut impl Read) -> io::Result<Codec> {
    let mut head = [0; CODEC_BYTES];
    let count = read_up_to(reader, &mut head)?;
    Ok(Codec::of(&head[..count]))
}

pub(super) const BUFFER_BYTES: usize = 256 << 10;

/// The decompressed bytes of a file, which is compressed in any way that archives are, or not at all.
///
/// # Errors
/// When it cannot be read.
pub fn decompressed(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    let codec = codec_of(&mut files::open(path)?)?;
    decoded(path, codec)
}

/// The decompressed bytes of a file in a codec.
pub(super) fn decoded(path: &Path, codec: Codec) -> io::Result<Box<dyn BufRead + Send>> {
    let file = BufReader::with_capacity(BUFFER_BYTES, files::open(path)?);
    if codec == Codec::Plain {
        return Ok(Box::new(file));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, codec::reader(codec, file)?)))
}

/// Fills `buffer`, or as much of it as the file has data for.
pub(super) fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match file.read(&mut buffer[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// The beginning of the decompressed content of a file that begins with `head`, without leading blanks.
pub(super) fn content_head(head: &[u8]) -> Vec<u8> {
    let codec = Codec::of(head);
    let content = if codec == Codec::Plain { head.to_vec() } else { decoded_head(head, codec, &[]) };
    let blanks = content.iter().take_while(|byte| is_blank(**byte)).count();
    content[blanks..].to_vec()
}

/// The beginning of the content of the member that begins with `input`; empty where it cannot be decoded.
pub(super) fn decoded_head(input: &[u8], codec: Codec, dictionary: &[u8]) -> Vec<u8> {
    let mut output = vec![0; PROBE_BYTES];
    let (mut used, mut written) = (0, 0);
    let Ok(mut stream) = codec.stream(dictionary) else { return Vec::new() };
    while written < output.len() {
        let Ok(step) = stream.step(&input[used..], &mut output[written..]) else { break };
        used += step.used;
        written += step.written;
        if step.ended || (step.used == 0 && step.written == 0) {
            break;
        }
    }
    output.truncate(written);
    output
}

/// True for the bytes that may stand between records.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_holds_begins_behind_blanks() {
        let text = b"\r\n WARC/1.0 and more".as_slice();
        let compressed = zstd::encode_all(text, 3).expect("memory");
        for head in [text, &compressed] {
            assert_eq!(content_head(head), b"WARC/1.0 and more");
        }
        assert_eq!(content_head(&[0x28, 0xb5, 0x2f, 0xfd, 9]), b"", "what does not decode is nothing");
        assert_eq!(codec_of(&mut compressed.as_slice()).expect("memory"), Codec::Zstd);
        assert_eq!(codec_of(&mut b"x".as_slice()).expect("memory"), Codec::Plain);
    }

    #[test]
    fn a_folder_has_no_first_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("x"), vec![b'x'; 100_000]).expect("a file");
        assert_eq!(head_of(folder.path()).expect("a folder"), b"");
        assert_eq!(head_of(&folder.path().join("x")).expect("a file").len(), 64 << 10);
        assert!(head_of(&folder.path().join("gone")).is_err());
    }
}
