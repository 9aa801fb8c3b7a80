//! The tables of a comparison: every metric of two sides, what decides of many, and every side
//! against every other.

use judica_model::gate_table::brief;
use judica_model::table::{Cell, Table, counted};
use judica_model::text::few;

use super::report::{CompareReport, Finding, Items, MetricRow};

/// All tables of a report.
pub fn tables(report: &CompareReport) -> Vec<Table> {
    if report.metrics.iter().any(|row| row.against.is_some()) {
        return matrices(report);
    }
    let sides = report.sides.iter().enumerate().skip(1);
    let several = report.sides.len() > 2;
    let summary = several.then(|| against_the_first(report));
    let each = sides.map(|(at, side)| {
        let title = format!(
            "b = {} against a = {}",
            side.shown(),
            report.sides[0].shown()
        );
        let rows = report.metrics.iter().filter(|row| row.at.1 == at);
        let items = match at {
            1 => Some(&report.items),
            _ => report.further_items.get(at - 2),
        };
        table(title, rows, items, report)
    });
    summary.into_iter().chain(each).collect()
}

/// The difference of a row, its test and what it comes to.
fn found(row: &MetricRow) -> [Cell; 3] {
    let reason = row.why_undefined();
    [
        match (row.difference.value, row.difference.ci) {
            (Some(value), Some([lo, hi])) => Cell::interval(value, lo, hi, 4),
            (value, _) => Cell::number_or(value, 4, reason),
        },
        Cell::probability_or(row.p_adjusted, 4, untested(row, reason)),
        Cell::text(row.words()),
    ]
}

/// How many items would show the difference that was asked about.
fn items_needed(row: &MetricRow) -> Option<String> {
    let asked = brief(row.asked?);
    Some(match (row.items_needed, &row.items_needed_undefined) {
        (Some(by_spread), _) => {
            let of_test = row.needed as f64 * row.n as f64 / row.clusters as f64;
            let items = by_spread.max(of_test.ceil() as u64);
            let items = match row.clusters as u64 == row.n {
                true => counted(items, ["item", "items"]),
                false => counted(items, ["record", "records"]),
            };
            format!("to see a difference of {asked} four times out of five takes {items}")
        }
        (None, why) => {
            let why = why.as_deref().unwrap_or("unknown");
            format!("how many items show a difference of {asked} cannot be told: {why}")
        }
    })
}

/// Why a row has no p-value.
fn untested<'r>(row: &'r MetricRow, undefined: &'r str) -> &'r str {
    match (row.difference.value, row.difference.ci) {
        (None, _) => undefined,
        (Some(_), Some(_)) => "there is no test: the interval decides",
        (Some(_), None) => "there is no test and no interval",
    }
}

/// The metric that decides, of every side.
fn against_the_first(report: &CompareReport) -> Table {
    let rows: Vec<&MetricRow> = report.metrics.iter().filter(|row| row.primary).collect();
    let metric = rows.first().map_or("", |row| row.metric.as_str());
    let first = report.sides[0].shown();
    let mut table = Table::new(format!("{metric}: every b against a = {first}"))
        .left("b")
        .right("a")
        .right("b")
        .right("b - a")
        .right("p adj.")
        .left("b is");
    for row in rows {
        let reason = row.why_undefined();
        let values = [row.a.value, row.b.value].map(|value| Cell::number_or(value, 4, reason));
        let name = Cell::text(report.sides[row.at.1].shown());
        table.push(std::iter::once(name).chain(values).chain(found(row)));
    }
    table.note(format!("Correction: {}", report.correction));
    table
}

/// Every metric of every side against every other.
fn matrices(report: &CompareReport) -> Vec<Table> {
    let mut metrics: Vec<&str> = Vec::new();
    for row in &report.metrics {
        if !metrics.contains(&row.metric.as_str()) {
            metrics.push(&row.metric);
        }
    }
    metrics
        .into_iter()
        .enumerate()
        .map(|(at, metric)| matrix(report, metric, at == 0))
        .collect()
}

