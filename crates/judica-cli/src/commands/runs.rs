//! Runs that commands leave.

use judica_run::options::{RunOptions, RunTarget};

use super::files::{Held, hold};
use crate::args::run::{MeasureArgs, NameArgs};
use crate::failure::Failure;
use crate::timestamp::timestamps;

/// The run that was asked for, if one was, and its folder, held until the run is made.
pub fn target(
    args: &MeasureArgs,
    names: &NameArgs,
) -> Result<(Option<RunTarget>, Option<Held>), Failure> {
    let created_at = timestamps(args.timestamp.as_deref())?.created_at;
    let Some(folder) = &args.run else {
        return Ok((None, None));
    };
    let held = hold(folder)?;
    let target = RunTarget {
        folder: folder.clone(),
        created_at,
        options: RunOptions {
            subject: names.subject.clone(),
            dataset: names.dataset.clone(),
            keep_text: args.keep_text,
        },
    };
    Ok((Some(target), Some(held)))
}
