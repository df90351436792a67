//! The compressions of archive files, each decoded as a stream, one member or frame at a time.

use std::io::{BufRead, Read};

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, Operation};

/// How an archive file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    /// Not at all.
    Plain,
    /// gzip members.
    Gzip,
    /// zstd frames.
    Zstd,
    /// LZ4 frames.
    Lz4,
    /// xz streams.
    Xz,
    /// bzip2 streams.
    Bzip2,
}

/// How long the magic numbers of members and frames are, at most.
pub(super) const MAGIC_BYTES: usize = 6;
/// How many times smaller deflate makes data at most.
pub(super) const MAX_DEFLATE_RATIO: u64 = 1032;

/// The binary logarithm of the largest window that zstd decodes.
const MAX_WINDOW_LOG: u32 = 31;
/// The largest window that zstd decodes: 2 GiB.
pub(super) const MAX_WINDOW_BYTES: u64 = 1 << MAX_WINDOW_LOG;

/// The most memory that decoding xz takes: a window of 64 MiB, as `xz -9` makes, and some room.
const MAX_XZ_BYTES: u64 = 72 << 20;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const LZ4_MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
const XZ_MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
const BZIP2_MAGIC: [u8; 3] = *b"BZh";
/// What a block of bzip2 begins with, and the end of a stream without blocks.
const BZIP2_BLOCKS: [[u8; 6]; 2] = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];

impl Codec {
    /// The codec of data beginning with `head`.
    pub(super) fn of(head: &[u8]) -> Codec {
        [Codec::Gzip, Codec::Zstd, Codec::Lz4, Codec::Xz, Codec::Bzip2]
            .into_iter()
            .find(|codec| codec.begins(head) || (*codec == Codec::Zstd && skippable(head)))
            .unwrap_or(Codec::Plain)
    }

    /// True when a member or frame begins here.
    pub(super) fn begins(self, head: &[u8]) -> bool {
        match self {
            Codec::Plain => true,
            // Deflate is method 8, and the upper flags are reserved as 0.
            Codec::Gzip => head.starts_with(&[0x1f, 0x8b, 8]) && head.get(3).is_none_or(|flags| flags & 0xe0 == 0),
            Codec::Zstd => head.starts_with(&ZSTD_MAGIC),
            Codec::Lz4 => head.starts_with(&LZ4_MAGIC),
            Codec::Xz => head.starts_with(&XZ_MAGIC),
            Codec::Bzip2 => {
                let rest = head.strip_prefix(&BZIP2_MAGIC);
                let rest = rest.filter(|rest| rest.first().is_some_and(|level| matches!(level, b'1'..=b'9')));
                rest.is_some_and(|rest| BZIP2_BLOCKS.iter().any(|block| rest[1..].starts_with(block)))
            }
        }
    }

    /// How many bytes of input suffice to decode the first bytes of any member: zstd, LZ4 and bzip2 decode whole blocks only, of up to 128 KiB,
    /// 4 MiB and 900 kB.
    pub(super) fn probe_bytes(self) -> usize {
        match self {
            Codec::Plain | Codec::Gzip => 64 << 10,
            Codec::Zstd | Codec::Xz => 192 << 10,
            Codec::Lz4 => (4 << 20) + (64 << 10),
            Codec::Bzip2 => 1 << 20,
        }
    }

    /// The first bytes of a member.
    pub(super) fn magic(self) -> &'static [u8] {
        match self {
            Codec::Plain => &[],
            Codec::Gzip => &[0x1f, 0x8b, 8],
            Codec::Zstd => &ZSTD_MAGIC,
            Codec::Lz4 => &LZ4_MAGIC,
            Codec::Xz => &XZ_MAGIC,
            Codec::Bzip2 => &BZIP2_MAGIC,
        }
    }

    /// Begins to decode a member.
    pub(super) fn stream(self, dictionary: &[u8]) -> Result<Stream, String> {
        Ok(match self {
            Codec::Plain => Stream::Plain,
            Codec::Gzip => Stream::Gzip { inflate: Box::new(Decompress::new_gzip(15)), failure: None },
            Codec::Zstd => Stream::Zstd(zstd_decoder(dictionary).map_err(|error| error.to_string())?),
            Codec::Lz4 => Stream::Lz4(Box::new(Lz4::new())),
            Codec::Xz => {
                let stream = liblzma::stream::Stream::new_stream_decoder(MAX_XZ_BYTES, 0);
                Stream::Xz { stream: stream.map_err(|error| error.to_string())?, failure: None }
            }
            Codec::Bzip2 => Stream::Bzip2 { stream: bzip2::Decompress::new(false), failure: None },
        })
    }
}

