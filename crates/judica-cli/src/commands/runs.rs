//! Runs that commands leave.

use std::path::Path;

use judica_run::manifest::Counts;
use judica_run::options::{RunOptions, RunTarget};
use judica_run::pieces::Part;

use super::files::{Held, hold, hold_for_pieces, shown};
use crate::args::run::{MeasureArgs, NameArgs};
use crate::failure::Failure;
use crate::screen;
use crate::timestamp::timestamps;

/// The run that was asked for, if one was, and its folder, held until the run is made.
pub fn target(
    args: &MeasureArgs,
    names: &NameArgs,
) -> Result<(Option<RunTarget>, Option<Held>), Failure> {
    part_target(args, names, None)
}

/// The same of a run of which only a part may be made: others make other parts meanwhile.
pub fn part_target(
    args: &MeasureArgs,
    names: &NameArgs,
    part: Option<Part>,
) -> Result<(Option<RunTarget>, Option<Held>), Failure> {
    let created_at = timestamps(args.timestamp.as_deref())?.created_at;
    let Some(folder) = &args.run else {
        return Ok((None, None));
    };
    let held = match part {
        None => hold(folder)?,
        Some(_) => hold_for_pieces(folder)?,
    };
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

/// Says what one part of a run holds, and what makes the run.
pub fn tell_part(part: Part, counts: &Counts, folder: &Path) {
    let folder = shown(folder);
    screen::print(&format!(
        "part {part}: inputs {} = used {} + rejects {}; records {}\n\
         once all parts are there: judica finish {folder}\n",
        counts.inputs, counts.used, counts.rejects, counts.records
    ));
}
