//! Sections as tables for people.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table};
use judica_model::text::named;

use super::calibration::Calibration;
use super::classes::{Classes, Scores};
use super::numbers::Numbers;
use super::repeats::Repeats;
use super::{By, LeftOut, Section, Sections, Stratum};

/// With more classes a confusion matrix is no table for a screen.
const MOST_SHOWN: usize = 12;

/// The tables of what was asked.
pub fn tables(sections: &Sections) -> Vec<Table> {
    let mut tables = Vec::new();
    match &sections.classes {
        Some(Section::Defined(classes)) => {
            tables.push(scores(classes));
            tables.extend((classes.classes.len() <= MOST_SHOWN).then(|| confusion(classes)));
        }
        Some(Section::Undefined { undefined }) => tables.push(none("Classes", undefined)),
        None => {}
    }
    tables.extend(sections.numbers.as_ref().map(errors));
    tables.extend(sections.calibration.as_ref().map(reliability));
    tables.extend(sections.repeats.as_ref().map(passes));
    tables.extend(sections.by.as_ref().map(strata));
    tables
}

fn none(title: &str, why: &str) -> Table {
    let mut table = Table::new(title);
    table.note(format!("undefined: {why}"));
    table
}

/// A label, visible where it is blank.
fn label(text: &str) -> String {
    match text.trim().is_empty() {
        true => format!("{text:?}"),
        false => text.to_owned(),
    }
}

fn remark(name: &str, value: &MetricValue) -> Option<String> {
    let why = value.why_no_interval()?;
    Some(format!("{name} has no interval: {why}"))
}

fn scores(classes: &Classes) -> Table {
    let mut table = Table::new("Classes, each score with its 95% CI")
        .left("class")
        .right("rows")
        .right("precision")
        .right("recall")
        .right("F1");
    let mut push = |name: &str, rows: u64, scores: &Scores| {
        let Scores {
            precision,
            recall,
            f1,
        } = scores;
        let scores = [precision, recall, f1].map(|value| Cell::metric(value, 2));
        table.push(
            [Cell::text(name), Cell::count(rows)]
                .into_iter()
                .chain(scores),
        );
    };
    for class in &classes.classes {
        push(&label(&class.label), class.support, &class.scores);
    }
    for (name, scores) in [
        ("macro", &classes.macro_average),
        ("weighted", &classes.weighted),
        ("micro", &classes.micro),
    ] {
        push(name, classes.rows, scores);
    }
    let matthews = Cell::metric(&classes.matthews, 2);
    table.note(format!(
        "the last three are averages; Matthews' correlation: {}",
        matthews.display()
    ));
    let never = &classes.never_predicted;
    if !never.is_empty() {
        let names = named(never, never.len());
        table.note(format!("nobody predicts {names}: no precision"));
    }
    let other = &classes.other_labels;
    if other.rows > other.without_label {
        let labels = other.most_frequent.iter().map(|other| other.label.as_str());
        table.note(format!(
            "{} of {} predictions have a label that no gold has, and are wrong: {}",
            other.rows - other.without_label,
            classes.rows,
            named(labels, other.labels as usize)
        ));
    }
    if other.without_label > 0 {
        table.note(format!(
            "{} predictions have no normal form, and are wrong",
            other.without_label
        ));
    }
    if classes.without_class > 0 {
        table.note(format!(
            "{} rows have no single gold label; they have no class",
            classes.without_class
        ));
    }
    for (name, value) in [
        ("macro F1", &classes.macro_average.f1),
        ("Matthews' correlation", &classes.matthews),
    ] {
        remark(name, value)
            .into_iter()
            .for_each(|text| table.note(text));
    }
    table
}

fn confusion(classes: &Classes) -> Table {
    let mut table = Table::new("Confusion: rows are golds, columns predictions").left("gold");
    let others = classes.other_labels.rows > 0;
    for class in &classes.classes {
        table = table.right(label(&class.label));
    }
    if others {
        table = table.right("another");
    }
    for (class, row) in classes.classes.iter().zip(&classes.confusion) {
        let shown = classes.classes.len() + usize::from(others);
        let counts = row.iter().take(shown).map(|n| Cell::count(*n));
        table.push([Cell::text(label(&class.label))].into_iter().chain(counts));
    }
    table
}

fn note_left_out(table: &mut Table, left_out: &LeftOut, used: u64) {
    let all = used + left_out.rows;
    for (reason, rows) in &left_out.reasons {
        table.note(format!("{rows} of {all} rows do not count: {reason}"));
    }
    if !left_out.first.is_empty() {
        table.note(format!("the first of them: {}", left_out.first.join(", ")));
    }
}

fn errors(numbers: &Numbers) -> Table {
    let mut table = Table::new("Errors of numbers")
        .left("measure")
        .right("value [95% CI]")
        .right("rows");
    for (name, value) in [
        ("MAE (lower is better)", &numbers.mae),
        ("RMSE (lower is better)", &numbers.rmse),
        ("R²", &numbers.r2),
        ("bias (prediction − gold)", &numbers.bias),
    ] {
        table.push([
            Cell::text(name),
            Cell::metric(value, 4),
            Cell::count(numbers.rows),
        ]);
    }
    let remarked = [("the mean error", &numbers.mae), ("R²", &numbers.r2)];
    for (name, value) in remarked {
        remark(name, value)
            .into_iter()
            .for_each(|text| table.note(text));
    }
    note_left_out(&mut table, &numbers.left_out, numbers.rows);
    table
}

