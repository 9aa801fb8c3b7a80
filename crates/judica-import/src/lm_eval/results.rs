//! The results file: what was run, and the harness's own numbers.

use std::path::Path;

use judica_data::work_error::WorkError;
use judica_run::family::Input;

use crate::raw::Raw;
use crate::walk::{self, Want};

/// The version whose files are known.
const KNOWN: &str = "0.4.";

/// What is needed of a results file.
#[derive(Default)]
pub(super) struct Results {
    /// The file, if there is one.
    pub file: Option<Input>,
    /// The model.
    pub model: Option<String>,
    /// The numbers of tasks and groups, in the file's order.
    pub numbers: Vec<(String, Vec<Number>)>,
    /// Of what a group is made.
    pub groups: Vec<(String, Vec<String>)>,
    /// How a metric of a task is aggregated, where the file says it: task, metric, how.
    pub aggregations: Vec<(String, String, Option<String>)>,
    /// Metrics of tasks, and whether more is better: task, metric.
    pub higher: Vec<(String, String, Option<bool>)>,
    /// How many documents each task asked on.
    pub documents: Vec<(String, u32)>,
    version: Option<String>,
}

/// One number: its key, the metric and the filter in it, and what is said.
pub(super) struct Number {
    pub key: String,
    pub metric: String,
    pub filter: String,
    /// None: it is no number.
    pub value: Option<f64>,
    /// What it is then.
    pub said: Option<String>,
}

/// Whether a file is the results, by its first keys.
pub(super) fn is_results(path: &Path) -> Result<bool, WorkError> {
    let mut found = false;
    let want = |keys: &str| match keys {
        "" => Want::Into,
        "results" => Want::Take,
        _ => Want::Skip,
    };
    walk::perhaps_document(path, &want, &mut |part| {
        found |= part.path == "results";
        Ok(())
    })?;
    Ok(found)
}

impl Results {
    /// Reads the file.
    pub fn read(file: &Input) -> Result<Self, WorkError> {
        let mut results = Results {
            file: Some(file.clone()),
            ..Results::default()
        };
        let want = |keys: &str| match keys {
            "" => Want::Into,
            "results" | "group_subtasks" | "configs" | "higher_is_better" | "config"
            | "model_name" | "lm_eval_version" | "n-samples" => Want::Take,
            _ => Want::Skip,
        };
        let mut config_model = None;
        walk::document(file, &want, &mut |part| {
            let Ok(value) = part.value else {
                return Ok(());
            };
            let text = || value.text().map(|text| text.into_owned());
            match part.path {
                "results" => {
                    let named = value.members().0.into_iter();
                    results.numbers = named
                        .map(|(name, numbers)| (name.into_owned(), read_numbers(numbers)))
                        .collect();
                }
                "group_subtasks" => {
                    let named = value.members().0.into_iter();
                    let texts = |raw: Raw| {
                        let texts = raw.elements().into_iter().filter_map(Raw::text);
                        texts.map(|text| text.into_owned()).collect()
                    };
                    results.groups = named
                        .map(|(name, of)| (name.into_owned(), texts(of)))
                        .collect();
                }
                "configs" => {
                    for (task, config) in value.members().0 {
                        for metric in config.at(&["metric_list"]).elements() {
                            let how = metric.at(&["aggregation"]).shown();
                            let metric = metric.at(&["metric"]).shown().unwrap_or_default();
                            results.aggregations.push((
                                task.clone().into_owned(),
                                metric.into_owned(),
                                how.map(|how| how.into_owned()),
                            ));
                        }
                    }
                }
                "higher_is_better" => {
                    for (task, metrics) in value.members().0 {
                        for (metric, higher) in metrics.members().0 {
                            let (task, metric) = (task.clone().into_owned(), metric.into_owned());
                            results.higher.push((task, metric, higher.boolean()));
                        }
                    }
                }
                "n-samples" => {
                    for (task, counts) in value.members().0 {
                        let asked = counts.at(&["effective"]).count();
                        let asked = asked.map(|asked| (task.into_owned(), asked));
                        results.documents.extend(asked);
                    }
                }
                "config" => config_model = model_of(value),
                "model_name" => results.model = text(),
                _ => results.version = text(),
            }
            Ok(())
        })?;
        let named = |model: &String| !model.is_empty();
        results.model = results.model.filter(named).or(config_model);
        Ok(results)
    }

