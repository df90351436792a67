//! Reads links, images and declared languages from attributes.

use std::borrow::Cow;

use memchr::memchr;

use super::attributes::Attributes;
use crate::extract::canonical::OG_URL;
use crate::extract::declared::declare;
use crate::extract::fold;
use crate::extract::links::Resolver;
use crate::extract::params::Params;
use crate::extract::read::Signs;
use crate::extract::scripts;
use crate::extract::signals::{self, Collector};
use crate::extract::tags::Role;
use crate::extract::versions::LANG_HREF;
use crate::language::names::named;
use crate::types::{Image, Lang, Link, LinkKind, Page};

/// Collects the links, images and declared languages of a page.
pub(super) struct References<'a> {
    params: &'a Params,
    resolver: Resolver,
    link: Option<OpenLink>,
    /// Code that may run while the page is loaded.
    scripts: Vec<Cow<'a, str>>,
    signs: Signs,
    pub(super) signals: Collector,
}

/// A link whose text is being read.
struct OpenLink {
    /// Its position in [`Page::links`].
    link: usize,
    /// Where its text begins in [`Page::text`].
    start: usize,
    /// The alternative text of the last image in the link.
    alt: String,
    /// True for a choice of a form, which is a link only if its text is the name of a language.
    is_choice: bool,
}

/// How links of one kind of element are read.
#[derive(Clone, Copy)]
struct Element {
    kind: LinkKind,
    /// The attribute with the URL.
    target: &'static str,
    /// The attribute that takes the place of an anchor text; `None` where the text follows.
    title: Option<&'static str>,
}

const ANCHOR: Element = Element { kind: LinkKind::Anchor, target: "href", title: None };
const AREA: Element = Element { kind: LinkKind::Anchor, target: "href", title: Some("alt") };
const CHOICE: Element = Element { kind: LinkKind::Anchor, target: "value", title: None };
const CUSTOM: Element = Element { kind: LinkKind::Anchor, target: LANG_HREF, title: None };
const HEAD: Element = Element { kind: LinkKind::Head, target: "href", title: Some("title") };
const FRAME: Element = Element { kind: LinkKind::Frame, target: "src", title: Some("title") };

/// Longer scripts are not read: they are programs, which go to another page only when the reader asks for it.
const MAX_SCRIPT_BYTES: usize = 4 << 10;

/// Attributes of `<meta>` that say what its content is.
const META_NAMES: &[&str] = &["http-equiv", "name", "property"];
/// The values of these attributes with which the content of a `<meta>` is a language.
const META_LANGUAGES: &[&str] = &["content-language", "language", "dc.language", "dcterms.language", "og:locale"];

