//! `judica agree ratings`

use std::path::PathBuf;

use judica_agree::panel::kappa_map;
use judica_agree::ratings::{
    Columns, Hooks, RatingsOptions, RatingsReport, RatingsRequest, default_weights, measure, tables,
};
use judica_data::foreign::Reads;
use judica_data::rejects::Given;
use judica_model::exit_code::ExitCode;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::weights::Weights;

use super::{bootstrap, draw, keep, pictures, place};
use crate::args::agree::{MeasurementLevel, RatingsArgs};
use crate::args::report::TableFormat;
use crate::commands::files::write_report;
use crate::commands::rejects::Kept;
use crate::commands::reports::show;
use crate::commands::runs::target;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;

/// Measures how far raters agree.
pub fn run(args: &RatingsArgs) -> Result<ExitCode, Failure> {
    let mut request = request(args)?;
    let (run, _held) = target(&args.run)?.unzip();
    request.run = run;
    let mut kept = Kept::new(Some(&kept_in(args)), None);
    let pictures = pictures(args.heatmap.as_deref())?;
    let bar = screen::byte_counter("read");
    let mut hooks = Hooks {
        reject: &mut |reject| Ok(kept.file.write(reject)?),
        progress: &|bytes| bar.set_position(bytes),
        interrupted: &INTERRUPTED,
    };
    let report = measure(&request, &mut hooks);
    bar.finish_and_clear();
    let (report, run) = report?;
    let names: Vec<String> = args.input.iter().map(|p| p.display().to_string()).collect();
    let ours = |file: &str| names.iter().any(|name| name == file);
    let given: Vec<Given> = args
        .input
        .iter()
        .zip(&names)
        .zip(&report.used)
        .map(|((path, name), &used)| Given { path, name, used })
        .collect();
    let kept = kept.check(&given, Reads::JsonOrCsv)?;
    let tables = tables(&report);
    let refused = keep(kept, run, &report, &tables, report.refused.total(), ours)?;
    write_report(args.out.as_deref(), &report)?;
    draw(&pictures, || {
        kappa_map(report.pairwise.as_deref().unwrap_or_default())
    })?;
    show(&args.report, &report, &tables);
    if !args.report.json && args.report.format == TableFormat::Terminal {
        screen::print(&accounting(&report));
        screen::print(&refused);
    }
    Ok(ExitCode::Done)
}

fn request(args: &RatingsArgs) -> Result<RatingsRequest, Failure> {
    let weights = match args.weights.as_deref() {
        None => None,
        Some(name) => Some(Weights::from_name(name).ok_or_else(|| {
            let names = Weights::ALL.map(Weights::name).join(", ");
            Failure::Usage(format!(
                "--weights {name}: no such weights; there are {names}"
            ))
        })?),
    };
    let level = match args.level {
        MeasurementLevel::Nominal => Level::Nominal,
        MeasurementLevel::Ordinal => Level::Ordinal,
        MeasurementLevel::Interval => Level::Interval,
        MeasurementLevel::Ratio => Level::Ratio,
    };
    let options = RatingsOptions {
        level,
        weights: weights.unwrap_or_else(|| default_weights(level)),
        columns: Columns {
            item: args.item.clone(),
            rater: args.rater.clone(),
            value: args.value.clone(),
        },
        delimiter: args.delimiter.as_deref().map(delimiter).transpose()?,
        order: (!args.order.is_empty()).then(|| args.order.clone()),
        // A heat map is of pairs.
        pairwise: args.pairwise || args.heatmap.is_some(),
        bootstrap: bootstrap(&args.intervals)?,
    };
    Ok(RatingsRequest {
        options,
        strict: args.strict,
        ..RatingsRequest::new(&args.input, level)
    })
}

/// Where rows that cannot be used are kept.
pub fn kept_in(args: &RatingsArgs) -> PathBuf {
    place(&args.run, args.rejects.as_deref(), args.out.as_deref())
}

/// One character, or the word `tab`.
fn delimiter(text: &str) -> Result<u8, Failure> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'"' => Ok(*byte),
        _ => Err(Failure::Usage(format!(
            "--delimiter {text}: one character that is no letter, digit or quote, or `tab`"
        ))),
    }
}

/// What became of the rows.
fn accounting(report: &RatingsReport) -> String {
    format!(
        "\ninputs {} = records {} + rejects {}   (ratings {}, missing {})\n",
        report.inputs, report.records, report.rejects, report.ratings, report.missing
    )
}
