//! What a site calls the languages of its pages, where their text alone does not tell.
//!
//! A text is *told* where its function words or its script name the language; most languages of the world have neither here, and what a
//! model says of their texts is a guess among the languages it knows. The site says more: what its pages declare, and the names of
//! languages at one place of its URLs, as `/yo/` beside `/en/`. How far such a *source* is to be believed is counted on the pages whose text
//! is told: declarations that are wrong about French pages are not believed about others, and a place that is right about the pages that can
//! be checked is believed about those that cannot.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::by_letters::{ByLetters, LONG, is_doubtful, is_written_so, letters_of, may_be_by_letters};
use super::classes::{self, APART, Classes};
use super::language_names::{is_code, names_by_code};
use crate::index::site::{PageFacts, Pages, SiteIndex, Urls};
use crate::language::letters::Letters;
use crate::language::{is_alone, is_taken_for, is_told, names::by_name};
use crate::text::tokens::{Anatomy, Span};
use crate::types::{Field, Lang};

/// What may name the language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Source {
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

/// Of a source of which nothing is known, the pages of which it would be right, and those of which it would be wrong (estimates). Declarations are
/// meant as such; a place in URLs has to be right first.
const PRIOR_DECLARED: Tally = Tally { right: 4.0, wrong: 1.0 };
const PRIOR_PLACE: Tally = Tally { right: 1.0, wrong: 1.0 };
/// How often a source must be right to name a language (an estimate).
const BELIEVED: f64 = 0.8;
/// How sure the language of a text is that its words or script tell, and how sure it is where another one may be meant (estimates: as for markers
/// of keys, and more than what is doubted, after both were rounded to a 255th).
const SURE: f32 = 0.945;
const LIKELY: f32 = 0.51;
/// So many pages are called by a name before what it names is kept apart from others (an estimate).
const MIN_NAMED: u32 = 3;

/// What is known of a text.
#[derive(Clone, Copy)]
enum Text {
    /// Its language, by words or script, or by a program of the user, which may know any language.
    Told(Lang),
    /// Most of its words are of this language, or of another that has the same ones.
    Likely(Lang),
    /// In no language that can be told; a model's guess may be there.
    Other(Option<Lang>),
    /// Too short for that to be known, or not there.
    Short,
}

impl Text {
    fn of(facts: &PageFacts) -> Text {
        let detected = facts.detected;
        if !facts.form.has_text() {
            Text::Short
        } else if detected.is_known() && (is_told(detected) || !facts.is_guess) && facts.confidence > LIKELY {
            if facts.confidence >= SURE { Text::Told(detected) } else { Text::Likely(detected) }
        } else if facts.text_bytes >= LONG {
            Text::Other(Some(detected).filter(|lang| lang.is_known()))
        } else {
            Text::Short
        }
    }

    /// True where the text may be in a language that the site names, in spite of what it was taken for. What it is likely in stays, where that
    /// is a language that the site has a name for; and a long text in a language that can be told would have been told.
    fn may_be(self, facts: &PageFacts, named: Lang, called: &FxHashSet<Lang>) -> bool {
        if !is_written_so(named, facts) {
            return false;
        }
        let is_free = |lang: Lang| !called.contains(&lang.base());
        match self {
            Text::Told(lang) => is_taken_for(named, lang) && !is_told(named) && is_free(lang),
            // Letters of a script tell, however few there are among others.
            Text::Likely(lang) if is_alone(lang) => is_taken_for(named, lang) && is_free(lang),
            Text::Likely(lang) => !is_told(named) && (is_taken_for(named, lang) || is_free(lang)),
            Text::Other(_) => !is_told(named),
            // What few words there are say more than a name.
            Text::Short => !facts.detected.is_known() || !is_told(named),
        }
    }
}

