//! XCES as OPUS uses it: an alignment of sentences by their ids, and beside it, for each page of a page pair, a document with the
//! sentences.
//!
//! A document has those sentences of its page that are exported, in the order of the page. A text of several sentences is written as these
//! sentences if it can be put together from them with spaces.

use std::io::{self, Write};

use xxhash_rust::xxh3::xxh3_64;

use super::exporter::{Compression, Exporter, Job, Output, Row, outputs, rounded, sides};
use super::xml::Xml;
use crate::text::sentences::for_each_sentence;
use crate::types::{BitextLine, Lang, Place, domain_of};

struct Xces {
    xml: Xml<Output>,
    sides: [String; 2],
    /// The ending of the names of documents.
    ending: &'static str,
    /// How many page pairs there were.
    pairs: u64,
    /// How many links there were.
    links: u64,
    open: Option<PagePair>,
    complete: Vec<(String, Vec<u8>)>,
}

/// A page pair whose sentence pairs are not all known yet.
struct PagePair {
    domain: String,
    pages: [Page; 2],
    links: Vec<Link>,
}

struct Page {
    /// The place of its first sentence, which has what is known of the page.
    place: Place,
    /// Paragraph, number in the paragraph, and text.
    sentences: Vec<(u32, u32, String)>,
}

struct Link {
    targets: [String; 2],
    score: f64,
    reason: Option<&'static str>,
}

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let problem = || io::Error::new(io::ErrorKind::InvalidInput, "the format is of two languages");
    let sides = job.langs.map(sides).ok_or_else(problem)?;
    let mut xml = Xml::begin(out, "<!DOCTYPE cesAlign PUBLIC \"-//CES//DTD XML cesAlign//EN\" \"\">\n")?;
    xml.open("cesAlign", &[("version", "1.0")])?;
    xml.raw("\n")?;
    let ending = if job.compression == Compression::Gzip { ".xml.gz" } else { ".xml" };
    Ok(Box::new(Xces { xml, sides, ending, pairs: 0, links: 0, open: None, complete: Vec::new() }))
}

impl Xces {
    /// Writes the page pair whose sentence pairs are all known.
    fn end_pair(&mut self) -> io::Result<()> {
        let Some(pair) = self.open.take() else { return Ok(()) };
        self.pairs += 1;
        let [a, b] = &self.sides;
        let name = |side: &str| format!("{side}/{}/{a}-{b}-{:06}{}", pair.domain, self.pairs, self.ending);
        let [from, to] = [name(a), name(b)];
        self.xml.open("linkGrp", &[("targType", "s"), ("fromDoc", &from), ("toDoc", &to)])?;
        for link in pair.links {
            self.links += 1;
            let (id, certainty) = (format!("SL{}", self.links), rounded(link.score).to_string());
            let targets = link.targets.join(";");
            let mut attributes = vec![("id", id.as_str()), ("xtargets", &targets), ("certainty", &certainty)];
            attributes.extend(link.reason.map(|reason| ("left-out", reason)));
            self.xml.raw("\n")?;
            self.xml.empty("link", &attributes)?;
        }
        self.xml.raw("\n")?;
        self.xml.close("linkGrp")?;
        self.xml.raw("\n")?;
        for (name, page) in [from, to].into_iter().zip(pair.pages) {
            self.complete.push((name, page.document()?));
        }
        Ok(())
    }
}

impl Page {
    /// Adds the sentences of a text; returns their ids.
    fn add(&mut self, lang: Lang, text: &str, place: &Place) -> String {
        if text.is_empty() {
            return String::new();
        }
        let (paragraph, first) = (place.paragraph.unwrap_or_default(), place.sentence.unwrap_or_default());
        let sentences = divided(lang, text, place.count);
        let ids: Vec<String> = (first..).take(sentences.len()).map(|number| id(paragraph, number)).collect();
        let numbered = (first..).zip(sentences).map(|(number, text)| (paragraph, number, text.to_owned()));
        self.sentences.extend(numbered);
        ids.join(" ")
    }

    fn document(mut self) -> io::Result<Vec<u8>> {
        // A page may have them in another order than its partner.
        self.sentences.sort_by_key(|(paragraph, number, _)| (*paragraph, *number));
        let Place { url, archive, offset, provenance, .. } = &self.place;
        let signals = &provenance.signals;
        let (offset, opt_outs) = (offset.to_string(), signals.opt_outs.names());
        let machine = signals.translated.map_or("", |found| found.mark.name());
        let mut attributes = vec![("url", url.as_str()), ("archive", archive), ("offset", &offset)];
        let told = [("machine-translated", machine), ("opt-out", &opt_outs), ("license", &signals.license)];
        attributes.extend(told.into_iter().filter(|(_, value)| !value.is_empty()));
        let mut xml = Xml::begin(Vec::new(), "")?;
        xml.open("document", &attributes)?;
        for sentences in self.sentences.chunk_by(|before, next| before.0 == next.0) {
            xml.raw("\n")?;
            xml.open("p", &[("id", &sentences[0].0.to_string())])?;
            for (paragraph, number, text) in sentences {
                xml.raw("\n")?;
                xml.text("s", &[("id", &id(*paragraph, *number))], text)?;
            }
            xml.raw("\n")?;
            xml.close("p")?;
        }
        xml.raw("\n")?;
        xml.close("document")?;
        xml.raw("\n")?;
        Ok(std::mem::take(xml.out()))
    }
}

