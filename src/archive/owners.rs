//! Files in which the owner of a host says what may be done with its pages: `/robots.txt` ([RFC 9309](https://www.rfc-editor.org/rfc/rfc9309))
//! and `/.well-known/tdmrep.json` ([TDMRep](https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240202/)).
//!
//! These files are no pages. [`notes`] keeps the lines of such a file that matter, as the detail of a left-out capture, and [`Owner`] reads
//! these lines again. The crates that parse `robots.txt` have had no release for years, and one of them compiles patterns into regular
//! expressions; the code that is needed here is short.

use serde::Deserialize;
use serde_json::Value;

use crate::types::OptOuts;

/// The path of rules for crawlers.
const ROBOTS_TXT: &str = "/robots.txt";
/// The path of reservations of text and data mining.
const TDMREP: &str = "/.well-known/tdmrep.json";
/// Whatever comes after this many bytes is not read (RFC 9309, §2.5, requires that at least so much is read).
const MAX_BYTES: usize = 500 << 10;
/// The agent that stands for all.
pub const EVERY_AGENT: &str = "*";

/// True for the URL of such a file.
pub(super) fn is_of_owner(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').is_some_and(|at| matches!(&rest[at..], ROBOTS_TXT | TDMREP))
}

/// The lines of such a file that matter: first the date of its capture, then its rules, each on a line of its own.
pub(super) fn notes(url: &str, date_ms: i64, body: &[u8]) -> String {
    // A line that is cut would be another rule.
    let end = |cut: &[u8]| cut.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0);
    let body = if body.len() > MAX_BYTES { &body[..end(&body[..MAX_BYTES])] } else { body };
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}');
    let date = jiff::Timestamp::from_millisecond(date_ms).ok().filter(|_| date_ms != 0);
    let mut notes = date.map_or_else(String::new, |date| date.to_string());
    if url.ends_with(TDMREP) {
        reservations(text, &mut notes)
    } else {
        rules(text, &mut notes)
    }
    notes
}

fn rules(text: &str, notes: &mut String) {
    for line in text.split(['\r', '\n']) {
        let line = line.split('#').next().unwrap_or("");
        let Some((name, value)) = line.split_once(':') else { continue };
        let name = name.trim().to_ascii_lowercase();
        if ["user-agent", "allow", "disallow", "content-signal"].contains(&name.as_str()) {
            notes.push_str(&format!("\n{name}: {}", value.trim()));
        }
    }
}

/// One entry of a TDMRep file.
#[derive(Deserialize)]
struct Reservation {
    location: String,
    #[serde(rename = "tdm-reservation")]
    reservation: Value,
}

fn reservations(text: &str, notes: &mut String) {
    let entries = serde_json::from_str::<Vec<Value>>(text).unwrap_or_default();
    // An entry that makes no sense is left out; the others count.
    for Reservation { location, reservation } in
        entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok())
    {
        let is_reserved = reservation.as_i64() == Some(1) || reservation.as_str() == Some("1");
        let name = if is_reserved { "reserve" } else { "leave" };
        let location: String = location.chars().filter(|c| !c.is_control()).collect();
        notes.push_str(&format!("\n{name}: {location}"));
    }
}

/// A pattern of paths, and whether pages that it matches may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    pattern: String,
    is_free: bool,
}

/// What the owner of a host says of its pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    robots: Vec<Rule>,
    /// The rules for crawlers keep texts from training.
    is_signal: bool,
    reserved: Vec<Rule>,
}

impl Owner {
    /// Reads the notes on captures of the files of a host, each with its URL. Of several captures of a file the newest one counts. `agent`
    /// is the name of a crawler; if the host has rules for this crawler, they count instead of those for all.
    pub fn read<'n>(captures: impl Iterator<Item = (&'n str, &'n str)>, agent: &str) -> Owner {
        let (mut robots, mut tdmrep) = ("", "");
        for (url, notes) in captures {
            let newest = if url.ends_with(TDMREP) { &mut tdmrep } else { &mut robots };
            // Notes begin with the date, so the greatest ones are the newest. Of two captures of the same moment, the order of archives
            // does not decide.
            *newest = (*newest).max(notes);
        }
        let mut owner = Owner::default();
        owner.read_robots(robots, agent);
        owner.reserved = fields(tdmrep).filter_map(|(name, pattern)| Rule::new(pattern, name == "leave")).collect();
        owner
    }

    fn read_robots(&mut self, notes: &str, agent: &str) {
        let is_named = agent != EVERY_AGENT
            && fields(notes).any(|(name, value)| name == "user-agent" && product(value).eq_ignore_ascii_case(agent));
        let wanted = if is_named { agent } else { EVERY_AGENT };
        let (mut is_wanted, mut is_head) = (false, false);
        for (name, value) in fields(notes) {
            if name == "user-agent" {
                is_wanted = product(value).eq_ignore_ascii_case(wanted) || (is_head && is_wanted);
                is_head = true;
                continue;
            }
            is_head = false;
            match name {
                _ if !is_wanted => {}
                "content-signal" => self.is_signal |= value.split(',').any(is_no_training),
                _ => self.robots.extend(Rule::new(value, name == "allow")),
            }
        }
    }

    /// What the owner says of the page with this path (and query).
    pub fn opt_outs(&self, path: &str) -> OptOuts {
        let path = normal(path);
        let mut found = OptOuts::default();
        if self.is_signal {
            found = found | OptOuts::CONTENT_SIGNAL;
        }
        if !is_free(&self.robots, &path) {
            found = found | OptOuts::ROBOTS_TXT;
        }
        // Patterns are those of `robots.txt`, so they are weighed in the same way.
        if !is_free(&self.reserved, &path) {
            found = found | OptOuts::TDMREP;
        }
        found
    }
}

