//! A fault in a map of a file is told as what it is: the file was cut, or cannot be read.

use std::ffi::{c_int, c_void};

use diglot::store::maps::file_at;
use nix::libc::{self, siginfo_t};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Ends the program with exit code 1 and the name of the file at such a fault (SIGBUS). Others end it as before.
#[expect(unsafe_code, reason = "handlers of signals")]
pub fn tell_of_faults() {
    let action = SigAction::new(SigHandler::SigAction(tell), SaFlags::SA_ONSTACK, SigSet::empty());
    // SAFETY: the handler does only what may be done there. Without it the program ends as well, and says less.
    let _ = unsafe { sigaction(Signal::SIGBUS, &action) };
}

/// Neither allocates nor waits: it interrupts whatever the program does.
#[expect(unsafe_code, reason = "handlers of signals")]
extern "C" fn tell(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    let say = |text: &str| {
        // SAFETY: the bytes are there. What cannot be said is left unsaid.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    };
    // SAFETY: the system gives the handler what it says of the signal.
    let address = unsafe { (*info).si_addr() } as usize;
    let path = file_at(address);
    if let Some(path) = path {
        say("diglot: ");
        say(path);
        say(
            ": it was cut while it was read, or the disk cannot read it; what was committed is kept as far as it is there: `diglot check` tells\n",
        );
    }
    // SAFETY: both may be done in a handler. Where no file is known, the fault comes again, and ends the program by itself.
    unsafe {
        match path {
            Some(_) => libc::_exit(1),
            None => drop(libc::signal(libc::SIGBUS, libc::SIG_DFL)),
        }
    }
}
