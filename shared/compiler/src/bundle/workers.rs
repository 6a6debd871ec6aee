//! Work that is done on as many threads as the machine has processors.
//!
//! The bundler is asynchronous and uses one processor at a time for most of a small bundle; so each
//! thread has a runtime of its own and bundles one entry after the other. The caller's thread waits,
//! and may itself belong to a runtime.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::runtime::{Builder, Runtime};

/// Threads at most: each holds a bundler's memory.
const THREADS_MAX: usize = 8;
/// Parser and bundler follow a tree by recursion; this is more than twice what the deepest tree that
/// is let in needs in an unoptimised build (see [`crate::nesting`]).
pub(crate) const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Does the work on every item; the results are in the items' order. An item has no result only if
/// no thread or no runtime was to be had.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&Runtime, &T) -> R + Sync,
) -> Vec<Option<R>> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(THREADS_MAX).min(items.len());
    let next = AtomicUsize::new(0);
    let one_thread = || {
        let mut done = Vec::new();
        let Ok(runtime) = Builder::new_current_thread().build() else {
            return done;
        };
        while let Some((at, item)) = take(&next, items) {
            done.push((at, work(&runtime, item)));
        }
        done
    };
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    thread::scope(|scope| {
        let spawn = |_| {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            builder.spawn_scoped(scope, one_thread).ok()
        };
        let handles: Vec<_> = (0..threads).filter_map(spawn).collect();
        for handle in handles {
            match handle.join() {
                Ok(done) => {
                    for (at, result) in done {
                        if let Some(place) = results.get_mut(at) {
                            *place = Some(result);
                        }
                    }
                }
                // As if it had happened here.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    results
}

fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|item| (at, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_items() {
        let items: Vec<usize> = (0..500).collect();
        let doubled = each(&items, |_, item| item * 2);
        let expected: Vec<_> = items.iter().map(|item| Some(item * 2)).collect();
        assert_eq!(doubled, expected);
        assert!(each(&Vec::<u8>::new(), |_, item| *item).is_empty());
    }
}
