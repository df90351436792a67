//! Take-down lists: pages that are left out of an export because somebody asked for it.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufRead};

use rustc_hash::FxHashMap;

use super::exporter::Row;
use crate::types::{BitextLine, CanonicalUrl, Place, Provenance, host_of, name_of_host, without_port, without_scheme};

/// URLs, hosts and names of records whose pages are left out.
#[derive(Debug, Default)]
pub struct TakeDown {
    /// URLs without their scheme.
    urls: Names,
    /// Hosts, for themselves and all hosts below them: at all ports, or at the one that is named.
    hosts: Names,
    /// `WARC-Record-ID`, as records have it.
    records: Names,
}

/// The names that some lines of a list contain.
#[derive(Debug, Default)]
struct Names(FxHashMap<String, Named>);

/// A line of a list.
#[derive(Debug)]
struct Named {
    number: usize,
    line: String,
    /// True where a row has something of this name.
    is_met: Cell<bool>,
}

impl Names {
    fn add(&mut self, name: String, number: usize, line: &str) {
        self.0.entry(name).or_insert_with(|| Named { number, line: line.to_owned(), is_met: Cell::default() });
    }

    /// True for a name that is among them. Notes that it occurred.
    fn has(&self, name: &str) -> bool {
        let found = self.0.get(name);
        found.inspect(|named| named.is_met.set(true)).is_some()
    }
}

impl TakeDown {
    /// Reads a list: one URL, host or record id a line; `#` at the start or after a blank begins a comment.
    ///
    /// # Errors
    /// When it cannot be read, or a line is none of them.
    pub fn read(input: impl BufRead) -> io::Result<TakeDown> {
        let mut list = TakeDown::default();
        for (number, line) in input.lines().enumerate() {
            let line = line?;
            let line = without_comment(&line).trim();
            if line.is_empty() {
                continue;
            }
            let problem = |what: &str| {
                let problem = format!("line {}: {line} is {what}, expected a URL, a host or a record id", number + 1);
                io::Error::new(io::ErrorKind::InvalidData, problem)
            };
            if line.contains(char::is_whitespace) {
                return Err(problem("more than one name (a blank in a URL is %20)"));
            }
            if line.starts_with('<') || line.starts_with("urn:") {
                let id = line.trim_start_matches('<').trim_end_matches('>');
                list.records.add(id.to_owned(), number, line);
            } else if line.contains("://") {
                let url = CanonicalUrl::parse(line).map_err(|_| problem("no URL of the web"))?;
                list.urls.add(plain(url.identity()), number, line);
            } else {
                let host = CanonicalUrl::parse_typed(line).ok().filter(|url| matches!(url.rest(), "" | "/"));
                let host = host.filter(|_| !line.contains('/')).ok_or_else(|| problem("no host"))?;
                list.hosts.add(plain(host.host()), number, line);
            }
        }
        Ok(list)
    }

    /// True where pages are named by their records.
    pub fn names_records(&self) -> bool {
        !self.records.0.is_empty()
    }

    /// The lines that match nothing in the rows that were examined, in order.
    pub fn unmet(&self) -> Vec<&str> {
        let all = [&self.urls, &self.hosts, &self.records].into_iter().flat_map(|names| names.0.values());
        let mut unmet: Vec<&Named> = all.filter(|named| !named.is_met.get()).collect();
        unmet.sort_unstable_by_key(|named| named.number);
        unmet.into_iter().map(|named| named.line.as_str()).collect()
    }

    /// True for a row that has text or anything else from a page that is to be taken down.
    pub fn has(&self, row: Row<'_>) -> bool {
        let place = |place: &Place| self.has_page(&place.url, &place.provenance);
        match row {
            Row::Pair(line) => {
                let [a, b] = &line.provenance;
                self.has_page(&line.url_a, a) | self.has_page(&line.url_b, b)
            }
            Row::Sentences(line) | Row::Rebuild(line) => {
                let is_gone = place(&line.a) | place(&line.b);
                if is_gone {
                    // This only notes which names occur: a row that is left out is not examined any further.
                    self.others(line);
                }
                is_gone
            }
            Row::Document(line) => {
                self.has_page(&line.a.url, &line.a.provenance) | self.has_page(&line.b.url, &line.b.provenance)
            }
            Row::Unit(line) => line.texts.iter().fold(false, |is_gone, text| is_gone | place(&text.place)),
            Row::Page(page) => self.has_page(&page.url, &page.provenance),
            Row::Record(record) => self.has_url(&record.url) | self.has_record(record_id(&record.record)),
            Row::Capture(line) => self.has_url(&line.url),
            Row::Words(_) | Row::Language(_) => false,
        }
    }

