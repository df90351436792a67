//! Figures of the whole store, counted in the background. Until a count is finished, the figures of the count before are shown.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diglot::config::settings::configuration;
use diglot::pipeline::{self, LAST_STAGE, StageStatus};
use diglot::query::{self, HostLine, Overview, Scope, Shortage};
use diglot::store::{Access, Store};

/// One host, stored compactly: there may be a million.
pub struct Host {
    pub name: Box<str>,
    pub pages: u32,
    pub pairs: u32,
    pub credibility: f32,
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
    /// Hosts with few pairs, those with the most pages concerned first.
    pub lacking: Vec<Shortage>,
    /// By name.
    hosts: Vec<Host>,
    /// Places in `hosts`, in the order of each [`Sort`] but the first.
    orders: [Vec<u32>; 3],
}

impl Counted {
    fn new(overview: Overview, stages: Vec<StageStatus>, lacking: Vec<Shortage>, mut hosts: Vec<Host>) -> Counted {
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
        Counted { overview, commit_hash: None, stages, lacking, hosts, orders }
    }

    /// True when the count is of the commit at which a store is open.
    pub fn is_of(&self, store: &Store) -> bool {
        commit_hash(store) == self.commit_hash
    }

    /// The hosts whose names contain a text, in an order: how many, and those from `start` on.
    pub fn hosts(&self, text: &str, sort: Sort, start: usize, count: usize) -> (usize, Vec<&Host>) {
        let by_name: Vec<u32>;
        let order = match sort {
            Sort::Name => {
                by_name = (0..self.hosts.len() as u32).collect();
                &by_name
            }
            Sort::Pages => &self.orders[0],
            Sort::Pairs => &self.orders[1],
            Sort::Credibility => &self.orders[2],
        };
        let mut total = 0;
        let mut found = Vec::new();
        for host in order.iter().map(|&at| &self.hosts[at as usize]).filter(|host| host.name.contains(text)) {
            if total >= start && found.len() < count {
                found.push(host);
            }
            total += 1;
        }
        (total, found)
    }
}

/// The last finished count, and whether another one is running.
pub struct Counting {
    /// Folder of the store.
    folder: PathBuf,
    last: Mutex<Option<Arc<Counted>>>,
    is_running: AtomicBool,
    /// When the last count ended, and how long it took.
    took: Mutex<Option<(Instant, Duration)>>,
}

/// After a count, this many times its duration must pass before a store that has changed is counted again.
const REST: u32 = 5;

/// How long a page waits for the first count.
const PATIENCE: Duration = Duration::from_millis(60);

/// A count that was faster than this is treated as if it had taken this long.
const LEAST_REST: Duration = Duration::from_millis(200);

/// Marks a count as running, until it ends in any way.
struct Running<'c>(&'c AtomicBool);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Counting {
    /// The figures of the store in a folder; nothing is counted yet.
    pub fn of(folder: &Path) -> Arc<Counting> {
        let (last, took) = (Mutex::default(), Mutex::default());
        Arc::new(Counting { folder: folder.to_owned(), last, is_running: AtomicBool::new(false), took })
    }

    /// The last count, if there is one. Starts another if the store has changed since.
    pub fn last(self: &Arc<Self>) -> Option<Arc<Counted>> {
        let began = Instant::now();
        loop {
            let last = held(&self.last).clone();
            if let Some(last) = last {
                self.renew(&last);
                return Some(last);
            }
            self.begin();
            if began.elapsed() > PATIENCE {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn renew(self: &Arc<Self>, last: &Counted) {
        if self.is_rested() && self.open().is_ok_and(|store| !last.is_of(&store)) {
            self.begin();
        }
    }

    fn is_rested(&self) -> bool {
        held(&self.took).is_none_or(|(at, took)| at.elapsed() > took * REST)
    }

    fn open(&self) -> diglot::Result<Store> {
        Store::open(&self.folder, Access::Read)
    }

    /// Starts a count, unless one is running.
    pub fn begin(self: &Arc<Self>) {
        if !self.is_rested() || self.is_running.swap(true, Ordering::Relaxed) {
            return;
        }
        let counting = self.clone();
        std::thread::spawn(move || {
            let _running = Running(&counting.is_running);
            let began = Instant::now();
            match counting.open().and_then(|store| count(&store)) {
                Ok(counted) => *held(&counting.last) = Some(Arc::new(counted)),
                Err(why) => drop(writeln!(std::io::stderr(), "diglot: the figures cannot be counted: {why}")),
            }
            // After a failure, the next count waits as well.
            *held(&counting.took) = Some((Instant::now(), began.elapsed().max(LEAST_REST)));
        });
    }
}

fn count(store: &Store) -> diglot::Result<Counted> {
    let mut hosts = Vec::new();
    let host = |line: HostLine| Host {
        name: line.host.into_boxed_str(),
        pages: line.pages,
        pairs: u32::try_from(line.pairs).unwrap_or(u32::MAX),
        credibility: line.credibility as f32,
    };
    let overview = query::overview(store, |lines| {
        hosts.extend(lines.into_iter().map(host));
        Ok(())
    })?;
    let (config, _) = configuration(&store.settings().values);
    let stages = pipeline::progress(store, &config, LAST_STAGE)?;
    let lacking = query::shortages(store, &config, &Scope::all())?;
    // The figures are dropped if another program has changed the store meanwhile.
    store.witness().map_or(Ok(()), |witness| witness.check())?;
    Ok(Counted { commit_hash: commit_hash(store), ..Counted::new(overview, stages, lacking, hosts) })
}

fn commit_hash(store: &Store) -> Option<u64> {
    store.witness().map(|witness| witness.commit_hash())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_searched_sorted_and_cut() {
        let host =
            |name: &str, pages, pairs| Host { name: name.into(), pages, pairs, credibility: pairs as f32 / 10.0 };
        let hosts = vec![host("b.org", 2, 9), host("a.org", 7, 1), host("c.net", 9, 3)];
        let counted = Counted::new(Overview::default(), Vec::new(), Vec::new(), hosts);
        let names = |text: &str, sort, start, count| -> (usize, Vec<String>) {
            let (total, found) = counted.hosts(text, sort, start, count);
            (total, found.into_iter().map(|host| host.name.to_string()).collect())
        };
        assert_eq!(names("", Sort::Name, 0, 9).1, ["a.org", "b.org", "c.net"]);
        assert_eq!(names(".org", Sort::Pairs, 0, 1), (2, vec!["b.org".to_owned()]));
        assert_eq!(names("", Sort::Pages, 1, 2).1, ["a.org", "b.org"]);
        assert_eq!(names("", Sort::Credibility, 0, 1).1, ["b.org"]);
    }
}
