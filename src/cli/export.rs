//! `diglot export`.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use diglot::config::Config;
use diglot::error::Error;
use diglot::export::mark::{Mark, identity};
use diglot::export::{self, Content, Exporter, Extra, Format, Row, TakeDown};
use diglot::query::bitext::{self, ALTERNATIVES, Asked, RECORDS};
use diglot::query::{self, Joiner, KnownSentences, PairRecords, Scope};
use diglot::rebuild::{self, ELSEWHERE};
#[cfg(feature = "parquet")]
use diglot::rebuild::{Line, Tables};
use diglot::store::Store;
use diglot::types::{BitextLine, Lang, LangPair, counted, grouped};
use indicatif::BinaryBytes;

use super::card::Card;
use super::destination::{Plan, check_columns, say_written};
use super::filter::{Filter, HostArg, Wanted, why_nothing_learnt};
use super::freshness::Lists;
use super::global::Global;
use super::listing::count;
use super::output::{Target, Written, finish};
use super::say::say;
use super::settings::Differing;
use super::shape::ShapeArgs;
use super::stop::{check_stop, look_at_stop};
use super::take_down::{say_unmet, take_down, told_by};

/// Write pairs, sentence pairs, documents, units, pages or archive records to a file, for other tools.
///
/// The ending of FILE gives the format; --format gives it if there is no ending, or the ending gives none. A file whose name ends in .gz or
/// .zst is compressed. JSON is written as lines, with one object for each row (.jsonl). Memory does not grow with the output, except for
/// the places of records (`--what warc`: some 50 bytes each; `--what fetch`: their names and URLs), 8 bytes for each row of --since and
/// --mark, and for the card of `--format hf` some 20 bytes for each domain of a language pair. Exit code 1 if `--what warc` cannot copy all
/// records, or `--from` cannot read all rows.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot export --langs en,fr --min-score 0.9 -o en-fr.tmx
  diglot export --format hf -o corpus                       a folder for load_dataset
  diglot export --format moses --langs en,fr -o corpus      writes corpus.en and corpus.fr
  diglot export --format moses -o corpus/                   all language pairs, in a folder
  diglot export --what bitext --since old.mark --mark new.mark -o new.jsonl")]
