//! Signals that do not come from the user's wish to stop. A signal that the parent process has set to be ignored stays ignored; a file that
//! would exceed the size limit is an error like any other; and a fault in a map of a file gives a message that the file was cut or cannot
//! be read.

#[cfg(target_os = "linux")]
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null;

#[cfg(target_os = "linux")]
use diglot::store::maps::file_at;
use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction};

/// The signals that ask the program to end.
const WISHES: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Calls `take`, which sets signal handlers, but keeps those signals ignored that are ignored now, as `nohup` sets them.
pub fn but_for_ignored<T>(take: impl FnOnce() -> T) -> T {
    let ignored: Vec<Signal> = WISHES.into_iter().filter(|&signal| is_ignored(signal)).collect();
    // A signal that arrives meanwhile is held back, and ignored in the end.
    let waiting: SigSet = ignored.iter().copied().collect();
    let before = waiting.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    let taken = take();
    for signal in ignored {
        ignore(signal);
    }
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
    taken
}

#[expect(unsafe_code, reason = "handlers of signals")]
fn is_ignored(signal: Signal) -> bool {
    let mut now = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: no handler is set, and the value is read only if the system has written it.
    unsafe {
        libc::sigaction(signal as libc::c_int, null(), now.as_mut_ptr()) == 0
            && now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[expect(unsafe_code, reason = "handlers of signals")]
fn ignore(signal: Signal) {
    let action = SigAction::new(SigHandler::SigIgn, SaFlags::empty(), SigSet::empty());
    // SAFETY: no handler is set.
    let _ = unsafe { sigaction(signal, &action) };
}

/// Makes a write beyond the limit of `ulimit -f` fail with an error. By default it ends the program without a message.
pub fn take_long_files_as_errors() {
    ignore(Signal::SIGXFSZ);
}

/// At a fault in a map (SIGBUS), ends the program with exit code 1 and the name of the file. Other faults end it as usual.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "handlers of signals")]
pub fn tell_of_faults() {
    let action = SigAction::new(SigHandler::SigAction(tell), SaFlags::SA_ONSTACK, SigSet::empty());
    // SAFETY: the handler does only what is allowed in a handler. If it cannot be set, a fault still ends the program, with a poorer
    // message.
    let _ = unsafe { sigaction(Signal::SIGBUS, &action) };
}

/// Neither allocates nor waits, since it interrupts the program at any point.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "handlers of signals")]
extern "C" fn tell(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let say = |text: &str| {
        // SAFETY: the bytes exist. A failed write is ignored.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    };
    // SAFETY: the system passes a valid description of the signal to the handler.
    let address = unsafe { (*info).si_addr() } as usize;
    let path = file_at(address);
    if let Some(path) = path {
        say("diglot: ");
        say(path);
        say(
            ": it was cut while it was read, or the disk cannot read it; what was committed is kept as far as it is there: `diglot check` tells\n",
        );
    }
    // SAFETY: both calls are allowed in a handler. If the file is not known, the fault is raised again and ends the program.
    unsafe {
        match path {
            Some(_) => libc::_exit(1),
            None => drop(libc::signal(libc::SIGBUS, libc::SIG_DFL)),
        }
    }
}
