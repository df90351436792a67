//! Positions at which reading can continue, as single numbers.

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
}
