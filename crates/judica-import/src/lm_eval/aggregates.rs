//! The harness's own numbers, computed again from the samples.

use judica_data::json::number::people_number;
use judica_model::text::quoted;

use super::Task;
use super::column::{Column, Given};
use super::results::{Number, Results};
use crate::log::{Aggregate, Check};

const BOOTSTRAP: &str = "a bootstrap cannot be repeated";

/// What a number is by the samples, or why it cannot be told.
type Again = Result<f64, String>;

/// All numbers of the results file.
pub(super) fn of(results: &Results, tasks: &[Task]) -> Vec<Aggregate> {
    let mut all = Vec::new();
    for (name, numbers) in &results.numbers {
        let task = tasks.iter().find(|task| task.name == *name);
        for number in numbers {
            let base = number
                .metric
                .strip_suffix("_stderr")
                .filter(|base| numbers.iter().any(|other| other.metric == *base));
            let (metric, filter) = (base.unwrap_or(&number.metric), number.filter.as_str());
            let again = |weighted: bool| match (task, base) {
                (Some(task), None) => value(results, task, metric, filter),
                (Some(task), Some(_)) => stderr(results, task, metric, filter),
                (None, _) => {
                    let of = (metric, filter, base.is_some());
                    group(results, tasks, name, weighted, of)
                }
            };
            let mut checked = verdict(name, number, again(true));
            // The file does not say how a group was put together.
            if task.is_none() && checked.verdict == Check::Different {
                let plain = verdict(name, number, again(false));
                if plain.verdict == Check::Equal {
                    checked = plain;
                }
            }
            all.push(checked);
        }
    }
    all
}

fn verdict(name: &str, number: &Number, again: Again) -> Aggregate {
    let filter = Some(number.filter.as_str());
    let said = number.said.as_deref();
    let logged = number.value.or_else(|| said.and_then(people_number));
    match (again, said) {
        (_, Some(said)) if logged.is_none() => {
            let why = format!("the log says {said:?}");
            Aggregate::unchecked(name, filter, &number.key, None, &why)
        }
        (Ok(again), _) => {
            let again = Some(again).filter(|again| again.is_finite());
            Aggregate::checked(name, filter, &number.key, logged, again)
        }
        (Err(why), _) => Aggregate::unchecked(name, filter, &number.key, logged, &why),
    }
}

/// How a metric is aggregated: as the file says, else as the harness does by its name.
pub(super) fn aggregation<'r>(results: &'r Results, task: &str, column: &Column) -> &'r str {
    let metric = column.metric.as_str();
    let listed = results
        .aggregations
        .iter()
        .find(|(of, name, _)| of == task && name == metric);
    if let Some((_, _, Some(how))) = listed {
        return how;
    }
    let pairs = column.given.iter().any(|given| given.pair.is_some());
    match metric {
        "word_perplexity" | "byte_perplexity" if pairs => "weighted_perplexity",
        "bits_per_byte" if pairs => "bits_per_byte",
        "f1" if pairs => "f1",
        "mcc" if pairs => "matthews_corrcoef",
        "perplexity" if listed.is_some() || are_likelihoods(column) => "perplexity",
        _ => "mean",
    }
}

/// Whether its numbers are such as no perplexity is.
fn are_likelihoods(column: &Column) -> bool {
    let numbers = column.given.iter().filter_map(|given| given.number);
    let highest = numbers.reduce(f64::max);
    highest.is_some_and(|highest| highest <= 0.0)
}

/// The column of a metric, all of it.
fn column<'t>(
    results: &Results,
    task: &'t Task,
    metric: &str,
    filter: &str,
) -> Result<&'t Column, String> {
    let refused = task.rows.iter().filter(|row| row.is_none()).count();
    if refused > 0 {
        return Err(format!("{refused} rows of samples could not be read"));
    }
    let (here, asked) = (task.records.len(), results.asked(&task.name));
    if let Some(asked) = asked.filter(|asked| here < *asked as usize) {
        return Err(format!("the log holds {here} of {asked} documents"));
    }
    let mut of = task.columns.iter().filter(|column| column.metric == metric);
    // Rows that name no filter are of the only one there is.
    let found = of
        .clone()
        .find(|column| column.filter == filter)
        .or_else(|| {
            let only = of
                .next()
                .filter(|column| column.filter == super::NO_FILTER)?;
            of.next().is_none().then_some(only)
        });
    found.ok_or_else(|| "no sample has it".to_owned())
}

fn numbers(column: &Column) -> Result<Vec<f64>, String> {
    all(column, |given| given.number, "numbers")
}

fn pairs(column: &Column) -> Result<Vec<(f64, f64)>, String> {
    all(column, |given| given.pair, "pairs of numbers")
}

