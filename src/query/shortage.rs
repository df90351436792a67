//! Hosts with pages in two languages of which few are paired, and the likeliest reason.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::browse::paired;
use super::explain::{CandidateOutcome, min_score};
use crate::config::{Config, Strategy};
use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::{self, hosts::host_ranges};
use crate::site::results::{Site, judged};
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::{JudgedPair, Lang, Outcome, SiteId, counted, grouped, host_of, registrable_domain};

/// How many pages a language must have before its pages are expected to have partners: fewer are often quotations, or names in another
/// language.
const MIN_PAGES: u32 = 10;
/// The share of the pages of a language that must have partners for a host to count as well paired. The language with the largest share
/// decides, since a small language may be paired with a few pages of a large one; the partners may be on any host.
const ENOUGH: f64 = 0.1;

/// A host with pages in two languages or more of which few are paired.
#[derive(Clone, Debug, PartialEq)]
pub struct Shortage {
    /// Host name.
    pub host: String,
    /// Registrable domain.
    pub domain: String,
    /// Pages.
    pub pages: u32,
    /// Pages in each language, whether they take part or not, without copies; the language with the most pages first.
    pub langs: Vec<(Lang, u32)>,
    /// Pairs with a page on it.
    pub pairs: u64,
    /// How many pages are concerned: the pages of its second language without a partner, or its copies.
    pub concerned: u32,
    /// The likeliest reason.
    pub reason: ShortageReason,
}

/// Why few pages of a host are paired.
#[derive(Clone, Debug, PartialEq)]
pub enum ShortageReason {
    /// Its pages in some languages take no part, because these languages are not requested.
    NotRequested {
        /// These languages, with their numbers of pages.
        langs: Vec<(Lang, u32)>,
    },
    /// Most pages that are not in its first language are untranslated copies.
    Copies {
        /// How many.
        pages: u32,
    },
    /// Most pages of a language have their own text in another language.
    ForeignText {
        /// The language.
        lang: Lang,
        /// How many.
        pages: u32,
    },
    /// Candidates were compared, and refused.
    Refused {
        /// Number of keys that were assigned pairs on the host; `None`: the settings do not use keys.
        keys: Option<usize>,
        /// How many candidates its pages without a partner have.
        candidates: u64,
        /// The most frequent decision on the best candidate of a page.
        outcome: CandidateOutcome,
        /// The best score among the candidates with that decision.
        score: f32,
    },
    /// For most of its pages no partner was proposed.
    NotProposed {
        /// Number of keys that were assigned pairs on the host; `None`: the settings do not use keys.
        keys: Option<usize>,
    },
    /// No key pairs the pages, and they have not been compared yet.
    NotComparedYet,
}

impl fmt::Display for ShortageReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_keys = |keys: &Option<usize>| match keys {
            None => String::new(),
            Some(0) => "no key pairs its pages; ".to_owned(),
            Some(1) => "1 key was assigned pairs there; ".to_owned(),
            Some(keys) => format!("{keys} keys were assigned pairs there; "),
        };
        match self {
            ShortageReason::NotRequested { langs } => {
                let langs: Vec<String> =
                    langs.iter().map(|(lang, pages)| format!("{lang} ({})", grouped(u64::from(*pages)))).collect();
                write!(f, "--langs leaves out pages in {}", langs.join(", "))
            }
            ShortageReason::Copies { pages } => write!(f, "{} of its pages are untranslated copies", pages),
            ShortageReason::ForeignText { lang, pages } => {
                write!(
                    f,
                    "{} in {lang} by their labels have their own text in another language",
                    counted(*pages, "page")
                )
            }
            ShortageReason::Refused { keys, candidates: 1, outcome, score } => {
                write!(f, "{}its one candidate has {}", of_keys(keys), outcome.with_score(*score))
            }
            ShortageReason::Refused { keys, candidates, outcome, score } => {
                let of_keys = of_keys(keys);
                let all = counted(*candidates, "candidate");
                match outcome {
                    CandidateOutcome::LowScore { .. } => {
                        write!(
                            f,
                            "{of_keys}most of {all} score too low; the best of these has {}",
                            outcome.with_score(*score)
                        )
                    }
                    CandidateOutcome::SameText => write!(f, "{of_keys}most of {all} have the same text on both sides"),
                    CandidateOutcome::Edition => {
                        write!(
                            f,
                            "{of_keys}most of {all} are of pages whose addresses belong together and whose texts do not"
                        )
                    }
                    CandidateOutcome::Contradicted => {
                        write!(f, "{of_keys}most of {all} are contradicted by partners in a third language")
                    }
                    CandidateOutcome::Forbidden => write!(f, "{of_keys}most of {all} are forbidden by corrections"),
                    _ => write!(f, "{of_keys}most of {all} lost to better pairs"),
                }
            }
            ShortageReason::NotProposed { keys } => {
                write!(f, "{}nothing proposes a partner for most of them", of_keys(keys))
            }
            ShortageReason::NotComparedYet => f.write_str("its pages have not been compared yet"),
        }
    }
}

