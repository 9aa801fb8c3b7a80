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
        let sides = [(role::SAMPLES, &SAMPLE[..]), (role::OUTPUTS, &OUTPUT[..])];
        let both = Placed::both(sides, &columns.columns).map_err(WorkError::BadInput)?;
        let [mut samples, outputs] = both;
        let gathered = samples.gather("--gold-columns", &SAMPLE[3], &columns.gold_columns);
        gathered.map_err(WorkError::BadInput)?;
        Ok(Places { samples, outputs })
    }
}

/// How tables of samples are read.
pub fn sample_tables() -> Tables {
    Tables::of(&SAMPLE)
}

/// How tables of outputs are read.
pub fn output_tables() -> Tables {
    Tables::of(&OUTPUT)
}
