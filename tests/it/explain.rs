//! `explain` says what is so: every verdict on a small site that shows it, and on random sites agreement with what `pairs` lists, with
//! what was left out and with the settings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use diglot::config::{Config, LabelMode, Strategy};
use diglot::inputs::Inputs;
use diglot::pipeline::{self, Context, Silent};
use diglot::query::explain::{
    CandidateOutcome, Explanation, LanguageReason, LeadOutcome, NamedPair, PageExplanation, PageVerdict,
    PairExplanation, PairVerdict,
};
use diglot::query::{self, Scope};
use diglot::store::{Access, Store};
use diglot::types::{CanonicalUrl, Lang, Outcome, PairLine, SkipReason};
use tempfile::TempDir;

use crate::sites::{Dice, html};
use crate::support::write_warc;

/// Pages of a WARC: URL, HTTP status, HTML.
type Pages = BTreeMap<String, (&'static str, String)>;

/// A store of a few pages, run with some settings.
struct Run {
    folder: TempDir,
    config: Config,
}

impl Run {
    fn new(pages: &Pages, config: Config, until: &str) -> Run {
        let folder = tempfile::tempdir().expect("a folder");
        let responses: Vec<_> =
            pages.iter().map(|(url, (status, html))| (url.as_str(), *status, html.as_str())).collect();
        write_warc(&folder.path().join("site.warc"), &responses);
        let mut run = Run { folder, config: config.clone() };
        run.again(config, until);
        run
    }

    fn again(&mut self, config: Config, until: &str) {
        let mut store = Store::open(&self.folder.path().join("store"), Access::Write).expect("a store");
        let inputs = Inputs::from(&[self.folder.path().join("site.warc")][..]);
        let stop = AtomicBool::new(false);
        let context = Context { config: &config, inputs: &inputs, observer: &Silent, stop: &stop };
        pipeline::run(&mut store, &context, until).expect("a sound store");
        self.config = config;
    }

    fn store(&self) -> Store {
        Store::open(&self.folder.path().join("store"), Access::Read).expect("a store")
    }

    fn page(&self, url: &str) -> PageExplanation {
        explain(&self.store(), &self.config, url, None).pages.remove(0)
    }

    fn verdict(&self, url: &str) -> PageVerdict {
        self.page(url).verdict
    }

    fn pair(&self, url: &str, other: &str) -> PairVerdict {
        explain(&self.store(), &self.config, url, Some(other)).pair.expect("two URLs").verdict
    }
}

fn explain(store: &Store, config: &Config, url: &str, other: Option<&str>) -> Explanation {
    let parse = |url: &str| CanonicalUrl::parse(url).expect("a URL");
    diglot::explain(store, config, &parse(url), other.map(parse).as_ref()).expect("a sound store")
}

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::preset("default").expect("a preset");
    change(&mut config);
    config
}

fn lang(tag: &str) -> Lang {
    Lang::parse(tag).expect("a tag")
}

fn url(lang: &str, number: usize) -> String {
    format!("http://ex.test/{lang}/p{number}.html")
}

fn put(pages: &mut Pages, url: impl Into<String>, lang: &str, number: usize) {
    pages.insert(url.into(), ("200 OK", html(lang, number)));
}

/// Pages of the languages that are translations of each other, at [`url`].
fn translated(langs: &[&str], count: usize) -> Pages {
    let mut pages = Pages::new();
    for number in 0..count {
        langs.iter().for_each(|lang| put(&mut pages, url(lang, number), lang, number));
    }
    pages
}

const SHORT: &str = "<p>Soon";
/// Long enough to be a page, in no language.
fn numbers() -> String {
    format!("<p>{}</p>", (1000..1060).map(|n| n.to_string()).collect::<Vec<_>>().join(" "))
}

