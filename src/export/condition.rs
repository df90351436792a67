//! Conditions on the columns of rows: `score>=0.9`. Rows are those of an export, or of a listing, which has values of JSON.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use regex::Regex;
use serde_json::Value as Json;

use super::columns::{Head, Inner, Kind, Rows, Value, heads, value};
use super::exporter::{Content, Row};
use crate::language::names::did_you_mean;
use crate::types::{Lang, nearest_name};

/// A condition on one column of a content.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    column: &'static str,
    at: usize,
    sign: Sign,
    given: Given,
    /// The value as it was written.
    written: String,
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Contains,
    Matches,
}

impl Sign {
    fn is_equality(self) -> bool {
        matches!(self, Sign::Equal | Sign::Unequal)
    }
}

/// The signs. A sign that begins with another one comes before that one.
const SIGNS: [(&str, Sign); 9] = [
    ("=~", Sign::Matches),
    ("!=", Sign::Unequal),
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("==", Sign::Equal),
    ("=", Sign::Equal),
    ("<", Sign::Less),
    (">", Sign::More),
    ("~", Sign::Contains),
];

/// How a column of a listing is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// As a text.
    Text,
    /// As a number.
    Number,
    /// As true or false.
    Flag,
    /// As a list of texts.
    Texts,
}

impl ColumnKind {
    fn kind(self) -> Kind {
        match self {
            ColumnKind::Text => Kind::Maybe,
            ColumnKind::Number => Kind::MaybeReal,
            ColumnKind::Flag => Kind::Flag,
            ColumnKind::Texts => Kind::Texts,
        }
    }
}

/// A regular expression; two are equal if they are written alike.
#[derive(Clone, Debug)]
struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// The value that a column is compared with.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    Text(String),
    /// The tag of a language, which stands for its scripts and regions too.
    Language(String),
    Pattern(Pattern),
    Number(f64),
    Flag(bool),
}

impl Condition {
    /// Reads a condition as users write it: a column of the content, a sign and a value, with spaces between them or without.
    ///
    /// # Errors
    /// A sentence, without its full stop, on what is wrong with it.
    pub fn parse(content: Content, text: &str) -> Result<Condition, String> {
        Condition::of_heads(&heads(content), &format!("--what {}", content.name()), text)
    }

