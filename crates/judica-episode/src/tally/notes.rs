//! What a reader should know beside the numbers.

use judica_model::table::counted;

use super::counts::{Sighting, Tally};
use crate::action::Mode;
use crate::load::action::Rules;
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
pub fn notes(tally: &Tally, rules: Rules, episodes: &str, samples: bool) -> Vec<Note> {
    let mode = rules.mode;
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
                "no recorded {targets}, so no target is compared; {} something like it where \
                 nothing looks (first: {at} of {}); looked at are {places}",
                counted(tally.elsewhere.count, ["step has", "steps have"]),
                place(&tally.elsewhere)
            ),
            true,
        );
    }
    if in_pixels.count > 0 {
        note(
            format!(
                "{} a point or a box in pixels, which cannot be compared without the size of \
                 the screen (--screen WIDTHxHEIGHT; first: {})",
                counted(in_pixels.count, RECORDED_STEPS),
                place(in_pixels)
            ),
            true,
        );
    }
    if outside.count > 0 {
        note(
            format!(
                "{} outside the screen: misses, whose distance counts (first: against {}){}",
                counted(
                    outside.count,
                    ["predicted point lies", "predicted points lie"]
                ),
                place(outside),
                match rules.screen {
                    Some(_) => "",
                    None => "; if they are in pixels, --screen WIDTHxHEIGHT is needed",
                }
            ),
            false,
        );
    }
    if tally.totals.unreadable > 0 {
        note(
            format!(
                "{} cannot be read; each is a mismatch (--details says why)",
                counted(
                    tally.totals.unreadable,
                    ["predicted step", "predicted steps"]
                )
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
                "{} {unread} and not {own}, so their targets are not compared in {} mode \
                 (first: {}); is --mode {other} meant?",
                counted(other_gold.count, RECORDED_STEPS),
                mode.name(),
                place(other_gold)
            ),
            true,
        );
    }
    if other_predicted.count > 0 {
        note(
            format!(
                "{} {unread} where {own} would be compared (first: against {})",
                counted(
                    other_predicted.count,
                    ["predicted step has", "predicted steps have"]
                ),
                place(other_predicted)
            ),
            true,
        );
    }
    if blind_milestones.count > 0 {
        note(
            format!(
                "{} a coord_threshold where no coordinate error is measured (only clicks and \
                 drags in coord mode have one), and so is not reached",
                counted(blind_milestones.count, ["milestone has", "milestones have"])
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
                "{} no prediction; each step is a mismatch",
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

const RECORDED_STEPS: [&str; 2] = ["recorded step has", "recorded steps have"];
