//! WET records: text without markup, in Common Crawl's `conversion` records.

use crate::types::{Capture, RawRecord, RecordName, Skip, SkipReason};

/// Such a record becomes a capture unchanged.
pub(super) fn capture(record: RawRecord) -> Result<Capture, Skip> {
    let RawRecord { form, url, date_ms, offset, length, content_type, name, block, .. } = record;
    if block.is_empty() {
        return Err(Skip { reason: SkipReason::EmptyBody, offset, length, url, detail: String::new() });
    }
    Ok(Capture {
        form,
        url,
        date_ms,
        offset,
        length,
        status: 200,
        content_type,
        name: name.map_or_else(RecordName::default, |name| *name),
        body: block,
        ..Capture::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Form;

    #[test]
    fn a_text_is_a_capture_unless_it_is_empty() {
        let record = |text: &str| RawRecord { form: Form::Text, block: text.into(), ..RawRecord::default() };
        let capture_of_text = capture(record("Some words")).expect("a text");
        assert_eq!((capture_of_text.form, capture_of_text.body.as_slice()), (Form::Text, b"Some words".as_slice()));
        assert_eq!(capture(record("")).map_err(|skip| skip.reason), Err(SkipReason::EmptyBody));
    }
}
