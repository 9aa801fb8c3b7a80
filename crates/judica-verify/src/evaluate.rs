//! A batch of outputs becomes a batch of evaluated records: evidence, decision, scores.

use std::sync::Arc;

use judica_model::record::Adjudication;

use crate::agent::Evidence;
use crate::carry::Carried;
use crate::checks::Checks;
use crate::compare::{Compared, compare};
use crate::dimensions::{self, Seen};
use crate::evidence::{Atoms, FamilyCount, Reading, SideBySide, Verifier};
use crate::expr::LANES;
use crate::outputs::{Batch, InChunk};
use crate::protocol::Protocol;
use crate::render::RecordView;
use crate::response::{FieldState, ParseOutcome};
use crate::samples::Samples;
use crate::score::{ScoreRow, Scored, score};

/// One evaluated record; its atoms stand in [`Evaluated::atoms`].
#[derive(Debug, Clone)]
pub struct RecordRow {
    /// The model, by its run-wide number.
    pub model: u32,
    /// The model, as a position in the batch's own list.
    pub batch_model: u32,
    /// The sample.
    pub sample: u32,
    /// The task.
    pub task: u32,
    /// Line number in the input.
    pub line: u64,
    /// Where the line stands.
    pub place: InChunk,
    /// What its line says beside the answer, by its position in the batch.
    pub beside: Option<u32>,
    /// How the response was read.
    pub outcome: ParseOutcome,
    /// Required keys present.
    pub present: u32,
    /// The decision.
    pub adjudication: Adjudication,
    /// The scores.
    pub scores: ScoreRow,
    /// Rules of the reasons, gravest first (positions of rule names).
    pub reasons: Vec<u32>,
    /// Where its atoms begin.
    pub atoms_at: u32,
    /// How many atoms it has.
    pub atoms: u32,
    /// Where its values begin in the batch.
    pub values_at: usize,
}

/// The evaluated records of one chunk.
#[derive(Debug, Default)]
pub struct Evaluated {
    /// Records in input order.
    pub records: Vec<RecordRow>,
    /// Their atoms.
    pub atoms: Atoms,
    /// Their counts: one per family and record.
    pub counts: Vec<FamilyCount>,
    /// What their check numbers mean, where programs made some of them.
    pub checks: Option<Arc<Checks>>,
    /// Of a protocol that has others than numbers, per record: precision and recall of each
    /// field, then whether all is right. NaN where there is none.
    pub by_field: Vec<f64>,
    /// Their dimensions: one per dimension and record, NaN for what is undefined.
    pub dimensions: Vec<f64>,
}

impl Evaluated {
    /// Keeps what became of each field.
    fn push_fields(&mut self, fields: usize, compared: Option<&Compared>) {
        let of = |field: usize| compared.map(|compared| compared.fields[field]);
        for field in 0..fields {
            self.by_field
                .push(of(field).map_or(f64::NAN, |field| field.precision()));
            self.by_field
                .push(of(field).map_or(f64::NAN, |field| field.recall()));
        }
        let right = compared.and_then(Compared::wholly_right);
        let right = right.map_or(f64::NAN, |right| f64::from(u8::from(right)));
        self.by_field.push(right);
    }

    /// A record's counts per family.
    pub fn counts_of(&self, record: usize, families: usize) -> &[FamilyCount] {
        &self.counts[record * families..(record + 1) * families]
    }

    /// A record's dimensions.
    pub fn dimensions_of(&self, record: usize, dimensions: usize) -> &[f64] {
        &self.dimensions[record * dimensions..(record + 1) * dimensions]
    }

    /// A record as a view for rendering.
    pub fn view<'a>(
        &'a self,
        index: usize,
        protocol: &Protocol,
        samples: &'a Samples,
        batch: &'a Batch,
        file: &'a str,
    ) -> RecordView<'a> {
        let row = &self.records[index];
        let atoms = row.atoms_at as usize..(row.atoms_at + row.atoms) as usize;
        let width = protocol.fields.len() * protocol.tasks[row.task as usize].horizon;
        RecordView {
            sample_id: &samples.get(row.sample).id,
            model_name: &batch.models[row.batch_model as usize],
            task: row.task as usize,
            input_file: file,
            input_line: row.line,
            epoch: batch.epoch(row.beside),
            cluster: batch
                .cluster(row.beside)
                .or_else(|| samples.cluster(row.sample)),
            usage: batch.beside_of(row.beside).map(|beside| beside.usage),
            outcome: row.outcome,
            present: row.present,
            values: &batch.values[row.values_at..row.values_at + width],
            atoms: self.atoms.of_record(atoms),
            counts: self.counts_of(index, protocol.families.len()),
            adjudication: row.adjudication,
            scores: &row.scores,
            dimensions: self.dimensions_of(index, protocol.dimensions.len()),
        }
    }
}

/// Evaluates batches. Holds scratch memory: one per thread.
pub struct Evaluator<'p> {
    protocol: &'p Protocol,
    checks: &'p Checks,
    samples: &'p Samples,
    verifier: Verifier<'p>,
    side_by_side: SideBySide<'p>,
    required: u32,
}

