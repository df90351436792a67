//! What the catalog holds, by name and type. Keys and keyspaces are known only here, and where all of them are walked.

use super::catalog::{Changes, Keyspace};
use super::layout::*;
use super::record_kinds::Store;
use crate::error::Result;
use crate::types::{Lang, LangPair, SiteId};

/// Which stage judged the pairs of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Verification.
    Verified,
    /// Iteration over links.
    Resolved,
}

impl Judged {
    fn keyspace(self) -> Keyspace {
        match self {
            Judged::Verified => Keyspace::Verified,
            Judged::Resolved => Keyspace::Resolved,
        }
    }
}

/// Which stage made the page pairs of a site. Its number is the key of the table that names the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PairsOf {
    /// Key discovery.
    Keys = Keyspace::Result as u8,
    /// Verification.
    Verified = Keyspace::Verified as u8,
    /// Iteration over links.
    Resolved = Keyspace::Resolved as u8,
}

impl From<Judged> for PairsOf {
    fn from(judged: Judged) -> PairsOf {
        match judged {
            Judged::Verified => PairsOf::Verified,
            Judged::Resolved => PairsOf::Resolved,
        }
    }
}

/// What a single stage fills and its settings decide, so that it is dropped when these change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// Nothing: the stage itself recognises what was made with other settings.
    None,
    /// Sites, and all that was made of them.
    Sites,
    /// Keys, their credibility, and what sites show of languages.
    Keys,
    /// What verification learnt, and the pairs that it judged.
    Verified,
    /// The pairs that iteration judged.
    Resolved,
    /// Models of alignment, and sentence pairs.
    Bitext,
}

impl Results {
    pub(super) fn tables(self) -> &'static [Keyspace] {
        match self {
            Results::None => &[],
            Results::Sites => OF_SITES,
            Results::Keys => &[Keyspace::Result, Keyspace::Credibility, Keyspace::Taught],
            Results::Verified => &[Keyspace::Learnt, Keyspace::Verified],
            Results::Resolved => &[Keyspace::Resolved],
            Results::Bitext => &[Keyspace::Model, Keyspace::Bitext],
        }
    }
}

/// The tables of sites and of results about them.
const OF_SITES: &[Keyspace] = &[
    Keyspace::Site,
    Keyspace::Domain,
    Keyspace::Result,
    Keyspace::Credibility,
    Keyspace::Taught,
    Keyspace::Graph,
    Keyspace::Web,
    Keyspace::Verified,
    Keyspace::Resolved,
    Keyspace::Learnt,
    Keyspace::Bitext,
    Keyspace::Model,
    Keyspace::Score,
];

/// Names the letters that a site shows of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaughtKey {
    /// The language.
    pub lang: Lang,
    /// The hash of the name of the site's domain without its public suffix: domains with the same name count as one witness.
    pub witness: u64,
    /// The site.
    pub site: SiteId,
}

impl TaughtKey {
    fn bytes(self) -> Vec<u8> {
        [&self.lang.to_bytes()[..], &self.witness.to_be_bytes(), &self.site.0.to_be_bytes()].concat()
    }

    fn of(key: &[u8]) -> Option<TaughtKey> {
        let (lang, rest) = key.split_first_chunk()?;
        let (witness, site) = rest.split_first_chunk()?;
        let site = SiteId(u32::from_be_bytes(site.try_into().ok()?));
        Some(TaughtKey { lang: Lang::from_bytes(*lang), witness: u64::from_be_bytes(*witness), site })
    }
}

fn site_key(id: SiteId) -> [u8; 4] {
    id.0.to_be_bytes()
}

/// Key of a language pair's model.
pub(super) fn model_key(langs: LangPair) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&langs.a.to_bytes());
    key[8..].copy_from_slice(&langs.b.to_bytes());
    key
}

