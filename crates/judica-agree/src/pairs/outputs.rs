//! The files of a measurement of pairs: each is written whole or not at all.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use judica_data::atomic::{AtomicFile, write_bytes};
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Raw, Reject, RejectFile};
use judica_data::work_error::WorkError;
use judica_model::evidence::EvidenceAtom;
use judica_run::manifest::{Counts, InputEntry, Manifest};
use judica_run::pieces::{Part, Piece};
use judica_run::writer::{PieceEnd, RunEnd, RunWriter};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hygiene::{Finding, RULES};
use super::merged::Merged;
use super::policy::Policy;
use super::render::tsv_header;
use super::report::PairsReport;
use super::tables::tables;
use crate::refusals::{Example, Refusals};

/// Atoms that stand in the report itself.
const ATOMS_SHOWN: usize = 20;

/// Where the files go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputPaths {
    /// The table of disagreements, if wanted.
    pub tsv: Option<PathBuf>,
    /// Every decided pair, if wanted.
    pub arbitrated: Option<PathBuf>,
    /// What could not be used; written only if there is any, and into the run if there is
    /// one.
    pub rejects: PathBuf,
    /// Findings of hygiene, if it is checked.
    pub hygiene: Option<PathBuf>,
}

/// The open files, and what was counted while writing them.
pub struct Outputs<'o> {
    files: &'o [String],
    strict: bool,
    tsv: Option<AtomicFile>,
    arbitrated: Option<AtomicFile>,
    rejects: RejectFile,
    hygiene: Option<AtomicFile>,
    run: Option<RunWriter>,
    /// What could not be used.
    pub refusals: Refusals,
    /// Findings by rule.
    pub findings: [u64; RULES.len()],
    /// The first findings.
    firsts: Vec<Found>,
    /// Lines in the table of disagreements.
    pub disagreements: u64,
}

/// A finding, of which question, and where the line begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    offset: u64,
    qid: String,
    finding: Finding,
}

/// What is counted besides records and rejects: of pieces of a run it adds up.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Besides {
    disagreements: u64,
    findings: [u64; RULES.len()],
    firsts: Vec<Found>,
}

impl Besides {
    /// Adds what was counted in another part of the same input.
    pub fn merge(&mut self, other: Besides) {
        self.disagreements += other.disagreements;
        for (mine, theirs) in self.findings.iter_mut().zip(other.findings) {
            *mine += theirs;
        }
        self.firsts.extend(other.firsts);
        // Those of one line stay in their order.
        self.firsts.sort_by_key(|found| found.offset);
        self.firsts.truncate(ATOMS_SHOWN);
    }

    /// The same with what could not be used, for the report on inputs of these names.
    pub fn counted(self, refusals: Refusals, files: &[String]) -> Counted {
        let numbered = (1..).zip(&self.firsts);
        Counted {
            refusals,
            findings: self.findings,
            atoms: numbered
                .map(|(number, found)| found.finding.atom(number, files, &found.qid))
                .collect(),
            disagreements: self.disagreements,
        }
    }
}

impl<'o> Outputs<'o> {
    /// Opens the files. `files` are the names of the inputs.
    pub fn create(
        paths: &OutputPaths,
        files: &'o [String],
        policy: &Policy,
        strict: bool,
        run: Option<RunWriter>,
    ) -> Result<Self, DataError> {
        // These can be as large as the input, and can be made again from it.
        let create = |path: &Option<PathBuf>| {
            let path = path.as_deref();
            path.map(AtomicFile::create_bulk_in_folder).transpose()
        };
        let mut tsv = create(&paths.tsv)?;
        if let Some(tsv) = &mut tsv {
            write_bytes(tsv, tsv_header(policy).as_bytes())?;
        }
        let rejects = run.as_ref().map(RunWriter::rejects);
        Ok(Outputs {
            arbitrated: create(&paths.arbitrated)?,
            hygiene: create(&paths.hygiene)?,
            files,
            strict,
            tsv,
            rejects: RejectFile::new(rejects.as_ref().unwrap_or(&paths.rejects)),
            run,
            refusals: Refusals::default(),
            findings: [0; RULES.len()],
            firsts: Vec::new(),
            disagreements: 0,
        })
    }

    /// Whether every decided pair is wanted.
    pub fn wants_arbitrated(&self) -> bool {
        self.arbitrated.is_some()
    }

    /// Appends lines to the table of disagreements.
    pub fn disagree(&mut self, lines: &[u8], count: u64) -> Result<(), DataError> {
        self.disagreements += count;
        match &mut self.tsv {
            Some(file) => write_bytes(file, lines),
            None => Ok(()),
        }
    }

    /// Appends lines to the decided pairs.
    pub fn decide(&mut self, lines: &[u8]) -> Result<(), DataError> {
        match &mut self.arbitrated {
            Some(file) => write_bytes(file, lines),
            None => Ok(()),
        }
    }

