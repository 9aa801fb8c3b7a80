//! `judica reference`: what the program says of itself, as pages.

mod commands;
mod man;
mod rules;
mod schemas;

use judica_model::exit_code::ExitCode;

use super::files::{shown, write};
use crate::args::reference::{ReferenceArgs, ReferenceFormat};
use crate::failure::Failure;
use crate::screen;

/// A page: the name of its file, and its text.
type Page = (String, Vec<u8>);

/// Writes the pages.
pub fn run(args: &ReferenceArgs) -> Result<ExitCode, Failure> {
    let pages = match args.format {
        ReferenceFormat::Man => man::pages()?,
        ReferenceFormat::Markdown => {
            let page = |name: &str, title: &str, text: String| {
                let text = format!("# {title}\n\n{MADE}\n\n{}\n", text.trim_end());
                (format!("{name}.md"), text.into_bytes())
            };
            vec![
                page("commands", "Commands", commands::text()),
                page("rules", "Rules", rules::text()?),
                page("schemas", "Schemas", schemas::text()),
            ]
        }
    };
    for (name, text) in &pages {
        write(&args.out.join(name), text)?;
    }
    screen::print(&format!("{} pages in {}\n", pages.len(), shown(&args.out)));
    Ok(ExitCode::Done)
}

/// Who reads a page in the repository should not mend it there.
const MADE: &str =
    "<!-- Made by `judica reference --format markdown`: change the program, not this page. -->";

/// Words in which only what stands between backticks is markup.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => judica_report::markdown::escape(part),
        _ => format!("`{part}`"),
    });
    parts.collect()
}

/// A list, each thing in it in backticks.
fn names(of: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let names = of.into_iter().map(|name| format!("`{}`", name.as_ref()));
    names.collect::<Vec<String>>().join(", ")
}
