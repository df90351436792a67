//! What a site calls the languages of its pages, where their text alone does not tell.
//!
//! A text is *told* where its function words or its script name the language; most languages of the world have neither here, and what a
//! model says of their texts is a guess among the languages it knows. The site says more: what its pages declare, and the names of
//! languages at one place of its URLs, as `/yo/` beside `/en/`. How far such a *source* is to be believed is counted on the pages whose text
//! is told: declarations that are wrong about French pages are not believed about others, and a place that is right about the pages that can
//! be checked is believed about those that cannot.

use super::by_letters::{ByLetters, is_doubtful, is_written_so, letters_of};
use super::doubts::Doubts;
use super::sources::{BELIEVED, Known, Source, Text, names};
use crate::index::site::{PageFacts, Pages, SiteIndex, Urls};
use crate::language::profiles::{Compared, Line};
use crate::language::{are_relatives, is_taken_for};
use crate::text::tokens::Anatomy;
use crate::types::Lang;

/// Lets pages whose text does not tell its language count for the one that the site names, as far as its names can be believed; and those that
/// nothing names, for one whose texts they are like, for the one that their letters tell, for one without a name, or for none. Returns the letters
/// of texts that the site calls by the names of languages that words cannot tell: what [others may learn](crate::language::learnt) from it.
pub fn name(pages: &ByLetters<'_>, site: &mut SiteIndex<'_>, wants: impl Fn(Lang) -> bool) -> Vec<Line> {
    let mut anatomy = Anatomy::default();
    let known = Known::of(pages, &mut anatomy);
    let mut doubts = Doubts::default();
    for &page in &known.in_question {
        let facts = pages.facts(page);
        let text = Text::of(&facts);
        // The best name, and the best of those that the text may be in; a name that it was taken for is one of these.
        let (mut called, mut best, mut allowed) = (None, None, None);
        // The best of those that letters have to decide about.
        let mut contested = None;
        let mut is_agreed = false;
        for name in names(pages, page, &facts, &mut anatomy) {
            is_agreed |= facts.detected.agrees(name.lang);
            let found = (known.belief_at(pages, page, name.source), name.source, name.lang);
            if found.0 < BELIEVED {
                continue;
            }
            keep_better(&mut called, found);
            let is_allowed = known.allows(pages, page, &name);
            if is_allowed {
                keep_better(&mut allowed, found);
            }
            // A place that is right about most pages may lie about one, whose letters tell another language, or whose words are likely in one that
            // others on the site certainly are in.
            let is_alone = known.is_alone(&name, text);
            let may_be = is_allowed
                && (is_alone || text.may_be(&facts, &name, &known.called, || pages.allow(page, name.lang)))
                && !pages.deny(page, name.lang);
            let is_among_others = !is_alone && known.is_among_others(text) && !are_mixed_up(name.lang, facts.detected);
            let is_possible = || may_be && !is_among_others || is_nearer(pages, page, &facts, name.lang);
            if facts.detected.agrees(name.lang) || is_allowed && is_possible() {
                keep_better(&mut best, found);
            } else if may_be {
                keep_better(&mut contested, found);
            }
        }
        if let (None, Text::Told(lang) | Text::Likely(lang)) = (best, text) {
            // Words are not sure where a frame in another language stands round a text: others of its name have the same frame.
            let may_be_partly = |named: &Lang| {
                (are_mixed_up(*named, lang) || matches!(text, Text::Likely(_))) && is_written_so(*named, &facts)
            };
            let language = |found: Option<Called>| found.map(|found| found.2);
            if let Some(named) = language(allowed).filter(may_be_partly).or(language(contested)) {
                doubts.contested.entry((named, lang)).or_default().push(page);
            }
        }
        match best {
            // A page that the site calls by the language that was detected keeps it, with its script.
            Some((_, _, lang)) if facts.detected.agrees(lang) => doubts.taught.add(pages, page, lang),
            Some((_, _, lang)) => {
                site.set(page, Some(lang).filter(|lang| wants(*lang)));
                doubts.named.insert(page, lang);
            }
            None if is_doubtful(&facts) && !is_agreed => doubts.pages.push((page, called.map(|called| called.2))),
            None => {}
        }
    }
    doubts.settle_contested(pages, site, &wants);
    let taught = if doubts.named.is_empty() && doubts.pages.is_empty() {
        doubts.taught
    } else {
        doubts.settle(pages, site, wants, &known)
    };
    pages.release();
    taught.lines()
}

