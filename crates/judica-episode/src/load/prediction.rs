//! One row of predictions: a whole episode, or a single step of one.
//!
//! A row is refused only if it cannot be told which steps of which episode it is about. What
//! the model did there is never a reason: an action that cannot be read is one that matches
//! nothing.

use std::borrow::Cow;

use judica_data::json::Scanner;
use judica_data::json::scan::ValueKind;

use super::action::{Rules, Side, action};
use super::episode::named_twice;
use super::fault::Fault;
use super::text;
use super::usage::{self, Usage};
use super::walk::{elements, members, opens, position, row, skip, skip_is_there};
use crate::action::Action;

/// What a model did.
#[derive(Debug, Default, Clone, PartialEq)]
pub enum Did<'a> {
    /// Nothing.
    #[default]
    Nothing,
    /// This.
    Action(Action<'a>),
    /// Something that cannot be read, and why not.
    Unreadable(Fault),
}

/// What a model did at one step.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct PredictedStep<'a> {
    /// What it did.
    pub did: Did<'a>,
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
    /// What it says it stands or falls with.
    pub cluster: Option<Cow<'a, str>>,
    /// What it took.
    pub usage: Usage,
}

/// Reads a row.
pub fn prediction(bytes: &[u8], rules: Rules) -> Result<Prediction<'_>, Fault> {
    let mut name = None;
    let mut step_index = None;
    let mut steps = None;
    let mut single = PredictedStep::default();
    let mut cluster = None;
    let [mut whole, mut parts] = [Usage::default(); 2];
    row(bytes, |key, scanner| {
        match key {
            b"episode_id" if name.is_some() => return Err(named_twice()),
            b"episode_id" => name = Some(text::episode_name(scanner)?.ok_or_else(text::no_name)?),
            b"step_index" => step_index = position(scanner)?,
            b"steps" => steps = list(scanner, rules, &mut parts)?,
            b"cluster" => cluster = usage::name(scanner)?,
            _ => return step_member(key, scanner, rules, &mut single, &mut whole),
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
        (None, Some(_)) => vec![single],
        (None, None) => {
            let detail = "neither `steps` nor `step_index`";
            return Err(Fault::new("missing_steps", detail));
        }
    };
    Ok(Prediction {
        name,
        step_index,
        steps,
        cluster,
        usage: whole.or(parts),
    })
}

fn list<'a>(
    scanner: &mut Scanner<'a>,
    rules: Rules,
    usage: &mut Usage,
) -> Result<Option<Vec<PredictedStep<'a>>>, Fault> {
    if !opens(scanner, b'[', "a list of steps")? {
        return Ok(None);
    }
    let mut steps = Vec::new();
    elements(scanner, |_, scanner| {
        steps.push(step(scanner, rules, usage)?);
        Ok(())
    })?;
    Ok(Some(steps))
}

fn step<'a>(
    scanner: &mut Scanner<'a>,
    rules: Rules,
    usage: &mut Usage,
) -> Result<PredictedStep<'a>, Fault> {
    let mut step = PredictedStep::default();
    let mut took = Usage::default();
    match scanner.kind()? {
        ValueKind::Object => members(scanner, |key, scanner| {
            step_member(key, scanner, rules, &mut step, &mut took)
        })?,
        ValueKind::Null => skip(scanner)?,
        found => {
            skip(scanner)?;
            step.did = Did::Unreadable(Fault::wrong_type("a step", found));
        }
    }
    usage.add(&took);
    Ok(step)
}

/// Reads a member of a step. Samples call the action by another name.
fn step_member<'a>(
    key: &[u8],
    scanner: &mut Scanner<'a>,
    rules: Rules,
    step: &mut PredictedStep<'a>,
    usage: &mut Usage,
) -> Result<(), Fault> {
    match key {
        b"action" => step.did = predicted(scanner, rules)?,
        b"pred_action" if step.did == Did::Nothing => step.did = predicted(scanner, rules)?,
        b"state" => step.success = success(scanner)?,
        _ => usage.member(key, scanner)?,
    }
    Ok(())
}

