//! What may name the language of a page besides its text: what it declares, and the names of languages at one place of its URL; and how far each of
//! these is believed on a site.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::by_letters::{ByLetters, LONG, is_doubtful, is_written_so, letters_of};
use super::classes::MIN_NAMED;
use crate::index::parts::pooled;
use crate::index::site::{PageFacts, Pages, Urls};
use crate::language::codes::{is_code, names_by_code};
use crate::language::letters::Letters;
use crate::language::profiles::Profiles;
use crate::language::{
    LIKELY, TOLD, has_words_in, is_alone, is_like_another, is_taken_for, is_told, is_told_as, is_told_in,
    names::by_name,
};
use crate::text::tokens::{Anatomy, Span};
use crate::types::{self, Field, Lang};

/// What may name the language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// What the page declares.
    Declared,
    /// Directories, values of queries, and labels of hosts before the domain, by their number from the left; names of files.
    Place(Field, u8),
}

/// How often a source was right, and how often wrong.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: f64,
    wrong: f64,
}

impl Tally {
    fn add(&mut self, more: Tally) {
        self.right += more.right;
        self.wrong += more.wrong;
    }

    /// How often a source is right of which this is known.
    fn belief(self, source: Source) -> f64 {
        let prior = if source == Source::Declared { PRIOR_DECLARED } else { PRIOR_PLACE };
        let right = prior.right + self.right;
        right / (right + prior.wrong + self.wrong)
    }
}

/// Of a source of which nothing is known, the pages of which it would be right, and those of which it would be wrong (estimates). Declarations are
/// meant as such; a place in URLs has to be right first.
const PRIOR_DECLARED: Tally = Tally { right: 4.0, wrong: 1.0 };
const PRIOR_PLACE: Tally = Tally { right: 1.0, wrong: 1.0 };
/// How often a source must be right to name a language (an estimate).
pub const BELIEVED: f64 = 0.8;

/// What is known of a text.
#[derive(Clone, Copy)]
pub enum Text {
    /// Its words or its script tell this language, or a program of the user does, which may know any language.
    Told(Lang),
    /// Most of its words are of this language, or of another that has the same ones.
    Likely(Lang),
    /// In no language that can be told; a model's guess may be there.
    Other(Option<Lang>),
    /// Too short for that to be known, or not there.
    Short,
}

impl Text {
    pub fn of(facts: &PageFacts) -> Text {
        let detected = facts.detected;
        if !facts.form.has_text() {
            Text::Short
        } else if detected.is_known() && (is_told(detected) || !facts.is_guess) && facts.confidence > LIKELY {
            if facts.confidence >= TOLD { Text::Told(detected) } else { Text::Likely(detected) }
        } else if facts.text_bytes >= LONG {
            Text::Other(Some(detected).filter(|lang| lang.is_known()))
        } else {
            Text::Short
        }
    }

    /// True where the text may be in a language that the site names, in spite of what it was taken for. What it is likely in stays, where that
    /// is a language that the site has a name for; and a long text in a language that can be told would have been told.
    pub fn may_be(self, facts: &PageFacts, name: &Name, called: &FxHashSet<Lang>) -> bool {
        let named = name.lang;
        if !is_written_so(named, facts) {
            return false;
        }
        let is_free = |lang: Lang| !called.contains(&lang.base());
        let is_like = |lang: Lang| is_taken_for(named, lang) && !is_told_as(named, facts.latin_share);
        match self {
            Text::Told(lang) => is_like(lang) && is_free(lang),
            // Letters of a script that one language alone uses tell it, however few they are.
            Text::Likely(lang) if is_alone(lang) => is_taken_for(named, lang) && is_free(lang),
            Text::Likely(lang) => is_like(lang) || !name.is_told_in(facts.latin_share) && is_free(lang),
            Text::Other(_) => !name.is_told_in(facts.latin_share),
            // Even a few words of the text say more than a name in the URL.
            Text::Short => !facts.detected.is_known() || !name.is_told_in(facts.latin_share),
        }
    }
}
/// What the pages that can be checked say of the names of a site.
#[derive(Default)]
pub struct Known {
    tallies: FxHashMap<Source, Tally>,
    /// The same on each host, by its hash: a domain may hold many sites, and one template that lies.
    of_host: FxHashMap<(u64, Source), Tally>,
    /// Of each name of a source how many pages are called by it whose text is told to be in another language, and how many other pages.
    names: FxHashMap<(Source, Lang), (u32, u32)>,
    /// Of each language that pages declare and the program knows nothing of, and of each language that their texts are told to be in, how many there are
    /// on each host.
    unknown: BTreeMap<(Lang, Lang), FxHashMap<u64, u32>>,
    /// Those of them that all texts told to be in that language declare.
    alone: FxHashSet<(Lang, Lang)>,
    /// Texts that name a language rightly at a place.
    texts: FxHashMap<Source, Vec<String>>,
    /// The languages that believed sources name.
    pub called: FxHashSet<Lang>,
    /// How many texts are told to be in each language, or likely so.
    pub told: FxHashMap<Lang, u32>,
    /// The same on each host, by its hash, and for `None` in any language. Texts in a language without a list of words are those with its letters.
    on_host: FxHashMap<(u64, Option<Lang>), u32>,
    /// How many texts are told to be in each language.
    sure: FxHashMap<Lang, u32>,
    /// Pages with a text that a source calls by another language than it was taken for, and those that are doubtful.
    pub in_question: Vec<u32>,
}

