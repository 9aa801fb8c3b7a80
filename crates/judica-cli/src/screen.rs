//! What the terminal can show: colour, width, progress.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use judica_data::ordered::Told;
use judica_model::table::{Table, grouped};
pub use judica_report::visible_lines;
use judica_report::{Format, Style, render, uncommanded, uncommanded_json};

use crate::failure::Failure;
use crate::inside;

/// Columns to use where no terminal says how wide it is, e.g. in a CI log.
const DEFAULT_WIDTH: u16 = 120;

/// How often it is shown that a command still works.
const TICK: Duration = Duration::from_millis(100);

/// What is narrower is a mistake, and would show nothing.
const LEAST_WIDTH: u16 = 20;

/// Whether there is colour, on a terminal or elsewhere: `NO_COLOR` says no and `CLICOLOR_FORCE`
/// yes, by any value that is not empty (nor 0); a terminal that is called `dumb` has none, nor
/// one where `CLICOLOR` is 0.
fn colored(terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let force = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let dumb = set("TERM").is_some_and(|term| term == "dumb");
    let plain = dumb || set("CLICOLOR").is_some_and(|value| value == "0");
    let wanted = force || terminal && !plain;
    inside::here().is_none() && set("NO_COLOR").is_none() && wanted
}

/// Whether standard error shows colour.
pub fn error_color() -> bool {
    colored(error_terminal())
}

/// The same text in red, where standard error shows colour.
pub fn alarm(text: &str) -> String {
    match error_color() {
        true => painted(RED, text),
        false => text.to_owned(),
    }
}

/// How wide whoever looks says that it is, where that is no terminal.
fn told_width() -> Option<u16> {
    let told = std::env::var_os("COLUMNS")?;
    let width: u16 = told.to_str()?.parse().ok()?;
    (inside::here().is_none() && width >= LEAST_WIDTH).then_some(width)
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
        color: colored(terminal),
        width: width.or_else(told_width).or(Some(DEFAULT_WIDTH)),
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

/// A verdict that stands alone on the screen, seen from afar.
pub fn verdict(word: &str) -> String {
    match word {
        _ if !style().color => word.to_owned(),
        "PASS" => painted(GREEN, word),
        _ => painted(RED, word),
    }
}

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";

fn painted(color: &str, text: &str) -> String {
    format!("{color}{text}\u{1b}[0m")
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

/// Says what came of reading the command line: help, or what is wrong with it.
pub fn tell_of_arguments(said: &clap::Error) {
    let is_error = said.use_stderr();
    let text = said.render();
    let text = match colored(if is_error {
        error_terminal()
    } else {
        terminal()
    }) {
        true => text.ansi().to_string(),
        false => text.to_string(),
    };
    match is_error {
        true => tell_plainly(text.trim_end_matches('\n')),
        false => print_exact(&text),
    }
}

/// Says what is meant as a command to a CI runner.
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
    progress(what, "{spinner} {human_pos} {msg}  {rate}  {elapsed}")
}

/// How a count is shown of which the end is known.
const COUNTED: &str = "{spinner} {percent:>3} %  {human_pos} {msg}  {rate}{left}";

/// A count of which the end is known, or guessed better and better: whoever counts sets its
/// length.
pub fn counter_to(what: &str, end: u64) -> ProgressBar {
    let bar = progress(what, COUNTED);
    bar.set_length(end);
    bar
}

/// Works while the bytes of these files that have been read are counted on standard error, if
/// that is a terminal: as a part of them, with the time that is left, if their sizes are known.
pub fn reading<'p, T>(
    files: impl IntoIterator<Item = &'p PathBuf>,
    work: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T,
) -> T {
    let size = size_of(files);
    let bar = progress(
        "read",
        match size {
            Some(_) => {
                "{spinner} {percent:>3} %  {bytes} of {total_bytes} {msg}  {bytes_per_sec}{left}"
            }
            None => "{spinner} {bytes} {msg}  {bytes_per_sec}  {elapsed}",
        },
    );
    if let Some(size) = size {
        bar.set_length(size);
    }
    let done = work(&|bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    done
}

/// Works while things are counted on standard error, if that is a terminal: as a part of all,
/// with the time that is left, from when on it is told how many there are.
pub fn counting<T>(what: &str, work: impl FnOnce(&Told) -> T) -> T {
    let bar = counter(what);
    if error_terminal() {
        bar.enable_steady_tick(TICK);
    }
    let done = work(&|done, all| {
        if let Some(all) = all.filter(|all| bar.length() != Some(*all)) {
            bar.reset_eta();
            bar.set_length(all);
            set_template(&bar, COUNTED);
        }
        bar.set_position(done);
    });
    bar.finish_and_clear();
    done
}

/// How many bytes files have, if all of them are there and not all are empty.
pub fn size_of<'p>(files: impl IntoIterator<Item = &'p PathBuf>) -> Option<u64> {
    let sizes = files.into_iter().map(|file| {
        let there = std::fs::metadata(file).ok()?;
        there.is_file().then_some(there.len())
    });
    sizes.sum::<Option<u64>>().filter(|size| *size > 0)
}

/// Calls to a server, with what their prefix says they are about.
pub fn calls() -> ProgressBar {
    progress(
        "",
        "{spinner} {prefix}  {percent:>3} %  {human_pos} of {human_len} calls  {msg}",
    )
}

/// Whole things in a second.
fn rate(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    let _ = write!(out, "{}/s", grouped(state.per_sec() as u64));
}

/// How long it will take, once anything is done.
fn left(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    if state.pos() > 0 {
        let _ = write!(out, "  {:#} left", HumanDuration(state.eta()));
    }
}

fn set_template(bar: &ProgressBar, template: &str) {
    // The templates are constants that indicatif accepts; a refusal would only cost looks.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("rate", rate).with_key("left", left));
    }
}

fn progress(what: &str, template: &str) -> ProgressBar {
    let target = if error_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(None, target);
    set_template(&bar, template);
    bar.set_message(what.to_owned());
    if let Some(call) = inside::here() {
        call.shows(&bar);
    }
    bar
}
