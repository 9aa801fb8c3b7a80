//! What the terminal can show: colour, width, progress.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use judica_model::table::Table;
pub use judica_report::visible_lines;
use judica_report::{Format, Style, render, uncommanded, uncommanded_json};

use crate::failure::Failure;
use crate::inside;

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
    error_terminal() && !no_color()
}

/// Whether a person looks at standard output.
fn terminal() -> bool {
    inside::here().is_none() && io::stdout().is_terminal()
}

/// Whether a person looks at standard error.
fn error_terminal() -> bool {
    inside::here().is_none() && io::stderr().is_terminal()
}

/// How tables look on standard output.
pub fn style() -> Style {
    let terminal = terminal();
    let width = terminal
        .then(|| console::Term::stdout().size().1)
        .filter(|width| *width > 0);
    Style {
        color: terminal && !no_color(),
        width: width.or(Some(DEFAULT_WIDTH)),
    }
}

/// Whether standard output has failed before: what follows the gap would mislead.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes text for people to standard output. That nobody reads it, or that it cannot be
/// written, changes neither what was found nor which files are left. Nothing in it commands
/// a CI runner: names in reports are data.
pub fn print(text: &str) {
    print_bytes(uncommanded(text).as_bytes());
}

/// The same for text that must arrive as it is: records for programs, and commands.
pub fn print_exact(text: &str) {
    print_bytes(text.as_bytes());
}

fn print_bytes(bytes: &[u8]) {
    if LOST.load(Ordering::Relaxed) {
        return;
    }
    if let Err(error) = write_out(bytes) {
        LOST.store(true, Ordering::Relaxed);
        // A reader that has gone (`judica … | head`) has seen what it wanted.
        if error.kind() != io::ErrorKind::BrokenPipe {
            tell(&format!("standard output: {error}"));
        }
    }
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = Out;
    out.write_all(bytes)?;
    out.flush()
}

/// Standard output, or what a call keeps of it.
pub struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match inside::here() {
            Some(call) => {
                call.print(bytes);
                Ok(bytes.len())
            }
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match inside::here() {
            Some(_) => Ok(()),
            None => io::stdout().flush(),
        }
    }
}

/// Writes the very thing that was asked for to standard output, where that stands in for a
/// file: unlike a report on the screen, its loss is a failure. A reader that has gone is
/// none.
pub fn deliver(bytes: &[u8]) -> Result<(), Failure> {
    delivered(write_out(bytes))
}

/// What became of writing to standard output in place of a file.
pub fn delivered(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::System(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Says something on standard error, after the program's name. Nobody is left to tell if
/// that fails.
pub fn tell(text: &str) {
    tell_plainly(&format!("judica: {text}"));
}

/// Says something on standard error that names its own origin.
pub fn tell_plainly(text: &str) {
    tell_exact(&uncommanded(text));
}

/// The same for what is meant as a command to a CI runner.
pub fn tell_exact(text: &str) {
    if let Some(call) = inside::here() {
        return call.tell(text);
    }
    let _ = io::stderr()
        .lock()
        .write_all(format!("{text}\n").as_bytes());
}

/// Writes a file's text to standard output: byte for byte to whoever keeps it, and as it
/// can be shown to whoever looks at it.
pub fn deliver_text(text: &str) -> Result<(), Failure> {
    match terminal() {
        true => deliver(visible_lines(text).as_bytes()),
        false => deliver(text.as_bytes()),
    }
}

/// Prints a table for people.
pub fn print_table(table: &Table) {
    let mut text = render(table, Format::Terminal, &style());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    print(&text);
}

/// Prints pretty JSON.
pub fn print_json(value: &impl serde::Serialize) {
    print_json_bytes(&judica_data::json::json_bytes(value));
}

/// Prints what is JSON already.
pub fn print_json_bytes(json: &[u8]) {
    let text = String::from_utf8_lossy(json);
    print_bytes(uncommanded_json(&text).as_bytes());
}

/// A count that grows, on standard error, if that is a terminal.
pub fn counter(what: &str) -> ProgressBar {
    progress(what, "{spinner} {human_pos} {msg}  {per_sec}  {elapsed}")
}

/// Works while the bytes that have been read are counted on standard error, if that is a
/// terminal.
pub fn reading<T>(work: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T) -> T {
    let bar = progress(
        "read",
        "{spinner} {bytes} {msg}  {bytes_per_sec}  {elapsed}",
    );
    let done = work(&|bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    done
}

/// Calls to a server, with what their prefix says they are about.
pub fn calls() -> ProgressBar {
    progress(
        "",
        "{spinner} {prefix}  {human_pos}/{human_len} calls  {msg}",
    )
}

fn progress(what: &str, template: &str) -> ProgressBar {
    let target = if error_terminal() {
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
    if let Some(call) = inside::here() {
        call.shows(&bar);
    }
    bar
}
