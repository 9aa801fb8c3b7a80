//! `judica lint`

use judica_model::exit_code::ExitCode;
use judica_model::table::counted;
use judica_verify::lint::lint;
use judica_verify::protocol::load::load;

use crate::args::LintArgs;
use crate::failure::Failure;
use crate::screen;

/// Shows what is odd about a protocol.
pub fn run(args: &LintArgs) -> Result<ExitCode, Failure> {
    let found = lint(&load(&args.protocol)?);
    if args.json {
        screen::print_json(&found);
    } else if found.findings.is_empty() {
        let name = judica_report::visible(&found.protocol);
        let rules = counted(found.rules as u64, ["rule", "rules"]);
        let fields = counted(found.fields as u64, ["field", "fields"]);
        screen::print(&format!(
            "nothing found in protocol {name}: {rules}, {fields}\n"
        ));
    } else {
        screen::print_table(&found.table());
    }
    Ok(if found.findings.is_empty() {
        ExitCode::Done
    } else {
        ExitCode::GateFailed
    })
}