/// Texts that are kept of a place.
const MAX_TEXTS: usize = 16;

impl Known {
    /// Counts what each source is right and wrong about. What was left untranslated counts for nothing: it is in the language that most of the
    /// site is in, whatever the page is called.
    pub fn of(pages: &ByLetters<'_>, anatomy: &mut Anatomy) -> Known {
        let mut known = Known::default();
        for page in 0..pages.count() {
            if let Text::Told(lang) = Text::of(&pages.facts(page)) {
                *known.sure.entry(lang.base()).or_default() += 1;
            }
        }
        let main = known.sure.iter().map(|(&lang, &pages)| (pages, lang)).max().map(|(_, lang)| lang);
        for page in 0..pages.count() {
            let facts = pages.facts(page);
            let text = Text::of(&facts);
            let names = names(pages, page, &facts, anatomy);
            let is_called_otherwise = || names.iter().any(|name| !name.lang.agrees(facts.detected));
            if facts.form.has_text() && (is_doubtful(&facts) || is_called_otherwise()) {
                known.in_question.push(page);
            }
            let is_like = |lang: Lang| {
                !is_told(lang) && (pages.told(page) == Some(lang) || pages.are_near(&letters_of(pages, &[page]), lang))
            };
            let host = hash_of_host(pages, page);
            match text {
                Text::Told(lang) | Text::Likely(lang) => known.add_told(host, lang),
                Text::Other(Some(lang)) if is_like(lang) => known.add_told(host, lang),
                _ => {}
            }
            for name in names {
                known.count_name(pages, (page, host), (&facts, text), &name, main);
            }
        }
        pages.release();
        known.count_unknown(main);
        let on_host =
            known.of_host.iter().filter(|&(&(_, source), tally)| known.belief_with(source, *tally) >= BELIEVED);
        let on_host: FxHashSet<Source> = on_host.map(|((_, source), _)| *source).collect();
        let is_believed = |source: Source| known.belief(source) >= BELIEVED || on_host.contains(&source);
        let is_name = |source: Source, (told, others): (u32, u32)| is_believed(source) && told + others >= MIN_NAMED;
        let names = known.names.iter().filter(|&(&(source, _), &counts)| is_name(source, counts));
        known.called = names.map(|((_, lang), _)| *lang).collect();
        known
    }