#[test]
fn a_page_that_is_not_there_and_one_that_has_partners_are_told_apart() {
    let mut pages = translated(&["en", "fr"], 6);
    pages.insert(url("en", 20), ("200 OK", SHORT.into()));
    pages.insert(url("fr", 21), ("404 Not Found", "<p>Nothing".into()));
    let run = Run::new(&pages, config(|_| {}), "iterate");
    assert_eq!(run.verdict("http://nowhere.test/"), PageVerdict::UnknownDomain { domain: "nowhere.test".into() });
    assert_eq!(run.verdict(&url("en", 99)), PageVerdict::NotCaptured);
    for left_out in [url("en", 20), url("fr", 21)] {
        assert_eq!(run.verdict(&left_out), PageVerdict::CapturesLeftOut);
        assert_eq!(run.page(&left_out).left_out.len(), 1);
    }
    assert_eq!(run.verdict(&url("en", 1)), PageVerdict::Paired { pages: 1 });
    let pair = run.pair(&url("fr", 1), &url("en", 1));
    assert!(matches!(&pair, PairVerdict::Pair { by, .. } if by.key.as_deref() == Some("path:en:fr")), "{pair:?}");
    assert_eq!(run.pair(&url("en", 1), &url("en", 2)), PairVerdict::SameLanguage { lang: Lang::EN });
    assert_eq!(run.pair(&url("en", 1), &url("fr", 2)), PairVerdict::NotProposed);
    assert_eq!(run.pair(&url("en", 1), &url("fr", 99)), PairVerdict::NotBothPages);
    assert_eq!(run.pair(&url("en", 1), "http://nowhere.test/"), PairVerdict::DifferentDomains);
}

#[test]
fn before_keys_are_searched_nothing_is_said_of_partners() {
    let pages = translated(&["en", "fr"], 4);
    let mut run = Run::new(&pages, config(|_| {}), "ingest");
    assert_eq!(run.verdict(&url("en", 1)), PageVerdict::NotIndexed);
    run.again(config(|_| {}), "links");
    assert_eq!(run.verdict(&url("en", 1)), PageVerdict::KeysNotSearched);
    assert_eq!(run.pair(&url("en", 1), &url("fr", 1)), PairVerdict::NotJudgedYet);
    run.again(config(|_| {}), "keys");
    assert_eq!(run.verdict(&url("en", 1)), PageVerdict::Paired { pages: 1 });
    assert!(matches!(run.pair(&url("en", 1), &url("fr", 1)), PairVerdict::Pair { .. }));
    assert_eq!(run.pair(&url("en", 1), &url("fr", 2)), PairVerdict::NotJudgedYet);
}

#[test]
fn a_score_below_the_minimum_is_the_reason_and_no_pair_is_made_up() {
    let run = Run::new(&translated(&["en", "fr"], 8), config(|config| config.judge.min_score = 1.0), "iterate");
    let page = run.page(&url("en", 3));
    assert!(matches!(page.verdict, PageVerdict::CandidatesRejected { .. }), "{page:?}");
    assert!(page.leads.is_empty(), "{page:?}");
    let key = page.candidates.iter().find(|candidate| candidate.url == url("fr", 3)).expect("the pair of the key");
    assert_eq!(key.outcome, CandidateOutcome::LowScore { min_score: Some(1.0) });
    let text = key.outcome.with_score(key.score);
    assert!(text.ends_with("below the minimum 1") && !text.starts_with("score 1"), "{text}");
    let verdict = run.pair(&url("en", 3), &url("fr", 3));
    assert!(matches!(verdict, PairVerdict::Rejected { outcome: CandidateOutcome::LowScore { .. }, .. }), "{verdict}");
}

