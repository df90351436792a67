//! The summary at the end of a run: the strongest keys, the first pairs, and, if there are none, the reason; as lines for people, or as an
//! object of JSON.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use diglot::config::{Config, LabelMode};
use diglot::export::rows::{Columns, printable};
use diglot::inputs::Tally;
use diglot::pipeline::{self, STAGES, has_run};
use diglot::query::{self, KeyLine, Scarcity, Scope, Shortage};
use diglot::store::Store;
use diglot::types::{Lang, LangPair, Outcome, PairLine, counted, grouped};
use serde_json::{Map, Value, json};
use unicode_width::UnicodeWidthStr;

use super::color::Style;
use super::freshness::{no_archive, place};
use super::layout::shorten_two;
use super::settings::Differing;
use super::table::terminal_width;

/// How many keys are printed at most.
const KEYS: usize = 12;
/// How many language pairs are printed at most.
const LANG_PAIRS: usize = 12;
/// How many languages that were learnt are named at most.
const LEARNT: usize = 12;
/// How many pairs are printed at most.
const PAIRS: usize = 5;

/// How many hosts with few pairs are printed at most.
const FEW_PAIRS: usize = 3;
/// How many languages of such a host are printed at most.
const LANGS: usize = 4;
/// A least score that is offered where the one in force leaves nothing.
const LESS: f64 = 0.25;

/// What a store holds after a run.
pub struct Summary {
    /// How it is named in commands.
    place: String,
    /// Captures that became pages.
    captures: u64,
    /// Stages that have not run.
    waiting: Vec<&'static str>,
    /// What was found; `None` before keys were looked for.
    found: Option<Found>,
    sentences: u64,
    left_out: Vec<(&'static str, u64)>,
    settings: Differing,
}

/// Keys and pairs.
struct Found {
    /// The keys that have accepted pairs, those with most first.
    keys: Vec<KeyLine>,
    /// Languages that were learnt from sites.
    learnt: Vec<String>,
    /// Profiles of languages that were given.
    given: usize,
    pairs: u64,
    /// How many pairs each pair of languages has.
    langs: BTreeMap<LangPair, u64>,
    /// The first pairs.
    first: Vec<PairLine>,
    editions: u64,
    /// Where there are no pairs, the likeliest reason, and what to do next.
    why: Option<[String; 2]>,
    /// Hosts with few pairs.
    few_pairs: Vec<Shortage>,
}

impl Summary {
    /// The summary of a store.
    pub fn of(store: &Store, config: &Config) -> anyhow::Result<Summary> {
        let are_looked_for = pipeline::stage("keys").is_some_and(|keys| has_run(store, keys).unwrap_or(true));
        let waiting = STAGES.iter().filter(|stage| !has_run(store, **stage).unwrap_or(true));
        let totals = query::totals(store)?;
        Ok(Summary {
            place: place(store.folder()),
            captures: query::archives(store)?.iter().map(|archive| archive.pages).sum(),
            waiting: waiting.map(|stage| stage.name()).collect(),
            found: are_looked_for.then(|| Found::of(store, config)).transpose()?,
            sentences: totals.sentences,
            left_out: super::status::left_out(store, &totals)?,
            settings: Differing::of(store),
        })
    }

    /// Prints it for people.
    pub fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let place = &self.place;
        if let Some(found) = &self.found {
            found.print(&mut out, place)?;
        } else {
            writeln!(out, "captures kept: {}", grouped(self.captures))?;
            let waiting = self.waiting.join(", ");
            writeln!(out, "not looked for yet: keys and pairs; `diglot run{place}` goes on with {waiting}")?;
        }
        if self.sentences > 0 {
            writeln!(out, "{} {} (`diglot bitext{place}`)", head("sentence pairs:"), grouped(self.sentences))?;
        }
        writeln!(out, "{} {}", head("left out:"), super::status::sentence(&self.left_out))?;
        if !self.settings.is_empty() {
            writeln!(out, "settings kept in the store: {}", self.settings)?;
        }
        if cfg!(feature = "review") && io::stdout().is_terminal() {
            writeln!(
                out,
                "look at the pairs: `diglot review --open{place}`; figures in one file: `diglot report -o report.html{place}`"
            )?;
        }
        Ok(())
    }