/// The hosts of a scope with pages in two languages or more of which few are paired: those with most pages concerned first.
///
/// The counts of each host show which sites may have such hosts; only these sites are opened. In them, each page of such hosts and each
/// judged pair of the site is looked at once.
///
/// # Errors
/// When the store cannot be read.
pub fn shortages(store: &Store, config: &Config, scope: &Scope) -> Result<Vec<Shortage>> {
    let mut found = Vec::new();
    for id in sites(store, scope)? {
        let hosts = suspects(store, id, scope)?;
        if !hosts.is_empty() {
            found.extend(of_site(&Site::open(store, id)?, config, &hosts));
        }
    }
    found.sort_by(|x, y| (Reverse(x.concerned), &x.host).cmp(&(Reverse(y.concerned), &y.host)));
    Ok(found)
}

/// The hosts of a site that may have too few pairs, with the number of pairs of each.
fn suspects(store: &Store, id: SiteId, scope: &Scope) -> Result<BTreeMap<String, u64>> {
    let head = store.site(id)?.unwrap_or_default();
    let pages = |langs: &[([u8; 8], u32)]| langs.iter().map(|lang| lang.1).sum::<u32>();
    let mut hosts: Vec<_> = head.hosts.iter().filter(|host| pages(&host.langs) > MIN_PAGES).collect();
    hosts.retain(|host| scope.has_host(&host.host));
    let is_fresh = store.result_head(id)?.is_some_and(|result| result.generation == head.generation);
    if hosts.is_empty() || !is_fresh {
        return Ok(BTreeMap::new());
    }
    let Some(result) = store.result(id)? else { return Ok(BTreeMap::new()) };
    let judged = judged(store, id, &head)?;
    let by_links = judged.as_ref().map_or(0, |judged| judged.copies.len());
    // The stored counts are by detected language: they lack the languages that keys have resolved, and the copies, which count as of no
    // language.
    let names: FxHashSet<&str> = hosts.iter().map(|host| host.host.as_str()).collect();
    let rows = result.hosts.iter().filter(|row| names.contains(row.host.as_str()));
    let rows: FxHashMap<&str, Vec<(Lang, u32)>> = rows
        .map(|row| {
            let langs = row.langs.iter().map(|lang| (Lang::from_bytes(lang.0), lang.1.to_native()));
            (row.host.as_str(), langs.collect())
        })
        .collect();
    hosts.retain(|host| {
        let by_text = host.langs.iter().map(|lang| (Lang::from_bytes(lang.0), lang.1));
        let by_keys = rows.get(host.host.as_str()).map(Vec::as_slice).unwrap_or_default();
        let unknown = |langs: &mut dyn Iterator<Item = (Lang, u32)>| -> u32 {
            langs.filter(|(lang, _)| !lang.is_known()).map(|(_, pages)| pages).sum()
        };
        second(by_text.clone()) >= MIN_PAGES
            || second(by_keys.iter().copied()) >= MIN_PAGES
            || unknown(&mut by_keys.iter().copied()) >= unknown(&mut by_text.clone()) + MIN_PAGES
            || by_links >= MIN_PAGES as usize
    });
    let pairs: FxHashMap<&str, u64> = match &judged {
        Some(judged) => judged.hosts.iter().map(|row| (row.0.as_str(), row.1.to_native())).collect(),
        None => result.hosts.iter().map(|row| (row.host.as_str(), row.pairs.to_native())).collect(),
    };
    let pairs_of = |host: &str| pairs.get(host).copied().unwrap_or(0);
    let by_text = head.hosts.iter().flat_map(|host| host.langs.iter().map(|lang| Lang::from_bytes(lang.0)));
    let langs: BTreeSet<Lang> = by_text.chain(rows.values().flatten().map(|lang| lang.0)).collect();
    let langs = langs.len() as u64;
    // An upper bound for the pairs of a host that may have too few: for each language, the share `ENOUGH` of its pages, or all of them
    // where they are few, each paired once with every other language.
    let may_lack = |host: &str, pages: u32| {
        let paired = (f64::from(pages) * ENOUGH) as u64 + langs * u64::from(MIN_PAGES);
        pairs_of(host) <= paired * langs
    };
    let found = hosts.into_iter().filter(|host| may_lack(&host.host, pages(&host.langs)));
    Ok(found.map(|host| (host.host.clone(), pairs_of(&host.host))).collect())
}

