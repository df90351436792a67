//! Rows as objects with named fields, as JSON and data frames have them.

use serde::Serialize;

use super::exporter::{Row, rounded};
use crate::types::{AlignedSentences, BitextLine, DocumentLine, FetchLine, PageLine, PairLine, Place, SentencePlace};

/// A row as an object; `None` for content that has no object.
pub(super) fn object(row: Row<'_>) -> Option<Object<'_>> {
    Some(match row {
        Row::Pair(pair) => Object::Pair(pair.into()),
        Row::Sentences(line) => Object::Sentences(line.into()),
        Row::Document(line) => Object::Document(line.into()),
        Row::Page(page) => Object::Page(page.into()),
        Row::Capture(line) => Object::Capture(line.into()),
        Row::Record(_) | Row::Words(_) => return None,
    })
}

/// A row as an object.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Object<'l> {
    Pair(PairObject<'l>),
    Sentences(SentencesObject<'l>),
    Document(DocumentObject<'l>),
    Page(PageObject<'l>),
    Capture(CaptureObject<'l>),
}

#[derive(Serialize)]
pub(super) struct PairObject<'l> {
    url_a: &'l str,
    url_b: &'l str,
    lang_a: &'l str,
    lang_b: &'l str,
    score: f64,
    method: &'l str,
    key: &'l str,
}

impl<'l> From<&'l PairLine> for PairObject<'l> {
    fn from(pair: &'l PairLine) -> Self {
        PairObject {
            url_a: &pair.url_a,
            url_b: &pair.url_b,
            lang_a: pair.lang_a.as_str(),
            lang_b: pair.lang_b.as_str(),
            score: rounded(pair.score),
            method: pair.method,
            key: &pair.key,
        }
    }
}

#[derive(Serialize)]
pub(super) struct SentencesObject<'l> {
    text_a: &'l str,
    text_b: &'l str,
    lang_a: &'l str,
    lang_b: &'l str,
    score: f64,
    url_a: &'l str,
    url_b: &'l str,
    page_score: f64,
    sentences: (u32, u32),
    source_a: Source<'l>,
    source_b: Source<'l>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    others: &'l [(String, String)],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'l str>,
}

#[derive(Serialize)]
struct Source<'l> {
    archive: &'l str,
    offset: u64,
    block: &'l str,
}

impl<'l> From<&'l Place> for Source<'l> {
    fn from(place: &'l Place) -> Self {
        Source { archive: &place.archive, offset: place.offset, block: &place.block }
    }
}

impl<'l> From<&'l BitextLine> for SentencesObject<'l> {
    fn from(line: &'l BitextLine) -> Self {
        SentencesObject {
            text_a: &line.text_a,
            text_b: &line.text_b,
            lang_a: line.lang_a.as_str(),
            lang_b: line.lang_b.as_str(),
            score: rounded(line.score),
            url_a: &line.a.url,
            url_b: &line.b.url,
            page_score: rounded(line.page_score),
            sentences: line.shape,
            source_a: (&line.a).into(),
            source_b: (&line.b).into(),
            others: &line.others,
            reason: line.reason,
        }
    }
}

#[derive(Serialize)]
pub(super) struct DocumentObject<'l> {
    #[serde(flatten)]
    pair: PairObject<'l>,
    page_score: f64,
    title_a: &'l str,
    title_b: &'l str,
    text_a: &'l str,
    text_b: &'l str,
    tags_a: &'l [&'static str],
    tags_b: &'l [&'static str],
    date_a: Option<String>,
    date_b: Option<String>,
    archive_a: &'l str,
    archive_b: &'l str,
    offset_a: u64,
    offset_b: u64,
    sentences: Vec<AlignedObject<'l>>,
}

#[derive(Serialize)]
struct AlignedObject<'l> {
    text_a: &'l str,
    text_b: &'l str,
    score: f64,
    paragraph_a: Option<u32>,
    sentence_a: Option<u32>,
    count_a: u32,
    paragraph_b: Option<u32>,
    sentence_b: Option<u32>,
    count_b: u32,
    reason: Option<&'l str>,
}

impl<'l> From<&'l DocumentLine> for DocumentObject<'l> {
    fn from(line: &'l DocumentLine) -> Self {
        let (a, b) = (&line.a, &line.b);
        DocumentObject {
            pair: (&line.pair).into(),
            page_score: rounded(line.page_score),
            title_a: &a.title,
            title_b: &b.title,
            text_a: &a.text,
            text_b: &b.text,
            tags_a: &a.tags,
            tags_b: &b.tags,
            date_a: a.date_ms.and_then(date),
            date_b: b.date_ms.and_then(date),
            archive_a: &a.archive,
            archive_b: &b.archive,
            offset_a: a.offset,
            offset_b: b.offset,
            sentences: line.sentences.iter().map(AlignedObject::from).collect(),
        }
    }
}

impl<'l> From<&'l AlignedSentences> for AlignedObject<'l> {
    fn from(line: &'l AlignedSentences) -> Self {
        fn text(place: &Option<SentencePlace>) -> &str {
            place.as_ref().map_or("", |place| &place.text)
        }
        let count = |place: &Option<SentencePlace>| place.as_ref().map_or(0, |place| place.count);
        AlignedObject {
            text_a: text(&line.a),
            text_b: text(&line.b),
            score: rounded(line.score),
            paragraph_a: line.a.as_ref().map(|place| place.paragraph),
            sentence_a: line.a.as_ref().map(|place| place.sentence),
            count_a: count(&line.a),
            paragraph_b: line.b.as_ref().map(|place| place.paragraph),
            sentence_b: line.b.as_ref().map(|place| place.sentence),
            count_b: count(&line.b),
            reason: line.reason,
        }
    }
}

#[derive(Serialize)]
pub(super) struct PageObject<'l> {
    url: &'l str,
    lang: &'l str,
    title: &'l str,
    text: &'l str,
    tags: &'l [&'static str],
    date: Option<String>,
    archive: &'l str,
    offset: u64,
}

impl<'l> From<&'l PageLine> for PageObject<'l> {
    fn from(page: &'l PageLine) -> Self {
        PageObject {
            url: &page.url,
            lang: page.lang.as_str(),
            title: &page.title,
            text: &page.text,
            tags: &page.tags,
            date: page.date_ms.and_then(date),
            archive: &page.archive,
            offset: page.offset,
        }
    }
}

#[derive(Serialize)]
pub(super) struct CaptureObject<'l> {
    warc_filename: &'l str,
    offset: u64,
    length: u64,
    url: &'l str,
}

impl<'l> From<&'l FetchLine> for CaptureObject<'l> {
    fn from(line: &'l FetchLine) -> Self {
        CaptureObject { warc_filename: &line.file, offset: line.offset, length: line.length, url: &line.url }
    }
}

/// `2024-05-06T07:08:09Z`; `None` where there is no date.
pub(super) fn date(date_ms: i64) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(date_ms).ok()?.to_string())
}
