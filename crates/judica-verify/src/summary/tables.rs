//! The report as tables for people: the leaderboard, and the four tables of a paper.

use judica_model::table::{Cell, Table};

use super::dimensions::{DimensionReport, TaskDimensions};
use super::report::{ModelProfile, Summary};

/// The leaderboard.
pub fn leaderboard(summary: &Summary) -> Table {
    let mut table = Table::new("Leaderboard")
        .right("#")
        .left("model")
        .right("mean total [95 % CI]")
        .right("eligible")
        .right("mean of eligible")
        .right("n");
    for row in &summary.leaderboard {
        let why = row.undefined.as_deref().unwrap_or("no total score");
        let mean = match (row.mean_total, row.ci) {
            (Some(mean), Some([lo, hi])) => Cell::interval(mean, lo, hi, 2),
            (mean, _) => Cell::number_or(mean, 2, why),
        };
        table.push([
            row.rank
                .map_or_else(|| Cell::missing(why), |rank| Cell::count(rank as usize)),
            Cell::text(&row.model_name),
            mean,
            percent(row.eligibility_rate),
            Cell::number_or(
                row.mean_total_eligible,
                2,
                "no eligible record with a total",
            ),
            Cell::count(row.n as usize),
        ]);
    }
    table.note(match summary.dimensions {
        Some(_) if !three_scores(summary) => {
            "A record that the gate filters counts 0, so that no model climbs by being rarely eligible."
        }
        _ => "An ineligible record counts as the protocol's cap, so that no model climbs by being rarely eligible.",
    });
    table.notes.extend(over_scored(summary));
    if summary.leaderboard.iter().any(|row| row.rank_ci.is_some()) {
        table.note("Ranks have intervals in the report (`rank_ci`), each for its row by itself and not for all rows at once.");
    }
    table
}

/// Which samples totals are means over, where that is not all of them.
fn over_scored(summary: &Summary) -> Option<String> {
    let (scored, samples) = (summary.scored_samples?, summary.counts.samples);
    (0 < scored && scored < samples).then(|| {
        format!("Totals are over the {scored} of {samples} samples that were answered and have usable gold, for every model alike.")
    })
}

fn percent(value: Option<f64>) -> Cell {
    match value {
        Some(value) => Cell::percent(value, 1),
        None => Cell::missing("no records"),
    }
}

/// The tables that a run shows when it ends: the leaderboard, and those of dimensions.
pub fn first_tables(summary: &Summary) -> Vec<Table> {
    let mut tables = vec![leaderboard(summary)];
    tables.extend(summary.dimensions.iter().flat_map(dimension_tables));
    tables
}

/// The same, then the tables of a paper.
pub fn all_tables(summary: &Summary) -> Vec<Table> {
    let mut tables = first_tables(summary);
    tables.extend(paper_tables(summary));
    tables
}

/// Dimensions per task, and how they go together.
fn dimension_tables(report: &DimensionReport) -> Vec<Table> {
    let mut tables: Vec<Table> = report.tasks.iter().map(task_table).collect();
    tables.push(correlation_table(report));
    tables
}

fn task_table(task: &TaskDimensions) -> Table {
    let mut table = Table::new(match &task.task_id {
        Some(task) => format!("Dimensions in task {task}"),
        None => "Dimensions in all tasks".to_owned(),
    });
    table = table.left("model");
    for (name, _) in &task.std_over_models {
        table = table.right(name);
    }
    for model in &task.models {
        let value = |value: Option<f64>| Cell::number_or(value, 2, "no record has it");
        let scores = model.scores.iter().map(|(_, score)| value(*score));
        let cells = std::iter::once(Cell::text(&model.model_name)).chain(scores);
        table.push(cells.chain([value(model.total)]));
    }
    let spreads = task.std_over_models.iter().map(|(_, spread)| {
        let why = spread.undefined.as_deref().unwrap_or("undefined");
        Cell::number_or(spread.std, 2, why)
    });
    table.push(std::iter::once(Cell::text("std over models")).chain(spreads));
    table.notes.extend(farthest_apart(task));
    table
}

/// Which dimension tells models apart, and which does not.
fn farthest_apart(task: &TaskDimensions) -> Option<String> {
    let (_, dimensions) = task.std_over_models.split_last()?;
    let known = dimensions.iter();
    let known = known.filter_map(|(name, spread)| Some((name, spread.std?)));
    let mut known: Vec<(&String, f64)> = known.collect();
    known.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ((most, wide), (least, narrow)) = (known.first()?, known.last()?);
    (narrow < wide).then(|| {
        format!("Models lie farthest apart in {most} (standard deviation {wide:.2}) and nearest in {least} ({narrow:.2}).")
    })
}

