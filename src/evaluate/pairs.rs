//! Found pairs compared with gold pairs.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::gold::{GoldPair, GoldPairs, IgnoredReason, unordered};
use super::ratios::{f1, precision, recall};
use crate::types::{CanonicalUrl, Lang, LangPair, registrable_domain};

/// One pair that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutPair {
    /// One page.
    pub url_a: CanonicalUrl,
    /// The other.
    pub url_b: CanonicalUrl,
    /// The language of the first page when the pair was found.
    pub lang_a: Lang,
    /// The language of the second page when the pair was found.
    pub lang_b: Lang,
}

/// How many pairs are gold, right, wrong, ignored and unscored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Gold pairs, found or not.
    pub gold: u64,
    /// Found pairs that are gold pairs.
    pub right: u64,
    /// Found pairs of which a page is in fact in another language ([`IgnoredReason::Untranslated`]).
    pub wrong_untranslated: u64,
    /// Found pairs that are in neither file, or that a reviewer judged wrong ([`IgnoredReason::Wrong`]).
    pub wrong_other: u64,
    /// Found pairs that are ignored for another reason: neither right nor wrong.
    pub ignored: u64,
    /// Found pairs of languages or of a site about which gold says nothing: neither right nor wrong.
    pub unscored: u64,
}

impl Counts {
    /// All wrong pairs.
    pub fn wrong(&self) -> u64 {
        self.wrong_untranslated + self.wrong_other
    }

    /// Gold pairs that were not found.
    pub fn missed(&self) -> u64 {
        self.gold - self.right
    }

    /// right / (right + wrong), in 0..=1; `None` when none of the found pairs can be judged.
    pub fn precision(&self) -> Option<f64> {
        precision(self.right, self.wrong())
    }

    /// right / gold, in 0..=1; `None` when there is nothing to find.
    pub fn recall(&self) -> Option<f64> {
        recall(self.right, self.missed())
    }

    /// Harmonic mean of precision and recall, 2·right / (2·right + wrong + missed); `None` when there is nothing to
    /// find and nothing wrong.
    pub fn f1(&self) -> Option<f64> {
        f1(self.right, self.wrong(), self.missed())
    }
}

/// A found pair that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalsePair {
    /// The pair.
    pub pair: OutPair,
    /// Why it is wrong, if a file says so; `None` if it is in neither file.
    pub ignored: Option<IgnoredReason>,
}

/// Counts in total, by site and by language pair, and the pairs that are wrong or missed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The sums. Precision, recall and F1 computed from them are micro-averages (Manning, Raghavan & Schütze 2008, §13.6).
    pub total: Counts,
    /// Counts of each site, by its name: a host, or, where gold pairs join several hosts, the end that their names have in common
    /// (`packaging.example.org` for `en.packaging.example.org` and `de.packaging.example.org`).
    pub sites: BTreeMap<String, Counts>,
    /// Counts of each scored language pair, and so without [`Counts::unscored`].
    pub langs: BTreeMap<LangPair, Counts>,
    /// The wrong pairs, in the order in which they were given.
    pub false_pairs: Vec<FalsePair>,
    /// Gold pairs that were not found, in the order of their files.
    pub missed: Vec<GoldPair>,
}

impl Report {
    fn leave_unscored(&mut self, site: Option<&str>) {
        self.total.unscored += 1;
        if let Some(counts) = site.and_then(|site| self.sites.get_mut(site)) {
            counts.unscored += 1;
        }
    }

    /// Macro-averaged F1: the mean of the F1 of all sites, each with the same weight (Manning, Raghavan & Schütze 2008, §13.6). Sites
    /// without an F1 are left out; `None` when no site has one.
    pub fn macro_f1(&self) -> Option<f64> {
        let scores: Vec<f64> = self.sites.values().filter_map(Counts::f1).collect();
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }
}

