//! Exported rows, as objects of JSON → the lines that they were written from.

use serde_json::Value;

use crate::align::clean::Reason;
use crate::export::{Content, Row};
use crate::types::{
    AlignedSentences, BitextLine, BlockKind, DocumentLine, FetchLine, Lang, Method, OptOuts, PageLine, PairLine, Place,
    Provenance, SentencePlace, Signals, Told, Translated, TranslationMark, UnitLine, UnitPair, UnitText, tag_code,
    tag_name,
};

/// The reason of a sentence pair that an export leaves out because another store has it too.
pub const ELSEWHERE: &str = "in another store";

/// A line of some content.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A pair of pages.
    Pair(PairLine),
    /// A sentence pair.
    Sentences(BitextLine),
    /// A pair of pages with their texts.
    Document(DocumentLine),
    /// Sentences of several languages.
    Unit(UnitLine),
    /// A page with its text.
    Page(PageLine),
    /// A capture to fetch.
    Capture(FetchLine),
}

impl Line {
    /// The line that an exported row of a content contains; `None` where the row lacks something, or where the content has no lines.
    pub fn of(content: Content, row: &Value) -> Option<Line> {
        Some(match content {
            Content::Pairs => Line::Pair(pair(row)?),
            Content::Bitext => Line::Sentences(sentences(row)?),
            Content::Documents => Line::Document(document(row)?),
            Content::Units => Line::Unit(unit(row)?),
            Content::Pages => Line::Page(page(row, "", lang(row, "lang")?, None)?),
            Content::Fetch => Line::Capture(capture(row)?),
            Content::Rebuild | Content::Warc | Content::Lexicon | Content::Languages => return None,
        })
    }

    /// The line as exporters take it.
    pub fn row(&self) -> Row<'_> {
        match self {
            Line::Pair(line) => Row::Pair(line),
            Line::Sentences(line) => Row::Sentences(line),
            Line::Document(line) => Row::Document(line),
            Line::Unit(line) => Row::Unit(line),
            Line::Page(line) => Row::Page(line),
            Line::Capture(line) => Row::Capture(line),
        }
    }
}

/// A sentence pair; without texts, spans and hashes of pages where the row has none.
pub fn sentences(row: &Value) -> Option<BitextLine> {
    let langs = [lang(row, "lang_a")?, lang(row, "lang_b")?];
    let [a, b] = originals(row, langs);
    Some(BitextLine {
        text_a: text(row, "text_a"),
        text_b: text(row, "text_b"),
        lang_a: langs[0],
        lang_b: langs[1],
        score: row["score"].as_f64()?,
        page_score: row["page_score"].as_f64()?,
        reason: reason(row)?,
        a: place(row, "_a", a)?,
        b: place(row, "_b", b)?,
        others: row["also"].as_array()?.iter().map(urls).collect::<Option<_>>()?,
        page_pairs: number(row, "page_pairs"),
        is_furniture: row["furniture"].as_bool()?,
        targets: number(row, "targets"),
        sources: number(row, "sources"),
        told: <[Told; 2]>::default(),
        scorer: row["scorer"].as_f64(),
        joint: None,
    })
}

/// A hash of sixteen digits.
pub fn hash(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?, 16).ok()
}

fn pair(row: &Value) -> Option<PairLine> {
    let langs = [lang(row, "lang_a")?, lang(row, "lang_b")?];
    let [a, b] = originals(row, langs);
    let method = row["method"].as_str()?;
    let mut methods = Method::BY_TRUST.into_iter().map(Method::name).chain(["recovered"]);
    let (url_a, url_b) = urls(row)?;
    Some(PairLine {
        url_a,
        url_b,
        lang_a: langs[0],
        lang_b: langs[1],
        score: row["score"].as_f64()?,
        method: methods.find(|known| *known == method)?,
        key: text(row, "key"),
        scorer: row["scorer"].as_f64(),
        provenance: [provenance(row, "_a", a)?, provenance(row, "_b", b)?],
    })
}