/// Lets pages whose text does not tell its language count for the one that the site names, as far as its names can be believed; and those that
/// nothing names, for one whose texts they are like, for the one that their letters tell, for one without a name, or for none.
pub fn name(pages: &ByLetters<'_>, site: &mut SiteIndex<'_>, wants: impl Fn(Lang) -> bool) {
    let mut anatomy = Anatomy::default();
    let known = Known::of(pages, &mut anatomy);
    let mut doubts = Doubts::default();
    for &page in &known.in_question {
        let facts = pages.facts(page);
        let text = Text::of(&facts);
        // The best name, and the best of those that the text may be in; a name that it was taken for is one of these.
        let (mut called, mut best) = (None, None);
        let mut is_agreed = false;
        for name in names(pages, page, &facts, &mut anatomy) {
            is_agreed |= facts.detected.agrees(name.lang);
            let found = (known.belief(name.source), name.source, name.lang);
            if found.0 < BELIEVED {
                continue;
            }
            keep_better(&mut called, found);
            if facts.detected.agrees(name.lang)
                || (known.allows(pages, page, &name) && text.may_be(&facts, name.lang, &known.called))
            {
                keep_better(&mut best, found);
            }
        }
        match best {
            // What is called by the name it was taken for stays as it is, script and all.
            Some((_, _, lang)) if facts.detected.agrees(lang) => {}
            Some((_, _, lang)) => {
                site.set(page, Some(lang).filter(|lang| wants(*lang)));
                doubts.named.insert(page, lang);
            }
            None if is_doubtful(&facts) && !is_agreed => doubts.pages.push((page, called.map(|called| called.2))),
            None => {}
        }
    }
    if !doubts.named.is_empty() || !doubts.pages.is_empty() {
        doubts.settle(pages, site, wants, &known);
    }
    pages.release();
}

/// How far a source is believed, the source, and the language that it names.
type Called = (f64, Source, Lang);

fn keep_better(best: &mut Option<Called>, found: Called) {
    if best.is_none_or(|best| (found.0, found.1) > (best.0, best.1)) {
        *best = Some(found);
    }
}

/// What the letters of texts have to decide.
#[derive(Default)]
struct Doubts {
    /// Pages that the site calls by the name of a language that their text may be in.
    named: BTreeMap<u32, Lang>,
    /// Doubtful pages, and what the site calls them.
    pages: Vec<(u32, Option<Lang>)>,
}

impl Doubts {
    /// Decides by the letters of their texts which language the pages count for that nothing names, and those that are named and unlike others
    /// of that name.
    fn settle(mut self, pages: &ByLetters<'_>, site: &mut SiteIndex<'_>, wants: impl Fn(Lang) -> bool, known: &Known) {
        let mut classes = self.classes(pages, site);
        for (&page, &lang) in &self.named {
            let Some(letters) = Letters::of(pages.letters(page)) else { continue };
            classes.take(lang, &letters);
            if classes.distance(lang, &letters).is_some_and(|distance| distance > APART) {
                self.pages.push((page, None));
            } else {
                classes.add(lang, &letters);
            }
        }
        let mut left = Vec::new();
        for &(page, called) in &self.pages {
            let facts = pages.facts(page);
            let may_be = |lang: Lang| is_written_so(lang, &facts);
            let may_be_like = |lang: Lang| may_be_by_letters(lang, &facts);
            let letters = Letters::of(pages.letters(page)).unwrap_or_default();
            let distance = |lang: Lang| classes.distance(lang, &letters).filter(|distance| *distance <= APART);
            let guess = Some(facts.detected).filter(|guess| known.told.contains(&guess.base()));
            // Of what the site calls it and what it was taken for, the language that it is more like.
            let near = [called, guess].into_iter().flatten().filter(|lang| may_be(*lang));
            let near = near.filter_map(|lang| Some((distance(lang)?, lang)));
            let near = near.reduce(|best, near| if near.0 < best.0 { near } else { best }).map(|near| near.1);
            match near.or_else(|| classes.nearest(&letters, may_be_like)) {
                Some(lang) if Some(lang) == guess => {}
                Some(lang) => site.set(page, Some(lang).filter(|lang| wants(*lang))),
                None => left.push(page),
            }
        }
        let letters: Vec<&[u8]> = left.iter().map(|&page| pages.letters(page)).collect();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for (page, group) in left.iter().copied().zip(classes::groups(&letters)) {
            match group {
                Some(group) => {
                    groups.resize_with(groups.len().max(group + 1), Vec::new);
                    groups[group].push(page);
                }
                None if self.named.contains_key(&page) => site.set(page, None),
                // It may be a list of names, in the language that it was taken for.
                None => {}
            }
        }
        for (number, group) in groups.iter().enumerate() {
            let guess = guess_of(pages, group);
            let letters = letters_of(pages, group);
            let told = pages.tell_together(group, &letters, guess.unwrap_or(Lang::UNKNOWN));
            let named = known.name_of(pages, group).filter(|&named| !pages.deny_together(group, &letters, named));
            let lang = named.or(told).or(guess).or_else(|| Lang::unnamed(number)).filter(|lang| wants(*lang));
            group.iter().for_each(|&page| site.set(page, lang));
        }
    }

