//! The URLs that the partner of a page could have.

use super::tokens::{Anatomy, Separators, Span};
use crate::types::{Edit, Field, Key};

/// The URLs into which `key` turns `identity`, from the first language to the second when `forward`, else the other way.
///
/// There are several if the text to replace occurs more than once, or if (null) leaves open where the other text goes; the archive shows
/// which of them exists. Empty when the key does not apply.
pub fn counterparts(identity: &str, key: &Key, forward: bool) -> Vec<String> {
    let mut found = vec![identity.to_owned()];
    for edit in &key.edits {
        let (from, to) = if forward { (&edit.from, &edit.to) } else { (&edit.to, &edit.from) };
        found = found.iter().flat_map(|url| apply(url, edit, from, to)).collect();
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// URLs made by one edit from one URL, at most.
const MAX_PLACES: usize = 64;

fn apply(identity: &str, edit: &Edit, from: &str, to: &str) -> Vec<String> {
    let (before, query) = identity.split_once('?').map_or((identity, None), |(a, b)| (a, Some(b)));
    if edit.field == Field::Query {
        let query = query.unwrap_or("");
        return apply_to_query(query, edit, from, to)
            .into_iter()
            .map(|q| if q.is_empty() { before.to_owned() } else { format!("{before}?{q}") })
            .collect();
    }
    let mut anatomy = Anatomy::default();
    if !anatomy.read(before, Separators::Punctuation) {
        return Vec::new();
    }
    let mut places: Vec<(Span, String)> = Vec::new();
    for segment in anatomy.segments().iter().filter(|s| s.field == edit.field) {
        let tokens = anatomy.tokens(segment);
        if edit.core {
            places.extend(tokens.iter().flat_map(|&token| core_places(&anatomy, token, from, to)));
        } else if from.is_empty() {
            places.extend(insertions(&anatomy, segment.span, tokens, edit.field, to));
        } else {
            let spans = tokens.iter().flat_map(|first| {
                tokens.iter().map(move |last| Span { start: first.start, end: last.end.max(first.start) })
            });
            for span in spans.chain([segment.span]).filter(|&span| anatomy.text(span) == from) {
                if to.is_empty() {
                    places.extend(anatomy.cuts(segment, span).into_iter().flatten().map(|cut| (cut, String::new())));
                } else {
                    places.push((span, to.to_owned()));
                }
            }
        }
    }
    if from.is_empty() && edit.field == Field::Path {
        // A value may also be put before the file, or where a file would be: `/` ↔ `/fr/`.
        let at = before.rfind('/').map_or(before.len(), |slash| slash + 1) as u16;
        places.push((Span { start: at, end: at }, format!("{to}/")));
    }
    places.truncate(MAX_PLACES);
    let tail = query.map(|q| format!("?{q}")).unwrap_or_default();
    let edited = places.into_iter().map(|(span, text)| {
        format!("{}{text}{}{tail}", &before[..usize::from(span.start)], &before[usize::from(span.end)..])
    });
    edited.collect()
}

fn core_places(anatomy: &Anatomy, token: Span, from: &str, to: &str) -> Vec<(Span, String)> {
    let text = anatomy.text(token);
    let length = from.len() as u16;
    if text.len() < from.len() {
        return Vec::new();
    }
    let head = text.starts_with(from).then_some(Span { start: token.start, end: token.start + length });
    let tail = text.ends_with(from).then_some(Span { start: token.end - length, end: token.end });
    head.into_iter().chain(tail).map(|span| (span, to.to_owned())).collect()
}

/// Where the text of the other side may be put if (null) stands here: as a segment of its own, or beside a token.
fn insertions(anatomy: &Anatomy, segment: Span, tokens: &[Span], field: Field, text: &str) -> Vec<(Span, String)> {
    let at = |position: u16| Span { start: position, end: position };
    let mut places = match field {
        Field::Host => vec![(at(segment.start), format!("{text}."))],
        Field::Path => vec![(at(segment.start), format!("{text}/"))],
        Field::File | Field::Query => Vec::new(),
    };
    if field == Field::File && segment.end == anatomy.whole().end {
        if tokens.is_empty() {
            places.push((at(segment.start), text.to_owned()));
        }
        places.push((at(segment.end), format!("/{text}")));
    }
    for token in tokens {
        for separator in ['.', '-', '_'] {
            places.push((at(token.end), format!("{separator}{text}")));
            places.push((at(token.start), format!("{text}{separator}")));
        }
    }
    places
}

fn apply_to_query(query: &str, edit: &Edit, from: &str, to: &str) -> Vec<String> {
    let parameters: Vec<&str> = query.split('&').filter(|p| !p.is_empty()).collect();
    let mut found = Vec::new();
    for (i, parameter) in parameters.iter().enumerate() {
        let (name, value) = parameter.split_once('=').map_or(("", *parameter), |(n, v)| (n, v));
        let joined = |replacement: Option<String>| {
            let kept = parameters
                .iter()
                .enumerate()
                .filter_map(|(j, p)| if i == j { replacement.clone() } else { Some((*p).to_owned()) });
            kept.collect::<Vec<_>>().join("&")
        };
        let named = |value: String| if name.is_empty() { value } else { format!("{name}={value}") };
        if from.is_empty() || value.is_empty() {
            continue;
        }
        if value == from {
            found.push(joined((!to.is_empty()).then(|| named(to.to_owned()))));
        } else if let Some(at) = value.find(from).filter(|_| !to.is_empty()) {
            let inside = |at: usize| value.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
            let alone = (at == 0 || !inside(at - 1)) && !inside(at + from.len());
            if alone || edit.core {
                found.push(joined(Some(named(format!("{}{to}{}", &value[..at], &value[at + from.len()..])))));
            }
        }
    }
    found
}

/// The first tokens by which two URLs differ: `1e` and `1c` for `/1e.html` and `/1c.html`; `None` when no token differs.
///
/// Parameters are compared in the order of their names.
pub fn differing_tokens(a: &str, b: &str, separators: Separators) -> Option<(String, String)> {
    let [mut x, mut y] = [Anatomy::default(), Anatomy::default()];
    if !x.read(a, separators) || !y.read(b, separators) {
        return None;
    }
    let differing = all_tokens(&x).zip(all_tokens(&y)).find(|(t, s)| t != s);
    differing.map(|(t, s)| (t.to_owned(), s.to_owned()))
}

fn all_tokens(anatomy: &Anatomy) -> impl Iterator<Item = &str> {
    anatomy.segments().iter().flat_map(|segment| anatomy.tokens(segment)).map(|&token| anatomy.text(token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Lang, LangPair};

    fn key(edits: &[(Field, &str, &str, bool)]) -> Key {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let edit = |&(field, from, to, core): &(Field, &str, &str, bool)| Edit {
            field,
            from: from.into(),
            to: to.into(),
            core,
        };
        Key { langs, edits: edits.iter().map(edit).collect() }
    }

    #[test]
    fn partners_are_among_the_urls_made() {
        for (edits, from, to) in [
            (vec![(Field::Path, "en", "zh_CN", false)], "ex.org/en/a.html", "ex.org/zh_CN/a.html"),
            (vec![(Field::File, "", "zh", false)], "ex.org/a/index.html", "ex.org/a/index.zh.html"),
            (vec![(Field::File, "", "zh", false)], "ex.org/wiki/Page", "ex.org/wiki/Page/zh"),
            (vec![(Field::Path, "", "zh", false)], "ex.org/", "ex.org/zh/"),
            (vec![(Field::Path, "", "zh", false)], "ex.org/a/b", "ex.org/zh/a/b"),
            (vec![(Field::Host, "", "zh", false)], "ex.org/a", "zh.ex.org/a"),
            (vec![(Field::Query, "en", "zh", false)], "ex.org/v?l=en&id=7", "ex.org/v?l=zh&id=7"),
            (vec![(Field::File, "e", "c", true)], "ex.org/12e.html", "ex.org/12c.html"),
            (
                vec![(Field::Path, "", "zh", false), (Field::File, "", "zh", false)],
                "ex.org/about.html",
                "ex.org/zh/about-zh.html",
            ),
        ] {
            let key = key(&edits);
            assert!(
                counterparts(from, &key, true).contains(&to.to_owned()),
                "{key:?} {:?}",
                counterparts(from, &key, true)
            );
            assert!(
                counterparts(to, &key, false).contains(&from.to_owned()),
                "{key:?} {:?}",
                counterparts(to, &key, false)
            );
        }
    }

    #[test]
    fn differing_tokens_are_whole_tokens() {
        let differing = |a, b, separators| differing_tokens(a, b, separators).expect("some token differs");
        let strings = |x: &str, y: &str| (x.to_owned(), y.to_owned());
        for separators in [Separators::Punctuation, Separators::KitNg] {
            assert_eq!(differing("x.org/1e.html", "x.org/1c.html", separators), strings("1e", "1c"));
            assert_eq!(differing("x.org/hko.html", "x.org/chko.html", separators), strings("hko", "chko"));
        }
    }

    #[test]
    fn differing_tokens_end_where_the_params_say_tokens_end() {
        let (a, b) = ("x.org/a~en.html", "x.org/a~de.html");
        assert_eq!(differing_tokens(a, b, Separators::Punctuation), Some(("en".into(), "de".into())));
        assert_eq!(differing_tokens(a, b, Separators::KitNg), Some(("a~en".into(), "a~de".into())));
    }

    #[test]
    fn differing_tokens_do_not_depend_on_the_order_of_parameters() {
        let (a, b) = ("x.org/v?id=7&page=1e", "x.org/v?page=1c&id=7");
        assert_eq!(differing_tokens(a, b, Separators::Punctuation), Some(("1e".into(), "1c".into())));
    }
}