fn zstd_decoder(dictionary: &[u8]) -> std::io::Result<Decoder<'static>> {
    let mut decoder = Decoder::with_dictionary(dictionary)?;
    // Where a smaller limit applies, the window is checked before.
    decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))?;
    Ok(decoder)
}

/// The window of the zstd frame that begins with `head`, in bytes, which is the memory needed to decode it (RFC 8878, section 3.1.1).
pub(super) fn zstd_window(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(&ZSTD_MAGIC)?;
    let descriptor = *rest.first()?;
    if descriptor & 0x20 == 0 {
        let window = *rest.get(1)?;
        let base = 1_u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // In a frame of a single segment, the window is as large as the content.
    let at = 1 + [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size = rest.get(at..at + (1 << (descriptor >> 6)))?;
    let number = size.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    Some(if size.len() == 2 { number + 256 } else { number })
}

/// The error of a zstd frame whose window is larger than the limit, with advice.
pub(super) fn refuse_window(head: &[u8], max_bytes: u64) -> Option<String> {
    let max_bytes = max_bytes.min(MAX_WINDOW_BYTES);
    let bytes = zstd_window(head).filter(|&bytes| bytes > max_bytes)?;
    let remedy = if bytes > MAX_WINDOW_BYTES {
        "which no decoder takes".to_owned()
    } else {
        format!("give --max-window-bytes {bytes} to take that much memory")
    };
    Some(format!("zstd data with a window of {bytes} bytes, the limit is {max_bytes}; {remedy}"))
}

/// True for the skippable frames of zstd and LZ4, which hold no data.
pub(super) fn skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// The length of a skippable frame, including its header of 8 bytes, when `head` contains the header.
pub(super) fn skippable_length(head: &[u8]) -> Option<u64> {
    let size = head.get(4..8)?;
    Some(8 + u64::from(u32::from_le_bytes([size[0], size[1], size[2], size[3]])))
}

/// A member being decoded.
pub(super) enum Stream {
    Plain,
    /// Data decoded before a failure is returned first, and the failure by the next step.
    Gzip {
        inflate: Box<Decompress>,
        failure: Option<String>,
    },
    Zstd(Decoder<'static>),
    Lz4(Box<Lz4>),
    /// As with gzip.
    Xz {
        stream: liblzma::stream::Stream,
        failure: Option<String>,
    },
    /// As with gzip.
    Bzip2 {
        stream: bzip2::Decompress,
        failure: Option<String>,
    },
}

/// The result of one step of decoding.
#[derive(Debug, Default)]
pub(super) struct Step {
    /// Bytes of input consumed.
    pub(super) used: usize,
    /// Bytes of output written.
    pub(super) written: usize,
    /// True when the member has ended with a correct checksum.
    pub(super) ended: bool,
}

impl Stream {
    /// Prepares a stream that has ended for another member; `None` where making a new stream costs no more.
    pub(super) fn again(self) -> Option<Stream> {
        match self {
            // Loading the dictionary takes longer than decoding most records.
            Stream::Zstd(mut decoder) => decoder.reinit().is_ok().then_some(Stream::Zstd(decoder)),
            _ => None,
        }
    }

    /// Decodes some of `input` into `output`. If it neither consumes nor writes, it needs more input.
    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        match self {
            Stream::Plain => {
                let count = input.len().min(output.len());
                output[..count].copy_from_slice(&input[..count]);
                Ok(Step { used: count, written: count, ended: false })
            }
            Stream::Gzip { inflate, failure } => {
                let before = (inflate.total_in(), inflate.total_out());
                let mut decode = || {
                    let status = inflate.decompress(input, output, FlushDecompress::None);
                    let ended = status.map(|status| status == Status::StreamEnd).map_err(|error| error.to_string());
                    ((inflate.total_in() - before.0) as usize, (inflate.total_out() - before.1) as usize, ended)
                };
                step_with(failure, &mut decode)
            }
            Stream::Xz { stream, failure } => {
                let before = (stream.total_in(), stream.total_out());
                let mut decode = || {
                    let status = stream.process(input, output, liblzma::stream::Action::Run);
                    let ended = status.map(|status| status == liblzma::stream::Status::StreamEnd).map_err(of_xz);
                    ((stream.total_in() - before.0) as usize, (stream.total_out() - before.1) as usize, ended)
                };
                step_with(failure, &mut decode)
            }
            Stream::Bzip2 { stream, failure } => {
                let before = (stream.total_in(), stream.total_out());
                let mut decode = || {
                    let status = stream.decompress(input, output);
                    let ended =
                        status.map(|status| status == bzip2::Status::StreamEnd).map_err(|error| error.to_string());
                    ((stream.total_in() - before.0) as usize, (stream.total_out() - before.1) as usize, ended)
                };
                step_with(failure, &mut decode)
            }
            Stream::Zstd(decoder) => {
                let status = decoder.run_on_buffers(input, output).map_err(|error| error.to_string())?;
                Ok(Step { used: status.bytes_read, written: status.bytes_written, ended: status.remaining == 0 })
            }
            Stream::Lz4(frame) => frame.step(input, output),
        }
    }
}

/// One step of a decoder that may write before it fails: the failure is returned by the step after.
fn step_with(
    failure: &mut Option<String>,
    decode: &mut dyn FnMut() -> (usize, usize, Result<bool, String>),
) -> Result<Step, String> {
    if let Some(problem) = failure {
        return Err(problem.clone());
    }
    let (used, written, ended) = decode();
    let ended = match ended {
        Ok(ended) => ended,
        Err(problem) if written == 0 => return Err(problem),
        Err(problem) => {
            *failure = Some(problem);
            false
        }
    };
    Ok(Step { used, written, ended })
}

fn of_xz(error: liblzma::stream::Error) -> String {
    match error {
        liblzma::stream::Error::MemLimit => {
            format!(
                "xz data that takes more than {} MiB of memory, more than `xz -9` needs: decompress it with `xz -d`",
                MAX_XZ_BYTES >> 20
            )
        }
        error => error.to_string(),
    }
}

/// All of the streams of a compressed text, as far as its codec has a reader of its own.
pub(super) fn reader<'r>(codec: Codec, file: impl BufRead + Send + 'r) -> std::io::Result<Box<dyn Read + Send + 'r>> {
    Ok(match codec {
        Codec::Plain => Box::new(file),
        Codec::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        Codec::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(file)?),
        Codec::Lz4 => Box::new(lz4_flex::frame::FrameDecoder::new(file)),
        Codec::Xz => {
            let stream = liblzma::stream::Stream::new_stream_decoder(MAX_XZ_BYTES, liblzma::stream::CONCATENATED)?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(file, stream))
        }
        Codec::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(file)),
    })
}

