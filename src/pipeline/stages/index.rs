//! Makes the page tables of sites, and the token index, from batches. Unit of work: one site.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::groups::note;
use super::owners::{Owners, left_out};
use super::together::{self, Together};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::captures::{CaptureRow, Captures, Choice, Merged, Place, Source, Stamp, merge};
use crate::index::site::Urls;
use crate::index::sorter::{Entry, Sorter};
use crate::keys::sides::Sides;
use crate::keys::suffixes::{self, Member};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::store::catalog::Changes;
use crate::store::layout::{
    BatchRecord, ChunkBuilder, HostRecord, PageEntry, SiteHead, SkipChunk, SkipEntry, StageRecord,
};
use crate::store::records::{Mapped, RecordRef, START};
use crate::store::{Results, SitePages, Spilling, Store, tokens};
use crate::types::{Form, Lang, OptOuts, SiteId, Step, Watch, counted, host_of, registrable_domain};
use crate::upkeep;

/// The stage that makes sites from batches.
pub struct Index;

/// Sites in one commit, at most. Every commit rewrites the blocks of the token index that its sites touch, which are most of them, so few
/// commits are cheaper, and small sites are many.
const COMMIT_SITES: usize = 8192;
/// Pages after which a commit is made.
const COMMIT_PAGES: usize = 200_000;
/// Mapped memory that was read is released after so many pages.
const RELEASE_PAGES: usize = 1 << 16;
/// In a record of left-out captures, what sitemaps declare has at most about so many bytes.
const CHUNK_BYTES: usize = 64 << 20;
/// This bit in the position of an entry marks a left-out capture.
const SKIPPED: u32 = 1 << 31;

impl Stage for Index {
    fn name(&self) -> &'static str {
        "index"
    }

    fn version(&self) -> u32 {
        4
    }

    fn sections(&self) -> &'static [&'static str] {
        &["keys.across_suffixes", "captures", "index"]
    }

    fn results(&self) -> Results {
        // Other settings give other sites, so everything that was made from the old sites is removed with them.
        Results::Sites
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let misplaced = together::misplaced(store, config.keys.across_suffixes)?.len();
        if misplaced > 0 {
            return Ok(counted(misplaced as u64, "site") + " to join or to part");
        }
        let cursor = self.cursor(store, config)?;
        let batches = store.batches_from(cursor).try_fold(0u64, |count, found| found.map(|_| count + 1))?;
        Ok(if batches == 0 { String::new() } else { counted(batches, "batch") + " to index" })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let misplaced = together::misplaced(store, context.config.keys.across_suffixes)?;
        if !misplaced.is_empty() {
            upkeep::empty_sites(store, &misplaced)?;
        }
        let end = store.batches.end();
        let params = fingerprint(self, context.config);
        upkeep::complete_tokens(store, || context.check_stop())?;
        let cursor = self.cursor(store, context.config)?;
        if cursor >= end {
            return Ok(());
        }
        // If this run is stopped, the next one must know with which settings the sites in the store were made.
        note(self, store, StageRecord { fingerprint: params, cursor: cursor.0, finished: false })?;
        let mut work = Work::gather(self, store, context)?;
        let sorter = std::mem::replace(&mut work.sorter, Sorter::new(0, store.folder()));
        context.observer.begin("index", "pages by site", "sites", Some(work.sites));
        let mut done = 0;
        sorter.for_each_group(|group| {
            work.merge_name(store, group)?;
            done += 1;
            context.observer.progress(done, "");
            if work.heads.len() >= COMMIT_SITES || work.pages >= COMMIT_PAGES {
                work.commit(store, None)?;
                // The cursor is not moved until all is done. Merging an entry twice changes nothing.
                context.check_stop()?;
            }
            Ok(())
        })?;
        let record = StageRecord { fingerprint: params, cursor: end.0, finished: true };
        work.commit(store, Some(record))?;
        Ok(())
    }
}

