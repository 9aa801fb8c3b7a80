//! What a reader should know beside the numbers.

use super::counts::{Sighting, Tally};
use crate::action::Mode;
use crate::load::elsewhere::PLACES;

/// A remark, and whether it says that the inputs do not fit the mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// A sentence.
    pub text: String,
    /// Whether a strict run must not pass over it.
    pub misfit: bool,
}

/// The remarks on a tally; `episodes` is the file of recorded episodes, or of `samples`,
/// whose episodes have no line of their own.
pub fn notes(tally: &Tally, mode: Mode, episodes: &str, samples: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |text: String, misfit: bool| notes.push(Note { text, misfit });
    let place = |seen: &Sighting| {
        let (line, step) = seen.first.unwrap_or_default();
        if samples {
            return format!("{episodes}:{line}, step {step} of this episode");
        }
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
        in_pixels,
        outside,
        ..
    } = tally;
    let (targets, places) = match mode {
        Mode::Coord => ("click or drag has coordinates or a box", PLACES[1]),
        Mode::Som => ("click, drag or type has an element index", PLACES[0]),
    };
    if let (0, Some(at)) = (tally.targets, &tally.elsewhere_at) {
        note(
            format!(
                "no recorded {targets}, so no target is compared; {} steps have something like \
                 it where nothing looks (first: {at} of {}); looked at are {places}",
                tally.elsewhere.count,
                place(&tally.elsewhere)
            ),
            true,
        );
    }
    if in_pixels.count > 0 {
        note(
            format!(
                "{} recorded steps have a point or a box in pixels, which cannot be compared \
                 without the size of the screen (--screen WIDTHxHEIGHT; first: {})",
                in_pixels.count,
                place(in_pixels)
            ),
            true,
        );
    }
    if outside.count > 0 {
        note(
            format!(
                "{} predicted points lie outside the screen: misses, whose distance counts \
                 (first: against {}); if they are in pixels, --screen WIDTHxHEIGHT is needed",
                outside.count,
                place(outside)
            ),
            false,
        );
    }
    if tally.totals.unreadable > 0 {
        note(
            format!(
                "{} predicted steps cannot be read; each is a mismatch (--details says why)",
                tally.totals.unreadable
            ),
            false,
        );
    }
    if tally.without_index > 0 {
        note(
            format!(
                "{} of {} recorded clicks, drags and types have no element index: of those the \
                 type alone is compared",
                tally.without_index,
                tally.without_index + tally.targets
            ),
            false,
        );
    }
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
                "{} no step to compare: in num_episodes, and in no rate or mean over steps",
                counted(tally.empty, ["episode has", "episodes have"])
            ),
            false,
        );
    }
    if tally.without_predictions > 0 {
        note(
            format!(
                "{} no prediction; each of their steps is a mismatch",
                counted(tally.without_predictions, ["episode has", "episodes have"])
            ),
            false,
        );
    }
    if tally.extra_steps > 0 {
        note(
            format!(
                "{} beyond the end of the episode, compared with nothing",
                counted(
                    tally.extra_steps,
                    ["predicted action lies", "predicted actions lie"]
                )
            ),
            false,
        );
    }
    notes
}

/// A count and what is counted, of one and of several.
fn counted(count: u64, [one, several]: [&str; 2]) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
