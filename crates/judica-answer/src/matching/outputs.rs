//! The files of a match: each is written whole or not at all.

use std::io::Write;
use std::path::Path;

use judica_data::atomic::{AtomicFile, prepare_folder};
use judica_data::chunks::RawRecord;
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Refusal, Reject, RejectFile};

use super::MatchRequest;
use crate::error::AnswerError;

/// The open files.
pub(super) struct Outputs<'o> {
    names: &'o [String],
    strict: bool,
    details: Option<AtomicFile>,
    rejects: RejectFile,
}

impl<'o> Outputs<'o> {
    /// Opens the files. `names` are those of the inputs.
    pub fn create(request: &MatchRequest, names: &'o [String]) -> Result<Self, DataError> {
        Ok(Outputs {
            names,
            strict: request.strict,
            details: request.details.as_deref().map(create).transpose()?,
            rejects: RejectFile::new(&request.rejects),
        })
    }

    /// Appends lines to the details.
    pub fn tell(&mut self, lines: &[u8]) -> Result<(), DataError> {
        match &mut self.details {
            Some(file) => {
                let written = file.write_all(lines);
                written.map_err(|e| DataError::writing(file.final_path(), e))
            }
            None => Ok(()),
        }
    }

    /// Keeps a row that cannot be used.
    pub fn refuse(
        &mut self,
        file: usize,
        record: &RawRecord,
        refusal: &Refusal,
    ) -> Result<(), AnswerError> {
        let Refusal { reason, detail } = refusal.clone();
        let file = self.names[file].clone();
        if self.strict {
            return Err(AnswerError::Refused {
                file,
                line: record.line,
                reason,
                detail,
            });
        }
        let reject = Reject {
            file,
            line: record.line,
            byte_offset: record.offset,
            reason: reason.into(),
            detail,
            raw: record.raw(),
        };
        Ok(self.rejects.write(&reject)?)
    }

    /// Gives all files their names. If nothing of the inputs was used, that is an error, and
    /// only what was refused is kept; inputs of which nothing was used are noted.
    pub fn commit(self, given: &[Given]) -> Result<Vec<String>, AnswerError> {
        let names = self.names;
        let usable = self.rejects.check(given, Reads::Json);
        self.rejects
            .commit(|file| names.iter().any(|name| name == file))?;
        let unused = usable.map_err(AnswerError::BadInput)?;
        if let Some(details) = self.details {
            details.commit()?;
        }
        Ok(unused)
    }
}

fn create(path: &Path) -> Result<AtomicFile, DataError> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        prepare_folder(folder)?;
    }
    // As large as the input, and can be made again from it.
    AtomicFile::create_bulk(path)
}
