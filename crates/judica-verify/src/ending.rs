//! The end of a run: the report that follows from its records, and the manifest. A run in
//! one go counts records while it makes them, a run from pieces reads their flat columns;
//! from there on both are the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, Float64Array, Int64Array, RecordBatch};
use judica_data::foreign::Reads;
use judica_data::parquet::TableSchema;
use judica_data::rejects::{Given, Reject, RejectFile};
use judica_data::work_error::WorkError;
use judica_run::finish::{Columns, Derived, Ending, odd};
use judica_run::layout::{Layout, head};
use judica_run::manifest::{Counts, InputEntry, Manifest};
use judica_run::names::Names;
use judica_run::pieces::Pieces;
use judica_run::writer::{RunEnd, RunWriter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::checks::Checks;
use crate::columns::write::{Tables, failed_atoms};
use crate::columns::{COMPUTED, dimensions, infos, layout};
use crate::error::temporary;
use crate::family::FAMILY;
use crate::gold::GoldReport;
use crate::options::{FAILURES, PROTOCOL, Recorded, role};
use crate::protocol::{Protocol, load};
use crate::response::ParseOutcome;
use crate::summary::build::{Parts, build};
use crate::summary::report::{Counts as Counted, Summary};
use crate::summary::scored::Items;
use crate::summary::scores::{ScoreEntry, ScoreLog};
use crate::summary::state::{FamilyTotals, SummaryState};
use crate::summary::tables::all_tables;
use crate::summary::unverified::Unverified;

/// What is known of inputs that every piece reads whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// Samples taken.
    pub samples: u64,
    /// Sample lines refused, by reason.
    pub sample_rejects: BTreeMap<String, u64>,
    /// What the samples' gold is worth.
    pub gold: GoldReport,
    /// Confidence priors by model.
    pub priors: BTreeMap<String, Map<String, Value>>,
}

impl Whole {
    /// What went in and out, with what is known of outputs.
    pub fn counts(&self, outputs: &Counts) -> Counted {
        let mut rejects_by_reason = self.sample_rejects.clone();
        for (reason, count) in &outputs.rejects_by_reason {
            *rejects_by_reason.entry(reason.clone()).or_default() += count;
        }
        Counted {
            samples: self.samples,
            sample_rejects: self.sample_rejects.values().sum(),
            outputs: outputs.inputs,
            records: outputs.used,
            rejects: outputs.rejects,
            rejects_by_reason,
        }
    }
}

/// What a run is made of besides its records.
pub struct Made<'a> {
    /// Every input with its hash.
    pub inputs: Vec<InputEntry>,
    /// What became of outputs.
    pub counts: Counts,
    /// What could not be used.
    pub rejects: RejectFile,
    /// The trace, as the manifest has it.
    pub trace: Option<Value>,
    /// What the report is made of.
    pub parts: &'a Parts<'a>,
}

/// Makes the report, and ends the run.
pub fn end(run: RunWriter, made: Made) -> Result<(Manifest, Summary), WorkError> {
    let summary = build(made.parts).map_err(temporary)?;
    let manifest = run.finish(RunEnd {
        inputs: made.inputs,
        counts: made.counts,
        report: &summary,
        tables: &all_tables(&summary),
        rejects: Some(made.rejects),
        trace: made.trace,
    })?;
    Ok((manifest, summary))
}

/// The command that runs the protocol on the gold of the same samples.
pub fn calibrate_command<'a>(
    protocol: &str,
    samples: impl Iterator<Item = &'a str>,
    task: Option<&str>,
) -> String {
    let mut command = format!("judica calibrate --protocol {protocol}");
    for file in samples {
        command.push_str(&format!(" --samples {file}"));
    }
    if let Some(task) = task {
        command.push_str(&format!(" --task {task}"));
    }
    command
}

/// A run that is ended from the records of its pieces.
struct FromPieces {
    protocol: Protocol,
    recorded: Recorded,
    whole: Whole,
    layout: Layout,
    failures: Arc<TableSchema>,
    models: Names,
    samples: Names,
    /// The task of each sample, and whether it has gold.
    known: Vec<(u32, bool)>,
    state: SummaryState,
    scores: ScoreLog,
    by_file: BTreeMap<String, u64>,
    threads: usize,
}

