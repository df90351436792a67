//! Which columns each content has, and how a row gives their values. This is the only place of the program that says so: tables, objects,
//! Arrow and conditions follow it. A column is added by one line here. The [driver for Spark](../../docs/python.md) needs the columns before
//! there is a row, so those of what it writes are in `python/diglot/spark/_results.py` too.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::exporter::{Content, Extra, Job, Row, rounded};
use super::mark::identity;
use crate::language::{self, names::in_english, profiles::HEAD};
use crate::text::contacts::{has_email, has_phone};
use crate::text::near::near;
use crate::types::{
    AlignedSentences, BitextLine, DocumentLine, EXTRACTOR, FetchLine, Lang, LanguageLine, PageLine, PairLine, Place,
    Provenance, SentencePlace, UnitLine, UnitPair, UnitText, domain_of,
};

/// A column: its name, and how a line gives its value.
pub(super) struct Column<L: 'static>(&'static str, Get<L>);

/// How a line gives a value, by the kind of the value.
pub(super) enum Get<L: 'static> {
    Text(for<'l> fn(&'l L) -> &'l str),
    Maybe(for<'l> fn(&'l L) -> Option<Cow<'l, str>>),
    /// The registrable domain of a URL.
    Domain(for<'l> fn(&'l L) -> &'l str),
    Hash(fn(&L) -> u64),
    MaybeHash(fn(&L) -> Option<u64>),
    Real(fn(&L) -> f64),
    MaybeReal(fn(&L) -> Option<f64>),
    /// A number on a scale of its own, written with all of its digits.
    MaybeExact(fn(&L) -> Option<f64>),
    Long(fn(&L) -> u64),
    Int(fn(&L) -> u32),
    MaybeInt(fn(&L) -> Option<u32>),
    Flag(fn(&L) -> bool),
    Texts(for<'l> fn(&'l L) -> &'l [&'static str]),
    Others(for<'l> fn(&'l L) -> &'l [(String, String)]),
    Sentences(for<'l> fn(&'l L) -> &'l [AlignedSentences]),
    UnitTexts(for<'l> fn(&'l L) -> &'l [UnitText]),
    UnitPairs(for<'l> fn(&'l L) -> &'l [UnitPair]),
}

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// A text that may be missing.
    Maybe,
    Real,
    /// A real number that may be missing.
    MaybeReal,
    Long,
    Int,
    /// A number that may be missing.
    MaybeInt,
    /// True or false.
    Flag,
    /// A list of texts.
    Texts,
    /// A list of rows, which have columns themselves.
    Rows(Inner),
}

/// The type of the elements of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// URLs of page pairs.
    Others,
    /// Aligned sentences.
    Sentences,
    /// Texts of a unit.
    UnitTexts,
    /// Sentence pairs of a unit.
    UnitPairs,
}

