//! The fields of samples and outputs, and where a user says they stand.

use judica_data::row_keys;
use judica_data::rows::{Field, Placed, called, field};
use judica_data::table::{Cells, Tables};
use judica_data::work_error::WorkError;

use crate::options::{ColumnOptions, role};
use crate::protocol::form::Form;
use crate::protocol::nodes::Step;
use crate::protocol::{Protocol, Shape};

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
    pub fn new(columns: &ColumnOptions, protocol: &Protocol) -> Result<Places, WorkError> {
        check_gold(&columns.gold_columns, protocol).map_err(WorkError::BadInput)?;
        let sides = [(role::SAMPLES, &SAMPLE[..]), (role::OUTPUTS, &OUTPUT[..])];
        let both = Placed::both(sides, &columns.columns).map_err(WorkError::BadInput)?;
        let [mut samples, outputs] = both;
        let cells = |member: &str| gold_cells(protocol, member);
        let gathered = samples.gather("--gold-columns", &SAMPLE[3], &columns.gold_columns, cells);
        gathered.map_err(WorkError::BadInput)?;
        Ok(Places { samples, outputs })
    }
}

/// Refuses a column for a field within an object: a gold that is made of columns has their cells
/// at its top.
fn check_gold(columns: &[String], protocol: &Protocol) -> Result<(), String> {
    for column in columns {
        let named = column.split_once('=').map(|(member, _)| member.trim());
        let member = named.map_or_else(|| called(column.trim()), str::to_owned);
        let field = protocol.fields.iter().find(|field| field.name == member);
        if let Some(field) = field
            && !protocol.knows_key(member.as_bytes())
            && let Some(Step::Key(top)) = field.at.first()
        {
            return Err(format!(
                "--gold-columns {column}: field `{member}` stands within `{top}`; give all of `{top}` in one column of that name, as JSON"
            ));
        }
    }
    Ok(())
}

/// What text means in a column of gold: a field of text may well begin with a bracket, and one
/// that is true or false has no other way into the cell of a table.
fn gold_cells(protocol: &Protocol, member: &str) -> Cells {
    let stands_there = |at: &[Step]| matches!(at, [Step::Key(key)] if key == member);
    let mut fields = protocol.fields.iter();
    let field = fields.find(|field| field.list.is_none() && stands_there(&field.at));
    let single = protocol.tasks.iter().all(|t| t.shape == Shape::Scalar);
    match field.map(|field| &field.form) {
        Some(Form::Text(_) | Form::Enum(_)) if single => Cells::Text,
        Some(Form::Boolean { .. }) => Cells::Truth,
        _ => Cells::Json,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::protocol;

    #[test]
    fn a_cell_of_gold_means_what_its_field_holds() {
        let fields = r#"
[[field]]
name = "t"
kind = "text"
[[field]]
name = "b"
kind = "boolean"
[[field]]
name = "tags"
kind = "list"
of = "text"
[[field]]
name = "elsewhere"
at = "/top"
kind = "text"
"#;
        let scalar = protocol(fields);
        for (member, cells) in [
            ("t", Cells::Text),
            ("b", Cells::Truth),
            ("tags", Cells::Json),
            ("elsewhere", Cells::Json),
            ("top", Cells::Text),
        ] {
            assert_eq!(gold_cells(&scalar, member), cells, "{member}");
        }
        let mut array = scalar;
        array.tasks[0].shape = Shape::Array;
        assert_eq!(gold_cells(&array, "t"), Cells::Json);
    }

    #[test]
    fn columns_of_gold_are_for_fields_at_its_top() {
        let protocol = protocol(
            r#"
[[field]]
name = "city"
at = "/addr/city"
kind = "text"
[[field]]
name = "v"
at = "/l/*/v"
[[field]]
name = "tags"
kind = "list"
of = "text"
"#,
        );
        let refused = |column: &str| check_gold(&[column.to_owned()], &protocol).err();
        for (column, within) in [
            ("city", Some("addr")),
            ("city=town", Some("addr")),
            ("/row/city", Some("addr")),
            ("v", Some("l")),
            ("tags", None),
            ("addr", None),
            ("l=/row/list", None),
            ("other", None),
        ] {
            let told = refused(column);
            let words = within.map(|top| format!("stands within `{top}`; give all of `{top}`"));
            assert_eq!(told.is_some(), words.is_some(), "{column}");
            assert!(
                told.unwrap_or_default()
                    .contains(&words.unwrap_or_default())
            );
        }
    }
}