/// An LZ4 frame. The decoder needs a reader that may block, so it is given only whole blocks, found by their sizes.
pub(super) struct Lz4 {
    decoder: lz4_flex::frame::FrameDecoder<Fed>,
    header: Option<Lz4Header>,
    /// True while there are decoded bytes that were not yet returned.
    pending: bool,
    ended: bool,
}

#[derive(Clone, Copy)]
struct Lz4Header {
    block_checksums: bool,
    content_checksum: bool,
}

/// The longest block in the frame format, with room for data that did not shrink.
const MAX_LZ4_BLOCK_BYTES: usize = 9 << 20;

impl Lz4 {
    fn new() -> Lz4 {
        let decoder = lz4_flex::frame::FrameDecoder::new(Fed::default());
        Lz4 { decoder, header: None, pending: false, ended: false }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        let mut used = 0;
        if !self.pending {
            match self.feed(input)? {
                Some(count) => used = count,
                None => return Ok(Step::default()),
            }
        }
        let block = self.decoder.fill_buf().map_err(|error| error.to_string())?;
        let written = block.len().min(output.len());
        output[..written].copy_from_slice(&block[..written]);
        self.pending = written < block.len();
        self.decoder.consume(written);
        Ok(Step { used, written, ended: self.ended && !self.pending })
    }

    /// Gives the decoder the whole next block, the first time together with the frame's header; `None` while the block is incomplete.
    fn feed(&mut self, input: &[u8]) -> Result<Option<usize>, String> {
        let (header, header_bytes) = match self.header {
            Some(header) => (header, 0),
            None => {
                let Some(&flags) = input.get(4) else { return Ok(None) };
                let header_bytes = 7 + if flags & 0x08 != 0 { 8 } else { 0 } + if flags & 0x01 != 0 { 4 } else { 0 };
                (Lz4Header { block_checksums: flags & 0x10 != 0, content_checksum: flags & 0x04 != 0 }, header_bytes)
            }
        };
        let Some(size) = input.get(header_bytes..header_bytes + 4) else { return Ok(None) };
        let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]);
        let block_bytes = if size == 0 {
            if header.content_checksum { 4 } else { 0 }
        } else {
            // The top bit marks a block that is stored uncompressed.
            (size & 0x7fff_ffff) as usize + if header.block_checksums { 4 } else { 0 }
        };
        if block_bytes > MAX_LZ4_BLOCK_BYTES {
            return Err(format!("LZ4 block of {block_bytes} bytes"));
        }
        let total = header_bytes + 4 + block_bytes;
        let Some(piece) = input.get(..total) else { return Ok(None) };
        self.decoder.get_mut().refill(piece);
        self.header = Some(header);
        self.ended = size == 0;
        Ok(Some(total))
    }
}

