//! Filters that templates apply to texts.

use std::fmt::Display;

use askama::filters::{Html, Safe, escape};

/// A URL or path that may be broken after its slashes, escaped.
#[askama::filter_fn]
pub fn slashes<T: Display>(text: T, _: &dyn askama::Values) -> askama::Result<Safe<String>> {
    let escaped = escape(text, Html)?.to_string();
    Ok(Safe(escaped.replace('/', "/<wbr>").replace("/<wbr>/<wbr>", "//")))
}

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::super::filters;

    #[derive(Template)]
    #[template(source = "{{ url|slashes }}", ext = "html")]
    struct Line {
        url: &'static str,
    }

    #[test]
    fn urls_break_at_slashes_and_stay_escaped() {
        let shown = |url| Line { url }.render().expect("a line");
        assert_eq!(shown("http://a.org/b/?q=<b>&x"), "http://a.org/<wbr>b/<wbr>?q=&#60;b&#62;&#38;x");
    }
}
