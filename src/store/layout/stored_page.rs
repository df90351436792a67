//! Pages as they lie in the store: several in a block, numbers as varints, which leaves little for compression to remove.
//!
//! Bytes are in docs/format.md.

use super::packed_names::{pack_digest, pack_id, unpack_digest, unpack_id};
use crate::index::numbers::{Reader, folded, put, unfolded};
#[cfg(feature = "exec")]
use crate::types::Pointer;
use crate::types::{Block, Capture, Image, Lang, Link, LinkKind, OptOuts, Page, Signals, Translated, TranslationMark};

/// How many pages a block has at most: as many as the low bits of a reference can number.
pub const BLOCK_PAGES: usize = 16;
/// A block of this length takes no more pages. Longer blocks compress better, but reading a single page of them costs more.
pub const BLOCK_BYTES: usize = 96 << 10;

/// Strings of a page, in the order in which they are stored.
#[derive(Clone, Copy)]
enum Part {
    Url,
    Charset,
    Title,
    File,
    Links,
    Images,
    License,
    Text,
}

const PARTS: usize = 8;

/// Lists of a page, in the order in which they are stored.
#[derive(Clone, Copy)]
enum List {
    Tags,
    Blocks,
    Links,
    Images,
    /// Bytes of its `WARC-Record-ID`.
    Id,
    /// Bytes of its `WARC-Payload-Digest`.
    Digest,
}

const LISTS: usize = 6;

/// A block of pages: [`block`] makes its bytes, packed, and [`page_of_block`] reads them. Kind 1. This type only stands for the kind; no
/// value of it is ever stored.
#[derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct PageBlock;

/// The bytes of a page and of the capture it was extracted from, as [`StoredPage::decode`] reads them.
pub fn encode(url: &str, archive: u32, capture: &Capture, page: &Page) -> Vec<u8> {
    let (file, offset, length) = match &capture.pointer {
        Some(pointer) => (pointer.file.as_str(), pointer.offset, pointer.length),
        None => ("", capture.offset, capture.length),
    };
    let (mut link_text, mut image_text) = (String::new(), String::new());
    let mut lists = [const { Vec::new() }; LISTS];
    // Most tags take one byte, and so do most block and link numbers.
    lists[List::Tags as usize].reserve(page.tags.len() * 5 / 4);
    lists[List::Blocks as usize].reserve(page.blocks.len() * 5);
    lists[List::Links as usize].reserve(page.links.len() * 7);
    page.tags.iter().for_each(|&tag| put(&mut lists[List::Tags as usize], u64::from(tag)));
    put_blocks(&mut lists[List::Blocks as usize], &page.blocks);
    put_links(&mut lists[List::Links as usize], &mut link_text, url, &page.links);
    for image in &page.images {
        for text in [&image.url, &image.alt] {
            put(&mut lists[List::Images as usize], text.len() as u64);
            image_text.push_str(text);
        }
    }
    lists[List::Id as usize] = pack_id(&capture.name.id);
    lists[List::Digest as usize] = pack_digest(&capture.name.digest);
    let license = &page.signals.license;
    let parts: [&str; PARTS] = [url, &page.charset, &page.title, file, &link_text, &image_text, license, &page.text];
    let bytes = parts.iter().map(|part| part.len()).sum::<usize>() + lists.iter().map(Vec::len).sum::<usize>();
    let mut out = Vec::with_capacity(bytes + 128);
    for number in [u64::from(archive), offset, length, folded(capture.date_ms), u64::from(page.body_bytes)] {
        put(&mut out, number);
    }
    out.extend(page.detected.to_bytes());
    // The sign of the confidence says who told the language: it is negative for the user's program.
    let confidence = if page.is_by_program { -page.confidence } else { page.confidence };
    out.extend(confidence.to_le_bytes());
    out.extend(page.latin_share.to_le_bytes());
    put(&mut out, page.declared.len() as u64);
    page.declared.iter().for_each(|lang| out.extend(lang.to_bytes()));
    put_signals(&mut out, &page.signals);
    lists.iter().for_each(|list| put(&mut out, list.len() as u64));
    parts.iter().for_each(|part| put(&mut out, part.len() as u64));
    lists.iter().for_each(|list| out.extend(list));
    parts.iter().for_each(|part| out.extend(part.as_bytes()));
    out
}

