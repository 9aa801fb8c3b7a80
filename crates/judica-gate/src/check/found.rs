//! The metrics of a report, found by their shape and their names.

use judica_data::json::pointer_key;
use serde_json::{Map, Value};

use super::document::Document;
use super::items::is_item;
use super::metric::{self, Metric, is_metric};
use super::pointer::{NAMES, is_name, to_element};
use super::words::{is_rate, is_settings, lower_is_better};

/// An array longer than this holds results per item, not metrics.
const MOST_ELEMENTS: usize = 20;

/// Keys that make an object with `value` a metric object for certain.
const MARKS: [&str; 5] = ["n", "ci", "undefined", "numerator", "denominator"];

/// A metric of a report.
pub(super) struct Found {
    pub pointer: String,
    pub metric: Metric,
    pub lower_is_better: bool,
    /// What the elements of arrays on the way call themselves, e.g. `model_name north`:
    /// their numbers in the pointer tell a reader nothing.
    pub labels: Vec<String>,
}

/// All metrics, in the order of the report.
pub(super) fn metrics(document: &Document) -> Vec<Found> {
    let mut finder = Finder {
        document,
        found: Vec::new(),
        labels: Vec::new(),
    };
    finder.look("", &document.value, "", "");
    finder.found
}

struct Finder<'a> {
    document: &'a Document,
    found: Vec<Found>,
    labels: Vec<String>,
}

impl Finder<'_> {
    /// Looks at the value of `key` in the object called `parent`.
    fn look(&mut self, pointer: &str, value: &Value, key: &str, parent: &str) {
        match value {
            Value::Number(_) | Value::Null if is_rate(key, parent) => {
                self.take(pointer, key, parent);
            }
            Value::Object(members) if is_metric_object(value, members) => {
                self.take(pointer, key, parent);
            }
            Value::Object(members) => self.look_into(pointer, members, key),
            Value::Array(elements) if elements.len() <= MOST_ELEMENTS => {
                for (i, element) in elements.iter().enumerate() {
                    // Numbers in arrays are parts of something: ends, cells, points.
                    if let Value::Object(members) = element {
                        let outside = self.labels.len();
                        self.labels.extend(labels(members));
                        let there = to_element(&self.document.value, pointer, i, element);
                        self.look(&there, element, key, parent);
                        self.labels.truncate(outside);
                    }
                }
            }
            _ => {}
        }
    }

    fn look_into(&mut self, pointer: &str, members: &Map<String, Value>, name: &str) {
        // Gates that were held, and results of items, are no metrics.
        let has = |key: &str| members.contains_key(key);
        if has("op") && has("threshold") || is_item(members) {
            return;
        }
        let exact = members.get("metrics").and_then(Value::as_object);
        for (key, child) in members {
            // Of a rounded number and the metric it comes from, the metric is enough.
            let again = exact.is_some_and(|exact| !child.is_object() && exact.contains_key(key));
            if !is_settings(key) && !again {
                self.look(&format!("{pointer}/{}", pointer_key(key)), child, key, name);
            }
        }
    }

    fn take(&mut self, pointer: &str, key: &str, parent: &str) {
        if let Ok(metric) = metric::read(self.document, pointer, None) {
            self.found.push(Found {
                pointer: pointer.to_owned(),
                metric,
                lower_is_better: lower_is_better(key, parent),
                labels: self.labels.clone(),
            });
        }
    }
}

/// What an element calls itself.
fn labels(members: &Map<String, Value>) -> impl Iterator<Item = String> {
    members.iter().filter_map(|(key, value)| {
        let names = NAMES.iter().any(|name| is_name(key, name));
        names.then(|| value.as_str().map(|text| format!("{key} {text}")))?
    })
}

fn is_metric_object(value: &Value, members: &Map<String, Value>) -> bool {
    is_metric(value) && MARKS.iter().any(|mark| members.contains_key(*mark))
}