fn document(row: &Value) -> Option<DocumentLine> {
    let pair = pair(row)?;
    let [a, b] = originals(row, [pair.lang_a, pair.lang_b]);
    let sentences = row["sentences"].as_array()?.iter().map(|row| {
        let place = |side: &str| {
            let of = |name: &str| format!("{name}{side}");
            let (paragraph, sentence) = (number(row, &of("paragraph")), number(row, &of("sentence")));
            let (text, count) = (text(row, &of("text")), number(row, &of("count"))?);
            Some(paragraph.zip(sentence).map(|(paragraph, sentence)| SentencePlace {
                text,
                paragraph,
                sentence,
                count,
            }))
        };
        let (a, b) = (place("_a")?, place("_b")?);
        Some(AlignedSentences { a, b, score: row["score"].as_f64()?, reason: reason(row)? })
    });
    let sentences = sentences.collect::<Option<_>>()?;
    let page_score = row["page_score"].as_f64()?;
    let (a, b) = (page(row, "_a", pair.lang_a, a)?, page(row, "_b", pair.lang_b, b)?);
    Some(DocumentLine { pair, page_score, a, b, sentences })
}

fn unit(row: &Value) -> Option<UnitLine> {
    let text_of = |row: &Value| {
        let place = Place {
            url: row["url"].as_str()?.to_owned(),
            archive: text(row, "archive"),
            offset: row["offset"].as_u64()?,
            kind: kind(row, "kind")?,
            paragraph: number(row, "paragraph"),
            sentence: number(row, "sentence"),
            count: number(row, "count")?,
            ..Place::default()
        };
        Some(UnitText { lang: lang(row, "lang")?, text: text(row, "text"), place })
    };
    let pair_of = |row: &Value| {
        let (lang_a, lang_b) = (lang(row, "lang_a")?, lang(row, "lang_b")?);
        Some(UnitPair { lang_a, lang_b, score: row["score"].as_f64()? })
    };
    Some(UnitLine {
        id: hash(&row["unit"])?,
        document: hash(&row["document"])?,
        langs: text(row, "langs"),
        score: row["score"].as_f64()?,
        contradictions: number(row, "contradictions")?,
        is_repeated: row["repeated"].as_bool()?,
        texts: row["texts"].as_array()?.iter().map(text_of).collect::<Option<_>>()?,
        pairs: row["pairs"].as_array()?.iter().map(pair_of).collect::<Option<_>>()?,
    })
}

/// A page, whose columns have names with `side` behind them.
fn page(row: &Value, side: &str, lang: Lang, from: Option<Lang>) -> Option<PageLine> {
    let of = |name: &str| format!("{name}{side}");
    let date_ms = match row[of("date")].as_str() {
        None => None,
        Some(date) => Some(date.parse::<jiff::Timestamp>().ok()?.as_millisecond()),
    };
    let tag = |tag: &Value| Some(tag_name(tag_code(tag.as_str()?)));
    Some(PageLine {
        url: row[of("url")].as_str()?.to_owned(),
        lang,
        title: text(row, &of("title")),
        text: row[of("text")].as_str()?.to_owned(),
        tags: row[of("tags")].as_array()?.iter().map(tag).collect::<Option<_>>()?,
        date_ms,
        archive: text(row, &of("archive")),
        offset: row[of("offset")].as_u64()?,
        provenance: provenance(row, side, from)?,
    })
}

fn capture(row: &Value) -> Option<FetchLine> {
    let (file, url) = (row["warc_filename"].as_str()?.to_owned(), row["url"].as_str()?.to_owned());
    Some(FetchLine { file, offset: row["offset"].as_u64()?, length: row["length"].as_u64()?, url })
}

