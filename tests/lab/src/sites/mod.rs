//! What the makers of harder sites share: reading a judged site, moving its pages, writing it again with its gold.
//!
//! A maker reads a WARC and the gold beside it into a [`Site`], decides in [`Moves`] which pages the new site has and at
//! which addresses, and has [`write()`] put down the three files of the new site. `moves.rs` turns the links inside the
//! pages round alike, `warc.rs` knows the records.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use diglot::evaluate::{GoldPair, GoldPairs};
use diglot::laboratory::archive::{self, Item};
use diglot::laboratory::extract;
use diglot::types::{CanonicalUrl, Capture, Lang, LangPair};

use crate::{Result, Usage};

mod moves;
mod warc;

pub use moves::Moves;
pub use warc::Writer;

/// The arguments of a maker: those without a name, and `--name value`.
pub struct Arguments {
    /// In their order.
    pub plain: Vec<String>,
    named: BTreeMap<String, String>,
}

impl Arguments {
    /// At least so many without a name; `names` are the options there are.
    pub fn read(arguments: &[String], min_plain: usize, names: &[&str]) -> Result<Arguments> {
        let mut rest = arguments.iter().cloned();
        let mut arguments = Arguments { plain: Vec::new(), named: BTreeMap::new() };
        while let Some(argument) = rest.next() {
            let Some(name) = argument.strip_prefix("--") else {
                arguments.plain.push(argument);
                continue;
            };
            if !names.contains(&name) {
                return Err(format!("there is no option --{name}, expected one of {}", names.join(", ")).into());
            }
            let value = rest.next().ok_or_else(|| format!("--{name} has no value"))?;
            arguments.named.insert(name.to_owned(), value);
        }
        if arguments.plain.len() < min_plain {
            return Err(Usage.into());
        }
        Ok(arguments)
    }

    /// The value of an option, or what it is where it is not given.
    pub fn number<T: std::str::FromStr>(&self, name: &str, otherwise: T) -> Result<T> {
        let Some(text) = self.named.get(name) else { return Ok(otherwise) };
        text.parse().map_err(|_| format!("--{name} is {text}, expected a number").into())
    }

    /// The value of an option.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.named.get(name).map(String::as_str)
    }

    /// The languages of `--langs a,b`.
    pub fn langs(&self) -> Result<Option<(Lang, Lang)>> {
        let Some(text) = self.text("langs") else { return Ok(None) };
        let langs = text.split_once(',').and_then(|(a, b)| Some((Lang::parse(a)?, Lang::parse(b)?)));
        let langs = langs.filter(|(a, b)| a != b);
        Ok(Some(langs.ok_or_else(|| format!("--langs is {text}, expected two languages such as en,de"))?))
    }
}

/// One page of a site, as its archive has it.
pub struct SitePage {
    /// Its address.
    pub url: CanonicalUrl,
    /// The language gold judges it by; as detected where gold does not know it.
    pub lang: Lang,
    /// Type, date and body.
    pub capture: Capture,
}

/// A judged site.
#[derive(Default)]
pub struct Site {
    /// By address without scheme; of several captures the newest.
    pub pages: BTreeMap<String, SitePage>,
    /// Judged pairs and grey ones.
    pub gold: GoldPairs,
}

impl Site {
    /// Reads a WARC, and `PREFIX.pairs.tsv` and `PREFIX.grey.tsv`.
    pub fn read(warc: &Path, gold_prefix: &str) -> Result<Site> {
        let mut gold = GoldPairs::default();
        let pairs = PathBuf::from(format!("{gold_prefix}.pairs.tsv"));
        gold.read_pairs(&pairs.display().to_string(), open(&pairs)?)?;
        let grey = PathBuf::from(format!("{gold_prefix}.grey.tsv"));
        if grey.exists() {
            gold.read_ignored(&grey.display().to_string(), open(&grey)?)?;
        }
        Site::read_pages(warc, gold)
    }

    /// Reads a WARC whose pages are judged by `gold`, or by nobody.
    pub fn read_pages(warc: &Path, gold: GoldPairs) -> Result<Site> {
        let params = archive::Params::default();
        let mut records = archive::open(warc, 0, &params)?;
        let mut site = Site { gold, ..Site::default() };
        while let Some(item) = records.next()? {
            // What is no page is no part of the new site either.
            let Item::Record(record) = item else { continue };
            let Ok(capture) = archive::capture(record, &params) else { continue };
            let Ok(url) = CanonicalUrl::parse(&capture.url) else { continue };
            let newer = site.pages.get(url.identity()).is_some_and(|known| known.capture.date_ms > capture.date_ms);
            if !newer {
                let detected =
                    || extract::extract(&capture, &url, &extract::Params::default()).map(|page| page.detected);
                let lang = site.gold.lang(&url).or_else(|| detected().ok()).unwrap_or(Lang::UNKNOWN);
                site.pages.insert(url.identity().to_owned(), SitePage { url, lang, capture });
            }
        }
        if site.pages.is_empty() {
            return Err(format!("{}: no page in it", warc.display()).into());
        }
        Ok(site)
    }

