//! Options that select the part of the store, the pairs or the languages that a listing or file contains.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use diglot::config::settings::{SCORER, language_tags};
use diglot::config::{Config, different_languages, two_languages};
use diglot::error::Error;
use diglot::export::{Condition, Content, Row, rounded};
use diglot::query::{self, Scope, bitext};
use diglot::store::Store;
use diglot::types::{Lang, LangPair, grouped};

use super::freshness::place;
use super::say::{is_quiet, say};

/// Which part of the store a command is about: `HOST`, or `--host HOST`, which is the same.
#[derive(Args)]
pub struct HostArg {
    /// A host, a registrable domain or a URL; by default all.
    #[arg(value_name = "HOST")]
    host: Option<String>,
    /// The same as HOST.
    #[arg(long = "host", value_name = "HOST", conflicts_with = "host")]
    host_option: Option<String>,
}

impl HostArg {
    /// The host, as the user gave it.
    pub fn given(&self) -> Option<&str> {
        self.host.as_deref().or(self.host_option.as_deref())
    }

    /// The part of the store that the host stands for.
    ///
    /// # Errors
    /// When the store has no page of it.
    pub fn scope(&self, store: &Store) -> Result<Scope, Error> {
        self.given().map_or(Ok(Scope::all()), |host| Scope::of(store, host))
    }
}

/// What is asked for: which languages, scores and columns of the rows of an output.
#[derive(Args)]
pub struct Filter {
    /// Only pairs of these languages, two or more, listed in this order.
    ///
    /// Formats of two languages, such as moses, take two.
    #[arg(long, value_delimiter = ',', value_name = "LANG,LANG…", num_args = 1)]
    langs: Vec<String>,
    /// At least this score: short for `--where score>=X`.
    #[arg(long, default_value_t = 0.0, value_name = "0..1", allow_negative_numbers = true)]
    min_score: f64,
    /// Only rows whose column fits: `chars_a>=20`; repeated, all must.
    ///
    /// COLUMN is one that `diglot export` writes, whether this output has it or not; a name that there is none of is answered with those
    /// there are. Then comes = or !=, for texts and numbers also <, <=, > or >=, and for texts ~ (contains) and =~ (matches a regular
    /// expression, as in `url_a=~/(news|blog)/`). A list fits if one of its elements does. Quote it, for < and > mean something to a shell.
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    conditions: Vec<String>,
}

/// The parsed options.
pub struct Wanted {
    /// The languages in the order they were given; empty: all.
    pub langs: Vec<Lang>,
    min_score: f64,
    conditions: Vec<Condition>,
    /// The languages of the rows that passed, of any score.
    met: RefCell<BTreeSet<Lang>>,
    /// How many rows were left out by their score, and by each of the conditions.
    left_out: RefCell<(u64, Vec<u64>)>,
}

impl Filter {
    /// As [`Filter::wanted`], for pairs: refuses a single language.
    pub fn wanted_pairs(&self, config: &mut Config, content: Content) -> anyhow::Result<Wanted> {
        let wanted = self.wanted(config, content)?;
        two_languages(&wanted.langs, "leave --langs out")?;
        Ok(wanted)
    }

    /// Parses the names of languages and the conditions on a content, and sets the order of languages in `config`.
    pub fn wanted(&self, config: &mut Config, content: Content) -> anyhow::Result<Wanted> {
        let langs = parse_langs(&self.langs)?;
        different_languages(self.langs.iter().map(String::as_str))?;
        if !(0.0..=1.0).contains(&self.min_score) {
            return Err(Error::Config(format!("--min-score is {}, expected 0 to 1", self.min_score)).into());
        }
        config.listed_langs.clone_from(&langs);
        let parse = |text: &String| {
            Condition::parse(content, text).map_err(|problem| Error::Config(format!("--where: {problem}")))
        };
        let conditions: Vec<Condition> = self.conditions.iter().map(parse).collect::<Result<_, _>>()?;
        if config.scorer.command.is_empty() && conditions.iter().any(|condition| condition.column() == SCORER) {
            say("no scorer has given scores: `diglot run --scorer COMMAND` has sentence pairs scored by a program");
        }
        let left_out = RefCell::new((0, vec![0; conditions.len()]));
        Ok(Wanted { langs, min_score: self.min_score, conditions, met: RefCell::default(), left_out })
    }
}

