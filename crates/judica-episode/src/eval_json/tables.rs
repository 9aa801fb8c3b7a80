//! An evaluation as people read it.

use judica_model::table::{Cell, Table};

use super::catalogue::{Kind, METRICS};
use super::document::EvalDocument;
use super::metrics::ActionTypeMetrics;
use super::read::EvalFile;

/// Decimals that people see.
const DECIMALS: u8 = 4;

/// The tables of an evaluation: its metrics, and the same by type of action.
pub fn tables(document: &EvalDocument) -> Vec<Table> {
    let bytes = judica_data::json::json_bytes(document);
    let mut tables = Vec::new();
    // A document of ours is always one that we can read.
    if let Ok(file) = EvalFile::parse("", &bytes) {
        tables.push(metrics(document, &file));
    }
    if !document.metrics_by_action_type.is_empty() {
        tables.push(by_type(document));
    }
    tables
}

fn metrics(document: &EvalDocument, file: &EvalFile) -> Table {
    let title = format!("{}, {} mode", document.backend, document.dsl_mode);
    let mut table = Table::new(title)
        .left("metric")
        .right("value [95 % interval]")
        .right("n");
    for spec in METRICS {
        let value = file.reading(spec.name).value();
        let cell = match (value, file.interval(spec.name)) {
            (None, _) => Cell::missing(format!("{}: {}", spec.name, file.why_undefined(spec.name))),
            (Some(value), _) if spec.kind == Kind::Count => Cell::number(value, 0),
            (Some(value), Some([lo, hi])) => Cell::interval(value, lo, hi, DECIMALS),
            (Some(value), None) => Cell::number(value, DECIMALS),
        };
        let n = match file.n(spec.name) {
            Some(n) if spec.kind != Kind::Count => Cell::count(n),
            _ => Cell::text(""),
        };
        table.push([Cell::text(spec.name), cell, n]);
    }
    for note in &document.notes {
        table.note(note.clone());
    }
    table
}

fn by_type(document: &EvalDocument) -> Table {
    let mut table = Table::new("By recorded type of action")
        .left("type")
        .right("steps")
        .right("type accuracy")
        .right("step score")
        .right("coord error")
        .right("click hit")
        .right("bbox hit")
        .right("element");
    for (name, of) in &document.metrics_by_action_type {
        let ActionTypeMetrics {
            action_type_accuracy,
            step_score,
            mean_coord_error,
            click_hit_rate,
            bbox_hit_rate,
            element_accuracy,
            ..
        } = of;
        let values = [
            action_type_accuracy,
            step_score,
            mean_coord_error,
            click_hit_rate,
            bbox_hit_rate,
            element_accuracy,
        ];
        let mut cells = vec![Cell::text(name), Cell::count(of.num_steps.unwrap_or(0))];
        cells.extend(values.map(|value| Cell::number_or(*value, DECIMALS, "")));
        table.push(cells);
    }
    table
}
