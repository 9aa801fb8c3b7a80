//! The report as tables.

use judica_model::table::{Cell, Table};

use super::accuracy::AccuracySource;
use super::report::{EfficiencyReport, ModelReport};

/// Decimals of accuracies, composites and seconds.
const SHARE: u8 = 3;
const MILLISECONDS: u8 = 1;

/// All tables: the models, the rankings, the frontiers.
pub fn tables(report: &EfficiencyReport) -> Vec<Table> {
    vec![models(report), rankings(report), frontiers(report)]
}

fn models(report: &EfficiencyReport) -> Table {
    let mut table = Table::new("Efficiency")
        .left("model")
        .right("rows")
        .right("accuracy")
        .left("by")
        .right("USD per row")
        .right("USD total")
        .right("USD per 1k tokens")
        .right("mean ms")
        .right("p95 ms")
        .right("rows/s")
        .right("composite");
    let dollars = Dollars::of(&report.models);
    for model in &report.models {
        table.push(row(model, &dollars));
    }
    for note in &report.notes {
        table.note(note);
    }
    table
}

fn row(model: &ModelReport, dollars: &Dollars) -> [Cell; 11] {
    let why = |reason: &Option<String>| reason.clone().unwrap_or_default();
    let (cost, latency) = (&model.cost, &model.latency_ms);
    let (no_cost, no_latency) = (why(&cost.undefined), why(&latency.undefined));
    let no_rate = cost
        .per_1k_tokens_usd_undefined
        .as_ref()
        .unwrap_or(&no_cost)
        .clone();
    let share = &model.share;
    let accuracy = match (share.accuracy, share.accuracy_ci) {
        (Some(value), Some([lo, hi])) => Cell::interval(value, lo, hi, SHARE),
        (Some(value), None) => Cell::number(value, SHARE),
        _ => Cell::missing(why(&share.accuracy_undefined)),
    };
    let source = match (share.accuracy_source, model.normalizer) {
        (Some(AccuracySource::ExactMatch), Some(normalizer)) => format!("exact ({normalizer})"),
        (source, _) => match &share.accuracy_metric {
            Some(metric) => metric.clone(),
            None => source.map_or("", AccuracySource::name).to_owned(),
        },
    };
    let composite = &model.composite;
    [
        Cell::text(model.label()),
        Cell::count(model.n),
        accuracy,
        Cell::text(source),
        Cell::number_or(cost.avg_usd, dollars.avg, no_cost.as_str()),
        Cell::number_or(cost.total_usd, dollars.total, no_cost),
        Cell::number_or(cost.per_1k_tokens_usd, dollars.per_1k, no_rate),
        Cell::number_or(latency.mean, MILLISECONDS, no_latency.as_str()),
        Cell::number_or(latency.p95, MILLISECONDS, no_latency),
        Cell::number_or(
            model.throughput.rows_per_second,
            SHARE,
            why(&model.throughput.undefined),
        ),
        Cell::number_or(composite.score, SHARE, why(&composite.score_undefined)),
    ]
}

/// Decimals of the columns of dollars.
struct Dollars {
    avg: u8,
    total: u8,
    per_1k: u8,
}

impl Dollars {
    fn of(models: &[ModelReport]) -> Self {
        let decimals =
            |value: fn(&ModelReport) -> Option<f64>| decimals(models.iter().filter_map(value));
        Self {
            avg: decimals(|model| model.cost.avg_usd),
            total: decimals(|model| model.cost.total_usd),
            per_1k: decimals(|model| model.cost.per_1k_tokens_usd),
        }
    }
}

/// So many decimals that the smallest amount shows three digits, but no more than nine.
fn decimals(amounts: impl Iterator<Item = f64>) -> u8 {
    let smallest = amounts
        .filter(|amount| *amount > 0.0)
        .min_by(f64::total_cmp);
    let Some(smallest) = smallest else {
        return 2;
    };
    let mut decimals = 2;
    let mut unit = 0.01;
    while decimals < 9 && smallest < unit * 100.0 {
        decimals += 1;
        unit /= 10.0;
    }
    decimals
}

fn rankings(report: &EfficiencyReport) -> Table {
    let mut table = Table::new("Rankings")
        .left("ranking")
        .right("rank")
        .left("model")
        .right("value");
    for (name, ranked) in report.rankings.named() {
        let decimals = decimals(ranked.iter().map(|place| place.value)).max(SHARE);
        for place in ranked {
            table.push([
                Cell::text(name),
                Cell::count(place.rank),
                Cell::text(place.label()),
                Cell::number(place.value, decimals),
            ]);
        }
        if ranked.is_empty() {
            let nobody = "no model has what this ranking needs";
            table.push([
                Cell::text(name),
                Cell::missing(nobody),
                Cell::missing(nobody),
                Cell::missing(nobody),
            ]);
        }
    }
    table
}

fn frontiers(report: &EfficiencyReport) -> Table {
    let mut table = Table::new("Pareto frontier")
        .left("accuracy and")
        .left("model")
        .left("beaten by");
    let planes = [
        ("cost", &report.pareto.accuracy_cost),
        ("latency", &report.pareto.accuracy_latency),
    ];
    for (name, plane) in planes {
        for point in &plane.frontier {
            let best = Cell::text("nobody: on the frontier");
            table.push([Cell::text(name), Cell::text(&*point.model), best]);
        }
        for beaten in &plane.dominated {
            let by = Cell::text(beaten.by.join(", "));
            table.push([Cell::text(name), Cell::text(&*beaten.model), by]);
        }
        for out in &plane.left_out {
            let why = Cell::missing(&*out.why);
            table.push([Cell::text(name), Cell::text(&*out.model), why]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::decimals;

    #[test]
    fn small_amounts_are_not_rounded_away() {
        let of = |amounts: &[f64]| decimals(amounts.iter().copied());
        assert_eq!(of(&[]), 2);
        assert_eq!(of(&[0.0]), 2);
        assert_eq!(of(&[12.5, 3.0]), 2);
        assert_eq!(of(&[12.5, 0.42]), 3);
        assert_eq!(of(&[0.00042]), 6);
        assert_eq!(of(&[1e-30]), 9);
    }
}
