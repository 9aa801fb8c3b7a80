//! The same function over many items on several threads, results in the items' order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::memory;

/// Maps `items` on up to `threads` threads.
pub fn parallel_map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    map: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    on_threads(threads.min(items.len()), || {
        while let Some((position, item)) = {
            let position = next.fetch_add(1, Ordering::Relaxed);
            items.get(position).map(|item| (position, item))
        } {
            let result = map(item);
            lock(&results).push((position, result));
        }
    });
    let mut results = std::mem::take(&mut *lock(&results));
    results.sort_by_key(|(position, _)| *position);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Does the same on all threads, of which this is one, and waits for all. A panic of any is
/// passed on.
pub(crate) fn on_threads(threads: usize, work: impl Fn() + Sync) {
    let inputs = memory::here();
    std::thread::scope(|scope| {
        let start = |_| scope.spawn(|| memory::among(inputs.clone(), &work));
        let others: Vec<_> = (1..threads).map(start).collect();
        work();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// A thread that panicked is told of when it is joined; until then the others must not hang
/// on its lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::parallel_map;

    #[test]
    fn order_is_kept_for_any_number_of_threads() {
        let items: Vec<u32> = (0..1000).collect();
        for threads in [0, 1, 2, 7] {
            assert_eq!(
                parallel_map(&items, threads, |n| n * 2),
                (0..2000).step_by(2).collect::<Vec<_>>()
            );
        }
        assert!(parallel_map(&[] as &[u32], 4, |n| *n).is_empty());
    }
}
