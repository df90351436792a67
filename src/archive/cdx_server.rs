//! Answers of CDX servers, such as that of the Wayback Machine: rows of a JSON array, with or without a row of names before them, or lines
//! in the seven columns that such a server gives where nothing else is asked for.

/// The columns of an answer in which they are not named.
const COLUMNS: [&str; 7] = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"];
/// The same columns as the legend of a CDX file names them.
pub(super) const LEGEND: &[u8] = b"CDX N b a m s k S\n";
/// The names without which a row of names is none.
const NEEDED: [&str; 2] = ["timestamp", "original"];

/// How many closing brackets a row may have: the one at its end, and those in its URL.
pub(super) const MAX_BRACKETS: usize = 64;

/// The row of names for the rows of an answer that begins with `content`, as JSON; `None` for other data. Also tells whether it is the first
/// row itself.
pub(super) fn names(content: &[u8]) -> Option<(Vec<u8>, bool)> {
    let rows = content.strip_prefix(b"[")?.trim_ascii_start();
    let first = first_row(rows)?;
    let cells = cells(first)?;
    if NEEDED.iter().all(|name| cells.iter().any(|cell| cell == name)) {
        return Some((first.to_vec(), true));
    }
    let columns: Vec<&str> = cells.iter().map(String::as_str).collect();
    has_default_columns(&columns).then(|| (serde_json::to_vec(&COLUMNS).unwrap_or_default(), false))
}

/// True for a line in the columns that a server gives by default.
pub(super) fn is_line(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    has_default_columns(&line.trim_end().split(' ').collect::<Vec<_>>())
}

fn has_default_columns(cells: &[&str]) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
    let [key, time, url, mime, status, _, length] = cells else { return false };
    !key.is_empty()
        && (4..=14).contains(&time.len())
        && is_number(time)
        && url.contains("://")
        && (mime.contains('/') || matches!(*mime, "-" | "unk"))
        && (*status == "-" || (status.len() == 3 && is_number(status)))
        && (*length == "-" || is_number(length))
}

/// The first of these rows, if it is complete.
fn first_row(rows: &[u8]) -> Option<&[u8]> {
    memchr::memchr_iter(b']', rows).take(MAX_BRACKETS).map(|end| &rows[..=end]).find(|row| cells(row).is_some())
}

/// The cells of a row: texts, or other values as they are written.
pub(super) fn cells(row: &[u8]) -> Option<Vec<String>> {
    let cells: Vec<serde_json::Value> = serde_json::from_slice(row).ok()?;
    let text = |cell: serde_json::Value| match cell {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Null => Some(String::new()),
        _ => None,
    };
    cells.into_iter().map(text).collect()
}

/// The part of some bytes in which a row may be: without what stands between rows.
pub(super) fn row_in(bytes: &[u8]) -> &[u8] {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    let start = bytes.iter().take_while(|byte| is_between(byte)).count();
    let row = &bytes[start..];
    // The bracket that begins the whole array stands before the first row.
    match row.strip_prefix(b"[").map(<[u8]>::trim_ascii_start) {
        Some(inner) if inner.starts_with(b"[") => inner,
        _ => row,
    }
}

/// The value in the column of this name.
pub(super) fn value<'c>(names: &[String], cells: &'c [String], name: &str) -> &'c str {
    let at = names.iter().position(|known| known == name);
    at.and_then(|at| cells.get(at)).map_or("", |cell| if cell == "-" { "" } else { cell })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_known_by_their_first_row() {
        let head = br#"["urlkey","timestamp","original"]"#;
        assert_eq!(
            names(br#"[["urlkey","timestamp","original"],["a","2002","http://a/]"]]"#),
            Some((head.to_vec(), true))
        );
        let row = br#"["org,ex)/","20020120142510","http://ex.org:80/a[1]","text/html","200","HT2D","1792"]"#;
        let (default, is_first) = names(&[b"[\n ".as_slice(), row, b",\n"].concat()).expect("an answer");
        assert!(!is_first && default.starts_with(b"[\"urlkey\",\"timestamp\",\"original\",\"mimetype\""));
        for other in [b"[]".as_slice(), b"[[1,2],[3]]", b"[[\"a\",\"b\"]]", b"{}", b"", b"[[\"timestamp\"", b"[{}]"] {
            assert_eq!(names(other), None);
        }
    }

    #[test]
    fn lines_are_known_by_their_columns() {
        assert!(is_line(
            b"org,ex)/ 20020120142510 http://ex.org:80/ text/html 200 HT2DYGA5UKZCPBSFVCV3JOBXGW2G5UUA 1792\r"
        ));
        assert!(is_line(b"org,ex)/ 20020120142510 http://ex.org:80/ warc/revisit - HT2D -"));
        for other in [
            b"org,ex)/ 20020120142510 http://ex.org:80/ text/html 200 HT2D".as_slice(),
            b"org,ex)/ x http://ex.org:80/ text/html 200 HT2D 1",
            b"a b c d e f g",
            b"",
        ] {
            assert!(!is_line(other));
        }
    }

    #[test]
    fn rows_stand_between_brackets_and_commas() {
        for bytes in [b"[[1]".as_slice(), b"[\n[1]", b",\n [1]", b"[1]"] {
            assert_eq!(cells(row_in(bytes)), Some(vec!["1".to_owned()]));
        }
        assert_eq!((cells(b"[[1]]"), cells(b"[1"), row_in(b"\n]")), (None, None, b"]".as_slice()));
        let names = ["a", "b"].map(str::to_owned);
        let cells = ["-", "x"].map(str::to_owned);
        assert_eq!((value(&names, &cells, "a"), value(&names, &cells, "b"), value(&names, &cells, "c")), ("", "x", ""));
    }
}