fn reliability(calibration: &Calibration) -> Table {
    let mut table = Table::new("Calibration")
        .left("confidence")
        .right("rows")
        .right("mean")
        .right("matched [95% CI]");
    for bin in calibration
        .curve
        .iter()
        .filter(|bin| bin.confidence.is_some())
    {
        let rows = match bin.matched {
            MetricValue::Defined { n, .. } => n,
            MetricValue::Undefined { .. } => 0,
        };
        table.push([
            Cell::text(format!("{:.1} to {:.1}", bin.above, bin.up_to)),
            Cell::count(rows),
            Cell::number_or(bin.confidence, 4, "no rows"),
            Cell::metric(&bin.matched, 4),
        ]);
    }
    table.push([
        Cell::text("all"),
        Cell::count(calibration.rows),
        Cell::number_or(calibration.confidence.value(), 4, "no rows"),
        Cell::metric(&calibration.matched, 4),
    ]);
    let brier = Cell::metric(&calibration.brier, 4).display();
    table.note(format!("Brier score (lower is better): {brier}"));
    if let Some(ece) = calibration.ece.value() {
        table.note(format!(
            "expected calibration error: {ece:.4}; biased upwards, so it has no interval"
        ));
    }
    note_left_out(&mut table, &calibration.left_out, calibration.rows);
    table
}

fn passes(repeats: &Repeats) -> Table {
    let mut table = Table::new("Repeats")
        .right("k")
        .right("pass@k [95% CI]")
        .right("pass^k [95% CI]")
        .right("items");
    for passes in &repeats.passes {
        table.push([
            Cell::text(passes.k.to_string()),
            Cell::metric(&passes.pass_at_k, 4),
            Cell::metric(&passes.pass_all_k, 4),
            Cell::count(repeats.items - passes.left_out),
        ]);
    }
    let [least, most] = repeats.attempts;
    table.note(match least == most {
        true => format!("{most} attempts at every item"),
        false => format!("{least} to {most} attempts at an item"),
    });
    for passes in repeats.passes.iter().filter(|passes| passes.left_out > 0) {
        table.note(format!(
            "{} of {} items have fewer than {} attempts",
            passes.left_out, repeats.items, passes.k
        ));
    }
    table
}

fn strata(by: &By) -> Table {
    let title = format!("By `{}`, with 95% CI", by.column);
    let strata = match &by.strata {
        Section::Defined(strata) => strata,
        Section::Undefined { undefined } => return none(&title, undefined),
    };
    let mut table = Table::new(title)
        .left(&by.column)
        .right("rows")
        .left("measure")
        .right("value");
    let mut measured: Vec<(String, Vec<(String, &MetricValue)>)> = Vec::new();
    for stratum in strata {
        let name = stratum.value.as_deref().map_or("(none)".to_owned(), label);
        let matched = ("matched".to_owned(), Ok(&stratum.matched));
        let measures = [matched].into_iter().chain(values(&stratum.sections));
        for (measure, value) in measures {
            let cell = match value {
                Ok(value) => Cell::metric(value, 4),
                Err(undefined) => Cell::missing(undefined),
            };
            let (first, second) = (Cell::text(&name), Cell::text(&measure));
            table.push([first, Cell::count(stratum.rows), second, cell]);
            let place = measured.iter().position(|(known, _)| *known == measure);
            let place = place.unwrap_or_else(|| {
                measured.push((measure, Vec::new()));
                measured.len() - 1
            });
            measured[place]
                .1
                .extend(value.ok().map(|value| (name.clone(), value)));
        }
    }
    for (measure, values) in measured {
        table.note_missing_intervals(&measure, values.into_iter());
    }
    let missing = |stratum: &&Stratum| stratum.value.is_none();
    if let Some(stratum) = strata.iter().find(missing) {
        let Stratum { rows, .. } = stratum;
        table.note(format!("{rows} rows have no `{}`", by.column));
    }
    table
}

/// The number of each section that one looks at first.
fn values(sections: &Sections) -> Vec<(String, Result<&MetricValue, &str>)> {
    let mut values = Vec::new();
    let mut push = |name: &str, value| values.push((name.to_owned(), value));
    match &sections.classes {
        Some(Section::Defined(classes)) => push("macro F1", Ok(&classes.macro_average.f1)),
        Some(Section::Undefined { undefined }) => push("macro F1", Err(undefined.as_ref())),
        None => {}
    }
    if let Some(numbers) = &sections.numbers {
        push("MAE", Ok(&numbers.mae));
    }
    if let Some(calibration) = &sections.calibration {
        push("Brier", Ok(&calibration.brier));
    }
    for passes in sections.repeats.iter().flat_map(|found| &found.passes) {
        push(&format!("pass@{}", passes.k), Ok(&passes.pass_at_k));
    }
    values
}