    /// Counts what a source calls a page.
    fn count_name(
        &mut self,
        pages: &ByLetters<'_>,
        (page, host): (u32, u64),
        (facts, text): (&PageFacts, Text),
        name: &Name,
        main: Option<Lang>,
    ) {
        let named = name.lang;
        // Words of three letters in queries and in names of files are often ordinary words, so they do not count for or against a place.
        let is_word = name.is_word()
            && matches!(name.source, Source::Place(Field::Query | Field::File, _))
            && !matches!(text, Text::Told(lang) if lang.agrees(named));
        let mut tally = Tally::default();
        let of_name = self.names.entry((name.source, named.base())).or_default();
        let is_other = |lang: Lang| !lang.agrees(named) && !is_taken_for(named, lang);
        let is_denied = pages.deny(page, named);
        let is_told_otherwise = is_denied || matches!(text, Text::Told(lang) | Text::Likely(lang) if is_other(lang));
        // What texts in a language look like of which nothing is known, words may take for another one.
        let is_unknown = name.source == Source::Declared && !is_denied && is_unknown(named);
        match text {
            Text::Told(lang) if is_unknown && is_other(lang) => {
                let on_hosts = self.unknown.entry((named.base(), lang.base())).or_default();
                *on_hosts.entry(host).or_default() += 1;
                return;
            }
            Text::Likely(lang) if is_unknown && is_other(lang) => {
                of_name.1 += 1;
                return;
            }
            _ => {}
        }
        *if is_told_otherwise { &mut of_name.0 } else { &mut of_name.1 } += 1;
        match text {
            Text::Told(lang) | Text::Likely(lang) | Text::Other(Some(lang)) if lang.agrees(named) => {
                tally.right += 1.0;
                if let Some(at) = name.at.clone() {
                    let text = &pages.identity(page)[at];
                    let texts = self.texts.entry(name.source).or_default();
                    if texts.len() < MAX_TEXTS && !texts.iter().any(|known| known == text) {
                        texts.push(text.to_owned());
                    }
                }
            }
            _ if is_denied => tally.wrong += 1.0,
            Text::Told(lang) if main.is_some_and(|main| lang.agrees(main)) => {}
            Text::Told(lang) if is_other(lang) => tally.wrong += 1.0,
            Text::Likely(lang) if name.is_told_in(facts.latin_share) && is_other(lang) => tally.wrong += 1.0,
            Text::Other(_) if name.is_told_in(facts.latin_share) => tally.wrong += 1.0,
            _ => {}
        }
        if !is_word {
            self.tallies.entry(name.source).or_default().add(tally);
            self.of_host.entry((host, name.source)).or_default().add(tally);
        }
    }

    /// Counts the texts that are told to be in another language than the one that they declare, of which the program knows nothing: for the declaration where
    /// nearly all texts that are told to be in that language have it, and another language has four fifths as many told texts or more, since what is
    /// left untranslated is mostly in the language that most of the site is in; else against it. Only where declarations have been right about others they can be right about these.
    fn count_unknown(&mut self, main: Option<Lang>) {
        let declared = Source::Declared;
        let sure = |lang: Lang| self.sure.get(&lang).copied().unwrap_or_default();
        let has_been_right = self.tallies.get(&declared).is_some_and(|tally| tally.right >= f64::from(MIN_NAMED));
        for (&(named, told), on_hosts) in &self.unknown {
            let texts: u32 = on_hosts.values().sum();
            let is_as_large = |other: Lang| f64::from(sure(other)) >= BELIEVED * f64::from(sure(told));
            let is_main = !self.sure.keys().any(|&other| other != told && is_as_large(other));
            let of_name = self.names.entry((declared, named)).or_default();
            if has_been_right && !is_main && f64::from(texts) >= BELIEVED * f64::from(sure(told)) {
                of_name.1 += texts;
                self.alone.insert((named, told));
                continue;
            }
            of_name.0 += texts;
            if main == Some(told) {
                continue;
            }
            for (&host, &texts) in on_hosts {
                let wrong = Tally { right: 0.0, wrong: f64::from(texts) };
                self.tallies.entry(declared).or_default().add(wrong);
                self.of_host.entry((host, declared)).or_default().add(wrong);
            }
        }
    }

    /// True for a text that words take for a language, where all that they tell to be in it declare this one, of which the program knows nothing.
    pub fn is_alone(&self, name: &Name, text: Text) -> bool {
        let is_told_so = |told: Lang| self.alone.contains(&(name.lang.base(), told.base()));
        name.source == Source::Declared && matches!(text, Text::Told(lang) | Text::Likely(lang) if is_told_so(lang))
    }

    /// True for a text that is likely in a language in which others of the site certainly are.
    pub fn is_among_others(&self, text: Text) -> bool {
        matches!(text, Text::Likely(lang) if self.sure.get(&lang.base()).is_some_and(|&texts| texts >= MIN_NAMED))
    }

    fn add_told(&mut self, host: u64, lang: Lang) {
        *self.told.entry(lang.base()).or_default() += 1;
        *self.on_host.entry((host, Some(lang.base()))).or_default() += 1;
        *self.on_host.entry((host, None)).or_default() += 1;
    }

    /// True where a language has texts around a page: on its host, or on the site if the host has too few in any language.
    fn has_texts_around(&self, pages: &dyn Pages, page: u32, lang: Lang) -> bool {
        let host = hash_of_host(pages, page);
        let on_host = |lang: Option<Lang>| self.on_host.get(&(host, lang)).copied().unwrap_or_default();
        let texts = if on_host(None) < MIN_NAMED {
            self.told.get(&lang.base()).copied().unwrap_or_default()
        } else {
            on_host(Some(lang.base()))
        };
        texts >= MIN_NAMED
    }

