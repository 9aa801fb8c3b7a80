//! Reports as they were asked for.

use judica_model::table::Table;
use judica_report::{Format, Style, render};
use serde::Serialize;

use crate::args::report::{ReportArgs, TableFormat};
use crate::screen;

/// Prints a report as it was asked for.
pub fn show(args: &ReportArgs, report: &impl Serialize, tables: &[Table]) {
    if args.json {
        return screen::print_json(report);
    }
    let (format, style) = match args.format {
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
    if format == Format::Csv {
        // Records keep every value as it is.
        return screen::print_exact(&text);
    }
    screen::print(&text);
}
