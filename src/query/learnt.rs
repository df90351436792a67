//! What verification learnt.

use crate::error::Result;
use crate::store::Store;
use crate::store::records::RecordRef;
use crate::types::LangPair;

/// Words of two languages that verification learnt to be translations, the most probable first; `None` where it learnt nothing.
///
/// # Errors
/// When the store cannot be read.
pub fn learnt_words(store: &Store, langs: LangPair) -> Result<Option<Vec<[String; 2]>>> {
    let Some(head) = store.learnt_head(langs)? else { return Ok(None) };
    let record = store.learnt.read(RecordRef(head.record))?;
    Ok(Some(record.lexicon.iter().map(|row| [row.0.to_string(), row.1.to_string()]).collect()))
}