    /// How often a source is right on the whole site.
    fn belief(&self, source: Source) -> f64 {
        self.tallies.get(&source).copied().unwrap_or_default().belief(source)
    }

    /// How often a source is right on the host of a page, as far as that is known there, and on the whole site otherwise.
    pub fn belief_at(&self, pages: &dyn Pages, page: u32, source: Source) -> f64 {
        self.belief_with(source, self.of_host.get(&(hash_of_host(pages, page), source)).copied().unwrap_or_default())
    }

    /// How often a source is right on a host with its own tally.
    fn belief_with(&self, source: Source, own: Tally) -> f64 {
        let all = self.tallies.get(&source).copied().unwrap_or_default();
        let others = Tally { right: all.right - own.right, wrong: all.wrong - own.wrong };
        if others.right + others.wrong == 0.0 {
            return all.belief(source);
        }
        pooled(others.belief(source), own.right, own.right + own.wrong)
    }

    /// What the site calls a group of pages whose texts are alike, and unlike those in any language that can be told: a source that nothing
    /// else speaks for is right about them where it names them alone.
    pub fn name_of(&self, pages: &dyn Pages, group: &[u32]) -> Option<Lang> {
        let mut anatomy = Anatomy::default();
        let mut counts: BTreeMap<(Source, Lang), u32> = BTreeMap::new();
        for &page in group {
            for name in names(pages, page, &pages.facts(page), &mut anatomy) {
                if !is_told(name.lang) && (!name.is_word() || is_counterpart(pages, page, &name)) {
                    *counts.entry((name.source, name.lang)).or_default() += 1;
                }
            }
        }
        let mut best: Option<(u32, Lang)> = None;
        for (&(source, lang), &count) in &counts {
            let (told, others) = self.names.get(&(source, lang.base())).copied().unwrap_or_default();
            let of_name = f64::from(count) / f64::from((told + others).max(1));
            let of_group = f64::from(count) / group.len() as f64;
            if of_name.min(of_group) >= BELIEVED && best.is_none_or(|best| count > best.0) {
                best = Some((count, lang));
            }
        }
        best.map(|best| best.1)
    }

    /// True where texts without the words of the language that they were taken for may be in it: lists of names and numbers are far from all
    /// languages, and so are texts in one that is not known, but where some texts around them are in a language, lists may be too. `letters` are those of
    /// the pages of `group`.
    pub fn may_be_guess(&self, pages: &ByLetters<'_>, guess: Lang, group: &[u32], letters: &Letters) -> bool {
        let around = group.iter().filter(|&&page| self.has_texts_around(pages, page, guess)).count();
        around as f64 >= BELIEVED * group.len() as f64 || is_alone(guess) || !pages.are_far(letters, guess)
    }

    /// True for a name that does not belong to another language, as `se` on Swedish pages, and does not only look like one: half the words of
    /// three letters are codes, so that a page under such a one has to exist under another name too (`/kmb/a`, `/en/a`).
    pub fn allows(&self, pages: &dyn Pages, page: u32, name: &Name) -> bool {
        let (told, others) = self.names.get(&(name.source, name.lang.base())).copied().unwrap_or_default();
        if told > others {
            return false;
        }
        let Some(at) = name.at.clone().filter(|_| name.is_word()) else { return true };
        let identity = pages.identity(page);
        let exists = |text: &String| {
            text != &identity[at.clone()]
                && pages.find(&[&identity[..at.start], text, &identity[at.end..]].concat()).is_some()
        };
        self.texts.get(&name.source).is_some_and(|texts| texts.iter().any(exists))
    }
}

/// True for a language of which the program knows nothing: it has neither words of it nor a profile, nor knows what it is taken for.
fn is_unknown(lang: Lang) -> bool {
    !is_told(lang) && !Profiles::shipped().has(lang) && !is_like_another(lang)
}

/// True for a page that exists under an address without the name too, as `/a` beside `/kmb/a`.
fn is_counterpart(pages: &dyn Pages, page: u32, name: &Name) -> bool {
    let Some(at) = name.at.clone() else { return true };
    let identity = pages.identity(page);
    // With what stands before the name, or after it.
    let without = [(at.start.saturating_sub(1), at.end), (at.start, (at.end + 1).min(identity.len()))];
    without.iter().any(|&(start, end)| match (identity.get(..start), identity.get(end..)) {
        (Some(before), Some(after)) => pages.find(&[before, after].concat()).is_some(),
        _ => false,
    })
}

