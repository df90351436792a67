//! What a site calls the languages of its pages, where their text alone does not tell.
//!
//! A text is *told* where its function words or its script name the language; most languages of the world have neither here, and what a
//! model says of their texts is a guess among the languages it knows. The site says more: what its pages declare, and the names of
//! languages at one place of its URLs, as `/yo/` beside `/en/`. How far such a *source* is to be believed is counted on the pages whose text
//! is told: a template that declares English on every page is believed nowhere, and a place that is right about the pages that can be
//! checked is believed about those that cannot.

use rustc_hash::{FxHashMap, FxHashSet};

use super::language_names::names_by_code;
use crate::index::site::{PageFacts, Pages, SiteIndex};
use crate::language::{are_relatives, is_alone, is_told, names::named};
use crate::text::tokens::Anatomy;
use crate::types::{Field, Lang};

/// What may name the language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Source {
    /// What the page declares.
    Declared,
    /// Directories and labels of hosts, by their number from the left; names of files and values of queries, wherever they stand.
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
/// How sure the language of a text is that its words or script tell, and how sure it is where a relative may be meant (estimates, as for
/// markers of keys).
const SURE: f32 = 0.95;
const LIKELY: f32 = 0.5;
/// A text of so many bytes is told if its language can be: most sentences of one are.
const LONG: u32 = 300;

/// What is known of a text.
#[derive(Clone, Copy)]
enum Text {
    /// Its language, by words or script.
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
        } else if detected.is_known() && is_told(detected) && facts.confidence > LIKELY {
            if facts.confidence >= SURE { Text::Told(detected) } else { Text::Likely(detected) }
        } else if facts.text_bytes >= LONG {
            Text::Other(Some(detected).filter(|lang| lang.is_known()))
        } else {
            Text::Short
        }
    }

    /// True where the text may be in a language that the site names, in spite of what it was taken for. Where a language is `called` by a name
    /// of its own on the site, a text that is surely in it is not in a relative.
    fn may_be(self, facts: &PageFacts, named: Lang, called: &FxHashSet<Lang>) -> bool {
        match self {
            _ if is_alone(named) && facts.latin_share > 0.5 => false,
            Text::Told(lang) => are_relatives(lang, named) && !called.contains(&lang.base()),
            Text::Likely(lang) => are_relatives(lang, named) || !is_told(named),
            // A text in a language that can be told would have been told.
            Text::Other(_) => !is_told(named),
            // What few words there are say more than a name, where both languages can be told.
            Text::Short => !(facts.detected.is_known() && is_told(facts.detected) && is_told(named)),
        }
    }
}

/// Lets pages whose text does not tell its language count for the one that the site names, as far as its names can be believed.
pub fn name(pages: &dyn Pages, site: &mut SiteIndex<'_>, wants: impl Fn(Lang) -> bool) {
    let mut anatomy = Anatomy::default();
    // Most sites are in languages that can be told, and call them so.
    let is_in_doubt = |page: u32| {
        let facts = pages.facts(page);
        let declared = facts.declared;
        let is_told = matches!(Text::of(&facts), Text::Told(lang) if !declared.is_known() || declared.agrees(lang));
        facts.form.has_text() && !is_told
    };
    if !(0..pages.count()).any(is_in_doubt) {
        return;
    }
    let (tallies, called) = tallies(pages, &mut anatomy);
    for page in 0..pages.count() {
        let facts = pages.facts(page);
        let text = Text::of(&facts);
        if !facts.form.has_text() {
            continue;
        }
        let mut best: Option<(f64, Source, Lang)> = None;
        for (source, lang) in names(pages, page, &facts, &mut anatomy) {
            let belief = belief(source, tallies.get(&source));
            let is_agreed = facts.detected.agrees(lang);
            if belief >= BELIEVED
                && (is_agreed || text.may_be(&facts, lang, &called))
                && best.is_none_or(|best| (belief, source) > (best.0, best.1))
            {
                best = Some((belief, source, lang));
            }
        }
        // What is called by the name it was taken for stays as it is, script and all.
        let is_new = |lang: Lang| !facts.detected.agrees(lang) && wants(lang);
        if let Some((_, _, lang)) = best.filter(|(_, _, lang)| is_new(*lang)) {
            site.set(page, Some(lang));
        }
    }
}

/// How often a source is right.
fn belief(source: Source, tally: Option<&Tally>) -> f64 {
    let prior = if source == Source::Declared { PRIOR_DECLARED } else { PRIOR_PLACE };
    let Tally { right, wrong } = tally.copied().unwrap_or_default();
    (prior.right + right) / (prior.right + right + prior.wrong + wrong)
}

