//! Signals that are no wish of the user: what whoever started the program ignores stays ignored, a file that would become longer than it
//! may is an error like any other, and a fault in a map of a file is told as what it is: the file was cut, or cannot be read.

#[cfg(target_os = "linux")]
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null;

#[cfg(target_os = "linux")]
use diglot::store::maps::file_at;
use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction};

/// What asks the program to end.
const WISHES: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Has `take` set handlers of signals, but for those that are ignored now, as `nohup` does it: they stay so.
pub fn but_for_ignored<T>(take: impl FnOnce() -> T) -> T {
    let ignored: Vec<Signal> = WISHES.into_iter().filter(|&signal| is_ignored(signal)).collect();
    // One that comes between waits, and is ignored in the end.
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
    // SAFETY: nothing is set, and what is told is looked at only where the system has told it.
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

/// Lets a write beyond what `ulimit -f` allows fail with an error. By itself it ends the program, and nobody says why.
pub fn take_long_files_as_errors() {
    ignore(Signal::SIGXFSZ);
}

/// Ends the program with exit code 1 and the name of the file at such a fault (SIGBUS). Others end it as before.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "handlers of signals")]
pub fn tell_of_faults() {
    let action = SigAction::new(SigHandler::SigAction(tell), SaFlags::SA_ONSTACK, SigSet::empty());
    // SAFETY: the handler does only what may be done there. Without it the program ends as well, and says less.
    let _ = unsafe { sigaction(Signal::SIGBUS, &action) };
}

/// Neither allocates nor waits: it interrupts whatever the program does.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "handlers of signals")]
extern "C" fn tell(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
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