/// The number of pages of the language with the second most pages; unknown is no language.
fn second(langs: impl Iterator<Item = (Lang, u32)>) -> u32 {
    let mut counts: Vec<u32> = langs.filter(|(lang, _)| lang.is_known()).map(|(_, pages)| pages).collect();
    counts.sort_unstable_by_key(|pages| Reverse(*pages));
    counts.get(1).copied().unwrap_or(0)
}

/// Counts of the pages of a host in one language.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct OfLang {
    /// All pages but copies.
    pages: u32,
    /// Pages that take part.
    part: u32,
    /// Pages whose own text is in another language.
    foreign: u32,
    /// Pages with a partner, on any host.
    paired: u32,
}

/// Counts of a host.
#[derive(Clone, Debug, Default)]
struct Counts {
    pages: u32,
    copies: u32,
    langs: BTreeMap<Lang, OfLang>,
    /// Number of rejected candidates of the pages of the second language without a partner.
    candidates: u64,
    /// For these pages: each decision on their best candidates (`None` where there is no candidate), the number of pages, and the best
    /// score.
    best: Vec<(Option<Outcome>, u32, f32)>,
    /// Keys that were assigned pairs.
    keys: FxHashSet<u32>,
}

impl Counts {
    /// The languages, sorted by `count`, the most pages first.
    fn sorted(&self, count: fn(&OfLang) -> u32) -> Vec<(Lang, u32)> {
        let mut langs: Vec<(Lang, u32)> = self.langs.iter().map(|(&lang, of)| (lang, count(of))).collect();
        langs.retain(|(_, pages)| *pages > 0);
        langs.sort_by_key(|&(lang, pages)| (Reverse(pages), lang));
        langs
    }

    /// True when some language with enough pages has partners for enough of them.
    fn has_enough(&self) -> bool {
        let mut langs = self.langs.values().filter(|of| of.part >= MIN_PAGES);
        langs.any(|of| f64::from(of.paired) >= ENOUGH * f64::from(of.part))
    }

    /// The language with the second most pages that take part, if it has enough of them.
    fn second(&self) -> Option<(Lang, u32)> {
        self.sorted(|of| of.part).get(1).copied().filter(|(_, pages)| *pages >= MIN_PAGES)
    }

    /// The likeliest reason for few pairs, and the pages concerned; `None` where there is nothing to be paired.
    fn reason(
        &self,
        is_requested: impl Fn(Lang) -> bool,
        config: &Config,
        is_judged: bool,
    ) -> Option<(ShortageReason, u32)> {
        let (all, second_part) = (self.sorted(|of| of.pages), self.second());
        let foreign = self.sorted(|of| of.foreign).into_iter().next().unwrap_or((Lang::UNKNOWN, 0));
        let mut left_out = all.clone();
        left_out.retain(|&(lang, pages)| !is_requested(lang) && pages >= MIN_PAGES);
        let not_requested = match (all.get(1), left_out.first()) {
            (Some(second), Some(first)) if second_part.is_none() => second.1.min(first.1),
            _ => 0,
        };
        let out = [
            (not_requested, ShortageReason::NotRequested { langs: left_out }),
            (self.copies, ShortageReason::Copies { pages: self.copies }),
            (foreign.1, ShortageReason::ForeignText { lang: foreign.0, pages: foreign.1 }),
        ];
        let (pages, reason) = out.into_iter().max_by_key(|(pages, _)| *pages)?;
        if pages >= MIN_PAGES && pages > second_part.map_or(0, |(_, pages)| pages) {
            return Some((reason, pages));
        }
        let (lang, _) = second_part?;
        let of_lang = self.langs[&lang];
        Some((self.of_candidates(config, is_judged), of_lang.part - of_lang.paired))
    }