    /// Prints it for programs, with what became of the inputs.
    pub fn print_json(&self, inputs: &Tally) -> anyhow::Result<()> {
        let refused = inputs.refused.iter().map(|refused| json!({ "path": refused.path, "reason": refused.reason }));
        let settings = self.settings.settings.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
        let mut object = json!({
            "inputs": {
                "read": inputs.read,
                "read_before": inputs.read_before,
                "damaged": inputs.damaged,
                "skipped": refused.collect::<Vec<_>>(),
            },
            "captures": self.captures,
            "stages_not_run": self.waiting,
            "sentence_pairs": self.sentences,
            "left_out": self.left_out.iter().map(|(reason, count)| ((*reason).to_owned(), json!(count))).collect::<Map<_, _>>(),
            "settings": settings.collect::<Map<_, _>>(),
        });
        if let (Some(found), Value::Object(object)) = (&self.found, &mut object) {
            object.append(&mut found.json()?);
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string_pretty(&object)?)?;
        Ok(out.flush()?)
    }
}

/// A heading.
fn head(text: &str) -> String {
    Style::Bold.out(text)
}

impl Found {
    fn of(store: &Store, config: &Config) -> anyhow::Result<Found> {
        let mut keys = query::keys(store, config, &Scope::all(), false)?;
        keys.retain(|key| key.accepted > 0);
        keys.sort_by(|a, b| {
            b.accepted.cmp(&a.accepted).then_with(|| a.site.cmp(&b.site)).then_with(|| a.key.cmp(&b.key))
        });
        let (learnt, given) = query::learnt_languages(store, config)?;
        let learnt = learnt.iter().map(ToString::to_string).collect();
        let (why, few_pairs) = (None, Vec::new());
        let (langs, first) = (BTreeMap::new(), Vec::new());
        let mut found = Found { keys, learnt, given, pairs: 0, langs, first, editions: 0, why, few_pairs };
        query::for_each_of(store, config, &Scope::all(), &[Outcome::Accepted, Outcome::Edition], |pair, outcome| {
            if outcome == Some(Outcome::Edition) {
                found.editions += 1;
                return Ok(());
            }
            if let Some(langs) = LangPair::new(pair.lang_a, pair.lang_b) {
                *found.langs.entry(langs).or_default() += 1;
            }
            found.pairs += 1;
            if found.first.len() < PAIRS {
                found.first.push(pair);
            }
            Ok(())
        })?;
        if found.pairs == 0 {
            found.why = Some(why_none(&query::scarcity(store, config)?, store, config)?);
        } else {
            found.few_pairs = query::shortages(store, config, &Scope::all())?;
        }
        Ok(found)
    }

    fn print(&self, out: &mut impl Write, place: &str) -> io::Result<()> {
        self.print_keys(out, place)?;
        if !self.learnt.is_empty() {
            let mut names: Vec<&str> = self.learnt.iter().take(LEARNT).map(String::as_str).collect();
            if self.learnt.len() > LEARNT {
                names.push("…");
            }
            let (count, names) = (self.learnt.len(), names.join(", "));
            writeln!(out, "languages learnt from sites: {count} ({names}; `diglot export --what languages{place}`)")?;
        }
        if self.given > 0 {
            writeln!(out, "profiles of languages that were given (--languages): {}", self.given)?;
        }
        self.print_pairs(out, place)?;
        if let Some([reason, next]) = &self.why {
            writeln!(out, "  why: {reason}\n  next: {next}")?;
        }
        self.print_few_pairs(out, place)
    }

    fn print_keys(&self, out: &mut impl Write, place: &str) -> io::Result<()> {
        writeln!(out, "{} {}", head("keys with pairs:"), grouped(self.keys.len() as u64))?;
        let texts = |key: &KeyLine| {
            let (langs, edits) = super::keys::in_order(key);
            let pattern = printable(&diglot::types::pattern(&edits)).into_owned();
            [key.site.clone(), langs, pattern, grouped(key.accepted)]
        };
        let shown: Vec<[String; 4]> = self.keys.iter().take(KEYS).map(texts).collect();
        let [site, langs, pattern, accepted] =
            [0, 1, 2, 3].map(|column| shown.iter().map(|texts| texts[column].width()).max().unwrap_or(0));
        for (key, [of_site, of_langs, of_pattern, of_accepted]) in self.keys.iter().zip(&shown) {
            write!(out, "  {of_site:<site$}  {of_langs:<langs$}  {of_pattern:<pattern$}")?;
            let pairs = if key.accepted == 1 { "pair, " } else { "pairs," };
            writeln!(out, "  {of_accepted:>accepted$} {pairs} credibility {:.4}", key.credibility)?;
        }
        if self.keys.len() > KEYS {
            writeln!(out, "  … {} more: `diglot keys{place}`", grouped((self.keys.len() - KEYS) as u64))?;
        }
        Ok(())
    }

