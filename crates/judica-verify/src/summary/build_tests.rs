//! A summary by hand.

use serde_json::{Value, json};

use super::super::scores::log_tests::add;
use super::*;
use crate::samples::OfProtocol;
use crate::test_support::{Bench, good, key, output, sample};

/// Model `m` answers 45 deg latitude where the gold says 45, 95 and 145 (errors 0, 50
/// and 100), an empty object, and nothing to the last; model `n` fails at the provider.
fn summary() -> Summary {
    let gold = |id: &str, lat: f64| json!({"sample_id": id, "task_id": "S1", "gold": {"next_second": {key("lat"): lat}}});
    let samples = [
        gold("a", 45.0),
        gold("b", 95.0),
        gold("c", 145.0),
        sample("d", "S1"),
        sample("e", "M3"),
    ];
    let bench = Bench::flight(&samples);
    let answer = Value::Object(good("S1")).to_string();
    let lines = [
        output("m", "a", answer.clone()),
        output("n", "e", "HTTP error"),
        output("m", "b", answer.clone()),
        output("m", "c", answer),
        output("m", "d", "{}"),
        output("n", "a", "no idea"),
    ];
    let run = bench.run(&lines);
    let state = SummaryState::of(&bench.protocol, &bench.checks, &run.evaluated);
    let mut scores = ScoreLog::new(std::env::temp_dir());
    add(&mut scores, &run.evaluated).expect("added");
    let prior = Map::from_iter([("trust".to_owned(), json!(0.5))]);
    let parts = Parts {
        protocol: &bench.protocol,
        items: &OfProtocol {
            protocol: &bench.protocol,
            samples: &bench.samples,
        },
        models: run.batch.models.iter().map(|name| &**name).collect(),
        state: &state,
        scores: &scores,
        counts: Counts::default(),
        gold: GoldReport::default(),
        calibrate: "judica calibrate",
        priors: &BTreeMap::from([("m".to_owned(), prior), ("stranger".to_owned(), Map::new())]),
        threads: 2,
    };
    build(&parts).expect("built")
}

fn close(actual: Option<f64>, expected: f64) {
    assert!(
        actual.is_some_and(|actual| (actual - expected).abs() < 1e-9),
        "{actual:?} is not {expected}"
    );
}

#[test]
fn tasks_come_whole_and_by_model() {
    let summary = summary();
    let told: Vec<_> = summary
        .tasks
        .iter()
        .map(|task| {
            (
                task.task_id.as_str(),
                task.model_name.as_deref(),
                task.total,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("S1", None, 5),
            ("S1", Some("m"), 4),
            ("S1", Some("n"), 1),
            ("M3", None, 1),
            ("M3", Some("n"), 1)
        ]
    );
    let array = &summary.tasks[3];
    assert_eq!(
        (
            array.api_errors,
            array.parse_failures,
            array.eligible,
            array.ineligible
        ),
        (1, 0, 0, 1)
    );
    assert_eq!(
        (
            array.conditional_error.mean,
            array.conditional_error.undefined.is_some()
        ),
        (None, true)
    );
    // The response was no answer: the protocol family failed, the others have no atoms.
    assert_eq!(array.compliance_rate[0], ("protocol".to_owned(), Some(0.0)));
    assert_eq!(
        array.compliance_rate[1],
        ("numeric_validity".to_owned(), None)
    );
    assert!(
        array
            .tail_risk
            .exceedance_rates
            .iter()
            .all(|(_, rate)| rate.is_none())
    );
}

#[test]
fn the_errors_of_a_task_by_hand() {
    let summary = summary();
    let task = &summary.tasks[1];
    assert_eq!((task.total, task.eligible, task.ineligible), (4, 3, 1));
    // 3 · 19 of 4 · 19 keys; 57 of 57 + 19 atoms.
    assert_eq!(task.availability_rate, Some(75.0));
    assert_eq!(task.compliance_rate[1].1, Some(75.0));
    assert_eq!(
        task.constraint_satisfaction[1].1,
        Violations {
            total_violations: 19,
            critical: 19,
            warning: 0
        }
    );
    // Of 19 reasons five are told.
    assert_eq!(task.failure_modes[1], ("numeric_validity".to_owned(), 5));
    // One value compared: 0 gives 100; 50 gives 0.6 · 50 + 0.4 · 70 = 58; 100 gives
    // 0.6 · 30 + 0.4 · 50 = 38.
    let error = &task.conditional_error;
    assert_eq!(
        (error.count, error.min, error.max),
        (3, Some(38.0), Some(100.0))
    );
    close(error.mean, 196.0 / 3.0);
    close(error.median, 58.0);
    // Position 0.95 · 2 = 1.9: 58 + 0.9 · 42 = 95.8; of the MAEs 50 + 0.9 · 50 = 95.
    close(error.p95, 95.8);
    close(task.tail_risk.mae_p95, 95.0);
    let rates: Vec<(&str, f64)> = task
        .tail_risk
        .exceedance_rates
        .iter()
        .map(|(name, rate)| (name.as_str(), rate.unwrap_or(-1.0).round()))
        .collect();
    assert_eq!(
        rates,
        [("below_50", 33.0), ("below_70", 67.0), ("below_90", 67.0)]
    );
    let worst: Vec<&str> = task
        .tail_risk
        .worst_samples
        .iter()
        .map(|worst| worst.sample_id.as_str())
        .collect();
    assert_eq!(worst, ["c", "b", "a"]);
}

#[test]
fn profiles_stand_by_name_and_priors_only_there() {
    let summary = summary();
    let names: Vec<&str> = summary
        .models
        .iter()
        .map(|model| model.model_name.as_str())
        .collect();
    assert_eq!(names, ["m", "n"]);
    let unmatched = "no output is by a model that has a confidence: stranger";
    assert_eq!(summary.notes.last().map(String::as_str), Some(unmatched));
    let (m, n) = (&summary.models[0], &summary.models[1]);
    assert_eq!(
        (m.eligibility_rate, m.tail_risk.high_risk_samples),
        (Some(75.0), 1)
    );
    close(m.tail_risk.high_risk_rate, 100.0 / 3.0);
    assert_eq!(
        m.model_confidence_prior
            .as_ref()
            .and_then(|prior| prior.get("trust")),
        Some(&json!(0.5))
    );
    assert_eq!(
        (
            n.model_confidence_prior.is_none(),
            n.api_errors,
            n.parse_failures
        ),
        (true, 1, 1)
    );
    assert_eq!(
        (
            n.eligibility_rate,
            n.tail_risk.high_risk_rate,
            n.scores.total_score.mean
        ),
        (Some(0.0), None, None)
    );
    // A total is 0.2 · 100 + 0.3 · 100 + 0.5 · error: 100, 79, 69. The gated record stands
    // on a sample without gold, and so does one of the other model's.
    close(
        summary.leaderboard[0].mean_total,
        (100.0 + 79.0 + 69.0) / 3.0,
    );
    assert_eq!(summary.scored_samples, Some(3));
    assert_eq!((summary.leaderboard[0].n, summary.leaderboard[1].n), (3, 1));
    assert_eq!(m.scores.total_score.count, 3);
    assert_eq!(
        (
            summary.leaderboard[0].model_name.as_str(),
            summary.leaderboard[1].mean_total
        ),
        ("m", Some(0.0))
    );
}
