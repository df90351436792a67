//! Where in a URL a key's value goes, learnt from the pairs that the key has made.

use rustc_hash::FxHashMap;

/// What an edit takes out and puts in, and how many separators stand before or after it. The place of a directory is counted from the start
/// of the URL, that of a marker in a file name from its end. The pairs show which of the two applies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    out: String,
    into: String,
    /// The separators before and after the edit; 0 where there is none.
    beside: [u8; 2],
    separators: u16,
    from_start: bool,
}

/// For each place, how often a URL made there was that of the partner, and how often one was made.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    seen: FxHashMap<Place, (u32, u32)>,
}

impl Places {
    /// Learns from one pair: `partner` is one of the URLs made from `from`. Pairs for which this is not so are ignored.
    pub(super) fn add(&mut self, from: &str, made: &[String], partner: &str) {
        if made.iter().all(|other| other != partner) {
            return;
        }
        for other in made {
            for place in places(from, other) {
                let (hits, tries) = self.seen.entry(place).or_default();
                *tries += 1;
                *hits += u32::from(other == partner);
            }
        }
    }

    /// How often URLs made in this way were those of the partner, 0..=1, by the better of the two ways to count.
    pub(super) fn share(&self, from: &str, other: &str) -> f64 {
        let share = |place: &Place| match self.seen.get(place) {
            Some(&(hits, tries)) => f64::from(hits) / f64::from(tries),
            None => 0.0,
        };
        places(from, other).iter().map(share).fold(0.0, f64::max)
    }
}

/// The place of the edit between two URLs, counted from the start and from the end.
fn places(from: &str, other: &str) -> [Place; 2] {
    let (x, y) = (from.as_bytes(), other.as_bytes());
    let shorter = x.len().min(y.len());
    let mut head = x.iter().zip(y).take_while(|(a, b)| a == b).count();
    while !from.is_char_boundary(head) || !other.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = x.iter().rev().zip(y.iter().rev()).take(shorter - head).take_while(|(a, b)| a == b).count();
    while !from.is_char_boundary(x.len() - tail) || !other.is_char_boundary(y.len() - tail) {
        tail -= 1;
    }
    // An insertion beside an equal letter (`fr/` before `f…`) could stand at several places; the first counts. Whole words are compared,
    // where possible.
    while head > 0 && is_word(x[head - 1]) && x.get(head).copied().is_some_and(is_word) {
        head -= 1;
    }
    while tail > 0 && is_word(x[x.len() - tail]) && (x.len() - tail).checked_sub(1).is_some_and(|at| is_word(x[at])) {
        tail -= 1;
    }
    let (head, tail) = if head + tail > shorter { (head.min(shorter), 0) } else { (head, tail) };
    let part = |text: &str| text.get(head..text.len() - tail).unwrap_or("").to_owned();
    let count = |bytes: &[u8]| bytes.iter().filter(|byte| !is_word(**byte)).count() as u16;
    let separator = |byte: Option<&u8>| byte.copied().filter(|byte| !is_word(*byte)).unwrap_or(0);
    let beside = [separator(x[..head].last()), separator(x.get(x.len() - tail))];
    let place = |separators: u16, from_start: bool| Place {
        out: part(from),
        into: part(other),
        beside,
        separators,
        from_start,
    };
    [place(count(&x[..head]), true), place(count(&x[x.len() - tail..]), false)]
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'%' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_is_counted_from_both_ends() {
        let [start, end] = places("x.org/a/index.html", "x.org/a/index.fr.html");
        assert_eq!((start.out.as_str(), start.into.as_str()), ("", "fr."));
        assert_eq!((start.separators, end.separators), (4, 0));
        // One more directory changes the number of separators from the start, but not that from the end.
        let [deeper, same] = places("x.org/a/b/index.html", "x.org/a/b/index.fr.html");
        assert!(deeper != start && same == end);
    }

    proptest! {
        #[test]
        fn any_two_texts_have_a_place(a in "\\PC{0,20}", b in "\\PC{0,20}") {
            let found = places(&a, &b);
            prop_assert!(found[0].from_start && !found[1].from_start);
        }
    }
}
