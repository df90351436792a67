//! What letters decide of the languages that a site names: about pages whose text may be in another one than they are called by, and about those that nothing
//! names.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::by_letters::{ByLetters, is_doubtful, is_written_so, letters_of, may_be_by_letters};
use super::classes::{self, APART, Classes, MIN_NAMED, Written};
use super::sources::{BELIEVED, Known, Text};
use crate::index::site::{PageFacts, Pages, SiteIndex, Urls};
use crate::language::letters::Letters;
use crate::language::profiles::{Compared, Line, NEARER};
use crate::language::{is_told, is_told_as};
use crate::types::Lang;

/// What the letters of texts have to decide.
#[derive(Default)]
pub struct Doubts {
    /// Pages that the site calls by the name of a language that their text may be in.
    pub named: BTreeMap<u32, Lang>,
    /// Doubtful pages, and what the site calls them.
    pub pages: Vec<(u32, Option<Lang>)>,
    /// Pages that the site calls by the name of a language, the first, whose texts were taken for another one of the site, the second.
    pub contested: BTreeMap<(Lang, Lang), Vec<u32>>,
    /// What the site shows of languages.
    pub taught: Taught,
}

impl Doubts {
    /// Lets pages count for the language that the site calls them by, where their texts were taken for another one that is on the site too: if nothing
    /// tells these two; or if the texts are alike, and unlike those in the other one, and no profile says that they are nearer to that. What was left
    /// untranslated is like the others.
    pub fn settle_contested(&self, pages: &ByLetters<'_>, site: &mut SiteIndex<'_>, wants: impl Fn(Lang) -> bool) {
        if self.contested.is_empty() {
            return;
        }
        let classes = self.uncontested(pages, site);
        let letters_in = |of: &dyn Fn(Lang) -> bool| {
            let mut sum = Letters::default();
            classes.iter().filter(|(lang, _)| of(**lang)).for_each(|(_, letters)| sum.add(letters));
            sum
        };
        for (&(named, told), contested) in &self.contested {
            let mut own = letters_in(&|lang| lang == named);
            own.add(&letters_of(pages, contested));
            let compared = pages.compare(&own, named, told);
            // If the program had a list of words of this language, they would have told it.
            let is_possible = contested.iter().all(|&page| !is_told_as(named, pages.facts(page).latin_share));
            if compared == Some(Compared::Told) || compared.is_none() && !is_possible {
                continue;
            }
            let other = letters_in(&|lang| lang.agrees(told));
            // How much nearer to its own than to the others each page is, and all together, by their letters.
            let mut nearer: FxHashMap<u32, f64> = FxHashMap::default();
            let (mut sum, mut total) = (0.0, 0.0);
            for &page in contested {
                let Some(letters) = Letters::of(pages.letters(page)) else { continue };
                own.take(&letters);
                let by = other.distance(&letters) - own.distance(&letters);
                own.add(&letters);
                if by.is_finite() {
                    sum += by * letters.total() as f64;
                    total += letters.total() as f64;
                    nearer.insert(page, by);
                }
            }
            // Han characters tell no more than that a text is Chinese, written Hakka as well.
            let are_same = compared == Some(Compared::Same) || told.agrees(Lang::ZH);
            if !are_same && (total == 0.0 || sum / total < NEARER) {
                continue;
            }
            // Pages whose letters were not counted count for the same language as nearly all others.
            let most = nearer.values().filter(|by| **by > 0.0).count() as f64 >= BELIEVED * nearer.len() as f64;
            for &page in contested.iter().filter(|page| are_same || nearer.get(page).map_or(most, |by| *by > 0.0)) {
                site.set(page, Some(named).filter(|lang| wants(*lang)));
            }
        }
    }

    /// The letters of the languages of the site, from pages that nothing else is said of and from those that are named.
    fn uncontested(&self, pages: &ByLetters<'_>, site: &SiteIndex<'_>) -> BTreeMap<Lang, Letters> {
        let contested: FxHashSet<u32> = self.contested.values().flatten().copied().collect();
        let mut classes: BTreeMap<Lang, Letters> = BTreeMap::new();
        for page in (0..pages.count()).filter(|page| !contested.contains(page)) {
            if let Some(lang) = site.lang(page)
                && (self.named.get(&page) == Some(&lang) || pages.detected(page).agrees(lang))
                && let Some(letters) = Letters::of(pages.letters(page))
            {
                classes.entry(lang).or_default().add(&letters);
            }
        }
        classes
    }

