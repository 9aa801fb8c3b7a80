//! `/`: the run: what it was made of, what it came to, where it failed.

use judica_model::table::Table;
use judica_run::index::query::{Dimension, Query};
use judica_run::index::{Cell, Counted, FailedRule, Index, Name, Row};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::records::to_record;
use super::{known_names, list, number, records_with, shown_item, top_rules, verdict};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::report::worst_query;
use crate::route::{Page, Visit};
use crate::table::{Cut, LinkOf, no_link, table, table_cut};
use crate::viewer::Growing;
use crate::words::{counted, grouped, name, sentence};

/// Rules and records that are shown.
const SHOWN: usize = 10;
/// What is shown of tables that are folded: `judica show` has them whole.
const FOLDED: Cut = Cut {
    rows: 25,
    drawn: false,
};
/// Subjects and data sets that are shown.
const WIDE: usize = 20;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    visit.asked.end()?;
    let opened = visit.opened;
    if let Some(page) = opened.overview.get() {
        return Ok(page.clone());
    }
    let manifest = &opened.run.manifest;
    let counts = &manifest.counts;
    let mut json = json!({
        "run": opened.name,
        "command": manifest.command,
        "judica_version": manifest.judica_version,
        "created_at": manifest.created_at,
        "inputs": manifest.inputs,
        "counts": counts,
        "tables": opened.tables,
    });
    // What the report says is there even if the records cannot be read.
    let (found, percent, problem) = match opened.index() {
        Ok(Growing::Ready(index)) => (Some(Found::of(visit, index)?), None, None),
        Ok(Growing::Percent(percent)) => (None, Some(percent), None),
        Err(refusal) => (None, None, Some(refusal.why)),
    };
    json["problem"] = json!(problem);
    match (&found, percent) {
        (Some(found), _) => json["index"] = found.json(),
        (None, Some(percent)) => json["indexing_percent"] = json!(percent),
        (None, None) => {}
    }
    let body = html! {
        h1 { "judica " (name(&manifest.command)) }
        p.lead {
            (counted(counts.records, "record", "records")) " from "
            (grouped(counts.inputs)) " inputs = " (grouped(counts.used)) " used + "
            @if counts.rejects > 0 {
                a href=(address("/rejects", visit.run())) { (counted(counts.rejects, "reject", "rejects")) }
            } @else { "0 rejects" }
            "; made " (name(&manifest.created_at)) "; "
            a href=(address("/about", visit.run())) { "what it was made of" }
        }
        @if let Some(found) = &found { (found.verdicts(visit)) }
        (report(visit, found.as_ref()))
        @match (&found, percent) {
            (Some(found), _) => {
                (found.worst(visit))
                (found.rules(visit))
                (found.cross(visit))
            }
            (None, Some(percent)) => p.growing { "indexing " (percent) " %" }
            (None, None) => p.problem role="alert" { (sentence(&problem.unwrap_or_default())) }
        }
    };
    let mut page = Page::new(format!("{} {}", manifest.command, opened.name), json, body);
    page.growing = percent.is_some();
    if found.is_some() {
        let _ = opened.overview.set(page.clone());
    }
    Ok(page)
}

/// The tables of the report: the first as it is, the others folded.
fn report(visit: &Visit, found: Option<&Found>) -> Markup {
    let known = found.map(|found| known_names(visit, found.index));
    let link: LinkOf = match &known {
        Some(known) => known,
        None => &no_link,
    };
    let tables: Vec<&Table> = visit.opened.tables.iter().collect();
    html! {
        @if let [first, others @ ..] = tables.as_slice() {
            (table(first, link))
            @if !others.is_empty() {
                details {
                    summary { "The rest of the report (" (counted(others.len() as u64, "table", "tables")) ")" }
                    @for other in others { (table_cut(other, link, FOLDED)) }
                }
            }
        }
    }
}

/// What the index says.
struct Found<'i> {
    index: &'i Index,
    worst: Vec<Row<'i>>,
    worst_query: Query,
    rules: Vec<FailedRule<'i>>,
    cross: Vec<Cell<'i>>,
    verdicts: Vec<Counted<'i>>,
}