fn all<T>(
    column: &Column,
    read: impl Fn(&Given) -> Option<T>,
    what: &str,
) -> Result<Vec<T>, String> {
    let values: Vec<T> = column.given.iter().filter_map(read).collect();
    match column.given.len() - values.len() {
        0 => Ok(values),
        rest => Err(format!("{rest} values are no {what}")),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn value(results: &Results, task: &Task, metric: &str, filter: &str) -> Again {
    let column = column(results, task, metric, filter)?;
    let weighted = || {
        let pairs = pairs(column)?;
        let (above, below) = pairs
            .iter()
            .fold((0.0, 0.0), |(a, b), (x, w)| (a + x, b + w));
        Ok::<f64, String>(above / below)
    };
    match aggregation(results, &task.name, column) {
        "mean" => Ok(mean(&numbers(column)?)),
        "nanmean" => {
            let numbers = numbers(column)?.into_iter();
            Ok(mean(
                &numbers.filter(|value| !value.is_nan()).collect::<Vec<_>>(),
            ))
        }
        "median" => {
            let mut numbers = numbers(column)?;
            numbers.sort_by(f64::total_cmp);
            Ok(numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN))
        }
        "perplexity" => Ok((-mean(&numbers(column)?)).exp()),
        "weighted_perplexity" => Ok((-weighted()?).exp()),
        "bits_per_byte" => Ok(-weighted()? / std::f64::consts::LN_2),
        "f1" => {
            let pairs = pairs(column)?;
            let count = |gold: f64, said: f64| {
                pairs.iter().filter(|pair| **pair == (gold, said)).count() as f64
            };
            let (hits, wrong) = (count(1.0, 1.0), count(0.0, 1.0) + count(1.0, 0.0));
            match hits + wrong > 0.0 {
                true => Ok(2.0 * hits / (2.0 * hits + wrong)),
                false => Ok(0.0),
            }
        }
        "matthews_corrcoef" => Ok(matthews(&pairs(column)?)),
        other => Err(format!("{} is not computed here", quoted(other, 60))),
    }
}

/// Matthews' coefficient of any number of classes (Gorodkin 2004).
fn matthews(pairs: &[(f64, f64)]) -> f64 {
    let mut classes: Vec<f64> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    classes.sort_by(f64::total_cmp);
    classes.dedup();
    let n = pairs.len() as f64;
    let hits = pairs.iter().filter(|(gold, said)| gold == said).count() as f64;
    let (mut both, mut golds, mut saids) = (0.0, 0.0, 0.0);
    for class in classes {
        let gold = pairs.iter().filter(|pair| pair.0 == class).count() as f64;
        let said = pairs.iter().filter(|pair| pair.1 == class).count() as f64;
        both += gold * said;
        golds += gold * gold;
        saids += said * said;
    }
    let below = ((n * n - golds) * (n * n - saids)).sqrt();
    if below > 0.0 {
        (hits * n - both) / below
    } else {
        0.0
    }
}

fn stderr(results: &Results, task: &Task, metric: &str, filter: &str) -> Again {
    let column = column(results, task, metric, filter)?;
    if aggregation(results, &task.name, column) != "mean" {
        return Err(BOOTSTRAP.to_owned());
    }
    let numbers = numbers(column)?;
    let (n, mean) = (numbers.len() as f64, mean(&numbers));
    let squares: f64 = numbers.iter().map(|value| (value - mean).powi(2)).sum();
    Ok((squares / (n - 1.0) / n).sqrt())
}

/// A number of a group, from those of its tasks that have the metric: weighted by documents,
/// or plain.
fn group(
    results: &Results,
    tasks: &[Task],
    name: &str,
    weighted: bool,
    (metric, filter, is_error): (&str, &str, bool),
) -> Again {
    let key = format!("{metric},{filter}");
    let (mut k, mut all, mut above) = (0.0, 0.0, 0.0);
    for leaf in results.leaves(name) {
        if !results.numbers(leaf).iter().any(|number| number.key == key) {
            continue;
        }
        let task = tasks.iter().find(|task| task.name == leaf);
        let task = task.ok_or_else(|| format!("no samples of {leaf}"))?;
        let most = task.columns.iter().map(|column| column.given.len()).max();
        let n = most.unwrap_or(0) as f64;
        above += match (is_error, weighted) {
            (false, true) => n * value(results, task, metric, filter)?,
            (false, false) => value(results, task, metric, filter)?,
            (true, true) => (n - 1.0) * n * stderr(results, task, metric, filter)?.powi(2),
            (true, false) => stderr(results, task, metric, filter)?.powi(2),
        };
        k += 1.0;
        all += n;
    }
    match (is_error, weighted) {
        _ if k == 0.0 => Err("no samples".to_owned()),
        (false, true) => Ok(above / all),
        (false, false) => Ok(above / k),
        (true, true) => Ok((above / (all - k) / all).sqrt()),
        (true, false) => Ok(above.sqrt() / k),
    }
}
