//! The decompressed bytes of an archive file, and where in the file each gzip member or zstd or LZ4 frame begins.
//!
//! A gzip member that fits the buffers is decoded in one go by libdeflate, which is about twice as fast as a stream
//! decoder; longer ones, damaged ones and the other codecs go piece by piece. libdeflate does not say where a member
//! ended, but a member ends with the checksum and the length of what it holds, both known once it is decoded: the
//! end is where these eight bytes stand.

use std::collections::VecDeque;
use std::io;

use libdeflater::{DecompressionError, Decompressor};

use super::codec::{self, Codec, MAGIC_BYTES, Stream};
use super::dictionary::{self, FRAME_HEADER_BYTES, holds_dictionary};
use super::format::Params;
use super::head::{decoded_head, is_blank};
use super::window::{self, Window};

/// Bytes of input held when a member begins, so that most are there whole.
const LOOK_BYTES: usize = 64 << 10;
/// The longest compressed member decoded in one go, and how much of a damaged one is searched again for members.
const WHOLE_BYTES: usize = 4 << 20;
/// Output decoded at a time from members too long for one go.
const PIECE_BYTES: usize = 256 << 10;
/// More blanks than this behind one another, in bytes, are no mere padding. Writers pad to blocks of up to 64 KiB.
const MAX_BLANK_BYTES: u64 = 64 << 10;
/// The most blanks that belong to the record before them, in bytes: WARC has four, and some writers pad records.
const MAX_TAIL_BYTES: usize = 4 << 10;

/// The most beginnings of members that are remembered among unread bytes: 16 MB of them. Members of a byte or two hold no
/// record each, and one that begins with a further one is found as one in the middle of a stream.
const MAX_STARTS: usize = 1 << 20;

/// What decoding more gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    /// More bytes to read.
    Bytes,
    /// Nothing: the archive has ended.
    End,
    /// Nothing: what follows is damaged. [`Members::recover`] goes on behind it.
    Damaged,
}

enum Advance {
    Bytes,
    MemberEnd,
    End,
    Damaged,
}

/// Where reading stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Bytes given out since the start of reading.
    pub(super) logical: u64,
    /// The offset in the file, where a member begins here (in a plain file: always).
    pub(super) file: Option<u64>,
}

/// Where a member begins.
struct MemberStart {
    /// Bytes given out before it.
    logical: u64,
    /// Its offset in the file.
    file: u64,
}

/// A stretch of the file that could not be decoded.
#[derive(Debug)]
pub(super) struct Damage {
    /// Where the member begins.
    pub(super) offset: u64,
    /// What is wrong with it.
    pub(super) problem: String,
}

/// Blanks that stand where records should.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blanks {
    /// Bytes given out before them.
    pub(super) logical: u64,
    /// How many.
    pub(super) bytes: u64,
}

/// The bytes of an archive file, decompressed.
pub(super) struct Members {
    window: Window,
    codec: Codec,
    dictionary: Vec<u8>,
    /// Where reading began, for the offsets of a plain file.
    origin: u64,
    /// `out[start..end]` is decoded and not yet read; the rest is room.
    out: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes given out before `out[start]`.
    logical: u64,
    /// Member starts at or behind `out[start]`.
    starts: VecDeque<MemberStart>,
    /// The member that begins here, or with nothing but blanks before here.
    blank_since: Option<u64>,
    /// Blanks read last, in one member.
    blanks: Blanks,
    /// Too many blanks, up to the end of their member: to be told before going on.
    untold: Option<Blanks>,
    stream: Option<Stream>,
    /// The stream of a member that has ended, to decode another one.
    spare: Option<Stream>,
    /// How much of the window the stream has read: kept while it is short, to search it should it prove damaged.
    fed: usize,
    member: u64,
    damage: Option<Damage>,
    whole: Decompressor,
    /// The longest output of a member decoded in one go.
    max_whole_output: usize,
    /// The largest window of a zstd frame.
    max_window_bytes: u64,
    /// Whether a record begins with these bytes.
    is_start: fn(&[u8]) -> bool,
}

impl Members {
    /// Reads the members of `window` as `codec`, starting where a member does; `is_start` says whether a record begins
    /// with some bytes.
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

    /// What is decoded and not yet read.
    pub(super) fn unread(&self) -> &[u8] {
        &self.out[self.start..self.end]
    }

    /// The codec of the file.
    pub(super) fn codec(&self) -> Codec {
        self.codec
    }