/// True for a guess that is nearer, by its letters, to the language that it is called by than to the one that it was taken for: few words that it has in
/// common with that one say less than the site. So do words that are not sure: they may be those of a relative, or of a frame of a few sentences round a
/// text in a language of which no words are known, or only few.
fn is_nearer(pages: &ByLetters<'_>, page: u32, facts: &PageFacts, named: Lang) -> bool {
    (is_doubtful(facts) || matches!(Text::of(facts), Text::Likely(_)))
        && facts.detected.is_known()
        && is_written_so(named, facts)
        && pages.compare(&letters_of(pages, &[page]), named, facts.detected) == Some(Compared::Named)
}

/// True where texts in a language may be taken for another one.
fn are_mixed_up(lang: Lang, taken_for: Lang) -> bool {
    is_taken_for(lang, taken_for) || are_relatives(lang, taken_for)
}

/// How far a source is believed, the source, and the language that it names.
type Called = (f64, Source, Lang);

fn keep_better(best: &mut Option<Called>, found: Called) {
    if best.is_none_or(|best| (found.0, found.1) > (best.0, best.1)) {
        *best = Some(found);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::index::site::{LetteredPages, ListedPages};
    use crate::language::letters::{Letters, count};
    use crate::language::profiles::Profiles;
    use crate::language::{Run, RunKind, detect, is_told, writes_latin};

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// A page: its URL, what its text is taken for and how surely, what it declares.
    fn page(url: &str, detected: &str, confidence: f32, declared: &str) -> (String, PageFacts) {
        let (detected, declared) = (lang(detected), Lang::parse(declared).unwrap_or(Lang::UNKNOWN));
        let is_guess = detected.is_known() && !is_told(detected);
        let latin_share = if is_told(detected) && !writes_latin(detected) { 0.0 } else { 1.0 };
        let facts = PageFacts {
            detected,
            confidence,
            is_guess,
            declared,
            text_bytes: 2000,
            latin_share,
            ..PageFacts::default()
        };
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
        let site_of = |other: &str, n: usize, name: &str| {
            let mut pages: Vec<_> = (0..n).map(|i| page(&format!("x.org/en/{i}"), "en", 0.95, "und")).collect();
            // A model takes them for this and that.
            let guess = |i: usize| ["qu", "und", "wa"][i % 3];
            pages.extend((0..n).map(|i| page(&format!("x.org/{other}/{name}{i}"), guess(i), 0.9, "und")));
            pages.extend((0..3).map(|i| page(&format!("x.org/api/f{i}"), "und", 0.0, "und")));
            counts(pages)
                .into_iter()
                .filter(|(lang, _)| lang != "und" && lang != "qu" && lang != "wa")
                .collect::<Vec<_>>()
        };
        let site = |other: &str, n: usize| site_of(other, n, "");
        assert_eq!(site("wo", 9), [("en".to_owned(), 9), ("wo".to_owned(), 9)]);
        // A name that may be an ordinary word is one where the same page is in another language.
        assert_eq!(site("wolaytta", 9), [("en".to_owned(), 9), ("wal".to_owned(), 9)]);
        assert_eq!(site_of("even", 9, "more"), [("en".to_owned(), 9)]);
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
    fn what_words_take_for_a_relative_is_in_the_unknown_language_that_it_declares_if_nothing_else_of_the_site_is_in_that_relative()
     {
        let pages = |folder: &'static str, lang: &'static str, confidence: f32, declared: &'static str| {
            (0..9).map(move |n| page(&format!("x.org/{folder}/{n}"), lang, confidence, declared))
        };
        let english = || pages("english", "en", 0.98, "en").chain(pages("more", "en", 0.98, "en"));
        let nine = |lang: &str| (lang.to_owned(), 9);
        let found = |site: Vec<(String, PageFacts)>| {
            counts(site).into_iter().filter(|count| count.0 != "en").collect::<Vec<_>>()
        };
        for confidence in [0.8, 0.98] {
            let egyptian = || pages("a", "ar", confidence, "arz");
            assert_eq!(found(english().chain(egyptian()).collect()), [nine("arz")]);
            // Texts that stayed in the language that the site has elsewhere.
            assert_eq!(
                found(english().chain(egyptian()).chain(pages("b", "ar", 0.98, "ar")).collect()),
                [("ar".to_owned(), 18)]
            );
            // Declarations that have not been right about anything.
            let undeclared = pages("english", "en", 0.98, "und").chain(pages("more", "en", 0.98, "und"));
            assert_eq!(found(undeclared.chain(pages("a", "ar", 0.98, "arz")).collect()), [nine("ar")]);
        }
        // A wrong code on most pages of a site.
        let german = pages("d", "de", 0.98, "de");
        assert_eq!(
            counts(pages("a", "en", 0.98, "enu").chain(pages("b", "en", 0.98, "enu")).chain(german).collect()),
            [nine("de"), ("en".to_owned(), 18)]
        );
    }

    #[test]
    fn a_directory_names_an_unknown_language_if_its_texts_are_unlike_the_one_that_they_are_taken_for_and_a_country_none()
     {
        const SPANISH: &str = "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben \
                               comportarse fraternalmente los unos con los otros. Toda persona tiene todos los derechos y libertades proclamados en esta \
                               Declaración, sin distinción alguna de raza, color, sexo, idioma, religión, opinión política o de cualquier otra índole.";
        let found = |text: &dyn Fn(usize) -> String| {
            let with = |(url, facts): (String, PageFacts), text: String| (url, count(&text), facts);
            let english =
                (0..6).map(|n| with(page(&format!("x.org/en/{n}"), "en", 0.98, "und"), ENGLISH[n % 2].to_owned()));
            // No profile shows what Avar looks like.
            let other = (0..6).map(|n| with(page(&format!("x.org/av/{n}"), "es", 0.98, "und"), text(n)));
            let pages = LetteredPages(other.chain(english).collect());
            let read = ByLetters::new(&pages, Profiles::shipped());
            let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected));
            name(&read, &mut site, |_| true);
            (0..6).map(|page| site.lang(page).unwrap_or_default().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found(&wolof), ["av"; 6]);
        assert_eq!(found(&|_| SPANISH.to_owned()), ["es"; 6]);
        // Partly in the other language of the site.
        assert_eq!(found(&|n| ENGLISH[n % 2].to_owned()), ["es"; 6]);
    }

    #[test]
    fn an_ordinary_word_names_no_language_where_the_letters_of_its_pages_are_not_those_of_the_language() {
        let found = |word: &str| {
            let unknown =
                |n: usize| wolof(n).replace('a', "zw").replace('e', "kx").replace('u', "vj").replace('n', "q");
            let english = (0..6).map(|n| (format!("x.org/english/{n}"), "", ENGLISH[n % 2].to_owned()));
            let other = (0..6).map(|n| (format!("x.org/{word}/{n}"), "", unknown(n)));
            counts_by(Profiles::shipped(), english.chain(other).collect())
        };
        // Of Wolaytta nothing is known; Even is written in Cyrillic letters.
        assert_eq!(found("wolaytta")[1], ("wal".to_owned(), 6));
        assert!(found("even").iter().all(|found| found.0 != "eve"));
    }

    #[test]
    fn a_text_that_is_likely_in_a_language_of_the_site_does_not_take_the_name_of_its_host() {
        let told = |host: &'static str, lang: &'static str, pages: usize| {
            (0..pages).map(move |n| page(&format!("{host}.x.org/{n}"), lang, 0.98, "und"))
        };
        let site: Vec<_> = told("www", "en", 20)
            .chain(told("fr", "fr", 9))
            .chain(told("de", "de", 9))
            .chain((0..9).map(|n| page(&format!("wo.x.org/wo{n}"), "und", 0.0, "und")))
            .chain((0..2).map(|n| page(&format!("wo.x.org/{n}"), "en", 0.8, "und")))
            .collect();
        let counted = [("de", 9), ("en", 22), ("fr", 9), ("wo", 9)];
        assert_eq!(counts(site), counted.map(|(lang, pages)| (lang.to_owned(), pages)));
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
    fn what_is_taken_for_a_relative_has_the_name_that_the_site_gives_it_where_letters_differ_or_tell_nothing() {
        // Everything but the English pages is surely in the language `taken`; `other` is the text of the pages that are called `named`.
        let site = |named: &str, taken: &str, other: &dyn Fn(usize) -> String| {
            let told = |lang: &str, text: &str| PageFacts {
                detected: Lang::parse(lang).expect("a tag"),
                confidence: 0.98,
                declared: Lang::parse(lang).expect("a tag"),
                latin_share: 1.0,
                text_bytes: text.len() as u32,
                ..PageFacts::default()
            };
            let mut pages = Vec::new();
            for n in 0..6 {
                let english = ENGLISH[n % ENGLISH.len()];
                pages.push((format!("x.org/en/{n}"), count(english), told("en", english)));
                pages.push((format!("x.org/{taken}/{n}"), count(&wolof(n)), told(taken, &wolof(n))));
                let facts = PageFacts { declared: Lang::parse(named).expect("a tag"), ..told(taken, &other(n)) };
                pages.push((format!("x.org/{named}/{n}"), count(&other(n)), facts));
            }
            pages.sort_by(|x, y| x.0.cmp(&y.0));
            let pages = LetteredPages(pages);
            let read = ByLetters::new(&pages, Profiles::shipped());
            let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected).filter(|l| l.is_known()));
            name(&read, &mut site, |_| true);
            let lang = Lang::parse(named).expect("a tag");
            (0..pages.count()).filter(|&page| site.lang(page) == Some(lang)).count()
        };
        let different = |n: usize| ENGLISH[n % ENGLISH.len()].to_owned();
        assert_eq!(site("rue", "uk", &different), 6);
        // What was left untranslated.
        assert_eq!(site("rue", "uk", &wolof), 0);
        // No relatives; and two languages that nobody tells by their letters.
        assert_eq!(site("rue", "it", &different), 0);
        assert_eq!(site("bs", "hr", &wolof), 6);
        // Han characters tell no more than that a text is Chinese.
        assert_eq!(site("cdo", "zh-Hans", &wolof), 6);
        // Words would have told it, and letters are no nearer to those of its profile.
        assert_eq!(site("uk", "ru", &different), 0);
        assert_eq!(site("ca", "es", &different), 0);
    }

    #[test]
    fn a_text_that_is_only_likely_in_a_relative_has_the_name_that_site_and_letters_agree_on() {
        let galician = "Os veciños da vila xuntáronse onte na praza para falar da auga que lles falta dende hai dúas semanas. A alcaldesa dixo que non hai \
                        cartos para facer obras este ano, pero que ía pedir axuda ao Goberno. A xente marchou para a casa sen sabelo todo.";
        let spanish = "Los vecinos del pueblo se reunieron ayer en la plaza para hablar del agua que les falta desde hace dos semanas. La alcaldesa dijo \
                       que no hay dinero para hacer obras este año, pero que iba a pedir ayuda al Gobierno. La gente se fue a casa sin saberlo todo.";
        let named = |text: &str, confidence: f32| {
            let of = |url: String, text: &str, detected: &str, confidence: f32| {
                let latin = PageFacts { latin_share: 1.0, text_bytes: text.len() as u32, ..PageFacts::default() };
                (url, count(text), PageFacts { detected: lang(detected), confidence, ..latin })
            };
            let english = (0..9).map(|n| of(format!("x.org/en/{n}"), ENGLISH[n % 2], "en", 0.98));
            let told = (3..9).map(|n| of(format!("x.org/gl/{n}"), galician, "gl", 0.98));
            let mut pages: Vec<_> = english
                .chain((0..3).map(|n| of(format!("x.org/gl/{n}"), text, "es", confidence)))
                .chain(told)
                .collect();
            pages.sort_by(|x, y| x.0.cmp(&y.0));
            let pages = LetteredPages(pages);
            let read = ByLetters::new(&pages, Profiles::shipped());
            let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected));
            name(&read, &mut site, |_| true);
            (0..pages.count()).filter(|&page| site.lang(page) == Some(lang("gl"))).count()
        };
        assert_eq!(named(galician, 0.7), 9);
        // What words tell for sure, and what is nearer to the other one, was left untranslated.
        assert_eq!((named(galician, 0.98), named(spanish, 0.7)), (6, 6));
    }

    #[test]
    fn what_a_site_names_is_shown_to_others() {
        let taught = |url: &dyn Fn(usize) -> String, declared: &str| {
            let page = |(url, declared, text): (String, &str, String)| {
                let facts = PageFacts {
                    detected: Lang::parse(if declared == "en" { "en" } else { "it" }).expect("a tag"),
                    confidence: if declared == "en" { 0.98 } else { 0.4 },
                    is_guess: declared != "en",
                    declared: Lang::parse(declared).unwrap_or(Lang::UNKNOWN),
                    latin_share: 1.0,
                    text_bytes: text.len() as u32,
                    ..PageFacts::default()
                };
                (url, count(&text), facts)
            };
            let english = (0..6).map(|n| (format!("x.org/en/{n}"), "en", ENGLISH[n % 2].to_owned()));
            let mut pages: Vec<_> = english.chain((0..6).map(|n| (url(n), declared, wolof(n)))).map(page).collect();
            pages.sort_by(|x, y| x.0.cmp(&y.0));
            let pages = LetteredPages(pages);
            let read = ByLetters::new(&pages, Profiles::shipped());
            let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected).filter(|l| l.is_known()));
            let taught = name(&read, &mut site, |_| true);
            taught.into_iter().map(|line| (line.lang.to_string(), line.letters.total() > 600)).collect::<Vec<_>>()
        };
        assert_eq!(taught(&|n| format!("x.org/wo/{n}"), "wo"), [("wo".to_owned(), true)]);
        // What letters alone tell, nobody has named.
        assert_eq!(taught(&|n| format!("x.org/p{n}"), "und"), []);
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
                let whole = Run { start: 0, end: text.len() as u32, kind: RunKind::Prose };
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
        assert_eq!(site("", &|n| format!("x.org/male/{n}"), ""), [six("en"), six("unnamed")]);
        // … or under another code, in another language: neither `/cak/0` beside `/mam/0` in the same one, nor `/api/0` beside `/b0`.
        let made = |n: usize| wolof(n).replace('a', "ou").replace('m', "zh").replace('n', "th");
        let two = |other: &dyn Fn(usize) -> String| {
            let of = |n: usize| [(format!("x.org/kmb/{n}"), "", wolof(n)), (format!("x.org/mam/{n}"), "", other(n))];
            counts_of_texts((0..6).flat_map(of).collect())
        };
        assert_eq!(two(&made), [six("kmb"), six("mam")]);
        assert_eq!(two(&wolof), [("unnamed".to_owned(), 12)]);
        // Not by the name of a language that can be told, and not where others are called by it too.
        assert_eq!(site("", &|n| format!("x.org/en/{n}"), "en"), [six("en"), six("unnamed")]);
        assert_eq!(site("wo/", &|n| format!("x.org/wo/b{n}"), ""), [six("en"), six("unnamed")]);
        assert_eq!(site("", &|n| format!("x.org/p{n}"), ""), [six("en"), six("unnamed")]);
    }

    #[test]
    fn a_long_text_without_an_answer_is_in_the_language_that_it_is_called_by_if_it_has_its_letters() {
        // A program of the user may know English alone; words may be of two languages.
        let site = |text: &dyn Fn(usize) -> String, is_guess: bool, lang_of_place: &str| {
            let facts = |detected| PageFacts {
                detected,
                text_bytes: 700,
                latin_share: 1.0,
                confidence: 0.98,
                ..PageFacts::default()
            };
            let english = (0..6).map(|n| (format!("x.org/en/{n}"), count(ENGLISH[n % 2]), facts(Lang::EN)));
            let other = (0..6).map(|n| {
                let facts = PageFacts { is_guess, confidence: 0.0, ..facts(Lang::UNKNOWN) };
                (format!("x.org/{lang_of_place}/{n}"), count(&text(n)), facts)
            });
            let mut pages: Vec<_> = english.chain(other).collect();
            pages.sort_by(|x, y| x.0.cmp(&y.0));
            let pages = LetteredPages(pages);
            let read = ByLetters::new(&pages, Profiles::shipped());
            let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected).filter(|l| l.is_known()));
            name(&read, &mut site, |_| true);
            let at_place = (0..pages.count()).filter(|&page| pages.identity(page).contains(lang_of_place));
            at_place.filter(|&page| site.lang(page) == Some(lang(lang_of_place))).count()
        };
        // News, written for this.
        let dutch = |n: usize| {
            let news = [
                "De leden van de gemeenteraad hebben gisteren besloten dat er dit jaar geen geld is voor een nieuwe brug over de rivier. ",
                "Wie naar de andere kant wil, moet dus nog steeds wachten op de boot, die maar twee keer in een uur vaart. ",
                "De burgemeester zei dat zij volgend jaar opnieuw met de provincie gaat praten over de kosten van het plan. ",
            ];
            format!("{}{}", news[n % 3], news[(n + 1) % 3])
        };
        for is_guess in [false, true] {
            assert_eq!(site(&dutch, is_guess, "nl"), 6);
            assert_eq!(site(&wolof, is_guess, "nl"), 0);
        }
    }

    #[test]
    fn a_frame_of_a_few_sentences_does_not_take_a_page_from_the_language_that_it_is_called_by() {
        const FRAME: &str = "You may not copy any of this without the permission of those who have made it. ";
        // How many of four pages count for Wolof that words likely are in English, beside eight in which words tell nothing.
        let site = |text: &dyn Fn(usize) -> String| {
            let facts = |detected, confidence| PageFacts {
                detected,
                confidence,
                text_bytes: 700,
                latin_share: 1.0,
                ..PageFacts::default()
            };
            let english = (0..6).map(|n| (format!("x.org/en/{n}"), count(&ENGLISH.join(" ")), facts(Lang::EN, 0.98)));
            let likely = (0..4).map(|n| (format!("x.org/wo/a{n}"), count(&text(n)), facts(Lang::EN, 0.8)));
            let others = (0..8).map(|n| {
                let facts = PageFacts { is_guess: true, ..facts(Lang::UNKNOWN, 0.0) };
                (format!("x.org/wo/b{n}"), count(&format!("{FRAME}{}", wolof(n))), facts)
            });
            let pages = LetteredPages(english.chain(likely).chain(others).collect());
            let mut site = SiteIndex::collect(&pages, |page| Some(pages.detected(page)).filter(|lang| lang.is_known()));
            name(&ByLetters::new(&pages, Profiles::shipped()), &mut site, |_| true);
            let is_named = |page: u32| pages.identity(page).contains("/wo/a") && site.lang(page) == Some(lang("wo"));
            (0..pages.count()).filter(|&page| is_named(page)).count()
        };
        assert_eq!(site(&|n| format!("{FRAME}{}", wolof(n))), 4);
        // Half of it is the frame.
        assert_eq!(site(&|n| format!("{FRAME}{}", WOLOF[n])), 4);
        assert_eq!(site(&|n| ENGLISH[n % 2].to_owned()), 0);
    }

    #[test]
    fn a_code_of_a_language_of_which_nothing_is_known_is_a_country_where_letters_clearly_tell_another_one() {
        let site = |place: &str, text: &dyn Fn(usize) -> String| {
            let english = (0..6).map(|n| (format!("x.org/en/{n}"), "", ENGLISH[n % ENGLISH.len()].to_owned()));
            let other = (0..6).map(|n| (format!("x.org/{place}/{n}"), "", text(n)));
            counts_by(Profiles::shipped(), english.chain(other).collect())
        };
        let six = |lang: &str| (lang.to_owned(), 6);
        assert_eq!(site("cr", &wolof), [six("en"), six("wo")]);
        // Nothing tells what these are in, and the whole name of a language is no country.
        let made = |n: usize| wolof(n).replace('a', "ou").replace('m', "zh").replace('n', "th");
        assert_eq!(site("cr", &made), [six("cr"), six("en")]);
        assert_eq!(site("cree", &wolof), [six("cr"), six("en")]);
    }

    #[test]
    fn a_code_of_three_letters_names_a_language_where_the_page_exists_in_another_one() {
        let of = |english: &str, other: &str| {
            let of_page = |n: usize| {
                [
                    page(&english.replace('N', &n.to_string()), "en", 0.99, ""),
                    page(&other.replace('N', &n.to_string()), "tl", 0.4, ""),
                ]
            };
            counts((0..9).flat_map(of_page).collect())
        };
        let nine = |lang: &str| (lang.to_owned(), 9);
        assert_eq!(of("x.org/v?id=N&lang=en", "x.org/v?id=N&lang=ceb"), [nine("ceb"), nine("en")]);
        assert_eq!(of("x.org/N-en.html", "x.org/N-ceb.html"), [nine("ceb"), nine("en")]);
        assert_eq!(of("x.org/v?id=N&lang=en", "x.org/v?id=N&cat=new"), [nine("en"), nine("tl")]);
        assert_eq!(of("x.org/en/N-a.html", "x.org/N-new.html"), [nine("en"), nine("tl")]);
    }

    #[test]
    fn a_language_with_known_words_is_named_in_letters_that_these_are_not_in() {
        // What models take Uzbek in Cyrillic letters for.
        let site = |detected: &str| {
            let of_page = |n: usize| {
                [page(&format!("x.org/ru/{n}"), "ru", 0.99, ""), page(&format!("x.org/uz/{n}"), detected, 0.4, "uz")]
            };
            counts((0..9).flat_map(of_page).collect())
        };
        assert_eq!(site("bg"), [("ru".to_owned(), 9), ("uz".to_owned(), 9)]);
        assert_eq!(site("tr"), [("ru".to_owned(), 9), ("tr".to_owned(), 9)]);
    }

    #[test]
    fn what_all_pages_are_taken_for_stands_unless_letters_refute_it() {
        let lines = |tags: [&str; 2]| {
            let letters = Letters::of(&count(&WOLOF.join(" "))).expect("counts of all kinds");
            tags.map(|tag| Line { lang: lang(tag), letters: letters.clone() })
        };
        let of = |profiles: Profiles| {
            let facts = PageFacts { detected: lang("ht"), is_guess: true, text_bytes: 700, ..PageFacts::default() };
            let pages = (0..6).map(|n| (format!("x.org/p{n}"), count(&wolof(n)), facts)).collect();
            let pages = LetteredPages(pages);
            let read = ByLetters::new(&pages, &profiles);
            let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected));
            name(&read, &mut site, |_| true);
            (0..6).map(|page| site.lang(page).unwrap_or(Lang::UNKNOWN)).collect::<Vec<_>>()
        };
        assert_eq!(of(Profiles::default()), [lang("ht"); 6]);
        // Two languages that have the same letters, and are both nearer.
        assert!(of(Profiles::shipped().with(&lines(["tkl", "tvl"]))).iter().all(|lang| lang.is_unnamed()));
    }

    #[test]
    fn what_pages_are_taken_for_that_are_far_from_it_stands_only_where_the_site_has_texts_in_it() {
        // Taken for Haitian Creole, whose profile is far from Wolof, and for a language without one.
        let of_host = |guess: &str, count_of_guesses: usize, told: usize, host: &str| {
            let guessed = |n: usize| {
                let (detected, is_guess) = (lang(guess), true);
                let facts = PageFacts { detected, is_guess, confidence: 0.5, text_bytes: 700, ..PageFacts::default() };
                (format!("x.org/p{n}"), count(&wolof(n)), facts)
            };
            let told = (0..told).map(|n| {
                let facts =
                    PageFacts { detected: lang(guess), confidence: 0.98, text_bytes: 700, ..PageFacts::default() };
                (format!("{host}/told{n}"), Vec::new(), facts)
            });
            let mut pages: Vec<_> = (0..count_of_guesses).map(guessed).chain(told).collect();
            if host != "x.org" {
                let facts = PageFacts { detected: Lang::EN, confidence: 0.98, text_bytes: 700, ..PageFacts::default() };
                pages.extend((0..3).map(|n| (format!("x.org/q{n}"), Vec::new(), facts)));
            }
            let pages = LetteredPages(pages);
            let profiles = Profiles::default().with(&[Line {
                lang: lang("ht"),
                letters: Letters::of(&count(&ENGLISH.join(" "))).expect("counts of all kinds"),
            }]);
            let read = ByLetters::new(&pages, &profiles);
            let mut site = SiteIndex::collect(&pages, |page| Some(read.facts(page).detected));
            name(&read, &mut site, |_| true);
            let counted = (0..count_of_guesses as u32).map(|page| site.lang(page).unwrap_or(Lang::UNKNOWN).to_string());
            counted.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
        };
        let of = |guess: &str, guesses: usize, told: usize| of_host(guess, guesses, told, "x.org");
        for (few_or_a_group, none) in [(2, "und"), (6, "und-x-a")] {
            // A host that has texts, and none in the language, although another one has.
            assert_eq!(of_host("ht", few_or_a_group, 3, "y.x.org"), none);
            assert_eq!(of("ht", few_or_a_group, 0), none);
            assert_eq!(of("ht", few_or_a_group, 2), none);
            assert_eq!(of("ht", few_or_a_group, 3), "ht");
            assert_eq!(of("tlh", few_or_a_group, 0), "tlh");
        }
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
    fn a_marker_that_lies_about_a_page_does_not_name_it() {
        // English, and two languages that no words tell, of which one stands under the name of the other twice; without profiles and with them.
        let nyanja = "Anthu onse amabadwa aufulu ndiponso ofanana mu ulemu ndi mu zoyenera zao. Iwowa ndi wodalitsidwa ndi mphamvu zoganiza ndi \
                      chikumbumtima ndipo achitirane wina ndi mnzake mwa ubale. Munthu aliyense ali ndi ufulu wokhala ndi moyo.";
        let mut pages: Vec<_> =
            (0..9).map(|n| (format!("x.org/en/{n}"), "", ENGLISH[n % ENGLISH.len()].to_owned())).collect();
        pages.extend((0..9).map(|n| (format!("x.org/{}/{n}", if n < 2 { "ny" } else { "wo" }), "", wolof(n))));
        pages.extend((2..9).map(|n| (format!("x.org/ny/{n}"), "", format!("{nyanja} {n}"))));
        let found = |lang: &str, n: usize| (lang.to_owned(), n);
        let expected = [found("en", 9), found("ny", 7), found("wo", 9)];
        assert_eq!(counts_by(Profiles::shipped(), pages.clone()), expected);
        assert_eq!(counts_of_texts(pages), expected);
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
