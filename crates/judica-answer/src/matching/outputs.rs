//! The files of a match: each is written whole or not at all.

use judica_data::chunks::RawRecord;
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Refusal, Reject, RejectFile};

use super::MatchRequest;
use super::details::Details;
use crate::error::AnswerError;

/// The open files.
pub(super) struct Outputs<'o> {
    names: &'o [String],
    strict: bool,
    details: Option<Details>,
    rejects: RejectFile,
}

impl<'o> Outputs<'o> {
    /// Opens the files. `names` are those of the inputs.
    pub fn create(request: &MatchRequest, names: &'o [String]) -> Result<Self, DataError> {
        Ok(Outputs {
            names,
            strict: request.strict,
            details: request
                .details
                .as_deref()
                .map(Details::create)
                .transpose()?,
            rejects: RejectFile::new(&request.rejects),
        })
    }

    /// Appends lines to the details, as they are by each way of deciding.
    pub fn tell(&mut self, lines: [&[u8]; 2]) -> Result<(), DataError> {
        self.details
            .as_mut()
            .map_or(Ok(()), |file| file.tell(lines))
    }

    /// Settles which way of deciding counts for the data set at hand.
    pub fn settle(&mut self, way: usize) -> Result<(), DataError> {
        self.details
            .as_mut()
            .map_or(Ok(()), |file| file.settle(way))
    }

    /// What follows is another data set.
    pub fn next_dataset(&mut self) {
        if let Some(details) = &mut self.details {
            details.next_dataset();
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
        let usable = self.rejects.check(given, Reads::Judged);
        self.rejects
            .commit(|file| names.iter().any(|name| name == file))?;
        let unused = usable.map_err(AnswerError::BadInput)?;
        if let Some(details) = self.details {
            details.commit()?;
        }
        Ok(unused)
    }
}
