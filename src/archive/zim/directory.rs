//! The header of a ZIM, its types, and its directory: where the entries and clusters lie.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::files;

/// The first bytes of a ZIM.
pub(super) const MAGIC: &[u8] = b"ZIM\x04";
/// Length of the header, without the place of the checksum, which old files lack.
const HEADER_BYTES: usize = 72;
/// Versions that are read.
const VERSIONS: std::ops::RangeInclusive<u16> = 5..=6;
/// The most bytes that the list of types may have, with the bytes between the types.
const MAX_TYPES_BYTES: u64 = 64 << 10;
/// The longest path of an entry.
const MAX_PATH_BYTES: u64 = 64 << 10;
/// How many bytes are read at once, of entries in order and of entries anywhere: most entries are shorter.
const IN_ORDER_BYTES: usize = 64 << 10;
const ANYWHERE_BYTES: usize = 512;
/// How many clusters a ZIM may have: 8 TiB of them, as they are usually made.
const MAX_CLUSTERS: u32 = 1 << 22;

/// In place of a type: another entry is named.
const REDIRECT: u16 = 0xffff;
/// These values in place of a type mean that there is nothing here: `0xfffe` is the target of a link, `0xfffd` was deleted.
const NOTHING: [u16; 2] = [0xfffe, 0xfffd];

/// A result whose inner error says in words what is not as the format requires.
pub(super) type Found<T> = io::Result<Result<T, String>>;

/// An entry of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) namespace: u8,
    /// Not escaped.
    pub(super) path: String,
    pub(super) content: Content,
}

/// What an entry stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A part of a cluster, of a type in the list of types.
    Blob { kind: u16, cluster: u32, blob: u32 },
    /// The entry of this number.
    Redirect(u32),
    /// Nothing any more.
    Nothing,
}

/// An entry without its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) namespace: u8,
    pub(super) content: Content,
    path_at: u64,
}

/// The directory of a ZIM, with the file from which entries are read when they are needed.
pub(super) struct Directory {
    /// For entries that are read one after the other.
    in_order: Reader,
    /// For single ones.
    anywhere: Reader,
    /// Length of the file.
    pub(super) bytes: u64,
    /// True where all content is in one namespace, `C`.
    pub(super) is_new: bool,
    /// How many entries there are.
    pub(super) count: u32,
    clusters: u32,
    clusters_at: u64,
    types: Vec<String>,
}

impl Directory {
    /// Reads the header and the list of types.
    pub(super) fn open(path: &Path) -> Found<Directory> {
        let file = files::open(path)?;
        let bytes = file.metadata()?.len();
        let mut pointers = Places::new(file, bytes, IN_ORDER_BYTES);
        let mut header = [0; HEADER_BYTES];
        if !pointers.read(0, &mut header)? {
            return Ok(Err(format!("a ZIM that ends within its header, after {bytes} bytes: it was cut off")));
        }
        let version = u16::from_le_bytes([header[4], header[5]]);
        if !VERSIONS.contains(&version) {
            let (first, last) = VERSIONS.into_inner();
            return Ok(Err(format!("a ZIM of version {version}, this program reads {first} to {last}")));
        }
        let minor = u16::from_le_bytes([header[6], header[7]]);
        let (count, clusters) = (number(&header[24..28]) as u32, number(&header[28..32]) as u32);
        let (entries_at, clusters_at) = (number(&header[32..40]), number(&header[48..56]));
        for (what, at, count) in [("entries", entries_at, count), ("clusters", clusters_at, clusters)] {
            let end = at.saturating_add(u64::from(count) * 8);
            if end > bytes {
                return Ok(Err(format!(
                    "a ZIM whose list of {what} ends at byte {end}, the file has {bytes}: it was cut off, or is a part \
                     of a split one; {JOIN}"
                )));
            }
        }
        if clusters > MAX_CLUSTERS {
            return Ok(Err(format!("a ZIM of {clusters} clusters, expected no more than {MAX_CLUSTERS}")));
        }
        let types = match pointers.types(number(&header[56..64]))? {
            Ok(types) => types,
            Err(problem) => return Ok(Err(problem)),
        };
        let reader = |pointers, buffer_bytes| -> io::Result<Reader> {
            Ok(Reader { pointers, entries: Places::new(files::open(path)?, bytes, buffer_bytes), entries_at, count })
        };
        let in_order = reader(pointers, IN_ORDER_BYTES)?;
        let anywhere = reader(Places::new(files::open(path)?, bytes, ANYWHERE_BYTES), ANYWHERE_BYTES)?;
        let is_new = version > 5 && minor > 0;
        Ok(Ok(Directory { in_order, anywhere, bytes, is_new, count, clusters, clusters_at, types }))
    }

