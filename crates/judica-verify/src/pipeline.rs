//! The parallel heart: chunks of outputs are read, verified and encoded on all
//! threads; what depends on order happens at three gates.
//!
//! ```text
//! chunk ─ read lines, parse responses ─┤carry├─ verify, score ─┤groups├─ encode ─┤sink├─ files
//!          (parallel)                 in order   (parallel)  in order (parallel) in order
//! ```
//!
//! Chunks are cut by bytes, never by time, so the result does not depend on how many
//! threads there are or which was faster. Row groups have a fixed number of records, so that
//! it does not depend on where chunks end either: a thread encodes what its chunk makes full.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use judica_data::chunks::{Chunk, ChunkReader};
use judica_data::ordered::{self, Workers};
use judica_data::parquet::Encoder;
use judica_data::rejects::Reject;
use judica_data::work_error::WorkError;
use judica_run::layout::head;
use judica_run::pieces::Part;
use judica_run::writer::Groups;

use crate::carry::Carry;
use crate::checks::Checks;
use crate::columns::write::{RecordWriter, RowGroups, Tables};
use crate::evaluate::{Evaluated, Evaluator};
use crate::external::Programs;
use crate::line::Refusal;
use crate::outputs::{Batch, OutputContext, OutputReader, Refused};
use crate::render::Renderer;
use crate::summary::state::SummaryState;
use crate::summary::unverified::Unverified;

/// What one chunk became, on its way to the sink.
pub struct ChunkResult {
    /// The number of its file.
    pub file: usize,
    /// Output lines in the chunk.
    pub inputs: u64,
    /// Its records.
    pub evaluated: Evaluated,
    /// The clusters that they were given.
    pub clusters: StringArray,
    /// Its refused lines.
    pub rejects: Vec<Reject>,
    /// Counts of its records.
    pub state: SummaryState,
    /// Its records as JSON lines, if wanted.
    pub lines: Option<Vec<u8>>,
}

/// Takes results in input order.
pub trait Sink: Send {
    /// Takes the result of the next chunk. What it leaves of it is used again: the
    /// memory for JSON lines is large, and asking the system for it anew is not free.
    fn take(&mut self, result: &mut ChunkResult) -> Result<(), WorkError>;

    /// Takes the next row groups.
    fn put(&mut self, groups: RowGroups) -> Result<(), WorkError>;
}

/// What the threads share.
pub struct Shared<'p> {
    /// Protocol, samples, defaults.
    pub context: OutputContext<'p>,
    /// The numbered checks.
    pub checks: &'p Checks,
    /// Names of the input files, by number.
    pub files: &'p [String],
    /// The tables that records go to.
    pub tables: &'p Tables,
    /// The renderer, if records go to JSON lines.
    pub renderer: Option<&'p Renderer>,
    /// Whether the first refused line ends the run.
    pub strict: bool,
    /// The part of the outputs that counts, if not all do.
    pub part: Option<Part>,
    /// The programs that check outputs, if there are any.
    pub programs: Option<&'p Programs<'p>>,
    /// Told how many bytes have been read.
    pub read: &'p (dyn Fn(u64) + Sync),
    /// Set from outside to stop the run.
    pub interrupted: &'p AtomicBool,
}

/// Runs all chunks of `reader` through; returns the models in order of appearance.
pub fn run<S: Sink>(
    shared: &Shared,
    reader: &mut ChunkReader,
    sink: &mut S,
    threads: usize,
) -> Result<Vec<Box<str>>, WorkError> {
    let workers = Workers {
        threads,
        interrupted: shared.interrupted,
    };
    let next = |done: Option<Chunk>| {
        if let Some(done) = done {
            reader.recycle(done);
        }
        let chunk = reader.next_chunk()?;
        (shared.read)(reader.raw_bytes());
        Ok(chunk)
    };
    let gates = (
        Carry::new(shared.context.protocol, shared.context.samples, shared.part),
        Groups::new(&shared.tables.layout),
        sink,
    );
    let (carry, mut groups, sink) = ordered::run_three(
        workers,
        next,
        gates,
        || Worker::new(shared),
        |worker, chunk, way| {
            let mut batch = worker.reader.read(chunk);
            let (mut carried, way) = way.pass(|carry| Ok(carry.pass(&mut batch)))?;
            let accepted = carried.accepted.iter().filter(|accepted| **accepted);
            let inputs = (accepted.count() + batch.refused.len()) as u64;
            if shared.strict
                && let Some(first) = batch.refused.first()
            {
                let file = &shared.files[chunk.file];
                return Err(refused(file, first.line, first.refusal.clone()).into());
            }
            let evaluated = match shared.programs {
                None => worker.evaluator.evaluate(&batch, &carried),
                Some(programs) => {
                    let (protocol, samples) = (shared.context.protocol, shared.context.samples);
                    let said = programs.ask(shared.checks, samples, chunk, &batch, &carried);
                    let (external, checks) = said?;
                    carried.external = external;
                    let mut evaluator = Evaluator::new(protocol, &checks, samples);
                    Evaluated {
                        checks: Some(Arc::clone(&checks)),
                        ..evaluator.evaluate(&batch, &carried)
                    }
                }
            };
            let (mut result, records) = worker.finish(shared, chunk, batch, evaluated, inputs)?;
            let (full, way) = way.pass(|groups| Ok(groups.push(records)))?;
            let encode =
                |group: &Vec<_>| RowGroups::encode(shared.tables, &mut worker.encoder, group);
            let encoded: Vec<RowGroups> = full
                .iter()
                .map(encode)
                .collect::<Result<_, _>>()
                .map_err(WorkError::from)?;
            let hand_over = move |sink: &mut &mut S, result: &mut ChunkResult| {
                encoded.into_iter().try_for_each(|group| sink.put(group))?;
                sink.take(result)
            };
            if shared.renderer.is_none() {
                return way.leave(move |sink| hand_over(sink, &mut result));
            }
            // The memory for JSON lines is wanted back.
            let passed = way.pass(|sink| hand_over(sink, &mut result))?;
            worker.lines = result.lines.unwrap_or_default();
            Ok(passed)
        },
    )?;
    let rest = RowGroups::encode(shared.tables, &mut Encoder::new(), &groups.rest())?;
    sink.put(rest)?;
    Ok(carry.models)
}