/// The host of a page, as a hash.
fn hash_of_host(pages: &dyn Pages, page: u32) -> u64 {
    xxh3_64(types::host_of(pages.identity(page)).as_bytes())
}

/// A language as a source names it for a page.
pub struct Name {
    pub source: Source,
    pub lang: Lang,
    /// Where in the URL, in bytes.
    pub at: Option<Range<usize>>,
    /// True if it says a script in which the words of the language are not known: `kk-arab`.
    is_in_other_script: bool,
}

impl Name {
    /// `tagged` is the language with the script that the name says, if it says one.
    fn new(source: Source, lang: Lang, at: Option<Range<usize>>, tagged: Option<Lang>) -> Name {
        let script = tagged.filter(|tagged| tagged.agrees(lang) && *tagged != lang);
        let is_in_other_script =
            script.is_some_and(|tagged| tagged.script().is_some_and(|script| !has_words_in(lang, script)));
        Name { source, lang, at, is_in_other_script }
    }

    /// True for a code of three letters, which may as well be an ordinary word; not for `pa-arab`, although this language has such a code.
    fn is_word(&self) -> bool {
        self.lang.as_str().len() == 3 && self.at.as_ref().is_some_and(|at| at.len() == 3)
    }

    /// True where words would tell a text in the language, if `latin_share` of its letters are A–Z.
    fn is_told_in(&self, latin_share: f32) -> bool {
        !self.is_in_other_script && is_told_in(self.lang, latin_share)
    }
}

