//! A file that is written with many others, so that not all can be open at once.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diglot::export::Compression;
use flate2::write::GzEncoder;

/// A file that is opened when it is written, and may be closed in between; later writes append to it. Compression then begins anew, which
/// both gzip and zstd allow: the parts are read as one stream.
#[derive(Clone)]
pub struct PartFile(Arc<Mutex<State>>);

struct State {
    path: PathBuf,
    compression: Compression,
    open: Option<Open>,
}

/// A file that is open.
enum Open {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl PartFile {
    /// Makes the file, and says how all of it is compressed.
    pub fn create(path: PathBuf, compression: Compression) -> io::Result<PartFile> {
        File::create_new(&path)?;
        Ok(PartFile(Arc::new(Mutex::new(State { path, compression, open: None }))))
    }

    /// About how many bytes of memory such a file takes while it is open.
    pub fn open_bytes(compression: Compression) -> usize {
        match compression {
            Compression::None | Compression::Snappy => 8 << 10,
            Compression::Gzip => 300 << 10,
            Compression::Zstd => 4 << 20,
        }
    }

    /// How many bytes it has on the disk.
    pub fn bytes(&self) -> io::Result<u64> {
        Ok(fs::metadata(&self.state().path)?.len())
    }

    /// Writes what is buffered, and closes the file until more is written.
    pub fn close(&self) -> io::Result<()> {
        match self.state().open.take() {
            None => Ok(()),
            Some(Open::Plain(mut file)) => file.flush(),
            Some(Open::Gzip(encoder)) => encoder.finish()?.flush(),
            Some(Open::Zstd(encoder)) => encoder.finish()?.flush(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn open(&mut self) -> io::Result<&mut dyn Write> {
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let file = BufWriter::new(File::options().append(true).open(&self.path)?);
                match self.compression {
                    Compression::None | Compression::Snappy => Open::Plain(file),
                    Compression::Gzip => Open::Gzip(GzEncoder::new(file, flate2::Compression::default())),
                    Compression::Zstd => Open::Zstd(zstd::Encoder::new(file, 0)?),
                }
            }
        };
        Ok(match self.open.insert(open) {
            Open::Plain(file) => file,
            Open::Gzip(encoder) => encoder,
            Open::Zstd(encoder) => encoder,
        })
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.state().open()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_file_that_is_closed_meanwhile_goes_on_where_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        for (at, compression) in [Compression::None, Compression::Gzip, Compression::Zstd].into_iter().enumerate() {
            let path = folder.path().join(at.to_string());
            let mut file = PartFile::create(path.clone(), compression).expect("room on the disk");
            assert!(PartFile::create(path.clone(), compression).is_err(), "it is there");
            for text in ["one ", "two ", "three"] {
                file.write_all(text.as_bytes()).expect("room on the disk");
                file.close().and_then(|()| file.close()).expect("room on the disk");
            }
            let stored = fs::read(&path).expect("it was written");
            assert_eq!(file.bytes().ok(), Some(stored.len() as u64));
            let mut text = String::new();
            match compression {
                Compression::Gzip => flate2::read::MultiGzDecoder::new(&*stored).read_to_string(&mut text),
                Compression::Zstd => zstd::Decoder::new(&*stored).and_then(|mut file| file.read_to_string(&mut text)),
                _ => (&*stored).read_to_string(&mut text),
            }
            .expect("it can be read");
            assert_eq!(text, "one two three");
        }
    }
}
