//! What the tests of several modules share: a flawless flight state, atoms spelled
//! out, and a small bench that evaluates lines as the pipeline does.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use judica_data::chunks::{Chunk, ChunkReader};
use judica_model::evidence::Severity;
use judica_model::record::Trace;
use serde_json::{Map, Value, json};

use crate::carry::{Carried, Carry};
use crate::checks::Checks;
use crate::columns::layout;
use crate::columns::write::Tables;
use crate::evaluate::{Evaluated, Evaluator};
use crate::evidence::{Atoms, FamilyCount, Reading, Verifier};
use crate::outputs::{Batch, OutputContext, OutputReader};
use crate::protocol::{Protocol, load};
use crate::render::Renderer;
use crate::response::{FieldSink, FieldState, ResponseReader};
use crate::samples::{SampleLoader, Samples};

pub static FLIGHT: LazyLock<Protocol> = LazyLock::new(|| load::load("flight").expect("flight"));
pub static FLIGHT_CHECKS: LazyLock<Checks> =
    LazyLock::new(|| Checks::new(&FLIGHT).expect("few enough checks"));

/// A state in which every check passes: north at 46.3 m/s, which is
/// 46.3 · 3600 / 1852 = 166680 / 1852 = 90 kt to the bit.
const GOOD: [(&str, f64); 19] = [
    ("lat", 45.0),
    ("lon", 7.0),
    ("gps_alt", 3000.0),
    ("track", 0.0),
    ("heading", 0.0),
    ("ve", 0.0),
    ("vn", 46.3),
    ("vu", 0.0),
    ("gs", 90.0),
    ("roll", 0.0),
    ("pitch", 2.0),
    ("turn_rate", 0.0),
    ("slip", 0.0),
    ("normal_g", 1.0),
    ("lateral_g", 0.0),
    ("vs", 0.0),
    ("ias", 90.0),
    ("baro_alt", 3000.0),
    ("pressure_alt", 3000.0),
];

/// The flight field with this alias.
pub fn field(alias: &str) -> usize {
    let found = FLIGHT.fields.iter().position(|field| field.alias == alias);
    found.unwrap_or_else(|| panic!("no field {alias}"))
}

/// The response key with this alias.
pub fn key(alias: &str) -> &'static str {
    &FLIGHT.fields[field(alias)].name
}

/// The flawless state as a response object: scalars, or arrays of three for `M3`.
pub fn good(task: &str) -> Map<String, Value> {
    let value = |value: f64| match task {
        "M3" => json!([value, value, value]),
        _ => json!(value),
    };
    let entries = GOOD.iter();
    entries
        .map(|(alias, number)| (key(alias).to_owned(), value(*number)))
        .collect()
}

/// The flawless state with some values replaced; `Value::Null` stays a null.
pub fn state(task: &str, edits: &[(&str, Value)]) -> Map<String, Value> {
    let mut object = good(task);
    for (alias, value) in edits {
        object.insert(key(alias).to_owned(), value.clone());
    }
    object
}

/// One atom, spelled out.
#[derive(Debug, Clone, PartialEq)]
pub struct Atom {
    pub rule: String,
    pub field: Option<String>,
    pub step: Option<usize>,
    pub severity: Severity,
    pub observed: f64,
    pub limit: Option<f64>,
    pub text: Option<String>,
}

/// Atoms spelled out.
pub fn spell(checks: &Checks, atoms: &Atoms) -> Vec<Atom> {
    let spelled = atoms.check.iter().enumerate().map(|(position, number)| {
        let check = checks.get(*number);
        let here = |at: u32| at as usize == position;
        Atom {
            rule: checks.rule_names[check.rule].clone(),
            field: checks.label(check).map(str::to_owned),
            step: check.step,
            severity: Severity::ALL[usize::from(atoms.severity[position])],
            observed: atoms.observed[position],
            limit: atoms
                .limits
                .iter()
                .find(|(at, _)| here(*at))
                .map(|(_, limit)| *limit),
            text: atoms
                .texts
                .iter()
                .find(|(at, _)| here(*at))
                .map(|(_, text)| text.to_string()),
        }
    });
    spelled.collect()
}