/// What each thread has for itself.
struct Worker<'p> {
    reader: OutputReader<'p>,
    evaluator: Evaluator<'p>,
    writer: RecordWriter<'p>,
    encoder: Encoder,
    lines: Vec<u8>,
}

impl<'p> Worker<'p> {
    fn new(shared: &Shared<'p>) -> Result<Self, WorkError> {
        let OutputContext {
            protocol, samples, ..
        } = shared.context;
        Ok(Worker {
            reader: OutputReader::new(shared.context),
            evaluator: Evaluator::new(protocol, shared.checks, samples),
            writer: RecordWriter::new(
                protocol,
                shared.checks,
                samples,
                shared.files,
                &shared.tables.layout,
            ),
            encoder: Encoder::new(),
            lines: Vec::new(),
        })
    }

    fn finish(
        &mut self,
        shared: &Shared,
        chunk: &Chunk,
        batch: Batch,
        mut evaluated: Evaluated,
        inputs: u64,
    ) -> Result<(ChunkResult, RecordBatch), WorkError> {
        let OutputContext {
            protocol, samples, ..
        } = shared.context;
        // Programs make checks that only this chunk has.
        let extended = evaluated.checks.clone();
        let checks = extended.as_deref().unwrap_or(shared.checks);
        let lines = shared.renderer.map(|renderer| {
            let own = extended.as_ref().map(|checks| renderer.with_checks(checks));
            let renderer = own.as_ref().unwrap_or(renderer);
            let mut lines = std::mem::take(&mut self.lines);
            lines.clear();
            for index in 0..evaluated.records.len() {
                let file = &shared.files[chunk.file];
                let view = evaluated.view(index, protocol, samples, &batch, file);
                renderer.write(&view, &mut lines);
                lines.push(b'\n');
            }
            lines
        });
        let layout = &shared.tables.layout;
        let own = extended
            .as_ref()
            .map(|checks| RecordWriter::new(protocol, checks, samples, shared.files, layout));
        let writer = own.as_ref().unwrap_or(&self.writer);
        let records = writer.columns(&batch, &mut evaluated, chunk)?;
        let mut state = SummaryState::of(protocol, checks, &evaluated);
        if !protocol.verifiers.is_empty() {
            state.unverified = Unverified::among(&records)?;
        }
        let result = ChunkResult {
            file: chunk.file,
            inputs,
            state,
            rejects: batch
                .refused
                .into_iter()
                .map(|refused| reject(chunk, &shared.files[chunk.file], refused))
                .collect(),
            evaluated,
            clusters: clusters(&records),
            lines,
        };
        Ok((result, records))
    }
}

/// The clusters that records were given.
fn clusters(records: &RecordBatch) -> StringArray {
    let column = records.column_by_name(head::CLUSTER);
    let clusters = column.and_then(|column| column.as_string_opt());
    clusters
        .cloned()
        .unwrap_or_else(|| StringArray::new_null(records.num_rows()))
}

/// A line that was not taken, where that ends the run.
pub(crate) fn refused(file: &str, line: u64, refusal: Refusal) -> WorkError {
    WorkError::Refused {
        file: file.to_owned(),
        line,
        reason: refusal.reason,
        detail: refusal.detail,
    }
}

pub(crate) fn reject(chunk: &Chunk, file: &str, refused: Refused) -> Reject {
    let place = refused.start..refused.start + refused.length;
    Reject {
        file: file.to_owned(),
        line: refused.line,
        byte_offset: chunk.place(place.clone()).map_or(0, |(offset, _)| offset),
        reason: refused.refusal.reason.into(),
        detail: refused.refusal.detail,
        raw: chunk.raw(place),
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;
