//! One file per command.

mod aggregate;
mod agree;
mod calibrate;
mod compare;
mod completions;
pub mod dealt;
mod demo;
mod efficiency;
mod ending;
mod episodes;
mod eval;
mod explain;
mod export;
mod families;
pub mod files;
pub mod finish;
mod gate;
mod import;
mod judge;
mod lint;
mod logs;
mod look;
mod matching;
mod pace;
mod paths;
mod pictures;
mod plan;
mod plot;
mod reference;
mod rejects;
mod release;
mod report;
mod reproduce;
mod reviewer;
mod rules;
mod runs;
mod schema;
mod show;
mod synth;
mod view;

use std::path::Path;

use judica_model::exit_code::ExitCode;

use crate::args::{Arguments, Command};
use crate::failure::Failure;

/// Runs the command.
pub fn run(mut arguments: Arguments) -> Result<ExitCode, Failure> {
    paths::expand(&mut arguments.command)?;
    paths::touched(&arguments.command).check()?;
    judica_data::limits::set_longest(arguments.longest());
    match arguments.command {
        Command::Demo(args) => demo::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Show(args) => show::run(&args),
        Command::View(args) => view::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Finish(args) => finish::run(&args),
        Command::Look(args) => look::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Match(args) => matching::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Efficiency(args) => efficiency::run(&args),
        Command::Episodes(args) => episodes::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Aggregate(args) => aggregate::run(&args),
        Command::Agree(args) => agree::run(&args),
        Command::Gate(args) => gate::run(&args),
        Command::Release(args) => release::run(&args),
        Command::Synth(args) => synth::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Reference(args) => reference::run(&args),
    }
}

/// Refuses what was named as a folder and is none.
fn check_folder(option: &str, given: Option<&Path>) -> Result<(), Failure> {
    match given.filter(|folder| !folder.is_dir()) {
        Some(other) => Err(Failure::Usage(format!(
            "{option} {}: not a folder",
            other.display()
        ))),
        None => Ok(()),
    }
}

/// Threads to use: as many as were asked for, else one per core.
fn threads(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(cores)
}
