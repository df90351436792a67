//! A table for people: as wide as the terminal, numbers with their thousands set apart and equally many decimals below each other.

use std::io::{self, BufWriter, IsTerminal, Write, stdout};

use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};
use diglot::export::rows::printable;
use diglot::types::grouped;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::color;
use super::layout::{GAP, Wish, fit, natural, shorten_two};
use super::say::say;

/// Pairs of columns with URLs: the second goes below the first where there is no room for both side by side. The other pairs of columns
/// then do the same.
const BELOW: [(&str, &str); 2] = [("url_a", "url_b"), ("url", "from")];
const ALSO_BELOW: [(&str, &str); 1] = [("lang_a", "lang_b")];
/// Columns that hold places in files. Users copy these into commands, so their digits are not grouped.
const PLACES: [&str; 2] = ["offset", "length"];
/// Columns in which some words are coloured.
const STATES: [&str; 2] = ["state", "detail"];

/// The width of the terminal on stdout; `None` where stdout is not a terminal.
pub fn terminal_width() -> Option<usize> {
    if stdout().is_terminal() { Table::new().width().map(usize::from) } else { None }
}

/// A column of the table, and the one that stands below it.
type Shown = (usize, Option<usize>);

/// Prints a table, cut to the width of the terminal if there is one.
pub fn print(columns: &[&'static str], rows: &[Vec<Value>]) -> io::Result<()> {
    let cells = texts(columns, rows);
    let headings: Vec<String> = columns.iter().map(|column| column.to_uppercase().replace('_', " ")).collect();
    let wish = |at: usize| Wish {
        name: columns[at],
        values: cells.iter().map(|row| row[at].width()).max().unwrap_or(0),
        heading: headings[at].width(),
        word: headings[at].split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0),
        is_number: rows.iter().any(|row| row[at].is_number()),
        is_empty: !rows.is_empty() && rows.iter().all(|row| row[at].is_null()),
        is_stacked: false,
    };
    let wishes: Vec<Wish> = (0..columns.len()).map(wish).collect();
    let room = terminal_width().unwrap_or(usize::MAX);
    let (shown, wishes) = stacked(wishes, room);
    let fitted = fit(&wishes, room);
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.style_text_only();
    if color::is_on_stdout() {
        table.enforce_styling()
    } else {
        table.force_no_tty()
    };
    table.set_header(fitted.iter().map(|&(at, _)| {
        let (first, second) = shown[at];
        let below = second.map(|second| format!("\n{}", headings[second])).unwrap_or_default();
        Cell::new(headings[first].clone() + &below).add_attribute(Attribute::Bold)
    }));
    for row in &cells {
        table.add_row(fitted.iter().map(|&(at, width)| cell(shown[at], &wishes[at], row, width)));
    }
    for (column, (at, width)) in table.column_iter_mut().zip(&fitted) {
        // The padding includes the gap to the next column.
        column.set_padding((0, GAP as u16));
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed((width + GAP).try_into().unwrap_or(u16::MAX))));
        if wishes[*at].is_number {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = BufWriter::new(stdout().lock());
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    drop(out);
    let is_left_out = |at: &usize| !wishes[*at].is_empty && fitted.iter().all(|(kept, _)| kept != at);
    let left_out = (0..shown.len()).filter(is_left_out).flat_map(|at| [Some(shown[at].0), shown[at].1]);
    let left_out: Vec<&str> = left_out.flatten().map(|at| columns[at]).collect();
    if !left_out.is_empty() {
        say(format!("no room for {}; `--format tsv` has all columns", left_out.join(", ")));
    }
    Ok(())
}

/// The columns as they are shown: URLs of two pages below each other where the table is too narrow for them side by side.
fn stacked(mut wishes: Vec<Wish>, room: usize) -> (Vec<Shown>, Vec<Wish>) {
    let find = |name: &str| wishes.iter().position(|wish| wish.name == name);
    let both = |(first, second): &(&str, &str)| find(first).zip(find(second));
    let are_urls_below =
        natural(&wishes) > room && find("text_a").is_none() && BELOW.iter().any(|two| both(two).is_some());
    let below: Vec<(usize, usize)> =
        BELOW.iter().chain(&ALSO_BELOW).filter(|_| are_urls_below).filter_map(both).collect();
    for &(first, second) in &below {
        let [values, heading, word] = [first, second].iter().fold([0; 3], |[values, heading, word], &at| {
            let wish = &wishes[at];
            [values.max(wish.values), heading.max(wish.heading), word.max(wish.word)]
        });
        let above = &mut wishes[first];
        (above.values, above.heading, above.word, above.is_stacked) = (values, heading, word, true);
    }
    let is_below = |at: usize| below.iter().any(|(_, second)| *second == at);
    let second = |at: usize| below.iter().find(|(first, _)| *first == at).map(|(_, second)| *second);
    let shown: Vec<Shown> = (0..wishes.len()).filter(|at| !is_below(*at)).map(|at| (at, second(at))).collect();
    let wishes = wishes.into_iter().enumerate().filter(|(at, _)| !is_below(*at)).map(|(_, wish)| wish).collect();
    (shown, wishes)
}

