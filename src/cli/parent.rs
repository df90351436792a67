//! Whoever has started the program: where it asks for that, the program ends when it is gone.

#[cfg(unix)]
use std::io::{ErrorKind, Read};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;

/// The variable that names the reading end of a pipe. Its other end is held by whoever starts the program, as long as that lives.
#[cfg(unix)]
const VARIABLE: &str = "DIGLOT_ALIVE_FD";

/// Ends the program once nobody holds the pipe any more: who is killed lets go of it too. What is committed is safe.
#[cfg(unix)]
pub fn watch() {
    let Some(number) = std::env::var(VARIABLE).ok().and_then(|text| text.parse::<u32>().ok()) else { return };
    let wait = move || {
        let Ok(mut pipe) = std::fs::File::open(format!("/dev/fd/{number}")) else { return };
        // A program between the two may have passed on the variable and not the pipe.
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
    // Without a thread to spare nobody watches.
    let _ = std::thread::Builder::new().spawn(wait);
}

/// There are no such pipes.
#[cfg(not(unix))]
pub fn watch() {}
