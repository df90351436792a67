//! Compact encoding of numbers: small ones take few bytes.

/// Appends a number, seven bits a byte, the lowest first; the top bit means that more bytes follow.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A signed number as an unsigned one, small where it is near 0: 0, −1, 1, −2, …
pub fn folded(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Turns such a number back into a signed one.
pub fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Reads bytes from the beginning; everything is `None` after the bytes have ended too early.
pub struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    /// Reads from the first of these bytes on.
    pub const fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes }
    }

    /// The next bytes.
    pub fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }

    /// A number that [`put`] appended.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for (at, &byte) in self.bytes.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                self.bytes = &self.bytes[at + 1..];
                return Some(number);
            }
        }
        None
    }

    /// How many bytes are not read.
    pub const fn left(&self) -> usize {
        self.bytes.len()
    }

    /// True when all bytes are read.
    pub const fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A number that fits into a u32.
    pub fn number_u32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Several numbers.
    pub fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    /// Lengths of consecutive things, turned into their ends.
    pub fn ends<const N: usize>(&mut self) -> Option<[usize; N]> {
        let (mut ends, mut end) = ([0; N], 0usize);
        for slot in &mut ends {
            end = end.checked_add(usize::try_from(self.number()?).ok()?)?;
            *slot = end;
        }
        Some(ends)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..300], 0..20)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&number| put(&mut bytes, number));
            let mut from = Reader::new(&bytes);
            for &number in &numbers {
                prop_assert_eq!(from.number(), Some(number));
                prop_assert_eq!(folded(unfolded(number)), number);
            }
            prop_assert_eq!(from.number(), None);
        }
    }

    #[test]
    fn signed_numbers_near_zero_are_small() {
        assert_eq!([0, -1, 1, -2, 2].map(folded), [0, 1, 2, 3, 4]);
    }
}
