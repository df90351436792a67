//! The summary at the end of a run: the strongest keys, the first pairs, and, if there are none, the reason.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use diglot::config::Config;
use diglot::export::rows::printable;
use diglot::pipeline::{self, STAGES, has_run};
use diglot::query::{self, KeyLine, Scarcity, Scope, Shortage};
use diglot::store::Store;
use diglot::types::{LangPair, Outcome, counted};
use unicode_width::UnicodeWidthStr;

use super::freshness::place;
use super::layout::shorten;
use super::listing::terminal_width;
use super::settings::Differing;

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

/// Prints what a store holds after a run.
pub fn print(store: &Store, config: &Config) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if pipeline::stage("keys").is_some_and(|keys| has_run(store, keys).unwrap_or(true)) {
        print_keys(&mut out, store, config)?;
        print_languages(&mut out, store, config)?;
        let pairs = print_pairs(&mut out, store, config)?;
        if pairs == 0 {
            let [reason, next] = why_none(&query::scarcity(store, config)?, store, config)?;
            writeln!(out, "  why: {reason}\n  next: {next}")?;
        } else {
            print_few_pairs(&mut out, store, config)?;
        }
    } else {
        let captures: u64 = query::archives(store)?.iter().map(|archive| archive.pages).sum();
        let names: Vec<&str> = STAGES.iter().map(|stage| stage.name()).collect();
        let waiting = names.iter().zip(STAGES).filter(|(_, stage)| !has_run(store, **stage).unwrap_or(true));
        let waiting: Vec<&str> = waiting.map(|(name, _)| *name).collect();
        writeln!(out, "captures kept: {captures}")?;
        writeln!(
            out,
            "not looked for yet: keys and pairs; `diglot run{}` goes on with {}",
            place(store.folder()),
            waiting.join(", ")
        )?;
    }
    let totals = query::totals(store)?;
    let sentences = totals.sentences;
    if sentences > 0 {
        writeln!(out, "sentence pairs: {sentences} (`diglot bitext{}`)", place(store.folder()))?;
    }
    writeln!(out, "left out: {}", super::status::left_out(store, &totals)?)?;
    let differing = Differing::of(store);
    if !differing.is_empty() {
        writeln!(out, "settings kept in the store: {differing}")?;
    }
    if cfg!(feature = "review") && io::stdout().is_terminal() {
        let place = place(store.folder());
        writeln!(
            out,
            "look at the pairs: `diglot review --open{place}`; figures in one file: `diglot report -o report.html{place}`"
        )?;
    }
    Ok(())
}

fn print_keys(out: &mut impl Write, store: &Store, config: &Config) -> anyhow::Result<()> {
    let mut keys = query::keys(store, config, &Scope::all(), false)?;
    keys.retain(|key| key.accepted > 0);
    keys.sort_by(|a, b| b.accepted.cmp(&a.accepted).then_with(|| a.site.cmp(&b.site)).then_with(|| a.key.cmp(&b.key)));
    writeln!(out, "keys with pairs: {}", keys.len())?;
    let place = place(store.folder());
    let texts = |key: &KeyLine| {
        let (langs, edits) = super::keys::in_order(key);
        [key.site.clone(), langs, printable(&diglot::types::pattern(&edits)).into_owned()]
    };
    let shown: Vec<[String; 3]> = keys.iter().take(KEYS).map(texts).collect();
    let [site, langs, pattern] =
        [0, 1, 2].map(|column| shown.iter().map(|texts| texts[column].width()).max().unwrap_or(0));
    for (key, [of_site, of_langs, of_pattern]) in keys.iter().zip(&shown) {
        write!(out, "  {of_site:<site$}  {of_langs:<langs$}  {of_pattern:<pattern$}")?;
        let pairs = if key.accepted == 1 { "pair " } else { "pairs" };
        writeln!(out, "  {:>6} {pairs}  C {:.3}", key.accepted, key.credibility)?;
    }
    if keys.len() > KEYS {
        writeln!(out, "  … {} more: `diglot keys{place}`", keys.len() - KEYS)?;
    }
    Ok(())
}

