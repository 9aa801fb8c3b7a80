//! `judica agree ratings`

use judica_agree::panel::kappa_map;
use judica_agree::ratings::{
    Columns, Hooks, RatingsOptions, RatingsRequest, default_weights, measure, tables,
};
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, RejectFile};
use judica_data::rows::{ColumnChoice, chosen_columns};
use judica_model::exit_code::ExitCode;
use judica_model::table::counted;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::weights::Weights;

use super::{bootstrap, draw, keep};
use crate::args::agree::{MeasurementLevel, RatingsArgs};
use crate::args::names::all_names;
use crate::commands::ending::{Accounting, end};
use crate::commands::pictures::Pictures;
use crate::commands::rejects::usable;
use crate::commands::runs::target;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Measures how far raters agree.
pub fn run(args: &RatingsArgs) -> Result<ExitCode, Failure> {
    let mut request = request(args)?;
    let (run, _held) = target(&args.measure, &args.names)?;
    request.run = run;
    let mut rejects = RejectFile::new(&args.measure.rejects(args.out.as_deref()));
    let pictures = Pictures::wanted("--heatmap", args.heatmap.as_deref(), &args.figure)?;
    let (report, run) = screen::reading(&args.input, |progress| {
        let mut hooks = Hooks {
            reject: &mut |reject| Ok(rejects.write(reject)?),
            progress,
            interrupted: &interrupted(),
        };
        measure(&request, &mut hooks)
    })?;
    let names: Vec<String> = args.input.iter().map(|p| p.display().to_string()).collect();
    let ours = |file: &str| names.iter().any(|name| name == file);
    let given: Vec<Given> = args
        .input
        .iter()
        .zip(&names)
        .zip(&report.used)
        .map(|((path, name), &used)| Given { path, name, used })
        .collect();
    let rejects = usable(rejects, &given, Reads::JsonOrTable)?;
    if report.ratings == 0 {
        let rows = counted(report.missing, ["row says", "rows say"]);
        let why = format!(
            "{}: not one rating; {rows} that there is none (an empty cell or null)",
            names.join(", ")
        );
        return Err(rejects.nothing_counts(why, ours).into());
    }
    let tables = tables(&report);
    let more = format!("(ratings {}, missing {})", report.ratings, report.missing);
    let accounting = Accounting::rows(report.inputs, report.records, report.rejects, &more)
        .refused(report.refused.total(), rejects.path())
        .file("run", args.measure.run.as_deref())
        .read(&report.read);
    keep(rejects, run, &report, &tables, ours)?;
    draw(&pictures, || {
        kappa_map(report.pairwise.as_deref().unwrap_or_default())
    })?;
    let shown = &args.measure.rows.report;
    end(shown, args.out.as_deref(), &report, &tables, accounting)?;
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
        columns: columns(args)?,
        delimiter: args.delimiter.as_deref().map(delimiter).transpose()?,
        order: (!args.order.is_empty()).then(|| all_names(&args.order)),
        categories: (!args.categories.is_empty()).then(|| all_names(&args.categories)),
        // A heat map is of pairs.
        pairwise: args.pairwise || args.heatmap.is_some(),
        bootstrap: bootstrap(&args.intervals, &args.measure),
    };
    Ok(RatingsRequest {
        options,
        strict: args.measure.rows.strict,
        ..RatingsRequest::new(&args.input, level)
    })
}

/// Where fields stand.
fn columns(args: &RatingsArgs) -> Result<Columns, Failure> {
    let mut columns = Columns {
        item: args.item.clone(),
        rater: args.rater.clone(),
        value: args.value.clone(),
        raters: all_names(&args.rater_columns),
    };
    for ColumnChoice { field, column } in chosen_columns(&args.column).map_err(Failure::Usage)? {
        let place = match field.as_str() {
            "item" => &mut columns.item,
            "rater" => &mut columns.rater,
            "value" => &mut columns.value,
            _ => {
                let fields = "there are item, rater, value";
                let message = format!("--column {field}=…: there is no field `{field}`; {fields}");
                return Err(Failure::Usage(message));
            }
        };
        if place.replace(column).is_some() {
            return Err(Failure::Usage(format!("--column {field}=…: said twice")));
        }
    }
    Ok(columns)
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