#[test]
fn a_language_that_was_not_requested_is_told_from_one_that_is_not_known() {
    let mut pages = translated(&["en", "fr", "de"], 6);
    pages.insert(url("en", 50), ("200 OK", numbers()));
    let requested = vec![lang("en"), lang("fr")];
    let mut run = Run::new(&pages, config(|config| config.keys.langs = requested.clone()), "iterate");
    let of_de = PageVerdict::LanguageNotRequested { lang: lang("de"), requested };
    assert_eq!(run.verdict(&url("de", 1)), of_de);
    let languages = run.page(&url("de", 1)).languages.expect("a page");
    assert_eq!((languages.counts_for, languages.reason), (Lang::UNKNOWN, LanguageReason::NotRequested));
    assert_eq!(run.pair(&url("en", 1), &url("de", 1)), PairVerdict::NoLanguage { url: url("de", 1) });
    // The settings say otherwise before the run does.
    run.config.keys.langs.clear();
    assert_eq!(run.verdict(&url("de", 1)), PageVerdict::LanguagesChanged { lang: lang("de") });
    let pages = Pages::from([("http://und.test/a.html".to_owned(), ("200 OK", numbers()))]);
    let run = Run::new(&pages, config(|_| {}), "iterate");
    assert_eq!(run.verdict("http://und.test/a.html"), PageVerdict::LanguageUnknown { guess: None, requested: vec![] });
}

#[test]
fn a_copy_names_the_page_that_stands_for_it() {
    let mut pages = translated(&["en", "fr"], 8);
    (0..8).for_each(|number| put(&mut pages, url("de", number), "en", number));
    let run = Run::new(&pages, config(|_| {}), "iterate");
    assert_eq!(run.verdict(&url("de", 2)), PageVerdict::CopyByUrl { of: url("en", 2), lang: Lang::EN });
    assert_eq!(run.page(&url("de", 2)).languages.expect("a page").reason, LanguageReason::Copy);
    assert_eq!(run.pair(&url("fr", 2), &url("de", 2)), PairVerdict::NoLanguage { url: url("de", 2) });
}

#[test]
fn a_page_that_nothing_is_proposed_for_is_told_what_keys_say() {
    // A page whose partner is not there, one whose text is in another language, and one that no key fits.
    let mut pages = translated(&["en", "fr", "de"], 10);
    put(&mut pages, url("en", 30), "en", 300);
    put(&mut pages, "http://ex.test/odd.html", "de", 301);
    put(&mut pages, url("fr", 31), "de", 302);
    put(&mut pages, url("en", 31), "de", 303);
    let until_keys = Run::new(&pages, config(|_| {}), "keys");
    let page = until_keys.page(&url("en", 30));
    assert_eq!(page.verdict, PageVerdict::LeadsAreNoPartners { urls: 2 }, "{page:?}");
    let urls: BTreeSet<&str> = page.leads.iter().map(|lead| lead.url.as_str()).collect();
    assert_eq!(urls, BTreeSet::from([url("fr", 30).as_str(), url("de", 30).as_str()]));
    assert!(page.leads.iter().all(|lead| lead.outcome == LeadOutcome::NotInArchives), "{page:?}");
    assert_eq!(until_keys.verdict("http://ex.test/odd.html"), PageVerdict::KeysLeadNowhere);
    let verdict = until_keys.verdict(&url("fr", 31));
    assert_eq!(verdict, PageVerdict::TextNotInUrlLanguage { lang: lang("de"), url: vec![lang("fr")] });
    // Also of a page that has a partner, or candidates that only links propose; not of one whose URL has its own language.
    let whole = Run::new(&pages, config(|_| {}), "iterate");
    for (of, expected) in [(url("fr", 31), vec![lang("fr")]), (url("en", 31), vec![lang("en")]), (url("de", 3), vec![])]
    {
        let page = whole.page(&of);
        assert_eq!(page.url_languages.iter().map(|known| known.lang).collect::<Vec<_>>(), expected, "{page:?}");
    }
    // Without URLs, or without any key, nothing of the kind is said.
    let mut alone = Pages::new();
    put(&mut alone, "http://one.test/a.html", "en", 1);
    put(&mut alone, "http://one.test/zzz/b.html", "en", 2);
    let run = Run::new(&alone, config(|_| {}), "iterate");
    assert_eq!(run.verdict("http://one.test/a.html"), PageVerdict::NoStrongKey);
    let run = Run::new(&alone, config(|config| config.without_keys = true), "iterate");
    assert_eq!(run.verdict("http://one.test/a.html"), PageVerdict::NothingProposed);
}