impl Wanted {
    /// True where a minimum score was given.
    pub fn has_min_score(&self) -> bool {
        self.min_score > 0.0
    }

    /// What was asked for, as names of options with their values.
    pub fn told(&self) -> Vec<(String, String)> {
        let langs: Vec<&str> = self.langs.iter().map(Lang::as_str).collect();
        let langs = (!langs.is_empty()).then(|| ("langs".to_owned(), langs.join(",")));
        let min_score = self.has_min_score().then(|| ("min-score".to_owned(), self.min_score.to_string()));
        let conditions = self.conditions.iter().map(|condition| ("where".to_owned(), condition.to_string()));
        langs.into_iter().chain(min_score).chain(conditions).collect()
    }

    /// True for a wanted language.
    pub fn takes_lang(&self, lang: Lang) -> bool {
        self.takes_langs([lang, lang])
    }

    /// True for a wanted pair of languages with a sufficient score.
    pub fn takes(&self, score: f64, langs: [Lang; 2]) -> bool {
        self.takes_langs(langs) && self.takes_score(score)
    }

    /// True for a sufficient score.
    pub fn takes_score(&self, score: f64) -> bool {
        // The score is compared in the form in which it is written, and in which `--where` compares it.
        let takes = rounded(score) >= self.min_score;
        self.left_out.borrow_mut().0 += u64::from(!takes);
        takes
    }

    /// True for a row for which all conditions hold. A row counts as left out by the first one that does not.
    pub fn takes_row(&self, row: Row<'_>) -> bool {
        let failed = self.conditions.iter().position(|condition| !condition.holds(row));
        if let Some(at) = failed {
            self.left_out.borrow_mut().1[at] += 1;
        }
        failed.is_none()
    }

    /// True where a condition is on one of some columns.
    pub fn asks_for(&self, columns: &[&str]) -> bool {
        self.conditions.iter().any(|condition| columns.contains(&condition.column()))
    }

    /// Reports how many rows were left out by which condition. It must be called after all rows, or, where the output was limited, after
    /// those up to the limit.
    pub fn say_left_out(&self, content: Content, is_whole: bool) {
        let (by_score, by_condition) = &*self.left_out.borrow();
        let by_score = (format!("--min-score {}", self.min_score), *by_score);
        let by_condition = self.conditions.iter().map(ToString::to_string).zip(by_condition.iter().copied());
        let counts: Vec<(String, u64)> =
            std::iter::once(by_score).chain(by_condition).filter(|(_, count)| *count > 0).collect();
        if !counts.is_empty() {
            let all: u64 = counts.iter().map(|(_, count)| count).sum();
            let counts: Vec<String> = counts.iter().map(|(by, count)| format!("{} by {by}", grouped(*count))).collect();
            let until = if is_whole { "" } else { " before --limit was reached" };
            say(format!("{} left out{until}: {}", content.counted(all), counts.join(", ")));
        }
    }

    /// True for a wanted pair of languages.
    pub fn takes_langs(&self, langs: [Lang; 2]) -> bool {
        let is_wanted = |lang: Lang| self.langs.is_empty() || self.langs.iter().any(|wanted| wanted.agrees(lang));
        let takes = langs.into_iter().all(is_wanted);
        if takes && !self.langs.is_empty() {
            self.met.borrow_mut().extend(langs);
        }
        takes
    }

