//! The differences of a comparison as a figure: each with its interval, around a line at 0.

use judica_model::chart::{Forest, ForestRow, Mark, Tone};
use judica_model::run::Direction;
use judica_model::table::counted;

use super::report::{CompareReport, Finding, MetricRow};

/// The figure. Shares and other numbers cannot stand on one axis: only rows of the deciding
/// metric's kind are drawn.
pub fn forest(report: &CompareReport) -> Forest {
    let decides = report.metrics.iter().find(|row| row.primary);
    let drawn = |row: &&MetricRow| decides.is_none_or(|first| row.kind == first.kind);
    let rows: Vec<&MetricRow> = report.metrics.iter().filter(drawn).collect();
    let left_out = report.metrics.len() - rows.len();
    let several = report.sides.len() > 2;
    let name = |at: usize| name(report, at);
    let title = match several {
        true if rows.iter().any(|row| row.against.is_some()) => "Differences (b - a)".to_owned(),
        true => format!("Against {}", name(0)),
        false => format!("{} against {}", name(1), name(0)),
    };
    let margin = decides.and_then(|row| {
        let margin = row.no_worse_than.as_ref()?.margin;
        match row.direction {
            Direction::Higher => Some(-margin),
            Direction::Lower => Some(margin),
            Direction::None => None,
        }
    });
    let percent = 100.0 * report.confidence;
    let mut caption = format!("{percent:.0} % intervals; {}", report.correction);
    if left_out > 0 {
        let forms = ["row of another kind is", "rows of another kind are"];
        let rows = counted(left_out as u64, forms);
        caption.push_str(&format!("; {rows} not drawn"));
    }
    let mut lines: Vec<ForestRow> = Vec::with_capacity(rows.len());
    let mut before = None;
    for row in rows {
        // Which sides a row is of is said once for all of theirs.
        let begins = several && before.replace(row.at) != Some(row.at);
        let heading = begins.then(|| match row.against {
            Some(_) => format!("{} - {}", name(row.at.1), name(row.at.0)),
            None => name(row.at.1),
        });
        lines.push(line(row, heading));
    }
    Forest {
        title,
        value_axis: "b - a".to_owned(),
        rows: lines,
        differences: true,
        margin,
        caption: vec![caption],
    }
}

/// What a side is called: without what all sides have in common.
fn name(report: &CompareReport, at: usize) -> String {
    let side = &report.sides[at];
    let mut others = report.sides.iter();
    match &side.subject {
        Some(subject) if others.all(|other| other.run == side.run) => subject.clone(),
        _ => side.shown(),
    }
}

fn line(row: &MetricRow, heading: Option<String>) -> ForestRow {
    let mut label = row.metric.clone();
    if let Some(dataset) = &row.dataset {
        label.push_str(&format!(" in {dataset}"));
    }
    ForestRow {
        heading,
        label,
        mark: match row.difference.value {
            Some(value) => Mark::Value {
                value,
                ci: row.difference.ci,
                n: Some(row.n),
            },
            None => Mark::Missing(row.difference.undefined.clone().unwrap_or_default()),
        },
        tone: match row.verdict {
            Finding::Better => Tone::Good,
            Finding::Worse => Tone::Bad,
            Finding::NoDifference | Finding::Undefined => Tone::Neutral,
        },
        words: row.words(),
    }
}