/// Compares the found pairs with gold. Cost: linear in both.
///
/// A pair is unordered and counts once, however often it was found; `http` and `https` are the same. A pair that is in neither file is
/// wrong if gold covers it, that is, if a file has its site and, on that site, its two languages; otherwise it is unscored. The language of
/// a page is the one in the files; if they do not have the page, or give both pages one language, it is the one in which the page was
/// found. If there is no gold pair at all, there is nothing to find, and every found pair is wrong unless it is ignored. If gold is a
/// sample ([`GoldPairs::is_sample`]), pairs in neither file are unscored.
pub fn pairs(out: impl IntoIterator<Item = OutPair>, gold: &GoldPairs) -> Report {
    let sites = Sites::new(gold);
    let mut report = Report::default();
    for row in gold.rows() {
        report.count(sites.of_row(row), Some(row.langs()), |counts| counts.gold += u64::from(row.ignored.is_none()));
    }
    let mut seen = FxHashSet::default();
    for pair in out {
        if seen.insert(unordered(&pair.url_a, &pair.url_b)) {
            judge(pair, gold, &sites, &mut report);
        }
    }
    let missed = |row: &&GoldPair| row.ignored.is_none() && !seen.contains(&unordered(&row.url_a, &row.url_b));
    report.missed = gold.rows().iter().filter(missed).cloned().collect();
    report
}

/// The verdict of gold on one found pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is a gold pair.
    Right,
    /// It should not have been found.
    Wrong,
    /// It is ignored, or of languages or a site about which gold says nothing.
    Ignored,
}

/// The verdict on each pair, by the rules of [`pairs`].
pub(super) fn verdicts(out: impl IntoIterator<Item = OutPair>, gold: &GoldPairs) -> Vec<Verdict> {
    let sites = Sites::new(gold);
    let verdict = |pair| {
        let mut alone = Report::default();
        judge(pair, gold, &sites, &mut alone);
        match (alone.total.right, alone.total.wrong()) {
            (0, 0) => Verdict::Ignored,
            (0, _) => Verdict::Wrong,
            _ => Verdict::Right,
        }
    };
    out.into_iter().map(verdict).collect()
}

fn judge(pair: OutPair, gold: &GoldPairs, sites: &Sites, report: &mut Report) {
    if let Some(row) = gold.get(&pair.url_a, &pair.url_b) {
        report.count(sites.of_row(row), Some(row.langs()), |counts| match row.ignored {
            None => counts.right += 1,
            Some(IgnoredReason::Untranslated) => counts.wrong_untranslated += 1,
            Some(IgnoredReason::Wrong) => counts.wrong_other += 1,
            Some(_) => counts.ignored += 1,
        });
        if matches!(row.ignored, Some(IgnoredReason::Untranslated | IgnoredReason::Wrong)) {
            report.false_pairs.push(FalsePair { pair, ignored: row.ignored });
        }
        return;
    }
    let site = sites.of_pair(&pair.url_a, &pair.url_b);
    if gold.is_sample {
        report.leave_unscored(site);
        return;
    }
    let langs = judged_langs(&pair, gold);
    if sites.nothing_to_find {
        let site = site.map_or_else(|| group_name([pair.url_a.host(), pair.url_b.host()]), str::to_owned);
        report.count(&site, langs, |counts| counts.wrong_other += 1);
    } else if let Some((site, langs)) = site.and_then(|site| Some((site, sites.scored(site, langs?)?))) {
        report.count(site, Some(langs), |counts| counts.wrong_other += 1);
    } else {
        report.leave_unscored(site);
        return;
    }
    report.false_pairs.push(FalsePair { pair, ignored: None });
}

fn judged_langs(pair: &OutPair, gold: &GoldPairs) -> Option<LangPair> {
    let lang_a = gold.lang(&pair.url_a).unwrap_or(pair.lang_a);
    let lang_b = gold.lang(&pair.url_b).unwrap_or(pair.lang_b);
    LangPair::new(lang_a, lang_b).or_else(|| LangPair::new(pair.lang_a, pair.lang_b))
}

