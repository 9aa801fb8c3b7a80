//! Runs that commands leave.

use std::path::Path;

use judica_answer::predictions::Columns;
use judica_model::text::shell_path;
use judica_run::manifest::Counts;
use judica_run::options::{RunOptions, RunTarget};
use judica_run::pieces::Part;

use super::files::{Held, hold, hold_for_pieces};
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
    let target = target_of(args, names)?;
    let held = match (&target, part) {
        (None, _) => None,
        (Some(target), None) => Some(hold(&target.folder)?),
        (Some(target), Some(_)) => Some(hold_for_pieces(&target.folder)?),
    };
    Ok((target, held))
}

/// The same, while somebody else holds its folder.
pub fn target_of(args: &MeasureArgs, names: &NameArgs) -> Result<Option<RunTarget>, Failure> {
    let created_at = timestamps(args.timestamp.as_deref())?.created_at;
    let target = args.run.as_ref().map(|folder| RunTarget {
        folder: folder.clone(),
        created_at,
        options: RunOptions {
            subject: names.subject.clone(),
            dataset: names.dataset.clone(),
            keep_text: args.keep_text,
        },
    });
    Ok(target)
}

/// Refuses one name for the subjects of several columns of predictions.
pub fn one_subject(names: &NameArgs, columns: &Columns) -> Result<(), Failure> {
    if names.subject.is_none() || columns.subjects.is_empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--subject: each of several columns of predictions is a subject of its own, called like \
         its column: {}",
        columns.subjects.join(", ")
    )))
}

/// Says what one part of a run holds, and what makes the run.
pub fn tell_part(part: Part, counts: &Counts, folder: &Path) {
    let folder = shell_path(folder);
    screen::print(&format!(
        "part {part}: inputs {} = used {} + rejects {}; records {}\n\
         once all parts are there: judica finish {folder}\n",
        counts.inputs, counts.used, counts.rejects, counts.records
    ));
}
