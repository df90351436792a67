//! Reports of how far long work on one site is, step by step, as methods give them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Receives reports of steps. It may be called from any thread.
pub trait Watch: Sync {
    /// Reports that `done` of `total` units of the step called `what` are done.
    fn step(&self, what: &str, done: u64, total: u64);
}

/// Ignores reports.
impl Watch for () {
    fn step(&self, _: &str, _: u64, _: u64) {}
}

/// A step whose units are counted, by one thread or several.
pub struct Step<'w> {
    watch: &'w dyn Watch,
    what: &'static str,
    total: u64,
    done: AtomicU64,
}

/// Units between two reports, at least. Steps with fewer units are not reported; only the work around them is.
const LEAST: u64 = 64;
/// Reports of one step, at most, roughly.
const REPORTS: u64 = 256;

impl<'w> Step<'w> {
    /// A step of `total` units, of which none is done.
    pub fn new(watch: &'w dyn Watch, what: &'static str, total: usize) -> Step<'w> {
        Step { watch, what, total: total as u64, done: AtomicU64::new(0) }
    }

    /// Counts units that were done.
    pub fn did(&self, count: usize) {
        let every = (self.total / REPORTS).max(LEAST);
        let before = self.done.fetch_add(count as u64, Ordering::Relaxed);
        let done = before + count as u64;
        if done / every > before / every {
            self.watch.step(self.what, done, self.total);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<(String, u64, u64)>>);

    impl Watch for Told {
        fn step(&self, what: &str, done: u64, total: u64) {
            self.0.lock().expect("no thread has failed").push((what.to_owned(), done, total));
        }
    }

    fn told(total: usize, portion: usize) -> Vec<(String, u64, u64)> {
        let told = Told::default();
        let step = Step::new(&told, "comparing pairs", total);
        (0..total / portion).for_each(|_| step.did(portion));
        told.0.into_inner().expect("no thread has failed")
    }

    #[test]
    fn a_long_step_is_told_of_some_hundred_times_and_a_short_one_not_at_all() {
        assert_eq!(told(63, 1), []);
        assert_eq!(told(200, 100).len(), 2);
        assert_eq!(told(130, 1), [64, 128].map(|done| ("comparing pairs".to_owned(), done, 130)));
        let many = told(1_000_000, 10);
        assert!((200..=300).contains(&many.len()), "{}", many.len());
        assert!(many.is_sorted_by_key(|(_, done, _)| *done));
    }
}
