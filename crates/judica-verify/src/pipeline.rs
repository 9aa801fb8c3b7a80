//! The parallel heart: chunks of outputs are read, verified and encoded on all
//! threads; what depends on order happens at two gates.
//!
//! ```text
//! chunk ─ read lines, parse responses ─┤carry├─ verify, score, encode ─┤sink├─ files
//!          (parallel)                 in order       (parallel)       in order
//! ```
//!
//! Chunks are cut by bytes, never by time, so the result does not depend on how many
//! threads there are or which was faster.

use std::sync::atomic::AtomicBool;

use judica_data::chunks::{Chunk, ChunkReader};
use judica_data::ordered::{self, Workers};
use judica_data::parquet::{CompiledSpec, EncodedRowGroup};
use judica_data::rejects::Reject;

use crate::agent::EvaluatorAgent;
use crate::carry::Carry;
use crate::checks::Checks;
use crate::error::EvalError;
use crate::evaluate::{Evaluated, Evaluator};
use crate::outputs::{Batch, OutputContext, OutputReader, Refused};
use crate::render::Renderer;
use crate::sheet::write::SheetWriter;
use crate::summary::state::SummaryState;

/// What one chunk became, on its way to the sink.
pub struct ChunkResult {
    /// The number of its file.
    pub file: usize,
    /// Output lines in the chunk.
    pub inputs: u64,
    /// Its records.
    pub evaluated: Evaluated,
    /// Its refused lines.
    pub rejects: Vec<Reject>,
    /// Counts of its records.
    pub state: SummaryState,
    /// Its records as a row group, if wanted.
    pub row_group: Option<EncodedRowGroup>,
    /// Its records as JSON lines, if wanted.
    pub lines: Option<Vec<u8>>,
}

/// Takes results in input order.
pub trait Sink: Send {
    /// Takes the result of the next chunk. What it leaves of it is used again: the
    /// memory for JSON lines is large, and asking the system for it anew is not free.
    fn take(&mut self, result: &mut ChunkResult) -> Result<(), EvalError>;
}

/// What the threads share.
pub struct Shared<'p> {
    /// Protocol, samples, defaults.
    pub context: OutputContext<'p>,
    /// The numbered checks.
    pub checks: &'p Checks,
    /// The agent.
    pub agent: &'p dyn EvaluatorAgent,
    /// Names of the input files, by number.
    pub files: &'p [String],
    /// The table, if records go to Parquet.
    pub table: Option<&'p CompiledSpec>,
    /// The renderer, if records go to JSON lines.
    pub renderer: Option<&'p Renderer<'p>>,
    /// Whether the first refused line ends the run.
    pub strict: bool,
    /// Set from outside to stop the run.
    pub interrupted: &'p AtomicBool,
}

/// Runs all chunks of `reader` through; returns the models in order of appearance.
pub fn run<S: Sink>(
    shared: &Shared,
    reader: &mut ChunkReader,
    sink: &mut S,
    threads: usize,
) -> Result<Vec<Box<str>>, EvalError> {
    let workers = Workers {
        threads,
        interrupted: shared.interrupted,
    };
    let next = |done: Option<Chunk>| {
        if let Some(done) = done {
            reader.recycle(done);
        }
        Ok(reader.next_chunk()?)
    };
    let (carry, _) = ordered::run_both(
        workers,
        next,
        Carry::new(shared.context.protocol, shared.context.samples),
        sink,
        || Worker::new(shared),
        |worker, chunk, way| {
            let mut batch = worker.reader.read(chunk);
            let inputs = (batch.outputs.len() + batch.refused.len()) as u64;
            let (carried, way) = way.pass(|carry| Ok(carry.pass(&mut batch)))?;
            if shared.strict
                && let Some(first) = batch.refused.first()
            {
                let error = EvalError::Refused {
                    file: shared.files[chunk.file].clone(),
                    line: first.line,
                    refusal: first.refusal.clone(),
                };
                return Err(error.into());
            }
            let evaluated = worker.evaluator.evaluate(&batch, &carried);
            let mut result = worker.finish(shared, chunk, batch, evaluated, inputs)?;
            let passed = way.pass(|sink| sink.take(&mut result))?;
            worker.lines = result.lines.unwrap_or_default();
            Ok(passed)
        },
    )?;
    Ok(carry.models)
}

/// What each thread has for itself.
struct Worker<'p> {
    reader: OutputReader<'p>,
    evaluator: Evaluator<'p>,
    sheet: Option<SheetWriter<'p>>,
    lines: Vec<u8>,
}

impl<'p> Worker<'p> {
    fn new(shared: &Shared<'p>) -> Result<Self, EvalError> {
        let OutputContext {
            protocol, samples, ..
        } = shared.context;
        let sheet = match shared.table {
            Some(table) => Some(SheetWriter::new(
                protocol,
                shared.checks,
                table,
                shared.files.to_vec(),
            )?),
            None => None,
        };
        Ok(Worker {
            reader: OutputReader::new(shared.context),
            evaluator: Evaluator::new(protocol, shared.checks, samples, shared.agent),
            sheet,
            lines: Vec::new(),
        })
    }

    fn finish(
        &mut self,
        shared: &Shared,
        chunk: &Chunk,
        batch: Batch,
        evaluated: Evaluated,
        inputs: u64,
    ) -> Result<ChunkResult, EvalError> {
        let OutputContext {
            protocol, samples, ..
        } = shared.context;
        let row_group = match &mut self.sheet {
            Some(sheet) => Some(sheet.encode(
                &batch.models,
                |sample| &samples.get(sample).id,
                &evaluated,
                chunk.file,
            )?),
            None => None,
        };
        let lines = shared.renderer.map(|renderer| {
            let mut lines = std::mem::take(&mut self.lines);
            lines.clear();
            for index in 0..evaluated.records.len() {
                renderer.write(
                    &evaluated.view(index, protocol, samples, &batch),
                    &mut lines,
                );
                lines.push(b'\n');
            }
            lines
        });
        Ok(ChunkResult {
            file: chunk.file,
            inputs,
            state: SummaryState::of(protocol, shared.checks, &evaluated),
            rejects: batch
                .refused
                .into_iter()
                .map(|refused| reject(chunk, &shared.files[chunk.file], refused))
                .collect(),
            evaluated,
            row_group,
            lines,
        })
    }
}

fn reject(chunk: &Chunk, file: &str, refused: Refused) -> Reject {
    Reject {
        file: file.to_owned(),
        line: refused.line,
        byte_offset: chunk.base_offset + refused.start as u64,
        reason: refused.refusal.reason.into(),
        detail: refused.refusal.detail,
        raw: chunk.raw(refused.start..refused.start + refused.length),
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;