/// Name and value of each line behind the first.
fn fields(notes: &str) -> impl Iterator<Item = (&str, &str)> {
    notes.split('\n').skip(1).filter_map(|line| line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, ""))))
}

/// The name of a crawler without its version (RFC 9309, §2.2.1): `CCBot` of `CCBot/2.0`.
fn product(agent: &str) -> &str {
    agent.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '*')).next().unwrap_or("")
}

fn is_no_training(signal: &str) -> bool {
    let is = |(name, value): (&str, &str)| {
        name.trim().eq_ignore_ascii_case("ai-train") && value.trim().eq_ignore_ascii_case("no")
    };
    signal.split_once('=').is_some_and(is)
}

/// The longest pattern that fits decides; of equally long ones, the one that allows (RFC 9309, §2.2.2).
fn is_free(rules: &[Rule], path: &str) -> bool {
    let longest = rules.iter().filter(|rule| rule.fits(path)).max_by_key(|rule| (rule.pattern.len(), rule.is_free));
    longest.is_none_or(|rule| rule.is_free)
}

impl Rule {
    /// `None` for an empty pattern, which fits nothing.
    fn new(pattern: &str, is_free: bool) -> Option<Rule> {
        (!pattern.is_empty()).then(|| Rule { pattern: normal(pattern), is_free })
    }

