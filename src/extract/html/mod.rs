//! Turns HTML in UTF-8 into text blocks, tags, links and declared languages.
//!
//! lol_html finds the start tags: it knows where a `<` begins one, also in scripts, comments, attributes and foreign markup. The source
//! between two start tags contains no other start tag, so it is simple: text, end tags and comments are read here. Asking lol_html for text
//! and end tags as well costs 1.5 to 1.8 times as much (31 kB: 105 µs with start tags, 161 with text, 191 with end tags too), gives text in
//! pieces that have to be joined, and gives end tags late or never.
//!
//! Rules of text:
//! - Blocks end at block-level start and end tags, `<hr>`, and two `<br>` in a row.
//! - One `<br>` is a line feed, at which a sentence ends, or a space where [it goes on](super::lines::goes_on).
//!   Between inline elements a space or line feed is added where [one is missing](super::lines::missing_between).
//! - What browsers do not show is left out: `script`, `style`, `template`, `noscript`, `iframe`, `noembed`, `noframes`, comments; also
//!   `svg` and `textarea`, readings of characters (`rt`), and links to headings whose whole text is a sign (`¶`). The title is not part of
//!   the text. Elements with `hidden` or `display: none` are: they are shown when the reader asks for them, and translated like the others.
//! - White space is [folded](super::fold::fold), in `pre` too.

mod attributes;
mod gaps;
mod reader;
mod references;

use std::borrow::Cow;
use std::sync::LazyLock;

use lol_html::errors::RewritingError;
use lol_html::html_content::Element;
use lol_html::{ElementContentHandlers, HtmlRewriter, MemorySettings, Selector, Settings};

use super::charset::Decoded;
use super::fold;
use super::links::Resolver;
use super::params::Params;
use super::read::Read;
use crate::types::CanonicalUrl;
use reader::Reader;

/// Reads a page.
///
/// # Errors
/// When the parser needs more memory than `params.parser_memory_bytes`. No markup causes any other error.
pub fn read(source: &Decoded<'_>, url: &CanonicalUrl, params: &Params) -> Result<Read, RewritingError> {
    // The page is one piece: lol_html copies what a piece leaves unfinished, and here that is at most one tag, at the end.
    read_in_pieces(source, usize::MAX, url, params)
}

fn read_in_pieces(
    source: &Decoded<'_>,
    piece_bytes: usize,
    url: &CanonicalUrl,
    params: &Params,
) -> Result<Read, RewritingError> {
    // Positions in the text are `u32`. The longest body is far shorter, also in UTF-8.
    let text = fold::head(&source.text, u32::MAX as usize / 4);
    let resolver = Resolver::new(url.as_str(), source.encoding).expect("a canonical URL is http or https");
    let mut reader = Reader::new(text, resolver, params);
    parse(text, piece_bytes, params, |element| reader.start_tag(element))?;
    Ok(reader.finish())
}