    /// The type of that number.
    pub(super) fn kind(&self, kind: u16) -> Option<&str> {
        self.types.get(usize::from(kind)).map(String::as_str)
    }

    /// The namespace of pages.
    pub(super) fn namespace(&self) -> u8 {
        if self.is_new { b'C' } else { b'A' }
    }

    /// The entry of this number; for reading entries in ascending order.
    pub(super) fn entry(&mut self, number: u32) -> Found<Entry> {
        self.in_order.entry(number)
    }

    /// The same without its path.
    pub(super) fn entry_head(&mut self, number: u32) -> Found<Head> {
        self.in_order.head(number)
    }

    /// The entry of any number.
    pub(super) fn entry_anywhere(&mut self, number: u32) -> Found<Entry> {
        self.anywhere.entry(number)
    }

    /// The entry with this path, found by binary search; `None` where there is none. An entry that cannot be read is an error, since it
    /// does not show on which side of it the path lies.
    pub(super) fn find(&mut self, namespace: u8, path: &str) -> Found<Option<Entry>> {
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = from + (to - from) / 2;
            let entry = match self.anywhere.entry(middle)? {
                Ok(entry) => entry,
                Err(problem) => return Ok(Err(format!("entry {middle}, on the way to it: {problem}"))),
            };
            match (entry.namespace, entry.path.as_bytes()).cmp(&(namespace, path.as_bytes())) {
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
                Ordering::Equal => return Ok(Ok(Some(entry))),
            }
        }
        Ok(Ok(None))
    }

    /// Where the clusters lie.
    pub(super) fn extents(&mut self) -> io::Result<Extents> {
        let mut starts = Vec::with_capacity(self.clusters as usize);
        let mut pointer = [0; 8];
        for cluster in 0..self.clusters {
            if !self.in_order.pointers.read(self.clusters_at + u64::from(cluster) * 8, &mut pointer)? {
                break;
            }
            starts.push(number(&pointer));
        }
        Ok(Extents::new(starts, self.bytes))
    }
}

/// Reads entries.
struct Reader {
    pointers: Places,
    entries: Places,
    entries_at: u64,
    count: u32,
}

impl Reader {
    fn entry(&mut self, number: u32) -> Found<Entry> {
        let Head { namespace, content, path_at } = match self.head(number)? {
            Ok(head) => head,
            Err(problem) => return Ok(Err(problem)),
        };
        let Some(path) = self.entries.text(path_at, MAX_PATH_BYTES)? else {
            return Ok(Err(format!("its path is longer than {MAX_PATH_BYTES} bytes, or the file ends in it")));
        };
        Ok(Ok(Entry { namespace, path, content }))
    }

    fn head(&mut self, number_of: u32) -> Found<Head> {
        let mut pointer = [0; 8];
        let is_there = number_of < self.count;
        if !is_there || !self.pointers.read(self.entries_at + u64::from(number_of) * 8, &mut pointer)? {
            return Ok(Err(format!("entry {number_of} of {}", self.count)));
        }
        let at = number(&pointer);
        let bytes = self.entries.bytes;
        let beyond = || Err(format!("its entry is at byte {at}, the file has {bytes}"));
        let mut fixed = [0; 12];
        // An entry ends with two texts, so at least two bytes follow.
        if !self.entries.read(at, &mut fixed[..8])? {
            return Ok(beyond());
        }
        let kind = u16::from_le_bytes([fixed[0], fixed[1]]);
        let namespace = fixed[3];
        let (content, length) = if NOTHING.contains(&kind) {
            (Content::Nothing, 8)
        } else {
            if !self.entries.read(at + 8, &mut fixed[..4])? {
                return Ok(beyond());
            }
            let first = number(&fixed[..4]) as u32;
            if kind == REDIRECT {
                (Content::Redirect(first), 12)
            } else {
                if !self.entries.read(at + 12, &mut fixed[..4])? {
                    return Ok(beyond());
                }
                (Content::Blob { kind, cluster: first, blob: number(&fixed[..4]) as u32 }, 16)
            }
        };
        Ok(Ok(Head { namespace, content, path_at: at + length }))
    }
}

