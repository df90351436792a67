//! A cluster of a ZIM: blobs that are compressed together, read one after the other.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::ops::Range;
use std::path::Path;

use super::directory::number;
use crate::archive::codec::{Codec, Stream, refuse_window};
use crate::archive::format::Params;
use crate::files;
use crate::types::SkipReason;

/// How many pages of the greatest length may lie before the end of a page in a compressed cluster. Usual clusters have 2 MiB, or a single
/// blob that is longer.
const PAGES_BEFORE: u64 = 4;
/// The limit of decompression is at least the first of these, and at most the second unless a single page may be longer.
const MIN_BYTES: u64 = 64 << 20;
const MAX_BYTES: u64 = 256 << 20;

/// How many bytes of offsets are read at once where many offsets are passed over.
const OFFSETS_AT_ONCE_BYTES: u64 = 64 << 10;

/// How much of a compressed cluster is decompressed at most, when pages may have `max_record_bytes`.
pub(super) fn max_bytes(max_record_bytes: u64) -> u64 {
    (max_record_bytes.saturating_mul(PAGES_BEFORE)).clamp(MIN_BYTES, MAX_BYTES).max(max_record_bytes)
}

/// Why a blob or a cluster is not read.
pub(super) type Bad = (SkipReason, String);

/// The range of bytes of a blob in its uncompressed cluster.
pub(super) type Place = Result<Range<u64>, Bad>;

/// A cluster being read.
pub(super) struct Cluster {
    input: Input,
    /// The position in the uncompressed cluster that reading has reached.
    at: u64,
    /// Bytes of an offset.
    width: u64,
    /// The position in the uncompressed cluster at which it ends at the latest.
    end: u64,
    /// The reason why it cannot be read any further. All blobs from there on get this reason, in whichever order they are read.
    failed: Option<Bad>,
}

enum Input {
    Plain(BufReader<File>),
    Coded(Decoded),
}

impl Cluster {
    /// Begins to read the cluster that lies in this range of the file. If it is compressed, at most `max_bytes` of it are decompressed.
    pub(super) fn open(
        path: &Path,
        place: Range<u64>,
        max_bytes: u64,
        params: &Params,
    ) -> io::Result<Result<Cluster, Bad>> {
        let mut file = BufReader::with_capacity(64 << 10, files::open(path)?);
        file.seek(SeekFrom::Start(place.start))?;
        let mut head = [0];
        if let Err(error) = file.read_exact(&mut head) {
            return bad(error).map(Err);
        }
        let (start, width) = (place.start + 1, if head[0] & 0x10 == 0 { 4 } else { 8 });
        let bytes = place.end.saturating_sub(start);
        let codec = match head[0] & 0x0f {
            0 | 1 => return Ok(Ok(Cluster { input: Input::Plain(file), at: 0, width, end: bytes, failed: None })),
            4 => Codec::Xz,
            5 => Codec::Zstd,
            other => {
                let name = [(2, "zlib"), (3, "bzip2")].iter().find(|(code, _)| *code == other);
                let name = name.map_or(String::new(), |(_, name)| format!(" ({name}, given up in 2010)"));
                let detail = format!("a cluster in compression {other}{name}, expected none, 4 (xz) or 5 (zstd)");
                return Ok(Err((SkipReason::BadCompression, detail)));
            }
        };
        let mut input = file.take(bytes);
        if let Some(problem) = refuse_window(input.fill_buf()?, params.max_window_bytes) {
            return Ok(Err((SkipReason::BadCompression, problem)));
        }
        let stream = match codec.stream(&[]) {
            Ok(stream) => stream,
            Err(problem) => return Ok(Err((SkipReason::BadCompression, problem))),
        };
        let input = Input::Coded(Decoded { input, stream, has_ended: false });
        Ok(Ok(Cluster { input, at: 0, width, end: max_bytes, failed: None }))
    }

    /// The places of these blobs in the cluster, or what is wrong with each. The blobs come in ascending order, and one may be named twice.
    /// Must be called before any blob is read.
    pub(super) fn places(&mut self, blobs: &[u32]) -> io::Result<Result<Vec<Place>, Bad>> {
        match self.read_places(blobs) {
            Ok(places) => Ok(places),
            Err(error) => bad(error).map(Err),
        }
    }

