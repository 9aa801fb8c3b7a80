//! A check as tables for people.

use judica_model::gate_table::table;
use judica_model::table::Table;

use super::report::CheckReport;

/// All tables of a report.
pub fn tables(report: &CheckReport) -> Vec<Table> {
    let mut title = format!(
        "{}: {} by {}",
        report.status, report.report, report.gates_file
    );
    if let Some(baseline) = &report.baseline {
        title.push_str(&format!(", against {baseline}"));
    }
    vec![table(&title, &report.gates)]
}
