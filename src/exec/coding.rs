//! Encodes the data of rows: values in compact form, compressed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::store::layout::{PageEntry, SkipEntry};
use crate::store::{Captures, pack, unpack};
use crate::types::{Lang, LangPair};

/// Two languages, in the form in which they stand in rows.
pub type Langs = [[u8; 8]; 2];

/// A value as bytes.
///
/// # Errors
/// When it is longer than 2 GiB.
pub fn encode(value: &impl Serialize) -> Result<Vec<u8>> {
    let bytes = postcard::to_stdvec(value).map_err(|error| Error::input("a row", error.to_string()))?;
    pack(&bytes).map_err(Error::io("memory", "compressing a row"))
}

/// Decodes a value; `None` where the bytes are not one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(&unpack(bytes)?).ok()
}

/// A language pair, in the form in which it stands in rows.
pub fn of_langs(langs: LangPair) -> Langs {
    [langs.a.to_bytes(), langs.b.to_bytes()]
}

/// The language pair of a row, whose languages must be in order.
///
/// # Errors
/// When they are not a language pair.
pub fn langs_of([a, b]: Langs) -> Result<LangPair> {
    let langs = LangPair::new(Lang::from_bytes(a), Lang::from_bytes(b));
    langs.filter(|&langs| of_langs(langs) == [a, b]).ok_or_else(|| Error::input("a row", "expected two languages"))
}

/// The name of a language pair.
pub fn name_of(langs: LangPair) -> String {
    format!("{}-{}", langs.a, langs.b)
}

/// Joins two byte strings into one.
pub fn joined(first: &[u8], second: &[u8]) -> Vec<u8> {
    [&(first.len() as u64).to_le_bytes(), first, second].concat()
}

/// Splits a joined byte string.
pub fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// Encodes captures: the facts about the pages, compressed, then the blocks, which are compressed already.
///
/// # Errors
/// When they are longer than 2 GiB.
pub fn of_captures(captures: &Captures) -> Result<Vec<u8>> {
    let lengths: Vec<usize> = captures.blocks.iter().map(Vec::len).collect();
    let head = encode(&(&captures.pages, &captures.skipped, lengths))?;
    Ok(joined(&head, &captures.blocks.concat()))
}

/// Decodes captures; `None` where the bytes are not captures.
pub fn captures_of(bytes: &[u8]) -> Option<Captures> {
    let (head, mut rest) = split(bytes)?;
    let (pages, skipped, lengths): (Vec<PageEntry>, Vec<SkipEntry>, Vec<usize>) = decode(head)?;
    let mut blocks = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (block, tail) = rest.split_at_checked(length)?;
        blocks.push(block.to_vec());
        rest = tail;
    }
    rest.is_empty().then_some(Captures { pages, skipped, blocks })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_come_back_and_any_bytes_are_read_without_harm(
            value in prop::collection::vec((any::<u64>(), ".{0,9}"), 0..50),
            bytes in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            let coded = encode(&value).expect("it is short");
            prop_assert_eq!(decode::<Vec<(u64, String)>>(&coded).expect("its bytes"), value);
            let mut bytes = bytes;
            if let Some(high) = bytes.get_mut(3) {
                *high = 0;
            }
            let _ = decode::<Vec<(u64, String)>>(&bytes);
            let _ = split(&bytes);
            let (first, second) = bytes.split_at(bytes.len() / 3);
            let together = joined(first, second);
            prop_assert_eq!(split(&together), Some((first, second)));
        }
    }
}
