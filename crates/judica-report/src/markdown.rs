//! GitHub tables, padded so that the source lines up too.

use judica_model::table::{Align, Table};
use unicode_width::UnicodeWidthStr;

use crate::text::Page;

/// Columns of padding at most, so one huge cell cannot multiply the output.
const MAX_PAD: usize = 80;

/// Renders a bold title, the table and a list of notes, a blank line apart.
/// A table without columns has no Markdown form and is left out.
pub fn render(table: &Table) -> String {
    let page = Page::new(table);
    let mut parts = Vec::new();
    if !page.title.is_empty() {
        parts.push(format!("**{}**\n", escape(&page.title)));
    }
    if !page.header.is_empty() {
        parts.push(grid(&page));
    }
    if !page.footnotes.is_empty() {
        let item = |note: &String| format!("- {}\n", escape_block(note));
        parts.push(page.footnotes.iter().map(item).collect());
    }
    parts.join("\n")
}

fn grid(page: &Page) -> String {
    let header: Vec<String> = page.header.iter().map(|name| escape(name)).collect();
    let rows: Vec<Vec<String>> = page
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| escape(&cell.text)).collect())
        .collect();
    let widths: Vec<usize> = (0..header.len())
        .map(|i| {
            let cells = rows.iter().map(|row| row[i].width());
            cells
                .fold(header[i].width().max(3), usize::max)
                .min(MAX_PAD)
        })
        .collect();
    let rule: Vec<String> = page
        .aligns
        .iter()
        .zip(&widths)
        .map(|(align, width)| match align {
            Align::Left => "-".repeat(*width),
            Align::Right => format!("{}:", "-".repeat(width - 1)),
        })
        .collect();
    let mut out = line(&header, page, &widths);
    out.push_str(&format!("| {} |\n", rule.join(" | ")));
    for row in &rows {
        out.push_str(&line(row, page, &widths));
    }
    out
}

fn line(cells: &[String], page: &Page, widths: &[usize]) -> String {
    let mut out = String::from("|");
    for ((cell, align), width) in cells.iter().zip(&page.aligns).zip(widths) {
        // Not `{:>width$}`, which counts characters and not columns.
        let pad = " ".repeat(width.saturating_sub(cell.width()));
        match align {
            Align::Left => out.push_str(&format!(" {cell}{pad} |")),
            Align::Right => out.push_str(&format!(" {pad}{cell} |")),
        }
    }
    out.push('\n');
    out
}

/// Escapes everything that could end a cell or start markup, HTML or maths.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let active = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '&' | '~' | '$' => true,
            // Inside a word an underscore is only itself; names such as `a_b`
            // stay legible in the source.
            '_' => {
                !(previous.is_alphanumeric() && chars.peek().is_some_and(|n| n.is_alphanumeric()))
            }
            _ => false,
        };
        if active {
            out.push('\\');
        }
        out.push(c);
        previous = c;
    }
    out
}

/// Escapes text that stands at the start of a block, where a few more
/// characters are markup: headings, lists and rules.
fn escape_block(text: &str) -> String {
    let escaped = escape(text);
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = escaped.split_at(digits);
    let marker = rest.strip_prefix(['.', ')']);
    let starts_list = digits > 0 && marker.is_some_and(|r| r.is_empty() || r.starts_with(' '));
    let starts_block = digits == 0 && rest.starts_with(['#', '-', '+']);
    if starts_list || starts_block {
        format!("{number}\\{rest}")
    } else {
        escaped
    }
}
