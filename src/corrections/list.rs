//! The list of corrections, as a text of lines.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::correction::{Correction, hash_of};
use super::of_site::OfSite;
use crate::index::site::Urls;
use crate::types::registrable_domain;

/// The first line of a file.
pub const HEAD: &str = "correction\tfirst\tsecond\tdate\tnote";

/// Stands between the domains that people have joined to one site, in its name. No host contains it (WHATWG URL, forbidden host code
/// points).
pub const JOINED: char = '|';

/// A correction with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of its line in the file, from 1.
    pub line: usize,
    /// Its number among the corrections, from 1, by which it is taken back.
    pub number: usize,
    /// The correction.
    pub correction: Correction,
    /// When it was made; may be empty.
    pub date: String,
    /// Why; may be empty.
    pub note: String,
}

impl Line {
    /// The line of a correction.
    pub fn new(correction: Correction, date: &str, note: &str) -> Line {
        // Characters that would end a field or a line become spaces.
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ").trim().to_owned();
        Line { line: 0, number: 0, correction, date: plain(date), note: plain(note) }
    }

    /// The line of a correction that is made now: the time is in UTC, to the second (RFC 3339).
    pub fn now(correction: Correction, note: &str) -> Line {
        Line::new(correction, &jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), note)
    }

    /// The correction in words, with its date, its note and its number.
    pub fn told(&self) -> String {
        let note = if self.note.is_empty() { String::new() } else { format!(": {}", self.note) };
        let date = if self.date.is_empty() { String::new() } else { format!("{}, ", self.date) };
        format!("{} ({date}correction {}{note})", self.correction, self.number)
    }

    /// The line as it stands in the file.
    pub fn text(&self) -> String {
        let [first, second] = self.correction.fields();
        let text = [self.correction.kind(), &first, &second, &self.date, &self.note].join("\t");
        text.trim_end().to_owned()
    }
}

/// All corrections, in the order of their lines; no two of them contradict each other.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    lines: Vec<Line>,
    /// Positions of the corrections that concern a registrable domain.
    by_domain: FxHashMap<String, Vec<usize>>,
    /// Positions of the corrections that concern all domains.
    of_all: Vec<usize>,
    /// The domains that are one site, each group sorted.
    groups: Vec<Vec<String>>,
}

impl Corrections {
    /// Reads a text with one correction on each line: its kind, its two fields, date and note, with tabs between them. Empty lines and
    /// lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// The number of the first line that makes no sense, or contradicts an earlier one, and why.
    pub fn parse(text: &str) -> Result<Corrections, (usize, String)> {
        let mut lines: Vec<Line> = Vec::new();
        for (text, number) in text.lines().zip(1..) {
            let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
            let mut fields = text.split('\t').map(str::trim);
            let mut next = || fields.next().unwrap_or_default();
            let (kind, first, second, date) = (next(), next(), next(), next());
            if text.is_empty() || kind.starts_with('#') || kind == "correction" {
                continue;
            }
            let correction = Correction::parse(kind, first, second).map_err(|problem| (number, problem))?;
            let note = fields.collect::<Vec<_>>().join(" ");
            lines.push(Line { line: number, number: lines.len() + 1, correction, date: date.to_owned(), note });
        }
        Corrections::of(lines)
    }

    fn of(lines: Vec<Line>) -> Result<Corrections, (usize, String)> {
        let mut found = Corrections { groups: groups(&lines), ..Corrections::default() };
        let mut subjects: FxHashMap<String, usize> = FxHashMap::default();
        for (at, line) in lines.iter().enumerate() {
            if let Some(earlier) = subjects.insert(line.correction.subject(), at) {
                let earlier = &lines[earlier];
                let says = if earlier.correction == line.correction { "the same" } else { "otherwise" };
                let problem = format!("{}: line {} says {says}; take one of them out", line.correction, earlier.line);
                return Err((line.line, problem));
            }
            let domains: BTreeSet<String> = line.correction.domains().into_iter().collect();
            if domains.is_empty() {
                found.of_all.push(at);
            }
            for domain in domains {
                found.by_domain.entry(domain).or_default().push(at);
            }
        }
        found.lines = lines;
        Ok(found)
    }

    /// The corrections.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A hash of what they say, whatever their order, dates and notes; 0 for none.
    pub fn hash(&self) -> u64 {
        hash_of(self.lines.iter().map(|line| &line.correction))
    }

    /// What they say of the site with these hosts.
    pub fn of_site<'h>(&self, hosts: impl Iterator<Item = &'h str>) -> OfSite {
        self.of_site_if(hosts, |_| true)
    }

    /// The same, without what can change nothing there, since none of its `pages` is concerned.
    pub fn of_pages(&self, hosts: &[&str], pages: &dyn Urls) -> OfSite {
        self.of_site_if(hosts.iter().copied(), |correction| correction.is_on(hosts, pages))
    }

    fn of_site_if<'h>(&self, hosts: impl Iterator<Item = &'h str>, counts: impl Fn(&Correction) -> bool) -> OfSite {
        if self.lines.is_empty() {
            return OfSite::default();
        }
        let domains: BTreeSet<_> = hosts.map(registrable_domain).collect();
        let mut found: BTreeSet<usize> = self.of_all.iter().copied().collect();
        for domain in domains {
            found.extend(self.by_domain.get(domain.as_ref()).into_iter().flatten());
        }
        let found: Vec<&Correction> = found.into_iter().map(|at| &self.lines[at].correction).collect();
        OfSite::new(found.into_iter().filter(|correction| counts(correction)))
    }

    /// The corrections of a page, or of the keys of its place, whether they changed anything or not.
    pub fn of_page<'c>(&'c self, identity: &'c str) -> impl Iterator<Item = &'c Line> {
        let domain = registrable_domain(crate::types::host_of(identity)).into_owned();
        let of_domain = self.by_domain.get(&domain).into_iter().flatten();
        let concerns = move |line: &&Line| match &line.correction {
            Correction::Pin(pages) | Correction::Forbid(pages) => pages.iter().any(|page| page == identity),
            Correction::Language(place, _) | Correction::Key(_, _, place) => place.covers(identity),
            Correction::Together(_) => true,
        };
        self.of_all.iter().chain(of_domain).map(|&at| &self.lines[at]).filter(concerns)
    }

    /// The registrable domains that are one site with others: each group sorted, and the groups too.
    pub fn groups(&self) -> &[Vec<String>] {
        &self.groups
    }

    /// The group of a registrable domain.
    pub fn group_of(&self, domain: &str) -> Option<&[String]> {
        let is_in = |group: &&Vec<String>| group.binary_search_by(|known| known.as_str().cmp(domain)).is_ok();
        self.groups.iter().find(is_in).map(Vec::as_slice)
    }
}

