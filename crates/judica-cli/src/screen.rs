//! What the terminal can show: colour, width, progress.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use judica_model::table::Table;
use judica_report::{Format, Style, render};

use crate::failure::Failure;

/// Columns to use where no terminal says how wide it is, e.g. in a CI log.
const DEFAULT_WIDTH: u16 = 120;

/// Whether `NO_COLOR` asks for plain text (any non-empty value does).
#[expect(
    clippy::disallowed_methods,
    reason = "the edge: decides only how the screen looks"
)]
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var("TERM").is_ok_and(|term| term == "dumb")
}

/// Whether standard error shows colour.
pub fn error_color() -> bool {
    io::stderr().is_terminal() && !no_color()
}

/// How tables look on standard output.
pub fn style() -> Style {
    let terminal = io::stdout().is_terminal();
    let width = terminal
        .then(|| console::Term::stdout().size().1)
        .filter(|width| *width > 0);
    Style {
        color: terminal && !no_color(),
        width: width.or(Some(DEFAULT_WIDTH)),
    }
}

/// Writes text to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    write_all(text.as_bytes())
}

/// Writes bytes to standard output. A reader that has gone (`judica … | head`) is no
/// failure of ours.
pub fn write_all(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::OutputClosed),
        Err(error) => Err(Failure::System(format!("standard output: {error}"))),
    }
}

/// Prints a table for people.
pub fn print_table(table: &Table) -> Result<(), Failure> {
    let mut text = render(table, Format::Terminal, &style());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    print(&text)
}

/// Prints pretty JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    write_all(&judica_data::json::json_bytes(value))
}

/// A count that grows, on standard error, if that is a terminal.
pub fn counter(what: &str) -> ProgressBar {
    progress(what, "{spinner} {human_pos} {msg}  {per_sec}  {elapsed}")
}

/// Bytes that have been worked through, on standard error, if that is a terminal.
pub fn byte_counter(what: &str) -> ProgressBar {
    progress(what, "{spinner} {bytes} {msg}  {bytes_per_sec}  {elapsed}")
}

/// Calls to a server, with what their prefix says they are about.
pub fn calls() -> ProgressBar {
    progress(
        "",
        "{spinner} {prefix}  {human_pos}/{human_len} calls  {msg}",
    )
}

fn progress(what: &str, template: &str) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(None, target);
    // The templates are constants that indicatif accepts; a refusal would only cost looks.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar
}
