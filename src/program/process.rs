//! One process of the program, with a thread for each of its pipes, so that neither side waits for the other to read.

use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::types::counted;

/// Longer lines are no answers.
const MAX_LINE_BYTES: usize = 1 << 16;
/// How many lines are read ahead: a program that never stops writing then has to wait.
const MAX_HEARD: usize = 1024;
/// How many bytes of the end of stderr are kept, and how many of them are shown.
const STDERR_BYTES: usize = 4096;
const STDERR_LINES: usize = 4;
/// How much of a line is shown, in characters.
const SHOWN: usize = 100;
/// How often a wish to stop is looked for.
const STEP: Duration = Duration::from_millis(100);
/// A program that writes two lines for one question has written the second within this time.
const MOMENT: Duration = Duration::from_millis(20);
/// How long answers are still waited for after the user wants to stop, and how long for the end of a program.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a program that is asked nothing more has to end by itself.
const LAST: Duration = Duration::from_secs(5);

/// What is wrong if there is no such program, for messages.
const MISSING: &str = "there is no such program; give its path, or install it";

/// Checks that there is a program, without starting it.
pub fn look_for(program: &str) -> Result<(), String> {
    let is_here = |folder: PathBuf| folder.join(program).is_file();
    // Elsewhere names may lack their endings.
    let is_there = cfg!(not(unix))
        || program.contains('/') && Path::new(program).exists()
        || std::env::var_os("PATH").is_some_and(|folders| std::env::split_paths(&folders).any(is_here));
    if is_there { Ok(()) } else { Err(MISSING.to_owned()) }
}

/// Says, by an error, that the user wants to stop.
pub type Stop<'s> = &'s dyn Fn() -> Result<(), Error>;

/// How long answers are waited for.
pub struct Wait<'s> {
    /// At most so many seconds.
    pub seconds: u32,
    /// … or until the user wants to stop.
    pub stop: Stop<'s>,
    /// Since when the user wants to.
    pub since: Option<Instant>,
}

impl Wait<'_> {
    /// # Errors
    /// An error a little after the user wants to stop: by then, the last questions may have been answered.
    fn check_stop(&mut self) -> Result<(), Error> {
        let Err(error) = (self.stop)() else { return Ok(()) };
        if self.since.get_or_insert_with(Instant::now).elapsed() < PATIENCE { Ok(()) } else { Err(error) }
    }
}

/// What a program writes.
enum Heard {
    Line(String),
    /// The beginning of a line that has no end.
    TooLong,
}

/// A process that is running.
pub struct Process {
    /// The setting that says how long it may be silent.
    timeout: &'static str,
    child: Child,
    questions: Mutex<Option<Sender<String>>>,
    /// The sender that allows further questions, used once the first one is answered.
    go: Option<Sender<()>>,
    /// Nobody waits for this lock: threads that ask share the process, but only the one that owns it listens.
    heard: Mutex<Receiver<Heard>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    reader: Option<thread::JoinHandle<()>>,
    asked: Mutex<u64>,
    answered: u64,
    status: Option<ExitStatus>,
}

