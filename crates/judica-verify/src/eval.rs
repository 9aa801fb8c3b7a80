//! `judica eval`: samples and outputs in, a run folder out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use judica_data::chunks::{ChunkReader, Cut, Rows};
use judica_data::ordered::Workers;
use judica_data::rejects::Reject;
use judica_data::sha256::sha256_hex;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;
use judica_model::record::{ReproducibilityInfo, Trace};
use judica_run::manifest::{InputEntry, Manifest};
use judica_run::pieces::{Copied, Part, Piece, all_different};
use judica_run::writer::{PieceEnd, RunSpec, RunWriter};

use crate::agent::{LLM, RULE_BASED};
use crate::checks::Checks;
use crate::columns::write::Tables;
use crate::columns::{layout, metrics};
use crate::ending::{self, Made, Whole, calibrate_command};
use crate::external::{Programs, check_allowed};
use crate::fields::{Places, output_tables, sample_tables};
use crate::gold::{GoldAudit, GoldReport};
use crate::options::{
    CommandTrace, Options, OutputPlace, PROTOCOL, ProtocolEntry, Recorded, RunTrace, role,
};
use crate::outputs::{OfFile, OutputContext};
use crate::pipeline::{Shared, refused, run};
use crate::priors::read_priors;
use crate::protocol::Protocol;
use crate::render::Renderer;
use crate::review::{ReviewOptions, TEMPERATURE};
use crate::samples::{OfProtocol, SampleLoader, Samples};
use crate::sink::FileSink;
use crate::summary::build::Parts;
use crate::summary::report::Summary;

/// Bytes of input per chunk: small enough to keep memory and waiting low.
const CHUNK_BYTES: usize = 4 << 20;
/// Records as JSON are some 25 times their input, so their chunks are smaller.
const CHUNK_BYTES_JSONL: usize = 768 << 10;
/// Bytes of samples per chunk.
pub const SAMPLE_CHUNK_BYTES: usize = 1 << 20;

/// What to evaluate.
#[derive(Debug, Clone)]
pub struct EvalRequest {
    /// The protocol.
    pub protocol: Protocol,
    /// The protocol as it was named on the command line.
    pub protocol_given: String,
    /// Sample files.
    pub samples: Vec<InputFile>,
    /// Output files.
    pub outputs: Vec<InputFile>,
    /// Confidence priors.
    pub confidence: Option<InputFile>,
    /// The run folder.
    pub out: PathBuf,
    /// Options that shape the result.
    pub options: Options,
    /// Whether commands of the protocol may be run. No run remembers that.
    pub allow_commands: bool,
    /// Threads; the result does not depend on it.
    pub threads: usize,
    /// When the run is made, for the manifest.
    pub created_at: String,
}

/// An input: where it is, and what it is called in everything that is written. The two
/// differ when a run is reproduced from files that have moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is called.
    pub name: String,
    /// Of outputs, the task of lines that name none, where their place says so.
    pub task: Option<String>,
    /// Of outputs, the model of lines that name none, where their place says so.
    pub model: Option<String>,
}

