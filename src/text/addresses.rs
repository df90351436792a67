//! The ways to write the address of one page.
//!
//! A server gives the same page with `www.` and without; for a folder with a `/` at the end, without it, and with the name of its index;
//! and often for a file with `.html` and without. Links and declarations may use one way where the archive has another.

/// Names of a folder's index, without their extension.
const INDEXES: &[&str] = &["index", "default"];
/// Extensions that they may have; `index` may also stand alone.
const INDEX_ENDS: &[&str] = &["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cfm"];
/// Extensions of files that may be left out.
const FILE_ENDS: &[&str] = &[".html", ".htm"];

/// What all ways to write an address (without its scheme) have in common: first the host and path, without a leading `www.`, the name of an
/// index, and a `/` or `.html` at the end; second the query.
pub fn stem(identity: &str) -> (&str, &str) {
    let (path, query) = identity.split_at(identity.find('?').unwrap_or(identity.len()));
    let path = path.strip_prefix("www.").unwrap_or(path);
    let Some(slash) = path.rfind('/') else { return (path, query) };
    let file = &path[slash + 1..];
    let ends = |end: &&str| {
        let start = path.len().checked_sub(end.len())?;
        path.get(start..).filter(|found| start > slash + 1 && found.eq_ignore_ascii_case(end)).map(|_| start)
    };
    let end = if is_index(file) { slash } else { FILE_ENDS.iter().find_map(ends).unwrap_or(path.len()) };
    (&path[..end], query)
}

/// True where two addresses, without their schemes, are two ways to write one address.
pub fn is_same(a: &str, b: &str) -> bool {
    stem(a) == stem(b)
}

/// How usual a way to write an address is, from 0, the most usual: a folder with its `/`, a folder with its index, a name without an
/// extension, a file.
pub fn form(identity: &str) -> u8 {
    let path = identity.split('?').next().unwrap_or(identity);
    match path.rsplit_once('/') {
        Some((_, "")) => 0,
        Some((_, file)) if is_index(file) => 1,
        _ if stem(identity).0.len() == path.strip_prefix("www.").unwrap_or(path).len() => 2,
        _ => 3,
    }
}

/// True for the file name of a folder's index, and for an empty one.
fn is_index(file: &str) -> bool {
    let is_any = |names: &[&str], name: &str| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    match file.split_once('.') {
        Some((name, end)) => is_any(INDEXES, name) && is_any(INDEX_ENDS, end),
        None => file.is_empty() || file.eq_ignore_ascii_case(INDEXES[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_in_many_ways() {
        let ways = ["ex.org/a", "www.ex.org/a", "ex.org/a/", "ex.org/a.html", "ex.org/a.HTM"];
        let indexes = ["ex.org/a/index.html", "ex.org/a/Default.aspx", "www.ex.org/a/index", "ex.org/a/index.php"];
        for way in ways.into_iter().chain(indexes) {
            assert_eq!(stem(way), ("ex.org/a", ""), "{way}");
        }
        for way in ["ex.org", "ex.org/", "www.ex.org/index.htm"] {
            assert_eq!(stem(way), ("ex.org", ""), "{way}");
        }
        assert_eq!(stem("ex.org/index.php?id=3&a=b/"), ("ex.org", "?id=3&a=b/"));
    }

    #[test]
    fn other_pages_are_written_otherwise() {
        for other in [
            "ex.org/b",
            "ex.org/a.fr.html",
            "ex.org/a.php",
            "ex.org/a?b",
            "ex.org/A",
            "fr.ex.org/a",
            "ex.org/a//",
            "ex.org/a/default",
            "ex.org/a/index.fr.html",
            "ex.org/a/.html",
        ] {
            assert!(!is_same("ex.org/a", other), "{other}");
        }
    }

    #[test]
    fn folders_are_the_most_usual_form() {
        let forms = ["ex.org/a/?q", "ex.org/a/index.html", "www.ex.org/a", "ex.org/a.html"].map(form);
        assert_eq!(forms, [0, 1, 2, 3]);
    }
}