    /// Every host it has pages on.
    pub fn hosts(&self) -> BTreeSet<String> {
        self.pages.values().map(|page| page.url.host().to_owned()).collect()
    }

    /// The languages asked for, or those with the most judged pairs; of several, the first in the order of tags.
    pub fn langs(&self, asked: Option<(Lang, Lang)>) -> Result<(Lang, Lang)> {
        if let Some(langs) = asked {
            return Ok(langs);
        }
        let mut counts: BTreeMap<LangPair, usize> = BTreeMap::new();
        for row in self.gold.rows().iter().filter(|row| row.ignored.is_none()) {
            *counts.entry(row.langs()).or_default() += 1;
        }
        let most = counts.iter().max_by_key(|(langs, count)| (**count, std::cmp::Reverse(**langs)));
        let (langs, _) = most.ok_or("gold judges no pair of this site, give --langs")?;
        // English, where it is one of the two, stands first, as in gold.
        Ok(if langs.b == Lang::EN { (langs.b, langs.a) } else { (langs.a, langs.b) })
    }

    /// The documents in two languages: addresses without scheme, in the order of the first one's. Rows of gold come
    /// before grey ones, and a page belongs to the first document it is in.
    pub fn documents(&self, langs: (Lang, Lang)) -> Vec<(String, String)> {
        let mut taken = BTreeSet::new();
        let mut documents = Vec::new();
        for grey in [false, true] {
            for row in self.gold.rows().iter().filter(|row| row.ignored.is_some() == grey) {
                let Some((a, b)) = turned(row, langs) else { continue };
                let known = self.pages.contains_key(a) && self.pages.contains_key(b);
                if known && !taken.contains(a) && !taken.contains(b) {
                    taken.extend([a.to_owned(), b.to_owned()]);
                    documents.push((a.to_owned(), b.to_owned()));
                }
            }
        }
        documents.sort();
        documents
    }

    /// Pages of a language that are in none of these documents.
    pub fn alone(&self, lang: Lang, documents: &[(String, String)]) -> Vec<String> {
        let taken: BTreeSet<&String> = documents.iter().flat_map(|(a, b)| [a, b]).collect();
        let alone = self.pages.iter().filter(|(identity, page)| page.lang == lang && !taken.contains(identity));
        alone.map(|(identity, _)| identity.clone()).collect()
    }
}

/// The addresses of a row, that of the first language first; `None` where the row is of other languages.
fn turned(row: &GoldPair, langs: (Lang, Lang)) -> Option<(&str, &str)> {
    let (a, b) = (row.url_a.identity(), row.url_b.identity());
    if (row.lang_a, row.lang_b) == langs {
        Some((a, b))
    } else if (row.lang_b, row.lang_a) == langs {
        Some((b, a))
    } else {
        None
    }
}

/// Writes `OUT.warc.gz`, `OUT.pairs.tsv` and `OUT.grey.tsv`: the pages that `moves` has an address for, and the rows of
/// gold both of whose pages are among them. The sites are those the pages come from; gold is the first one's.
pub fn write(out: &Path, sites: &[&Site], moves: &Moves) -> Result<()> {
    let Some(judged) = sites.first() else { return Err("no site to write".into()) };
    let mut warc = Writer::create(&beside(out, "warc.gz"))?;
    let mut written = 0_u64;
    // In the order of the new addresses, so that the order of the records tells nothing.
    let mut pages = BTreeMap::new();
    for page in sites.iter().flat_map(|site| site.pages.values()) {
        if let Some(url) = moves.page(page.url.identity()) {
            pages.insert(url, page);
        }
    }
    for (url, page) in &pages {
        warc.page(url, &page.capture, &moves.rewrite(&page.url, &page.capture.body)?)?;
        written += 1;
    }
    warc.finish()?;
    let (mut pairs, mut grey) = (Vec::new(), Vec::new());
    for row in judged.gold.rows() {
        let (Some(a), Some(b)) = (moves.page(row.url_a.identity()), moves.page(row.url_b.identity())) else { continue };
        match row.ignored {
            None => pairs.push(format!("{a}\t{b}\t{}\t{}\n", row.lang_a, row.lang_b)),
            Some(reason) => grey.push(format!("{a}\t{b}\t{}\t{}\t{reason}\n", row.lang_a, row.lang_b)),
        }
    }
    pairs.sort();
    grey.sort();
    for (rows, kind) in [(&pairs, "pairs.tsv"), (&grey, "grey.tsv")] {
        let mut file = create(&beside(out, kind))?;
        file.write_all(rows.concat().as_bytes())?;
        file.flush()?;
    }
    eprintln!("{}: {written} pages, {} pairs, {} grey", out.display(), pairs.len(), grey.len());
    Ok(())
}