#[test]
fn a_lead_says_what_the_url_is() {
    let mut pages = translated(&["en", "fr", "de"], 10);
    put(&mut pages, url("en", 40), "en", 400);
    pages.insert(url("fr", 40), ("404 Not Found", "<p>Nothing".into()));
    put(&mut pages, url("en", 41), "en", 401);
    put(&mut pages, url("fr", 41), "de", 402);
    let run = Run::new(&pages, config(|_| {}), "keys");
    let lead = |number: usize| {
        let leads = run.page(&url("en", number)).leads;
        leads.into_iter().find(|lead| lead.url == url("fr", number)).expect("where the key leads").outcome
    };
    assert!(matches!(lead(40), LeadOutcome::LeftOut { reason: Some(_), .. }), "{:?}", lead(40));
    assert_eq!(lead(41), LeadOutcome::OtherLanguage { lang: lang("de"), expected: lang("fr") });
}

#[test]
fn domains_that_differ_in_their_suffix_say_whether_that_was_asked() {
    let mut pages = Pages::new();
    for number in 0..3 {
        put(&mut pages, format!("http://golf.de/a{number}.html"), "de", number);
        put(&mut pages, format!("http://golf.fr/b{number}.html"), "fr", number + 50);
    }
    let (a, b) = ("http://golf.de/a1.html", "http://golf.fr/b1.html");
    let run = Run::new(&pages, config(|_| {}), "keys");
    assert_eq!(run.pair(a, b), PairVerdict::AcrossSuffixesOff);
    let run = Run::new(&pages, config(|config| config.keys.across_suffixes = true), "keys");
    assert_eq!(run.pair(a, b), PairVerdict::NotOneSite);
}

#[test]
fn a_pair_that_lost_names_the_better_one() {
    let pages = translated(&["en", "fr"], 6);
    let mut settings = Config::preset("link-2014").expect("a preset");
    settings.keys.langs = vec![lang("en"), lang("fr")];
    let run = Run::new(&pages, settings, "iterate");
    let store = run.store();
    let listed = listed(&store, &run.config);
    let lost = run.page(&url("en", 2)).candidates.into_iter().find_map(|candidate| match candidate.outcome {
        CandidateOutcome::LostToBetter { better } => Some((candidate.url, better)),
        _ => None,
    });
    let (other, better) = lost.expect("pages that are alike in their tags");
    assert!(better.iter().all(|pair| listed.contains_key(&of(pair))) && !better.is_empty(), "{better:?}");
    let verdict = run.pair(&url("en", 2), &other);
    assert!(matches!(verdict, PairVerdict::Rejected { .. }), "{verdict}");
    assert!(!explain(&store, &run.config, &url("en", 2), None).pages[0].rounds.is_empty());
    // A page with too little text is compared with none.
    let mut settings = run.config.clone();
    settings.ets.min_text = u32::MAX;
    let run = Run::new(&pages, settings, "iterate");
    assert_eq!(run.pair(&url("en", 2), &url("fr", 2)), PairVerdict::NotCompared);
}

/// Two URLs of a pair, in their order.
type Two = [String; 2];

fn two(a: &str, b: &str) -> Two {
    let mut two = [a.to_owned(), b.to_owned()];
    two.sort();
    two
}

fn of(pair: &NamedPair) -> Two {
    two(&pair.url_a, &pair.url_b)
}

/// What `pairs` lists.
fn listed(store: &Store, config: &Config) -> BTreeMap<Two, PairLine> {
    let mut listed = BTreeMap::new();
    query::for_each_pair(store, config, &Scope::all(), |pair| {
        listed.insert(two(&pair.url_a, &pair.url_b), pair);
        Ok(())
    })
    .expect("a sound store");
    listed
}

