//! `/compare`: two runs, or two subjects of one: what differs, and which items changed sides.

use std::sync::Arc;

use judica_model::chart::Forest;
use judica_model::comma_list;
use judica_model::nearest::hint;
use judica_model::run::Verdict;
use judica_model::text::shell_word;
use judica_report::figure::look::Look;
use judica_report::figure::{self, Figure};
use judica_run::WorkError;
use judica_run::compare::forest::forest;
use judica_run::compare::tables::tables;
use judica_run::compare::{CompareReport, CompareRequest, compare_paired};
use judica_run::index::query::Dimension;
use judica_run::index::{Index, Name, Row};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{epoch, number, shown_item};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit, drawing};
use crate::table::{no_link, table};
use crate::viewer::{Growing, Opened};
use crate::words::{command, counted, grouped, name, option};

/// What changed sides, and the side whose rules failed.
pub const NEWLY_FAILING: (&str, usize) = ("Newly failing: passed in a, fails in b", 1);
pub const NEWLY_PASSING: (&str, usize) = ("Newly passing: failed in a, passes in b", 0);
/// Items that changed sides that are shown of each kind.
const SHOWN: usize = 50;
/// Subjects that can be chosen.
const CHOICES: usize = 500;
/// Differences that are drawn.
const DRAWN: usize = 60;

/// Two sides, compared.
pub struct Compared {
    pub report: CompareReport,
    /// Records that passed in a and fail in b, by their rows in both.
    pub failing: Vec<[u32; 2]>,
    /// And the other way round.
    pub passing: Vec<[u32; 2]>,
}

impl Compared {
    /// Compares the two runs, or two subjects of one.
    pub fn of(request: &CompareRequest, a: &Index, b: &Index) -> Result<Self, WorkError> {
        let (report, pairs) = compare_paired(request)?;
        let turned = |from: Verdict, to: Verdict| {
            let pairs = pairs.iter().filter(|[first, second]| {
                a.verdict(u64::from(*first)) == Some(from)
                    && b.verdict(u64::from(*second)) == Some(to)
            });
            pairs.copied().collect()
        };
        Ok(Compared {
            report,
            failing: turned(Verdict::Pass, Verdict::Fail),
            passing: turned(Verdict::Fail, Verdict::Pass),
        })
    }
}

/// A comparison as these pages make it; of two runs each has its own subject, if any is named.
pub fn request(runs: &[&Opened], subjects: Vec<String>, threads: usize) -> CompareRequest {
    let paths = runs.iter().map(|opened| opened.run.path.clone()).collect();
    CompareRequest {
        one_each: runs.len() > 1 && !subjects.is_empty(),
        subjects,
        ..CompareRequest::new(paths, threads)
    }
}

/// Two sides that were chosen, and what is known of them.
struct Chosen<'v> {
    indexes: [&'v Index; 2],
    subjects: Vec<String>,
    /// None if there is only one subject.
    compared: Option<Arc<Compared>>,
}

/// What is there to choose from.
enum Sides<'v> {
    Ready([&'v Index; 2]),
    Percent(u64),
}

fn sides<'v>(visit: &Visit<'v>) -> Result<Sides<'v>, Refusal> {
    let mut indexes = Vec::new();
    for opened in &visit.viewer.runs {
        match opened.index()? {
            Growing::Ready(index) => indexes.push(index),
            Growing::Percent(percent) => return Ok(Sides::Percent(percent)),
        }
    }
    let last = *indexes.last().unwrap_or(&indexes[0]);
    Ok(Sides::Ready([indexes[0], last]))
}

/// The subjects that parameters name, and those that go with them.
fn named(
    chosen: &[Option<String>; 2],
    indexes: [&Index; 2],
    two_runs: bool,
) -> Result<Vec<String>, Refusal> {
    let mut subjects = Vec::new();
    for (at, side) in ["a", "b"].into_iter().enumerate() {
        let known = indexes[at].all(Dimension::Subject);
        let known_as = |short: &String| {
            let mut found = known.iter();
            let found = found.find(|of| of.value == *short || of.name == short);
            found.map(|found| found.name.to_owned())
        };
        match (&chosen[at], &chosen[1 - at]) {
            (Some(short), _) => subjects.push(known_as(short).ok_or_else(|| {
                let near = hint(short, known.iter().map(|of| of.name));
                Refusal::bad(format!("`{side}={short}`: no such subject{near}"))
            })?),
            // Two runs pair their subjects by name, or their only ones.
            (None, Some(other)) if two_runs => {
                let only = known.first().filter(|_| known.len() == 1);
                let found = known_as(other).or_else(|| Some(only?.name.to_owned()));
                let why =
                    || format!("no subject `{other}` in {side}: choose one for `{side}`, too");
                subjects.push(found.ok_or_else(|| Refusal::bad(why()))?);
            }
            (None, _) if two_runs => {}
            // Of one run the first two are a beginning.
            (None, _) => subjects.extend(known.get(at).map(|found| found.name.to_owned())),
        }
    }
    match subjects.as_slice() {
        [one, other] if one == other && !two_runs => Err(Refusal::bad(format!(
            "a and b are both `{one}`: choose two subjects"
        ))),
        _ => Ok(subjects),
    }
}