impl<'p> Evaluator<'p> {
    /// An evaluator.
    pub fn new(protocol: &'p Protocol, checks: &'p Checks, samples: &'p Samples) -> Self {
        Evaluator {
            protocol,
            checks,
            samples,
            verifier: Verifier::new(protocol, checks),
            side_by_side: SideBySide::new(protocol, checks, samples),
            required: protocol.required_fields() as u32,
        }
    }

    /// Evaluates the accepted outputs of a batch.
    pub fn evaluate(&mut self, batch: &Batch, carried: &Carried) -> Evaluated {
        let mut evaluated = Evaluated::default();
        let outputs = batch.outputs.len();
        evaluated.records.reserve(outputs);
        evaluated
            .counts
            .reserve(outputs * self.protocol.families.len());
        // Growing step by step would copy every atom about once more.
        let atoms = batch.outputs.iter().map(|output| {
            let layout = self.checks.layout_of(output.task as usize);
            layout.usual_atoms(self.protocol)
        });
        evaluated.atoms.reserve(atoms.sum());
        for start in (0..outputs).step_by(LANES) {
            let together = start..outputs.min(start + LANES);
            self.side_by_side.look(batch, carried, together.clone());
            for (lane, index) in together.enumerate() {
                if carried.accepted[index] {
                    self.evaluate_one(batch, carried, (index, lane), &mut evaluated);
                }
            }
        }
        evaluated
    }

    fn evaluate_one(
        &mut self,
        batch: &Batch,
        carried: &Carried,
        (index, lane): (usize, usize),
        evaluated: &mut Evaluated,
    ) {
        let output = &batch.outputs[index];
        let fields = self.protocol.fields.len();
        let task = &self.protocol.tasks[output.task as usize];
        let states = batch.states_of(index, fields);
        let answer = batch.known(output, fields * task.horizon);
        let sample = self.samples.get(output.sample);
        let gold = self.samples.gold(self.protocol, sample);
        let reading = Reading {
            outcome: output.outcome,
            states,
            values: answer.numbers,
            texts: batch.texts_of(index),
            references: &carried.references[index * fields..(index + 1) * fields],
            held: answer.values,
            gold,
            context: self.samples.current_state(self.protocol, sample),
            external: carried.external.of(index),
        };
        let atoms_at = evaluated.atoms.len();
        let (counts, errors) = match self.side_by_side.push(lane, &mut evaluated.atoms) {
            Some((counts, errors)) => (counts, Some(errors)),
            None => {
                let (task, atoms) = (output.task as usize, &mut evaluated.atoms);
                let beside = &self.side_by_side;
                let known = |rule| beside.known(lane, rule);
                let counts = self.verifier.verify_with(task, &reading, atoms, known);
                (counts, beside.errors(lane))
            }
        };
        let evidence = Evidence {
            protocol: self.protocol,
            checks: self.checks,
            atoms: evaluated.atoms.of_record(atoms_at..evaluated.atoms.len()),
            counts,
        };
        let present = required_present(self.protocol, states);
        let gate = self.protocol.of_dimensions.and_then(|total| total.gate);
        let filtered = !output.outcome.succeeded() || present < self.required;
        let adjudication = match gate {
            None => evidence.adjudicate(),
            Some(_) if filtered => Adjudication::Ineligible,
            Some(_) => Adjudication::Eligible,
        };
        let flawless = counts.iter().all(|count| count.passed() == count.atoms);
        let reasons = match flawless {
            true => Vec::new(),
            false => evidence
                .attribute()
                .into_iter()
                .map(|reason| reason.rule as u32)
                .collect(),
        };
        let compared = match gold {
            Some(gold) if self.protocol.is_mixed() => {
                Some(compare(self.protocol, answer, gold, task.horizon))
            }
            _ => None,
        };
        let first = evaluated.dimensions.len();
        if !self.protocol.dimensions.is_empty() {
            let seen = Seen {
                checks: self.checks,
                atoms: evidence.atoms,
                states,
                values: answer.numbers,
                gold: gold.map(|gold| gold.numbers),
                horizon: task.horizon,
            };
            let filtered = gate.is_some() && filtered;
            dimensions::score(self.protocol, &seen, filtered, &mut evaluated.dimensions);
        }
        let scores = score(
            self.protocol,
            &Scored {
                adjudication,
                present,
                required: self.required,
                counts,
                answer,
                gold,
                errors,
                compared: compared.as_ref(),
                horizon: task.horizon,
                dimensions: &evaluated.dimensions[first..],
            },
        );
        evaluated.counts.extend_from_slice(counts);
        if self.protocol.is_mixed() {
            evaluated.push_fields(fields, compared.as_ref());
        }
        evaluated.records.push(RecordRow {
            model: carried.models[output.model as usize],
            batch_model: output.model,
            sample: output.sample,
            task: output.task,
            line: output.line,
            place: output.place,
            beside: output.beside,
            outcome: output.outcome,
            present,
            adjudication,
            scores,
            reasons,
            atoms_at: atoms_at as u32,
            atoms: (evaluated.atoms.len() - atoms_at) as u32,
            values_at: output.values_at,
        });
    }
}

/// Required keys that are there, whatever they hold.
fn required_present(protocol: &Protocol, states: &[FieldState]) -> u32 {
    let there = |(field, state): (usize, &FieldState)| {
        *state != FieldState::Missing && protocol.fields[field].required
    };
    states
        .iter()
        .enumerate()
        .filter(|entry| there(*entry))
        .count() as u32
}
