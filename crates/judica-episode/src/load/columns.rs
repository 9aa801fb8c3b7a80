//! The fields of rows of either input: where a user says they stand, and as columns of tables.

use judica_data::row_keys;
use judica_data::rows::{Field, Placed, field};
use judica_data::table::{Cells, Nested, Tables};
use judica_data::work_error::WorkError;

use crate::family::role;

static FIELDS: [Field; 14] = [
    field("goal", &["goal", "instruction"]),
    field("milestones", &["milestones"]),
    field("ground_truth_action", &["ground_truth_action"]),
    field("dataset", &["dataset"]),
    field("episode_id", &["episode_id"]),
    field("step_index", &["step_index"]),
    field("steps", &["steps"]),
    field("action", &["action"]),
    field("pred_action", &["pred_action"]),
    field("state", &["state"]),
    field("epoch", &["epoch"]),
    field("cluster", &["cluster"]),
    field("model", &["model", "model_name"]),
    field("latency_ms", &["latency_ms"]),
];

/// The first of these are of recorded episodes and stored samples alone.
const RECORDED_ALONE: usize = 4;

/// Where the fields of episodes and of predictions stand.
pub fn placed(said: &[String]) -> Result<[Placed; 2], WorkError> {
    let sides = [
        (role::EPISODES, &FIELDS[..]),
        (role::PREDICTIONS, &FIELDS[RECORDED_ALONE..]),
    ];
    Placed::both(sides, said).map_err(WorkError::BadInput)
}

type Names = &'static [&'static str];

fn top(names: Names, cells: Cells) -> Nested {
    Nested::new(names, (None, names[0]), cells)
}

fn action(names: Names, of: &'static str, key: &'static str, cells: Cells) -> Nested {
    Nested::new(names, (Some(of), key), cells)
}

const A: &str = "action";
const P: &str = "pred_action";
const G: &str = "ground_truth_action";

/// Columns that hold JSON, numbers, or a part of an action: `action.x`, `pred_action.type`.
fn columns() -> Vec<Nested> {
    use Cells::{Json, Text, Value};
    vec![
        top(&["steps"], Json),
        top(&["action"], Json),
        top(&["pred_action"], Json),
        top(&["ground_truth_action"], Json),
        top(&["state"], Json),
        top(&["milestones"], Json),
        top(&["token_usage"], Json),
        top(&["step_index"], Value),
        top(&["epoch"], Value),
        top(&["latency_ms"], Value),
        top(&row_keys::TOKENS_IN, Value),
        top(&row_keys::TOKENS_OUT, Value),
        top(&["usd"], Value),
        Nested::new(
            &["state.success", "success"],
            (Some("state"), "success"),
            Value,
        ),
        action(&["action.type", "action_type", "type"], A, "type", Text),
        action(&["action.x", "x"], A, "x", Value),
        action(&["action.y", "y"], A, "y", Value),
        action(&["action.text", "text"], A, "text", Text),
        action(
            &["action.element_index", "element_index"],
            A,
            "element_index",
            Value,
        ),
        action(&["action.bbox", "bbox"], A, "bbox", Json),
        action(
            &["action.normalized_coordinates"],
            A,
            "normalized_coordinates",
            Json,
        ),
        action(&["pred_action.type"], P, "type", Text),
        action(&["pred_action.x"], P, "x", Value),
        action(&["pred_action.y"], P, "y", Value),
        action(&["pred_action.text"], P, "text", Text),
        action(&["pred_action.element_index"], P, "element_index", Value),
        action(&["pred_action.bbox"], P, "bbox", Json),
        action(&["ground_truth_action.type"], G, "type", Text),
        action(&["ground_truth_action.x"], G, "x", Value),
        action(&["ground_truth_action.y"], G, "y", Value),
        action(&["ground_truth_action.text"], G, "text", Text),
        action(
            &["ground_truth_action.element_index"],
            G,
            "element_index",
            Value,
        ),
        action(&["ground_truth_action.bbox"], G, "bbox", Json),
    ]
}

/// How tables are read.
pub fn tables() -> Tables {
    Tables {
        nested: columns(),
        ..Tables::of(&FIELDS)
    }
}
