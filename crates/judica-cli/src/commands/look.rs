//! `judica look`

mod beside;
mod file;
mod folder;

use std::path::{Path, PathBuf};

use judica_data::foreign::fit::Fit;
use judica_data::foreign::head::{BYTES, Head};
use judica_data::source::gives_once;
use judica_model::exit_code::ExitCode;
use judica_model::table::{Cell, Table, counted};
use judica_model::text::fit;
use judica_report::visible;
use serde::Serialize;

use super::files::shown;
use crate::args::look::LookArgs;
use crate::failure::Failure;
use crate::screen;

const SCHEMA_VERSION: &str = "judica.look/1";
/// What is printed is no wider.
const WIDTH: usize = 80;
/// Columns that are shown; the report has them all.
const SHOWN: usize = 40;

/// What a file or a folder was found to be.
#[derive(Default)]
pub struct Found {
    /// What it may be, the likeliest first.
    fits: Vec<Fit>,
    /// How it begins, if it is a file.
    head: Option<Head>,
    /// What else is worth knowing.
    notes: Vec<String>,
    /// Of a folder: what its files are.
    holds: Vec<Held>,
    /// The file that commands are about, if it is not what was given.
    about: Option<PathBuf>,
    /// Whether any command can make something of it.
    usable: bool,
}

/// Files of a folder that are of one kind.
#[derive(Serialize)]
struct Held {
    what: String,
    files: usize,
    first: String,
}

#[derive(Serialize)]
struct Report<'a> {
    schema_version: &'static str,
    path: String,
    usable: bool,
    is: Vec<Is<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Read<'a>>,
    columns: Vec<Seen<'a>>,
    holds: &'a [Held],
    notes: &'a [String],
}

#[derive(Serialize)]
struct Is<'a> {
    name: &'a str,
    what: &'a str,
    why: Option<&'a str>,
    commands: &'a [String],
    advice: Option<&'a str>,
}

#[derive(Serialize)]
struct Read<'a> {
    how: &'a [String],
    bytes: Option<u64>,
    looked_at_bytes: usize,
    whole: bool,
    rows: u64,
    rows_exact: bool,
    broken_rows: u64,
    within: Option<&'a str>,
}

#[derive(Serialize)]
struct Seen<'a> {
    name: &'a str,
    holds: String,
    rows: usize,
    of: usize,
    first: Option<&'a str>,
}

/// Says what a file or a folder is.
pub fn run(args: &LookArgs) -> Result<ExitCode, Failure> {
    let path = &args.path;
    if gives_once(path) {
        return Err(Failure::Usage(format!(
            "{}: a pipe or device, of which nobody can say more without taking what it gives; put \
             that into a file",
            shown(path)
        )));
    }
    let mut found = match path.is_dir() {
        true => folder::look(path, folder::FILES)?,
        false => file::look(path, BYTES)?,
    };
    let about = found.about.take();
    beside::fill(about.as_ref().unwrap_or(path), &mut found);
    let code = match found.usable {
        true => ExitCode::Done,
        false => ExitCode::BadInput,
    };
    match args.json {
        true => screen::print_json(&report(path, &found)),
        false => print(path, &found),
    }
    Ok(code)
}

fn report<'a>(path: &Path, found: &'a Found) -> Report<'a> {
    Report {
        schema_version: SCHEMA_VERSION,
        path: path.display().to_string(),
        usable: found.usable,
        is: found
            .fits
            .iter()
            .map(|fit| Is {
                name: &fit.name,
                what: &fit.what,
                why: fit.why.as_deref(),
                commands: &fit.commands,
                advice: fit.advice.as_deref(),
            })
            .collect(),
        read: found.head.as_ref().map(|head| Read {
            how: &head.how,
            bytes: head.bytes,
            looked_at_bytes: head.start.len(),
            whole: head.whole,
            rows: head.rows,
            rows_exact: head.counted,
            broken_rows: head.broken,
            within: head.within.as_deref(),
        }),
        columns: found.head.as_ref().map(seen).unwrap_or_default(),
        holds: &found.holds,
        notes: &found.notes,
    }
}

fn seen(head: &Head) -> Vec<Seen<'_>> {
    let of = |column: &'_ judica_data::foreign::head::Column| {
        let distinct = column.distinct().len();
        let mut holds = match column.kinds.as_slice() {
            [] => "nothing".to_owned(),
            kinds => kinds.join(", "),
        };
        let values = column.values().count();
        if distinct * 2 < values && holds != "nothing" {
            let values = counted(distinct as u64, ["value", "values"]);
            holds.push_str(&format!(", {values}"));
        }
        (holds, values)
    };
    let columns = head.columns.iter().map(|column| {
        let (holds, rows) = of(column);
        Seen {
            name: &column.name,
            holds,
            rows,
            of: head.looked,
            first: column.cells.first().and_then(Option::as_deref),
        }
    });
    columns.collect()
}

