//! TMX 1.4, the exchange format of translation memories.

use std::io::{self, Write};

use super::exporter::{Exporter, Job, Output, Row, outputs, rounded};
use super::mark::identity;
use super::xml::Xml;
use crate::types::{BitextLine, Lang, Place, UnitLine, UnitText};

struct Tmx(Xml<Output>);

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut xml = Xml::begin(out, "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n")?;
    xml.open("tmx", &[("version", "1.4")])?;
    let header = [
        ("creationtool", env!("CARGO_PKG_NAME")),
        ("creationtoolversion", env!("CARGO_PKG_VERSION")),
        ("datatype", "plaintext"),
        ("segtype", "sentence"),
        ("adminlang", "en"),
        // One file may have pairs of many languages.
        ("srclang", job.langs.as_ref().map_or("*all*", |[first, _]| first.as_str())),
        ("o-tmf", "html"),
    ];
    xml.empty("header", &header)?;
    xml.open("body", &[])?;
    xml.raw("\n")?;
    Ok(Box::new(Tmx(xml)))
}

impl Tmx {
    fn prop(&mut self, kind: &str, text: &str) -> io::Result<()> {
        self.0.text("prop", &[("type", kind)], text)
    }

    fn side(&mut self, lang: Lang, place: &Place, text: &str) -> io::Result<()> {
        self.0.open("tuv", &[("xml:lang", lang.as_str())])?;
        self.prop("source-document", &place.url)?;
        self.prop("x-archive", &format!("{}@{}", place.archive, place.offset))?;
        self.prop("x-block", &place.block)?;
        let signals = &place.provenance.signals;
        if let Some(found) = signals.translated {
            self.prop("x-machine-translated", found.mark.name())?;
        }
        if !signals.opt_outs.is_empty() {
            self.prop("x-opt-out", &signals.opt_outs.names())?;
        }
        if !signals.license.is_empty() {
            self.prop("x-license", &signals.license)?;
        }
        self.0.text("seg", &[], text)?;
        self.0.close("tuv")
    }

    fn sentences(&mut self, line: &BitextLine) -> io::Result<()> {
        let segtype = if (line.a.count, line.b.count) == (1, 1) { "sentence" } else { "block" };
        let id = format!("{:016x}", identity(Row::Sentences(line)));
        let mut attributes = vec![("tuid", id.as_str()), ("segtype", segtype)];
        if let Some(lang) = original(line) {
            attributes.push(("srclang", lang.as_str()));
        }
        self.0.open("tu", &attributes)?;
        self.prop("score-aligner", &rounded(line.score).to_string())?;
        self.prop("score-page", &rounded(line.page_score).to_string())?;
        if let Some(score) = line.scorer {
            self.prop("score-scorer", &score.to_string())?;
        }
        if let Some(reason) = line.reason {
            self.prop("x-left-out", reason)?;
        }
        for (a, b) in &line.others {
            self.prop("x-also", &format!("{a} {b}"))?;
        }
        self.side(line.lang_a, &line.a, &line.text_a)?;
        self.side(line.lang_b, &line.b, &line.text_b)?;
        self.0.close("tu")?;
        self.0.raw("\n")
    }

    fn unit(&mut self, line: &UnitLine) -> io::Result<()> {
        let segtype = if line.texts.iter().all(|text| text.place.count == 1) { "sentence" } else { "block" };
        let id = format!("{:016x}", line.id);
        let mut attributes = vec![("tuid", id.as_str()), ("segtype", segtype)];
        attributes.extend(original_of(&line.texts).map(|lang| ("srclang", lang.as_str())));
        self.0.open("tu", &attributes)?;
        self.prop("x-document", &format!("{:016x}", line.document))?;
        self.prop("score-aligner", &rounded(line.score).to_string())?;
        self.prop("x-contradictions", &line.contradictions.to_string())?;
        self.prop("x-repeated", &line.is_repeated.to_string())?;
        for pair in &line.pairs {
            self.prop("x-pair", &format!("{} {} {}", pair.lang_a, pair.lang_b, rounded(pair.score)))?;
        }
        line.texts.iter().try_for_each(|text| self.side(text.lang, &text.place, &text.text))?;
        self.0.close("tu")?;
        self.0.raw("\n")
    }
}

/// The language of the original, where a mark of machine translation names it.
fn original(line: &BitextLine) -> Option<&Lang> {
    match (line.a.provenance.is_from(line.lang_b), line.b.provenance.is_from(line.lang_a)) {
        (true, false) => Some(&line.lang_b),
        (false, true) => Some(&line.lang_a),
        _ => None,
    }
}

/// The language of the original: that of the only text that no machine translated, if marks say that another text was translated from it.
fn original_of(texts: &[UnitText]) -> Option<&Lang> {
    let is_original = |of: &&UnitText| {
        of.place.provenance.signals.translated.is_none()
            && texts.iter().any(|text| text.place.provenance.is_from(of.lang))
    };
    let mut originals = texts.iter().filter(is_original);
    originals.next().filter(|_| originals.next().is_none()).map(|text| &text.lang)
}

impl Exporter for Tmx {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        match row {
            Row::Sentences(line) => self.sentences(line),
            Row::Unit(line) => self.unit(line),
            row => Err(row.refused()),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.close("body")?;
        self.0.close("tmx")?;
        self.0.raw("\n")?;
        self.0.out().flush()
    }
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;
    use quick_xml::events::Event;

    use crate::export::tests::{export, line, text};

    #[test]
    fn texts_with_markup_and_control_characters_stay_well_formed() {
        let tmx = text(&export("tmx", &[line("a <b> & \"c\"\u{1}\u{b}", "好")]));
        assert!(tmx.contains("<seg>a &lt;b&gt; &amp; "), "{tmx}");
        assert!(tmx.contains("xml:lang=\"zh-Hans\""), "{tmx}");
        assert!(!tmx.contains(['\u{1}', '\u{b}']));
        let mut reader = Reader::from_str(&tmx);
        let mut depth = 0;
        loop {
            match reader.read_event().expect("well-formed") {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0);
    }
}
