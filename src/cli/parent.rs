//! Ends the program when the process that started it is gone, if that process asks for this.

#[cfg(unix)]
use std::io::{ErrorKind, Read};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;

/// The environment variable with the reading end of a pipe, whose other end the parent process holds as long as it lives.
#[cfg(unix)]
const VARIABLE: &str = "DIGLOT_ALIVE_FD";

/// Ends the program once no process holds the other end of the pipe; a process that is killed lets go of it too. Committed data is safe.
#[cfg(unix)]
pub fn watch() {
    let Some(number) = std::env::var(VARIABLE).ok().and_then(|text| text.parse::<u32>().ok()) else { return };
    let wait = move || {
        let Ok(mut pipe) = std::fs::File::open(format!("/dev/fd/{number}")) else { return };
        // A process in between may have passed on the variable without the pipe.
        if !pipe.metadata().is_ok_and(|data| data.file_type().is_fifo()) {
            return;
        }
        loop {
            match pipe.read(&mut [0]) {
                Ok(0) => std::process::exit(130),
                Err(error) if error.kind() != ErrorKind::Interrupted => return,
                _ => {}
            }
        }
    };
    // If no thread can be started, the pipe is not watched.
    let _ = std::thread::Builder::new().spawn(wait);
}

/// This system has no such pipes.
#[cfg(not(unix))]
pub fn watch() {}