impl Report {
    fn count(&mut self, site: &str, langs: Option<LangPair>, add: impl Fn(&mut Counts)) {
        add(&mut self.total);
        if !self.sites.contains_key(site) {
            self.sites.insert(site.to_owned(), Counts::default());
        }
        self.sites.get_mut(site).into_iter().for_each(&add);
        langs.map(|langs| self.langs.entry(langs).or_default()).into_iter().for_each(&add);
    }
}

/// Which hosts are one site according to gold, and which language pairs gold has on each site.
struct Sites {
    /// Position in `names` of each host, and of each name.
    of_host: FxHashMap<String, usize>,
    names: Vec<String>,
    langs: Vec<BTreeSet<LangPair>>,
    /// True if there is no gold pair at all.
    nothing_to_find: bool,
}

impl Sites {
    /// Makes sites: hosts that a gold pair or an ignored pair joins are one site.
    fn new(gold: &GoldPairs) -> Sites {
        let mut groups: Vec<BTreeSet<&str>> = Vec::new();
        let mut group_of: FxHashMap<&str, usize> = FxHashMap::default();
        for row in gold.rows() {
            let [x, y] = [row.url_a.host(), row.url_b.host()].map(|host| {
                *group_of.entry(host).or_insert_with(|| {
                    groups.push(BTreeSet::from([host]));
                    groups.len() - 1
                })
            });
            if x != y {
                let joining = std::mem::take(&mut groups[y]);
                group_of.extend(joining.iter().map(|&host| (host, x)));
                groups[x].extend(joining);
            }
        }
        let names: Vec<String> = groups.iter().map(|hosts| group_name(hosts.iter().copied())).collect();
        let mut of_host: FxHashMap<String, usize> =
            names.iter().enumerate().map(|(at, name)| (name.clone(), at)).collect();
        // Hosts come last, since a host that has the name of another group belongs to its own group.
        of_host.extend(group_of.into_iter().map(|(host, at)| (host.to_owned(), at)));
        let nothing_to_find = gold.rows().iter().all(|row| row.ignored.is_some());
        let langs = vec![BTreeSet::new(); names.len()];
        let mut sites = Sites { of_host, names, langs, nothing_to_find };
        for row in gold.rows() {
            let at = sites.of_host[row.url_a.host()];
            sites.langs[at].insert(row.langs());
        }
        sites
    }

    fn of_row(&self, row: &GoldPair) -> &str {
        &self.names[self.of_host[row.url_a.host()]]
    }

    /// The site of the two pages; if they are on different sites, the one that was read first.
    fn of_pair(&self, x: &CanonicalUrl, y: &CanonicalUrl) -> Option<&str> {
        let at = [x, y].into_iter().filter_map(|url| self.of_host.get(url.host())).min()?;
        Some(&self.names[*at])
    }

    /// The language pair of the site's gold that two languages can mean (`zh` means either script).
    fn scored(&self, site: &str, langs: LangPair) -> Option<LangPair> {
        let known = &self.langs[*self.of_host.get(site)?];
        let agrees = |known: &&LangPair| {
            (known.a.agrees(langs.a) && known.b.agrees(langs.b)) || (known.a.agrees(langs.b) && known.b.agrees(langs.a))
        };
        known.get(&langs).or_else(|| known.iter().find(agrees)).copied()
    }
}

