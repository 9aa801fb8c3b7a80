//! `/records`: the records of a run, filtered, counted and sorted.

use judica_model::text::shell_word;
use judica_run::index::query::{Dimension, ITEM, Query};
use judica_run::index::{Counted, Facet};
use maud::{Markup, html};
use serde_json::json;

use super::{breakable, list};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::viewer::Growing;
use crate::words::{counted, grouped, name};

/// Records on a page.
const ROWS: usize = 50;
/// Values of a facet that are shown at once.
const VALUES: usize = 12;
/// Those behind them that can be unfolded.
const MORE_VALUES: usize = 100;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let query = Query::parse(visit.asked.rest())?;
    let index = match visit.opened.index()? {
        Growing::Ready(index) => index,
        Growing::Percent(percent) => return Ok(Page::growing("Records", percent)),
    };
    let filter = index.filter(&query)?;
    // Names as a form can send them.
    let query = filter.query().clone();
    let page = index.page(&filter, ROWS)?;
    let sorted = query.sort.as_ref().map(|sort| sort.name.as_str());
    let sorted = sorted
        .or(query.metric.as_deref())
        .filter(|name| *name != "score");
    let to = |row: u64| to_record(visit, &query, row);
    let next = page.next.map(|after| to_list(visit, &query.behind(after)));
    let first = (page.before > 0).then(|| to_list(visit, &query.from_start()));
    let command = command(visit, &query);
    let json = json!({
        "total": page.total,
        "before": page.before,
        "records": page.rows,
        "next": page.next,
        "facets": page.facets,
        "command": command,
    });
    let chosen = query.pairs();
    let body = html! {
        h1 { "Records" }
        div.with-facets {
            section.facets aria-label="Filters" {
                @for facet in &page.facets { (shown_facet(visit, &query, facet)) }
            }
            div {
                (filters(visit, &query))
                (chips(visit, &query))
                p.lead id="count" {
                    strong { (counted(page.total, "record", "records")) }
                    @if !chosen.is_empty() { " of " (grouped(index.len())) }
                    @if page.total > 0 {
                        ", shown: " (grouped(page.before + 1)) " to "
                        (grouped(page.before + page.rows.len() as u64))
                    }
                }
                @if page.rows.is_empty() {
                    p { "No record is so." }
                } @else {
                    (list(&page.rows, &to, sorted))
                }
                nav.steps aria-label="More records" {
                    @if let Some(first) = &first { a href=(first) { "First page" } }
                    @if let Some(next) = &next { a rel="next" href=(next) { "Next page" } }
                }
                p.note { "The same list at a terminal: " code { (command) } }
            }
        }
    };
    Ok(Page::new("Records", json, body))
}

/// The address of a list.
pub fn to_list(visit: &Visit, query: &Query) -> String {
    address("/records", visit.run().into_iter().chain(query.pairs()))
}

/// The address of a record in a list.
pub fn to_record(visit: &Visit, query: &Query, row: u64) -> String {
    let row = [("row", row.to_string())];
    let query = query.from_start().pairs();
    address("/record", visit.run().into_iter().chain(row).chain(query))
}

fn command(visit: &Visit, query: &Query) -> String {
    let mut words = vec!["judica export".to_owned(), shell_word(&visit.opened.name)];
    words.push("--format jsonl".to_owned());
    for (name, value) in query.from_start().pairs() {
        words.push(format!(
            "--where {}",
            shell_word(&format!("{name}={value}"))
        ));
    }
    words.join(" ")
}