/// What a page says of itself, without its licence.
fn put_signals(out: &mut Vec<u8>, signals: &Signals) {
    put(out, u64::from(signals.opt_outs.code()));
    let Some(Translated { mark, from }) = signals.translated else { return put(out, 0) };
    put(out, u64::from(mark as u8) << 1 | u64::from(from.is_known()));
    if from.is_known() {
        out.extend(from.to_bytes());
    }
}

/// Reads what [`put_signals`] has written.
fn signals(from: &mut Reader<'_>) -> Option<(OptOuts, Option<Translated>)> {
    let opt_outs = OptOuts::from_code(from.number()? as u16);
    let code = from.number()?;
    let original = if code & 1 == 1 { Lang::from_bytes(from.array()?) } else { Lang::UNKNOWN };
    // A mark of a later release has no name here.
    let mark = u8::try_from(code >> 1).ok().and_then(TranslationMark::from_code);
    Some((opt_outs, mark.map(|mark| Translated { mark, from: original })))
}

fn put_blocks(out: &mut Vec<u8>, blocks: &[Block]) {
    let (mut end, mut at) = (0, 0);
    for block in blocks {
        put(out, folded(i64::from(block.start) - end));
        put(out, u64::from(block.end.saturating_sub(block.start)));
        put(out, folded(i64::from(block.at) - at));
        put(out, u64::from(block.tag));
        (end, at) = (i64::from(block.end), i64::from(block.at));
    }
}

/// Of a link's URL, only what follows its common beginning with the page's URL `own` is stored.
fn put_links(out: &mut Vec<u8>, text: &mut String, own: &str, links: &[Link]) {
    let mut at = 0;
    for link in links {
        let mut shared = shared_bytes(own.as_bytes(), link.url.as_bytes()).min(usize::from(u16::MAX));
        while !link.url.is_char_boundary(shared) {
            shared -= 1;
        }
        put(out, shared as u64);
        for part in [&link.url[shared..], &link.anchor, &link.rel] {
            put(out, part.len() as u64);
            text.push_str(part);
        }
        put(out, folded(i64::from(link.at) - at));
        at = i64::from(link.at);
        out.push((link.kind as u8) << 1 | u8::from(link.hreflang.is_some()));
        out.extend(link.hreflang.iter().flat_map(|lang| lang.to_bytes()));
    }
}

/// How many bytes at the beginning of both are equal, compared eight at a time as long as possible.
fn shared_bytes(a: &[u8], b: &[u8]) -> usize {
    let eights = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0).take_while(|(a, b)| a == b).count();
    let rest = a[eights * 8..].iter().zip(&b[eights * 8..]);
    eights * 8 + rest.take_while(|(a, b)| a == b).count()
}

/// A page of the store.
#[derive(Clone, Debug, Default)]
pub struct StoredPage {
    /// Archive it came from.
    pub archive: u32,
    /// Length of its body in bytes, after decoding.
    pub body_bytes: u32,
    /// Where its record begins in the archive.
    pub offset: u64,
    /// Bytes of its record in the archive, 0 where unknown.
    pub length: u64,
    /// Milliseconds since 1970 UTC, 0 where unknown.
    pub date_ms: i64,
    /// Language of the text.
    pub detected: Lang,
    /// Confidence of that detection.
    pub confidence: f32,
    /// A program of the user told that language.
    pub is_by_program: bool,
    /// Share of the letters A–Z among all letters of the text.
    pub latin_share: f32,
    /// Languages it declares.
    pub declared: Vec<Lang>,
    /// The directives by which it opts out of uses.
    pub opt_outs: OptOuts,
    /// The mark by which it is known to be translated by a machine.
    pub translated: Option<Translated>,
    lists: Vec<u8>,
    list_ends: [usize; LISTS],
    strings: String,
    part_ends: [usize; PARTS],
}

