//! What a reader should know beside the numbers.

use super::counts::{Sighting, Tally};
use crate::action::Mode;

/// A remark, and whether it says that the inputs do not fit the mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// A sentence.
    pub text: String,
    /// Whether a strict run must not pass over it.
    pub misfit: bool,
}

/// The remarks on a tally; `episodes` is the file of recorded episodes.
pub fn notes(tally: &Tally, mode: Mode, episodes: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |text: String, misfit: bool| notes.push(Note { text, misfit });
    let place = |seen: &Sighting| {
        let (line, step) = seen.first.unwrap_or_default();
        format!("{episodes}:{line}, /steps/{step}/action")
    };
    let (other, own, unread) = match mode {
        Mode::Coord => ("som", "coordinates", "an element index"),
        Mode::Som => ("coord", "an element index", "coordinates"),
    };
    let Tally {
        other_gold,
        other_predicted,
        blind_milestones,
        ..
    } = tally;
    if other_gold.count > 0 {
        note(
            format!(
                "{} recorded steps have {unread} and not {own}, so their targets are not \
                 compared in {} mode (first: {}); is --mode {other} meant?",
                other_gold.count,
                mode.name(),
                place(other_gold)
            ),
            true,
        );
    }
    if other_predicted.count > 0 {
        note(
            format!(
                "{} predicted steps have {unread} where {own} would be compared (first: \
                 against {})",
                other_predicted.count,
                place(other_predicted)
            ),
            true,
        );
    }
    if blind_milestones.count > 0 {
        note(
            format!(
                "{} milestones have a coord_threshold where no coordinate error is measured \
                 (only clicks and drags in coord mode have one), so they are not reached",
                blind_milestones.count
            ),
            false,
        );
    }
    if tally.episodes == 0 {
        note("no episode was compared".to_owned(), false);
    }
    if tally.empty > 0 {
        note(
            format!(
                "{} episodes have no step to compare; they are in num_episodes, and in no rate \
                 or mean over steps",
                tally.empty
            ),
            false,
        );
    }
    if tally.without_predictions > 0 {
        note(
            format!(
                "{} episodes have no prediction; each of their steps is a mismatch",
                tally.without_predictions
            ),
            false,
        );
    }
    if tally.extra_steps > 0 {
        note(
            format!(
                "{} predicted actions lie beyond the end of their episode and are compared \
                 with nothing",
                tally.extra_steps
            ),
            false,
        );
    }
    notes
}