impl<'a> References<'a> {
    /// Starts without any references. `resolver` knows the base that URLs are relative to.
    pub(super) fn new(resolver: Resolver, params: &'a Params) -> References<'a> {
        References {
            params,
            resolver,
            link: None,
            scripts: Vec::new(),
            signs: Signs::default(),
            signals: Collector::default(),
        }
    }

    /// True while the text of a link is being read.
    pub(super) fn in_link(&self) -> bool {
        self.link.is_some()
    }

    /// Reads the attributes of an element, before which there are `at` tags.
    pub(super) fn take(&mut self, role: Role, attributes: &Attributes<'_, '_, 'a>, at: u32, page: &mut Page) {
        match role {
            Role::Anchor => {
                self.end_link(page);
                self.signals_of_anchor(attributes);
                if self.add_link(ANCHOR, attributes, at, page) {
                    self.open_link(false, page);
                }
            }
            Role::Choice => {
                self.end_link(page);
                // A value that has no sign of a URL is only the code of a choice.
                let is_url = attributes.get("value").is_some_and(|value| value.contains(['/', '.', '?']));
                if is_url && self.add_link(CHOICE, attributes, at, page) {
                    self.open_link(true, page);
                }
            }
            Role::Custom => {
                if self.add_link(CUSTOM, attributes, at, page)
                    && let Some(link) = page.links.last_mut()
                {
                    LANG_HREF.clone_into(&mut link.rel);
                }
            }
            Role::Area => _ = self.add_link(AREA, attributes, at, page),
            Role::Link => {
                self.relations(attributes);
                if leads_to_page(attributes) {
                    self.add_link(HEAD, attributes, at, page);
                }
            }
            Role::Frame => _ = self.add_link(FRAME, attributes, at, page),
            Role::Image => self.image(attributes, page),
            Role::Base => {
                if let Some(href) = attributes.get("href") {
                    self.resolver.rebase(&href);
                }
            }
            Role::Input => {
                let is_password = |kind: &str| kind.trim().eq_ignore_ascii_case("password");
                self.signs.asks_password |= attributes.get("type").is_some_and(|kind| is_password(&kind));
            }
            Role::Meta => {
                self.refresh(attributes);
                self.own_url(attributes, at, page);
                if let Some(content) = attributes.get("content") {
                    let is = |value: &str| META_LANGUAGES.iter().any(|key| value.trim().eq_ignore_ascii_case(key));
                    let names: Vec<_> = META_NAMES.iter().filter_map(|name| attributes.get(name)).collect();
                    names.iter().for_each(|name| self.signals.meta(name, &content));
                    if names.iter().any(|name| is(name)) {
                        declare(&mut page.declared, &content);
                    }
                }
            }
            Role::Root => {
                let lang = attributes.get("lang").or_else(|| attributes.get("xml:lang"));
                let lang = lang.unwrap_or_default();
                declare(&mut page.declared, &lang);
                self.signals.root(&attributes.get("class").unwrap_or_default(), &lang);
                self.scripts.extend(attributes.get("onload").filter(|code| code.len() <= MAX_SCRIPT_BYTES));
            }
            Role::Font => self.signals.font(&attributes.get("style").unwrap_or_default()),
            Role::Plain | Role::Svg | Role::Template | Role::Reading => {}
        }
    }

    /// The signs that the page has no text of its own. `own_bytes` is the amount of its text outside links.
    pub(super) fn into_signs(mut self, own_bytes: usize) -> Signs {
        if self.params.stubs.is_bare(own_bytes) {
            let scripts = std::mem::take(&mut self.scripts);
            let scripts: Vec<&str> = scripts.iter().map(Cow::as_ref).collect();
            self.signs.script = scripts::targets(&scripts).into_iter().find_map(|url| self.absolute(url));
        }
        self.signs
    }

    /// Reads what a link says of the page besides where it leads.
    fn relations(&mut self, attributes: &Attributes<'_, '_, '_>) {
        if let Some(rel) = attributes.get("rel").filter(|rel| signals::are_told(rel))
            && let Some(url) = attributes.get("href").and_then(|href| self.absolute(&href))
        {
            let language = attributes.get("hreflang").and_then(|tag| Lang::parse(&tag));
            self.signals.rel(&rel, &url, language);
        }
    }

    fn signals_of_anchor(&mut self, attributes: &Attributes<'_, '_, '_>) {
        // Most links have a target and nothing else.
        if attributes.count() > 1 {
            self.relations(attributes);
            let (on_click, href) = (attributes.get("onclick"), attributes.get("href"));
            self.signals.anchor(on_click.as_deref(), href.as_deref().unwrap_or("").trim());
        }
    }

    /// Adds the text of a script.
    pub(super) fn script(&mut self, script: &'a str) {
        self.signals.script(script);
        if script.len() <= MAX_SCRIPT_BYTES {
            self.scripts.push(Cow::Borrowed(script));
        }
    }

    /// Adds the URL that `<meta property="og:url">` names as that of the page.
    fn own_url(&mut self, attributes: &Attributes<'_, '_, '_>, at: u32, page: &mut Page) {
        let is_url = |name: &str| name.trim().eq_ignore_ascii_case(OG_URL);
        if page.links.len() < self.params.max_links as usize
            && attributes.get("property").is_some_and(|name| is_url(&name))
            && let Some(url) = attributes.get("content").and_then(|url| self.absolute(&url))
        {
            page.links.push(Link { url, rel: OG_URL.to_owned(), kind: LinkKind::Own, at, ..Link::default() });
        }
    }

    /// Reads `<meta http-equiv=refresh>`: seconds, and a URL (HTML standard, §4.2.5.3).
    fn refresh(&mut self, attributes: &Attributes<'_, '_, '_>) {
        let is_refresh = |name: &str| name.trim().eq_ignore_ascii_case("refresh");
        if self.signs.refresh.is_some() || !attributes.get("http-equiv").is_some_and(|name| is_refresh(&name)) {
            return;
        }
        let Some(content) = attributes.get("content") else { return };
        let content = content.trim_start();
        let number = content.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(content.len());
        let Ok(seconds) = content[..number].parse() else { return };
        let rest = content[number..].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | ','));
        let url = rest
            .get(..3)
            .filter(|word| word.eq_ignore_ascii_case("url"))
            .and_then(|_| rest[3..].trim_start().strip_prefix('='));
        let url = url.unwrap_or(rest).trim();
        let quoted = |quote: char| Some(url.strip_prefix(quote)?.split(quote).next().unwrap_or(""));
        let url = quoted('"').or_else(|| quoted('\'')).unwrap_or(url);
        self.signs.refresh = self.absolute(url).map(|url| (seconds, url));
    }

    /// Lets the text that follows be the anchor of the last link.
    fn open_link(&mut self, is_choice: bool, page: &Page) {
        let link = page.links.len() - 1;
        self.link = Some(OpenLink { link, start: page.text.len(), alt: String::new(), is_choice });
    }

    /// Gives the open link, if there is one, its text.
    pub(super) fn end_link(&mut self, page: &mut Page) {
        let Some(open) = self.link.take() else { return };
        if open.is_choice && named(page.text[open.start..].trim()).is_none() {
            page.links.remove(open.link);
            return;
        }
        let text = page.text[open.start..].trim();
        let text = if text.is_empty() { &open.alt } else { text };
        let text = fold::head(text, self.params.max_anchor_bytes as usize);
        let lines = memchr(b'\n', text.as_bytes()).is_some();
        page.links[open.link].anchor = if lines { text.replace('\n', " ") } else { text.to_owned() };
    }

    /// Adds a link. False if the element has no URL that can be used, or the page has enough links.
    fn add_link(&mut self, element: Element, attributes: &Attributes<'_, '_, '_>, at: u32, page: &mut Page) -> bool {
        if page.links.len() >= self.params.max_links as usize {
            return false;
        }
        let Some(url) = attributes.get(element.target).and_then(|href| self.absolute(&href)) else { return false };
        let rel = attributes.get("rel").map(|rel| short(&rel, self.params).to_ascii_lowercase()).unwrap_or_default();
        let hreflang = attributes.get("hreflang").and_then(|tag| Lang::parse(&tag)).filter(|lang| lang.is_known());
        let title = element.title.and_then(|name| attributes.get(name));
        let anchor = title.map(|title| short(&title, self.params)).unwrap_or_default();
        page.links.push(Link { url, anchor, rel, hreflang, kind: element.kind, at });
        true
    }

    fn absolute(&mut self, href: &str) -> Option<String> {
        let max = self.params.max_url_bytes as usize;
        if href.len() > max {
            return None;
        }
        self.resolver.resolve(href).filter(|url| url.len() <= max)
    }

    fn image(&mut self, attributes: &Attributes<'_, '_, '_>, page: &mut Page) {
        let alt = attributes.get("alt").map(|alt| short(&alt, self.params)).unwrap_or_default();
        if let Some(open) = &mut self.link
            && !alt.is_empty()
        {
            open.alt.clone_from(&alt);
        }
        if page.images.len() < self.params.max_links as usize
            && let Some(url) = attributes.get("src").and_then(|src| self.absolute(&src))
        {
            page.images.push(Image { url, alt });
        }
    }
}

