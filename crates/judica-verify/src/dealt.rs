//! Outputs that an engine deals out to many processes: those of one model and task stay
//! together.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use judica_data::chunks::{Chunk, ChunkReader, Cut, RawRecord};
use judica_data::ordered::Workers;
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use judica_run::dealt::{Dealt, Keys};
use judica_run::pieces::{Part, Piece};
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::carry::series;
use crate::checks::Checks;
use crate::eval::{
    EvalRequest, Hooks, evaluate_part, of_files, output_reader, paths, sample_reader,
};
use crate::external::check_allowed;
use crate::fields::{Places, output_tables};
use crate::gold::GoldAudit;
use crate::outputs::{Batch, OfFile, OutputContext, OutputReader};
use crate::samples::{SampleLoader, Samples};

/// An evaluation whose outputs are dealt out.
pub struct DealtOutputs {
    request: EvalRequest,
    places: Places,
    /// Read when it is first asked which outputs belong together.
    samples: std::sync::OnceLock<Samples>,
}

impl DealtOutputs {
    /// Prepares to deal out the outputs of a request.
    pub fn new(request: EvalRequest) -> Result<Self, WorkError> {
        check_allowed(&request.protocol, request.allow_commands)?;
        Ok(DealtOutputs {
            places: Places::new(&request.options.columns, &request.protocol)?,
            request,
            samples: std::sync::OnceLock::new(),
        })
    }

    fn samples(&self) -> Result<&Samples, WorkError> {
        if let Some(samples) = self.samples.get() {
            return Ok(samples);
        }
        let EvalRequest {
            protocol, options, ..
        } = &self.request;
        let checks = Checks::new(protocol)?;
        let mut audit = GoldAudit::new(protocol, &checks);
        let mut reader = sample_reader(&self.request, &self.places)?;
        let loader = SampleLoader::new(protocol, options.task.as_deref());
        // Each piece says what could not be used of them.
        let workers = Workers {
            threads: self.request.threads,
            interrupted: &AtomicBool::new(false),
        };
        let samples = loader.load(workers, &mut reader, &mut audit, |_, _, _| Ok(()))?;
        Ok(self.samples.get_or_init(|| samples))
    }
}

impl Dealt for DealtOutputs {
    fn paths(&self) -> Vec<PathBuf> {
        paths(&self.request.outputs)
    }

    fn tables(&self) -> Tables {
        output_tables()
    }

    fn reader(&self, target_bytes: usize) -> Result<ChunkReader, WorkError> {
        output_reader(&self.request, &self.places, target_bytes)
    }

    fn keys(&self) -> Result<Box<dyn Keys + '_>, WorkError> {
        let EvalRequest {
            protocol, options, ..
        } = &self.request;
        let context = OutputContext {
            protocol,
            samples: self.samples()?,
            default_task: options.task.as_deref(),
            default_model: options.model.as_deref(),
            of_files: &[],
        };
        Ok(Box::new(SeriesKeys {
            of_files: of_files(&self.request)?,
            reader: OutputReader::new(context),
            models: Batch::default(),
            keys: FxHashMap::default(),
        }))
    }

    fn piece(
        &self,
        part: Part,
        cut: Option<Cut>,
        _: Value,
        interrupted: &AtomicBool,
    ) -> Result<Piece, WorkError> {
        let hooks = Hooks {
            progress: &|_| (),
            read: &|_| (),
            interrupted,
        };
        evaluate_part(&self.request, part, cut, &hooks).map(|(piece, _)| piece)
    }
}

struct SeriesKeys<'p> {
    of_files: Vec<OfFile<'p>>,
    reader: OutputReader<'p>,
    models: Batch,
    /// Keys by model and task: there are few.
    keys: FxHashMap<(u32, u32), u64>,
}

impl Keys for SeriesKeys<'_> {
    fn of(&mut self, chunk: &Chunk, record: &RawRecord) -> [Option<u64>; 2] {
        let of_file = self.of_files[chunk.file];
        let Some((model, task)) = self.reader.series(of_file, record, &mut self.models) else {
            return [None; 2];
        };
        let models = &self.models.models;
        let tasks = &self.reader.protocol().tasks;
        let key = self.keys.entry((model, task));
        let key =
            key.or_insert_with(|| series(&models[model as usize], &tasks[task as usize].name));
        [Some(*key), None]
    }
}
