//! Inputs of which nothing can be used.

use judica_data::foreign::Reads;
use judica_data::rejects::{Given, RejectFile};
use judica_model::text::on_one_line;

use crate::failure::Failure;
use crate::screen;

/// Says on standard error what of the inputs counts for nothing, where other things do.
pub fn tell_lost(notes: &[String]) {
    for note in notes {
        screen::tell(&judica_report::visible(&on_one_line(note)));
    }
}

/// Fails if none of these inputs, which serve one purpose, gave a row; inputs of which
/// nothing was used are noted.
pub fn usable(rejects: RejectFile, given: &[Given], format: Reads) -> Result<RejectFile, Failure> {
    let (rejects, unused) = rejects.usable(given, format)?;
    tell_lost(&unused);
    Ok(rejects)
}