    /// Reads a condition on a listing that has these columns.
    ///
    /// # Errors
    /// As [`Condition::parse`].
    pub fn of_columns(columns: &[(&'static str, ColumnKind)], text: &str) -> Result<Condition, String> {
        let heads: Vec<Head> = columns.iter().map(|(column, kind)| (*column, kind.kind())).collect();
        Condition::of_heads(&heads, "the listing", text)
    }

    fn of_heads(known: &[Head], what: &str, text: &str) -> Result<Condition, String> {
        if known.is_empty() {
            return Err(format!("{what} has no columns for a condition such as {text}"));
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, rest) = (&text[..end], text[end..].trim_start());
        let Some(at) = known.iter().position(|(column, _)| *column == name) else {
            let is_compared = |kind: &Kind| !matches!(kind, Kind::Rows(inner) if *inner != Inner::Others);
            let names: Vec<&str> = known.iter().filter(|(_, kind)| is_compared(kind)).map(|(name, _)| *name).collect();
            if text.trim().is_empty() {
                return Err(format!("the condition is empty; expected one such as {}", example(known[0])));
            }
            let name = if name.is_empty() { text } else { name };
            let meant = nearest_name(name, names.iter().copied());
            return Err(format!("{what} has no column {name}; it has {}{meant}", names.join(", ")));
        };
        let (column, kind) = known[at];
        let Some((sign, written)) =
            SIGNS.iter().find_map(|(sign, meaning)| Some((*meaning, rest.strip_prefix(sign)?.trim())))
        else {
            return Err(format!(
                "{text} has no comparison; expected one such as {}, in quotes where a shell reads it",
                example((column, kind))
            ));
        };
        let given = given(kind, sign, written)?
            .ok_or_else(|| format!("{text} does not fit the column, {}", expected((column, kind))))?;
        let given = match given {
            Given::Text(tag) if sign.is_equality() && has_languages(column, kind) && !tag.is_empty() => {
                Given::Language(language(column, &tag)?)
            }
            given => given,
        };
        Ok(Condition { column, at, sign, given, written: written.to_owned() })
    }

    /// The name of the column.
    pub fn column(&self) -> &'static str {
        self.column
    }

    /// True for a row of the content for which the condition holds. A value that is missing is unequal to all others, and fits no other
    /// condition, except that a missing text equals the empty one.
    pub fn holds(&self, row: Row<'_>) -> bool {
        match value(row, self.at) {
            None => false,
            Some(Value::Text(text)) => self.of_text(&text),
            Some(Value::Maybe(text)) => text.map_or_else(|| self.of_missing(), |text| self.of_text(&text)),
            Some(Value::Real(number)) => self.of_number(number),
            Some(Value::MaybeReal(number)) => number.map_or_else(|| self.of_missing(), |number| self.of_number(number)),
            Some(Value::Long(number)) => self.of_number(number as f64),
            Some(Value::Int(number)) => self.of_number(f64::from(number)),
            Some(Value::MaybeInt(number)) => {
                number.map_or_else(|| self.of_missing(), |number| self.of_number(f64::from(number)))
            }
            Some(Value::Flag(is_so)) => (self.given == Given::Flag(is_so)) == (self.sign == Sign::Equal),
            Some(Value::Texts(texts)) => self.of_list(texts.iter().copied()),
            Some(Value::Rows(Rows::Others(urls))) => self.of_list(urls.iter().flat_map(|(a, b)| [a.as_str(), b])),
            Some(Value::Rows(_)) => false,
        }
    }

    /// True for a row of the listing for whose values the condition holds, as [`Condition::holds`].
    pub fn holds_of(&self, row: &[Json]) -> bool {
        match row.get(self.at) {
            None => false,
            Some(Json::Null) => self.of_missing(),
            Some(Json::String(text)) => self.of_text(text),
            Some(Json::Number(number)) => number.as_f64().is_some_and(|number| self.of_number(number)),
            Some(Json::Bool(is_so)) => (self.given == Given::Flag(*is_so)) == (self.sign == Sign::Equal),
            Some(Json::Array(values)) => self.of_list(values.iter().filter_map(first_text)),
            Some(Json::Object(_)) => false,
        }
    }

    fn of_missing(&self) -> bool {
        match (self.sign, &self.given) {
            (Sign::Equal, Given::Text(given)) => given.is_empty(),
            (Sign::Unequal, Given::Text(given)) => !given.is_empty(),
            (sign, _) => sign == Sign::Unequal,
        }
    }

    fn of_text(&self, text: &str) -> bool {
        match &self.given {
            Given::Pattern(Pattern(pattern)) => return pattern.is_match(text),
            Given::Language(tag) => return is_tag_of(text, tag) == (self.sign == Sign::Equal),
            _ => {}
        }
        let Given::Text(given) = &self.given else { return false };
        if self.sign == Sign::Contains { text.contains(given.as_str()) } else { self.is_so(text.cmp(given.as_str())) }
    }

    fn of_number(&self, number: f64) -> bool {
        let Given::Number(given) = self.given else { return false };
        number.partial_cmp(&given).map_or(self.sign == Sign::Unequal, |order| self.is_so(order))
    }

    /// A list fits if one of its texts does; it is unequal to a text that it does not have.
    fn of_list<'t>(&self, mut texts: impl Iterator<Item = &'t str>) -> bool {
        if self.sign == Sign::Unequal {
            texts.all(|text| self.of_text(text))
        } else {
            texts.any(|text| self.of_text(text))
        }
    }

