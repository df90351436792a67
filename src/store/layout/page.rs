//! Page records: everything extraction took out of one capture. [`super::stored_page`] has their bytes; stores of formats before 6
//! hold archives of them.

use rkyv::{Archive, Deserialize, Serialize};

use crate::types::{Capture, Link, LinkKind, Page, Pointer};

/// One page as extracted. Kind 1.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default)]
pub struct PageRecord {
    /// The URL, with its scheme.
    pub url: String,
    /// Archive it came from.
    pub archive: u32,
    /// Bytes of its body, codings undone.
    pub body_bytes: u32,
    /// Where its record begins in the archive.
    pub offset: u64,
    /// Bytes of its record in the archive, 0 where unknown.
    pub length: u64,
    /// Milliseconds since 1970 UTC, 0 where unknown.
    pub date_ms: i64,
    /// Charset it was read as.
    pub charset: String,
    /// Title.
    pub title: String,
    /// Text blocks, each followed by a line feed.
    pub text: String,
    /// Where the blocks lie.
    pub blocks: Vec<BlockRecord>,
    /// Tag sequence.
    pub tags: Vec<u16>,
    /// Texts of links, end to end: URL (without what it shares with the page's own), anchor, rel.
    pub link_text: String,
    /// Links.
    pub links: Vec<LinkRecord>,
    /// Images.
    pub images: Vec<ImageRecord>,
    /// Language of the text.
    pub detected: [u8; 8],
    /// How sure that is.
    pub confidence: f32,
    /// Languages it declares.
    pub declared: Vec<[u8; 8]>,
    /// Share of A–Z in its letters.
    pub latin_share: f32,
    /// Archive that an index or WAT points at, where `offset` and `length` are; empty: the archive that was read.
    pub file: String,
    /// [`crate::types::Form`].
    pub form: u8,
}

/// [`crate::types::Block`].
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug)]
pub struct BlockRecord {
    /// First byte in the text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Tags before it.
    pub at: u32,
    /// Tag code.
    pub tag: u16,
}

/// [`crate::types::Link`]; texts lie in `link_text` behind those of the link before.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug)]
pub struct LinkRecord {
    /// Bytes its URL shares with the beginning of the page's own.
    pub shared: u16,
    /// End of the rest of its URL.
    pub url_end: u32,
    /// End of its anchor.
    pub anchor_end: u32,
    /// End of its `rel`.
    pub rel_end: u32,
    /// Tags before it.
    pub at: u32,
    /// `hreflang`; zeros: none.
    pub hreflang: [u8; 8],
    /// [`LinkKind`].
    pub kind: u8,
}

/// [`crate::types::Image`].
#[derive(Archive, Serialize, Deserialize, Clone, Debug)]
pub struct ImageRecord {
    /// URL.
    pub url: String,
    /// Alternative text.
    pub alt: String,
}

impl PageRecord {
    /// The record of a page and the capture it was extracted from.
    pub fn new(url: &str, archive: u32, capture: &Capture, page: Page) -> PageRecord {
        let mut link_text = String::new();
        let own = || Pointer { file: String::new(), offset: capture.offset, length: capture.length };
        let Pointer { file, offset, length } = capture.pointer.clone().unwrap_or_else(own);
        let links = page.links.iter().map(|link| link_record(url, link, &mut link_text)).collect();
        PageRecord {
            url: url.to_owned(),
            archive,
            offset,
            length,
            date_ms: capture.date_ms,
            body_bytes: page.body_bytes,
            charset: page.charset,
            title: page.title,
            text: page.text,
            blocks: page
                .blocks
                .iter()
                .map(|b| BlockRecord { start: b.start, end: b.end, at: b.at, tag: b.tag })
                .collect(),
            tags: page.tags,
            link_text,
            links,
            images: page.images.into_iter().map(|image| ImageRecord { url: image.url, alt: image.alt }).collect(),
            detected: page.detected.to_bytes(),
            confidence: page.confidence,
            declared: page.declared.iter().map(|lang| lang.to_bytes()).collect(),
            latin_share: page.latin_share,
            file,
            form: capture.form as u8,
        }
    }
}

fn link_record(url: &str, link: &Link, text: &mut String) -> LinkRecord {
    let mut shared = shared_bytes(url.as_bytes(), link.url.as_bytes()).min(usize::from(u16::MAX));
    while !link.url.is_char_boundary(shared) {
        shared -= 1;
    }
    let mut end = |part: &str| {
        text.push_str(part);
        text.len() as u32
    };
    LinkRecord {
        shared: shared as u16,
        url_end: end(&link.url[shared..]),
        anchor_end: end(&link.anchor),
        rel_end: end(&link.rel),
        at: link.at,
        hreflang: link.hreflang.map_or([0; 8], |lang| lang.to_bytes()),
        kind: link.kind as u8,
    }
}

/// How many bytes are the same at the beginning of both, eight at a time as far as that goes.
fn shared_bytes(a: &[u8], b: &[u8]) -> usize {
    let eights = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0).take_while(|(a, b)| a == b).count();
    let rest = a[eights * 8..].iter().zip(&b[eights * 8..]);
    eights * 8 + rest.take_while(|(a, b)| a == b).count()
}

/// The kind of a code; an anchor where there is no such code.
pub fn kind_of(code: u8) -> LinkKind {
    [LinkKind::Anchor, LinkKind::Head, LinkKind::Frame, LinkKind::Own]
        .get(usize::from(code))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_shared_is_counted_byte_by_byte(a in "[ab]{0,40}", b in "[ab]{0,40}", same in "[a-z/é]{0,40}") {
            let (a, b) = (format!("{same}{a}"), format!("{same}{b}"));
            let slow = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(shared_bytes(a.as_bytes(), b.as_bytes()), slow);
        }
    }
}