    /// Prints the number of pairs for each language pair, and the first pairs.
    fn print_pairs(&self, out: &mut impl Write, place: &str) -> io::Result<()> {
        writeln!(out, "{} {}", head("pairs:"), grouped(self.pairs))?;
        let mut shown: Vec<(&LangPair, &u64)> = self.langs.iter().collect();
        shown.sort_by_key(|&(langs, count)| (Reverse(count), langs));
        shown.truncate(LANG_PAIRS);
        shown.sort();
        for (langs, count) in shown {
            writeln!(out, "  {}-{}: {}", langs.a, langs.b, grouped(*count))?;
        }
        if self.langs.len() > LANG_PAIRS {
            let more = counted((self.langs.len() - LANG_PAIRS) as u64, "more pair");
            writeln!(out, "  … {more} of languages: `diglot pairs --summary{place}`")?;
        }
        let room = terminal_width().map_or(usize::MAX, |columns| columns / 2 - 2);
        let shown = self.first.iter().map(|pair| {
            let [a, b] = [&pair.url_a, &pair.url_b].map(|url| printable(url));
            shorten_two(&a, &b, room)
        });
        let shown: Vec<[String; 2]> = shown.collect();
        let width = shown.iter().map(|[a, _]| a.width()).max().unwrap_or(0);
        for [a, b] in &shown {
            writeln!(out, "  {a}{:1$}  {b}", "", width - a.width())?;
        }
        if self.pairs > self.first.len() as u64 {
            writeln!(out, "  … {} more: `diglot pairs{place}`", grouped(self.pairs - self.first.len() as u64))?;
        }
        if self.editions > 0 {
            let editions = grouped(self.editions);
            writeln!(
                out,
                "editions: {editions}, whose addresses belong together and whose texts do not (`diglot pairs --editions{place}`)"
            )?;
        }
        Ok(())
    }

    /// Prints the hosts with few pairs that have the most pages concerned, with the likeliest reasons.
    fn print_few_pairs(&self, out: &mut impl Write, place: &str) -> io::Result<()> {
        let lacking = &self.few_pairs;
        if lacking.is_empty() {
            return Ok(());
        }
        writeln!(out, "{} {}", head("hosts with few pairs:"), grouped(lacking.len() as u64))?;
        for Shortage { host, langs, reason, .. } in lacking.iter().take(FEW_PAIRS) {
            let of = |(lang, pages): &(_, u32)| format!("{lang} {}", grouped((*pages).into()));
            let mut texts: Vec<String> = langs.iter().take(LANGS).map(of).collect();
            if langs.len() > LANGS {
                texts.push("…".to_owned());
            }
            writeln!(out, "  {host}  {}: {reason}", texts.join(", "))?;
        }
        if lacking.len() > FEW_PAIRS {
            let more = grouped((lacking.len() - FEW_PAIRS) as u64);
            writeln!(out, "  … {more} more: `diglot hosts --few-pairs{place}`")?;
        }
        Ok(())
    }

    /// Everything that is printed for people, but for all pairs of languages.
    fn json(&self) -> serde_json::Result<Map<String, Value>> {
        let key = |key: &KeyLine| serde_json::to_value(Columns(&KeyLine::COLUMNS, &key.values()));
        let langs = self
            .langs
            .iter()
            .map(|(langs, pairs)| json!({ "lang_a": langs.a.as_str(), "lang_b": langs.b.as_str(), "pairs": pairs }));
        let few = self.few_pairs.iter().take(FEW_PAIRS).map(
            |few| json!({ "host": few.host, "pages": few.pages, "pairs": few.pairs, "why": few.reason.to_string() }),
        );
        let value = json!({
            "keys": self.keys.len(),
            "first_keys": self.keys.iter().take(KEYS).map(key).collect::<serde_json::Result<Vec<_>>>()?,
            "languages_learnt": self.learnt,
            "profiles_given": self.given,
            "pairs": self.pairs,
            "language_pairs": langs.collect::<Vec<_>>(),
            "editions": self.editions,
            "why_none": self.why.as_ref().map(|[reason, _]| reason),
            "hosts_with_few_pairs": self.few_pairs.len(),
            "first_hosts_with_few_pairs": few.collect::<Vec<_>>(),
        });
        Ok(match value {
            Value::Object(object) => object,
            _ => Map::new(),
        })
    }
}

