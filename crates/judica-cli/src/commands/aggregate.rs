//! `judica aggregate`

use std::path::Path;

use judica_data::foreign::{Reads, pointer, seems};
use judica_episode::aggregate::{AggregateRequest, RefusedFile, aggregate, tables};
use judica_model::exit_code::ExitCode;

use super::ending::{Accounting, end};
use super::threads;
use crate::args::episode::AggregateArgs;
use crate::failure::Failure;

/// So many files are told about one by one.
const TOLD: usize = 3;

fn nothing(refused: &[String]) -> String {
    let mut lines: Vec<String> = refused.iter().take(TOLD).cloned().collect();
    match refused.len() {
        0 => lines.push("no eval file was found".to_owned()),
        n if n > TOLD => lines.push(format!("… and {} more files alike", n - TOLD)),
        _ => {}
    }
    lines.join("\n")
}

/// What is wrong with a file, and what it seems to be.
fn unusable(file: &RefusedFile) -> String {
    let seems = seems(Path::new(&file.file), Reads::Json)
        .map(|guess| format!("; it seems to be {}", guess.what))
        .unwrap_or_default();
    let RefusedFile {
        file,
        line,
        reason,
        detail,
        ..
    } = file;
    let look = pointer(Path::new(file));
    format!("{file}:{line}: {reason}: {detail}{seems}{look}")
}

/// Aggregates eval files and shows the means.
pub fn run(args: &AggregateArgs) -> Result<ExitCode, Failure> {
    let report = aggregate(&AggregateRequest {
        inputs: args.files.clone(),
        // Any text is a key.
        by: args.by.parse().ok(),
        strict: args.strict,
        threads: threads(args.threads),
    })?;
    // Means over nothing are no result.
    if report.files == 0 {
        let refused: Vec<String> = report.refused.iter().map(unusable).collect();
        return Err(Failure::Usage(nothing(&refused)));
    }
    let (out, rows) = (args.out.as_deref(), Accounting::default());
    end(&args.report, out, &report, &tables(&report), rows)?;
    Ok(ExitCode::Done)
}