/// Begins to end a run.
pub fn begin(pieces: &Pieces, threads: usize) -> Result<Box<dyn Ending>, WorkError> {
    let recorded: Recorded = pieces.options()?;
    let mut protocol = load::parse(pieces.copied(PROTOCOL)?, PROTOCOL)
        .map_err(|error| WorkError::BadArtifact(error.to_string()))?;
    protocol.recorded_programs(&recorded.protocol.given_as, pieces.role(role::VERIFIER));
    let checks = Checks::new(&protocol)?;
    let layout = layout(&protocol, &checks, recorded.options.run.keep_text);
    Ok(Box::new(FromPieces {
        failures: Tables::new(&Arc::new(layout.clone()))?.failures,
        layout,
        protocol,
        recorded,
        whole: pieces.whole()?,
        models: Names::default(),
        samples: Names::default(),
        known: Vec::new(),
        state: SummaryState::default(),
        scores: ScoreLog::new(pieces.folder.clone()),
        by_file: BTreeMap::new(),
        threads,
    }))
}

impl FromPieces {
    fn count(&mut self, records: &RecordBatch) -> Result<(), WorkError> {
        let columns = Columns::new(records, FAMILY.command);
        let [datasets, items, subjects, files] =
            [head::DATASET, head::ITEM, head::SUBJECT, head::INPUT_FILE];
        let (datasets, items) = (columns.texts(datasets)?, columns.texts(items)?);
        let (subjects, files) = (columns.texts(subjects)?, columns.texts(files)?);
        let clusters = columns.texts(head::CLUSTER)?;
        let parsing = columns.texts(COMPUTED.parsing)?;
        let present = columns.counts(COMPUTED.fields_present)?;
        let gold = columns.flags(COMPUTED.gold)?;
        let scores = COMPUTED.scores.map(|name| columns.numbers(name));
        let [eligible, total, availability, constraint, error, mae] = scores;
        let (eligible, total, availability) = (eligible?, total?, availability?);
        let (constraint, error, mae) = (constraint?, error?, mae?);
        let mut families = Vec::new();
        for family in &self.protocol.families {
            let count = |what: &str| columns.counts(&format!("{}_{what}", family.name));
            let reasons = columns.numbers(&format!("{}_reasons", family.name))?;
            families.push((
                count("atoms")?,
                count("critical")?,
                count("warning")?,
                reasons,
            ));
        }
        let infos = infos(&self.protocol).map(|name| columns.counts(&name));
        let infos: Vec<&Int64Array> = infos.collect::<Result<_, _>>()?;
        let dimensions = dimensions(&self.protocol).map(|name| columns.numbers(&name));
        let dimensions: Vec<&Float64Array> = dimensions.collect::<Result<_, _>>()?;
        let number = |column: &Float64Array, row: usize| match column.is_valid(row) {
            true => column.value(row),
            false => f64::NAN,
        };
        for row in 0..records.num_rows() {
            let task = self.protocol.task_index(datasets.value(row));
            let task = task.ok_or_else(|| odd(head::DATASET, FAMILY.command))? as u32;
            let model = self.models.number(subjects.value(row));
            let sample = self.samples.number(items.value(row));
            if sample as usize == self.known.len() {
                self.known.push((task, gold.value(row)));
            }
            let mut outcomes = ParseOutcome::ALL.into_iter();
            let outcome = outcomes.find(|outcome| outcome.name() == parsing.value(row));
            let outcome = outcome.ok_or_else(|| odd(COMPUTED.parsing, FAMILY.command))?;
            let passed = number(eligible, row) == 1.0;
            let totals = families.iter().enumerate();
            let totals = totals.map(
                |(family, (atoms, critical, warning, reasons))| FamilyTotals {
                    atoms: atoms.value(row) as u64,
                    critical: critical.value(row) as u64,
                    warning: warning.value(row) as u64,
                    info: infos.get(family).map_or(0, |info| info.value(row) as u64),
                    failure_modes: number(reasons, row) as u64,
                },
            );
            let group = self.state.group((task, model), families.len());
            group.add(outcome, present.value(row) as u64, passed, totals);
            let entry = ScoreEntry {
                sample,
                cluster: self.scores.cluster(clusters, row),
                passed,
                availability: number(availability, row),
                constraint: number(constraint, row),
                error: number(error, row),
                total: number(total, row),
                mae: number(mae, row),
            };
            self.scores.push((task, model), entry).map_err(temporary)?;
            if !dimensions.is_empty() {
                let of_row = dimensions.iter().map(|column| number(column, row));
                let of_row: Vec<f64> = of_row.collect();
                let sums = &mut self.scores.dimensions;
                sums.add((task, model), &of_row, entry.total);
            }
            match self.by_file.get_mut(files.value(row)) {
                Some(count) => *count += 1,
                None => {
                    self.by_file.insert(files.value(row).to_owned(), 1);
                }
            }
        }
        Ok(())
    }
}