/// How often each source is right about the pages that can be checked; and the languages that believed sources name. What was left untranslated
/// counts for nothing: it is in the language that most of the site is in, whatever the page is called.
fn tallies(pages: &dyn Pages, anatomy: &mut Anatomy) -> (FxHashMap<Source, Tally>, FxHashSet<Lang>) {
    let mut told: FxHashMap<Lang, u32> = FxHashMap::default();
    for page in 0..pages.count() {
        if let Text::Told(lang) = Text::of(&pages.facts(page)) {
            *told.entry(lang.base()).or_default() += 1;
        }
    }
    let main = told.iter().map(|(&lang, &pages)| (pages, lang)).max().map(|(_, lang)| lang);
    let mut tallies: FxHashMap<Source, Tally> = FxHashMap::default();
    let mut met: FxHashSet<(Source, Lang)> = FxHashSet::default();
    for page in 0..pages.count() {
        let facts = pages.facts(page);
        let text = Text::of(&facts);
        for (source, named) in names(pages, page, &facts, anatomy) {
            met.insert((source, named.base()));
            let tally = tallies.entry(source).or_default();
            match text {
                Text::Told(lang) | Text::Likely(lang) | Text::Other(Some(lang)) if lang.agrees(named) => {
                    tally.right += 1.0;
                }
                Text::Told(lang) if main.is_some_and(|main| lang.agrees(main)) || are_relatives(lang, named) => {}
                Text::Told(_) => tally.wrong += 1.0,
                Text::Likely(lang) if is_told(named) && !are_relatives(lang, named) => tally.wrong += 1.0,
                Text::Other(_) if is_told(named) => tally.wrong += 1.0,
                Text::Likely(_) | Text::Other(_) | Text::Short => {}
            }
        }
    }
    let is_believed = |source: &Source| belief(*source, tallies.get(source)) >= BELIEVED;
    let called = met.iter().filter(|(source, _)| is_believed(source)).map(|(_, lang)| *lang).collect();
    (tallies, called)
}

/// The languages that sources name for a page.
fn names(pages: &dyn Pages, page: u32, facts: &PageFacts, anatomy: &mut Anatomy) -> Vec<(Source, Lang)> {
    let mut found = Vec::new();
    if facts.declared.is_known() {
        found.push((Source::Declared, facts.declared));
    }
    if !anatomy.read(pages.identity(page), Default::default()) {
        return found;
    }
    let mut at = 0u8;
    let mut field = Field::Host;
    for segment in anatomy.segments() {
        at = if segment.field == field { at.saturating_add(1) } else { 0 };
        field = segment.field;
        let place = Source::Place(field, if matches!(field, Field::Host | Field::Path) { at } else { 0 });
        let text = anatomy.text(segment.span);
        let whole = names_by_code(text).or_else(|| named(text).filter(|_| text.len() > 3));
        let lang = match (whole, anatomy.tokens(segment)) {
            (None, [.., last]) if field == Field::File => names_by_code(anatomy.text(*last)),
            (whole, _) => whole,
        };
        found.extend(lang.map(|lang| (place, lang)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{ListedPages, Urls};

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// A page: its URL, what its text is taken for and how surely, what it declares.
    fn page(url: &str, detected: &str, confidence: f32, declared: &str) -> (String, PageFacts) {
        let declared = Lang::parse(declared).unwrap_or(Lang::UNKNOWN);
        let facts =
            PageFacts { detected: lang(detected), confidence, declared, text_bytes: 2000, ..PageFacts::default() };
        (url.to_owned(), facts)
    }

    /// The languages that pages count for, by URL.
    fn named_pages(mut pages: Vec<(String, PageFacts)>) -> Vec<(String, String)> {
        pages.sort_by(|x, y| x.0.cmp(&y.0));
        let pages = ListedPages(pages);
        let label = |page: u32| Some(pages.facts(page).detected).filter(|lang| lang.is_known());
        let mut site = SiteIndex::collect(&pages, label);
        name(&pages, &mut site, |_| true);
        let lang = |page: u32| site.lang(page).unwrap_or(Lang::UNKNOWN).to_string();
        (0..pages.count()).map(|page| (pages.identity(page).to_owned(), lang(page))).collect()
    }

    fn counts(pages: Vec<(String, PageFacts)>) -> Vec<(String, usize)> {
        let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        named_pages(pages).into_iter().for_each(|(_, lang)| *counts.entry(lang).or_default() += 1);
        counts.into_iter().collect()
    }

    #[test]
    fn a_place_that_is_right_about_what_can_be_checked_names_what_cannot() {
        let site = |other: &str, n: usize| {
            let mut pages: Vec<_> = (0..n).map(|i| page(&format!("x.org/en/{i}"), "en", 0.95, "und")).collect();
            // A model takes them for this and that.
            let guess = |i: usize| ["zu", "und", "rw"][i % 3];
            pages.extend((0..n).map(|i| page(&format!("x.org/{other}/{i}"), guess(i), 0.9, "und")));
            counts(pages)
        };
        assert_eq!(site("yo", 9), [("en".to_owned(), 9), ("yo".to_owned(), 9)]);
        assert_eq!(site("kmb", 9), [("en".to_owned(), 9), ("kmb".to_owned(), 9)]);
        // Of two pages a place has not shown that it names languages.
        assert_eq!(site("yo", 2).last(), Some(&("zu".to_owned(), 1)));
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
    fn what_was_left_untranslated_is_no_evidence_against_a_name_and_is_not_called_by_it() {
        let mut pages: Vec<_> = (0..12).map(|i| page(&format!("en.x.org/{i}"), "en", 0.95, "en")).collect();
        pages.extend((0..6).map(|i| page(&format!("so.x.org/{i}"), "und", 0.0, "en")));
        pages.extend((6..12).map(|i| page(&format!("so.x.org/{i}"), "en", 0.95, "en")));
        assert_eq!(counts(pages), [("en".to_owned(), 18), ("so".to_owned(), 6)]);
    }
}