/// A reader of the bytes that it has been given.
#[derive(Default)]
struct Fed {
    bytes: Vec<u8>,
    position: usize,
}

impl Fed {
    fn refill(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.position);
        self.position = 0;
        self.bytes.extend_from_slice(bytes);
    }
}

impl Read for Fed {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.bytes[self.position..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that a stream returns for `data`, with output in steps of `room` bytes, and whether the member ended.
    fn decoded(codec: Codec, data: &[u8], room: usize) -> Result<(Vec<u8>, bool), String> {
        let mut stream = codec.stream(&[])?;
        let (mut whole, mut at) = (Vec::new(), 0);
        let mut output = vec![0; room];
        loop {
            let step = stream.step(&data[at..], &mut output)?;
            at += step.used;
            whole.extend_from_slice(&output[..step.written]);
            if step.ended || step.used + step.written == 0 {
                return Ok((whole, step.ended));
            }
        }
    }

    #[test]
    fn xz_that_needs_more_memory_says_what_to_do() {
        let told = of_xz(liblzma::stream::Error::MemLimit);
        assert!(told.contains("72 MiB") && told.contains("decompress it with `xz -d`"), "{told}");
    }

    #[test]
    fn every_codec_decodes_what_it_encoded_and_knows_its_end() {
        let text: Vec<u8> = (0..5000_u32).flat_map(|i| (i % 700).to_le_bytes()).collect();
        let mut gzip = flate2::read::GzEncoder::new(text.as_slice(), flate2::Compression::default());
        let mut gzipped = Vec::new();
        gzip.read_to_end(&mut gzipped).expect("memory");
        let mut lz4 = lz4_flex::frame::FrameEncoder::new(Vec::new());
        std::io::Write::write_all(&mut lz4, &text).expect("memory");
        let (mut xz, mut bzip2) = (Vec::new(), Vec::new());
        liblzma::read::XzEncoder::new(text.as_slice(), 6).read_to_end(&mut xz).expect("memory");
        bzip2::read::BzEncoder::new(text.as_slice(), bzip2::Compression::fast())
            .read_to_end(&mut bzip2)
            .expect("memory");
        let members = [
            (Codec::Gzip, gzipped),
            (Codec::Xz, xz),
            (Codec::Bzip2, bzip2),
            (Codec::Zstd, zstd::encode_all(text.as_slice(), 3).expect("memory")),
            (Codec::Lz4, lz4.finish().expect("memory")),
        ];
        for (codec, member) in members {
            assert_eq!((Codec::of(&member), codec.begins(&member)), (codec, true));
            for room in [100, 1 << 16] {
                assert_eq!(decoded(codec, &member, room), Ok((text.clone(), true)), "{codec:?}");
            }
            let (two, mut read) = ([member.as_slice(), &member].concat(), Vec::new());
            reader(codec, two.as_slice()).and_then(|mut reader| reader.read_to_end(&mut read)).expect("two of them");
            assert!(read == [text.as_slice(), &text].concat() || codec == Codec::Lz4, "{codec:?}");
            let (part, ended) = decoded(codec, &member[..member.len() - 3], 1 << 16).expect("nothing is wrong yet");
            assert!(!ended && text.starts_with(&part), "{codec:?}");
        }
    }

    #[test]
    fn frames_say_how_large_their_window_is() {
        let frame = |log: Option<u32>, data: &[u8]| {
            let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).expect("memory");
            match log {
                Some(log) => encoder.window_log(log).expect("a setting"),
                None => encoder.set_pledged_src_size(Some(data.len() as u64)).expect("a size"),
            }
            std::io::Write::write_all(&mut encoder, data).expect("memory");
            encoder.finish().expect("memory")
        };
        for log in [10, 20, 27] {
            assert_eq!(zstd_window(&frame(Some(log), b"x")), Some(1 << log));
        }
        for bytes in [7, 300, 70_000] {
            assert_eq!(zstd_window(&frame(None, &vec![b'x'; bytes])), Some(bytes as u64));
        }
        let large = [&ZSTD_MAGIC[..], &[0, 21 << 3 | 1]].concat();
        assert_eq!(zstd_window(&large), Some((1 << 31) + (1 << 28)));
        assert_eq!(zstd_window(&large[..5]), None);
        assert!(refuse_window(&large, 1 << 40).is_some_and(|problem| problem.contains("which no decoder takes")));
    }

    #[test]
    fn skippable_frames_give_their_length() {
        assert!(skippable(&[0x5d, 0x2a, 0x4d, 0x18]) && !skippable(&ZSTD_MAGIC));
        assert_eq!(skippable_length(&[0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0]), Some(13));
        assert_eq!(skippable_length(&[0x50, 0x2a, 0x4d, 0x18, 5]), None);
    }
}
