//! The files of a measurement of pairs: each is written whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use judica_data::atomic::{AtomicFile, prepare_folder};
use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Raw, Reject, RejectFile};
use judica_model::evidence::EvidenceAtom;

use super::hygiene::{Finding, RULES};
use super::render::TSV_HEADER;
use crate::error::AgreeError;
use crate::refusals::{Example, Refusals};

/// Atoms that stand in the report itself.
const ATOMS_SHOWN: usize = 20;

/// Where the files go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPaths {
    /// The table of disagreements.
    pub tsv: PathBuf,
    /// Every decided pair, if wanted.
    pub arbitrated: Option<PathBuf>,
    /// What could not be used; written only if there is any.
    pub rejects: PathBuf,
    /// Findings of hygiene, if it is checked.
    pub hygiene: Option<PathBuf>,
}

/// The open files, and what was counted while writing them.
pub struct Outputs<'o> {
    files: &'o [String],
    strict: bool,
    tsv: AtomicFile,
    arbitrated: Option<AtomicFile>,
    rejects: RejectFile,
    hygiene: Option<AtomicFile>,
    /// What could not be used.
    pub refusals: Refusals,
    /// Findings by rule.
    pub findings: [u64; RULES.len()],
    /// The first findings.
    pub atoms: Vec<EvidenceAtom>,
    /// Lines in the table of disagreements.
    pub disagreements: u64,
}

impl<'o> Outputs<'o> {
    /// Opens the files. `files` are the names of the inputs.
    pub fn create(
        paths: &OutputPaths,
        files: &'o [String],
        strict: bool,
    ) -> Result<Self, DataError> {
        let mut tsv = create(&paths.tsv)?;
        write(&mut tsv, TSV_HEADER.as_bytes())?;
        let create = |path: &Option<PathBuf>| path.as_deref().map(create).transpose();
        Ok(Outputs {
            arbitrated: create(&paths.arbitrated)?,
            hygiene: create(&paths.hygiene)?,
            files,
            strict,
            tsv,
            rejects: RejectFile::new(&paths.rejects),
            refusals: Refusals::default(),
            findings: [0; RULES.len()],
            atoms: Vec::new(),
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
        write(&mut self.tsv, lines)
    }

    /// Appends lines to the decided pairs.
    pub fn decide(&mut self, lines: &[u8]) -> Result<(), DataError> {
        match &mut self.arbitrated {
            Some(file) => write(file, lines),
            None => Ok(()),
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
    ) -> Result<(), AgreeError> {
        let name = &self.files[file];
        if self.strict {
            return Err(AgreeError::Refused {
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
    pub fn find(&mut self, finding: &Finding, qid: &str) -> Result<(), DataError> {
        self.findings[finding.rule] += 1;
        let number = self.findings.iter().sum();
        let atom = finding.atom(number, self.files, qid);
        if let Some(file) = &mut self.hygiene {
            let mut line = serde_json::to_vec(&atom).unwrap_or_default();
            line.push(b'\n');
            write(file, &line)?;
        }
        if self.atoms.len() < ATOMS_SHOWN {
            self.atoms.push(atom);
        }
        Ok(())
    }

    /// Gives all files their names. If nothing of the inputs was used, that is an error, and
    /// only what was refused is kept.
    pub fn commit(self, given: &[Given]) -> Result<Counted, AgreeError> {
        let files = self.files;
        let usable = self.rejects.check(given, Reads::Json);
        self.rejects
            .commit(|file| files.iter().any(|name| name == file))?;
        usable.map_err(AgreeError::BadInput)?;
        self.tsv.commit()?;
        for file in [self.arbitrated, self.hygiene].into_iter().flatten() {
            file.commit()?;
        }
        Ok(Counted {
            refusals: self.refusals,
            findings: self.findings,
            atoms: self.atoms,
            disagreements: self.disagreements,
        })
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

fn create(path: &Path) -> Result<AtomicFile, DataError> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        prepare_folder(folder)?;
    }
    // These can be as large as the input, and can be made again from it.
    AtomicFile::create_bulk(path)
}

fn write(file: &mut AtomicFile, bytes: &[u8]) -> Result<(), DataError> {
    let written = file.write_all(bytes);
    written.map_err(|e| DataError::writing(file.final_path(), e))
}
