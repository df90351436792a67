//! Walks the records of WARC and ARC files: finds where each begins and ends and which ones may hold a page, and continues at the next
//! sound record after damage.
//!
//! **Offsets.** A record that begins where a gzip member (zstd or LZ4 frame) does, or anywhere in an uncompressed file, has its offset in
//! the file. If it also ends where the member does, its length is known too. Any other record is somewhere inside a compressed stream: its
//! length is 0, and its offset is that of the last member that began with a record, plus the decompressed bytes since then. In a file that
//! is a single stream, this is the decompressed offset.
//!
//! **Positions** are file offsets as long as every record begins with a member. After the first record that does not, a position holds the
//! offset of the last member that began with a record, and the number of items since; reading continues at that offset, and skips these
//! items.

use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::codec::{Codec, MAX_DEFLATE_RATIO, refuse_window};
use super::dictionary;
use super::format::{Archive, Item, Params};
use super::head::{CODEC_BYTES, codec_of, is_blank};
use super::header::{Dialect, Found, Head, Kind};
use super::members::{Blanks, Members, More};
use super::mime::is_html_type;
use super::owners::is_of_owner;
use super::position::{IN_FILE, Position};
use super::window::Window;
use crate::error::{Error, Result};
use crate::files;
use crate::types::{Form, Lang, RawRecord, RecordName, Skip, SkipReason};

/// The longest header of a record, in bytes; a longer one counts as malformed.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// A block longer than this is an error in the header: 1 TiB.
const ABSURD_BYTES: u64 = 1 << 40;
/// How many bytes after a block are examined to see whether the next record begins there.
const LOOK_BEHIND_BYTES: usize = 64;
/// How many bytes to decode ahead when the data after a record makes no sense, to see whether the member is damaged.
const LOOK_AHEAD_BYTES: usize = 1 << 20;

/// Opens a file of records at a packed position.
pub(super) fn open<D: Dialect>(path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
    let position = Position::unpack(position, IN_FILE);
    let open = || -> std::io::Result<(Members, Option<String>, u64)> {
        let mut file = files::open(path)?;
        let file_bytes = file.metadata()?.len();
        let codec = codec_of(&mut file)?;
        let dictionary =
            if codec == Codec::Zstd { dictionary::before(&mut file, position.anchor)? } else { Vec::new() };
        file.seek(SeekFrom::Start(position.anchor))?;
        let mut window = Window::new(Box::new(file), position.anchor);
        window.fill(CODEC_BYTES)?;
        let problem = if position.anchor == 0 { refuse_window(window.bytes(), params.max_window_bytes) } else { None };
        Ok((Members::new(window, codec, dictionary, params, D::begins), problem, file_bytes))
    };
    let (members, problem, file_bytes) = open().map_err(Error::io(path, "opening"))?;
    if let Some(problem) = problem {
        // The whole file is refused, since most files have a single frame, or frames that are all alike.
        return Err(Error::input(path.display().to_string(), problem));
    }
    let records = Records::<D>::new(path.to_owned(), members, position, Some(file_bytes), params.max_record_bytes)?;
    Ok(Box::new(records))
}

/// An archive of records, being read.
pub(super) struct Records<D> {
    path: PathBuf,
    members: Members,
    max_record_bytes: u64,
    /// Length of the file, where known.
    file_bytes: Option<u64>,
    position: Position,
    /// Decompressed bytes at the time when `position.anchor` was set.
    anchor_logical: u64,
    /// The blanks that were skipped before the next record, if they are too many.
    blanks: Option<Item>,
    /// True when a member begins after these blanks, so that reading can continue there.
    passed_blanks: bool,
    dialect: std::marker::PhantomData<fn() -> D>,
}

/// Where a record begins.
#[derive(Clone, Copy)]
struct Begin {
    offset: u64,
    /// The offset of its member, if it begins one.
    member: Option<u64>,
    logical: u64,
}

