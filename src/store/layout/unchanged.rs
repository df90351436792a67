//! Fails when the bytes of a record change, so that no such change is made by accident.

use std::fs;
use std::path::Path;

use rkyv::rancor;
use xxhash_rust::xxh3::xxh3_64;

use super::batch::*;
use super::bitext::*;
use super::catalog::*;
use super::graph::*;
use super::judged::*;
use super::removal::*;
use super::result::*;
use super::settings::*;
use super::site::*;
use super::stored_page::{block, encode};
use super::web::*;
use crate::store::FORMAT_VERSION;
use crate::store::records::{Checked, RecordFile, START, Stored};
use crate::types::{
    Block, Capture, Image, Lang, Link, LinkKind, OptOuts, Page, Pointer, RecordName, Signals, Translated,
    TranslationMark,
};

/// Hash of the frame of one record, without anything that depends on the machine or the version.
fn file_hash<T>(kind: u32, record: &T) -> u64
where
    T: Stored,
    T::Archived: Checked,
{
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = RecordFile::<T>::open(folder.path(), kind, START, true).expect("an empty folder");
    file.append(record).expect("room on the disk");
    file.sync().expect("a disk");
    let path: &Path = &folder.path().join("000000.rec");
    let bytes = fs::read(path).expect("it was written");
    // Without the header of the file and the seal.
    xxh3_64(&bytes[64..bytes.len() - 16])
}

fn removal() -> RemovalRecord {
    RemovalRecord { batches: vec![64], names: vec![(7, 1, 96)], replaces: true, purged: false }
}

fn value_hash<T: Stored>(value: &T) -> u64 {
    xxh3_64(&rkyv::to_bytes::<rancor::Error>(value).expect("plain values"))
}

fn identity() -> ArchiveIdentity {
    ArchiveIdentity { path: "crawls/a.warc.gz".into(), format: "WARC".into(), bytes: 77, fingerprint: 1 << 40 }
}

fn sample() -> SkipSample {
    SkipSample { reason: 9, offset: 44, detail: "ends too early".into() }
}

fn skipped() -> SkipEntry {
    let (identity, detail, declared) = ("ex.org/gone".into(), "404".into(), vec![5, 6]);
    SkipEntry { identity, reason: 13, detail, archive: 2, offset: 300, length: 20, declared }
}

fn entry() -> PageEntry {
    PageEntry {
        identity: "ex.org/en/a.html".into(),
        https: true,
        form: 3,
        page: 64,
        date_ms: 1_700_000_000_000,
        digest: 5,
        text_bytes: 6,
        title: 7,
        sketch: [1, 2, 3, 4, 5, 6, 7, 8],
        detected: *b"en\0\0\0\0\0\0",
        confidence: 0.5,
        is_guess: true,
        declared: *b"zh-Hans\0",
        latin_share: 0.25,
        letters: vec![9; 256],
        links: 8,
        translated: 5,
        original: *b"en\0\0\0\0\0\0",
        opt_outs: 8,
        license: "https://ex.org/license".into(),
    }
}

fn bitext() -> BitextChunk {
    let bead = BeadRow {
        texts: [1, 2],
        are_foreign: [false, true],
        are_long: [true, false],
        is_copy: false,
        a_start: 3,
        a_end: 4,
        b_start: 5,
        b_end: 6,
        score: 0.5,
        m: 1,
        n: 2,
        reason: 8,
    };
    let (lang_a, lang_b) = (*b"en\0\0\0\0\0\0", *b"fr\0\0\0\0\0\0");
    let pair = PairBitextRow { page_a: 3, page_b: 4, a: 1, b: 2, lang_a, lang_b, score: 0.25, beads: vec![bead] };
    BitextRecord { site: 1, first: 2, pairs: vec![pair] }.packed().expect("it is short")
}

fn vocabulary() -> VocabularyRow {
    VocabularyRow { bytes: vec![1, 2, 3] }
}

fn model() -> ModelRecord {
    let row = vocabulary();
    let (lang_a, lang_b) = (*b"en\0\0\0\0\0\0", *b"fr\0\0\0\0\0\0");
    ModelRecord { lang_a, lang_b, ratio: 1.5, variance: 6.5, scoring: vec![0.5, -1.0], a: row.clone(), b: row }
}

fn repeats() -> RepeatRecord {
    let elsewhere = vec![PagePlaces { a: 4, b: 5 }];
    RepeatRecord { rows: vec![RepeatRow { pair: 1, bead: 2, reason: 0, others: vec![3], elsewhere }] }
}

fn scores() -> ScoreRecord {
    ScoreRecord { lines: vec![1, 2], scores: vec![0.5, -1.0], pages: vec![0.25] }
}

