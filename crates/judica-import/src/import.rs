//! Logs become a run: a first pass over their samples says which columns there are, a second
//! writes them.

use judica_data::ordered::{Told, Workers};
use judica_data::work_error::WorkError;
use judica_run::family::{Family, Rerun};
use judica_run::options::{RunOptions, RunTarget};
use serde::{Deserialize, Serialize};

use crate::keys::{Keys, Rank};
use crate::log::{Found, Harness, Log, Refusal};
use crate::open::Chosen;
use crate::report::{ImportReport, LogReport};
use crate::survey::Survey;
use crate::table;
use crate::writing::{Writing, name, twice};

/// The command in manifests.
pub(crate) const COMMAND: &str = "import";
/// So many logs are kept open between the passes.
const MOST_OPEN: usize = 64;

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
    #[serde(flatten)]
    pub how: How,
    #[serde(flatten)]
    pub run: RunOptions,
}

/// Imports logs; `told` counts samples.
pub fn import(request: &ImportRequest, told: &Told) -> Result<ImportReport, WorkError> {
    let mut logs = Logs::open(request)?;
    let mut keys = Keys::new(request.how.keep_all);
    let mut survey = Survey::default();
    let mut all = 0;
    logs.each(|number, log, _| {
        let harness = log.about().harness;
        log.samples(&mut |found| {
            request.workers.go_on()?;
            all += 1;
            told(all, None);
            match found {
                Found::Sample(mut sample) => {
                    name(&mut sample, &request.target.options);
                    survey.take(harness, &sample, request.how.cluster.as_deref());
                    if let Some(why) = survey.complaint() {
                        let file = &sample.place.0;
                        return Err(WorkError::BadInput(format!("{file}: {why}")));
                    }
                    let epoch = keys.epoch(number, &sample);
                    match keys.take(number, &sample, epoch) {
                        Rank::Duplicate if request.strict => Err(strict(&twice(&sample))),
                        _ => Ok(()),
                    }
                }
                Found::Refused(refusal) if request.strict => Err(strict(&refusal)),
                Found::Refused(_) => Ok(()),
            }
        })?;
        survey.settle(log);
        Ok(())
    })?;
    if let (Some(cluster), false) = (&request.how.cluster, survey.clustered) {
        return Err(WorkError::BadInput(format!(
            "--cluster {cluster}: no sample has it; `metadata.NAME` is a key of a sample's metadata"
        )));
    }
    keys.again();
    let mut left_out = Vec::new();
    if survey.left_out > 0 {
        left_out.push(format!(
            "{} values of columns were left out: there are too many of a log's own",
            survey.left_out
        ));
    }
    let columns = survey.columns(request.target.options.keep_text);
    let mut writing = Writing::begin(request, columns, keys, logs.names())?;
    let mut written = 0;
    logs.each(|number, log, report| {
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
    let mut reports = logs.reports;
    for report in &mut reports {
        report.notes.extend(left_out.iter().cloned());
    }
    writing.finish(request, &logs.order, ImportReport::of(reports))
}

/// The logs in the order in which they were made, as far as they say it.
struct Logs<'r> {
    order: Vec<&'r Chosen>,
    open: Vec<Option<Box<dyn Log + 'r>>>,
    reports: Vec<LogReport>,
    how: &'r How,
    workers: Workers<'r>,
}

impl<'r> Logs<'r> {
    fn open(request: &'r ImportRequest) -> Result<Self, WorkError> {
        let mut logs = Vec::new();
        for chosen in &request.logs {
            let log = chosen.open(&request.how, request.workers)?;
            let report = LogReport::of(chosen.name(), log.about());
            let stamp = log.about().stamp.clone();
            let log = Some(log).filter(|_| request.logs.len() <= MOST_OPEN);
            logs.push((stamp, chosen, log, report));
        }
        // Of those made at once, or who knows when, the one given later is the later one.
        logs.sort_by(|a, b| a.0.cmp(&b.0));
        let mut all = Logs {
            order: Vec::new(),
            open: Vec::new(),
            reports: Vec::new(),
            how: &request.how,
            workers: request.workers,
        };
        for (_, chosen, log, report) in logs {
            all.order.push(chosen);
            all.open.push(log);
            all.reports.push(report);
        }
        Ok(all)
    }

    fn each(
        &mut self,
        mut look: impl FnMut(u32, &mut dyn Log, &mut LogReport) -> Result<(), WorkError>,
    ) -> Result<(), WorkError> {
        let logs = self.order.iter().zip(&mut self.open).zip(&mut self.reports);
        for (number, ((chosen, open), report)) in (0..).zip(logs) {
            match open {
                Some(log) => look(number, &mut **log, report)?,
                None => look(number, &mut *chosen.open(self.how, self.workers)?, report)?,
            }
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.order.iter().map(|log| log.name().to_owned()).collect()
    }
}

fn strict(refusal: &Refusal) -> WorkError {
    WorkError::Refused {
        file: refusal.file.to_owned(),
        line: refusal.line,
        reason: refusal.reason,
        detail: refusal.detail.clone(),
    }
}

/// Makes a run again.
fn rerun(rerun: &Rerun) -> Result<(), WorkError> {
    let Recorded { logs, how, run } = rerun.manifest.options()?;
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
    };
    import(&request, &|_, _| ()).map(drop)
}
