//! Whoever waits is told how far each stage is, also inside of one large site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use diglot::config::Config;
use diglot::inputs::expand;
use diglot::pipeline::{self, Context, Observer};
use diglot::query;
use diglot::store::{Access, Store};
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use crate::sites::SiteBuilder;

/// What is heard: (stage and part, or step, done, total).
#[derive(Default)]
struct Heard {
    events: Mutex<Vec<Event>>,
}

#[derive(Clone, Debug)]
struct Event {
    stage: String,
    what: String,
    is_step: bool,
    done: u64,
    total: Option<u64>,
}

impl Heard {
    fn add(&self, make: impl FnOnce(Option<&Event>) -> Event) {
        let mut events = self.events.lock().expect("no thread has failed");
        let event = make(events.iter().rfind(|event| !event.is_step));
        events.push(event);
    }
}

impl Observer for Heard {
    fn begin(&self, stage: &str, what: &str, _: &str, total: Option<u64>) {
        let (stage, what) = (stage.to_owned(), what.to_owned());
        self.add(|_| Event { stage, what, is_step: false, done: 0, total });
    }

    fn progress(&self, done: u64, _: &str) {
        self.add(|last| Event { done, ..last.expect("it began").clone() });
    }

    fn step(&self, what: &str, done: u64, total: u64) {
        let (what, total) = (what.to_owned(), Some(total));
        self.add(|last| Event { stage: last.expect("it began").stage.clone(), what, is_step: true, done, total });
    }

    fn message(&self, _: &str) {}

    fn end(&self, _: &str, _: bool) {}
}

/// One site: pages whose URLs tell their partners, and some whose words do.
fn large_site() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("large.warc.gz");
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 200, |lang, n| format!("http://large.test/{lang}/p{n}.html"));
    site.pages(&["en", "fr"], 100, |lang, n| {
        let name = if lang == "en" { n * 7919 } else { n * 104_729 + 13 };
        format!("http://large.test/story-{name:x}.html")
    });
    site.write(&archive);
    (folder, archive)
}

fn run(store: &Path, archive: &Path, config: &Config) -> (Store, Vec<Event>) {
    let inputs = expand(&[archive.into()], false, &Config::default().archive, &|_| false).expect("an archive");
    let heard = Heard::default();
    let mut store = Store::open(store, Access::Write).expect("a store");
    let stop = AtomicBool::new(false);
    let context = Context { config, inputs: &inputs, observer: &heard, stop: &stop };
    pipeline::run(&mut store, &context, "align").expect("a run");
    (store, heard.events.into_inner().expect("no thread has failed"))
}

#[test]
fn every_stage_tells_how_far_it_is_inside_of_one_large_site() {
    let (folder, archive) = large_site();
    // All records are one portion, and progress is told in its middle too.
    let (_, events) = run(&folder.path().join("s"), &archive, &Config::default());
    let mut between: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for event in &events {
        if event.done > 0 && event.total.is_some_and(|total| event.done < total) {
            between.entry(&event.stage).or_default().insert(&event.what);
        }
        assert!(event.total.is_none_or(|total| event.done <= total), "{event:?}");
    }
    for stage in pipeline::STAGES {
        assert!(between.contains_key(stage.name()), "{}: {between:#?}", stage.name());
    }
    let has = |stage: &str, what: &str| between[stage].contains(what);
    assert!(has("keys", "taking URLs apart"), "{between:#?}");
    assert!(has("verify", "comparing pairs"), "{between:#?}");
    assert!(has("iterate", "looking up pages by rare words"), "{between:#?}");
    assert!(has("align", "aligning pages that are learnt from"), "{between:#?}");
}

#[test]
fn an_archive_that_is_one_stream_is_never_further_than_its_end() {
    let (folder, archive) = large_site();
    // What was one member a record becomes one for all.
    let mut plain = Vec::new();
    let file = std::fs::File::open(&archive).expect("an archive");
    std::io::copy(&mut flate2::read::MultiGzDecoder::new(file), &mut plain).expect("gzip");
    let whole = folder.path().join("whole.warc.gz");
    let mut member = GzEncoder::new(std::fs::File::create(&whole).expect("a file"), Compression::fast());
    std::io::copy(&mut plain.as_slice(), &mut member).expect("room on disk");
    member.finish().expect("room on disk");
    let mut config = Config::default();
    config.ingest.portion_records = 60;
    let (_, events) = run(&folder.path().join("s"), &whole, &config);
    let reading: Vec<&Event> = events.iter().filter(|event| event.stage == "ingest").collect();
    assert!(reading.len() > 3);
    assert!(reading.iter().all(|event| event.total.is_none_or(|total| event.done <= total)), "{reading:#?}");
    assert!(reading.iter().any(|event| event.done > 0), "{reading:#?}");
}

#[test]
fn the_rest_of_a_page_that_is_not_compared_is_counted() {
    let (folder, archive) = large_site();
    let store = |name: &str, max_sentences: Option<u32>| {
        let mut config = Config::default();
        config.align.max_sentences = max_sentences.unwrap_or(config.align.max_sentences);
        run(&folder.path().join(name), &archive, &config).0
    };
    let counts = |store: &Store| {
        let totals = query::totals(store).expect("a store");
        let left_out = totals.sentences_left_out.iter().map(|(reason, count)| (reason.name(), *count));
        (totals.pairs, left_out.collect::<BTreeMap<&str, u64>>())
    };
    let (pairs, all) = counts(&store("whole", None));
    assert!(pairs >= 200 && !all.contains_key("not compared"), "{all:?}");
    let (pairs, cut) = counts(&store("cut", Some(3)));
    assert_eq!(cut.get("not compared"), Some(&(2 * pairs)), "the rest of either page of each pair: {cut:?}");
}
