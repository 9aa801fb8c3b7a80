//! The part of the report on which judges to keep.

use judica_model::metric::MetricValue;
use serde::Serialize;

/// How right panels of judges are by the vote of most of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Panels {
    /// What votes are held against: `human`, or `dawid-skene` for labels that were estimated
    /// from the same votes; null if there is neither.
    pub basis: Option<&'static str>,
    /// Why no panel was measured, if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
    /// Items that panels are measured on; the same for all.
    pub n: u64,
    /// How many panels were measured.
    pub measured: u64,
    /// Of at most so many judges.
    pub largest: u64,
    /// What makes a panel cheap: `usd`, or `judges` where not every cost is known.
    pub cheap_by: &'static str,
    /// The most accurate one.
    pub best: Option<PanelAccuracy>,
    /// The cheapest of those within one standard error of it.
    pub keep: Option<PanelAccuracy>,
    /// The most accurate ones.
    pub list: Vec<PanelAccuracy>,
}

/// One panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PanelAccuracy {
    /// Who is in it.
    pub judges: Vec<String>,
    /// How often most of them are right; no vote is not right.
    pub accuracy: MetricValue,
    /// On how many items.
    pub correct: u64,
    /// On how many items there is no vote: the panel is even, or nobody of it has a verdict.
    pub undecided: u64,
    /// What its verdict on an item costs in USD, where the cost of all is known.
    pub usd_per_item: Option<f64>,
}
