//! Attributes → links, images, declared languages.

use std::borrow::Cow;

use lol_html::html_content::{Attribute, Element, SourceLocation};
use memchr::memchr;

use super::{OpenLink, Reader, declare};
use crate::extract::Params;
use crate::extract::fold;
use crate::extract::tags::Role;
use crate::types::{Image, Lang, Link, LinkKind};

impl Reader<'_> {
    /// Takes what an element's attributes say.
    pub(super) fn attributes(&mut self, role: Role, attributes: &Attributes<'_, '_, '_>, at: u32) {
        match role {
            Role::Anchor => {
                self.end_link();
                if self.add_link(LinkKind::Anchor, attributes, "href", at) {
                    let link = self.page.links.len() - 1;
                    self.link = Some(OpenLink { link, start: self.page.text.len(), alt: String::new() });
                }
            }
            Role::Area => self.add_titled_link(LinkKind::Anchor, attributes, "href", "alt", at),
            Role::Link if leads_to_page(attributes) => {
                self.add_titled_link(LinkKind::Head, attributes, "href", "title", at);
            }
            Role::Frame => self.add_titled_link(LinkKind::Frame, attributes, "src", "title", at),
            Role::Image => self.image(attributes),
            Role::Base => {
                if let Some(href) = attributes.get("href") {
                    self.resolver.rebase(&href);
                }
            }
            Role::Meta => self.meta(attributes),
            Role::Root => {
                let lang = attributes.get("lang").or_else(|| attributes.get("xml:lang"));
                declare(&mut self.page.declared, &lang.unwrap_or_default());
            }
            Role::Link | Role::Plain | Role::Svg | Role::Template => {}
        }
    }

    fn add_titled_link(
        &mut self,
        kind: LinkKind,
        attributes: &Attributes<'_, '_, '_>,
        name: &str,
        title: &str,
        at: u32,
    ) {
        if self.add_link(kind, attributes, name, at)
            && let (Some(link), Some(title)) = (self.page.links.last_mut(), attributes.get(title))
        {
            link.anchor = short(&title, self.params);
        }
    }

    /// Adds a link; its anchor stays empty. False where the attribute leads nowhere.
    fn add_link(&mut self, kind: LinkKind, attributes: &Attributes<'_, '_, '_>, name: &str, at: u32) -> bool {
        if self.page.links.len() >= self.params.max_links as usize {
            return false;
        }
        let Some(url) = attributes.get(name).and_then(|href| self.address(&href)) else { return false };
        let rel = attributes.get("rel").map(|rel| short(&rel, self.params).to_ascii_lowercase()).unwrap_or_default();
        let hreflang = attributes.get("hreflang").and_then(|tag| Lang::parse(&tag)).filter(|lang| lang.is_known());
        self.page.links.push(Link { url, anchor: String::new(), rel, hreflang, kind, at });
        true
    }

    fn address(&mut self, href: &str) -> Option<String> {
        let max = self.params.max_url_bytes as usize;
        if href.len() > max {
            return None;
        }
        self.resolver.resolve(href).filter(|url| url.len() <= max)
    }

    fn image(&mut self, attributes: &Attributes<'_, '_, '_>) {
        let alt = attributes.get("alt").map(|alt| short(&alt, self.params)).unwrap_or_default();
        if let Some(open) = &mut self.link
            && !alt.is_empty()
        {
            open.alt.clone_from(&alt);
        }
        if self.page.images.len() < self.params.max_links as usize
            && let Some(url) = attributes.get("src").and_then(|src| self.address(&src))
        {
            self.page.images.push(Image { url, alt });
        }
    }

    fn meta(&mut self, attributes: &Attributes<'_, '_, '_>) {
        let says_language = ["http-equiv", "name", "property"].iter().any(|name| {
            attributes.get(name).is_some_and(|value| {
                ["content-language", "language", "dc.language", "dcterms.language", "og:locale"]
                    .iter()
                    .any(|key| value.trim().eq_ignore_ascii_case(key))
            })
        });
        if says_language && let Some(content) = attributes.get("content") {
            declare(&mut self.page.declared, &content);
        }
    }
}

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

    /// The value of the first attribute of that name, references decoded; `None` without one.
    fn get(&self, name: &str) -> Option<Cow<'a, str>> {
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

