//! Which columns the table has. Columns may be added; none is ever removed or renamed
//! within a schema version (see `docs/stability.md`).

use judica_data::parquet::{
    Codec, ColumnKind, ColumnSpec, CompiledSpec, DoubleLayout, ListSpec, TableError, TableSpec,
};

use crate::protocol::Protocol;

/// Names of the fixed flat columns, in order.
pub mod flat {
    /// The sample that was answered.
    pub const SAMPLE_ID: &str = "sample_id";
    /// The model that answered.
    pub const MODEL_NAME: &str = "model_name";
    /// The task.
    pub const TASK_ID: &str = "task_id";
    /// The file the output came from.
    pub const INPUT_FILE: &str = "input_file";
    /// Its line, from 1.
    pub const INPUT_LINE: &str = "input_line";
    /// direct, fenced, embedded, parse_failure or api_error.
    pub const PARSING: &str = "parsing";
    /// eligible or ineligible.
    pub const ADJUDICATION: &str = "adjudication";
    /// S, A, B, C, D, X or null.
    pub const GRADE: &str = "grade";
    /// Rule of the gravest reason, or null.
    pub const TOP_RULE: &str = "top_rule";
    /// Required keys present.
    pub const FIELDS_PRESENT: &str = "fields_present";
    /// Values compared with the gold.
    pub const COMPARED_VALUES: &str = "compared_values";
    /// The scores, in order.
    pub const SCORES: [&str; 6] = [
        "availability_score",
        "constraint_satisfaction_score",
        "conditional_error_score",
        "total_score",
        "mae",
        "rmse",
    ];
}

/// The nested column.
pub const EVIDENCE: &str = "evidence";

/// Names of the columns inside the evidence, in order.
pub mod atom {
    /// `<family>.<rule>`.
    pub const RULE: &str = "rule";
    /// The field, null for several.
    pub const FIELD: &str = "field";
    /// The step, for array tasks.
    pub const STEP: &str = "step";
    /// Whether it passed.
    pub const PASS: &str = "pass";
    /// info, warning or critical.
    pub const SEVERITY: &str = "severity";
    /// The observed value.
    pub const OBSERVED: &str = "observed";
    /// The threshold that was crossed.
    pub const LIMIT: &str = "limit";
    /// What stood where a number should have.
    pub const TEXT: &str = "text";
}

/// Column names of a family's three counts.
pub fn family_columns(family: &str) -> [String; 3] {
    [
        format!("{family}_atoms"),
        format!("{family}_critical"),
        format!("{family}_warning"),
    ]
}

/// The table for records of a protocol.
pub fn table(protocol: &Protocol) -> Result<CompiledSpec, TableError> {
    use ColumnKind::{Boolean, Double, Int32, Int64, Utf8};
    let mut columns = vec![
        ColumnSpec::required(flat::SAMPLE_ID, Utf8),
        ColumnSpec::required(flat::MODEL_NAME, Utf8),
        ColumnSpec::required(flat::TASK_ID, Utf8),
        ColumnSpec::required(flat::INPUT_FILE, Utf8),
        ColumnSpec::required(flat::INPUT_LINE, Int64),
        ColumnSpec::required(flat::PARSING, Utf8),
        ColumnSpec::required(flat::ADJUDICATION, Utf8),
        ColumnSpec::nullable(flat::GRADE, Utf8),
        ColumnSpec::nullable(flat::TOP_RULE, Utf8),
        ColumnSpec::required(flat::FIELDS_PRESENT, Int32),
        ColumnSpec::required(flat::COMPARED_VALUES, Int32),
    ];
    // Scores hardly ever recur: compressing them costs time and saves nothing.
    let score = |name| ColumnSpec::nullable(name, Double).with_codec(Codec::Uncompressed);
    columns.extend(flat::SCORES.map(score));
    for family in &protocol.families {
        columns.extend(family_columns(&family.name).map(|name| ColumnSpec::required(name, Int32)));
    }
    let element = vec![
        ColumnSpec::required(atom::RULE, Utf8),
        ColumnSpec::nullable(atom::FIELD, Utf8),
        ColumnSpec::nullable(atom::STEP, Int32),
        ColumnSpec::required(atom::PASS, Boolean),
        ColumnSpec::required(atom::SEVERITY, Utf8),
        // Telemetry is rounded, so values recur; numbering them saves nearly as much as
        // compressing them, in half the time.
        ColumnSpec::nullable(atom::OBSERVED, Double)
            .with_layout(DoubleLayout::Dictionary)
            .with_codec(Codec::Uncompressed),
        ColumnSpec::nullable(atom::LIMIT, Double),
        ColumnSpec::nullable(atom::TEXT, Utf8),
    ];
    TableSpec {
        flat: columns,
        list: Some(ListSpec {
            name: EVIDENCE.to_owned(),
            element,
        }),
    }
    .compile()
}