impl InputFile {
    /// An input called by its path.
    pub fn new(path: &Path) -> Self {
        InputFile {
            path: path.to_owned(),
            name: path.to_string_lossy().into_owned(),
            task: None,
            model: None,
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Records made.
    pub records: u64,
    /// Lines refused.
    pub rejects: u64,
}

/// How a run speaks with whoever started it.
pub struct Hooks<'a> {
    /// Called after every chunk.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told how many bytes of the outputs have been read from the disk.
    pub read: &'a (dyn Fn(u64) + Sync),
    /// Set to stop the run.
    pub interrupted: &'a AtomicBool,
}

/// A finished run.
#[derive(Debug)]
pub struct EvalOutcome {
    /// The manifest, as written.
    pub manifest: Manifest,
    /// The summary, as written.
    pub summary: Summary,
    /// What is to be said about inputs of which nothing could be used.
    pub unused: Vec<String>,
}

/// Evaluates, and writes the run folder. What a reviewer has to say about finished records is
/// not asked for here: see [`crate::review::review_run`].
pub fn evaluate(request: &EvalRequest, hooks: &Hooks) -> Result<EvalOutcome, WorkError> {
    let protocol = &request.protocol;
    let Gathered {
        mut sink,
        samples,
        models,
        whole,
        inputs,
        trace,
        mut unused,
    } = gather(request, hooks, None, None)?;
    unused.extend(sink.check_outputs(&request.outputs)?);
    let (state, scores) = (std::mem::take(&mut sink.state), sink.take_scores());
    let counts = sink.counts.clone();
    let (mut writer, rejects) = sink.finish()?;
    writer.add(PROTOCOL, "protocol", protocol.source.as_bytes(), true)?;
    let sample_files = request.samples.iter().map(|file| &*file.name);
    let task = request.options.task.as_deref();
    let made = Made {
        inputs,
        rejects,
        trace: Some(trace),
        parts: &Parts {
            protocol,
            items: &OfProtocol {
                protocol,
                samples: &samples,
            },
            models: models.iter().map(|name| &**name).collect(),
            state: &state,
            scores: &scores,
            counts: whole.counts(&counts),
            gold: whole.gold.clone(),
            calibrate: &calibrate_command(&request.protocol_given, sample_files, task),
            priors: &whole.priors,
            threads: request.threads,
        },
        counts,
    };
    let (manifest, summary) = ending::end(writer, made)?;
    Ok(EvalOutcome {
        manifest,
        summary,
        unused,
    })
}

/// Evaluates a part of the outputs by the rules: those that are dealt to it, else those whose
/// model and task belong to it, and of the first part what belongs to none. All parts go to the
/// same folder, of which [`judica_run::finish::finish`] makes the run.
pub fn evaluate_part(
    request: &EvalRequest,
    part: Part,
    dealt: Option<Cut>,
    hooks: &Hooks,
) -> Result<(Piece, Vec<String>), WorkError> {
    all_different(request.outputs.iter().map(|file| &*file.name))?;
    let gathered = gather(request, hooks, Some(part), dealt)?;
    let protocol = Copied {
        kind: "protocol".to_owned(),
        text: request.protocol.source.clone(),
    };
    let counts = gathered.sink.counts.clone();
    let (writer, rejects, sample_rejects) = gathered.sink.finish_part()?;
    let end = PieceEnd {
        inputs: gathered.inputs,
        counts,
        whole: value(&gathered.whole),
        cut: serde_json::Value::Null,
        copied: BTreeMap::from([(PROTOCOL.to_owned(), protocol)]),
        rejects: [Some(rejects), sample_rejects]
            .into_iter()
            .flatten()
            .collect(),
        trace: Some(gathered.trace),
    };
    Ok((writer.finish_piece(part, end)?, gathered.unused))
}

/// What is known once all outputs are read.
struct Gathered<'a> {
    sink: FileSink<'a>,
    samples: Samples,
    models: Vec<Box<str>>,
    whole: Whole,
    inputs: Vec<InputEntry>,
    trace: serde_json::Value,
    unused: Vec<String>,
}

