//! `judica export`

use std::cell::Cell;
use std::io::{self, Write};
use std::path::Path;

use judica_data::atomic::AtomicFile;
use judica_data::error::DataError;
use judica_model::exit_code::ExitCode;
use judica_report::{Format, Style, render};
use judica_verify::export;
use judica_verify::stored::folder::RunFolder;
use judica_verify::summary::tables::paper_tables;

use crate::args::{ExportArgs, ExportFormat};
use crate::failure::Failure;

/// Writes a run in another format.
pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let run = RunFolder::open(&args.run)?;
    let to_stdout = args.out.as_os_str() == "-";
    if to_stdout && args.format == ExportFormat::Parquet {
        return Err(Failure::Usage(
            "--format parquet needs a file: add --out FILE".to_owned(),
        ));
    }
    if to_stdout {
        let closed = Cell::new(false);
        let out = io::BufWriter::with_capacity(1 << 20, io::stdout());
        match write(&run, args.format, out, &args.out, &closed) {
            // Who reads us has seen enough (`judica export … | head`).
            Err(_) if closed.get() => {}
            written => drop(written?),
        }
    } else {
        let out = AtomicFile::create(&args.out)?;
        write(&run, args.format, out, &args.out, &Cell::new(false))?.commit()?;
    }
    Ok(ExitCode::Done)
}

fn write<W: Write + Send>(
    run: &RunFolder,
    format: ExportFormat,
    mut out: W,
    path: &Path,
    closed: &Cell<bool>,
) -> Result<W, Failure> {
    let failed = |error: io::Error| -> Failure {
        closed.set(error.kind() == io::ErrorKind::BrokenPipe);
        DataError::writing(path, error).into()
    };
    match format {
        ExportFormat::Jsonl => export::jsonl(run, &mut |line| out.write_all(line).map_err(failed))?,
        ExportFormat::Csv => export::csv(run, &mut |cells| {
            let line: Vec<String> = cells
                .iter()
                .map(|cell| judica_report::csv_field(cell))
                .collect();
            out.write_all(format!("{}\n", line.join(",")).as_bytes())
                .map_err(failed)
        })?,
        ExportFormat::Parquet => return Ok(export::parquet(run, out)?),
        ExportFormat::Latex | ExportFormat::Markdown => {
            let format = if format == ExportFormat::Latex {
                Format::Latex
            } else {
                Format::Markdown
            };
            for (position, table) in paper_tables(&run.summary()?).iter().enumerate() {
                let gap = if position > 0 { "\n" } else { "" };
                let text = format!("{gap}{}", render(table, format, &Style::default()));
                out.write_all(text.as_bytes()).map_err(failed)?;
            }
        }
    }
    out.flush().map_err(failed)?;
    Ok(out)
}
