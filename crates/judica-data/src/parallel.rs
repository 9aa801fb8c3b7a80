//! The same function over many items on several threads, results in the items' order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maps `items` on up to `threads` threads.
pub fn parallel_map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    map: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        while let Some((position, item)) = {
            let position = next.fetch_add(1, Ordering::Relaxed);
            items.get(position).map(|item| (position, item))
        } {
            let result = map(item);
            results
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .push((position, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut results = results
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(position, _)| *position);
    results.into_iter().map(|(_, result)| result).collect()
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