/// What the verifiers of the flight protocol say of one response.
pub struct Verdict {
    pub atoms: Vec<Atom>,
    pub counts: Vec<FamilyCount>,
}

impl Verdict {
    /// The atoms of a rule (with its family, or without).
    pub fn of(&self, rule: &str) -> Vec<&Atom> {
        let wanted = |name: &str| name == rule || name.split('.').nth(1) == Some(rule);
        self.atoms
            .iter()
            .filter(|atom| wanted(&atom.rule))
            .collect()
    }

    /// The one atom of a rule (scalar tasks).
    pub fn only(&self, rule: &str) -> &Atom {
        match self.of(rule)[..] {
            [atom] => atom,
            ref atoms => panic!("{} atoms of {rule}", atoms.len()),
        }
    }

    /// The one atom of a rule about the field with this alias.
    pub fn about(&self, rule: &str, alias: &str) -> &Atom {
        let wanted = |atom: &&Atom| atom.field.as_deref() == Some(key(alias));
        match self.of(rule).into_iter().filter(wanted).collect::<Vec<_>>()[..] {
            [atom] => atom,
            ref atoms => panic!("{} atoms of {rule} about {alias}", atoms.len()),
        }
    }

    /// The atoms that failed.
    pub fn failed(&self) -> Vec<&Atom> {
        self.atoms
            .iter()
            .filter(|atom| atom.severity != Severity::Info)
            .collect()
    }
}

/// Verifies a response text; references are (alias, value to measure the jump from).
pub fn verify_text(task: &str, text: &str, references: &[(&str, f64)]) -> Verdict {
    let task = FLIGHT.task_index(task).expect("a task of flight");
    let fields = FLIGHT.fields.len();
    let mut states = vec![FieldState::Missing; fields];
    let mut values = vec![f64::NAN; fields * FLIGHT.tasks[task].horizon];
    let mut texts = Vec::new();
    let mut sink = FieldSink {
        states: &mut states,
        values: &mut values,
        held: &mut [],
        texts: &mut texts,
        texts_before: 0,
    };
    let outcome = ResponseReader::new(&FLIGHT).read(text, &FLIGHT.tasks[task], &mut sink);
    let mut from = vec![f64::NAN; fields];
    for (alias, value) in references {
        from[field(alias)] = *value;
    }
    let reading = Reading {
        outcome,
        states: &states,
        values: &values,
        texts: &texts,
        references: &from,
        held: &[],
        gold: None,
        context: None,
        external: &[],
    };
    let mut atoms = Atoms::default();
    let counts = Verifier::new(&FLIGHT, &FLIGHT_CHECKS)
        .verify(task, &reading, &mut atoms)
        .to_vec();
    Verdict {
        atoms: spell(&FLIGHT_CHECKS, &atoms),
        counts,
    }
}

/// Verifies the flawless state with some values replaced, nothing to measure jumps from.
pub fn verify(task: &str, edits: &[(&str, Value)]) -> Verdict {
    verify_text(task, &Value::Object(state(task, edits)).to_string(), &[])
}

/// A protocol of one task with these fields, whose score is the error alone.
pub fn protocol(fields: &str) -> Protocol {
    let source = format!(
        r#"
[protocol]
name = "p"
version = "1"
[[task]]
name = "t"
shape = "scalar"
{fields}
[scores]
error = "scaled"
weights = {{ availability = 0, constraint_satisfaction = 0, conditional_error = 1 }}
mae_weight = 1
rmse_weight = 0
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#
    );
    load::parse(&source, "p.toml").unwrap_or_else(|errors| panic!("{errors}"))
}

/// The flight protocol with one piece of its text replaced.
pub fn flight_with(from: &str, to: &str) -> Protocol {
    let source = crate::protocol::builtin::source("flight").expect("flight");
    assert!(source.contains(from), "flight.toml does not say {from}");
    load::parse(&source.replace(from, to), "flight, changed").expect("still a protocol")
}