    /// What a person should know.
    pub fn notes(&self) -> Option<String> {
        let version = self.version.as_ref();
        let unknown = version.filter(|version| !version.starts_with(KNOWN))?;
        Some(format!(
            "written by lm-eval {unknown}; {KNOWN}x was expected"
        ))
    }

    /// How many documents a task asked on, if the file says so.
    pub fn asked(&self, task: &str) -> Option<u32> {
        let found = self.documents.iter().find(|(name, _)| name == task);
        found.map(|(_, asked)| *asked)
    }

    /// The metrics of a task, if the file names any.
    pub fn metrics(&self, task: &str) -> Option<Vec<&str>> {
        let of = self.higher.iter().filter(|(name, ..)| name == task);
        let metrics: Vec<&str> = of.map(|(_, metric, _)| metric.as_str()).collect();
        (!metrics.is_empty()).then_some(metrics)
    }

    /// Whether more of a metric is better, by its task; else by another one that has it, since a
    /// file of samples may be called unlike its task.
    pub fn is_higher_better(&self, task: &str, metric: &str) -> Option<bool> {
        let mut of = self.higher.iter().filter(|(_, name, _)| name == metric);
        let own = of.clone().find(|(of, ..)| of == task);
        own.or_else(|| of.next()).and_then(|(_, _, higher)| *higher)
    }

    /// The filters of a task, in order.
    pub fn filters(&self, task: &str) -> Vec<String> {
        let mut filters: Vec<String> = Vec::new();
        for number in self.numbers(task) {
            if !filters.contains(&number.filter) {
                filters.push(number.filter.clone());
            }
        }
        filters
    }

    /// The numbers of a task.
    pub fn numbers(&self, task: &str) -> &[Number] {
        let found = self.numbers.iter().find(|(name, _)| name == task);
        found.map_or(&[], |(_, numbers)| numbers)
    }

    /// The tasks of a group, those of groups in it among them, each once.
    pub fn leaves<'r>(&'r self, group: &'r str) -> Vec<&'r str> {
        let mut leaves: Vec<&str> = Vec::new();
        let (mut waiting, mut met) = (vec![group], vec![]);
        while let Some(name) = waiting.pop() {
            let parts = self.groups.iter().find(|(known, _)| known == name);
            match parts.map(|(_, parts)| parts.as_slice()) {
                Some(parts @ [_, ..]) if !met.contains(&name) => {
                    met.push(name);
                    waiting.extend(parts.iter().rev().map(String::as_str));
                }
                _ if name != group && !leaves.contains(&name) => leaves.push(name),
                _ => {}
            }
        }
        leaves
    }
}

fn read_numbers(raw: Raw) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (key, value) in raw.members().0 {
        let said = value.text().map(|text| text.into_owned());
        let (metric, filter) = match key.split_once(',') {
            Some((metric, filter)) => (metric, filter),
            // Files of 2023 have no filters, and other facts that are numbers are few.
            None if value.number().is_some() && !matches!(&*key, "sample_len" | "samples") => {
                (&*key, super::NO_FILTER)
            }
            None => continue,
        };
        numbers.push(Number {
            metric: metric.to_owned(),
            filter: filter.to_owned(),
            key: key.to_string(),
            value: value.finite(),
            said,
        });
    }
    numbers
}

/// The model as the command line had it.
fn model_of(config: Raw) -> Option<String> {
    let arguments = config.at(&["model_args"]);
    let named = ["pretrained", "model"].into_iter().find_map(|name| {
        if let Some(text) = arguments.text() {
            let mut parts = text.split(',').filter_map(|part| part.split_once('='));
            return parts
                .find(|(key, _)| key.trim() == name)
                .map(|(_, value)| value.to_owned());
        }
        arguments.at(&[name]).text().map(|text| text.into_owned())
    });
    named.or_else(|| config.at(&["model"]).text().map(|text| text.into_owned()))
}
