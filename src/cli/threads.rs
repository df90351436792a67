//! The threads of a command: as many as are of use, and as many as the system gives.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, available_parallelism};

use anyhow::Context as _;
use rayon::{ThreadBuilder, ThreadPoolBuilder};

use diglot::error::Error;

use super::say::tell;

/// Threads for each core, at the most: more of them only wait for one another, and thousands take longer to start than work.
const MAX_PER_CORE: usize = 4;
/// Threads, at the most.
const MAX_THREADS: usize = 256;
/// Threads left to the reader of an archive, to the catalog and to what tells how far the work is, where the system gives few.
const SPARE: usize = 3;

/// Starts the threads that work is shared out to. Says so where they are fewer than was asked for.
///
/// # Errors
/// When there is none: what is written to a store is written by one of its own.
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
        // This thread does all the work.
        pool.use_current_thread().build_global()
    } else {
        pool.spawn_handler(|thread| hand_out.send(thread).map_err(|_| io::Error::other("no thread waits")))
            .build_global()
    };
    built.context("starting threads")
}

/// Starts up to `wanted` threads, each of which waits to be given its part of a pool: a pool whose own threads do not start cannot
/// be made again.
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
