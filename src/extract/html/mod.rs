//! UTF-8 → text blocks, tags, links and declared languages.
//!
//! lol_html finds the start tags: it knows where a `<` begins one, in scripts, comments, attributes and foreign markup
//! too. What lies between two start tags is then simple, since no start tag can be in it: text, end tags and comments,
//! which are read here from the source itself. Asking lol_html for text and end tags as well costs 1.5 to 1.8 times as
//! much (31 kB: 105 µs with start tags, 161 with text, 191 with end tags too), comes in pieces that have to be joined, and
//! gives end tags late or never.
//!
//! Rules of text:
//! - Blocks end at block-level start and end tags, `<hr>`, and two `<br>` in a row; one `<br>` is a space.
//! - What browsers do not show is left out: `script`, `style`, `template`, `noscript`, `iframe`, `noframes`, comments; also
//!   `svg` and `textarea`. The title is apart from the text.
//! - White space is folded, in `pre` too.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use lol_html::errors::RewritingError;
use lol_html::html_content::Element;
use lol_html::{ElementContentHandlers, HtmlRewriter, MemorySettings, Selector, Settings};
use memchr::memchr;

mod attributes;
mod gaps;

use super::Params;
use super::charset::Decoded;
use super::fold::{self, Before};
use super::language::{Kind, Run};
use super::links::Resolver;
use super::tags::{self, Content, Group, Layout, Role, Tag};
use crate::types::{Block, CanonicalUrl, Lang, Page, TEXT_TOKEN};
use attributes::Attributes;
use gaps::{markup_len, raw_len, tag_name_at};

/// What the markup gives.
pub struct Read {
    /// The page, as far as the markup tells: charset and language are not set.
    pub page: Page,
    /// The text as stretches of one kind each, in order and without overlap.
    pub runs: Vec<Run>,
}

/// Reads a page.
///
/// # Errors
/// When the parser needs more memory than `params.parser_memory_bytes`. Nothing else stops it, whatever the markup.
pub fn read(source: &Decoded<'_>, url: &CanonicalUrl, params: &Params) -> Result<Read, RewritingError> {
    // One piece: lol_html copies what a piece leaves unfinished, and here that is at most one tag at the end.
    read_in_pieces(source, usize::MAX, url, params)
}

fn read_in_pieces(
    source: &Decoded<'_>,
    piece_bytes: usize,
    url: &CanonicalUrl,
    params: &Params,
) -> Result<Read, RewritingError> {
    // Positions in the text are u32. The longest body is far shorter, and stays so in UTF-8.
    let text = fold::head(&source.text, u32::MAX as usize / 4);
    let resolver = Resolver::new(url.as_str(), source.encoding).expect("a canonical address is an address of the web");
    let mut reader = Reader::new(text, resolver, params);
    parse(text, piece_bytes, params, |element| reader.start_tag(element))?;
    Ok(reader.finish())
}

/// Selects every element. Parsed once, not once a page.
static EVERY_ELEMENT: LazyLock<Selector> = LazyLock::new(|| "*".parse().expect("a sound selector"));

fn parse(
    text: &str,
    piece_bytes: usize,
    params: &Params,
    mut on_start_tag: impl FnMut(&Element<'_, '_>),
) -> Result<(), RewritingError> {
    let on_element = |element: &mut Element<'_, '_>| {
        on_start_tag(element);
        Ok(())
    };
    let settings = Settings::new()
        .with_strict(false)
        .with_enable_esi_tags(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(params.parser_memory_bytes as usize))
        .append_element_content_handler((
            Cow::Borrowed(&*EVERY_ELEMENT),
            ElementContentHandlers::default().element(on_element),
        ));
    let mut parser = HtmlRewriter::new(settings, |_: &[u8]| {});
    for piece in text.as_bytes().chunks(piece_bytes) {
        parser.write(piece)?;
    }
    parser.end()
}

/// Adds the languages that a list like `en, fr-CA` names, those it does not hold yet.
pub fn declare(declared: &mut Vec<Lang>, list: &str) {
    for lang in list.split([',', ';', ' ']).filter_map(Lang::parse) {
        if lang.is_known() && !declared.contains(&lang) {
            declared.push(lang);
        }
    }
}

/// Elements nested deeper than this count as flat: their end tags end no block but the innermost.
const MAX_DEPTH: usize = 256;

/// A link whose text is being read.
struct OpenLink {
    /// Its place in [`Page::links`].
    link: usize,
    /// Where its text begins in [`Page::text`].
    start: usize,
    /// Alternative text of the last image in it.
    alt: String,
}