pub struct Export {
    #[command(flatten)]
    host: HostArg,
    /// By default as FILE ends, else tsv: tsv, csv, jsonl, parquet, arrow; for sentence pairs tmx, moses, xces, hf, bitextor;
    /// for words tbx.
    #[arg(long)]
    format: Option<String>,
    /// What to export.
    ///
    /// pairs: of pages. bitext: sentence pairs. rebuild: sentence pairs without their texts, and where these are, for `diglot rebuild`. documents: pairs of pages with their texts and aligned sentences. units:
    /// sentences of documents in several languages, one text in each. pages: texts, by
    /// language. warc: the records of paired pages, or of all pages of HOST; with --langs, of those languages alone. fetch: the captures
    /// to fetch (file, offset, length) where pairs come from an index without text. lexicon: the words that verification learnt of two
    /// languages (`--langs`). languages: what texts look like in languages that words do not tell and several sites name, for `run --languages`
    /// in other stores. By default pairs in tsv, csv and jsonl, and bitext in other formats.
    #[arg(long, value_parser = Content::ALL.map(|(name, _)| name))]
    what: Option<String>,
    #[command(flatten)]
    filter: Filter,
    /// No more rows than this.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    limit: Option<usize>,
    /// Leave out rows that were exported before: those of this mark.
    #[arg(long, value_name = "MARK")]
    since: Option<PathBuf>,
    /// Write a mark for a later --since: of these rows, and those of --since.
    #[arg(long, value_name = "MARK")]
    mark: Option<PathBuf>,
    /// Leave out what is of pages that this file names: URLs, hosts, record ids, one a line.
    ///
    /// A host stands for itself and for all hosts below it, at all ports, or at the one that is named; a record id is that of WARC-Record-ID,
    /// `urn:…`, with or without <>; # at the start or after a blank begins a comment. Rows that have such a page are left out. `also` has other
    /// pages by their URLs alone, so those go that the file names by URL or host.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    take_down: Option<PathBuf>,
    /// Leave out sentence pairs that another store has too, on whatever pages; repeated, any of several.
    ///
    /// Those count that it keeps, of the same languages and with the same texts but for white space. They are counted; with --keep-all they are
    /// there, with the reason `in another store`. It takes 8 bytes in the temporary folder for each sentence pair of the other stores, 24 while they are
    /// sorted, and hardly any memory.
    #[arg(long, value_name = "STORE", hide_short_help = true)]
    not_in: Vec<PathBuf>,
    /// Read tables of a run on Spark in the place of a store: FOLDER has a folder of Parquet for each content.
    ///
    /// Contents: pairs, bitext, documents, units, pages, fetch, of those that the run was asked for. Rows come in the order of the files. What tables
    /// do not have is refused: HOST (`--where domain=example.org` does for a domain), --keep-all, --join, --record-ids, --not-in, and --langs of units.
    #[arg(long, value_name = "FOLDER", hide_short_help = true, conflicts_with_all = ["keep_all", "join", "record_ids", "not_in", "host", "host_option"])]
    from: Option<PathBuf>,
    /// Also export sentence pairs that were left out, with the reason.
    #[arg(long)]
    keep_all: bool,
    /// Join consecutive sentence pairs, up to N characters a side.
    ///
    /// They follow one another on both pages, within a paragraph, or from one paragraph of running text to the next; nothing that is left
    /// out, by whatever option, and no sentence without a counterpart lies between. The joined row has the least score of its parts, the place of the first, and in
    /// count_a and count_b the number of sentences.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    join: Option<usize>,
    /// Also write which language each text is in by itself.
    ///
    /// Columns of bitext: detected_lang_a, detected_lang_b, and detected_confidence_a, detected_confidence_b, 0 to 1; empty where a text is
    /// too short to tell. Telling takes up to a millisecond for texts with few function words. Conditions on these columns work without.
    #[arg(long, hide_short_help = true)]
    detect: bool,
    /// Also write what the records of the pages are called.
    ///
    /// Columns of pairs and bitext: record_id_a, record_id_b (WARC-Record-ID), and payload_digest_a, payload_digest_b (WARC-Payload-Digest);
    /// empty where an archive has none. Pages and documents always have them.
    #[arg(long, hide_short_help = true)]
    record_ids: bool,
    #[command(flatten)]
    shape: ShapeArgs,
    /// File or folder to write; by default, or with `-`, stdout.
    ///
    /// It appears only once it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let file = self.file();
        let (content, format) = self.format().map_err(Error::Config)?;
        let plan = Plan::new(&self.shape, content, format, file)?;
        if let Some(folder) = &self.from {
            return self.run_on_tables(folder, global, (content, format), &plan);
        }
        let (store, mut config) = global.read()?;
        let lists = match content {
            Content::Pairs | Content::Fetch | Content::Warc => Lists::Pairs,
            Content::Bitext | Content::Rebuild | Content::Documents | Content::Units => Lists::Bitext,
            Content::Pages => Lists::Pages,
            Content::Lexicon => Lists::Learnt,
            Content::Languages => Lists::Languages,
        };
        if let Some(problem) = lists.missing(&store, &config)? {
            bail!("no {} to export: {problem}", content.rows());
        }
        global.note_stale(lists, &store, &config)?;
        let wanted = match content {
            // Rows of these contents have one language each; the lexicon checks its languages itself.
            Content::Pages | Content::Lexicon | Content::Languages => self.filter.wanted(&mut config, content)?,
            // Rows without texts are chosen by the languages of their texts all the same.
            Content::Rebuild => self.filter.wanted_pairs(&mut config, Content::Bitext)?,
            _ => self.filter.wanted_pairs(&mut config, content)?,
        };
        self.check_options(content, format, &wanted)?;
        let scope = self.host.scope(&store)?;
        let take_down = self.taken_down(content, &[Content::Fetch])?;
        let known = self.known(global)?.map(RefCell::new);
        let origin = Origin::Store(&store, &scope);
        let (args, wanted, take_down, known) = (&self, &wanted, &take_down, known.as_ref());
        let source = Source { args, origin, config: &config, wanted, take_down, known };
        self.write(&source, content, format, &plan)
    }

    /// The list of what is to be taken down. It must not name records where the content has no names of records.
    fn taken_down(&self, content: Content, without: &[Content]) -> Result<TakeDown, Error> {
        let take_down = self.take_down.as_deref().map(take_down).transpose()?.unwrap_or_default();
        if take_down.names_records() && without.contains(&content) {
            let what = content.name();
            let problem = format!("--take-down names record ids, which --what {what} has none of; give URLs");
            return Err(Error::Config(problem));
        }
        Ok(take_down)
    }

    #[cfg(feature = "parquet")]
    fn run_on_tables(
        &self,
        folder: &Path,
        global: &Global,
        (content, format): (Content, &Format),
        plan: &Plan<'_>,
    ) -> anyhow::Result<()> {
        use Content::{Bitext, Documents, Fetch, Pages, Pairs, Units};
        if ![Pairs, Bitext, Documents, Units, Pages, Fetch].contains(&content) {
            let problem = format!("--what {} needs a store: tables do not have it", content.name());
            return Err(Error::Config(problem).into());
        }
        if content == Bitext && format.has_totals() {
            let problem = format!("--format {} needs a store: tables do not say how much pages have", format.name);
            return Err(Error::Config(problem).into());
        }
        let mut config = Config { memory: global.memory, ..Config::default() };
        let wanted = match content {
            Pages => self.filter.wanted(&mut config, content)?,
            _ => self.filter.wanted_pairs(&mut config, content)?,
        };
        self.check_options(content, format, &wanted)?;
        if content == Units && !wanted.langs.is_empty() {
            let problem = "--langs with --what units needs a store: units of fewer languages are other ones";
            return Err(Error::Config(problem.into()).into());
        }
        let take_down = self.taken_down(content, &[Pairs, Bitext, Units, Fetch])?;
        let tables = Tables::open(folder, content, &wanted.langs)?;
        let origin = Origin::Tables(&tables, folder);
        let (wanted, take_down) = (&wanted, &take_down);
        let source = Source { args: self, origin, config: &config, wanted, take_down, known: None };
        self.write(&source, content, format, plan)
    }

    #[cfg(not(feature = "parquet"))]
    fn run_on_tables(&self, _: &Path, _: &Global, _: (Content, &Format), _: &Plan<'_>) -> anyhow::Result<()> {
        Err(Error::Config("--from needs the build feature parquet".into()).into())
    }

    /// The sentence pairs of the stores of --not-in.
    fn known(&self, global: &Global) -> anyhow::Result<Option<KnownSentences>> {
        if self.not_in.is_empty() {
            return Ok(None);
        }
        let mut stores = Vec::new();
        for path in &self.not_in {
            let (store, config) = global.read_too(path)?;
            if let Some(problem) = Lists::Bitext.missing(&store, &config)? {
                bail!("--not-in: {} has no sentence pairs: {problem}", path.display());
            }
            global.note_stale(Lists::Bitext, &store, &config)?;
            stores.push(store);
        }
        Ok(Some(KnownSentences::of(&stores, global.memory)?))
    }

    /// The file to write; `None` for stdout.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// The content to export, and the format.
    fn format(&self) -> Result<(Content, &'static Format), String> {
        let asked = self.what.as_deref().and_then(|what| Content::ALL.iter().find(|(name, _)| *name == what));
        let asked = asked.map(|(_, content)| *content);
        let name = self.shape.naming(self.format.as_deref(), self.file());
        export::format(asked, self.format.as_deref(), name.as_deref())
    }

    /// True for a folder that Hugging Face `datasets` load as a whole.
    fn is_dataset(&self) -> bool {
        self.shape.is_dataset(self.format.as_deref(), self.file())
    }

    /// Refuses options that would not do anything.
    fn check_options(&self, content: Content, format: &Format, wanted: &Wanted) -> Result<(), Error> {
        use Content::{Bitext, Documents, Languages, Lexicon, Pairs, Rebuild, Units};
        let needs = |option: &str, contents: &[Content]| {
            let names: Vec<&str> = contents.iter().map(|content| content.name()).collect();
            let (names, what) = (names.join(", "), content.name());
            Err(Error::Config(format!("{option} needs --what {names}; --what is {what}")))
        };
        if wanted.has_min_score() && ![Pairs, Bitext, Rebuild, Documents, Units].contains(&content) {
            return needs("--min-score", &[Pairs, Bitext, Rebuild, Documents, Units]);
        }
        if self.keep_all && ![Bitext, Rebuild, Documents].contains(&content) {
            return needs("--keep-all", &[Bitext, Rebuild, Documents]);
        }
        if !self.not_in.is_empty() && ![Bitext, Rebuild].contains(&content) {
            return needs("--not-in", &[Bitext, Rebuild]);
        }
        if self.join.is_some() && content != Bitext {
            return needs("--join", &[Bitext]);
        }
        if self.join == Some(0) {
            return Err(Error::Config("--join is 0, expected a number of characters, such as 1000".into()));
        }
        if self.detect && content != Bitext {
            return needs("--detect", &[Bitext]);
        }
        if self.record_ids && ![Pairs, Bitext].contains(&content) {
            return needs("--record-ids", &[Pairs, Bitext]);
        }
        check_columns(format, self.detect, self.record_ids)?;
        if self.join.is_some() && self.keep_all {
            return Err(Error::Config("--join joins what is kept; leave out --keep-all".into()));
        }
        if content == Languages && self.host.given().is_some() {
            return Err(Error::Config("--what languages is of all sites of the store; leave out HOST".into()));
        }
        if self.take_down.is_some() && [Languages, Lexicon].contains(&content) {
            return Err(Error::Config(format!(
                "--take-down is of pages, and --what {} is of none; `diglot remove` takes pages out of the store",
                content.name()
            )));
        }
        if (self.since.is_some() || self.mark.is_some()) && content == Lexicon {
            return Err(Error::Config("--since and --mark are of no use with --what lexicon".into()));
        }
        Ok(())
    }

    /// Refuses to write the rows and the mark into the same file.
    fn refuse_one_name_for_two(&self, suffixes: &[String], is_folder: bool) -> anyhow::Result<()> {
        let Some(mark) = &self.mark else { return Ok(()) };
        if mark.as_os_str() == "-" {
            return Err(Error::Config("--mark is a file of its own, not stdout".into()).into());
        }
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let outputs = self.output.iter().flat_map(|path| {
            suffixes.iter().map(|suffix| {
                let mut name = path.clone().into_os_string();
                name.push(suffix);
                PathBuf::from(name)
            })
        });
        if is_folder && self.output.iter().any(|folder| absolute(mark).starts_with(absolute(folder))) {
            return Err(Error::Config("--mark lies in the folder that -o makes; give a file elsewhere".into()).into());
        }
        match outputs.into_iter().find(|path| absolute(path) == absolute(mark)) {
            Some(path) => {
                Err(Error::Config(format!("--mark and -o both name {}; a mark is a file of its own", path.display()))
                    .into())
            }
            None => Ok(()),
        }
    }

    fn write(&self, source: &Source<'_>, content: Content, format: &Format, plan: &Plan<'_>) -> anyhow::Result<()> {
        let since = self.since.as_deref().map(|path| told_by(path, |file| Mark::read(file, content))).transpose()?;
        look_at_stop();
        let known = <[Lang; 2]>::try_from(source.wanted.langs.as_slice()).ok();
        let langs = plan.langs(known, || source.two_langs(format))?;
        // The lexicon is looked up before the file is made, so that an error leaves no file.
        let words = if content == Content::Lexicon { source.learnt_words()? } else { Vec::new() };
        self.refuse_one_name_for_two(&plan.suffixes(langs), plan.shape.is_some())?;
        let mut destination = plan.destination(langs)?;
        let mut marks = self.mark.as_deref().map(|path| Target::open_raw(Some(path), "")).transpose()?;
        let mut done = Done::default();
        let written = destination.open(self.output.as_deref(), format).and_then(|()| {
            let now = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second())?;
            let extra = Extra { detects: self.detect, records: self.record_ids };
            let job = export::Job { content, langs, extra, compression: plan.compression, now };
            let card = self.is_dataset().then(|| source.card());
            let exporter = destination.exporter(format, job, source.config.memory.waiting_rows(), card);
            let mut exporter = exporter.map_err(|error| source.failed(error))?;
            let mut sink = Sink::new(source, exporter.as_mut(), since, self.mark.is_some());
            let asked = source.rows((content, format), &words, &mut sink);
            if !sink.done.is_full {
                asked?;
            }
            done = sink.done;
            Ok(exporter.finish().map_err(|error| source.failed(error))?)
        });
        let written = destination.finish(written);
        // A mark must not contain rows that were not written: they would never be exported.
        let marked = written.and_then(|files| {
            if let (Some(target), Some(mark)) = (&mut marks, done.mark.take()) {
                self.write_mark(target, mark, content)?;
            }
            Ok(files)
        });
        let (marked, files) = marked.map_or_else(|error| (Err(error), Written::default()), |files| (Ok(()), files));
        finish(marks.into_iter().collect(), marked)?;
        if done.left_out.is_empty() {
            say_written(content, done.count, files, self.file());
        }
        if self.take_down.is_some() {
            say(format!("{} left out by --take-down", content.counted(done.taken_down)));
            if !done.is_full {
                say_unmet(source.take_down, content.rows());
            }
        }
        source.wanted.say_left_out(content, !done.is_full);
        if let (Origin::Store(store, scope), false) = (source.origin, done.is_full || content == Content::Lexicon) {
            source.wanted.say_absent(content, store, scope)?;
        }
        done.check(content, self.file())
    }

    fn write_mark(&self, target: &mut Target, mark: Mark, content: Content) -> anyhow::Result<()> {
        let gone = mark.gone();
        if gone > 0 && self.limit.is_none() {
            let is = if gone == 1 { "is" } else { "are" };
            say(format!("{} exported before {is} not among these any more", content.counted(gone as u64)));
        }
        let path = self.mark.clone().unwrap_or_default();
        Ok(mark.write(content, &mut target.take()).map_err(Error::io(path, "writing"))?)
    }
}