fn bitext_head() -> BitextHead {
    BitextHead {
        chunks: vec![64],
        repeats: vec![65],
        generation: 1,
        params: 2,
        source: 9,
        source_table: b'v',
        pairs: 3,
        models: 4,
        done: 5,
        finished: true,
        kept: 6,
        dropped: vec![(8, 7)],
        shared: vec![66],
        compared: 8,
        shared_dropped: vec![(10, 9)],
    }
}

fn judged() -> JudgedRecord {
    JudgedRecord {
        site: 1,
        generation: 2,
        langs: vec![(*b"en\0\0\0\0\0\0", *b"fr\0\0\0\0\0\0")],
        pairs: vec![JudgedRow {
            a: 1,
            b: 2,
            key: 3,
            evidence: 4.5,
            beliefs: [0.5, 1.0, 0.75, -2.0, 3.0],
            score: 0.75,
            langs: 0,
            method: 1,
            outcome: 2,
        }],
        measures: 2,
        similarities: vec![0.5, 0.25],
        sources: vec![SourceRow {
            lang_a: *b"en\0\0\0\0\0\0",
            lang_b: *b"fr\0\0\0\0\0\0",
            key: 1,
            method: 2,
            proposed: 3,
            accepted: 4,
            precision: 0.5,
        }],
        hosts: vec![("ex.org".into(), 7)],
        copies: vec![(1, 2)],
        foreign: vec![(3, *b"en\0\0\0\0\0\0")],
    }
}

fn learnt() -> LearntRecord {
    let sure = |a: u64| SureRow { a, b: a + 1, forth: 0.25, back: 0.5 };
    LearntRecord {
        lang_a: *b"en\0\0\0\0\0\0",
        lang_b: *b"fr\0\0\0\0\0\0",
        inputs: 1,
        pairs: 2,
        weights: vec![0.5, -0.5],
        length_ratio: 1.25,
        halves: [vec![sure(1)], vec![sure(3), sure(5)]],
        pages_a: vec![6],
        pages_b: vec![7, 8],
    }
}

fn graph() -> GraphRecord {
    GraphRecord {
        site: 1,
        generation: 2,
        first: 0,
        ends: vec![1, 2],
        targets: vec![1, 0],
        at: vec![7, 8],
        kinds: vec![0, 1],
        alternates: vec![AlternateRow { from: 0, to: 1, lang: *b"fr\0\0\0\0\0\0" }],
        canonical: vec![CanonicalRow { from: 1, to: 0 }],
        outside: vec![OutsideRow { from: "ex.org".into(), host: "example.net".into(), links: 3 }],
        listed: vec![AlternateRow { from: 1, to: 0, lang: *b"en\0\0\0\0\0\0" }],
    }
}

fn web() -> WebRecord {
    WebRecord {
        first: 0,
        ends: vec![1, 2],
        targets: vec![1, 2],
        links: vec![3, 4],
        names: "ex.orgex.net".into(),
        name_ends: vec![6, 12],
        credibility: vec![0.5],
        pairs: vec![7],
    }
}

fn requested() -> RequestedRecord {
    RequestedRecord {
        from: "ex.org/en/a.html".into(),
        pattern: "path:en:fr".into(),
        lang: *b"fr\0\0\0\0\0\0",
        credibility: 0.5,
        https: true,
    }
}

fn round() -> RoundRecord {
    let requested = vec!["example.net".into()];
    RoundRecord { by: "weighted".into(), by_domain: true, web: 1, seeds: 2, pairs: 3, requested }
}

/// The bytes of a sample page.
fn page() -> Vec<u8> {
    let en = Lang::parse("en").expect("a tag");
    let page = Page {
        body_bytes: 4321,
        charset: "UTF-8".into(),
        title: "A title".into(),
        text: "A block\nAnother one\n".into(),
        blocks: vec![Block { start: 0, end: 7, at: 2, tag: 5 }, Block { start: 8, end: 19, at: 4, tag: 6 }],
        tags: vec![1, 2, 3, 0x8007],
        links: vec![Link {
            url: "https://ex.org/en/b.html".into(),
            anchor: "anchor".into(),
            rel: "next".into(),
            at: 3,
            hreflang: Lang::parse("fr"),
            kind: LinkKind::Head,
        }],
        images: vec![Image { url: "https://ex.org/i.png".into(), alt: "a hill".into() }],
        detected: en,
        confidence: 0.75,
        is_guess: true,
        is_by_program: false,
        declared: vec![en],
        signals: Signals {
            translated: Some(Translated { mark: TranslationMark::Weglot, from: en }),
            opt_outs: OptOuts::NO_AI,
            license: "https://ex.org/license".into(),
        },
        latin_share: 0.875,
        letters: Vec::new(),
    };
    let pointer = Pointer { file: "crawl-data/b.warc.gz".into(), offset: 1000, length: 500 };
    let name = RecordName {
        id: "<urn:uuid:9fd4b2ed-3bd6-4b02-96f5-e83e6fa3d1b5>".into(),
        digest: "sha1:RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU".into(),
    };
    let capture = Capture { date_ms: 1_700_000_000_000, pointer: Some(pointer), name, ..Capture::default() };
    encode("https://ex.org/en/a.html", 3, &capture, &page)
}

