//! What kinds of blocks pages have.

use super::tag_name;

/// What a block is on its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockKind {
    /// Running text: `p`, `blockquote`, `address`.
    Paragraph,
    /// `h1` to `h6`, `hgroup`.
    Heading,
    /// An entry of a list: `li`, `dt`, `dd`, and text that stands in a list outside its entries.
    Item,
    /// Text of a table.
    Cell,
    /// The name of a figure, table or group: `caption`, `figcaption`, `legend`, `summary`.
    Caption,
    /// Text as it was typed, mostly of programs: `pre`.
    Code,
    /// Text that the page declares not to be content: `nav`, `menu`, `header`, `footer`, `aside`, `search`.
    Menu,
    /// Something to choose or press: `button`, `option`, `form` and others.
    Control,
    /// A block that consists of one link, whatever its tag; but a heading stays a heading.
    Link,
    /// Anything else, mostly `div`.
    #[default]
    Other,
}

impl BlockKind {
    /// All kinds.
    pub const ALL: [BlockKind; 10] = [
        BlockKind::Paragraph,
        BlockKind::Heading,
        BlockKind::Item,
        BlockKind::Cell,
        BlockKind::Caption,
        BlockKind::Code,
        BlockKind::Menu,
        BlockKind::Control,
        BlockKind::Link,
        BlockKind::Other,
    ];

    /// The kind of a block with a tag, by its code. No tag says [`BlockKind::Link`].
    pub fn of_tag(code: u16) -> BlockKind {
        match tag_name(code) {
            "p" | "blockquote" | "address" => BlockKind::Paragraph,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hgroup" => BlockKind::Heading,
            "li" | "dt" | "dd" | "ul" | "ol" | "dl" | "dir" => BlockKind::Item,
            "td" | "th" | "tr" | "thead" | "tbody" | "tfoot" | "table" => BlockKind::Cell,
            "caption" | "figcaption" | "legend" | "summary" => BlockKind::Caption,
            "pre" => BlockKind::Code,
            "nav" | "menu" | "header" | "footer" | "aside" | "search" => BlockKind::Menu,
            "button" | "option" | "optgroup" | "select" | "datalist" | "form" | "fieldset" => BlockKind::Control,
            _ => BlockKind::Other,
        }
    }

    /// The name in columns.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Paragraph => "paragraph",
            BlockKind::Heading => "heading",
            BlockKind::Item => "item",
            BlockKind::Cell => "cell",
            BlockKind::Caption => "caption",
            BlockKind::Code => "code",
            BlockKind::Menu => "menu",
            BlockKind::Control => "control",
            BlockKind::Link => "link",
            BlockKind::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::tag_code;

    #[test]
    fn every_block_of_a_page_has_a_kind() {
        let kinds =
            [("p", "paragraph"), ("h3", "heading"), ("dd", "item"), ("th", "cell"), ("pre", "code"), ("nav", "menu")];
        for (tag, kind) in kinds.into_iter().chain([("option", "control"), ("div", "other"), ("x-unknown", "other")]) {
            assert_eq!(BlockKind::of_tag(tag_code(tag)).name(), kind, "{tag}");
        }
    }
}