impl<D: Dialect> Records<D> {
    /// Continues at `position`; `members` must have been opened at its anchor.
    pub(super) fn new(
        path: PathBuf,
        members: Members,
        position: Position,
        file_bytes: Option<u64>,
        max_record_bytes: u64,
    ) -> Result<Records<D>> {
        let start = Position { items: 0, ..position };
        let dialect = std::marker::PhantomData;
        let mut records = Records {
            path,
            members,
            max_record_bytes,
            file_bytes,
            position: start,
            anchor_logical: 0,
            blanks: None,
            passed_blanks: false,
            dialect,
        };
        for _ in 0..position.items {
            if records.next()?.is_none() {
                break;
            }
        }
        Ok(records)
    }

    /// Where the next record is.
    pub(super) fn at(&self) -> Position {
        self.position
    }

    fn read(&mut self) -> std::io::Result<Option<Item>> {
        let begin = self.begin()?;
        if let Some(blanks) = self.blanks.take() {
            return Ok(Some(blanks));
        }
        let Some(begin) = begin else {
            let cut = self.members.take_empty_member();
            return Ok(cut.map(|offset| {
                let detail = "damage: the archive ends inside the head of a member".to_owned();
                Item::Skip(Skip { reason: SkipReason::Truncated, offset, length: 0, url: String::new(), detail })
            }));
        };
        if self.members.unread().is_empty() {
            return self.recovered(begin, None).map(Some);
        }
        let mut item = match self.head()? {
            Found::Head(head) => self.block(begin, head)?,
            Found::Part | Found::Nothing => self.junk(begin)?,
        };
        self.members.finish_member()?;
        if self.members.unread().is_empty() && self.members.damage().is_some() {
            // The member that contains the record is damaged at its end, so its bytes cannot be trusted.
            return self.recovered(begin, Some(item)).map(Some);
        }
        if let (Some(member), Some(next)) = (begin.member, self.members.next_member()) {
            match &mut item {
                Item::Record(record) => record.length = next - member,
                Item::Skip(skip) => skip.length = next - member,
            }
        }
        Ok(Some(item))
    }

    /// Skips blanks up to the next record, or up to the next member after too many of them; `None` at the end.
    fn begin(&mut self) -> std::io::Result<Option<Begin>> {
        let mut has_ended = false;
        let blanks = loop {
            self.members.consume_blanks();
            if let Some(blanks) = self.members.take_untold() {
                self.passed_blanks = true;
                break Some(blanks);
            }
            if has_ended || !self.members.unread().is_empty() {
                break self.members.end_blanks();
            }
            match self.members.more()? {
                More::Bytes => {}
                More::End => {
                    let blanks = self.members.end_blanks();
                    self.blanks = blanks.map(|blanks| self.of_blanks(blanks));
                    return Ok(None);
                }
                More::Damaged => has_ended = true,
            }
        };
        self.blanks = blanks.map(|blanks| self.of_blanks(blanks));
        let place = self.members.place();
        // Blanks that were reported count as an item of the member that begins with them.
        let is_counted = self.position.items > 0 && place.file == Some(self.position.anchor);
        if let Some(file) = place.file.filter(|_| !is_counted) {
            self.position.anchor = file;
            self.position.items = 0;
            self.anchor_logical = place.logical;
        }
        let offset = self.position.anchor + (place.logical - self.anchor_logical);
        Ok(Some(Begin { offset, member: place.file, logical: place.logical }))
    }

    /// The item for blanks in place of records.
    fn of_blanks(&self, blanks: Blanks) -> Item {
        let offset = self.position.anchor + (blanks.logical - self.anchor_logical);
        let detail = format!("damage: {} blank bytes and no record", blanks.bytes);
        Item::Skip(Skip { reason: SkipReason::BadRecord, offset, length: 0, url: String::new(), detail })
    }

    /// The header that begins here; decodes until it is complete.
    fn head(&mut self) -> std::io::Result<Found> {
        loop {
            match D::head(self.members.unread()) {
                Found::Part if self.members.unread().len() <= MAX_HEADER_BYTES => {
                    if self.members.more()? != More::Bytes {
                        return Ok(Found::Part);
                    }
                }
                Found::Head(head) if head.header_bytes > MAX_HEADER_BYTES => return Ok(Found::Part),
                found => return Ok(found),
            }
        }
    }

