//! The figures of `docs/benchmarks.md`: how fast, how small, how much memory.
//!
//! Machines are noisy, so every speed is printed together with its ratio to a
//! parse-only pass over the same file, measured in the same run: reading, hashing and
//! parsing every line and response on one thread, and nothing else.
//!
//! `cargo bench -p judica-cli --bench throughput [-- --outputs N --models K --task S1 --repeat R]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use judica_data::chunks::ChunkReader;
use judica_verify::outputs::{OutputContext, OutputReader};
use judica_verify::protocol::load::load;
use judica_verify::samples::SampleLoader;

const JUDICA: &str = env!("CARGO_BIN_EXE_judica");

struct Settings {
    outputs: u64,
    models: u64,
    task: String,
    repeat: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = settings()?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let samples = settings.outputs / settings.models;
    println!(
        "{} outputs = {} models x {samples} samples, task {}; best of {} runs each",
        settings.outputs, settings.models, settings.task, settings.repeat
    );
    synth(&data, samples, settings.models, &settings.task)?;
    let outputs = data.join("outputs.jsonl");
    let bytes = std::fs::metadata(&outputs)?.len();
    println!(
        "input {:.0} MB, {:.0} bytes per output\n",
        bytes as f64 / 1e6,
        bytes as f64 / settings.outputs as f64
    );

    let best = |mut run: Box<dyn FnMut() -> Result<Run, Box<dyn std::error::Error>>>| -> Result<Run, Box<dyn std::error::Error>> {
        let mut best = run()?;
        for _ in 1..settings.repeat {
            let again = run()?;
            let peak = best.peak_kb.max(again.peak_kb);
            best = if again.time < best.time { again } else { best };
            best.peak_kb = peak;
        }
        Ok(best)
    };
    let parse = best(Box::new(|| parse_only(&data)))?;
    let eval = |data: &Path, records: &'static str, threads: &'static str| {
        let (data, run) = (
            data.to_owned(),
            folder.path().join(format!("run-{records}-{threads}")),
        );
        best(Box::new(move || evaluate(&data, &run, records, threads)))
    };
    let n = settings.outputs as f64;
    let rate = |time: Duration| n / time.as_secs_f64();
    let line = |what: &str, run: &Run| {
        println!(
            "{what:<28} {:>8.2} s {:>10.0} outputs/s   {:>5.2} x parse-only   peak {:>4.0} MB",
            run.time.as_secs_f64(),
            rate(run.time),
            run.time.as_secs_f64() / parse.time.as_secs_f64(),
            run.peak_kb as f64 / 1024.0
        );
    };
    line("parse-only, 1 thread", &parse);
    let one = eval(&data, "parquet", "1")?;
    line("eval to Parquet, 1 thread", &one);
    let two = eval(&data, "parquet", "2")?;
    line("eval to Parquet, 2 threads", &two);
    let none = eval(&data, "none", "2")?;
    line("eval, no records, 2 threads", &none);

    let table = folder.path().join("run-parquet-2").join("records.parquet");
    println!(
        "\nParquet: {:.0} bytes per record",
        std::fs::metadata(&table)?.len() as f64 / n
    );
    println!(
        "two threads against one: {:.2} times",
        one.time.as_secs_f64() / two.time.as_secs_f64()
    );

    let tenth = folder.path().join("tenth");
    synth(
        &tenth,
        samples,
        (settings.models / 10).max(1),
        &settings.task,
    )?;
    let small = eval(&tenth, "parquet", "2")?;
    let factor = settings.models as f64 / (settings.models / 10).max(1) as f64;
    println!(
        "{factor:.0} times the outputs: {:.2} times the time",
        two.time.as_secs_f64() / small.time.as_secs_f64()
    );
    let jsonl = eval(&tenth, "jsonl", "2")?;
    println!(
        "eval to JSONL, 2 threads: {:.0} records/s ({:.0} bytes per record)",
        n / factor / jsonl.time.as_secs_f64(),
        std::fs::metadata(folder.path().join("run-jsonl-2").join("records.jsonl"))?.len() as f64
            * factor
            / n
    );
    std::fs::remove_dir_all(folder.path().join("run-jsonl-2"))?;