/// Receives rows: leaves out those that were exported before, and stops at the limit.
struct Sink<'s> {
    source: &'s Source<'s>,
    exporter: &'s mut dyn Exporter,
    is_marking: bool,
    done: Done,
}

/// What was written, and what was missing or left out.
#[derive(Default)]
struct Done {
    /// The mark of earlier exports, with the new rows added.
    mark: Option<Mark>,
    count: usize,
    /// True when the limit of rows is reached.
    is_full: bool,
    /// How many rows were left out because the list of what is to be taken down names them.
    taken_down: u64,
    /// How many records could not be copied, by reason.
    left_out: Vec<(&'static str, u64)>,
}

impl Done {
    /// An error if something that was asked for is missing in the file.
    fn check(&self, content: Content, file: Option<&Path>) -> anyhow::Result<()> {
        let lacks: u64 = self.left_out.iter().map(|(_, count)| count).sum();
        if lacks == 0 {
            return Ok(());
        }
        let file = file.map_or("stdout".into(), Path::to_string_lossy);
        let has = content.counted(self.count as u64);
        let why: Vec<String> =
            self.left_out.iter().map(|(reason, count)| format!("{} {reason}", grouped(*count))).collect();
        let lacks = grouped(lacks);
        let done = if content == Content::Warc { "copied" } else { "read" };
        bail!("{file} has {has}, and lacks {lacks} that cannot be {done}: {}", why.join(", "))
    }
}

impl<'s> Sink<'s> {
    fn new(source: &'s Source<'s>, exporter: &'s mut dyn Exporter, since: Option<Mark>, is_marking: bool) -> Sink<'s> {
        let mark = since.or_else(|| is_marking.then(Mark::default));
        Sink { source, exporter, is_marking, done: Done { mark, ..Done::default() } }
    }

    fn row(&mut self, row: Row<'_>) -> Result<(), Error> {
        check_stop()?;
        let take_down = self.source.take_down;
        if take_down.has(row) {
            self.done.taken_down += 1;
            return Ok(());
        }
        let line = match row {
            Row::Sentences(line) | Row::Rebuild(line) => Some(take_down.without(line)),
            _ => None,
        };
        let row = match (&line, row) {
            (Some(line), Row::Rebuild(_)) => Row::Rebuild(line),
            (Some(line), _) => Row::Sentences(line),
            (None, row) => row,
        };
        let identity = self.done.mark.as_ref().map(|_| identity(row));
        if let (Some(mark), Some(identity)) = (&mut self.done.mark, identity)
            && mark.has(identity)
        {
            return Ok(());
        }
        if self.source.args.limit.is_some_and(|limit| self.done.count >= limit) {
            self.done.is_full = true;
            return Err(Error::Interrupted);
        }
        self.exporter.row(row).map_err(|error| self.source.failed(error))?;
        if let (true, Some(mark), Some(identity)) = (self.is_marking, &mut self.done.mark, identity) {
            mark.add(identity);
        }
        self.done.count += 1;
        Ok(())
    }
}

/// Where rows come from.
#[derive(Clone, Copy)]
enum Origin<'j> {
    /// A store, and the part of it that is asked for.
    Store(&'j Store, &'j Scope),
    /// Tables, and the folder that they lie in.
    #[cfg(feature = "parquet")]
    Tables(&'j Tables, &'j Path),
}

/// Provides the rows.
struct Source<'j> {
    args: &'j Export,
    origin: Origin<'j>,
    config: &'j Config,
    wanted: &'j Wanted,
    take_down: &'j TakeDown,
    /// The sentence pairs of other stores, which are left out.
    known: Option<&'j RefCell<KnownSentences>>,
}