    fn block(&mut self, begin: Begin, head: Head) -> std::io::Result<Item> {
        let (type_name, max) = (&head.type_name, self.max_record_bytes);
        self.members.consume(head.header_bytes);
        let Some(block_bytes) = head.block_bytes else {
            let detail = format!("{type_name}: no usable length");
            self.pass_to_next_record(false)?;
            return Ok(skip(SkipReason::BadRecord, begin, &head, detail));
        };
        if block_bytes > self.max_left() {
            let passed = self.pass_to_next_record(false)?;
            return Ok(skip(SkipReason::Truncated, begin, &head, remains(&head, block_bytes, passed)));
        }
        if block_bytes > max {
            return self.too_long(begin, &head, block_bytes);
        }
        let count = block_bytes as usize;
        let mut known = 0;
        while self.members.unread().len() < count {
            if let Some(boundary) = self.next_record_among_members(known, count) {
                self.members.consume(boundary);
                return Ok(skip(SkipReason::Truncated, begin, &head, remains(&head, block_bytes, boundary as u64)));
            }
            known = self.members.unread().len();
            if self.members.more()? != More::Bytes {
                let end = D::find(self.members.unread(), true).unwrap_or(known);
                self.members.consume(end);
                return Ok(skip(SkipReason::Truncated, begin, &head, remains(&head, block_bytes, end as u64)));
            }
        }
        if let Some(boundary) = self.next_record_among_members(known, count) {
            self.members.consume(boundary);
            return Ok(skip(SkipReason::Truncated, begin, &head, remains(&head, block_bytes, boundary as u64)));
        }
        if !self.ends_well(count)? {
            if self.members.fails_ahead(count + LOOK_AHEAD_BYTES)? {
                // The damage may be in the length.
                let all = self.members.unread().len();
                self.members.consume(all);
                return Ok(skip(SkipReason::BadCompression, begin, &head, type_name.clone()));
            }
            if let Some(end) = D::find(&self.members.unread()[..count], true) {
                self.members.consume(end);
                return Ok(skip(SkipReason::Truncated, begin, &head, remains(&head, block_bytes, end as u64)));
            }
        }
        let item = judge(begin, head, &self.members.unread()[..count]);
        self.members.consume(count);
        Ok(item)
    }

    /// How long a block can be, given the rest of the file.
    fn max_left(&self) -> u64 {
        let Some(file_bytes) = self.file_bytes else { return ABSURD_BYTES };
        let unread = self.members.unread().len() as u64;
        let undecoded = file_bytes.saturating_sub(self.members.file_offset());
        match self.members.codec() {
            Codec::Plain => unread + undecoded,
            Codec::Gzip => {
                (unread + MAX_HEADER_BYTES as u64).saturating_add(undecoded.saturating_mul(MAX_DEFLATE_RATIO))
            }
            Codec::Zstd | Codec::Lz4 | Codec::Xz | Codec::Bzip2 => ABSURD_BYTES,
        }
    }

    /// The position within the block at which a member begins with a record; then the block's length is wrong, or its end is missing.
    fn next_record_among_members(&self, known: usize, count: usize) -> Option<usize> {
        let unread = self.members.unread();
        let here = (self.members.begins_member() && known == 0).then_some(0);
        let starts = here.into_iter().chain(self.members.boundaries_from(known.saturating_sub(D::OVERLAP_BYTES)));
        starts.take_while(|at| *at < count).find(|at| D::begins(&unread[*at..]))
    }

    /// True when a block of `count` bytes is followed by a record, the end, or damage.
    fn ends_well(&mut self, count: usize) -> std::io::Result<bool> {
        loop {
            let behind = &self.members.unread()[count..];
            let blanks = behind.iter().take_while(|byte| is_blank(**byte)).count();
            if blanks == behind.len() && (self.members.next_member_follows() || blanks > LOOK_BEHIND_BYTES) {
                return Ok(true);
            }
            if D::begins(&behind[blanks..]) {
                return Ok(true);
            }
            if behind.len() - blanks >= LOOK_BEHIND_BYTES.max(D::OVERLAP_BYTES) {
                return Ok(false);
            }
            // The next member is not decoded where this is not needed: a record that ends with its member is simple.
            if matches!(self.members.more_of_member()?, Some(More::End | More::Damaged)) {
                return Ok(blanks == self.members.unread().len() - count);
            }
        }
    }

