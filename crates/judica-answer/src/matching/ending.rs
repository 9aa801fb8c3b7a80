//! The report of a run that was made in pieces, from the flat columns of its records and from
//! what was refused.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, BooleanArray, Float64Array, RecordBatch, StringArray};
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Reject, RejectFile};
use judica_data::work_error::WorkError;
use judica_run::family::Input;
use judica_run::finish::Ending;
use judica_run::layout::{Layout, head};
use judica_run::manifest::{self, Manifest};
use judica_run::pieces::Pieces;
use judica_run::writer::{RunEnd, RunWriter};

use super::rates::Clusters;
use super::record::{BLANK_GOLD, METRICS, REPEATED, layout};
use super::sections::Kept;
use super::sum::Counts;
use super::tally::{Counted, Tally};
use super::wanted::Wanted;
use super::{MatchOptions, ROLE, Whole, report, tables};
use crate::decide::Decision;
use crate::normalize::Choice;
use crate::predictions::PredictionFile;
use crate::predictions::seen::record_print;

struct FromPieces {
    choice: Choice,
    keep_text: bool,
    files: Vec<PredictionFile>,
    counts: Counts,
    wanted: Wanted,
    kept: Option<Kept>,
    threads: usize,
}

/// Begins to end a run.
pub(super) fn begin(pieces: &Pieces, threads: usize) -> Result<Box<dyn Ending>, WorkError> {
    let options: MatchOptions = pieces.options()?;
    let choice = Choice::by_name(&options.normalizer, options.tolerance.unwrap_or_default());
    let choice = choice.map_err(|error| WorkError::BadArtifact(error.to_string()))?;
    let whole: Whole = pieces.whole()?;
    let inputs: Vec<Input> = pieces
        .role(ROLE)
        .map(|input| Input::given(ROLE, input.path.as_ref()))
        .collect();
    let files = options.files.files(inputs.iter())?;
    let wanted = Wanted::new(&options.asked, &choice, &files);
    Ok(Box::new(FromPieces {
        choice,
        keep_text: options.run.keep_text,
        counts: Counts {
            tallies: vec![Tally::default(); files.len()],
            clusters: files.iter().map(|_| Clusters::default()).collect(),
            golds: whole.golds,
        },
        files,
        kept: wanted.is_any().then(|| Kept::new(wanted.clone())),
        wanted,
        threads,
    }))
}

impl FromPieces {
    fn file(&self, name: &str) -> Result<usize, WorkError> {
        let found = self.files.iter().position(|file| file.name == name);
        found.ok_or_else(|| odd(head::INPUT_FILE))
    }

    fn count(&mut self, records: &RecordBatch) -> Result<(), WorkError> {
        let files = texts(records, head::INPUT_FILE)?;
        let (dataset, item) = (texts(records, head::DATASET)?, texts(records, head::ITEM)?);
        let (subject, cluster) = (
            texts(records, head::SUBJECT)?,
            texts(records, head::CLUSTER)?,
        );
        let [_, exact, structural] = METRICS;
        let (exact, structural) = (numbers(records, exact)?, numbers(records, structural)?);
        let input = numbers(records, head::TOKENS_IN)?;
        let output = numbers(records, head::TOKENS_OUT)?;
        let (blank, repeated) = (flags(records, BLANK_GOLD)?, flags(records, REPEATED)?);
        let tokens = |column: &Float64Array, row: usize| {
            column.is_valid(row).then(|| column.value(row) as u64)
        };
        for row in 0..records.num_rows() {
            let decision = match (exact.value(row) == 1.0, structural.value(row) == 1.0) {
                (true, _) => Decision::Exact,
                (_, true) => Decision::Structural,
                _ => Decision::Undecided,
            };
            let file = self.file(files.value(row))?;
            let tally = &mut self.counts.tallies[file];
            tally.duplicates += u64::from(repeated.value(row));
            tally.add(Counted {
                decisions: [decision; 2],
                tokens_input: tokens(input, row),
                tokens_output: tokens(output, row),
                blank_gold: blank.value(row),
            });
            let cluster = cluster.is_valid(row).then(|| cluster.value(row));
            let (dataset, subject) = (dataset.value(row), subject.value(row));
            let print = record_print(cluster, dataset, item.value(row));
            // Which epochs there were is not looked at: whether rows are alone shows by itself.
            self.counts.clusters[file].add(print, false, [subject, dataset], [decision; 2]);
        }
        Ok(())
    }
}

pub(super) fn column<'b>(records: &'b RecordBatch, name: &str) -> Result<&'b dyn Array, WorkError> {
    let column = records.column_by_name(name).map(|column| &**column);
    column.ok_or_else(|| odd(name))
}

pub(super) fn texts<'b>(
    records: &'b RecordBatch,
    name: &str,
) -> Result<&'b StringArray, WorkError> {
    let column = column(records, name)?.as_string_opt::<i32>();
    column.ok_or_else(|| odd(name))
}

pub(super) fn numbers<'b>(
    records: &'b RecordBatch,
    name: &str,
) -> Result<&'b Float64Array, WorkError> {
    let column = column(records, name)?.as_primitive_opt::<Float64Type>();
    column.ok_or_else(|| odd(name))
}

fn flags<'b>(records: &'b RecordBatch, name: &str) -> Result<&'b BooleanArray, WorkError> {
    column(records, name)?
        .as_boolean_opt()
        .ok_or_else(|| odd(name))
}

pub(super) fn odd(column: &str) -> WorkError {
    WorkError::BadArtifact(format!(
        "the records' column `{column}` is not what match writes"
    ))
}

impl Ending for FromPieces {
    fn layout(&self) -> Layout {
        layout(self.keep_text, &self.wanted)
    }

    fn take(&mut self, records: &[RecordBatch]) -> Result<(), WorkError> {
        for records in records {
            self.count(records)?;
            if let Some(kept) = &mut self.kept {
                kept.take(records)?;
            }
        }
        Ok(())
    }

    fn refuse(&mut self, reject: &Reject) -> Result<(), WorkError> {
        let file = self.file(&reject.file)?;
        self.counts.tallies[file].refuse(reject.reason.clone());
        Ok(())
    }

    fn end(
        self: Box<Self>,
        run: RunWriter,
        pieces: &Pieces,
        rejects: RejectFile,
    ) -> Result<(Manifest, Vec<String>), WorkError> {
        let hashes = pieces.role(ROLE).map(|input| &*input.sha256);
        let report = report(
            &self.files,
            hashes,
            &self.choice,
            &self.counts,
            self.kept,
            self.threads,
        )?;
        let given: Vec<Given> = self
            .files
            .iter()
            .zip(&self.counts.tallies)
            .map(|(file, tally)| Given {
                path: &file.path,
                name: &file.name,
                used: tally.rows,
            })
            .collect();
        let (rejects, unused) = rejects.usable(&given, Reads::Judged)?;
        let totals = &report.totals;
        let manifest = run.finish(RunEnd {
            inputs: pieces.common().inputs.clone(),
            counts: manifest::Counts::of(
                totals.inputs,
                totals.n_examples,
                totals.rejects_by_reason.iter().map(|(why, n)| (&**why, *n)),
            ),
            report: &report,
            tables: &tables(&report),
            rejects: Some(rejects),
            trace: None,
        })?;
        Ok((manifest, unused))
    }
}
