//! Metrics that nobody fills any more.
//!
//! A metric is never removed: old tools would break, and old files would lose their
//! meaning. It gets a line in [`DEPRECATED`] instead. Then it goes on being written, with
//! its sentinel; the published schema marks it `deprecated` and allows the sentinel; a file
//! that still holds a real value of it validates with a warning; and comparison,
//! aggregation and figures take the sentinel for what it is, no value.

use serde_json::Value;

/// What a deprecated metric is written as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sentinel {
    /// `null`
    Null,
    /// A number that is no possible value, such as `-1.0`.
    Number(f64),
}

impl Sentinel {
    /// Whether a value is this sentinel.
    pub fn is(self, value: &Value) -> bool {
        match self {
            Sentinel::Null => value.is_null(),
            Sentinel::Number(number) => value.as_f64() == Some(number),
        }
    }
}

/// A metric that nobody fills any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deprecated {
    /// Its key.
    pub name: &'static str,
    /// The version since when.
    pub since: &'static str,
    /// What it is written as.
    pub sentinel: Sentinel,
    /// Why, and what to read instead.
    pub note: &'static str,
}

/// All of them. So far there are none.
pub const DEPRECATED: &[Deprecated] = &[];

/// The entry for a metric.
pub fn find<'a>(table: &'a [Deprecated], name: &str) -> Option<&'a Deprecated> {
    table.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_json::catalogue::spec;
    use serde_json::json;

    #[test]
    fn entries_are_about_known_metrics_and_their_sentinels_are_no_values() {
        for entry in DEPRECATED {
            assert!(spec(entry.name).is_some(), "{}", entry.name);
            assert!(!entry.note.is_empty() && !entry.since.is_empty());
            if let Sentinel::Number(number) = entry.sentinel {
                assert!(number < 0.0, "{}: 0 and above are values", entry.name);
            }
        }
    }

    #[test]
    fn sentinels_are_told_from_values() {
        assert!(Sentinel::Null.is(&json!(null)) && !Sentinel::Null.is(&json!(0)));
        let minus_one = Sentinel::Number(-1.0);
        assert!(minus_one.is(&json!(-1)) && minus_one.is(&json!(-1.0)));
        assert!(!minus_one.is(&json!(1)) && !minus_one.is(&json!(null)));
    }
}
