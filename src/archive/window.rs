//! A stretch of an archive file held in memory: the part a member is decoded from.

use std::io::{self, Read};

/// Bytes requested of the file at a time.
const READ_BYTES: usize = 1 << 20;

/// A sliding view of a stream: what has been read and not yet let go.
pub(super) struct Window {
    source: Box<dyn Read + Send>,
    /// `buffer[start..end]` is held; the rest is room.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset of `buffer[start]` in the file.
    offset: u64,
    ended: bool,
}

impl Window {
    /// A view of `source`, whose first byte is byte `offset` of the file.
    pub(super) fn new(source: Box<dyn Read + Send>, offset: u64) -> Window {
        Window { source, buffer: Vec::new(), start: 0, end: 0, offset, ended: false }
    }

    /// What is held.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Where the first byte held stands in the file.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// True when the file has nothing more than what is held.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Lets the first `count` bytes go.
    pub(super) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads until `want` bytes or more are held; false when the file ends before.
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
        // Room for a whole read, however much is held.
        let size = if self.buffer.len() - self.end < READ_BYTES / 4 { self.end + READ_BYTES } else { 0 };
        grow(&mut self.buffer, self.end, size.max(want));
    }
}

/// Makes a buffer `size` bytes long if it is shorter; the first `in_use` bytes are kept. Where none are, the system gives memory that is
/// zero without being written, and most of it is never touched: streams are often short, and many.
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
