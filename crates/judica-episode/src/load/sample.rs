//! One stored sample: a recorded action and what was predicted for it, in one row.
//!
//! `{episode_id, step_index, goal, pred_action, ground_truth_action, …}`. What the row says
//! about how it was scored is passed over: it is scored again.

use std::borrow::Cow;

use judica_data::json::Scanner;

use super::action::{Rules, Side, action};
use super::episode::{named_twice, words};
use super::fault::Fault;
use super::prediction::{PredictedStep, predicted, success};
use super::text;
use super::usage::{self, Usage};
use super::walk::{members, position, row, skip, skip_is_there};
use crate::action::Action;

/// The recorded action's key, by which such a row is known.
const GOLD: &[u8] = b"ground_truth_action";

/// Steps of an episode; a place beyond is a mistake and not an episode.
pub const MOST_STEPS: u64 = 100_000;

/// A stored sample.
#[derive(Debug)]
pub struct Sample<'a> {
    /// Of which episode.
    pub name: Cow<'a, str>,
    /// Which of its steps.
    pub step_index: u64,
    /// What was to be done.
    pub goal: Option<Cow<'a, str>>,
    /// The data set that it says it is of.
    pub dataset: Option<Cow<'a, str>>,
    /// What it says it stands or falls with.
    pub cluster: Option<Cow<'a, str>>,
    /// Which repeat it says it is.
    pub epoch: Option<i32>,
    /// What the answer took.
    pub usage: Usage,
    /// What was recorded.
    pub gold: Action<'a>,
    /// What was predicted.
    pub predicted: PredictedStep<'a>,
}

/// Reads a row.
pub fn sample(bytes: &[u8], rules: Rules) -> Result<Sample<'_>, Fault> {
    let (mut name, mut step_index, mut gold) = (None, None, None);
    let (mut goal, mut instruction) = (None, None);
    let (mut dataset, mut cluster, mut epoch) = (None, None, None);
    let mut usage = Usage::default();
    let mut step = PredictedStep::default();
    row(bytes, |key, scanner| {
        match key {
            b"episode_id" if name.is_some() => return Err(named_twice()),
            b"episode_id" => name = Some(text::episode_name(scanner)?.ok_or_else(text::no_name)?),
            b"step_index" => step_index = position(scanner)?,
            b"goal" => goal = words(scanner)?,
            b"instruction" => instruction = words(scanner)?,
            b"dataset" => dataset = usage::name(scanner)?,
            b"cluster" => cluster = usage::name(scanner)?,
            b"epoch" => epoch = usage::epoch(scanner)?,
            GOLD => gold = action(scanner, rules, Side::Gold)?,
            b"pred_action" => step.did = predicted(scanner, rules)?,
            b"state" => step.success = success(scanner)?,
            _ => usage.member(key, scanner)?,
        }
        Ok(())
    })?;
    let no = |reason, what: &str| Fault::new(reason, format!("no `{what}`"));
    let step_index = step_index.ok_or_else(|| no("missing_step_index", "step_index"))?;
    if step_index >= MOST_STEPS {
        let detail = format!("{step_index} is beyond the {MOST_STEPS} steps of an episode");
        return Err(Fault::new("bad_index", detail).under(b"step_index"));
    }
    Ok(Sample {
        name: name.ok_or_else(text::no_name)?,
        step_index,
        goal: goal.or(instruction),
        dataset,
        cluster,
        epoch,
        usage,
        gold: gold.ok_or_else(|| no("missing_action", "ground_truth_action"))?,
        predicted: step,
    })
}

/// Whether a row is a stored sample, and no recorded episode.
pub fn is_sample(bytes: &[u8]) -> bool {
    let (mut gold, mut steps) = (false, false);
    let mut scanner = Scanner::new(bytes, 0);
    if scanner.peek() != Some(b'{') {
        return false;
    }
    let walked = members(&mut scanner, |key, scanner| {
        match key {
            GOLD => gold = true,
            b"steps" => steps = skip_is_there(scanner).map(|there| there || steps)?,
            _ => {}
        }
        if key == b"steps" {
            return Ok(());
        }
        skip(scanner)
    });
    walked.is_ok() && gold && !steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Mode;
    use crate::load::prediction::Did;

    const RULES: Rules = Rules {
        mode: Mode::Som,
        screen: None,
    };

    #[test]
    fn both_sides_of_a_step() {
        let text = r#"{"episode_id":"e","step_index":3,"goal":"log in","model_output_raw":"CLICK([1])",
            "pred_action":{"type":"click","x":null,"y":null,"text":null,"element_index":1},
            "ground_truth_action":{"type":"click","element_index":1},
            "correct_type":true,"coord_error_norm":null,"element_match":true}"#;
        assert!(is_sample(text.as_bytes()));
        let read = sample(text.as_bytes(), RULES).unwrap();
        assert_eq!((&*read.name, read.step_index), ("e", 3));
        assert_eq!(read.goal.as_deref(), Some("log in"));
        let Did::Action(action) = &read.predicted.did else {
            panic!("{:?}", read.predicted);
        };
        assert_eq!(action.element, read.gold.element);
        for row in [
            r#"{"steps":[],"ground_truth_action":1}"#,
            "[]",
            "{",
            r#"{"episode_id":1}"#,
        ] {
            assert!(!is_sample(row.as_bytes()), "{row}");
        }
    }

    #[test]
    fn what_is_wrong_with_the_recorded_side_is_refused_and_nothing_else() {
        for (text, reason) in [
            (
                r#"{"step_index":0,"ground_truth_action":{"type":"a"}}"#,
                "missing_episode_id",
            ),
            (
                r#"{"episode_id":1,"ground_truth_action":{"type":"a"}}"#,
                "missing_step_index",
            ),
            (
                r#"{"episode_id":1,"step_index":0,"ground_truth_action":null}"#,
                "missing_action",
            ),
            (
                r#"{"episode_id":1,"step_index":0,"ground_truth_action":{}}"#,
                "missing_type",
            ),
            (
                r#"{"episode_id":1,"step_index":4000000000,"ground_truth_action":{"type":"a"}}"#,
                "bad_index",
            ),
        ] {
            let refusal = sample(text.as_bytes(), RULES).unwrap_err().refusal();
            assert_eq!(refusal.reason, reason, "{}", refusal.detail);
        }
        for predicted in ["null", "\"CLICK(1)\"", "[]", "{}", "{\"type\":5}"] {
            let text = format!(
                r#"{{"episode_id":1,"step_index":0,"pred_action":{predicted},"ground_truth_action":{{"type":"a"}}}}"#
            );
            assert!(sample(text.as_bytes(), RULES).is_ok(), "{text}");
        }
    }
}