/// The host of the new site: the last part of OUT as a label of `site.test`.
pub fn host_of(out: &Path) -> Result<String> {
    let name = out.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(fits) {
        return Err(
            format!("OUT ends in {name:?}, expected small letters, digits and - : it names the new host").into()
        );
    }
    Ok(format!("{name}.site.test"))
}

/// `OUT.KIND`.
pub fn beside(out: &Path, kind: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".");
    name.push(kind);
    name.into()
}

/// A new file, its name told when it cannot be.
pub fn create(path: &Path) -> Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(path).map_err(|error| format!("{}: {error}", path.display()))?))
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use diglot::evaluate::GoldPairs;
    use diglot::types::{Capture, Lang};

    use super::{Moves, Site, Writer, beside, host_of, write};

    const EN: &str = "The museum opens every morning at nine and shows the work of the painters who lived in the valley, \
                      and it is open to all of them that have come from other places to see what there is.";
    const FR: &str = "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la \
                      vallée, et il est ouvert à tous ceux qui sont venus d'ailleurs.";

    /// An archive of pages: their URLs and texts.
    fn archive(path: &Path, pages: &[(String, &str)]) {
        let mut warc = Writer::create(path).expect("room on the disk");
        let capture = Capture { content_type: Some("text/html; charset=utf-8".into()), ..Capture::default() };
        for (url, text) in pages {
            let html = format!("<body><a href=\"/en/garden.html\">Garden</a><p>{text}");
            warc.page(url, &capture, html.as_bytes()).expect("room on the disk");
        }
        warc.finish().expect("room on the disk");
    }

    #[test]
    fn a_site_that_moves_keeps_its_pairs() {
        let folder = tempfile::tempdir().expect("a folder");
        let (old, new) = (folder.path().join("tiny"), folder.path().join("moved"));
        let names = ["paintings", "drawings", "visitors", "history", "garden"];
        let url = |lang: &str, name: &str| format!("http://tiny.test/{lang}/{name}.html");
        let pages: Vec<_> = names.iter().flat_map(|name| [(url("en", name), EN), (url("fr", name), FR)]).collect();
        archive(&beside(&old, "warc.gz"), &pages);
        let gold: String =
            names.iter().map(|name| format!("{}\t{}\ten\tfr\n", url("en", name), url("fr", name))).collect();
        fs::write(beside(&old, "pairs.tsv"), gold).expect("room on the disk");
        let read = |prefix: &Path| {
            Site::read(&beside(prefix, "warc.gz"), &prefix.display().to_string()).expect("a sound site")
        };
        let site = read(&old);
        let langs = site.langs(None).expect("one pair of languages");
        assert_eq!(langs, (Lang::EN, Lang::parse("fr").expect("a tag")));
        let documents = site.documents(langs);
        let first = ("tiny.test/en/drawings.html".to_owned(), "tiny.test/fr/drawings.html".to_owned());
        assert_eq!((documents.len(), &documents[0]), (5, &first));

        let mut moves = Moves::new(host_of(&new).expect("a host"), site.hosts(), 1);
        for (at, (a, b)) in documents.iter().enumerate() {
            moves.add(a, format!("/en/node{at}.html")).expect("a free path");
            moves.add(b, format!("/fr/node{at}.html")).expect("a free path");
        }
        write(&new, &[&site], &moves).expect("room on the disk");
        let moved = read(&new);
        let node = |lang: &str, at: usize| format!("moved.site.test/{lang}/node{at}.html");
        let expected: Vec<_> = (0..5).map(|at| (node("en", at), node("fr", at))).collect();
        assert_eq!(moved.documents(langs), expected);
        // Documents are in the order of their first URLs: the garden is the second.
        for page in moved.pages.values() {
            let html = String::from_utf8_lossy(&page.capture.body);
            assert!(html.contains("<a href=\"/en/node1.html\">Garden</a>"), "{html}");
        }
    }

    #[test]
    fn pages_nobody_judges_have_the_language_of_their_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let warc = folder.path().join("one.warc.gz");
        archive(&warc, &[("http://one.test/a".to_owned(), EN)]);
        let site = Site::read_pages(&warc, GoldPairs::default()).expect("a sound site");
        assert_eq!(site.alone(Lang::EN, &[]), ["one.test/a"]);
    }
}