impl Process {
    /// Starts a command. Ctrl-C does not reach it: the program finishes what it has begun, and then ends the process.
    pub fn start(command: &[String], timeout: &'static str) -> Result<Process, String> {
        let (program, arguments) = command.split_first().ok_or("no program is named")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => MISSING.to_owned(),
            _ => format!("it cannot be started: {error}"),
        })?;
        let piped = "all its pipes are ours";
        let (stdin, stdout) = (child.stdin.take().expect(piped), child.stdout.take().expect(piped));
        let mut errors = child.stderr.take().expect(piped);
        let (questions, to_ask) = channel();
        let (go, may_go) = channel();
        let (hear, heard) = sync_channel(MAX_HEARD);
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let mut process = Process {
            timeout,
            child,
            questions: Mutex::new(Some(questions)),
            go: Some(go),
            heard: Mutex::new(heard),
            stderr: Arc::clone(&stderr),
            reader: None,
            asked: Mutex::new(0),
            answered: 0,
            status: None,
        };
        // If one of the threads cannot be started, dropping the value ends the process.
        beside(move || write_lines(BufWriter::new(stdin), &to_ask, &may_go))?;
        beside(move || read_lines(BufReader::new(stdout), &hear))?;
        process.reader = Some(beside(move || keep_end(&mut errors, &stderr))?);
        Ok(process)
    }

    /// Sends a line. If the process is gone, this shows when its answers are read.
    pub fn ask(&self, line: &str) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        if let Some(questions) = &*self.questions.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = questions.send(format!("{line}\n"));
        }
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// The inner error says what the program did instead. The outer one says that the user wants to stop.
    pub fn answer(&mut self, wait: &mut Wait<'_>) -> Result<Result<String, String>, Error> {
        let most = Duration::from_secs(wait.seconds.into());
        let mut silent = Duration::ZERO;
        let heard = loop {
            wait.check_stop()?;
            match self.heard().recv_timeout(STEP.min(most)) {
                Ok(heard) => break heard,
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(self.ended())),
                Err(RecvTimeoutError::Timeout) => silent += STEP.min(most),
            }
            if silent >= most {
                return Ok(Err(self.silent(wait.seconds)));
            }
        };
        let line = match heard {
            Heard::Line(line) => line,
            Heard::TooLong => return Ok(Err(format!("wrote a line of more than {MAX_LINE_BYTES} bytes"))),
        };
        self.answered += 1;
        Ok(Ok(line))
    }

    /// Allows further questions, if the first answer made sense and nothing came after it: so a program that writes more than it is asked
    /// for is found out before this matters.
    pub fn go_on(&mut self) -> Result<(), String> {
        if let Some(go) = self.go.take() {
            self.quiet(true)?;
            let _ = go.send(());
        }
        Ok(())
    }

    /// True when all questions are answered.
    pub fn has_answered(&self) -> bool {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) == self.answered
    }

    /// Checks that nothing was written since the last answer, after a moment if it `waits`.
    pub fn quiet(&mut self, waits: bool) -> Result<(), String> {
        let heard = if waits { self.heard().recv_timeout(MOMENT).ok() } else { self.heard().try_recv().ok() };
        heard.map_or(Ok(()), |heard| Err(self.too_many(&heard)))
    }

    /// Ends the input, and waits a while until the output ends.
    pub fn finish(&mut self) -> Result<(), String> {
        self.close();
        match self.heard().recv_timeout(LAST) {
            Ok(heard) => Err(self.too_many(&heard)),
            Err(_) => Ok(()),
        }
    }

    fn heard(&mut self) -> &Receiver<Heard> {
        self.heard.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&mut self) {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.go = None;
    }

    fn too_many(&self, heard: &Heard) -> String {
        let line = match heard {
            Heard::Line(line) => shown(line),
            Heard::TooLong => "one without an end".to_owned(),
        };
        format!(
            "wrote a line more than it was asked, {line}, after {}; it must write one line for each line that it reads, and nothing else",
            self.so_far()
        )
    }

    fn so_far(&self) -> String {
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{} to {}", counted(self.answered, "answer"), counted(asked, "line"))
    }

    fn silent(&self, seconds: u32) -> String {
        format!(
            "is silent for {seconds} s, after {}; it must answer each line at once, and flush what it writes; --{} gives it more time{}",
            self.so_far(),
            self.timeout,
            self.said()
        )
    }

    /// How the process ended.
    fn ended(&mut self) -> String {
        // The process may close its pipes a little before it ends.
        let mut waited = Duration::ZERO;
        while self.status.is_none() && waited < PATIENCE {
            self.status = self.child.try_wait().ok().flatten();
            if self.status.is_none() {
                thread::sleep(MOMENT);
                waited += MOMENT;
            }
        }
        while self.status.is_some()
            && waited < PATIENCE
            && self.reader.as_ref().is_some_and(|reader| !reader.is_finished())
        {
            thread::sleep(MOMENT);
            waited += MOMENT;
        }
        let how = self.status.map_or_else(|| "closed its output".to_owned(), |status| format!("ended ({status})"));
        format!("{how} after {}{}", self.so_far(), self.said())
    }

    /// The last lines of stderr.
    fn said(&self) -> String {
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8_lossy(&bytes);
        let mut lines: Vec<String> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(plain).collect();
        lines.drain(..lines.len().saturating_sub(STDERR_LINES));
        if lines.is_empty() { String::new() } else { format!("; its stderr ends with: {}", lines.join(" | ")) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.close();
        if self.status.is_none() {
            // Everything that the process has started is ended with it.
            #[cfg(unix)]
            if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn beside(work: impl FnOnce() + Send + 'static) -> Result<thread::JoinHandle<()>, String> {
    let started = thread::Builder::new().name("program".to_owned()).spawn(work);
    started.map_err(|error| format!("no thread can be started for it: {error}"))
}

/// Writes lines until there are no more or nobody reads them. The second one is written only after it is allowed.
fn write_lines(mut to: impl Write, lines: &Receiver<String>, may_go: &Receiver<()>) {
    let mut write = || -> io::Result<()> {
        let Ok(first) = lines.recv() else { return Ok(()) };
        to.write_all(first.as_bytes())?;
        to.flush()?;
        if may_go.recv().is_err() {
            return Ok(());
        }
        while let Ok(line) = lines.recv() {
            to.write_all(line.as_bytes())?;
            while let Ok(line) = lines.try_recv() {
                to.write_all(line.as_bytes())?;
            }
            to.flush()?;
        }
        Ok(())
    };
    // A reader that is gone shows in its answers.
    let _ = write();
}

fn read_lines(mut from: impl BufRead, hear: &SyncSender<Heard>) {
    loop {
        let mut line = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 1;
        match from.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let is_too_long = line.len() > MAX_LINE_BYTES;
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        let heard = if is_too_long { Heard::TooLong } else { Heard::Line(text) };
        if hear.send(heard).is_err() || is_too_long {
            return;
        }
    }
}

fn keep_end(from: &mut impl Read, end: &Mutex<Vec<u8>>) {
    let mut bytes = [0; STDERR_BYTES];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
        end.extend(&bytes[..count]);
        let more = end.len().saturating_sub(STDERR_BYTES);
        end.drain(..more);
    }
}

/// A line in quotes, cut where it is long, without characters that a terminal would obey.
pub fn shown(line: &str) -> String {
    let line = line.trim_end();
    let cut: String = line.chars().take(SHOWN).collect();
    let rest = if cut.len() < line.len() { "…" } else { "" };
    format!("\"{}{rest}\"", plain(&cut))
}

fn plain(text: &str) -> String {
    let escaped = |c: char| -> String { if c.is_control() { c.escape_default().to_string() } else { c.to_string() } };
    text.chars().map(escaped).collect()
}
