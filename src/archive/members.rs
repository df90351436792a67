//! Decompresses an archive file, and notes where in the file each gzip member or zstd or LZ4 frame begins.
//!
//! A gzip member that fits into the buffers is decoded at once by libdeflate, which is about twice as fast as a stream decoder; longer or
//! damaged members and the other codecs are decoded piece by piece. libdeflate does not say where a member ends; but a member ends with the
//! checksum and the length of its content, both of which are known once it is decoded, so the end is where these eight bytes stand.

use std::collections::VecDeque;
use std::io;

use libdeflater::{DecompressionError, Decompressor};

use super::codec::{self, Codec, MAGIC_BYTES, Stream};
use super::dictionary::{self, FRAME_HEADER_BYTES, holds_dictionary};
use super::format::Params;
use super::head::{decoded_head, is_blank};
use super::window::{self, Window};

/// How many bytes of input are in the buffer when a member begins, so that most members are complete.
const LOOK_BYTES: usize = 64 << 10;
/// The longest compressed member that is decoded at once; also how much of a damaged member is searched again for members.
const WHOLE_BYTES: usize = 4 << 20;
/// How much output is decoded at a time, for longer members.
const PIECE_BYTES: usize = 256 << 10;
/// A longer run of blanks than this, in bytes, is not just padding. Writers pad to blocks of up to 64 KiB.
const MAX_BLANK_BYTES: u64 = 64 << 10;
/// How many blanks may belong to the record before them, in bytes: WARC has four, and some writers pad records.
const MAX_TAIL_BYTES: usize = 4 << 10;

/// How many starts of members among unread bytes are remembered: 16 MB of them. Members of a byte or two do not each hold a record; a
/// record that begins with a member whose start was not remembered is treated as one in the middle of a stream.
const MAX_STARTS: usize = 1 << 20;

/// The result of decoding more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    /// More bytes to read.
    Bytes,
    /// No bytes: the archive has ended.
    End,
    /// No bytes: damage follows. [`Members::recover`] continues after it.
    Damaged,
}

enum Advance {
    Bytes,
    MemberEnd,
    End,
    Damaged,
}

/// A place in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Decompressed bytes before this place, since the start of reading.
    pub(super) logical: u64,
    /// The offset in the file, if a member begins here (in a plain file: always).
    pub(super) file: Option<u64>,
}

/// Where a member begins.
struct MemberStart {
    /// Decompressed bytes before it.
    logical: u64,
    /// Its offset in the file.
    file: u64,
}

/// A stretch of the file that could not be decoded.
#[derive(Debug)]
pub(super) struct Damage {
    /// Where the damaged member begins.
    pub(super) offset: u64,
    /// What is wrong with it.
    pub(super) problem: String,
}

/// Blanks in a place where records should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blanks {
    /// Decompressed bytes before them.
    pub(super) logical: u64,
    /// How many.
    pub(super) bytes: u64,
}

/// The bytes of an archive file, decompressed.
pub(super) struct Members {
    window: Window,
    codec: Codec,
    dictionary: Vec<u8>,
    /// Where reading began; needed for offsets in a plain file.
    origin: u64,
    /// `out[start..end]` is decoded and not yet read; the rest is free.
    out: Vec<u8>,
    start: usize,
    end: usize,
    /// Decompressed bytes before `out[start]`.
    logical: u64,
    /// Starts of members at or after `out[start]`.
    starts: VecDeque<MemberStart>,
    /// The start of the member that begins here, or that has only blanks before here.
    blank_since: Option<u64>,
    /// The blanks that were read last, within one member.
    blanks: Blanks,
    /// Too many blanks, up to the end of their member; they must be reported before reading continues.
    untold: Option<Blanks>,
    stream: Option<Stream>,
    /// The decoder of a member that has ended, reused for another member.
    spare: Option<Stream>,
    /// How many bytes of the window the decoder has read. While they are few they are kept, to be searched if the member turns out to be
    /// damaged.
    fed: usize,
    member: u64,
    damage: Option<Damage>,
    whole: Decompressor,
    /// The longest output of a member that is decoded at once.
    max_whole_output: usize,
    /// The largest window of a zstd frame.
    max_window_bytes: u64,
    /// True when a record begins with these bytes.
    is_start: fn(&[u8]) -> bool,
}

