//! A label per item, estimated from the votes as a whole.

use judica_stats::agreement::Ratings;
use judica_stats::dawid_skene::{Confusion, DawidSkene, EmOptions, dawid_skene};

use super::JudgesRequest;
use super::compare::accuracy;
use super::disagree::votes_of;
use super::items::Items;
use super::notes::on_too_few;
use super::report::{Aggregate, AggregatedItem, JudgeErrors, LabelCounts, Rates};
use super::votes::{LABELS, Votes, YES};

/// The judges' errors and the items' labels, and each item's again by itself; `None` without
/// votes.
pub(super) fn aggregate(
    votes: &Votes,
    judges: &Ratings,
    items: Option<&Items>,
    request: &JudgesRequest,
) -> Option<(Aggregate, Vec<Option<u32>>)> {
    let options = EmOptions {
        prior: request.prior,
        ..EmOptions::default()
    };
    let found = dawid_skene(judges, &options)?;
    let labels = found.posteriors().map(|posterior| decided(posterior?));
    let labels = labels.collect();
    let names = votes.raters.iter().zip(&found.confusion);
    let people = votes.raters.len() > votes.judges;
    let against_people = || {
        let labelled = found.posteriors().enumerate();
        let known = labelled.filter_map(|(at, p)| Some((at, decided(p?), votes.human(at)?)));
        let why_none = "no item with people's verdict";
        accuracy(votes, known, &request.bootstrap, why_none)
    };
    let mut notes: Vec<String> = on_too_few(votes).into_iter().collect();
    let (items_rated, cells) = (votes.items.len(), LABELS.len().pow(2));
    if items_rated < cells {
        notes.push(format!(
            "{items_rated} items are too few to estimate {cells} rates of each judge"
        ));
    }
    let estimate = Aggregate {
        method: "dawid-skene",
        prior: request.prior,
        priors: rates(&found.priors),
        judges: names
            .map(|(judge, errors)| judge_errors(judge, errors.as_ref()))
            .collect(),
        iterations: found.iterations,
        converged: found.converged,
        log_likelihood: found.log_likelihood,
        labels: count(&found),
        human: people.then(against_people),
        notes,
        items: items.map(|items| list(votes, items, &found)),
    };
    Some((estimate, labels))
}

fn rates(shares: &[f64]) -> Rates {
    Rates {
        no: shares[0],
        yes: shares[1],
    }
}

fn judge_errors(judge: &str, confusion: Option<&Confusion>) -> JudgeErrors {
    let row = |truth: usize| {
        let row = confusion?.rows[truth].as_ref()?;
        Some(rates(row))
    };
    JudgeErrors {
        judge: judge.to_owned(),
        n: confusion.map_or(0, |confusion| confusion.ratings),
        sensitivity: row(1).map(|rates| rates.yes),
        specificity: row(0).map(|rates| rates.no),
        confusion: [row(0), row(1)],
    }
}

/// The more probable label, if there is one.
fn decided(posterior: &[f64]) -> Option<u32> {
    (posterior[0] != posterior[1]).then_some(u32::from(posterior[1] > posterior[0]))
}

fn count(found: &DawidSkene) -> LabelCounts {
    let mut counts = LabelCounts::default();
    for posterior in found.posteriors().flatten() {
        match decided(posterior) {
            Some(YES) => counts.yes += 1,
            Some(_) => counts.no += 1,
            None => counts.even += 1,
        }
    }
    counts
}

fn list(votes: &Votes, items: &Items, found: &DawidSkene) -> Vec<AggregatedItem> {
    let posteriors = found.posteriors().enumerate();
    let item = |(at, posterior): (usize, Option<&[f64]>)| {
        let (key, posterior) = (items.key(votes.items[at]), posterior?);
        Some(AggregatedItem {
            source: key.source().to_owned(),
            id: key.id().map(str::to_owned),
            input: key.input().to_owned(),
            prediction: key.prediction().map(str::to_owned),
            yes_probability: posterior[YES as usize],
            label: decided(posterior).map(|vote| LABELS[vote as usize]),
            votes: votes_of(&votes.raters, votes.judges_row(at)),
        })
    };
    posteriors.filter_map(item).collect()
}
