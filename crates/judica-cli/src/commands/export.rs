//! `judica export`

use std::cell::Cell;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use judica_data::atomic::AtomicFile;
use judica_data::error::DataError;
use judica_data::work_error::WorkError;
use judica_model::exit_code::ExitCode;
use judica_report::{Format, Style, csv_field, render};
use judica_run::export::every_eval_ever::EVERY_EVAL_EVER;
use judica_run::export::inspect::INSPECT;
use judica_run::export::logs::{Shape, logs, write_log, write_logs};
use judica_run::export::{csv_cells, csv_names, each_of, table_of};
use judica_run::index::Index;
use judica_run::index::query::{AFTER, Query};
use judica_run::layout::head;
use judica_run::manifest::name;
use judica_run::open::Run;
use judica_stats::clusters::Intervals;

use super::families::json_writer;
use super::files::shown;
use super::threads;
use crate::args::{ExportArgs, ExportFormat};
use crate::failure::Failure;
use crate::screen;

/// Writes a run in another format.
pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let asked = query(args)?;
    let run = Run::open(&args.run)?;
    let to_stdout = args.out.as_os_str() == "-";
    match args.format {
        ExportFormat::Inspect => return as_logs(&run, &INSPECT, &args.out),
        ExportFormat::EveryEvalEver => return as_logs(&run, &EVERY_EVAL_EVER, &args.out),
        _ => {}
    }
    if to_stdout && args.format == ExportFormat::Parquet {
        return Err(Failure::Usage(
            "--format parquet needs a file: add --out FILE".to_owned(),
        ));
    }
    let rows = asked.map(|query| chosen(&run, &query)).transpose()?;
    let rows = rows.as_deref();
    if to_stdout {
        let closed = Cell::new(false);
        let out = io::BufWriter::with_capacity(1 << 20, screen::Out);
        match write(&run, args.format, rows, out, &args.out, &closed) {
            // Who reads us has seen enough (`judica export … | head`).
            Err(_) if closed.get() => {}
            written => drop(written?),
        }
    } else {
        let out = AtomicFile::create(&args.out)?;
        let closed = Cell::new(false);
        write(&run, args.format, rows, out, &args.out, &closed)?.commit()?;
    }
    Ok(ExitCode::Done)
}

/// What `--where` asks, if anything.
fn query(args: &ExportArgs) -> Result<Option<Query>, Failure> {
    if args.conditions.is_empty() {
        return Ok(None);
    }
    use ExportFormat::{Csv, Jsonl, Parquet};
    if !matches!(args.format, Csv | Jsonl | Parquet) {
        return Err(Failure::Usage(
            "--where picks records: it goes with --format jsonl, csv or parquet".to_owned(),
        ));
    }
    let mut pairs = Vec::new();
    for condition in &args.conditions {
        let pair = condition.split_once('=').ok_or_else(|| {
            Failure::Usage(format!("--where {condition}: a condition is NAME=VALUE"))
        })?;
        if pair.0 == AFTER {
            let why = format!("--where {condition}: a list is written as a whole");
            return Err(Failure::Usage(why));
        }
        pairs.push(pair);
    }
    let query = Query::parse(pairs).map_err(|refused| Failure::Usage(refused.to_string()))?;
    Ok(Some(query))
}

/// The rows of a run that are asked for, in their order.
fn chosen(run: &Run, query: &Query) -> Result<Vec<u64>, Failure> {
    let index = Index::build(run, threads(None), &|_| (), &AtomicBool::new(false))?;
    let filter = index.filter(query).map_err(WorkError::from)?;
    let rows = index.rows(&filter);
    screen::tell(&format!("{} of {} records", rows.len(), index.len()));
    Ok(rows)
}

/// What is written to, by the name a person knows it by.
fn named(out: &Path) -> &Path {
    match out.as_os_str() == "-" {
        true => Path::new("standard output"),
        false => out,
    }
}