/// What the file of a bench's lines is called.
pub const FILE: &str = "outputs.jsonl";

/// The tables of a protocol's records.
pub fn tables(bench: &Bench) -> Tables {
    let layout = layout(&bench.protocol, &bench.checks, false);
    Tables::new(&Arc::new(layout)).expect("tables")
}

/// A protocol and samples to evaluate lines with.
pub struct Bench {
    pub protocol: Arc<Protocol>,
    pub checks: Arc<Checks>,
    pub samples: Samples,
    pub trace: Trace,
}

/// What became of some lines.
pub struct Run {
    pub chunk: Option<Chunk>,
    pub batch: Batch,
    pub carried: Carried,
    pub evaluated: Evaluated,
}

impl Bench {
    pub fn new(protocol: Protocol, samples: &[Value]) -> Bench {
        let checks = Checks::new(&protocol).expect("few enough checks");
        let mut loader = SampleLoader::new(&protocol, None);
        for (line, sample) in (1..).zip(samples) {
            loader
                .add(sample.to_string().as_bytes(), line)
                .expect("a good sample");
        }
        let samples = loader.finish();
        let trace = crate::eval::trace(&protocol, None, None);
        Bench {
            protocol: Arc::new(protocol),
            checks: Arc::new(checks),
            samples,
            trace,
        }
    }

    pub fn flight(samples: &[Value]) -> Bench {
        Bench::new(FLIGHT.clone(), samples)
    }

    pub fn context(&self) -> OutputContext<'_> {
        let (protocol, samples) = (&self.protocol, &self.samples);
        OutputContext {
            protocol,
            samples,
            default_task: None,
            default_model: None,
            of_files: &[],
        }
    }

    pub fn renderer(&self) -> Renderer {
        Renderer::new(&self.protocol, &self.checks, &self.trace)
    }

    /// Evaluates lines as one chunk.
    pub fn run(&self, lines: &[impl AsRef<[u8]>]) -> Run {
        let file = lines_file(lines);
        let mut reader = ChunkReader::new(&[file.path().to_owned()], 8 << 20).expect("the file");
        let mut batch = Batch::default();
        let chunk = reader.next_chunk().expect("readable");
        if let Some(chunk) = &chunk {
            batch = OutputReader::new(self.context()).read(chunk);
            assert!(
                reader.next_chunk().expect("readable").is_none(),
                "more than one chunk"
            );
        }
        let carried = Carry::new(&self.protocol, &self.samples, None).pass(&mut batch);
        let evaluated =
            Evaluator::new(&self.protocol, &self.checks, &self.samples).evaluate(&batch, &carried);
        Run {
            chunk,
            batch,
            carried,
            evaluated,
        }
    }

    /// The records of a run as JSON.
    pub fn render(&self, run: &Run) -> Vec<String> {
        let renderer = self.renderer();
        let each = (0..run.evaluated.records.len()).map(|index| {
            let view = run
                .evaluated
                .view(index, &self.protocol, &self.samples, &run.batch, FILE);
            let mut line = Vec::new();
            renderer.write(&view, &mut line);
            String::from_utf8(line).expect("UTF-8")
        });
        each.collect()
    }
}

/// A temporary `.jsonl` file of these lines.
pub fn lines_file(lines: &[impl AsRef<[u8]>]) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new()
        .suffix(".jsonl")
        .tempfile()
        .expect("a temporary file");
    for line in lines {
        file.write_all(line.as_ref())
            .and_then(|()| file.write_all(b"\n"))
            .expect("written");
    }
    file
}

/// An output line.
pub fn output(model: &str, sample: &str, response: impl Into<Value>) -> String {
    json!({"model_name": model, "sample_id": sample, "raw_response_text": response.into()})
        .to_string()
}

/// A sample line without gold.
pub fn sample(id: &str, task: &str) -> Value {
    json!({"sample_id": id, "task_id": task})
}