fn correlation_table(report: &DimensionReport) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for name in report.tasks.iter().flat_map(|task| &task.std_over_models) {
        names.push(&name.0);
    }
    names.truncate(report.dimensions());
    let mut table = Table::new("How dimensions go together (Pearson's r)").left("dimension");
    for name in &names {
        table = table.right(*name);
    }
    for a in &names {
        let cell = |b: &&str| {
            let pair = report.correlation.iter().find(|pair| {
                let [x, y] = pair.dimensions.each_ref().map(String::as_str);
                (x, y) == (*a, *b) || (y, x) == (*a, *b)
            });
            match pair {
                Some(pair) => {
                    let why = pair.undefined.as_deref().unwrap_or("undefined");
                    Cell::number_or(pair.r, 2, why)
                }
                None => Cell::text("."),
            }
        };
        table.push(std::iter::once(Cell::text(*a)).chain(names.iter().map(cell)));
    }
    table.note("Over records that have both.");
    table
}

/// The four tables of a paper: main, constraint satisfaction, failure modes, tail risk.
fn paper_tables(summary: &Summary) -> Vec<Table> {
    let three = three_scores(summary);
    let tables = [
        three.then(|| main_table(summary)),
        Some(constraint_table(summary)),
        Some(failure_table(summary)),
        three.then(|| tail_table(summary)),
    ];
    tables.into_iter().flatten().collect()
}

/// Whether there are the three scores that the first and the last show: dimensions may stand
/// in their place.
fn three_scores(summary: &Summary) -> bool {
    let mut models = summary.models.iter();
    summary.dimensions.is_none()
        || models.any(|model| model.scores.availability_score.mean.is_some())
}

fn main_table(summary: &Summary) -> Table {
    let mut table = Table::new("Model performance")
        .left("model")
        .right("records")
        .right("eligible")
        .right("availability")
        .right("constraint satisfaction")
        .right("conditional error")
        .right("total");
    for model in &summary.models {
        let mean = |statistics: &super::statistics::Statistics| {
            Cell::number_or(
                statistics.mean,
                2,
                statistics.undefined.as_deref().unwrap_or("undefined"),
            )
        };
        table.push([
            Cell::text(&model.model_name),
            Cell::count(model.total as usize),
            percent(model.eligibility_rate),
            mean(&model.scores.availability_score),
            mean(&model.scores.constraint_satisfaction_score),
            mean(&model.scores.conditional_error_score),
            mean(&model.scores.total_score),
        ]);
    }
    table.note("Scores are means over eligible records.");
    table.notes.extend(over_scored(summary));
    table
}

fn constraint_table(summary: &Summary) -> Table {
    let mut table = by_family(
        summary,
        "Constraint violations by family",
        |model, family| {
            let found = model.violations.iter().find(|(name, _)| name == family);
            found.map_or(0, |(_, violations)| violations.total_violations)
        },
    );
    table.note("Failed atoms, critical and warning together, over all records.");
    table
}

fn failure_table(summary: &Summary) -> Table {
    let mut table = by_family(summary, "Failure modes by family", |model, family| {
        model
            .failure_modes
            .iter()
            .find(|(name, _)| name == family)
            .map_or(0, |(_, count)| *count)
    });
    table.note("Reasons given for ineligible records.");
    table
}

fn by_family(summary: &Summary, title: &str, count: impl Fn(&ModelProfile, &str) -> u64) -> Table {
    let families: Vec<&str> = summary.models.first().map_or(Vec::new(), |model| {
        model
            .violations
            .iter()
            .map(|(name, _)| name.as_str())
            .collect()
    });
    let mut table = Table::new(title).left("model");
    for family in &families {
        table = table.right(*family);
    }
    for model in &summary.models {
        let counts = families
            .iter()
            .map(|family| Cell::count(count(model, family) as usize));
        table.push(std::iter::once(Cell::text(&model.model_name)).chain(counts));
    }
    table
}

fn tail_table(summary: &Summary) -> Table {
    let mut table = Table::new("Tail risk")
        .left("model")
        .right("p95")
        .right("p99")
        .right("high-risk samples")
        .right("high-risk rate");
    for model in &summary.models {
        let tail = &model.tail_risk;
        let why = tail.undefined.as_deref().unwrap_or("undefined");
        table.push([
            Cell::text(&model.model_name),
            Cell::number_or(tail.p95, 2, why),
            Cell::number_or(tail.p99, 2, why),
            Cell::count(tail.high_risk_samples as usize),
            match tail.high_risk_rate {
                Some(rate) => Cell::percent(rate, 1),
                None => Cell::missing(why),
            },
        ]);
    }
    table.note("Percentiles of the conditional error score over eligible records, where more is better; high risk is a score below the protocol's bound.");
    table
}
