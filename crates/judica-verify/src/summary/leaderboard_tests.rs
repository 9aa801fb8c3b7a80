//! The order of models.

use super::super::scores::log_tests::scored;
use super::*;
use crate::evaluate::Evaluated;
use crate::evidence::FamilyCount;
use crate::test_support::{FLIGHT, FLIGHT_CHECKS, flight_with};

/// A record's fate: its total, gated, or eligible without a total.
#[derive(Clone, Copy)]
enum Fate {
    Total(f64),
    Gated,
    NoGold,
}
use Fate::{Gated, NoGold, Total};

fn board_on(
    protocol: &Protocol,
    models: &[(&str, &[Fate])],
    threads: usize,
) -> Vec<LeaderboardRow> {
    let mut records = Vec::new();
    for (model, (_, fates)) in models.iter().enumerate() {
        for (sample, fate) in fates.iter().enumerate() {
            let (passed, total) = match fate {
                Total(total) => (true, *total),
                Gated => (false, f64::NAN),
                NoGold => (true, f64::NAN),
            };
            records.push(scored(0, model as u32, sample as u32, passed, total));
        }
    }
    let counts = vec![FamilyCount::default(); records.len() * protocol.families.len()];
    let evaluated = Evaluated {
        records,
        counts,
        ..Evaluated::default()
    };
    let state = SummaryState::of(protocol, &FLIGHT_CHECKS, &evaluated);
    let mut log = ScoreLog::new(std::env::temp_dir());
    log.add(&evaluated).expect("added");
    let names: Vec<(u32, &str)> = (0..).zip(models.iter().map(|(name, _)| *name)).collect();
    leaderboard(protocol, &state, &log, &names, threads).expect("built")
}

fn board(models: &[(&str, &[Fate])]) -> Vec<LeaderboardRow> {
    board_on(&FLIGHT, models, 1)
}

fn order(rows: &[LeaderboardRow]) -> Vec<(u32, &str, Option<f64>)> {
    rows.iter()
        .map(|row| (row.rank, row.model_name.as_str(), row.mean_total))
        .collect()
}

#[test]
fn a_model_does_not_climb_by_being_rarely_eligible() {
    let rare = [
        Total(100.0),
        Gated,
        Gated,
        Gated,
        Gated,
        Gated,
        Gated,
        Gated,
        Gated,
        Gated,
    ];
    let rows = board(&[("rare", &rare), ("steady", &[Total(50.0); 10])]);
    // (100 + 9 · 0) / 10 = 10 against 50.
    assert_eq!(
        order(&rows),
        [(1, "steady", Some(50.0)), (2, "rare", Some(10.0))]
    );
    assert_eq!(
        (rows[1].n, rows[1].n_eligible, rows[1].mean_total_eligible),
        (10, 1, Some(100.0))
    );
    assert_eq!(rows[1].eligibility_rate, Some(10.0));
}

#[test]
fn ties_go_by_name() {
    let rows = board(&[
        ("b", &[Total(60.0), Total(80.0)]),
        ("a", &[Total(70.0), Total(70.0)]),
        ("c", &[Total(70.0)]),
    ]);
    assert_eq!(
        order(&rows),
        [
            (1, "a", Some(70.0)),
            (2, "b", Some(70.0)),
            (3, "c", Some(70.0))
        ]
    );
}

#[test]
fn all_gated_is_the_cap_and_no_gold_is_undefined_and_last() {
    let models: [(&str, &[Fate]); 4] = [
        ("no gold", &[NoGold, NoGold]),
        ("all gated", &[Gated, Gated]),
        ("fair", &[Total(1.0)]),
        ("also none", &[NoGold]),
    ];
    let rows = board(&models);
    let expected = [
        (1, "fair", Some(1.0)),
        (2, "all gated", Some(0.0)),
        (3, "also none", None),
        (4, "no gold", None),
    ];
    assert_eq!(order(&rows), expected);
    let gated = &rows[1];
    assert_eq!(
        (
            gated.n,
            gated.n_eligible,
            gated.mean_total_eligible,
            gated.eligibility_rate
        ),
        (2, 0, None, Some(0.0))
    );
    assert_eq!(
        (gated.ci, gated.undefined.as_deref()),
        (Some([0.0, 0.0]), None)
    );
    let none = &rows[3];
    assert_eq!(
        (none.n, none.n_eligible, none.eligibility_rate, none.ci),
        (0, 0, Some(100.0), None)
    );
    assert_eq!(
        none.undefined.as_deref(),
        Some("no record has a total score")
    );
    // Even a cap below every score does not put it behind the undefined.
    let rows = board_on(&flight_with("cap = 0.0", "cap = -50.0"), &models, 1);
    assert_eq!(rows[1].mean_total, Some(-50.0));
    assert_eq!(rows[3].mean_total, None);
}

#[test]
fn a_gated_record_counts_as_the_cap_and_one_without_gold_not_at_all() {
    let fates = [Total(90.0), Gated, NoGold];
    let rows = board(&[("m", &fates)]);
    // (90 + 0) / 2; the third does not count. Two of three are eligible.
    assert_eq!(
        (rows[0].mean_total, rows[0].n, rows[0].n_eligible),
        (Some(45.0), 2, 1)
    );
    assert_eq!(rows[0].eligibility_rate, Some(200.0 / 3.0));
    let rows = board_on(&flight_with("cap = 0.0", "cap = 20.0"), &[("m", &fates)], 1);
    assert_eq!(
        (rows[0].mean_total, rows[0].mean_total_eligible),
        (Some(55.0), Some(90.0))
    );
}

#[test]
fn intervals_hold_the_mean_and_do_not_depend_on_threads_or_company() {
    let spread: Vec<Fate> = (0..40)
        .map(|n| {
            if n % 7 == 0 {
                Gated
            } else {
                Total(f64::from(n) * 2.5)
            }
        })
        .collect();
    let constant = [Total(42.0); 40];
    let models: [(&str, &[Fate]); 2] = [("spread", &spread), ("constant", &constant)];
    let rows = board(&models);
    for row in &rows {
        let ([lo, hi], mean) = (
            row.ci.expect("an interval"),
            row.mean_total.expect("a mean"),
        );
        assert!(lo <= mean && mean <= hi, "{lo} {mean} {hi}");
    }
    let of = |rows: &[LeaderboardRow], name: &str| {
        rows.iter()
            .find(|row| row.model_name == name)
            .and_then(|row| row.ci)
    };
    assert_eq!(of(&rows, "constant"), Some([42.0, 42.0]));
    assert!(of(&rows, "spread").is_some_and(|[lo, hi]| hi - lo > 1.0));
    assert_eq!(
        of(&board_on(&FLIGHT, &models, 7), "spread"),
        of(&rows, "spread")
    );
    assert_eq!(of(&board(&models[..1]), "spread"), of(&rows, "spread"));
}
