//! One row of predictions: a whole episode, or a single step of one.

use std::borrow::Cow;

use judica_data::json::Scanner;
use judica_data::json::scan::ValueKind;

use super::action::{Rules, Side, action};
use super::episode::named_twice;
use super::fault::Fault;
use super::text;
use super::walk::{elements, members, opens, position, row, skip};
use crate::action::Action;

/// What a model did at one step.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct PredictedStep<'a> {
    /// Its action; `None` if it took none.
    pub action: Option<Action<'a>>,
    /// Whether it said that it had succeeded; anything but true and false says nothing.
    pub success: Option<bool>,
}

/// A row of predictions.
#[derive(Debug, PartialEq)]
pub struct Prediction<'a> {
    /// Of which episode.
    pub name: Cow<'a, str>,
    /// Which of its steps; `None` for all of them.
    pub step_index: Option<u64>,
    /// The steps; a single one if it is about one.
    pub steps: Vec<PredictedStep<'a>>,
}

/// Reads a row.
pub fn prediction(bytes: &[u8], rules: Rules) -> Result<Prediction<'_>, Fault> {
    let mut name = None;
    let mut step_index = None;
    let mut steps = None;
    let mut single = PredictedStep::default();
    let mut acted = false;
    row(bytes, |key, scanner| {
        match key {
            b"episode_id" if name.is_some() => return Err(named_twice()),
            b"episode_id" => name = Some(text::episode_name(scanner)?.ok_or_else(text::no_name)?),
            b"step_index" => step_index = position(scanner)?,
            b"steps" => steps = list(scanner, rules)?,
            b"action" => {
                acted = true;
                single.action = action(scanner, rules, Side::Predicted)?;
            }
            b"state" => single.success = success(scanner)?,
            _ => skip(scanner)?,
        }
        Ok(())
    })?;
    let name = name.ok_or_else(text::no_name)?;
    let steps = match (steps, step_index) {
        (Some(_), Some(_)) => {
            let detail = "both `steps` and `step_index`: a whole episode or a single step?";
            return Err(Fault::new("ambiguous_prediction", detail));
        }
        (Some(steps), None) => steps,
        (None, Some(_)) if acted => vec![single],
        (None, Some(_)) => return Err(no_action()),
        (None, None) => {
            let detail = "neither `steps` nor `step_index`";
            return Err(Fault::new("missing_steps", detail));
        }
    };
    Ok(Prediction {
        name,
        step_index,
        steps,
    })
}

fn no_action() -> Fault {
    Fault::new(
        "missing_action",
        "no `action` (null says that there was none)",
    )
}

fn list<'a>(
    scanner: &mut Scanner<'a>,
    rules: Rules,
) -> Result<Option<Vec<PredictedStep<'a>>>, Fault> {
    if !opens(scanner, b'[', "a list of steps")? {
        return Ok(None);
    }
    let mut steps = Vec::new();
    elements(scanner, |_, scanner| {
        steps.push(step(scanner, rules)?);
        Ok(())
    })?;
    Ok(Some(steps))
}

fn step<'a>(scanner: &mut Scanner<'a>, rules: Rules) -> Result<PredictedStep<'a>, Fault> {
    let mut step = PredictedStep::default();
    if !opens(scanner, b'{', "a step")? {
        return Ok(step);
    }
    let mut acted = false;
    members(scanner, |key, scanner| {
        match key {
            b"action" => {
                acted = true;
                step.action = action(scanner, rules, Side::Predicted)?;
            }
            b"state" => step.success = success(scanner)?,
            _ => skip(scanner)?,
        }
        Ok(())
    })?;
    if acted { Ok(step) } else { Err(no_action()) }
}

/// What a state says about success.
fn success(scanner: &mut Scanner) -> Result<Option<bool>, Fault> {
    if scanner.kind()? != ValueKind::Object {
        return skip(scanner).map(|()| None);
    }
    let mut success = None;
    members(scanner, |key, scanner| {
        if key == b"success" {
            success = match scanner.kind()? {
                ValueKind::Boolean => Some(scanner.peek() == Some(b't')),
                _ => None,
            };
        }
        skip(scanner)
    })?;
    Ok(success)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Mode;

    const RULES: Rules = Rules {
        mode: Mode::Coord,
        screen: None,
    };

    #[test]
    fn whole_episodes_and_single_steps() {
        let whole = r#"{"episode_id":"e","steps":[{"action":{"type":"click","x":0.1,"y":0.2},
            "state":{"success":false}},null,{"action":null,"state":{"success":"yes"}},
            {"action":{"type":"done"},"state":{"success":true,"more":[1]}}]}"#;
        let read = prediction(whole.as_bytes(), RULES).unwrap();
        let said: Vec<_> = read.steps.iter().map(|step| step.success).collect();
        assert_eq!(said, [Some(false), None, None, Some(true)]);
        let acted: Vec<_> = read
            .steps
            .iter()
            .map(|step| step.action.is_some())
            .collect();
        assert_eq!(acted, [true, false, false, true]);
        let single = r#"{"step_index":3.0,"episode_id":5,"state":null,"action":{"type":"a"}}"#;
        let read = prediction(single.as_bytes(), RULES).unwrap();
        assert_eq!((&*read.name, read.step_index), ("5", Some(3)));
        assert_eq!(read.steps.len(), 1);
    }

    #[test]
    fn refusals_point_to_what_is_wrong() {
        for (text, reason, detail) in [
            (r#"{"episode_id":"e"}"#, "missing_steps", "neither"),
            (
                r#"{"episode_id":"e","steps":[],"step_index":0}"#,
                "ambiguous_prediction",
                "both",
            ),
            (
                r#"{"episode_id":"e","step_index":0}"#,
                "missing_action",
                "no `action`",
            ),
            (
                r#"{"episode_id":"e","step_index":-1,"action":null}"#,
                "bad_index",
                "/step_index: ",
            ),
            (
                r#"{"episode_id":"e","step_index":"1","action":null}"#,
                "wrong_type",
                "/step_index: ",
            ),
            (
                r#"{"episode_id":"e","step_index":0.5,"action":null}"#,
                "bad_index",
                "/step_index: ",
            ),
            (
                r#"{"episode_id":"e","steps":[{"acton":1}]}"#,
                "missing_action",
                "/steps/0: ",
            ),
            (
                r#"{"episode_id":"e","steps":[{"action":{"x":0}}]}"#,
                "missing_type",
                "/steps/0/action: ",
            ),
            (
                r#"{"episode_id":"e","steps":[{"action":{"type":"a","x":0,"y":812}}]}"#,
                "out_of_range",
                "/steps/0/action/y: 812",
            ),
            (
                r#"{"episode_id":"e","episode_id":"e","steps":[]}"#,
                "duplicate_key",
                "/episode_id: ",
            ),
            (r#"{"steps":[]}"#, "missing_episode_id", "no `episode_id`"),
        ] {
            let refusal = prediction(text.as_bytes(), RULES).unwrap_err().refusal();
            assert_eq!(refusal.reason, reason, "{text}: {}", refusal.detail);
            assert!(
                refusal.detail.starts_with(detail),
                "{text}: {}",
                refusal.detail
            );
        }
    }
}
