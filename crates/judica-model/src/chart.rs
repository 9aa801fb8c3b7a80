//! Figures before anyone has drawn them.
//!
//! Rooms that measure fill these; renderers only read them, and never compute a number.
//! What has no value says so and why: a renderer leaves a gap marked n/a, never a bar of
//! height 0.

use serde::Serialize;

use crate::metric::MetricValue;

/// A number in a figure, with its interval, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A number.
    Value {
        /// The number itself.
        value: f64,
        /// Its interval, drawn as whiskers.
        ci: Option<[f64; 2]>,
        /// How many items it rests on, where that is known.
        n: Option<u64>,
    },
    /// No number, and why.
    Missing(String),
}

impl Mark {
    /// The number and the ends of its interval, for which an axis must have room.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let (value, ci) = match self {
            Mark::Value { value, ci, .. } => (Some(*value), *ci),
            Mark::Missing(_) => (None, None),
        };
        value.into_iter().chain(ci.into_iter().flatten())
    }

    fn n(&self) -> Option<u64> {
        match self {
            Mark::Value { n, .. } => *n,
            Mark::Missing(_) => None,
        }
    }
}

impl From<&MetricValue> for Mark {
    fn from(value: &MetricValue) -> Self {
        match value {
            MetricValue::Defined { value, ci, n, .. } => Mark::Value {
                value: *value,
                ci: *ci,
                n: Some(*n),
            },
            MetricValue::Undefined { reason } => Mark::Missing(reason.clone()),
        }
    }
}

/// Beyond so many series a caption says the range of their n alone.
const MOST_COUNTS: usize = 12;

/// On how many items numbers rest, for a caption: once where they all rest on as many, else
/// for each series.
pub fn counts_said(series: &[(&str, Vec<u64>)]) -> Option<String> {
    let range = |counts: &[u64]| Some((*counts.iter().min()?, *counts.iter().max()?));
    let all: Vec<u64> = series.iter().flat_map(|(_, n)| n).copied().collect();
    let (least, most) = range(&all)?;
    if least == most {
        let each = if all.len() > 1 { " each" } else { "" };
        return Some(format!("n = {least}{each}"));
    }
    let said: Vec<String> = series
        .iter()
        .filter_map(|(label, counts)| match range(counts)? {
            (least, most) if least == most => Some(format!("{least} ({label})")),
            (least, most) => Some(format!("{least} to {most} ({label})")),
        })
        .collect();
    Some(match said.len() {
        2..=MOST_COUNTS => format!("n = {}", said.join(", ")),
        _ => format!("n from {least} to {most}"),
    })
}

/// Groups of bars: one group per metric, one bar per series in each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BarChart {
    /// What the figure is about.
    pub title: String,
    /// What the bars measure, for the value axis.
    pub value_axis: String,
    /// The groups, in order; long names are broken or turned by the renderer.
    pub groups: Vec<String>,
    /// The series, in the order of the legend.
    pub series: Vec<BarSeries>,
    /// Whether all values are rates, so that the axis runs from 0 to 1.
    pub unit_scale: bool,
    /// What stands below the figure, line by line.
    pub caption: Vec<String>,
}

impl BarChart {
    /// A chart whose axis fits its marks.
    pub fn new(title: &str, groups: Vec<String>, series: Vec<BarSeries>) -> Self {
        let marks = || series.iter().flat_map(|series| &series.marks);
        let unit_scale = marks().all(|mark| mark.numbers().all(|n| (0.0..=1.0).contains(&n)));
        let has_interval = marks().any(|mark| matches!(mark, Mark::Value { ci: Some(_), .. }));
        let axis = match has_interval {
            true => "value, with its 95 % interval",
            false => "value",
        };
        BarChart {
            title: title.to_owned(),
            value_axis: axis.to_owned(),
            groups,
            caption: counts_said(&series.iter().map(BarSeries::counts).collect::<Vec<_>>())
                .into_iter()
                .collect(),
            series,
            unit_scale,
        }
    }

    /// The same numbers one below the other, the series of a group together.
    pub fn forest(self) -> Forest {
        let mut rows = Vec::new();
        for (at, group) in self.groups.into_iter().enumerate() {
            for (first, series) in self.series.iter().enumerate() {
                rows.push(ForestRow {
                    heading: (first == 0).then(|| group.clone()),
                    label: series.label.clone(),
                    mark: series
                        .marks
                        .get(at)
                        .cloned()
                        .unwrap_or_else(|| Mark::Missing(String::new())),
                    tone: Tone::Neutral,
                    words: String::new(),
                });
            }
        }
        Forest {
            title: self.title,
            value_axis: self.value_axis,
            rows,
            differences: false,
            margin: None,
            // Each row has its n beside it.
            caption: Vec::new(),
        }
    }
}

/// A metric as it stands below its bars.
pub fn metric_name(metric: &str, lower_is_better: bool) -> String {
    let words = metric.replace('_', " ");
    match lower_is_better {
        true => format!("{words} (lower is better)"),
        false => words,
    }
}

/// The bars of one series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BarSeries {
    /// Its name in the legend.
    pub label: String,
    /// One mark per group, in the order of the groups; those beyond the end are missing.
    pub marks: Vec<Mark>,
}