fn choose<'v>(
    visit: &Visit<'v>,
    chosen: &[Option<String>; 2],
    indexes: [&'v Index; 2],
) -> Result<Chosen<'v>, Refusal> {
    let runs = &visit.viewer.runs;
    let two_runs = runs.len() > 1;
    let subjects = named(chosen, indexes, two_runs)?;
    let opened: Vec<&Opened> = runs.iter().collect();
    let request = request(&opened, subjects.clone(), visit.viewer.threads());
    let compare = || Ok(Compared::of(&request, indexes[0], indexes[1])?);
    let compared = match two_runs || subjects.len() == 2 {
        true => Some(visit.viewer.compared(&request, compare)?),
        false => None,
    };
    Ok(Chosen {
        indexes,
        subjects,
        compared,
    })
}

/// The differences over all data sets together: those of each would be too many to read.
pub fn over_everything(report: &CompareReport) -> Forest {
    let mut report = report.clone();
    report.metrics.retain(|row| row.dataset.is_none());
    report.metrics.truncate(DRAWN);
    forest(&report)
}

/// The differences, drawn.
pub fn draw(visit: &mut Visit, look: &Look) -> Result<Figure, Refusal> {
    let asked = [visit.asked.take("a")?, visit.asked.take("b")?];
    visit.asked.end()?;
    let compared = match sides(visit)? {
        Sides::Ready(indexes) => choose(visit, &asked, indexes)?.compared,
        Sides::Percent(_) => None,
    };
    let nothing = || Refusal::nothing("there is nothing to compare");
    let forest = over_everything(&compared.ok_or_else(nothing)?.report);
    Ok(figure::forest::draw(&forest, look))
}

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let heavy = visit.asked.rest().any(|(name, _)| name == "compute");
    let chosen = [visit.asked.take("a")?, visit.asked.take("b")?];
    let computes = visit.computes()?;
    visit.asked.end()?;
    let sides_asked = ["a", "b"].into_iter().zip(&chosen);
    let asked: Vec<(&str, String)> = sides_asked
        .filter_map(|(side, given)| Some((side, given.clone()?)))
        .collect();
    if !computes {
        let compute = [("compute", "yes".to_owned())];
        let to = address("/compare", asked.iter().cloned().chain(compute));
        let records = visit.viewer.runs.iter();
        let records = records.map(|opened| opened.run.manifest.counts.records);
        return Ok(Page::heavy("Compare", &to, records.sum()));
    }
    let indexes = match sides(visit)? {
        Sides::Ready(indexes) => indexes,
        Sides::Percent(percent) => return Ok(Page::growing("Compare", percent)),
    };
    let found = choose(visit, &chosen, indexes);
    let shown = match &found {
        Ok(found) => [0, 1].map(|at| found.subjects.get(at).cloned()),
        Err(_) => chosen,
    };
    let form = form(visit, indexes, &shown, heavy);
    let found = match found {
        Ok(found) => found,
        // Who chose what cannot be compared chooses again.
        Err(refusal) => return Ok(Page::refused("Compare", &refusal, form)),
    };
    let json = match &found.compared {
        None => json!({"report": null}),
        Some(compared) => as_json(compared, indexes)?,
    };
    let body = html! {
        h1 { "Compare" }
        (form)
        @match &found.compared {
            None => p { "There is one subject. A second run makes a comparison: " code { (visit.viewer.command("/")) " RUN_B --at /compare" } },
            Some(compared) => (differences(visit, compared, &found, &asked)?),
        }
    };
    Ok(Page::new("Compare", json, body))
}

/// Where there is a choice, the sides to choose; `shown` is chosen already.
fn form(visit: &Visit, indexes: [&Index; 2], shown: &[Option<String>; 2], heavy: bool) -> Markup {
    let known = indexes.map(|index| index.all(Dimension::Subject));
    let sides = ["a", "b"].into_iter().zip(&known).zip(shown);
    html! {
        @if known.iter().any(|known| known.len() > 1) {
            form.filters action="/compare" method="get" {
                @if heavy { input type="hidden" name="compute" value="yes"; }
                @for ((side, known), now) in sides {
                    @let is_now = |of: &Name| now.as_ref().is_some_and(|now| *now == of.name || *now == of.value);
                    label { (side)
                        select name=(side) {
                            @if visit.viewer.runs.len() > 1 { option value="" { "all" } }
                            // The chosen one has its place in any case: the form must not choose another.
                            @let chosen = known.iter().skip(CHOICES).filter(|of| is_now(of));
                            @for of in known.iter().take(CHOICES).chain(chosen) {
                                option value=(of.value) selected[is_now(of)] { (name(of.name)) }
                            }
                        }
                    }
                }
                button { "Compare" }
            }
        }
    }
}

