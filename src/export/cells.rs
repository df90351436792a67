//! Rows as cells of a table, under the names of their columns.

use std::borrow::Cow;

use super::exporter::{Content, Row, rounded};

/// The names of the columns; none where the first row is the header, or there are no columns.
pub(super) fn columns(content: Content) -> &'static [&'static str] {
    match content {
        Content::Pairs => &["url_a", "url_b", "lang_a", "lang_b", "score", "method", "key"],
        Content::Bitext => &["text_a", "text_b", "lang_a", "lang_b", "score", "url_a", "url_b", "others", "reason"],
        Content::Fetch => &["warc_filename", "offset", "length", "url"],
        // In a lexicon, the two languages are the header.
        Content::Lexicon | Content::Documents | Content::Pages | Content::Warc => &[],
    }
}

/// The cells of a row; `None` for content that does not fit into cells.
pub(super) fn cells<'r>(row: Row<'r>) -> Option<Vec<Cow<'r, str>>> {
    Some(match row {
        Row::Pair(pair) => vec![
            pair.url_a.as_str().into(),
            pair.url_b.as_str().into(),
            pair.lang_a.as_str().to_owned().into(),
            pair.lang_b.as_str().to_owned().into(),
            score(pair.score).into(),
            pair.method.into(),
            pair.key.as_str().into(),
        ],
        Row::Sentences(line) => vec![
            line.text_a.as_str().into(),
            line.text_b.as_str().into(),
            line.lang_a.as_str().to_owned().into(),
            line.lang_b.as_str().to_owned().into(),
            score(line.score).into(),
            line.a.url.as_str().into(),
            line.b.url.as_str().into(),
            line.others.len().to_string().into(),
            line.reason.unwrap_or("").into(),
        ],
        Row::Capture(line) => vec![
            line.file.as_str().into(),
            line.offset.to_string().into(),
            line.length.to_string().into(),
            line.url.as_str().into(),
        ],
        Row::Words(words) => words.map(Cow::from).to_vec(),
        Row::Document(_) | Row::Page(_) | Row::Record(_) => return None,
    })
}

/// A number that always has a decimal point: `1.0`.
pub(super) fn score(score: f64) -> String {
    format!("{:?}", rounded(score))
}
