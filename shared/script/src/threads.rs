//! Who still waits for a script's thread, and how many threads nobody waits for any more.
//!
//! A caller holds a [`Leash`], the thread an [`Alive`]. Dropping the leash before the answer came
//! tells the script to stop and counts its thread as abandoned until it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

const AWAITED: u8 = 0;
const ABANDONED: u8 = 1;
const ENDED: u8 = 2;

/// Counts abandoned threads.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    abandoned: AtomicUsize,
}

impl Threads {
    /// How many abandoned threads are alive.
    pub(crate) fn abandoned(&self) -> usize {
        self.abandoned.load(Ordering::SeqCst)
    }

    /// Both ends of one call's thread.
    pub(crate) fn watch(self: &Arc<Self>) -> (Leash, Alive) {
        let watch = Arc::new(Watch {
            stop: AtomicBool::new(false),
            state: AtomicU8::new(AWAITED),
            threads: Arc::clone(self),
        });
        (
            Leash {
                watch: Arc::clone(&watch),
                answered: false,
            },
            Alive { watch },
        )
    }
}

#[derive(Debug)]
struct Watch {
    stop: AtomicBool,
    state: AtomicU8,
    threads: Arc<Threads>,
}

/// The caller's end.
#[derive(Debug)]
pub(crate) struct Leash {
    watch: Arc<Watch>,
    answered: bool,
}

impl Leash {
    /// The answer is in: the thread is about to end by itself.
    pub(crate) fn answered(mut self) {
        self.answered = true;
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        self.watch.stop.store(true, Ordering::SeqCst);
        let count = &self.watch.threads.abandoned;
        count.fetch_add(1, Ordering::SeqCst);
        let awaited = self.watch.state.compare_exchange(
            AWAITED,
            ABANDONED,
            Ordering::SeqCst,
            Ordering::SeqCst,
        );
        if awaited.is_err() {
            count.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// The thread's end; dropped when the thread ends, or when it could not be started.
#[derive(Debug)]
pub(crate) struct Alive {
    watch: Arc<Watch>,
}

impl Alive {
    /// Whether the caller no longer wants an answer.
    pub(crate) fn stopped(&self) -> bool {
        self.watch.stop.load(Ordering::Relaxed)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        if self.watch.state.swap(ENDED, Ordering::SeqCst) == ABANDONED {
            self.watch.threads.abandoned.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_counted_from_its_abandonment_to_its_end() {
        let threads = Arc::new(Threads::default());
        let (leash, alive) = threads.watch();
        assert_eq!((threads.abandoned(), alive.stopped()), (0, false));
        drop(leash);
        assert_eq!((threads.abandoned(), alive.stopped()), (1, true));
        drop(alive);
        assert_eq!(threads.abandoned(), 0);
    }

    #[test]
    fn a_thread_that_ended_first_is_never_counted() {
        let threads = Arc::new(Threads::default());
        let (leash, alive) = threads.watch();
        drop(alive);
        drop(leash);
        assert_eq!(threads.abandoned(), 0);
    }

    #[test]
    fn a_thread_that_answered_is_neither_stopped_nor_counted() {
        let threads = Arc::new(Threads::default());
        let (leash, alive) = threads.watch();
        leash.answered();
        assert_eq!((threads.abandoned(), alive.stopped()), (0, false));
    }
}