    /// Decides by the letters of their texts which language the pages count for that nothing names, and those that are named and unlike others
    /// of that name.
    pub fn settle(
        mut self,
        pages: &ByLetters<'_>,
        site: &mut SiteIndex<'_>,
        wants: impl Fn(Lang) -> bool,
        known: &Known,
    ) -> Taught {
        let mut classes = self.classes(pages, site);
        for (&page, &lang) in &self.named {
            let Some(letters) = Letters::of(pages.letters(page)) else { continue };
            let written = written(lang, &pages.facts(page));
            classes.take(written, &letters);
            let is_far = classes.distance(written, &letters).is_some_and(|distance| distance > APART);
            if is_far || classes.is_in_another(written, &letters) {
                self.pages.push((page, None));
            } else {
                classes.add(written, &letters);
                self.taught.add(pages, page, lang);
            }
        }
        let mut left = Vec::new();
        for &(page, called) in &self.pages {
            let facts = pages.facts(page);
            let may_be = |lang: Lang| is_written_so(lang, &facts);
            let may_be_like = |lang: Lang| may_be_by_letters(lang, &facts);
            let letters = Letters::of(pages.letters(page)).unwrap_or_default();
            let distance =
                |lang: Lang| classes.distance(written(lang, &facts), &letters).filter(|distance| *distance <= APART);
            let guess = Some(facts.detected).filter(|guess| known.told.contains_key(&guess.base()));
            // Of two languages, the one that the site calls it by and the one that was detected, the one whose letters are nearer.
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
                None if known.may_be_guess(pages, pages.detected(page), &[page], &letters_of(pages, &[page])) => {}
                None => site.set(page, None),
            }
        }
        let mut groups: Vec<Vec<u32>> = groups.into_iter().flat_map(|group| pages.divide(group)).collect();
        // Languages without a name are numbered, those with the most pages first.
        groups.sort_by_key(|group| (Reverse(group.len()), group.first().copied()));
        let mut unnamed = (0..).map_while(Lang::unnamed);
        for group in &groups {
            let letters = letters_of(pages, group);
            let may_be = |guess: Lang| {
                known.may_be_guess(pages, guess, group, &letters) && !pages.refute_together(group, &letters, guess)
            };
            let guess = guess_of(pages, group).filter(|&guess| may_be(guess));
            let told = pages.tell_together(group, &letters, guess.unwrap_or(Lang::UNKNOWN));
            let named = known.name_of(pages, group).filter(|&named| !pages.deny_together(group, &letters, named));
            if let Some(lang) = named {
                group.iter().for_each(|&page| self.taught.add(pages, page, lang));
            }
            let lang = named.or(told).or(guess).or_else(|| unnamed.next()).filter(|lang| wants(*lang));
            group.iter().for_each(|&page| site.set(page, lang));
        }
        self.taught
    }

    /// The letters of the languages of the site, from pages whose text tells theirs, and from those that are named.
    fn classes(&self, pages: &dyn Pages, site: &SiteIndex<'_>) -> Classes {
        let (mut classes, mut likely) = (Classes::default(), Classes::default());
        for page in 0..pages.count() {
            let Some(letters) = Letters::of(pages.letters(page)) else { continue };
            let facts = pages.facts(page);
            let own = |lang: Lang| written(site.lang(page).unwrap_or(lang), &facts);
            match (self.named.get(&page), Text::of(&facts)) {
                (Some(&lang), _) => classes.add(written(lang, &facts), &letters),
                (None, Text::Told(lang)) => classes.add(own(lang), &letters),
                (None, Text::Likely(lang)) => likely.add(own(lang), &letters),
                _ => {}
            }
        }
        // Texts that are partly in another language have the letters of both, so they are used only where there are no others.
        classes.complete(likely);
        classes
    }
}

/// A text in a language, as it is written.
fn written(lang: Lang, facts: &PageFacts) -> Written {
    (lang, facts.latin_share > 0.5)
}

/// The language that nearly all of a group of pages are taken for: a text without sentences lacks the function words of its language too.
fn guess_of(pages: &dyn Pages, group: &[u32]) -> Option<Lang> {
    let mut counts: BTreeMap<Lang, usize> = BTreeMap::new();
    group.iter().for_each(|&page| *counts.entry(pages.detected(page)).or_default() += 1);
    let is_one = |&(lang, count): &(Lang, usize)| lang.is_known() && count as f64 >= BELIEVED * group.len() as f64;
    counts.into_iter().find(is_one).map(|(lang, _)| lang)
}

/// The letters of texts that the site names, where words cannot tell their language, and of how many pages.
#[derive(Default)]
pub struct Taught(BTreeMap<Written, (u32, Letters)>);

