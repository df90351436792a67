//! Reads WAT records: title, languages and links in Common Crawl's JSON. There is no text.

use encoding_rs::UTF_8;
use serde::Deserialize;
use serde_json::Value;

use super::canonical;
use super::declared::declare;
use super::fold;
use super::links::Resolver;
use super::params::Params;
use super::signals::{Collector, are_told};
use crate::types::{CanonicalUrl, Capture, Lang, Link, LinkKind, Page, Signals, SkipReason};

#[derive(Default, Deserialize)]
struct Html {
    #[serde(rename = "Head", default)]
    head: Head,
    #[serde(rename = "Links", default)]
    links: Vec<Anchor>,
}

#[derive(Default, Deserialize)]
struct Head {
    #[serde(rename = "Title")]
    title: Option<Value>,
    #[serde(rename = "Base")]
    base: Option<Value>,
    #[serde(rename = "Metas", default)]
    metas: Vec<Meta>,
    #[serde(rename = "Link", default)]
    links: Vec<Anchor>,
}

#[derive(Deserialize)]
struct Meta {
    name: Option<Value>,
    #[serde(rename = "http-equiv")]
    http_equiv: Option<Value>,
    content: Option<Value>,
}

#[derive(Deserialize)]
struct Anchor {
    path: Option<Value>,
    url: Option<Value>,
    href: Option<Value>,
    text: Option<Value>,
    title: Option<Value>,
    rel: Option<Value>,
    hreflang: Option<Value>,
    r#type: Option<Value>,
}

fn text(value: &Option<Value>) -> &str {
    value.as_ref().and_then(Value::as_str).unwrap_or("")
}

/// A page with links only. Its language is the first that its headers or `<meta>` declare, since the JSON has neither text nor `<html
/// lang>`.
///
/// # Errors
/// [`SkipReason::Metadata`] if the body is not JSON, [`SkipReason::BadHttp`] if it does not have the fields of a WAT.
pub fn read(capture: &Capture, url: &CanonicalUrl, params: &Params) -> Result<Page, (SkipReason, String)> {
    let json: Value = serde_json::from_slice(&capture.body)
        .map_err(|error| (SkipReason::Metadata, format!("metadata: no WAT: {error}")))?;
    let html = &json["Envelope"]["Payload-Metadata"]["HTTP-Response-Metadata"]["HTML-Metadata"];
    let html = Html::deserialize(html)
        .map_err(|error| (SkipReason::BadHttp, format!("metadata: not the shape of a WAT: {error}")))?;
    let mut page = Page { charset: "utf-8".to_owned(), title: fold::folded(text(&html.head.title)), ..Page::default() };
    let mut signals = Collector::default();
    for meta in &html.head.metas {
        if text(&meta.http_equiv).eq_ignore_ascii_case("content-language")
            || ["language", "dc.language"].iter().any(|name| text(&meta.name).eq_ignore_ascii_case(name))
        {
            declare(&mut page.declared, text(&meta.content));
        }
        [&meta.name, &meta.http_equiv].iter().for_each(|name| signals.meta(text(name), text(&meta.content)));
    }
    declare(&mut page.declared, capture.content_language.as_deref().unwrap_or(""));
    page.detected = page.declared.first().copied().unwrap_or_default().base();
    let mut resolver = Resolver::new(url.as_str(), UTF_8).expect("a canonical URL is http or https");
    if !text(&html.head.base).is_empty() {
        resolver.rebase(text(&html.head.base));
    }
    let all = html.head.links.iter().chain(&html.links);
    for link in all {
        if page.links.len() >= params.max_links as usize {
            break;
        }
        let is_told = are_told(text(&link.rel));
        let kind = kind(link);
        if kind.is_none() && !is_told {
            continue;
        }
        let target = if text(&link.url).is_empty() { text(&link.href) } else { text(&link.url) };
        let Some(target) = resolver.resolve(target).filter(|target| target.len() <= params.max_url_bytes as usize)
        else {
            continue;
        };
        if is_told {
            signals.rel(text(&link.rel), &target, Lang::parse(text(&link.hreflang)));
        }
        let Some(kind) = kind else { continue };
        let words = if text(&link.text).is_empty() { text(&link.title) } else { text(&link.text) };
        page.links.push(Link {
            url: target,
            anchor: fold::folded(fold::head(words, params.max_anchor_bytes as usize)),
            rel: text(&link.rel).to_ascii_lowercase(),
            hreflang: Lang::parse(text(&link.hreflang)),
            kind,
            at: 0,
        });
    }
    page.links.extend(canonical::own_links(capture, url, params));
    signals.capture(capture, url, params);
    let (signals, found) = signals.finish();
    let translated = found.and_then(|found| found.of(&page.declared, page.detected));
    page.signals = Signals { translated, ..signals };
    Ok(page)
}

/// The kind of a link, by the element that has it; `None` for pictures, scripts, forms and style sheets.
fn kind(link: &Anchor) -> Option<LinkKind> {
    let element = text(&link.path).split('@').next().unwrap_or("").to_ascii_uppercase();
    let rel = text(&link.rel).to_ascii_lowercase();
    let to_page = || {
        let relations = ["alternate", "next", "prev", "up", "start", "contents", "canonical"];
        let is_feed = !text(&link.r#type).is_empty() && !text(&link.r#type).to_ascii_lowercase().contains("html");
        rel.split_whitespace().any(|word| relations.contains(&word)) && !is_feed
    };
    match element.as_str() {
        "A" | "AREA" => Some(LinkKind::Anchor),
        "LINK" => to_page().then_some(LinkKind::Head),
        "FRAME" | "IFRAME" => Some(LinkKind::Frame),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(json: &str) -> Result<Page, (SkipReason, String)> {
        let url = CanonicalUrl::parse("http://ex.org/d/a.html").expect("a URL");
        let capture =
            Capture { body: json.as_bytes().to_vec(), content_language: Some("fr".into()), ..Capture::default() };
        read(&capture, &url, &Params::default())
    }

    const WAT: &str = r#"{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Head":{
        "Title":" A  page ","Metas":[{"http-equiv":"Content-Language","content":"de"},{"name":"robots","content":"x"}],
        "Link":[{"path":"LINK@/href","url":"/de/","rel":"alternate","hreflang":"de"},
        {"path":"LINK@/href","url":"/s.css","rel":"stylesheet"}]},"Links":[
        {"path":"A@/href","url":"b.html#top","text":"B"},{"path":"IMG@/src","url":"i.png"},
        {"path":"IFRAME@/src","url":"http://other.net/f"},{"path":"A@/href","url":"javascript:x"}]}}}}}"#;

    #[test]
    fn links_are_those_that_lead_to_pages() {
        let page = page(WAT).expect("a page");
        let links: Vec<(&str, LinkKind)> = page.links.iter().map(|link| (link.url.as_str(), link.kind)).collect();
        let expected = [
            ("http://ex.org/de/", LinkKind::Head),
            ("http://ex.org/d/b.html", LinkKind::Anchor),
            ("http://other.net/f", LinkKind::Frame),
        ];
        assert_eq!(links, expected);
        assert_eq!((page.title.as_str(), page.links[0].hreflang), ("A page", Lang::parse("de")));
        assert_eq!(page.declared, [Lang::parse("de").expect("a tag"), Lang::parse("fr").expect("a tag")]);
    }

    proptest! {
        #[test]
        fn any_json_is_a_page_or_refused(at in 0..WAT.len(), byte in any::<char>()) {
            let _ = page(&format!("{}{byte}{}", &WAT[..at], &WAT[at..]));
            let _ = page(&WAT[at..]);
        }
    }
}