    fn is_so(&self, order: Ordering) -> bool {
        match self.sign {
            Sign::Equal => order.is_eq(),
            Sign::Unequal => order.is_ne(),
            Sign::Less => order.is_lt(),
            Sign::AtMost => order.is_le(),
            Sign::More => order.is_gt(),
            Sign::AtLeast => order.is_ge(),
            Sign::Contains | Sign::Matches => false,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = SIGNS.iter().rev().find(|(_, sign)| *sign == self.sign).map_or("", |(sign, _)| sign);
        // A space keeps the sign and the value from being read as another sign.
        let gap = if self.written.starts_with(['=', '~']) { " " } else { "" };
        write!(f, "{}{sign}{gap}{}", self.column, self.written)
    }
}

/// True for a column of tags of languages.
fn has_languages(column: &str, kind: Kind) -> bool {
    match column {
        "lang" | "lang_a" | "lang_b" | "detected_lang_a" | "detected_lang_b" => true,
        // In other columns of this name, the tags of several languages stand in one text.
        "langs" => matches!(kind, Kind::Texts),
        _ => false,
    }
}

/// The tag by which rows name the language of a tag as users write it: `he` for `iw`. The error says which one is meant by what is no tag.
fn language(column: &str, tag: &str) -> Result<String, String> {
    let lang = Lang::parse_wanted(tag).and_then(|_| Lang::from_tag(tag));
    lang.map(|lang| lang.to_string()).ok_or_else(|| {
        format!("{column} is {tag}, expected the tag of a language, such as en, fr, zh-Hans{}", did_you_mean(tag))
    })
}

/// True for the tag of a language, in any case, or of one of its scripts or regions: `sr-Latn` for `sr`.
fn is_tag_of(text: &str, tag: &str) -> bool {
    text.split_at_checked(tag.len())
        .is_some_and(|(start, rest)| start.eq_ignore_ascii_case(tag) && (rest.is_empty() || rest.starts_with('-')))
}

/// The text that stands for an element of a list: itself, or the first of its fields.
fn first_text(value: &Json) -> Option<&str> {
    value.as_str().or_else(|| value.as_object()?.values().find_map(Json::as_str))
}

/// The value to compare with; `None` where the column has no such values, or where its values cannot be compared with this sign. The error
/// says why a text is no regular expression.
fn given(kind: Kind, sign: Sign, written: &str) -> Result<Option<Given>, String> {
    if sign == Sign::Matches {
        let is_text = matches!(kind, Kind::Text | Kind::Maybe | Kind::Texts | Kind::Rows(Inner::Others));
        let pattern = is_text.then(|| Regex::new(written)).transpose();
        let pattern = pattern.map_err(|error| {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("{written} is no regular expression: {why}")
        })?;
        return Ok(pattern.map(|pattern| Given::Pattern(Pattern(pattern))));
    }
    Ok(plain_value(kind, sign, written))
}

fn plain_value(kind: Kind, sign: Sign, written: &str) -> Option<Given> {
    let (is_equality, is_order) = (sign.is_equality(), sign != Sign::Contains);
    match kind {
        Kind::Text | Kind::Maybe => Some(Given::Text(written.to_owned())),
        Kind::Real | Kind::MaybeReal | Kind::Long | Kind::Int | Kind::MaybeInt if is_order => {
            written.parse().ok().filter(|number: &f64| number.is_finite()).map(Given::Number)
        }
        Kind::Flag if is_equality => written.parse().ok().map(Given::Flag),
        Kind::Texts | Kind::Rows(Inner::Others) if is_equality || !is_order => Some(Given::Text(written.to_owned())),
        _ => None,
    }
}

fn example((column, kind): Head) -> Cow<'static, str> {
    match kind {
        Kind::Text | Kind::Maybe | Kind::Texts | Kind::Rows(Inner::Others) => {
            format!("{column}=TEXT or {column}~PART").into()
        }
        Kind::Real | Kind::MaybeReal | Kind::Long | Kind::Int | Kind::MaybeInt => format!("{column}>=1").into(),
        Kind::Flag => format!("{column}=true").into(),
        Kind::Rows(_) => "score>=0.5".into(),
    }
}

