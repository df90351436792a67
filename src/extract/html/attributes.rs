//! The attributes of an element, as they are in the source.

use std::borrow::Cow;

use lol_html::html_content::{Attribute, Element, SourceLocation};
use memchr::memchr;

/// The attributes of one element, read from the source.
pub(super) struct Attributes<'e, 't, 'a> {
    items: &'e [Attribute<'t>],
    source: &'a str,
}

impl<'e, 't, 'a> Attributes<'e, 't, 'a> {
    /// The attributes of an element of `source`.
    pub(super) fn of(element: &'e Element<'_, 't>, source: &'a str) -> Attributes<'e, 't, 'a> {
        Attributes { items: element.attributes(), source }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.items.len()
    }

    /// The value of the first attribute with that name, with references decoded; `None` if there is none.
    pub(super) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let at = |location: Option<SourceLocation>| location.and_then(|location| self.source.get(location.bytes()));
        let item = self
            .items
            .iter()
            .find(|item| at(item.name_source_location()).is_some_and(|found| found.eq_ignore_ascii_case(name)))?;
        let value = at(item.value_source_location()).unwrap_or("");
        Some(if memchr(b'&', value.as_bytes()).is_some() {
            htmlize::unescape_attribute(value)
        } else {
            Cow::Borrowed(value)
        })
    }
}