impl<'i> Found<'i> {
    fn of(visit: &Visit, index: &'i Index) -> Result<Self, Refusal> {
        let run = &visit.opened.run;
        let facets = index.facets(&index.filter(&Query::default())?);
        let verdicts = facets
            .into_iter()
            .find(|facet| facet.dimension == Dimension::Verdict);
        let verdicts = verdicts.map(|facet| facet.counts).unwrap_or_default();
        let worst_query = worst_query(index, &run.manifest)?;
        let filter = index.filter(&worst_query)?;
        Ok(Found {
            worst: index.page(&filter, SHOWN)?.rows,
            worst_query,
            rules: index.rules(),
            cross: index.cross(),
            verdicts,
            index,
        })
    }

    fn json(&self) -> Value {
        json!({
            "verdicts": self.verdicts,
            "worst": self.worst,
            "rules": self.rules,
            "cross": self.cross,
        })
    }

    fn verdicts(&self, visit: &Visit) -> Markup {
        html! {
            dl.facts {
                @for value in &self.verdicts {
                    div {
                        dt { (verdict(judica_model::run::Verdict::ALL.into_iter().find(|v| v.name() == value.name.name))) }
                        dd { a href=(records_with(visit, &[("verdict", &value.name.value)])) { (grouped(value.count)) } }
                    }
                }
            }
        }
    }

    fn worst(&self, visit: &Visit) -> Markup {
        let to = |row| to_record(visit, &self.worst_query, row);
        html! {
            @if !self.worst.is_empty() {
                h2 { "Worst records" }
                (list(&self.worst, &to, None))
                p.note { a href=(super::records::to_list(visit, &self.worst_query)) { "All of them" } }
            }
        }
    }

    fn rules(&self, visit: &Visit) -> Markup {
        let link = |rule: &FailedRule| {
            let of = [
                ("rule", &*rule.rule.value),
                ("severity", &*rule.severity.value),
            ];
            Some(records_with(visit, &of))
        };
        html! {
            @if !self.rules.is_empty() {
                h2 { "Top failures" }
                (top_rules(&self.rules[..self.rules.len().min(SHOWN)], self.index.len(), &link))
                p.note { a href=(address("/rules", visit.run())) { "All rules" } }
            }
        }
    }

    /// Data sets × subjects, where there is more than one of either.
    fn cross(&self, visit: &Visit) -> Markup {
        let [subjects, datasets] =
            [Dimension::Subject, Dimension::Dataset].map(|of| self.index.all(of));
        let (wide, long) = (datasets.len().min(WIDE), subjects.len().min(WIDE));
        let cell = |subject: &Name, dataset: &Name| {
            let mut cells = self.cross.iter();
            cells.find(|cell| cell.subject == *subject && cell.dataset == *dataset)
        };
        html! {
            @if self.cross.len() > 1 {
                h2 { "Data sets × subjects: mean score and records" }
                div.scroll tabindex="0" role="group" aria-label="Data sets and subjects" {
                    table {
                        thead { tr {
                            th scope="col" { "subject" }
                            @for dataset in &datasets[..wide] { th.number scope="col" { (shown_item(dataset.name)) } }
                        } }
                        tbody {
                            @for subject in &subjects[..long] {
                                tr {
                                    th scope="row" {
                                        a href=(records_with(visit, &[("subject", &subject.value)])) { (shown_item(subject.name)) }
                                    }
                                    @for dataset in &datasets[..wide] {
                                        td.number { @if let Some(cell) = cell(subject, dataset) { (crossed(visit, cell)) } }
                                    }
                                }
                            }
                        }
                    }
                }
                @if subjects.len() > long || datasets.len() > wide {
                    p.note {
                        (counted(subjects.len() as u64, "subject", "subjects")) " and "
                        (counted(datasets.len() as u64, "data set", "data sets")) " in all"
                    }
                }
            }
        }
    }
}

fn crossed(visit: &Visit, cell: &Cell) -> Markup {
    let of = [
        ("subject", &*cell.subject.value),
        ("dataset", &*cell.dataset.value),
    ];
    html! {
        a href=(records_with(visit, &of)) {
            @match cell.mean { Some(mean) => (number(Some(mean))), None => "no score" }
        }
        " " span.note { "n " (grouped(cell.records)) }
    }
}
