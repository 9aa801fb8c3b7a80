//! `/metrics`: every metric with its interval, by subject and data set.

use judica_model::chart::Forest;
use judica_model::metric::MetricValue;
use judica_model::run::MetricSpec;
use judica_model::table::{Cell, Table};
use judica_report::figure::look::Look;
use judica_report::figure::{Figure, forest};
use judica_run::plot::{Groups, bars_of};
use judica_run::values::MetricOf;
use maud::html;
use serde_json::json;

use super::{known_names, records_with};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit, drawing};
use crate::table::{Cut, LinkOf, no_link, table_cut};
use crate::viewer::{Growing, Opened};
use crate::words::{counted, grouped, name};

/// Values of one page.
const ROWS: usize = 350;
/// Values of the figure: more make one that nobody can look at.
const DRAWN: usize = 200;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let chosen = visit.asked.take("metric")?;
    let computes = visit.computes()?;
    visit.asked.end()?;
    let specs = &visit.opened.run.manifest.metrics;
    if let Some(chosen) = &chosen
        && !specs.iter().any(|spec| spec.name == *chosen)
    {
        let near = judica_model::nearest::hint(chosen, specs.iter().map(|spec| spec.name.as_str()));
        return Err(Refusal::bad(format!(
            "`metric={chosen}`: the run has no such metric{near}"
        )));
    }
    if !computes {
        let mut pairs = visit.run();
        pairs.extend(chosen.map(|chosen| ("metric", chosen)));
        pairs.push(("compute", "yes".to_owned()));
        let records = visit.opened.run.manifest.counts.records;
        return Ok(Page::heavy("Metrics", &address("/metrics", pairs), records));
    }
    let values = visit.opened.metrics(visit.viewer.threads())?;
    let index = match visit.opened.index()? {
        Growing::Ready(index) => Some(index),
        Growing::Percent(_) => None,
    };
    let known = index.map(|index| known_names(visit, index));
    let link: LinkOf = match &known {
        Some(known) => known,
        None => &no_link,
    };
    let shown: Vec<_> = specs
        .iter()
        .filter(|spec| chosen.as_ref().is_none_or(|chosen| *chosen == spec.name))
        .collect();
    // All metrics share a page; one alone has it for itself.
    let rows = ROWS / shown.len().max(1);
    let alone = shown.len() == 1;
    let cut = |spec: &MetricSpec| Cut {
        rows: if alone { ROWS / 2 } else { rows },
        drawn: alone || spec.primary,
    };
    let body = html! {
        h1 { "Metrics" }
        @if specs.is_empty() { p { "The run has no metric." } }
        p.lead { (counted(specs.len() as u64, "metric", "metrics")) ", each with its 95 % interval and n" }
        @if chosen.is_none() && specs.iter().any(|spec| spec.above.is_some() || spec.estimator.is_some()) {
            (drawing("/metrics.svg", visit.run().into_iter(), "Metrics with their intervals, as in the tables below"))
            @let left_out = forest_of(visit.opened, values).map_or(0, |(_, left_out)| left_out);
            @if left_out > 0 {
                p.note { "The figure has the first " (DRAWN) " values; " (grouped(left_out as u64)) " more are left out." }
            }
        }
        @for spec in &shown {
            section {
                h2 {
                    (name(&spec.name))
                    @if spec.primary { " (primary)" }
                }
                p.note {
                    (serde_json::to_value(spec.kind).unwrap_or_default().as_str().unwrap_or_default())
                    @if let Some(unit) = &spec.unit { ", in " (name(unit)) }
                    @match spec.direction {
                        judica_model::run::Direction::Higher => ", higher is better",
                        judica_model::run::Direction::Lower => ", lower is better",
                        judica_model::run::Direction::None => {}
                    }
                    @if !alone {
                        " · " a href=(address("/metrics", visit.run().into_iter().chain([("metric", spec.name.clone())]))) { "alone" }
                    }
                    @if spec.above.is_some() {
                        " · " a href=(records_with(visit, &[("metric", &spec.name), ("sort", &spec.name)])) { "records by it" }
                    }
                }
                (table_cut(&table_of(of(values, &spec.name).filter(|of| of.dataset.is_none())), link, cut(spec)))
                @let by_dataset = table_of(of(values, &spec.name).filter(|of| of.dataset.is_some()));
                @if !by_dataset.rows.is_empty() {
                    details open[alone] {
                        summary { "By data set (" (by_dataset.rows.len()) ")" }
                        (table_cut(&by_dataset, link, cut(spec)))
                    }
                }
            }
        }
    };
    let shown: Vec<&MetricOf> = shown
        .iter()
        .flat_map(|spec| of(values, &spec.name))
        .collect();
    Ok(Page::new(
        "Metrics",
        json!({"metrics": specs, "values": shown}),
        body,
    ))
}

fn of<'m>(values: &'m [MetricOf], metric: &'m str) -> impl Iterator<Item = &'m MetricOf> + Clone {
    values.iter().filter(move |of| of.metric == metric)
}

/// The metrics, drawn.
pub fn draw(visit: &mut Visit, look: &Look) -> Result<Figure, Refusal> {
    visit.asked.end()?;
    let values = visit.opened.metrics(visit.viewer.threads())?;
    let (forest, _) = forest_of(visit.opened, values)?;
    Ok(forest::draw(&forest, look))
}

/// What is drawn, and how many values are not.
fn forest_of(opened: &Opened, values: &[MetricOf]) -> Result<(Forest, usize), Refusal> {
    let measured = [(opened.name.as_str(), &opened.run, values)];
    let chart = bars_of(&measured, &[], Groups::Metrics, Some("Metrics"))?;
    let mut forest = chart.forest();
    let left_out = forest.rows.len().saturating_sub(DRAWN);
    forest.rows.truncate(DRAWN);
    Ok((forest, left_out))
}

/// The values of one metric.
fn table_of<'m>(values: impl Iterator<Item = &'m MetricOf> + Clone) -> Table {
    let several = values.clone().any(|of| of.dataset.is_some());
    let mut table = Table::new("").left("subject");
    if several {
        table = table.left("dataset");
    }
    table = table.right("value [95 % CI]").right("n");
    for of in values.clone() {
        let mut cells = vec![Cell::text(of.subject.as_deref().unwrap_or("all"))];
        if several {
            cells.push(Cell::text(of.dataset.as_deref().unwrap_or("all")));
        }
        let n = match &of.value {
            MetricValue::Defined { n, .. } => *n,
            MetricValue::Undefined { .. } => 0,
        };
        cells.extend([Cell::metric(&of.value, 4), Cell::count(n)]);
        table.push(cells);
    }
    let named = values.map(|of| {
        let subject = of.subject.as_deref().unwrap_or("all");
        let whose = match &of.dataset {
            Some(dataset) => format!("{subject} in {dataset}"),
            None => subject.to_owned(),
        };
        (whose, &of.value)
    });
    table.note_missing_intervals("the value", named);
    table
}
