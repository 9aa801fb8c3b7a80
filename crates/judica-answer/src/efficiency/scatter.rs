//! Accuracy against cost and against latency, as points.

use judica_model::chart::{Scatter, ScatterPoint, counts_said};

use super::pareto::Frontier;
use super::report::EfficiencyReport;

/// From this ratio of the largest to the smallest on, points crowd at the left of a linear
/// axis.
const WIDE: f64 = 30.0;

/// The two figures: accuracy against the cost per row, and against the mean latency.
pub fn scatters(report: &EfficiencyReport) -> [Scatter; 2] {
    let pareto = &report.pareto;
    [
        scatter(
            report,
            &pareto.accuracy_cost,
            "Accuracy and cost",
            "cost per row (USD)",
        ),
        scatter(
            report,
            &pareto.accuracy_latency,
            "Accuracy and latency",
            "mean latency (ms)",
        ),
    ]
}

fn scatter(report: &EfficiencyReport, plane: &Frontier, title: &str, x_axis: &str) -> Scatter {
    let mut points = Vec::new();
    let mut counts = Vec::new();
    for model in &report.models {
        let x = match plane.against {
            "avg_usd" => model.cost.avg_usd,
            _ => model.latency_ms.mean,
        };
        if let (Some(x), Some(y)) = (x, model.share.accuracy) {
            counts.push((model.label(), vec![model.n]));
            points.push(ScatterPoint {
                label: model.label().to_owned(),
                x,
                y,
                y_ci: model.share.accuracy_ci,
                on_frontier: plane.has(model.label()),
            });
        }
    }
    let least = points.iter().map(|point| point.x).min_by(f64::total_cmp);
    let most = points.iter().map(|point| point.x).max_by(f64::total_cmp);
    let log_x = matches!((least, most), (Some(a), Some(b)) if a > 0.0 && b / a > WIDE);
    let left_out = plane.left_out.iter();
    let has_interval = points.iter().any(|point| point.y_ci.is_some());
    let interval = has_interval.then(|| "whiskers: 95 % intervals".to_owned());
    let rows = counts_said(&counts).map(|said| format!("rows: {said}"));
    Scatter {
        title: title.to_owned(),
        x_axis: x_axis.to_owned(),
        y_axis: "accuracy".to_owned(),
        log_x,
        points,
        caption: interval.into_iter().chain(rows).collect(),
        left_out: left_out
            .map(|out| (out.model.clone(), out.why.clone()))
            .collect(),
    }
}
