//! What a metric and a filter gave for the documents of a task, and which way of it is better.

use std::borrow::Cow;
use std::collections::BTreeMap;

use judica_model::run::Direction;

use super::Task;
use super::aggregates::aggregation;
use super::results::Results;
use crate::log::Score;
use crate::raw::Raw;
use crate::survey::no_way;

/// What the column of log likelihoods is called after the metric that is made of them: more
/// of them is better, and less of a perplexity.
const LIKELIHOOD: &str = "_loglikelihood";

pub(super) struct Column {
    /// `metric,filter`
    pub name: String,
    pub metric: String,
    pub filter: String,
    pub given: Vec<Given>,
    /// Whether it holds log likelihoods, of which all together make the metric.
    is_likelihood: bool,
}

/// What a metric gave for one document.
pub(super) struct Given {
    /// The number as the log has it, NaN among them.
    pub number: Option<f64>,
    /// Two numbers: a log likelihood and its weight, or gold and prediction.
    pub pair: Option<(f64, f64)>,
    /// What it is where it is no number.
    pub logged: Option<String>,
}

impl Given {
    pub fn of(raw: Raw) -> Self {
        let pair = match raw.elements()[..] {
            [a, b] => a.number().zip(b.number()),
            _ => None,
        };
        Given {
            number: raw.number().or(raw.boolean().map(f64::from)),
            pair,
            logged: Score::of("", raw).logged.map(Cow::into_owned),
        }
    }
}

impl Column {
    pub fn new(metric: &str, filter: &str) -> Self {
        Column {
            name: format!("{metric},{filter}"),
            metric: metric.to_owned(),
            filter: filter.to_owned(),
            given: Vec::new(),
            is_likelihood: false,
        }
    }

    /// Calls it after what it holds, once all of it is known.
    pub fn settle(&mut self, results: &Results, task: &str) {
        if aggregation(results, task, self) == "perplexity" {
            self.name = format!("{}{LIKELIHOOD},{}", self.metric, self.filter);
            self.is_likelihood = true;
        }
    }

    /// Which way is better in a task, where the results or the metric's name say it.
    fn direction(&self, results: &Results, task: &str) -> Option<Direction> {
        match results.is_higher_better(task, &self.metric) {
            _ if self.is_likelihood => Some(Direction::Higher),
            Some(true) => Some(Direction::Higher),
            Some(false) => Some(Direction::Lower),
            None => {
                let is_loss = self.metric.contains("perplexity") || self.metric == "bits_per_byte";
                is_loss.then_some(Direction::Lower)
            }
        }
    }

    /// What it gave for one document.
    pub fn score(&self, at: usize) -> Score<'_> {
        let given = &self.given[at];
        Score {
            scorer: Cow::Borrowed(&self.name),
            value: given.number.filter(|number| number.is_finite()),
            logged: given.logged.as_deref().map(Cow::Borrowed),
            explanation: None,
        }
    }
}

/// Which way is better for a scorer, by each task that says it.
pub(super) fn directions<'t>(
    results: &'t Results,
    tasks: &'t [Task],
    scorer: &'t str,
) -> impl Iterator<Item = Direction> + 't {
    tasks.iter().filter_map(move |task| {
        let column = task.columns.iter().find(|column| column.name == scorer)?;
        column.direction(results, &task.name)
    })
}

/// What is to be said of columns: that they are called unlike their metric, and that tasks
/// say different things of which way is better.
pub(super) fn notes(results: &Results, tasks: &[Task]) -> Vec<String> {
    let columns = tasks.iter().flat_map(|task| &task.columns);
    let columns: BTreeMap<&str, &Column> = columns.map(|column| (&*column.name, column)).collect();
    let mut notes = Vec::new();
    for (name, column) in columns {
        if column.is_likelihood {
            let Column { metric, filter, .. } = column;
            notes.push(format!(
                "the samples of `{metric},{filter}` hold log likelihoods, which make a perplexity \
                 only together: their column is `{name}`, of which more is better"
            ));
        }
        let said: Vec<Direction> = directions(results, tasks, name).collect();
        if said.iter().any(|direction| *direction != said[0]) {
            notes.push(no_way(name, "tasks"));
        }
    }
    notes
}