/// The domains that are said to be one site.
fn groups(lines: &[Line]) -> Vec<Vec<String>> {
    let mut groups: Vec<BTreeSet<String>> = Vec::new();
    for line in lines {
        let Correction::Together(domains) = &line.correction else { continue };
        let mut joined: BTreeSet<String> = domains.iter().cloned().collect();
        let (met, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| domains.iter().any(|domain| group.contains(domain)));
        joined.extend(met.into_iter().flatten());
        groups = others;
        groups.push(joined);
    }
    let mut groups: Vec<Vec<String>> = groups.into_iter().map(|group| group.into_iter().collect()).collect();
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{ListedPages, PageFacts};

    #[test]
    fn a_line_is_a_correction_and_comments_are_none() {
        let text = format!("{HEAD}\n# why\n\npin\tx.org/a\tx.org/b\t2026-11-28\tsaid\tAnn\nforbid-key\tpath:a:b\n");
        let found = Corrections::parse(&text).expect("a sound text");
        assert_eq!(found.lines().iter().map(|line| line.line).collect::<Vec<_>>(), [4, 5]);
        assert_eq!(found.lines()[1].told(), "forbid-key path:a:b * (correction 2)");
        assert_eq!((found.lines()[0].date.as_str(), found.lines()[0].note.as_str()), ("2026-11-28", "said Ann"));
        let [one, other] = [0, 1].map(|at| found.lines()[at].text());
        let again = Corrections::parse(&format!("{other}\n{one}\n")).expect("a sound text");
        assert_eq!(again.hash(), found.hash());
        assert_ne!(found.hash(), 0);
        let line = Line::now(found.lines()[0].correction.clone(), "");
        assert!(line.date.len() == 20 && line.date.parse::<jiff::Timestamp>().is_ok(), "{line:?}");
        assert_eq!(Corrections::parse("# nothing\n").expect("a sound text").hash(), 0);
    }

    #[test]
    fn a_bad_line_is_named() {
        let problem = |text: &str| Corrections::parse(text).expect_err("a bad line");
        assert_eq!(problem("pin\tx.org/a\tx.org/b\npin x.org/a x.org/c\n").0, 2);
        let (line, why) = problem("pin\tx.org/a\tx.org/b\n\nforbid\tx.org/b\tx.org/a\n");
        assert!(line == 3 && why.contains("line 1 says otherwise"), "{why}");
        assert_eq!(problem("forbid-key\tpath:a:b\nname-key\tpath:b:a\t*\n").0, 2);
    }

    #[test]
    fn what_is_said_of_a_site_is_what_concerns_its_domains_or_all() {
        let text = "together\ty.com\tx.org\ntogether\tz.net\ty.com\nlanguage\tfr.x.org\tfr\nforbid-key\tpath:a:b\n";
        let found = Corrections::parse(text).expect("a sound text");
        assert_eq!(found.groups(), [vec!["x.org".to_owned(), "y.com".to_owned(), "z.net".to_owned()]]);
        assert_eq!(found.group_of("y.com").map(<[String]>::len), Some(3));
        assert_eq!(found.group_of("other.org"), None);
        let of = |host: &str| found.of_site([host].into_iter());
        assert_ne!(of("www.x.org").hash(), of("other.org").hash());
        assert_ne!(of("other.org").hash(), 0);
        assert_eq!(Corrections::default().of_site(["x.org"].into_iter()).hash(), 0);
        assert_eq!(found.of_page("fr.x.org/a").count(), 3);
    }

    #[test]
    fn what_none_of_the_pages_is_concerned_by_is_not_said_of_a_site() {
        let pages = ["x.org/a", "x.org/b", "x.org/docs/c"].map(|url| (url.to_owned(), PageFacts::default()));
        let pages = ListedPages(pages.into());
        let hash = |line: &str| {
            let found = Corrections::parse(line).expect("a sound text");
            found.of_pages(&["x.org"], &pages).hash()
        };
        for line in
            ["pin\tx.org/a\tx.org/b", "language\tx.org/docs/*\tfr", "language\tx.org/b\tfr", "language\tx.org\tfr"]
                .into_iter()
                .chain(["name-key\tpath:a:b\tx.org/docs/*", "forbid-key\tpath:a:b\t*"])
        {
            assert_ne!(hash(line), 0, "{line}");
        }
        for line in ["pin\tx.org/a\tx.org/d", "forbid\tx.org/c\tx.org/d", "language\tx.org/doc/*\tfr"]
            .into_iter()
            .chain(["language\tx.org/docs\tfr", "language\tfr.x.org\tfr", "name-key\tpath:a:b\tx.org/z/*"])
        {
            assert_eq!(hash(line), 0, "{line}");
        }
    }
}