impl Ending for FromPieces {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn columns(&self) -> Vec<String> {
        let computed = [COMPUTED.parsing, COMPUTED.fields_present, COMPUTED.gold];
        let computed = computed.into_iter().chain(COMPUTED.scores);
        let mut columns: Vec<String> = computed.map(str::to_owned).collect();
        for family in &self.protocol.families {
            let counts = ["atoms", "critical", "warning", "reasons"];
            columns.extend(counts.map(|what| format!("{}_{what}", family.name)));
        }
        columns.extend(infos(&self.protocol));
        columns.extend(dimensions(&self.protocol));
        if !self.protocol.verifiers.is_empty() {
            columns.push(head::EVIDENCE.to_owned());
        }
        columns
    }

    fn take(&mut self, records: &[RecordBatch]) -> Result<(), WorkError> {
        for records in records {
            self.count(records)?;
            if !self.protocol.verifiers.is_empty() {
                self.state.unverified.merge(&Unverified::among(records)?);
            }
        }
        Ok(())
    }

    fn derived(&self) -> Option<Derived> {
        Some(Derived {
            file: FAILURES,
            kind: "failures",
            schema: self.failures.clone(),
            rows: failed_atoms,
        })
    }

    fn refuse(&mut self, _: &Reject) -> Result<(), WorkError> {
        // Pieces count them.
        Ok(())
    }

    fn end(
        self: Box<Self>,
        run: RunWriter,
        pieces: &Pieces,
        rejects: RejectFile,
    ) -> Result<(Manifest, Vec<String>), WorkError> {
        let counts = pieces.counts();
        let given: Vec<Given> = pieces
            .role(role::OUTPUTS)
            .map(|input| Given {
                path: input.path.as_ref(),
                name: &input.path,
                used: self.by_file.get(&input.path).copied().unwrap_or(0),
            })
            .collect();
        let (rejects, unused) = rejects.usable(&given, Reads::Json)?;
        let samples = pieces.role(role::SAMPLES).map(|input| &*input.path);
        let options = &self.recorded.options;
        let given_as = &self.recorded.protocol.given_as;
        let made = Made {
            inputs: pieces.common().inputs.clone(),
            rejects,
            trace: pieces.common().trace.clone(),
            parts: &Parts {
                protocol: &self.protocol,
                items: &*self,
                models: self.models.names.iter().map(|name| &**name).collect(),
                state: &self.state,
                scores: &self.scores,
                counts: self.whole.counts(&counts),
                gold: self.whole.gold.clone(),
                calibrate: &calibrate_command(given_as, samples, options.task.as_deref()),
                priors: &self.whole.priors,
                threads: self.threads,
            },
            counts,
        };
        let (manifest, _) = end(run, made)?;
        Ok((manifest, unused))
    }
}

impl Items for FromPieces {
    fn key(&self, sample: u32) -> (&str, &str) {
        let (task, _) = self.known[sample as usize];
        (
            &self.protocol.tasks[task as usize].name,
            &self.samples.names[sample as usize],
        )
    }

    fn has_gold(&self, sample: u32) -> bool {
        self.known[sample as usize].1
    }
}
