//! Output files, which appear complete or not at all, and are compressed where their name says so.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use diglot::error::Error;
use diglot::export::{Output, sync_folder};
use diglot::store::Store;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::stop::check_stop;

/// How often to check whether a pipe has a reader, or the user wants to stop.
const POLL: Duration = Duration::from_millis(50);

/// The folder of the store.
static STORE: OnceLock<PathBuf> = OnceLock::new();

/// Forbids outputs inside the folder of this store from now on.
pub fn keep_out_of(store: &Path) {
    let _ = STORE.set(store.to_owned());
}

/// Refuses a file or folder inside the folder of this or any other store, whichever way its path leads there.
pub fn refuse_within_store(path: &Path) -> Result<(), Error> {
    let store = STORE.get().and_then(|store| store.canonicalize().ok());
    // Links are followed. A path that does not exist yet is judged by the nearest existing folder above it.
    let here =
        |place: &Path| if place.as_os_str().is_empty() { Path::new(".").canonicalize() } else { place.canonicalize() };
    let place = path.ancestors().find_map(|place| here(place).ok());
    let is_store = |folder: &Path| store.as_deref() == Some(folder) || Store::has_records_at(folder);
    if place.is_some_and(|place| place.ancestors().any(is_store)) {
        let problem = format!("{} lies in the folder of a store; give a file elsewhere", path.display());
        return Err(Error::Config(problem));
    }
    Ok(())
}

/// Writes a file completely or not at all; `-` is stdout.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut target = Target::open_raw(Some(path), "")?;
    let mut out = target.take();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    drop(out);
    finish(vec![target], written.map_err(|error| Error::io(path, "writing")(error).into())).map(drop)
}

/// An output that is being written, and the file that it becomes if all goes well.
pub struct Target {
    out: Option<Output>,
    /// The temporary path that is written, and the final path.
    file: Option<(PathBuf, PathBuf)>,
}

impl Target {
    /// Opens stdout, an existing pipe or device, or a new file. `suffix` is inserted before an ending that means compression.
    pub fn open(path: Option<&Path>, suffix: &str) -> anyhow::Result<Target> {
        Target::open_as(path, suffix, compressed)
    }

    /// The same, for data that is already compressed.
    pub fn open_raw(path: Option<&Path>, suffix: &str) -> anyhow::Result<Target> {
        Target::open_as(path, suffix, |_, file| Ok(raw(file)))
    }

    fn open_as(
        path: Option<&Path>,
        suffix: &str,
        output: fn(&Path, File) -> io::Result<Output>,
    ) -> anyhow::Result<Target> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let out: Output = Box::new(BufWriter::new(io::stdout()));
            return Ok(Target { out: Some(out), file: None });
        };
        let path = with_suffix(path, suffix);
        refuse_within_store(&path)?;
        if path.exists() && !path.is_file() {
            if path.is_dir() {
                return Err(Error::input(path.display().to_string(), "is a folder, expected a file to write").into());
            }
            let file = open_to_write(&path)?;
            let out = output(&path, file).map_err(Error::io(&path, "opening"))?;
            return Ok(Target { out: Some(out), file: None });
        }
        // If the path is a link, the file that it leads to is replaced, not the link.
        let path = path.canonicalize().unwrap_or(path);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        // A file of that name was left by an interrupted run; a link would lead elsewhere.
        let _ = std::fs::remove_file(&part);
        let file = File::create_new(&part).map_err(Error::io(&path, "creating"))?;
        let out = output(&path, file).map_err(Error::io(&path, "opening"))?;
        Ok(Target { out: Some(out), file: Some((part, path)) })
    }

    /// The output; can be taken once.
    pub fn take(&mut self) -> Output {
        self.out.take().unwrap_or_else(|| Box::new(io::sink()))
    }
}

/// Opens a pipe or device. A pipe without a reader is waited for, until the user wants to stop.
fn open_to_write(path: &Path) -> Result<File, Error> {
    let (sender, opened) = mpsc::channel();
    let to_open = path.to_owned();
    let open = move || drop(sender.send(OpenOptions::new().write(true).open(to_open)));
    std::thread::Builder::new().spawn(open).map_err(Error::io(path, "starting a thread that opens"))?;
    loop {
        match opened.recv_timeout(POLL) {
            Ok(opened) => return opened.map_err(Error::io(path, "opening")),
            Err(RecvTimeoutError::Timeout) => check_stop()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::input(path.display().to_string(), "cannot be opened"));
            }
        }
    }
}

/// The ending that means compression.
pub fn compression(path: &Path) -> Option<&OsStr> {
    path.extension().filter(|ending| *ending == "gz" || *ending == "zst")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let ending = compression(path).map(|ending| ending.to_owned());
    let mut name = if ending.is_some() { path.with_extension("") } else { path.to_owned() }.into_os_string();
    name.push(suffix);
    if let Some(ending) = ending {
        name.push(".");
        name.push(ending);
    }
    name.into()
}

/// An output that writes a file as it is.
pub fn raw(file: File) -> Output {
    Box::new(BufWriter::new(file))
}

/// Compresses an output, if its name says so; the end of the compressed stream is written when it is dropped or flushed for the last time.
pub fn compressed(path: &Path, file: File) -> io::Result<Output> {
    Ok(match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => Box::new(Gz(Some(GzEncoder::new(BufWriter::new(file), Compression::default())))),
        Some("zst") => Box::new(Zst(Some(zstd::Encoder::new(BufWriter::new(file), 0)?))),
        _ => raw(file),
    })
}

/// A gzip stream that ends at the first flush: exporters flush once, when all is written.
struct Gz(Option<GzEncoder<BufWriter<File>>>);

impl Write for Gz {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |encoder| encoder.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.take().map_or(Ok(()), |encoder| encoder.finish()?.flush())
    }
}

/// The same with zstd.
struct Zst(Option<zstd::Encoder<'static, BufWriter<File>>>);

impl Write for Zst {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |encoder| encoder.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.take().map_or(Ok(()), |encoder| encoder.finish()?.flush())
    }
}

/// How many files were written, and how many bytes they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub files: u64,
    pub bytes: u64,
}

/// Renames the files to their final names, or removes them after an error, or if the store was changed by others meanwhile.
pub fn finish(targets: Vec<Target>, written: anyhow::Result<()>) -> anyhow::Result<Written> {
    let written = written.and_then(|()| Ok(super::touched::check()?));
    let mut done = Written::default();
    for (part, path) in targets.into_iter().filter_map(|target| target.file) {
        if written.is_ok() {
            // The content is made durable before the name: after a power failure, a mark must not contain rows that are missing in the
            // file.
            let synced = File::open(&part).and_then(|file| {
                file.sync_all()?;
                done = Written { files: done.files + 1, bytes: done.bytes + file.metadata()?.len() };
                Ok(())
            });
            synced.map_err(Error::io(&part, "syncing"))?;
            std::fs::rename(&part, &path).map_err(Error::io(&path, "naming"))?;
            let folder = path.parent().unwrap_or(&path);
            sync_folder(folder).map_err(Error::io(folder, "syncing"))?;
        } else {
            let _ = std::fs::remove_file(&part);
        }
    }
    written.map(|()| done)
}