/// What to do with a split ZIM.
pub(super) const JOIN: &str = "join its parts, as in `cat x.zim?? > x.zim`, and give the whole";

/// Where clusters begin, and where each ends at the latest.
#[derive(Default)]
pub(super) struct Extents {
    starts: Vec<u64>,
    /// By start.
    sorted: Vec<(u64, u32)>,
    end: u64,
}

impl Extents {
    fn new(starts: Vec<u64>, end: u64) -> Extents {
        let mut sorted: Vec<(u64, u32)> = starts.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        Extents { starts, sorted, end }
    }

    /// The range of bytes in which a cluster lies. If several clusters began at the same place, the same bytes would be read once for each,
    /// so only the first of them has a range.
    pub(super) fn of(&self, cluster: u32) -> Result<std::ops::Range<u64>, String> {
        let Some(&start) = self.starts.get(cluster as usize) else {
            return Err(format!("cluster {cluster} of {}", self.starts.len()));
        };
        if start >= self.end {
            return Err(format!("cluster {cluster} is at byte {start}, the file has {}", self.end));
        }
        let first = self.sorted.partition_point(|(other, _)| *other < start);
        if let Some((_, other)) = self.sorted.get(first).filter(|(_, other)| *other != cluster) {
            return Err(format!("cluster {cluster} begins where cluster {other} does"));
        }
        let next = self.sorted.partition_point(|(other, _)| *other <= start);
        Ok(start..self.sorted.get(next).map_or(self.end, |(other, _)| *other).min(self.end))
    }
}

/// A number from its lowest byte on.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A file that is read at places.
struct Places {
    file: BufReader<File>,
    /// The position of the reader in the file; `None` where it is not known.
    at: Option<u64>,
    bytes: u64,
}

impl Places {
    fn new(file: File, bytes: u64, buffer_bytes: usize) -> Places {
        Places { file: BufReader::with_capacity(buffer_bytes, file), at: None, bytes }
    }

    fn go(&mut self, to: u64) -> io::Result<()> {
        let by = self.at.and_then(|at| to.checked_signed_diff(at));
        match by {
            Some(by) => self.file.seek_relative(by)?,
            None => drop(self.file.seek(SeekFrom::Start(to))?),
        }
        self.at = None;
        Ok(())
    }

