//! `/rejects`: what could not be used, and why.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};

use judica_model::text::head;
use judica_run::manifest::name as file_name;
use maud::html;
use serde_json::{Value, json};

use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::words::{counted, grouped, lines, name, sentence};

/// Rejects on a page.
const ROWS: usize = 50;
/// How much of a line is read; what a reject kept of its row is at most this long.
const LINE: u64 = 1 << 20;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let after = visit.asked.number("after")?.unwrap_or(0);
    visit.asked.end()?;
    let counts = &visit.opened.run.manifest.counts;
    let (rejects, next) = match visit.opened.run.file(file_name::REJECTS) {
        None => (Vec::new(), None),
        Some(path) => {
            let what = format!("{}/{}", visit.opened.name, file_name::REJECTS);
            let changed = |error| Refusal::changed(&format!("{what} ({error})"));
            let page = read(&path, after).map_err(changed)?;
            page.ok_or_else(|| Refusal::bad(format!("`after={after}`: no page begins there")))?
        }
    };
    let to = |next: u64| {
        address(
            "/rejects",
            visit.run().into_iter().chain([("after", next.to_string())]),
        )
    };
    let text = |reject: &Value, key: &str| match &reject[key] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let json = json!({
        "rejects": rejects, "next": next, "counts": counts,
    });
    let body = html! {
        h1 { "Rejects" }
        p.lead {
            (counted(counts.rejects, "row", "rows")) " of " (grouped(counts.inputs)) " could not be used"
            @if counts.rejects == 0 { ": nothing was lost" }
        }
        @if !counts.rejects_by_reason.is_empty() {
            dl.facts {
                @for (reason, count) in &counts.rejects_by_reason {
                    div { dt { (name(reason)) } dd { (grouped(*count)) } }
                }
            }
        }
        @for reject in &rejects {
            div.atom.warning {
                p {
                    strong { (name(&text(reject, "reason"))) } " "
                    span.lead { (name(&text(reject, "file"))) ":" (name(&text(reject, "line"))) }
                }
                p { (sentence(&text(reject, "detail"))) }
                @let raw = ["raw", "raw_beginning", "raw_base64", "raw_beginning_base64"];
                @if let Some(raw) = raw.iter().find_map(|key| reject[key].as_str()) {
                    details {
                        summary { "the row" }
                        pre tabindex="0" { (lines(head(raw, 2_000))) }
                    }
                }
            }
        }
        nav.steps aria-label="More rejects" {
            @if after > 0 { a href=(address("/rejects", visit.run())) { "First page" } }
            @if let Some(next) = next { a rel="next" href=(to(next)) { "Next page" } }
        }
    };
    Ok(Page::new("Rejects", json, body))
}

/// A page of rejects, and where the next page begins.
type Rejects = (Vec<Value>, Option<u64>);

/// The page from a byte of the file on; none if no page begins there.
fn read(path: &std::path::Path, from: u64) -> std::io::Result<Option<Rejects>> {
    let mut file = BufReader::new(File::open(path)?);
    let length = file.get_ref().metadata()?.len();
    // A page begins where a line does.
    if from > 0 {
        file.seek(SeekFrom::Start(from - 1))?;
        if file.fill_buf()?.first() != Some(&b'\n') {
            return Ok(None);
        }
        file.consume(1);
    }
    let mut at = from;
    let (mut rejects, mut line) = (Vec::new(), Vec::new());
    while rejects.len() < ROWS {
        line.clear();
        let read = std::io::Read::take(&mut file, LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        at += read as u64;
        let odd = |_| json!({"reason": "unreadable", "raw": String::from_utf8_lossy(&line)});
        rejects.push(serde_json::from_slice(&line).unwrap_or_else(odd));
    }
    Ok(Some((rejects, (at < length).then_some(at))))
}
