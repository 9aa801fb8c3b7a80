//! Runs that commands leave.

use judica_run::options::{RunOptions, RunTarget};

use super::files::{Held, hold};
use crate::args::run::RunArgs;
use crate::failure::Failure;
use crate::timestamp::timestamps;

/// The run that was asked for, and its folder, held until the run is made.
pub fn target(args: &RunArgs) -> Result<Option<(RunTarget, Held)>, Failure> {
    let Some(folder) = &args.run else {
        return Ok(None);
    };
    let held = hold(folder)?;
    let target = RunTarget {
        folder: folder.clone(),
        created_at: timestamps(None)?.created_at,
        options: RunOptions {
            subject: args.subject.clone(),
            dataset: args.dataset.clone(),
            keep_text: args.keep_text,
        },
    };
    Ok(Some((target, held)))
}