/// One side of a sentence pair.
fn place(row: &Value, side: &str, from: Option<Lang>) -> Option<Place> {
    let of = |name: &str| format!("{name}{side}");
    Some(Place {
        url: row[of("url")].as_str()?.to_owned(),
        archive: text(row, &of("archive")),
        offset: row[of("offset")].as_u64()?,
        block: text(row, &of("block")),
        kind: kind(row, &of("kind"))?,
        paragraph: number(row, &of("paragraph")),
        sentence: number(row, &of("sentence")),
        count: number(row, &of("count"))?,
        provenance: provenance(row, side, from)?,
        ..Place::default()
    })
}

/// For each side, the language of its original: that of the other side, if a mark of machine translation says so.
fn originals(row: &Value, langs: [Lang; 2]) -> [Option<Lang>; 2] {
    let original = row["original"].as_str();
    [Some(langs[1]).filter(|_| original == Some("b")), Some(langs[0]).filter(|_| original == Some("a"))]
}

/// What a page says of itself. If it has a mark of machine translation, `from` is the language of the original.
fn provenance(row: &Value, side: &str, from: Option<Lang>) -> Option<Provenance> {
    let of = |name: &str| text(row, &format!("{name}{side}"));
    let translated = match of("machine_translated") {
        name if name.is_empty() => None,
        name => {
            let mark = TranslationMark::ALL.iter().find(|mark| mark.name() == name)?;
            Some(Translated { mark: *mark, from: from.unwrap_or(Lang::UNKNOWN) })
        }
    };
    let signals = Signals { translated, opt_outs: OptOuts::from_names(&of("opt_out"))?, license: of("license") };
    Some(Provenance { signals, record_id: of("record_id"), payload_digest: of("payload_digest") })
}

fn lang(row: &Value, name: &str) -> Option<Lang> {
    Lang::from_tag(row[name].as_str()?)
}

