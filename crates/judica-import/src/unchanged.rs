//! Whether files are what they were when an import began, which reads them several times.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use judica_data::work_error::WorkError;

use crate::open::Chosen;

/// What the files were of the logs that are imported.
pub(crate) struct Unchanged(Vec<(PathBuf, Standing)>);

/// The length of a file and when it was written last, as far as they are known.
type Standing = Option<(u64, Option<SystemTime>)>;

fn standing(path: &Path) -> Standing {
    let about = std::fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()))
}

impl Unchanged {
    /// Looks at them before anything is read.
    pub fn of(logs: &[Chosen]) -> Self {
        let files = logs.iter().flat_map(|log| &log.files);
        let files = files.map(|file| (file.path.clone(), standing(&file.path)));
        Unchanged(files.collect())
    }

    /// Refuses a file that is not what it was.
    pub fn check(&self, path: &Path, name: &str) -> Result<(), WorkError> {
        let before = self.0.iter().find(|(known, _)| known == path);
        match before.is_some_and(|(_, before)| *before == standing(path)) {
            true => Ok(()),
            false => {
                let message = format!("{name}: changed while it was read");
                Err(WorkError::BadArtifact(message))
            }
        }
    }
}
