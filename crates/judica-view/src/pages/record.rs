//! `/record`: one record: what it comes to, why, and what was seen.

use std::collections::BTreeSet;

use crate::draw as inline;
use judica_model::run::{Evidence, RunRecord};
use judica_model::table::{Cell, Table};
use judica_run::export::json_writer;
use judica_run::family::Described;
use judica_run::index::query::Query;
use judica_run::index::{Index, Row};
use judica_run::show::{Wanted, labels, looked_at, own_values};
use judica_run::text::{Said, said};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::records::{to_list, to_record};
use super::{number, records_with, severity, shown_item, verdict};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::table::{no_link, table};
use crate::viewer::Growing;
use crate::words::{counted, grouped, lines, name, sentence, shell};

/// Pieces of evidence that are shown, those that failed and those that passed.
const MOST_FAILED: usize = 100;
const MOST_PASSED: usize = 200;
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
    let others = index.same_item(row)?;
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
    let atoms = Atoms::of(record, described.as_ref());
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
        }
        (facts(record))
        @if let Some(described) = &described {
            @for table in reasons_first(&described.before) { (cited(table, &atoms)) }
        }
        (atoms.failed(visit))
        @if described.is_none() {
            @let values = own_values(record, own);
            @if !values.rows.is_empty() { (table(&values, &no_link)) }
        }
        @let labels = labels(record);
        @if !labels.rows.is_empty() { (table(&labels, &no_link)) }
        @if let Some(described) = &described {
            @for table in &described.after { (cited(table, &atoms)) }
        }
        (words(&said))
        (atoms.passed())
        (other_records(visit, row, &others, &to))
        p.note {
            "At a terminal: "
            code { (show_command(visit, record)) }
        }
    };
    Ok(Page::new(
        format!("{} · {}", record.item, record.subject),
        json,
        body,
    ))
}

/// What is known of a record at a glance.
fn facts(record: &RunRecord) -> Markup {
    let mut facts: Vec<(&str, String)> = vec![("dataset", name(record.dataset))];
    if record.epoch != 1 {
        facts.push(("epoch", record.epoch.to_string()));
    }
    let texts = [("decision", record.decision), ("cluster", record.cluster)];
    facts.extend(
        texts
            .into_iter()
            .filter_map(|(of, text)| Some((of, name(text?)))),
    );
    let numbers = [
        ("score", record.score),
        ("latency (ms)", record.latency_ms),
        ("tokens in", record.tokens_in),
        ("tokens out", record.tokens_out),
        ("USD", record.usd),
    ];
    for (of, value) in numbers {
        if value.is_some() {
            facts.push((of, number(value)));
        }
    }
    if let Some(place) = &record.place {
        facts.push(("from", format!("{}:{}", name(place.file), place.line)));
    }
    html! {
        dl.facts {
            div { dt { "verdict" } dd { (verdict(record.verdict)) } }
            @for (of, value) in facts { div { dt { (of) } dd { (value) } } }
        }
    }
}

/// Why it is so is what people look for first.
fn reasons_first(tables: &[Table]) -> Vec<&Table> {
    let mut tables: Vec<&Table> = tables
        .iter()
        .filter(|table| !table.rows.is_empty())
        .collect();
    tables.sort_by_key(|table| table.title != "Reasons");
    tables
}

