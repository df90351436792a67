//! TBX-Basic (ISO 30042:2008), the exchange format of glossaries: an entry for each pair of words.

use std::io::{self, Write};

use super::exporter::{Exporter, Job, Output, Row, outputs};
use super::xml::Xml;

struct Tbx {
    xml: Xml<Output>,
    /// The languages of the words, which the first row gives.
    langs: Option<[String; 2]>,
    count: u64,
}

pub fn make(_: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut xml = Xml::begin(out, "<!DOCTYPE martif SYSTEM \"TBXBasiccoreStructV02.dtd\">\n")?;
    xml.open("martif", &[("type", "TBX-Basic"), ("xml:lang", "en")])?;
    xml.raw("\n<martifHeader><fileDesc><sourceDesc>")?;
    xml.text("p", &[], "Words that translate each other, learnt from web archives by diglot")?;
    xml.raw("</sourceDesc></fileDesc><encodingDesc><p type=\"XCSURI\">TBXBasicXCSV02.xcs</p></encodingDesc></martifHeader>\n<text><body>\n")?;
    Ok(Box::new(Tbx { xml, langs: None, count: 0 }))
}

impl Exporter for Tbx {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Row::Words(words) = row else { return Err(row.refused()) };
        let Some(langs) = &self.langs else {
            self.langs = Some(words.map(str::to_owned));
            return Ok(());
        };
        self.count += 1;
        let xml = &mut self.xml;
        xml.open("termEntry", &[("id", &format!("w{}", self.count))])?;
        for (lang, word) in langs.iter().zip(words) {
            xml.open("langSet", &[("xml:lang", lang)])?;
            xml.open("tig", &[])?;
            xml.text("term", &[], word)?;
            xml.close("tig")?;
            xml.close("langSet")?;
        }
        xml.close("termEntry")?;
        xml.raw("\n")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.xml.raw("</body></text>\n</martif>\n")?;
        self.xml.out().flush()
    }
}

#[cfg(test)]
mod tests {
    use crate::export::tests::words;

    #[test]
    fn an_entry_has_a_word_in_each_language() {
        let text = words("tbx", &[["en", "pt-BR"], ["house", "casa"], ["R&D", "P<D>"]]);
        assert!(text.contains("<termEntry id=\"w1\"><langSet xml:lang=\"en\"><tig><term>house</term></tig></langSet>"));
        assert!(text.contains("<langSet xml:lang=\"pt-BR\"><tig><term>P&lt;D&gt;</term>"), "{text}");
        assert_eq!(text.matches("<termEntry ").count(), 2);
        assert!(text.ends_with("</termEntry>\n</body></text>\n</martif>\n"));
    }
}
