//! `judica agree`

mod judges;
mod pairs;
mod ratings;

use std::path::{Path, PathBuf};

use judica_agree::panel::BootstrapOptions;
use judica_data::atomic::{prepare_folder, write_atomic};
use judica_data::json::json_bytes;
use judica_data::rejects::RejectFile;
use judica_model::exit_code::ExitCode;
use judica_model::heatmap::HeatMap;
use judica_model::table::Table;
use judica_report::{Format, render};
use judica_stats::item_bootstrap::IntervalMethod;
use serde::Serialize;

use super::threads;
use crate::args::agree::{AgreeArgs, AgreeOf, IntervalArgs, IntervalKind, ReportArgs, TableFormat};
use crate::failure::Failure;
use crate::screen;

/// Measures agreement and shows it.
pub fn run(args: &AgreeArgs) -> Result<ExitCode, Failure> {
    match &args.of {
        AgreeOf::Pairs(args) => pairs::run(args),
        AgreeOf::Judges(args) => judges::run(args),
        AgreeOf::Ratings(args) => ratings::run(args),
    }
}

fn bootstrap(args: &IntervalArgs) -> Result<BootstrapOptions, Failure> {
    Ok(BootstrapOptions {
        resamples: args.resamples,
        seed: args.seed,
        confidence: args.confidence,
        method: match args.ci {
            IntervalKind::Percentile => IntervalMethod::Percentile,
            IntervalKind::Bca => IntervalMethod::Bca,
        },
        threads: threads(args.threads)?,
    })
}

/// Prints a report as it was asked for.
fn show(args: &ReportArgs, report: &impl Serialize, tables: &[Table]) -> Result<(), Failure> {
    if args.json {
        return screen::print_json(report);
    }
    let (format, style) = match args.format {
        TableFormat::Terminal => (Format::Terminal, screen::style()),
        TableFormat::Markdown => (Format::Markdown, judica_report::Style::default()),
        TableFormat::Latex => (Format::Latex, judica_report::Style::default()),
        TableFormat::Csv => (Format::Csv, judica_report::Style::default()),
    };
    let texts: Vec<String> = tables
        .iter()
        .map(|table| render(table, format, &style))
        .collect();
    screen::print(&texts.join("\n"))
}

/// Writes the JSON report to a file, if one was named.
fn write_report(path: Option<&Path>, report: &impl Serialize) -> Result<(), Failure> {
    match path {
        Some(path) => write(path, &json_bytes(report)),
        None => Ok(()),
    }
}

/// Refuses outputs that would overwrite an input or each other: the loss would be found
/// too late. Standard output is for `--json`.
fn keep_apart(inputs: &[PathBuf], outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let mut taken: Vec<(PathBuf, String)> = inputs
        .iter()
        .map(|path| (whereabouts(path), format!("the input {}", path.display())))
        .collect();
    for (option, path) in outputs {
        let Some(path) = path else { continue };
        let usage = |message: String| Err(Failure::Usage(format!("{option} {message}")));
        if path.as_os_str() == "-" {
            return usage("needs a file; --json prints the report".to_owned());
        }
        let place = whereabouts(path);
        if let Some((_, whose)) = taken.iter().find(|(other, _)| *other == place) {
            return usage(format!("{} would overwrite {whose}", path.display()));
        }
        taken.push((place, format!("what {option} writes")));
    }
    Ok(())
}

/// A path that is the same however it is written; links are followed as far as they lead.
fn whereabouts(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let folder = folder_of(path);
    let folder = folder.canonicalize().unwrap_or(folder);
    folder.join(path.file_name().unwrap_or_default())
}

/// Draws a heat map.
fn draw(path: &Path, map: &HeatMap) -> Result<(), Failure> {
    write(path, judica_report::heatmap::svg(map).as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    prepare_folder(&folder_of(path))?;
    Ok(write_atomic(path, bytes)?)
}

/// The folder a file stands in.
fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Where rows that cannot be used are kept: in the file that was named, else beside the
/// report, else here.
struct Kept {
    path: PathBuf,
    folder: PathBuf,
    file: RejectFile,
}

impl Kept {
    fn new(named: Option<&Path>, report: Option<&Path>) -> Self {
        let folder = report.map_or_else(|| PathBuf::from("."), folder_of);
        let path = match named {
            Some(path) => path.to_owned(),
            None if report.is_some() => folder.join("rejects.jsonl"),
            None => PathBuf::from("rejects.jsonl"),
        };
        Kept {
            folder: folder_of(&path),
            file: RejectFile::new(&path),
            path,
        }
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives the file its name; says where it is, if there is one. `ours` tells whether an
    /// input is one of this run.
    fn commit(self, refused: u64, ours: impl Fn(&str) -> bool) -> Result<String, Failure> {
        self.file.commit(ours)?;
        Ok(match refused {
            0 => String::new(),
            _ => format!("refused rows: {}\n", self.path.display()),
        })
    }
}