fn matrix(report: &CompareReport, metric: &str, first: bool) -> Table {
    let mut table = Table::new(format!("{metric}: row less column"))
        .left("side")
        .right("value");
    for (at, _) in report.sides.iter().enumerate() {
        table = table.right(format!("{}", at + 1));
    }
    let of = |a: usize, b: usize| {
        let mut rows = report.metrics.iter();
        rows.find(|row| row.metric == metric && row.dataset.is_none() && row.at == (a, b))
    };
    for (at, side) in report.sides.iter().enumerate() {
        let name = format!("{} {}", at + 1, side.shown());
        let own = (0..report.sides.len()).find_map(|other| match other.cmp(&at) {
            std::cmp::Ordering::Less => of(other, at).map(|row| row.b.value),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => of(at, other).map(|row| row.a.value),
        });
        let mut cells = vec![
            Cell::text(name),
            Cell::number_or(own.flatten(), 4, "undefined"),
        ];
        for other in 0..report.sides.len() {
            let (row, turned) = match other < at {
                true => (of(other, at), false),
                false => (of(at, other), true),
            };
            cells.push(match row {
                None => Cell::text(""),
                Some(row) => match row.difference.value {
                    Some(value) => Cell::text(signed(value, row.verdict, turned)),
                    None => Cell::missing(row.why_undefined()),
                },
            });
        }
        table.push(cells);
    }
    table.note("> the row is better, < it is worse, = not shown to differ, ? cannot be told; each over the items that both have");
    if first {
        let primary = report.metrics.iter().filter(|row| row.primary);
        let most = primary.max_by_key(|row| row.items_needed);
        if let Some((row, note)) = most.and_then(|row| Some((row, items_needed(row)?))) {
            let (a, b) = (row.at.0 + 1, row.at.1 + 1);
            table.note(format!("{a} and {b}, which take the most: {note}"));
        }
        table.note(format!("Correction: {}", report.correction));
        report.notes.iter().for_each(|note| table.note(note));
    }
    table
}

/// A difference and what it comes to; `turned` if it is that of the other way round.
fn signed(value: f64, verdict: Finding, turned: bool) -> String {
    let mark = match (verdict, turned) {
        (Finding::Better, false) | (Finding::Worse, true) => '>',
        (Finding::Worse, false) | (Finding::Better, true) => '<',
        (Finding::NoDifference, _) => '=',
        (Finding::Undefined, _) => '?',
    };
    // No minus before 0.
    let value = if turned { 0.0 - value } else { value };
    format!("{value:+.4} {mark}")
}

fn table<'a>(
    title: String,
    rows: impl Iterator<Item = &'a MetricRow> + Clone,
    items: Option<&Items>,
    report: &CompareReport,
) -> Table {
    let several = rows.clone().any(|row| row.dataset.is_some());
    let mut table = Table::new(title).left("metric");
    if several {
        table = table.left("dataset");
    }
    table = table
        .right("a")
        .right("b")
        .right("b - a")
        .right("p adj.")
        .left("b is");
    // What is the same in every item is in the report, and no news.
    let same = |row: &&MetricRow| {
        !row.primary && row.difference.value == Some(0.0) && row.difference.se == Some(0.0)
    };
    let unchanged = rows.clone().filter(same).count();
    for row in rows.clone().filter(|row| !same(row)) {
        let mut cells = vec![Cell::text(match row.primary {
            true => format!("{} *", row.metric),
            false => row.metric.clone(),
        })];
        if several {
            cells.push(Cell::text(row.dataset.as_deref().unwrap_or("all")));
        }
        let reason = row.why_undefined();
        let number = |value: Option<f64>| Cell::number_or(value, 4, reason);
        cells.push(number(row.a.value));
        cells.push(number(row.b.value));
        cells.extend(found(row));
        table.push(cells);
    }
    if unchanged > 0 {
        let rows = counted(unchanged as u64, ["row is", "rows are"]);
        table.note(format!("{rows} not shown: no item differs"));
    }
    if let Some(items) = items.filter(|items| items.common + items.only_a + items.only_b > 0) {
        let mut text = format!(
            "{} items in common; left out: {} of a only, {} of b only",
            items.common, items.only_a, items.only_b
        );
        if !items.left_out.is_empty() {
            let all = (items.only_a + items.only_b) as usize;
            text.push_str(&format!(" ({})", few(&items.left_out, ", ", all)));
        }
        table.note(text);
    }
    let primary = rows.clone().find(|row| row.primary);
    if let Some(found) = primary.and_then(|row| row.no_worse_than.as_ref()) {
        let shown = match found.pass {
            Some(true) => "shown",
            _ => "not shown",
        };
        let lower = found.lower.map(|lower| format!("at least {lower:.4}"));
        table.note(format!(
            "* {shown} to be no worse than {} ({})",
            found.margin,
            lower.or(found.undefined.clone()).unwrap_or_default()
        ));
    }
    // By the spread alone; a test that cannot show anything would not have seen it either.
    if let Some(row) = primary.filter(|row| row.out_of_reach.is_none())
        && let Some(seen) = row.smallest_detectable
    {
        table.note(format!(
            "* a difference of {seen:.4} would have been seen four times out of five"
        ));
    }
    primary
        .and_then(items_needed)
        .into_iter()
        .for_each(|note| table.note(format!("* {note}")));
    table.note(format!("* decides. Correction: {}", report.correction));
    let noted = rows.filter_map(|row| Some((row, row.note.as_ref()?)));
    for (row, note) in noted.take(1) {
        table.note(format!("{}: {note}", row.metric));
    }
    report.notes.iter().for_each(|note| table.note(note));
    table
}