/// Makes the records of all outputs, or of those of one part.
fn gather<'a>(
    request: &'a EvalRequest,
    hooks: &'a Hooks<'a>,
    part: Option<Part>,
    dealt: Option<Cut>,
) -> Result<Gathered<'a>, WorkError> {
    let protocol = &request.protocol;
    check_allowed(protocol, request.allow_commands)?;
    let programs = Programs::of(protocol, &request.protocol_given, hooks.interrupted)?;
    let checks = Arc::new(Checks::new(protocol)?);
    check_request(request)?;
    let of_files = of_files(request)?;
    let places = Places::new(&request.options.columns, protocol)?;
    let priors = read_priors(request.confidence.as_ref())?;
    // Inputs are looked for before anything is made.
    let sample_reader = sample_reader(request, &places)?;
    let chunk_bytes = if request.options.jsonl {
        CHUNK_BYTES_JSONL
    } else {
        CHUNK_BYTES
    };
    let mut reader = output_reader(request, &places, chunk_bytes)?;
    // What is dealt to a part is all of it; else it takes its own of all there is.
    let ours = part.filter(|_| dealt.is_none());
    let in_order = matches!(
        &dealt,
        Some(Cut {
            rows: Rows::Ranges(_),
            ..
        })
    );
    if let Some(cut) = dealt {
        reader = reader.with_cut(cut);
    }
    let spec = RunSpec {
        command: crate::family::FAMILY.command,
        options: value(&recorded(request)),
        metrics: metrics(protocol),
        created_at: request.created_at.clone(),
    };
    let columns = layout(protocol, &checks, request.options.run.keep_text);
    let writer = RunWriter::begin_as(&request.out, spec, columns, part)?;
    let tables = Tables::new(writer.layout())?;
    let mut sink = FileSink::new(writer, request, hooks, &tables, part, in_order)?;
    let workers = Workers {
        threads: request.threads,
        interrupted: hooks.interrupted,
    };
    let (samples, sample_digests, gold) =
        load_samples(request, &checks, sample_reader, workers, &mut sink)?;
    let unused = sink.check_samples(&request.samples, &samples)?;

    let trace = trace(
        protocol,
        request.options.review.as_ref(),
        request.options.timestamp.clone(),
    );
    let shared_protocol = Arc::new(protocol.clone());
    let renderer = request
        .options
        .jsonl
        .then(|| Renderer::new(&shared_protocol, &checks, &trace));
    let files: Vec<String> = request
        .outputs
        .iter()
        .map(|file| file.name.clone())
        .collect();
    let shared = Shared {
        context: OutputContext {
            protocol,
            samples: &samples,
            default_task: request.options.task.as_deref(),
            default_model: request.options.model.as_deref(),
            of_files: &of_files,
        },
        checks: &checks,
        files: &files,
        tables: &tables,
        renderer: renderer.as_ref(),
        strict: request.options.strict,
        part: ours,
        programs: programs.as_ref(),
        read: hooks.read,
        interrupted: hooks.interrupted,
    };
    let models = run(&shared, &mut reader, &mut sink, request.threads)?;
    reader.check_placed()?;
    let mut inputs: Vec<InputEntry> = sample_digests;
    inputs.extend(entries(role::OUTPUTS, &request.outputs, reader.digests()));
    inputs.extend(priors.digest);
    let programs = protocol.programs.iter();
    inputs.extend(programs.map(|file| InputEntry::new(role::VERIFIER, &file.name, &file.digest)));
    let whole = Whole {
        samples: samples.len() as u64,
        sample_rejects: std::mem::take(&mut sink.sample_rejects),
        gold,
        priors: priors.by_model,
    };
    Ok(Gathered {
        sink,
        samples,
        models,
        whole,
        inputs,
        trace: value(&RunTrace {
            record: trace,
            commands: command_trace(protocol),
            reviews: None,
        }),
        unused,
    })
}

/// A reader of the outputs.
pub(crate) fn output_reader(
    request: &EvalRequest,
    places: &Places,
    chunk_bytes: usize,
) -> Result<ChunkReader, WorkError> {
    let reader = ChunkReader::new(&paths(&request.outputs), chunk_bytes)?;
    let reader = reader.with_tables(&output_tables());
    Ok(reader.with_placed(&places.outputs))
}

/// A reader of the samples.
pub(crate) fn sample_reader(
    request: &EvalRequest,
    places: &Places,
) -> Result<ChunkReader, WorkError> {
    let reader = ChunkReader::new(&paths(&request.samples), SAMPLE_CHUNK_BYTES)?;
    let reader = reader.with_tables(&sample_tables());
    Ok(reader.with_placed(&places.samples))
}

/// The options as the manifest holds them.
fn recorded(request: &EvalRequest) -> Recorded {
    let placed = |file: &&InputFile| file.task.is_some() || file.model.is_some();
    let places = request.outputs.iter().filter(placed);
    Recorded {
        protocol: ProtocolEntry {
            name: request.protocol.name.clone(),
            given_as: request.protocol_given.clone(),
            sha256: sha256_hex(&request.protocol.source),
        },
        options: request.options.clone(),
        places: places
            .map(|file| OutputPlace {
                path: file.name.clone(),
                task: file.task.clone(),
                model: file.model.clone(),
            })
            .collect(),
    }
}

/// Text and numbers under names that are text: it always serialises.
fn value(of: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(of).unwrap_or_default()
}