/// The end that the names of all hosts have in common, in whole labels; the first host if they are not of one registrable domain.
fn group_name<'a>(hosts: impl IntoIterator<Item = &'a str>) -> String {
    let hosts: BTreeSet<&str> = hosts.into_iter().collect();
    let Some(&first) = hosts.first() else { return String::new() };
    let domain = registrable_domain(first);
    if hosts.iter().any(|host| registrable_domain(host) != domain) {
        return first.to_owned();
    }
    let ends_all = |suffix: &&str| {
        hosts.iter().all(|host| host.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
    };
    let dots = first.match_indices('.').map(|(at, _)| &first[at + 1..]);
    std::iter::once(first).chain(dots).find(ends_all).unwrap_or(first).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(url_a: &str, url_b: &str, lang_a: &str, lang_b: &str) -> OutPair {
        let url = |text: &str| CanonicalUrl::parse(&format!("http://{text}")).expect("an address");
        let lang = |tag| Lang::parse(tag).expect("a tag");
        OutPair { url_a: url(url_a), url_b: url(url_b), lang_a: lang(lang_a), lang_b: lang(lang_b) }
    }

    fn gold(pairs: &[&str], ignored: &[&str]) -> GoldPairs {
        let rows = |lines: &[&str]| {
            let row = |line: &&str| {
                let [url_a, url_b, rest] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().expect("three columns");
                format!("http://{url_a}\thttp://{url_b}\t{}\n", rest.replace(' ', "\t"))
            };
            lines.iter().map(row).collect::<String>()
        };
        let mut gold = GoldPairs::default();
        gold.read_pairs("pairs", rows(pairs).as_bytes()).expect("sound rows");
        gold.read_ignored("ignored", rows(ignored).as_bytes()).expect("sound rows");
        gold
    }

    fn langs(a: &str, b: &str) -> LangPair {
        LangPair::new(Lang::parse(a).expect("a tag"), Lang::parse(b).expect("a tag")).expect("two languages")
    }

    #[test]
    fn every_sort_of_pair_counts_as_it_should() {
        let gold = gold(
            &["x.org/en/1 x.org/fr/1 en fr", "x.org/en/2 x.org/fr/2 en fr", "x.org/en/3 x.org/zh/3 en zh-cn"],
            &[
                "x.org/en/3 x.org/fr/3 en fr untranslated",
                "x.org/en/4 x.org/fr/4 en fr mixed",
                "x.org/en/5 x.org/fr/5 en fr untranslated",
            ],
        );
        let given = [
            out("x.org/fr/1", "x.org/en/1", "fr", "en"),      // gold, the other way round
            out("x.org/en/1", "x.org/fr/1", "en", "fr"),      // the same once more
            out("x.org/en/3", "x.org/fr/3", "en", "fr"),      // untranslated
            out("x.org/en/4", "x.org/fr/4", "en", "fr"),      // ignored
            out("x.org/en/1", "x.org/fr/2", "en", "fr"),      // in neither file
            out("x.org/en/9", "x.org/new/9", "en", "zh"),     // in neither file, pages not known, zh means either
            out("x.org/fr/1", "x.org/zh/3", "fr", "zh-Hans"), // languages gold is silent about
            out("x.org/fr/2", "x.org/zh/3", "en", "zh-Hans"), // the same: the files know better what fr/2 is
            out("y.org/en/1", "y.org/fr/1", "en", "fr"),      // a site gold is silent about
        ];
        let report = pairs(given, &gold);
        let expected = Counts { gold: 3, right: 1, wrong_untranslated: 1, wrong_other: 2, ignored: 1, unscored: 3 };
        assert_eq!(report.total, expected);
        // P = 1 / (1 + 1 + 2), R = 1/3, F1 = 2·(1/4)·(1/3) / (1/4 + 1/3) = (1/6) / (7/12) = 2/7.
        assert_eq!(report.total.precision(), Some(0.25));
        assert_eq!(report.total.recall(), Some(1.0 / 3.0));
        assert_eq!(report.total.f1(), Some(2.0 / 7.0));

        assert_eq!(report.sites, BTreeMap::from([("x.org".to_owned(), Counts { unscored: 2, ..expected })]));
        let en_fr = Counts { gold: 2, right: 1, wrong_untranslated: 1, wrong_other: 1, ignored: 1, unscored: 0 };
        let en_zh = Counts { gold: 1, wrong_other: 1, ..Counts::default() };
        assert_eq!(report.langs, BTreeMap::from([(langs("en", "fr"), en_fr), (langs("en", "zh-cn"), en_zh)]));

        let false_pairs: Vec<_> = report.false_pairs.iter().map(|f| (f.pair.url_b.rest(), f.ignored)).collect();
        assert_eq!(false_pairs, [("/fr/3", Some(IgnoredReason::Untranslated)), ("/fr/2", None), ("/new/9", None)]);
        let missed: Vec<_> = report.missed.iter().map(|row| row.url_b.rest()).collect();
        assert_eq!(missed, ["/fr/2", "/zh/3"]);
    }

    #[test]
    fn a_wrong_pair_of_one_judged_language_counts_under_the_languages_it_claims() {
        let gold = gold(&["x.org/en/1 x.org/fr/1 en fr", "x.org/en/2 x.org/fr/2 en fr"], &[]);
        let report = pairs([out("x.org/en/1", "x.org/en/2", "en", "fr")], &gold);
        assert_eq!(report.langs[&langs("en", "fr")].wrong_other, 1);
    }

    #[test]
    fn hosts_that_gold_joins_are_one_site() {
        let gold = gold(
            &["en.p.x.test/1 de.p.x.test/1 en de", "y.co.uk/1 y.fr/1 en fr"],
            &["de.p.x.test/1 fr.p.x.test/1 de fr mixed"],
        );
        let given = [
            out("en.p.x.test/1", "de.p.x.test/1", "en", "de"),
            out("en.p.x.test/1", "en.p.x.test/2", "en", "de"),
            out("p.x.test/", "de.p.x.test/1", "en", "de"),
            out("en.p.x.test/1", "fr.p.x.test/1", "en", "fr"), // this site has no en-fr, though the other has
        ];
        let report = pairs(given, &gold);
        let p = Counts { gold: 1, right: 1, wrong_other: 2, unscored: 1, ..Counts::default() };
        let y = Counts { gold: 1, ..Counts::default() };
        assert_eq!(report.sites, BTreeMap::from([("p.x.test".to_owned(), p), ("y.co.uk".to_owned(), y)]));
        // F1 is 2·1/(2·1 + 2 + 0) = 1/2 for one site and 0 for the other: macro 1/4; micro 2/(2 + 2 + 1) = 2/5.
        assert_eq!((report.macro_f1(), report.total.f1()), (Some(0.25), Some(0.4)));
    }

    #[test]
    fn where_nothing_is_gold_every_pair_but_ignored_ones_is_wrong() {
        let gold = gold(&[], &["x.org/a x.org/b en fr short"]);
        let given = [out("x.org/a", "x.org/b", "en", "fr"), out("a.z.org/1", "b.z.org/1", "en", "ja")];
        let report = pairs(given, &gold);
        assert_eq!(report.total, Counts { wrong_other: 1, ignored: 1, ..Counts::default() });
        assert_eq!(report.sites["z.org"].wrong_other, 1);
        assert_eq!((report.total.precision(), report.total.recall()), (Some(0.0), None));
    }

    #[test]
    fn figures_are_absent_where_nothing_was_given_or_there_is_nothing_to_find() {
        let nothing = pairs([], &GoldPairs::default());
        assert_eq!((nothing.total.precision(), nothing.total.recall(), nothing.total.f1()), (None, None, None));
        assert_eq!(nothing.macro_f1(), None);
        let silent = pairs([], &gold(&["x.org/en x.org/fr en fr"], &[]));
        assert_eq!((silent.total.precision(), silent.total.recall(), silent.total.f1()), (None, Some(0.0), Some(0.0)));
    }

    #[test]
    fn a_site_is_named_by_the_labels_its_hosts_share() {
        let cases = [
            (&["en.x.org"][..], "en.x.org"),
            (&["x.org", "fr.x.org"], "x.org"),
            (&["en.docs.x.org:8080", "fr.docs.x.org:8080"], "docs.x.org:8080"),
            (&["b.x.org", "c-b.x.org"], "x.org"),
            (&["ax.org", "bx.org"], "ax.org"),
            (&["a.co.uk", "b.co.uk"], "a.co.uk"),
        ];
        for (hosts, expected) in cases {
            assert_eq!(group_name(hosts.iter().copied()), expected);
        }
    }
}
