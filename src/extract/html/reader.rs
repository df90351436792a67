//! Turns start tags, and the source between them, into text, blocks and tags.

use std::borrow::Cow;
use std::ops::Range;

use lol_html::html_content::Element;
use memchr::memchr;

use super::attributes::Attributes;
use super::gaps::{markup_len, raw_len, tag_name_at};
use super::references::References;
use crate::extract::fold::{self, Before};
use crate::extract::lines::{self, Boxes, Missing};
use crate::extract::links::Resolver;
use crate::extract::params::Params;
use crate::extract::read::{Read, Signs};
use crate::extract::tags::{self, Content, Group, Layout, Role, Tag};
use crate::language::{Run, RunKind};
use crate::text::lists::is_item;
use crate::types::{Block, Page, TEXT_TOKEN};

/// Elements at a greater depth are not kept open: their end tags end no block but the innermost.
const MAX_DEPTH: usize = 256;

/// Elements that are left out until their end tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    No,
    Svg,
    /// So many nested templates.
    Template(u32),
    /// An element that says how the text before it is read. Elements with links end it, so that it hides none.
    Reading,
}

/// The tags of inline elements since the last text.
#[derive(Clone, Copy, Default)]
struct Edge {
    /// There is a tag.
    is_tag: bool,
    /// True when a link with text, or an element of a design system, has ended.
    ends_box: bool,
    /// True when another one has begun after it.
    begins_box: bool,
}

/// Where the text of the last `<a>` begins.
#[derive(Clone, Copy)]
struct AnchorText {
    start: usize,
    before: Before,
}

/// Texts of links that lead to the heading in which they stand.
const HEADING_LINKS: &[&str] = &["¶", "#", "§", "🔗"];

/// Reads a page, start tag by start tag.
pub(super) struct Reader<'a> {
    source: &'a str,
    page: Page,
    references: References<'a>,
    runs: Vec<Run>,
    /// Where the last start tag ended in `source`.
    tag_end: usize,
    /// The name of the last start tag, and what follows it, if that is not markup.
    raw: Option<(&'a str, Content)>,
    hidden: Hidden,
    /// Open block-level elements, outermost first.
    open: Vec<Tag>,
    /// How many of these contain no prose.
    open_listings: u32,
    /// How many inline elements that contain no prose are open in this block.
    inline_listings: u32,
    /// Where the present block begins in the text, and the number of tags before its first word.
    block_start: usize,
    block_at: usize,
    before: Before,
    edge: Edge,
    anchor: Option<AnchorText>,
    /// True if the present block has words outside links.
    has_words: bool,
    /// Number of `<br>` since the last text.
    breaks: u32,
    /// Number of words since the last tag.
    words: u32,
}

