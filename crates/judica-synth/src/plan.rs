//! Which samples a data set has: the split over tasks, checked once.

use std::io;

use crate::SynthOptions;
use crate::source::{Source, Task};

/// One task's share of the data set.
pub(crate) struct Share {
    /// The task's place among all tasks of the domain, whatever subset is chosen.
    pub index: usize,
    pub task: &'static Task,
    pub samples: u32,
}

/// Splits the samples evenly over the chosen tasks, in the domain's order; the first
/// tasks take what does not divide. A name the domain does not know is an error.
pub(crate) fn plan(source: &dyn Source, options: &SynthOptions) -> io::Result<Vec<Share>> {
    let tasks = source.tasks();
    for name in &options.tasks {
        if !tasks.iter().any(|task| task.name == name) {
            let known: Vec<&str> = tasks.iter().map(|task| task.name).collect();
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "unknown task {name:?}: expected one of {}",
                    known.join(", ")
                ),
            ));
        }
    }
    let chosen: Vec<(usize, &'static Task)> = tasks
        .iter()
        .enumerate()
        .filter(|(_, task)| {
            options.tasks.is_empty() || options.tasks.iter().any(|n| n == task.name)
        })
        .collect();
    let count = chosen.len() as u32;
    Ok(chosen
        .into_iter()
        .zip(0..)
        .map(|((index, task), place)| Share {
            index,
            task,
            samples: options.samples / count + u32::from(place < options.samples % count),
        })
        .collect())
}

/// Writes a sample id: `S1_000042`.
pub(crate) fn sample_id(out: &mut Vec<u8>, task: &Task, index: u32) {
    out.extend_from_slice(task.name.as_bytes());
    out.push(b'_');
    crate::text::padded(out, u64::from(index), 6);
}
