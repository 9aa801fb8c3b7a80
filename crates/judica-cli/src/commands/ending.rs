//! How a command ends: its report on the screen and in a file, what became of its rows, its
//! gates, its exit code.

use std::path::Path;

use judica_data::json::json_bytes;
use judica_model::exit_code::ExitCode;
use judica_model::gate::GateResult;
use judica_model::table::Table;
use judica_report::{Format, Style, gates, github, junit, render, visible};
use serde::Serialize;

use super::files::{shown, write};
use crate::args::gate::GateFiles;
use crate::args::run::{ReportArgs, TableFormat};
use crate::failure::Failure;
use crate::screen;

/// Writes the report where it was asked for, prints it as it was asked for, and says to
/// people what became of the rows.
pub fn end(
    args: &ReportArgs,
    out: Option<&Path>,
    report: &impl Serialize,
    tables: &[Table],
    accounting: Accounting,
) -> Result<(), Failure> {
    write_report(out, report)?;
    if args.json {
        screen::print_json(report);
        return Ok(());
    }
    print_tables(args.format, tables);
    if args.format == TableFormat::Terminal {
        screen::print(&accounting.0);
    }
    Ok(())
}

/// Writes the JSON report to a file, if one was named.
pub fn write_report(path: Option<&Path>, report: &impl Serialize) -> Result<(), Failure> {
    match path {
        Some(path) => write(path, &json_bytes(report)),
        None => Ok(()),
    }
}

fn print_tables(format: TableFormat, tables: &[Table]) {
    let (format, style) = match format {
        TableFormat::Terminal => (Format::Terminal, screen::style()),
        TableFormat::Markdown => (Format::Markdown, Style::default()),
        TableFormat::Latex => (Format::Latex, Style::default()),
        TableFormat::Csv => (Format::Csv, Style::default()),
    };
    let texts: Vec<String> = tables
        .iter()
        .map(|table| render(table, format, &style))
        .collect();
    let text = texts.join("\n");
    match format {
        // Records keep every value as it is.
        Format::Csv => screen::print_exact(&text),
        _ => screen::print(&text),
    }
}

/// What became of the rows of a command, and where what it left stands, line by line.
#[derive(Default)]
pub struct Accounting(String);

impl Accounting {
    /// `inputs = records + rejects`, and what else is counted.
    pub fn rows(inputs: u64, records: u64, rejects: u64, more: &str) -> Self {
        let gap = if more.is_empty() { "" } else { "   " };
        Accounting::default().line(&format!(
            "\ninputs {inputs} = records {records} + rejects {rejects}{gap}{more}"
        ))
    }

    /// A line that holds nothing but what is ours.
    #[must_use]
    pub fn line(mut self, line: &str) -> Self {
        self.0.push_str(line);
        self.0.push('\n');
        self
    }

    /// How it went, on a line of its own.
    #[must_use]
    pub fn verdict(self, word: &str) -> Self {
        self.line(&format!("\n{}", screen::verdict(word)))
    }

    /// How tables were read.
    #[must_use]
    pub fn read(self, tables: &[String]) -> Self {
        tables
            .iter()
            .fold(self, |all, read| all.line(&visible(read)))
    }

    /// Why rows were refused.
    #[must_use]
    pub fn reasons(self, reasons: impl IntoIterator<Item = (impl AsRef<str>, u64)>) -> Self {
        reasons.into_iter().fold(self, |all, (reason, count)| {
            all.line(&format!("  {count} × {}", visible(reason.as_ref())))
        })
    }

    /// Where refused rows are, if there are any.
    #[must_use]
    pub fn refused(self, rejects: u64, path: &Path) -> Self {
        self.file("refused rows", Some(path).filter(|_| rejects > 0))
    }

    /// Where something is, if it was asked for.
    #[must_use]
    pub fn file(self, what: &str, path: Option<&Path>) -> Self {
        match path {
            Some(path) => self.line(&format!("{what}: {}", shown(path))),
            None => self,
        }
    }
}

/// Writes gates in the formats that CI systems show; their exit code. `about` is what was
/// gated, `file` the file that annotations point at.
pub fn publish(
    args: &GateFiles,
    json: bool,
    about: &str,
    file: Option<&Path>,
    results: &[GateResult],
) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.junit {
        write(path, junit::render(about, results).as_bytes())?;
    }
    if let Some(path) = &args.markdown {
        write(path, gates::markdown(about, results).as_bytes())?;
    }
    if args.github {
        let file = file.map(|path| path.display().to_string());
        let text = github::annotations(results, file.as_deref());
        // With --json, standard output belongs to the report; runners read both.
        if json {
            screen::tell_exact(text.trim_end());
        } else {
            screen::print_exact(&text);
        }
    }
    Ok(match results.iter().all(|gate| gate.pass) {
        true => ExitCode::Done,
        false => ExitCode::GateFailed,
    })
}
