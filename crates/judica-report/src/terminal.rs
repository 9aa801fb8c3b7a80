//! Bordered tables for terminals.

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, TableStyle,
    Width,
};
use judica_model::table::{Align, Table};
use unicode_width::UnicodeWidthStr;

use crate::Style;
use crate::text::Page;

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RESET: &str = "\u{1b}[0m";

/// Light lines throughout, and none between rows.
const LIGHT: TableStyle = TableStyle::new()
    .top_border(LineStyle::new('┌', '─', '┬', '┐'))
    .header_lines(ContentLineStyle::new('│', '│', '│'))
    .header_separator(LineStyle::new('├', '─', '┼', '┤'))
    .content_lines(ContentLineStyle::new('│', '│', '│'))
    .bottom_border(LineStyle::new('└', '─', '┴', '┘'));

/// How a header separator starts; no other line does, whatever its cells hold,
/// because every line of cells starts with the left border.
const SEPARATOR: char = '├';

/// Characters of a text cell shown at most: wrapping a megabyte of name would bury
/// the rest of the table. The machine formats keep all of it.
const MAX_CHARS: usize = 400;

/// Renders the title, the table and the notes. Without columns, only the title
/// and the notes remain.
pub fn render(table: &Table, style: &Style) -> String {
    let page = Page::new(table);
    let mut out = String::new();
    if !page.title.is_empty() {
        push_line(&mut out, &page.title, BOLD, style);
    }
    if !page.header.is_empty() {
        let mut in_header = true;
        for line in layout(&page, style).lines() {
            in_header &= !line.starts_with(SEPARATOR);
            let is_heading = in_header && line.starts_with('│');
            push_line(&mut out, &line, if is_heading { BOLD } else { "" }, style);
        }
    }
    for note in &page.footnotes {
        push_line(&mut out, note, DIM, style);
    }
    out
}

fn push_line(out: &mut String, text: &str, sequence: &str, style: &Style) {
    if style.color && !sequence.is_empty() {
        out.extend([sequence, text, RESET, "\n"]);
    } else {
        out.extend([text, "\n"]);
    }
}

fn layout(page: &Page, style: &Style) -> comfy_table::Table {
    let mut grid = comfy_table::Table::new();
    grid.load_style(LIGHT);
    grid.set_header(page.header.iter().map(|name| clip(name)));
    for row in &page.rows {
        grid.add_row(row.iter().map(|cell| match cell.numeric {
            true => cell.text.clone(),
            false => clip(&cell.text),
        }));
    }
    grid.set_content_arrangement(ContentArrangement::Disabled);
    // Columns that must not shrink make the arrangement squeeze others even where there
    // is room for all of them.
    if let Some(width) = style.width
        && grid
            .lines()
            .next()
            .is_some_and(|line| line.width() > usize::from(width))
    {
        grid.set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width);
    }
    for (i, align) in page.aligns.iter().enumerate() {
        let Some(column) = grid.column_mut(i) else {
            continue;
        };
        column.set_cell_alignment(match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        });
        // A number wrapped over two lines reads as two numbers, so squeezing
        // is left to the headings and the columns of text.
        let numbers = page.rows.iter().map(|row| &row[i]).filter(|c| c.numeric);
        if let Some(widest) = numbers.map(|c| c.text.width()).max() {
            let needed = u16::try_from(widest).unwrap_or(u16::MAX);
            let needed = needed.saturating_add(column.padding_width());
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(needed)));
        }
    }
    grid
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