/// A list of rows that is the value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rows<'v> {
    Others(&'v [(String, String)]),
    Sentences(&'v [AlignedSentences]),
    UnitTexts(&'v [UnitText]),
    UnitPairs(&'v [UnitPair]),
}

impl Kind {
    /// True for values that fit into a cell.
    pub fn fits_a_cell(self) -> bool {
        !matches!(self, Kind::Texts | Kind::Rows(_))
    }
}

/// The value of a row in a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'v> {
    Text(Cow<'v, str>),
    Maybe(Option<Cow<'v, str>>),
    Real(f64),
    MaybeReal(Option<f64>),
    Long(u64),
    Int(u32),
    MaybeInt(Option<u32>),
    Flag(bool),
    Texts(&'v [&'static str]),
    Rows(Rows<'v>),
}

impl<L> Column<L> {
    fn kind(&self) -> Kind {
        match self.1 {
            Get::Text(_) | Get::Hash(_) | Get::Domain(_) => Kind::Text,
            Get::Maybe(_) | Get::MaybeHash(_) => Kind::Maybe,
            Get::Real(_) => Kind::Real,
            Get::MaybeReal(_) | Get::MaybeExact(_) => Kind::MaybeReal,
            Get::Long(_) => Kind::Long,
            Get::Int(_) => Kind::Int,
            Get::MaybeInt(_) => Kind::MaybeInt,
            Get::Flag(_) => Kind::Flag,
            Get::Texts(_) => Kind::Texts,
            Get::Others(_) => Kind::Rows(Inner::Others),
            Get::Sentences(_) => Kind::Rows(Inner::Sentences),
            Get::UnitTexts(_) => Kind::Rows(Inner::UnitTexts),
            Get::UnitPairs(_) => Kind::Rows(Inner::UnitPairs),
        }
    }

    fn value<'l>(&self, line: &'l L) -> Value<'l> {
        match self.1 {
            Get::Text(of) => Value::Text(of(line).into()),
            Get::Domain(of) => Value::Text(domain_of(of(line))),
            Get::Hash(of) => Value::Text(hexadecimal(of(line)).into()),
            Get::MaybeHash(of) => Value::Maybe(of(line).map(|hash| hexadecimal(hash).into())),
            Get::Maybe(of) => Value::Maybe(of(line)),
            Get::Real(of) => Value::Real(rounded(of(line))),
            Get::MaybeReal(of) => Value::MaybeReal(of(line).map(rounded)),
            Get::MaybeExact(of) => Value::MaybeReal(of(line)),
            Get::Long(of) => Value::Long(of(line)),
            Get::Int(of) => Value::Int(of(line)),
            Get::MaybeInt(of) => Value::MaybeInt(of(line)),
            Get::Flag(of) => Value::Flag(of(line)),
            Get::Texts(of) => Value::Texts(of(line)),
            Get::Others(of) => Value::Rows(Rows::Others(of(line))),
            Get::Sentences(of) => Value::Rows(Rows::Sentences(of(line))),
            Get::UnitTexts(of) => Value::Rows(Rows::UnitTexts(of(line))),
            Get::UnitPairs(of) => Value::Rows(Rows::UnitPairs(of(line))),
        }
    }
}

/// Sixteen digits, since readers of JSON keep 53 bits of a number.
fn hexadecimal(hash: u64) -> String {
    format!("{hash:016x}")
}

use Get::{
    Domain, Flag, Hash, Int, Long, Maybe, MaybeExact, MaybeHash, MaybeInt, MaybeReal, Others, Real, Sentences, Text,
    Texts, UnitPairs, UnitTexts,
};

const PAIRS: &[Column<PairLine>] = &[
    Column("url_a", Text(|line| &line.url_a)),
    Column("url_b", Text(|line| &line.url_b)),
    Column("lang_a", Text(|line| line.lang_a.as_str())),
    Column("lang_b", Text(|line| line.lang_b.as_str())),
    Column("score", Real(|line| line.score)),
    Column("method", Text(|line| line.method)),
    Column("key", Text(|line| &line.key)),
    Column("scorer", MaybeExact(|line| line.scorer)),
    Column("id", Hash(|line| identity(Row::Pair(line)))),
    Column("domain", Domain(|line| &line.url_a)),
    Column("machine_translated_a", Maybe(|line| mark(&line.provenance[0]))),
    Column("machine_translated_b", Maybe(|line| mark(&line.provenance[1]))),
    Column("original", Maybe(|line| original([&line.provenance[0], &line.provenance[1]], [line.lang_a, line.lang_b]))),
    Column("opt_out_a", Maybe(|line| opt_out(&line.provenance[0]))),
    Column("opt_out_b", Maybe(|line| opt_out(&line.provenance[1]))),
    Column("license_a", Maybe(|line| license(&line.provenance[0]))),
    Column("license_b", Maybe(|line| license(&line.provenance[1]))),
    Column("record_id_a", Maybe(|line| told_text(&line.provenance[0].record_id))),
    Column("record_id_b", Maybe(|line| told_text(&line.provenance[1].record_id))),
    Column("payload_digest_a", Maybe(|line| told_text(&line.provenance[0].payload_digest))),
    Column("payload_digest_b", Maybe(|line| told_text(&line.provenance[1].payload_digest))),
];

const BITEXT: &[Column<BitextLine>] = &[
    Column("text_a", Text(|line| &line.text_a)),
    Column("text_b", Text(|line| &line.text_b)),
    Column("lang_a", Text(|line| line.lang_a.as_str())),
    Column("lang_b", Text(|line| line.lang_b.as_str())),
    Column("score", Real(|line| line.score)),
    Column("url_a", Text(|line| &line.a.url)),
    Column("url_b", Text(|line| &line.b.url)),
    Column("others", Int(|line| line.others.len().try_into().unwrap_or(u32::MAX))),
    Column("reason", Maybe(|line| line.reason.map(Cow::Borrowed))),
    Column("page_score", Real(|line| line.page_score)),
    Column("archive_a", Text(|line| &line.a.archive)),
    Column("offset_a", Long(|line| line.a.offset)),
    Column("block_a", Maybe(|line| told_text(&line.a.block))),
    Column("archive_b", Text(|line| &line.b.archive)),
    Column("offset_b", Long(|line| line.b.offset)),
    Column("block_b", Maybe(|line| told_text(&line.b.block))),
    Column("kind_a", Maybe(|line| kind(&line.a))),
    Column("kind_b", Maybe(|line| kind(&line.b))),
    Column("paragraph_a", MaybeInt(|line| line.a.paragraph)),
    Column("sentence_a", MaybeInt(|line| line.a.sentence)),
    Column("count_a", Int(|line| line.a.count)),
    Column("paragraph_b", MaybeInt(|line| line.b.paragraph)),
    Column("sentence_b", MaybeInt(|line| line.b.sentence)),
    Column("count_b", Int(|line| line.b.count)),
    Column("chars_a", Int(|line| chars(&line.text_a))),
    Column("chars_b", Int(|line| chars(&line.text_b))),
    Column("near_a", MaybeHash(|line| near_hash(&line.text_a))),
    Column("near_b", MaybeHash(|line| near_hash(&line.text_b))),
    Column("page_pairs", MaybeInt(|line| line.page_pairs)),
    Column("furniture", Flag(|line| line.is_furniture)),
    Column("email", Flag(|line| has_email(&line.text_a) || has_email(&line.text_b))),
    Column("phone", Flag(|line| has_phone(&line.text_a) || has_phone(&line.text_b))),
    Column("targets", MaybeInt(|line| line.targets)),
    Column("sources", MaybeInt(|line| line.sources)),
    Column("scorer", MaybeExact(|line| line.scorer)),
    Column("also", Others(|line| &line.others)),
    Column("id", Hash(|line| identity(Row::Sentences(line)))),
    Column("domain", Domain(|line| &line.a.url)),
    Column("machine_translated_a", Maybe(|line| mark(&line.a.provenance))),
    Column("machine_translated_b", Maybe(|line| mark(&line.b.provenance))),
    Column("original", Maybe(|line| original([&line.a.provenance, &line.b.provenance], [line.lang_a, line.lang_b]))),
    Column("opt_out_a", Maybe(|line| opt_out(&line.a.provenance))),
    Column("opt_out_b", Maybe(|line| opt_out(&line.b.provenance))),
    Column("license_a", Maybe(|line| license(&line.a.provenance))),
    Column("license_b", Maybe(|line| license(&line.b.provenance))),
    Column("record_id_a", Maybe(|line| told_text(&line.a.provenance.record_id))),
    Column("record_id_b", Maybe(|line| told_text(&line.b.provenance.record_id))),
    Column("payload_digest_a", Maybe(|line| told_text(&line.a.provenance.payload_digest))),
    Column("payload_digest_b", Maybe(|line| told_text(&line.b.provenance.payload_digest))),
    Column("detected_lang_a", Maybe(|line| detected_lang(line, 0))),
    Column("detected_lang_b", Maybe(|line| detected_lang(line, 1))),
    Column("detected_confidence_a", MaybeReal(|line| told(line, 0).map(|(_, confidence)| f64::from(confidence)))),
    Column("detected_confidence_b", MaybeReal(|line| told(line, 1).map(|(_, confidence)| f64::from(confidence)))),
];

/// The columns of sentence pairs that contain their texts, or follow from them.
const OF_TEXTS: [&str; 12] = [
    "text_a",
    "text_b",
    "chars_a",
    "chars_b",
    "near_a",
    "near_b",
    "email",
    "phone",
    "detected_lang_a",
    "detected_lang_b",
    "detected_confidence_a",
    "detected_confidence_b",
];

/// Where the texts of sentence pairs are.
const PLACES: &[Column<BitextLine>] = &[
    Column("start_a", Int(|line| line.a.span.0)),
    Column("end_a", Int(|line| line.a.span.1)),
    Column("page_a", Hash(|line| line.a.page)),
    Column("paragraphs_a", MaybeInt(|line| line.a.totals.map(|totals| totals.0))),
    Column("sentences_a", MaybeInt(|line| line.a.totals.map(|totals| totals.1))),
    Column("start_b", Int(|line| line.b.span.0)),
    Column("end_b", Int(|line| line.b.span.1)),
    Column("page_b", Hash(|line| line.b.page)),
    Column("paragraphs_b", MaybeInt(|line| line.b.totals.map(|totals| totals.0))),
    Column("sentences_b", MaybeInt(|line| line.b.totals.map(|totals| totals.1))),
    Column("extractor", Text(|_| EXTRACTOR)),
];

/// The columns of sentence pairs without texts.
fn rebuild() -> impl Iterator<Item = &'static Column<BitextLine>> {
    BITEXT.iter().filter(|column| !OF_TEXTS.contains(&column.0)).chain(PLACES)
}

/// How many of these, at the end, are written only where they are asked for, since telling a language takes long.
const DETECTED: usize = 4;
/// How many columns before these, and at the end of the columns of pairs, are written only where they are asked for, since few users want
/// them.
const RECORDS: usize = 4;

const DOCUMENTS: &[Column<DocumentLine>] = &[
    Column("url_a", Text(|line| &line.pair.url_a)),
    Column("url_b", Text(|line| &line.pair.url_b)),
    Column("lang_a", Text(|line| line.pair.lang_a.as_str())),
    Column("lang_b", Text(|line| line.pair.lang_b.as_str())),
    Column("score", Real(|line| line.pair.score)),
    Column("method", Text(|line| line.pair.method)),
    Column("key", Text(|line| &line.pair.key)),
    Column("page_score", Real(|line| line.page_score)),
    Column("title_a", Text(|line| &line.a.title)),
    Column("title_b", Text(|line| &line.b.title)),
    Column("text_a", Text(|line| &line.a.text)),
    Column("text_b", Text(|line| &line.b.text)),
    Column("tags_a", Texts(|line| &line.a.tags)),
    Column("tags_b", Texts(|line| &line.b.tags)),
    Column("date_a", Maybe(|line| date(&line.a))),
    Column("date_b", Maybe(|line| date(&line.b))),
    Column("archive_a", Text(|line| &line.a.archive)),
    Column("archive_b", Text(|line| &line.b.archive)),
    Column("offset_a", Long(|line| line.a.offset)),
    Column("offset_b", Long(|line| line.b.offset)),
    Column("id", Hash(|line| identity(Row::Document(line)))),
    Column("domain", Domain(|line| &line.pair.url_a)),
    Column("machine_translated_a", Maybe(|line| mark(&line.a.provenance))),
    Column("machine_translated_b", Maybe(|line| mark(&line.b.provenance))),
    Column("original", Maybe(|line| original([&line.a.provenance, &line.b.provenance], [line.a.lang, line.b.lang]))),
    Column("opt_out_a", Maybe(|line| opt_out(&line.a.provenance))),
    Column("opt_out_b", Maybe(|line| opt_out(&line.b.provenance))),
    Column("license_a", Maybe(|line| license(&line.a.provenance))),
    Column("license_b", Maybe(|line| license(&line.b.provenance))),
    Column("record_id_a", Maybe(|line| told_text(&line.a.provenance.record_id))),
    Column("record_id_b", Maybe(|line| told_text(&line.b.provenance.record_id))),
    Column("payload_digest_a", Maybe(|line| told_text(&line.a.provenance.payload_digest))),
    Column("payload_digest_b", Maybe(|line| told_text(&line.b.provenance.payload_digest))),
    Column("sentences", Sentences(|line| &line.sentences)),
];

const OTHERS: &[Column<(String, String)>] =
    &[Column("url_a", Text(|urls| &urls.0)), Column("url_b", Text(|urls| &urls.1))];

const ALIGNED: &[Column<AlignedSentences>] = &[
    Column("text_a", Text(|line| text(&line.a))),
    Column("text_b", Text(|line| text(&line.b))),
    Column("score", Real(|line| line.score)),
    Column("paragraph_a", MaybeInt(|line| line.a.as_ref().map(|place| place.paragraph))),
    Column("sentence_a", MaybeInt(|line| line.a.as_ref().map(|place| place.sentence))),
    Column("count_a", Int(|line| line.a.as_ref().map_or(0, |place| place.count))),
    Column("paragraph_b", MaybeInt(|line| line.b.as_ref().map(|place| place.paragraph))),
    Column("sentence_b", MaybeInt(|line| line.b.as_ref().map(|place| place.sentence))),
    Column("count_b", Int(|line| line.b.as_ref().map_or(0, |place| place.count))),
    Column("reason", Maybe(|line| line.reason.map(Cow::Borrowed))),
];

const UNITS: &[Column<UnitLine>] = &[
    Column("unit", Hash(|line| line.id)),
    Column("document", Hash(|line| line.document)),
    Column("langs", Text(|line| &line.langs)),
    Column("languages", Int(|line| line.texts.len() as u32)),
    Column("score", Real(|line| line.score)),
    Column("contradictions", Int(|line| line.contradictions)),
    Column("repeated", Flag(|line| line.is_repeated)),
    Column("texts", UnitTexts(|line| &line.texts)),
    Column("pairs", UnitPairs(|line| &line.pairs)),
];

const UNIT_TEXTS: &[Column<UnitText>] = &[
    Column("lang", Text(|line| line.lang.as_str())),
    Column("text", Text(|line| &line.text)),
    Column("url", Text(|line| &line.place.url)),
    Column("kind", Maybe(|line| kind(&line.place))),
    Column("paragraph", MaybeInt(|line| line.place.paragraph)),
    Column("sentence", MaybeInt(|line| line.place.sentence)),
    Column("count", Int(|line| line.place.count)),
    Column("archive", Text(|line| &line.place.archive)),
    Column("offset", Long(|line| line.place.offset)),
];

const UNIT_PAIRS: &[Column<UnitPair>] = &[
    Column("lang_a", Text(|pair| pair.lang_a.as_str())),
    Column("lang_b", Text(|pair| pair.lang_b.as_str())),
    Column("score", Real(|pair| pair.score)),
];

const PAGES: &[Column<PageLine>] = &[
    Column("url", Text(|page| &page.url)),
    Column("lang", Text(|page| page.lang.as_str())),
    Column("title", Text(|page| &page.title)),
    Column("text", Text(|page| &page.text)),
    Column("tags", Texts(|page| &page.tags)),
    Column("date", Maybe(date)),
    Column("archive", Text(|page| &page.archive)),
    Column("offset", Long(|page| page.offset)),
    Column("id", Hash(|page| identity(Row::Page(page)))),
    Column("domain", Domain(|page| &page.url)),
    Column("machine_translated", Maybe(|page| mark(&page.provenance))),
    Column("opt_out", Maybe(|page| opt_out(&page.provenance))),
    Column("license", Maybe(|page| license(&page.provenance))),
    Column("record_id", Maybe(|page| told_text(&page.provenance.record_id))),
    Column("payload_digest", Maybe(|page| told_text(&page.provenance.payload_digest))),
    Column("language", Maybe(|page| in_english(page.lang).map(Into::into))),
];

const FETCH: &[Column<FetchLine>] = &[
    Column("warc_filename", Text(|line| &line.file)),
    Column("offset", Long(|line| line.offset)),
    Column("length", Long(|line| line.length)),
    Column("url", Text(|line| &line.url)),
];

// The same columns as in files of profiles, which this program reads.
const LANGUAGES: &[Column<LanguageLine>] = &[
    Column(HEAD[0], Text(|line| line.lang.as_str())),
    Column(HEAD[1], Maybe(|line| in_english(line.lang).map(Into::into))),
    Column(HEAD[2], Int(|line| line.domains)),
    Column(HEAD[3], Text(|line| &line.letters)),
];

/// The language of a side's text, told once.
fn told(line: &BitextLine, side: usize) -> Option<(Lang, f32)> {
    let text = [&line.text_a, &line.text_b][side];
    *line.told[side].get_or_init(|| language::of_text(text))
}

fn detected_lang(line: &BitextLine, side: usize) -> Option<Cow<'_, str>> {
    told(line, side).map(|(lang, _)| lang.as_str().to_owned().into())
}