fn urls(row: &Value) -> Option<(String, String)> {
    Some((row["url_a"].as_str()?.to_owned(), row["url_b"].as_str()?.to_owned()))
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

fn number(row: &Value, name: &str) -> Option<u32> {
    row[name].as_u64().and_then(|number| u32::try_from(number).ok())
}

/// The outer `None` is for a name that there is not.
#[expect(clippy::option_option, reason = "a missing name is no wrong one")]
fn kind(row: &Value, name: &str) -> Option<Option<BlockKind>> {
    match row[name].as_str() {
        None => Some(None),
        Some(name) => BlockKind::ALL.into_iter().find(|kind| kind.name() == name).map(Some),
    }
}

/// As [`kind`].
#[expect(clippy::option_option, reason = "a missing name is no wrong one")]
fn reason(row: &Value) -> Option<Option<&'static str>> {
    match row["reason"].as_str() {
        None => Some(None),
        Some(name) => {
            Reason::ALL.into_iter().map(Reason::name).chain([ELSEWHERE]).find(|known| *known == name).map(Some)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{self, Compression, Extra, Job};

    /// A place with everything that tables have of one.
    fn place(lang: &str) -> Place {
        let translated = Some(Translated { mark: TranslationMark::Weglot, from: Lang::UNKNOWN });
        let signals = Signals { translated, opt_outs: OptOuts::NO_AI, license: "https://ex.org/license".into() };
        Place {
            url: format!("http://ex.org/{lang}/"),
            archive: "a.warc".into(),
            offset: 7,
            block: "3:p".into(),
            kind: Some(BlockKind::Paragraph),
            paragraph: Some(3),
            sentence: Some(1),
            count: 2,
            provenance: Provenance { signals, ..Provenance::default() },
            ..Place::default()
        }
    }

    fn page(lang: Lang) -> PageLine {
        let (tags, place) = (vec!["h1", "p"], place(lang.as_str()));
        PageLine {
            url: place.url,
            lang,
            title: "Title".into(),
            text: "Title\nOne. Two.".into(),
            tags,
            date_ms: Some(1_714_979_289_123),
            archive: place.archive,
            offset: 9,
            provenance: Provenance { record_id: "<urn:uuid:1>".into(), ..place.provenance },
        }
    }

    fn lines() -> Vec<(Content, Line)> {
        let (a, mut b) = (page(Lang::EN), page(Lang::ZH_HANS));
        b.provenance.signals.translated = Some(Translated { mark: TranslationMark::GTranslate, from: Lang::EN });
        let pair = PairLine {
            url_a: a.url.clone(),
            url_b: b.url.clone(),
            lang_a: Lang::EN,
            lang_b: Lang::ZH_HANS,
            score: 0.25,
            method: "aligned-links",
            key: "path:en:zh".into(),
            scorer: None,
            provenance: [a.provenance.clone(), b.provenance.clone()],
        };
        let sentence = |text: &str| Some(SentencePlace { text: text.into(), paragraph: 1, sentence: 0, count: 1 });
        let sentences = vec![
            AlignedSentences { a: sentence("One."), b: sentence("一"), score: 0.5, reason: None },
            AlignedSentences { a: sentence("Two."), b: None, score: 0.0, reason: Some(Reason::Unaligned.name()) },
        ];
        let bitext = BitextLine {
            text_a: "One.".into(),
            text_b: "一".into(),
            lang_a: Lang::EN,
            lang_b: Lang::ZH_HANS,
            score: 0.75,
            page_score: 0.5,
            reason: None,
            a: place("en"),
            b: Place { kind: None, paragraph: None, sentence: None, ..place("zh") },
            others: vec![("http://ex.org/1".into(), "http://ex.org/2".into())],
            page_pairs: Some(2),
            is_furniture: true,
            targets: Some(1),
            sources: None,
            told: <[Told; 2]>::default(),
            scorer: Some(0.123_456),
            joint: None,
        };
        let of_unit = Place { block: String::new(), provenance: Provenance::default(), ..place("en") };
        let unit = UnitLine {
            id: 1 << 63,
            document: 1,
            langs: "en,fr".into(),
            score: 0.5,
            contradictions: 3,
            is_repeated: true,
            texts: vec![UnitText { lang: Lang::EN, text: "One.".into(), place: of_unit }],
            pairs: vec![UnitPair { lang_a: Lang::EN, lang_b: Lang::ZH, score: 0.5 }],
        };
        let document = DocumentLine { pair: pair.clone(), page_score: 0.5, a: a.clone(), b, sentences };
        let mut pair = pair;
        pair.provenance.iter_mut().for_each(|of| of.record_id.clear());
        let url = "http://ex.org/".into();
        vec![
            (Content::Pairs, Line::Pair(pair)),
            (Content::Bitext, Line::Sentences(bitext)),
            (Content::Documents, Line::Document(document)),
            (Content::Units, Line::Unit(unit)),
            (Content::Pages, Line::Page(a)),
            (Content::Fetch, Line::Capture(FetchLine { file: "a.warc".into(), offset: 5, length: 6, url })),
        ]
    }

    #[test]
    fn a_line_that_was_written_comes_back() {
        for (content, line) in lines() {
            let (_, format) = export::format(Some(content), Some("jsonl"), None).expect("a format");
            let file = tempfile::NamedTempFile::new().expect("a file");
            let output = Box::new(file.reopen().expect("the file"));
            let (extra, compression, now) = (Extra::default(), Compression::None, jiff::Timestamp::UNIX_EPOCH);
            let mut exporter =
                (format.make)(&Job { content, langs: None, extra, compression, now }, vec![output]).expect("a disk");
            exporter.row(line.row()).and_then(|()| exporter.finish()).expect("a disk");
            let written: Value = serde_json::from_slice(&std::fs::read(file.path()).expect("the file")).expect("JSON");
            assert_eq!(Line::of(content, &written), Some(line), "{content:?}");
            for name in ["score", "url", "url_a", "offset", "texts"] {
                let mut wrong = written.clone();
                if wrong.get(name).is_some() {
                    wrong[name] = Value::Null;
                    assert_eq!(Line::of(content, &wrong), None, "{content:?} without {name}");
                }
            }
        }
    }
}