/// The likeliest reason why a store has no pairs, and what to do next.
fn why_none(found: &Scarcity, store: &Store, config: &Config) -> anyhow::Result<[String; 2]> {
    let place = place(store.folder());
    let wanted = &config.keys.langs;
    let pages = counted(found.pages, "page");
    let langs = languages(found);
    let asked_for = found.langs.keys().filter(|lang| wanted.iter().any(|asked| asked.agrees(**lang))).count();
    let explain = format!("`diglot explain URL{place}` says what is known of a page");
    if let Some(missing) = no_archive(store)? {
        return Ok(missing);
    }
    if found.pages == 0 {
        let left_out = super::status::sentence(&super::status::left_out(store, &query::totals(store)?)?);
        let next = format!("`diglot status --archives{place}` shows examples of what was left out");
        return Ok([format!("no capture became a page; left out: {left_out}"), next]);
    }
    if config.keys.labels == LabelMode::LatinShare && found.langs.len() < 2 {
        let preset = &config.preset;
        let reason = format!(
            "--preset {preset} tells English from Chinese by their letters alone, and takes the pages for {langs}"
        );
        return Ok([reason, format!("`diglot run --preset default{place}` tells other languages")]);
    }
    if !wanted.is_empty() && asked_for < 2 && found.langs.len() + usize::from(found.unknown > 0) > 1 {
        let tags: Vec<&str> = wanted.iter().map(|lang| lang.as_str()).collect();
        let is_missing = |asked: &&Lang| !found.langs.keys().any(|lang| asked.agrees(*lang));
        let named = |lang: &Lang| match lang.is_known() {
            true => lang.to_string(),
            false => format!("{lang}, a language that nothing names"),
        };
        let missing: Vec<String> = wanted.iter().filter(is_missing).map(named).collect();
        let lacks = match missing.is_empty() {
            true => String::new(),
            false => format!("; no page is in {}", missing.join(", nor in ")),
        };
        let reason = format!("--langs is {}{lacks}, and the pages are in {langs}", tags.join(","));
        return Ok([reason, format!("`diglot run --reset langs{place}` pairs all languages")]);
    }
    Ok(match (found.langs.len(), found.best) {
        (0, _) => [format!("the language of none of the {pages} is known"), explain],
        (1, _) if found.unknown > 0 => [format!("the pages are in {langs}"), explain],
        (1, _) if found.copies > 0 => {
            let reason =
                format!("all pages are in {langs}, and {} more are untranslated copies of them", grouped(found.copies));
            [reason, explain]
        }
        (1, _) => [
            format!("all pages are in one language: {langs}"),
            format!("`diglot run INPUT...{place}` adds the pages in other languages"),
        ],
        _ if found.bilingual_sites == 0 => [
            format!("no site has pages in two languages; all together have {langs}"),
            format!(
                "`diglot hosts{place}` lists the languages of each; `diglot run --across-suffixes{place}` makes domains of one name one site"
            ),
        ],
        (_, Some(best)) if best < config.judge.min_score => [
            format!(
                "of {}, none reaches the score of {} that is asked for; the best has {best:.4}",
                counted(found.rejected, "candidate"),
                config.judge.min_score
            ),
            match Differing::of(store).has("min-score") {
                true => format!("`diglot run --reset min-score{place}` takes the setting back"),
                false if best >= LESS => format!("{explain}; `diglot run --min-score {LESS}{place}` asks for less"),
                false => explain,
            },
        ],
        (_, Some(_)) => [format!("all of {} were rejected", counted(found.rejected, "candidate")), explain],
        _ if found.keys == 0 => [
            format!("no key was found in the URLs of {pages} ({langs})"),
            format!("`diglot keys --weak{place}` lists keys that match too few pages; {explain}"),
        ],
        _ => ["the keys that were found pair no pages".to_owned(), explain],
    })
}

/// "en (12), fr (3)": the languages with most pages first, and last those that are not known.
fn languages(found: &Scarcity) -> String {
    let mut langs: Vec<_> = found.langs.iter().collect();
    langs.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let mut texts: Vec<String> = langs.iter().map(|(lang, pages)| format!("{lang} ({})", grouped(**pages))).collect();
    if found.unknown > 0 {
        texts.push(format!("languages that are not known or not sure ({})", grouped(found.unknown)));
    }
    texts.join(", ")
}