fn short(raw: &str, params: &Params) -> String {
    let mut text = fold::folded(raw);
    text.truncate(fold::head(&text, params.max_anchor_bytes as usize).len());
    text
}

/// True for `<link>` elements that lead to a page, not to a style sheet, an icon or a feed.
fn leads_to_page(attributes: &Attributes<'_, '_, '_>) -> bool {
    const NOT_PAGES: &[&str] = &[
        "stylesheet",
        "icon",
        "apple-touch-icon",
        "apple-touch-icon-precomposed",
        "mask-icon",
        "fluid-icon",
        "image_src",
        "preload",
        "modulepreload",
        "prefetch",
        "prerender",
        "preconnect",
        "dns-prefetch",
        "manifest",
        "pingback",
        "edituri",
        "wlwmanifest",
        "search",
        "profile",
        "https://api.w.org/",
    ];
    let html = attributes.get("type").is_none_or(|kind| {
        let kind = kind.split(';').next().unwrap_or("").trim();
        kind.is_empty() || kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
    });
    html && attributes.get("rel").is_some_and(|rel| {
        !rel.split_ascii_whitespace().any(|word| NOT_PAGES.iter().any(|no| word.eq_ignore_ascii_case(no)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{link, links, page};
    use super::*;

    #[test]
    fn links_are_absolute_and_carry_their_text() {
        let html = "<a href=x.html#y rel='NOFOLLOW x' hreflang=FR> one <b>two</b><p>three</a> no \
            <a href=/z><img src=i.png alt='an image'></a><a name=n>no</a><a href=#top>no</a><a href='mailto:a@b'>no</a>\
            <map><area href=q alt=area></map><iframe src=f title=frame></iframe><a href=..>open <a href=w>last";
        let expected = [
            link("http://ex.org/a/x.html", "one two three"),
            link("http://ex.org/z", "an image"),
            link("http://ex.org/a/q", "area"),
            link("http://ex.org/a/f", "frame"),
            link("http://ex.org/", "open"),
            link("http://ex.org/a/w", "last"),
        ];
        assert_eq!(links(html), expected);
        let page = page(html);
        assert_eq!((page.links[0].rel.as_str(), page.links[0].hreflang), ("nofollow x", Lang::parse("fr")));
        assert_eq!(page.links[3].kind, LinkKind::Frame);
        assert_eq!((page.images[0].url.as_str(), page.images[0].alt.as_str()), ("http://ex.org/a/i.png", "an image"));
    }

    #[test]
    fn head_links_that_lead_to_pages_are_kept() {
        let page = page(
            "<base href=http://ex.org/c/><link rel=stylesheet href=a.css><link rel='shortcut icon' href=i>\
             <link rel=alternate type=application/rss+xml href=feed><link rel=alternate hreflang=de href=de.html>\
             <link rel=next href=n.html title=Next>",
        );
        let links: Vec<_> = page.links.iter().map(|l| (l.url.as_str(), l.anchor.as_str(), l.kind)).collect();
        let expected =
            [("http://ex.org/c/de.html", "", LinkKind::Head), ("http://ex.org/c/n.html", "Next", LinkKind::Head)];
        assert_eq!(links, expected);
    }

    #[test]
    fn languages_are_declared_once_each_in_order() {
        let page = page(
            "<html xml:lang=de><meta http-equiv=Content-Language content='en, DE'><meta name=language content=x-default>\
             <meta property=og:locale content=pt_BR>",
        );
        assert_eq!(page.declared, ["de", "en", "pt"].map(|tag| Lang::parse(tag).expect("a language")));
    }
}
