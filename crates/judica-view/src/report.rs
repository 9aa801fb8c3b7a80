//! A run on one page that needs no server: no script, no request, the same bytes for the same
//! run wherever it stands.

use std::sync::atomic::AtomicBool;

use judica_model::run::{Direction, RunRecord};
use judica_report::figure::look::{Look, Theme};
use judica_report::figure::{self, Figure};
use judica_run::WorkError;
use judica_run::compare::tables::tables;
use judica_run::family::Family;
use judica_run::index::query::{Dimension, Query, Sort};
use judica_run::index::{Index, Row};
use judica_run::manifest::Manifest;
use judica_run::plot::{Groups, bars_of};
use judica_run::text::said;
use judica_run::values;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::pages::compare::{
    Compared, NEWLY_FAILING, NEWLY_PASSING, listed, over_everything, request,
};
use crate::pages::evidence::{Shown, words};
use crate::pages::{failures, list, number, shown_item, top_rules};
use crate::table::{Cut, no_link, table, table_cut};
use crate::viewer::Opened;
use crate::words::{counted, grouped, name};

/// The table of all metrics, which is long.
const WHOLE: Cut = Cut {
    rows: 1_000,
    drawn: false,
};
/// Records that are shown with their evidence.
const WORST: usize = 20;
/// So few metrics are shown without being unfolded: the figure has those of one scale alone.
const FEW: usize = 12;
/// Rows of a figure.
const DRAWN: usize = 60;
/// Rules that are listed.
const RULES: usize = 50;
/// Items that changed sides that are listed of each kind.
const CHANGED: usize = 100;
/// Bytes for the evidence and answers of all of them; a record that does not fit is shown
/// without, so that the page stays one that can be sent.
const ROOM: usize = 1_000_000;

const STYLE: &str = include_str!("../assets/view.css");

/// The page: of a run, held against another if there is one.
pub fn html(
    opened: &Opened,
    against: Option<&Opened>,
    families: &'static [&'static Family],
    threads: usize,
) -> Result<String, WorkError> {
    let run = &opened.run;
    let manifest = &run.manifest;
    let index = build(opened, threads)?;
    let compared = match against {
        None => None,
        Some(other) => {
            let request = request(&[other, opened], Vec::new(), threads);
            let other_index = build(other, threads)?;
            let mut compared = Compared::of(&request, &other_index, &index)?;
            // Where the runs stand on this machine is nobody's business.
            let names = ["the other run", "this run"];
            for (side, name) in compared.report.sides.iter_mut().zip(names) {
                side.run = name.to_owned();
            }
            Some((compared, other_index))
        }
    };
    let values = values::usual_values(run, threads)?;
    let metrics = values::table(&values);
    // All metrics of one scale, else the primary one, else none: a figure is large, and a run
    // without a metric has none.
    let primary: Vec<String> = manifest
        .primary()
        .map(|spec| spec.name.clone())
        .into_iter()
        .collect();
    let chart = [&[][..], &primary].into_iter().find_map(|metrics| {
        let measured = [("", run, values.as_slice())];
        let chart = bars_of(&measured, metrics, Groups::Metrics, Some("Metrics")).ok()?;
        Some(chart.forest()).filter(|forest| forest.rows.len() <= DRAWN)
    });
    let rules = index.rules();
    let worst = worst(&index, manifest)?;
    let describe = families
        .iter()
        .find(|family| family.command == manifest.command);
    let describe = describe.and_then(|family| family.describe);
    let (mut records, mut room) = (Vec::new(), ROOM);
    for row in &worst {
        index.record(row.row, &mut |record, own| {
            let described = describe.map(|describe| describe(run, record)).transpose()?;
            let prefix = format!("record-{}-", row.row);
            let shown = Shown::new(record, own, described.as_ref(), &prefix, &|_| None);
            let said = said(&run.path, record, None);
            let body = html! { (shown.why()) (words(&said)) (shown.more()) };
            let fits = body.0.len() <= room;
            room -= if fits { body.0.len() } else { 0 };
            records.push(one(row, record, fits.then_some(body)));
            Ok(())
        })?;
    }
    let counts = &manifest.counts;
    let title = format!("judica {}", manifest.command);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (name(&title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (name(&title)) }
                    p.lead {
                        (counted(counts.records, "record", "records")) " from "
                        (grouped(counts.inputs)) " inputs = " (grouped(counts.used)) " used + "
                        (counted(counts.rejects, "reject", "rejects")) "; made " (name(&manifest.created_at))
                        " by judica " (name(&manifest.judica_version))
                    }
                    @if let Some((compared, other)) = &compared { (change(compared, [other, &index])?) }
                    @for of in &opened.tables { (table(of, &no_link)) }
                    @if let Some(chart) = &chart {
                        (themed("metrics", &|look| figure::forest::draw(chart, look)))
                    }
                    @if !rules.is_empty() {
                        h2 { "Rules that failed" }
                        (top_rules(&rules[..rules.len().min(RULES)], index.len(), &|_| None))
                    }
                    @if !worst.is_empty() {
                        h2 { "Worst records" }
                        (list(&worst, &|row| format!("#record-{row}"), None))
                        @for record in &records { (record) }
                    }
                    @if !metrics.rows.is_empty() {
                        details open[metrics.rows.len() <= FEW] {
                            summary { "Every metric by subject and data set (" (metrics.rows.len()) ")" }
                            (table_cut(&metrics, &no_link, WHOLE))
                        }
                    }
                    (inputs(manifest))
                }
            }
        }
    };
    Ok(page.into_string())
}

