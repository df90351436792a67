//! Changes of what files are made of: the entries of a zip, whose lengths and checksums stay right; the fields of the lines of an index.

use std::io::Read;

use flate2::read::DeflateDecoder;
use serde_json::{Map, Value};

use super::mutate::{NUMBERS, mutate};
use super::seeds;
use crate::dice::Dice;

/// One of some things.
fn pick<'t, T: ?Sized>(things: &[&'t T], dice: &mut Dice) -> &'t T {
    things[dice.roll(things.len() as u64) as usize]
}

/// An entry of a zip.
#[derive(Clone, Default)]
pub struct Entry {
    pub name: Vec<u8>,
    /// The extra field of its local header, where HTTrack keeps the headers of the response.
    pub extra: Vec<u8>,
    pub body: Vec<u8>,
}

/// The entries of a sound zip, by their local headers.
pub fn entries(zip: &[u8]) -> Vec<Entry> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(header) = zip.get(at..at + 30).filter(|header| header.starts_with(b"PK\x03\x04")) {
        let short = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let packed = short(18) | short(20) << 16;
        let name = at + 30;
        let (extra, data) = (name + short(26), name + short(26) + short(28));
        let Some(body) = zip.get(data..data + packed) else { break };
        let body = if short(8) == 0 {
            body.to_vec()
        } else {
            let mut plain = Vec::new();
            // Cut off where it is damaged.
            let _ = DeflateDecoder::new(body).take(1 << 20).read_to_end(&mut plain);
            plain
        };
        found.push(Entry { name: zip[name..extra].to_vec(), extra: zip[extra..data].to_vec(), body });
        at = data + packed;
    }
    found
}

/// A zip of these entries, each deflated or not, with its directory or, as HTTrack leaves one that had no time, without.
pub fn zip(entries: &[Entry], dice: &mut Dice) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    let count = (entries.len() as u16).to_le_bytes();
    for Entry { name, extra, body } in entries {
        let is_deflated = dice.roll(2) == 0;
        let packed = if is_deflated { seeds::deflate(body).unwrap_or_default() } else { body.clone() };
        let (name, extra) = (&name[..name.len().min(1 << 12)], &extra[..extra.len().min(1 << 14)]);
        let mut crc = flate2::Crc::new();
        crc.update(body);
        let method = if is_deflated { [8, 0] } else { [0, 0] };
        let common = [
            &[20, 0, 0, 0, method[0], method[1], 0, 0, 0, 0][..],
            &crc.sum().to_le_bytes(),
            &(packed.len() as u32).to_le_bytes(),
            &(body.len() as u32).to_le_bytes(),
            &(name.len() as u16).to_le_bytes(),
        ]
        .concat();
        let offset = (file.len() as u32).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\x00", &common[..], &[0; 12], &offset, name].concat());
        file.extend([b"PK\x03\x04", &common[..], &(extra.len() as u16).to_le_bytes(), name, extra, &packed].concat());
    }
    let (length, offset) = ((directory.len() as u32).to_le_bytes(), (file.len() as u32).to_le_bytes());
    if dice.roll(8) > 0 {
        file.extend([&directory[..], b"PK\x05\x06\0\0\0\0", &count, &count, &length, &offset, &[0, 0]].concat());
    }
    file
}

/// Names that lead elsewhere, or nowhere.
const NAMES: &[&str] = &[
    "",
    "archive/",
    "archive/a.warc",
    "archive/a.warc.gz",
    "archive/../../a.warc",
    "/archive/a.warc",
    "archive\\a.warc",
    "archive/\u{e9}.warc.zst",
    "datapackage.json",
    "pages/pages.jsonl",
    "indexes/index.cdx.gz",
    "http://ex.org/../../a",
    "ex.org/%2e%2e/a?b#c",
    "https://user:pw@ex.org:99999/",
    "file:///etc/passwd",
    "ht tp://\u{0}/",
    "://",
];

/// Values of the headers that HTTrack keeps, and of other things.
const VALUES: &[&str] = &[
    "",
    "0",
    "1",
    "200",
    "304",
    "404",
    "99999",
    "-1",
    "text/html",
    "text/html; charset=utf-16",
    "text/html; charset=\u{e9}",
    "image/png",
    "../../../etc/passwd",
    "/etc/passwd",
    "fr.packaging.site.test/index.html",
    "fr.packaging.site.test/",
    "a/./b/\u{0}",
    "Sat, 31 Feb 99999 25:61:61 GMT",
    "utf-7",
];

