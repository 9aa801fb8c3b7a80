//! Inputs of which nothing can be used.

use judica_data::foreign::Reads;
use judica_data::rejects::{Given, RejectFile};

use crate::failure::Failure;
use crate::screen;

/// Says on standard error which inputs gave nothing, where others did.
pub fn note_unused(unused: &[String]) {
    for note in unused {
        screen::tell(&judica_report::visible_lines(note));
    }
}

/// Fails if none of these inputs, which serve one purpose, gave a row; inputs of which
/// nothing was used are noted.
pub fn usable(rejects: RejectFile, given: &[Given], format: Reads) -> Result<RejectFile, Failure> {
    let (rejects, unused) = rejects.usable(given, format)?;
    note_unused(&unused);
    Ok(rejects)
}
