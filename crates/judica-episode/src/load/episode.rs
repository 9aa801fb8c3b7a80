//! One recorded episode.

use std::borrow::Cow;

use judica_data::json::Scanner;
use judica_data::json::scan::ValueKind;

use super::action::{Rules, Side, action};
use super::elsewhere::lookalike;
use super::fault::Fault;
use super::milestone::{Milestone, milestones};
use super::text;
use super::usage;
use super::walk::{boolean, elements, members, opens, row, skip};
use crate::action::Action;

/// A recorded episode. Its steps stand in a list that many episodes share.
#[derive(Debug, Clone)]
pub struct Episode<'a> {
    /// What it is called.
    pub name: Cow<'a, str>,
    /// What was to be done.
    pub goal: Option<Cow<'a, str>>,
    /// Where its steps begin in the list.
    pub first_step: usize,
    /// How many there are, those that are left out included.
    pub steps: usize,
    /// The milestones that it defines.
    pub milestones: Vec<Milestone>,
    /// The data set that it says it is of.
    pub dataset: Option<Cow<'a, str>>,
    /// What it says it stands or falls with.
    pub cluster: Option<Cow<'a, str>>,
    /// Which repeat it says it is; without one it stands for all of them.
    pub epoch: Option<i32>,
}

/// Reads a row and appends its steps; `None` stands for a step that is left out because
/// nothing was seen when it was taken.
pub fn episode<'a>(
    bytes: &'a [u8],
    rules: Rules,
    steps: &mut Vec<Option<Action<'a>>>,
) -> Result<Episode<'a>, Fault> {
    let first_step = steps.len();
    let read = read(bytes, rules, steps);
    if read.is_err() {
        steps.truncate(first_step);
    }
    read
}

fn read<'a>(
    bytes: &'a [u8],
    rules: Rules,
    steps: &mut Vec<Option<Action<'a>>>,
) -> Result<Episode<'a>, Fault> {
    let first_step = steps.len();
    let (mut name, mut goal, mut instruction) = (None, None, None);
    let (mut dataset, mut cluster, mut epoch) = (None, None, None);
    let mut listed = false;
    let mut targets = Vec::new();
    row(bytes, |key, scanner| {
        match key {
            b"episode_id" if name.is_some() => return Err(named_twice()),
            b"episode_id" => name = Some(text::episode_name(scanner)?.ok_or_else(text::no_name)?),
            b"goal" => goal = words(scanner)?,
            b"instruction" => instruction = words(scanner)?,
            b"dataset" => dataset = usage::name(scanner)?,
            b"cluster" => cluster = usage::name(scanner)?,
            b"epoch" => epoch = usage::epoch(scanner)?,
            b"steps" => {
                steps.truncate(first_step);
                listed = opens(scanner, b'[', "a list of steps")?;
                if listed {
                    elements(scanner, |_, scanner| {
                        steps.push(step(scanner, rules)?);
                        Ok(())
                    })?;
                }
            }
            b"milestones" => targets = milestones(scanner)?,
            _ => skip(scanner)?,
        }
        Ok(())
    })?;
    if !listed {
        return Err(Fault::new("missing_steps", "no `steps`"));
    }
    Ok(Episode {
        name: name.ok_or_else(text::no_name)?,
        goal: goal.or(instruction),
        first_step,
        steps: steps.len() - first_step,
        milestones: targets,
        dataset,
        cluster,
        epoch,
    })
}

/// A row must name its episode once: which of two names is meant cannot be told.
pub fn named_twice() -> Fault {
    Fault::new("duplicate_key", "the row has two of them")
}

/// Text that is shown and never compared; anything else counts as none.
pub fn words<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Cow<'a, str>>, Fault> {
    match scanner.string_if_next()? {
        Some(raw) => Ok(Some(text::decode(raw))),
        None => skip(scanner).map(|()| None),
    }
}

fn step<'a>(scanner: &mut Scanner<'a>, rules: Rules) -> Result<Option<Action<'a>>, Fault> {
    if !opens(scanner, b'{', "a step")? {
        return Err(Fault::new("missing_action", "expected a step, found null"));
    }
    let start = scanner.pos;
    let mut taken = None;
    let (mut seen, mut observed) = (None, None);
    members(scanner, |key, scanner| {
        match key {
            b"action" => {
                let start = scanner.pos;
                let read = action(scanner, rules, Side::Gold);
                if read.is_err() {
                    // Nothing is asked of a step that is left out, and whether it is may
                    // stand behind its action.
                    scanner.pos = start;
                    skip(scanner)?;
                }
                taken = Some(read);
            }
            b"has_screenshot" => seen = boolean(scanner)?,
            b"observation" => observed = screenshot(scanner)?,
            _ => skip(scanner)?,
        }
        Ok(())
    })?;
    match taken {
        _ if seen.or(observed) == Some(false) => Ok(None),
        Some(Ok(Some(mut action))) => {
            let aimless = rules.mode.aims(action.kind) && !action.has_target(rules.mode);
            if aimless && !action.unused.other_target && !action.unused.in_pixels {
                let step = scanner.slice(start, scanner.pos);
                action.unused.elsewhere = lookalike(step, rules.mode);
            }
            Ok(Some(action))
        }
        Some(Err(fault)) => Err(fault.under(b"action")),
        Some(Ok(None)) | None => Err(Fault::new("missing_action", "the step has no `action`")),
    }
}