impl Taught {
    pub fn add(&mut self, pages: &ByLetters<'_>, page: u32, lang: Lang) {
        let facts = pages.facts(page);
        if !is_told(lang)
            && is_doubtful(&facts)
            && let Some(letters) = Letters::of(pages.letters(page))
        {
            let of_lang = self.0.entry(written(lang.base(), &facts)).or_default();
            of_lang.0 += 1;
            of_lang.1.add(&letters);
        }
    }

    /// The letters of each language with enough of them, in the script that more of its pages are in.
    pub fn lines(self) -> Vec<Line> {
        let mut most: BTreeMap<Lang, (u32, Letters)> = BTreeMap::new();
        for ((lang, _), of_script) in self.0 {
            let of_lang = most.entry(lang).or_default();
            if of_script.0 > of_lang.0 {
                *of_lang = of_script;
            }
        }
        let enough = most
            .into_iter()
            .filter(|(_, (pages, letters))| *pages >= MIN_NAMED && letters.total() >= classes::MIN_LETTERS);
        enough.map(|(lang, (_, letters))| Line { lang, letters }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::LetteredPages;
    use crate::language::letters::count;
    use crate::language::profiles::Profiles;

    const ENGLISH: [&str; 2] = [
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one \
         another in a spirit of brotherhood.",
        "Everyone is entitled to all the rights and freedoms set forth in this Declaration, without distinction of any kind, such as race, \
         colour, sex, language or religion.",
    ];
    /// In Wolof.
    const WOLOF: [&str; 2] = [
        "Doomi aadama yépp danuy juddu, yam ci tawfeex ci sag ak sañ-sañ. Nekk na it ku xam dëgg te ànd na ak xelam, te war naa jëflante ak nawleen.",
        "Ku nekk mën nga wax ne am nga sañ-sañ ak péexte yi ñu nas ci biral gii, te amul xeejoo, maanaam amul bokk gi nga bokk ci xeet, melo, baat.",
    ];

    /// Of pages whose texts words took for English, and which the site calls Wolof, those that count for Wolof. The first four are contested.
    fn called_wolof(contested: [&str; 4]) -> Vec<u32> {
        let [en, wo] = ["en", "wo"].map(|tag| Lang::parse(tag).expect("a tag"));
        let facts = PageFacts { detected: en, confidence: 0.8, latin_share: 1.0, ..PageFacts::default() };
        let texts = contested.into_iter().chain(ENGLISH.into_iter().cycle().take(8));
        let pages = texts.enumerate().map(|(n, text)| (format!("x.org/{n:02}"), count(text), facts));
        let pages = LetteredPages(pages.collect());
        let read = ByLetters::new(&pages, Profiles::shipped());
        let mut site = SiteIndex::collect(&pages, |_| Some(en));
        let contested = BTreeMap::from([((wo, en), vec![0, 1, 2, 3])]);
        Doubts { contested, ..Doubts::default() }.settle_contested(&read, &mut site, |_| true);
        (0..pages.0.len() as u32).filter(|&page| site.lang(page) == Some(wo)).collect()
    }

    #[test]
    fn a_language_in_two_scripts_is_taught_in_the_one_that_more_of_its_pages_are_in() {
        let wo = Lang::parse("wo").expect("a tag");
        let latin = WOLOF.join(" ").repeat(2);
        let other = latin
            .chars()
            .map(|c| if c.is_ascii_lowercase() { char::from_u32(c as u32 + 0x3d0).unwrap_or(c) } else { c });
        let other: String = other.collect();
        let page = |n: usize, text: &str, latin_share: f32| {
            (format!("x.org/{n}"), count(text), PageFacts { is_guess: true, latin_share, ..PageFacts::default() })
        };
        let mut pages: Vec<_> = (0..4).map(|n| page(n, &latin, 1.0)).collect();
        pages.extend((4..7).map(|n| page(n, &other, 0.0)));
        let pages = LetteredPages(pages);
        let read = ByLetters::new(&pages, Profiles::shipped());
        let mut taught = Taught::default();
        (0..7).for_each(|page| taught.add(&read, page, wo));
        assert_eq!(taught.lines(), [Line { lang: wo, letters: letters_of(&read, &[0, 1, 2, 3]) }]);
    }

    #[test]
    fn pages_count_for_the_language_that_they_are_called_by_where_their_letters_are_not_those_of_the_other_one() {
        let ([a, b], [c, d]) = (WOLOF, ENGLISH);
        assert_eq!(called_wolof([a, b, a, b]), [0, 1, 2, 3]);
        assert_eq!(called_wolof([a, b, a, d]), [0, 1, 2]);
        assert_eq!(called_wolof([c, d, c, d]), [0u32; 0]);
    }
}