impl Members {
    /// Reads the members of `window` with `codec`; the window must begin with a member. `is_start` says whether a record begins with some
    /// bytes.
    pub(super) fn new(
        window: Window,
        codec: Codec,
        dictionary: Vec<u8>,
        params: &Params,
        is_start: fn(&[u8]) -> bool,
    ) -> Members {
        let max_record_bytes = usize::try_from(params.max_record_bytes).unwrap_or(usize::MAX / 4).min(usize::MAX / 4);
        Members {
            origin: window.offset(),
            member: window.offset(),
            window,
            codec,
            dictionary,
            out: Vec::new(),
            start: 0,
            end: 0,
            logical: 0,
            starts: VecDeque::new(),
            blank_since: None,
            blanks: Blanks { logical: 0, bytes: 0 },
            untold: None,
            stream: None,
            spare: None,
            fed: 0,
            damage: None,
            whole: Decompressor::new(),
            max_window_bytes: params.max_window_bytes,
            max_whole_output: max_record_bytes.saturating_add(LOOK_BYTES).max(PIECE_BYTES),
            is_start,
        }
    }

    /// Bytes that are decoded and not yet read.
    pub(super) fn unread(&self) -> &[u8] {
        &self.out[self.start..self.end]
    }

    /// The codec of the file.
    pub(super) fn codec(&self) -> Codec {
        self.codec
    }

    /// The place of the first unread byte.
    pub(super) fn place(&self) -> Place {
        let file = match self.codec {
            Codec::Plain => Some(self.origin + self.logical),
            _ => self.blank_since,
        };
        Place { logical: self.logical, file }
    }

    /// The offset in the file where the next member begins, if everything before it has been read (in a plain file: always).
    pub(super) fn next_member(&self) -> Option<u64> {
        match self.codec {
            Codec::Plain => Some(self.origin + self.logical),
            _ if self.start < self.end || self.stream.is_some() || self.damage.is_some() => None,
            _ => Some(self.window.offset()),
        }
    }

    /// True when all decoded bytes belong to members that have ended properly, so that another member follows.
    pub(super) fn next_member_follows(&self) -> bool {
        self.codec != Codec::Plain && self.stream.is_none() && self.damage.is_none()
    }

    /// True when a member begins here, or has only blanks before here.
    pub(super) fn begins_member(&self) -> bool {
        self.codec != Codec::Plain && self.blank_since.is_some()
    }

    /// The offset in the file that the decoder has reached.
    pub(super) fn file_offset(&self) -> u64 {
        self.window.offset() + self.fed as u64
    }

