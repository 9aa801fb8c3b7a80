//! Bordered tables for terminals.
//!
//! What is too wide gives way as `fit` says; what does not fit even so is turned, or shown row by
//! row.

use std::borrow::Cow;

use judica_model::table::{Align, Table};
use judica_model::text::cut;
use unicode_width::UnicodeWidthStr;

use crate::Style;
use crate::fit::{Give, Measure, STEPS, widths, wrap};
use crate::text::{Page, Shown};

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const RESET: &str = "\u{1b}[0m";

/// Characters of a text cell shown at most: wrapping a megabyte of name would bury
/// the rest of the table. The machine formats keep all of it.
const MAX_CHARS: usize = 400;

/// Text is measured in columns of the terminal.
const COLUMNS: Measure = Measure {
    text: |text| text.width(),
    letter: 1,
};

/// Renders the title, the table and the notes. Without columns, only the title
/// and the notes remain.
pub fn render(table: &Table, style: &Style) -> String {
    let mut page = Page::new(table);
    page.header.iter_mut().for_each(clip);
    let cells = page.rows.iter_mut().flatten().filter(|cell| !cell.numeric);
    cells.for_each(|cell| clip(&mut cell.text));
    let mut out = String::new();
    let wide = style.width.map_or(usize::MAX, usize::from);
    let prose = |out: &mut String, text: &str, sequence: &str| {
        for line in wrap(text, false, wide, COLUMNS) {
            out.push_str(&painted(&line, sequence, style));
            out.push('\n');
        }
    };
    if !page.title.is_empty() {
        prose(&mut out, &page.title, BOLD);
    }
    if !page.header.is_empty() {
        body(&page, wide, style, &mut out);
    }
    for note in &page.footnotes {
        prose(&mut out, note, DIM);
    }
    out
}

/// The table, as it fits; else turned, so that its rows are columns, if these are few; else with
/// words that are cut; else row by row.
fn body(page: &Page, wide: usize, style: &Style, out: &mut String) {
    // A blank on either side of each cell, and lines between.
    let fit = |page: &Page, steps: &[Give]| {
        let room = wide.saturating_sub(3 * page.header.len() + 1);
        widths(page, room, steps, COLUMNS)
    };
    let (gentle, turned) = (&STEPS[..STEPS.len() - 1], turned(page));
    let turned = turned.as_ref();
    if let Some(widths) = fit(page, gentle) {
        grid(page, &widths, style, out);
    } else if let Some((turned, widths)) = turned.and_then(|page| Some((page, fit(page, gentle)?)))
    {
        grid(turned, &widths, style, out);
    } else if let Some(widths) = fit(page, &STEPS) {
        grid(page, &widths, style, out);
    } else {
        records(page, wide, style, out);
    }
}

/// The page with its rows as columns, if that would be a table: few rows, each with a name.
fn turned(page: &Page) -> Option<Page> {
    let named = |row: &Vec<Shown>| row.first().is_some_and(|cell| !cell.numeric);
    let many = page.rows.len() >= page.header.len();
    if many || page.rows.is_empty() || !page.rows.iter().all(named) {
        return None;
    }
    let names = page.rows.iter().map(|row| row[0].text.clone());
    let header = std::iter::once(page.header[0].clone()).chain(names);
    let rows = page.header.iter().enumerate().skip(1).map(|(at, name)| {
        let cells = page.rows.iter().map(|row| Shown {
            text: row[at].text.clone(),
            numeric: row[at].numeric,
        });
        std::iter::once(Shown::text(name)).chain(cells).collect()
    });
    let right = page.rows.iter().map(|_| Align::Right);
    Some(Page {
        title: String::new(),
        header: header.collect(),
        aligns: std::iter::once(Align::Left).chain(right).collect(),
        rows: rows.collect(),
        footnotes: Vec::new(),
    })
}

fn grid(page: &Page, widths: &[usize], style: &Style, out: &mut String) {
    let rule = |[left, middle, right]: [&str; 3]| {
        let lines: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        format!("{left}{}{right}\n", lines.join(middle))
    };
    out.push_str(&rule(["┌", "┬", "┐"]));
    let header: Vec<Shown> = page.header.iter().map(|name| Shown::text(name)).collect();
    for line in row(&header, &page.aligns, widths, &Style::default()) {
        out.push_str(&painted(&line, BOLD, style));
        out.push('\n');
    }
    out.push_str(&rule(["├", "┼", "┤"]));
    for cells in &page.rows {
        for line in row(cells, &page.aligns, widths, style) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out.push_str(&rule(["└", "┴", "┘"]));
}

/// The lines of a row.
fn row(cells: &[Shown], aligns: &[Align], widths: &[usize], style: &Style) -> Vec<String> {
    let wrapped = cells.iter().zip(widths);
    let wrapped = wrapped.map(|(cell, width)| wrap(&cell.text, cell.numeric, *width, COLUMNS));
    let wrapped: Vec<Vec<String>> = wrapped.collect();
    let high = wrapped.iter().map(Vec::len).max().unwrap_or(1);
    let line = |at: usize| {
        let mut line = String::from("│");
        for (((cell, lines), align), width) in cells.iter().zip(&wrapped).zip(aligns).zip(widths) {
            let text = lines.get(at).map_or("", String::as_str);
            // Not `{:>width$}`, which counts characters and not columns; and before there is
            // colour, which takes none.
            let pad = " ".repeat(width.saturating_sub(text.width()));
            let text = painted(text, verdict(cell), style);
            match align {
                Align::Left => line.push_str(&format!(" {text}{pad} │")),
                Align::Right => line.push_str(&format!(" {pad}{text} │")),
            }
        }
        line
    };
    (0..high).map(line).collect()
}

/// Each row as a list of its cells, for terminals that are too narrow for the table.
fn records(page: &Page, wide: usize, style: &Style, out: &mut String) {
    let names = page.header.iter().map(|name| name.width());
    let label = names.max().unwrap_or(0).min(wide / 2);
    for (at, cells) in page.rows.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for (name, cell) in page.header.iter().zip(cells) {
            let names = wrap(name, false, label, COLUMNS);
            let room = wide.saturating_sub(label + 2).max(1);
            let texts = wrap(&cell.text, cell.numeric, room, COLUMNS);
            for line in 0..names.len().max(texts.len()) {
                let name = names.get(line).map_or("", String::as_str);
                let pad = " ".repeat(label.saturating_sub(name.width()) + 2);
                let text = texts.get(line).map_or("", String::as_str);
                out.push_str(&painted(name, BOLD, style));
                out.push_str(&pad);
                out.push_str(&painted(text, verdict(cell), style));
                out.push('\n');
            }
        }
    }
}

/// The colour of a cell that says how something went.
fn verdict(cell: &Shown) -> &'static str {
    let word = cell.text.split(' ').next().unwrap_or_default();
    match word {
        _ if cell.numeric => "",
        "FAIL" | "fail" | "ERROR" | "worse" | "critical" => RED,
        "PASS" | "pass" | "better" => GREEN,
        _ => "",
    }
}

fn painted(text: &str, sequence: &str, style: &Style) -> String {
    match style.color && !sequence.is_empty() && !text.is_empty() {
        true => format!("{sequence}{text}{RESET}"),
        false => text.to_owned(),
    }
}

fn clip(text: &mut String) {
    if let Cow::Owned(short) = cut(text, MAX_CHARS) {
        *text = short;
    }
}
