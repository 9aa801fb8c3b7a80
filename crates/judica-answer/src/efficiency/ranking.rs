//! Who is best at what.

use serde::Serialize;

use super::composite::Better;
use super::report::ModelReport;

/// A place in a ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// From 1; those with the same value share the place of the first of them.
    pub rank: u64,
    /// The model.
    pub model: String,
    /// The run, where runs are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What decides.
    pub value: f64,
}

/// All rankings. Whoever lacks the value is not in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Rankings {
    /// By cost per row.
    pub cheapest: Vec<Ranked>,
    /// By mean latency.
    pub fastest: Vec<Ranked>,
    /// By accuracy.
    pub most_accurate: Vec<Ranked>,
    /// By accuracy divided by the cost per row: correct answers for a dollar.
    pub accuracy_per_dollar: Vec<Ranked>,
    /// By accuracy divided by the mean latency: correct answers in a second.
    pub accuracy_per_second: Vec<Ranked>,
    /// By the composite.
    pub composite: Vec<Ranked>,
}

impl Rankings {
    pub(super) fn of(models: &[ModelReport]) -> Self {
        use Better::{Higher, Lower};
        let by = |better, value: fn(&ModelReport) -> Option<f64>| rank(models, better, value);
        Rankings {
            cheapest: by(Lower, |model| model.cost.avg_usd),
            fastest: by(Lower, |model| model.latency_ms.mean),
            most_accurate: by(Higher, |model| model.share.accuracy),
            accuracy_per_dollar: by(Higher, |model| model.accuracy_per_dollar),
            accuracy_per_second: by(Higher, |model| model.accuracy_per_second),
            composite: by(Higher, |model| model.composite.score),
        }
    }

    /// The rankings with their names, in order.
    pub fn named(&self) -> [(&'static str, &[Ranked]); 6] {
        [
            ("cheapest", &self.cheapest),
            ("fastest", &self.fastest),
            ("most_accurate", &self.most_accurate),
            ("accuracy_per_dollar", &self.accuracy_per_dollar),
            ("accuracy_per_second", &self.accuracy_per_second),
            ("composite", &self.composite),
        ]
    }
}

impl Ranked {
    /// What it is called.
    pub fn label(&self) -> &str {
        self.run.as_deref().unwrap_or(&self.model)
    }
}

/// Orders by value; models come ordered by name, which a stable sort keeps among equals.
fn rank(
    models: &[ModelReport],
    better: Better,
    value: fn(&ModelReport) -> Option<f64>,
) -> Vec<Ranked> {
    let mut found: Vec<(f64, &ModelReport)> = models
        .iter()
        .filter_map(|model| Some((value(model)?, model)))
        .collect();
    found.sort_by(|(a, _), (b, _)| match better {
        Better::Higher => b.total_cmp(a),
        Better::Lower => a.total_cmp(b),
    });
    let mut ranked: Vec<Ranked> = Vec::with_capacity(found.len());
    for (place, (value, model)) in (1..).zip(found) {
        let before = ranked.last().filter(|before| before.value == value);
        ranked.push(Ranked {
            rank: before.map_or(place, |before| before.rank),
            model: model.model.clone(),
            run: model.run.clone(),
            value,
        });
    }
    ranked
}