impl<'a> Reader<'a> {
    /// A reader of `source` at its beginning.
    pub(super) fn new(source: &'a str, resolver: Resolver, params: &'a Params) -> Reader<'a> {
        let mut page = Page::default();
        // An estimate, so that the vectors seldom grow.
        page.text.reserve(source.len() / 4);
        page.tags.reserve(source.len() / 24);
        Reader {
            source,
            page,
            references: References::new(resolver, params),
            runs: Vec::new(),
            tag_end: 0,
            raw: None,
            hidden: Hidden::No,
            open: Vec::new(),
            open_listings: 0,
            inline_listings: 0,
            block_start: 0,
            block_at: 0,
            before: Before::Start,
            edge: Edge::default(),
            anchor: None,
            has_words: false,
            breaks: 0,
            words: 0,
        }
    }

    /// The page, after all tags were seen.
    pub(super) fn finish(mut self) -> Read {
        self.between_tags(self.tag_end, self.source.len(), true);
        self.end_words();
        self.end_block();
        self.references.end_link(&mut self.page);
        self.references.signals.tail(self.source);
        let signals = std::mem::take(&mut self.references.signals);
        let mut read = Read { page: self.page, runs: self.runs, signs: Signs::default(), signals };
        read.signs = self.references.into_signs(read.own_bytes());
        read
    }

    /// Reads a start tag, and the source between it and the one before.
    pub(super) fn start_tag(&mut self, element: &Element<'_, '_>) {
        let Range { start, end } = element.source_location().bytes();
        self.between_tags(self.tag_end, start, false);
        self.tag_end = end;
        let name = tag_name_at(&self.source.as_bytes()[..end], start + 1);
        let name = self.source.get(name).unwrap_or("");
        let tag = tags::lookup(name);
        if self.stays_hidden(tag, element) {
            return;
        }
        self.end_words();
        let at = self.page.tags.len() as u32;
        self.page.tags.push(tag.code);
        if tag.content != Content::Markup && in_html(element) {
            self.raw = Some((name, tag.content));
        }
        self.lay_out(tag);
        match tag.role {
            Role::Plain => {}
            Role::Svg => self.hidden = Hidden::Svg,
            Role::Template => self.hidden = Hidden::Template(1),
            Role::Reading => self.hidden = Hidden::Reading,
            role => self.references.take(role, &Attributes::of(element, self.source), at, &mut self.page),
        }
    }

    /// True for start tags inside an element that is left out.
    fn stays_hidden(&mut self, tag: Tag, element: &Element<'_, '_>) -> bool {
        match self.hidden {
            Hidden::No => false,
            // A block inside a drawing ends the drawing, or stands in a `foreignObject` and is text.
            Hidden::Svg if matches!(tag.layout, Layout::Block(_)) && in_html(element) => {
                self.hidden = Hidden::No;
                false
            }
            Hidden::Svg => true,
            Hidden::Reading if is_in_reading(tag) && tag.content == Content::Markup => true,
            Hidden::Reading => {
                self.hidden = Hidden::No;
                false
            }
            Hidden::Template(depth) => {
                if tag.role == Role::Template {
                    self.hidden = Hidden::Template(depth + 1);
                }
                if tag.content != Content::Markup {
                    let name = tag_name_at(self.source.as_bytes(), element.source_location().bytes().start + 1);
                    self.raw = self.source.get(name).map(|name| (name, Content::Dropped));
                }
                true
            }
        }
    }

    /// Opens and closes blocks as a start tag requires.
    fn lay_out(&mut self, tag: Tag) {
        match tag.layout {
            Layout::Inline => {
                self.inline_listings += u32::from(tag.listing);
                self.edge.is_tag = true;
                match tag.role {
                    Role::Anchor => {
                        self.anchor = Some(AnchorText { start: self.page.text.len(), before: self.before });
                        self.edge.begins_box = self.edge.ends_box;
                    }
                    Role::Custom => self.edge.begins_box = self.edge.ends_box,
                    _ => {}
                }
            }
            Layout::Break => self.line_break(),
            Layout::Rule => {
                self.end_block();
                self.close_implied(Group::Plain);
            }
            Layout::Block(group) => {
                self.end_block();
                self.close_implied(group);
                if self.open.len() < MAX_DEPTH {
                    self.open.push(tag);
                    self.open_listings += u32::from(tag.listing);
                }
            }
        }
    }

    fn line_break(&mut self) {
        self.breaks += 1;
        if self.breaks > 1 {
            self.end_block();
        } else if self.before != Before::Start {
            self.before = Before::Line;
        }
    }

    /// Closes the open elements whose end tags may be left out before a start tag of `group`.
    fn close_implied(&mut self, group: Group) {
        let mut keep = self.open.len();
        for (depth, open) in self.open.iter().enumerate().rev() {
            let Layout::Block(open) = open.layout else { continue };
            if group.closes(open) {
                keep = depth;
            }
            if open.shields() || (group == Group::Plain && open != Group::Paragraph) {
                break;
            }
        }
        self.close_to(keep);
    }

    fn close_to(&mut self, depth: usize) {
        for closed in self.open.drain(depth..) {
            self.open_listings -= u32::from(closed.listing);
        }
    }

    fn end_tag(&mut self, name: &str) {
        let tag = tags::lookup(name);
        match self.hidden {
            Hidden::No => {}
            Hidden::Svg => {
                if tag.role == Role::Svg {
                    self.hidden = Hidden::No;
                }
                return;
            }
            Hidden::Reading => {
                if is_in_reading(tag) {
                    return;
                }
                self.hidden = Hidden::No;
            }
            Hidden::Template(depth) => {
                if tag.role == Role::Template {
                    self.hidden = if depth > 1 { Hidden::Template(depth - 1) } else { Hidden::No };
                }
                return;
            }
        }
        self.end_words();
        let ends_choice = matches!(tag.layout, Layout::Block(Group::Choice | Group::Choices));
        if tag.role == Role::Anchor || ends_choice {
            self.references.end_link(&mut self.page);
        }
        match tag.layout {
            Layout::Inline => {
                self.inline_listings = self.inline_listings.saturating_sub(u32::from(tag.listing));
                self.edge.is_tag = true;
                match tag.role {
                    Role::Anchor => self.end_anchor(),
                    Role::Custom => self.edge.ends_box = true,
                    _ => {}
                }
            }
            // Browsers read `</br>` as `<br>`.
            Layout::Break => self.line_break(),
            Layout::Rule => {}
            Layout::Block(_) => {
                self.end_block();
                if let Some(depth) = self.open.iter().rposition(|open| open.code == tag.code) {
                    self.close_to(depth);
                }
            }
        }
    }

    /// Takes back the text of a link to the heading in which it stands.
    fn end_anchor(&mut self) {
        let Some(AnchorText { start, before }) = self.anchor.take() else { return };
        let text = &self.page.text[start.min(self.page.text.len())..];
        if text.is_empty() {
            self.edge.begins_box = false;
            return;
        }
        if start < self.block_start || !HEADING_LINKS.contains(&text.trim()) {
            self.edge.ends_box = true;
            return;
        }
        self.page.text.truncate(start);
        while self.runs.last().is_some_and(|run| run.start as usize >= start) {
            self.runs.pop();
        }
        if let Some(last) = self.runs.last_mut() {
            last.end = last.end.min(start as u32);
        }
        self.before = before;
        if self.page.tags.last().is_some_and(|tag| tag & TEXT_TOKEN != 0) {
            self.page.tags.pop();
        }
    }

    /// Reads the source between two start tags, or after the last one.
    fn between_tags(&mut self, from: usize, to: usize, last: bool) {
        let Some(gap) = self.source.get(from..to) else { return };
        if gap.is_empty() {
            self.raw = None;
            return;
        }
        let mut at = 0;
        if let Some((name, content)) = self.raw.take() {
            // If its end tag does not come before the next start tag, it is not raw text after all, unless the page ends in it.
            at = raw_len(gap, name).or(last.then_some(gap.len())).unwrap_or(0);
            self.raw_text(&gap[..at], name, content);
        }
        let mut text_start = at;
        while let Some(found) = find(b'<', &gap.as_bytes()[at..]) {
            let open = at + found;
            let Some((end, is_text)) = markup_len(&gap[open..], last) else {
                at = open + 1;
                continue;
            };
            self.text(&gap[text_start..open]);
            if !is_text {
                let name = tag_name_at(gap.as_bytes(), open + 2);
                self.end_tag(gap.get(name).unwrap_or(""));
            }
            at = open + end;
            text_start = at;
        }
        self.text(&gap[text_start..]);
    }

    fn raw_text(&mut self, raw: &'a str, name: &str, content: Content) {
        match content {
            Content::Title if self.page.title.is_empty() => self.page.title = fold::folded(&unescape(raw)),
            Content::Literal => self.plain_text(raw),
            Content::Dropped if self.hidden == Hidden::No && name.eq_ignore_ascii_case("script") => {
                self.references.script(raw);
            }
            _ => {}
        }
    }

    fn text(&mut self, raw: &str) {
        if raw.is_empty() || self.hidden != Hidden::No {
            return;
        }
        // Most text between tags is line feeds and indents.
        if raw.bytes().all(|byte| byte <= b' ') {
            self.before = fold::after_blanks(self.before, raw.as_bytes());
            return;
        }
        self.plain_text(&unescape(raw));
    }

    fn plain_text(&mut self, text: &str) {
        let (start, was) = (self.page.text.len(), self.before);
        if self.edge.is_tag && was == Before::Text {
            self.join_at_edge(text);
        }
        if self.edge.begins_box && was == Before::Feed {
            self.before = Before::Space;
        }
        self.fold(text);
        if self.page.text.len() == start {
            return;
        }
        if was == Before::Start {
            self.block_at = self.page.tags.len();
        }
        self.breaks = 0;
        self.edge = Edge::default();
        self.has_words |= self.anchor.is_none() && !self.has_words && text.contains(char::is_alphanumeric);
        let kind = match () {
            () if self.open_listings + self.inline_listings > 0 => RunKind::Listing,
            () if self.references.in_link() => RunKind::Linked,
            () => RunKind::Prose,
        };
        let end = self.page.text.len() as u32;
        match self.runs.last_mut() {
            Some(last) if last.kind == kind => last.end = end,
            _ => self.runs.push(Run { start: start as u32, end, kind }),
        }
    }

    /// Adds a text. In a listing a row that begins an item of a list begins a line, and the other rows are joined.
    fn fold(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let feed = if self.open_listings > 0 { memchr(b'\n', rest.as_bytes()) } else { None };
            let (row, next) = rest.split_at(feed.map_or(rest.len(), |feed| feed + 1));
            if self.open_listings > 0 && self.before == Before::Feed && is_item(row.trim_start()) {
                self.before = Before::End;
            }
            self.words += fold::fold(row, &mut self.page.text, &mut self.before);
            rest = next;
        }
    }

    /// Adds what is missing between the text so far and the text after the tags of inline elements.
    fn join_at_edge(&mut self, next: &str) {
        let text = &self.page.text[self.block_start..];
        let boxes = match self.edge.begins_box {
            false => Boxes::No,
            true if !self.has_words => Boxes::Menu,
            true => Boxes::Some,
        };
        match lines::missing_between(text, next, boxes) {
            Missing::Nothing => {}
            Missing::Space => self.before = Before::Space,
            Missing::Line => self.before = Before::End,
        }
    }

    /// Adds the run of text that a tag ends.
    fn end_words(&mut self) {
        if self.words > 0 {
            self.page.tags.push(TEXT_TOKEN | self.words.min(u32::from(TEXT_TOKEN) - 1) as u16);
            self.words = 0;
        }
    }

    fn end_block(&mut self) {
        self.breaks = 0;
        // An inline element that is open ends with its block; otherwise a forgotten `</code>` would make the rest of the page a listing.
        self.inline_listings = 0;
        self.before = Before::Start;
        let end = self.page.text.len();
        self.has_words = false;
        if end == self.block_start {
            return;
        }
        // Text outside any block belongs to the body, even if the tag of the body was left out.
        let tag = self.open.last().map_or_else(|| tags::lookup("body").code, |open| open.code);
        let (start, at) = (self.block_start as u32, self.block_at as u32);
        self.page.blocks.push(Block { start, end: end as u32, tag, at });
        self.page.text.push('\n');
        self.block_start = end + 1;
    }
}

/// True for elements that may stand in the reading of a character and contain no link.
fn is_in_reading(tag: Tag) -> bool {
    let is_ruby = || ["ruby", "rb"].iter().any(|name| tags::lookup(name).code == tag.code);
    tag.layout == Layout::Inline && matches!(tag.role, Role::Plain | Role::Font) && !is_ruby()
}

fn in_html(element: &Element<'_, '_>) -> bool {
    element.namespace_uri() == "http://www.w3.org/1999/xhtml"
}

/// In shorter texts a loop finds a byte sooner than `memchr` does.
const SHORT_BYTES: usize = 16;

fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    if bytes.len() < SHORT_BYTES { bytes.iter().position(|&b| b == byte) } else { memchr(byte, bytes) }
}

fn unescape(raw: &str) -> Cow<'_, str> {
    if find(b'&', raw.as_bytes()).is_some() { htmlize::unescape(raw) } else { Cow::Borrowed(raw) }
}
