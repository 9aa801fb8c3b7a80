//! `judica release`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::Ordering;

use judica_data::atomic::write_atomic;
use judica_data::limits;
use judica_data::work_error::WorkError;
use judica_gate::release::{
    Config, Outcome, ReleaseReport, Runs, Step, StepStatus, release, tables,
};
use judica_model::exit_code::ExitCode;
use judica_report::{Format, Style, render};

use super::ending::{Accounting, end, publish};
use super::files::write;
use super::paths::{DEFAULT_REJECTS, touched};
use crate::args::Command;
use crate::args::agree::AgreeOf;
use crate::args::gate::{GateFiles, GateOf, ReleaseArgs};
use crate::failure::Failure;
use crate::touched::Touched;
use crate::{help, interrupt, screen};

/// Runs several evaluations and gates in one go.
pub fn run(args: &ReleaseArgs) -> Result<ExitCode, Failure> {
    let config = Config::load(&args.config, runs)?;
    nothing_is_overwritten(args, &config)?;
    let bar = screen::counter_to("steps", config.steps.len() as u64);
    let run = |step: &Step| {
        if interrupt::interrupted().load(Ordering::Relaxed) {
            return Err(WorkError::Interrupted);
        }
        bar.set_message(step.name.clone());
        let ran = run_step(&config, step, args.show.undefined.allow_undefined);
        bar.inc(1);
        ran
    };
    let report = release(&config, args.show.undefined.allow_undefined, run, keep);
    bar.finish_and_clear();
    let report = report?;
    show(args, &report)?;
    Ok(exit_code(&report))
}

/// No report may take the place of what is read, or of another one.
fn nothing_is_overwritten(args: &ReleaseArgs, config: &Config) -> Result<(), Failure> {
    let below = |path: &PathBuf| config.folder.join(path);
    let files = &args.show.files;
    let outputs = || {
        Touched::default()
            .writes("--out", &args.out)
            .writes("--junit", &files.junit)
            .writes("--markdown", &files.markdown)
    };
    let mut held = Touched::default().reads([&args.config]);
    for step in &config.steps {
        held = held
            .reads_gates(&step.gates.as_ref().map(below))
            .reads(&step.baseline.as_ref().map(below));
    }
    let reports = |outputs: Touched, step: &Step| {
        let report = below(&step.report);
        outputs.writes(&option(step), [&report])
    };
    let all = config.steps.iter().fold(outputs(), reports);
    all.keeps_inputs_of(&held).check()?;
    let commands: Vec<Touched> = (config.steps.iter())
        .map(|step| command(step).below(&config.folder))
        .collect();
    let named = || config.steps.iter().map(option).zip(&commands);
    for (at, step) in config.steps.iter().enumerate() {
        let mut report = reports(Touched::default(), step);
        let own = Touched::default().outputs_of(&option(step), &commands[at]);
        let mut own = own.keeps_inputs_of(&held);
        for (place, (other, command)) in named().enumerate() {
            // Its own report in a file may be kept there, too.
            let mine: &[&str] = if place == at { &["--out"] } else { &[] };
            report = report.keeps_outputs_of(&other, command, mine);
            // A step may read what one before it has left.
            if place <= at {
                report = report.keeps_inputs_of(command);
            }
            // What a command does to its own files it tells itself.
            if place < at {
                own = own.keeps_inputs_of(command);
                own = own.keeps_outputs_of(&other, command, &SHARED);
            }
        }
        report.check()?;
        own.check()?;
    }
    let all = named().fold(outputs(), |outputs, (step, command)| {
        let outputs = outputs.keeps_inputs_of(command);
        outputs.keeps_outputs_of(&step, command, &[])
    });
    all.check()
}

/// What several steps may write: replies are added to those that are there, and nobody asked
/// for the file of rejects.
const SHARED: [&str; 2] = ["--cache", DEFAULT_REJECTS];

/// What a step is called where its report is an output.
fn option(step: &Step) -> String {
    format!("step `{}`:", step.name)
}

/// What the command of a step reads and writes; one that cannot be parsed does neither.
fn command(step: &Step) -> Touched {
    parsed(&step.run).map_or_else(Touched::default, |command| touched(&command))
}

