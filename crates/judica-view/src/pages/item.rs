//! `/item`: two records of the same question side by side, what differs first.

use std::collections::BTreeMap;

use judica_model::run::RunRecord;
use judica_run::index::Index;
use judica_run::show::{looked_at, own_values};
use judica_run::text::{Said, said};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::evidence::words;
use super::{epoch, number, shown_item};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::viewer::{Growing, Opened};
use crate::words::{name, sentence};

/// Others on the item that can be chosen.
const OTHERS: usize = 30;
/// Lines of a side that are shown.
const MOST: usize = 400;

/// One record, line by line.
struct Side {
    row: u64,
    item: String,
    subject: String,
    dataset: String,
    epoch: i32,
    /// The run that it stands in, as it was given.
    run: String,
    /// What is said of it, under a name that both sides have.
    lines: BTreeMap<(u8, String), String>,
    said: Said,
}

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let row = visit.asked.number("row")?;
    let with = visit.asked.number("with")?;
    let in_run = visit.asked.take("in")?;
    visit.asked.end()?;
    let other = match in_run.as_deref() {
        None => visit.opened,
        Some("a") => &visit.viewer.runs[0],
        Some("b") if visit.viewer.runs.len() > 1 => &visit.viewer.runs[1],
        Some(word) => return Err(Refusal::bad(format!("`in={word}`: no such run"))),
    };
    let (index, other_index) = match (visit.opened.index()?, other.index()?) {
        (Growing::Ready(first), Growing::Ready(second)) => (first, second),
        (Growing::Percent(percent), _) | (_, Growing::Percent(percent)) => {
            return Ok(Page::growing("Side by side", percent));
        }
    };
    let row = row.ok_or_else(|| Refusal::bad("`row` says which record is meant"))?;
    let here = known(index, row, "row")?;
    let others = index.same_item(here, OTHERS)?;
    let with = match with {
        Some(with) => known(other_index, with, "with")?,
        None => match others.iter().find(|other| other.row != row) {
            Some(other) => other.row,
            None => return Err(Refusal::nothing("nobody else answered this item")),
        },
    };
    let a = read(visit, visit.opened, index, row)?;
    let b = read(visit, other, other_index, with)?;
    let (differ, same): (Vec<Line>, Vec<Line>) =
        both(&a, &b).into_iter().partition(|(_, x, y)| x != y);
    let titles = [titled(&a, &b), titled(&b, &a)];
    let json = json!({
        "a": side_json(&a),
        "b": side_json(&b),
        "differ": differ.iter().map(as_json).collect::<Vec<_>>(),
        "same": same.iter().map(as_json).collect::<Vec<_>>(),
    });
    let to = |row: u64, second: bool| {
        let run = second.then_some(("run", "b".to_owned()));
        address("/record", run.into_iter().chain([("row", row.to_string())]))
    };
    let other_is_b = visit.second || in_run.as_deref() == Some("b");
    let choose = |with: u64| {
        let pair = [("row", row.to_string()), ("with", with.to_string())];
        address("/item", visit.run().into_iter().chain(pair))
    };
    let body = html! {
        h1 { (shown_item(&a.item)) }
        p.lead {
            a href=(to(a.row, visit.second)) { (shown_item(&titles[0])) }
            " beside "
            a href=(to(b.row, other_is_b)) { (shown_item(&titles[1])) }
            @if a.item != b.item { ", which answered " (shown_item(&b.item)) }
        }
        @if others.len() > 2 {
            nav.steps aria-label="Others on this item" {
                "beside:"
                @for other in others.iter().filter(|other| other.row != row) {
                    a href=(choose(other.row)) aria-current=[(other.row == with && in_run.is_none()).then_some("true")] {
                        (shown_item(other.subject.name))
                        (epoch(other.epoch))
                    }
                }
            }
        }
        h2 { "What differs (" (differ.len()) ")" }
        @if differ.is_empty() { p { "Nothing." } } @else { (lines(&differ, &titles)) }
        div.beside {
            @for (side, title) in [&a, &b].into_iter().zip(&titles) {
                section { h2 { (shown_item(title)) } (words(&side.said)) }
            }
        }
        @if !same.is_empty() {
            details { summary { "What is the same (" (same.len()) ")" } (lines(&same, &titles)) }
        }
    };
    Ok(Page::new(
        format!("{}: {} beside {}", a.item, titles[0], titles[1]),
        json,
        body,
    ))
}

fn known(index: &Index, row: u64, parameter: &str) -> Result<u64, Refusal> {
    match row < index.len() {
        true => Ok(row),
        false => Err(Refusal::nothing(format!(
            "`{parameter}={row}`: the run has {} records",
            index.len()
        ))),
    }
}

type Line<'s> = (&'s str, Option<&'s str>, Option<&'s str>);

fn as_json(line: &Line) -> Value {
    json!({"what": line.0, "a": line.1, "b": line.2})
}

