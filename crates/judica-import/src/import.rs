//! Logs become a run: a first pass over their samples says which columns there are, a second
//! writes them.

use std::collections::BTreeMap;

use judica_data::ordered::Workers;
use judica_data::rejects::{Reject, RejectFile};
use judica_data::source::Source;
use judica_data::work_error::WorkError;
use judica_model::run::{Evidence, Place, RunRecord, Texts, Verdict};
use judica_run::family::{Family, Rerun, describe_nothing};
use judica_run::manifest::{Counts, InputEntry};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::records::RecordColumns;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};
use serde::{Deserialize, Serialize};

use crate::keys::{Keys, Rank};
use crate::log::{Found, Harness, Log, Refusal, Sample};
use crate::open::Chosen;
use crate::report::{ImportReport, LogReport, tables};
use crate::survey::{Columns, Survey, text_of};
use crate::table;

/// The command in manifests.
const COMMAND: &str = "import";
/// Records that are held at a time, and the bytes of their texts.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 8 << 20;
/// So many logs are kept open between the passes.
const MOST_OPEN: usize = 64;

/// All that readers of runs are told about this command.
pub static FAMILY: Family = Family {
    command: COMMAND,
    rerun,
    describe: describe_nothing,
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
struct Recorded {
    /// What each log is of, and how many of the inputs are its files.
    logs: Vec<(Harness, usize)>,
    #[serde(flatten)]
    how: How,
    #[serde(flatten)]
    run: RunOptions,
}

/// Imports logs.
pub fn import(request: &ImportRequest) -> Result<ImportReport, WorkError> {
    let mut logs = Logs::open(request)?;
    let mut keys = Keys::new(request.how.keep_all);
    let mut survey = Survey::default();
    logs.each(|number, log, _| {
        let harness = log.about().harness;
        log.samples(&mut |found| {
            request.workers.go_on()?;
            match found {
                Found::Sample(mut sample) => {
                    name(&mut sample, &request.target.options);
                    survey.take(harness, &sample, request.how.cluster.as_deref());
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
    logs.each(|number, log, report| {
        log.samples(&mut |found| {
            request.workers.go_on()?;
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

/// Calls a sample's subject and data set as the user says.
fn name(sample: &mut Sample, options: &RunOptions) {
    if let Some(subject) = &options.subject {
        sample.subject = subject.clone().into();
    }
    if let Some(dataset) = &options.dataset {
        sample.dataset = dataset.clone().into();
    }
}

fn twice<'s>(sample: &'s Sample) -> Refusal<'s> {
    Refusal {
        file: &sample.place.0,
        line: sample.place.1,
        reason: "duplicate_sample",
        detail: format!(
            "item `{}`, epoch {}, subject `{}` of `{}` stands in the log before",
            sample.item, sample.epoch, sample.subject, sample.dataset
        ),
        bytes: &[],
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

/// The run being written.
struct Writing<'r> {
    options: &'r RunOptions,
    cluster: Option<&'r str>,
    names: Vec<String>,
    columns: Columns,
    keys: Keys,
    run: RunWriter,
    records: RecordColumns,
    bytes: usize,
    rejects: RejectFile,
    refused: BTreeMap<String, u64>,
    first_refused: Option<String>,
}

impl<'r> Writing<'r> {
    fn begin(
        request: &'r ImportRequest,
        columns: Columns,
        keys: Keys,
        names: Vec<String>,
    ) -> Result<Self, WorkError> {
        let target = &request.target;
        let logs = request.logs.iter();
        let options = Recorded {
            logs: logs.map(|log| (log.harness, log.files.len())).collect(),
            how: request.how.clone(),
            run: target.options.clone(),
        };
        let spec = RunSpec {
            command: COMMAND,
            // Options are plain values under texts, which JSON can hold.
            options: serde_json::to_value(options).unwrap_or_default(),
            metrics: columns.metrics.clone(),
            created_at: target.created_at.clone(),
        };
        let run = RunWriter::create(&target.folder, spec, columns.layout.clone())?;
        Ok(Writing {
            options: &target.options,
            cluster: request.how.cluster.as_deref(),
            names,
            records: RecordColumns::new(run.layout()),
            rejects: RejectFile::new(&run.rejects()),
            columns,
            keys,
            run,
            bytes: 0,
            refused: BTreeMap::new(),
            first_refused: None,
        })
    }

    fn take(&mut self, log: u32, found: Found, report: &mut LogReport) -> Result<(), WorkError> {
        report.counts.inputs += 1;
        let mut sample = match found {
            Found::Sample(sample) => sample,
            Found::Refused(refusal) => return self.refuse(&refusal, report),
        };
        name(&mut sample, self.options);
        let epoch = self.keys.epoch(log, &sample);
        match self.keys.rank(log, &sample, epoch) {
            Rank::Counts => {}
            Rank::Duplicate => return self.refuse(&twice(&sample), report),
            Rank::Superseded(by) => {
                report.counts.superseded += 1;
                let detail = format!(
                    "item `{}`, epoch {}, subject `{}` of `{}` stands in a later log, {}; \
                     --keep-all keeps both",
                    sample.item,
                    sample.epoch,
                    sample.subject,
                    sample.dataset,
                    self.names[by as usize]
                );
                let refusal = Refusal {
                    reason: "superseded",
                    detail,
                    ..twice(&sample)
                };
                return self.refuse(&refusal, report);
            }
        }
        self.write(&sample, epoch, report)
    }

    fn write(
        &mut self,
        sample: &Sample,
        epoch: i32,
        report: &mut LogReport,
    ) -> Result<(), WorkError> {
        let leading = self.columns.leading(sample);
        let decided = leading.decides.and_then(|score| score.value);
        let verdict = match (&sample.error, decided) {
            (Some(_), _) => Some(Verdict::Error),
            (None, None) => Some(Verdict::Undecided),
            (None, Some(1.0)) if leading.is_share => Some(Verdict::Pass),
            (None, Some(0.0)) if leading.is_share => Some(Verdict::Fail),
            // What lies between is neither.
            (None, Some(_)) => None,
        };
        report.counts.used += 1;
        report.counts.errors += u64::from(sample.error.is_some());
        report.counts.unscored += u64::from(verdict == Some(Verdict::Undecided));
        let explained = sample.scores.iter().filter_map(|score| {
            Some(Evidence {
                rule: &score.scorer,
                pass: score.value.is_some_and(|value| value != 0.0),
                severity: "info",
                observed: score.value,
                text: Some(score.explanation.as_deref()?),
                ..Evidence::default()
            })
        });
        let failed = sample.error.iter().map(|error| Evidence {
            rule: "error",
            severity: "critical",
            text: Some(error),
            ..Evidence::default()
        });
        let evidence: Vec<Evidence> = failed.chain(explained).collect();
        let clustered = sample
            .own
            .iter()
            .find(|(name, _)| self.cluster == Some(name));
        let cluster = clustered.map(|(_, value)| text_of(value));
        let mut texts = Vec::new();
        let own = self.columns.values(sample, &mut texts);
        let [input, target, output] = [&sample.input, &sample.target, &sample.output];
        let texts = match self.options.keep_text {
            true => Texts {
                input: input.as_deref(),
                target: target.as_deref(),
                output: output.as_deref(),
            },
            false => Texts::default(),
        };
        let lengths = [texts.input, texts.target, texts.output]
            .into_iter()
            .flatten();
        let explained = evidence.iter().filter_map(|evidence| evidence.text);
        self.bytes += lengths.chain(explained).map(str::len).sum::<usize>();
        self.records.push(&RunRecord {
            dataset: &sample.dataset,
            item: &sample.item,
            subject: &sample.subject,
            epoch,
            cluster: cluster.as_deref(),
            verdict,
            decision: leading.decides.and_then(|score| score.logged.as_deref()),
            score: leading.score,
            place: Some(Place {
                file: &sample.place.0,
                line: sample.place.1,
                ..Place::default()
            }),
            latency_ms: sample.latency_ms,
            tokens_in: sample.tokens_in,
            tokens_out: sample.tokens_out,
            usd: sample.usd,
            evidence: &evidence,
            texts,
            own: &own,
            ..RunRecord::default()
        });
        if self.records.len() == BATCH || self.bytes > BATCH_BYTES {
            self.bytes = 0;
            self.run.append(self.records.take())?;
        }
        Ok(())
    }

    fn refuse(&mut self, refusal: &Refusal, report: &mut LogReport) -> Result<(), WorkError> {
        report.counts.rejects += 1;
        *self.refused.entry(refusal.reason.to_owned()).or_default() += 1;
        self.first_refused
            .get_or_insert_with(|| refusal.detail.clone());
        Ok(self.rejects.write(&Reject {
            file: refusal.file.to_owned(),
            line: refusal.line,
            byte_offset: 0,
            reason: refusal.reason.into(),
            detail: refusal.detail.clone(),
            raw: refusal.bytes.into(),
        })?)
    }

    fn finish(
        mut self,
        request: &ImportRequest,
        logs: &[&Chosen],
        report: ImportReport,
    ) -> Result<ImportReport, WorkError> {
        if report.used() == 0 {
            let names: Vec<&str> = logs.iter().map(|log| log.name()).collect();
            let mut text = format!("{}: there is no sample that can be used", names.join(", "));
            if let Some(first) = self.first_refused {
                text.push_str(&format!(".\n  The first: {first}"));
            }
            let ours = |file: &str| {
                logs.iter()
                    .any(|log| log.files.iter().any(|f| f.name == file))
            };
            self.rejects.give_up(ours)?;
            return Err(WorkError::BadInput(text));
        }
        self.run.append(self.records.take())?;
        let mut inputs = Vec::new();
        for file in request.logs.iter().flat_map(|log| &log.files) {
            let mut digest = Source::open(&file.path)?.finish()?;
            let log = report.logs.iter().find(|log| log.path == file.name);
            let read = log.and_then(|log| log.notes.first()?.strip_prefix(table::READ_AS));
            digest.read_as = read.map(str::to_owned);
            inputs.push(InputEntry::new(&file.role, &file.name, &digest));
        }
        let (given, used) = (report.inputs(), report.used());
        self.run.finish(RunEnd {
            inputs,
            counts: Counts::of(given, used, self.refused),
            report: &report,
            tables: &tables(&report),
            rejects: Some(self.rejects),
            trace: None,
        })?;
        Ok(report)
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
    import(&request).map(drop)
}
