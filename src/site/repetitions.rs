//! Which beads are repeated, read beside the beads.

use crate::store::layout::ArchivedRepeatRow;

/// The rows of repetitions in order, for looking up beads in order.
pub struct Cursor<'r, I: Iterator<Item = &'r ArchivedRepeatRow>>(std::iter::Peekable<I>);

impl<'r, I: Iterator<Item = &'r ArchivedRepeatRow>> Cursor<'r, I> {
    /// From these rows on.
    pub fn new(rows: I) -> Cursor<'r, I> {
        Cursor(rows.peekable())
    }

    /// The row of the bead at a position of the page pair at a position, if it has one.
    pub fn of(&mut self, place: u32, number: u32) -> Option<&'r ArchivedRepeatRow> {
        let at = |row: &ArchivedRepeatRow| (row.pair.to_native(), row.bead.to_native());
        while self.0.next_if(|row| at(row) < (place, number)).is_some() {}
        self.0.next_if(|row| at(row) == (place, number))
    }
}
