//! A command whose rows an engine deals out to many processes. No folder is held here: the
//! engine holds it for all of them.

use judica_agree::pairs::dealt::DealtPairs;
use judica_answer::matching::dealt::DealtPredictions;
use judica_data::work_error::WorkError;
use judica_run::dealt::Dealt;
use judica_run::pieces::Part;
use judica_verify::dealt::DealtOutputs;

use super::judge::choice;
use super::runs::target_of;
use super::{agree, eval, matching, paths};
use crate::args::agree::AgreeOf;
use crate::args::{Arguments, Command};
use crate::failure::Failure;

/// The command that the arguments name, if its rows can be dealt out.
pub fn job(mut arguments: Arguments) -> Result<Box<dyn Dealt>, Failure> {
    paths::expand(&mut arguments.command)?;
    paths::touched(&arguments.command).check()?;
    let no_run = || WorkError::BadInput("a run in pieces needs a folder (out)".to_owned());
    match arguments.command {
        Command::Eval(args) => {
            args.measure.run.as_ref().ok_or_else(no_run)?;
            Ok(Box::new(DealtOutputs::new(eval::request(&args)?)?))
        }
        Command::Match(mut args) => {
            // What cannot be made in parts by hand cannot be by an engine.
            args.part = Part::new(1, 1);
            args.measure.run.as_ref().ok_or_else(no_run)?;
            let choice = choice(&args.normalizer)?;
            let (request, _) = matching::request(&args, target_of(&args.measure, &args.names)?)?;
            Ok(Box::new(DealtPredictions { request, choice }))
        }
        Command::Agree(args) => match args.of {
            AgreeOf::Pairs(args) if args.pairs.is_some() => {
                args.measure.run.as_ref().ok_or_else(no_run)?;
                let mut request = agree::pairs::request(&args)?;
                request.run = target_of(&args.measure, &args.names)?;
                Ok(Box::new(DealtPairs::new(request)?))
            }
            _ => Err(cannot()),
        },
        _ => Err(cannot()),
    }
}

fn cannot() -> Failure {
    Failure::Usage("only eval, match and agree pairs (with --pairs) are made in pieces".to_owned())
}
