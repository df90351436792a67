//! Old addresses → new ones, in gold and inside the pages.

use std::collections::{BTreeMap, BTreeSet};

use diglot::types::CanonicalUrl;
use lol_html::html_content::Element;
use lol_html::{AsciiCompatibleEncoding, HtmlRewriter, MemorySettings, Settings, element};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Result;

/// Attributes that hold an address.
const ATTRIBUTES: &[&str] = &["href", "src", "action", "data", "longdesc", "background"];
/// What the rewriter may hold: the longest tag, with room.
const MAX_MEMORY_BYTES: usize = 32 << 20;

/// Where the pages of the new site lie.
///
/// Whatever else lies on the hosts of the old one (pictures, styles, pages that are left out or were never there) gets
/// an opaque address, `/x/HASH.EXT`, so that no address tells what it was. Other hosts stay as they are.
pub struct Moves {
    host: String,
    seed: u64,
    old_hosts: BTreeSet<String>,
    /// New paths by old identities.
    paths: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

impl Moves {
    /// No page yet.
    pub fn new(host: String, old_hosts: BTreeSet<String>, seed: u64) -> Moves {
        Moves { host, seed, old_hosts, paths: BTreeMap::new(), used: BTreeSet::new() }
    }

    /// Gives a page of the old site a path on the new one. A path is given once, and a page has one.
    pub fn add(&mut self, identity: &str, path: String) -> Result<()> {
        if let Some(before) = self.paths.get(identity) {
            return Err(format!("{identity} was to move twice, first to {before}").into());
        }
        if !self.used.insert(path.clone()) {
            return Err(format!("two pages were to be {path}; try another --seed").into());
        }
        self.paths.insert(identity.to_owned(), path);
        Ok(())
    }

    /// The new address of a page; `None` where the new site does not have it.
    pub fn page(&self, identity: &str) -> Option<String> {
        self.paths.get(identity).map(|path| format!("http://{}{path}", self.host))
    }

    /// A number of a text that tells nothing of it, in hexadecimal.
    pub fn opaque(&self, text: &str) -> String {
        format!("{:012x}", xxh3_64_with_seed(text.as_bytes(), self.seed) >> 16)
    }

    /// A page with its links turned to where their targets are now. Whatever is no address stays, byte for byte.
    pub fn rewrite(&self, url: &CanonicalUrl, body: &[u8]) -> Result<Vec<u8>> {
        let mut base = Url::parse(url.as_str())?;
        let mut written = Vec::with_capacity(body.len() + body.len() / 8);
        let rewrite = |element: &mut Element<'_, '_>| {
            let is_base = element.tag_name() == "base";
            for name in ATTRIBUTES {
                let Some(value) = element.get_attribute(name) else { continue };
                if is_base {
                    // Links are written from the root, so the pages' base would only name the old site.
                    base = base.join(&htmlize::unescape_attribute(value.trim())).unwrap_or(base.clone());
                    element.remove_attribute(name);
                } else if let Some(address) = self.link(&base, &value) {
                    element.set_attribute(name, &address)?;
                }
            }
            let refreshes = element.tag_name() == "meta"
                && element.get_attribute("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
            if refreshes
                && let Some(content) = element.get_attribute("content")
                && let Some((delay, address)) = content.split_once('=')
                && let Some(address) = self.link(&base, address.trim_matches(|c| " '\"".contains(c)))
            {
                element.set_attribute("content", &format!("{delay}={address}"))?;
            }
            Ok(())
        };
        // Every byte is a character of this charset, so pages in any other that keeps ASCII pass through unchanged.
        let charset = AsciiCompatibleEncoding::new(encoding_rs::WINDOWS_1252).ok_or("windows-1252 keeps ASCII")?;
        let settings = Settings::new()
            .append_element_content_handler(element!("*", rewrite))
            .with_encoding(charset)
            .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MAX_MEMORY_BYTES))
            .with_strict(false);
        let mut rewriter = HtmlRewriter::new(settings, |bytes: &[u8]| written.extend_from_slice(bytes));
        rewriter.write(body).map_err(|error| format!("{}: {error}", url.as_str()))?;
        rewriter.end().map_err(|error| format!("{}: {error}", url.as_str()))?;
        Ok(written)
    }