fn check_request(request: &EvalRequest) -> Result<(), WorkError> {
    let stdin = request
        .samples
        .iter()
        .chain(&request.outputs)
        .filter(|file| file.path.as_os_str() == "-")
        .count();
    if stdin > 1 {
        return Err(WorkError::BadInput(
            "standard input (`-`) can be given only once".to_owned(),
        ));
    }
    if let Some(task) = &request.options.task
        && request.protocol.task_index(task).is_none()
    {
        let names = request.protocol.tasks.iter().map(|task| task.name.as_str());
        let help = judica_model::nearest::nearest(task, names.clone())
            .map(|near| format!("; did you mean `{near}`?"));
        let known: Vec<&str> = names.collect();
        return Err(WorkError::BadInput(format!(
            "--task {task}: the protocol's tasks are {}{}",
            known.join(", "),
            help.unwrap_or_default()
        )));
    }
    Ok(())
}

/// Everything needed to get the same records again.
pub fn trace(
    protocol: &Protocol,
    review: Option<&ReviewOptions>,
    timestamp: Option<String>,
) -> Trace {
    Trace {
        config_version: protocol.version.clone(),
        config_hash: protocol.hashes.config.clone(),
        schema_version: protocol.hashes.schema.clone(),
        constraint_lib_version: protocol.hashes.constraint_lib.clone(),
        evaluator_version: env!("CARGO_PKG_VERSION").to_owned(),
        timestamp,
        reproducibility_info: ReproducibilityInfo {
            agent: review.map_or(RULE_BASED, |_| LLM).to_owned(),
            model: review.map(|review| review.model.clone()),
            temperature: review.map(|_| TEMPERATURE),
            verifier_count: protocol.families.len() as u32,
            verifier_ids: protocol
                .families
                .iter()
                .map(|family| family.name.clone())
                .collect(),
        },
    }
}

/// What a run says of the commands that it ran.
fn command_trace(protocol: &Protocol) -> Option<CommandTrace> {
    (!protocol.verifiers.is_empty()).then(|| CommandTrace {
        commands: protocol.commands().collect(),
        note: "that the same inputs give the same records is up to these programs".to_owned(),
    })
}

/// What the places of output files say of their lines.
pub(crate) fn of_files(request: &EvalRequest) -> Result<Vec<OfFile<'_>>, WorkError> {
    let files = request.outputs.iter().map(|file| {
        let task = match &file.task {
            None => None,
            Some(task) => Some(request.protocol.task_index(task).ok_or_else(|| {
                WorkError::BadInput(format!("{}: the protocol has no task `{task}`", file.name))
            })? as u32),
        };
        let model = file.model.as_deref();
        Ok(OfFile { task, model })
    });
    files.collect()
}

fn load_samples(
    request: &EvalRequest,
    checks: &Checks,
    mut reader: ChunkReader,
    workers: Workers,
    sink: &mut FileSink,
) -> Result<(Samples, Vec<InputEntry>, GoldReport), WorkError> {
    let loader = SampleLoader::new(&request.protocol, request.options.task.as_deref())
        .keeping_text(request.options.run.keep_text);
    let mut audit = GoldAudit::new(&request.protocol, checks);
    let samples = loader.load(workers, &mut reader, &mut audit, |file, record, refusal| {
        let file = request.samples[file].name.clone();
        if request.options.strict {
            return Err(refused(&file, record.line, refusal));
        }
        sink.reject_sample(&Reject {
            file,
            line: record.line,
            byte_offset: record.offset,
            reason: refusal.reason.into(),
            detail: refusal.detail,
            raw: record.raw(),
        })
    })?;
    reader.check_placed()?;
    let digests = entries(role::SAMPLES, &request.samples, reader.digests()).collect();
    let (gold, _) = audit.finish();
    Ok((samples, digests, gold))
}

/// Where some inputs are.
pub fn paths(files: &[InputFile]) -> Vec<PathBuf> {
    files.iter().map(|file| file.path.clone()).collect()
}

fn entries<'a>(
    role: &'a str,
    files: &'a [InputFile],
    digests: &'a [InputDigest],
) -> impl Iterator<Item = InputEntry> + 'a {
    files
        .iter()
        .zip(digests)
        .map(move |(file, digest)| InputEntry::new(role, &file.name, digest))
}