fn chunk() -> SiteChunk {
    SiteChunk {
        identities: "ex.org/aex.org/b".into(),
        ends: vec![8, 16],
        https: vec![true, false],
        pages: vec![64, 640],
        dates: vec![1, -1],
        digests: vec![2, 3],
        langs: vec![*b"en\0\0\0\0\0\0", *b"und\0\0\0\0\0"],
        detected: vec![0, 1],
        confidence: vec![255, 0],
        guesses: vec![false, true],
        declared: vec![1, 1],
        latin_share: vec![250, 1],
        letters: vec![9; 256],
        letter_places: vec![1, 0],
        text_bytes: vec![100, 200],
        titles: vec![9, 10],
        sketches: vec![[1; 8], [2; 8]],
        forms: vec![3, 0],
        links: vec![0, 64],
        signals: vec![SignalRow { at: 1, opt_outs: 8, license: 1, mark: 5, original: *b"en\0\0\0\0\0\0" }],
        licenses: vec!["https://ex.org/license".into()],
    }
}

fn result() -> ResultRecord {
    ResultRecord {
        site: 1,
        generation: 2,
        params: 3,
        considered: vec!["path:en:fr".into()],
        keys: vec![KeyRow {
            lang_a: *b"en\0\0\0\0\0\0",
            lang_b: *b"fr\0\0\0\0\0\0",
            edits: vec![EditRow { field: 1, from: "en".into(), to: String::new(), core: true }],
            scope: vec![(4, 5), (6, 7)],
            power: 6,
            site_pages: 7,
            credibility: 0.5,
            assigned: 8,
            state: 1,
        }],
        alone: vec![("path:en:fr".into(), 9, true)],
        pairs: vec![PairRow { a: 10, b: 11, key: 0 }],
        relabelled: vec![(12, *b"fr\0\0\0\0\0\0")],
        copies: vec![(13, 14)],
        hosts: vec![HostRow {
            host: "ex.org".into(),
            pages: 15,
            pairs: 16,
            credibility: 0.25,
            langs: vec![(*b"en\0\0\0\0\0\0", 17)],
        }],
        taught: vec![(*b"yo\0\0\0\0\0\0", 18)],
    }
}

fn request() -> RequestRecord {
    RequestRecord { requested: vec![("ex.org/x".into(), requested())], rounds: vec![(2, round())] }
}

fn refused() -> RefusedRecord {
    RefusedRecord { path: "/a.warc".into(), reason: "an empty file".into(), is_fault: true }
}

/// Hash of each kind of record and catalog value, for the fixed values above.
///
/// **A difference here means that stores of the last release can no longer be read.** A change that is meant needs the next
/// `FORMAT_VERSION`, also in docs/format.md and CHANGELOG.md, and new hashes here.
const LAYOUT: (u32, &[(&str, u64)]) = (
    23,
    &[
        ("block of pages", 0xafada1ebc0d31b44),
        ("batch", 0xb8d60a3c7c6ddf3a),
        ("site", 0x3c1c96db7a7e07cf),
        ("result", 0x57d2d9acddb98385),
        ("skip", 0x904d696d656b60d4),
        ("graph", 0x3ed9849879f4f84c),
        ("web", 0x88091e8ab348904e),
        ("request", 0x3495473ff5967ae4),
        ("requested", 0x38900b66d831ec7c),
        ("web head", 0x36516722fb57bfe2),
        ("round", 0x4e446581da75e6b3),
        ("judged", 0xf0c90c710c0844bd),
        ("learnt", 0x3c9995b64fb15609),
        ("judged head", 0xa9188c1490e695af),
        ("learnt head", 0x07ee86c281446bef),
        ("graph head", 0x91d26a7d0068f528),
        ("bitext", 0xbd67860210f8329b),
        ("repeat", 0xa2662092d94b83a7),
        ("model", 0x96b1de284fd143b8),
        ("bitext head", 0xb5d9795d112a12b4),
        ("model head", 0x7c68b4906e7ea780),
        ("sentinel", 0xa1b42c98b006f768),
        ("archive", 0x2b0c169dbcc7f77d),
        ("site head", 0x7d9e9549c0c5d5d0),
        ("result head", 0xab1091ffa5341537),
        ("credibility", 0x07ee86c281446bef),
        ("taught", 0xf9b6f7b3ac0a4e7b),
        ("stage", 0x71fe93916bd0874f),
        ("settings", 0x926f8fb777352906),
        ("removal", 0x426c2ed6b0d9134d),
        ("loss", 0x07ee86c281446bef),
        ("fresh", 0x355b1cce0f0a01fe),
        ("hint", 0x07ee86c281446bef),
        ("refused", 0x12692e5bb524ddfe),
        ("scores", 0x09c9639734ee2a7e),
        ("score head", 0x930c284dd494c39c),
    ],
);

