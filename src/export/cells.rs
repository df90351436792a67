//! Rows as cells of a table, under the names of their columns.

use std::borrow::Cow;

use super::columns::{self, Value, values};
use super::exporter::{Extra, Job, Row, rounded};

/// The names of those columns that fit into cells; none where the first row is the header.
pub(super) fn columns(job: &Job) -> Vec<&'static str> {
    columns::written(job).into_iter().filter(|(_, kind)| kind.fits_a_cell()).map(|(name, _)| name).collect()
}

/// The cells of a row; `None` for content that does not fit into cells.
pub(super) fn cells<'r>(row: Row<'r>, extra: Extra) -> Option<Vec<Cow<'r, str>>> {
    match row {
        Row::Words(words) => Some(words.map(Cow::from).to_vec()),
        Row::Document(_) | Row::Rebuild(_) | Row::Unit(_) | Row::Page(_) => None,
        row => Some(values(row, extra)?.into_iter().filter_map(cell).collect()),
    }
}

fn cell(value: Value<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        Value::Text(text) => text,
        Value::Maybe(text) => text.unwrap_or_default(),
        Value::Real(number) => written(number).into(),
        Value::MaybeReal(number) => number.map(written).unwrap_or_default().into(),
        Value::Long(number) => number.to_string().into(),
        Value::Int(number) => number.to_string().into(),
        Value::MaybeInt(number) => number.map(|number| number.to_string()).unwrap_or_default().into(),
        Value::Flag(is_so) => is_so.to_string().into(),
        Value::Texts(_) | Value::Rows(_) => return None,
    })
}

/// A score, rounded as in all listings.
pub(super) fn score(score: f64) -> String {
    written(rounded(score))
}

/// The shortest text that reads back as a number, and always says that it is one with a fraction: `1.0`, `1e-7`.
fn written(number: f64) -> String {
    format!("{number:?}")
}