    /// Reports which requested languages had no rows, and what the store has instead. It must be called after all rows.
    pub fn say_absent(&self, content: Content, store: &Store, scope: &Scope) -> Result<(), Error> {
        let met = self.met.borrow();
        let absent: Vec<Lang> =
            self.langs.iter().copied().filter(|wanted| !met.iter().any(|lang| wanted.agrees(*lang))).collect();
        if absent.is_empty() || is_quiet() {
            return Ok(());
        }
        let mut pages: BTreeMap<Lang, u64> = BTreeMap::new();
        for (lang, count) in query::hosts_in(store, scope)?.into_iter().flat_map(|host| host.langs) {
            *pages.entry(lang).or_default() += u64::from(count);
        }
        let unknown = absent.iter().filter(|wanted| !pages.keys().any(|lang| wanted.agrees(*lang)));
        let unknown: Vec<&str> = unknown.map(Lang::as_str).collect();
        if !unknown.is_empty() {
            let mut pages: Vec<(Lang, u64)> = pages.into_iter().filter(|(lang, _)| lang.is_known()).collect();
            pages.sort_by_key(|&(lang, count)| (Reverse(count), lang));
            let pages: Vec<String> =
                pages.iter().map(|(lang, count)| format!("{lang} ({})", grouped(*count))).collect();
            let pages = if pages.is_empty() { "no known language".to_owned() } else { pages.join(", ") };
            say(format!("no page is in {}; the pages are in {pages}", unknown.join(" or ")));
            return Ok(());
        }
        if content == Content::Pages {
            return Ok(());
        }
        let pairs = bitext::langs_of_page_pairs(store, scope)?;
        let is_asked = |lang: Lang| self.langs.iter().any(|wanted| wanted.agrees(lang));
        // There are pairs of these languages, but none of what is listed: the languages are not to blame.
        if pairs.iter().any(|pair| is_asked(pair.a) && is_asked(pair.b)) || pairs.is_empty() {
            return Ok(());
        }
        let asked: Vec<&str> = self.langs.iter().map(Lang::as_str).collect();
        let pairs: Vec<String> = pairs.iter().map(|pair| format!("{}-{}", pair.a, pair.b)).collect();
        let asked = if let [one] = asked[..] {
            format!("are of two kinds of {one}")
        } else {
            format!("are between {}", asked.join(" and "))
        };
        say(format!("no pairs {asked}; they are {}", pairs.join(", ")));
        Ok(())
    }
}

fn parse_langs(langs: &[String]) -> anyhow::Result<Vec<Lang>> {
    let parse = |text: &String| {
        let problem = || Error::Config(format!("--langs has {text}, expected {}", language_tags(text)));
        Ok(Lang::parse_wanted(text).ok_or_else(problem)?)
    };
    langs.iter().map(parse).collect()
}

/// What was learnt instead of the words of two languages, or where words come from.
pub fn why_nothing_learnt(store: &Store, config: &Config, langs: LangPair) -> anyhow::Result<String> {
    let agrees = |learnt: &LangPair| {
        if *learnt == langs {
            return false;
        }
        let is = |a: Lang, b: Lang| learnt.a.agrees(a) && learnt.b.agrees(b);
        is(langs.a, langs.b) || is(langs.b, langs.a)
    };
    let variants = query::learnt_langs(store)?.into_iter().filter(agrees);
    let variants: Vec<String> = variants.map(|pair| format!("{},{}", pair.a, pair.b)).collect();
    if !variants.is_empty() {
        return Ok(format!(", but of variants of them; choose by --langs {}", variants.join(" or --langs ")));
    }
    let place = place(store.folder());
    let missing: Vec<String> =
        query::missing_langs(store, config, langs)?.into_iter().map(query::tag_and_name).collect();
    if !missing.is_empty() {
        let missing = missing.join(", nor in ");
        return Ok(format!(", since no page is in {missing}; `diglot status{place}` lists the languages"));
    }
    let least = config.learn.min_pairs;
    Ok(format!(", as it is where strong keys pair {least} pages or more; `diglot keys --weak{place}` lists the keys"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_script_of_a_language_may_be_asked_for() {
        let langs = |asked: &[&str]| parse_langs(&asked.iter().map(|lang| (*lang).to_owned()).collect::<Vec<_>>());
        let takes = |asked: &[&str], langs_of_pair: [&str; 2]| {
            let wanted = Wanted {
                langs: langs(asked).expect("tags"),
                min_score: 0.0,
                conditions: Vec::new(),
                met: RefCell::default(),
                left_out: RefCell::default(),
            };
            wanted.takes_langs(langs_of_pair.map(|tag| Lang::from_tag(tag).expect("a tag")))
        };
        assert!(takes(&["sr-latn", "en"], ["en", "sr-Latn"]) && !takes(&["sr-latn", "en"], ["en", "sr-Cyrl"]));
        assert!(takes(&["sr", "en"], ["en", "sr-Cyrl"]) && takes(&["tlh", "en"], ["en", "tlh"]));
        assert!(langs(&["xx", "en"]).is_err());
    }
}
