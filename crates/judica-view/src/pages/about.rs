//! `/about`: what a run was made of, and how these pages are used.

use judica_model::text::shell_word;
use maud::{Markup, html};
use serde_json::json;

use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::words::{grouped, lines, name, sentence};

/// Inputs that are shown.
const INPUTS: usize = 200;

/// The keys, and what they do.
const KEYS: &[(&str, &str)] = &[
    ("j", "the next row of a list, or the next record"),
    ("k", "the one before"),
    ("Enter", "open the row"),
    ("n", "the next page or record"),
    ("p", "the record before"),
    ("u", "from a record to its list"),
    ("/", "look for an item"),
    ("r", "to the records"),
    ("o", "to the run"),
    (
        "c",
        "mark and copy the command that opens this page elsewhere",
    ),
    ("?", "this list"),
];

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    visit.asked.end()?;
    let manifest = &visit.opened.run.manifest;
    let options = serde_json::to_string_pretty(&manifest.options).unwrap_or_default();
    let body = html! {
        h1 { "About this run" }
        dl.facts {
            div { dt { "command" } dd { (name(&manifest.command)) } }
            div { dt { "made" } dd { (name(&manifest.created_at)) } }
            div { dt { "by judica" } dd { (name(&manifest.judica_version)) } }
            div { dt { "format" } dd { (name(&manifest.schema_version)) } }
        }
        p.note { "Made again, and compared byte by byte: " code { "judica reproduce " (shell_word(&visit.opened.name)) } }
        h2 { "Inputs" }
        div.scroll tabindex="0" role="group" aria-label="Inputs" {
            table {
                thead { tr {
                    th scope="col" { "role" } th scope="col" { "path" }
                    th.number scope="col" { "bytes" } th scope="col" { "SHA-256" }
                } }
                tbody {
                    @for input in manifest.inputs.iter().take(INPUTS) {
                        tr {
                            td { (name(&input.role)) }
                            td { (sentence(&input.path)) }
                            td.number { (grouped(input.bytes)) }
                            td { code { (name(&input.sha256)) } }
                        }
                    }
                }
            }
        }
        @if manifest.inputs.len() > INPUTS { p.note { "… and " (manifest.inputs.len() - INPUTS) " more" } }
        h2 { "Files" }
        div.scroll tabindex="0" role="group" aria-label="Files" {
            table {
                thead { tr {
                    th scope="col" { "file" } th scope="col" { "kind" } th.number scope="col" { "bytes" }
                    th scope="col" { "reproducible" }
                } }
                tbody {
                    @for (file, entry) in manifest.files.iter().take(INPUTS) {
                        tr {
                            td { (sentence(file)) }
                            td { (name(&entry.kind)) }
                            td.number { (grouped(entry.bytes)) }
                            td { (if entry.reproducible { "yes" } else { "no" }) }
                        }
                    }
                }
            }
        }
        h2 { "Options" }
        pre tabindex="0" { (lines(&options)) }
        (keys())
        h2 { "Who can see these pages" }
        p { "Only this machine, and only who has the address that was printed. From another machine: "
            code { "ssh -L PORT:127.0.0.1:PORT HOST" } ", with the port of that address." }
    };
    Ok(Page::new(
        "About",
        json!({"run": visit.opened.name, "manifest": manifest}),
        body,
    ))
}

fn keys() -> Markup {
    html! {
        h2 id="keys" { "Keys" }
        table {
            thead { tr { th scope="col" { "key" } th scope="col" { "what it does" } } }
            tbody { @for (key, what) in KEYS { tr { td { kbd { (key) } } td { (what) } } } }
        }
    }
}
