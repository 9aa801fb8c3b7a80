//! `judica plot`

use judica_episode::eval_json::read_eval;
use judica_episode::plot;
use judica_model::exit_code::ExitCode;
use judica_report::figure::png::{PngError, largest_scale};
use judica_report::figure::{bars, strip};

use super::files::{shown, write};
use super::pictures::{PIXELS, Pictures};
use crate::args::episode::PlotArgs;
use crate::failure::Failure;
use crate::screen;

/// Draws a figure.
pub fn run(args: &PlotArgs) -> Result<ExitCode, Failure> {
    let pictures = Pictures::named("--output", &args.output)?;
    if args.files.len() > bars::MOST_SERIES {
        let message = format!(
            "--files: {} files are more than can be told apart in one figure ({}); draw fewer, or \
             aggregate them",
            args.files.len(),
            bars::MOST_SERIES
        );
        return Err(Failure::Usage(message));
    }
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
            let title = args.title.as_deref().unwrap_or("Evaluation");
            let chart = plot::bars(&files(args)?, &args.metrics, title)?;
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

/// The eval files with their labels.
fn files(args: &PlotArgs) -> Result<Vec<(String, judica_episode::eval_json::EvalFile)>, Failure> {
    let labels = judica_episode::compare::labels(&args.files, &args.labels)?;
    let mut files = Vec::new();
    for (label, path) in labels.into_iter().zip(&args.files) {
        files.push((label, read_eval(path)?));
    }
    Ok(files)
}