impl StoredPage {
    /// Decodes a page; `None` when the bytes are not those of a page.
    pub fn decode(bytes: &[u8]) -> Option<StoredPage> {
        let mut from = Reader::new(bytes);
        let head = StoredPage::head(&mut from)?;
        let lists = from.take(head.list_ends[LISTS - 1])?.to_vec();
        let strings = std::str::from_utf8(from.take(head.part_ends[PARTS - 1])?).ok()?.to_owned();
        let are_whole = head.part_ends.iter().all(|&end| strings.is_char_boundary(end));
        are_whole.then_some(StoredPage { lists, strings, ..head })
    }

    /// An encoded page with the number of another archive; `None` where it makes no sense.
    pub fn with_archive(bytes: &[u8], archive: u32) -> Option<Vec<u8>> {
        // The number is the first of all.
        let end = bytes.iter().position(|byte| *byte < 0x80)?;
        let mut page = Vec::with_capacity(bytes.len() + 4);
        put(&mut page, u64::from(archive));
        page.extend_from_slice(&bytes[end + 1..]);
        StoredPage::url_of(&page).is_some().then_some(page)
    }

    /// The URL of an encoded page, as [`StoredPage::url`] returns it; reads no more of the page than it needs.
    pub fn url_of(bytes: &[u8]) -> Option<&str> {
        let mut from = Reader::new(bytes);
        let head = StoredPage::head(&mut from)?;
        from.take(head.list_ends[LISTS - 1])?;
        std::str::from_utf8(from.take(head.part_ends[Part::Url as usize])?).ok()
    }

    /// Decodes the part before the lists and strings of a page, which are left empty.
    fn head(from: &mut Reader<'_>) -> Option<StoredPage> {
        let archive = from.number_u32()?;
        let (offset, length, date_ms) = (from.number()?, from.number()?, unfolded(from.number()?));
        let body_bytes = from.number_u32()?;
        let detected = Lang::from_bytes(from.array()?);
        let (confidence, latin_share) = (f32::from_le_bytes(from.array()?), f32::from_le_bytes(from.array()?));
        let declared = (0..from.number()?).map(|_| Some(Lang::from_bytes(from.array()?))).collect::<Option<_>>()?;
        let (opt_outs, translated) = signals(from)?;
        let (list_ends, part_ends) = (from.ends::<LISTS>()?, from.ends::<PARTS>()?);
        Some(StoredPage {
            archive,
            body_bytes,
            offset,
            length,
            date_ms,
            detected,
            confidence: confidence.abs(),
            is_by_program: confidence.is_sign_negative(),
            latin_share,
            declared,
            opt_outs,
            translated,
            lists: Vec::new(),
            list_ends,
            strings: String::new(),
            part_ends,
        })
    }

    fn part(&self, part: Part) -> &str {
        let start = (part as usize).checked_sub(1).map_or(0, |before| self.part_ends[before]);
        &self.strings[start..self.part_ends[part as usize]]
    }

