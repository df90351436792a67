//! The dictionary of a zstd file. By the convention for WARC files, it is in a skippable frame at the beginning.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::codec::{Codec, skippable_length};
use super::window::Window;

/// How long the magic number of a zstd frame is.
const MAGIC_BYTES: usize = 4;

/// The first bytes of the skippable frame with the dictionary.
const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// The first bytes of a zstd dictionary.
const CONTENT_MAGIC: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];
/// The header of a skippable frame: magic number and length.
pub(super) const FRAME_HEADER_BYTES: usize = 8;
/// The longest dictionary that is accepted, in bytes; the tools of the convention make dictionaries of 100 kB to 1 MB.
const MAX_DICTIONARY_BYTES: usize = 32 << 20;

/// True for the skippable frame that holds a dictionary.
pub(super) fn holds_dictionary(head: &[u8]) -> bool {
    head.starts_with(&DICTIONARY_MAGIC) && skippable_length(head).is_some_and(|n| n <= MAX_DICTIONARY_BYTES as u64)
}

/// The dictionary in a frame's content, which may itself be compressed.
pub(super) fn of_frame(content: &[u8]) -> Result<Vec<u8>, String> {
    if !Codec::Zstd.begins(content) {
        return Ok(content.to_vec());
    }
    let limit = MAX_DICTIONARY_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(content).map_err(|error| error.to_string())?;
    decoder.take(limit).read_to_end(&mut bytes).map_err(|error| format!("dictionary: {error}"))?;
    if bytes.len() as u64 == limit {
        return Err(format!("dictionary longer than {MAX_DICTIONARY_BYTES} bytes"));
    }
    Ok(bytes)
}

/// The dictionary that applies at `anchor`: that of the last dictionary frame before it.
pub(super) fn before(file: &mut File, anchor: u64) -> std::io::Result<Vec<u8>> {
    if anchor == 0 {
        return Ok(Vec::new());
    }
    // Frames do not say how long they are, so dictionaries are found by searching for their first bytes. A false find is not a dictionary
    // of the frames that follow, and the frame of a true one begins with its own magic number or with a zstd frame.
    let mut window = Window::new(Box::new(file.try_clone()?), 0);
    file.seek(SeekFrom::Start(0))?;
    let mut found = Vec::new();
    while window.fill(FRAME_HEADER_BYTES)? && window.offset() < anchor {
        let Some(at) = memchr::memmem::find(window.bytes(), &DICTIONARY_MAGIC) else {
            window.consume(window.bytes().len() + 1 - MAGIC_BYTES);
            continue;
        };
        window.consume(at);
        window.fill(FRAME_HEADER_BYTES)?;
        if window.offset() < anchor
            && holds_dictionary(window.bytes())
            && let Some(length) = skippable_length(window.bytes())
            && window.fill(length as usize)?
        {
            let content = &window.bytes()[FRAME_HEADER_BYTES..length as usize];
            let is_dictionary = content.starts_with(&CONTENT_MAGIC) || Codec::Zstd.begins(content);
            if (is_dictionary || window.offset() == 0)
                && let Ok(dictionary) = of_frame(content)
            {
                found = dictionary;
                window.consume(length as usize);
                continue;
            }
        }
        let count = window.bytes().len().min(MAGIC_BYTES);
        window.consume(count);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn frame(magic: [u8; 4], content: &[u8]) -> Vec<u8> {
        [magic.as_slice(), &(content.len() as u32).to_le_bytes(), content].concat()
    }

    #[test]
    fn a_dictionary_may_itself_be_compressed() {
        let plain = b"words that come often".to_vec();
        let compressed = zstd::encode_all(plain.as_slice(), 3).expect("memory");
        assert_eq!(of_frame(&plain), Ok(plain.clone()));
        assert_eq!(of_frame(&compressed), Ok(plain));
        assert!(of_frame(&compressed[..compressed.len() - 2]).is_err());
    }

    #[test]
    fn only_frames_of_dictionaries_hold_one() {
        assert!(holds_dictionary(&frame(DICTIONARY_MAGIC, b"x")));
        assert!(!holds_dictionary(&frame([0x50, 0x2a, 0x4d, 0x18], b"x")));
        assert!(!holds_dictionary(&DICTIONARY_MAGIC), "the length is missing");
        let longest = [DICTIONARY_MAGIC.as_slice(), &u32::MAX.to_le_bytes()].concat();
        assert!(!holds_dictionary(&longest));
    }

    #[test]
    fn the_last_dictionary_before_a_member_is_in_force() {
        let [first, second] = [b"first", b"secnd"].map(|name| [CONTENT_MAGIC.as_slice(), name].concat());
        let frames = [frame(DICTIONARY_MAGIC, &first), b"members".to_vec(), frame(DICTIONARY_MAGIC, &second)];
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&frames.concat()).expect("room on the disk");
        let between = frames[0].len() as u64 + 3;
        let end = frames.concat().len() as u64;
        for (anchor, expected) in [(0, &[][..]), (between, &first), (end, &second)] {
            assert_eq!(before(&mut file, anchor).expect("readable"), expected, "before {anchor}");
        }
    }
}
