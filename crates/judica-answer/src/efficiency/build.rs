//! From facts to the report.

use std::path::Path;

use judica_data::error::{DataError, DataErrorKind};
use judica_data::prices::PriceList;
use judica_data::work_error::WorkError;
use judica_model::price::ModelPrice;

use super::accuracy::{AccuracyReport, AccuracySource};
use super::composite::{Better, CompositeReport, Terms, Weights, places};
use super::cost::cost;
use super::facts::{RunFacts, Tokens};
use super::notes;
use super::pareto::{Frontier, LeftOut, Point, frontier};
use super::ranking::Rankings;
use super::report::{
    EfficiencyReport, ModelReport, ParetoReport, RunFile, SCHEMA_VERSION, TokensReport,
};
use super::subject::{By, Subject, subjects};
use super::time::{latency, throughput};
use crate::normalize::common_name;

/// How a report is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// What is compared.
    pub by: By,
    /// How much the terms of the composite count.
    pub weights: Weights,
    /// Whose verdicts were taken, if any.
    pub judge: Option<String>,
    /// The files, and what was made of each.
    pub files: Vec<RunFile>,
    /// How many rows of the files cannot be used.
    pub rejects: u64,
    /// What a reader should know of the files; it goes before the report's own notes.
    pub notes: Vec<String>,
}

/// Compares runs, or models over all their runs. The only thing that can go wrong is a
/// model's name that stands for several prices.
pub fn report(
    facts: Vec<RunFacts>,
    prices: Option<&PriceList>,
    options: &Options,
) -> Result<EfficiencyReport, WorkError> {
    let records: u64 = facts.iter().map(|run| run.rows).sum();
    let subjects = subjects(options.by, facts);
    let mut models = Vec::with_capacity(subjects.len());
    for subject in &subjects {
        let price = match prices {
            None => Err("no prices were given".to_owned()),
            Some(list) => list
                .of(&subject.model)
                .map_err(bad_prices)?
                .ok_or_else(|| unlisted(subject, list)),
        };
        models.push(measured(subject, price));
    }
    compose(&mut models, &options.weights);
    let mut report = EfficiencyReport {
        schema_version: SCHEMA_VERSION,
        by: options.by,
        judge: options.judge.clone(),
        normalizer: {
            let mut named = options
                .files
                .iter()
                .filter_map(|file| file.normalizer)
                .peekable();
            named.peek().is_some().then(|| common_name(named))
        },
        weights: options.weights,
        inputs: records + options.rejects,
        records,
        rejects: options.rejects,
        rankings: Rankings::of(&models),
        pareto: ParetoReport {
            accuracy_cost: plane("avg_usd", &models, |model| {
                (model.cost.avg_usd, model.cost.undefined.as_deref())
            }),
            accuracy_latency: plane("latency_ms", &models, |model| {
                (model.latency_ms.mean, model.latency_ms.undefined.as_deref())
            }),
        },
        models,
        files: options.files.clone(),
        notes: Vec::new(),
    };
    report.notes = options.notes.clone();
    report
        .notes
        .extend(notes::notes(&report, &subjects, prices));
    Ok(report)
}

/// Reads a price file. What is wrong in it is the user's to mend.
pub fn open_prices(path: &Path) -> Result<PriceList, WorkError> {
    PriceList::open(path).map_err(bad_prices)
}

fn bad_prices(error: DataError) -> WorkError {
    match error.kind() {
        DataErrorKind::Malformed => WorkError::BadInput(error.to_string()),
        _ => WorkError::Data(error),
    }
}

fn unlisted(subject: &Subject, prices: &PriceList) -> String {
    let hint = match prices.nearest(&subject.model) {
        Some(name) => format!(" (did you mean `{name}`?)"),
        None => String::new(),
    };
    let file = prices.path().file_name().unwrap_or_default();
    format!("{} does not name `{}`{hint}", file.display(), subject.model)
}