/// What is left out until its end tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    No,
    Svg,
    /// So many templates inside one another.
    Template(u32),
}

struct Reader<'a> {
    source: &'a str,
    params: &'a Params,
    resolver: Resolver,
    page: Page,
    runs: Vec<Run>,
    /// Where the last start tag ended in `source`.
    tag_end: usize,
    /// The name of the last start tag, if what follows is no markup, and what it is.
    raw: Option<(&'a str, Content)>,
    hidden: Hidden,
    /// Open block-level elements, outermost first.
    open: Vec<Tag>,
    /// How many of them hold no prose.
    open_listings: u32,
    /// How many inline elements without prose are open in this block.
    inline_listings: u32,
    /// Where the current block begins in the text, and how many tags stand before its first word.
    block_start: usize,
    block_at: usize,
    before: Before,
    /// `<br>` since the last text.
    breaks: u32,
    /// Words since the last tag.
    words: u32,
    link: Option<OpenLink>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a str, resolver: Resolver, params: &'a Params) -> Reader<'a> {
        let mut page = Page::default();
        // A guess, to grow seldom.
        page.text.reserve(source.len() / 4);
        page.tags.reserve(source.len() / 24);
        Reader {
            source,
            params,
            resolver,
            page,
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
            breaks: 0,
            words: 0,
            link: None,
        }
    }

    fn finish(mut self) -> Read {
        self.between_tags(self.tag_end, self.source.len(), true);
        self.end_words();
        self.end_block();
        self.end_link();
        self.page.text.shrink_to_fit();
        self.page.tags.shrink_to_fit();
        Read { page: self.page, runs: self.runs }
    }

    fn start_tag(&mut self, element: &Element<'_, '_>) {
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
            role => self.attributes(role, &Attributes::of(element, self.source), at),
        }
    }

    /// True for start tags inside what is left out.
    fn stays_hidden(&mut self, tag: Tag, element: &Element<'_, '_>) -> bool {
        match self.hidden {
            Hidden::No => false,
            // A block inside a drawing ends it (or stands in a `foreignObject`, and is text).
            Hidden::Svg if matches!(tag.layout, Layout::Block(_)) && in_html(element) => {
                self.hidden = Hidden::No;
                false
            }
            Hidden::Svg => true,
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

    /// What a start tag does to blocks.
    fn lay_out(&mut self, tag: Tag) {
        match tag.layout {
            Layout::Inline => self.inline_listings += u32::from(tag.listing),
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
        } else if self.before == Before::Text {
            self.before = Before::Space;
        }
    }

    /// Closes the elements whose end tag a start tag of `group` makes unnecessary.
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
            Hidden::Template(depth) => {
                if tag.role == Role::Template {
                    self.hidden = if depth > 1 { Hidden::Template(depth - 1) } else { Hidden::No };
                }
                return;
            }
        }
        self.end_words();
        if tag.role == Role::Anchor {
            self.end_link();
        }
        match tag.layout {
            Layout::Inline => self.inline_listings = self.inline_listings.saturating_sub(u32::from(tag.listing)),
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

    /// Reads what lies between two start tags, or after the last one.
    fn between_tags(&mut self, from: usize, to: usize, last: bool) {
        let Some(gap) = self.source.get(from..to) else { return };
        let mut at = 0;
        if let Some((name, content)) = self.raw.take() {
            // Without its end tag before the next start tag it is no raw text after all, unless the page ends in it.
            at = raw_len(gap, name).or(last.then_some(gap.len())).unwrap_or(0);
            self.raw_text(&gap[..at], content);
        }
        let mut text_start = at;
        while let Some(found) = memchr(b'<', &gap.as_bytes()[at..]) {
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

    fn raw_text(&mut self, raw: &str, content: Content) {
        match content {
            Content::Title if self.page.title.is_empty() => self.page.title = fold::folded(&unescape(raw)),
            Content::Literal => self.plain_text(raw),
            _ => {}
        }
    }

    fn text(&mut self, raw: &str) {
        if raw.is_empty() || self.hidden != Hidden::No {
            return;
        }
        self.plain_text(&unescape(raw));
    }

    fn plain_text(&mut self, text: &str) {
        let out = &mut self.page.text;
        let (start, was) = (out.len(), self.before);
        self.words += fold::fold(text, out, &mut self.before);
        if out.len() == start {
            return;
        }
        if was == Before::Start {
            self.block_at = self.page.tags.len();
        }
        self.breaks = 0;
        let kind = match () {
            () if self.open_listings + self.inline_listings > 0 => Kind::Listing,
            () if self.link.is_some() => Kind::Linked,
            () => Kind::Prose,
        };
        let end = self.page.text.len() as u32;
        match self.runs.last_mut() {
            Some(last) if last.kind == kind => last.end = end,
            _ => self.runs.push(Run { start: start as u32, end, kind }),
        }
    }

    /// Notes the run of text that a tag ends.
    fn end_words(&mut self) {
        if self.words > 0 {
            self.page.tags.push(TEXT_TOKEN | self.words.min(u32::from(TEXT_TOKEN) - 1) as u16);
            self.words = 0;
        }
    }

    fn end_block(&mut self) {
        self.breaks = 0;
        // An inline element left open ends with its block, or a forgotten `</code>` would make the rest a listing.
        self.inline_listings = 0;
        self.before = Before::Start;
        let end = self.page.text.len();
        if end == self.block_start {
            return;
        }
        // Text outside any block is the body's, even where its tag is left out.
        let tag = self.open.last().map_or_else(|| tags::lookup("body").code, |open| open.code);
        let (start, at) = (self.block_start as u32, self.block_at as u32);
        self.page.blocks.push(Block { start, end: end as u32, tag, at });
        self.page.text.push('\n');
        self.block_start = end + 1;
    }

    fn end_link(&mut self) {
        let Some(open) = self.link.take() else { return };
        let text = self.page.text[open.start..].trim();
        let text = if text.is_empty() { &open.alt } else { text };
        let text = fold::head(text, self.params.max_anchor_bytes as usize);
        self.page.links[open.link].anchor = text.replace('\n', " ");
    }
}

fn in_html(element: &Element<'_, '_>) -> bool {
    element.namespace_uri() == "http://www.w3.org/1999/xhtml"
}

fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr(b'&', raw.as_bytes()).is_some() { htmlize::unescape(raw) } else { Cow::Borrowed(raw) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{tag_code, tag_name};
    use proptest::prelude::*;

    pub(super) fn decoded(html: &str) -> Decoded<'_> {
        Decoded { text: html.into(), encoding: encoding_rs::UTF_8 }
    }

    pub(super) fn url() -> CanonicalUrl {
        CanonicalUrl::parse("http://ex.org/a/b.html").expect("a sound address")
    }

    pub(super) fn page(html: &str) -> Page {
        read(&decoded(html), &url(), &Params::default()).expect("within the memory limit").page
    }

    /// The blocks as `tag:text`.
    pub(super) fn blocks(html: &str) -> Vec<String> {
        let page = page(html);
        let blocks = page.blocks.iter();
        blocks.map(|b| format!("{}:{}", tag_name(b.tag), &page.text[b.start as usize..b.end as usize])).collect()
    }

    /// The tags, runs of text as their number of words.
    fn tags(html: &str) -> String {
        let name = |&tag: &u16| match tag & TEXT_TOKEN {
            0 => tag_name(tag).to_owned(),
            _ => (tag & !TEXT_TOKEN).to_string(),
        };
        page(html).tags.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn links(html: &str) -> Vec<(String, String)> {
        page(html).links.into_iter().map(|link| (link.url, link.anchor)).collect()
    }

    pub(super) fn link(url: &str, anchor: &str) -> (String, String) {
        (url.to_owned(), anchor.to_owned())
    }

    #[test]
    fn blocks_end_where_block_level_tags_stand() {
        let html = "<body>loose <p>one <b>bo</b>ld<i> it</i> <p>two<ul><li>a<li>b<ul><li>c</ul>d</ul>e<div>f</div>g";
        let expected =
            ["body:loose", "p:one bold it", "p:two", "li:a", "li:b", "li:c", "li:d", "body:e", "div:f", "body:g"];
        assert_eq!(blocks(html), expected);
        let table = "<table><tr><th>h<td>x<table><tr><td>in</table>y<tr><td>z</table><dl><dt>t<dd>d<p>q</dl>";
        assert_eq!(blocks(table), ["th:h", "td:x", "td:in", "td:y", "td:z", "dt:t", "dd:d", "p:q"]);
        assert_eq!(blocks("<p>a</p>b"), ["p:a", "body:b"]);
        assert_eq!(blocks("<div>a</div>b</div>c"), ["div:a", "body:b", "body:c"]);
        assert_eq!(blocks("<h1>a</h1><hr>b"), ["h1:a", "body:b"]);
    }

    #[test]
    fn one_line_break_is_a_space_and_two_end_a_block() {
        assert_eq!(blocks("<p>a<br>b<br/> <br>c</br>d"), ["p:a b", "p:c d"]);
    }

    #[test]
    fn white_space_is_folded_across_inline_tags_and_in_pre() {
        assert_eq!(blocks("<p> a <b> b</b>\n<i>c </i>d&nbsp;&#32;e"), ["p:a b c d e"]);
        assert_eq!(blocks("<pre>\n  x\n\ty\n</pre>"), ["pre:x y"]);
    }

    #[test]
    fn what_browsers_do_not_show_is_left_out() {
        let html = "<title>T</title><script>if (a<b) '<p>no'</script>\
            <style>p{}</style><noscript><p>no</noscript><template><p>no<template>no</template><script>no</script>no</template>\
            <textarea><p>no</textarea><iframe>no</iframe><!-- <p>no --><!--> yes<!---> yes<!-- no --!> yes\
            <svg><title>no</title><style>no</style><text>no</text></svg> yes<?php no ?></ no><!doctype no>";
        assert_eq!(blocks(html), ["body:yes yes yes yes"]);
        assert_eq!(blocks("<script><!--<script>no</script>no--></script>yes"), ["body:yes"]);
        assert_eq!(blocks("<svg><g>no<p>yes</svg>"), ["p:yes"]);
        assert_eq!(blocks("yes<script>no"), ["body:yes"]);
        assert_eq!(blocks("<xmp><b>&amp;</xmp>&amp;<plaintext><b>"), ["?:<b>&amp;", "body:&", "?:<b>"]);
    }

    #[test]
    fn titles_are_apart_from_text() {
        let page = page("<title>\n A &amp; <b> </title><p>x<svg><title>no</title></svg><title>no</title>");
        assert_eq!((page.title.as_str(), page.text.as_str()), ("A & <b>", "x\n"));
    }

    #[test]
    fn references_are_decoded_in_text_and_attributes() {
        assert_eq!(blocks("&eacute;&#233;&#x4e2d;&#150;&amp;lt;&copy&unknown;&"), ["body:éé中–&lt;©&unknown;&"]);
        assert_eq!(links("<a href='x?a=1&amp;copy=2&copy=3'>y"), [link("http://ex.org/a/x?a=1&copy=2&copy=3", "y")]);
    }

    #[test]
    fn tags_and_words_are_noted_in_order() {
        let html = "<HTML><p>three small words <b>one</b> two more</p><x-y>漢字漢字</x-y><br><!-- no -->b<!-- --> c";
        assert_eq!(tags(html), "html p 3 b 1 2 ? 2 br 2");
        let page = page("<p>a</p><p><b>b</b></p>");
        assert_eq!(page.blocks.iter().map(|block| block.at).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(page.tags[0], tag_code("p"));
    }

    #[test]
    fn the_parsers_memory_is_limited() {
        let params = Params { parser_memory_bytes: 100_000, ..Params::default() };
        let deep = "<i>".repeat(100_000);
        assert!(read(&decoded(&deep), &url(), &params).is_err());
        let unfinished = format!("<p title='{}", "x".repeat(200_000));
        assert!(read(&decoded(&unfinished), &url(), &params).is_err());
    }

    #[test]
    fn pieces_of_any_length_give_the_same_page() {
        let html = "<!doctype html><html lang=fr><title>Été &eacute;</title><!-- <p> --><p class='a>b'>caf&eacute; 漢字\
            <br>a &lt b</p><a href='x?y=&quot;z'>li&#101;n</a><script>'<p>'</script><ul><li>é</ul></body>fin &amp";
        let whole = page(html);
        for piece_bytes in 1..=html.len() {
            let pieces = read_in_pieces(&decoded(html), piece_bytes, &url(), &Params::default());
            assert_eq!(pieces.map(|read| read.page).ok(), Some(whole.clone()), "{piece_bytes}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(html: String) {
            page(&html);
        }

        #[test]
        fn any_markup_gives_sound_blocks_and_runs(
            html in "(<[a-z]{1,8}|<(p|div|svg|math|template|pre|code|a href=x|table|td|select|option|textarea|xmp|/[a-z]{1,4})|>|&[a-z]{1,6};?|[ -~é日]{0,6}){0,40}"
        ) {
            let Read { page, runs } = read(&decoded(&html), &url(), &Params::default()).expect("within the limit");
            let mut text = String::new();
            for block in &page.blocks {
                let block = &page.text[block.start as usize..block.end as usize];
                prop_assert!(!block.is_empty() && !block.contains('\n') && block == block.trim());
                text.push_str(block);
                text.push('\n');
            }
            prop_assert_eq!(text, page.text);
            prop_assert!(runs.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