fn site_head() -> SiteHead {
    SiteHead {
        domain: "ex.org".into(),
        chunks: vec![64],
        skipped: vec![65],
        pages: 1,
        older: 2,
        generation: 3,
        indexed: 4,
        hosts: vec![HostRecord { host: "ex.org:8080".into(), langs: vec![(*b"en\0\0\0\0\0\0", 5)] }],
        withheld: vec![66],
        left_out: vec![(27, 6)],
    }
}

fn result_head() -> ResultHead {
    ResultHead { record: 1, generation: 2, params: 3, considered: 4, pairs: 5, languages: 6, is_asked: true }
}

#[test]
fn the_layout_of_a_record_changes_with_the_format_version_only() {
    let batch = BatchRecord {
        archive: 1,
        identity: identity(),
        from: 2,
        to: 3,
        done: true,
        records: 4,
        skips: vec![(13, 5)],
        samples: vec![sample()],
        pages: vec![entry()],
        skipped: vec![skipped()],
    };
    let archive = ArchiveRecord {
        identity: identity(),
        position: 1,
        done: true,
        records: 2,
        pages: 3,
        skips: vec![(13, 4)],
        samples: vec![sample()],
    };
    let settings = StoredSettings { values: vec![("langs".into(), "fr".into()), ("langs".into(), "en".into())] };
    let found = [
        ("block of pages", xxh3_64(&block(&[&page()]))),
        ("batch", file_hash(2, &batch)),
        ("site", file_hash(3, &chunk())),
        ("result", file_hash(4, &result())),
        ("skip", file_hash(5, &SkipChunk { entries: vec![skipped()] })),
        ("graph", file_hash(6, &graph())),
        ("web", file_hash(7, &web())),
        ("request", file_hash(14, &request())),
        ("requested", value_hash(&requested())),
        ("web head", value_hash(&WebHead { fingerprint: 1, chunks: vec![2, 3] })),
        ("round", value_hash(&round())),
        ("judged", file_hash(8, &judged())),
        ("learnt", file_hash(10, &learnt())),
        ("judged head", value_hash(&JudgedHead { record: 1, generation: 2, result: 3, inputs: 4, pairs: 5 })),
        ("learnt head", value_hash(&LearntHead { record: 1, inputs: 2 })),
        ("graph head", value_hash(&GraphHead { generation: 1, params: 2, chunks: vec![3, 4] })),
        ("bitext", file_hash(11, &bitext())),
        ("repeat", file_hash(12, &repeats())),
        ("model", file_hash(13, &model())),
        ("bitext head", value_hash(&bitext_head())),
        ("model head", value_hash(&ModelHead { record: 1, input: 2, params: 3 })),
        ("sentinel", value_hash(&Sentinel { commit: 1, ends: vec![2, 3, 4, 5, 6], seals: vec![7, 8] })),
        ("archive", value_hash(&archive)),
        ("site head", value_hash(&site_head())),
        ("result head", value_hash(&result_head())),
        ("credibility", value_hash(&Credibility { sum: 1, sites: 2 })),
        ("taught", value_hash(&Taught { letters: vec![1, 2] })),
        ("stage", value_hash(&StageRecord { fingerprint: 1, cursor: 2, finished: true })),
        ("settings", value_hash(&settings)),
        ("removal", file_hash(15, &removal())),
        ("loss", value_hash(&LossRecord { pages: 1, archives: 2 })),
        ("fresh", value_hash(&FreshRecord { commit: 1, stages: vec![("keys".into(), 2)] })),
        ("hint", value_hash(&HintRecord { stamp: 1, fingerprint: 2 })),
        ("refused", value_hash(&refused())),
        ("scores", file_hash(16, &scores())),
        ("score head", value_hash(&ScoreHead { chunks: vec![64], scorer: 1, bitext: 2, finished: true })),
    ];
    let listing: Vec<String> = found.iter().map(|(name, hash)| format!("(\"{name}\", {hash:#018x}),")).collect();
    assert_eq!(LAYOUT.0, FORMAT_VERSION, "a new version: record its hashes\n{}", listing.join("\n"));
    let changed: Vec<&str> = LAYOUT.1.iter().zip(found).filter(|(a, b)| **a != *b).map(|(_, (name, _))| name).collect();
    assert!(changed.is_empty(), "the layout of {changed:?} has changed: raise FORMAT_VERSION\n{}", listing.join("\n"));
}
