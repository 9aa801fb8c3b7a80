//! Logs of other harnesses where predictions are expected: imported for as long as they are
//! read, since those who read predictions know no logs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judica_answer::matching;
use judica_answer::predictions::runs::Kind;
use judica_answer::predictions::{Columns, FilesRead};
use judica_data::memory;
use judica_data::ordered::Workers;
use judica_data::temporary::TemporaryFolder;
use judica_data::work_error::WorkError;
use judica_import::import::{How, ImportRequest, import};
use judica_import::open::choose;
use judica_model::table::counted;
use judica_report::visible;
use judica_run::family::{Family, Input, Rerun};
use judica_run::manifest::Manifest;
use judica_run::manifest::name::RECORDS;
use judica_run::open::Run;
use judica_run::options::{RunOptions, RunTarget};

use super::threads;
use crate::args::run::RowArgs;
use crate::interrupt::interrupted;
use crate::screen;

/// `judica match`, which can be given logs when it is run again, too.
pub static MATCH: Family = Family {
    rerun: |again| rerun(again, matching::FAMILY.rerun),
    ..matching::FAMILY
};

/// The role of predictions in runs.
const ROLE: &str = "predictions";

/// Logs that were imported, until this is dropped.
#[derive(Default)]
pub struct Imported {
    /// By the path that was given, the run that was made of it.
    pub runs: BTreeMap<PathBuf, PathBuf>,
    folders: Vec<TemporaryFolder>,
}

impl Imported {
    /// Imports what among these is a log, or a folder of nothing else. Where the user says in
    /// which columns answers stand, rows are what is given.
    pub fn new(paths: &[PathBuf], columns: &Columns, rows: &RowArgs) -> Result<Self, WorkError> {
        let mut found = Imported::default();
        let files = paths.iter().filter(|path| !memory::is_held(path));
        for path in files.filter(|_| !columns.name_answers()) {
            // What is not there, or is no log, is told by those who look for predictions.
            let Ok(chosen) = choose(std::slice::from_ref(path), None) else {
                continue;
            };
            if !chosen.unknown.is_empty() {
                continue;
            }
            let folder = found.folder()?;
            let harness = chosen.logs.first().map(|log| log.harness.name());
            let request = ImportRequest {
                logs: chosen.logs,
                how: How::default(),
                strict: rows.strict,
                target: RunTarget {
                    folder: folder.clone(),
                    created_at: String::new(),
                    options: RunOptions {
                        keep_text: true,
                        ..RunOptions::default()
                    },
                },
                workers: Workers {
                    threads: threads(rows.threads),
                    interrupted: &interrupted(),
                },
                left_out: Vec::new(),
            };
            let report = screen::counting("samples", |told| import(&request, told))?;
            for broken in report.broken() {
                screen::tell(&format!("warning: {}", visible(&broken)));
            }
            tell(path, harness.unwrap_or_default(), &folder)?;
            found.runs.insert(path.clone(), folder);
        }
        Ok(found)
    }

    /// Whether there is any. Their texts stand nowhere else when they are gone.
    pub fn keep_text(&self, run: &mut Option<RunTarget>) {
        if let (Some(run), false) = (run, self.runs.is_empty()) {
            run.options.keep_text = true;
        }
    }

    fn folder(&mut self) -> Result<PathBuf, WorkError> {
        let folder = TemporaryFolder::create_in(&std::env::temp_dir())
            .map_err(|error| WorkError::BadArtifact(format!("temporary folder: {error}")))?;
        let path = folder.path().to_owned();
        self.folders.push(folder);
        Ok(path)
    }
}

/// Says what a log was read as, and what of it could not be used.
fn tell(path: &Path, harness: &str, folder: &Path) -> Result<(), WorkError> {
    let counts = Run::open(folder)?.manifest.counts;
    let path = path.display();
    let mut said = format!(
        "{path}: read as a log of {harness}, {}",
        counted(counts.records, ["sample", "samples"])
    );
    if counts.rejects > 0 {
        let reasons = counts.rejects_by_reason.iter();
        let reasons: Vec<String> = reasons.map(|(why, n)| format!("{n} × {why}")).collect();
        said.push_str(&format!(
            "; {} more could not be used ({}): `judica import {path} --run DIR` keeps them",
            counts.rejects,
            reasons.join(", ")
        ));
    }
    screen::tell(&visible(&said));
    Ok(())
}

/// Makes a run of predictions again, of which some may be logs.
pub fn rerun(again: &Rerun, with: fn(&Rerun) -> Result<(), WorkError>) -> Result<(), WorkError> {
    let FilesRead { kinds, .. } = again.manifest.options()?;
    if !kinds.iter().any(|kind| matches!(kind, Kind::Log(_))) {
        return with(again);
    }
    let mut found = Imported::default();
    let mut given = again.role(ROLE).cloned();
    let mut inputs: Vec<Input> = Vec::new();
    for kind in kinds {
        let Kind::Log(log) = kind else {
            inputs.extend(given.next());
            continue;
        };
        let folder = found.folder()?;
        let files: Vec<Input> = given.by_ref().take(log.files).collect();
        (judica_import::FAMILY.rerun)(&Rerun {
            manifest: &Manifest {
                options: log.options,
                ..again.manifest.clone()
            },
            inputs: &files,
            folder: &folder,
            ..*again
        })?;
        inputs.push(Input {
            role: ROLE.to_owned(),
            path: folder.join(RECORDS),
            name: log.name,
        });
    }
    let others = again.inputs.iter().filter(|input| input.role != ROLE);
    inputs.extend(others.cloned());
    with(&Rerun {
        inputs: &inputs,
        ..*again
    })
}
