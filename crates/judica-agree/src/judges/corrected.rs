//! How often answers are right: by each judge, and corrected for the judge's own errors as
//! people's verdicts show them.

use judica_model::metric::MetricValue;
use judica_stats::agreement::MISSING;
use judica_stats::clusters::NoInterval;
use judica_stats::judged_rate::{
    Confusion, Corrected, FEWEST_LABELS, Labelled, Unlabelled, prediction_powered, rogan_gladen,
};

use super::human::Human;
use super::judge::Judge;
use super::load::Loaded;
use super::report::{CorrectedRates, JudgedRate};
use super::votes::{Votes, YES};
use super::{HumanReference, JudgesRequest};
use crate::panel::BootstrapOptions;

const ASSUMED: &str = "people labelled a random part of the items";

/// The rates of all judges.
pub(super) fn corrected(
    votes: &Votes,
    human: &Human,
    loaded: &Loaded,
    request: &JudgesRequest,
) -> CorrectedRates {
    let verdicts = (0..votes.items.len()).filter(|&at| votes.human(at).is_some());
    let without = human.people.items().saturating_sub(verdicts.count() as u64);
    // Items were chosen by what people said of them.
    let selected = (request.human_reference == HumanReference::Unanimous && without > 0)
        .then_some("labels are of items on which people are of one mind, no random part");
    // The same of every judge, whatever it declined.
    let labels = (0..votes.items.len()).filter_map(|at| Some((at, votes.human(at)? == YES)));
    let why_none = "no item with people's verdict";
    let labels_alone = votes.rate(labels, &request.bootstrap, why_none);
    let judges = loaded.judges.iter().enumerate();
    CorrectedRates {
        assumes: match without {
            0 => ASSUMED.to_owned(),
            n => format!("{ASSUMED}, and the {n} without a reference are like the others"),
        },
        judges: judges
            .map(|judge| rate(votes, judge, labels_alone.clone(), selected, request))
            .collect(),
    }
}

fn rate(
    votes: &Votes,
    (column, judge): (usize, &Judge),
    labels_alone: MetricValue,
    selected: Option<&str>,
    request: &JudgesRequest,
) -> JudgedRate {
    let options = &request.bootstrap;
    let (mut labelled, mut unlabelled) = (Vec::new(), Vec::new());
    let mut judged = Vec::new();
    let mut confusion = Confusion {
        yes: 0,
        yes_yes: 0,
        no: 0,
        no_no: 0,
    };
    for (at, item) in votes.items.iter().enumerate() {
        let vote = votes.judges_row(at)[column];
        // What stands in for a reply that nobody could read is no verdict.
        if vote == MISSING || judge.stand_ins.contains(item) {
            continue;
        }
        let (said, cluster) = (vote == YES, votes.clusters[at]);
        let number = |yes: bool| f64::from(u8::from(yes));
        judged.push((at, said));
        let Some(truth) = votes.human(at).map(|truth| truth == YES) else {
            let judged = number(said);
            unlabelled.push(Unlabelled { judged, cluster });
            continue;
        };
        labelled.push(Labelled {
            label: number(truth),
            judged: number(said),
            cluster,
        });
        confusion.yes += u64::from(truth);
        confusion.yes_yes += u64::from(truth && said);
        confusion.no += u64::from(!truth);
        confusion.no_no += u64::from(!truth && !said);
    }
    let n = judged.len() as u64;
    let yes = judged.iter().filter(|(_, yes)| *yes).count() as u64;
    let missing = judge.missing();
    let asked = (n + missing) as f64;
    let labels = labelled.len();
    let too_few = || format!("{labels} labels, and {FEWEST_LABELS} are needed: see `labels_alone`");
    let powered = match selected {
        Some(why) => Err(why.to_owned()),
        None if labels < FEWEST_LABELS => Err(too_few()),
        None if unlabelled.is_empty() => {
            Err("people labelled everything it judged: see `labels_alone`".to_owned())
        }
        None => {
            let clusters = votes.items.len();
            prediction_powered(&labelled, &unlabelled, clusters, options.confidence)
                .ok_or_else(|| "its errors do not vary: see `labels_alone`".to_owned())
        }
    };
    let gladen = match selected {
        Some(why) => Err(why.to_owned()),
        None => rogan_gladen(yes, n, confusion, options.confidence).ok_or_else(|| {
            if confusion.yes == 0 || confusion.no == 0 {
                "people never said one of yes and no".to_owned()
            } else {
                "the judge is no better than chance".to_owned()
            }
        }),
    };
    // What keeps labels from saying how sure the one is keeps them from it for the other.
    let unsure = match &powered {
        Err(why) => Some(why.clone()),
        Ok(found) if found.interval.is_none() => Some(NoInterval::OneCluster.to_string()),
        Ok(_) => None,
    };
    let beyond = gladen.as_ref().ok().and_then(beyond);
    JudgedRate {
        judge: judge.name.clone(),
        labels: labels as u64,
        rate: votes.rate(judged.into_iter(), options, "no verdict that could be read"),
        missing,
        bounds: (asked > 0.0).then(|| [yes, yes + missing].map(|yes| yes as f64 / asked)),
        lambda: powered.as_ref().ok().map(|found| found.lambda),
        prediction_powered: value(powered, n, unsure.clone(), options),
        rogan_gladen: value(gladen, n, unsure.or(beyond), options),
        labels_alone,
    }
}

/// Why no interval of a rate by Rogan and Gladen is left, if none is.
fn beyond(found: &Corrected) -> Option<String> {
    let way = if found.value == 0.0 { "less" } else { "more" };
    let why = format!(
        "the judge says yes {way} often than its errors on the labels allow: they are not those \
         of a random part"
    );
    found.interval.is_none().then_some(why)
}

/// A corrected rate with its interval, unless that has a reason not to be there.
fn value(
    found: Result<Corrected, String>,
    n: u64,
    no_interval: Option<String>,
    options: &BootstrapOptions,
) -> MetricValue {
    let found = match found {
        Ok(found) => found,
        Err(why) => return MetricValue::undefined(why),
    };
    let value = MetricValue::new(found.value, n);
    let confident = options.confidence > 0.0 && options.confidence < 1.0;
    match (no_interval, found.interval) {
        (Some(why), _) => value.without_ci(why),
        (None, Some(interval)) if confident => value
            .with_spread(None, found.se, None)
            .with_ci(interval.ends()),
        (None, _) => value.without_ci("the confidence is not between 0 and 1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// People say that it misses three in ten, and it says yes to 28 of 30, or to none.
    #[test]
    fn what_errors_do_not_explain_has_no_interval() {
        let shy = Confusion {
            yes: 100,
            yes_yes: 70,
            no: 100,
            no_no: 100,
        };
        let bold = Confusion { no_no: 70, ..shy };
        let why = |yes, confusion| {
            let found = rogan_gladen(yes, 3000, confusion, 0.95);
            found.as_ref().and_then(beyond)
        };
        assert_eq!(why(2200, shy), None);
        for (found, way) in [(why(2800, shy), "more"), (why(0, bold), "less")] {
            assert_eq!(
                found.unwrap(),
                format!(
                    "the judge says yes {way} often than its errors on the labels allow: they \
                     are not those of a random part"
                )
            );
        }
    }
}
