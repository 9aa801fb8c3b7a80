//! A run of rows, decided on one thread.
//!
//! Whether a data set holds formulas or text is known at its end only. Until a gold is found
//! that is no formula, rows are decided both ways, so that nothing need be read twice.

use std::sync::atomic::{AtomicBool, Ordering};

use std::sync::Arc;

use arrow_array::RecordBatch;
use judica_data::chunks::RawRecord;
use judica_data::json::text::{write_list, write_string, write_string_or_null};
use judica_data::rejects::Refusal;
use judica_data::rows::text_of;
use judica_run::layout::Layout;
use judica_run::options::RunOptions;
use judica_run::pieces::Part;
use judica_run::records::RecordColumns;

use super::rates::Clusters;
use super::record::Recorded;
use super::tally::{Counted, Tally};
use super::wanted::Wanted;
use crate::decide::Decision;
use crate::normalize::{Choice, Golds, is_bare_number};
use crate::predictions::pieces::Piece;
use crate::predictions::row::Row;
use crate::predictions::seen::Print;
use crate::predictions::{Called, PredictionFile};
use judica_text::gold::Gold;
use judica_text::normalize::{Atl, Normalizer, Sides, Text};

/// What is done with every row.
pub(super) struct Task<'t> {
    pub choice: &'t Choice,
    /// The files.
    pub files: &'t [PredictionFile],
    /// Whether a line for each row is wanted.
    pub details: bool,
    /// How rows are called.
    pub options: &'t RunOptions,
    /// What is asked beyond whether rows match.
    pub wanted: &'t Wanted,
    /// Whether all files go into one run.
    pub one_run: bool,
    /// The part of the rows that counts, if not all do.
    pub part: Option<Part>,
    /// By file, whether a gold was found that is no formula: then nobody looks for more.
    pub are_text: Vec<AtomicBool>,
    /// By file, what all golds are like, if that is known before.
    pub golds: Option<Vec<Golds>>,
}

/// The place of what was named, or of decisions about text.
const AS_TEXT: usize = 0;
/// The place of decisions about formulas.
const AS_FORMULAS: usize = 1;

/// Which of the two ways to decide counts.
pub(super) fn way(choice: &Choice, golds: Golds) -> usize {
    match choice {
        Choice::Auto if golds.are_formulas() => AS_FORMULAS,
        Choice::Auto | Choice::Named(_) => AS_TEXT,
    }
}

/// The same before all golds are seen, if the others cannot change it.
pub(super) fn settled(choice: &Choice, golds: Golds) -> Option<usize> {
    let open = matches!(choice, Choice::Auto) && !golds.are_text();
    (!open).then_some(AS_TEXT)
}

impl Task<'_> {
    /// Whether a row counts, by its position in its file.
    pub fn holds(&self, position: u64) -> bool {
        self.part.is_none_or(|part| part.holds(position))
    }

    /// Whether files share their keys, so that places must be told apart, too.
    fn places(&self) -> bool {
        self.one_run && self.files.len() > 1
    }
}

/// What a row of a run became.
pub(super) struct Mark {
    /// What it counts as, or which of the run's refusals it is.
    pub outcome: Result<Counted, usize>,
    /// Where its line ends among the run's details; it begins where the one before ends.
    pub details_end: [usize; 2],
}

/// What a run of rows became.
#[derive(Default)]
pub(super) struct Batch {
    pub marks: Vec<Mark>,
    /// Of the rows that can be used, in their order.
    pub prints: Vec<Print>,
    /// What they stand or fall with, and how they were decided.
    pub clusters: Clusters,
    pub refusals: Vec<Refusal>,
    /// Lines for both ways to decide.
    pub details: [Vec<u8>; 2],
    /// The same as records. Those of formulas end where a gold is found that is none.
    pub records: [Option<RecordBatch>; 2],
    columns: Option<[RecordColumns; 2]>,
    /// What the golds look like, also those of rows that cannot be used otherwise.
    pub golds: Golds,
    /// All rows that can be used, as long as none of them turns out to be a duplicate.
    pub tally: Tally,
}

impl Batch {
    /// Nothing yet; with columns to be filled, if records are wanted.
    pub fn new(layout: Option<&Arc<Layout>>) -> Self {
        Batch {
            columns: layout.map(|layout| [0, 1].map(|_| RecordColumns::new(layout))),
            ..Batch::default()
        }
    }

    /// Decides the rows of a piece.
    pub fn read(&mut self, piece: &Piece, task: &Task) {
        self.clear();
        let are_text = &task.are_text[piece.file];
        if are_text.load(Ordering::Relaxed) {
            self.golds = Golds::TEXT;
        }
        for record in piece.records() {
            let outcome = match self.decide(&record, piece, task) {
                Ok(counted) => {
                    self.tally.add(counted);
                    Ok(counted)
                }
                Err(refusal) => {
                    self.refusals.push(refusal);
                    Err(self.refusals.len() - 1)
                }
            };
            self.marks.push(Mark {
                outcome,
                details_end: self.details.each_ref().map(Vec::len),
            });
        }
        if let Some(columns) = &mut self.columns {
            self.records = columns.each_mut().map(|columns| Some(columns.take()));
        }
        if self.golds.are_text() {
            are_text.store(true, Ordering::Relaxed);
        }
    }