fn shown_facet(visit: &Visit, query: &Query, facet: &Facet) -> Markup {
    let of = facet.dimension;
    // What is chosen stands in front however rare it is.
    let (shown, rest): (Vec<_>, Vec<_>) =
        (facet.counts.iter().enumerate()).partition(|(at, counted)| *at < VALUES || counted.chosen);
    let value = |counted: &Counted| {
        let value = &counted.name.value;
        let to = match counted.chosen {
            true => query.without(of, value),
            false => query.with(of, value),
        };
        html! {
            li {
                a href=(to_list(visit, &to)) aria-current=[counted.chosen.then_some("true")] {
                    @if counted.chosen { "✓ " }
                    (breakable(counted.name.name))
                    @if counted.name.name.trim().is_empty() { "(no name)" }
                }
                span.count { (grouped(counted.count)) }
            }
        }
    };
    html! {
        @if !facet.counts.is_empty() {
            h2 { (of.name()) }
            ul { @for (_, counted) in shown { (value(counted)) } }
            @if !rest.is_empty() {
                details {
                    summary { "and " (grouped(rest.len() as u64)) " more" }
                    ul {
                        @for (_, counted) in rest.iter().take(MORE_VALUES) { (value(counted)) }
                        @if rest.len() > MORE_VALUES {
                            li.note { "and " (grouped((rest.len() - MORE_VALUES) as u64)) " more" }
                        }
                    }
                }
            }
        }
    }
}

/// What is typed and chosen rather than clicked on.
fn filters(visit: &Visit, query: &Query) -> Markup {
    let typed = ["item", "metric", "min", "max", "sort", "after"];
    let metrics: Vec<&str> = visit
        .opened
        .run
        .manifest
        .metrics
        .iter()
        .filter(|spec| spec.above.is_some())
        .map(|spec| spec.name.as_str())
        .collect();
    let pairs = query.pairs();
    let given = |name: &str| {
        let mut given = pairs.iter().filter(|(key, _)| *key == name);
        given
            .next()
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    };
    let (sort, metric) = (given("sort"), given("metric"));
    let mut sorts = vec!["score".to_owned(), "-score".to_owned()];
    sorts.extend(
        metrics
            .iter()
            .flat_map(|m| [(*m).to_owned(), format!("-{m}")]),
    );
    let words = |sort: &str| match sort.strip_prefix('-') {
        Some(name) => format!("{name}, highest first"),
        None => format!("{sort}, lowest first"),
    };
    html! {
        form.filters action="/records" method="get" {
            @if visit.second { input type="hidden" name="run" value="b"; }
            @for (name, value) in pairs.iter().filter(|(name, _)| !typed.contains(name)) {
                input type="hidden" name=(name) value=(value);
            }
            label { "item contains" input id="item" name="item" value=(given("item")); }
            @if !metrics.is_empty() {
                label { "metric"
                    select name="metric" {
                        option value="" { "any" }
                        @for of in &metrics {
                            option value=(of) selected[metric == **of] { (name(of)) }
                        }
                    }
                }
                label { "from" input.short name="min" inputmode="decimal" value=(given("min")); }
                label { "to" input.short name="max" inputmode="decimal" value=(given("max")); }
            }
            label { "sorted by"
                select name="sort" {
                    option value="" { "place in the run" }
                    @for of in &sorts {
                        option value=(of) selected[sort == *of] { (name(&words(of))) }
                    }
                }
            }
            button { "Show" }
        }
    }
}

/// What is chosen, each to be taken away.
fn chips(visit: &Visit, query: &Query) -> Markup {
    let query = query.from_start();
    let without = |of: &str, value: &str| {
        let mut rest = query.clone();
        match of {
            ITEM => rest.item.retain(|item| item != value),
            "metric" => (rest.metric, rest.min, rest.max) = (None, None, None),
            "min" => rest.min = None,
            "max" => rest.max = None,
            "sort" => rest.sort = None,
            of => {
                let dimension = Dimension::ALL.into_iter().find(|known| known.name() == of);
                rest = dimension.map_or(rest, |dimension| query.without(dimension, value));
            }
        }
        rest
    };
    let chosen = query.pairs();
    html! {
        @if !chosen.is_empty() {
            div.chips {
                @for (of, value) in chosen {
                    a href=(to_list(visit, &without(of, &value)))
                        aria-label=(format!("take away {of} {}", name(&value))) {
                        (of) ": " (name(&value)) " ×"
                    }
                }
                a href=(to_list(visit, &Query::default())) { "take away all" }
            }
        }
    }
}
