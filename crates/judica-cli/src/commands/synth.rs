//! `judica synth`

use std::io::Write;
use std::path::Path;
use std::str::FromStr;

use judica_data::atomic::{AtomicFile, prepare_folder};
use judica_data::error::DataError;
use judica_model::exit_code::ExitCode;
use judica_model::text::shell_path;
use judica_synth::{Domain, SynthOptions, write_confidence, write_outputs, write_samples};

use super::files::{hold, shown};
use crate::args::SynthArgs;
use crate::failure::Failure;
use crate::screen;

/// The files of a synthetic data set.
pub const FILES: [&str; 3] = [SAMPLES, OUTPUTS, CONFIDENCE];
/// Names of the files of a synthetic data set.
pub const SAMPLES: &str = "samples.jsonl";
/// Names of the files of a synthetic data set.
pub const OUTPUTS: &str = "outputs.jsonl";
/// Names of the files of a synthetic data set.
pub const CONFIDENCE: &str = "confidence.json";

/// Writes a data set.
pub fn run(args: &SynthArgs) -> Result<ExitCode, Failure> {
    let options = SynthOptions {
        samples: args.samples,
        models: args.models,
        seed: args.seed,
        tasks: args.tasks.clone(),
    };
    let _held = hold(&args.out)?;
    let (samples, outputs) = write(domain(&args.domain)?, &options, &args.out)?;
    let out = shown(&args.out);
    screen::print(&format!(
        "{samples} samples and {outputs} outputs in {out}\n"
    ));
    let at = |name: &str| shell_path(&args.out.join(name));
    screen::print(&format!(
        "next: judica eval --protocol {} --samples {} --outputs {} --confidence {} --out {}\n",
        args.domain,
        at(SAMPLES),
        at(OUTPUTS),
        at(CONFIDENCE),
        at("run")
    ));
    Ok(ExitCode::Done)
}

/// The domain of a name.
pub fn domain(name: &str) -> Result<Domain, Failure> {
    Domain::from_str(name).map_err(Failure::Usage)
}

/// Writes a data set into a folder; says how many samples and outputs.
pub fn write(domain: Domain, options: &SynthOptions, out: &Path) -> Result<(u64, u64), Failure> {
    prepare_folder(out)?;
    let samples = to_file(&out.join(SAMPLES), |file| {
        write_samples(domain, options, file)
    })?;
    let all = samples.saturating_mul(u64::from(options.models));
    let bar = screen::counter_to("outputs written", all);
    let outputs = to_file(&out.join(OUTPUTS), |file| {
        write_outputs(domain, options, file, &mut |n| bar.set_position(n))
    })?;
    bar.finish_and_clear();
    to_file(&out.join(CONFIDENCE), |file| {
        write_confidence(domain, options, file)
    })?;
    Ok((samples, outputs))
}

fn to_file<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<T>,
) -> Result<T, Failure> {
    let mut file = AtomicFile::create(path)?;
    let written = write(&mut file).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput => Failure::Usage(error.to_string()),
        _ => DataError::writing(path, error).into(),
    })?;
    file.commit()?;
    Ok(written)
}
