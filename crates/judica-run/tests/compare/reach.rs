//! What tests cannot show is said, and nothing is promised of it.

use std::path::Path;

use judica_model::run::MetricSpec;
use judica_run::compare::report::Finding;
use judica_run::compare::{CompareRequest, compare};
use judica_run::plan::{Plan, PlanRequest, plan};

use crate::support::{Answer, metrics, write};
use crate::{request, row, two};

/// So many answers, right or not, about so long.
fn answers(n: usize, right: bool, length: f64) -> Vec<Answer> {
    let answer = |at: usize| {
        let length = length + (at * at % 7) as f64 / 10.0;
        Answer::new(format!("q{at:03}"), Some(right), Some(length))
    };
    (0..n).map(answer).collect()
}

/// Sides that are far apart everywhere, by no one amount.
fn apart(n: usize) -> [Vec<Answer>; 2] {
    let mut b = answers(n, true, 30.0);
    b.reverse();
    for (at, answer) in (0..n).rev().zip(&mut b) {
        answer.item = format!("q{at:03}");
        answer.length = answer.length.map(|length| length + at as f64 / 100.0);
    }
    [answers(n, false, 50.0), b]
}

/// The length under so many other names.
fn lengths(names: usize) -> Vec<MetricSpec> {
    let of = |at: usize| MetricSpec {
        name: format!("length_{at}"),
        ..metrics()[1].clone()
    };
    (0..names).map(of).collect()
}

#[test]
fn few_items_cannot_show_what_is_corrected_for_many() {
    let [a, b] = apart(7);
    let (_folder, first, second) = two(&[], &[]);
    for (path, answers) in [(&first, &a), (&second, &b)] {
        write(path, answers, [metrics(), lengths(3)].concat(), 9);
    }
    let asked = CompareRequest {
        difference: Some(20.0),
        metric: Some("length".to_owned()),
        ..request(&[&first, &second])
    };
    let report = compare(&asked).unwrap();
    // By itself it is shown: 2 of 2^7 is below 0.05, and not below 0.05 / 4.
    let found = row(&report, "length", None);
    assert_eq!(
        (found.verdict, found.p),
        (Finding::Better, Some(1.0 / 64.0))
    );
    assert!(found.smallest_detectable.is_some() && found.note.is_none());
    assert_eq!(found.items_needed, Some(1), "by its spread");
    let found = row(&report, "length_1", None);
    assert_eq!(found.p_adjusted, Some(4.0 / 64.0));
    assert!(found.verdict == Finding::NoDifference && found.borderline);
    let why = "only 7 clusters differ: fewer than 8 cannot reach p = 0.05, corrected for 4";
    assert_eq!(found.note.as_deref(), Some(why));
    // Seven items that are right or wrong do.
    let found = row(&report, "right", None);
    assert_eq!((found.verdict, &found.note), (Finding::Better, &None));
}

#[test]
fn draws_that_can_show_nothing_give_way_to_their_limit() {
    let [a, b] = apart(25);
    let (_folder, first, second) = two(&a, &b);
    let asked = |confidence: f64| CompareRequest {
        confidence,
        resamples: Some(1000),
        ..request(&[&first, &second])
    };
    let of = |confidence: f64| {
        let report = compare(&asked(confidence)).unwrap();
        row(&report, "length", None).clone()
    };
    let usual = of(0.95);
    assert_eq!(
        (usual.test, usual.p),
        (Some("cluster flip"), Some(1.0 / 20_001.0))
    );
    let strict = of(1.0 - 1e-5);
    assert_eq!(strict.test, Some("cluster flip, normal"));
    assert!(strict.p.unwrap() < 1e-5, "{strict:?}");
    assert_eq!(strict.verdict, Finding::Better);
    assert!(strict.smallest_detectable.is_some() && strict.note.is_none());
}

fn planned(runs: &[&Path], metric: &str) -> Plan {
    let request = PlanRequest {
        runs: runs.iter().map(|path| path.to_path_buf()).collect(),
        subjects: Vec::new(),
        metric: Some(metric.to_owned()),
        difference: 20.0,
        alpha: 0.05,
        power: 0.8,
        correlation: 0.0,
        threads: 2,
    };
    plan(&request).unwrap()
}

/// No fewer items than the test needs are ever said to show something, whoever is asked.
#[test]
fn a_plan_asks_for_no_fewer_items_than_the_test_needs() {
    let [a, b] = apart(3);
    let (_folder, first, second) = two(&a, &b);
    for metric in ["length", "right"] {
        let asked = CompareRequest {
            difference: Some(20.0),
            metric: Some(metric.to_owned()),
            ..request(&[&first, &second])
        };
        let report = compare(&asked).unwrap();
        let found = row(&report, metric, None);
        let told = planned(&[&first, &second], metric);
        assert_eq!(told.smallest_detectable, None);
        if metric == "length" {
            assert_eq!(told.items_needed, Some(6));
            assert_eq!(found.items_needed, Some(1), "by its spread");
            let shown = format!("{:?}", judica_run::compare::tables::tables(&report));
            assert!(shown.contains("takes 6 items"), "{shown}");
            assert!(!shown.contains("would have been seen"), "{shown}");
            assert_eq!(
                told.smallest_detectable_undefined.as_deref(),
                Some("only 3 clusters differ: fewer than 6 cannot reach p = 0.05")
            );
            let shown = judica_run::plan::tables(&told)[0].clone();
            assert!(format!("{shown:?}").contains("they would show nothing: only 3"));
        }
    }
    // Of one run the same is known before there is another.
    let told = planned(&[&first], "length");
    assert_eq!(
        (told.smallest_detectable, told.items_needed),
        (None, Some(6))
    );
    assert_eq!(
        told.smallest_detectable_undefined.as_deref(),
        Some("even if all do, only 3 clusters differ: fewer than 6 cannot reach p = 0.05")
    );
}