fn build(opened: &Opened, threads: usize) -> Result<Index, WorkError> {
    Index::build(&opened.run, threads, &|_| (), &AtomicBool::new(false))
}

/// The records that failed worst; those of the worst score where nobody decides.
fn worst<'i>(index: &'i Index, manifest: &Manifest) -> Result<Vec<Row<'i>>, WorkError> {
    let query = worst_query(index, manifest)?;
    Ok(index.page(&index.filter(&query)?, WORST)?.rows)
}

/// The list of records that begins with the worst.
pub(crate) fn worst_query(index: &Index, manifest: &Manifest) -> Result<Query, WorkError> {
    let facets = index.facets(&index.filter(&Query::default())?);
    let mut verdicts = facets
        .iter()
        .filter(|facet| facet.dimension == Dimension::Verdict);
    let fails = verdicts.any(|facet| facet.counts.iter().any(|of| of.name.name == "fail"));
    let query = match fails {
        true => Query::default().with(Dimension::Verdict, "fail"),
        false => Query::default(),
    };
    let primary = manifest.primary();
    Ok(query.sorted(Some(Sort {
        name: "score".to_owned(),
        descending: primary.is_some_and(|spec| spec.direction == Direction::Lower),
    })))
}

fn one(row: &Row, record: &RunRecord, body: Option<Markup>) -> Markup {
    html! {
        section.record id=(format!("record-{}", row.row)) {
            h2 { (shown_item(record.item)) " · " (name(record.subject)) }
            @match body { Some(body) => (body), None => p.note { "too long for this page" } }
        }
    }
}

/// What changed from the other run to this one.
fn change(compared: &Compared, indexes: [&Index; 2]) -> Result<Markup, WorkError> {
    let report = &compared.report;
    let changed = |(title, failed): (&str, usize),
                   pairs: &[[u32; 2]]|
     -> Result<Markup, WorkError> {
        let rows = listed(pairs, indexes, CHANGED)?;
        Ok(html! {
            h2 { (title) " (" (grouped(pairs.len() as u64)) ")" }
            @if rows.is_empty() { p { "None." } } @else {
                div.scroll tabindex="0" role="group" aria-label=(title) {
                    table {
                        thead { tr {
                            th scope="col" { "item" } th scope="col" { "subject" } th scope="col" { "dataset" }
                            th.number scope="col" { "score" } th scope="col" { "failed" }
                        } }
                        tbody {
                            @for both in &rows {
                                @let row = &both[1];
                                tr {
                                    td { (shown_item(&row.item)) } td { (name(row.subject.name)) }
                                    td { (name(row.dataset.name)) } td.number { (number(row.score)) }
                                    td { (failures(&both[failed].failed)) }
                                }
                            }
                        }
                    }
                }
                @if pairs.len() > CHANGED { p.note { "… and " (grouped((pairs.len() - CHANGED) as u64)) " more" } }
            }
        })
    };
    Ok(html! {
        @for of in &tables(report) { (table(of, &no_link)) }
        @if !report.metrics.is_empty() { (themed("change", &|look| figure::forest::draw(&over_everything(report), look))) }
        (changed(NEWLY_FAILING, &compared.failing)?)
        (changed(NEWLY_PASSING, &compared.passing)?)
    })
}

/// A figure on both papers, of which the reader's theme shows one.
fn themed(name: &str, draw: &dyn Fn(&Look) -> Figure) -> Markup {
    let on = |theme: Theme| {
        let look = Look {
            theme,
            ..Look::default()
        };
        PreEscaped(draw(&look).inline_svg(&format!("{name}-{theme:?}-")))
    };
    html! {
        figure.light { (on(Theme::Light)) }
        figure.dark { (on(Theme::Dark)) }
    }
}

fn inputs(manifest: &Manifest) -> Markup {
    html! {
        h2 { "What it was made of" }
        div.scroll tabindex="0" role="group" aria-label="Inputs" {
            table {
                thead { tr { th scope="col" { "role" } th scope="col" { "input" } th scope="col" { "SHA-256" } } }
                tbody {
                    @for input in manifest.inputs.iter().take(RULES) {
                        tr { td { (name(&input.role)) } td { (name(&input.path)) } td { code { (name(&input.sha256)) } } }
                    }
                }
            }
        }
    }
}