    /// Skips a block that is longer than the limit, without holding it in memory.
    fn too_long(&mut self, begin: Begin, head: &Head, block_bytes: u64) -> std::io::Result<Item> {
        let mut left = block_bytes;
        loop {
            let ready = usize::try_from(left).unwrap_or(usize::MAX).min(self.members.unread().len());
            if let Some(boundary) = self.next_record_among_members(0, ready) {
                self.members.consume(boundary);
                left -= boundary as u64;
                break;
            }
            self.members.consume(ready);
            left -= ready as u64;
            if left == 0 {
                let detail = format!("{}: {block_bytes} bytes, the limit is {}", head.type_name, self.max_record_bytes);
                return Ok(skip(SkipReason::TooLong, begin, head, detail));
            }
            if self.members.more()? != More::Bytes {
                break;
            }
        }
        Ok(skip(SkipReason::Truncated, begin, head, remains(head, block_bytes, block_bytes - left)))
    }

    /// Skips data that does not begin a record.
    fn junk(&mut self, begin: Begin) -> std::io::Result<Item> {
        let unread = self.members.unread();
        let is_header = D::begins(unread);
        let sample = String::from_utf8_lossy(&unread[..unread.len().min(24)]).into_owned();
        let passed = self.pass_to_next_record(true)?;
        let (reason, problem) = match is_header {
            true if self.members.unread().is_empty() && passed <= MAX_HEADER_BYTES as u64 => {
                (SkipReason::Truncated, "the archive ends inside the record's header")
            }
            true => (SkipReason::BadRecord, "the record's header does not end"),
            false => (SkipReason::BadRecord, "bytes that belong to no record"),
        };
        let detail = format!("damage: {problem}, {passed} bytes from {sample:?} on");
        Ok(Item::Skip(Skip { reason, offset: begin.offset, length: 0, url: String::new(), detail }))
    }

    /// Skips bytes up to a line that begins a record, up to the end, or up to damage; returns how many.
    fn pass_to_next_record(&mut self, beyond_first: bool) -> std::io::Result<u64> {
        let mut passed = 0;
        let mut line_start = !beyond_first;
        if beyond_first {
            self.members.consume(1);
            passed = 1;
        }
        loop {
            // A member begins a line, whatever stands before it.
            let line_starts = line_start || self.members.begins_member();
            let found = D::find(self.members.unread(), line_starts);
            let boundary = self.members.boundaries().find(|at| D::begins(&self.members.unread()[*at..]));
            if let Some(at) = [found, boundary].into_iter().flatten().min() {
                self.members.consume(at);
                return Ok(passed + at as u64);
            }
            let unread = self.members.unread();
            let gone = unread.len().saturating_sub(D::OVERLAP_BYTES);
            if gone > 0 {
                line_start = unread[gone - 1] == b'\n';
                self.members.consume(gone);
                passed += gone as u64;
            }
            if self.members.more()? != More::Bytes {
                let rest = self.members.unread().len();
                self.members.consume(rest);
                return Ok(passed + rest as u64);
            }
        }
    }

    /// Continues after a damaged member, with one skip for the member, which takes over what is known of the record in it.
    fn recovered(&mut self, begin: Begin, inside: Option<Item>) -> std::io::Result<Item> {
        let Some((damage, passed)) = self.members.recover()? else {
            return Ok(inside.unwrap_or_else(|| Item::Skip(nothing_known(begin))));
        };
        let inside_is_none = inside.is_none();
        let (type_name, url) = match inside {
            Some(Item::Record(record)) => (if record.http { "response" } else { "resource" }.to_owned(), record.url),
            // Every detail begins with the record's type.
            Some(Item::Skip(skip)) => (skip.detail.split(':').next().unwrap_or("damage").to_owned(), skip.url),
            None => ("damage".to_owned(), String::new()),
        };
        let detail = format!("{type_name}: {} at byte {}, {passed} bytes passed", damage.problem, damage.offset);
        let (offset, length) = match begin.member {
            _ if inside_is_none => (damage.offset, passed),
            Some(member) => (member, damage.offset + passed - member),
            None => (begin.offset, 0),
        };
        Ok(Item::Skip(Skip { reason: SkipReason::BadCompression, offset, length, url, detail }))
    }

