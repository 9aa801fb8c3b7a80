//! `judica rules`

use judica_model::exit_code::ExitCode;
use judica_model::table::{Cell, Table};
use judica_verify::catalogue::rules;
use judica_verify::protocol::load::load;

use crate::args::RulesArgs;
use crate::failure::Failure;
use crate::screen;

/// Lists the rules.
pub fn run(args: &RulesArgs) -> Result<ExitCode, Failure> {
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