impl Index {
    fn cursor(&self, store: &Store, config: &Config) -> Result<RecordRef> {
        let record = store.stage(self.name())?;
        Ok(if record.fingerprint == fingerprint(self, config) { RecordRef(record.cursor) } else { START })
    }
}

/// What is collected until the next commit.
struct Work<'c> {
    config: &'c Config,
    watch: &'c dyn Watch,
    batches: Vec<(RecordRef, Mapped<BatchRecord>)>,
    sorter: Sorter,
    sites: u64,
    /// The domains that people say are one site.
    together: Together,
    /// Names under which domains are merged: registrable domains, their families if suffixes do not count, or the first of joined ones.
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
    next_site: u32,
    domains: Vec<(String, SiteId)>,
    heads: Vec<(SiteId, SiteHead)>,
    tokens: Vec<tokens::Posting>,
    pages: usize,
}

/// The pages and left-out captures of one group of domains.
#[derive(Default)]
struct Part {
    /// Pages, as in [`Merged::order`].
    order: Vec<CaptureRow>,
    skipped: Vec<SkipEntry>,
}

/// A page of a site to be written.
struct Page {
    row: CaptureRow,
    /// The directives of the page and of its host.
    opt_outs: OptOuts,
}

/// The pages of a site, divided by settings.
#[derive(Default)]
struct Divided {
    order: Vec<Page>,
    withheld: Vec<Page>,
    /// As in [`SiteHead`].
    left_out: Vec<(u8, u64)>,
}

/// A site of the store.
struct KnownSite {
    id: SiteId,
    head: SiteHead,
    pages: SitePages,
    /// Pages that settings leave out.
    withheld: SitePages,
    /// Hashes of what its sitemaps declare; known once its left-out captures are read.
    declared: BTreeSet<u64>,
}

/// The sites that have domains of one name, before new pages are added.
struct Before {
    sites: Vec<KnownSite>,
    domains: Vec<(String, SiteId)>,
}

impl Before {
    /// A table of a site: its pages have twice the number of the site, and those that settings leave out the number after that.
    fn table(&self, number: usize) -> &SitePages {
        let site = &self.sites[number / 2];
        if number.is_multiple_of(2) { &site.pages } else { &site.withheld }
    }
}

/// A site to be written.
#[derive(Clone, Copy)]
struct Target {
    id: SiteId,
    /// Its position in [`Before::sites`], if the store has it.
    known: Option<usize>,
}

