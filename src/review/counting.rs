//! Figures of the whole store, which are counted in the background.

use std::collections::BTreeMap;

use diglot::config::settings::configuration;
use diglot::pipeline::{self, LAST_STAGE, StageStatus};
use diglot::query::{self, Digest, HostLine, Overview, Scope, Shortage};
use diglot::store::Store;
use diglot::types::Lang;

use super::background::{Background, commit_hash};

/// One host, stored compactly: there may be a million.
pub struct Host {
    pub name: Box<str>,
    pub pages: u32,
    pub pairs: u32,
    pub credibility: f32,
    /// Position of its languages in [`Counted::langs`].
    langs: u32,
    pub lack: Lack,
}

/// Whether a host with pages in two languages has too few pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// It has enough, or there is nothing to be paired.
    Nothing,
    /// It has few.
    Few,
    /// It has none.
    All,
}

/// Which hosts are to be listed.
#[derive(Clone, Debug)]
pub struct HostFilter {
    /// Part of the name, in lower case.
    pub text: String,
    /// A language that it has pages of.
    pub lang: Option<Lang>,
    /// Only hosts that lack as much, or more.
    pub lack: Lack,
}

/// The orders in which hosts are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Name,
    Pages,
    Pairs,
    Credibility,
}

impl Sort {
    pub const ALL: [Sort; 4] = [Sort::Name, Sort::Pages, Sort::Pairs, Sort::Credibility];

    pub fn name(self) -> &'static str {
        match self {
            Sort::Name => "name",
            Sort::Pages => "pages",
            Sort::Pairs => "pairs",
            Sort::Credibility => "credibility",
        }
    }

    pub fn parse(name: &str) -> Option<Sort> {
        Sort::ALL.into_iter().find(|sort| sort.name() == name)
    }
}

/// The result of a count.
pub struct Counted {
    pub overview: Overview,
    /// The commit that was counted, by its hash: a store that replaced another may have a commit of the same number.
    pub commit_hash: Option<u64>,
    /// The progress of each stage; finding out what is left to do means looking at every site.
    pub stages: Vec<StageStatus>,
    /// Hosts with few pairs, by name.
    lacking: BTreeMap<String, Shortage>,
    /// What lists find on each site, in the order of the domains.
    pub digests: Vec<Digest>,
    /// The sets of languages that hosts have; hosts refer to them by number.
    langs: Vec<Vec<Lang>>,
    /// By name.
    hosts: Vec<Host>,
    /// Places in `hosts`, in the order of each [`Sort`] but the first.
    orders: [Vec<u32>; 3],
}

impl Counted {
    fn new(found: Found) -> Counted {
        let Found { mut hosts, langs, digests, lacking, overview, stages } = found;
        let lacking: BTreeMap<String, Shortage> = lacking.into_iter().map(|host| (host.host.clone(), host)).collect();
        for host in &mut hosts {
            host.lack = match lacking.get(&*host.name) {
                None => Lack::Nothing,
                Some(shortage) if shortage.pairs > 0 => Lack::Few,
                Some(_) => Lack::All,
            };
        }
        hosts.sort_by(|x, y| x.name.cmp(&y.name));
        hosts.shrink_to_fit();
        let order = |key: fn(&Host) -> f64| {
            let mut order: Vec<u32> = (0..hosts.len() as u32).collect();
            let key = |at: u32| key(&hosts[at as usize]);
            order.sort_unstable_by(|&x, &y| key(y).total_cmp(&key(x)).then(x.cmp(&y)));
            order
        };
        let orders = [
            order(|host| f64::from(host.pages)),
            order(|host| f64::from(host.pairs)),
            order(|host| f64::from(host.credibility)),
        ];
        let mut sets = vec![Vec::new(); langs.len()];
        langs.into_iter().for_each(|(set, at)| sets[at as usize] = set);
        Counted { overview, commit_hash: None, stages, lacking, digests, langs: sets, hosts, orders }
    }

    /// The hosts that pass a filter, in an order or against it: how many, and those from `start` on.
    pub fn hosts(
        &self,
        filter: &HostFilter,
        (sort, is_turned): (Sort, bool),
        start: usize,
        count: usize,
    ) -> (usize, Vec<&Host>) {
        let order = match sort {
            Sort::Name => None,
            Sort::Pages => Some(&self.orders[0]),
            Sort::Pairs => Some(&self.orders[1]),
            Sort::Credibility => Some(&self.orders[2]),
        };
        let has_lang: Vec<bool> =
            self.langs.iter().map(|langs| filter.lang.is_none_or(|lang| langs.contains(&lang))).collect();
        let takes = |host: &&Host| {
            host.lack >= filter.lack && has_lang[host.langs as usize] && host.name.contains(&filter.text)
        };
        let last = self.hosts.len().wrapping_sub(1);
        let place = |at: usize| if is_turned { last - at } else { at };
        let host = |at: usize| &self.hosts[order.map_or(place(at), |order| order[place(at)] as usize)];
        let mut total = 0;
        let mut found = Vec::new();
        for host in (0..self.hosts.len()).map(host).filter(takes) {
            if total >= start && found.len() < count {
                found.push(host);
            }
            total += 1;
        }
        (total, found)
    }

