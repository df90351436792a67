//! Scripts that go to another page at once.

use memchr::memmem;

/// What may stand before `location`, with a dot between.
const OWNERS: &[&str] = &["window", "document", "self", "top", "parent", "this"];
/// Calls that take the URL to go to.
const CALLS: &[&str] = &[".replace", ".assign"];

/// The URL that a script gives to `location`, as it is written there; `None` where that is no text, or there is none.
pub fn target(script: &str) -> Option<&str> {
    let mut at = 0;
    while let Some(found) = memmem::find(&script.as_bytes()[at..], b"location") {
        let (start, end) = (at + found, at + found + "location".len());
        if is_of_the_page(&script[..start])
            && let Some(url) = given(&script[end..])
        {
            return Some(url);
        }
        at = end;
    }
    None
}

/// True where `location` behind this is that of the page, not a part of another name.
fn is_of_the_page(before: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    match before.strip_suffix('.') {
        Some(owner) => {
            let name = owner.rfind(|c| !is_name(c)).map_or(owner, |at| owner[at..].trim_start_matches(|c| !is_name(c)));
            OWNERS.contains(&name)
        }
        None => !before.ends_with(|c| is_name(c) || c == '-'),
    }
}

/// The text that is given to it by what follows.
fn given(after: &str) -> Option<&str> {
    let call = CALLS.iter().find_map(|call| after.strip_prefix(call)?.trim_start().strip_prefix('('));
    let value = call.or_else(|| {
        let after = after.strip_prefix(".href").unwrap_or(after).trim_start();
        after.strip_prefix('=').filter(|value| !value.starts_with('='))
    });
    let value = value?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    value[1..].split_once(quote).map(|(url, _)| url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_is_the_text_that_location_is_given() {
        for (script, expected) in [
            ("window.location.href = \"/a\"", Some("/a")),
            ("var x = location.href; location.replace('b' + x)", Some("b")),
            ("window.top.location='c'", Some("c")),
            ("x.location = 'c'", None),
            ("é.location = 'c'; location=d", None),
            ("location =", None),
            ("'geolocation=\"c\"'", None),
        ] {
            assert_eq!(target(script), expected, "{script}");
        }
    }
}
