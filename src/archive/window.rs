//! The part of an archive file that is held in memory for decoding a member.

use std::io::{self, Read};

/// How many bytes are requested from the file at a time.
const READ_BYTES: usize = 1 << 20;

/// A sliding view of a stream: the bytes that were read and not yet consumed.
pub(super) struct Window {
    source: Box<dyn Read + Send>,
    /// `buffer[start..end]` holds the data; the rest is free.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset of `buffer[start]` in the file.
    offset: u64,
    ended: bool,
}

impl Window {
    /// A view of `source`, whose first byte has the offset `offset` in the file.
    pub(super) fn new(source: Box<dyn Read + Send>, offset: u64) -> Window {
        Window { source, buffer: Vec::new(), start: 0, end: 0, offset, ended: false }
    }

    /// The bytes in the window.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The offset in the file of the first byte in the window.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// True when the file has no more bytes than those in the window.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Drops the first `count` bytes.
    pub(super) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads until at least `want` bytes are in the window; false when the file ends before.
    pub(super) fn fill(&mut self, want: usize) -> io::Result<bool> {
        while self.end - self.start < want && !self.ended {
            self.make_room(want);
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end - self.start >= want)
    }

    fn make_room(&mut self, want: usize) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        // There must be room for a full read, however much data is in the window.
        let size = if self.buffer.len() - self.end < READ_BYTES / 4 { self.end + READ_BYTES } else { 0 };
        grow(&mut self.buffer, self.end, size.max(want));
    }
}

/// Extends a buffer to `size` bytes if it is shorter; the first `in_use` bytes are kept. If none are, the system provides zeroed memory
/// without writing it, and most of that is never touched: streams are often short, and many.
pub(super) fn grow(buffer: &mut Vec<u8>, in_use: usize, size: usize) {
    if buffer.len() < size {
        if in_use == 0 {
            *buffer = vec![0; size];
        } else {
            buffer.resize(size, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_slides_over_the_whole_stream() {
        let data: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
        let mut window = Window::new(Box::new(io::Cursor::new(data.clone())), 7);
        let mut seen = Vec::new();
        let mut step = 1;
        while window.fill(1).expect("memory") {
            let take = step.min(window.bytes().len());
            seen.extend_from_slice(&window.bytes()[..take]);
            window.consume(take);
            step = (step * 3) % 70_001 + 1;
            let _ = window.fill(step).expect("memory");
        }
        assert_eq!(seen, data);
        assert_eq!(window.offset(), 7 + data.len() as u64);
    }
}