/// The languages that sources name for a page.
pub fn names(pages: &dyn Pages, page: u32, facts: &PageFacts, anatomy: &mut Anatomy) -> Vec<Name> {
    let mut found = Vec::new();
    if facts.declared.is_known() && is_code(facts.declared) {
        found.push(Name::new(Source::Declared, facts.declared.base(), None, Some(facts.declared)));
    }
    if !anatomy.read(pages.identity(page), Default::default()) {
        return found;
    }
    let segments = anatomy.segments();
    // The domain names no language: neither `x.bg` nor `fao.org` does.
    let labels = segments.iter().filter(|segment| segment.field == Field::Host).count().saturating_sub(2);
    let mut at = 0u8;
    let mut before = None;
    for (number, segment) in segments.iter().enumerate() {
        let field = segment.field;
        at = if before == Some(field) { at.saturating_add(1) } else { 0 };
        before = Some(field);
        if field == Field::Host && number >= labels {
            continue;
        }
        let place = Source::Place(field, if field == Field::File { 0 } else { at });
        // Names of files are often words of three letters.
        let code = |text: &str| {
            names_by_code(text).filter(|lang| lang.as_str().len() == 2 || field != Field::File || text.len() > 3)
        };
        let text = anatomy.text(segment.span);
        let whole = code(text).or_else(|| if text.len() > 3 { by_name(text) } else { None });
        let mut found_at = whole.map(|lang| (lang, segment.span));
        if field == Field::File && found_at.is_none() {
            // `page.html.fr`, `page_fr.html`.
            let identity = pages.identity(page).as_bytes();
            let mut ends = anatomy.tokens(segment).iter().rev();
            let is_extension = |span: &Span| identity.get(usize::from(span.start).wrapping_sub(1)) == Some(&b'.');
            let (last, before) = (ends.next(), ends.next());
            let before = before.filter(|_| last.is_some_and(is_extension));
            found_at = [last, before].into_iter().flatten().find_map(|span| Some((code(anatomy.text(*span))?, *span)));
            // Extensions have three letters too.
            let end = if before.is_some() { before } else { last.filter(|last| !is_extension(last)) };
            let by_end = || end.and_then(|span| Some((names_by_code(anatomy.text(*span))?, *span)));
            found_at = found_at.or_else(by_end);
        }
        if let Some((lang, span)) = found_at {
            let tagged = Lang::parse_with_script(anatomy.text(span));
            found.push(Name::new(place, lang, Some(usize::from(span.start)..usize::from(span.end)), tagged));
        }
    }
    found
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::ListedPages;

    #[test]
    fn what_is_believed_on_one_host_may_not_be_on_another() {
        // Both declare a language on each page, one of them always the same.
        let page = |host: &str, lang: &str, declared: &str, n: usize| {
            let [detected, declared] = [lang, declared].map(|tag| Lang::parse(tag).expect("a tag"));
            let facts = PageFacts { detected, declared, confidence: 0.98, text_bytes: 2000, ..PageFacts::default() };
            (format!("{host}.x.org/{lang}{n}"), facts)
        };
        let mut pages = Vec::new();
        for n in 0..9 {
            pages.extend(["en", "fr", "de"].map(|lang| page("good", lang, lang, n)));
            pages.extend([page("template", "fr", "en", n), page("template", "de", "en", n)]);
        }
        pages.extend((0..2).map(|n| page("new", "fr", "fr", n)));
        pages.sort_by(|x, y| x.0.cmp(&y.0));
        let pages = ListedPages(pages);
        let profiles = crate::language::profiles::Profiles::default();
        let read = ByLetters::new(&pages, &profiles);
        let known = Known::of(&read, &mut Anatomy::default());
        let at = |host: &str| {
            let page = (0..pages.count()).find(|&page| pages.identity(page).starts_with(host)).expect("a page");
            known.belief_at(&pages, page, Source::Declared)
        };
        assert!(at("good") > BELIEVED && at("template") < 0.5, "{} {}", at("good"), at("template"));
        // 27 pages elsewhere are right and 9 wrong, beside 4 and 1 (French, in which most pages are, counts for nothing where it is called otherwise).
        assert!((at("new") - (4.0 * 31.0 / 41.0 + 2.0) / 6.0).abs() < 1e-9, "{}", at("new"));
        // On one host alone nothing counts twice.
        assert!((Tally { right: 2.0, wrong: 0.0 }.belief(Source::Place(Field::Path, 0)) - 0.75).abs() < 1e-9);
    }

    #[test]
    fn places_are_directories_labels_values_and_the_ends_of_names_of_files() {
        let of = |url: &str| {
            let pages = ListedPages(vec![(url.to_owned(), PageFacts::default())]);
            let names = names(&pages, 0, &pages.facts(0), &mut Anatomy::default());
            names
                .into_iter()
                .map(|name| (name.source, name.lang.to_string(), url[name.at.expect("in the URL")].to_owned()))
                .collect::<Vec<_>>()
        };
        let one =
            |field, at, lang: &str, text: &str| vec![(Source::Place(field, at), lang.to_owned(), text.to_owned())];
        assert_eq!(of("x.org/a/yo/b"), one(Field::Path, 1, "yo", "yo"));
        assert_eq!(of("yo.x.org/a/b"), one(Field::Host, 0, "yo", "yo"));
        assert_eq!(of("x.org/a?id=7&lang=yo"), one(Field::Query, 1, "yo", "yo"));
        for url in ["x.org/a/b_yo.html", "x.org/a/b.html.yo", "x.org/a/b.yo.html"] {
            assert_eq!(of(url), one(Field::File, 0, "yo", "yo"), "{url}");
        }
        assert_eq!(of("x.org/zh_TW/b"), one(Field::Path, 0, "zh-Hant", "zh_TW"));
        assert_eq!(of("x.org/arabic/b"), one(Field::Path, 0, "ar", "arabic"));
        assert_eq!(of("x.org/pa-arab/b"), one(Field::Path, 0, "pnb", "pa-arab"));
        // Words that may be codes: what else is on the site decides.
        assert_eq!(of("x.org/a?id=7&lang=ceb"), one(Field::Query, 1, "ceb", "ceb"));
        for url in ["x.org/a_ceb.html", "x.org/a-ceb", "x.org/a.ceb.html"] {
            assert_eq!(of(url), one(Field::File, 0, "ceb", "ceb"), "{url}");
        }
        // Its words are known in Cyrillic letters.
        let is_told = |url: &str| {
            let pages = ListedPages(vec![(url.to_owned(), PageFacts::default())]);
            names(&pages, 0, &PageFacts::default(), &mut Anatomy::default())[0].is_told_in(0.0)
        };
        assert!(is_told("x.org/kk/b") && is_told("x.org/kk-cyrl/b") && !is_told("x.org/kk-arab/b"));
        for url in ["yo.org/a", "x.yo/a", "x.org/so-what/how-many", "x.org/a.php", "x.org/so-you-want-this.html"] {
            assert_eq!(of(url), [], "{url}");
        }
    }
}
