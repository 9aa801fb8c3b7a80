//! Why a page cannot be shown.

use axum::http::StatusCode;
use judica_run::WorkError;
use judica_run::index::Asked;
use judica_run::index::query::Refused;
use serde_json::{Map, Value, json};

/// Why, as a status and a sentence.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    pub why: String,
}

impl Refusal {
    /// A parameter says what cannot be meant.
    pub fn bad(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::BAD_REQUEST,
            why: why.into(),
        }
    }

    /// A run, or a part of it, is no longer what it was.
    pub fn changed(what: &str) -> Self {
        Refusal {
            status: StatusCode::CONFLICT,
            why: format!(
                "{what} has changed since it was opened, or is gone: end `judica view` and open \
                 it again"
            ),
        }
    }

    /// As programs read it.
    pub fn json(&self) -> Map<String, Value> {
        let error = json!({"status": self.status.as_u16(), "message": self.why});
        Map::from_iter([("error".to_owned(), error)])
    }

    /// There is no such thing.
    pub fn nothing(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::NOT_FOUND,
            why: why.into(),
        }
    }
}

impl From<WorkError> for Refusal {
    fn from(error: WorkError) -> Self {
        let status = match &error {
            WorkError::BadInput(_) => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal {
            status,
            why: error.to_string(),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Refusal::bad(refused.to_string())
    }
}

impl From<Asked> for Refusal {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Refused(refused) => refused.into(),
            Asked::Failed(error) => error.into(),
        }
    }
}