    /// True when the pattern fits the beginning of a path, or the whole path where the pattern ends in `$`. `*` stands for any characters.
    fn fits(&self, path: &str) -> bool {
        let (pattern, is_whole) = match self.pattern.strip_suffix('$') {
            Some(pattern) => (pattern, true),
            None => (self.pattern.as_str(), false),
        };
        let mut parts = pattern.split('*').peekable();
        let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else { return false };
        if parts.peek().is_none() {
            return !is_whole || rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if is_whole && parts.peek().is_none() {
                return rest.ends_with(part);
            }
            // The part is taken at the earliest place where it fits, which leaves the most room for the parts that follow.
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        true
    }
}

/// A path in the form in which paths are compared (RFC 9309, §2.2.2): characters outside ASCII are escaped, and characters that need no
/// escaping are not.
fn normal(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        // A sign before a digit is no escape.
        let escaped = escaped.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                let is_plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
                if is_plain {
                    out.push(char::from(byte))
                } else {
                    out.push_str(&format!("%{byte:02X}"))
                }
                at += 3;
            }
            None => {
                if byte.is_ascii() {
                    out.push(char::from(byte))
                } else {
                    out.push_str(&format!("%{byte:02X}"))
                }
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owner(robots: &str, agent: &str) -> Owner {
        let notes = notes("http://ex.org/robots.txt", 1_714_979_289_000, robots.as_bytes());
        Owner::read([("ex.org/robots.txt", notes.as_str())].into_iter(), agent)
    }

    fn is_allowed(robots: &str, path: &str) -> bool {
        owner(robots, EVERY_AGENT).opt_outs(path).is_empty()
    }

    #[test]
    fn files_of_owners_are_known_by_their_paths() {
        for url in ["http://ex.org/robots.txt", "https://ex.org:8080/.well-known/tdmrep.json"] {
            assert!(is_of_owner(url), "{url}");
        }
        for url in ["http://ex.org/a/robots.txt", "http://ex.org/robots.txt?x", "http://robots.txt", "robots.txt"] {
            assert!(!is_of_owner(url), "{url}");
        }
    }

    #[test]
    fn the_longest_rule_that_fits_decides() {
        let robots = "\u{feff}User-agent: * # all\r\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c$\nDisallow: /*.pdf$\nDisallow: /x*y*z";
        for (path, allowed) in [
            ("/", true),
            ("/a", false),
            ("/ab", false),
            ("/a/b", true),
            ("/a/b/c", false),
            ("/a/b/c/d", true),
            ("/f.pdf", false),
            ("/f.pdf?x", true),
            ("/.pdf/.pdf", false),
            ("/x1y2z3", false),
            ("/x1z2y", true),
        ] {
            assert_eq!(is_allowed(robots, path), allowed, "{path}");
        }
        assert!(
            !is_allowed("User-agent: *\nDisallow: /*aa$", "/baaa"),
            "the last part may overlap where it first fits"
        );
        assert!(is_allowed("User-agent: *\nDisallow:\n", "/a"), "an empty rule forbids nothing");
        assert!(is_allowed("User-agent: *\nDisallow: /a\nAllow: /a", "/a"));
        assert!(is_allowed("", "/a") && is_allowed("Disallow: /", "/a"), "rules of no agent count for none");
        let cut = |line: &str| {
            let head = format!("User-agent: *\n#{}\n", " ".repeat(MAX_BYTES - 30));
            format!("{head}{line}{}", "x".repeat(40))
        };
        assert!(is_allowed(&cut("Disallow: /"), "/a"), "a rule of which only the beginning is read is none");
    }

    #[test]
    fn paths_are_compared_as_they_are_meant() {
        let robots = "User-agent: *\nDisallow: /caf\u{e9}\nDisallow: /%7Ejoe\nDisallow: /a%2fb";
        assert!(!is_allowed(robots, "/caf%c3%A9") && !is_allowed(robots, "/~joe/x") && !is_allowed(robots, "/a%2Fb"));
        assert!(is_allowed(robots, "/a/b"));
    }

    #[test]
    fn an_agent_has_its_own_rules_or_those_of_all() {
        let robots = "User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /all\nSitemap: x\n\nUser-agent: gptbot\nAllow: /open";
        let allowed = |agent: &str, path: &str| owner(robots, agent).opt_outs(path).is_empty();
        assert_eq!(["/", "/all", "/open"].map(|path| allowed(EVERY_AGENT, path)), [true, false, true]);
        assert_eq!(["/", "/all", "/open"].map(|path| allowed("ccbot", path)), [false, false, false]);
        assert_eq!(["/", "/all", "/open"].map(|path| allowed("GPTBot", path)), [false, false, true]);
        assert_eq!(["/", "/all"].map(|path| allowed("other", path)), [true, false]);
        assert!(!owner("User-agent: CCBot/2.0 (x)\nDisallow: /", "ccbot").opt_outs("/").is_empty(), "a version");
    }

    #[test]
    fn signals_of_content_are_those_of_their_group() {
        let robots = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /";
        assert_eq!(owner(robots, EVERY_AGENT).opt_outs("/").names(), "content-signal");
        let robots = "User-agent: x\nContent-Signal: ai-train=no\nUser-agent: *\nContent-Signal: ai-train=yes";
        assert_eq!(owner(robots, EVERY_AGENT).opt_outs("/").names(), "");
    }

    #[test]
    fn the_newest_capture_counts_and_each_file_for_itself() {
        let robots = |day: i64, text: &str| notes("http://ex.org/robots.txt", day * 86_400_000, text.as_bytes());
        let (old, new) = (robots(1, "User-agent: *\nDisallow: /old"), robots(2, "User-agent: *\nDisallow: /new"));
        let json = r#"[{"location": "/free/*", "tdm-reservation": 0}, {"location": "/*", "tdm-reservation": 1}]"#;
        let reserved = notes("http://ex.org/.well-known/tdmrep.json", 0, json.as_bytes());
        let all = [
            ("ex.org/robots.txt", &*new),
            ("ex.org/.well-known/tdmrep.json", &*reserved),
            ("ex.org/robots.txt", &*old),
        ];
        let owner = Owner::read(all.into_iter(), EVERY_AGENT);
        assert_eq!(owner, Owner::read(all.into_iter().rev(), EVERY_AGENT));
        assert_eq!(
            ["/old", "/new", "/free/a"].map(|path| owner.opt_outs(path).names()),
            ["tdmrep.json", "robots.txt tdmrep.json", ""]
        );
        assert_eq!(notes("http://ex.org/.well-known/tdmrep.json", 0, b"<html>"), "");
        let json = br#"[{"location": "/a"}, 7, {"location": "/b", "tdm-reservation": 1}]"#;
        assert_eq!(notes("http://ex.org/.well-known/tdmrep.json", 0, json), "\nreserve: /b", "what is no entry");
    }

    proptest! {
        #[test]
        fn patterns_fit_as_their_definition_says(pattern in "/[ab*]{0,6}[$]?", path in "/[ab]{0,6}") {
            /// Tries every length for each `*`.
            fn by_definition(pattern: &[u8], path: &[u8]) -> bool {
                match pattern {
                    [] => true,
                    [b'$'] => path.is_empty(),
                    [b'*', rest @ ..] => (0..=path.len()).any(|at| by_definition(rest, &path[at..])),
                    [byte, rest @ ..] => path.first() == Some(byte) && by_definition(rest, &path[1..]),
                }
            }
            let rule = Rule::new(&pattern, false).expect("not empty");
            prop_assert_eq!(rule.fits(&path), by_definition(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn any_bytes_are_read_without_harm(body in prop::collection::vec(any::<u8>(), 0..200), path in ".{0,20}") {
            for url in ["http://ex.org/robots.txt", "http://ex.org/.well-known/tdmrep.json"] {
                let notes = notes(url, 0, &body);
                Owner::read([(url, notes.as_str())].into_iter(), "x").opt_outs(&path);
            }
        }
    }
}
