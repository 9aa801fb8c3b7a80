//! `judica efficiency`

use std::path::{Path, PathBuf};

use judica_answer::efficiency::load::{Inputs, Loaded, load};
use judica_answer::efficiency::{
    self, EfficiencyReport, GpuCost, GpuCostInput, Options, RunFile, Weights, gpu_cost,
    notebook_cells, open_prices, scatters, tables,
};
use judica_answer::predictions::Columns;
use judica_data::foreign::Reads;
use judica_data::json::json_bytes;
use judica_data::rejects::{Given, RejectFile};
use judica_model::exit_code::ExitCode;
use judica_report::figure::scatter;

use super::ending::{Accounting, end};
use super::files::{hold, write};
use super::judge::choice;
use super::pictures::Pictures;
use super::rejects::usable;
use super::threads;
use crate::args::answer::{By, EfficiencyArgs, EfficiencyOf, GpuCostArgs};
use crate::args::figure::FigureArgs;
use crate::failure::Failure;
use crate::screen;

/// The files that are written.
const REPORT: &str = "efficiency_report.json";
const NOTEBOOK: &str = "efficiency_report.ipynb";
const FIGURES: [&str; 2] = ["efficiency_cost", "efficiency_latency"];
/// All of them.
pub const FILES: [&str; 8] = [
    REPORT,
    NOTEBOOK,
    "efficiency_cost.svg",
    "efficiency_cost.pdf",
    "efficiency_cost.png",
    "efficiency_latency.svg",
    "efficiency_latency.pdf",
    "efficiency_latency.png",
];

/// Compares models and shows the result.
pub fn run(args: &EfficiencyArgs) -> Result<ExitCode, Failure> {
    if let Some(EfficiencyOf::GpuCost(args)) = &args.of {
        return gpu_hour(args);
    }
    let mut kept = RejectFile::new(&kept_in(args));
    let _held = args.out.as_deref().map(hold).transpose()?;
    let prices = args.prices.as_deref().map(open_prices).transpose()?;
    let weights = weights(&args.weights)?;
    let choice = choice(&args.normalizer)?;
    let loaded = load(&Inputs {
        predictions: args.predictions.clone(),
        columns: Columns::new(&args.columns.said())?,
        runs: args.runs.clone(),
        judged: args.judged.clone(),
        judge: args.judge.clone(),
        choice: &choice,
        strict: args.rows.strict,
        threads: threads(args.rows.threads),
    })?;
    for reject in &loaded.rejects {
        kept.write(reject)?;
    }
    let of_files = loaded.files.iter().zip(&loaded.facts);
    let given: Vec<Given> = of_files
        .filter(|(_, facts)| facts.measured.is_none())
        .map(|(run, facts)| Given {
            path: Path::new(&run.file),
            name: &run.file,
            used: facts.rows,
        })
        .collect();
    // Runs hold no rows that could not be used.
    if !given.is_empty() {
        kept = usable(kept, &given, Reads::Judged)?;
    }
    let Loaded {
        files,
        facts,
        judge,
        rejects,
        notes,
        ..
    } = loaded;
    let report = efficiency::report(
        facts,
        prices.as_ref(),
        &Options {
            by: match args.by {
                By::Model => efficiency::By::Model,
                By::Run => efficiency::By::Run,
            },
            weights,
            judge,
            files,
            rejects: rejects.len() as u64,
            notes,
        },
    )?;
    if let Some(folder) = &args.out {
        write_files(folder, &report, &args.figure)?;
    }
    let written = args.out.as_ref().map(|folder| folder.join(REPORT));
    let accounting = Accounting::rows(report.inputs, report.records, report.rejects, "")
        .read(&read_as(&report.files))
        .refused(report.rejects, kept.path())
        .file("report", written.as_deref());
    kept.commit(|file| report.files.iter().any(|other| other.file == file))?;
    let tables = tables(&report);
    end(&args.rows.report, None, &report, &tables, accounting)?;
    Ok(ExitCode::Done)
}

/// How tables were read.
fn read_as(files: &[RunFile]) -> Vec<String> {
    let said = |file: &RunFile| Some(format!("{}: read as {}", file.file, file.read_as.as_ref()?));
    let mut said: Vec<String> = files.iter().filter_map(said).collect();
    said.dedup();
    said
}

/// Where rows that cannot be used are kept.
pub fn kept_in(args: &EfficiencyArgs) -> PathBuf {
    // Beside the report, which stands in the folder.
    let report = args.out.as_ref().map(|folder| folder.join(REPORT));
    args.rows.rejects(report.as_deref())
}

fn weights(given: &[f64]) -> Result<Weights, Failure> {
    let [accuracy, cost, latency] = given else {
        let message = "--weights takes three numbers: accuracy,cost,latency";
        return Err(Failure::Usage(message.to_owned()));
    };
    Weights::new(*accuracy, *cost, *latency)
        .map_err(|error| Failure::Usage(format!("--weights: {error}")))
}

fn write_files(
    folder: &Path,
    report: &EfficiencyReport,
    figure: &FigureArgs,
) -> Result<(), Failure> {
    // A size that will not do is refused before anything else is written.
    for (name, chart) in FIGURES.iter().zip(scatters(report)) {
        let pictures = Pictures::named("--out", &folder.join(name))?.looking(figure);
        pictures.draw(|look| scatter::draw(&chart, look))?;
    }
    write(&folder.join(REPORT), &json_bytes(report))?;
    let notebook = judica_report::notebook::render(&notebook_cells(REPORT));
    write(&folder.join(NOTEBOOK), notebook.as_bytes())?;
    Ok(())
}

/// `judica efficiency gpu-cost`
fn gpu_hour(args: &GpuCostArgs) -> Result<ExitCode, Failure> {
    let cost = gpu_cost(&GpuCostInput {
        gpu_price_usd: args.gpu_price_usd,
        lifespan_years: args.lifespan_years,
        utilization: args.utilization,
        avg_watts: args.avg_watts,
        electricity_usd_per_kwh: args.electricity_usd_per_kwh,
        overhead: args.overhead,
    })
    .map_err(|error| Failure::Usage(error.to_string()))?;
    if args.json {
        screen::print_json(&cost);
    } else {
        screen::print(&said(&cost));
    }
    Ok(ExitCode::Done)
}

fn said(cost: &GpuCost) -> String {
    format!(
        "gpu_amort_hour  {:.4} USD\npower_hour      {:.4} USD\noverhead_hour   {:.4} USD\n\
         gpu_hour_usd    {:.4} USD\n",
        cost.gpu_amort_hour, cost.power_hour, cost.overhead_hour, cost.gpu_hour_usd
    )
}