impl<'c> Work<'c> {
    /// Reads all batches that are not indexed yet, and finds the name of the site of every entry.
    fn gather(stage: &Index, store: &Store, context: &'c Context<'_>) -> Result<Work<'c>> {
        let mut work = Work {
            config: context.config,
            watch: context,
            batches: Vec::new(),
            sorter: Sorter::new(context.config.memory.sorted_pages(), &store.temporary()?),
            sites: 0,
            together: Together::new(store.corrections(), context.config.keys.across_suffixes),
            names: Vec::new(),
            numbers: FxHashMap::default(),
            next_site: store.site_count()?,
            domains: Vec::new(),
            heads: Vec::new(),
            tokens: Vec::new(),
            pages: 0,
        };
        context.observer.begin("index", "reading batches", "batches", None);
        // From the captures that were chosen before, only the newest can be chosen.
        let is_newest = context.config.captures == Choice::Newest;
        let from = if is_newest { stage.cursor(store, context.config)? } else { START };
        let (mut spilling, mut places) = (Spilling::new(&store.temporary()?)?, Vec::new());
        for found in store.batches_from(from) {
            let (at, batch) = found?;
            let number = places.len() as u32;
            let mut last: Option<(String, u32)> = None;
            let pages = batch.pages.iter().map(|page| page.identity.as_str()).zip(0u32..);
            let skipped = batch.skipped.iter().map(|skip| skip.identity.as_str()).zip(SKIPPED..);
            for (identity, place) in pages.chain(skipped) {
                if store.removed().takes(batch.archive.to_native(), identity) {
                    continue;
                }
                let host = host_of(identity);
                let name = match &last {
                    Some((known, name)) if known == host => *name,
                    _ => {
                        let name = work.number_of(host);
                        last = Some((host.to_owned(), name));
                        name
                    }
                };
                work.sorter.push(Entry { key: u64::from(name), value: number, page: place })?;
            }
            spilling.push(&batch)?;
            places.push(at);
            context.observer.progress(u64::from(number) + 1, "");
        }
        work.batches = places.into_iter().zip(spilling.finish()?).collect();
        work.sites = work.names.len() as u64;
        Ok(work)
    }

    fn number_of(&mut self, host: &str) -> u32 {
        let name = self.together.name_of(host);
        if let Some(&number) = self.numbers.get(name.as_ref()) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone().into_owned());
        self.numbers.insert(name.into_owned(), number);
        number
    }

    /// Merges the new entries of the domains of one name with what the store has, and writes the page tables of their sites.
    fn merge_name(&mut self, store: &mut Store, group: &[Entry]) -> Result<()> {
        let name = self.names[group[0].key as usize].clone();
        let mut before = self.before(store, &name)?;
        let new = self.new_entries(&before, group);
        if new.is_empty() {
            return Ok(());
        }
        let is_stepwise = self.config.captures == Choice::Newest;
        let group = if is_stepwise { &new } else { group };
        let Merged { order, older } = self.merge(&before, group);
        let skipped = self.skipped(store, &mut before, group)?;
        let groups = self.groups(store, (&name, &before), &order, &skipped)?;
        let parts = self.part(&before, &groups, order, skipped);
        let known = before.sites.iter().filter(|_| is_stepwise).map(|site| site.head.older);
        let mut older = older + known.sum::<u64>();
        let mut free: BTreeMap<SiteId, usize> = before.sites.iter().zip(0..).map(|(site, at)| (site.id, at)).collect();
        let site_of: FxHashMap<&str, SiteId> = before.domains.iter().map(|known| (known.0.as_str(), known.1)).collect();
        let mut named: BTreeSet<String> = BTreeSet::new();
        for (domains, part) in groups.into_iter().zip(parts) {
            // The site gets the number of the first of its domains that has a site.
            let known = domains.iter().filter_map(|domain| site_of.get(domain.as_str()));
            let target = match known.copied().find_map(|id| free.remove_entry(&id)) {
                Some((id, at)) => Target { id, known: Some(at) },
                None => Target { id: self.new_site(), known: None },
            };
            // If there are several sites of one family, the first of them with several domains has its name.
            let own = self.together.base(&domains[0]);
            let domain = match self.together.site_name(&domains) {
                Some(joined) => joined,
                None if domains.len() > 1 && named.insert(own.clone().into_owned()) => own.into_owned(),
                None => domains.join("+"),
            };
            let head = SiteHead { domain, older: std::mem::take(&mut older), ..SiteHead::default() };
            self.write_site(store, target, part, &before, head)?;
            for domain in domains {
                if site_of.get(domain.as_str()) != Some(&target.id) {
                    self.domains.push((domain, target.id));
                }
            }
        }
        for (id, at) in free {
            // Its pages belong to another site now.
            let head = SiteHead { domain: before.sites[at].head.domain.clone(), ..SiteHead::default() };
            self.write_site(store, Target { id, known: Some(at) }, Part::default(), &before, head)?;
        }
        Ok(())
    }

    /// The entries that the sites of their domains do not have yet. A run that was stopped may have merged some names already. A domain
    /// without a site, as one whose site was emptied, has none of its entries, even if other domains of its name have theirs.
    fn new_entries(&self, before: &Before, group: &[Entry]) -> Vec<Entry> {
        let indexed: BTreeMap<SiteId, u64> = before.sites.iter().map(|site| (site.id, site.head.indexed)).collect();
        let of_domain: FxHashMap<&str, u64> =
            before.domains.iter().map(|(domain, site)| (domain.as_str(), indexed[site])).collect();
        let mut last: (&str, u64) = ("", 0);
        let is_new = |entry: &&Entry| {
            let (at, batch) = &self.batches[entry.value as usize];
            let host = host_of(match entry.page & SKIPPED {
                0 => &batch.pages[entry.page as usize].identity,
                _ => &batch.skipped[(entry.page & !SKIPPED) as usize].identity,
            });
            if last.0 != host {
                last = (host, of_domain.get(registrable_domain(host).as_ref()).copied().unwrap_or_default());
            }
            at.0 >= last.1
        };
        group.iter().filter(is_new).copied().collect()
    }

    fn new_site(&mut self) -> SiteId {
        self.next_site += 1;
        SiteId(self.next_site - 1)
    }

    /// The left-out captures of the domains of one name, those in the store and new ones.
    fn skipped(&self, store: &Store, before: &mut Before, group: &[Entry]) -> Result<Vec<SkipEntry>> {
        let mut skipped: Vec<SkipEntry> = Vec::new();
        for site in &mut before.sites {
            let of_site = skipped_of(store, &site.head)?;
            site.declared = declared_by(&of_site);
            skipped.extend(of_site);
        }
        for entry in group.iter().filter(|entry| entry.page & SKIPPED != 0) {
            let batch = &self.batches[entry.value as usize].1;
            skipped.push(batch.skipped[(entry.page & !SKIPPED) as usize].to_owned());
        }
        skipped.sort_unstable_by(|a, b| {
            (&a.identity, a.reason, a.archive, a.offset).cmp(&(&b.identity, b.reason, b.archive, b.offset))
        });
        skipped.dedup();
        Ok(skipped)
    }

    /// Writes one site, with the name and the count of older captures that are in `head`.
    fn write_site(
        &mut self,
        store: &mut Store,
        target: Target,
        part: Part,
        before: &Before,
        mut head: SiteHead,
    ) -> Result<()> {
        let Part { order, skipped } = part;
        let Divided { order, withheld, left_out } = self.divide(before, order, &skipped);
        let old = target.known.map(|at| (at, &before.sites[at]));
        head.generation = old.map_or(0, |(_, old)| old.head.generation) + 1;
        head.indexed = store.batches.end().0;
        let lists_as_before = old.is_none_or(|(_, old)| old.declared == declared_by(&skipped));
        head.left_out = left_out;
        match old.filter(|(at, old)| self.is_unchanged(&withheld, (2 * at + 1, &old.withheld))) {
            Some((_, old)) => head.withheld.clone_from(&old.head.withheld),
            None => head.withheld = self.write_withheld(store, &withheld, before)?,
        }
        match old.filter(|(at, old)| lists_as_before && self.is_unchanged(&order, (2 * at, &old.pages))) {
            Some((_, old)) => {
                head.generation = old.head.generation;
                head.chunks.clone_from(&old.head.chunks);
                head.pages = old.head.pages;
                head.hosts.clone_from(&old.head.hosts);
            }
            None => self.write_pages(store, target, &order, before, &mut head)?,
        }
        for entries in in_chunks(skipped) {
            head.skipped.push(store.skips.append_short(&SkipChunk { entries })?.0);
        }
        self.heads.push((target.id, head));
        Ok(())
    }

    /// Divides pages and left-out captures among the groups of domains. Linear in these, however many groups there are.
    fn part(
        &self,
        before: &Before,
        groups: &[Vec<String>],
        order: Vec<CaptureRow>,
        skipped: Vec<SkipEntry>,
    ) -> Vec<Part> {
        if groups.len() == 1 {
            return vec![Part { order, skipped }];
        }
        let of_group = |(domains, at): (&'_ Vec<String>, usize)| -> Vec<(String, usize)> {
            domains.iter().map(|domain| (domain.clone(), at)).collect()
        };
        let numbers: FxHashMap<String, usize> = groups.iter().zip(0..).flat_map(of_group).collect();
        // URLs are sorted by host.
        let mut last: (String, Option<usize>) = Default::default();
        let mut group_of = |identity: &str| {
            let host = host_of(identity);
            if last.0 != host {
                last = (host.to_owned(), numbers.get(registrable_domain(host).as_ref()).copied());
            }
            last.1
        };
        let mut parts: Vec<Part> = groups.iter().map(|_| Part::default()).collect();
        for row in order {
            if let Some(at) = group_of(self.identity(before, row.source)) {
                parts[at].order.push(row);
            }
        }
        for entry in skipped {
            if let Some(at) = group_of(&entry.identity) {
                parts[at].skipped.push(entry);
            }
        }
        parts
    }

    fn before(&self, store: &Store, name: &str) -> Result<Before> {
        let mut domains = Vec::new();
        for name in self.together.members(name) {
            if self.config.keys.across_suffixes {
                domains.extend(store.sites_of_family(name)?);
            } else {
                domains.extend(store.site_of_domain(name)?.map(|site| (name.to_owned(), site)));
            }
        }
        let ids: BTreeSet<SiteId> = domains.iter().map(|known| known.1).collect();
        let mut sites = Vec::new();
        for id in ids {
            let head = store.site(id)?.unwrap_or_default();
            let (pages, withheld) = (store.site_pages(&head)?, store.withheld_pages(&head)?);
            sites.push(KnownSite { id, head, pages, withheld, declared: BTreeSet::new() });
        }
        Ok(Before { sites, domains })
    }

    /// The domains of one name, in groups of which each is one site.
    fn groups(
        &self,
        store: &Store,
        (name, before): (&str, &Before),
        order: &[CaptureRow],
        skipped: &[SkipEntry],
    ) -> Result<Vec<Vec<String>>> {
        let across = self.config.keys.across_suffixes;
        let names: Vec<&str> = self.together.members(name).collect();
        if let [name] = names[..] {
            return if across {
                self.one_sites(store, (before, &before.domains), order, skipped)
            } else {
                Ok(vec![vec![name.to_owned()]])
            };
        }
        let mut groups = Vec::new();
        for name in names {
            let is_of = |identity: &str| self.together.base(host_of(identity)) == name;
            let order: Vec<CaptureRow> =
                order.iter().filter(|row| is_of(self.identity(before, row.source))).copied().collect();
            let skipped: Vec<SkipEntry> = skipped.iter().filter(|entry| is_of(&entry.identity)).cloned().collect();
            let domains: Vec<_> = before.domains.iter().filter(|known| is_of(&known.0)).cloned().collect();
            if across {
                groups.extend(self.one_sites(store, (before, &domains), &order, &skipped)?);
            } else if !order.is_empty() || !skipped.is_empty() || !domains.is_empty() {
                groups.push(vec![name.to_owned()]);
            }
        }
        Ok(self.together.joined(groups))
    }

    /// The domains of a family, known ones and those of its captures, in groups of which each is one site.
    fn one_sites(
        &self,
        store: &Store,
        (before, known): (&Before, &[(String, SiteId)]),
        order: &[CaptureRow],
        skipped: &[SkipEntry],
    ) -> Result<Vec<Vec<String>>> {
        let mut domains: BTreeSet<String> = known.iter().map(|known| known.0.clone()).collect();
        let identities = order.iter().map(|row| self.identity(before, row.source));
        let mut last = "";
        for identity in identities.chain(skipped.iter().map(|entry| entry.identity.as_str())) {
            let host = host_of(identity);
            if host != last {
                domains.insert(registrable_domain(host).into_owned());
                last = host;
            }
        }
        if domains.len() < 2 {
            return Ok(domains.into_iter().map(|domain| vec![domain]).collect());
        }
        let member = |&CaptureRow { source, .. }: &CaptureRow| {
            let (lang, text_bytes) = match source.place() {
                Place::Old(site, page) => {
                    let (chunk, at) = before.table(site).chunk(page);
                    (chunk.detected(at), chunk.bytes_of_text(at))
                }
                Place::New(batch, at) => {
                    let page = &self.batches[batch].1.pages[at];
                    (Lang::from_bytes(page.detected), page.text_bytes.to_native())
                }
            };
            Member { identity: self.identity(before, source), lang, text_bytes }
        };
        let members: Vec<Member<'_>> = order.iter().map(member).collect();
        let failed: RefCell<Option<Error>> = RefCell::default();
        let links = |page: usize, each: &mut dyn FnMut(&str, bool)| {
            let entry = self.entry(before, order[page]);
            // An index has no links.
            if Form::from_code(entry.form) == Form::Index {
                return;
            }
            match store.page(RecordRef(if entry.links == 0 { entry.page } else { entry.links })) {
                Ok(record) => record.for_each_link(|url, link| {
                    if let Some((_, identity)) = url.split_once("://") {
                        each(identity, link.hreflang.is_some());
                    }
                }),
                Err(error) => *failed.borrow_mut() = Some(error),
            }
        };
        let mut groups = suffixes::groups(&members, &links, &self.config.keys.suffixes);
        if let Some(error) = failed.take() {
            return Err(error);
        }
        let joined: BTreeSet<String> = groups.iter().flatten().cloned().collect();
        // Domains without pages.
        groups.extend(domains.difference(&joined).map(|domain| vec![domain.clone()]));
        Ok(groups)
    }

    fn identity<'w>(&'w self, before: &'w Before, source: Source) -> &'w str {
        match source.place() {
            Place::Old(site, page) => before.table(site).identity(page),
            Place::New(batch, at) => self.batches[batch].1.pages[at].identity.as_str(),
        }
    }

    fn entry_of(&self, before: &Before, page: &Page) -> PageEntry {
        PageEntry { opt_outs: page.opt_outs.code(), ..self.entry(before, page.row) }
    }

    fn entry(&self, before: &Before, row: CaptureRow) -> PageEntry {
        let mut entry: PageEntry = match row.source.place() {
            Place::Old(site, page) => {
                let (chunk, at) = before.table(site).chunk(page);
                chunk.entry(at)
            }
            Place::New(batch, at) => self.batches[batch].1.pages[at].to_owned(),
        };
        entry.links = if row.links == 0 { entry.links } else { row.links };
        entry
    }

    /// Puts the captures of a name in order; new ones are given as entries, old ones as ordinals.
    fn merge(&self, before: &Before, group: &[Entry]) -> Merged {
        let new = group.iter().filter(|entry| entry.page & SKIPPED == 0).map(|e| Source::new(e.value, e.page));
        // The nearest captures are chosen from all batches, and so from those of the pages in the tables too.
        let choice = self.config.captures;
        let counts = || before.sites.iter().flat_map(|site| [site.pages.count(), site.withheld.count()]);
        let old = counts().zip(0u32..).filter(|_| choice == Choice::Newest);
        let old = old.flat_map(|(count, table)| (0..count).map(move |page| Source::old(table, page)));
        let pages: usize = counts().map(|count| count as usize).sum();
        let merged = merge(&NameCaptures(self, before), self.releasing(old.chain(new)), pages + group.len(), choice);
        if merged.order.len() + merged.older as usize >= RELEASE_PAGES {
            self.release();
        }
        merged
    }

    /// Releases what was read of the batches from time to time, while `sources` are read.
    fn releasing<'w>(&'w self, sources: impl Iterator<Item = Source> + 'w) -> impl Iterator<Item = Source> + 'w {
        sources.enumerate().map(|(at, source)| {
            if at % RELEASE_PAGES == RELEASE_PAGES - 1 {
                self.release();
            }
            source
        })
    }

    fn release(&self) {
        self.batches.iter().for_each(|(_, batch)| batch.release());
    }

    /// Divides the pages of a site into those that it has and those that settings leave out.
    fn divide(&self, before: &Before, order: Vec<CaptureRow>, skipped: &[SkipEntry]) -> Divided {
        let owners = Owners::of(skipped, &self.config.index.robots_agent);
        let mut divided = Divided::default();
        let mut counts: BTreeMap<u8, u64> = BTreeMap::new();
        for row in order {
            let (own, is_translated) = self.signs(before, row.source);
            let opt_outs = own | owners.opt_outs(self.identity(before, row.source));
            let page = Page { row, opt_outs };
            match left_out(&self.config.index, opt_outs, is_translated) {
                None => divided.order.push(page),
                Some(reason) => {
                    *counts.entry(reason as u8).or_default() += 1;
                    divided.withheld.push(page);
                }
            }
        }
        divided.left_out = counts.into_iter().collect();
        divided
    }

    /// The directives of a page itself, and whether it has a mark of machine translation.
    fn signs(&self, before: &Before, source: Source) -> (OptOuts, bool) {
        let (opt_outs, is_translated) = match source.place() {
            Place::Old(table, page) => {
                let (chunk, at) = before.table(table).chunk(page);
                chunk.signs(at)
            }
            Place::New(batch, at) => {
                let page = &self.batches[batch].1.pages[at];
                (OptOuts::from_code(page.opt_outs.to_native()), page.translated != 0)
            }
        };
        (opt_outs.of_page(), is_translated)
    }

    /// True when a table has the same pages as before, each with the same links and directives.
    fn is_unchanged(&self, order: &[Page], (number, table): (usize, &SitePages)) -> bool {
        let is_own = |(page, at): (&Page, u32)| {
            let (chunk, place) = table.chunk(at);
            let is_same = match page.row.source.place() {
                Place::Old(known, old) => known == number && old == at && page.row.links == 0,
                // Where captures are chosen from all batches, most of them were chosen before, too.
                Place::New(batch, new) => {
                    let entry = &self.batches[batch].1.pages[new];
                    let links = if page.row.links == 0 { entry.links.to_native() } else { page.row.links };
                    entry.page == chunk.pages[place]
                        && links == chunk.links[place]
                        && entry.identity.as_str() == table.identity(at)
                }
            };
            is_same && chunk.signs(place).0 == page.opt_outs
        };
        order.len() == table.count() as usize && order.iter().zip(0..).all(is_own)
    }

    fn write_withheld(&self, store: &mut Store, pages: &[Page], before: &Before) -> Result<Vec<u64>> {
        let mut builder = ChunkBuilder::default();
        let mut chunks = Vec::new();
        for page in pages {
            if let Some(chunk) = builder.push(&self.entry_of(before, page)) {
                chunks.push(store.sites.append_short(&chunk)?.0);
                self.release();
            }
        }
        if let Some(chunk) = builder.finish() {
            chunks.push(store.sites.append_short(&chunk)?.0);
        }
        Ok(chunks)
    }

    fn write_pages(
        &mut self,
        store: &mut Store,
        target: Target,
        order: &[Page],
        before: &Before,
        head: &mut SiteHead,
    ) -> Result<()> {
        let mut builder = ChunkBuilder::default();
        let mut hosts: BTreeMap<String, BTreeMap<[u8; 8], u32>> = BTreeMap::new();
        let mut texts = Sides::new(order.len(), tokens::token_hash);
        let step = Sides::step(order.len());
        let told = Step::new(self.watch, "putting pages in order", order.len());
        for (at, row) in order.iter().enumerate() {
            let entry = self.entry_of(before, row);
            told.did(1);
            let host = host_of(&entry.identity);
            if !hosts.contains_key(host) {
                hosts.insert(host.to_owned(), BTreeMap::new());
            }
            if let Some(langs) = hosts.get_mut(host) {
                *langs.entry(entry.detected).or_default() += 1;
            }
            if at % step == 0 {
                texts.add(&entry.identity);
            }
            if let Some(chunk) = builder.push(&entry) {
                head.chunks.push(store.sites.append_short(&chunk)?.0);
                // Batches are read once and in no order, so what is mapped need not stay in memory.
                self.release();
            }
        }
        if let Some(chunk) = builder.finish() {
            head.chunks.push(store.sites.append_short(&chunk)?.0);
        }
        head.pages = order.len() as u32;
        head.hosts =
            hosts.into_iter().map(|(host, langs)| HostRecord { host, langs: langs.into_iter().collect() }).collect();
        // Texts that were stored before and do not occur now must be removed; otherwise the order of archives would show.
        let known = target.known.map(|at| Sides::of(&before.sites[at].pages, tokens::token_hash).hashes);
        self.tokens.extend(known.unwrap_or_default().difference(&texts.hashes).map(|&hash| (hash, target.id, false)));
        self.tokens.extend(texts.hashes.into_iter().map(|hash| (hash, target.id, true)));
        self.pages += order.len();
        Ok(())
    }

    fn commit(&mut self, store: &mut Store, stage: Option<StageRecord>) -> Result<()> {
        let mut changes = Changes::default();
        for (id, head) in self.heads.drain(..) {
            changes.put_site(id, &head);
        }
        for (domain, id) in self.domains.drain(..) {
            changes.put_domain(&domain, id);
        }
        store.change_tokens(&mut self.tokens, &mut changes)?;
        self.tokens.clear();
        self.pages = 0;
        self.release();
        if let Some(stage) = stage {
            changes.put_stage("index", &stage);
        }
        store.commit(changes)
    }
}

