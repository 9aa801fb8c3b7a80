//! What a schema cannot say: whether the numbers of a file make sense together.

use judica_model::nearest::nearest;
use serde_json::{Map, Value};

use super::check::Finding;
use crate::eval_json::catalogue::{Kind, METRICS, MetricSpec, interval_of, spec};
use crate::eval_json::deprecated::{Deprecated, find};
use crate::eval_json::metrics::whole;

/// How far a rate may be from its counts: three decimals, as people round.
const ROUNDED: f64 = 0.000_5;

/// What two parts of a file say against each other.
#[derive(Debug, Default)]
pub(super) struct Sense {
    /// Both cannot be true.
    pub problems: Vec<Finding>,
    /// Odd, but possible.
    pub warnings: Vec<Finding>,
}

impl Sense {
    /// Looks at a document whose `metrics` are an object.
    pub(super) fn of(
        document: &Map<String, Value>,
        metrics: &Map<String, Value>,
        deprecated: &[Deprecated],
    ) -> Sense {
        let mut sense = Sense::default();
        sense.presence(metrics);
        sense.coordinates(metrics);
        sense.mode(document, metrics);
        for (key, value) in metrics {
            sense.interval(key, value, metrics);
            sense.deprecation(key, value, deprecated);
        }
        if let Some(counts) = document.get("counts").and_then(Value::as_object) {
            METRICS
                .iter()
                .for_each(|spec| sense.count(spec, counts, metrics));
        }
        sense
    }

    fn warn(&mut self, pointer: String, reason: &'static str, detail: String) {
        self.warnings.push(Finding {
            pointer,
            reason,
            detail,
        });
    }

    /// Metrics that should be there, and those that have nearly their names.
    fn presence(&mut self, metrics: &Map<String, Value>) {
        let is_missing = |spec: &&MetricSpec| !metrics.contains_key(spec.name);
        let missing: Vec<_> = METRICS.iter().filter(is_missing).collect();
        for spec in &missing {
            // Those that may never be null are required by the schema.
            if spec.primary && spec.kind != Kind::Count && spec.null_without.is_none() {
                let detail = format!(
                    "`{}` is missing; null says that it does not apply",
                    spec.name
                );
                self.warn(pointer(spec.name), "missing", detail);
            }
        }
        for key in metrics.keys().filter(|key| spec(key).is_none()) {
            let candidates = missing.iter().map(|spec| spec.name);
            if interval_of(key).is_none()
                && let Some(meant) = nearest(key, candidates)
            {
                let detail = format!("`{key}` is not a known metric; did you mean `{meant}`?");
                self.warn(pointer(key), "unknown_metric", detail);
            }
        }
        let count = |name: &str| metrics.get(name).and_then(whole);
        if count("num_episodes") == Some(0) && count("num_steps") > Some(0) {
            let detail = "there are steps, but no episode".to_owned();
            self.warn(pointer("num_episodes"), "inconsistent", detail);
        }
        for spec in &METRICS {
            if let Some(name) = spec.null_without
                && count(name) == Some(0)
                && metrics.get(spec.name).is_some_and(Value::is_null)
            {
                let detail = format!(
                    "null since `{name}` is 0; some readers of version 1.0 expect a number here"
                );
                self.warn(pointer(spec.name), "null", detail);
            }
        }
    }

    /// Coordinate metrics against the number of coordinates.
    fn coordinates(&mut self, metrics: &Map<String, Value>) {
        let Some(compared) = metrics.get("coord_error_count").and_then(whole) else {
            return;
        };
        for name in ["mean_coord_error", "click_hit_rate"] {
            let Some(value) = metrics.get(name) else {
                continue;
            };
            if compared == 0 && value.is_number() {
                self.problems.push(Finding {
                    pointer: pointer(name),
                    reason: "inconsistent",
                    detail: format!("{value} although `coord_error_count` is 0; expected null"),
                });
            } else if compared > 0 && value.is_null() {
                let detail = format!("null although `coord_error_count` is {compared}");
                self.warn(pointer(name), "inconsistent", detail);
            }
        }
    }

