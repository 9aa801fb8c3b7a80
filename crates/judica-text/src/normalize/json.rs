//! JSON values, whatever the order of keys and the spelling of numbers and strings.

mod value;

use super::lines::equal_forms;
use super::{Matched, Normalizer};
use crate::gold::Gold;
use value::Value;

/// Equal JSON values: objects without regard to the order of keys (of a repeated key the
/// last value counts), arrays in order, numbers by exact value (`1` = `1.0` = `10e-1`).
///
/// Text that is not JSON, or is nested deeper than 128, equals nothing.
#[derive(Debug, Clone, Copy)]
pub struct Json;

impl Normalizer for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn compare(&self, gold: &Gold, prediction: &str) -> Matched {
        equal_forms(gold, prediction, Value::parse)
    }

    fn normalized(&self, text: &str) -> Option<String> {
        Value::parse(text).map(|value| value.canonical())
    }

    fn reasoning(&self, matched: Matched) -> Option<&'static str> {
        matched.is_match().then_some("Equal as JSON.")
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
