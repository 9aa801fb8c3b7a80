//! The judges against people.

use judica_model::metric::MetricValue;
use judica_stats::agreement::MISSING;
use judica_stats::mcnemar::mcnemar;
use judica_stats::wilson_interval;

use super::JudgesRequest;
use super::folder::HUMAN;
use super::human::Human;
use super::report::{HumanComparison, JudgeAccuracy, PairTest, PersonSummary, VoteAccuracy};
use super::votes::{Votes, tally};
use crate::panel::{Coefficients, PairAgreement, coefficients, pairwise as every_two};

/// Every two people are compared for at most so many.
const MOST_PEOPLE_IN_PAIRS: usize = 10;

/// Compares judges with people.
pub(super) fn compare(
    votes: &Votes,
    human: &Human,
    pairwise: &[PairAgreement],
    request: &JudgesRequest,
) -> HumanComparison {
    let confidence = request.bootstrap.confidence;
    let items: Vec<(&[u32], u32)> = (0..votes.items.len())
        .filter_map(|at| Some((votes.judges_row(at), votes.human(at)?)))
        .collect();
    let judges = &votes.raters[..votes.judges];
    let accuracy = judges.iter().enumerate().map(|(column, judge)| {
        let given = items.iter().filter(|(row, _)| row[column] != MISSING);
        let right = given.clone().filter(|(row, truth)| row[column] == *truth);
        let (n, correct) = (given.count() as u64, right.count() as u64);
        JudgeAccuracy {
            judge: judge.clone(),
            n,
            correct,
            accuracy: share(correct, n, confidence, "no item with people's verdict"),
            kappa: kappa(judge, pairwise),
        }
    });
    let (agreement, people_pairwise) = among_people(votes, human, request);
    HumanComparison {
        annotations: human.annotations,
        matched_items: human.people.items(),
        unmatched: human.unmatched,
        unmatched_left_out: human.left_out,
        refused_rows: human.refused,
        duplicates: human.duplicates,
        reference: request.human_reference.name(),
        no_reference: human.people.items() - items.len() as u64,
        people: people(human, confidence),
        agreement,
        pairwise: people_pairwise,
        accuracy: accuracy.collect(),
        majority_vote: vote(&items, majority, confidence),
        unanimous_vote: vote(&items, unanimous, confidence),
        pair_tests: pair_tests(judges, &items),
    }
}

/// Each person.
fn people(human: &Human, confidence: f64) -> Vec<PersonSummary> {
    let mut counts = vec![(0, 0, 0, 0); human.people.names.len()];
    for item in 0..human.people.len() as u32 {
        let reference = human.verdict(item);
        for &(person, correct) in human.people.said(item) {
            let (items, yes, compared, same) = &mut counts[person as usize];
            *items += 1;
            *yes += u64::from(correct);
            *compared += u64::from(reference.is_some());
            *same += u64::from(reference == Some(correct));
        }
    }
    let names = human.people.names.iter().zip(counts);
    let person = |(name, (items, yes, compared, same)): (&String, _)| PersonSummary {
        name: name.clone(),
        items,
        yes,
        yes_rate: share(yes, items, confidence, "no annotation that is used"),
        agrees: share(same, compared, confidence, "no item with a reference"),
    };
    names.map(person).collect()
}

/// How far people agree with each other; every two of them, if they are few.
fn among_people(
    votes: &Votes,
    human: &Human,
    request: &JudgesRequest,
) -> (Coefficients, Vec<PairAgreement>) {
    let names = &human.people.names;
    let Some(said) = human.people.table() else {
        let why = format!("{} people are too many for a table", names.len());
        return (Coefficients::undefined(&why), Vec::new());
    };
    let panel = votes.panel_of(&said, names);
    let pairs = if names.len() <= MOST_PEOPLE_IN_PAIRS {
        every_two(&panel, &request.bootstrap)
    } else {
        Vec::new()
    };
    (coefficients(&panel, &request.bootstrap), pairs)
}

/// A share with its Wilson interval.
pub(super) fn share(part: u64, n: u64, confidence: f64, why_none: &str) -> MetricValue {
    if n == 0 {
        return MetricValue::undefined(why_none);
    }
    let value = MetricValue::new(part as f64 / n as f64, n);
    match wilson_interval(part, n, confidence) {
        Some(interval) => value.with_ci([interval.lo, interval.hi]),
        None => value,
    }
}

fn kappa(judge: &str, pairwise: &[PairAgreement]) -> MetricValue {
    let with_people = |pair: &&PairAgreement| pair.raters == [judge, HUMAN];
    let pair = pairwise.iter().find(with_people);
    pair.map_or_else(
        || MetricValue::undefined("no item was rated by both raters"),
        |pair| pair.cohen_kappa.clone(),
    )
}

/// What most say; nothing where they are even.
fn majority(yes: u64, no: u64) -> Option<u32> {
    (yes != no).then_some(u32::from(yes > no))
}

/// What all say; nothing where they are of several minds.
fn unanimous(yes: u64, no: u64) -> Option<u32> {
    (yes == 0 || no == 0).then_some(u32::from(no == 0))
}

fn vote(
    items: &[(&[u32], u32)],
    decide: impl Fn(u64, u64) -> Option<u32>,
    confidence: f64,
) -> VoteAccuracy {
    let votes = items.iter().filter_map(|(row, truth)| {
        let (yes, no) = tally(row);
        (yes + no > 1).then(|| (decide(yes, no), *truth))
    });
    accuracy(
        votes,
        confidence,
        "no such vote on an item with people's verdict",
    )
}

/// How often votes are right; a vote that is `None` decides nothing.
pub(super) fn accuracy(
    votes: impl Iterator<Item = (Option<u32>, u32)>,
    confidence: f64,
    why_none: &str,
) -> VoteAccuracy {
    let (mut n, mut correct, mut no_vote) = (0, 0, 0);
    for (vote, truth) in votes {
        n += u64::from(vote.is_some());
        no_vote += u64::from(vote.is_none());
        correct += u64::from(vote == Some(truth));
    }
    VoteAccuracy {
        n,
        correct,
        accuracy: share(correct, n, confidence, why_none),
        no_vote,
    }
}

fn pair_tests(judges: &[String], items: &[(&[u32], u32)]) -> Vec<PairTest> {
    let pairs = (0..judges.len()).flat_map(|a| (a + 1..judges.len()).map(move |b| [a, b]));
    let test = |[a, b]: [usize; 2]| {
        let both = items
            .iter()
            .filter(|(row, _)| row[a] != MISSING && row[b] != MISSING);
        let right = both.map(|(row, truth)| (row[a] == *truth, row[b] == *truth));
        let (mut n, mut first, mut second) = (0, 0, 0);
        for outcome in right {
            n += 1;
            first += u64::from(outcome == (true, false));
            second += u64::from(outcome == (false, true));
        }
        let found = mcnemar(first, second);
        PairTest {
            judges: [judges[a].clone(), judges[b].clone()],
            n,
            only_first_correct: first,
            only_second_correct: second,
            statistic: found.map(|test| test.statistic),
            p_asymptotic: found.map(|test| test.p_asymptotic),
            p_exact: found.map(|test| test.p_exact),
            p_mid: found.map(|test| test.p_mid),
            undefined: found.is_none().then_some(if n == 0 {
                "no item that both judges and people have a verdict on"
            } else {
                "both judges are right on the same items"
            }),
        }
    };
    pairs.map(test).collect()
}