/// A table whose citations lead to the evidence.
fn cited(of: &Table, atoms: &Atoms) -> Markup {
    let cites = of
        .columns
        .iter()
        .position(|c| c.name == "cites" || c.name == "evidence");
    let Some(cites) = cites else {
        return table(of, &no_link);
    };
    html! {
        section.table {
            h2 { (sentence(&of.title)) }
            div.scroll tabindex="0" role="region" aria-label=(sentence(&of.title)) {
                table {
                    thead { tr { @for column in &of.columns { th scope="col" { (sentence(&column.name)) } } } }
                    tbody {
                        @for row in of.grid() {
                            tr {
                                @for (at, cell) in row.iter().enumerate() {
                                    td {
                                        @match (at == cites, cell) {
                                            (true, Cell::Text(text)) => (atoms.citations(text)),
                                            _ => (sentence(&cell.display())),
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @for note in &of.notes { p.note { (sentence(note)) } }
        }
    }
}

/// The evidence of a record with what it is cited by.
struct Atoms<'r> {
    atoms: Vec<(String, &'r Evidence<'r>, Option<&'r str>)>,
    ids: BTreeSet<String>,
}

impl<'r> Atoms<'r> {
    fn of(record: &'r RunRecord, described: Option<&'r Described>) -> Self {
        let words = |at: usize| described.and_then(|described| described.atoms.get(at));
        let atoms = record.evidence.iter().enumerate().map(|(at, atom)| {
            let words = words(at);
            let id = words.map_or_else(|| format!("atom-{}", at + 1), |words| words.id.clone());
            (id, atom, words.map(|words| words.message.as_str()))
        });
        let atoms: Vec<_> = atoms.collect();
        Atoms {
            ids: atoms.iter().map(|(id, ..)| id.clone()).collect(),
            atoms,
        }
    }

    /// Names of atoms, each leading to it.
    fn citations(&self, text: &str) -> Markup {
        let words = text.split_inclusive([' ', ',']);
        html! {
            @for word in words {
                @let id = word.trim_end_matches([' ', ',']);
                @if self.ids.contains(id) {
                    a href=(format!("#{id}")) { (id) } (&word[id.len()..])
                } @else { (sentence(word)) }
            }
        }
    }

    fn failed(&self, visit: &Visit) -> Markup {
        let failed: Vec<_> = self
            .atoms
            .iter()
            .filter(|(_, atom, _)| !atom.pass)
            .collect();
        html! {
            @if !failed.is_empty() {
                h2 { "Failed evidence (" (grouped(failed.len() as u64)) ")" }
                @for (id, atom, message) in failed.iter().take(MOST_FAILED) {
                    div.atom.(class(atom)) id=(id) {
                        p {
                            (severity(atom.severity)) " "
                            a href=(records_with(visit, &[("rule", atom.rule)])) { (name(atom.rule)) }
                            " " span.lead { (sentence(&looked_at(atom))) }
                            " " code { (id) }
                        }
                        @if let Some(message) = message { p { (sentence(message)) } }
                        @if let (None, Some(text)) = (message, atom.text) { p { (sentence(text)) } }
                        (held_against(atom))
                    }
                }
                @if failed.len() > MOST_FAILED {
                    p.note { "… and " (grouped((failed.len() - MOST_FAILED) as u64)) " more" }
                }
            }
        }
    }

    fn passed(&self) -> Markup {
        let passed: Vec<_> = self.atoms.iter().filter(|(_, atom, _)| atom.pass).collect();
        let worded = passed
            .iter()
            .any(|(_, atom, words)| words.is_some() || atom.text.is_some());
        html! {
            @if !passed.is_empty() {
                details {
                    summary { "Evidence that passed (" (grouped(passed.len() as u64)) ")" }
                    div.scroll tabindex="0" role="region" aria-label="Evidence that passed" {
                        table {
                            thead { tr {
                                th scope="col" { "id" }
                                th scope="col" { "rule" }
                                th scope="col" { "field" }
                                th.number scope="col" { "observed" }
                                @if worded { th scope="col" { "what was seen" } }
                            } }
                            tbody {
                                @for (id, atom, message) in passed.iter().take(MOST_PASSED) {
                                    tr id=(id) {
                                        td { code { (id) } }
                                        td { (name(atom.rule)) }
                                        td { (sentence(&looked_at(atom))) }
                                        td.number { (number(atom.observed)) }
                                        @if worded { td { (sentence(message.or(atom.text).unwrap_or_default())) } }
                                    }
                                }
                            }
                        }
                    }
                    @if passed.len() > MOST_PASSED {
                        p.note { "… and " (grouped((passed.len() - MOST_PASSED) as u64)) " more" }
                    }
                }
            }
        }
    }
}

fn class(atom: &Evidence) -> &'static str {
    match atom.severity {
        "critical" => "critical",
        "warning" => "warning",
        _ => "info",
    }
}

/// What was seen and what was allowed, written and drawn.
fn held_against(atom: &Evidence) -> Markup {
    html! {
        @if let (Some(observed), Some(limit)) = (atom.observed, atom.limit) {
            p {
                "observed " strong { (number(Some(observed))) }
                ", limit " strong { (number(Some(limit))) } " "
                (PreEscaped(inline::limit(observed, limit)))
            }
        }
    }
}

/// What was asked and answered.
pub fn words(said: &Said) -> Markup {
    html! {
        @match said {
            Said::Nowhere => {}
            Said::Gone(file, why) => {
                h2 { "Answer" }
                p.note { "not shown from " (name(file)) ": " (sentence(why)) }
            }
            Said::Kept(texts) => {
                h2 { "Question and answer" }
                dl.text {
                    @for (of, text) in texts { dt { (of) } dd { pre { (lines(text)) } } }
                }
            }
            Said::Row(row) => {
                h2 { "Answer, as it stands in the input" }
                (row_words(row))
            }
        }
    }
}

/// A row of JSON key by key, texts as they read; any other row as it is.
fn row_words(row: &str) -> Markup {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(row) else {
        return html! { pre { (lines(row)) } };
    };
    let short = |value: &Value| match value {
        Value::String(text) => text.len() < 80 && !text.contains('\n'),
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    };
    let (facts, texts): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| short(value));
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    html! {
        dl.facts {
            @for (key, value) in facts { div { dt { (name(key)) } dd { (sentence(&text(value))) } } }
        }
        dl.text {
            @for (key, value) in texts { dt { (name(key)) } dd { pre { (lines(&text(value))) } } }
        }
    }
}

/// What else was answered to the same question.
fn other_records(visit: &Visit, row: u64, others: &[Row], to: &dyn Fn(u64) -> String) -> Markup {
    let beside = |other: u64| {
        let pair = [("row", row.to_string()), ("with", other.to_string())];
        address("/item", visit.run().into_iter().chain(pair))
    };
    let here: Vec<&Row> = others.iter().filter(|other| other.row != row).collect();
    html! {
        @if !here.is_empty() {
            h2 { "Others on this item" }
            div.scroll tabindex="0" role="region" aria-label="Others on this item" {
                table {
                    thead { tr {
                        th scope="col" { "subject" }
                        th scope="col" { "verdict" }
                        th.number scope="col" { "score" }
                        th scope="col" { "side by side" }
                    } }
                    tbody {
                        @for other in here.iter().take(MOST_OTHERS) {
                            tr {
                                td {
                                    a href=(to(other.row)) { (shown_item(other.subject.name)) }
                                    @if other.epoch != 1 { " (epoch " (other.epoch) ")" }
                                }
                                td { (verdict(other.verdict)) }
                                td.number { (number(other.score)) }
                                td { a href=(beside(other.row)) { "with " (shown_item(other.subject.name)) } }
                            }
                        }
                    }
                }
            }
            @if here.len() > MOST_OTHERS {
                p.note { "… and " (counted((here.len() - MOST_OTHERS) as u64, "record", "records")) " more" }
            }
        }
    }
}

fn show_command(visit: &Visit, record: &RunRecord) -> String {
    let mut words = vec!["judica show".to_owned(), shell(&visit.opened.name)];
    words.extend([shell(&name(record.item)), "--subject".to_owned()]);
    words.push(shell(&name(record.subject)));
    words.join(" ")
}
