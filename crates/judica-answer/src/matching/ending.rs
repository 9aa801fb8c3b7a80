//! The report of a run that was made in pieces, from the flat columns of its records and from
//! what was refused.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, BooleanArray, Float64Array, RecordBatch};
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Reject, RejectFile};
use judica_data::work_error::WorkError;
use judica_run::family::Input;
use judica_run::finish::Ending;
use judica_run::layout::{Layout, head};
use judica_run::manifest::{Counts, Manifest};
use judica_run::pieces::Pieces;
use judica_run::writer::{RunEnd, RunWriter};

use super::record::{BLANK_GOLD, METRICS, REPEATED, layout};
use super::tally::{Counted, Tally};
use super::{MatchOptions, ROLE, Whole, report, tables};
use crate::decide::Decision;
use crate::normalize::{Choice, Golds};
use crate::predictions::PredictionFile;

struct FromPieces {
    choice: Choice,
    keep_text: bool,
    files: Vec<PredictionFile>,
    tallies: Vec<Tally>,
    golds: Vec<Golds>,
}

/// Begins to end a run.
pub(super) fn begin(pieces: &Pieces, _: usize) -> Result<Box<dyn Ending>, WorkError> {
    let options: MatchOptions = pieces.options()?;
    let choice = Choice::by_name(&options.normalizer, options.tolerance.unwrap_or_default());
    let choice = choice.map_err(|error| WorkError::BadArtifact(error.to_string()))?;
    let whole: Whole = pieces.whole()?;
    let inputs: Vec<Input> = pieces
        .role(ROLE)
        .map(|input| Input::given(ROLE, input.path.as_ref()))
        .collect();
    let files = options.files.files(inputs.iter())?;
    Ok(Box::new(FromPieces {
        choice,
        keep_text: options.run.keep_text,
        tallies: vec![Tally::default(); files.len()],
        files,
        golds: whole.golds,
    }))
}

impl FromPieces {
    fn file(&self, name: &str) -> Result<usize, WorkError> {
        let found = self.files.iter().position(|file| file.name == name);
        found.ok_or_else(|| odd(head::INPUT_FILE))
    }

    fn count(&mut self, records: &RecordBatch) -> Result<(), WorkError> {
        let files = column(records, head::INPUT_FILE)?.as_string_opt::<i32>();
        let files = files.ok_or_else(|| odd(head::INPUT_FILE))?;
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
            let tally = &mut self.tallies[file];
            tally.duplicates += u64::from(repeated.value(row));
            tally.add(Counted {
                decisions: [decision; 2],
                tokens_input: tokens(input, row),
                tokens_output: tokens(output, row),
                blank_gold: blank.value(row),
            });
        }
        Ok(())
    }
}

fn column<'b>(records: &'b RecordBatch, name: &str) -> Result<&'b dyn Array, WorkError> {
    let column = records.column_by_name(name).map(|column| &**column);
    column.ok_or_else(|| odd(name))
}

fn numbers<'b>(records: &'b RecordBatch, name: &str) -> Result<&'b Float64Array, WorkError> {
    let column = column(records, name)?.as_primitive_opt::<Float64Type>();
    column.ok_or_else(|| odd(name))
}

fn flags<'b>(records: &'b RecordBatch, name: &str) -> Result<&'b BooleanArray, WorkError> {
    column(records, name)?
        .as_boolean_opt()
        .ok_or_else(|| odd(name))
}

fn odd(column: &str) -> WorkError {
    WorkError::BadArtifact(format!(
        "the records' column `{column}` is not what match writes"
    ))
}

impl Ending for FromPieces {
    fn layout(&self) -> Layout {
        layout(self.keep_text)
    }

    fn take(&mut self, records: &[RecordBatch], _: &RunWriter) -> Result<(), WorkError> {
        records.iter().try_for_each(|records| self.count(records))
    }

    fn refuse(&mut self, reject: &Reject) -> Result<(), WorkError> {
        let file = self.file(&reject.file)?;
        self.tallies[file].refuse(reject.reason.clone());
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
            &self.golds,
            &self.tallies,
        )?;
        let given: Vec<Given> = self
            .files
            .iter()
            .zip(&self.tallies)
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
            counts: Counts::of(
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
