//! The same work on many tasks, on several threads.

use std::sync::{Mutex, PoisonError};

/// What `work` makes of each task, in the order of the tasks.
///
/// Which thread takes which task is left to chance; tasks are taken one after another,
/// so that `tasks` may depend on what came before. `scratch` is made once per thread.
pub(crate) fn in_parallel<Task: Send, Scratch, Done: Send>(
    threads: usize,
    tasks: impl Iterator<Item = Task> + Send,
    scratch: impl Fn() -> Scratch + Sync,
    work: impl Fn(&mut Scratch, Task) -> Done + Sync,
) -> Vec<Done> {
    let threads = threads.min(tasks.size_hint().1.unwrap_or(usize::MAX));
    let queue = Mutex::new(tasks.enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let labour = || {
        let mut scratch = scratch();
        let mut done = Vec::new();
        while let Some((place, task)) = next() {
            done.push((place, work(&mut scratch, task)));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(labour)).collect();
        let mut done = labour();
        for other in others {
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|&(place, _)| place);
    done.into_iter().map(|(_, done)| done).collect()
}
