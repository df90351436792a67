//! Does work in a thread of its own that can be abandoned: reading a pipe may block for ever.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::error::{Error, Result};

/// How often a wait is interrupted to see whether to stop.
const POLL: Duration = Duration::from_millis(100);

/// Runs `work` in a thread of its own, and returns the channel into which it sends. `None` where no thread can be started.
pub fn beside<T: Send + 'static>(work: impl FnOnce(&SyncSender<T>) + Send + 'static) -> Option<Receiver<T>> {
    let (send, receive) = sync_channel(1);
    std::thread::Builder::new().spawn(move || work(&send)).ok().map(|_| receive)
}

/// Yields what arrives, to the end, or until `stop` fails; then yields that failure.
pub fn arriving<T>(receive: Receiver<Result<T>>, stop: &dyn Fn() -> Result<()>) -> impl Iterator<Item = Result<T>> {
    std::iter::from_fn(move || {
        loop {
            match receive.recv_timeout(POLL) {
                Ok(arrived) => return Some(arrived),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(stopped) = stop() {
                        return Some(Err(stopped));
                    }
                }
            }
        }
    })
}

/// Returns the result of `work`, unless `stop` fails first; the outer error is that failure.
///
/// # Errors
/// The error of `stop`.
pub fn patiently<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
    stop: &dyn Fn() -> Result<()>,
) -> Result<Result<T>> {
    let send = |send: &SyncSender<Result<Result<T>>>| {
        let _ = send.send(Ok(work()));
    };
    let Some(receive) = beside(send) else {
        return Ok(Err(Error::input("-", "the system gives no thread to read standard input; give a file")));
    };
    let unforeseen = || Ok(Err(Error::input("-", "reading standard input failed in an unforeseen way")));
    arriving(receive, stop).next().unwrap_or_else(unforeseen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_arrives_in_order_and_then_it_ends() {
        let receive =
            beside(|send| (0..5).for_each(|n| send.send(Ok(n)).expect("somebody receives"))).expect("a thread");
        let all: Vec<i32> = arriving(receive, &|| Ok(())).collect::<Result<_>>().expect("no stop");
        assert_eq!(all, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_wait_ends_when_it_is_to_stop() {
        // The other end of the channel is kept, and never sends anything.
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let wait = move || held.recv().map_err(|_| Error::Interrupted);
        let stopped = patiently(wait, &|| Err(Error::Interrupted));
        assert!(matches!(stopped, Err(Error::Interrupted)));
        drop(hold);
        assert!(matches!(patiently(|| Ok(7), &|| Ok(())), Ok(Ok(7))));
        let broken = patiently(|| -> Result<()> { panic!("meant") }, &|| Ok(()));
        assert!(broken.is_ok_and(|inner| inner.is_err_and(|error| error.to_string().contains("unforeseen"))));
    }
}
