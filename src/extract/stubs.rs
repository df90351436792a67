//! Recognises pages without a text of their own: pages that lead to another page, that say that a page does not exist, or that ask the
//! reader to log in.
//!
//! A page is recognised by what it does (a refresh, a script that goes to another page, a field for a password), or by its title or first
//! heading. In any case it must have little text outside its links: an article about the error 404 is a page.

use super::params::StubParams;
use super::read::Read;
use super::stub_words::{FILLERS, MUST_LOG_IN, NOT_FOUND, REDIRECTING, REDIRECTING_ALONE};
use crate::text::bare;
use crate::types::{CanonicalUrl, SkipReason, tag_name};

/// Signs that separate the parts of a title.
const TITLE_BREAKS: &[char] = &['|', '–', '—', '·', '•', '»', '«', ':', '：', '!', '！', '.', '。', ','];

/// Why a capture is not a page, and what was found; `None` for a page with a text of its own.
pub fn reason(read: &Read, url: &CanonicalUrl, params: &StubParams) -> Option<(SkipReason, String)> {
    let own = read.own_bytes();
    if own > params.max_own_bytes as usize {
        return None;
    }
    let leads = |to: &str| CanonicalUrl::parse(to).is_ok_and(|to| to.identity() != url.identity());
    if let Some((seconds, to)) = &read.signs.refresh
        && *seconds <= f64::from(params.max_refresh_seconds)
        && leads(to)
    {
        return Some((SkipReason::Redirect, format!("refresh after {seconds} s to {to}")));
    }
    let is_bare = params.is_bare(own);
    if let Some(to) = read.signs.script.as_ref().filter(|to| is_bare && leads(to)) {
        return Some((SkipReason::Redirect, format!("a script goes to {to}")));
    }
    for heading in headings(read) {
        if is_bare && is_redirecting(&heading) {
            return Some((SkipReason::Redirect, format!("headed {heading:?}")));
        }
        if parts(&heading).any(says_not_found) {
            return Some((SkipReason::NotFound, format!("headed {heading:?}")));
        }
    }
    if is_bare
        && (read.signs.asks_password || MUST_LOG_IN.iter().any(|words| read.page.text.to_lowercase().contains(words)))
    {
        let detail =
            if read.signs.asks_password { "a field for a password" } else { "only those who have logged in see it" };
        return Some((SkipReason::LogIn, format!("{detail}, and {own} bytes of text outside links")));
    }
    None
}

/// The title and the first heading, in lower case.
fn headings(read: &Read) -> impl Iterator<Item = String> {
    let page = &read.page;
    let first = page.blocks.iter().find(|block| matches!(tag_name(block.tag), "h1" | "h2"));
    let heading = first.and_then(|block| page.text.get(block.start as usize..block.end as usize));
    [Some(page.title.as_str()), heading].into_iter().flatten().map(str::to_lowercase)
}

/// The whole heading, and its parts between [`TITLE_BREAKS`].
fn parts(heading: &str) -> impl Iterator<Item = &str> {
    let between = heading.split(TITLE_BREAKS).flat_map(|part| part.split(" - "));
    std::iter::once(heading).chain(between)
}

fn says_not_found(part: &str) -> bool {
    // Chinese has no spaces around a number.
    let spaced = part.replace("404", " 404 ");
    let words: Vec<&str> = spaced.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let rest: Vec<&str> = words.iter().copied().filter(|word| !FILLERS.contains(word)).collect();
    let is_number = rest.is_empty() && words.contains(&"404");
    is_number || NOT_FOUND.contains(&rest.join(" ").as_str()) || NOT_FOUND.contains(&words.join(" ").as_str())
}