    /// Where a link leads now, for an attribute; `None` where it stays as it is.
    fn link(&self, base: &Url, value: &str) -> Option<String> {
        let bytes = encoding_rs::WINDOWS_1252.encode(value).0;
        let value = String::from_utf8_lossy(&bytes);
        let value = htmlize::unescape_attribute(value.trim());
        if value.is_empty() || value.starts_with('#') {
            return None;
        }
        let target = base.join(&value).ok()?;
        let fragment = target.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
        let target = CanonicalUrl::from_url(target).ok()?;
        let address = match self.paths.get(target.identity()) {
            Some(path) => path.clone(),
            None if self.old_hosts.contains(target.host()) => {
                let path = target.rest().split(['?', '#']).next().unwrap_or_default();
                let extension = path.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(_, end)| end);
                let fits = |end: &&str| (1..=5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric());
                format!("/x/{}.{}", self.opaque(target.identity()), extension.filter(fits).unwrap_or("html"))
            }
            None => target.as_str().to_owned(),
        };
        Some(format!("{address}{fragment}").replace('&', "&amp;").replace('"', "&quot;"))
    }
}

#[cfg(test)]
mod tests {
    use diglot::types::CanonicalUrl;

    use super::Moves;

    #[test]
    fn links_lead_where_they_led() {
        let mut moves = Moves::new("new.site.test".into(), ["old.test".to_owned()].into(), 1);
        moves.add("old.test/en/b.html", "/p/1.html".into()).expect("a free path");
        moves.add("old.test/v?l=fr&id=2", "/p/2.html".into()).expect("a free path");
        assert!(moves.add("old.test/c", "/p/2.html".into()).is_err(), "two pages at one address");
        assert!(moves.add("old.test/en/b.html", "/p/3.html".into()).is_err(), "one page at two addresses");
        let url = CanonicalUrl::parse("http://old.test/en/a.html").expect("an address");
        let rewrite = |html: &[u8]| moves.rewrite(&url, html).expect("it can be written");
        let show = |html: &str| String::from_utf8(rewrite(html.as_bytes())).expect("UTF-8");
        assert_eq!(show("<a href='b.html#top' title='Ü'>"), r#"<a href="/p/1.html#top" title='Ü'>"#);
        assert_eq!(show("<a href=\"/v?l=fr&amp;id=2\">Ü</a>"), "<a href=\"/p/2.html\">Ü</a>");
        assert_eq!(show("<base href=\"/\"><a href=en/b.html>"), "<base><a href=\"/p/1.html\">");
        assert_eq!(show("<meta http-equiv=Refresh content='0; url=b.html'>"), {
            "<meta http-equiv=Refresh content=\"0; url=/p/1.html\">"
        });
        // Places on the page, other schemes and other hosts stay.
        for same in ["<a href=\"#top\">", "<a href=\"mailto:x@old.test\">", "<a href=\"http://else.test/en/b.html\">"] {
            assert_eq!(show(same), same);
        }
        // Pictures and missing pages get an address that tells nothing, the same from everywhere.
        let picture = show("<img src=pic.png>");
        assert!(picture.starts_with("<img src=\"/x/") && picture.ends_with(".png\">"), "{picture}");
        assert_eq!(show("<img src=\"http://old.test/en/pic.png\">"), picture);
        // Bytes that are no UTF-8 stay what they are.
        assert_eq!(
            rewrite(b"<p title=\"\xe9\x81\">\xa4\xa4<a href=b.html>"),
            b"<p title=\"\xe9\x81\">\xa4\xa4<a href=\"/p/1.html\">"
        );
    }
}
