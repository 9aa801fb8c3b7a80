//! `judica plot`

use judica_data::names::labels;
use judica_episode::eval_json::read_eval;
use judica_episode::plot;
use judica_model::chart::BarChart;
use judica_model::exit_code::ExitCode;
use judica_report::figure::{bars, forest, strip};
use judica_run::open::Run;
use judica_run::plot::Groups;

use super::files::shown;
use super::pictures::Pictures;
use crate::args::episode::{PlotArgs, PlotAs, PlotBy};
use crate::args::names::all_names;
use crate::failure::Failure;
use crate::screen;

/// Draws a figure.
pub fn run(args: &PlotArgs) -> Result<ExitCode, Failure> {
    let pictures = Pictures::named("--out", &args.out)?;
    let pictures = pictures.looking(&args.figure).scaled(args.scale);
    if let Some(details) = &args.strip {
        let title = args.title.as_deref().unwrap_or("Which steps fail");
        let chart = plot::strip(details, args.rows, title)?;
        pictures.draw(|look| strip::draw(&chart, look))?;
    } else {
        let chart = chart(args)?;
        match args.drawn_as {
            PlotAs::Forest => pictures.draw(|look| forest::draw(&chart.forest(), look))?,
            PlotAs::Bars if chart.series.len() > bars::MOST_SERIES => {
                return Err(Failure::Usage(format!(
                    "{} series of bars are more than can be told apart in one figure ({}); draw \
                     fewer runs or files, aggregate them, or take --as forest",
                    chart.series.len(),
                    bars::MOST_SERIES
                )));
            }
            PlotAs::Bars => pictures.draw(|look| bars::draw(&chart, look))?,
        }
    }
    for path in pictures.paths() {
        screen::print(&format!("figure: {}\n", shown(path)));
    }
    Ok(ExitCode::Done)
}

/// The bars of runs or of eval files.
fn chart(args: &PlotArgs) -> Result<BarChart, Failure> {
    let title = args.title.as_deref();
    let metrics = all_names(&args.metrics);
    if args.files.is_empty() {
        let mut runs = Vec::new();
        for (label, path) in labels(&args.runs, &args.labels)?
            .into_iter()
            .zip(&args.runs)
        {
            runs.push((label, Run::open(path)?));
        }
        let groups = match args.by {
            PlotBy::Metric => Groups::Metrics,
            PlotBy::Dataset => Groups::Datasets,
        };
        return Ok(judica_run::plot::bars(&runs, &metrics, groups, title)?);
    }
    let mut files = Vec::new();
    for (label, path) in labels(&args.files, &args.labels)?
        .into_iter()
        .zip(&args.files)
    {
        files.push((label, read_eval(path)?));
    }
    let title = title.unwrap_or("Evaluation");
    Ok(plot::bars(&files, &metrics, title)?)
}
