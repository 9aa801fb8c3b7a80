//! The steps of one episode, for whoever looks at it: how each went, what was expected, and
//! where its screenshot stands.

use std::path::Path;

use judica_data::chunks::ChunkReader;
use judica_data::work_error::WorkError;
use judica_model::chart::StepState;
use judica_model::run::{Evidence, RunRecord};
use judica_run::family::Step;
use judica_run::open::Run;
use judica_run::text::candidates;
use serde_json::Value;

use crate::family::{EpisodeOptions, role};

/// How much is read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// The steps that a record has evidence of, with what the recorded episode says of them, if
/// it still stands where it stood.
pub fn steps(
    run: &Run,
    record: &RunRecord,
    input_folder: Option<&Path>,
) -> Result<Vec<Step>, WorkError> {
    let of_steps = record.evidence.iter().filter_map(|atom| atom.step);
    let count = of_steps.max().map_or(0, |last| last.max(0) as usize + 1);
    let recorded = recorded(run, record, input_folder)?;
    let step = |at: usize| {
        let said = recorded.as_ref().map(|steps| &steps[at]);
        let action = said
            .map(|said| &said["action"])
            .filter(|action| action.is_object());
        let shot = said.and_then(|said| said["observation"]["screenshot_path"].as_str());
        Step {
            state: state(
                record
                    .evidence
                    .iter()
                    .filter(|atom| atom.step == Some(at as i32)),
            ),
            expected: action.map(Value::to_string),
            screenshot: shot.map(str::to_owned),
        }
    };
    Ok((0..count).map(step).collect())
}

/// How a step went, from what was seen of it, by what metrics count as a full step: of a target
/// with coordinates the distance decides and its box counts on its own, and so do milestones.
fn state<'a>(atoms: impl Iterator<Item = &'a Evidence<'a>> + Clone) -> StepState {
    let near = atoms
        .clone()
        .any(|atom| atom.rule == "coordinate.miss" && atom.pass);
    if atoms.clone().next().is_none() {
        return StepState::LeftOut;
    }
    let mut state = StepState::Right;
    for atom in atoms.filter(|atom| !atom.pass) {
        state = match atom.rule {
            "action_type.missing_step" => return StepState::Absent,
            "action_type.mismatch" | "action_type.unreadable" => StepState::WrongType,
            "milestone.missed" => state,
            "bbox.miss" if near => state,
            _ if state == StepState::Right => StepState::Missed,
            _ => state,
        };
    }
    state
}

/// The steps of an episode as they were recorded. It is passed over in silence that the
/// recording is gone: what the run holds is shown without it.
fn recorded(
    run: &Run,
    record: &RunRecord,
    input_folder: Option<&Path>,
) -> Result<Option<Value>, WorkError> {
    let options: EpisodeOptions = run.manifest.options()?;
    let called = |value: &Value, name: &str| match value {
        Value::String(text) => text == name,
        Value::Number(number) => number.to_string() == name,
        _ => false,
    };
    // Where the user said that fields stand elsewhere, at the top of a row.
    let key = |field: &str| {
        let named = options
            .columns
            .iter()
            .filter_map(|column| column.split_once('='));
        let mut named = named.filter(|(of, _)| of.strip_prefix("episodes.").unwrap_or(of) == field);
        named.next().map_or(field, |(_, name)| name).to_owned()
    };
    let (name, steps, dataset) = (key("episode_id"), key("steps"), key("dataset"));
    let one_dataset = options.run.dataset.is_some();
    let inputs = run.manifest.inputs.iter();
    for input in inputs.filter(|input| input.role == role::EPISODES) {
        let places = candidates(&input.path, &run.path, input_folder);
        let Some(path) = places.into_iter().find(|path| path.is_file()) else {
            continue;
        };
        let mut chunks = ChunkReader::unhashed(&[path], CHUNK_BYTES)?;
        while let Some(chunk) = chunks.next_chunk()? {
            for row in chunk.records() {
                let Ok(mut row) = serde_json::from_slice::<Value>(row.bytes) else {
                    continue;
                };
                let of_it = one_dataset
                    || row[&dataset].is_null()
                    || called(&row[&dataset], record.dataset);
                if of_it && called(&row[&name], record.item) {
                    return Ok(Some(row[&steps].take()));
                }
            }
            chunks.recycle(chunk);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(atoms: &[(&'static str, bool)]) -> StepState {
        let atoms: Vec<Evidence> = atoms
            .iter()
            .map(|(rule, pass)| Evidence {
                rule,
                pass: *pass,
                ..Evidence::default()
            })
            .collect();
        state(atoms.iter())
    }

    #[test]
    fn a_step_is_right_where_it_counts_as_a_full_one() {
        let typed = ("action_type.mismatch", true);
        let (near, far) = (("coordinate.miss", true), ("coordinate.miss", false));
        let beside = ("bbox.miss", false);
        assert_eq!(of(&[typed, near, beside]), StepState::Right);
        assert_eq!(
            of(&[typed, near, ("milestone.missed", false)]),
            StepState::Right
        );
        assert_eq!(of(&[typed, far, ("bbox.miss", true)]), StepState::Missed);
        // Without a distance the box decides.
        assert_eq!(of(&[typed, beside]), StepState::Missed);
        assert_eq!(of(&[typed, ("element.mismatch", false)]), StepState::Missed);
        let other = ("action_type.mismatch", false);
        assert_eq!(of(&[other, near, beside]), StepState::WrongType);
        assert_eq!(of(&[]), StepState::LeftOut);
        let none = ("action_type.missing_step", false);
        assert_eq!(of(&[none, beside]), StepState::Absent);
    }
}
