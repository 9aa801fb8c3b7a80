//! The fields of samples and outputs, and where a user says they stand.

use judica_data::row_keys;
use judica_data::rows::{Field, Placed, field};
use judica_data::table::Tables;
use judica_data::work_error::WorkError;

use crate::options::{ColumnOptions, role};

/// The fields of a sample; of several keys the first that is there counts.
static SAMPLE: [Field; 5] = [
    field("id", &["sample_id", "id"]),
    field("task", &["task_id", "task"]),
    field("context", &["context", "current_second", "T0"]),
    field(GOLD, &[GOLD, "next_second", "T+1"]),
    field("cluster", &[row_keys::CLUSTER]),
];
const GOLD: &str = "gold";

/// The fields of an output.
static OUTPUT: [Field; 10] = [
    field("id", &["sample_id", "id"]),
    field("task", &["task_id", "task"]),
    field("model", &["model_name", "model"]),
    field("response", &["raw_response_text", "response"]),
    field("epoch", &[row_keys::EPOCH]),
    field("cluster", &[row_keys::CLUSTER]),
    field("latency_ms", &[row_keys::LATENCY]),
    field("tokens_in", &row_keys::TOKENS_IN),
    field("tokens_out", &row_keys::TOKENS_OUT),
    field("usd", &[row_keys::USD]),
];

/// Where the fields of samples and those of outputs stand. A field that both have stands
/// alike in both, unless it is said of one: `outputs.id=sample`.
pub struct Places {
    /// Of samples.
    pub samples: Placed,
    /// Of outputs.
    pub outputs: Placed,
}

impl Places {
    /// Takes apart what the user said.
    pub fn new(columns: &ColumnOptions) -> Result<Places, WorkError> {
        let (mut samples, mut outputs) = (Vec::new(), Vec::new());
        for said in &columns.columns {
            let name = said.split('=').next().unwrap_or_default().trim();
            let known = |fields: &[Field]| {
                fields
                    .iter()
                    .any(|known| known.name == name || known.aliases.contains(&name))
            };
            match said.split_once('.') {
                Some((role::SAMPLES, rest)) => samples.push(rest.to_owned()),
                Some((role::OUTPUTS, rest)) => outputs.push(rest.to_owned()),
                _ => {
                    let (of_samples, of_outputs) = (known(&SAMPLE), known(&OUTPUT));
                    if of_samples {
                        samples.push(said.clone());
                    }
                    if of_outputs {
                        outputs.push(said.clone());
                    }
                    if !of_samples && !of_outputs {
                        return Err(WorkError::BadInput(unknown(said, name)));
                    }
                }
            }
        }
        let placed =
            |fields, said: &[String]| Placed::new(fields, said).map_err(WorkError::BadInput);
        let mut samples = placed(&SAMPLE, &samples)?;
        let gold = &SAMPLE[3];
        let gathered = samples.gather("--gold-columns", gold, &columns.gold_columns);
        gathered.map_err(WorkError::BadInput)?;
        let outputs = placed(&OUTPUT, &outputs)?;
        Ok(Places { samples, outputs })
    }
}

fn unknown(said: &str, name: &str) -> String {
    if !said.contains('=') {
        return format!("--column {said}: expected FIELD=COLUMN, for example gold=label");
    }
    let names = |fields: &[Field]| {
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        names.join(", ")
    };
    format!(
        "--column {said}: there is no field `{name}`; samples have {}; outputs have {}",
        names(&SAMPLE),
        names(&OUTPUT)
    )
}

/// How tables of samples are read.
pub fn sample_tables() -> Tables {
    tables(&SAMPLE)
}

/// How tables of outputs are read.
pub fn output_tables() -> Tables {
    tables(&OUTPUT)
}

fn tables(fields: &[Field]) -> Tables {
    let names = fields.iter().flat_map(|field| field.aliases);
    Tables {
        names: names.map(|name| (*name).to_owned()).collect(),
        ..Tables::default()
    }
}