    fn read_places(&mut self, blobs: &[u32]) -> io::Result<Result<Vec<Place>, Bad>> {
        let first = self.offset()?;
        if first % self.width != 0 || first < self.width {
            let detail = format!("a cluster whose first offset is {first}, expected a multiple of {}", self.width);
            return Ok(Err((SkipReason::BadRecord, detail)));
        }
        let count = first / self.width - 1;
        let mut places: Vec<Place> = Vec::with_capacity(blobs.len());
        // The number of the next offset, the offset that was read last, and the highest one so far. A blob that begins before the highest
        // one is bad, no matter which blobs are asked for.
        let (mut next, mut offset, mut highest) = (0, first, first);
        for (at, &blob) in blobs.iter().enumerate() {
            if at > 0 && blobs[at - 1] == blob {
                places.extend(places.last().cloned());
                continue;
            }
            let blob = u64::from(blob);
            if blob >= count {
                places.push(Err((SkipReason::BadRecord, format!("blob {blob} of a cluster that has {count}"))));
                continue;
            }
            if next < blob {
                highest = highest.max(self.highest_offset(blob - next - 1)?);
                offset = self.offset()?;
            }
            let start = offset;
            highest = if start <= self.end { highest.max(start) } else { highest };
            offset = self.offset()?;
            next = blob + 1;
            places.push(if start < highest || offset < start {
                Err((SkipReason::BadRecord, format!("blob {blob} goes from byte {start} of its cluster to {offset}")))
            } else {
                Ok(start..offset)
            });
        }
        Ok(Ok(places))
    }

    /// The bytes at a place, which must not begin before the end of the place that was read last.
    pub(super) fn read(&mut self, place: Range<u64>, max_bytes: u64) -> io::Result<Result<Vec<u8>, Bad>> {
        let bytes = place.end - place.start;
        if bytes > max_bytes {
            return Ok(Err((SkipReason::TooLong, format!("{bytes} bytes, the limit is {max_bytes}"))));
        }
        if place.end > self.end {
            let (reason, what) = match self.input {
                Input::Plain(_) => (SkipReason::Truncated, "has"),
                Input::Coded(_) => (SkipReason::TooLong, "is read up to"),
            };
            return Ok(Err((reason, format!("ends at byte {} of a cluster that {what} {}", place.end, self.end))));
        }
        if place.start < self.at {
            let detail = format!("begins at byte {} of its cluster, within the one before", place.start);
            return Ok(Err((SkipReason::BadRecord, detail)));
        }
        if let Some(bad) = &self.failed {
            return Ok(Err(bad.clone()));
        }
        let mut block = Vec::new();
        let read = self.pass(place.start - self.at).and_then(|()| self.take(bytes, &mut block));
        match read {
            Ok(()) => Ok(Ok(block)),
            Err(error) => Ok(Err(self.failed.insert(bad(error)?).clone())),
        }
    }

    /// The highest of the next `count` offsets, without those beyond the end of the cluster; 0 if there is none.
    fn highest_offset(&mut self, count: u64) -> io::Result<u64> {
        let (mut highest, mut left, mut offsets) = (0, count.saturating_mul(self.width), Vec::new());
        while left > 0 {
            let bytes = left.min(OFFSETS_AT_ONCE_BYTES);
            offsets.clear();
            self.take(bytes, &mut offsets)?;
            highest = offsets
                .chunks_exact(self.width as usize)
                .map(number)
                .filter(|offset| *offset <= self.end)
                .fold(highest, u64::max);
            left -= bytes;
        }
        Ok(highest)
    }

    fn offset(&mut self) -> io::Result<u64> {
        let mut offset = Vec::with_capacity(8);
        self.take(self.width, &mut offset)?;
        Ok(number(&offset))
    }