    /// The reason that the candidates show.
    fn of_candidates(&self, config: &Config, is_judged: bool) -> ShortageReason {
        let by_all = matches!(config.strategy, Strategy::Webmining | Strategy::Links);
        let keys = (!config.without_keys && !by_all).then_some(self.keys.len());
        if !is_judged && (config.verifies() || config.iterates()) {
            return ShortageReason::NotComparedYet;
        }
        let most = self.best.iter().max_by_key(|(outcome, pages, _)| (*pages, outcome.map(|outcome| outcome as u8)));
        let Some(&(Some(outcome), _, score)) = most else { return ShortageReason::NotProposed { keys } };
        let outcome = match outcome {
            Outcome::SameText => CandidateOutcome::SameText,
            Outcome::Contradicted => CandidateOutcome::Contradicted,
            Outcome::Edition => CandidateOutcome::Edition,
            Outcome::Forbidden => CandidateOutcome::Forbidden,
            Outcome::LowScore => CandidateOutcome::LowScore { min_score: min_score(config, score) },
            Outcome::LostToBetter | Outcome::Accepted => CandidateOutcome::LostToBetter { better: Vec::new() },
        };
        ShortageReason::Refused { keys, candidates: self.candidates, outcome, score }
    }
}

/// Those of the given hosts of a site that have too few pairs.
fn of_site(site: &Site, config: &Config, hosts: &BTreeMap<String, u64>) -> Vec<Shortage> {
    let host = |range: &Range<u32>| host_of(site.pages.identity(range.start)).to_owned();
    let mut ranges = host_ranges(&site.pages);
    ranges.retain(|range| hosts.contains_key(&host(range)));
    let paired = paired(site);
    let mut counts: Vec<Counts> =
        ranges.iter().map(|range| of_pages(site, &config.keys, range.clone(), &paired)).collect();
    // Most hosts are ruled out by their pages, before the candidates are read.
    let lack: Vec<bool> = counts.iter().map(|counts| !counts.has_enough()).collect();
    let second: Vec<Option<Lang>> = counts.iter().map(|counts| counts.second().map(|(lang, _)| lang)).collect();
    let at = |page: u32| {
        let at = ranges.partition_point(|range| range.end <= page);
        (ranges.get(at)?.contains(&page) && lack[at]).then_some(at)
    };
    let is_concerned = |page: u32, at: usize| !paired[page as usize] && second[at] == Some(site.lang(page));
    let mut best: FxHashMap<u32, JudgedPair> = FxHashMap::default();
    for pair in site.judged.iter().flat_map(|judged| judged.pairs()).filter(|pair| !pair.is_accepted()) {
        for (page, at) in [pair.pair.a, pair.pair.b].into_iter().filter_map(|page| Some((page, at(page)?))) {
            if is_concerned(page, at) {
                counts[at].candidates += 1;
                let known = best.entry(page).or_insert(pair);
                if pair.score > known.score {
                    *known = pair;
                }
            }
        }
    }
    for row in site.result.iter().flat_map(|result| result.pairs.iter()) {
        for at in [row.a, row.b].into_iter().filter_map(|page| at(page.to_native())) {
            counts[at].keys.insert(row.key.to_native());
        }
    }
    let mut found = Vec::new();
    for at in (0..ranges.len()).filter(|&at| lack[at]) {
        let (range, counts) = (&ranges[at], &mut counts[at]);
        counts.best = best_of(range.clone().filter(|&page| is_concerned(page, at)), &best);
        let Some((reason, concerned)) = counts.reason(|lang| config.keys.wants(lang), config, site.judged.is_some())
        else {
            continue;
        };
        let host = host(range);
        found.push(Shortage {
            domain: registrable_domain(&host).into_owned(),
            pages: counts.pages,
            langs: counts.sorted(|of| of.pages),
            pairs: hosts.get(&host).copied().unwrap_or(0),
            concerned,
            reason,
            host,
        });
    }
    found
}

/// The decisions on the best candidates of pages, each with the number of pages and the best score.
fn best_of(pages: impl Iterator<Item = u32>, best: &FxHashMap<u32, JudgedPair>) -> Vec<(Option<Outcome>, u32, f32)> {
    let mut found: Vec<(Option<Outcome>, u32, f32)> = Vec::new();
    for page in pages {
        let best = best.get(&page);
        let (outcome, score) = (best.map(|pair| pair.outcome), best.map_or(0.0, |pair| pair.score));
        match found.iter_mut().find(|known| known.0 == outcome) {
            Some(known) => (known.1, known.2) = (known.1 + 1, known.2.max(score)),
            None => found.push((outcome, 1, score)),
        }
    }
    found
}