    /// Fills `buffer` with the bytes from a place on; false where the file has fewer.
    fn read(&mut self, from: u64, buffer: &mut [u8]) -> io::Result<bool> {
        let end = from.saturating_add(buffer.len() as u64);
        if end > self.bytes {
            return Ok(false);
        }
        self.go(from)?;
        match self.file.read_exact(buffer) {
            Ok(()) => {
                self.at = Some(end);
                Ok(true)
            }
            // The file has become shorter since it was opened.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The text that begins here and ends with a zero byte; `None` where no zero byte follows.
    fn text(&mut self, from: u64, max_bytes: u64) -> io::Result<Option<String>> {
        if from >= self.bytes {
            return Ok(None);
        }
        self.go(from)?;
        let mut text = Vec::new();
        self.file.by_ref().take(max_bytes).read_until(0, &mut text)?;
        self.at = Some(from + text.len() as u64);
        let is_whole = text.pop() == Some(0);
        Ok(is_whole.then(|| String::from_utf8_lossy(&text).into_owned()))
    }

    /// The list of types, which ends with an empty one.
    fn types(&mut self, from: u64) -> Found<Vec<String>> {
        let (mut types, mut at) = (Vec::new(), from);
        loop {
            let left = MAX_TYPES_BYTES.saturating_sub(at.saturating_sub(from));
            match self.text(at, left)? {
                Some(kind) if kind.is_empty() => return Ok(Ok(types)),
                Some(kind) => types.push(kind),
                None => return Ok(Err(format!("a ZIM whose list of types at byte {from} does not end"))),
            }
            at = self.at.unwrap_or(u64::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Layout, Sample};
    use super::*;

    fn of(bytes: &[u8]) -> Result<Directory, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("room on the disk");
        Directory::open(file.path()).expect("readable")
    }

    fn sample() -> Vec<u8> {
        let mut sample = Sample::new(Layout::default());
        sample.add(b'M', "Name", "text/plain", b"x");
        sample.add(b'C', "b/\u{e9} ?", "text/html", b"<p>");
        sample.redirect(b'C', "a", b'C', "b/\u{e9} ?");
        sample.bytes()
    }

    #[test]
    fn entries_are_found_by_number_and_by_path() {
        let mut directory = of(&sample()).expect("a directory");
        assert!(directory.is_new && directory.count == 3);
        let entries: Vec<Entry> = (0..3).map(|at| directory.entry(at).expect("readable").expect("sound")).collect();
        assert_eq!(entries[0].content, Content::Redirect(1));
        assert_eq!((entries[1].namespace, entries[1].path.as_str()), (b'C', "b/\u{e9} ?"));
        for entry in entries {
            assert_eq!(directory.find(entry.namespace, &entry.path).expect("readable"), Ok(Some(entry)));
        }
        assert_eq!(directory.find(b'C', "b").expect("readable"), Ok(None));
        assert!(directory.entry(3).expect("readable").is_err());
        assert_eq!((directory.kind(0), directory.kind(9)), (Some("text/html"), None));
    }

    #[test]
    fn entries_are_the_same_in_order_anywhere_and_without_their_paths() {
        let mut sample = Sample::new(Layout::default());
        for at in 0..300 {
            sample.add(b'C', &format!("{at}{}", "x".repeat(at * 3)), "text/html", b"<p>");
        }
        let mut directory = of(&sample.bytes()).expect("a directory");
        for number in (0..300).map(|at| at * 7 % 301).chain([300]) {
            let entry = directory.entry(number).expect("readable");
            assert_eq!(directory.entry_anywhere(number).expect("readable"), entry);
            let head = directory.entry_head(number).expect("readable");
            assert_eq!(
                head.map(|head| (head.namespace, head.content)),
                entry.map(|entry| (entry.namespace, entry.content))
            );
        }
    }

    #[test]
    fn an_entry_that_cannot_be_read_does_not_hide_others() {
        let mut bytes = sample();
        let list = number(&bytes[32..40]) as usize;
        bytes[list + 8..list + 16].fill(0xff);
        let mut directory = of(&bytes).expect("a directory");
        assert!(directory.entry(0).expect("readable").is_ok() && directory.entry(2).expect("readable").is_ok());
        let problem = directory.find(b'M', "Name").expect("readable").expect_err("the middle is damaged");
        assert!(problem.starts_with("entry 1, on the way to it: its entry is at byte"), "{problem}");
    }

    #[test]
    fn what_is_no_directory_says_why() {
        let whole = sample();
        let changed = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            of(&bytes).err().unwrap_or_default()
        };
        assert!(of(&whole[..40]).err().expect("cut").contains("within its header"));
        assert!(of(&whole[..whole.len() - 20]).err().expect("cut").contains("cat x.zim??"));
        assert!(changed(4, 7).contains("version 7, this program reads 5 to 6"));
        assert!(changed(39, 0xff).contains("list of entries ends at byte"));
        assert!(changed(30, 0xff).contains("list of clusters ends at byte"));
        assert!(changed(59, 0xff).contains("list of types"));
    }

    #[test]
    fn clusters_that_begin_together_are_read_once() {
        let extents = Extents::new(vec![50, 10, 50, 90, 100], 100);
        assert_eq!([extents.of(0), extents.of(1), extents.of(3)], [Ok(50..90), Ok(10..50), Ok(90..100)]);
        assert_eq!(extents.of(2), Err("cluster 2 begins where cluster 0 does".to_owned()));
        assert_eq!(extents.of(4), Err("cluster 4 is at byte 100, the file has 100".to_owned()));
        assert_eq!(extents.of(5), Err("cluster 5 of 5".to_owned()));
    }
}