/// The name of the mark by which a page is known to be translated by a machine.
fn mark(page: &Provenance) -> Option<Cow<'_, str>> {
    page.signals.translated.map(|found| found.mark.name().into())
}

/// Which of two pages, `a` or `b`, is the original, according to the mark of machine translation on the other one.
fn original(pages: [&Provenance; 2], [lang_a, lang_b]: [Lang; 2]) -> Option<Cow<'static, str>> {
    match (pages[0].is_from(lang_b), pages[1].is_from(lang_a)) {
        (true, false) => Some("b".into()),
        (false, true) => Some("a".into()),
        _ => None,
    }
}

fn opt_out(page: &Provenance) -> Option<Cow<'_, str>> {
    let opt_outs = page.signals.opt_outs;
    (!opt_outs.is_empty()).then(|| opt_outs.names().into())
}

fn license(page: &Provenance) -> Option<Cow<'_, str>> {
    told_text(&page.signals.license)
}

fn told_text(text: &str) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then_some(text.into())
}

fn kind(place: &Place) -> Option<Cow<'_, str>> {
    place.kind.map(|kind| kind.name().into())
}

fn chars(text: &str) -> u32 {
    text.chars().count().try_into().unwrap_or(u32::MAX)
}

/// The hash that near duplicates have in common; `None` for no text.
fn near_hash(text: &str) -> Option<u64> {
    (!text.is_empty()).then(|| near(text))
}

