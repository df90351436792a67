//! Which letters stand beside each other in a text.
//!
//! This is alike in texts of one language and differs between languages, also between those that nobody has described: of the pages of a
//! site it shows which are in one language, and whether what names a language means one thing. A text of some hundred letters is enough.

use super::words::is_letter;

/// How many kinds of pairs of letters are told apart.
pub const KINDS: usize = 256;

/// Texts that are not farther from each other than this are taken for texts of one language, in nats a pair of letters. Of texts of 400 bytes in 430
/// languages 1 in a hundred is farther from nine others of its language, and 4 in a thousand are as near to nine of another one; of 150 bytes 1 and
/// 10 in a hundred.
pub const ALIKE: f64 = 0.35;

/// How often each kind of pairs of neighbouring letters occurs in one text or several. Whole numbers, so that sums do not depend on their
/// order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letters {
    counts: Box<[u32; KINDS]>,
    total: u64,
}

impl Default for Letters {
    fn default() -> Letters {
        Letters { counts: Box::new([0; KINDS]), total: 0 }
    }
}

/// Counts the pairs of a text, a byte a kind, at most 255 of each. The ends of words are letters too.
pub fn count(text: &str) -> Vec<u8> {
    let mut counts = vec![0u8; KINDS];
    let mut before = END;
    let mut add = |before: u32, letter: u32| {
        let count = &mut counts[kind(before, letter)];
        *count = count.saturating_add(1);
    };
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            let letter = u32::from(c.to_ascii_lowercase());
            add(before, letter);
            before = letter;
        } else if is_letter(c) {
            for letter in c.to_lowercase() {
                add(before, letter as u32);
                before = letter as u32;
            }
        } else if before != END {
            add(before, END);
            before = END;
        }
    }
    if before != END {
        add(before, END);
    }
    counts
}

/// What stands before and after a word.
const END: u32 = 0;

fn kind(first: u32, second: u32) -> usize {
    let hash = (first.wrapping_mul(0x9e37_79b1) ^ second).wrapping_mul(0x85eb_ca6b);
    ((hash ^ hash >> 15).wrapping_mul(0xc2b2_ae35) >> 24) as usize
}

impl Letters {
    /// Those of one text, as [`count`] counted them; nothing for another number of bytes.
    pub fn of(counts: &[u8]) -> Option<Letters> {
        let counts: &[u8; KINDS] = counts.try_into().ok()?;
        Some(Letters::new(counts.map(u32::from)))
    }

    /// Those of several texts, by how often each kind occurs; nothing for another number of kinds.
    pub fn from_counts(counts: &[u32]) -> Option<Letters> {
        let counts: &[u32; KINDS] = counts.try_into().ok()?;
        Some(Letters::new(*counts))
    }

    fn new(counts: [u32; KINDS]) -> Letters {
        let total = counts.iter().map(|&count| u64::from(count)).sum();
        Letters { counts: Box::new(counts), total }
    }

    /// The same, made smaller in proportion until there are `most` pairs at most. Counts are rounded down.
    #[must_use]
    pub fn at_most(&self, most: u64) -> Letters {
        if self.total <= most {
            return self.clone();
        }
        let smaller = |count: u32| u128::from(count) * u128::from(most) / u128::from(self.total);
        Letters::new(self.counts.map(|count| u32::try_from(smaller(count)).unwrap_or(u32::MAX)))
    }

    /// How many pairs there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many there are of each kind.
    pub fn counts(&self) -> &[u32; KINDS] {
        &self.counts
    }

    /// Adds those of other texts.
    pub fn add(&mut self, other: &Letters) {
        self.counts.iter_mut().zip(other.counts.iter()).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        self.total += other.total;
    }

    /// Takes away what was added.
    pub fn take(&mut self, other: &Letters) {
        self.counts.iter_mut().zip(other.counts.iter()).for_each(|(sum, count)| *sum = sum.saturating_sub(*count));
        self.total = self.total.saturating_sub(other.total);
    }