fn expected((column, kind): Head) -> String {
    let expected = match kind {
        Kind::Text | Kind::Maybe => "a text: = != < <= > >= ~ =~ compare it",
        Kind::Real | Kind::MaybeReal | Kind::Long | Kind::Int | Kind::MaybeInt => {
            "a number: = != < <= > >= compare it with another"
        }
        Kind::Flag => "true or false: = and != compare it",
        Kind::Texts | Kind::Rows(Inner::Others) => "a list of texts: = != ~ =~ compare them",
        Kind::Rows(Inner::UnitPairs) => "a list of sentence pairs, for which there are no conditions",
        Kind::Rows(_) => "a list of sentences, for which there are no conditions",
    };
    format!("{column} is {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::line;
    use crate::text::near::near;
    use crate::types::PageLine;

    fn holds(text: &str) -> bool {
        let line = line("one, two", "一 二 a@b.org");
        Condition::parse(Content::Bitext, text).expect(text).holds(Row::Sentences(&line))
    }

    #[test]
    fn values_are_compared_as_what_they_are() {
        for text in [
            "score>=0.9877",
            "score <= 0.9877",
            "score==0.9877",
            "offset_a>9",
            "offset_a<100",
            "count_b=2",
            "count_b != 1",
            "kind_a=paragraph",
            "kind_a!=heading",
            "lang_b>zh",
            "text_a~e, t",
            "text_a = one, two",
            "reason=",
            &format!("near_a={:016x}", near("One two")),
            "furniture=false",
            "scorer>=0.25",
            "email!=false",
            "also=http://ex.org/zh/b",
            "also~/zh/",
            "also!=http://ex.org/",
            "text_a=~^one,? t..$",
            "also=~/zh/[a-z]$",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in ["score>0.9877", "score<0.5", "offset_a=9", "kind_a=Paragraph", "reason!=", "email=false", "also=x"]
        {
            assert!(!holds(text), "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_unequal_to_all() {
        let mut line = line("a", "b");
        (line.a.paragraph, line.page_pairs, line.scorer) = (None, None, None);
        let of = |text: &str| Condition::parse(Content::Bitext, text).expect(text).holds(Row::Sentences(&line));
        assert!(of("paragraph_a!=0") && of("page_pairs!=1") && of("scorer!=0"));
        assert!(!of("paragraph_a=0") && !of("paragraph_a>=0") && !of("page_pairs<1") && !of("scorer<1"));
        let page = PageLine { tags: vec!["h1", "p"], ..PageLine::default() };
        let of = |text: &str| Condition::parse(Content::Pages, text).expect(text).holds(Row::Page(&page));
        assert!(of("date=") && of("date!=2024") && !of("date<2025") && !of("date>=2024") && !of("date~"));
        assert!(of("tags=p") && of("tags~h") && !of("tags!=p") && of("tags!=li"));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (content, text, problem) in [
            (Content::Bitext, "scores>1", "--what bitext has no column scores; it has text_a, text_b, lang_a,"),
            (Content::Bitext, ">1", "--what bitext has no column >1; it has text_a,"),
            (Content::Warc, "url=x", "--what warc has no columns for a condition such as url=x"),
            (Content::Bitext, "score", "score has no comparison; expected one such as score>=1"),
            (Content::Bitext, "score~0.9", "score~0.9 does not fit the column, score is a number: = != <"),
            (Content::Bitext, "score>=high", "score>=high does not fit the column, score is a number"),
            (Content::Bitext, "score>=NaN", "score>=NaN does not fit the column"),
            (Content::Bitext, "email=yes", "email=yes does not fit the column, email is true or false"),
            (Content::Bitext, "email>false", "email is true or false: = and != compare it"),
            (Content::Documents, "sentences=x", "sentences is a list of sentences, for which there are no conditions"),
            (Content::Pages, "tags<p", "tags is a list of texts: = != ~ =~ compare them"),
            (Content::Pairs, "url_a=~/(en|fr/", "/(en|fr/ is no regular expression: unclosed group"),
            (Content::Pairs, "score=~1", "score=~1 does not fit the column, score is a number"),
            (Content::Pairs, "methode=key", "; did you mean method?"),
            (
                Content::Pages,
                "lang=yoruba",
                "lang is yoruba, expected the tag of a language, such as en, fr, zh-Hans; did you mean yo (Yoruba)?",
            ),
            (Content::Bitext, "lang_a!=xx", "lang_a is xx, expected the tag of a language"),
        ] {
            let found = Condition::parse(content, text).expect_err(text);
            assert!(found.contains(problem), "{found}");
        }
    }

    #[test]
    fn values_of_listings_are_compared_too() {
        let columns = [
            ("host", ColumnKind::Text),
            ("pages", ColumnKind::Number),
            ("linked", ColumnKind::Flag),
            ("langs", ColumnKind::Texts),
        ];
        let langs = serde_json::json!([{ "lang": "en", "pages": 12 }, { "lang": "fr", "pages": 3 }]);
        let row = [Json::from("ex.org"), Json::from(15), Json::from(true), langs];
        let of = |text: &str, row: &[Json]| Condition::of_columns(&columns, text).expect(text).holds_of(row);
        for text in ["host=~^ex", "pages>=15", "linked=true", "langs=fr", "langs=FRA", "langs!=de", "langs=~^e"] {
            assert!(of(text, &row), "{text}");
        }
        for text in ["host~net", "pages<15", "linked!=true", "langs=de", "langs!=en", "langs=~^d"] {
            assert!(!of(text, &row), "{text}");
        }
        // The condition is on a language with all its scripts and regions, or on one of these.
        let variants = serde_json::json!([{ "lang": "sr-Latn", "pages": 12 }, { "lang": "pt-BR", "pages": 3 }]);
        let row = [Json::from("ex.org"), Json::from(15), Json::from(true), variants];
        for text in
            ["langs=sr", "langs=sr-Latn", "langs=sr-latn", "langs=pt", "langs!=sr-Cyrl", "langs!=srr", "host!=ex"]
        {
            assert!(of(text, &row), "{text}");
        }
        for text in ["langs!=sr", "langs=sr-Cyrl", "langs=srr", "langs=", "langs=pta", "host=ex"] {
            assert!(!of(text, &row), "{text}");
        }
        let missing = [Json::Null, Json::Null];
        for text in ["host=", "host!=ex.org", "pages!=1"] {
            assert!(of(text, &missing), "{text}");
        }
        for text in ["host!=", "host<z", "host<=", "host~", "host=~.*", "host>=", "pages<1"] {
            assert!(!of(text, &missing), "{text}");
        }
        let told = Condition::of_columns(&columns, "page>1").expect_err("no such column");
        assert_eq!(told, "the listing has no column page; it has host, pages, linked, langs; did you mean pages?");
    }

    #[test]
    fn a_condition_is_told_as_it_was_given() {
        let told = |text: &str| Condition::parse(Content::Bitext, text).expect(text).to_string();
        assert_eq!((told("score >= 0.90"), told("kind_a==item")), ("score>=0.90".into(), "kind_a=item".into()));
        for text in ["text_a==~x", "text_a===x", "text_a< =x", "text_a=~~x", "text_a~=x"] {
            let parse = |text: &str| Condition::parse(Content::Bitext, text).expect(text);
            assert_eq!(parse(&told(text)), parse(text), "{text}");
        }
    }
}
