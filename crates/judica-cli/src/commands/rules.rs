//! `judica rules`

use std::path::Path;

use judica_data::source::read_text;
use judica_data::work_error::WorkError;
use judica_model::exit_code::ExitCode;
use judica_model::table::{Cell, Table};
use judica_verify::catalogue::rules;
use judica_verify::from_schema::protocol_of;
use judica_verify::protocol::load::load;

use crate::args::RulesArgs;
use crate::failure::Failure;
use crate::screen;

/// The protocol of a JSON Schema.
fn from_schema(path: &Path) -> Result<String, WorkError> {
    let wrong = |what: String| WorkError::BadInput(format!("{}: {what}", path.display()));
    let text = read_text(path)?;
    let schema = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    protocol_of(&schema, &stem).map_err(wrong)
}

/// Lists the rules.
pub fn run(args: &RulesArgs) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.from_schema {
        screen::deliver_text(&from_schema(path)?)?;
        return Ok(ExitCode::Done);
    }
    let protocol = load(&args.protocol)?;
    if args.source {
        screen::deliver_text(&protocol.source)?;
        return Ok(ExitCode::Done);
    }
    let entries = rules(&protocol);
    if args.json {
        screen::print_json(&entries);
        return Ok(ExitCode::Done);
    }
    let title = format!("Rules of protocol {} {}", protocol.name, protocol.version);
    let mut table = Table::new(title).left("rule").left("fails when");
    for entry in &entries {
        table.push([
            Cell::text(&entry.rule),
            Cell::text(entry.fails_when.join("; ")),
        ]);
    }
    table.note(format!(
        "judica explain RULE --protocol {} says more about each.",
        args.protocol
    ));
    screen::print_table(&table);
    Ok(ExitCode::Done)
}
