//! Turns the links of saved pages, which name files, back into the URLs from which the files came.

use lol_html::html_content::Element;
use lol_html::{AsciiCompatibleEncoding, HtmlRewriter, MemorySettings, Settings, element};

use crate::text::percent_decoded;

/// Attributes that hold a URL.
const ATTRIBUTES: &[&str] = &["href", "src", "action", "data", "longdesc", "background"];
/// Memory limit of the rewriter: the longest tag, and some room.
const MAX_MEMORY_BYTES: usize = 32 << 20;

/// Where a link leads that names a file: the URL of the file, given its path, the path as it is escaped in the link, and the query behind it.
type Linked<'l> = dyn Fn(&str, &str, &str) -> Option<String> + 'l;

/// Replaces links to files by the URLs that `linked` gives for them, in the page saved as `local`. Everything else stays as it is, byte for
/// byte; so does a page that the rewriter cannot process.
pub(super) fn restore(page: &[u8], local: &str, linked: &Linked<'_>) -> Vec<u8> {
    let mut restored = Vec::with_capacity(page.len() + page.len() / 8);
    let rewrite = |element: &mut Element<'_, '_>| {
        for name in ATTRIBUTES {
            if let Some(value) = element.get_attribute(name)
                && let Some(url) = url_of(&value, local, linked)
            {
                element.set_attribute(name, &url)?;
            }
        }
        Ok(())
    };
    // In this charset every byte is a character, so pages in any charset that contains ASCII pass through unchanged.
    let charset = AsciiCompatibleEncoding::new(encoding_rs::WINDOWS_1252);
    let settings = Settings::new()
        .append_element_content_handler(element!("*", rewrite))
        .with_encoding(charset.unwrap_or_else(AsciiCompatibleEncoding::utf_8))
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MAX_MEMORY_BYTES))
        .with_strict(false);
    let mut rewriter = HtmlRewriter::new(settings, |bytes: &[u8]| restored.extend_from_slice(bytes));
    let written = page.chunks(64 << 10).try_for_each(|chunk| rewriter.write(chunk));
    match written.and_then(|()| rewriter.end()) {
        Ok(()) => restored,
        Err(_) => page.to_vec(),
    }
}

/// The URL for which a link in the page saved as `local` stood before it named a file, escaped for an attribute.
fn url_of(link: &str, local: &str, linked: &Linked<'_>) -> Option<String> {
    let link = htmlize::unescape_attribute(link.trim());
    let (rest, fragment) = link.find('#').map_or((&*link, ""), |at| link.split_at(at));
    let (path, query) = rest.find('?').map_or((rest, ""), |at| rest.split_at(at));
    let has_scheme = path.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    if path.is_empty() || path.starts_with('/') || has_scheme {
        return None;
    }
    let folder = local.rsplit_once('/').map_or("", |(folder, _)| folder);
    let file = join(folder, path)?;
    let decoded = percent_decoded(&file);
    if !fragment.is_empty() && local.strip_prefix(&*decoded).is_some_and(|rest| rest == query) {
        // A link within the page.
        return Some(escaped("", fragment));
    }
    linked(&decoded, &file, query).map(|url| escaped(&url, fragment))
}

/// `path` as seen from `folder`, both below the mirror's root; `None` where it leads out of it.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    // A link to a folder keeps its slash.
    let ending = if path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    Some(parts.join("/") + ending)
}

/// A URL for an attribute of a page in any charset: ASCII only, ampersands and quotes as entities.
fn escaped(url: &str, fragment: &str) -> String {
    let mut text = String::with_capacity(url.len() + fragment.len() + 8);
    // The fragment of the link replaces the URL's own fragment.
    let url = if fragment.is_empty() { url } else { url.split('#').next().unwrap_or(url) };
    for character in url.chars().chain(fragment.chars()) {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("%3C"),
            ' ' => text.push_str("%20"),
            '"' => text.push_str("%22"),
            character if character.is_ascii() => text.push(character),
            character => {
                for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                    text.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(page: &str) -> String {
        let linked = |file: &str, escaped: &str, query: &str| {
            let url = match (file, escaped) {
                ("ex.org/d/view1234.html", _) => "http://ex.org/d/view.php?a=1&b=2",
                ("ex.org/index.html", _) => "http://ex.org/",
                ("fr.ex.org/é t.html", "fr.ex.org/%c3%a9%20t.html") => "http://fr.ex.org/é t",
                ("external.html", _) => query.strip_prefix("?link=")?,
                _ => return None,
            };
            Some(url.to_owned())
        };
        String::from_utf8(restore(page.as_bytes(), "ex.org/d/x.html", &linked)).expect("text")
    }

    #[test]
    fn links_to_saved_files_become_urls() {
        for (link, url) in [
            ("view1234.html?a=1&amp;b=2#top", "http://ex.org/d/view.php?a=1&amp;b=2#top"),
            ("../index.html", "http://ex.org/"),
            ("../../fr.ex.org/%c3%a9%20t.html", "http://fr.ex.org/%C3%A9%20t"),
            ("x.html#top", "#top"),
            ("../../external.html?link=http://else.org/", "http://else.org/"),
        ] {
            assert_eq!(
                restored(&format!("<a href=\"{link}\" class=x>y</a>")),
                format!("<a href=\"{url}\" class=x>y</a>")
            );
        }
    }

    #[test]
    fn a_link_to_a_folder_keeps_its_slash() {
        for (folder, path, joined) in [
            ("ex.org/d", "e/", "ex.org/d/e/"),
            ("ex.org/d", "e", "ex.org/d/e"),
            ("ex.org/d", "../", "ex.org/"),
            ("ex.org/d", "..", "ex.org"),
            ("ex.org/d", "./", "ex.org/d/"),
            ("ex.org/d", "e//", "ex.org/d/e/"),
            ("ex.org", "../", ""),
        ] {
            assert_eq!(join(folder, path).as_deref(), Some(joined), "{folder} {path}");
        }
        assert_eq!(join("ex.org", "../../"), None);
    }

    #[test]
    fn other_links_and_other_bytes_stay() {
        for page in [
            "<a href='http://else.org/view1234.html'>",
            "<a href='#top'><a href=''><a href='gone.html'><a href='/index.html'>",
            "<a href='../../../x'><A HREF=mailto:x@y><img src = 'data:x' >é",
            "<p title=\"../index.html\">view1234.html<!-- <a href='../index.html'> -->",
        ] {
            assert_eq!(restored(page), page);
        }
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(restore(&bytes, "ex.org/x", &|_, _, _| None), bytes);
    }
}
