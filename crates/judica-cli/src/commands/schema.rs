//! `judica schema`

use judica_episode::eval_json::read::{read_bytes, refused};
use judica_episode::schema::{Validation, migrate, schema_text, tables, validate};
use judica_model::exit_code::ExitCode;

use super::files::{shown, write};
use crate::args::episode::{MigrateArgs, SchemaArgs, SchemaOf, ValidateArgs};
use crate::failure::Failure;
use crate::screen;

/// Prints the schema, or holds files against it.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    match &args.of {
        SchemaOf::Print => screen::deliver(&schema_text()).map(|()| ExitCode::Done),
        SchemaOf::Validate(args) => validate_files(args),
        SchemaOf::Migrate(args) => migrate_file(args),
    }
}

fn validate_files(args: &ValidateArgs) -> Result<ExitCode, Failure> {
    let files = judica_episode::aggregate::find_files(&args.files)?;
    let mut results = Vec::new();
    for file in &files {
        results.push(validate(file)?);
    }
    if args.json {
        screen::print_json(&results);
    } else {
        // One line for each problem, which editors and terminals can follow to its place,
        // says more than the second table would.
        if let Some(table) = tables(&results).first() {
            screen::print_table(table);
        }
        for result in &results {
            screen::print(&said(result));
        }
    }
    let good = |result: &Validation| result.valid && (result.warnings.is_empty() || !args.strict);
    Ok(if results.iter().all(good) {
        ExitCode::Done
    } else {
        ExitCode::BadInput
    })
}

/// Every problem, with the place where it stands.
fn said(result: &Validation) -> String {
    let problems = result.problems.iter().map(|problem| ("error", problem));
    let warnings = result.warnings.iter().map(|problem| ("warning", problem));
    let mut text = String::new();
    for (kind, problem) in problems.chain(warnings) {
        // The whole file has no pointer.
        let what = format!("{} {}", problem.reason, problem.pointer);
        let line = format!(
            "{}:{}: {kind}: {}: {}",
            result.file,
            problem.line,
            what.trim_end(),
            problem.detail
        );
        text.push_str(&judica_report::visible(&line));
        text.push('\n');
    }
    text
}

fn migrate_file(args: &MigrateArgs) -> Result<ExitCode, Failure> {
    let bytes = read_bytes(&args.file)?;
    let migration =
        migrate(&bytes).map_err(|fault| refused(args.file.display().to_string(), fault))?;
    match &args.out {
        Some(path) => write(path, &migration.text)?,
        None => screen::deliver(&migration.text)?,
    }
    // Standard output may be the file itself, so remarks go elsewhere.
    for change in &migration.changes {
        screen::tell_plainly(&format!(
            "{}: {}",
            shown(&args.file),
            judica_report::visible(change)
        ));
    }
    if !migration.missing.is_empty() {
        screen::tell_plainly(&format!(
            "{}: not in the file, and nobody can tell now: {}",
            shown(&args.file),
            migration.missing.join(", ")
        ));
    }
    Ok(ExitCode::Done)
}