fn measured(subject: &Subject, price: Result<&ModelPrice, String>) -> ModelReport {
    let share = AccuracyReport::of(subject.correct.clone());
    let accuracy = share.accuracy;
    let by_gold = share.accuracy_source == Some(AccuracySource::ExactMatch);
    let cost = cost(price, &subject.tokens, &subject.time, &subject.usd);
    let latency_ms = latency(&subject.latencies_ms);
    let seconds = latency_ms.mean.map(|milliseconds| milliseconds / 1000.0);
    let (per_dollar, no_dollar) = per(accuracy, cost.avg_usd, "no cost", "it costs nothing");
    let (per_second, no_second) = per(accuracy, seconds, "no latency", "it takes no time");
    ModelReport {
        model: subject.model.clone(),
        run: subject.run.clone(),
        runs: subject.runs.clone(),
        n: subject.rows,
        share,
        normalizer: by_gold.then_some(subject.normalizer),
        tokens: tokens(&subject.tokens),
        throughput: throughput(&subject.time, &subject.tokens),
        cost,
        latency_ms,
        accuracy_per_dollar: per_dollar,
        accuracy_per_dollar_undefined: no_dollar,
        accuracy_per_second: per_second,
        accuracy_per_second_undefined: no_second,
        composite: CompositeReport::default(),
    }
}

fn tokens(tokens: &Tokens) -> TokensReport {
    if tokens.rows == 0 {
        return TokensReport {
            undefined: Some("no row has tokens of both question and answer".to_owned()),
            ..TokensReport::default()
        };
    }
    TokensReport {
        n: tokens.rows,
        input: Some(tokens.input),
        output: Some(tokens.output),
        total: Some(tokens.total()),
        undefined: None,
    }
}

/// Accuracy for so much of something, or why there is none.
fn per(
    accuracy: Option<f64>,
    amount: Option<f64>,
    missing: &str,
    zero: &str,
) -> (Option<f64>, Option<String>) {
    let why = match (accuracy, amount) {
        (None, _) => "no accuracy",
        (_, None) => missing,
        (Some(accuracy), Some(amount)) => {
            let ratio = accuracy / amount;
            if amount > 0.0 && ratio.is_finite() {
                return (Some(ratio), None);
            }
            zero
        }
    };
    (None, Some(why.to_owned()))
}

fn compose(models: &mut [ModelReport], weights: &Weights) {
    let column = |value: fn(&ModelReport) -> Option<f64>, better| {
        let values: Vec<Option<f64>> = models.iter().map(value).collect();
        places(&values, better)
    };
    let accuracy = column(|model| model.share.accuracy, Better::Higher);
    let cost = column(|model| model.cost.avg_usd, Better::Lower);
    let latency = column(|model| model.latency_ms.mean, Better::Lower);
    for (at, model) in models.iter_mut().enumerate() {
        let terms = Terms {
            accuracy: accuracy[at],
            cost: cost[at],
            latency: latency[at],
        };
        let score = terms.score(weights);
        let why = || "no term that has a weight differs between the models".to_owned();
        model.composite = CompositeReport {
            score,
            score_undefined: score.is_none().then(why),
            terms,
        };
    }
}

fn plane<'a>(
    against: &'static str,
    models: &'a [ModelReport],
    value: impl Fn(&'a ModelReport) -> (Option<f64>, Option<&'a str>),
) -> Frontier {
    let (mut points, mut left_out) = (Vec::new(), Vec::new());
    for model in models {
        let name = model.label().to_owned();
        let why = match (model.share.accuracy, value(model)) {
            (Some(accuracy), (Some(value), _)) => {
                points.push(Point {
                    model: name,
                    accuracy,
                    value,
                });
                continue;
            }
            (None, _) => model.share.accuracy_undefined.clone().unwrap_or_default(),
            (_, (_, why)) => why.unwrap_or_default().to_owned(),
        };
        left_out.push(LeftOut { model: name, why });
    }
    frontier(against, points, left_out)
}