/// A cell that fits its column.
fn cell((first, second): Shown, wish: &Wish, row: &[String], width: usize) -> Cell {
    let text = &row[first];
    let Some(second) = second else {
        let cell = Cell::new(wish.fitted(text, width));
        return match colored(wish.name, text) {
            Some(color) => cell.fg(color),
            None => cell,
        };
    };
    Cell::new(shorten_two(text, &row[second], width).join("\n"))
}

/// The colour of a state.
fn colored(column: &str, text: &str) -> Option<Color> {
    let word = text.split(':').next().unwrap_or(text);
    match word {
        _ if !STATES.contains(&column) => None,
        "fresh" | "strong" => Some(Color::Green),
        "stale" | "partial" | "not run" | "weak" | "demoted" | "rescued" => Some(Color::Yellow),
        _ => None,
    }
}

/// The values of the rows as texts.
fn texts(columns: &[&str], rows: &[Vec<Value>]) -> Vec<Vec<String>> {
    let decimals: Vec<usize> =
        (0..columns.len()).map(|at| decimals(rows.iter().filter_map(|row| row[at].as_number()))).collect();
    let text = |(at, value): (usize, &Value)| match value {
        Value::Number(number) if PLACES.contains(&columns[at]) => number.to_string(),
        Value::Number(number) => text_of_number(number, decimals[at]),
        value => printable(&plain(value)).into_owned(),
    };
    rows.iter().map(|row| row.iter().enumerate().map(text).collect()).collect()
}

/// How many decimals the numbers of a column have: shares four or more, other real numbers as many as the longest of them.
fn decimals<'n>(numbers: impl Iterator<Item = &'n serde_json::Number>) -> usize {
    let (mut longest, mut are_shares) = (1, true);
    for number in numbers.filter(|number| number.is_f64()).filter_map(serde_json::Number::as_f64) {
        // Without an exponent, unlike JSON.
        let text = number.to_string();
        longest = longest.max(text.split_once('.').map_or(0, |(_, decimals)| decimals.len()));
        are_shares &= (-1.0..=1.0).contains(&number);
    }
    if are_shares { longest.max(4) } else { longest }
}

fn text_of_number(number: &serde_json::Number, decimals: usize) -> String {
    match (number.as_u64(), number.as_f64()) {
        (Some(count), _) => grouped(count),
        (None, Some(real)) if number.is_f64() => format!("{real:.decimals$}"),
        _ => number.to_string(),
    }
}

/// What something is called, beside its tag. It stands in JSON alone.
pub const NAME: &str = "name";

/// A value as text.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        // "en:12 fr:3".
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != NAME);
            fields.map(|(_, value)| plain(value)).collect::<Vec<_>>().join(":")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_have_their_thousands_set_apart_and_columns_equally_many_decimals() {
        let rows = [
            vec![json!(1_617), json!(1.0), json!(17.1), json!(1.25e-6), json!("1617"), json!(1_617)],
            vec![json!(12), json!(0.92), json!(5.0), json!(0.5), json!(null), json!(0)],
        ];
        let found = texts(&["count", "score", "global", "rank", "name", "offset"], &rows);
        assert_eq!(found[0], ["1,617", "1.0000", "17.1", "0.00000125", "1617", "1617"]);
        assert_eq!(found[1], ["12", "0.9200", "5.0", "0.50000000", "-", "0"]);
    }

    #[test]
    fn pages_of_a_pair_stand_below_each_other_where_they_do_not_fit_side_by_side() {
        let columns = ["url_a", "url_b", "lang_a", "lang_b", "score"];
        let wish = |name: &&'static str| {
            let values = if name.starts_with("url") { 50 } else { 6 };
            Wish { name, values, heading: name.len(), word: 4, is_number: false, is_empty: false, is_stacked: false }
        };
        let places = |room: usize| stacked(columns.iter().map(wish).collect(), room).0;
        assert_eq!(places(200), [(0, None), (1, None), (2, None), (3, None), (4, None)]);
        assert_eq!(places(80), [(0, Some(1)), (2, Some(3)), (4, None)]);
    }

    #[test]
    fn lists_are_texts_where_there_are_no_lists() {
        let langs = json!([{ "lang": "en", NAME: "English", "pages": 12 }, { "lang": "fr", "pages": 3 }]);
        assert_eq!(plain(&langs), "en:12 fr:3");
    }
}