    fn clear(&mut self) {
        self.marks.clear();
        self.prints.clear();
        self.clusters.clear();
        self.refusals.clear();
        self.details.iter_mut().for_each(Vec::clear);
        self.golds = Golds::default();
        self.tally = Tally::default();
    }

    fn decide(
        &mut self,
        record: &RawRecord,
        piece: &Piece,
        task: &Task,
    ) -> Result<Counted, Refusal> {
        text_of(record)?;
        let file = &task.files[piece.file];
        let row = Row::read(&file.columns, record.bytes)?;
        let arrays = task.choice.arrays();
        let gold = row.gold(arrays)?;
        let mut ways: [Option<&dyn Normalizer>; 2] = [None; 2];
        match task.choice {
            Choice::Named(named) => ways[AS_TEXT] = Some(named.as_ref()),
            Choice::Auto => {
                self.golds.see(&gold);
                ways[AS_TEXT] = Some(&Text);
                ways[AS_FORMULAS] = (!self.golds.are_text()).then_some(&Atl);
            }
        }
        let prediction = row.prediction(arrays, &gold)?;
        if matches!(task.choice, Choice::Auto) {
            self.golds.see_answer(&gold, &prediction);
        }
        row.check_id()?;
        let called = Called::of(&row, record.position, file, piece.document(), task.options)?;
        let (print, cluster) = Print::of(&row, &called, task.places());
        self.prints.push(print);
        let mut decisions = [Decision::Undecided; 2];
        // Bare numbers leave the longest doubt: they may be propositions among formulas.
        let same = match gold.formulas() {
            [one] => is_bare_number(one) && is_bare_number(&prediction),
            _ => false,
        };
        for (way, normalizer) in ways.into_iter().enumerate() {
            let Some(normalizer) = normalizer else {
                continue;
            };
            decisions[way] = match way {
                AS_FORMULAS if same => decisions[AS_TEXT],
                _ => Decision::of(normalizer, &gold, &prediction),
            };
            let decided = Decided {
                decision: decisions[way],
                gold: &gold,
                prediction: &prediction,
                normalizer,
            };
            if task.details {
                let line = Line {
                    file: &file.name,
                    line: record.line,
                    id: called.id.as_deref(),
                    decided: &decided,
                };
                line.write(&mut self.details[way]);
            }
            if let Some(columns) = &mut self.columns {
                let recorded = Recorded {
                    task,
                    file,
                    record,
                    row: &row,
                    called: &called,
                    decided: &decided,
                };
                recorded.push(&mut columns[way]);
            }
        }
        let alone = called.epoch == 1 && row.cluster().is_none();
        let of = [&*called.subject, &*called.dataset];
        self.clusters.add(cluster, alone, of, decisions);
        Ok(Counted {
            decisions,
            // As records hold them.
            tokens_input: row.tokens_input().map(|n| n as f64 as u64),
            tokens_output: row.tokens_output().map(|n| n as f64 as u64),
            blank_gold: gold.is_blank(),
        })
    }
}

/// A row as it was decided in one way.
pub(super) struct Decided<'d> {
    pub decision: Decision,
    pub gold: &'d Gold,
    pub prediction: &'d str,
    pub normalizer: &'d dyn Normalizer,
}

impl Decided<'_> {
    /// Whether the prediction was looked at: what is too long is not.
    pub fn is_looked_at(&self) -> bool {
        Decision::looks_at(self.prediction)
    }
}

/// How a row was decided, for people who want to know of each.
struct Line<'l> {
    file: &'l str,
    line: u64,
    id: Option<&'l str>,
    decided: &'l Decided<'l>,
}

impl Line<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        let Decided {
            decision,
            gold,
            prediction,
            normalizer,
        } = *self.decided;
        out.extend_from_slice(b"{\"file\":");
        write_string(self.file, out);
        out.extend_from_slice(format!(",\"line\":{},\"id\":", self.line).as_bytes());
        write_string_or_null(self.id, out);
        out.extend_from_slice(b",\"method\":");
        write_string(decision.name(), out);
        let matched = decision.is_match();
        out.extend_from_slice(format!(",\"matched\":{matched},\"gold\":").as_bytes());
        // A text that has no normal form is null: it equals nothing.
        let normalized = |text: &str| normalizer.normalized(text);
        match gold.formulas() {
            [one] if !gold.is_list() => write_string_or_null(normalized(one).as_deref(), out),
            several => {
                let write = |text: &String, out: &mut Vec<u8>| {
                    write_string_or_null(normalized(text).as_deref(), out);
                };
                write_list(several, write, out);
            }
        }
        out.extend_from_slice(b",\"prediction\":");
        let compared = match Sides::of(gold, prediction) {
            Sides::Whole(_, prediction) => normalized(prediction),
            Sides::Lines(_, lines) => {
                let forms: Option<Vec<_>> = lines.into_iter().map(normalized).collect();
                forms.map(|forms| forms.join("\n"))
            }
        };
        write_string_or_null(compared.as_deref(), out);
        out.extend_from_slice(b"}\n");
    }
}
