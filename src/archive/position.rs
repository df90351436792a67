//! Positions at which reading can continue, as single numbers.

use xxhash_rust::xxh3::xxh3_64;

/// Where to continue in a file of records: see [`super::records`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// The offset of a member of the file.
    pub(super) anchor: u64,
    /// How many items to skip from there.
    pub(super) items: u64,
    /// True once a record did not begin with a member.
    pub(super) counted: bool,
}

/// How the fields of a position are packed into the bits of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    /// The bit that is set when items are counted. The bits above it have other uses.
    pub(super) counted_bit: u32,
    /// Bits for the items, below those of the anchor.
    pub(super) item_bits: u32,
}

/// Positions in a file: up to 16 M items in one stream, and files of up to 512 GiB.
pub(super) const IN_FILE: Packing = Packing { counted_bit: 63, item_bits: 24 };

impl Position {
    /// Packs the position into a number; numbers grow with positions. A position that does not fit becomes an earlier one, so nothing is
    /// left out.
    pub(super) fn pack(self, packing: Packing) -> u64 {
        let Packing { counted_bit, item_bits } = packing;
        if !self.counted {
            return self.anchor.min(largest(counted_bit));
        }
        let anchor = self.anchor.min(largest(counted_bit - item_bits));
        1 << counted_bit | anchor << item_bits | self.items.min(largest(item_bits))
    }

    /// Unpacks what [`Position::pack`] made, ignoring the bits above.
    pub(super) fn unpack(packed: u64, packing: Packing) -> Position {
        let Packing { counted_bit, item_bits } = packing;
        let inner = packed & largest(counted_bit);
        if packed & 1 << counted_bit == 0 {
            return Position { anchor: inner, ..Position::default() };
        }
        Position { anchor: inner >> item_bits, items: inner & largest(item_bits), counted: true }
    }
}

/// The largest number with this many bits.
fn largest(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// How many bits of a position hold a hash; the bits above them hold how much was read.
const HASH_BITS: u32 = 32;
const HASH_MASK: u64 = (1 << HASH_BITS) - 1;

/// The position after so many items, with the low bits of a hash of what they depend on; 0 at the start.
pub(super) fn with_hash(count: u64, hash: u64) -> u64 {
    if count == 0 { 0 } else { count << HASH_BITS | hash & HASH_MASK }
}

/// The count in a position that [`with_hash`] made.
pub(super) fn count_of(position: u64) -> u64 {
    position >> HASH_BITS
}

/// The base URL that the addresses of an archive follow from, as the archive's positions hold it: with another base URL, the rest would not
/// belong to what was read before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base(u64);

impl Base {
    /// `None` where no address follows from a base.
    pub(super) fn new(url: Option<&str>) -> Base {
        Base(url.map_or(0, |url| xxh3_64(url.as_bytes())))
    }

    /// The position after so many items.
    pub(super) fn position(self, count: u64) -> u64 {
        with_hash(count, self.0)
    }

    /// How many items had been read at a position.
    ///
    /// # Errors
    /// When they had another base.
    pub(super) fn count(self, position: u64) -> Result<u64, String> {
        let count = count_of(position);
        if position == self.position(count) {
            return Ok(count);
        }
        Err("was read in part with another `--base-url`; give that one again, or take another store".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_packing() {
        for position in [
            Position::default(),
            Position { anchor: 1 << 40, ..Position::default() },
            Position { anchor: 1_234_567_890, items: 70_000, counted: true },
        ] {
            for packing in [IN_FILE, Packing { counted_bit: 51, item_bits: 19 }] {
                assert_eq!(Position::unpack(position.pack(packing), packing), position);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_an_earlier_position() {
        let position = Position { anchor: 5, items: 1 << 30, counted: true };
        let cut = Position { items: (1 << 24) - 1, ..position };
        assert_eq!(Position::unpack(position.pack(IN_FILE), IN_FILE), cut);
    }

    #[test]
    fn what_was_read_with_one_base_does_not_go_on_with_another() {
        let [none, one, other] = [None, Some("http://ex.org/"), Some("http://ex.org/a")].map(Base::new);
        for base in [none, one, other] {
            assert_eq!(base.position(0), 0);
            assert_eq!([0, 1, 1 << 31].map(|count| base.count(base.position(count))), [Ok(0), Ok(1), Ok(1 << 31)]);
            assert!(base.position(1) < base.position(2));
        }
        for (base, other) in [(none, one), (one, none), (one, other)] {
            assert_eq!(other.count(base.position(0)), Ok(0), "nothing was read");
            assert!(other.count(base.position(7)).expect_err("another base").contains("another `--base-url`"));
        }
        assert_eq!((count_of(with_hash(3, u64::MAX)), with_hash(0, 5)), (3, 0));
    }
}
