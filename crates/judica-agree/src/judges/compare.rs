//! The judges against people.

use judica_model::metric::MetricValue;
use judica_stats::agreement::MISSING;
use judica_stats::mcnemar::mcnemar;

use super::JudgesRequest;
use super::corrected::corrected;
use super::folder::HUMAN;
use super::human::Human;
use super::load::Loaded;
use super::report::{HumanComparison, JudgeAccuracy, PairTest, PersonSummary, VoteAccuracy};
use super::votes::{Votes, clusters, tally};
use crate::panel::{
    BootstrapOptions, Coefficients, PairAgreement, clustered_share, coefficients,
    pairwise as every_two, share,
};

/// Every two people are compared for at most so many.
const MOST_PEOPLE_IN_PAIRS: usize = 10;

/// An item, and what people say of it.
type Truth = (usize, u32);

/// Compares judges with people.
pub(super) fn compare(
    votes: &Votes,
    human: &Human,
    loaded: &Loaded,
    pairwise: &[PairAgreement],
    request: &JudgesRequest,
) -> HumanComparison {
    let options = &request.bootstrap;
    let items: Vec<Truth> = (0..votes.items.len())
        .filter_map(|at| Some((at, votes.human(at)?)))
        .collect();
    let judges = &votes.raters[..votes.judges];
    let accuracy = judges.iter().enumerate().map(|(column, judge)| {
        let given = items
            .iter()
            .map(|&(at, truth)| (at, votes.judges_row(at)[column], truth));
        let right = given.filter(|(_, vote, _)| *vote != MISSING);
        let right: Vec<(usize, bool)> =
            right.map(|(at, vote, truth)| (at, vote == truth)).collect();
        JudgeAccuracy {
            judge: judge.clone(),
            n: right.len() as u64,
            correct: right.iter().filter(|(_, right)| *right).count() as u64,
            accuracy: votes.rate(right.into_iter(), options, "no item with people's verdict"),
            kappa: kappa(judge, pairwise),
        }
    });
    // People may speak of items on which no judge's vote is used.
    let annotated: Vec<u32> = human.people.annotated().collect();
    let together = clusters(loaded, &annotated);
    let (agreement, people_pairwise) = among_people(votes, human, &together, request);
    HumanComparison {
        annotations: human.annotations,
        matched_items: human.people.items(),
        unmatched: human.unmatched,
        unmatched_left_out: human.left_out,
        refused_rows: human.refused,
        duplicates: human.duplicates,
        reference: request.human_reference.name(),
        no_reference: human.people.items() - items.len() as u64,
        people: people(votes, human, &together, options),
        agreement,
        pairwise: people_pairwise,
        accuracy: accuracy.collect(),
        majority_vote: vote(votes, &items, majority, options),
        unanimous_vote: vote(votes, &items, unanimous, options),
        pair_tests: pair_tests(votes, &items),
        corrected: corrected(votes, human, loaded, request),
    }
}

/// Each person.
fn people(
    votes: &Votes,
    human: &Human,
    clusters: &[u32],
    options: &BootstrapOptions,
) -> Vec<PersonSummary> {
    // Whether each said yes of an item, and whether that is the reference.
    let mut said = vec![(Vec::new(), Vec::new()); human.people.names.len()];
    for (item, &cluster) in human.people.annotated().zip(clusters) {
        let reference = human.verdict(item);
        for &(person, correct) in human.people.said(item) {
            let (yes, same) = &mut said[person as usize];
            yes.push((cluster, correct));
            same.extend(reference.map(|reference| (cluster, reference == correct)));
        }
    }
    let true_of = |of: &[(u32, bool)]| of.iter().filter(|(_, is)| *is).count() as u64;
    let rate = |of: Vec<(u32, bool)>, why_none: &str| match votes.alone {
        true => share(true_of(&of), of.len() as u64, options.confidence, why_none),
        false => clustered_share(of.into_iter(), options, why_none),
    };
    let names = human.people.names.iter().zip(said);
    let person = |(name, (yes, same)): (&String, (Vec<_>, Vec<_>))| PersonSummary {
        name: name.clone(),
        items: yes.len() as u64,
        yes: true_of(&yes),
        yes_rate: rate(yes, "no annotation that is used"),
        agrees: rate(same, "no item with a reference"),
    };
    names.map(person).collect()
}

/// How far people agree with each other; every two of them, if they are few.
fn among_people(
    votes: &Votes,
    human: &Human,
    clusters: &[u32],
    request: &JudgesRequest,
) -> (Coefficients, Vec<PairAgreement>) {
    let names = &human.people.names;
    let Some(said) = human.people.table() else {
        let why = format!("{} people are too many for a table", names.len());
        return (Coefficients::undefined(&why), Vec::new());
    };
    let panel = votes.panel_of(&said, names, clusters);
    let pairs = if names.len() <= MOST_PEOPLE_IN_PAIRS {
        every_two(&panel, &request.bootstrap)
    } else {
        Vec::new()
    };
    (coefficients(&panel, &request.bootstrap), pairs)
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
    votes: &Votes,
    items: &[Truth],
    decide: impl Fn(u64, u64) -> Option<u32>,
    options: &BootstrapOptions,
) -> VoteAccuracy {
    let decided = items.iter().filter_map(|&(at, truth)| {
        let (yes, no) = tally(votes.judges_row(at));
        (yes + no > 1).then(|| (at, decide(yes, no), truth))
    });
    let why_none = "no such vote on an item with people's verdict";
    accuracy(votes, decided, options, why_none)
}

/// How often votes are right; a vote that is `None` decides nothing.
pub(super) fn accuracy(
    votes: &Votes,
    decided: impl Iterator<Item = (usize, Option<u32>, u32)>,
    options: &BootstrapOptions,
    why_none: &str,
) -> VoteAccuracy {
    let (mut right, mut no_vote) = (Vec::new(), 0);
    for (at, vote, truth) in decided {
        match vote {
            Some(vote) => right.push((at, vote == truth)),
            None => no_vote += 1,
        }
    }
    VoteAccuracy {
        n: right.len() as u64,
        correct: right.iter().filter(|(_, right)| *right).count() as u64,
        accuracy: votes.rate(right.into_iter(), options, why_none),
        no_vote,
    }
}

fn pair_tests(votes: &Votes, items: &[Truth]) -> Vec<PairTest> {
    let judges = &votes.raters[..votes.judges];
    let pairs = (0..judges.len()).flat_map(|a| (a + 1..judges.len()).map(move |b| [a, b]));
    let test = |[a, b]: [usize; 2]| {
        let (mut n, mut first, mut second) = (0, 0, 0);
        for &(at, truth) in items {
            let row = votes.judges_row(at);
            if row[a] != MISSING && row[b] != MISSING {
                let outcome = (row[a] == truth, row[b] == truth);
                n += 1;
                first += u64::from(outcome == (true, false));
                second += u64::from(outcome == (false, true));
            }
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
