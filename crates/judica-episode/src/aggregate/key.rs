//! What files are grouped by.

use std::convert::Infallible;
use std::str::FromStr;

use judica_data::json::pointer_key;
use serde_json::Value;

use crate::eval_json::EvalFile;

/// A key at the top of the file, or a JSON pointer to anything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupKey {
    pointer: String,
    shown: String,
}

impl GroupKey {
    /// As it was given.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The group of a file: what stands there, or null. Files that name no backend or
    /// configuration are in the group that migration would put them in.
    pub fn of(&self, file: &EvalFile) -> Value {
        match (file.at(&self.pointer), self.pointer.as_str()) {
            (None, "/backend" | "/config_path") => Value::from("unknown"),
            (None, "/dsl_mode") => Value::from("coord"),
            (found, _) => found.cloned().unwrap_or_default(),
        }
    }
}

impl FromStr for GroupKey {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let pointer = if text.starts_with('/') {
            text.to_owned()
        } else {
            format!("/{}", pointer_key(text))
        };
        Ok(GroupKey {
            pointer,
            shown: text.to_owned(),
        })
    }
}

/// A group as people read it.
pub(super) fn shown(group: &Value) -> String {
    match group {
        Value::String(text) => text.clone(),
        Value::Null => "(none)".to_owned(),
        other => other.to_string(),
    }
}
