//! `judica plot`

use judica_data::names::labels;
use judica_episode::eval_json::read_eval;
use judica_episode::plot;
use judica_model::chart::BarChart;
use judica_model::exit_code::ExitCode;
use judica_report::figure::png::{PngError, largest_scale};
use judica_report::figure::{bars, strip};
use judica_run::open::Run;
use judica_run::plot::Groups;

use super::files::{shown, write};
use super::pictures::{PIXELS, Pictures};
use crate::args::episode::{PlotArgs, PlotBy};
use crate::failure::Failure;
use crate::screen;

/// Draws a figure.
pub fn run(args: &PlotArgs) -> Result<ExitCode, Failure> {
    let pictures = Pictures::named("--out", &args.out)?;
    let figure = match &args.strip {
        Some(details) => {
            let title = args.title.as_deref().unwrap_or("Which steps fail");
            let chart = plot::strip(details, args.rows, title)?;
            Figure {
                svg: strip::svg(&chart),
                png: Box::new(move |scale| strip::png(&chart, scale)),
            }
        }
        None => {
            let chart = chart(args)?;
            if chart.series.len() > bars::MOST_SERIES {
                return Err(Failure::Usage(format!(
                    "{} series of bars are more than can be told apart in one figure ({}); draw \
                     fewer runs or files, or aggregate them",
                    chart.series.len(),
                    bars::MOST_SERIES
                )));
            }
            Figure {
                svg: bars::svg(&chart),
                png: Box::new(move |scale| bars::png(&chart, scale)),
            }
        }
    };
    // What was asked for is drawn or refused; only what nobody asked for is made to fit.
    if let (Some(scale), Some(_)) = (args.scale, &pictures.png) {
        let largest = largest_scale(&figure.svg)?;
        if scale > largest {
            let message = format!("--scale {scale}: this figure takes at most {largest:.2}");
            return Err(Failure::Usage(message));
        }
    }
    if let Some(path) = &pictures.svg {
        write(path, figure.svg.as_bytes())?;
        screen::print(&format!("figure: {}\n", shown(path)));
    }
    if let Some(path) = &pictures.png {
        write(path, &(figure.png)(args.scale.unwrap_or(PIXELS))?)?;
        screen::print(&format!("figure: {}\n", shown(path)));
    }
    Ok(ExitCode::Done)
}

/// A figure in both forms; pixels only if they are asked for.
struct Figure {
    svg: String,
    png: Box<dyn Fn(f32) -> Result<Vec<u8>, PngError>>,
}

/// The bars of runs or of eval files.
fn chart(args: &PlotArgs) -> Result<BarChart, Failure> {
    let title = args.title.as_deref();
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
        return Ok(judica_run::plot::bars(&runs, &args.metrics, groups, title)?);
    }
    let mut files = Vec::new();
    for (label, path) in labels(&args.files, &args.labels)?
        .into_iter()
        .zip(&args.files)
    {
        files.push((label, read_eval(path)?));
    }
    let title = title.unwrap_or("Evaluation");
    Ok(plot::bars(&files, &args.metrics, title)?)
}
