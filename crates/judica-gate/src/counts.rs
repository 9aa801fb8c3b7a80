//! What became of the rows that a gated number comes from: it says nothing of those that were
//! refused.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// Rows of an evaluation: `inputs = used + rejects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Rows given.
    pub inputs: u64,
    /// Rows used.
    pub used: u64,
    /// Rows that could not be used.
    pub rejects: u64,
}

impl Counts {
    /// Those that a report of judica holds, if it does: beside its numbers, under `counts`, or
    /// for each of several inputs.
    pub(crate) fn of(report: &Value) -> Option<Self> {
        let each = report.get("inputs").and_then(Value::as_object);
        if let Some(each) = each.filter(|each| !each.is_empty()) {
            let mut all = [0, 0];
            for one in each.values() {
                let one = Counts::of(one)?;
                all = [all[0] + one.inputs, all[1] + one.rejects];
            }
            return Counts::new(all[0], all[1]);
        }
        [Some(report), report.get("counts")]
            .into_iter()
            .flatten()
            .find_map(|place| {
                let number = |key: &str| place.get(key).and_then(Value::as_u64);
                let inputs = number("inputs").or_else(|| number("outputs"))?;
                Counts::new(inputs, number("rejects")?)
            })
    }

    pub(crate) fn new(inputs: u64, rejects: u64) -> Option<Self> {
        Some(Counts {
            inputs,
            used: inputs.checked_sub(rejects)?,
            rejects,
        })
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            inputs,
            used,
            rejects,
        } = self;
        write!(f, "inputs {inputs} = used {used} + rejects {rejects}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_stand_where_reports_have_them() {
        let found = Counts::new(5, 2);
        for (report, expected) in [
            (json!({"inputs": 5, "records": 3, "rejects": 2}), found),
            (json!({"counts": {"outputs": 5, "rejects": 2}}), found),
            (
                json!({"counts": {"inputs": 5, "used": 3, "rejects": 2}}),
                found,
            ),
            (
                json!({"inputs": {"a": {"inputs": 4, "rejects": 2}, "b": {"inputs": 1, "rejects": 0}}}),
                found,
            ),
            (json!({"inputs": 1, "rejects": 2}), None),
            (json!({"inputs": {}, "rejects": 2}), None),
            (json!({"rejects": 2}), None),
            (json!([5, 2]), None),
        ] {
            assert_eq!(Counts::of(&report), expected, "{report}");
        }
        assert_eq!(found.unwrap().to_string(), "inputs 5 = used 3 + rejects 2");
    }
}
