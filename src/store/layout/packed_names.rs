//! Names of records and digests of payloads, as WARC files write them, in few bytes: the first byte says how the rest is written.
//!
//! Whatever is written in the usual way takes the bytes that it stands for; anything else is kept as text. Both come back letter by letter.

const TEXT: u8 = 0;
const UUID: u8 = 1;
const SHA1_BASE32: u8 = 1;
const SHA1_HEX: u8 = 2;
const SHA256_HEX: u8 = 3;

/// Where the hyphens of a UUID stand.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
/// The alphabet of base 32 (RFC 4648, §6).
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The bytes of a `WARC-Record-ID`; none where it is empty.
pub fn pack_id(id: &str) -> Vec<u8> {
    let uuid = || {
        let uuid =
            id.strip_prefix("<urn:uuid:")?.strip_suffix('>').filter(|uuid| uuid.len() == 36 && uuid.is_ascii())?;
        HYPHENS.iter().all(|&at| uuid.as_bytes()[at] == b'-').then(|| from_hex(&uuid.replace('-', "")))?
    };
    packed(id, uuid().filter(|uuid| uuid.len() == 16).map(|uuid| (UUID, uuid)))
}

/// The id of these bytes; empty where there are none. `None` for bytes that no id has.
pub fn unpack_id(bytes: &[u8]) -> Option<String> {
    match bytes.split_first() {
        None => Some(String::new()),
        Some((&UUID, uuid)) if uuid.len() == 16 => {
            let mut text = hex(uuid);
            HYPHENS.iter().for_each(|&at| text.insert(at, '-'));
            Some(format!("<urn:uuid:{text}>"))
        }
        Some((&TEXT, text)) => String::from_utf8(text.to_vec()).ok(),
        Some(_) => None,
    }
}

/// The bytes of a `WARC-Payload-Digest`; none where it is empty.
pub fn pack_digest(digest: &str) -> Vec<u8> {
    let known = digest.split_once(':').and_then(|(name, value)| match (name, value.len()) {
        ("sha1", 32) => Some((SHA1_BASE32, from_base32(value)?)),
        ("sha1", 40) => Some((SHA1_HEX, from_hex(value)?)),
        ("sha256", 64) => Some((SHA256_HEX, from_hex(value)?)),
        _ => None,
    });
    packed(digest, known)
}

/// The digest of these bytes; empty where there are none. `None` for bytes that no digest has.
pub fn unpack_digest(bytes: &[u8]) -> Option<String> {
    match bytes.split_first() {
        None => Some(String::new()),
        Some((&SHA1_BASE32, hash)) if hash.len() == 20 => Some(format!("sha1:{}", base32(hash))),
        Some((&SHA1_HEX, hash)) if hash.len() == 20 => Some(format!("sha1:{}", hex(hash))),
        Some((&SHA256_HEX, hash)) if hash.len() == 32 => Some(format!("sha256:{}", hex(hash))),
        Some((&TEXT, text)) => String::from_utf8(text.to_vec()).ok(),
        Some(_) => None,
    }
}

fn packed(text: &str, known: Option<(u8, Vec<u8>)>) -> Vec<u8> {
    let (how, mut bytes) = match known {
        Some(known) => known,
        None if text.is_empty() => return Vec::new(),
        None => (TEXT, text.as_bytes().to_vec()),
    };
    bytes.insert(0, how);
    bytes
}

/// Lower-case digits as bytes; `None` where there are others.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Eight digits stand for five bytes.
fn from_base32(digits: &str) -> Option<Vec<u8>> {
    let (groups, []) = digits.as_bytes().as_chunks::<8>() else { return None };
    let mut bytes = Vec::new();
    for group in groups {
        let number = group.iter().try_fold(0u64, |number, digit| {
            Some(number << 5 | BASE32.iter().position(|known| known == digit)? as u64)
        })?;
        bytes.extend(&number.to_be_bytes()[3..]);
    }
    Some(bytes)
}

fn base32(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for group in bytes.chunks_exact(5) {
        let number = group.iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
        digits.extend((0..8).rev().map(|at| char::from(BASE32[(number >> (5 * at)) as usize & 31])));
    }
    digits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn usual_names_take_few_bytes() {
        let id = "<urn:uuid:9fd4b2ed-3bd6-4b02-96f5-e83e6fa3d1b5>";
        assert_eq!(pack_id(id).len(), 17);
        let digests = [
            ("sha1:RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU", 21),
            ("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", 21),
            ("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 33),
            ("md5:d41d8cd98f00b204e9800998ecf8427e", 37),
        ];
        for (digest, bytes) in digests {
            assert_eq!(pack_digest(digest).len(), bytes, "{digest}");
            assert_eq!(unpack_digest(&pack_digest(digest)).as_deref(), Some(digest));
        }
        assert!(pack_id("").is_empty() && pack_digest("").is_empty());
    }

    proptest! {
        #[test]
        fn any_name_comes_back_as_it_was(
            id in "(<urn:uuid:[0-9a-fA-F]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}>|.{0,40}|<urn:uuid:.{36}>)",
            digest in "(sha1:[A-Z2-7]{32}|sha1:[A-Z0-9]{32}|sha1:[0-9a-fA-F]{40}|sha256:[0-9a-f]{64}|[a-z0-9]{3,6}:.{0,40})",
        ) {
            prop_assert_eq!(unpack_id(&pack_id(&id)), Some(id));
            prop_assert_eq!(unpack_digest(&pack_digest(&digest)), Some(digest));
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = (unpack_id(&bytes), unpack_digest(&bytes));
        }
    }
}
