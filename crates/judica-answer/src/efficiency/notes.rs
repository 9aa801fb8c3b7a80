//! What a reader of the report should know.

use judica_data::prices::PriceList;

use super::accuracy::AccuracySource;
use super::cost::CostSource;
use super::report::{EfficiencyReport, ModelReport};
use super::subject::Subject;

/// The notes, those on single models first; what goes for several is said once.
pub(super) fn notes(
    report: &EfficiencyReport,
    subjects: &[Subject],
    prices: Option<&PriceList>,
) -> Vec<String> {
    let mut by_note: Vec<(String, Vec<String>)> = Vec::new();
    for (model, subject) in report.models.iter().zip(subjects) {
        let name = format!("`{}`", model.label());
        for note in of_model(model, subject) {
            match by_note.iter_mut().find(|(same, _)| *same == note) {
                Some((_, names)) => names.push(name.clone()),
                None => by_note.push((note, vec![name.clone()])),
            }
        }
    }
    let named = |(note, names): (String, Vec<String>)| format!("{}: {note}", names.join(", "));
    let mut notes: Vec<String> = by_note.into_iter().map(named).collect();
    notes.extend(of_all(&report.models));
    notes.extend(prices.into_iter().flat_map(PriceList::notes).cloned());
    notes
}

fn of_model(model: &ModelReport, subject: &Subject) -> impl Iterator<Item = String> {
    let share = &model.share;
    let accuracy =
        share.accuracy_undefined.as_ref().map(|why| {
            let between = share.accuracy_bounds.map_or(String::new(), |[least, most]| {
            format!("; it lies between {least:.3} and {most:.3}, and judging again asks for them")
        });
            format!("no accuracy, so in no ranking that needs it: {why}{between}")
        });
    let mixed = (share.accuracy_source == Some(AccuracySource::ExactMatch)
        && subject.judged_runs > 0)
        .then(|| {
            format!(
                "judged are {} of {} runs only, so exact match decides for all of them",
                subject.judged_runs,
                subject.runs.len()
            )
        });
    let unmatched = share
        .accuracy_unmatched
        .filter(|rows| *rows > 0)
        .map(|rows| {
            let without = share.accuracy_without_unmatched.flatten();
            let without = without.map_or("n/a".to_owned(), |share| format!("{share:.3}"));
            format!(
                "rows without gold or prediction count as they were judged ({rows} of them); \
                 without them the accuracy is {without}"
            )
        });
    let cost = model
        .cost
        .undefined
        .as_ref()
        .map(|why| format!("no cost, so not in `cheapest` and `accuracy_per_dollar`: {why}"));
    let partial_cost = (model.cost.n > 0 && model.cost.n < model.n).then(|| {
        let lacking = match model.cost.source {
            Some(CostSource::GpuHour) => "latency",
            Some(CostSource::Stated) => "`usd`",
            _ => "tokens",
        };
        format!(
            "the cost is that of {} of {} rows; the others have no {lacking}",
            model.cost.n, model.n
        )
    });
    let free = (model.cost.avg_usd == Some(0.0))
        .then(|| "costs nothing, so not in `accuracy_per_dollar`".to_owned());
    let both = model.cost.prices.filter(|price| {
        let per_token = price.price_input_per_1k.or(price.price_output_per_1k);
        price.gpu_hour_usd.is_some() && per_token.is_some()
    });
    let both = both.and(model.cost.source).map(|source| match source {
        CostSource::GpuHour => "has prices per token and per GPU hour; the hour counts",
        CostSource::Tokens => {
            "has prices per token and per GPU hour; the tokens count, as no time was measured"
        }
        CostSource::Stated => {
            "has prices per token and per GPU hour; what rows say counts, as neither was measured"
        }
    });
    let latency = model
        .latency_ms
        .undefined
        .as_ref()
        .map(|why| format!("no latency, so not in `fastest` and `accuracy_per_second`: {why}"));
    let partial_latency = (model.latency_ms.n > 0 && model.latency_ms.n < model.n).then(|| {
        format!(
            "latency is known of {} of {} rows",
            model.latency_ms.n, model.n
        )
    });
    let notes = [
        accuracy,
        mixed,
        unmatched,
        cost,
        partial_cost,
        free,
        both.map(str::to_owned),
        latency,
        partial_latency,
    ];
    notes.into_iter().flatten()
}

fn of_all(models: &[ModelReport]) -> Vec<String> {
    let mut notes = Vec::new();
    let source = |source| {
        models
            .iter()
            .any(|model| model.share.accuracy_source == Some(source))
    };
    let sources = [
        AccuracySource::Judge,
        AccuracySource::ExactMatch,
        AccuracySource::Metric,
    ];
    let mut metrics: Vec<_> = models
        .iter()
        .filter_map(|model| model.share.accuracy_metric.as_ref())
        .collect();
    metrics.sort_unstable();
    metrics.dedup();
    if metrics.len() > 1
        || metrics.len() == 1 && sources.into_iter().filter(|s| source(*s)).count() > 1
    {
        notes.push(
            "the models are measured by different metrics; their accuracies do not mean the same"
                .to_owned(),
        );
    }
    if source(AccuracySource::Judge) && source(AccuracySource::ExactMatch) {
        notes.push(
            "some models were judged and some only compared with the gold; their accuracies \
             do not mean the same"
                .to_owned(),
        );
    }
    if models.iter().any(|model| model.n != models[0].n) {
        notes.push(
            "the models have different numbers of rows; compare costs per row, not totals"
                .to_owned(),
        );
    }
    type Term = fn(&ModelReport) -> (Option<f64>, Option<f64>);
    let terms: [(&str, Term); 3] = [
        ("accuracy", |model| {
            (model.share.accuracy, model.composite.terms.accuracy)
        }),
        ("cost", |model| {
            (model.cost.avg_usd, model.composite.terms.cost)
        }),
        ("latency", |model| {
            (model.latency_ms.mean, model.composite.terms.latency)
        }),
    ];
    let mut uneven = false;
    for (name, term) in terms {
        let known = models
            .iter()
            .filter(|model| term(model).0.is_some())
            .count();
        let placed = models
            .iter()
            .filter(|model| term(model).1.is_some())
            .count();
        if known > 0 && placed == 0 {
            let why = match known {
                1 => "only one model has it",
                _ => "it is the same for all models",
            };
            notes.push(format!("{name} is no part of the composite: {why}"));
        }
        uneven |= placed > 0 && placed < models.len();
    }
    if uneven {
        notes.push(
            "the composite of a model that lacks a term is made of the others, with their \
             weights scaled up; compare it with care"
                .to_owned(),
        );
    }
    notes
}