    fn list(&self, list: List) -> Reader<'_> {
        Reader::new(self.list_bytes(list))
    }

    fn list_bytes(&self, list: List) -> &[u8] {
        let start = (list as usize).checked_sub(1).map_or(0, |before| self.list_ends[before]);
        &self.lists[start..self.list_ends[list as usize]]
    }

    /// The `WARC-Record-ID` of the record it was taken from; empty where that has none.
    pub fn record_id(&self) -> String {
        unpack_id(self.list_bytes(List::Id)).unwrap_or_default()
    }

    /// The `WARC-Payload-Digest` of that record; empty where it has none.
    pub fn payload_digest(&self) -> String {
        unpack_digest(self.list_bytes(List::Digest)).unwrap_or_default()
    }

    /// What the page says of itself.
    pub fn signals(&self) -> Signals {
        let license = self.part(Part::License).to_owned();
        Signals { translated: self.translated, opt_outs: self.opt_outs, license }
    }

    /// The URL, with its scheme.
    pub fn url(&self) -> &str {
        self.part(Part::Url)
    }

    /// Charset it was read as.
    pub fn charset(&self) -> &str {
        self.part(Part::Charset)
    }

    /// Title.
    pub fn title(&self) -> &str {
        self.part(Part::Title)
    }

    /// Archive that an index or WAT file refers to, in which `offset` and `length` are positions; empty: the archive that was read.
    pub fn file(&self) -> &str {
        self.part(Part::File)
    }

    /// Text blocks, each followed by a line feed.
    pub fn text(&self) -> &str {
        self.part(Part::Text)
    }

    /// Where the blocks lie.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let mut from = self.list(List::Blocks);
        let (mut end, mut at) = (0i64, 0i64);
        std::iter::from_fn(move || {
            let start = end.wrapping_add(unfolded(from.number()?));
            end = start.wrapping_add(from.number()? as i64);
            at = at.wrapping_add(unfolded(from.number()?));
            Some(Block { start: start as u32, end: end as u32, at: at as u32, tag: from.number()? as u16 })
        })
    }

    /// Tag sequence.
    pub fn tags(&self) -> impl Iterator<Item = u16> + '_ {
        let mut from = self.list(List::Tags);
        std::iter::from_fn(move || Some(from.number()? as u16))
    }

    /// The page as extraction made it.
    pub fn page(&self) -> Page {
        Page {
            body_bytes: self.body_bytes,
            charset: self.charset().to_owned(),
            title: self.title().to_owned(),
            text: self.text().to_owned(),
            blocks: self.blocks().collect(),
            tags: self.tags().collect(),
            links: self.links(),
            images: self.images(),
            detected: self.detected,
            confidence: self.confidence,
            is_guess: false,
            is_by_program: self.is_by_program,
            declared: self.declared.clone(),
            signals: self.signals(),
            latin_share: self.latin_share,
            letters: Vec::new(),
        }
    }

    /// The bytes of the same page without the parts that the search for keys does not need: without text, tags and images, and with only those
    /// links that stand in its head or name the page.
    #[cfg(feature = "exec")]
    pub fn outline(&self) -> Vec<u8> {
        let is_named = |link: &Link| matches!(link.kind, LinkKind::Head | LinkKind::Own);
        let page = Page {
            body_bytes: self.body_bytes,
            links: self.links().into_iter().filter(is_named).collect(),
            detected: self.detected,
            confidence: self.confidence,
            is_by_program: self.is_by_program,
            declared: self.declared.clone(),
            latin_share: self.latin_share,
            ..Page::default()
        };
        let (file, offset, length) = (self.file().to_owned(), self.offset, self.length);
        let pointer = (!file.is_empty()).then_some(Pointer { file, offset, length });
        let capture = Capture { offset, length, date_ms: self.date_ms, pointer, ..Capture::default() };
        encode(self.url(), self.archive, &capture, &page)
    }

    /// The images.
    pub fn images(&self) -> Vec<Image> {
        let (mut from, mut rest) = (self.list(List::Images), self.part(Part::Images));
        let mut images = Vec::new();
        while let (Some(url), Some(alt)) = (from.number(), from.number()) {
            let mut part = |length: u64| {
                let (part, after) = rest.split_at_checked(length as usize).unwrap_or((rest, ""));
                rest = after;
                part.to_owned()
            };
            images.push(Image { url: part(url), alt: part(alt) });
        }
        images
    }

    fn link_rows(&self) -> impl Iterator<Item = LinkRow<'_>> + '_ {
        let (mut from, text) = (self.list(List::Links), self.part(Part::Links));
        let (mut end, mut place) = (0usize, 0i64);
        std::iter::from_fn(move || {
            let shared = self.url().get(..from.number()? as usize).unwrap_or("");
            let mut part = || {
                let start = end;
                end = start.saturating_add(from.number()? as usize);
                Some(text.get(start..end).unwrap_or(""))
            };
            let (rest, anchor, rel) = (part()?, part()?, part()?);
            place = place.wrapping_add(unfolded(from.number()?));
            let [code] = from.array()?;
            let hreflang = if code & 1 == 1 { Some(Lang::from_bytes(from.array()?)) } else { None };
            Some(LinkRow {
                shared,
                rest,
                anchor,
                rel,
                at: place as u32,
                kind: LinkKind::from_code(code >> 1),
                hreflang,
            })
        })
    }

    /// Calls `each` with the URL of every link and the link, in order.
    pub fn for_each_link(&self, mut each: impl FnMut(&str, &LinkRow<'_>)) {
        let mut url = String::new();
        for link in self.link_rows().filter(|link| link.kind != LinkKind::Own) {
            url.clear();
            url.push_str(link.shared);
            url.push_str(link.rest);
            each(&url, &link);
        }
    }

    /// Calls `each` with URL, `rel` and `hreflang` of every link in the head of the page or in its HTTP headers, including those to the
    /// page itself and to its versions.
    pub fn for_each_name(&self, mut each: impl FnMut(&str, &str, Option<Lang>)) {
        for link in self.link_rows().filter(|link| matches!(link.kind, LinkKind::Head | LinkKind::Own)) {
            each(&[link.shared, link.rest].concat(), link.rel, link.hreflang);
        }
    }

    /// The links of the page with their whole URLs, and everything else that names the page.
    pub fn links(&self) -> Vec<Link> {
        let link = |row: LinkRow<'_>| Link {
            url: [row.shared, row.rest].concat(),
            anchor: row.anchor.to_owned(),
            rel: row.rel.to_owned(),
            hreflang: row.hreflang,
            kind: row.kind,
            at: row.at,
        };
        self.link_rows().map(link).collect()
    }
}