impl BarSeries {
    fn counts(&self) -> (&str, Vec<u64>) {
        (&self.label, self.marks.iter().filter_map(Mark::n).collect())
    }
}

/// Numbers one below the other, each with its interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forest {
    /// What the figure is about.
    pub title: String,
    /// What stands along the horizontal axis.
    pub value_axis: String,
    /// The rows, from top to bottom.
    pub rows: Vec<ForestRow>,
    /// Whether they are differences, which are read against a line at 0.
    pub differences: bool,
    /// How far below 0 (above, where less is better) a difference may be, where somebody
    /// said so.
    pub margin: Option<f64>,
    /// What stands below the figure, line by line.
    pub caption: Vec<String>,
}

/// One number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForestRow {
    /// What the rows from here on have in common, where a new group begins.
    pub heading: Option<String>,
    /// What it is of.
    pub label: String,
    /// The number.
    pub mark: Mark,
    /// What a difference comes to.
    pub tone: Tone,
    /// The same in words.
    pub words: String,
}

/// What a difference comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// For the better.
    Good,
    /// For the worse.
    Bad,
    /// For neither.
    Neutral,
}

/// Points in a plane, some of them on a frontier that a line joins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scatter {
    /// What the figure is about.
    pub title: String,
    /// What stands along the horizontal axis.
    pub x_axis: String,
    /// What stands along the vertical axis.
    pub y_axis: String,
    /// Whether the horizontal axis is logarithmic; points at or below 0 then have no place.
    pub log_x: bool,
    /// The points.
    pub points: Vec<ScatterPoint>,
    /// Things that have no point, each with the reason, for a line below the figure.
    pub left_out: Vec<(String, String)>,
    /// What stands below the figure, line by line.
    pub caption: Vec<String>,
}

/// One point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScatterPoint {
    /// Its name beside it.
    pub label: String,
    /// Where it stands horizontally.
    pub x: f64,
    /// Where it stands vertically.
    pub y: f64,
    /// The interval of `y`, drawn as whiskers.
    pub y_ci: Option<[f64; 2]>,
    /// Whether nothing else is better in both directions.
    pub on_frontier: bool,
}

/// How often answers are right, by how sure they were said to be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reliability {
    /// What the figure is about.
    pub title: String,
    /// The bins that have rows, from low to high.
    pub bins: Vec<ReliabilityBin>,
    /// What stands below the figure, line by line.
    pub caption: Vec<String>,
}

/// Rows of about the same confidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// Between which numbers their confidence lies.
    pub between: [f64; 2],
    /// How many there are.
    pub rows: u64,
    /// Their mean confidence.
    pub confidence: f64,
    /// The share of them that is right.
    pub share: f64,
    /// Its interval, drawn as whiskers.
    pub ci: Option<[f64; 2]>,
}

/// How one step of an episode went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// All that was asked of it.
    Right,
    /// The right kind of action in the wrong place.
    Missed,
    /// Another kind of action.
    WrongType,
    /// No action at all.
    Absent,
    /// Nothing was asked: the step is left out.
    LeftOut,
}

/// One row of small boxes per episode: which steps fail.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Strip {
    /// What the figure is about.
    pub title: String,
    /// The episodes, in order.
    pub rows: Vec<StripRow>,
    /// How many more episodes there are than rows.
    pub left_out: u64,
}

/// The steps of one episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StripRow {
    /// The episode.
    pub label: String,
    /// Its steps by their places in the recording, those that are left out included.
    pub steps: Vec<StepState>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caption_says_n_once_or_for_each_series() {
        assert_eq!(counts_said(&[]), None);
        assert_eq!(counts_said(&[("a", vec![])]), None);
        assert_eq!(counts_said(&[("a", vec![7])]).unwrap(), "n = 7");
        let each = [("a", vec![7, 7]), ("b", vec![7])];
        assert_eq!(counts_said(&each).unwrap(), "n = 7 each");
        let differ = [("a", vec![7, 9]), ("none", vec![]), ("b", vec![8])];
        assert_eq!(counts_said(&differ).unwrap(), "n = 7 to 9 (a), 8 (b)");
        assert_eq!(counts_said(&differ[..1]).unwrap(), "n from 7 to 9");
        let many: Vec<(&str, Vec<u64>)> = (0..13).map(|n| ("s", vec![n])).collect();
        assert_eq!(counts_said(&many).unwrap(), "n from 0 to 12");
    }

    #[test]
    fn bars_as_a_forest_keep_their_order_and_their_gaps() {
        let series = |label: &str, n| BarSeries {
            label: label.to_owned(),
            marks: vec![Mark::from(&MetricValue::new(0.5, n))],
        };
        let groups = vec!["m".to_owned(), "k".to_owned()];
        let chart = BarChart::new("t", groups, vec![series("a", 3), series("b", 4)]);
        assert_eq!(chart.caption, ["n = 3 (a), 4 (b)"]);
        let forest = chart.forest();
        let of: Vec<(Option<&str>, &str)> = forest
            .rows
            .iter()
            .map(|row| (row.heading.as_deref(), row.label.as_str()))
            .collect();
        let expected = [(Some("m"), "a"), (None, "b"), (Some("k"), "a"), (None, "b")];
        assert_eq!(of, expected);
        assert_eq!(forest.rows[3].mark, Mark::Missing(String::new()));
    }
}