/// Sets and removes values, from the next commit on.
impl Changes {
    /// Sets what is known of the archive with a number.
    pub(crate) fn put_archive(&mut self, number: u32, archive: &ArchiveRecord) {
        self.put(Keyspace::Archive, &number.to_be_bytes(), archive);
    }

    /// Sets which archive has a fingerprint.
    pub(crate) fn put_fingerprint(&mut self, fingerprint: u64, number: u32) {
        self.put(Keyspace::Fingerprint, &fingerprint.to_be_bytes(), &number);
    }

    /// No archive has a fingerprint any more.
    pub(crate) fn remove_fingerprint(&mut self, fingerprint: u64) {
        self.remove(Keyspace::Fingerprint, &fingerprint.to_be_bytes());
    }

    /// Nothing of an archive is lost any more.
    pub(crate) fn remove_loss(&mut self, number: u32) {
        self.remove(Keyspace::Loss, &number.to_be_bytes());
    }

    /// Sets a site.
    pub(crate) fn put_site(&mut self, id: SiteId, head: &SiteHead) {
        self.put(Keyspace::Site, &site_key(id), head);
    }

    /// Makes a site empty: replaces its head, and removes everything that was made from its pages alone.
    pub(crate) fn empty_site(&mut self, id: SiteId, head: &SiteHead) {
        self.put_site(id, head);
        for keyspace in [Keyspace::Graph, Keyspace::Verified, Keyspace::Resolved, Keyspace::Bitext, Keyspace::Score] {
            self.remove(keyspace, &site_key(id));
        }
    }

    /// Sets which site has a domain.
    pub(crate) fn put_domain(&mut self, domain: &str, id: SiteId) {
        self.put(Keyspace::Domain, domain.as_bytes(), &id.0);
    }

    /// No site has a domain any more.
    pub(crate) fn remove_domain(&mut self, domain: &str) {
        self.remove(Keyspace::Domain, domain.as_bytes());
    }

    /// Sets how far a stage is.
    pub(crate) fn put_stage(&mut self, name: &str, record: &StageRecord) {
        self.put(Keyspace::Stage, name.as_bytes(), record);
    }

    /// A stage has never run.
    pub(crate) fn remove_stage(&mut self, name: &str) {
        self.remove(Keyspace::Stage, name.as_bytes());
    }

    /// Sets where the keys of a site are.
    pub(crate) fn put_result(&mut self, id: SiteId, head: &ResultHead) {
        self.put(Keyspace::Result, &site_key(id), head);
    }

    /// Sets the global credibility of a pattern. A pattern that no site has any more is removed.
    pub(crate) fn put_credibility(&mut self, pattern: &str, known: &Credibility) {
        if known.sites == 0 {
            self.remove(Keyspace::Credibility, pattern.as_bytes());
        } else {
            self.put(Keyspace::Credibility, pattern.as_bytes(), known);
        }
    }

    /// Sets the letters that a site shows of a language.
    pub(crate) fn put_taught(&mut self, key: TaughtKey, taught: &Taught) {
        self.put(Keyspace::Taught, &key.bytes(), taught);
    }

    /// A site shows no letters of a language any more.
    pub(crate) fn remove_taught(&mut self, key: TaughtKey) {
        self.remove(Keyspace::Taught, &key.bytes());
    }

    /// Sets where the links of a site are.
    pub(crate) fn put_graph(&mut self, id: SiteId, head: &GraphHead) {
        self.put(Keyspace::Graph, &site_key(id), head);
    }

    /// Sets where the judged pairs of a site are.
    pub(crate) fn put_judged(&mut self, by: Judged, id: SiteId, head: &JudgedHead) {
        self.put(by.keyspace(), &site_key(id), head);
    }

    /// Sets the place of the record of what verification learnt of a language pair.
    pub(crate) fn put_learnt(&mut self, langs: LangPair, head: &LearntHead) {
        self.put(Keyspace::Learnt, &model_key(langs), head);
    }

    /// Sets where the model of a language pair is.
    pub(crate) fn put_model(&mut self, langs: LangPair, head: &ModelHead) {
        self.put(Keyspace::Model, &model_key(langs), head);
    }