fn text(place: &Option<SentencePlace>) -> &str {
    place.as_ref().map_or("", |place| &place.text)
}

/// `2024-05-06T07:08:09Z`; `None` where there is no date.
fn date(page: &PageLine) -> Option<Cow<'_, str>> {
    Some(jiff::Timestamp::from_millisecond(page.date_ms?).ok()?.to_string().into())
}

/// The name and the kind of a column.
pub(super) type Head = (&'static str, Kind);

fn heads_of<'c, L: 'static>(columns: impl IntoIterator<Item = &'c Column<L>>) -> Vec<Head> {
    columns.into_iter().map(|column| (column.0, column.kind())).collect()
}

/// All columns of a content; none where it has none, or where the first row is the header.
pub(super) fn heads(content: Content) -> Vec<Head> {
    match content {
        Content::Pairs => heads_of(PAIRS),
        Content::Bitext => heads_of(BITEXT),
        Content::Rebuild => heads_of(rebuild()),
        Content::Documents => heads_of(DOCUMENTS),
        Content::Units => heads_of(UNITS),
        Content::Pages => heads_of(PAGES),
        Content::Fetch => heads_of(FETCH),
        Content::Languages => heads_of(LANGUAGES),
        Content::Warc | Content::Lexicon => Vec::new(),
    }
}

/// The columns of a content that a job writes.
pub(super) fn written(job: &Job) -> Vec<Head> {
    match job.content {
        Content::Pairs => taken(PAIRS, pairs_extra(job.extra)).flat_map(heads_of).collect(),
        Content::Bitext => taken(BITEXT, bitext_extra(job.extra)).flat_map(heads_of).collect(),
        content => heads(content),
    }
}

/// How many of the last columns of pairs are written only where they are asked for, and whether they are asked for.
fn pairs_extra(extra: Extra) -> [(usize, bool); 2] {
    [(RECORDS, extra.records), (0, false)]
}

/// The same for sentence pairs.
fn bitext_extra(extra: Extra) -> [(usize, bool); 2] {
    [(RECORDS, extra.records), (DETECTED, extra.detects)]
}

/// The columns that are always written, then of each group at the end those that are asked for.
fn taken<L>(columns: &[Column<L>], extra: [(usize, bool); 2]) -> impl Iterator<Item = &[Column<L>]> {
    let (always, rest) = columns.split_at(columns.len() - extra[0].0 - extra[1].0);
    let (first, second) = rest.split_at(extra[0].0);
    [(always, true), (first, extra[0].1), (second, extra[1].1)].into_iter().filter(|group| group.1).map(|group| group.0)
}

impl Inner {
    /// The columns of the rows.
    #[cfg(feature = "parquet")]
    pub fn heads(self) -> Vec<Head> {
        match self {
            Inner::Others => heads_of(OTHERS),
            Inner::Sentences => heads_of(ALIGNED),
            Inner::UnitTexts => heads_of(UNIT_TEXTS),
            Inner::UnitPairs => heads_of(UNIT_PAIRS),
        }
    }
}

impl<'v> Rows<'v> {
    /// The values of each row.
    #[cfg(feature = "parquet")]
    pub fn values(self) -> Vec<Vec<Value<'v>>> {
        fn of<'l, L>(columns: &[Column<L>], lines: &'l [L]) -> Vec<Vec<Value<'l>>> {
            lines.iter().map(|line| values_of(columns, line)).collect()
        }
        match self {
            Rows::Others(lines) => of(OTHERS, lines),
            Rows::Sentences(lines) => of(ALIGNED, lines),
            Rows::UnitTexts(lines) => of(UNIT_TEXTS, lines),
            Rows::UnitPairs(lines) => of(UNIT_PAIRS, lines),
        }
    }
}