    /// A sentence pair without the URLs of other pages that are taken down.
    pub fn without<'l>(&self, line: &'l BitextLine) -> Cow<'l, BitextLine> {
        let gone = self.others(line);
        if !gone.contains(&true) {
            return Cow::Borrowed(line);
        }
        let mut line = line.clone();
        let mut gone = gone.into_iter();
        line.others.retain(|_| gone.next() != Some(true));
        Cow::Owned(line)
    }

    /// Which of the other pages of a sentence pair are taken down.
    fn others(&self, line: &BitextLine) -> Vec<bool> {
        line.others.iter().map(|(a, b)| self.has_url(a) | self.has_url(b)).collect()
    }

    fn has_page(&self, url: &str, provenance: &Provenance) -> bool {
        self.has_url(url) | self.has_record(&provenance.record_id)
    }

    fn has_record(&self, id: &str) -> bool {
        self.names_records() && self.records.has(id.trim_start_matches('<').trim_end_matches('>'))
    }

    /// All names of the list that match must be noted, so it is not enough to find one.
    fn has_url(&self, url: &str) -> bool {
        if self.urls.0.is_empty() && self.hosts.0.is_empty() {
            return false;
        }
        let identity = without_scheme(url);
        let (host, port) = (host_of(identity), without_port(host_of(identity)).1);
        let mut is_gone = self.urls.has(&plain(identity));
        let mut host = Some(name_of_host(host));
        while let Some(name) = host {
            is_gone |= self.hosts.has(name);
            is_gone |= port.is_some_and(|port| self.hosts.has(&format!("{name}:{port}")));
            host = name.split_once('.').map(|(_, rest)| rest);
        }
        is_gone
    }
}

/// The part of a line before a comment.
fn without_comment(line: &str) -> &str {
    let is_comment = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with(char::is_whitespace);
    line.match_indices('#').find(is_comment).map_or(line, |(at, _)| &line[..at])
}

/// A URL without its scheme, or a host; without a dot at the end of the host.
fn plain(identity: &str) -> String {
    let (host, rest) = identity.split_at(host_of(identity).len());
    match without_port(host) {
        (name, Some(port)) => format!("{}:{port}{rest}", name_of_host(name)),
        (name, None) => format!("{}{rest}", name_of_host(name)),
    }
}

/// `WARC-Record-ID` of a record; empty where there is none.
fn record_id(record: &[u8]) -> &str {
    let head = &record[..memchr::memmem::find(record, b"\r\n\r\n").unwrap_or(record.len())];
    let mut lines = head.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let found = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("WARC-Record-ID").then(|| value.trim())
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::line;
    use crate::types::{CopiedRecord, FetchLine, PageLine};

    fn list(text: &str) -> TakeDown {
        TakeDown::read(text.as_bytes()).expect("a list")
    }

    #[test]
    fn pages_are_taken_down_by_url_host_and_record() {
        let page = |url: &str, id: &str| PageLine {
            url: url.into(),
            provenance: Provenance { record_id: id.into(), ..Provenance::default() },
            ..PageLine::default()
        };
        let given = list(
            "# asked for in May\nhttps://ex.org/a%20b\t# a page\n\nOther.org #its owner\n<urn:uuid:1>\nurn:uuid:2\nport.org.:81\n\
             http://ex.org/#top\n",
        );
        assert!(given.names_records());
        for (url, id, is_gone) in [
            ("http://ex.org/a%20b", "", true),
            ("http://ex.org/a", "", false),
            ("http://other.org/", "", true),
            ("http://www.other.org/x?y", "", true),
            ("http://another.org/", "", false),
            ("http://other.org:8080/", "", true),
            ("http://www.other.org.:81/", "", true),
            ("http://www.port.org:81/", "", true),
            ("http://port.org./", "", false),
            ("http://ex.org./", "", true),
            ("http://ex.org:81/", "", false),
            ("http://b.org/", "<urn:uuid:1>", true),
            ("http://b.org/", "<urn:uuid:2>", true),
            ("http://b.org/", "<urn:uuid:3>", false),
        ] {
            assert_eq!(given.has(Row::Page(&page(url, id))), is_gone, "{url} {id}");
        }
        let record = |id: &str| CopiedRecord {
            url: "http://b.org/".into(),
            record: format!("WARC/1.0\r\nwarc-record-id: {id}\r\n\r\nWARC-Record-ID: <urn:uuid:1>").into_bytes(),
            member: None,
        };
        let captured = |url: &str| FetchLine { url: url.into(), file: String::new(), offset: 0, length: 0 };
        assert!(
            given.has(Row::Capture(&captured("http://other.org/")))
                && !given.has(Row::Capture(&captured("http://x.org/")))
        );
        assert!(given.has(Row::Record(&record("<urn:uuid:2>"))) && !given.has(Row::Record(&record("<urn:uuid:9>"))));
    }

    #[test]
    fn what_no_row_has_is_told_and_what_several_lines_name_counts_for_each() {
        let given = list(
            "http://ex.org/en/?a=1&b=2\nex.org\nhttp://ex.org/none\norg\nhttp://ex.org/zh/b # listed\ngone.org\n<urn:x>",
        );
        let line = line("a", "b");
        assert!(given.has(Row::Sentences(&line)));
        assert_eq!(given.unmet(), ["http://ex.org/none", "gone.org", "<urn:x>"]);
    }

    #[test]
    fn a_sentence_pair_stays_where_other_pages_with_it_go() {
        let line = line("a", "b");
        let given = list("http://ex.org/zh/b");
        assert!(!given.has(Row::Sentences(&line)));
        assert!(given.without(&line).others.is_empty() && list("x.org").without(&line).others.len() == 1);
        assert!(list("http://ex.org/zh/?a=1&b=2").has(Row::Sentences(&line)));
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for (text, problem) in [
            ("\nftp://ex.org/", "line 2: ftp://ex.org/ is no URL of the web"),
            ("ex.org/a", "line 1: ex.org/a is no host"),
            ("a host", "line 1: a host is more than one name"),
            ("https://ex.org/a b", "line 1: https://ex.org/a b is more than one name"),
        ] {
            let found = TakeDown::read(text.as_bytes()).expect_err(text).to_string();
            assert!(found.starts_with(problem), "{found}");
        }
    }
}
