//! The files of a match: each is written whole or not at all.

use std::collections::BTreeMap;

use arrow_array::BooleanArray;
use judica_data::chunks::RawRecord;
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Refusal, Reject, RejectFile};
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;
use judica_run::manifest::{Counts, InputEntry};
use judica_run::pieces::{Part, Piece};
use judica_run::writer::{PieceEnd, RunEnd, RunWriter};
use serde_json::Value;

use super::batch::Batch;
use super::details::Details;
use super::records::Records;
use super::report::MatchReport;
use super::sections::Kept;
use super::wanted::Wanted;
use super::{MatchRequest, ROLE, tables};
use crate::predictions::PredictionFile;

/// The open files.
pub(super) struct Outputs<'o> {
    files: &'o [PredictionFile],
    strict: bool,
    details: Option<Details>,
    records: Option<Records>,
    rejects: RejectFile,
}

impl<'o> Outputs<'o> {
    /// Opens the files.
    pub fn create(
        request: &'o MatchRequest,
        run: Option<RunWriter>,
        wanted: Option<Wanted>,
    ) -> Result<Self, DataError> {
        let details = request.details.as_deref();
        let rejects = match &run {
            Some(run) => run.rejects(),
            None => request.rejects.clone(),
        };
        let recorded = run.is_some() || wanted.is_some();
        let kept = wanted.map(Kept::new);
        Ok(Outputs {
            files: &request.files,
            strict: request.strict,
            details: details.map(Details::create).transpose()?,
            records: recorded.then(|| Records::new(run, kept, &rejects)),
            rejects: RejectFile::new(&rejects),
        })
    }

    /// Whether all files go into one run.
    pub fn is_one_run(&self) -> bool {
        self.records.as_ref().is_some_and(Records::are_run)
    }

    /// Appends lines to the details, as they are by each way of deciding.
    pub fn tell(&mut self, lines: [&[u8]; 2]) -> Result<(), DataError> {
        self.details
            .as_mut()
            .map_or(Ok(()), |file| file.tell(lines))
    }

    /// Appends the records of the rows that are used, in the order of those that can be.
    /// `repeated` tells those that say the same as an earlier one, if any does.
    pub fn record(
        &mut self,
        batch: &Batch,
        used: Option<&BooleanArray>,
        repeated: Option<&BooleanArray>,
    ) -> Result<(), WorkError> {
        match &mut self.records {
            Some(records) => records.tell(&batch.records, used, repeated),
            None => Ok(()),
        }
    }

    /// Settles which way of deciding counts for the data set at hand.
    pub fn settle(&mut self, way: usize) -> Result<(), WorkError> {
        if let Some(details) = &mut self.details {
            details.settle(way)?;
        }
        match &mut self.records {
            Some(records) => records.settle(way),
            None => Ok(()),
        }
    }

    /// What follows is another data set.
    pub fn next_dataset(&mut self) {
        if let Some(details) = &mut self.details {
            details.next_dataset();
        }
        if let Some(records) = &mut self.records {
            records.next_dataset();
        }
    }

    /// Keeps a row that cannot be used.
    pub fn refuse(
        &mut self,
        file: usize,
        record: &RawRecord,
        refusal: &Refusal,
    ) -> Result<(), WorkError> {
        let Refusal { reason, detail } = refusal.clone();
        let file = self.files[file].name.clone();
        if self.strict {
            return Err(WorkError::Refused {
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

    /// Hands over what was kept of rows for what was asked.
    pub fn kept(&mut self) -> Option<Kept> {
        self.records.as_mut()?.kept()
    }

    /// Gives all files their names, and notes inputs of which nothing was used. If that is
    /// all of them, it is an error, and only what was refused is kept.
    pub fn commit(
        self,
        report: &mut MatchReport,
        digests: &[InputDigest],
    ) -> Result<(), WorkError> {
        let files = self.files;
        let ours = |name: &str| files.iter().any(|file| file.name == name);
        let counted = files.iter().zip(&report.files);
        let given: Vec<Given> = counted
            .map(|(file, counted)| Given {
                path: &file.path,
                name: &file.name,
                used: counted.totals.n_examples,
            })
            .collect();
        let (rejects, unused) = self.rejects.usable(&given, Reads::Judged)?;
        report.unused = unused;
        if let Some(details) = self.details {
            details.commit()?;
        }
        let Some(run) = self.records.and_then(Records::into_run) else {
            return Ok(rejects.commit(ours)?);
        };
        let totals = &report.totals;
        let reasons = totals.rejects_by_reason.iter().map(|(why, n)| (&**why, *n));
        run.finish(RunEnd {
            inputs: entries(files, digests),
            counts: Counts::of(totals.inputs, totals.n_examples, reasons),
            report: &*report,
            tables: &tables(report),
            rejects: Some(rejects),
            trace: None,
        })
        .map(|_| ())
    }

    /// Gives the files of a part their names.
    pub fn commit_part(
        self,
        part: Part,
        counts: Counts,
        whole: Value,
        digests: &[InputDigest],
    ) -> Result<Piece, WorkError> {
        let Some(run) = self.records.and_then(Records::into_run) else {
            let message = "a part is made of a run";
            return Err(WorkError::BadInput(message.to_owned()));
        };
        let end = PieceEnd {
            inputs: entries(self.files, digests),
            counts,
            whole,
            cut: Value::Null,
            copied: BTreeMap::new(),
            rejects: vec![self.rejects],
            trace: None,
        };
        run.finish_piece(part, end)
    }
}

fn entries(files: &[PredictionFile], digests: &[InputDigest]) -> Vec<InputEntry> {
    let inputs = files.iter().zip(digests);
    inputs
        .flat_map(|(file, digest)| file.inputs(ROLE, digest))
        .collect()
}