    /// Where the first unread byte stands.
    pub(super) fn place(&self) -> Place {
        let file = match self.codec {
            Codec::Plain => Some(self.origin + self.logical),
            _ => self.blank_since,
        };
        Place { logical: self.logical, file }
    }

    /// The offset in the file where a member begins next, when all before it has been read (in a plain file: always).
    pub(super) fn next_member(&self) -> Option<u64> {
        match self.codec {
            Codec::Plain => Some(self.origin + self.logical),
            _ if self.start < self.end || self.stream.is_some() || self.damage.is_some() => None,
            _ => Some(self.window.offset()),
        }
    }

    /// True when everything decoded belongs to members that have ended whole, so that what follows is another one.
    pub(super) fn next_member_follows(&self) -> bool {
        self.codec != Codec::Plain && self.stream.is_none() && self.damage.is_none()
    }

    /// True when a member begins here, with nothing but blanks before in it.
    pub(super) fn begins_member(&self) -> bool {
        self.codec != Codec::Plain && self.blank_since.is_some()
    }

    /// How far in the file the decoder is.
    pub(super) fn file_offset(&self) -> u64 {
        self.window.offset() + self.fed as u64
    }

    /// The damage that comes after what is unread.
    pub(super) fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    /// Where, from the first unread byte on, members begin among the unread bytes, the first byte left out.
    pub(super) fn boundaries(&self) -> impl Iterator<Item = usize> + '_ {
        self.boundaries_from(1)
    }

    /// Those at `from` and behind it.
    pub(super) fn boundaries_from(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let at = |start: &MemberStart| (start.logical - self.logical) as usize;
        let first = self.starts.partition_point(|start| at(start) < from.max(1));
        self.starts.range(first..).map(at)
    }

    /// Counts `count` unread bytes as read.
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

    /// Counts blanks as read, as far as they are decoded, and as nothing has to be told of those before.
    pub(super) fn consume_blanks(&mut self) {
        while self.untold.is_none() && self.consume_some_blanks(usize::MAX) > 0 {}
    }

    /// Counts blanks as read up to the next member, `max` of them at the most; gives how many.
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

    /// The blanks before here, where they are too many.
    pub(super) fn end_blanks(&mut self) -> Option<Blanks> {
        let bytes = std::mem::take(&mut self.blanks.bytes);
        (bytes > MAX_BLANK_BYTES).then_some(Blanks { bytes, ..self.blanks })
    }

    /// Too many blanks that a member ended with, or consisted of. The next member begins here.
    pub(super) fn take_untold(&mut self) -> Option<Blanks> {
        self.untold.take()
    }

    /// Decodes the rest of the member, up to `limit` unread bytes, to see whether it proves damaged.
    pub(super) fn fails_ahead(&mut self, limit: usize) -> io::Result<bool> {
        while self.stream.is_some() && self.codec != Codec::Plain && self.unread().len() < limit {
            if !matches!(self.advance()?, Advance::Bytes) {
                break;
            }
        }
        Ok(self.damage.is_some())
    }

    /// At the end of the archive, gives up a member that was cut off before it gave a byte; gives its offset.
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

    /// Decodes more, behind what is unread.
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

    /// Passes the blanks of a record to the end of the member, and decodes on only as far as it takes to know that it ended.
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
            // Some writers pad the file with zeros.
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

    /// Passes a skippable frame, taking the dictionary it may hold.
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

    /// Decodes the gzip member at the window's start in one go; false when it has to be read as a stream.
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

    /// The file ends inside a member: either it was cut off, or the member's lengths are wrong, and others follow that
    /// were taken for its data.
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

    /// Gives up the damaged member, and all that is unread with it, and goes on at the next member with which a
    /// record begins. Gives the damage and how many bytes of the file were passed.
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

/// How many bytes the gzip member at the head of `input` takes, whose content is `output`: up to its trailer.
fn member_length(input: &[u8], output: &[u8]) -> Option<usize> {
    let mut trailer = [0; 8];
    trailer[..4].copy_from_slice(&libdeflater::crc32(output).to_le_bytes());
    trailer[4..].copy_from_slice(&(output.len() as u32).to_le_bytes());
    let mut ends = memchr::memmem::find_iter(input, &trailer).map(|at| at + trailer.len());
    let first = ends.next()?;
    // The eight bytes could occur in the compressed data too; then what follows them begins no member.
    let is_end = |end: &usize| input[*end..].is_empty() || Codec::Gzip.begins(&input[*end..]);
    Some(std::iter::once(first).chain(ends).find(is_end).unwrap_or(first))
}