    fn pass(&mut self, bytes: u64) -> io::Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let to = self.at.saturating_add(bytes);
        if to > self.end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match &mut self.input {
            // Relative seeking keeps what is in the buffer, which pays since blobs are short.
            Input::Plain(file) => {
                file.seek_relative(i64::try_from(bytes).map_err(|_| io::ErrorKind::UnexpectedEof)?)?
            }
            Input::Coded(decoded) => {
                if io::copy(&mut decoded.take(bytes), &mut io::sink())? < bytes {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        self.at = to;
        Ok(())
    }

    fn take(&mut self, bytes: u64, into: &mut Vec<u8>) -> io::Result<()> {
        let to = self.at.saturating_add(bytes);
        let read = match &mut self.input {
            _ if to > self.end => 0,
            Input::Plain(file) => file.take(bytes).read_to_end(into)?,
            Input::Coded(decoded) => decoded.take(bytes).read_to_end(into)?,
        };
        if (read as u64) < bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at = to;
        Ok(())
    }
}

/// The reason that an error gives for skipping a cluster; errors of the disk are returned as errors.
fn bad(error: io::Error) -> io::Result<Bad> {
    match error.kind() {
        io::ErrorKind::InvalidData => Ok((SkipReason::BadCompression, error.to_string())),
        io::ErrorKind::UnexpectedEof => Ok((SkipReason::Truncated, "its cluster ends before".to_owned())),
        _ => Err(error),
    }
}

/// One stream of compressed data.
struct Decoded {
    input: Take<BufReader<File>>,
    stream: Stream,
    has_ended: bool,
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended && !buffer.is_empty() {
            let input = self.input.fill_buf()?;
            let is_empty = input.is_empty();
            let step = self.stream.step(input, buffer);
            let step = step.map_err(|problem| io::Error::new(io::ErrorKind::InvalidData, problem))?;
            self.input.consume(step.used);
            self.has_ended = step.ended;
            if step.written > 0 {
                return Ok(step.written);
            }
            if step.used == 0 && !step.ended {
                return Err(if is_empty { io::ErrorKind::UnexpectedEof } else { io::ErrorKind::InvalidData }.into());
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    /// Calls `work` with a cluster that has other bytes before and after it.
    fn with<T>(cluster: &[u8], work: impl FnOnce(Cluster) -> T) -> T {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), [b"xyz", cluster, b"more"].concat()).expect("room on the disk");
        let place = 3..3 + cluster.len() as u64;
        work(Cluster::open(file.path(), place, MAX_BYTES, &Params::default()).expect("readable").expect("a cluster"))
    }

    #[test]
    fn blobs_are_read_in_any_compression_and_width() {
        for (coding, is_wide) in [(1, false), (0, true), (4, false), (5, false), (5, true)] {
            let blobs = [b"".to_vec(), b"one".to_vec(), vec![b'2'; 300_000], b"three".to_vec()];
            with(&sample::cluster(&blobs, coding, is_wide), |mut cluster| {
                let places = cluster.places(&[0, 2, 2, 3, 4]).expect("readable").expect("offsets");
                assert_eq!(places[1], places[2]);
                assert!(matches!(places[4], Err((SkipReason::BadRecord, _))));
                for (place, blob) in [(0, 0), (1, 2), (3, 3)] {
                    let place = places[place].clone().expect("a place");
                    assert_eq!(cluster.read(place, 1 << 20).expect("readable").as_ref(), Ok(&blobs[blob]));
                }
                let again = cluster.read(places[1].clone().expect("a place"), 1 << 20).expect("readable");
                assert!(matches!(again, Err((SkipReason::BadRecord, _))), "what was passed is not read again");
                assert!(matches!(cluster.read(9..99, 89).expect("readable"), Err((SkipReason::TooLong, _))));
            });
        }
    }

    #[test]
    fn damage_is_told_by_its_kind() {
        let blobs =
            [vec![b'1'; 1000], (0..100_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect()];
        for coding in [1, 4, 5] {
            let whole = sample::cluster(&blobs, coding, false);
            for cut in [3, 6, whole.len() / 2] {
                let reason = with(&whole[..cut], |mut cluster| match cluster.places(&[0, 1]).expect("readable") {
                    Ok(places) => match places[1].clone() {
                        Ok(place) => cluster.read(place, 1 << 20).expect("readable").expect_err("cut").0,
                        Err((reason, _)) => reason,
                    },
                    Err((reason, _)) => reason,
                });
                assert_eq!(reason, SkipReason::Truncated, "{coding} {cut}");
            }
        }
        let mut offsets = sample::cluster(&blobs, 1, false);
        offsets[5..7].copy_from_slice(&[3, 0]);
        with(&offsets, |mut cluster| assert!(cluster.places(&[0]).expect("readable").expect("offsets")[0].is_err()));
        offsets[1] = 13;
        with(&offsets, |mut cluster| assert!(cluster.places(&[0]).expect("readable").is_err()));
    }

    #[test]
    fn damaged_blobs_are_the_same_whichever_are_read_before() {
        let blobs: Vec<Vec<u8>> = (0..6_u32)
            .map(|at| {
                (0..20_000_u32).flat_map(|n| (n + at * 20_000).wrapping_mul(2_654_435_761).to_le_bytes()).collect()
            })
            .collect();
        let mut backwards = sample::cluster(&blobs, 1, false);
        // The third blob ends behind the fourth.
        backwards[1 + 3 * 4..][..4].copy_from_slice(&350_000_u32.to_le_bytes());
        let mut cut = sample::cluster(&blobs, 5, false);
        cut.truncate(cut.len() / 2);
        for bytes in [backwards, cut] {
            let read = |wanted: &[u32]| {
                with(&bytes, |mut cluster| {
                    let places = cluster.places(wanted).expect("readable").expect("offsets");
                    let read = |place: Place| place.and_then(|place| cluster.read(place, 1 << 20).expect("readable"));
                    places.into_iter().map(read).collect::<Vec<_>>()
                })
            };
            let all = read(&[0, 1, 2, 3, 4, 5]);
            assert!(all.iter().any(Result::is_err));
            for from in 0..6 {
                let wanted: Vec<u32> = (from..6).collect();
                assert_eq!(read(&wanted), all[from as usize..], "{from}");
                assert_eq!(read(&wanted[..1]), all[from as usize..][..1], "{from}");
            }
        }
    }

    #[test]
    fn a_cluster_that_becomes_far_too_long_is_left() {
        // Two offsets of 8 bytes: a blob behind the limit.
        let offsets = [24_u64, MAX_BYTES, MAX_BYTES + 5].map(u64::to_le_bytes).concat();
        let cluster = [&[0x15], zstd::encode_all(offsets.as_slice(), 1).expect("memory").as_slice()].concat();
        with(&cluster, |mut cluster| {
            let places = cluster.places(&[1]).expect("readable").expect("offsets");
            let read = cluster.read(places[0].clone().expect("a place"), 10).expect("readable");
            assert!(matches!(read, Err((SkipReason::TooLong, _))), "{read:?}");
        });
        // A list of offsets that is as long, and not there.
        let offsets = [1 << 34_u64, 0].map(u64::to_le_bytes).concat();
        let cluster = [&[0x15], zstd::encode_all(offsets.as_slice(), 1).expect("memory").as_slice()].concat();
        with(&cluster, |mut cluster| assert!(cluster.places(&[1 << 30]).expect("readable").is_err()));
    }

    #[test]
    fn a_page_of_any_length_that_is_allowed_is_decompressed() {
        for bytes in [0, 1 << 10, 16 << 20, 1 << 30] {
            assert!((MIN_BYTES..=MAX_BYTES.max(bytes)).contains(&max_bytes(bytes)) && max_bytes(bytes) >= bytes);
        }
        assert_eq!([max_bytes(32 << 20), max_bytes(100 << 20)], [128 << 20, 256 << 20]);
    }

    #[test]
    fn old_compressions_and_windows_that_take_much_are_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let open = |head: &[u8]| {
            std::fs::write(file.path(), head).expect("room on the disk");
            let params = Params { max_window_bytes: 1 << 20, ..Params::default() };
            Cluster::open(file.path(), 0..100, MAX_BYTES, &params).expect("readable").err().expect("refused").1
        };
        assert!(open(&[2]).contains("zlib") && open(&[3]).contains("bzip2") && open(&[7]).contains("compression 7"));
        assert!(open(&[5, 0x28, 0xb5, 0x2f, 0xfd, 0, 0x88]).contains("--max-window-bytes"));
    }
}