/// A random site: languages in folders, gaps, copies, short pages, other states, texts in other languages than their URLs.
fn random_site(dice: &mut Dice) -> Pages {
    let mut pages = Pages::new();
    let count = 4 + dice.roll(8) as usize;
    let copies = dice.roll(2) == 0;
    for number in 0..count {
        for lang in ["en", "fr", "de"] {
            let page = match dice.roll(20) {
                0 | 1 => continue,
                2 => ("200 OK", SHORT.to_owned()),
                3 => ("404 Not Found", "<p>Nothing".to_owned()),
                4 => ("200 OK", numbers()),
                5 => ("200 OK", html("fr", 500 + number)),
                6 => ("200 OK", html(lang, 700 + number)),
                _ if copies && lang == "de" => ("200 OK", html("en", number)),
                _ => ("200 OK", html(lang, number)),
            };
            pages.insert(url(lang, number), page);
        }
    }
    for number in 0..dice.roll(4) as usize {
        put(&mut pages, format!("http://ex.test/x{:x}.html", dice.roll(u64::MAX)), "en", 900 + number);
    }
    pages
}

/// Random settings.
fn random_config(dice: &mut Dice) -> Config {
    const PRESETS: [&str; 9] = [
        "default",
        "default",
        "default",
        "default",
        "default",
        "kit-ng-2007",
        "pupsniffer-2013",
        "webmining-2008",
        "link-2014",
    ];
    let mut config = Config::preset(PRESETS[dice.roll(9) as usize]).expect("a preset");
    let langs: [&[&str]; 5] = [&[], &[], &["en", "fr"], &["fr", "de"], &["es", "en"]];
    config.keys.langs = langs[dice.roll(5) as usize].iter().map(|tag| lang(tag)).collect();
    if dice.roll(2) == 0 {
        config.judge.min_score = [0.0, 0.2, 0.95, 0.999, 1.0][dice.roll(5) as usize];
    }
    config.without_keys = dice.roll(4) == 0;
    if config.strategy == Strategy::All && dice.roll(8) == 0 {
        config.verifier = Some("lcs".into());
    }
    config
}

const STAGES: [&str; 4] = ["links", "keys", "verify", "iterate"];

/// What `explain` says of a store is compared with everything else that it says.
struct Checked<'r> {
    run: &'r Run,
    store: Store,
    listed: BTreeMap<Two, PairLine>,
    judged: BTreeMap<Two, Outcome>,
    /// The settings are those that every stage was run with.
    is_fresh: bool,
}