    /// The letters of the languages of the site, from pages whose text tells theirs, and from those that are named.
    fn classes(&self, pages: &dyn Pages, site: &SiteIndex<'_>) -> Classes {
        let (mut classes, mut likely) = (Classes::default(), Classes::default());
        for page in 0..pages.count() {
            let Some(letters) = Letters::of(pages.letters(page)) else { continue };
            let own = |lang: Lang| site.lang(page).unwrap_or(lang);
            match (self.named.get(&page), Text::of(&pages.facts(page))) {
                (Some(&lang), _) => classes.add(lang, &letters),
                (None, Text::Told(lang)) => classes.add(own(lang), &letters),
                (None, Text::Likely(lang)) => likely.add(own(lang), &letters),
                _ => {}
            }
        }
        // Texts that are partly in another language show the letters of both: they speak where there are no others.
        classes.complete(likely);
        classes
    }
}

/// The language that nearly all of a group of pages are taken for: a text without sentences lacks the function words of its language too.
fn guess_of(pages: &dyn Pages, group: &[u32]) -> Option<Lang> {
    let mut counts: BTreeMap<Lang, usize> = BTreeMap::new();
    group.iter().for_each(|&page| *counts.entry(pages.detected(page)).or_default() += 1);
    let is_one = |&(lang, count): &(Lang, usize)| lang.is_known() && count as f64 >= BELIEVED * group.len() as f64;
    counts.into_iter().find(is_one).map(|(lang, _)| lang)
}

/// What the pages that can be checked say of the names of a site.
#[derive(Default)]
struct Known {
    tallies: FxHashMap<Source, Tally>,
    /// Of each name of a source how many pages are called by it whose text is told to be in another language, and how many other pages.
    names: FxHashMap<(Source, Lang), (u32, u32)>,
    /// Texts that name a language rightly at a place.
    texts: FxHashMap<Source, Vec<String>>,
    /// The languages that believed sources name.
    called: FxHashSet<Lang>,
    /// The languages that texts are told to be in, or likely so.
    told: FxHashSet<Lang>,
    /// Pages with a text that a source calls by another language than it was taken for, and those that are doubtful.
    in_question: Vec<u32>,
}

/// Texts that are kept of a place.
const MAX_TEXTS: usize = 16;

impl Known {
    /// Counts what each source is right and wrong about. What was left untranslated counts for nothing: it is in the language that most of the
    /// site is in, whatever the page is called.
    fn of(pages: &ByLetters<'_>, anatomy: &mut Anatomy) -> Known {
        let mut told: FxHashMap<Lang, u32> = FxHashMap::default();
        for page in 0..pages.count() {
            if let Text::Told(lang) = Text::of(&pages.facts(page)) {
                *told.entry(lang.base()).or_default() += 1;
            }
        }
        let main = told.iter().map(|(&lang, &pages)| (pages, lang)).max().map(|(_, lang)| lang);
        let mut known = Known::default();
        for page in 0..pages.count() {
            let facts = pages.facts(page);
            let text = Text::of(&facts);
            let names = names(pages, page, &facts, anatomy);
            let is_called_otherwise = || names.iter().any(|name| !name.lang.agrees(facts.detected));
            if facts.form.has_text() && (is_doubtful(&facts) || is_called_otherwise()) {
                known.in_question.push(page);
            }
            if let Text::Told(lang) | Text::Likely(lang) = text {
                known.told.insert(lang.base());
            }
            for name in names {
                let named = name.lang;
                let tally = known.tallies.entry(name.source).or_default();
                let of_name = known.names.entry((name.source, named.base())).or_default();
                let is_other = |lang: Lang| !lang.agrees(named) && !is_taken_for(named, lang);
                let is_denied = pages.deny(page, named);
                let is_told_otherwise =
                    is_denied || matches!(text, Text::Told(lang) | Text::Likely(lang) if is_other(lang));
                *if is_told_otherwise { &mut of_name.0 } else { &mut of_name.1 } += 1;
                match text {
                    Text::Told(lang) | Text::Likely(lang) | Text::Other(Some(lang)) if lang.agrees(named) => {
                        tally.right += 1.0;
                        if let Some(at) = name.at {
                            let text = &pages.identity(page)[at];
                            let texts = known.texts.entry(name.source).or_default();
                            if texts.len() < MAX_TEXTS && !texts.iter().any(|known| known == text) {
                                texts.push(text.to_owned());
                            }
                        }
                    }
                    _ if is_denied => tally.wrong += 1.0,
                    Text::Told(lang) if main.is_some_and(|main| lang.agrees(main)) => {}
                    Text::Told(lang) if is_other(lang) => tally.wrong += 1.0,
                    Text::Likely(lang) if is_told(named) && is_other(lang) => tally.wrong += 1.0,
                    Text::Other(_) if is_told(named) => tally.wrong += 1.0,
                    _ => {}
                }
            }
        }
        pages.release();
        let is_believed = |source: Source| known.belief(source) >= BELIEVED;
        let is_name = |source: Source, (told, others): (u32, u32)| is_believed(source) && told + others >= MIN_NAMED;
        let names = known.names.iter().filter(|&(&(source, _), &counts)| is_name(source, counts));
        known.called = names.map(|((_, lang), _)| *lang).collect();
        known
    }