/// Changes some entries of a zip: their names, headers, contents; adds, doubles, swaps and removes some.
pub fn change_entries(entries: &mut Vec<Entry>, other: &[u8], dice: &mut Dice) {
    for _ in 0..=dice.roll(3) {
        if entries.is_empty() {
            return;
        }
        let at = dice.roll(entries.len() as u64) as usize;
        match dice.roll(9) {
            0 => entries[at].name = pick(NAMES, dice).into(),
            1 => mutate(&mut entries[at].name, other, dice),
            2 | 3 => change_headers(&mut entries[at].extra, dice),
            4 => mutate(&mut entries[at].extra, b"X-Save: a\r\nX-In-Cache: 1\r\nX-StatusCode: 200\r\n", dice),
            5 => {
                let copy = entries[at].clone();
                entries.push(copy);
            }
            6 => drop(entries.swap_remove(at)),
            _ => mutate(&mut entries[at].body, other, dice),
        }
    }
}

/// Changes one of the lines that are headers.
fn change_headers(text: &mut Vec<u8>, dice: &mut Dice) {
    let mut lines: Vec<Vec<u8>> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let at = dice.roll(lines.len() as u64) as usize;
    let name = lines[at].split(|byte| *byte == b':').next().unwrap_or_default().to_vec();
    match dice.roll(5) {
        0 => drop(lines.remove(at)),
        1 => lines.push(lines[at].clone()),
        _ => lines[at] = [&name[..], b": ", pick(VALUES, dice).as_bytes(), b"\r"].concat(),
    }
    *text = lines.join(&b'\n');
}

/// Changes what HTTrack adds to a page that it saves, and how it turns links.
pub fn change_saved(page: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let text = String::from_utf8_lossy(page).into_owned();
    let url = pick(NAMES, dice);
    let (old, new) = match dice.roll(6) {
        0 => ("<!-- Mirrored from ", format!("<!-- Mirrored from {url} by HTTrack Website Copier/3.x -->")),
        1 => ("<!-- Added by HTTrack -->", format!("<!-- Added by HTTrack --><a href=\"{url}\">")),
        2 => ("href=\"", format!("href=\"{}{url}", "../".repeat(dice.roll(5) as usize))),
        3 => (" by HTTrack", pick(VALUES, dice).to_owned()),
        4 => ("<meta", format!("<meta http-equiv=\"content-type\" content=\"{}\"><meta", pick(VALUES, dice))),
        _ => return mutate(page, other, dice),
    };
    // One place, or all.
    let places = if dice.roll(2) == 0 { 1 } else { usize::MAX };
    *page = text.replacen(old, &new, places).into_bytes();
}

/// Times, places, lengths, states and texts, right and wrong, as they stand in indexes.
const FIELDS: &[&str] = &[
    "",
    "-",
    "0",
    "-1",
    "+5",
    "1e3",
    "0x10",
    "007",
    " 7",
    "1.5",
    "NaN",
    "200",
    "301",
    "revisit",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "2014",
    "20140301010203",
    "20140230000000",
    "20140301246060",
    "20140301010203999",
    "99991231235959",
    "00000000000000",
    "2014-03-01T01:02:03Z",
    "\u{661}\u{662}",
    "a.warc.gz",
    "../a.warc.gz",
    "/etc/passwd",
    "s3://x/a.warc.gz",
    "text/html",
    "application/xhtml+xml",
    "warc/revisit",
    "fra,eng",
    "fra,,x-\u{e9},",
    "http://ex.org/\u{0}",
    "http://ex.org:99999/",
    "urn:x",
    "org,ex)/",
];

/// A number as it stands in indexes.
fn number(dice: &mut Dice) -> u64 {
    NUMBERS[dice.roll(NUMBERS.len() as u64) as usize].wrapping_add(dice.roll(3)).wrapping_sub(1)
}