/// Writes what each subject did on each data set as a log of its own.
fn as_logs(run: &Run, shape: &Shape, out: &Path) -> Result<ExitCode, Failure> {
    let intervals = Intervals::on_threads(threads(None));
    let logs = logs(run, &intervals)?;
    if logs.is_empty() {
        let why = format!("{}: the run has no records", run.path.display());
        return Err(WorkError::BadInput(why).into());
    }
    if !run.records()?.columns().contains(&head::TEXTS[2]) {
        screen::tell(
            "note: the run holds no texts, and neither does what is written (--keep-text)",
        );
    }
    let to_stdout = out.as_os_str() == "-";
    let closed = Cell::new(false);
    let failed = |error: io::Error| -> WorkError {
        closed.set(error.kind() == io::ErrorKind::BrokenPipe);
        DataError::writing(named(out), error).into()
    };
    let only = match logs.as_slice() {
        [only] if shape.beside.is_none() && !out.is_dir() => only,
        several if to_stdout => {
            return Err(Failure::Usage(format!(
                "several files are written ({} data sets and subjects): add --out DIR",
                several.len()
            )));
        }
        several => {
            let files = write_logs(run, shape, several, out)?;
            screen::tell(&format!("{} files in {}", files.len(), shown(out)));
            return Ok(ExitCode::Done);
        }
    };
    if to_stdout {
        match write_log(
            run,
            shape,
            only,
            &mut io::BufWriter::new(screen::Out),
            &failed,
        ) {
            Err(_) if closed.get() => {}
            written => written?,
        }
    } else {
        let mut file = AtomicFile::create(out)?;
        write_log(run, shape, only, &mut file, &failed)?;
        file.commit()?;
    }
    Ok(ExitCode::Done)
}

fn write<W: Write + Send>(
    run: &Run,
    format: ExportFormat,
    rows: Option<&[u64]>,
    mut out: W,
    path: &Path,
    closed: &Cell<bool>,
) -> Result<W, Failure> {
    let failed = |error: io::Error| -> WorkError {
        closed.set(error.kind() == io::ErrorKind::BrokenPipe);
        DataError::writing(named(path), error).into()
    };
    let mut line = Vec::new();
    match format {
        ExportFormat::Jsonl => {
            let write = json_writer(run)?;
            each_of(run, rows, &mut |record, own| {
                line.clear();
                write(record, own, &mut line)?;
                out.write_all(&line).map_err(failed)
            })?;
        }
        ExportFormat::Csv => {
            let names = csv_names(run)?;
            let texts = names.iter().any(|name| name == head::TEXTS[0]);
            let mut write = |cells: &[Option<String>]| {
                // Nothing for null; an empty text is a quoted one.
                let field = |cell: &Option<String>| cell.as_deref().map(csv_field);
                let cells: Vec<String> = cells
                    .iter()
                    .map(|cell| field(cell).unwrap_or_default())
                    .collect();
                out.write_all(format!("{}\n", cells.join(",")).as_bytes())
                    .map_err(failed)
            };
            write(&names.into_iter().map(Some).collect::<Vec<_>>())?;
            each_of(run, rows, &mut |record, _| write(&csv_cells(record, texts)))?;
        }
        ExportFormat::Parquet => match rows {
            Some(rows) => out = table_of(run, rows, out)?,
            None => {
                let path = run.path.join(name::RECORDS);
                let mut table =
                    std::fs::File::open(&path).map_err(|error| DataError::reading(&path, error))?;
                io::copy(&mut table, &mut out).map_err(failed)?;
            }
        },
        ExportFormat::Latex | ExportFormat::Markdown => {
            let format = match format {
                ExportFormat::Latex => Format::Latex,
                _ => Format::Markdown,
            };
            for (position, table) in run.tables()?.iter().enumerate() {
                let gap = if position > 0 { "\n" } else { "" };
                let text = format!("{gap}{}", render(table, format, &Style::default()));
                out.write_all(text.as_bytes()).map_err(failed)?;
            }
        }
        // These are no single file: see above.
        ExportFormat::Inspect | ExportFormat::EveryEvalEver => {}
    }
    out.flush().map_err(failed)?;
    Ok(out)
}
