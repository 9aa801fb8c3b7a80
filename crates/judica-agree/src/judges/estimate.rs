//! What follows from the votes as a whole: the panel's worth, and a label per item.

use judica_model::metric::MetricValue;
use judica_stats::agreement::{MISSING, Ratings};
use judica_stats::dawid_skene::{Confusion, DawidSkene, EmOptions, dawid_skene};
use judica_stats::effective_raters::{
    EffectiveRaters, NotMeasurable, against_panel, against_truth,
};

use super::compare::accuracy;
use super::disagree::votes_of;
use super::items::Items;
use super::notes::on_too_few;
use super::report::{Aggregate, AggregatedItem, EffectiveJudges, JudgeErrors, LabelCounts, Rates};
use super::votes::{LABELS, Votes, YES};
use super::words::with;

/// How many independent judges the panel is worth: by people's verdicts if there are any
/// that show errors, else by the judges' own votes; with what a reader should know.
pub(super) fn effective(votes: &Votes, judges: &Ratings) -> (EffectiveJudges, Option<String>) {
    let truth: Vec<u32> = (0..votes.items.len())
        .map(|at| votes.human(at).unwrap_or(MISSING))
        .collect();
    let by_people = if votes.raters.len() > votes.judges {
        match against_truth(judges, &truth) {
            Ok(found) => return (worth(found, votes, "human"), None),
            Err(why) => Some(format!(
                "effective_judges is by the judges' own votes: against people, {}",
                reason(why, "judges of items that people judged too")
            )),
        }
    } else {
        None
    };
    match against_panel(judges) {
        Ok(found) => {
            let note = "effective_judges is an upper estimate: votes alone cannot tell an error \
                        that all judges share from the truth";
            let note = by_people.unwrap_or_else(|| note.to_owned());
            (worth(found, votes, "panel"), Some(note))
        }
        Err(why) => (unknown(why, judges), by_people),
    }
}

fn worth(found: EffectiveRaters, votes: &Votes, basis: &'static str) -> EffectiveJudges {
    let names = |voice: &Vec<usize>| voice.iter().map(|&j| votes.raters[j].clone()).collect();
    EffectiveJudges {
        value: MetricValue::new(found.value, found.items),
        basis,
        judges: found.raters as u64,
        at_least: found.at_least,
        mean_error_correlation: found.mean_correlation,
        voices: found.voices.iter().map(names).collect(),
        error_correlation: found.correlations,
    }
}

/// Why there is no number; `who` it is of whom there may be too few.
fn reason(why: NotMeasurable, who: &str) -> String {
    match why {
        NotMeasurable::FewRaters { raters, needed } => format!(
            "{needed} {who} are needed, and there {} {raters}",
            with(raters as u64, "is", "are")
        ),
        other => other.to_string(),
    }
}

fn unknown(why: NotMeasurable, judges: &Ratings) -> EffectiveJudges {
    let speaking = crate::panel::speakers(judges);
    EffectiveJudges {
        value: MetricValue::undefined(reason(why, "judges with usable verdicts")),
        basis: "panel",
        judges: speaking.iter().filter(|speaks| **speaks).count() as u64,
        at_least: match why {
            NotMeasurable::CloseToOne { at_least } => Some(at_least),
            _ => None,
        },
        mean_error_correlation: None,
        error_correlation: Vec::new(),
        voices: Vec::new(),
    }
}

/// The judges' errors and the items' labels; `None` without votes.
pub(super) fn aggregate(
    votes: &Votes,
    judges: &Ratings,
    items: Option<&Items>,
    confidence: f64,
) -> Option<Aggregate> {
    let found = dawid_skene(judges, &EmOptions::default())?;
    let names = votes.raters.iter().zip(&found.confusion);
    let people = votes.raters.len() > votes.judges;
    let against_people = || {
        let labelled = found.posteriors().enumerate();
        let known = labelled.filter_map(|(at, p)| Some((decided(p?), votes.human(at)?)));
        accuracy(known, confidence, "no item with people's verdict")
    };
    Some(Aggregate {
        method: "dawid-skene",
        priors: rates(&found.priors),
        judges: names
            .map(|(judge, errors)| judge_errors(judge, errors.as_ref()))
            .collect(),
        iterations: found.iterations,
        converged: found.converged,
        log_likelihood: found.log_likelihood,
        labels: count(&found),
        human: people.then(against_people),
        notes: on_too_few(votes).into_iter().collect(),
        items: items.map(|items| list(votes, items, &found)),
    })
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
