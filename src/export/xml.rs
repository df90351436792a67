//! Writes XML, for the formats that consist of it.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// Writes XML. Texts and attributes lose the control characters that it does not allow, even escaped.
pub(super) struct Xml<W: Write>(Writer<W>);

impl<W: Write> Xml<W> {
    /// Begins a document; `rest` follows the declaration.
    pub fn begin(out: W, rest: &str) -> io::Result<Xml<W>> {
        let mut xml = Xml(Writer::new(out));
        xml.0.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        xml.raw("\n")?;
        xml.raw(rest)?;
        Ok(xml)
    }

    /// Writes markup as it is.
    pub fn raw(&mut self, text: &str) -> io::Result<()> {
        self.0.get_mut().write_all(text.as_bytes())
    }

    /// Begins an element.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
        self.0.write_event(Event::Start(element(name, attributes)))
    }

    /// Writes an element without content.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
        self.0.write_event(Event::Empty(element(name, attributes)))
    }

    /// Ends an element.
    pub fn close(&mut self, name: &str) -> io::Result<()> {
        self.0.write_event(Event::End(BytesEnd::new(name)))
    }

    /// Writes an element with a text.
    pub fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) -> io::Result<()> {
        self.open(name, attributes)?;
        self.0.write_event(Event::Text(BytesText::new(&allowed(text))))?;
        self.close(name)
    }

    /// The output.
    pub fn out(&mut self) -> &mut W {
        self.0.get_mut()
    }
}

fn element<'n>(name: &'n str, attributes: &[(&str, &str)]) -> BytesStart<'n> {
    let mut element = BytesStart::new(name);
    attributes.iter().for_each(|(name, value)| element.push_attribute((*name, allowed(value).as_str())));
    element
}

/// A text without the characters that XML does not allow.
fn allowed(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_that_xml_does_not_allow() {
        let mut xml = Xml::begin(Vec::new(), "").expect("memory");
        xml.text("s", &[("url", "a\u{1}\"<")], "b\u{b}<&").expect("memory");
        let text = String::from_utf8(xml.out().clone()).expect("UTF-8");
        assert_eq!(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<s url=\"a&quot;&lt;\">b&lt;&amp;</s>");
    }
}
