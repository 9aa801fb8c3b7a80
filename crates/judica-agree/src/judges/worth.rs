//! How many independent judges the panel is worth.

use judica_model::metric::MetricValue;
use judica_stats::agreement::{MISSING, Ratings};
use judica_stats::effective_raters::{
    EffectiveRaters, NotMeasurable, WorthInterval, against_panel, against_truth,
    interval_against_panel, interval_against_truth,
};

use super::JudgesRequest;
use super::report::EffectiveJudges;
use super::votes::Votes;
use super::words::with;

/// By people's verdicts if there are any that show errors, else by the judges' own votes;
/// with what a reader should know.
pub(super) fn effective(
    votes: &Votes,
    judges: &Ratings,
    request: &JudgesRequest,
) -> (EffectiveJudges, Option<String>) {
    let common = request.min_common;
    let intervals = request.bootstrap.intervals();
    let clusters = votes.together();
    let truth: Vec<u32> = (0..votes.items.len())
        .map(|at| votes.human(at).unwrap_or(MISSING))
        .collect();
    let by_people = if votes.raters.len() > votes.judges {
        match against_truth(judges, &truth, common) {
            Ok(found) => {
                let ci = interval_against_truth(judges, &truth, clusters, common, &intervals);
                return (worth(found, ci, votes, request), None);
            }
            Err(why) => Some(format!(
                "effective_judges is by the judges' own votes: against people, {}",
                reason(why, "judges of items that people judged too")
            )),
        }
    } else {
        None
    };
    match against_panel(judges, common) {
        Ok(found) => {
            let ci = interval_against_panel(judges, clusters, common, &intervals);
            let note = "effective_judges is experimental and an upper estimate: votes alone \
                        cannot tell an error that all judges share from the truth";
            let note = by_people.map_or_else(|| note.to_owned(), |why| format!("{why}; {note}"));
            (worth(found, ci, votes, request), Some(note))
        }
        Err(why) => (unknown(why, judges, request), by_people),
    }
}

fn worth(
    found: EffectiveRaters,
    interval: WorthInterval,
    votes: &Votes,
    request: &JudgesRequest,
) -> EffectiveJudges {
    let names = |voice: &Vec<usize>| voice.iter().map(|&j| votes.raters[j].clone()).collect();
    let by_panel = found.at_least.is_some();
    let value = MetricValue::new(found.value, found.items);
    let value = match interval {
        WorthInterval::Found {
            interval,
            resamples,
        } => {
            let value = value.with_ci([interval.lo, interval.hi]);
            match request.bootstrap.resamples {
                all if all == resamples => value,
                all => value.with_note(format!("{resamples} of {all} resamples were used")),
            }
        }
        WorthInterval::NoVariation => {
            value.without_ci(format!("no variation among {} items", found.items))
        }
        WorthInterval::Undefined => value.without_ci("undefined in most resamples"),
        WorthInterval::TooLarge => value.without_ci("too many judges and items"),
        WorthInterval::NotAsked => value.without_ci("no resamples were asked for"),
    };
    EffectiveJudges {
        value,
        basis: if by_panel { "panel" } else { "human" },
        experimental: by_panel,
        judges: found.raters as u64,
        min_common: request.min_common,
        pairs: pairs(found.raters as u64),
        known_pairs: found.known_pairs as u64,
        at_least: found.at_least,
        mean_error_correlation: Some(found.mean_correlation),
        voices: found.voices.iter().map(names).collect(),
        error_correlation: found.correlations,
    }
}

fn pairs(judges: u64) -> u64 {
    judges * judges.saturating_sub(1) / 2
}

/// Why there is no number; `who` it is of whom there may be too few.
fn reason(why: NotMeasurable, who: &str) -> String {
    match why {
        NotMeasurable::FewRaters { raters, needed } => format!(
            "{needed} {who} are needed, and there {} {raters}",
            with(raters as u64, "is", "are")
        ),
        NotMeasurable::FewPairs {
            known,
            pairs,
            min_common,
        } => format!(
            "of {pairs} {} of judges {known} {} known, and half of them are needed: a pair must \
             share {min_common} items (--min-common) on which both vary",
            with(pairs as u64, "pair", "pairs"),
            with(known as u64, "is", "are")
        ),
        other => other.to_string(),
    }
}

fn unknown(why: NotMeasurable, judges: &Ratings, request: &JudgesRequest) -> EffectiveJudges {
    let speaking = crate::panel::speakers(judges);
    let speaking = speaking.iter().filter(|speaks| **speaks).count() as u64;
    EffectiveJudges {
        value: MetricValue::undefined(reason(why, "judges with usable verdicts")),
        basis: "panel",
        experimental: true,
        judges: speaking,
        min_common: request.min_common,
        pairs: pairs(speaking),
        known_pairs: match why {
            NotMeasurable::FewPairs { known, .. } => known as u64,
            _ => 0,
        },
        at_least: match why {
            NotMeasurable::CloseToOne { at_least } => Some(at_least),
            _ => None,
        },
        mean_error_correlation: None,
        error_correlation: Vec::new(),
        voices: Vec::new(),
    }
}