    /// Appends records, if there is a run.
    pub fn record(&mut self, records: Option<RecordBatch>) -> Result<(), WorkError> {
        match (&mut self.run, records) {
            (Some(run), Some(records)) if records.num_rows() > 0 => run.append(records),
            _ => Ok(()),
        }
    }

    /// Keeps what could not be used.
    pub fn refuse(
        &mut self,
        file: usize,
        line: u64,
        byte_offset: u64,
        reason: &'static str,
        detail: String,
        raw: Raw,
    ) -> Result<(), WorkError> {
        let name = &self.files[file];
        if self.strict {
            return Err(WorkError::Refused {
                file: name.clone(),
                line,
                reason,
                detail,
            });
        }
        self.refusals.count(reason, || Example {
            file: name.clone(),
            line,
            detail: detail.clone(),
        });
        let reject = Reject {
            file: name.clone(),
            line,
            byte_offset,
            reason: reason.into(),
            detail,
            raw,
        };
        Ok(self.rejects.write(&reject)?)
    }

    /// Numbers and keeps a finding.
    pub fn find(&mut self, finding: &Finding, qid: &str, offset: u64) -> Result<(), DataError> {
        self.findings[finding.rule] += 1;
        if let Some(file) = &mut self.hygiene {
            let number = self.findings.iter().sum();
            let atom = finding.atom(number, self.files, qid);
            let mut line = serde_json::to_vec(&atom).unwrap_or_default();
            line.push(b'\n');
            write_bytes(file, &line)?;
        }
        if self.firsts.len() < ATOMS_SHOWN {
            self.firsts.push(Found {
                offset,
                qid: qid.to_owned(),
                finding: finding.clone(),
            });
        }
        Ok(())
    }

    /// Ends a part of a run.
    pub fn close_part(
        self,
        part: Part,
        merged: &Merged,
        inputs: Vec<InputEntry>,
    ) -> Result<Piece, WorkError> {
        let Some(run) = self.run else {
            let message = "a part is made of a run";
            return Err(WorkError::BadInput(message.to_owned()));
        };
        let besides = Besides {
            disagreements: self.disagreements,
            findings: self.findings,
            firsts: self.firsts,
        };
        let end = PieceEnd {
            inputs,
            counts: Counts::of(merged.lines, merged.tally.n(), self.refusals.by_reason()),
            whole: Value::Null,
            cut: serde_json::to_value(besides).unwrap_or_default(),
            copied: BTreeMap::new(),
            rejects: vec![self.rejects],
            trace: None,
        };
        run.finish_piece(part, end)
    }

    /// Ends what is written. If nothing of the inputs was used, that is an error, and only
    /// what was refused is kept.
    pub fn close(self, given: &[Given]) -> Result<(Counted, Closed), WorkError> {
        let files = self.files;
        let ours = |file: &str| files.iter().any(|name| name == file);
        let (rejects, _) = self.rejects.usable(given, Reads::JsonOrTable)?;
        let rejects = match &self.run {
            Some(_) => Some(rejects),
            None => {
                rejects.commit(ours)?;
                None
            }
        };
        let besides = Besides {
            disagreements: self.disagreements,
            findings: self.findings,
            firsts: self.firsts,
        };
        let counted = besides.counted(self.refusals, files);
        let closed = Closed {
            files: [self.tsv, self.arbitrated, self.hygiene],
            rejects,
            run: self.run,
        };
        Ok((counted, closed))
    }
}

/// Ends a run of pairs.
pub(super) fn finish(
    run: RunWriter,
    report: &PairsReport,
    inputs: Vec<InputEntry>,
    rejects: Option<RejectFile>,
) -> Result<Manifest, WorkError> {
    run.finish(RunEnd {
        inputs,
        counts: Counts::of(report.inputs, report.records, report.refused.by_reason()),
        report,
        tables: &tables(report),
        rejects,
        trace: None,
    })
}

/// Files that are written and have no names yet.
pub struct Closed {
    files: [Option<AtomicFile>; 3],
    rejects: Option<RejectFile>,
    run: Option<RunWriter>,
}

impl Closed {
    /// Gives all files their names, those of the run last.
    pub fn commit(self, report: &PairsReport, inputs: Vec<InputEntry>) -> Result<(), WorkError> {
        for file in self.files.into_iter().flatten() {
            file.commit()?;
        }
        if let Some(run) = self.run {
            finish(run, report, inputs, self.rejects)?;
        }
        Ok(())
    }
}

/// What was counted while writing.
#[derive(Debug)]
pub struct Counted {
    /// What could not be used.
    pub refusals: Refusals,
    /// Findings by rule.
    pub findings: [u64; RULES.len()],
    /// The first findings.
    pub atoms: Vec<EvidenceAtom>,
    /// Lines in the table of disagreements.
    pub disagreements: u64,
}
