//! One file per output format.
//!
//! A renderer turns a finished [`Table`] into text and never computes a number:
//! what it shows is what the table holds. Formats for people share `text`,
//! which makes untrusted names harmless; the one for machines takes its
//! exact values from `records`. Pictures are drawn in [`mod@figure`]. Gates have three forms
//! that CI systems show: [`junit`], [`github`] and [`gates`].

#![forbid(unsafe_code)]

mod csv;
pub mod figure;
mod fit;
pub mod gates;
pub mod github;
pub mod junit;
pub mod latex;
pub mod markdown;
pub mod notebook;
mod records;
mod terminal;
mod text;

pub use judica_model::comma_list::cell as csv_field;
use judica_model::table::Table;
pub use text::{uncommanded, uncommanded_json, visible, visible_lines};

/// How a table leaves the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A bordered table for reading in a terminal.
    Terminal,
    /// A GitHub table.
    Markdown,
    /// A booktabs table float.
    Latex,
    /// Comma-separated records at full precision.
    Csv,
}

/// What the destination can show. The caller decides, because only it knows
/// where the text is going; nothing here looks at the terminal or environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether terminal output may use bold, dim, red and green.
    pub color: bool,
    /// The columns to fit terminal output into; unlimited when absent.
    pub width: Option<u16>,
}

/// Renders a table. Every format ends in a newline, except that an entirely
/// empty table may render as nothing. `style` matters only to the terminal.
pub fn render(table: &Table, format: Format, style: &Style) -> String {
    match format {
        Format::Terminal => terminal::render(table, style),
        Format::Markdown => markdown::render(table),
        Format::Latex => latex::render(table),
        Format::Csv => csv::render(table),
    }
}