    /// Sets where the sentence pairs of a site are.
    pub(crate) fn put_bitext(&mut self, id: SiteId, head: &BitextHead) {
        self.put(Keyspace::Bitext, &site_key(id), head);
    }

    /// A site has no sentence pairs any more.
    pub(crate) fn remove_bitext(&mut self, id: SiteId) {
        self.remove(Keyspace::Bitext, &site_key(id));
    }

    /// Removes the scores of the sentence pairs of a site.
    pub(crate) fn remove_scores(&mut self, id: SiteId) {
        self.remove(Keyspace::Score, &site_key(id));
    }

    /// Sets the place of the graph of sites; `kind` is `host` or `domain`.
    pub(crate) fn put_web(&mut self, kind: &str, head: &WebHead) {
        self.put(Keyspace::Web, kind.as_bytes(), head);
    }

    /// No graph of sites is of the present sites.
    pub(crate) fn remove_webs(&mut self) {
        ["host", "domain"].iter().for_each(|kind| self.remove(Keyspace::Web, kind.as_bytes()));
    }

    /// Sets what is known of a file; `path` has the bytes of its path.
    pub(crate) fn put_hint(&mut self, path: &[u8], hint: &HintRecord) {
        self.put(Keyspace::Hint, path, hint);
    }

    /// Sets the reason why an input was not read; `path` has the bytes of its path.
    pub(crate) fn put_refused(&mut self, path: &[u8], refused: &RefusedRecord) {
        self.put(Keyspace::Refused, path, refused);
    }
}