fn is_redirecting(heading: &str) -> bool {
    let heading = bare(heading);
    REDIRECTING_ALONE.contains(&heading) || REDIRECTING.iter().any(|words| heading.starts_with(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Params, extract};
    use crate::types::Capture;

    const URL: &str = "http://ex.org/a/b.html";

    fn reason_of(html: &str) -> Option<SkipReason> {
        let url = CanonicalUrl::parse(URL).expect("a sound URL");
        let capture = Capture { url: URL.to_owned(), body: html.as_bytes().to_vec(), ..Capture::default() };
        extract(&capture, &url, &Params { min_text_bytes: 0, ..Params::default() }).err().map(|(reason, _)| reason)
    }

    fn prose(bytes: usize) -> String {
        "some words of a text ".chars().cycle().take(bytes).collect()
    }

    #[test]
    fn a_page_that_is_refreshed_by_another_one_at_once_is_none() {
        for content in [
            "0; url=c.html",
            "0;URL='c.html'",
            "0;c.html",
            "0,url=&quot;/x&quot;",
            " 1.5 ; Url = http://other.org/",
            "5 url=c.html",
        ] {
            let html = format!("<meta http-equiv=Refresh content=\"{content}\"><p>{}", prose(300));
            assert_eq!(reason_of(&html), Some(SkipReason::Redirect), "{content}");
        }
        for content in
            ["0", "30; url=c.html", "0; url=b.html#x", "0;url=", "0; url=https://ex.org/a/b.html", "url=c.html"]
        {
            let html = format!("<meta http-equiv=refresh content=\"{content}\"><p>{}", prose(300));
            assert_eq!(reason_of(&html), None, "{content}");
        }
        let refresh = "<meta http-equiv=refresh content=\"0; url=c.html\">";
        assert_eq!(reason_of(&format!("{refresh}<p>{}", prose(3000))), None, "a text of its own");
        assert_eq!(reason_of(&format!("<noscript>{refresh}</noscript><p>{}", prose(300))), None, "without scripts");
        assert_eq!(reason_of(&format!("<!-- {refresh} --><p>{}", prose(300))), None, "a comment");
    }

    #[test]
    fn a_page_whose_script_goes_elsewhere_is_none() {
        for (script, expected) in [
            ("window.location = \"c.html\";", true),
            ("location.href='/x'", true),
            ("if (a) { top.location.replace(`http://other.org/`) }", true),
            ("document.location.assign( 'c' + location.search )", true),
            ("x = location.href", false),
            ("if (location == 'c.html') f()", false),
            ("my.location = 'c.html'", false),
            ("myLocation='c.html'", false),
            ("location = 'b.html'", false),
            ("location.hash = 'c'", false),
            ("function go() { location = 'c.html' }", false),
            ("function go() { location = 'c.html' } go()", true),
            ("button.onclick = () => { location = 'c.html' }", false),
            ("// location = 'c.html'", false),
        ] {
            let page = |bytes| reason_of(&format!("<script>{script}</script><p>{}", prose(bytes)));
            assert_eq!(page(150).is_some(), expected, "{script}");
            assert_eq!(page(900), None, "{script}");
        }
        let body =
            |onload| format!("<body onload=\"{onload}\"><p>x<script>function go(){{location='c.html'}}</script>");
        let reasons = ["go()", "location = 'c.html'", "stay()"].map(|onload| reason_of(&body(onload)));
        assert_eq!(reasons, [Some(SkipReason::Redirect), Some(SkipReason::Redirect), None]);
    }

    #[test]
    fn a_page_that_says_that_a_page_is_not_there_is_none() {
        for title in [
            "404",
            "Page not found | Ex",
            "Error 404 - Not Found",
            "Oops! That page can’t be found.",
            "404错误",
            "Ошибка 404: страница не найдена",
        ] {
            let page = |bytes| reason_of(&format!("<title>{title}</title><p>{}", prose(bytes)));
            assert_eq!(page(200), Some(SkipReason::NotFound), "{title}");
            assert_eq!(page(2000), None, "{title}");
        }
        assert_eq!(reason_of("<title>Ex</title><h1>Seite nicht gefunden</h1><p>x"), Some(SkipReason::NotFound));
        for title in ["Room 404", "Handling 404 errors", "Lost and not found", "Not found in translation"] {
            assert_eq!(reason_of(&format!("<title>{title}</title><p>{}", prose(200))), None, "{title}");
        }
    }

    #[test]
    fn pages_that_announce_another_one_or_ask_who_one_is_are_none() {
        let link = "<a href=c.html>".to_owned() + &prose(300) + "</a>";
        assert_eq!(reason_of(&format!("<title>Redirecting to: /c</title>{link}")), Some(SkipReason::Redirect));
        assert_eq!(reason_of(&format!("<title>Redirecting…</title>{link}")), Some(SkipReason::Redirect));
        assert_eq!(reason_of(&format!("<title>Redirecting output</title>{link}")), None);
        assert_eq!(reason_of(&format!("<p>Name<input><input type=password>{link}")), Some(SkipReason::LogIn));
        assert_eq!(reason_of(&format!("<p>You must be logged in to see it.{link}")), Some(SkipReason::LogIn));
        assert_eq!(reason_of(&format!("<p>{}<input type=password>", prose(900))), None, "a page with a form");
    }
}
