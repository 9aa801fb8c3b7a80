//! Figures before anyone has drawn them.
//!
//! Rooms that measure fill these; renderers only read them, and never compute a number.
//! What has no value says so and why: a renderer leaves a gap marked n/a, never a bar of
//! height 0.

use serde::Serialize;

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
    },
    /// No number, and why.
    Missing(String),
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
}

impl BarChart {
    /// A chart whose axis fits its marks.
    pub fn new(title: &str, groups: Vec<String>, series: Vec<BarSeries>) -> Self {
        let marks = || series.iter().flat_map(|series| &series.marks);
        let is_share = |number: &f64| (0.0..=1.0).contains(number);
        let unit_scale = marks().all(|mark| match mark {
            Mark::Value { value, ci } => is_share(value) && ci.iter().flatten().all(is_share),
            Mark::Missing(_) => true,
        });
        let has_interval = marks().any(|mark| matches!(mark, Mark::Value { ci: Some(_), .. }));
        let axis = match has_interval {
            true => "value, with its 95 % interval",
            false => "value",
        };
        BarChart {
            title: title.to_owned(),
            value_axis: axis.to_owned(),
            groups,
            series,
            unit_scale,
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

/// Differences one below the other, each with its interval, around a line at 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forest {
    /// What the figure is about.
    pub title: String,
    /// What stands along the horizontal axis.
    pub value_axis: String,
    /// The rows, from top to bottom.
    pub rows: Vec<ForestRow>,
    /// How far below 0 (above, where less is better) a difference may be, where somebody
    /// said so.
    pub margin: Option<f64>,
    /// What stands below the figure.
    pub caption: String,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForestRow {
    /// What differs.
    pub label: String,
    /// The difference.
    pub mark: Mark,
    /// What it comes to.
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
    /// Its steps, in order.
    pub steps: Vec<StepState>,
}
