//! The second pass: samples become the records of a run.

use std::collections::BTreeMap;

use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Raw, Reject, RejectFile};
use judica_data::row_keys;
use judica_data::source::Source;
use judica_data::work_error::WorkError;
use judica_model::run::{Evidence, Place, RunRecord, Texts, Verdict};
use judica_run::manifest::{Counts, InputEntry};
use judica_run::options::RunOptions;
use judica_run::records::RecordColumns;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};

use crate::import::{COMMAND, ImportRequest, Recorded};
use crate::keys::{Keys, Rank};
use crate::log::{Found, Harness, RefusedSample, Sample};
use crate::logs::Logs;
use crate::open::{Chosen, instead};
use crate::report::{ImportReport, LogReport, tables};
use crate::survey::{Columns, text_of};
use crate::table;
use crate::unchanged::Unchanged;

/// Records that are held at a time, and the bytes of their texts.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 8 << 20;

/// The run being written.
pub(crate) struct Writing<'r> {
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
    /// Begins it.
    pub fn begin(
        request: &'r ImportRequest,
        columns: Columns,
        keys: Keys,
        logs: &Logs,
    ) -> Result<Self, WorkError> {
        let target = &request.target;
        let given = logs.given().into_iter();
        let options = Recorded {
            logs: given.map(|log| (log.harness, log.files.len())).collect(),
            left_out: logs.left_out.clone(),
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
            names: logs.names(),
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

    /// Takes what is found in a log; says whether it is of the log's samples.
    pub fn take(
        &mut self,
        log: u32,
        found: Found,
        report: &mut LogReport,
    ) -> Result<bool, WorkError> {
        report.counts.inputs += 1;
        let mut sample = match found {
            Found::Sample(sample) => sample,
            Found::Refused(refusal) => return self.refuse(refusal, report).map(|()| false),
        };
        name(&mut sample, self.options);
        let epoch = self.keys.epoch(log, &sample);
        match self.keys.rank(log, &sample, epoch) {
            Rank::Counts => {}
            Rank::Duplicate => return self.refuse(twice(&sample), report).map(|()| false),
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
                let refusal = RefusedSample {
                    reason: "superseded",
                    detail,
                    ..twice(&sample)
                };
                // Its own log counts it all the same.
                return self.refuse(refusal, report).map(|()| true);
            }
        }
        self.write(&sample, epoch, report).map(|()| true)
    }

    fn write(
        &mut self,
        sample: &Sample,
        epoch: i32,
        report: &mut LogReport,
    ) -> Result<(), WorkError> {
        let leading = self.columns.leading(sample);
        let verdict = match (&sample.error, sample.passed) {
            (Some(_), _) => Some(Verdict::Error),
            (None, Some(true)) => Some(Verdict::Pass),
            (None, Some(false)) => Some(Verdict::Fail),
            (None, None) => leading.verdict,
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
            .find(|(name, _)| self.cluster.unwrap_or(row_keys::CLUSTER) == name);
        let cluster = clustered.map(|(_, value)| text_of(value));
        let stands = sample.place.stands;
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
                file: &sample.place.file,
                line: sample.place.line,
                offset: stands.and_then(|stands| stands.offset),
                bytes: stands.and_then(|stands| stands.bytes),
                hash: stands.map(|stands| stands.hash),
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

    fn refuse(&mut self, refusal: RefusedSample, report: &mut LogReport) -> Result<(), WorkError> {
        report.counts.rejects += 1;
        *self.refused.entry(refusal.reason.to_owned()).or_default() += 1;
        self.first_refused
            .get_or_insert_with(|| refusal.detail.clone());
        Ok(self.rejects.write(&Reject {
            file: refusal.file.to_owned(),
            line: refusal.line,
            byte_offset: refusal.offset,
            reason: refusal.reason.into(),
            detail: refusal.detail,
            raw: refusal.raw,
        })?)
    }

    /// Ends it, if there is a record.
    pub fn finish(
        mut self,
        logs: &[&Chosen],
        report: ImportReport,
        unchanged: &Unchanged,
    ) -> Result<ImportReport, WorkError> {
        if report.used() == 0 && logs.iter().all(|log| log.harness == Harness::Table) {
            let files = logs.iter().flat_map(|log| &log.files);
            let given = files.map(|file| Given {
                path: &file.path,
                name: &file.name,
                used: 0,
            });
            let given: Vec<Given> = given.collect();
            self.rejects.usable(&given, Reads::JsonOrTable)?;
            return Err(WorkError::BadInput("no row can be used".to_owned()));
        }
        if report.used() == 0 {
            let text = no_sample(logs, self.first_refused);
            let ours = |file: &str| {
                logs.iter()
                    .any(|log| log.files.iter().any(|f| f.name == file))
            };
            self.rejects.give_up(ours)?;
            return Err(WorkError::BadInput(text));
        }
        self.run.append(self.records.take())?;
        let mut inputs = Vec::new();
        for file in logs.iter().flat_map(|log| &log.files) {
            let mut digest = Source::open(&file.path)?.finish()?;
            unchanged.check(&file.path, &file.name)?;
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

/// What is said of logs without a sample that can be used.
fn no_sample(logs: &[&Chosen], first_refused: Option<String>) -> String {
    let names: Vec<&str> = logs.iter().map(|log| log.name()).collect();
    let text = format!("{}: there is no sample that can be used", names.join(", "));
    if let ([log], Some(file)) = (logs, logs.first().and_then(|log| log.files.first())) {
        let instead = instead(log.harness, &file.path);
        if !instead.is_empty() {
            return text + &instead;
        }
    }
    match first_refused {
        Some(first) => format!("{text}.\n  The first: {first}"),
        None => text,
    }
}

/// Calls a sample's subject and data set as the user says.
pub(crate) fn name(sample: &mut Sample, options: &RunOptions) {
    if let Some(subject) = &options.subject {
        sample.subject = subject.clone().into();
    }
    if let Some(dataset) = &options.dataset {
        sample.dataset = dataset.clone().into();
    }
}

pub(crate) fn twice<'s>(sample: &'s Sample) -> RefusedSample<'s> {
    RefusedSample {
        file: &sample.place.file,
        line: sample.place.line,
        offset: sample.place.offset,
        reason: "duplicate_sample",
        detail: format!(
            "item `{}`, epoch {}, subject `{}` of `{}` stands in the log before",
            sample.item, sample.epoch, sample.subject, sample.dataset
        ),
        raw: (sample.place.raw).map_or_else(|| Raw::Whole(Vec::new()), |raw| raw()),
    }
}