    /// Metrics that the mode does not have.
    fn mode(&mut self, document: &Map<String, Value>, metrics: &Map<String, Value>) {
        let mode = match document.get("dsl_mode") {
            None => "coord",
            Some(Value::String(mode)) => mode,
            Some(_) => return,
        };
        let foreign: &[&str] = match mode {
            "coord" => &["element_accuracy"],
            "som" => &["mean_coord_error", "click_hit_rate", "bbox_hit_rate"],
            _ => {
                let detail = format!("unknown mode \"{mode}\"; known are `coord` and `som`");
                self.warn("/dsl_mode".to_owned(), "unknown_mode", detail);
                return;
            }
        };
        for name in foreign {
            if let Some(value) = metrics.get(*name)
                && value.is_number()
            {
                let detail =
                    format!("{value} although the mode is `{mode}`, which has no such metric");
                self.warn(pointer(name), "wrong_mode", detail);
            }
        }
    }

    /// An interval against its metric.
    fn interval(&mut self, key: &str, value: &Value, metrics: &Map<String, Value>) {
        let Some(metric) = interval_of(key) else {
            return;
        };
        let ends = value.as_array().map(Vec::as_slice);
        let Some([lo, hi]) = ends else { return };
        let (Some(lo), Some(hi)) = (lo.as_f64(), hi.as_f64()) else {
            return;
        };
        let beyond = match spec(metric).map(|spec| spec.kind) {
            Some(Kind::Rate | Kind::Share) => lo < 0.0 || hi > 1.0,
            Some(Kind::Distance) => lo < 0.0,
            Some(Kind::Count) | None => false,
        };
        let odd = if lo > hi {
            format!("the lower end {lo} is above the upper end {hi}")
        } else if beyond {
            format!("[{lo}, {hi}] reaches beyond what `{metric}` can be")
        } else {
            match metrics.get(metric).map(Value::as_f64) {
                Some(Some(value)) if !(lo..=hi).contains(&value) => {
                    format!("[{lo}, {hi}] does not hold `{metric}`, which is {value}")
                }
                Some(None) => format!("an interval, but `{metric}` has no value"),
                _ => return,
            }
        };
        self.warn(pointer(key), "interval", odd);
    }

    fn deprecation(&mut self, key: &str, value: &Value, table: &[Deprecated]) {
        if let Some(entry) = find(table, key)
            && !entry.sentinel.is(value)
        {
            let detail = format!(
                "`{key}` is deprecated since {}: {}",
                entry.since, entry.note
            );
            self.warn(pointer(key), "deprecated", detail);
        }
    }

    /// The counts under a metric, against the metric.
    fn count(
        &mut self,
        spec: &MetricSpec,
        counts: &Map<String, Value>,
        metrics: &Map<String, Value>,
    ) {
        let (Some(items), Some(hits)) = (spec.items, spec.hits) else {
            return;
        };
        let number = |key: &str| counts.get(key).and_then(whole);
        let (Some(n), Some(hit)) = (number(items), number(hits)) else {
            return;
        };
        let at = format!("/counts/{hits}");
        if hit > n {
            self.problems.push(Finding {
                pointer: at,
                reason: "inconsistent",
                detail: format!("{hit} of {n} `{items}`"),
            });
        } else if let Some(value) = metrics.get(spec.name).and_then(Value::as_f64)
            && n > 0
            && (value - hit as f64 / n as f64).abs() > ROUNDED
        {
            let detail = format!(
                "{hit} of {n} `{items}` is not {value}, which `{}` is",
                spec.name
            );
            self.warn(at, "inconsistent", detail);
        }
    }
}

fn pointer(metric: &str) -> String {
    format!("/metrics/{}", judica_data::json::pointer_key(metric))
}