/// Changes some fields of the lines of an index, which follow one another in another order, or twice.
pub fn change_index(text: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.extend(String::from_utf8_lossy(other).lines().map(str::to_owned).filter(|_| dice.roll(2) == 0));
    for _ in 0..=dice.roll(5) {
        if lines.is_empty() {
            break;
        }
        let at = dice.roll(lines.len() as u64) as usize;
        match dice.roll(8) {
            0 => lines.push(lines[at].clone()),
            1 => {
                let with = dice.roll(lines.len() as u64) as usize;
                lines.swap(at, with);
            }
            _ => lines[at] = changed_line(&lines[at], dice),
        }
    }
    let mut made = lines.join(if dice.roll(8) == 0 { "\r\n" } else { "\n" });
    if dice.roll(8) > 0 {
        made.push('\n');
    }
    made.into_bytes()
}

fn changed_line(line: &str, dice: &mut Dice) -> String {
    if let Some((head, json)) = line.find('{').map(|at| line.split_at(at))
        && let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(json)
    {
        let head = if dice.roll(4) == 0 { changed_columns(head, ' ', dice) } else { head.to_owned() };
        change_object(&mut object, dice);
        return head + &escaped(&Value::Object(object).to_string(), dice);
    }
    changed_columns(line, if line.contains('\t') { '\t' } else { ' ' }, dice)
}

fn changed_columns(line: &str, between: char, dice: &mut Dice) -> String {
    let mut columns: Vec<String> = line.split(between).map(str::to_owned).collect();
    let at = dice.roll(columns.len() as u64) as usize;
    match dice.roll(6) {
        0 => drop(columns.remove(at)),
        1 => columns.insert(at, pick(FIELDS, dice).to_owned()),
        2 => columns[at] = number(dice).to_string(),
        3 => {
            let with = dice.roll(columns.len() as u64) as usize;
            columns.swap(at, with);
        }
        _ => columns[at] = pick(FIELDS, dice).to_owned(),
    }
    columns.join(&between.to_string())
}

fn change_object(object: &mut Map<String, Value>, dice: &mut Dice) {
    let names: Vec<String> = object.keys().cloned().collect();
    if names.is_empty() {
        return;
    }
    let name = names[dice.roll(names.len() as u64) as usize].clone();
    if dice.roll(9) == 0 {
        object.remove(&name);
        return;
    }
    let value = match dice.roll(9) {
        0 => Value::Null,
        1 => Value::from(number(dice)),
        2 => Value::from(dice.share() * 1e300 - 1e299),
        3 => Value::from(-(number(dice) as i64 >> 1)),
        4 => Value::Bool(true),
        // Nested, as deep as JSON may be and deeper.
        5 => (0..dice.roll(200)).fold(Value::Null, |inner, _| Value::Array(vec![inner])),
        6 => Value::Object(object.clone()),
        _ => Value::from(pick(FIELDS, dice)),
    };
    let name = if dice.roll(8) == 0 { pick(FIELDS, dice).to_owned() } else { name };
    object.insert(name, value);
}

/// JSON with an escape where none was needed, or where none may be.
fn escaped(json: &str, dice: &mut Dice) -> String {
    const ESCAPES: &[&str] = &[
        "\\u0000",
        "\\ud800",
        "\\ud83d\\ude00",
        "\\udc00\\ud800",
        "\\/",
        "\\x",
        "\\u00",
        "\\\\",
        "\\n",
        "\u{2028}",
        "\t",
    ];
    if dice.roll(4) > 0 {
        return json.to_owned();
    }
    let ends: Vec<usize> = json.char_indices().map(|(at, _)| at).collect();
    let (before, behind) = json.split_at(ends[dice.roll(ends.len() as u64) as usize]);
    [before, pick(ESCAPES, dice), behind].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zip_has_the_entries_it_was_made_of() {
        let entry =
            |name: &str, body: &str| Entry { name: name.into(), extra: b"X-Save: a\r\n".into(), body: body.into() };
        let made = [entry("archive/a.warc", "one"), entry("b", &"two ".repeat(99)), entry("", "")];
        for seed in 0..50 {
            let file = zip(&made, &mut Dice(seed));
            let found = entries(&file);
            assert_eq!(found.len(), made.len());
            for (found, made) in found.iter().zip(&made) {
                assert!(found.name == made.name && found.extra == made.extra && found.body == made.body);
            }
            if let Ok(mut zip) = zip::ZipArchive::new(std::io::Cursor::new(&file)) {
                let mut body = String::new();
                zip.by_name("b").expect("an entry").read_to_string(&mut body).expect("sound");
                assert_eq!(body, "two ".repeat(99));
            }
        }
    }
}