impl Store {
    /// Calls `each` with the domains, in order, each with its site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn for_each_domain(&self, mut each: impl FnMut(&str, SiteId)) -> Result<()> {
        self.catalog.for_each(Keyspace::Domain, |domain, id: u32| {
            each(&String::from_utf8_lossy(domain), SiteId(id));
            Ok(())
        })
    }

    /// Calls `each` with the patterns of keys, in order, each with its global credibility.
    ///
    /// # Errors
    /// As [`Store::for_each_domain`].
    pub(crate) fn for_each_pattern(&self, mut each: impl FnMut(String, Credibility)) -> Result<()> {
        self.catalog.for_each(Keyspace::Credibility, |pattern, known: Credibility| {
            each(String::from_utf8_lossy(pattern).into_owned(), known);
            Ok(())
        })
    }

    /// The keys of all letters that sites show of languages, ordered by language, then by witness.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn taught_keys(&self) -> Result<Vec<TaughtKey>> {
        Ok(self.catalog.keys(Keyspace::Taught)?.iter().filter_map(|key| TaughtKey::of(key)).collect())
    }

    /// The letters that a site shows of a language.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn taught(&self, key: TaughtKey) -> Result<Option<Taught>> {
        self.catalog.get(Keyspace::Taught, &key.bytes())
    }

    /// The places of the records of what verification learnt, of all language pairs.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn learnt_heads(&self) -> Result<Vec<LearntHead>> {
        self.catalog.values(Keyspace::Learnt)
    }

    /// Where the result of verification (or iteration) for a site is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn judged_head(&self, by: Judged, id: SiteId) -> Result<Option<JudgedHead>> {
        self.catalog.get(by.keyspace(), &site_key(id))
    }

    /// The sites whose sentence pairs have scores.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn scored_sites(&self) -> Result<Vec<SiteId>> {
        let keys = self.catalog.keys(Keyspace::Score)?;
        Ok(keys.into_iter().filter_map(|key| Some(SiteId(u32::from_be_bytes(key.try_into().ok()?)))).collect())
    }

    /// Calls `each` with the path (in bytes) of every file that was ever examined, and what was found.
    ///
    /// # Errors
    /// When the catalog cannot be read, or what `each` returns.
    pub(crate) fn for_each_hint(&self, each: impl FnMut(&[u8], HintRecord) -> Result<()>) -> Result<()> {
        self.catalog.for_each(Keyspace::Hint, each)
    }

    /// Calls `each` with the path (in bytes) of every input that was not read, and the reason.
    ///
    /// # Errors
    /// As [`Store::for_each_hint`].
    pub(crate) fn for_each_refused(&self, each: impl FnMut(&[u8], RefusedRecord) -> Result<()>) -> Result<()> {
        self.catalog.for_each(Keyspace::Refused, each)
    }

    /// Calls `each` with every URL that was requested of crawlers, without scheme.
    ///
    /// # Errors
    /// As [`Store::for_each_hint`].
    pub(crate) fn for_each_request(&self, mut each: impl FnMut(String, RequestedRecord) -> Result<()>) -> Result<()> {
        self.catalog.for_each(Keyspace::Requested, |key, request: RequestedRecord| {
            let identity = key.iter().position(|&byte| byte == 0).map_or(key, |end| &key[end + 1..]);
            each(String::from_utf8_lossy(identity).into_owned(), request)
        })
    }

    /// Drops the list of losses; returns how many there were.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn forget_losses(&mut self) -> Result<usize> {
        let losses = self.catalog.keys(Keyspace::Loss)?;
        let mut changes = Changes::default();
        losses.iter().for_each(|key| changes.remove(Keyspace::Loss, key));
        self.commit(changes)?;
        Ok(losses.len())
    }

    /// Commits these changes if they are so many that they should not wait in memory.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn commit_many(&mut self, changes: &mut Changes) -> Result<()> {
        const MANY: usize = 100_000;
        if changes.len() < MANY { Ok(()) } else { self.commit(std::mem::take(changes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;
    use crate::store::live_records::HEADS;

    #[test]
    fn whatever_names_records_of_sites_is_a_table_of_sites() {
        assert!(HEADS.iter().all(|head| OF_SITES.contains(head)));
        let of_stages = [Results::Keys, Results::Verified, Results::Resolved, Results::Bitext];
        assert!(of_stages.iter().flat_map(|results| results.tables()).all(|table| OF_SITES.contains(table)));
    }

    #[test]
    fn what_is_set_by_name_is_found_by_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let mut changes = Changes::default();
        let key = TaughtKey { lang: Lang::from_bytes(*b"fr\0\0\0\0\0\0"), witness: 7, site: SiteId(3) };
        changes.put_taught(key, &Taught { letters: vec![1, 2] });
        changes.put_domain("ex.org", SiteId(3));
        changes.put_credibility("path:en:fr", &Credibility { sum: 5, sites: 1 });
        changes.put_judged(Judged::Resolved, SiteId(3), &JudgedHead { pairs: 9, ..JudgedHead::default() });
        store.commit(changes).expect("room on disk");
        let mut found = Vec::new();
        store.for_each_domain(|domain, id| found.push((domain.to_owned(), id))).expect("a catalog");
        store.for_each_pattern(|pattern, known| found.push((pattern, SiteId(known.sites)))).expect("a catalog");
        assert_eq!(found, [("ex.org".to_owned(), SiteId(3)), ("path:en:fr".to_owned(), SiteId(1))]);
        assert_eq!(store.taught_keys().expect("a catalog"), [key]);
        assert_eq!(store.taught(key).expect("a catalog").map(|taught| taught.letters), Some(vec![1, 2]));
        let pairs = |by| store.judged_head(by, SiteId(3)).expect("a catalog").map(|head| head.pairs);
        assert_eq!([Judged::Verified, Judged::Resolved].map(pairs), [None, Some(9)]);
        let mut changes = Changes::default();
        changes.put_credibility("path:en:fr", &Credibility::default());
        changes.remove_taught(key);
        store.commit(changes).expect("room on disk");
        store.for_each_pattern(|pattern, _| panic!("{pattern}")).expect("a catalog");
        assert!(store.taught_keys().expect("a catalog").is_empty());
    }
}
