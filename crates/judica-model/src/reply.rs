//! What became of a judge's reply.

use serde::{Deserialize, Serialize};

/// What became of a judge's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParseStatus {
    /// It says yes or no.
    Ok,
    /// It says yes or no, though not in the form that was asked for.
    Repaired,
    /// It could not be read, and `no` stands in for it.
    Invalid,
    /// The model or its provider declined, and `no` stands in for it.
    Refused,
    /// There is none, and no verdict either.
    Error,
}

impl ParseStatus {
    /// Whether the reply was read.
    pub fn is_read(self) -> bool {
        matches!(self, ParseStatus::Ok | ParseStatus::Repaired)
    }
}

#[cfg(test)]
mod tests {
    use super::ParseStatus;

    #[test]
    fn names_are_those_of_the_files() {
        for (status, name) in [
            (ParseStatus::Ok, "ok"),
            (ParseStatus::Repaired, "repaired"),
            (ParseStatus::Invalid, "invalid"),
            (ParseStatus::Refused, "refused"),
            (ParseStatus::Error, "error"),
        ] {
            assert_eq!(serde_json::to_value(status).unwrap(), name);
        }
    }
}
