//! Reviews read back from a run folder.

use std::fs::File;
use std::io::{BufRead, BufReader};

use super::Review;
use crate::options::REVIEWS;
use judica_data::work_error::WorkError;
use judica_model::run::RunRecord;
use judica_run::open::Run;

/// The reviews of a record; none if the run has no reviews.
pub fn reviews_of(run: &Run, record: &RunRecord) -> Result<Vec<Review>, WorkError> {
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
        if (&*review.sample_id, &*review.model_name) == (record.item, record.subject)
            && review.epoch == record.epoch
        {
            found.push(review);
        }
    }
    Ok(found)
}
