//! A number with its `n`, or the reason why there is none. There is no third way:
//! an undefined metric is never 0, 1, 100 or NaN.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// The value of a metric.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricValue {
    /// A number that means something.
    Defined {
        /// The number itself.
        value: f64,
        /// How many items it rests on.
        n: u64,
        /// Clusters of items that stand or fall together, where that is known.
        clusters: Option<u64>,
        /// Its standard error, robust to clusters.
        se: Option<f64>,
        /// How many times larger its variance is for the clusters.
        design_effect: Option<f64>,
        /// Its interval, where there is one.
        ci: Option<[f64; 2]>,
        /// Why there is none.
        ci_undefined: Option<String>,
        /// What a reader should know about it, e.g. why it has no interval.
        note: Option<String>,
    },
    /// No number, and why.
    Undefined {
        /// A short reason, e.g. `no eligible samples`.
        reason: String,
    },
}

impl MetricValue {
    /// A defined value without an interval; a non-finite number becomes undefined.
    pub fn new(value: f64, n: u64) -> Self {
        if value.is_finite() {
            MetricValue::Defined {
                value,
                n,
                clusters: None,
                se: None,
                design_effect: None,
                ci: None,
                ci_undefined: None,
                note: None,
            }
        } else {
            MetricValue::undefined("not a finite number")
        }
    }

    /// An undefined value.
    pub fn undefined(reason: impl Into<String>) -> Self {
        MetricValue::Undefined {
            reason: reason.into(),
        }
    }

    /// The same value with its interval; an undefined value stays as it is.
    #[must_use]
    pub fn with_ci(mut self, interval: [f64; 2]) -> Self {
        if let MetricValue::Defined { ci, .. } = &mut self {
            *ci = Some(interval);
        }
        self
    }

    /// The same value with its interval cut to what such a value can be.
    #[must_use]
    pub fn within(mut self, [least, most]: [f64; 2]) -> Self {
        if let MetricValue::Defined { ci: Some(ci), .. } = &mut self {
            *ci = ci.map(|end| end.clamp(least, most));
        }
        self
    }

    /// The same value with the reason why it has no interval.
    #[must_use]
    pub fn without_ci(mut self, why: impl Into<String>) -> Self {
        if let MetricValue::Defined { ci_undefined, .. } = &mut self {
            *ci_undefined = Some(why.into());
        }
        self
    }

    /// The same value with its clusters, its standard error and its design effect.
    #[must_use]
    pub fn with_spread(
        mut self,
        of_clusters: Option<u64>,
        error: Option<f64>,
        effect: Option<f64>,
    ) -> Self {
        if let MetricValue::Defined {
            clusters,
            se,
            design_effect,
            ..
        } = &mut self
        {
            (*clusters, *se, *design_effect) = (of_clusters, error, effect);
        }
        self
    }

    /// The same value with one more remark; an undefined value has its reason already.
    #[must_use]
    pub fn with_note(mut self, text: impl Into<String>) -> Self {
        if let MetricValue::Defined { note, .. } = &mut self {
            let text = text.into();
            *note = Some(match note.take() {
                Some(before) => format!("{before}; {text}"),
                None => text,
            });
        }
        self
    }

    /// Why there is a number without an interval, if that is so.
    pub fn why_no_interval(&self) -> Option<&str> {
        match self {
            MetricValue::Defined { ci_undefined, .. } => ci_undefined.as_deref(),
            MetricValue::Undefined { .. } => None,
        }
    }

    /// The number, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            MetricValue::Defined { value, .. } => Some(*value),
            MetricValue::Undefined { .. } => None,
        }
    }
}

impl Serialize for MetricValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            MetricValue::Defined {
                value,
                n,
                clusters,
                se,
                design_effect,
                ci,
                ci_undefined,
                note,
            } => {
                map.serialize_entry("value", value)?;
                map.serialize_entry("n", n)?;
                if let Some(clusters) = clusters {
                    map.serialize_entry("clusters", clusters)?;
                }
                if let Some(se) = se {
                    map.serialize_entry("se", se)?;
                }
                if let Some(effect) = design_effect {
                    map.serialize_entry("design_effect", effect)?;
                }
                if let Some(ci) = ci {
                    map.serialize_entry("ci", ci)?;
                }
                if let Some(why) = ci_undefined {
                    map.serialize_entry("ci", &None::<f64>)?;
                    map.serialize_entry("ci_undefined", why)?;
                }
                if let Some(note) = note {
                    map.serialize_entry("note", note)?;
                }
            }
            MetricValue::Undefined { reason } => {
                map.serialize_entry("value", &None::<f64>)?;
                map.serialize_entry("undefined", reason)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_value_is_undefined_not_a_number() {
        assert_eq!(MetricValue::new(f64::INFINITY, 3).value(), None);
        let json = serde_json::to_string(&MetricValue::undefined("no items")).unwrap_or_default();
        assert_eq!(json, r#"{"value":null,"undefined":"no items"}"#);
    }
}
