//! `/record`: one record: what it comes to, why, and what was seen.

use judica_model::run::RunRecord;
use judica_model::text::shell_word;
use judica_run::export::json_writer;
use judica_run::index::query::{Dimension, LONG, Query};
use judica_run::index::{Index, Row};
use judica_run::show::Wanted;
use judica_run::text::said;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::evidence::{Shown, words};
use super::records::{to_list, to_record};
use super::{epoch, number, records_with, shown_item, verdict};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::viewer::Growing;
use crate::words::{command, grouped, name, option};

/// Other records of the item that are shown.
const MOST_OTHERS: usize = 50;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let row = visit.asked.number("row")?;
    let query = Query::parse(visit.asked.rest())?;
    let index = match visit.opened.index()? {
        Growing::Ready(index) => index,
        Growing::Percent(percent) => return Ok(Page::growing("Record", percent)),
    };
    let row = match row {
        Some(row) if row < index.len() => row,
        Some(row) => {
            let most = index.len();
            return Err(Refusal::nothing(format!(
                "`row={row}`: the run has {most} records"
            )));
        }
        None => first(index, &query)?,
    };
    let mut made = None;
    index.record(row, &mut |record, own| {
        made = Some(page(visit, index, &query, row, record, own));
        Ok(())
    })?;
    made.unwrap_or_else(|| Err(Refusal::nothing(format!("`row={row}`: no such record"))))
}

/// The first record of a list: of an item with just this name, if there is one.
fn first(index: &Index, query: &Query) -> Result<u64, Refusal> {
    let filter = index.filter(query)?;
    // An item of just this name comes before those whose names contain it.
    if let [item] = query.item.as_slice() {
        let wanted = Wanted {
            item: item.clone(),
            ..Wanted::default()
        };
        let rows = index.find(&wanted)?;
        let listed = |row: &&Row| index.neighbours(&filter, row.row).rank.is_some();
        if let Some(row) = rows.iter().find(listed) {
            return Ok(row.row);
        }
    }
    let page = index.page(&filter, 1)?;
    let first = page.rows.first().map(|row| row.row);
    first.ok_or_else(|| Refusal::nothing("no record is so"))
}

fn page(
    visit: &Visit,
    index: &Index,
    query: &Query,
    row: u64,
    record: &RunRecord,
    own: &[&str],
) -> Result<Page, Refusal> {
    let run = &visit.opened.run;
    let family = visit.viewer.family(run);
    let describe = family.and_then(|family| family.describe);
    let described = describe.map(|describe| describe(run, record)).transpose()?;
    let filter = index.filter(query)?;
    let around = index.neighbours(&filter, row);
    let others = index.same_item(row, MOST_OTHERS)?;
    let said = said(&run.path, record, visit.viewer.inputs.as_deref());
    let mut line = Vec::new();
    match family {
        Some(family) => json_writer(run, family)?(record, own, &mut line)?,
        None => {
            line = judica_run::show::json_of(record, own)
                .to_string()
                .into_bytes()
        }
    }
    let json = json!({
        "row": row,
        "record": serde_json::from_slice::<Value>(&line).unwrap_or_default(),
        "rank": around.rank,
        "total": around.total,
        "previous": around.previous,
        "next": around.next,
        "others": others,
    });
    let rule = |rule: &str| {
        let known = index.known(Dimension::Rule, rule)?;
        Some(records_with(visit, &[("rule", &known.value)]))
    };
    let shown = Shown::new(record, own, described.as_ref(), "", &rule);
    let to = |row| to_record(visit, query, row);
    let body = html! {
        h1 { (shown_item(record.item)) " · " (name(record.subject)) }
        nav.steps aria-label="Records" {
            @if let Some(previous) = around.previous { a rel="prev" href=(to(previous)) { "← Previous" } }
            @if let Some(next) = around.next { a rel="next" href=(to(next)) { "Next →" } }
            span {
                @if let Some(rank) = around.rank { "record " (grouped(rank)) " of " (grouped(around.total)) }
                @else { "not in the list" }
            }
            a rel="up" href=(to_list(visit, &query.from_start())) { "To the list" }
            @if family.is_some_and(|family| family.steps.is_some()) {
                a href=(address("/episode", visit.run().into_iter().chain([("row", row.to_string())]))) { "Its steps" }
            }
        }
        (shown.why())
        (words(&said))
        (shown.more())
        (other_records(visit, row, &others, &to))
        @if let Some(command) = show_command(visit, record) {
            p.note { "At a terminal: " code { (command) } }
        }
    };
    Ok(Page::new(
        format!("{} · {}", record.item, record.subject),
        json,
        body,
    ))
}

/// What else was answered to the same question.
fn other_records(visit: &Visit, row: u64, others: &[Row], to: &dyn Fn(u64) -> String) -> Markup {
    let beside = |other: u64| {
        let pair = [("row", row.to_string()), ("with", other.to_string())];
        address("/item", visit.run().into_iter().chain(pair))
    };
    let item = others.iter().find(|other| other.row == row);
    let item = item
        .map(|own| own.item.as_str())
        .filter(|item| (1..=LONG).contains(&item.len()));
    let all = item.map(|item| records_with(visit, &[("item", item)]));
    let here: Vec<&Row> = others.iter().filter(|other| other.row != row).collect();
    html! {
        @if !here.is_empty() {
            h2 { "Others on this item" }
            div.scroll tabindex="0" role="group" aria-label="Others on this item" {
                table {
                    thead { tr {
                        th scope="col" { "subject" }
                        th scope="col" { "verdict" }
                        th.number scope="col" { "score" }
                        th scope="col" { "side by side" }
                    } }
                    tbody {
                        @for other in &here {
                            tr {
                                td {
                                    a href=(to(other.row)) { (shown_item(other.subject.name)) }
                                    (epoch(other.epoch))
                                }
                                td { (verdict(other.verdict)) }
                                td.number { (number(other.score)) }
                                td { a href=(beside(other.row)) { "with " (shown_item(other.subject.name)) (epoch(other.epoch)) } }
                            }
                        }
                    }
                }
            }
            @if others.len() >= MOST_OTHERS { p.note { "and perhaps more" @if let Some(all) = all { ": " a href=(all) { "all records of this item" } } } }
        }
    }
}

fn show_command(visit: &Visit, record: &RunRecord) -> Option<String> {
    // No shell hands a NUL over.
    if [record.item, record.subject, record.dataset]
        .iter()
        .any(|name| name.contains('\0'))
    {
        return None;
    }
    let mut words = vec!["judica show".to_owned()];
    words.push(option("--subject", record.subject));
    words.push(option("--dataset", record.dataset));
    if record.epoch != 1 {
        words.push(format!("--epoch {}", record.epoch));
    }
    if record.item.starts_with('-') {
        words.push("--".to_owned());
    }
    words.extend([shell_word(&visit.opened.name), shell_word(record.item)]);
    command(&words)
}