/// Selects every element. Parsed once, not for each page.
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
        ))
        // With a handler for document types lol_html uses its lexer alone. Without one a scanner finds each tag, and the lexer reads it
        // once more.
        .append_document_content_handler(lol_html::doctype!(|_| Ok(())));
    let mut parser = HtmlRewriter::new(settings, |_: &[u8]| {});
    for piece in text.as_bytes().chunks(piece_bytes) {
        parser.write(piece)?;
    }
    parser.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Page, TEXT_TOKEN, tag_code, tag_name};
    use proptest::prelude::*;

    pub(super) fn decoded(html: &str) -> Decoded<'_> {
        Decoded { text: html.into(), encoding: encoding_rs::UTF_8 }
    }

    pub(super) fn url() -> CanonicalUrl {
        CanonicalUrl::parse("http://ex.org/a/b.html").expect("a sound URL")
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

    /// The tags, with runs of text as their number of words.
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
    fn one_line_break_ends_a_line_where_no_sentence_goes_on_and_two_end_a_block() {
        assert_eq!(blocks("<p>a<br>b<br/> <br>c</br>d"), ["p:a b", "p:c d"]);
        let address = "<p>Museum of Modern Art<br>\n11 West 53rd Street <br/>New York<br><br>Open daily";
        assert_eq!(blocks(address), ["p:Museum of Modern Art\n11 West 53rd Street\nNew York", "p:Open daily"]);
        assert_eq!(blocks("<p><b>世界中の人々に</b><br>愛される製品<br>"), ["p:世界中の人々に愛される製品"]);
    }

    #[test]
    fn line_feeds_between_han_or_kana_are_no_spaces() {
        assert_eq!(
            blocks("<p>本プロ\n  ジェクトは<b>\nNacos\n</b>の\r\n<i>文書</i> です"),
            ["p:本プロジェクトは Nacos の文書 です"]
        );
        assert_eq!(blocks("<p>한국어\n문장 漢字\n한국어 ไทย\nไทย"), ["p:한국어 문장 漢字 한국어 ไทย ไทย"]);
        assert_eq!(page("<title>本プロ\nジェクト</title>").title, "本プロジェクト");
    }

    #[test]
    fn hints_where_words_may_be_broken_are_no_text() {
        assert_eq!(
            blocks("<p>Silben&shy;trennung a\u{feff}\u{200b}b<wbr>c Auf\u{200c}lage"),
            ["p:Silbentrennung abc Auflage"]
        );
        let kept = "<p>می\u{200c}خواهم क्\u{200d}ष ភាសា\u{200b}ខ្មែរ 👩\u{200d}🔬";
        assert_eq!(blocks(kept), [kept.replacen("<p>", "p:", 1)]);
        assert_eq!(tags("<p>Silben&shy;tren&shy;nung <b>a"), "p 1 b 1");
    }

    #[test]
    fn items_of_menus_and_words_with_capitals_are_apart() {
        let menu =
            "<p>一<a href=a>多人</a><a href=b>多工</a> <a href=a>HOME</a><a id=c></a><span><a href=b>MANUAL</a></span>";
        assert_eq!(blocks(menu), ["p:一多人多工 HOME\nMANUAL"]);
        assert_eq!(blocks("<p><a href=a>社区</a><a href=b>控制台</a>样例"), ["p:社区\n控制台样例"]);
        assert_eq!(blocks("<nav><a href=a>ブログ</a>\n<a href=b>報道</a></nav>"), ["nav:ブログ 報道"]);
        assert_eq!(blocks("<p><x-button>Submit</x-button><x-button>cancel</x-button>"), ["p:Submit\ncancel"]);
        let label = "<p><span>5.3.1</span><span>Reported online</span> <b>Next</b>3.6. Go <b>W</b>ord m<a id=x></a><a id=y></a>p";
        assert_eq!(blocks(label), ["p:5.3.1 Reported online Next 3.6. Go Word mp"]);
    }

    #[test]
    fn links_to_headings_are_no_text() {
        let html =
            "<h1>A house<a class=headerlink href=#a>¶</a></h1><h2><a href=#b>#</a> B</h2><h3><a href=#c> § </a>C#</h3>";
        assert_eq!(blocks(html), ["h1:A house", "h2:B", "h3:C#"]);
        assert_eq!(tags(html), "h1 2 a h2 a 1 h3 a 1");
        assert_eq!(
            links("<p>x<a href=y>¶</a><a href=z>#1</a>"),
            [link("http://ex.org/a/y", "¶"), link("http://ex.org/a/z", "#1")]
        );
    }

    #[test]
    fn readings_are_no_text() {
        let html = "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>です<p><ruby>本<rt>ほん<rb>屋<rt>や</ruby>。<rt>a<p>b";
        assert_eq!(blocks(html), ["p:漢字です", "p:本屋。", "p:b"]);
        assert_eq!(links("<ruby>x<rt><a href=y>z</a></ruby>"), [link("http://ex.org/a/y", "z")]);
    }

    #[test]
    fn what_is_hidden_until_it_is_asked_for_is_text() {
        let html = "<p>Choose <span hidden>Preferences</span><span style='display:none'>Options</span>.<div aria-hidden=true>Tab two";
        assert_eq!(blocks(html), ["p:Choose Preferences Options.", "div:Tab two"]);
    }

    #[test]
    fn white_space_is_folded_across_inline_tags_and_in_pre() {
        assert_eq!(blocks("<p> a <b> b</b>\n<i>c </i>d&nbsp;&#32;e"), ["p:a b c d e"]);
        assert_eq!(blocks("<pre>\n  x\n\ty\n</pre>"), ["pre:x y"]);
        assert_eq!(
            blocks("<pre>We have\n • one\n   thing\n <b>* two\n*</b>c</pre>"),
            ["pre:We have\n• one thing\n* two *c"]
        );
        assert_eq!(blocks("<p>We have\n • one<br>- two"), ["p:We have • one\n- two"]);
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
            let Read { page, runs, .. } = read(&decoded(&html), &url(), &Params::default()).expect("within the limit");
            let mut text = String::new();
            for block in &page.blocks {
                let block = &page.text[block.start as usize..block.end as usize];
                prop_assert!(!block.is_empty() && block.split('\n').all(|line| !line.is_empty() && line == line.trim()));
                text.push_str(block);
                text.push('\n');
            }
            prop_assert_eq!(text, page.text);
            prop_assert!(runs.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
