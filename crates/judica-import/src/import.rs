//! Logs become a run: a first pass over their samples says which columns there are, a second
//! writes them.

use judica_data::ordered::{Told, Workers};
use judica_data::work_error::WorkError;
use judica_run::family::{Family, Rerun};
use judica_run::options::{RunOptions, RunTarget};
use serde::{Deserialize, Serialize};

use crate::log::Harness;
use crate::logs::Logs;
use crate::open::Chosen;
use crate::report::{ImportReport, LeftOut};
use crate::table;
use crate::unchanged::Unchanged;
use crate::writing::Writing;

/// The command in manifests.
pub(crate) const COMMAND: &str = "import";

/// All that readers of runs are told about this command.
pub static FAMILY: Family = Family {
    command: COMMAND,
    rerun,
    describe: None,
    steps: None,
    json: None,
    finish: None,
};

/// What is to be imported.
pub struct ImportRequest<'h> {
    /// The logs.
    pub logs: Vec<Chosen>,
    /// How.
    pub how: How,
    /// Whether the first sample that cannot be used ends the import.
    pub strict: bool,
    /// The run that is left.
    pub target: RunTarget,
    /// Who works.
    pub workers: Workers<'h>,
    /// What was left out when the run was first made.
    pub left_out: Vec<LeftOut>,
}

/// What shapes an import beside its logs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct How {
    /// Whether samples that several logs have are kept as repeats.
    pub keep_all: bool,
    /// The column that says what stands or falls together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Where things stand in tables.
    #[serde(default, skip_serializing_if = "is_default")]
    pub table: table::Columns,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The options as a manifest has them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// What each log is of, and how many of the inputs are its files.
    pub logs: Vec<(Harness, usize)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    #[serde(flatten)]
    pub how: How,
    #[serde(flatten)]
    pub run: RunOptions,
}

/// Imports logs; `told` counts samples.
pub fn import(request: &ImportRequest, told: &Told) -> Result<ImportReport, WorkError> {
    let unchanged = Unchanged::of(&request.logs);
    let mut logs = Logs::open(request)?;
    // A log that turns out to be broken counts nowhere: then all is looked at again without it.
    let (mut keys, survey, all) = loop {
        if let Some(looked) = logs.survey(told)? {
            break looked;
        }
    };
    if let (Some(cluster), false) = (&request.how.cluster, survey.clustered) {
        return Err(WorkError::BadInput(format!(
            "--cluster {cluster}: no sample has it; `metadata.NAME` is a key of a sample's metadata"
        )));
    }
    keys.again();
    let notes = survey.notes();
    let columns = survey.columns(request.target.options.keep_text);
    let given = logs.given();
    let mut writing = Writing::begin(request, columns, keys, &logs)?;
    let mut written = 0;
    logs.each(|number, _, log, report| {
        log.samples(&mut |found| {
            request.workers.go_on()?;
            written += 1;
            told(written, Some(all));
            writing.take(number, found, report)
        })?;
        report.aggregates = log.aggregates()?;
        report.notes = log.about().notes.clone();
        Ok(())
    })?;
    let mut report = ImportReport {
        logs: logs.reports,
        left_out: logs.left_out,
    };
    for log in &mut report.logs {
        log.notes.extend(notes.iter().cloned());
    }
    writing.finish(&given, report, &unchanged)
}

/// Makes a run again.
fn rerun(rerun: &Rerun) -> Result<(), WorkError> {
    let Recorded {
        logs,
        left_out,
        how,
        run,
    } = rerun.manifest.options()?;
    let mut inputs = rerun.inputs.iter().cloned();
    let logs = logs.into_iter().map(|(harness, files)| Chosen {
        harness,
        files: inputs.by_ref().take(files).collect(),
    });
    let request = ImportRequest {
        logs: logs.collect(),
        how,
        strict: false,
        target: RunTarget {
            folder: rerun.folder.to_owned(),
            created_at: rerun.manifest.created_at.clone(),
            options: run,
        },
        workers: Workers {
            threads: rerun.threads,
            interrupted: rerun.interrupted,
        },
        left_out,
    };
    import(&request, &|_, _| ()).map(drop)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    use super::*;
    use crate::testing::files;

    #[test]
    fn a_log_that_grows_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let row = |doc: u32| format!("{{\"doc_id\": {doc}, \"acc\": 1}}\n");
        let name = "samples_a_2026-11-15T21-29-09.jsonl";
        let written = files(folder.path(), &[(name, &(row(0) + &row(1)))]);
        let path = written[0].path.clone();
        let interrupted = AtomicBool::new(false);
        // A sample of the first pass and of the second, and none.
        for (grows_at, refused) in [(1, true), (4, true), (9, false)] {
            let request = ImportRequest {
                logs: vec![Chosen {
                    harness: Harness::LmEval,
                    files: written.clone(),
                }],
                how: How::default(),
                strict: false,
                target: RunTarget {
                    folder: folder.path().join(format!("run{grows_at}")),
                    created_at: "2026-11-15T21:29:09Z".to_owned(),
                    options: RunOptions::default(),
                },
                workers: Workers {
                    threads: 1,
                    interrupted: &interrupted,
                },
                left_out: Vec::new(),
            };
            let told = AtomicU32::new(0);
            let imported = import(&request, &|_, _| {
                if told.fetch_add(1, Ordering::Relaxed) + 1 == grows_at {
                    let mut file = std::fs::File::options().append(true).open(&path);
                    let file = file.as_mut().expect("opened");
                    file.write_all(row(10 + grows_at).as_bytes())
                        .expect("written");
                }
            });
            match imported {
                Err(error) if refused => {
                    assert!(error.to_string().ends_with(": changed while it was read"));
                    assert!(!request.target.folder.join("manifest.json").exists());
                }
                other => assert_eq!(other.map(|report| report.used()).ok(), Some(4)),
            }
        }
    }
}