/// What the words of a step run, if they can be parsed.
fn runs(words: &[String]) -> Option<Runs> {
    Some(match parsed(words)? {
        Command::Release(_) => Runs::Release,
        Command::Agree(args) if matches!(args.of, AgreeOf::Pairs(_)) => Runs::Gates,
        Command::Gate(args) if !matches!(args.of, GateOf::Init(_)) => Runs::Gates,
        _ => Runs::Else,
    })
}

fn parsed(words: &[String]) -> Option<Command> {
    let words = ["judica"]
        .into_iter()
        .chain(words.iter().map(String::as_str));
    let arguments = help::parse(words.map(OsString::from)).ok()?;
    Some(arguments.command)
}

/// Runs a step as a process of its own: whatever becomes of it, the others are run.
fn run_step(config: &Config, step: &Step, allow_undefined: bool) -> Result<Outcome, WorkError> {
    let failed = |error: std::io::Error| WorkError::Artifact {
        artifact: format!("step `{}`", step.name),
        reason: format!("cannot be run: {error}"),
    };
    let mut command = interrupt::ourselves().map_err(failed)?;
    command.args(&step.run).arg("--json").stdin(Stdio::null());
    // A step that says itself what an undefined number means has the last word.
    let says = |word: &String| UNDEFINED.contains(&word.as_str());
    if allow_undefined && step.holds_gates && !step.run.iter().any(says) {
        command.arg(UNDEFINED[0]);
    }
    let limited = |word: &String| word.starts_with(MAX_LINE);
    if limits::longest() != limits::DEFAULT_LONGEST && !step.run.iter().any(limited) {
        command.arg(format!("{MAX_LINE}={}", limits::longest()));
    }
    if !config.folder.as_os_str().is_empty() {
        command.current_dir(&config.folder);
    }
    let output = interrupt::run(&mut command).map_err(failed)?;
    if interrupt::interrupted().load(Ordering::Relaxed) {
        return Err(WorkError::Interrupted);
    }
    Ok(Outcome {
        exit_code: output.status.code(),
        complaint: complaint(&output),
        printed: output.stdout,
    })
}

/// What a step said; of one that was killed, first by what: it may not have said anything.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(_) => said.into_owned(),
        None => format!("ended by {}\n{said}", output.status),
    }
}

/// The limit of the release is that of its steps.
const MAX_LINE: &str = "--max-line";

/// Lets a gate over an undefined number pass; and what says that it must not.
const UNDEFINED: [&str; 2] = ["--allow-undefined", "--strict-gates"];

fn keep(path: &Path, report: &[u8]) -> Result<(), WorkError> {
    Ok(write_atomic(path, report)?)
}

fn show(args: &ReleaseArgs, report: &ReleaseReport) -> Result<(), Failure> {
    let about = format!("release {}", report.name);
    if let Some(path) = &args.show.files.markdown {
        let [steps, ..] = &tables(report)[..] else {
            return Ok(());
        };
        let mut text = render(steps, Format::Markdown, &Style::default());
        text.push('\n');
        text.push_str(&judica_report::gates::markdown("Gates", &report.gates));
        write(path, text.as_bytes())?;
    }
    let others = GateFiles {
        markdown: None,
        junit: args.show.files.junit.clone(),
        github: args.show.files.github,
    };
    let shown = &args.report;
    publish(
        &others,
        shown.json,
        &about,
        Some(&args.config),
        &report.gates,
    )?;
    let status = Accounting::default().verdict(report.status.name());
    end(shown, args.out.as_deref(), report, &tables(report), status)
}

/// The worst that happened: what could not be run, before what failed.
fn exit_code(report: &ReleaseReport) -> ExitCode {
    let errors = report
        .steps
        .iter()
        .filter(|step| step.status == StepStatus::Error);
    let codes: Vec<i32> = errors.map(|step| step.exit_code.unwrap_or(3)).collect();
    match report.status {
        StepStatus::Pass => ExitCode::Done,
        StepStatus::Fail => ExitCode::GateFailed,
        StepStatus::Error if codes.iter().all(|code| *code == 2) => ExitCode::BadInput,
        StepStatus::Error => ExitCode::SystemError,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn a_killed_step_names_its_signal() {
        let ended = |raw: i32| {
            complaint(&Output {
                status: ExitStatus::from_raw(raw),
                stdout: Vec::new(),
                stderr: b"said".to_vec(),
            })
        };
        assert_eq!(ended(9), "ended by signal: 9 (SIGKILL)\nsaid");
        assert_eq!(ended(2 << 8), "said");
    }
}