    /// How far two texts are from being in one language, in nats a pair of letters: how much likelier they are from two sources than from
    /// one (half of the G statistic of both, less half the degrees of freedom, which is what chance gives), divided by nm / (n + m) for n and
    /// m pairs. About 0 for texts of one language, .4 and more for texts of two that are not near relatives; infinite without letters.
    pub fn distance(&self, other: &Letters) -> f64 {
        if self.total == 0 || other.total == 0 {
            return f64::INFINITY;
        }
        let (n, m) = (self.total as f64, other.total as f64);
        let mut kinds = 0u32;
        let mut sum = 0.0;
        for (&x, &y) in self.counts.iter().zip(other.counts.iter()) {
            kinds += u32::from(x > 0 || y > 0);
            if x > 0 && y > 0 {
                sum += x_ln_x(x) + x_ln_x(y) - total_ln(f64::from(x) + f64::from(y));
            }
        }
        let gain = sum + total_ln(n + m) - total_ln(n) - total_ln(m);
        (gain - f64::from(kinds.saturating_sub(1)) / 2.0) * (n + m) / (n * m)
    }
}

fn x_ln_x(x: u32) -> f64 {
    total_ln(f64::from(x))
}

fn total_ln(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn letters(text: &str) -> Letters {
        Letters::of(&count(text)).expect("as many as there are kinds")
    }

    #[test]
    fn pairs_are_counted_with_the_ends_of_words_in_any_case() {
        // _a ab b_ _c c_
        assert_eq!(letters("Ab, c.").total(), 5);
        assert_eq!(letters("AB C"), letters("1: ab – c"));
        assert_eq!(letters("12 – 34").total(), 0);
        assert_eq!(Letters::of(&[1, 2]), None);
        let many = letters(&"a ".repeat(1000));
        assert_eq!(many.total(), 510);
    }

    #[test]
    fn the_distance_is_that_of_the_formula() {
        let of = |pairs: &[(usize, u8)]| {
            let mut counts = [0; KINDS];
            pairs.iter().for_each(|&(kind, count)| counts[kind] = count);
            Letters::of(&counts).expect("as many as there are kinds")
        };
        // Of 8 and 4 pairs, 6 + 2 and 1 + 3 of two kinds: 6 ln(6/8) + 2 ln(2/8) + ln(1/4) + 3 ln(3/4) − 7 ln(7/12) − 5 ln(5/12) = 1.4023,
        // less half of one degree of freedom, by 8 · 4 / 12.
        let distance = of(&[(3, 6), (9, 2)]).distance(&of(&[(3, 1), (9, 3)]));
        assert!((distance - (1.4023 - 0.5) * 12.0 / 32.0).abs() < 1e-4, "{distance}");
        assert_eq!(of(&[]).distance(&of(&[(3, 1)])), f64::INFINITY);
    }

    #[test]
    fn texts_of_one_language_are_near_each_other() {
        let german = [
            "Der Ausschuss tagt am Montag und berät über die Anträge, die bis dahin eingegangen sind.",
            "Wer einen Antrag stellen möchte, reicht ihn bis zum Freitag der Woche davor beim Vorsitzenden ein.",
        ];
        let yoruba =
            "Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti ẹ̀tọ́ kọ̀ọ̀kan sì dọ́gba. Wọ́n ní ẹ̀bùn ti làákàyè àti ti ẹ̀rí-ọkàn.";
        let [one, other] = german.map(letters);
        assert!(one.distance(&other) < 0.35, "{}", one.distance(&other));
        assert!(one.distance(&letters(yoruba)) > 0.6, "{}", one.distance(&letters(yoruba)));
    }

    proptest! {
        #[test]
        fn what_was_added_can_be_taken_away(texts in prop::collection::vec("[a-zäß ]{0,80}", 1..4)) {
            let mut sum = Letters::default();
            texts.iter().for_each(|text| sum.add(&letters(text)));
            let all = sum.clone();
            sum.add(&letters("etwas mehr"));
            sum.take(&letters("etwas mehr"));
            prop_assert_eq!(&sum, &all);
            let d = sum.distance(&letters("etwas"));
            prop_assert!((d - letters("etwas").distance(&sum)).abs() < 1e-9 || d.is_infinite());
        }
    }
}
