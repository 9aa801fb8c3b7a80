//! `/labels`: who labelled what: how far raters agree, and on which items they do not.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table};
use judica_report::figure::look::Look;
use judica_report::figure::{Figure, heatmap};
use judica_run::raters::{MOST, Raters};
use maud::html;
use serde_json::json;

use super::{list, records_with};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit, drawing};
use crate::table::{no_link, table};
use crate::viewer::Growing;
use crate::words::{counted, grouped, name};

/// Disagreements on a page.
const ROWS: usize = 50;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let after = visit.asked.number("after")?;
    let computes = visit.computes()?;
    visit.asked.end()?;
    let index = match visit.opened.index()? {
        Growing::Ready(index) => index,
        Growing::Percent(percent) => return Ok(Page::growing("Labels", percent)),
    };
    if !computes {
        let compute = [("compute", "yes")].map(|(name, value)| (name, value.to_owned()));
        let to = address("/labels", visit.run().into_iter().chain(compute));
        return Ok(Page::heavy("Labels", &to, index.len()));
    }
    let raters = visit.opened.raters(visit.viewer.threads())?;
    let differ = &raters.disagreements;
    let begin = differ.partition_point(|row| after.is_some_and(|after| u64::from(*row) <= after));
    let here = &differ[begin..differ.len().min(begin + ROWS)];
    let places: Vec<u64> = here.iter().map(|row| u64::from(*row)).collect();
    let rows = index.listed(&places)?;
    let next = here.last().filter(|_| begin + here.len() < differ.len());
    let to = |row: u64| {
        let row = [("row", row.to_string())];
        address("/record", visit.run().into_iter().chain(row))
    };
    let more = |next: u32| {
        let after = [("after", next.to_string())];
        address("/labels", visit.run().into_iter().chain(after))
    };
    let json = json!({
        "raters": raters,
        "disagreements": {"total": differ.len(), "records": rows, "next": next},
    });
    let body = html! {
        h1 { "Labels" }
        @if raters.names.is_empty() {
            p { "Nobody labelled a record of this run." }
        } @else {
            p.lead {
                (counted(raters.labelled, "labelled record", "labelled records")) " by "
                (counted(raters.names.len() as u64, "rater", "raters")) ": "
                @for (at, rater) in raters.names.iter().take(MOST).enumerate() {
                    @if at > 0 { ", " } (name(rater))
                }
                @if raters.names.len() > MOST { " …" }
            }
            @if raters.names.len() > MOST {
                p.note {
                    "Of so many raters only the first " (MOST) " are compared with each other, below "
                    "and in the figure. The report of the run says how far all agree."
                }
            }
            @if raters.names.len() > 2 {
                (drawing("/labels.svg", visit.run().into_iter(), "Agreement of every two raters, as in the table below"))
            }
            (table(&pairs(raters), &no_link))
            h2 { "Disagreements (" (grouped(differ.len() as u64)) ")" }
            @if rows.is_empty() { p { "All who labelled a record said the same." } }
            @else { (list(&rows, &to, None)) }
            nav.steps aria-label="More disagreements" {
                @if begin > 0 { a href=(address("/labels", visit.run())) { "First page" } }
                @if let Some(next) = next { a rel="next" href=(more(*next)) { "Next page" } }
            }
            p.note { a href=(records_with(visit, &[])) { "All records" } }
        }
    };
    Ok(Page::new("Labels", json, body))
}

/// Who agrees with whom, drawn.
pub fn draw(visit: &mut Visit, look: &Look) -> Result<Figure, Refusal> {
    visit.asked.end()?;
    let raters = visit.opened.raters(visit.viewer.threads())?;
    Ok(heatmap::draw(&raters.map(), look))
}

fn pairs(raters: &Raters) -> Table {
    let mut table = Table::new("Every two raters")
        .left("first")
        .left("second")
        .right("items")
        .right("percent agreement [95 % CI]")
        .right("Cohen's kappa [95 % CI]");
    for pair in &raters.pairs {
        let n = match &pair.percent_agreement {
            MetricValue::Defined { n, .. } => *n as usize,
            MetricValue::Undefined { .. } => 0,
        };
        table.push([
            Cell::text(&pair.first),
            Cell::text(&pair.second),
            Cell::count(n),
            Cell::metric(&pair.percent_agreement, 4),
            Cell::metric(&pair.cohen_kappa, 4),
        ]);
    }
    table
}
