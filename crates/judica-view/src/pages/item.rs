//! `/item`: two records of the same question side by side, what differs first.

use std::collections::BTreeMap;

use judica_model::run::{Evidence, RunRecord};
use judica_model::table::Cell;
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
    lines: BTreeMap<(u8, String), Told>,
    said: Said,
}

/// What is said of one thing.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    shown: String,
    /// The same with every digit: numbers that read alike may differ.
    exact: String,
}

impl Told {
    fn text(text: impl Into<String>) -> Self {
        let shown = text.into();
        Told {
            exact: shown.clone(),
            shown,
        }
    }

    fn number(value: Option<f64>) -> Self {
        Told {
            shown: number(value),
            exact: exact(value),
        }
    }
}

fn exact(value: Option<f64>) -> String {
    value.map(|value| format!("{value:?}")).unwrap_or_default()
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

/// What is said of both, in one order; so exactly that what differs reads so.
fn both<'s>(a: &'s Side, b: &'s Side) -> Vec<Line<'s>> {
    let mut keys: Vec<&(u8, String)> = a.lines.keys().chain(b.lines.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let told = [a, b].map(|side| side.lines.get(key));
            let [shown_a, shown_b] = told.map(|told| told.map(|told| told.shown.as_str()));
            let [exact_a, exact_b] = told.map(|told| told.map(|told| told.exact.as_str()));
            match shown_a == shown_b {
                true if exact_a != exact_b => (key.1.as_str(), exact_a, exact_b),
                _ => (key.1.as_str(), shown_a, shown_b),
            }
        })
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
fn said_of(record: &RunRecord, own: &[&str], messages: &[String]) -> BTreeMap<(u8, String), Told> {
    let mut lines = BTreeMap::new();
    let mut put = |rank: u8, what: &str, value: Told| {
        let mut key = what.to_owned();
        let mut more = 2;
        while lines.contains_key(&(rank, key.clone())) {
            key = format!("{what} ({more})");
            more += 1;
        }
        lines.insert((rank, key), value);
    };
    let verdict = record.verdict.map_or("none", |v| v.name());
    put(0, "verdict", Told::text(verdict));
    put(0, "data set", Told::text(record.dataset));
    put(0, "epoch", Told::text(record.epoch.to_string()));
    if let Some(decision) = record.decision {
        put(0, "decision", Told::text(decision));
    }
    if record.score.is_some() {
        put(0, "score", Told::number(record.score));
    }
    let usage = [
        ("latency (ms)", record.latency_ms),
        ("tokens in", record.tokens_in),
        ("tokens out", record.tokens_out),
        ("USD", record.usd),
    ];
    for (what, value) in usage {
        if value.is_some() {
            put(3, what, Told::number(value));
        }
    }
    for label in record.labels {
        put(
            1,
            &format!("label of {}", name(label.rater)),
            Told::text(label.value),
        );
    }
    for (at, atom) in record.evidence.iter().enumerate() {
        let looked = looked_at(atom);
        let what = match looked.is_empty() {
            true => atom.rule.to_owned(),
            false => format!("{} · {looked}", atom.rule),
        };
        let seen = messages.get(at).map(String::as_str).or(atom.text);
        put(2, &what, told_of(atom, seen));
    }
    let values = own_values(record, own);
    for row in &values.rows {
        if let [what, value] = row.as_slice() {
            let told = match value {
                Cell::Number { value: full, .. } => Told {
                    shown: value.display(),
                    exact: exact(Some(*full)),
                },
                _ => Told::text(value.display()),
            };
            put(4, &what.display(), told);
        }
    }
    lines
}

/// What came of an atom. Evidence that cannot fail says what was seen; of the rest it matters
/// whether it did.
fn told_of(atom: &Evidence, seen: Option<&str>) -> Told {
    match (atom.pass, atom.limit.is_none() && atom.text.is_some()) {
        (true, false) => Told::text("passed"),
        (true, true) => Told::text(seen.unwrap_or_default()),
        (false, _) => {
            let seen = seen.map_or_else(|| number(atom.observed), str::to_owned);
            let shown = format!("failed ({}): {seen}", atom.severity);
            Told {
                exact: format!("{shown} ({})", exact(atom.observed)),
                shown,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(score: f64) -> Side {
        let told = [("score", Told::number(Some(score))), ("a", Told::text("x"))];
        let lines = told.map(|(what, told)| ((0, what.to_owned()), told));
        Side {
            row: 0,
            item: String::new(),
            subject: String::new(),
            dataset: String::new(),
            epoch: 1,
            run: String::new(),
            lines: BTreeMap::from(lines),
            said: Said::Nowhere,
        }
    }

    #[test]
    fn numbers_that_differ_read_so() {
        for (a, b, shown) in [
            (0.9, 0.9, ["0.9000"; 2]),
            (0.9, 0.8, ["0.9000", "0.8000"]),
            (0.900_01, 0.900_02, ["0.90001", "0.90002"]),
            (1e-9, 1.000_001e-9, ["1e-9", "1.000001e-9"]),
        ] {
            let (a, b) = (side(a), side(b));
            let [x, y] = shown.map(Some);
            assert_eq!(both(&a, &b), [("a", Some("x"), Some("x")), ("score", x, y)]);
        }
    }
}