    let double = folder.path().join("double");
    synth(&double, samples, settings.models * 2, &settings.task)?;
    let twice = evaluate(&double, &folder.path().join("run-double"), "parquet", "2")?;
    println!(
        "peak memory: {:.0} MB, with twice the outputs {:.0} MB",
        two.peak_kb as f64 / 1024.0,
        twice.peak_kb as f64 / 1024.0
    );
    Ok(())
}

struct Run {
    time: Duration,
    peak_kb: u64,
}

fn settings() -> Result<Settings, Box<dyn std::error::Error>> {
    let mut settings = Settings {
        outputs: 1_000_000,
        models: 100,
        task: "S1".to_owned(),
        repeat: 3,
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let mut value = || args.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--outputs" => settings.outputs = value()?.parse()?,
            "--models" => settings.models = value()?.parse()?,
            "--task" => settings.task = value()?,
            "--repeat" => settings.repeat = value()?.parse()?,
            // cargo passes its own flags, such as --bench.
            _ => {}
        }
    }
    Ok(settings)
}

fn synth(
    out: &Path,
    samples: u64,
    models: u64,
    task: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut command = Command::new(JUDICA);
    command.args([
        "synth",
        "flight",
        "--seed",
        "1",
        "--samples",
        &samples.to_string(),
        "--models",
        &models.to_string(),
    ]);
    if task != "all" {
        command.args(["--task", task]);
    }
    let status = command
        .arg("--out")
        .arg(out)
        .stdout(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err("judica synth failed".into())
    }
}

/// Reads, hashes and parses every line and response; keeps nothing.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn parse_only(data: &Path) -> Result<Run, Box<dyn std::error::Error>> {
    let protocol = load("flight")?;
    let start = Instant::now();
    let mut loader = SampleLoader::new(&protocol, None);
    let mut reader = ChunkReader::new(&[data.join("samples.jsonl")], 1 << 20)?;
    while let Some(chunk) = reader.next_chunk()? {
        for record in chunk.records() {
            loader
                .add(record.bytes, record.position)
                .map_err(|refusal| refusal.detail)?;
        }
    }
    let samples = loader.finish();
    let context = OutputContext {
        protocol: &protocol,
        samples: &samples,
        default_task: None,
        default_model: None,
        of_files: &[],
    };
    let mut parser = OutputReader::new(context);
    let mut reader = ChunkReader::new(&[data.join("outputs.jsonl")], 4 << 20)?;
    let mut parsed = 0;
    while let Some(chunk) = reader.next_chunk()? {
        parsed += parser.read(&chunk).outputs.len();
        reader.recycle(chunk);
    }
    assert!(parsed > 0, "the data set has outputs");
    Ok(Run {
        time: start.elapsed(),
        peak_kb: 0,
    })
}

/// Runs the program itself, as a user would, and watches its memory.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn evaluate(
    data: &Path,
    out: &PathBuf,
    records: &str,
    threads: &str,
) -> Result<Run, Box<dyn std::error::Error>> {
    // Removing what the last run left is not what is measured.
    if out.exists() {
        std::fs::remove_dir_all(out)?;
    }
    let start = Instant::now();
    let mut child = Command::new(JUDICA)
        .args([
            "eval",
            "--protocol",
            "flight",
            "--records",
            records,
            "--threads",
            threads,
            "--samples",
        ])
        .arg(data.join("samples.jsonl"))
        .arg("--outputs")
        .arg(data.join("outputs.jsonl"))
        .arg("--out")
        .arg(out)
        .stdout(Stdio::null())
        .spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    let status = loop {
        // The kernel keeps the peak itself; asking now and then is enough.
        let text = std::fs::read_to_string(&status_file).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
        peak_kb = peak_kb.max(peak.unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let time = start.elapsed();
    if status.success() {
        Ok(Run { time, peak_kb })
    } else {
        Err("judica eval failed".into())
    }
}