/// The captures of the domains of one name.
struct NameCaptures<'w>(&'w Work<'w>, &'w Before);

impl Captures for NameCaptures<'_> {
    fn identity(&self, source: Source) -> &str {
        self.0.identity(self.1, source)
    }

    fn stamp(&self, source: Source) -> Stamp {
        let (form, date_ms, digest) = match source.place() {
            Place::Old(site, page) => {
                let (chunk, at) = self.1.table(site).chunk(page);
                (chunk.forms[at], chunk.date_ms(at), chunk.digest(at))
            }
            Place::New(batch, at) => {
                let page = &self.0.batches[batch].1.pages[at];
                (page.form, page.date_ms.to_native(), page.digest.to_native())
            }
        };
        Stamp { form, date_ms, digest }
    }

    fn form(&self, source: Source) -> u8 {
        match source.place() {
            Place::Old(site, page) => {
                let (chunk, at) = self.1.table(site).chunk(page);
                chunk.forms[at]
            }
            Place::New(batch, at) => self.0.batches[batch].1.pages[at].form,
        }
    }

    fn link_record(&self, source: Source) -> u64 {
        let (page, links) = match source.place() {
            Place::Old(site, page) => {
                let (chunk, at) = self.1.table(site).chunk(page);
                (chunk.page(at).0, chunk.links_of(at))
            }
            Place::New(batch, at) => {
                let page = &self.0.batches[batch].1.pages[at];
                (page.page.to_native(), page.links.to_native())
            }
        };
        if links == 0 && self.form(source) == Form::Links as u8 { page } else { links }
    }
}

/// The left-out captures of a site.
fn skipped_of(store: &Store, head: &SiteHead) -> Result<Vec<SkipEntry>> {
    let mut entries = Vec::new();
    for &at in &head.skipped {
        entries.extend(store.skips.read(RecordRef(at))?.entries.iter().map(|entry| entry.to_owned()));
    }
    Ok(entries)
}

/// Hashes of what the sitemaps among left-out captures declare.
fn declared_by(entries: &[SkipEntry]) -> BTreeSet<u64> {
    entries.iter().filter(|entry| !entry.declared.is_empty()).map(|entry| xxh3_64(&entry.declared)).collect()
}

/// Left-out captures in lists for one record each. Declarations of sitemaps and rules of owners make no record too long.
fn in_chunks(skipped: Vec<SkipEntry>) -> Vec<Vec<SkipEntry>> {
    let (mut chunks, mut bytes) = (Vec::new(), CHUNK_BYTES);
    for entry in skipped {
        if bytes >= CHUNK_BYTES {
            chunks.push(Vec::new());
            bytes = 0;
        }
        bytes += entry.declared.len() + entry.detail.len();
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(entry);
        }
    }
    chunks
}