fn short(raw: &str, params: &Params) -> String {
    let mut text = fold::folded(raw);
    text.truncate(fold::head(&text, params.max_anchor_bytes as usize).len());
    text
}

/// True for `<link>` elements that lead to a page, and not to a style sheet, an icon or a feed.
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
    fn choices_that_are_named_after_languages_are_links() {
        let html = "<form><select><option value=/fr/a>Français<option value='de.html'>Deutsch</option>\
            <option value=/b>Books</option><option value=en selected>English</option></select> text</form><a href=c>d</a>";
        let expected = [
            link("http://ex.org/fr/a", "Français"),
            link("http://ex.org/a/de.html", "Deutsch"),
            link("http://ex.org/a/c", "d"),
        ];
        assert_eq!(links(html), expected);
    }

    #[test]
    fn elements_of_a_design_system_name_the_page_in_the_other_language() {
        let page = page("<x-header lang-href='/fr/a'><a href=b>c</a></x-header><x-header lang-href=''><p lang-href=d>");
        let links: Vec<_> = page.links.iter().map(|l| (l.url.as_str(), l.anchor.as_str(), l.rel.as_str())).collect();
        assert_eq!(links, [("http://ex.org/fr/a", "", LANG_HREF), ("http://ex.org/a/b", "c", "")]);
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