/// The values of a line, in the order of its columns.
fn values_of<'l, L>(columns: &[Column<L>], line: &'l L) -> Vec<Value<'l>> {
    columns.iter().map(|column| column.value(line)).collect()
}

/// The values of a row, in the order of the columns that are written, including those of `extra`; `None` where there are no columns.
pub(super) fn values(row: Row<'_>, extra: Extra) -> Option<Vec<Value<'_>>> {
    Some(match row {
        Row::Pair(line) => taken(PAIRS, pairs_extra(extra)).flat_map(|columns| values_of(columns, line)).collect(),
        Row::Sentences(line) => {
            taken(BITEXT, bitext_extra(extra)).flat_map(|columns| values_of(columns, line)).collect()
        }
        Row::Rebuild(line) => rebuild().map(|column| column.value(line)).collect(),
        Row::Document(line) => values_of(DOCUMENTS, line),
        Row::Unit(line) => values_of(UNITS, line),
        Row::Page(line) => values_of(PAGES, line),
        Row::Capture(line) => values_of(FETCH, line),
        Row::Language(line) => values_of(LANGUAGES, line),
        Row::Record(_) | Row::Words(_) => return None,
    })
}

/// The value of a row in the column with a number; `None` where there is no such column.
pub(super) fn value(row: Row<'_>, at: usize) -> Option<Value<'_>> {
    fn of<'l, L>(columns: &[Column<L>], line: &'l L, at: usize) -> Option<Value<'l>> {
        columns.get(at).map(|column| column.value(line))
    }
    match row {
        Row::Pair(line) => of(PAIRS, line, at),
        Row::Sentences(line) => of(BITEXT, line, at),
        Row::Rebuild(line) => rebuild().nth(at).map(|column| column.value(line)),
        Row::Document(line) => of(DOCUMENTS, line, at),
        Row::Unit(line) => of(UNITS, line, at),
        Row::Page(line) => of(PAGES, line, at),
        Row::Capture(line) => of(FETCH, line, at),
        Row::Language(line) => of(LANGUAGES, line, at),
        Row::Record(_) | Row::Words(_) => None,
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(text) => serializer.serialize_str(text),
            Value::Maybe(text) => text.serialize(serializer),
            Value::Real(number) => serializer.serialize_f64(*number),
            Value::MaybeReal(number) => number.serialize(serializer),
            Value::Long(number) => serializer.serialize_u64(*number),
            Value::Int(number) => serializer.serialize_u32(*number),
            Value::MaybeInt(number) => number.serialize(serializer),
            Value::Flag(is_so) => serializer.serialize_bool(*is_so),
            Value::Texts(texts) => serializer.collect_seq(*texts),
            Value::Rows(rows) => rows.serialize(serializer),
        }
    }
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Rows::Others(lines) => serializer.collect_seq(lines.iter().map(|line| Object(OTHERS, line))),
            Rows::Sentences(lines) => serializer.collect_seq(lines.iter().map(|line| Object(ALIGNED, line))),
            Rows::UnitTexts(lines) => serializer.collect_seq(lines.iter().map(|line| Object(UNIT_TEXTS, line))),
            Rows::UnitPairs(lines) => serializer.collect_seq(lines.iter().map(|line| Object(UNIT_PAIRS, line))),
        }
    }
}

/// A row as an object, under the names of its columns.
struct Object<'l, L: 'static>(&'static [Column<L>], &'l L);

impl<L> Serialize for Object<'_, L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|column| map.serialize_entry(column.0, &column.value(self.1)))?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn columns_are_named_once_and_those_of_bitext_begin_as_they_always_did() {
        for (name, content) in Content::ALL {
            let names: Vec<&str> = heads(content).iter().map(|(name, _)| *name).collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{name}");
        }
        let bitext: Vec<&str> = heads(Content::Bitext).iter().map(|(name, _)| *name).collect();
        let first = ["text_a", "text_b", "lang_a", "lang_b", "score", "url_a", "url_b", "others", "reason"];
        assert_eq!(bitext[..first.len()], first);
    }
}