/// A link as it is stored: a [`Link`] whose URL is in two parts.
pub struct LinkRow<'p> {
    shared: &'p str,
    rest: &'p str,
    /// As in [`Link`], like the other fields.
    pub anchor: &'p str,
    /// `rel`.
    pub rel: &'p str,
    /// Number of tags before it.
    pub at: u32,
    /// Which element it is.
    pub kind: LinkKind,
    /// `hreflang`.
    pub hreflang: Option<Lang>,
}

/// The bytes of a block of pages: the number of pages, the length of each, and their bytes.
pub fn block(pages: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::with_capacity(pages.iter().map(|page| page.len() + 4).sum::<usize>() + 4);
    put(&mut out, pages.len() as u64);
    pages.iter().for_each(|page| put(&mut out, page.len() as u64));
    pages.iter().for_each(|page| out.extend(*page));
    out
}

/// The bytes of one page of a block.
pub fn page_of_block(block: &[u8], number: usize) -> Option<&[u8]> {
    let mut from = Reader::new(block);
    let lengths = (0..from.number()?).map(|_| from.number()).collect::<Option<Vec<u64>>>()?;
    for length in lengths.get(..number)? {
        from.take(usize::try_from(*length).ok()?)?;
    }
    from.take(usize::try_from(*lengths.get(number)?).ok()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::RecordName;

    fn lang() -> impl Strategy<Value = Lang> {
        prop::sample::select(vec![Lang::EN, Lang::UNKNOWN, Lang::parse("zh-hant").expect("a tag")])
    }

    fn link() -> impl Strategy<Value = Link> {
        let kind = prop::sample::select(vec![LinkKind::Anchor, LinkKind::Head, LinkKind::Frame, LinkKind::Own]);
        let parts = ("(http://x.org/é/)?.{0,9}", ".{0,9}", ".{0,3}", prop::option::of(lang()), kind, any::<u32>());
        parts.prop_map(|(url, anchor, rel, hreflang, kind, at)| Link {
            url,
            anchor,
            rel,
            hreflang: hreflang.filter(|lang| lang.is_known()),
            kind,
            at,
        })
    }

    fn translated() -> impl Strategy<Value = Option<Translated>> {
        let mark = prop::sample::select(TranslationMark::ALL.to_vec());
        prop::option::of((mark, lang()).prop_map(|(mark, from)| Translated { mark, from }))
    }

    prop_compose! {
        fn any_page()(
            (body_bytes, charset, title, text) in (any::<u32>(), "[a-z]{0,5}", ".{0,20}", ".{0,200}"),
            blocks in prop::collection::vec((any::<u32>(), 0u32..1000, any::<u32>(), any::<u16>()), 0..9),
            (tags, links) in (prop::collection::vec(any::<u16>(), 0..50), prop::collection::vec(link(), 0..9)),
            images in prop::collection::vec((".{0,9}", ".{0,9}"), 0..4),
            (detected, declared) in (lang(), prop::collection::vec(lang(), 0..3)),
            (confidence, latin_share, is_by_program) in (0f32..1.0, 0f32..1.0, any::<bool>()),
            (translated, opt_outs, license) in (translated(), any::<u16>().prop_map(OptOuts::from_code), "(https://ex.org/l)?"),
        ) -> Page {
            let block = |(start, length, at, tag): (u32, u32, u32, u16)| {
                Block { start, end: start.saturating_add(length), at, tag }
            };
            let blocks = blocks.into_iter().map(block).collect();
            let images = images.into_iter().map(|(url, alt)| Image { url, alt }).collect();
            Page {
                body_bytes, charset, title, text, blocks, tags, links, images, detected, confidence, is_by_program, declared, latin_share,
                signals: Signals { translated, opt_outs, license },
                ..Page::default()
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_shared_is_counted_byte_by_byte(a in "[ab]{0,40}", b in "[ab]{0,40}", same in "[a-z/é]{0,40}") {
            let (a, b) = (format!("{same}{a}"), format!("{same}{b}"));
            let slow = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(shared_bytes(a.as_bytes(), b.as_bytes()), slow);
        }

        #[test]
        fn pages_of_a_block_come_back(pages in prop::collection::vec(any_page(), 1..4), offset in any::<u64>(), date_ms in any::<i64>()) {
            let id = "<urn:uuid:9fd4b2ed-3bd6-4b02-96f5-e83e6fa3d1b5>".to_owned();
            let name = RecordName { id, digest: "md5:0".to_owned() };
            let capture = Capture { offset, date_ms, length: 77, name: name.clone(), ..Capture::default() };
            let encoded: Vec<Vec<u8>> = pages
                .iter()
                .map(|page| encode("http://x.org/é/b", 3, &capture, page))
                .collect();
            let block = block(&encoded.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for (number, page) in pages.iter().enumerate() {
                let found = page_of_block(&block, number).and_then(StoredPage::decode).expect("it was put there");
                prop_assert_eq!(&found.page(), page);
                prop_assert_eq!((found.archive, found.offset, found.length, found.date_ms), (3, offset, 77, date_ms));
                prop_assert_eq!((found.record_id(), found.payload_digest()), (name.id.clone(), name.digest.clone()));
                prop_assert_eq!((found.url(), found.file()), ("http://x.org/é/b", ""));
                prop_assert_eq!(page_of_block(&block, number).and_then(StoredPage::url_of), Some(found.url()));
                let mut told = Vec::new();
                found.for_each_link(|url, link| told.push((url.to_owned(), link.kind, link.at, link.hreflang)));
                let links = page.links.iter().filter(|link| link.kind != LinkKind::Own);
                let links = links.map(|link| (link.url.clone(), link.kind, link.at, link.hreflang));
                prop_assert_eq!(told, links.collect::<Vec<_>>());
            }
            prop_assert!(page_of_block(&block, pages.len()).is_none());
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            for number in 0..3 {
                page_of_block(&bytes, number);
            }
            let url = StoredPage::url_of(&bytes);
            if let Some(page) = StoredPage::decode(&bytes) {
                page.page();
                prop_assert_eq!(url, Some(page.url()));
            }
        }

        #[test]
        fn a_damaged_page_is_read_without_harm(page in any_page(), at in any::<prop::sample::Index>(), with in any::<u8>()) {
            let mut bytes = encode("http://x.org/é/b", 3, &Capture::default(), &page);
            let at = at.index(bytes.len());
            bytes[at] = with;
            if let Some(page) = StoredPage::decode(&bytes) {
                page.page();
                page.for_each_link(|_, _| {});
            }
        }
    }
}