/// Counts the pages of a host. A page that counts for no language, because nothing tells it or because what was guessed was denied, is in none here.
fn of_pages(site: &Site, keys: &keys::Params, range: Range<u32>, paired: &[bool]) -> Counts {
    let mut counts = Counts { pages: range.end - range.start, ..Counts::default() };
    for page in range {
        if site.copy_of(page).is_some() {
            counts.copies += 1;
            continue;
        }
        let by_keys = Some(site.lang_by_keys(page)).filter(|lang| lang.is_known());
        if let Some(lang) = by_keys.or_else(|| site.not_requested(page, keys)) {
            let of_lang = counts.langs.entry(lang).or_default();
            of_lang.pages += 1;
            of_lang.part += u32::from(site.lang(page).is_known());
            of_lang.foreign += u32::from(site.foreign(page).is_some());
            of_lang.paired += u32::from(paired[page as usize]);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    /// Numbers of pages by language: all but copies, those that take part, those whose own text is foreign, and those with a partner.
    fn counts(copies: u32, langs: &[(&str, [u32; 4])]) -> Counts {
        let of = |&(tag, [pages, part, foreign, paired]): &(&str, [u32; 4])| {
            (lang(tag), OfLang { pages, part, foreign, paired })
        };
        Counts { copies, langs: langs.iter().map(of).collect(), ..Counts::default() }
    }

    fn reason(counts: &Counts) -> Option<(String, u32)> {
        let config = Config::preset("default").expect("a preset");
        let found = counts.reason(|lang| lang != Lang::ZH, &config, true)?;
        Some((found.0.to_string(), found.1))
    }

    #[test]
    fn the_language_that_is_paired_best_decides() {
        assert!(!counts(0, &[("en", [90, 90, 0, 0]), ("fr", [89, 89, 0, 8])]).has_enough());
        assert!(counts(0, &[("en", [90, 90, 0, 0]), ("fr", [89, 89, 0, 9])]).has_enough());
        // A small translated section, and a few pages that are in a language by chance.
        assert!(counts(0, &[("en", [900, 900, 0, 20]), ("fr", [20, 20, 0, 20])]).has_enough());
        assert!(!counts(0, &[("en", [900, 900, 0, 5]), ("fr", [5, 5, 0, 5])]).has_enough());
    }

    #[test]
    fn what_keeps_most_pages_out_is_the_reason() {
        let of = |copies, langs: &[(&str, [u32; 4])]| reason(&counts(copies, langs));
        assert_eq!(of(0, &[("en", [90, 90, 0, 0]), ("fr", [9, 9, 0, 0])]), None);
        assert_eq!(of(9, &[("en", [90, 90, 0, 0])]), None);
        let said = |text: &str, pages| Some((text.to_owned(), pages));
        assert_eq!(of(40, &[("en", [90, 90, 0, 0])]), said("40 of its pages are untranslated copies", 40));
        assert_eq!(
            of(0, &[("en", [90, 90, 0, 0]), ("fr", [60, 15, 45, 0])]),
            said("45 pages in fr by their labels have their own text in another language", 45)
        );
        let not_requested = of(0, &[("en", [90, 90, 0, 0]), ("zh", [30, 0, 0, 0])]);
        assert_eq!(not_requested, said("--langs leaves out pages in zh (30)", 30));
        let not_proposed = said("no key pairs its pages; nothing proposes a partner for most of them", 58);
        assert_eq!(of(5, &[("en", [90, 90, 0, 2]), ("fr", [60, 60, 0, 2])]), not_proposed);
    }

    #[test]
    fn the_best_candidates_of_most_pages_tell_what_was_lacking() {
        let found = |best: &[(Option<Outcome>, u32, f32)]| {
            let langs = [("en", [90, 90, 0, 0]), ("fr", [60, 60, 0, 0])];
            let counts = Counts { best: best.to_vec(), candidates: 70, ..counts(0, &langs) };
            reason(&counts).expect("pages without a partner").0
        };
        let (low, lost, same) = (Some(Outcome::LowScore), Some(Outcome::LostToBetter), Some(Outcome::SameText));
        assert_eq!(
            found(&[(low, 50, 0.25), (lost, 40, 0.9), (None, 30, 0.0)]),
            "no key pairs its pages; most of 70 candidates score too low; the best of these has score 0.2500: below the minimum 0.5"
        );
        assert_eq!(found(&[(lost, 50, 0.9)]), "no key pairs its pages; most of 70 candidates lost to better pairs");
        assert!(found(&[(low, 5, 0.2), (same, 50, 0.0)]).ends_with("have the same text on both sides"));
        assert!(found(&[(low, 5, 0.2), (None, 50, 0.0)]).ends_with("nothing proposes a partner for most of them"));
    }
}