    /// Sets the position of the next record, after an item.
    fn note_position(&mut self) {
        self.position.items += 1;
        match self.members.next_member() {
            Some(file) => {
                self.position.anchor = file;
                self.position.items = 0;
                self.anchor_logical = self.members.place().logical;
            }
            None => self.position.counted = true,
        }
    }
}

impl<D: Dialect> Archive for Records<D> {
    fn next(&mut self) -> Result<Option<Item>> {
        let item = self.read().map_err(Error::io(&self.path, "reading"))?;
        match &item {
            Some(_) if std::mem::take(&mut self.passed_blanks) => {}
            Some(_) => self.note_position(),
            // Padding after the last record was skipped.
            None => self.position.anchor = self.members.next_member().unwrap_or(self.position.anchor),
        }
        Ok(item)
    }

    fn position(&self) -> u64 {
        self.position.pack(IN_FILE)
    }

    fn end(&self) -> Option<u64> {
        self.file_bytes
    }

    fn progress(&self) -> u64 {
        self.members.file_offset()
    }
}

/// Turns a complete record into an item: a record that may hold a page, or a skip with the reason.
fn judge(begin: Begin, head: Head, block: &[u8]) -> Item {
    let content_type = head.content_type.as_deref().unwrap_or("").trim_start().to_ascii_lowercase();
    let is_http_url = is_web(&head.url);
    let form = match head.kind {
        // Records of WAT and WET files.
        Kind::Other(SkipReason::Metadata) if is_http_url && content_type.starts_with("application/json") => Form::Links,
        Kind::Other(SkipReason::Conversion) if is_http_url && content_type.starts_with("text/plain") => Form::Text,
        _ => Form::Page,
    };
    let is_http = match head.kind {
        Kind::Other(_) if form != Form::Page => false,
        Kind::Other(reason) => {
            let detail = head.type_name.clone();
            return skip(reason, begin, &head, detail);
        }
        Kind::Resource => false,
        Kind::Response => content_type.starts_with("application/http") || block.starts_with(b"HTTP/"),
    };
    if head.url.is_empty() {
        let detail = format!("{}: no URL", head.type_name);
        return skip(SkipReason::BadRecord, begin, &head, detail);
    }
    if !is_http_url {
        let detail = format!("{}: {}", head.type_name, head.url);
        return skip(SkipReason::NotWeb, begin, &head, detail);
    }
    if !is_http
        && form == Form::Page
        && let Some(content_type) = head.content_type.as_deref()
        && !is_html_type(content_type)
        && !is_of_owner(&head.url)
    {
        let detail = format!("{}: {content_type}", head.type_name);
        return skip(SkipReason::NotHtml, begin, &head, detail);
    }
    let name = RecordName { id: head.id, digest: head.digest };
    Item::Record(RawRecord {
        form,
        url: head.url,
        date_ms: head.date_ms,
        offset: begin.offset,
        length: 0,
        pointer: None,
        name: Some(name).filter(|name| *name != RecordName::default()).map(Box::new),
        http: is_http,
        content_type: head.content_type.filter(|_| !is_http),
        language: Lang::UNKNOWN,
        block: block.to_vec(),
    })
}

fn is_web(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or("");
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn skip(reason: SkipReason, begin: Begin, head: &Head, detail: String) -> Item {
    Item::Skip(Skip { reason, offset: begin.offset, length: 0, url: head.url.clone(), detail })
}

fn remains(head: &Head, block_bytes: u64, remaining: u64) -> String {
    format!("{}: Content-Length is {block_bytes}, {remaining} bytes remain", head.type_name)
}

fn nothing_known(begin: Begin) -> Skip {
    let detail = format!("no data after {} decompressed bytes", begin.logical);
    Skip { reason: SkipReason::BadCompression, offset: begin.offset, length: 0, url: String::new(), detail }
}