    /// How often a source is right.
    fn belief(&self, source: Source) -> f64 {
        let prior = if source == Source::Declared { PRIOR_DECLARED } else { PRIOR_PLACE };
        let Tally { right, wrong } = self.tallies.get(&source).copied().unwrap_or_default();
        (prior.right + right) / (prior.right + right + prior.wrong + wrong)
    }

    /// What the site calls a group of pages whose texts are alike, and unlike those in any language that can be told: a source that nothing
    /// else speaks for is right about them where it names them alone.
    fn name_of(&self, pages: &dyn Pages, group: &[u32]) -> Option<Lang> {
        let mut anatomy = Anatomy::default();
        let mut counts: BTreeMap<(Source, Lang), u32> = BTreeMap::new();
        for &page in group {
            for name in names(pages, page, &pages.facts(page), &mut anatomy) {
                if !is_told(name.lang) && (name.lang.as_str().len() != 3 || is_counterpart(pages, page, &name)) {
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

    /// True for a name that does not belong to another language, as `se` on Swedish pages, and does not only look like one: half the words of
    /// three letters are codes, so that a page under such a one has to exist under another name too (`/kmb/a`, `/en/a`).
    fn allows(&self, pages: &dyn Pages, page: u32, name: &Name) -> bool {
        let (told, others) = self.names.get(&(name.source, name.lang.base())).copied().unwrap_or_default();
        if told > others {
            return false;
        }
        let Some(at) = name.at.clone().filter(|_| name.lang.as_str().len() == 3) else { return true };
        let identity = pages.identity(page);
        let exists = |text: &String| {
            text != &identity[at.clone()]
                && pages.find(&[&identity[..at.start], text, &identity[at.end..]].concat()).is_some()
        };
        self.texts.get(&name.source).is_some_and(|texts| texts.iter().any(exists))
    }
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

/// A language as a source names it for a page.
struct Name {
    source: Source,
    lang: Lang,
    /// Where in the URL, in bytes.
    at: Option<Range<usize>>,
}

/// The languages that sources name for a page.
fn names(pages: &dyn Pages, page: u32, facts: &PageFacts, anatomy: &mut Anatomy) -> Vec<Name> {
    let mut found = Vec::new();
    if facts.declared.is_known() && is_code(facts.declared) {
        found.push(Name { source: Source::Declared, lang: facts.declared, at: None });
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
        // Files have extensions of three letters, and queries words.
        let code = |text: &str| {
            names_by_code(text)
                .filter(|lang| lang.as_str().len() == 2 || matches!(field, Field::Host | Field::Path) || text.len() > 3)
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
            let ends = [last, before.filter(|_| last.is_some_and(is_extension))];
            found_at = ends.into_iter().flatten().find_map(|span| Some((code(anatomy.text(*span))?, *span)));
        }
        if let Some((lang, span)) = found_at {
            found.push(Name { source: place, lang, at: Some(usize::from(span.start)..usize::from(span.end)) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{LetteredPages, ListedPages};
    use crate::language::letters::count;
    use crate::language::profiles::Profiles;
    use crate::language::{Kind, Run, detect};

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// A page: its URL, what its text is taken for and how surely, what it declares.
    fn page(url: &str, detected: &str, confidence: f32, declared: &str) -> (String, PageFacts) {
        let (detected, declared) = (lang(detected), Lang::parse(declared).unwrap_or(Lang::UNKNOWN));
        let is_guess = detected.is_known() && !is_told(detected);
        let facts = PageFacts { detected, confidence, is_guess, declared, text_bytes: 2000, ..PageFacts::default() };
        (url.to_owned(), facts)
    }

    /// How many pages count for each language.
    fn counts(mut pages: Vec<(String, PageFacts)>) -> Vec<(String, usize)> {
        pages.sort_by(|x, y| x.0.cmp(&y.0));
        let pages = ListedPages(pages);
        let label = |page: u32| Some(pages.facts(page).detected).filter(|lang| lang.is_known());
        let mut site = SiteIndex::collect(&pages, label);
        name(&ByLetters::new(&pages, &Profiles::default()), &mut site, |_| true);
        let lang = |page: u32| site.lang(page).unwrap_or(Lang::UNKNOWN).to_string();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        (0..pages.count()).for_each(|page| *counts.entry(lang(page)).or_default() += 1);
        counts.into_iter().collect()
    }

    #[test]
    fn a_place_that_is_right_about_what_can_be_checked_names_what_cannot() {
        let site = |other: &str, n: usize| {
            let mut pages: Vec<_> = (0..n).map(|i| page(&format!("x.org/en/{i}"), "en", 0.95, "und")).collect();
            // A model takes them for this and that.
            let guess = |i: usize| ["qu", "und", "wa"][i % 3];
            pages.extend((0..n).map(|i| page(&format!("x.org/{other}/{i}"), guess(i), 0.9, "und")));
            pages.extend((0..3).map(|i| page(&format!("x.org/api/f{i}"), "und", 0.0, "und")));
            counts(pages)
                .into_iter()
                .filter(|(lang, _)| lang != "und" && lang != "qu" && lang != "wa")
                .collect::<Vec<_>>()
        };
        assert_eq!(site("wo", 9), [("en".to_owned(), 9), ("wo".to_owned(), 9)]);
        assert_eq!(site("kmb", 9), [("en".to_owned(), 9), ("kmb".to_owned(), 9)]);
        // Of two pages a place has not shown that it names languages.
        assert_eq!(site("wo", 2), [("en".to_owned(), 2)]);
    }

    #[test]
    fn declarations_are_believed_unless_pages_show_that_they_are_not_meant() {
        let site = |declared: [&str; 3]| {
            let [en, fr, other] = declared;
            let mut pages: Vec<_> = (0..6).map(|i| page(&format!("x.org/a{i}"), "en", 0.95, en)).collect();
            pages.extend((0..6).map(|i| page(&format!("x.org/b{i}"), "fr", 0.95, fr)));
            pages.extend((0..6).map(|i| page(&format!("x.org/c{i}"), "und", 0.0, other)));
            counts(pages)
        };
        let six = |lang: &str| (lang.to_owned(), 6);
        assert_eq!(site(["en", "fr", "kmb"]), [six("en"), six("fr"), six("kmb")]);
        // The template of all pages, and one that is always wrong.
        assert_eq!(site(["en", "en", "en"]), [six("en"), six("fr"), six("und")]);
        assert_eq!(site(["fr", "de", "kmb"]), [six("en"), six("fr"), six("und")]);
    }

    #[test]
    fn the_code_of_a_country_names_no_language() {
        // Most texts are surely Swedish, some only likely so.
        let confidence = |i: usize| if i.is_multiple_of(3) { 0.8 } else { 0.98 };
        let pages = |lang: &'static str, declared: &'static str| {
            (0..9).map(move |i| page(&format!("x.org/{declared}/{i}"), lang, confidence(i), declared))
        };
        let site: Vec<_> = pages("en", "en").chain(pages("sv", "se")).collect();
        assert_eq!(counts(site), [("en".to_owned(), 9), ("sv".to_owned(), 9)]);
        let short = |i: usize| {
            let (url, facts) = page(&format!("x.org/us/s{i}"), "und", 0.0, "us");
            (url, PageFacts { text_bytes: 120, ..facts })
        };
        let site: Vec<_> = pages("en", "en").chain((0..3).map(short)).collect();
        assert_eq!(counts(site), [("en".to_owned(), 9), ("und".to_owned(), 3)]);
    }

    #[test]
    fn places_are_directories_labels_values_and_the_ends_of_names_of_files() {
        let of = |url: &str| {
            let pages = ListedPages(vec![page(url, "und", 0.0, "und")]);
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
        for url in ["yo.org/a", "x.yo/a", "x.org/so-what/how-two", "x.org/a.php", "x.org/so-you-want-it-all.html"] {
            assert_eq!(of(url), [], "{url}");
        }
    }

    #[test]
    fn what_only_looks_like_the_name_of_a_language_names_none() {
        let site = |url: &dyn Fn(&str, usize) -> String, langs: [&str; 2], confidence: f32, declared: &str| {
            let one = |lang: &'_ str, n: usize| page(&url(lang, n), lang, confidence, declared);
            let pages: Vec<_> =
                langs.iter().flat_map(|lang| (0..9).map(|n| one(lang, n)).collect::<Vec<_>>()).collect();
            counts(pages)
        };
        let nine = |lang: &str| (lang.to_owned(), 9);
        let at = |place: &'static str| {
            move |lang: &str, n: usize| {
                if lang == "en" { format!("{place}.x.org/{n}") } else { format!("{lang}.x.org/{n}") }
            }
        };
        for confidence in [0.8, 0.98] {
            // Names of hosts, of folders, of domains, and of what files are.
            for place in ["www", "api"] {
                assert_eq!(site(&at(place), ["en", "fr"], confidence, "und"), [nine("en"), nine("fr")]);
            }
            let folder = |lang: &str, n: usize| {
                if lang == "en" { format!("x.org/doc/{n}") } else { format!("x.org/{lang}/{n}") }
            };
            assert_eq!(site(&folder, ["en", "fr"], confidence, "und"), [nine("en"), nine("fr")]);
            let domain = |lang: &str, n: usize| format!("x.bg/{lang}-{n}.php");
            assert_eq!(site(&domain, ["bg", "ru"], confidence, "und"), [nine("bg"), nine("ru")]);
            // A template, for relatives.
            assert_eq!(site(&domain, ["ca", "es"], confidence, "es"), [nine("ca"), nine("es")]);
        }
        let slug = |lang: &str, n: usize| {
            if n < 4 { format!("x.org/{lang}.html?{n}") } else { format!("x.org/so-{lang}-{n}.htm") }
        };
        assert_eq!(site(&slug, ["en", "fr"], 0.8, "und"), [nine("en"), nine("fr")]);
    }

    #[test]
    fn a_language_without_words_is_told_from_a_relative_by_what_the_site_calls_it() {
        let site = |hr: bool, confidence: f32| {
            let mut pages: Vec<_> = (0..9).map(|n| page(&format!("x.org/en/{n}"), "en", 0.98, "und")).collect();
            pages.extend((0..9).map(|n| page(&format!("x.org/bs/{n}"), "hr", confidence, "und")));
            pages.extend((0..9).filter(|_| hr).map(|n| page(&format!("x.org/hr/{n}"), "hr", 0.98, "und")));
            counts(pages)
        };
        let nine = |lang: &str| (lang.to_owned(), 9);
        assert_eq!(site(false, 0.98), [nine("bs"), nine("en")]);
        assert_eq!(site(true, 0.8), [nine("bs"), nine("en"), nine("hr")]);
        // What is surely Croatian beside Croatian pages was not translated.
        assert_eq!(site(true, 0.98), [nine("en"), ("hr".to_owned(), 18)]);
    }

    #[test]
    fn a_language_that_a_program_is_sure_of_is_told_and_no_name_changes_it() {
        let site = |confidence: f32, is_guess: bool| {
            let mut pages: Vec<_> = (0..9).map(|n| page(&format!("x.org/en/{n}"), "en", 0.98, "und")).collect();
            pages.extend((0..9).map(|n| {
                let (url, facts) = page(&format!("x.org/ee/{n}"), "tw", confidence, "und");
                (url, PageFacts { is_guess, ..facts })
            }));
            counts(pages)
        };
        let nine = |lang: &str| (lang.to_owned(), 9);
        assert_eq!(site(0.98, false), [nine("en"), nine("tw")]);
        assert_eq!(site(0.5, true), [nine("ee"), nine("en")]);
    }

    #[test]
    fn what_was_left_untranslated_is_no_evidence_against_a_name_and_is_not_called_by_it() {
        let mut pages: Vec<_> = (0..12).map(|i| page(&format!("en.x.org/{i}"), "en", 0.95, "en")).collect();
        pages.extend((0..6).map(|i| page(&format!("om.x.org/{i}"), "und", 0.0, "en")));
        pages.extend((6..12).map(|i| page(&format!("om.x.org/{i}"), "en", 0.95, "en")));
        assert_eq!(counts(pages), [("en".to_owned(), 18), ("om".to_owned(), 6)]);
    }

    /// Articles of the Universal Declaration of Human Rights in Wolof, which no list of words knows.
    const WOLOF: [&str; 6] = [
        "Doomi aadama yépp danuy juddu, yam ci tawfeex ci sag ak sañ-sañ. Nekk na it ku xam dëgg te ànd na ak xelam, te war naa jëflante ak nawleen.",
        "Ku nekk mën nga wax ne am nga sañ-sañ ak péexte yi ñu nas ci biral gii, te amul xeejoo, maanaam amul bokk gi nga bokk ci xeet, melo, baat.",
        "Nit ku ne am nga sañ-sañu dund, am tawfeex te jàmm ci yow. Deesul jàppe kenn jaam mbaa surga; njaam ak jaay nit tere nañu ko.",
        "Deesul jàpp kenn, di ko mitital mbaa di ko jàppe jàppin wu ñàng, wu ñagas, walla wu suufeel nit. Nit ku nekk am nga sañ-sañ ñu nangul la.",
        "Ñépp a yam fa kanamu yoon te amul xeejoo, ñépp a bokk sañ-sañu kaaraange gu leen yoon di may. Ku nekk am na sañ-sañu kaaraange ci lépp.",
        "Nit ku ne am nga sañ-sañu dellu ci àttekaay yi, ngir ñu faj la, fépp fu ñu jalgatee sa sañ-sañ yi la ndeyi-sàrti réew mi ak yoon may.",
    ];
    /// Three of them, which are long enough for any language that can be told.
    fn wolof(n: usize) -> String {
        (n..n + 3).map(|n| WOLOF[n % WOLOF.len()]).collect::<Vec<_>>().join(" ")
    }

    const ENGLISH: [&str; 2] = [
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one \
         another in a spirit of brotherhood.",
        "Everyone is entitled to all the rights and freedoms set forth in this Declaration, without distinction of any kind, such as race, \
         colour, sex, language or religion.",
    ];

    /// How many pages count for each language by tag, and how many of them for one without a name, where the texts are there.
    fn counts_of_texts(pages: Vec<(String, &str, String)>) -> Vec<(String, usize)> {
        counts_by(&Profiles::default(), pages)
    }

    fn counts_by(profiles: &Profiles, pages: Vec<(String, &str, String)>) -> Vec<(String, usize)> {
        let mut pages: Vec<(String, Vec<u8>, PageFacts)> = pages
            .into_iter()
            .map(|(url, declared, text)| {
                let whole = Run { start: 0, end: text.len() as u32, kind: Kind::Prose };
                let found = detect(&text, &[whole], &Default::default());
                let facts = PageFacts {
                    detected: found.lang,
                    confidence: found.confidence,
                    is_guess: found.is_guess,
                    declared: Lang::parse(declared).unwrap_or(Lang::UNKNOWN),
                    latin_share: found.latin_share,
                    text_bytes: text.len() as u32,
                    ..PageFacts::default()
                };
                (url, count(&text), facts)
            })
            .collect();
        pages.sort_by(|x, y| x.0.cmp(&y.0));
        let pages = LetteredPages(pages);
        let read = ByLetters::new(&pages, profiles);
        let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected).filter(|l| l.is_known()));
        name(&read, &mut site, |_| true);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for page in 0..pages.count() {
            let lang = match site.lang(page) {
                Some(lang) if lang.is_unnamed() => "unnamed".to_owned(),
                lang => lang.unwrap_or(Lang::UNKNOWN).to_string(),
            };
            *counts.entry(lang).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    #[test]
    fn a_group_of_like_texts_has_the_name_that_it_alone_is_called_by() {
        let site = |english: &str, url: &dyn Fn(usize) -> String, declared: &'static str| {
            let mut pages: Vec<_> =
                (0..6).map(|n| (format!("x.org/{english}{n}"), "", ENGLISH[n % ENGLISH.len()].to_owned())).collect();
            pages.extend((0..6).map(|n| (url(n), declared, wolof(n))));
            counts_of_texts(pages)
        };
        let six = |lang: &str| (lang.to_owned(), 6);
        // `/0` beside `/wo/0`; nothing shows that the place names languages.
        assert_eq!(site("", &|n| format!("x.org/wo/{n}"), ""), [six("en"), six("wo")]);
        // Not by a code of three letters, unless the page exists without it.
        assert_eq!(site("", &|n| format!("x.org/kmb/{n}"), ""), [six("en"), six("kmb")]);
        assert_eq!(site("a", &|n| format!("x.org/api/{n}"), ""), [six("en"), six("unnamed")]);
        // Not by the name of a language that can be told, and not where others are called by it too.
        assert_eq!(site("", &|n| format!("x.org/en/{n}"), "en"), [six("en"), six("unnamed")]);
        assert_eq!(site("wo/", &|n| format!("x.org/wo/b{n}"), ""), [six("en"), six("unnamed")]);
        assert_eq!(site("", &|n| format!("x.org/p{n}"), ""), [six("en"), six("unnamed")]);
    }

    #[test]
    fn a_page_that_nothing_names_is_in_the_language_that_it_is_like_and_few_are_in_none() {
        let pages = |named: usize| {
            let mut pages: Vec<_> =
                (0..6).map(|n| (format!("x.org/en/{n}"), "", ENGLISH[n % ENGLISH.len()].to_owned())).collect();
            let url = |n: usize| if n < named { format!("x.org/wo/{n}") } else { format!("x.org/news?{n}") };
            pages.extend((0..6).map(|n| (url(n), if n < named { "wo" } else { "" }, wolof(n))));
            pages
        };
        let found = |lang: &str, n: usize| (lang.to_owned(), n);
        assert_eq!(counts_of_texts(pages(5)), [found("en", 6), found("wo", 6)]);
        assert_eq!(counts_of_texts(pages(0).split_off(4)), [found("en", 2), found("unnamed", 6)]);
        let mut few = pages(0);
        few.truncate(9);
        assert_eq!(counts_of_texts(few), [found("en", 6), found("und", 3)]);
    }

    #[test]
    fn letters_tell_what_nothing_names_and_deny_what_is_wrong() {
        let site = |url: &dyn Fn(usize) -> String, declared: &'static str, n: usize| {
            let mut pages: Vec<_> =
                (0..6).map(|n| (format!("x.org/en/{n}"), "", ENGLISH[n % ENGLISH.len()].to_owned())).collect();
            pages.extend((0..n).map(|n| (url(n), declared, wolof(n))));
            counts_by(Profiles::shipped(), pages)
        };
        let found = |lang: &str, n: usize| (lang.to_owned(), n);
        for n in [2, 6] {
            assert_eq!(site(&|n| format!("x.org/p{n}"), "", n), [found("en", 6), found("wo", n)]);
            assert_eq!(site(&|n| format!("x.org/wo/{n}"), "wo", n), [found("en", 6), found("wo", n)]);
            // Navajo.
            assert_eq!(site(&|n| format!("x.org/nv/{n}"), "nv", n), [found("en", 6), found("wo", n)]);
            // Nobody knows what Klingon looks like.
            assert_eq!(site(&|n| format!("x.org/p{n}"), "tlh", n), [found("en", 6), found("tlh", n)]);
        }
    }

    #[test]
    fn a_page_that_is_unlike_others_of_its_name_does_not_count_for_it() {
        let mut pages: Vec<_> =
            (0..6).map(|n| (format!("x.org/en/{n}"), "en", ENGLISH[n % ENGLISH.len()].to_owned())).collect();
        pages.extend((0..6).map(|n| (format!("x.org/wo/{n}"), "wo", wolof(n))));
        let filler = "Xqj zzkw vvxq kjj wwqz. Qqxz jvk zkwx vqj xzz kqw jjv wxq zvk qjx. ".repeat(4);
        pages.push(("x.org/wo/9".to_owned(), "wo", filler));
        let found = |lang: &str, n: usize| (lang.to_owned(), n);
        assert_eq!(counts_of_texts(pages), [found("en", 6), found("und", 1), found("wo", 6)]);
    }
}
