//! What depends on earlier outputs, carried from chunk to chunk in input order: which
//! models there are, which repeat of which sample a model has answered, and the last valid
//! values that the jump check compares with. Every repeat is a series of its own.
//!
//! This is the only part of the evaluation that is not parallel. It is kept to a few
//! dozen nanoseconds per output.

use judica_data::fingerprint::fingerprint;
use judica_run::pieces::Part;
use rustc_hash::FxHashMap;

use crate::external::External;
use crate::line::Refusal;
use crate::outputs::{Batch, Refused};
use crate::protocol::{JumpReference, Protocol, Shape};
use crate::response::FieldState;
use crate::samples::Samples;

/// What the chunks so far have left.
pub struct Carry<'p> {
    protocol: &'p Protocol,
    samples: &'p Samples,
    /// The part of the outputs that counts, if not all do.
    part: Option<Part>,
    /// Whether the outputs of a (model, task) belong to it.
    ours: FxHashMap<(u32, u32), bool>,
    /// Models in order of first appearance.
    pub models: Vec<Box<str>>,
    model_by_name: FxHashMap<Box<str>, u32>,
    /// Samples that each model has answered for the first time.
    answered: Vec<PagedBits>,
    /// Samples answered again, by (model, epoch).
    repeated: FxHashMap<(u32, i32), PagedBits>,
    /// Last valid values by (model, task, epoch): one row of fields each, NaN before the first.
    last_values: FxHashMap<(u32, u32, i32), Vec<f64>>,
}

/// What the carry says about a chunk.
#[derive(Debug, Default)]
pub struct Carried {
    /// The run-wide number of each model of the chunk.
    pub models: Vec<u32>,
    /// Whether each output of the batch is the first for its (model, sample, epoch).
    pub accepted: Vec<bool>,
    /// For each output, one value per field to measure the jump from; NaN for none.
    /// Only scalar tasks have any.
    pub references: Vec<f64>,
    /// What programs say of the outputs, where the protocol has such.
    pub external: External,
}

impl<'p> Carry<'p> {
    /// Nothing seen yet.
    pub fn new(protocol: &'p Protocol, samples: &'p Samples, part: Option<Part>) -> Self {
        Carry {
            protocol,
            samples,
            part,
            ours: FxHashMap::default(),
            models: Vec::new(),
            model_by_name: FxHashMap::default(),
            answered: Vec::new(),
            repeated: FxHashMap::default(),
            last_values: FxHashMap::default(),
        }
    }

    /// Passes a chunk through. Chunks must come in input order.
    pub fn pass(&mut self, batch: &mut Batch) -> Carried {
        let fields = self.protocol.fields.len();
        let models: Vec<u32> = batch.models.iter().map(|name| self.model(name)).collect();
        if self.part.is_some_and(|part| !part.is_first()) {
            batch.refused.clear();
        }
        let mut carried = Carried {
            models,
            accepted: Vec::with_capacity(batch.outputs.len()),
            references: vec![f64::NAN; batch.outputs.len() * fields],
            external: External::default(),
        };
        for (index, output) in batch.outputs.iter().enumerate() {
            let model = carried.models[output.model as usize];
            if !self.is_ours(model, output.task) {
                carried.accepted.push(false);
                continue;
            }
            let epoch = batch.epoch(output.beside);
            let answered = match epoch {
                1 => &mut self.answered[model as usize],
                _ => self.repeated.entry((model, epoch)).or_default(),
            };
            let first = answered.insert(output.sample);
            carried.accepted.push(first);
            if !first {
                let sample = self.samples.get(output.sample);
                let mut detail = format!(
                    "a second output of model `{}` for sample `{}`",
                    self.models[model as usize], sample.id
                );
                if epoch != 1 {
                    detail.push_str(&format!(" in epoch {epoch}"));
                }
                let refusal = Refusal::new("duplicate_output", detail);
                batch.refused.push(Refused {
                    start: output.place.start,
                    length: output.place.length,
                    line: output.line,
                    refusal,
                });
                continue;
            }
            if self.protocol.tasks[output.task as usize].shape == Shape::Array {
                continue;
            }
            let references = &mut carried.references[index * fields..(index + 1) * fields];
            match self.protocol.jump_reference {
                JumpReference::CurrentState => {
                    if let Some(state) = self
                        .samples
                        .current_state(self.protocol, self.samples.get(output.sample))
                    {
                        references.copy_from_slice(state.numbers);
                    }
                }
                JumpReference::PreviousOutput => {
                    let last = self
                        .last_values
                        .entry((model, output.task, epoch))
                        .or_insert_with(|| vec![f64::NAN; fields]);
                    references.copy_from_slice(last);
                    let values = &batch.values[output.values_at..output.values_at + fields];
                    let states = &batch.states[index * fields..(index + 1) * fields];
                    for ((last, value), state) in last.iter_mut().zip(values).zip(states) {
                        if *state == FieldState::Valid {
                            *last = *value;
                        }
                    }
                }
            }
        }
        // Duplicates were found after the other refusals; rejects go by line.
        batch.refused.sort_by_key(|refused| refused.start);
        carried
    }

    /// Whether the outputs of a model for a task belong to the part: all or none.
    fn is_ours(&mut self, model: u32, task: u32) -> bool {
        let Some(part) = self.part else {
            return true;
        };
        *self.ours.entry((model, task)).or_insert_with(|| {
            let (model, task) = (&self.models[model as usize], task as usize);
            part.holds(series(model, &self.protocol.tasks[task].name))
        })
    }

    fn model(&mut self, name: &str) -> u32 {
        if let Some(model) = self.model_by_name.get(name) {
            return *model;
        }
        let model = self.models.len() as u32;
        self.models.push(name.into());
        self.model_by_name.insert(name.into(), model);
        self.answered.push(PagedBits::default());
        model
    }
}

/// What stands for all outputs of a model for a task: what one of them is can hang on those
/// before it, so they stay together.
pub fn series(model: &str, task: &str) -> u64 {
    fingerprint(&[model.as_bytes(), &[0xff], task.as_bytes()].concat())
}

/// A set of numbers that costs memory only where it has members.
#[derive(Debug, Default)]
struct PagedBits {
    pages: Vec<Option<Box<[u64; 64]>>>,
}

impl PagedBits {
    /// Adds a number; false if it was there already.
    fn insert(&mut self, number: u32) -> bool {
        let (page, bit) = ((number >> 12) as usize, number & 0xfff);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let words = self.pages[page].get_or_insert_with(|| Box::new([0; 64]));
        let word = &mut words[(bit >> 6) as usize];
        let mask = 1 << (bit & 63);
        let new = *word & mask == 0;
        *word |= mask;
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paged_bits_remember_each_number_once() {
        let mut bits = PagedBits::default();
        for number in [0, 63, 64, 4095, 4096, 1_000_000] {
            assert!(bits.insert(number), "{number}");
            assert!(!bits.insert(number), "{number}");
        }
    }
}

#[cfg(test)]
#[path = "carry_tests.rs"]
mod carry_tests;
