//! Milestones: what an episode must reach, whatever happens between.

use std::path::Path;

use judica_data::json::Scanner;
use judica_data::limits::check_values;
use judica_data::source::{InputDigest, Source};
use judica_data::work_error::WorkError;

use super::fault::Fault;
use super::text;
use super::walk::{elements, members, number, opens, position, skip};

/// A milestone: recorded and predicted action both have this type at this step, and the
/// prediction is near enough if that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Milestone {
    /// What it is called.
    pub name: String,
    /// The step, counted from 0 as recorded, steps that are left out included.
    pub step_index: u64,
    /// The type, folded as types of actions are.
    pub action_type: String,
    /// The coordinate error must be below this.
    pub coord_threshold: Option<f64>,
}

/// Reads the list of milestones here; null is an empty list.
pub fn milestones(scanner: &mut Scanner) -> Result<Vec<Milestone>, Fault> {
    let mut list = Vec::new();
    if opens(scanner, b'[', "a list of milestones")? {
        elements(scanner, |index, scanner| {
            list.push(milestone(index, scanner)?);
            Ok(())
        })?;
    }
    Ok(list)
}

fn milestone(index: usize, scanner: &mut Scanner) -> Result<Milestone, Fault> {
    if !opens(scanner, b'{', "a milestone")? {
        return Err(Fault::new(
            "bad_milestone",
            "expected a milestone, found null",
        ));
    }
    let (mut name, mut step_index, mut action_type) = (None, None, None);
    let mut coord_threshold = None;
    members(scanner, |key, scanner| {
        match key {
            b"name" => name = text::episode_name(scanner)?,
            b"step_index" => step_index = position(scanner)?,
            b"type" | b"expected_type" => action_type = Some(text::type_name(scanner)?),
            b"coord_threshold" => coord_threshold = threshold(scanner)?,
            _ => skip(scanner)?,
        }
        Ok(())
    })?;
    let lacking = |key: &str| Fault::new("bad_milestone", format!("the milestone has no `{key}`"));
    Ok(Milestone {
        name: name.map_or_else(
            || format!("milestone {}", index + 1),
            |name| name.into_owned(),
        ),
        step_index: step_index.ok_or_else(|| lacking("step_index"))?,
        action_type: action_type.ok_or_else(|| lacking("type"))?.into_owned(),
        coord_threshold,
    })
}

fn threshold(scanner: &mut Scanner) -> Result<Option<f64>, Fault> {
    match number(scanner)? {
        // Nothing is below 0, so such a milestone could never be reached.
        Some(value) if value <= 0.0 => Err(Fault::new(
            "bad_milestone",
            format!("expected a distance above 0, found {value}"),
        )),
        threshold => Ok(threshold),
    }
}

/// Reads a file of milestones: a list, or an object with the list under `milestones`.
pub fn milestone_file(path: &Path) -> Result<(Vec<Milestone>, InputDigest), WorkError> {
    let mut source = Source::open(path)?;
    let bytes = source.read_rest()?;
    check_values(path, &bytes)?;
    let list = parse(&bytes).map_err(|fault| {
        let why = format!("{}: {fault}", path.display());
        WorkError::BadInput(format!("{why}; expected a list of milestones"))
    })?;
    Ok((list, source.finish()?))
}

fn parse(bytes: &[u8]) -> Result<Vec<Milestone>, Fault> {
    if std::str::from_utf8(bytes).is_err() {
        return Err(Fault::new("invalid_utf8", "not UTF-8"));
    }
    let mut scanner = Scanner::new(bytes, 0);
    let mut list = None;
    if scanner.peek() == Some(b'{') {
        members(&mut scanner, |key, scanner| {
            match key {
                b"milestones" => list = Some(milestones(scanner)?),
                _ => skip(scanner)?,
            }
            Ok(())
        })?;
    } else {
        list = Some(milestones(&mut scanner)?);
    }
    if !scanner.at_end() {
        scanner.fail::<()>()?;
    }
    list.ok_or_else(|| Fault::new("bad_milestone", "no `milestones`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_or_an_object_with_one() {
        let list = r#"[{"name":"login","step_index":4,"type":"CLICK","coord_threshold":0.1},
                       {"step_index":5,"expected_type":"done","coord_threshold":null}]"#;
        let read = parse(list.as_bytes()).unwrap();
        assert_eq!(
            parse(format!(r#"{{"v":1,"milestones":{list}}}"#).as_bytes()),
            Ok(read.clone())
        );
        assert_eq!(
            read[0],
            Milestone {
                name: "login".to_owned(),
                step_index: 4,
                action_type: "click".to_owned(),
                coord_threshold: Some(0.1),
            }
        );
        assert_eq!(
            (&*read[1].name, read[1].coord_threshold),
            ("milestone 2", None)
        );
        assert_eq!(parse(b"[]"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, pointer) in [
            (r#"[{"type":"a"}]"#, "/0: the milestone has no `step_index`"),
            (r#"[{"step_index":1}]"#, "/0: the milestone has no `type`"),
            (r#"[{"step_index":-1,"type":"a"}]"#, "/0/step_index: "),
            (r#"[{"step_index":1.5,"type":"a"}]"#, "/0/step_index: "),
            (
                r#"[{"step_index":1,"type":"a","coord_threshold":0}]"#,
                "/0/coord_threshold: ",
            ),
            (r#"{"milestones":[null]}"#, "/milestones/0: "),
            ("{}", "no `milestones`"),
            ("[] x", "not JSON"),
            ("3", "expected a list"),
        ] {
            let fault = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(fault.starts_with(pointer), "{text}: {fault}");
        }
    }
}