    /// The damage that follows the unread bytes.
    pub(super) fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    /// The positions, relative to the first unread byte, at which members begin among the unread bytes; the first byte itself is left out.
    pub(super) fn boundaries(&self) -> impl Iterator<Item = usize> + '_ {
        self.boundaries_from(1)
    }

    /// Those of these positions that are at `from` or after it.
    pub(super) fn boundaries_from(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let at = |start: &MemberStart| (start.logical - self.logical) as usize;
        let first = self.starts.partition_point(|start| at(start) < from.max(1));
        self.starts.range(first..).map(at)
    }

    /// Marks `count` unread bytes as read.
    pub(super) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        if count > 0 {
            self.blank_since = None;
            self.blanks.bytes = 0;
        }
        self.start += count;
        self.logical += count as u64;
        self.pass_starts();
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    fn pass_starts(&mut self) {
        while let Some(&MemberStart { logical, file }) = self.starts.front() {
            if logical > self.logical {
                break;
            }
            if logical == self.logical {
                self.blank_since = Some(file);
            }
            self.starts.pop_front();
        }
    }

    /// Marks blanks as read, as far as they are decoded, and stops where blanks must be reported.
    pub(super) fn consume_blanks(&mut self) {
        while self.untold.is_none() && self.consume_some_blanks(usize::MAX) > 0 {}
    }

    /// Marks up to `max` blanks as read, up to the next member; returns how many.
    fn consume_some_blanks(&mut self, max: usize) -> usize {
        let next = self.boundaries().next().unwrap_or(usize::MAX).min(max);
        let unread = self.unread();
        let unread = &unread[..unread.len().min(next)];
        let count = unread.iter().take_while(|byte| is_blank(**byte)).count();
        if count > 0 {
            let since = self.blank_since;
            let first = if self.blanks.bytes == 0 { self.logical } else { self.blanks.logical };
            let bytes = self.blanks.bytes + count as u64;
            self.consume(count);
            self.blanks = Blanks { logical: first, bytes };
            match self.blank_since {
                Some(_) => self.untold = self.end_blanks(),
                None => self.blank_since = since,
            }
        }
        count
    }

    /// The blanks before here, if they are too many.
    pub(super) fn end_blanks(&mut self) -> Option<Blanks> {
        let bytes = std::mem::take(&mut self.blanks.bytes);
        (bytes > MAX_BLANK_BYTES).then_some(Blanks { bytes, ..self.blanks })
    }

    /// Too many blanks at the end of a member, or in a member of blanks only. The next member begins here.
    pub(super) fn take_untold(&mut self) -> Option<Blanks> {
        self.untold.take()
    }

    /// Decodes the rest of the member, up to `limit` unread bytes, to see whether the member is damaged.
    pub(super) fn fails_ahead(&mut self, limit: usize) -> io::Result<bool> {
        while self.stream.is_some() && self.codec != Codec::Plain && self.unread().len() < limit {
            if !matches!(self.advance()?, Advance::Bytes) {
                break;
            }
        }
        Ok(self.damage.is_some())
    }

    /// At the end of the archive, drops a member that was cut off before it yielded a byte; returns its offset.
    pub(super) fn take_empty_member(&mut self) -> Option<u64> {
        let is_empty = self.stream.is_some() && self.codec != Codec::Plain && self.place().file == Some(self.member);
        is_empty.then(|| {
            self.window.consume(self.window.bytes().len());
            self.fed = 0;
            self.stream = None;
            self.blank_since = None;
            self.member
        })
    }

    /// Decodes more bytes after the unread ones.
    pub(super) fn more(&mut self) -> io::Result<More> {
        loop {
            if let Some(more) = self.more_of_member()? {
                return Ok(more);
            }
        }
    }

    /// As [`Members::more`], but stops with `None` where a member ends.
    pub(super) fn more_of_member(&mut self) -> io::Result<Option<More>> {
        Ok(match self.advance()? {
            Advance::Bytes => Some(More::Bytes),
            Advance::MemberEnd => None,
            Advance::End => Some(More::End),
            Advance::Damaged => Some(More::Damaged),
        })
    }

    /// Skips the blanks after a record up to the end of the member, decoding only as far as is needed to know that the member has ended.
    pub(super) fn finish_member(&mut self) -> io::Result<()> {
        let mut left = MAX_TAIL_BYTES;
        loop {
            while self.untold.is_none() && left > 0 {
                match self.consume_some_blanks(left) {
                    0 => break,
                    count => left -= count,
                }
            }
            self.blanks.bytes = 0;
            if left == 0 || self.start < self.end || self.stream.is_none() || self.codec == Codec::Plain {
                return Ok(());
            }
            if !matches!(self.advance()?, Advance::Bytes | Advance::MemberEnd) {
                return Ok(());
            }
        }
    }

    fn advance(&mut self) -> io::Result<Advance> {
        if self.damage.is_some() {
            return Ok(Advance::Damaged);
        }
        if self.stream.is_some() {
            return self.decode_piece();
        }
        self.begin_member()
    }

    fn begin_member(&mut self) -> io::Result<Advance> {
        self.window.fill(LOOK_BYTES)?;
        if self.codec != Codec::Plain {
            // Some writers pad files with zeros.
            while self.window.bytes().first() == Some(&0) {
                let zeros = self.window.bytes().iter().take_while(|byte| **byte == 0).count();
                self.window.consume(zeros);
                if self.start == self.end {
                    let first = if self.blanks.bytes == 0 { self.logical } else { self.blanks.logical };
                    self.blanks = Blanks { logical: first, bytes: self.blanks.bytes + zeros as u64 };
                }
                self.window.fill(LOOK_BYTES)?;
            }
        }
        if self.window.bytes().is_empty() {
            return Ok(Advance::End);
        }
        self.member = self.window.offset();
        self.fed = 0;
        if matches!(self.codec, Codec::Zstd | Codec::Lz4) && codec::skippable(self.window.bytes()) {
            return self.pass_skippable();
        }
        if !self.codec.begins(self.window.bytes()) {
            return Ok(self.damaged(format!("no {:?} member begins here", self.codec)));
        }
        let logical = self.logical + (self.end - self.start) as u64;
        if self.starts.len() < MAX_STARTS {
            self.starts.push_back(MemberStart { logical, file: self.member });
        }
        if self.start == self.end {
            self.untold = self.untold.take().or_else(|| self.end_blanks());
        }
        self.pass_starts();
        if self.codec == Codec::Gzip && self.decode_whole()? {
            return Ok(if self.start < self.end { Advance::Bytes } else { Advance::MemberEnd });
        }
        if self.codec == Codec::Zstd
            && let Some(problem) = codec::refuse_window(self.window.bytes(), self.max_window_bytes)
        {
            return Ok(self.damaged(problem));
        }
        let spare = self.spare.take().and_then(Stream::again);
        match spare.map_or_else(|| self.codec.stream(&self.dictionary), Ok) {
            Ok(stream) => self.stream = Some(stream),
            Err(problem) => return Ok(self.damaged(problem)),
        }
        self.decode_piece()
    }

    /// Skips a skippable frame, keeping its dictionary if it has one.
    fn pass_skippable(&mut self) -> io::Result<Advance> {
        let Some(length) = codec::skippable_length(self.window.bytes()) else { return Ok(Advance::End) };
        if holds_dictionary(self.window.bytes()) {
            let length = length as usize;
            if !self.window.fill(length)? {
                return Ok(Advance::End);
            }
            match dictionary::of_frame(&self.window.bytes()[FRAME_HEADER_BYTES..length]) {
                Ok(dictionary) => {
                    self.dictionary = dictionary;
                    self.spare = None;
                }
                Err(problem) => return Ok(self.damaged(problem)),
            }
        }
        let mut left = length;
        while left > 0 && self.window.fill(1)? {
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(self.window.bytes().len());
            self.window.consume(count);
            left -= count as u64;
        }
        Ok(Advance::MemberEnd)
    }

    /// Decodes the gzip member at the start of the window at once; false when it must be read as a stream.
    fn decode_whole(&mut self) -> io::Result<bool> {
        let mut room = PIECE_BYTES;
        loop {
            self.make_room(room);
            let input = self.window.bytes();
            match self.whole.gzip_decompress(input, &mut self.out[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(written) => {
                    let Some(used) = member_length(input, &self.out[self.end..self.end + written]) else {
                        return Ok(false);
                    };
                    self.end += written;
                    self.window.consume(used);
                    return Ok(true);
                }
                Err(DecompressionError::InsufficientSpace) if self.out.len() - self.end < self.max_whole_output => {
                    room = (2 * (self.out.len() - self.end)).min(self.max_whole_output);
                }
                Err(DecompressionError::BadData) if !self.window.ended() && input.len() < WHOLE_BYTES => {
                    let want = (2 * input.len()).min(WHOLE_BYTES);
                    self.window.fill(want)?;
                }
                Err(_) => return Ok(false),
            }
        }
    }

    fn decode_piece(&mut self) -> io::Result<Advance> {
        self.make_room(PIECE_BYTES);
        loop {
            self.window.fill(self.fed + 1)?;
            let Some(stream) = self.stream.as_mut() else { return Ok(Advance::MemberEnd) };
            let input = &self.window.bytes()[self.fed..];
            match stream.step(input, &mut self.out[self.end..self.end + PIECE_BYTES]) {
                Err(problem) => return Ok(self.damaged(problem)),
                Ok(step) => {
                    self.fed += step.used;
                    self.end += step.written;
                    if step.ended {
                        self.spare = self.stream.take();
                        self.let_go();
                    } else if self.fed > WHOLE_BYTES || self.codec == Codec::Plain {
                        self.let_go();
                    }
                    if step.written > 0 {
                        return Ok(Advance::Bytes);
                    }
                    if step.ended {
                        return Ok(Advance::MemberEnd);
                    }
                    if step.used == 0 {
                        let held = self.window.bytes().len();
                        let want = held + (held - self.fed).max(LOOK_BYTES);
                        if !self.window.fill(want)? && self.window.bytes().len() == held {
                            return Ok(self.cut_off());
                        }
                    }
                }
            }
        }
    }

    /// The file ends inside a member. Either the file was cut off, or the member's lengths are wrong, and the members that follow it were
    /// taken for its data.
    fn cut_off(&mut self) -> Advance {
        let bytes = self.window.bytes();
        let is_member = |at: usize| at > 0 && self.starts_record(&bytes[at..]);
        let mut members = memchr::memmem::find_iter(bytes, self.codec.magic());
        if self.codec != Codec::Plain && members.any(is_member) {
            return self.damaged("a member longer than it can be".to_owned());
        }
        Advance::End
    }

    fn starts_record(&self, bytes: &[u8]) -> bool {
        self.codec.begins(bytes)
            && codec::refuse_window(bytes, self.max_window_bytes).is_none()
            && (self.is_start)(&decoded_head(bytes, self.codec, &self.dictionary))
    }

    fn let_go(&mut self) {
        self.window.consume(self.fed);
        self.fed = 0;
    }

    fn damaged(&mut self, problem: String) -> Advance {
        self.damage = Some(Damage { offset: self.member, problem });
        Advance::Damaged
    }

    fn make_room(&mut self, room: usize) {
        if self.start > 0 {
            self.out.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        window::grow(&mut self.out, self.end, self.end + room);
    }

    /// Drops the damaged member and all unread bytes of it, and continues at the next member that begins with a record. Returns the damage,
    /// and how many bytes of the file were skipped.
    pub(super) fn recover(&mut self) -> io::Result<Option<(Damage, u64)>> {
        let Some(damage) = self.damage.take() else { return Ok(None) };
        self.consume(self.end - self.start);
        self.starts.clear();
        self.blank_since = None;
        self.blanks.bytes = 0;
        self.untold = None;
        self.stream = None;
        self.fed = 0;
        let magic = memchr::memmem::Finder::new(self.codec.magic());
        self.window.consume(usize::from(!self.window.bytes().is_empty()));
        loop {
            match magic.find(self.window.bytes()) {
                Some(at) => {
                    self.window.consume(at);
                    self.window.fill(self.codec.probe_bytes())?;
                    if self.starts_record(self.window.bytes()) {
                        break;
                    }
                    self.window.consume(1);
                }
                None => {
                    let kept = self.window.bytes().len().min(MAGIC_BYTES - 1);
                    self.window.consume(self.window.bytes().len() - kept);
                    if !self.window.fill(LOOK_BYTES)? && self.window.bytes().len() <= kept {
                        self.window.consume(self.window.bytes().len());
                        break;
                    }
                }
            }
        }
        let passed = self.window.offset() - damage.offset;
        Ok(Some((damage, passed)))
    }
}

/// How many bytes the gzip member at the start of `input` takes, given that its content is `output`: it ends with its trailer.
fn member_length(input: &[u8], output: &[u8]) -> Option<usize> {
    let mut trailer = [0; 8];
    trailer[..4].copy_from_slice(&libdeflater::crc32(output).to_le_bytes());
    trailer[4..].copy_from_slice(&(output.len() as u32).to_le_bytes());
    let mut ends = memchr::memmem::find_iter(input, &trailer).map(|at| at + trailer.len());
    let first = ends.next()?;
    // The eight bytes may also occur within the compressed data; then no member begins after them.
    let is_end = |end: &usize| input[*end..].is_empty() || Codec::Gzip.begins(&input[*end..]);
    Some(std::iter::once(first).chain(ends).find(is_end).unwrap_or(first))
}
