//! `judica calibrate`

use std::collections::BTreeSet;

use judica_model::exit_code::ExitCode;
use judica_model::table::counted;
use judica_verify::calibrate::fit::{FitOptions, fit};
use judica_verify::calibrate::{CalibrateRequest, calibrate};
use judica_verify::eval::InputFile;
use judica_verify::protocol::load::load;

use crate::args::CalibrateArgs;
use crate::failure::Failure;
use crate::screen;

/// Runs the protocol on the gold and shows what it breaks.
pub fn run(args: &CalibrateArgs) -> Result<ExitCode, Failure> {
    let samples = args.samples.iter().map(|path| InputFile::new(path));
    let request = CalibrateRequest {
        protocol: load(&args.protocol)?,
        samples: samples.collect(),
        task: args.task.clone(),
        columns: args.columns.options(),
        tolerated_percent: args.tolerate,
        strict: args.strict,
        threads: super::threads(None),
    };
    if args.fit {
        let (quantile, margin) = (args.quantile, args.margin);
        screen::deliver_text(&fit(&request, FitOptions { quantile, margin })?)?;
        return Ok(ExitCode::Done);
    }
    let found = calibrate(&request)?;
    if let Some(why) = found.nothing_checked() {
        return Err(Failure::Usage(why));
    }
    if args.json {
        screen::print_json(&found);
    } else {
        screen::print_table(&found.table());
        screen::print(&format!(
            "\n{} samples, {} with gold, {} lines refused\n",
            found.samples, found.with_gold, found.rejects
        ));
        if found.gold.given > found.gold.usable {
            screen::print(&format!(
                "{} more with gold of no use: {}\n",
                found.gold.given - found.gold.usable,
                found.gold.reasons()
            ));
        }
        if let Some(problems) = found.gold.named_problems() {
            screen::print(&format!("{}\n", judica_report::visible(&problems)));
        }
        for example in &found.reject_examples {
            screen::print(&format!("  {}\n", judica_report::visible(example)));
        }
        for read in &found.read {
            screen::print(&format!("{}\n", judica_report::visible(read)));
        }
        let broken = found.rules.iter().filter(|rule| rule.broken);
        // A rule is listed once for each of its fields.
        let broken: BTreeSet<&str> = broken.map(|rule| rule.rule.as_str()).collect();
        screen::print(&match broken.len() {
            0 => format!(
                "no rule is violated by more than {} % of the truth\n",
                args.tolerate
            ),
            n => format!(
                "{} violated by more than {} % of the truth: mend {} before trusting a verdict\n",
                counted(n as u64, ["rule is", "rules are"]),
                args.tolerate,
                if n == 1 { "it" } else { "them" }
            ),
        });
    }
    Ok(if found.any_broken() {
        ExitCode::GateFailed
    } else {
        ExitCode::Done
    })
}