fn as_json(compared: &Arc<Compared>, indexes: [&Index; 2]) -> Result<Value, Refusal> {
    let list = |pairs: &[[u32; 2]]| {
        let records = listed(pairs, indexes, SHOWN)?;
        let records = records.into_iter().map(|[a, b]| json!({"a": a, "b": b}));
        let rows: Vec<_> = pairs.iter().take(SHOWN).collect();
        let records: Vec<Value> = records.collect();
        Ok::<_, Refusal>(json!({"total": pairs.len(), "rows": rows, "records": records}))
    };
    Ok(json!({
        "report": compared.report,
        "newly_failing": list(&compared.failing)?,
        "newly_passing": list(&compared.passing)?,
    }))
}

/// The first of the items that changed sides, in both.
pub fn listed<'i>(
    pairs: &[[u32; 2]],
    indexes: [&'i Index; 2],
    most: usize,
) -> Result<Vec<[Row<'i>; 2]>, WorkError> {
    let side = |at: usize| {
        let places = pairs.iter().take(most).map(|pair| u64::from(pair[at]));
        indexes[at].listed(&places.collect::<Vec<_>>())
    };
    let both = side(0)?.into_iter().zip(side(1)?);
    Ok(both.map(|(a, b)| [a, b]).collect())
}

fn differences(
    visit: &Visit,
    compared: &Compared,
    chosen: &Chosen,
    asked: &[(&'static str, String)],
) -> Result<Markup, Refusal> {
    let report = &compared.report;
    let shown = tables(report);
    let mut words = vec!["judica compare".to_owned()];
    words.extend(
        visit
            .viewer
            .runs
            .iter()
            .map(|opened| shell_word(&opened.name)),
    );
    let indexes = chosen.indexes;
    if !chosen.subjects.is_empty() {
        words.push(option("--subjects", &comma_list::join(&chosen.subjects)));
        if visit.viewer.runs.len() > 1 {
            words.push("--one-each".to_owned());
        }
    }
    let said = command(&words);
    Ok(html! {
        @for of in &shown { (table(of, &no_link)) }
        @if !report.metrics.is_empty() {
            (drawing("/compare.svg", asked.iter().cloned(), "Differences with their intervals, as in the table above"))
        }
        (changed(visit, NEWLY_FAILING, &compared.failing, indexes)?)
        (changed(visit, NEWLY_PASSING, &compared.passing, indexes)?)
        @if let Some(command) = said { p.note { "At a terminal: " code { (command) } } }
    })
}

/// Items that changed sides.
fn changed(
    visit: &Visit,
    (title, failed): (&str, usize),
    pairs: &[[u32; 2]],
    indexes: [&Index; 2],
) -> Result<Markup, Refusal> {
    let runs = &visit.viewer.runs;
    let rows = listed(pairs, indexes, SHOWN)?;
    let subject = |[a, b]: &[Row; 2]| match a.subject.name == b.subject.name {
        true => name(a.subject.name),
        false => format!("{} → {}", name(a.subject.name), name(b.subject.name)),
    };
    let to = |a: u64, b: u64| {
        let mut pairs = vec![("row", a.to_string()), ("with", b.to_string())];
        if runs.len() > 1 {
            pairs.push(("in", "b".to_owned()));
        }
        address("/item", pairs)
    };
    Ok(html! {
        h2 { (title) " (" (grouped(pairs.len() as u64)) ")" }
        @if rows.is_empty() { p { "None." } } @else {
            div.scroll tabindex="0" role="group" aria-label=(title) {
                table {
                    thead { tr {
                        th scope="col" { "item" } th scope="col" { "subject" }
                        th scope="col" { "dataset" }
                        th.number scope="col" { "score of a" } th.number scope="col" { "score of b" }
                        th scope="col" { "failed in " (["a", "b"][failed]) }
                    } }
                    tbody {
                        @for both in &rows {
                            @let [a, b] = both;
                            tr {
                                td {
                                    a data-row=(a.row) href=(to(a.row, b.row)) { (shown_item(&a.item)) }
                                    (epoch(a.epoch))
                                }
                                td { (subject(both)) }
                                td { (name(a.dataset.name)) }
                                td.number { (number(a.score)) }
                                td.number { (number(b.score)) }
                                td { (super::failures(&both[failed].failed)) }
                            }
                        }
                    }
                }
            }
            @if pairs.len() > SHOWN {
                p.note { "… and " (counted((pairs.len() - SHOWN) as u64, "item", "items")) " more" }
            }
        }
    })
}
