//! The language that each page of a site counts for, before anything is known of keys: what its text tells, and what its site says where the
//! text does not tell.
//!
//! [`initial`] is the order of the work. `by_letters` reads pages as the rest sees them: where words and models guess, letters may tell.
//! `naming` believes what the site calls its languages, as far as the `sources` of such names are right about pages whose text tells;
//! `classes` tells which texts are in one language, by their letters, and `doubts` what follows where text and site differ, or nothing is named. `variants` keeps variants of a language apart that stand side by
//! side, in the whole site or in one of its [`folders`]. What keys tell of languages later is in `keys`.

use crate::index::site::{Pages, SiteIndex};
use crate::language::profiles::{Line, Profiles};
use crate::types::Lang;

mod by_letters;
mod classes;
mod doubts;
pub mod folders;
mod naming;
mod sources;
mod variants;

use by_letters::ByLetters;
pub use by_letters::told_by_letters;

/// What tells a page's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum LabelMode {
    /// The language of its text.
    Detected,
    /// English where more than half of the letters are A–Z, else Chinese (Kit & Ng 2007, §3).
    LatinShare,
}

/// How pages get their languages.
#[derive(Clone, Copy)]
pub struct Labelling<'s> {
    /// What tells a page's language.
    pub mode: LabelMode,
    /// Languages looked at; empty: all.
    pub langs: &'s [Lang],
    /// Whether a page counts for the language that its site names, if its text does not tell.
    pub is_named: bool,
    /// Whether variants of a language that a site has side by side (`pt` and `pt-BR`) are languages of their own.
    pub variants: bool,
}

impl Labelling<'_> {
    /// True for languages looked at.
    pub fn wants(&self, lang: Lang) -> bool {
        self.langs.is_empty() || self.langs.iter().any(|wanted| wanted.agrees(lang))
    }

    fn names_languages(&self) -> bool {
        self.mode == LabelMode::Detected && self.is_named
    }
}

/// What naming the languages of a site has to do with other sites.
#[derive(Default)]
pub struct Shown {
    /// The letters of languages that others may learn from it.
    pub taught: Vec<Line>,
    /// True where letters were compared with profiles, so that what others show may change what was found.
    pub is_asked: bool,
}

/// The language of each page before keys are known. `profiles` are those of languages whose letters are known.
pub fn initial<'p>(pages: &'p dyn Pages, settings: Labelling<'_>, profiles: &Profiles) -> (SiteIndex<'p>, Shown) {
    let mut shown = Shown::default();
    let labelled = |read: &dyn Pages| {
        let label = |page: u32| {
            let lang = own_language(read, page, settings.mode);
            (lang.is_known() && settings.wants(lang)).then_some(lang)
        };
        let mut site = SiteIndex::collect(pages, label);
        resolve_scripts(pages, &mut site);
        site
    };
    let mut site = if settings.names_languages() {
        let read = ByLetters::new(pages, profiles);
        let mut site = labelled(&read);
        shown.taught = naming::name(&read, &mut site, |lang| settings.wants(lang));
        shown.is_asked = read.is_asked();
        site
    } else {
        labelled(pages)
    };
    if settings.variants {
        variants::split_scripts(pages, &mut site);
        variants::split(pages, &mut site);
        // One script of a language may be asked for.
        for page in 0..pages.count() {
            if site.lang(page).is_some_and(|lang| !settings.wants(lang)) {
                site.set(page, None);
            }
        }
    }
    (site, shown)
}

/// The language of a page by itself, whether it was requested or not.
pub fn own_language(pages: &dyn Pages, page: u32, labels: LabelMode) -> Lang {
    match labels {
        LabelMode::Detected => pages.detected(page),
        // Letters of a text that is not there.
        LabelMode::LatinShare if !pages.facts(page).form.has_text() => Lang::UNKNOWN,
        LabelMode::LatinShare if pages.facts(page).latin_share > 0.5 => Lang::EN,
        LabelMode::LatinShare => Lang::ZH,
    }
}

