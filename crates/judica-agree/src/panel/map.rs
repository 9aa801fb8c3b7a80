//! Every two raters as a heat map.

use judica_model::chart::counts_said;
use judica_model::heatmap::{HeatCell, HeatMap};
use judica_model::metric::MetricValue;

use super::PairAgreement;

/// Cohen's κ of every two raters, raters in the order in which the pairs name them.
pub fn kappa_map(pairs: &[PairAgreement]) -> HeatMap {
    let mut names: Vec<&String> = Vec::new();
    // Pairs are grouped by their first rater, so the first group names nearly all.
    let mut place = |name| {
        names
            .iter()
            .position(|known| *known == name)
            .unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
    };
    let places: Vec<[usize; 2]> = pairs
        .iter()
        .map(|pair| pair.raters.each_ref().map(&mut place))
        .collect();
    let names = names.into_iter().cloned().collect();
    let mut map = HeatMap::new(
        "Cohen's kappa of every two raters",
        "Cohen's kappa: 1 is perfect agreement, 0 is chance",
        names,
    );
    let counts: Vec<u64> = pairs.iter().map(|pair| pair.n).collect();
    let items = counts_said(&[("", counts)]);
    map.caption = items
        .map(|said| format!("items of two raters: {said}"))
        .into_iter()
        .collect();
    for (pair, [a, b]) in pairs.iter().zip(places) {
        map.set(
            a,
            b,
            match &pair.cohen_kappa {
                MetricValue::Defined { value, .. } => HeatCell::Value(*value),
                MetricValue::Undefined { reason } => HeatCell::Missing(reason.clone()),
            },
        );
    }
    map
}