fn id(paragraph: u32, sentence: u32) -> String {
    format!("{paragraph}.{sentence}")
}

/// The `count` sentences of a text; the whole text where they cannot be told apart, or where anything but one space stands between them.
fn divided(lang: Lang, text: &str, count: u32) -> Vec<&str> {
    let mut sentences = Vec::new();
    if count > 1 {
        for_each_sentence(text, lang, |range| sentences.push(&text[range]));
    }
    if sentences.len() == count as usize && sentences.join(" ") == text { sentences } else { vec![text] }
}

/// The longest name of a domain that names a folder as it is, in bytes. Of a longer one, which a file system may refuse, its beginning and
/// a hash are used.
const LONGEST: usize = 100;

/// A domain as the name of a folder.
fn folder(url: &str) -> String {
    let domain = domain_of(url);
    let is_harmless = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let name: String = domain.chars().map(|c| if is_harmless(c) { c } else { '_' }).collect();
    let name = name.trim_matches('.');
    match name.len() {
        0 => "_".into(),
        1..=LONGEST => name.into(),
        _ => format!("{}-{:016x}", &name[..name.floor_char_boundary(80)], xxh3_64(domain.as_bytes())),
    }
}

impl Exporter for Xces {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Row::Sentences(line) = row else { return Err(row.refused()) };
        let BitextLine { a, b, lang_a, lang_b, .. } = line;
        let is_of = |pair: &PagePair| pair.pages[0].place.url == a.url && pair.pages[1].place.url == b.url;
        if !self.open.as_ref().is_some_and(is_of) {
            self.end_pair()?;
        }
        let page = |place: &Place| Page { place: place.clone(), sentences: Vec::new() };
        let begin = || PagePair { domain: folder(&a.url), pages: [page(a), page(b)], links: Vec::new() };
        let open = self.open.get_or_insert_with(begin);
        let [first, second] = &mut open.pages;
        let targets = [first.add(*lang_a, &line.text_a, a), second.add(*lang_b, &line.text_b, b)];
        open.links.push(Link { targets, score: line.score, reason: line.reason });
        Ok(())
    }

    fn documents(&mut self, is_last: bool) -> io::Result<Vec<(String, Vec<u8>)>> {
        if is_last {
            self.end_pair()?;
        }
        Ok(std::mem::take(&mut self.complete))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.end_pair()?;
        self.xml.close("cesAlign")?;
        self.xml.raw("\n")?;
        self.xml.out().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::line;

    #[test]
    fn several_sentences_are_divided_where_they_can_be_put_together_again() {
        assert_eq!(divided(Lang::EN, "One is here. Two is there.", 2), ["One is here.", "Two is there."]);
        assert_eq!(divided(Lang::EN, "One is here. Two is there.", 3), ["One is here. Two is there."]);
        assert_eq!(divided(Lang::ZH_HANS, "一在这里。二在那里。", 2), ["一在这里。二在那里。"]);
        assert_eq!(divided(Lang::EN, "One is here. Two is there.", 1), ["One is here. Two is there."]);
    }

    #[test]
    fn a_document_has_each_sentence_under_the_id_by_which_it_is_linked() {
        let of = line("x", "y").a;
        let mut page = Page { place: of.clone(), sentences: Vec::new() };
        let at = |paragraph, sentence, count| Place {
            paragraph: Some(paragraph),
            sentence: Some(sentence),
            count,
            ..Place::default()
        };
        assert_eq!(page.add(Lang::EN, "Later.", &at(7, 0, 1)), "7.0");
        assert_eq!(page.add(Lang::EN, "One is here. Two is there.", &at(3, 1, 2)), "3.1 3.2");
        assert_eq!(page.add(Lang::EN, "", &Place::default()), "");
        let text = String::from_utf8(page.document().expect("memory")).expect("UTF-8");
        let expected =
            "<p id=\"3\">\n<s id=\"3.1\">One is here.</s>\n<s id=\"3.2\">Two is there.</s>\n</p>\n<p id=\"7\">";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("<document url=\"http://ex.org/en/?a=1&amp;b=2\" archive=\"crawl.warc.gz\""), "{text}");
    }

    #[test]
    fn no_domain_names_a_folder_above() {
        for (url, name) in [("http://www.ex.org/a", "ex.org"), ("http://[::1]/", "___1_"), ("http://../", "_")] {
            assert_eq!(folder(url), name, "{url}");
        }
    }

    #[test]
    fn a_long_domain_names_a_folder_that_file_systems_take() {
        let [one, other] = ["a", "b"].map(|last| folder(&format!("http://{}{last}/", "\u{e9}".repeat(299))));
        assert!(one.len() < 100 && one.starts_with("\u{e9}"), "{one}");
        assert_ne!(one, other);
    }
}