impl<'r> Checked<'r> {
    fn new(run: &'r Run, is_fresh: bool) -> Checked<'r> {
        let store = run.store();
        let mut judged = BTreeMap::new();
        query::for_each_judged(&store, &run.config, &Scope::all(), |pair, outcome| {
            outcome.map(|outcome| judged.insert(two(&pair.url_a, &pair.url_b), outcome));
            Ok(())
        })
        .expect("a sound store");
        Checked { run, listed: listed(&store, &run.config), store, judged, is_fresh }
    }

    fn pages(&self, pages: &Pages) -> BTreeMap<String, PageExplanation> {
        let config = &self.run.config;
        let explain = |url: &String| (url.clone(), explain(&self.store, config, url, None).pages.remove(0));
        pages.keys().map(explain).collect()
    }

    fn check(&self, pages: &Pages, dice: &mut Dice) {
        let explained = self.pages(pages);
        explained.values().for_each(|page| self.check_page(page));
        self.check_counts(&explained);
        self.check_langs(&explained);
        let urls: Vec<&String> = pages.keys().collect();
        for _ in 0..6 {
            let [a, b] = [0; 2].map(|_| urls[dice.roll(urls.len() as u64) as usize]);
            if a != b {
                self.check_pair(a, b, &explained);
            }
        }
        let first = self.listed.keys().next().into_iter().chain(self.judged.keys().next());
        first.for_each(|[a, b]| self.check_pair(a, b, &explained));
    }

    fn check_page(&self, page: &PageExplanation) {
        let config = &self.run.config;
        let of_page: BTreeMap<&str, &PairLine> = self
            .listed
            .iter()
            .filter(|([a, b], _)| [a, b].contains(&&page.url))
            .map(|([a, b], line)| (if *a == page.url { b.as_str() } else { a.as_str() }, line))
            .collect();
        let partners: BTreeSet<&str> = page.partners().map(|partner| partner.url.as_str()).collect();
        assert_eq!(partners, of_page.keys().copied().collect(), "{page:?}");
        for partner in page.partners() {
            let line = of_page[partner.url.as_str()];
            assert!((f64::from(partner.score) - line.score).abs() < 1e-4, "{partner:?} {line:?}");
            assert_eq!((partner.method, partner.key.clone().unwrap_or_default()), (line.method, line.key.clone()));
        }
        for candidate in page.rejected() {
            let pair = two(&page.url, &candidate.url);
            assert!(!self.listed.contains_key(&pair), "{candidate:?}");
            self.check_outcome(&pair, candidate.score, &candidate.outcome);
        }
        for lead in &page.leads {
            match &lead.outcome {
                LeadOutcome::PairedElsewhere { pair } => {
                    assert!(self.listed.contains_key(&of(pair)) && of(pair).contains(&lead.url), "{page:?}");
                }
                LeadOutcome::AssignedElsewhere { pair } => {
                    assert!(!self.listed.contains_key(&of(pair)) && self.assigned().contains(&of(pair)), "{page:?}");
                }
                LeadOutcome::CopyOf { of } => assert_ne!(of, &lead.url),
                _ => {}
            }
        }
        let by_keys = !config.without_keys && !matches!(config.strategy, Strategy::Webmining | Strategy::Links);
        match &page.verdict {
            PageVerdict::Paired { pages } => assert!(*pages == partners.len() && *pages > 0, "{page:?}"),
            verdict => assert!(of_page.is_empty(), "{verdict}"),
        }
        let detected = page.languages.as_ref().map(|languages| languages.detected);
        match &page.verdict {
            PageVerdict::NotCaptured | PageVerdict::UnknownDomain { .. } => panic!("it was written: {page:?}"),
            PageVerdict::CapturesLeftOut => assert!(page.capture.is_none() && !page.left_out.is_empty()),
            PageVerdict::LanguagesChanged { .. } => assert!(!self.is_fresh, "{page:?}"),
            PageVerdict::LanguageUnknown { .. } if config.keys.labels == LabelMode::Detected => {
                assert_eq!(detected, Some(Lang::UNKNOWN));
            }
            PageVerdict::LanguageNotRequested { lang, requested } => {
                assert_eq!(requested, &config.keys.langs);
                assert!(!requested.is_empty() && !requested.iter().any(|one| one.agrees(*lang)), "{page:?}");
            }
            PageVerdict::CopyByUrl { of, .. } | PageVerdict::CopyByLinks { of, .. } => {
                assert_eq!(page.copy_of.as_ref(), Some(of));
                assert_eq!(page.languages.as_ref().map(|languages| languages.counts_for), Some(Lang::UNKNOWN));
            }
            PageVerdict::CandidatesRejected { pairs } => assert_eq!(*pairs, page.candidates.len()),
            PageVerdict::NothingProposed => assert!(!by_keys, "{page:?}"),
            PageVerdict::NoStrongKey | PageVerdict::KeysLeadNowhere => assert!(by_keys && page.leads.is_empty()),
            PageVerdict::TextNotInUrlLanguage { lang, url } => assert!(by_keys && !url.contains(lang), "{page:?}"),
            PageVerdict::LeadsAreNoPartners { urls } => assert!(by_keys && *urls == page.leads.len()),
            _ => {}
        }
    }

    fn check_outcome(&self, pair: &Two, score: f32, outcome: &CandidateOutcome) {
        let stored = self.judged[pair];
        let text = outcome.with_score(score);
        match outcome {
            CandidateOutcome::Accepted => assert_eq!(stored, Outcome::Accepted),
            CandidateOutcome::LowScore { min_score } => {
                assert_eq!(stored, Outcome::LowScore);
                let min = min_score.unwrap_or(f64::INFINITY);
                assert!(score <= min as f32, "{text}");
                let printed = text.split([' ', ':']).nth(1).expect("a score");
                assert!(printed.parse::<f64>().is_ok_and(|printed| printed < min) || printed == "just", "{text}");
            }
            CandidateOutcome::LostToBetter { better } => {
                assert_eq!(stored, Outcome::LostToBetter);
                for rival in better.iter().map(of) {
                    assert!(self.listed.contains_key(&rival) && rival.iter().any(|url| pair.contains(url)), "{text}");
                }
            }
            CandidateOutcome::SameText => assert_eq!(stored, Outcome::SameText),
            CandidateOutcome::Contradicted => assert_eq!(stored, Outcome::Contradicted),
            CandidateOutcome::Edition => assert_eq!(stored, Outcome::Edition),
            CandidateOutcome::Forbidden => assert_eq!(stored, Outcome::Forbidden),
        }
    }

    /// The pairs that keys were assigned.
    fn assigned(&self) -> BTreeSet<Two> {
        let assigned = query::assigned(&self.store, &self.run.config, &Scope::all()).expect("a sound store");
        assigned.iter().map(|pair| two(&pair.url_a, &pair.url_b)).collect()
    }

    /// The languages of pages add up to those of hosts.
    fn check_langs(&self, explained: &BTreeMap<String, PageExplanation>) {
        let mut langs: BTreeMap<String, BTreeMap<Lang, u32>> = BTreeMap::new();
        for (url, page) in explained {
            let Some(languages) = &page.languages else { continue };
            let host = CanonicalUrl::parse(url).expect("a URL").host().to_owned();
            *langs.entry(host).or_default().entry(languages.counts_for).or_default() += 1;
        }
        let hosts = query::hosts(&self.store).expect("a sound store");
        assert_eq!(langs, hosts.into_iter().map(|host| (host.host, host.langs)).collect());
    }

    /// What is said of all URLs adds up to what `status` counts.
    fn check_counts(&self, explained: &BTreeMap<String, PageExplanation>) {
        let mut left_out: BTreeMap<SkipReason, u64> = BTreeMap::new();
        for reason in explained.values().flat_map(|page| &page.left_out).filter_map(|skip| skip.reason) {
            *left_out.entry(reason).or_default() += 1;
        }
        let mut counted: BTreeMap<SkipReason, u64> = BTreeMap::new();
        for (reason, count) in
            query::archives(&self.store).expect("a sound store").into_iter().flat_map(|one| one.left_out)
        {
            *counted.entry(reason).or_default() += count;
        }
        counted.retain(|_, count| *count > 0);
        assert_eq!(left_out, counted);
        let pages = query::totals(&self.store).expect("a sound store").pages;
        assert_eq!(explained.values().filter(|page| page.capture.is_some()).count() as u64, pages);
    }

    fn check_pair(&self, a: &str, b: &str, explained: &BTreeMap<String, PageExplanation>) {
        let config = &self.run.config;
        let explanation = explain(&self.store, config, a, Some(b));
        for (page, url) in explanation.pages.iter().zip([a, b]) {
            assert_eq!(page, &explained[url]);
        }
        let pair = two(a, b);
        let PairExplanation { verdict, measures, evidence, constant, compared_now, .. } =
            explanation.pair.expect("two URLs");
        let sum = constant + measures.iter().map(|fact| fact.nats).sum::<f64>();
        assert_eq!(compared_now, (evidence.is_none() && !measures.is_empty()).then_some(sum), "{a} {b}");
        let lang = |url: &str| explained[url].languages.as_ref().map(|languages| languages.counts_for);
        match &verdict {
            PairVerdict::Pair { score, .. } => {
                assert!((f64::from(*score) - self.listed[&pair].score).abs() < 1e-4, "{a} {b}: {verdict}");
            }
            PairVerdict::Rejected { score, outcome, .. } => {
                assert!(!self.listed.contains_key(&pair), "{a} {b}: {verdict}");
                if self.judged.contains_key(&pair) {
                    self.check_outcome(&pair, *score, outcome);
                } else {
                    assert_eq!(config.strategy, Strategy::Links, "{a} {b}: {verdict}");
                }
            }
            other => {
                assert!(!self.listed.contains_key(&pair) && !self.judged.contains_key(&pair), "{a} {b}: {other}");
            }
        }
        match &verdict {
            PairVerdict::NotBothPages => assert!(lang(a).is_none() || lang(b).is_none()),
            PairVerdict::SameLanguage { lang: of_both } => {
                assert!(lang(a) == Some(*of_both) && lang(b) == Some(*of_both) && of_both.is_known());
            }
            PairVerdict::NoLanguage { url } => assert_eq!(lang(url), Some(Lang::UNKNOWN)),
            PairVerdict::NotCompared => assert_eq!(config.strategy, Strategy::Links),
            PairVerdict::NotProposed => {
                let is_judged = config.verifies() || config.iterates();
                let is_compared = is_judged && config.strategy == Strategy::All && config.verifier.is_none();
                assert_eq!(!measures.is_empty(), is_compared, "{a} {b}: what their contents say");
            }
            PairVerdict::DifferentDomains | PairVerdict::AcrossSuffixesOff | PairVerdict::NotOneSite => {
                panic!("all pages are of one domain: {a} {b}");
            }
            _ => {}
        }
        let turned = explain(&self.store, config, b, Some(a)).pair.expect("two URLs").verdict;
        let kind = |verdict: &PairVerdict| std::mem::discriminant(verdict);
        assert_eq!(kind(&turned), kind(&verdict), "{a} {b}: {verdict}; {turned}");
    }
}

/// Random cases: `DIGLOT_CASES` of them, else a few.
#[test]
fn what_explain_says_agrees_with_the_pairs_the_counts_and_the_settings() {
    let cases = std::env::var("DIGLOT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    for seed in 0..cases {
        println!("case {seed}");
        let mut dice = Dice(seed * 7919 + 1);
        let pages = random_site(&mut dice);
        let (first, until) = (random_config(&mut dice), STAGES[dice.roll(8).min(3) as usize]);
        let mut run = Run::new(&pages, first, until);
        Checked::new(&run, true).check(&pages, &mut dice);
        // Other settings, of which some stages know nothing yet.
        let (second, until) = (random_config(&mut dice), STAGES[dice.roll(6).min(3) as usize]);
        run.again(second, until);
        Checked::new(&run, until == "iterate").check(&pages, &mut dice);
    }
}

/// The command prints what the library gives: as lines, and as JSON whose lists are lists however long they are.
#[test]
fn the_command_prints_the_explanation() {
    let run = Run::new(&translated(&["en", "fr"], 4), config(|_| {}), "iterate");
    let command = |arguments: &[&str]| {
        let store = run.folder.path().join("store");
        crate::support::stdout(Path::new(&store), arguments)
    };
    let (en, fr) = (url("en", 1), url("fr", 1));
    let json = command(&["explain", "--json", &en, &fr]);
    let printed: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let explanation = explain(&run.store(), &run.config, &en, Some(&fr));
    assert_eq!(json.trim_end(), serde_json::to_string_pretty(&explanation).expect("JSON"));
    let page = &printed["pages"][0];
    assert_eq!((page["url"].as_str(), page["verdict"]["kind"].as_str()), (Some(en.as_str()), Some("paired")));
    for list in ["left_out", "candidates", "rounds", "leads", "url_languages"] {
        assert!(page[list].is_array(), "{list}: {page}");
    }
    assert_eq!(page["languages"]["declared"], serde_json::json!([]));
    assert_eq!(printed["pair"]["languages"], serde_json::json!(["en", "fr"]));
    assert_eq!(printed["pair"]["verdict"]["kind"], "pair");
    let same = en.replace("http://", "https://");
    let (code, told) =
        crate::support::failure(crate::support::diglot(&run.folder.path().join("store")).args(["explain", &en, &same]));
    assert!(code == 2 && told.contains("is the same page as the other URL"), "{code} {told}");
    let text = command(&["explain", &en, &fr]);
    assert!(text.contains("\n  verdict        paired, with 1 page\n"), "{text}");
    assert!(text.ends_with("score 1.0000\n") || text.contains("  verdict        a pair, by key path:en:fr"), "{text}");
}