/// What is said of both, in one order.
fn both<'s>(a: &'s Side, b: &'s Side) -> Vec<Line<'s>> {
    let mut keys: Vec<&(u8, String)> = a.lines.keys().chain(b.lines.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |side: &'s Side, key: &(u8, String)| side.lines.get(key).map(String::as_str);
    keys.into_iter()
        .map(|key| (key.1.as_str(), of(a, key), of(b, key)))
        .collect()
}

fn side_json(side: &Side) -> Value {
    json!({"row": side.row, "item": side.item, "subject": side.subject,
           "dataset": side.dataset, "epoch": side.epoch, "run": side.run})
}

/// Who answered, and whatever else tells it from the other.
fn titled(side: &Side, other: &Side) -> String {
    let mut title = side.subject.clone();
    if side.dataset != other.dataset {
        title.push_str(&format!(", {}", side.dataset));
    }
    if side.epoch != other.epoch {
        title.push_str(&format!(", epoch {}", side.epoch));
    }
    if side.run != other.run {
        title.push_str(&format!(" in {}", side.run));
    }
    title
}

fn lines(lines: &[Line], titles: &[String; 2]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Both, line by line" {
            table {
                thead { tr {
                    th scope="col" { "what" }
                    @for title in titles { th scope="col" { (shown_item(title)) } }
                } }
                tbody {
                    @for (what, a, b) in lines.iter().take(MOST) {
                        tr {
                            th scope="row" { (sentence(what)) }
                            td { (sentence(a.unwrap_or("—"))) }
                            td { (sentence(b.unwrap_or("—"))) }
                        }
                    }
                }
            }
        }
        @if lines.len() > MOST { p.note { "… and " (lines.len() - MOST) " more" } }
    }
}

fn read(visit: &Visit, opened: &Opened, index: &Index, row: u64) -> Result<Side, Refusal> {
    let run = &opened.run;
    let describe = visit.viewer.family(run).and_then(|family| family.describe);
    let mut side = None;
    index.record(row, &mut |record, own| {
        let described = describe.map(|describe| describe(run, record)).transpose()?;
        let messages = described
            .map(|described| described.atoms)
            .unwrap_or_default();
        let messages = messages.into_iter().map(|atom| atom.message);
        side = Some(Side {
            row,
            item: record.item.to_owned(),
            subject: record.subject.to_owned(),
            dataset: record.dataset.to_owned(),
            epoch: record.epoch,
            run: opened.name.clone(),
            lines: said_of(record, own, &messages.collect::<Vec<_>>()),
            said: said(&run.path, record, visit.viewer.inputs.as_deref()),
        });
        Ok(())
    })?;
    side.ok_or_else(|| Refusal::nothing(format!("`row={row}`: no such record")))
}

/// Verdict and numbers first, then labels, failed evidence, and the rest.
fn said_of(
    record: &RunRecord,
    own: &[&str],
    messages: &[String],
) -> BTreeMap<(u8, String), String> {
    let mut lines = BTreeMap::new();
    let mut put = |rank: u8, what: &str, value: String| {
        let mut key = what.to_owned();
        let mut more = 2;
        while lines.contains_key(&(rank, key.clone())) {
            key = format!("{what} ({more})");
            more += 1;
        }
        lines.insert((rank, key), value);
    };
    put(
        0,
        "verdict",
        record.verdict.map_or("none", |v| v.name()).to_owned(),
    );
    put(0, "data set", record.dataset.to_owned());
    put(0, "epoch", record.epoch.to_string());
    if let Some(decision) = record.decision {
        put(0, "decision", decision.to_owned());
    }
    if record.score.is_some() {
        put(0, "score", number(record.score));
    }
    let usage = [
        ("latency (ms)", record.latency_ms),
        ("tokens in", record.tokens_in),
        ("tokens out", record.tokens_out),
        ("USD", record.usd),
    ];
    for (what, value) in usage {
        if value.is_some() {
            put(3, what, number(value));
        }
    }
    for label in record.labels {
        put(
            1,
            &format!("label of {}", name(label.rater)),
            label.value.to_owned(),
        );
    }
    for (at, atom) in record.evidence.iter().enumerate() {
        let looked = looked_at(atom);
        let what = match looked.is_empty() {
            true => atom.rule.to_owned(),
            false => format!("{} · {looked}", atom.rule),
        };
        let seen = messages.get(at).map(String::as_str).or(atom.text);
        let seen = seen
            .map(str::to_owned)
            .unwrap_or_else(|| number(atom.observed));
        // Evidence that cannot fail says what was seen; of the rest it matters whether it did.
        let value = match (atom.pass, atom.limit.is_none() && atom.text.is_some()) {
            (false, _) => format!("failed ({}): {seen}", atom.severity),
            (true, true) => seen,
            (true, false) => "passed".to_owned(),
        };
        put(2, &what, value);
    }
    let values = own_values(record, own);
    for row in &values.rows {
        if let [what, value] = row.as_slice() {
            put(4, &what.display(), value.display());
        }
    }
    lines
}
