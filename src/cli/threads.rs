//! The threads of a command: as many as are useful, and no more than the system allows.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, available_parallelism};

use anyhow::Context as _;
use rayon::{ThreadBuilder, ThreadPoolBuilder};

use diglot::error::Error;

use super::say::tell;

/// Threads per core, at most: more would only wait for one another, and thousands take longer to start than to do the work.
const MAX_PER_CORE: usize = 4;
/// Threads, at the most.
const MAX_THREADS: usize = 256;
/// Where the system allows few threads, this many are left for the reader of an archive, the catalog and the progress display.
const SPARE: usize = 3;

/// Starts the threads of the pool. Tells the user if there are fewer than requested.
///
/// # Errors
/// When no thread can be started: writing a store needs one.
pub fn start(asked: Option<usize>, quiet: bool) -> anyhow::Result<()> {
    if asked == Some(0) {
        return Err(Error::Config("--threads is 0, expected 1 or more".into()).into());
    }
    let cores = available_parallelism().map_or(1, NonZero::get);
    let most = (cores * MAX_PER_CORE).min(MAX_THREADS);
    let wanted = asked.unwrap_or(cores).min(most);
    let (started, hand_out) = wait_for_work(wanted);
    if started == 0 {
        let problem = "the system gives no thread, and the store needs one; raise the limits on processes (`ulimit -u`) or memory (`ulimit -v`)";
        return Err(anyhow::anyhow!(problem));
    }
    let threads = if started < wanted { started.saturating_sub(SPARE) } else { started };
    if started < wanted {
        let used = threads.max(1);
        tell(format_args!("diglot: the system gives {started} of {wanted} threads; work is shared by {used}"));
    } else if !quiet && let Some(asked) = asked.filter(|asked| *asked > most) {
        tell(format_args!(
            "diglot: --threads is {asked}; {most} are used, which is all that {cores} cores have use for"
        ));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.max(1));
    let built = if threads == 0 {
        // Without other threads, this thread does all the work.
        pool.use_current_thread().build_global()
    } else {
        pool.spawn_handler(|thread| hand_out.send(thread).map_err(|_| io::Error::other("no thread waits")))
            .build_global()
    };
    built.context("starting threads")
}

/// Starts up to `wanted` threads, which wait to join a pool. They are started first because a pool whose own threads fail to start cannot
/// be built a second time.
fn wait_for_work(wanted: usize) -> (usize, Sender<ThreadBuilder>) {
    let (hand_out, parts) = channel();
    let parts: Arc<Mutex<Receiver<ThreadBuilder>>> = Arc::new(Mutex::new(parts));
    let start = |_: &usize| {
        let parts = parts.clone();
        let work = move || {
            let part = parts.lock().unwrap_or_else(PoisonError::into_inner).recv();
            if let Ok(part) = part {
                part.run();
            }
        };
        thread::Builder::new().spawn(work).is_ok()
    };
    ((0..wanted).take_while(start).count(), hand_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_their_parts_and_those_without_one_end() {
        let (started, hand_out) = wait_for_work(4);
        assert_eq!(started, 4);
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .spawn_handler(|thread| hand_out.send(thread).map_err(|_| io::Error::other("no thread waits")))
            .build()
            .expect("two of four");
        drop(hand_out);
        assert_eq!(pool.install(rayon::current_num_threads), 2);
    }
}