fn print(path: &Path, found: &Found) {
    let mut text = String::new();
    let name = shown(path);
    match found.fits.as_slice() {
        [] => paragraph(&mut text, &format!("{name}: nothing that judica knows")),
        [only] => paragraph(&mut text, &format!("{name}: {}", only.what)),
        several => {
            let what = format!("{name}: not sure; {} things fit", several.len());
            paragraph(&mut text, &what);
        }
    }
    if let Some(head) = &found.head {
        paragraph(&mut text, &how(head));
    }
    screen::print(&text);
    if !found.holds.is_empty() {
        screen::print("\n");
        screen::print_table(&holds(&found.holds));
    }
    let columns = found.head.as_ref().map(seen).unwrap_or_default();
    if !columns.is_empty() {
        screen::print("\n");
        screen::print_table(&table(&columns));
        if columns.len() > SHOWN {
            screen::print(&format!("and {} more columns\n", columns.len() - SHOWN));
        }
    }
    let mut text = String::new();
    for fit in &found.fits {
        text.push('\n');
        if found.fits.len() > 1 {
            paragraph(&mut text, &format!("If it is {}:", fit.what));
        }
        if let Some(why) = &fit.why {
            paragraph(&mut text, &format!("Why: {why}"));
        }
        if let Some(advice) = fit.advice.as_ref().filter(|_| fit.commands.is_empty()) {
            paragraph(&mut text, advice);
        }
        for command in &fit.commands {
            text.push_str(&folded(command));
        }
    }
    for note in &found.notes {
        paragraph(&mut text, note);
    }
    screen::print(&text);
}

/// How a file was read, and how many rows it has.
fn how(head: &Head) -> String {
    let mut said = head.how.join(", ");
    if let Some(bytes) = head.bytes {
        said.push_str(&format!(", {}", size(bytes)));
    }
    let rows = counted(head.rows, ["row", "rows"]);
    let rows = match (head.counted, &head.within) {
        (_, None) if !head.top.is_empty() => String::new(),
        (true, None) => format!("; {rows}"),
        (true, Some(key)) => format!("; {rows} under `{key}`"),
        (false, key) => {
            let within = key.as_ref().map(|key| format!(" under `{key}`"));
            let looked = size(head.start.len() as u64);
            let within = within.unwrap_or_default();
            format!("; {rows}{within} in the first {looked}")
        }
    };
    said.push_str(&rows);
    if head.broken > 0 {
        said.push_str(&format!(", {} of them broken", head.broken));
    }
    said
}

fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|(shift, _)| bytes >> shift > 0) {
        Some((shift, unit)) => format!("{:.1} {unit}", bytes as f64 / f64::from(1 << shift)),
        None => format!("{bytes} bytes"),
    }
}

fn table(columns: &[Seen]) -> Table {
    const NAME: usize = 26;
    const HOLDS: usize = 22;
    let table = Table::new("").left("column").left("holds");
    let mut table = table.right("rows").left("first row");
    let shown = &columns[..columns.len().min(SHOWN)];
    let widest = |of: &dyn Fn(&Seen) -> usize| shown.iter().map(of).max().unwrap_or(0);
    let names = widest(&|column| column.name.chars().count()).clamp(6, NAME);
    let holds = widest(&|column| column.holds.chars().count()).clamp(5, HOLDS);
    let rows = |column: &Seen| match column.rows == column.of {
        true => "all".to_owned(),
        false => format!("{} of {}", column.rows, column.of),
    };
    let counts = widest(&|column| rows(column).len()).max(4);
    let left = WIDTH - 13 - names - holds - counts;
    for column in shown {
        table.push([
            Cell::text(cut(column.name, names)),
            Cell::text(cut(&column.holds, holds)),
            Cell::text(rows(column)),
            Cell::text(cut(column.first.unwrap_or(""), left)),
        ]);
    }
    table
}

fn holds(held: &[Held]) -> Table {
    let table = Table::new("").left("it holds").right("files");
    let mut table = table.left("first");
    for held in held {
        table.push([
            Cell::text(cut(&held.what, 38)),
            Cell::count(held.files),
            Cell::text(cut(&held.first, 26)),
        ]);
    }
    table
}

/// A text on one line, cut off where it is too long.
fn cut(text: &str, width: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    fit(&visible(&words.join(" ")), width).into_owned()
}

/// Words on lines that are no longer than the screen is wide.
fn paragraph(text: &mut String, words: &str) {
    for line in words.lines() {
        let line = visible(line);
        // What is to be pasted stays whole.
        if line.contains("python3 -c") || line.contains("iconv ") {
            text.push_str(&format!("{line}\n"));
            continue;
        }
        let mut width = 0;
        for word in line.split_whitespace() {
            let long = word.chars().count();
            if width > 0 && width + 1 + long > WIDTH {
                text.push('\n');
                width = 0;
            }
            let before = if width == 0 { "" } else { " " };
            text.push_str(before);
            text.push_str(word);
            width += before.len() + long;
        }
        text.push('\n');
    }
}

/// A command that can be pasted, over several lines where it is long.
fn folded(command: &str) -> String {
    let mut text = String::from("  ");
    let mut width = 2;
    let words = visible(command);
    let mut parts = words.split(" --");
    let first = parts.next().unwrap_or_default();
    text.push_str(first);
    width += first.chars().count();
    for part in parts {
        let long = part.chars().count() + 3;
        if width + long + 2 > WIDTH {
            text.push_str(" \\\n   ");
            width = 3;
        }
        text.push_str(" --");
        text.push_str(part);
        width += long;
    }
    text.push('\n');
    text
}