/// Prints the number of pairs for each language pair, and the first pairs.
fn print_pairs(out: &mut impl Write, store: &Store, config: &Config) -> anyhow::Result<u64> {
    let mut counts: BTreeMap<LangPair, u64> = BTreeMap::new();
    let mut first = Vec::new();
    let mut all = 0u64;
    let mut editions = 0u64;
    query::for_each_of(store, config, &Scope::all(), &[Outcome::Accepted, Outcome::Edition], |pair, outcome| {
        if outcome == Some(Outcome::Edition) {
            editions += 1;
            return Ok(());
        }
        if let Some(langs) = LangPair::new(pair.lang_a, pair.lang_b) {
            *counts.entry(langs).or_default() += 1;
        }
        all += 1;
        if first.len() < PAIRS {
            first.push(pair);
        }
        Ok(())
    })?;
    writeln!(out, "pairs: {all}")?;
    let mut shown: Vec<(&LangPair, &u64)> = counts.iter().collect();
    shown.sort_by_key(|&(langs, count)| (Reverse(count), langs));
    shown.truncate(LANG_PAIRS);
    shown.sort();
    for (langs, count) in shown {
        writeln!(out, "  {}-{}: {count}", langs.a, langs.b)?;
    }
    if counts.len() > LANG_PAIRS {
        writeln!(out, "  … and {} more pairs of languages", counts.len() - LANG_PAIRS)?;
    }
    let room = terminal_width().map_or(usize::MAX, |columns| columns / 2 - 2);
    for pair in &first {
        let [a, b] = [&pair.url_a, &pair.url_b].map(|url| shorten(&printable(url), room));
        writeln!(out, "  {a}  {b}")?;
    }
    if all > first.len() as u64 {
        writeln!(out, "  … {} more: `diglot pairs{}`", all - first.len() as u64, place(store.folder()))?;
    }
    if editions > 0 {
        writeln!(
            out,
            "editions: {editions}, whose addresses belong together and whose texts do not (`diglot pairs --editions{}`)",
            place(store.folder())
        )?;
    }
    Ok(all)
}

/// Prints which languages were learnt from sites, and how many profiles of languages were given.
fn print_languages(out: &mut impl Write, store: &Store, config: &Config) -> anyhow::Result<()> {
    let (learnt, given) = query::learnt_languages(store, config)?;
    if !learnt.is_empty() {
        let mut names: Vec<&str> = learnt.iter().take(LEARNT).map(|lang| lang.as_str()).collect();
        if learnt.len() > LEARNT {
            names.push("…");
        }
        let place = place(store.folder());
        writeln!(
            out,
            "languages learnt from sites: {} ({}; `diglot export --what languages{place}`)",
            learnt.len(),
            names.join(", ")
        )?;
    }
    if given > 0 {
        writeln!(out, "profiles of languages that were given (--languages): {given}")?;
    }
    Ok(())
}

/// Prints the hosts with few pairs that have the most pages concerned, with the likeliest reasons.
fn print_few_pairs(out: &mut impl Write, store: &Store, config: &Config) -> anyhow::Result<()> {
    let lacking = query::shortages(store, config, &Scope::all())?;
    if lacking.is_empty() {
        return Ok(());
    }
    writeln!(out, "hosts with few pairs: {}", lacking.len())?;
    for Shortage { host, langs, reason, .. } in lacking.iter().take(FEW_PAIRS) {
        let mut texts: Vec<String> = langs.iter().take(LANGS).map(|(lang, pages)| format!("{lang} {pages}")).collect();
        if langs.len() > LANGS {
            texts.push("…".to_owned());
        }
        writeln!(out, "  {host}  {}: {reason}", texts.join(", "))?;
    }
    if lacking.len() > FEW_PAIRS {
        let place = place(store.folder());
        writeln!(out, "  … {} more: `diglot hosts --few-pairs{place}`", lacking.len() - FEW_PAIRS)?;
    }
    Ok(())
}

/// The likeliest reason why a store has no pairs, and what to do next.
fn why_none(found: &Scarcity, store: &Store, config: &Config) -> anyhow::Result<[String; 2]> {
    let place = place(store.folder());
    let wanted = &config.keys.langs;
    let pages = counted(found.pages, "page");
    let langs = languages(found);
    let asked_for = found.langs.keys().filter(|lang| wanted.iter().any(|asked| asked.agrees(**lang))).count();
    let explain = format!("`diglot explain URL{place}` says what is known of a page");
    if found.pages == 0 {
        let left_out = super::status::left_out(store, &query::totals(store)?)?;
        let next = format!("`diglot status --archives{place}` shows examples of what was left out");
        return Ok([format!("no capture became a page; left out: {left_out}"), next]);
    }
    if !wanted.is_empty() && asked_for < 2 && found.langs.len() + usize::from(found.unknown > 0) > 1 {
        let wanted: Vec<&str> = wanted.iter().map(|lang| lang.as_str()).collect();
        let reason = format!("--langs is {}, and the pages are in {langs}", wanted.join(","));
        return Ok([reason, format!("`diglot run --reset langs{place}` pairs all languages")]);
    }
    Ok(match (found.langs.len(), found.best) {
        (0, _) => [format!("the language of none of the {pages} is known"), explain],
        (1, _) if found.unknown > 0 => [format!("the pages are in {langs}"), explain],
        (1, _) if found.copies > 0 => {
            let reason = format!("all pages are in {langs}, and {} more are untranslated copies of them", found.copies);
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
                false => format!("{explain}; `diglot run --min-score 0.25{place}` asks for less"),
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
    let mut texts: Vec<String> = langs.iter().map(|(lang, pages)| format!("{lang} ({pages})")).collect();
    if found.unknown > 0 {
        texts.push(format!("languages that are not known or not sure ({})", found.unknown));
    }
    texts.join(", ")
}