/// Whether an observation has a picture; `None` if there is no observation.
fn screenshot(scanner: &mut Scanner) -> Result<Option<bool>, Fault> {
    if scanner.kind()? != ValueKind::Object {
        return skip(scanner).map(|()| None);
    }
    let mut there = false;
    members(scanner, |key, scanner| {
        if key == b"screenshot_path" {
            let path = words(scanner)?;
            there = path.is_some_and(|path| !path.trim().is_empty());
            return Ok(());
        }
        skip(scanner)
    })?;
    Ok(Some(there))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Mode;

    const RULES: Rules = Rules {
        mode: Mode::Coord,
        screen: None,
    };

    fn refused(text: &str) -> (&'static str, String) {
        let mut steps = vec![None];
        let refusal = episode(text.as_bytes(), RULES, &mut steps)
            .unwrap_err()
            .refusal();
        assert_eq!(steps.len(), 1, "nothing of a refused row stays");
        (refusal.reason, refusal.detail)
    }

    #[test]
    fn steps_that_were_not_seen_are_left_out_whatever_they_hold() {
        let text = r#"{"episode_id":"e","goal":"log \"in\"","steps":[
            {"action":{"type":"click","x":0.5,"y":0.5},"has_screenshot":true},
            {"action":{"type":5},"has_screenshot":false},
            {"has_screenshot":false},
            {"action":{"type":"done"},"has_screenshot":null}],"success":true}"#;
        let mut steps = Vec::new();
        let read = episode(text.as_bytes(), RULES, &mut steps).unwrap();
        assert_eq!((read.first_step, read.steps), (0, 4));
        assert_eq!(read.goal.as_deref(), Some("log \"in\""));
        let there: Vec<bool> = steps.iter().map(Option::is_some).collect();
        assert_eq!(there, [true, false, false, true]);
    }

    #[test]
    fn refusals_point_to_what_is_wrong() {
        for (text, reason, detail) in [
            (r#"{"episode_id":"e"}"#, "missing_steps", "no `steps`"),
            (
                r#"{"episode_id":"e","steps":null}"#,
                "missing_steps",
                "no `steps`",
            ),
            (r#"{"steps":[]}"#, "missing_episode_id", "no `episode_id`"),
            (
                r#"{"episode_id":null,"steps":[]}"#,
                "missing_episode_id",
                "/episode_id: ",
            ),
            (
                r#"{"episode_id":"e","episode_id":"f","steps":[]}"#,
                "duplicate_key",
                "/episode_id: ",
            ),
            (
                r#"{"episode_id":"e","steps":[{}]}"#,
                "missing_action",
                "/steps/0: ",
            ),
            (
                r#"{"episode_id":"e","steps":[null]}"#,
                "missing_action",
                "/steps/0: ",
            ),
            (
                r#"{"episode_id":"e","steps":[{"action":null}]}"#,
                "missing_action",
                "/steps/0: ",
            ),
            (
                r#"{"episode_id":"e","steps":[{"action":{"type":"a"}},{"action":{"type":"a","bbox":[0.9,0,0.1,1]}}]}"#,
                "swapped_bbox",
                "/steps/1/action/bbox: ",
            ),
            (
                r#"{"episode_id":"e","steps":[{"action":{"type":"a"},"has_screenshot":1}]}"#,
                "wrong_type",
                "/steps/0/has_screenshot: ",
            ),
            (
                r#"{"episode_id":"e","steps":[],"milestones":[{"type":"a"}]}"#,
                "bad_milestone",
                "/milestones/0: ",
            ),
            (
                r#"{"episode_id":"e","steps":[]} x"#,
                "malformed_json",
                "not JSON from byte 30",
            ),
        ] {
            let (found, said) = refused(text);
            assert_eq!(found, reason, "{text}: {said}");
            assert!(said.starts_with(detail), "{text}: {said}");
        }
    }
}