impl Source<'_> {
    fn failed(&self, source: io::Error) -> Error {
        let path = self.args.output.clone().unwrap_or_else(|| "stdout".into());
        Error::Io { path, action: "writing", source }
    }

    fn rows(
        &self,
        (content, format): (Content, &Format),
        words: &[[String; 2]],
        sink: &mut Sink<'_>,
    ) -> Result<(), Error> {
        let (config, wanted) = (self.config, self.wanted);
        let (store, scope) = match self.origin {
            Origin::Store(store, scope) => (store, scope),
            #[cfg(feature = "parquet")]
            Origin::Tables(tables, _) => return self.tables(tables, sink),
        };
        let keep_all = self.args.keep_all;
        match content {
            Content::Pairs => {
                let mut records = self.names_records().then(|| PairRecords::of(store));
                query::for_each_pair(store, config, scope, |mut pair| {
                    if !takes_pair(wanted, &pair) {
                        return Ok(());
                    }
                    records.as_mut().map_or(Ok(()), |records| records.add(&mut pair))?;
                    self.offer(sink, Row::Pair(&pair))
                })
            }
            Content::Bitext | Content::Rebuild => self.sentences((store, scope), sink, content, format),
            Content::Documents => {
                let is_wanted = |pair: &_| takes_pair(wanted, pair);
                query::for_each_document(store, config, scope, keep_all, &is_wanted, |line| {
                    self.offer(sink, Row::Document(&line))
                })
            }
            Content::Units => self.units((store, scope), sink),
            Content::Pages => {
                let is_wanted = |lang| wanted.takes_lang(lang);
                query::for_each_page(store, config, scope, &is_wanted, |page| self.offer(sink, Row::Page(&page)))
            }
            Content::Warc => self.records((store, scope), sink),
            Content::Fetch => self.captures((store, scope), sink),
            Content::Languages => query::for_each_language(store, |line| {
                if wanted.takes_lang(line.lang) { self.offer(sink, Row::Language(&line)) } else { Ok(()) }
            }),
            Content::Lexicon => words.iter().try_for_each(|[a, b]| sink.row(Row::Words([a, b]))),
        }
    }

    /// True where columns or conditions need the names of records.
    fn names_records(&self) -> bool {
        self.args.record_ids || self.take_down.names_records() || self.wanted.asks_for(RECORDS)
    }

    /// Writes a row if all conditions hold for it.
    fn offer(&self, sink: &mut Sink<'_>, row: Row<'_>) -> Result<(), Error> {
        if self.wanted.takes_row(row) { sink.row(row) } else { Ok(()) }
    }

    /// Writes the rows of tables. Their languages stand in the order of the run that made the tables.
    #[cfg(feature = "parquet")]
    fn tables(&self, tables: &Tables, sink: &mut Sink<'_>) -> Result<(), Error> {
        let senseless = tables.for_each(|line| {
            let (langs, score) = match line {
                Line::Pair(line) => (Some([line.lang_a, line.lang_b]), Some(line.score)),
                Line::Sentences(line) => (Some([line.lang_a, line.lang_b]), Some(line.score)),
                Line::Document(line) => (Some([line.pair.lang_a, line.pair.lang_b]), Some(line.pair.score)),
                Line::Page(line) => (Some([line.lang, line.lang]), None),
                Line::Unit(line) => (None, Some(line.score)),
                Line::Capture(_) => (None, None),
            };
            if !langs.is_none_or(|langs| self.wanted.takes_langs(langs)) {
                return Ok(());
            }
            if let Some([a, b]) = langs.filter(|_| !self.wanted.langs.is_empty())
                && self.config.lang_rank(a) > self.config.lang_rank(b)
            {
                let problem =
                    format!("--langs has {b} before {a}, and the tables {a} before {b}; give --langs in their order");
                return Err(Error::Config(problem));
            }
            let takes = score.is_none_or(|score| self.wanted.takes_score(score));
            if takes { self.offer(sink, line.row()) } else { Ok(()) }
        })?;
        if senseless > 0 {
            sink.done
                .left_out
                .push(("rows of the tables, which lack values or have names of another release", senseless));
        }
        Ok(())
    }

    fn sentences(
        &self,
        (store, scope): (&Store, &Scope),
        sink: &mut Sink<'_>,
        content: Content,
        format: &Format,
    ) -> Result<(), Error> {
        fn row(line: &BitextLine, is_rebuilt: bool) -> Row<'_> {
            if is_rebuilt { Row::Rebuild(line) } else { Row::Sentences(line) }
        }
        let (is_rebuilt, keep_all) = (content == Content::Rebuild, self.args.keep_all);
        let mut joiner = self.args.join.map(Joiner::new);
        let alternatives = format.has_columns() || self.wanted.asks_for(ALTERNATIVES);
        let asked = Asked {
            all: keep_all,
            alternatives,
            records: is_rebuilt || self.names_records(),
            pages: is_rebuilt,
            totals: is_rebuilt || format.has_totals(),
        };
        let (mut shortened, mut elsewhere) = (0_u64, 0_u64);
        let asked = bitext::for_each_bead(store, self.config, scope, asked, |mut line| {
            if is_rebuilt {
                shortened += u64::from(shorten(&mut line));
            }
            let mut is_wanted = self.wanted.takes(line.score, [line.lang_a, line.lang_b]);
            let is_elsewhere = match self.known.filter(|_| is_wanted && line.reason.is_none()) {
                Some(known) => known.borrow_mut().has(&line)?,
                None => false,
            };
            // Conditions see the reason only where the output has it.
            line.reason = line.reason.or(Some(ELSEWHERE).filter(|_| is_elsewhere && keep_all));
            is_wanted = is_wanted && self.wanted.takes_row(Row::Sentences(&line));
            elsewhere += u64::from(is_elsewhere && is_wanted);
            is_wanted &= keep_all || !is_elsewhere;
            let complete = match &mut joiner {
                Some(joiner) if is_wanted => joiner.next(line),
                Some(joiner) => joiner.rest(),
                None => Some(line).filter(|_| is_wanted),
            };
            complete.map_or(Ok(()), |line| sink.row(row(&line, is_rebuilt)))
        });
        let asked = asked.and_then(|()| {
            let rest = joiner.and_then(|mut joiner| joiner.rest());
            rest.map_or(Ok(()), |line| sink.row(row(&line, is_rebuilt)))
        });
        if asked.is_err() && !sink.done.is_full {
            return asked;
        }
        if elsewhere > 0 {
            let (count, are) =
                (counted(elsewhere, "sentence pair"), if keep_all { "have the reason" } else { "left out:" });
            say(format!("{count} {are} {ELSEWHERE}"));
        }
        if shortened > 0 {
            let most = BinaryBytes(rebuild::ROW_BYTES as u64);
            say(format!("{} of more than {most} have not all pages in `also`", counted(shortened, "row")));
        }
        asked
    }

    fn units(&self, (store, scope): (&Store, &Scope), sink: &mut Sink<'_>) -> Result<(), Error> {
        let is_wanted = |lang| self.wanted.takes_lang(lang);
        let found = query::for_each_unit(store, self.config, scope, &is_wanted, |line| {
            if self.wanted.takes_score(line.score) { self.offer(sink, Row::Unit(&line)) } else { Ok(()) }
        })?;
        let all: u64 = found.values().sum();
        if all > 0 {
            let counts: Vec<String> =
                found.iter().map(|(reason, count)| format!("{} {reason}", grouped(*count))).collect();
            let why =
                if all == 1 { "is in no unit, since it contradicts" } else { "are in no unit, since they contradict" };
            say(format!("{} {why} others: {}", counted(all, "sentence pair"), counts.join(", ")));
        }
        Ok(())
    }

    fn records(&self, (store, scope): (&Store, &Scope), sink: &mut Sink<'_>) -> Result<(), Error> {
        let is_wanted = |langs| self.wanted.takes_langs(langs);
        sink.done.left_out =
            query::for_each_record(store, self.config, scope, &is_wanted, |record| sink.row(Row::Record(&record)))?;
        Ok(())
    }

    fn captures(&self, (store, scope): (&Store, &Scope), sink: &mut Sink<'_>) -> Result<(), Error> {
        let lines = query::fetch(store, scope, &|langs| self.wanted.takes_langs(langs))?;
        if lines.is_empty() {
            say("nothing to fetch: no pair has a page that is known by an index only");
        }
        lines.iter().try_for_each(|line| self.offer(sink, Row::Capture(line)))
    }

    /// The card of a data set, with everything that its rows depend on besides the archives.
    fn card(&self) -> Card {
        let name = self.args.file().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let mut settings = match self.origin {
            Origin::Store(store, _) => Differing::published(store),
            #[cfg(feature = "parquet")]
            Origin::Tables(_, folder) => {
                vec![("from".into(), folder.file_name().unwrap_or_default().to_string_lossy().into())]
            }
        };
        let args = self.args;
        settings.extend(args.host.given().map(|host| ("host".into(), host.into())));
        settings.extend(self.wanted.told());
        settings.extend(args.join.map(|chars| ("join".into(), chars.to_string())));
        settings.extend(args.limit.map(|limit| ("limit".into(), limit.to_string())));
        settings.extend(args.keep_all.then(|| ("keep-all".into(), "yes".into())));
        settings.extend(args.take_down.as_ref().map(|_| ("take-down".into(), "a list".into())));
        settings
            .extend((!args.not_in.is_empty()).then(|| ("not-in".into(), counted(args.not_in.len() as u64, "store"))));
        settings.extend(args.since.as_ref().map(|_| ("since".into(), "an earlier export".into())));
        settings.extend(args.shape.told());
        Card::new(name, settings, args.shape.parts())
    }

    /// The two languages, then word pairs, the most probable first.
    fn learnt_words(&self) -> anyhow::Result<Vec<[String; 2]>> {
        let expected =
            || Error::Config("--what lexicon is of two languages; choose them by --langs, such as en,fr".into());
        let &[first, second] = self.wanted.langs.as_slice() else { return Err(expected().into()) };
        let langs = LangPair::new(first, second).ok_or_else(expected)?;
        let store = match self.origin {
            Origin::Store(store, _) => store,
            #[cfg(feature = "parquet")]
            Origin::Tables(..) => return Err(expected().into()),
        };
        let words = query::learnt_words(store, langs)?.unwrap_or_default();
        if words.is_empty() {
            bail!(
                "no words to export: nothing was learnt of {first} and {second}{}",
                why_nothing_learnt(store, self.config, langs)?
            );
        }
        let words = words.into_iter().map(|[a, b]| if langs.a == first { [a, b] } else { [b, a] });
        Ok(std::iter::once([first.to_string(), second.to_string()]).chain(words).collect())
    }

    /// The two languages, for formats that need exactly two, in the order of listing.
    fn two_langs(&self, format: &Format) -> Result<[Lang; 2], Error> {
        let name = format.name;
        let mut found: Vec<[Lang; 2]> = match self.origin {
            Origin::Store(store, scope) => {
                bitext::langs_of_page_pairs(store, scope)?.iter().map(|langs| [langs.a, langs.b]).collect()
            }
            #[cfg(feature = "parquet")]
            Origin::Tables(tables, _) => tables.langs()?.into_iter().collect(),
        };
        found.retain(|langs| self.wanted.takes_langs(*langs));
        let mut langs = match (found.len(), found.first(), self.wanted.langs.as_slice()) {
            (1, Some(langs), _) => *langs,
            (0, _, &[a, b]) => [a, b],
            (0, ..) => return Err(Error::Config("there are no page pairs of these languages".into())),
            (count, ..) => {
                let problem = format!("--format {name} is of two languages, {count} pairs of languages are there");
                return Err(Error::Config(format!(
                    "{problem}; choose two by --langs, or write all by --partition-by langs"
                )));
            }
        };
        if matches!(self.origin, Origin::Store(..)) {
            langs.sort_by_key(|&lang| self.config.lang_rank(lang));
        }
        Ok(langs)
    }
}

/// Drops the last of the other pages of a row whose list would be too long to be read back; returns whether any were dropped.
fn shorten(line: &mut BitextLine) -> bool {
    if Row::Rebuild(line).bytes() < rebuild::ROW_BYTES {
        return false;
    }
    let mut room = rebuild::ROW_BYTES;
    let mut fits = |(a, b): &(String, String)| {
        room = room.saturating_sub(a.len() + b.len() + 32);
        room > 0
    };
    let count = line.others.iter().take_while(|other| fits(other)).count();
    line.others.truncate(count);
    true
}

fn takes_pair(wanted: &Wanted, pair: &diglot::types::PairLine) -> bool {
    wanted.takes(pair.score, [pair.lang_a, pair.lang_b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_list_can_be_read_however_many_pages_have_it() {
        let url = "u".repeat(1 << 20);
        let mut line = super::super::card::tests::line(Lang::ZH, "", Default::default());
        assert!(!shorten(&mut line));
        line.others = vec![(url.clone(), url); 40];
        assert!(shorten(&mut line) && line.others.len() == 15, "{}", line.others.len());
    }
}
