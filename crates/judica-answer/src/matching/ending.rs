//! The report of a run that was made in pieces, from the flat columns of its records and from
//! what was refused.

use arrow_array::{Array, Float64Array, RecordBatch};
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Reject, RejectFile};
use judica_data::work_error::WorkError;
use judica_run::family::Input;
use judica_run::finish::{Columns, Ending, odd};
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
use super::{FAMILY, MatchOptions, ROLE, Whole, report, tables};
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
        found.ok_or_else(|| odd(head::INPUT_FILE, FAMILY.command))
    }

    fn count(&mut self, records: &RecordBatch) -> Result<(), WorkError> {
        let columns = Columns::new(records, FAMILY.command);
        let texts = |name| columns.texts(name);
        let files = texts(head::INPUT_FILE)?;
        let (dataset, item) = (texts(head::DATASET)?, texts(head::ITEM)?);
        let (subject, cluster) = (texts(head::SUBJECT)?, texts(head::CLUSTER)?);
        let [_, exact, structural] = METRICS;
        let (exact, structural) = (columns.numbers(exact)?, columns.numbers(structural)?);
        let input = columns.numbers(head::TOKENS_IN)?;
        let output = columns.numbers(head::TOKENS_OUT)?;
        let (blank, repeated) = (columns.flags(BLANK_GOLD)?, columns.flags(REPEATED)?);
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