/// Reads what a model did, whatever it is, as long as it is JSON.
pub fn predicted<'a>(scanner: &mut Scanner<'a>, rules: Rules) -> Result<Did<'a>, Fault> {
    let start = scanner.pos;
    Ok(match action(scanner, rules, Side::Predicted) {
        Ok(Some(action)) => Did::Action(action),
        Ok(None) => Did::Nothing,
        Err(fault) => {
            scanner.pos = start;
            match is_of_nulls(scanner)? {
                true => Did::Nothing,
                false => Did::Unreadable(fault),
            }
        }
    })
}

/// Steps over a value; says whether it is an object whose members all are null, as one made of
/// empty cells is.
fn is_of_nulls(scanner: &mut Scanner) -> Result<bool, Fault> {
    if scanner.kind()? != ValueKind::Object {
        return skip(scanner).map(|()| false);
    }
    let (mut any, mut there) = (false, false);
    members(scanner, |_, scanner| {
        any = true;
        there |= skip_is_there(scanner)?;
        Ok(())
    })?;
    Ok(any && !there)
}

/// What a state says about success.
pub fn success(scanner: &mut Scanner) -> Result<Option<bool>, Fault> {
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
            .map(|step| matches!(step.did, Did::Action(_)))
            .collect();
        assert_eq!(acted, [true, false, false, true]);
        let single = r#"{"step_index":3.0,"episode_id":5,"state":null,"action":{"type":"a"}}"#;
        let read = prediction(single.as_bytes(), RULES).unwrap();
        assert_eq!((&*read.name, read.step_index), ("5", Some(3)));
        assert_eq!(read.steps.len(), 1);
    }

    #[test]
    fn what_a_model_did_is_never_a_reason_to_refuse_its_row() {
        for (action, why) in [
            (
                r#""click(0.5, 0.5)""#,
                Some("expected an action, found text"),
            ),
            ("[]", Some("expected an action, found a list")),
            ("{}", Some("the action has no `type`")),
            (
                r#"{"type":null,"x":0.5}"#,
                Some("/type: expected the name of a type, found null"),
            ),
            (
                r#"{"type":"click","x":"0.5","y":0.5}"#,
                Some("/x: expected a number, found text"),
            ),
            (
                r#"{"type":"click","x":NaN,"y":0.5}"#,
                Some("/x: expected a finite number"),
            ),
            (
                r#"{"type":"click","x":1e400,"y":0.5}"#,
                Some("/x: expected a finite number"),
            ),
            (
                r#"{"type":"click","x":1e300,"y":0.5}"#,
                Some("/x: so far away there is no place"),
            ),
            (r#"{"type":"drag","x":0.5}"#, Some("`x` without `y`")),
            (
                r#"{"type":"click","normalized_coordinates":[0.5]}"#,
                Some("/normalized_coordinates: expected a list of two numbers, found 1"),
            ),
            // What is not compared is not looked at.
            (r#"{"type":"done","x":"here"}"#, None),
            (r#"{"type":"click","x":640,"y":-3}"#, None),
            (r#"{"type":"click","element_index":[],"bbox":3}"#, None),
        ] {
            let whole =
                format!(r#"{{"episode_id":"e","steps":[{{"action":{action}}},7,{{"acton":1}}]}}"#);
            let read = prediction(whole.as_bytes(), RULES).unwrap();
            let single = format!(r#"{{"episode_id":"e","step_index":0,"pred_action":{action}}}"#);
            let alone = prediction(single.as_bytes(), RULES).unwrap();
            assert_eq!(read.steps[0], alone.steps[0]);
            let said = match &read.steps[0].did {
                Did::Unreadable(fault) => Some(fault.to_string()),
                Did::Action(_) => None,
                Did::Nothing => Some("nothing".to_owned()),
            };
            assert_eq!(said.as_deref(), why, "{action}");
            assert!(matches!(read.steps[1].did, Did::Unreadable(_)));
            assert_eq!(read.steps[2].did, Did::Nothing);
        }
        for none in ["", r#","action":{"type":null,"x":null}"#] {
            let row = format!(r#"{{"episode_id":"e","step_index":0{none}}}"#);
            let alone = prediction(row.as_bytes(), RULES).unwrap();
            assert_eq!(alone.steps, [PredictedStep::default()]);
        }
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