/// Chinese pages too short to show their script count for the script they declare, else for that of most pages.
fn resolve_scripts(pages: &dyn Pages, site: &mut SiteIndex<'_>) {
    let sizes = site.sizes(0..pages.count());
    let count = |script: Lang| site.langs.binary_search(&script).map_or(0, |at| sizes[at]);
    let (simplified, traditional) = (count(Lang::ZH_HANS), count(Lang::ZH_HANT));
    if simplified + traditional == 0 || count(Lang::ZH) == 0 {
        return;
    }
    let usual = if simplified >= traditional { Lang::ZH_HANS } else { Lang::ZH_HANT };
    for page in 0..pages.count() {
        if site.lang(page) == Some(Lang::ZH) {
            let declared = pages.facts(page).declared;
            site.set(page, Some(if [Lang::ZH_HANS, Lang::ZH_HANT].contains(&declared) { declared } else { usual }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{ListedPages, PageFacts, Urls};

    fn settings(mode: LabelMode, langs: &[Lang]) -> Labelling<'_> {
        Labelling { mode, langs, is_named: true, variants: true }
    }

    fn pages(facts: impl IntoIterator<Item = PageFacts>) -> ListedPages {
        ListedPages(facts.into_iter().zip(0..).map(|(facts, page)| (format!("x.org/{page}"), facts)).collect())
    }

    fn langs(pages: &ListedPages, settings: Labelling<'_>) -> Vec<Option<Lang>> {
        let (site, _) = initial(pages, settings, Profiles::shipped());
        (0..pages.count()).map(|page| site.lang(page)).collect()
    }

    #[test]
    fn chinese_whose_script_is_not_seen_is_in_the_script_that_it_declares_or_that_most_pages_have() {
        let page = |detected, declared| PageFacts { detected, declared, confidence: 1.0, ..PageFacts::default() };
        let [none, short, long] = [Lang::UNKNOWN, Lang::ZH, Lang::ZH_HANT];
        let found = [page(long, none), page(long, none), page(Lang::ZH_HANS, none)];
        let pages = pages(found.into_iter().chain([page(short, none), page(short, Lang::ZH_HANS)]));
        let found = langs(&pages, settings(LabelMode::Detected, &[]));
        assert_eq!(found, [long, long, Lang::ZH_HANS, long, Lang::ZH_HANS].map(Some));
    }

    #[test]
    fn one_script_of_a_language_may_be_asked_for() {
        let facts = |latin_share: f32| PageFacts {
            detected: Lang::parse("sr").expect("a tag"),
            latin_share,
            confidence: 1.0,
            ..PageFacts::default()
        };
        let of =
            |mark: &str, share: f32| (0..4).map(|at| (format!("x.org/{mark}/{at}"), facts(share))).collect::<Vec<_>>();
        let pages = ListedPages([of("cir", 0.1), of("lat", 0.9)].concat());
        let found =
            |wanted: &str| langs(&pages, settings(LabelMode::Detected, &[Lang::parse_wanted(wanted).expect("a tag")]));
        let [cyrillic, latin] = ["sr-Cyrl", "sr-Latn"].map(Lang::from_tag);
        assert_eq!(found("sr-latn"), [[None; 4], [latin; 4]].concat());
        assert_eq!(found("sr"), [[cyrillic; 4], [latin; 4]].concat());
        assert_eq!(found("hr"), [None; 8]);
    }

    #[test]
    fn pages_in_languages_that_were_not_asked_for_count_for_none() {
        let page = |latin_share, form| PageFacts {
            detected: Lang::EN,
            latin_share,
            form,
            confidence: 1.0,
            ..PageFacts::default()
        };
        let [html, index] = [crate::types::Form::default(), crate::types::Form::Index];
        let pages = pages([page(0.9, html), page(0.1, html), page(0.9, index)]);
        assert_eq!(langs(&pages, settings(LabelMode::LatinShare, &[])), [Some(Lang::EN), Some(Lang::ZH), None]);
        assert_eq!(langs(&pages, settings(LabelMode::LatinShare, &[Lang::ZH])), [None, Some(Lang::ZH), None]);
        assert_eq!(langs(&pages, settings(LabelMode::Detected, &[Lang::ZH])), [None; 3]);
    }
}
