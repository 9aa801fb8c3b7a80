//! Reviews read back from a run folder.

use std::fs::File;
use std::io::{BufRead, BufReader};

use super::Review;
use crate::options::REVIEWS;
use judica_data::work_error::WorkError;
use judica_run::open::Run;

/// The reviews of a sample's records, of one model or of all, in the order of the records;
/// none if the run has no reviews.
pub fn reviews_of(
    run: &Run,
    sample_id: &str,
    model: Option<&str>,
) -> Result<Vec<Review>, WorkError> {
    let Some(path) = run.file(REVIEWS) else {
        return Ok(Vec::new());
    };
    let wrong = |what: String| WorkError::BadArtifact(format!("{}{what}", path.display()));
    let file = File::open(&path).map_err(|error| wrong(format!(": {error}")))?;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| wrong(format!(":{number}: {error}")))?;
        let review: Review =
            serde_json::from_str(&line).map_err(|error| wrong(format!(":{number}: {error}")))?;
        if review.sample_id == sample_id && model.is_none_or(|model| review.model_name == model) {
            found.push(review);
        }
    }
    Ok(found)
}