    /// How many hosts lack as much, or more.
    pub fn lacking(&self, lack: Lack) -> usize {
        self.lacking.values().filter(|host| lack < Lack::All || host.pairs == 0).count()
    }

    /// Why a host has few pairs.
    pub fn why(&self, host: &str) -> Option<String> {
        self.lacking.get(host).map(|shortage| shortage.reason.to_string())
    }
}

/// What a count finds.
#[derive(Default)]
struct Found {
    overview: Overview,
    stages: Vec<StageStatus>,
    lacking: Vec<Shortage>,
    hosts: Vec<Host>,
    digests: Vec<Digest>,
    /// The sets of languages that hosts have, each with its number.
    langs: BTreeMap<Vec<Lang>, u32>,
}

impl Found {
    fn add(&mut self, line: HostLine) {
        let langs: Vec<Lang> = line.langs.into_keys().filter(|lang| lang.is_known()).collect();
        let next = self.langs.len() as u32;
        self.hosts.push(Host {
            name: line.host.into_boxed_str(),
            pages: line.pages,
            pairs: u32::try_from(line.pairs).unwrap_or(u32::MAX),
            credibility: line.credibility as f32,
            langs: *self.langs.entry(langs).or_insert(next),
            lack: Lack::Nothing,
        });
    }
}

impl Background for Counted {
    fn is_of(&self, store: &Store) -> bool {
        self.commit_hash == commit_hash(store)
    }
}

/// Counts a store.
///
/// # Errors
/// When it cannot be read.
pub fn count(store: &Store) -> diglot::Result<Counted> {
    let (config, _) = configuration(&store.settings().values);
    let mut found = Found::default();
    let overview = query::overview(store, &config, |lines, digest| {
        lines.into_iter().for_each(|line| found.add(line));
        found.digests.push(digest);
        Ok(())
    })?;
    found.overview = overview;
    found.stages = pipeline::progress(store, &config, LAST_STAGE)?;
    found.lacking = query::shortages(store, &config, &Scope::all())?;
    // The figures are dropped if another program has changed the store meanwhile.
    store.witness().map_or(Ok(()), |witness| witness.check())?;
    Ok(Counted { commit_hash: commit_hash(store), ..Counted::new(found) })
}

#[cfg(test)]
mod tests {
    use diglot::query::ShortageReason;

    use super::*;

    fn counted() -> Counted {
        let mut found = Found::default();
        for (host, pages, pairs, langs) in
            [("b.org", 2, 9, &[Lang::EN][..]), ("a.org", 7, 0, &[Lang::EN, Lang::ZH]), ("c.net", 9, 3, &[Lang::ZH])]
        {
            let langs = langs.iter().map(|lang| (*lang, 1)).collect();
            let (host, domain) = (host.to_owned(), host.to_owned());
            found.add(HostLine { host, domain, pages, langs, pairs, credibility: pairs as f64 / 10.0 });
        }
        let (host, domain, reason) = ("a.org".to_owned(), "a.org".to_owned(), ShortageReason::NotComparedYet);
        found.lacking.push(Shortage { host, domain, pages: 7, langs: Vec::new(), pairs: 0, concerned: 3, reason });
        Counted::new(found)
    }

    #[test]
    fn hosts_are_searched_sorted_and_cut() {
        let counted = counted();
        let names = |text: &str, sort, start, count| -> (usize, Vec<String>) {
            let filter = HostFilter { text: text.to_owned(), lang: None, lack: Lack::Nothing };
            let (total, found) = counted.hosts(&filter, sort, start, count);
            (total, found.into_iter().map(|host| host.name.to_string()).collect())
        };
        assert_eq!(names("", (Sort::Name, false), 0, 9).1, ["a.org", "b.org", "c.net"]);
        assert_eq!(names("", (Sort::Name, true), 0, 9).1, ["c.net", "b.org", "a.org"]);
        assert_eq!(names(".org", (Sort::Pairs, false), 0, 1), (2, vec!["b.org".to_owned()]));
        assert_eq!(names("", (Sort::Pages, false), 1, 2).1, ["a.org", "b.org"]);
        assert_eq!(names("", (Sort::Credibility, true), 0, 1).1, ["a.org"]);
    }

    #[test]
    fn hosts_are_listed_by_language_and_by_what_they_lack() {
        let counted = counted();
        let names = |lang, lack| -> Vec<String> {
            let filter = HostFilter { text: String::new(), lang, lack };
            counted.hosts(&filter, (Sort::Name, false), 0, 9).1.into_iter().map(|host| host.name.to_string()).collect()
        };
        assert_eq!(names(Some(Lang::ZH), Lack::Nothing), ["a.org", "c.net"]);
        assert_eq!(names(None, Lack::All), ["a.org"]);
        assert_eq!((counted.lacking(Lack::Few), counted.lacking(Lack::All)), (1, 1));
        assert!(counted.why("a.org").is_some() && counted.why("b.org").is_none());
    }
}
