//! A release as tables for people.

use judica_model::gate_table;
use judica_model::table::{Cell, Table};

use super::report::ReleaseReport;

/// All tables, in reading order.
pub fn tables(report: &ReleaseReport) -> Vec<Table> {
    let mut steps = Table::new(format!("Release {}: {}", report.name, report.status.name()))
        .left("step")
        .left("result")
        .right("gates passed")
        .left("report");
    for step in &report.steps {
        let passed = step.gates.iter().filter(|gate| gate.pass).count();
        steps.push([
            Cell::text(&step.name),
            Cell::text(step.status.name()),
            Cell::text(format!("{passed} of {}", step.gates.len())),
            match &step.report {
                Some(report) => Cell::text(report),
                None => Cell::missing("it could not be run"),
            },
        ]);
        if let Some(counts) = step.counts.filter(|counts| counts.rejects > 0) {
            steps.note(format!("{}: {counts}", step.name));
        }
        if let Some(message) = &step.message {
            let message: Vec<&str> = message.lines().collect();
            steps.note(format!("{}: {}", step.name, message.join("; ")));
        }
    }
    vec![steps, gate_table::table("Gates", &report.gates)]
}
