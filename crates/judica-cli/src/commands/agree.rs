//! `judica agree`

mod judges;
mod pairs;
mod ratings;

use std::path::{Path, PathBuf};

use judica_agree::panel::BootstrapOptions;
use judica_data::rejects::RejectFile;
use judica_model::exit_code::ExitCode;
use judica_model::heatmap::HeatMap;
use judica_model::table::Table;
use judica_report::{Format, render};
use judica_stats::item_bootstrap::IntervalMethod;
use serde::Serialize;

use super::files::{folder_of, shown, write};
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

/// Draws a heat map.
fn draw(path: &Path, map: &HeatMap) -> Result<(), Failure> {
    write(path, judica_report::heatmap::svg(map).as_bytes())
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
            _ => format!("refused rows: {}\n", shown(&self.path)),
        })
    }
}
