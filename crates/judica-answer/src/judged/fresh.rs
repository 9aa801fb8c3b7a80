//! Whether a judged document on disk still answers the question, so that nobody need be
//! asked again.

use std::path::Path;

use judica_data::error::DataErrorKind;
use judica_data::source::Source;
use judica_data::work_error::WorkError;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::dataset::{NO_MODEL, without_temperature};
use crate::verdict::{DecisionMethod, ParseStatus};
use judica_text::normalize::Tolerance;

/// What a document must say to be what a run would write.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The model that was named, if any; else [`NO_MODEL`].
    pub judge_model: String,
    /// The hash of the prompt; none if no model is to be asked.
    pub prompt_hash: Option<String>,
    /// The normaliser that decides on these golds.
    pub normalizer: String,
    /// How far numbers may be apart, where that decides.
    pub tolerance: Option<Tolerance>,
    /// How many replies each verdict rests on; none if no model is to be asked.
    pub votes: Option<u32>,
    /// The temperature; none if no model is to be asked.
    pub temperature: Option<f64>,
    /// SHA-256 of the predictions.
    pub source_sha256: String,
    /// Where fields stand in them, as the user says.
    pub source_columns: Vec<String>,
}

/// Whether a document can stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It is what a run would write.
    Current,
    /// There is none.
    Missing,
    /// It must be written anew, and why.
    Stale(String),
}

/// As much of a document as tells whether it is current. Its fields may be anything in a
/// document of another program, which is then stale and not an error.
#[derive(Deserialize)]
struct Stored {
    judge_model: Option<String>,
    prompt_hash: Option<String>,
    normalizer: Option<String>,
    tolerance: Option<Tolerance>,
    votes: Option<u32>,
    judge_temperature: Option<f64>,
    #[serde(default)]
    judge_left_out: Vec<String>,
    source_sha256: Option<String>,
    #[serde(default)]
    source_columns: Vec<String>,
    judge: Option<StoredCounts>,
    detailed_results: Vec<StoredRow>,
    /// Written after all else but the rows: without it the document is not ours.
    judge_metrics: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct StoredCounts {
    n_rows: u64,
}

#[derive(Deserialize)]
struct StoredRow {
    decision_method: DecisionMethod,
    parse_status: Option<ParseStatus>,
    #[serde(default)]
    votes: Vec<StoredVote>,
}

#[derive(Deserialize)]
struct StoredVote {
    parse_status: ParseStatus,
}

/// Looks at a document on disk. Rows without a reply make it stale, so that a rerun asks
/// for them. A file that cannot be read is an error, unless it is not there.
pub fn up_to_date(path: &Path, expected: &Expected) -> Result<Freshness, WorkError> {
    let mut source = match Source::open_unhashed(path) {
        Err(error) if error.kind() == DataErrorKind::Missing => return Ok(Freshness::Missing),
        other => other?,
    };
    let bytes = source.read_rest()?;
    let stale = match serde_json::from_slice::<Stored>(&bytes) {
        Ok(stored) => why_stale(&stored, expected),
        Err(error) => Some(format!("it is not a whole judged data set ({error})")),
    };
    Ok(stale.map_or(Freshness::Current, Freshness::Stale))
}

fn why_stale(stored: &Stored, expected: &Expected) -> Option<String> {
    let rows = &stored.detailed_results;
    if stored.judge_metrics.is_none() || stored.judge.is_none() {
        return Some("it was not written by this program".to_owned());
    }
    // Where nobody is to be asked, the verdicts of a model are better than none.
    let asks = expected.prompt_hash.is_some();
    let judged_by_model = !asks && stored.prompt_hash.is_some();
    let prompt = match judged_by_model {
        true => stored.prompt_hash.as_deref(),
        false => expected.prompt_hash.as_deref(),
    };
    let judge = match asks || judged_by_model {
        true => expected.judge_model.as_str(),
        false => NO_MODEL,
    };
    // Most telling first: who judged, what, how.
    let texts = [
        ("judge", &stored.judge_model, Some(judge)),
        ("prompt", &stored.prompt_hash, prompt),
        (
            "source",
            &stored.source_sha256,
            Some(expected.source_sha256.as_str()),
        ),
        (
            "normalizer",
            &stored.normalizer,
            Some(expected.normalizer.as_str()),
        ),
    ];
    for (what, found, wanted) in texts {
        if found.as_deref() != wanted {
            return Some(format!("the {what} has changed"));
        }
    }
    if stored.source_columns != expected.source_columns {
        return Some("the columns have changed".to_owned());
    }
    // Documents from before tolerances were kept were made with some: the usual ones, if any
    // can be assumed.
    let tolerance = stored.tolerance.unwrap_or_default();
    if expected
        .tolerance
        .is_some_and(|expected| expected != tolerance)
    {
        return Some("the tolerance has changed".to_owned());
    }
    if stored.votes != expected.votes && !judged_by_model {
        return Some("the number of votes has changed".to_owned());
    }
    // A server that takes no temperature takes none the next time, either.
    let left_out = without_temperature(&stored.judge_left_out);
    let temperature = expected.temperature.filter(|_| !left_out);
    if stored.judge_temperature != temperature && !judged_by_model {
        return Some("the temperature has changed".to_owned());
    }
    if stored.judge.as_ref().map(|judge| judge.n_rows) != Some(rows.len() as u64) {
        return Some("rows are missing from it".to_owned());
    }
    let failed = rows.iter().filter(|row| row.has_no_reply()).count();
    if failed > 0 {
        return Some(format!("{failed} of its rows got no reply"));
    }
    let unasked = rows
        .iter()
        .any(|row| row.decision_method == DecisionMethod::NoLlm);
    (asks && unasked).then(|| "no model was asked for it".to_owned())
}

impl StoredRow {
    fn has_no_reply(&self) -> bool {
        let own = self.parse_status.into_iter();
        let mut all = own.chain(self.votes.iter().map(|vote| vote.parse_status));
        all.any(|status| status == ParseStatus::Error)
    }
}
