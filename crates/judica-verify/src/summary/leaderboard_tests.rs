//! The order of models.

use arrow_array::StringArray;

use super::super::scored::Items;
use super::super::scores::log_tests::scored;
use super::*;
use crate::evaluate::{Evaluated, RecordRow};
use crate::evidence::FamilyCount;
use crate::test_support::{FLIGHT, FLIGHT_CHECKS, flight_with};

/// A record's fate: its total, gated, or eligible without a total.
#[derive(Clone, Copy)]
enum Fate {
    Total(f64),
    Gated,
    NoTotal,
    NotAnswered,
}
use Fate::{Gated, NoTotal, NotAnswered, Total};

/// Samples without names, which have gold where this says so, and beyond its end.
struct Gold<'g>(&'g [bool]);

impl Items for Gold<'_> {
    fn key(&self, _: u32) -> (&str, &str) {
        ("", "")
    }

    fn has_gold(&self, sample: u32) -> bool {
        self.0.get(sample as usize).copied().unwrap_or(true)
    }
}

/// The board of models whose fates stand sample by sample; `gold` says which samples have
/// any, and all of them do beyond its end.
fn board_of(
    protocol: &Protocol,
    gold: &[bool],
    models: &[(&str, &[Fate])],
    threads: usize,
) -> Vec<LeaderboardRow> {
    board_in_clusters(protocol, gold, &[], models, threads)
}

/// The same of samples that stand in clusters.
fn board_in_clusters(
    protocol: &Protocol,
    gold: &[bool],
    clusters: &[Option<&str>],
    models: &[(&str, &[Fate])],
    threads: usize,
) -> Vec<LeaderboardRow> {
    let mut records = Vec::new();
    for (model, (_, fates)) in models.iter().enumerate() {
        for (sample, fate) in fates.iter().enumerate() {
            let (passed, total) = match fate {
                Total(total) => (true, *total),
                Gated => (false, f64::NAN),
                NoTotal => (true, f64::NAN),
                NotAnswered => continue,
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
    let clusters = match clusters {
        [] => StringArray::new_null(evaluated.records.len()),
        of_samples => {
            let of_record = |row: &RecordRow| of_samples[row.sample as usize];
            evaluated.records.iter().map(of_record).collect()
        }
    };
    log.add(&evaluated, &clusters).expect("added");
    let gold = Gold(gold);
    let scored = ScoredRecords::new(protocol, &gold, &log).expect("read");
    let names: Vec<(u32, &str)> = (0..).zip(models.iter().map(|(name, _)| *name)).collect();
    leaderboard(protocol, &state, &log, &scored, &names, threads).expect("built")
}

fn board_on(
    protocol: &Protocol,
    models: &[(&str, &[Fate])],
    threads: usize,
) -> Vec<LeaderboardRow> {
    board_of(protocol, &[], models, threads)
}

fn board(models: &[(&str, &[Fate])]) -> Vec<LeaderboardRow> {
    board_on(&FLIGHT, models, 1)
}

type Placed<'a> = (Option<u32>, &'a str, Option<f64>);

fn order(rows: &[LeaderboardRow]) -> Vec<Placed<'_>> {
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
        [
            (Some(1), "steady", Some(50.0)),
            (Some(2), "rare", Some(10.0))
        ]
    );
    assert_eq!(
        (rows[1].n, rows[1].n_eligible, rows[1].mean_total_eligible),
        (10, 1, Some(100.0))
    );
    assert_eq!(rows[1].eligibility_rate, Some(10.0));
}

#[test]
fn equals_share_a_rank_and_stand_by_name() {
    let rows = board(&[
        ("b", &[Total(60.0), Total(80.0)]),
        ("last", &[Total(10.0), Total(10.0)]),
        ("a", &[Total(70.0), Total(70.0)]),
        ("c", &[Total(70.0)]),
    ]);
    assert_eq!(
        order(&rows),
        [
            (Some(1), "a", Some(70.0)),
            (Some(1), "b", Some(70.0)),
            (Some(1), "c", Some(70.0)),
            (Some(4), "last", Some(10.0))
        ]
    );
}

#[test]
fn zeros_of_both_signs_are_equal() {
    let rows = board(&[("plus", &[Total(0.0)]), ("minus", &[Total(-0.0)])]);
    assert_eq!(
        order(&rows),
        [(Some(1), "minus", Some(0.0)), (Some(1), "plus", Some(0.0))]
    );
}

#[test]
fn without_gold_nobody_is_ranked_by_failures() {
    let models: [(&str, &[Fate]); 2] = [
        ("always fails", &[Gated, Gated]),
        ("never fails", &[NoTotal, NoTotal]),
    ];
    for cap in ["cap = 0.0", "cap = -50.0", "cap = 60.0"] {
        let rows = board_of(&flight_with("cap = 0.0", cap), &[false, false], &models, 1);
        assert_eq!(
            order(&rows),
            [(None, "always fails", None), (None, "never fails", None)]
        );
        for row in &rows {
            assert_eq!((row.n, row.n_eligible, row.ci), (0, 0, None));
            assert_eq!(row.mean_total_eligible, None);
            let why = "no answered sample has usable gold";
            assert_eq!(row.undefined.as_deref(), Some(why));
        }
        assert_eq!(rows[0].eligibility_rate, Some(0.0));
        assert_eq!(rows[1].eligibility_rate, Some(100.0));
    }
}

#[test]
fn gold_of_samples_that_nobody_answered_is_no_gold() {
    let rows = board_of(
        &FLIGHT,
        &[true, false],
        &[("m", &[NotAnswered, NoTotal])],
        1,
    );
    let why = "no answered sample has usable gold";
    assert_eq!(rows[0].undefined.as_deref(), Some(why));
}

#[test]
fn with_some_gold_every_mean_is_over_the_same_samples() {
    // Only the first sample has gold. The second must count for nobody.
    let rows = board_of(
        &FLIGHT,
        &[true, false],
        &[
            ("fails the one", &[Gated, NoTotal]),
            ("fails the other", &[Total(40.0), Gated]),
            ("only the other", &[NotAnswered, NoTotal]),
        ],
        1,
    );
    assert_eq!(
        order(&rows),
        [
            (Some(1), "fails the other", Some(40.0)),
            (Some(2), "fails the one", Some(0.0)),
            (None, "only the other", None),
        ]
    );
    assert_eq!((rows[0].n, rows[0].n_eligible), (1, 1));
    assert_eq!((rows[1].n, rows[1].n_eligible), (1, 0));
    // One record cannot say how sure it is.
    assert_eq!(rows[0].ci, None);
    assert_eq!(
        rows[0].ci_undefined.as_deref(),
        Some("one cluster has no interval")
    );
    assert_eq!(
        rows[2].undefined.as_deref(),
        Some("no record on a sample that is scored")
    );
}

#[test]
fn an_eligible_record_without_a_total_counts_for_nothing() {
    // Both have gold; the error of the second is too large for a number.
    let rows = board(&[
        ("wild", &[Total(50.0), NoTotal]),
        ("failing", &[Gated, Gated]),
        ("fair", &[Total(20.0), Total(90.0)]),
    ]);
    assert_eq!(
        order(&rows),
        [
            (Some(1), "fair", Some(55.0)),
            (Some(2), "wild", Some(50.0)),
            (Some(3), "failing", Some(0.0))
        ]
    );
    assert_eq!((rows[1].n, rows[2].n), (1, 2));
    let rows = board(&[("wild", &[NoTotal])]);
    assert_eq!(order(&rows), [(None, "wild", None)]);
    let why = "no record has a total";
    assert_eq!(rows[0].undefined.as_deref(), Some(why));
}

#[test]
fn nothing_counts_where_no_record_can_have_a_total() {
    let mut protocol = FLIGHT.clone();
    for field in &mut protocol.fields {
        field.required = false;
    }
    let rows = board_on(&protocol, &[("good", &[NoTotal]), ("bad", &[Gated])], 1);
    assert_eq!(order(&rows), [(None, "bad", None), (None, "good", None)]);
    let why = "the protocol requires no field";
    assert_eq!(rows[0].undefined.as_deref(), Some(why));
}

#[test]
fn intervals_are_over_the_clusters_that_are_named() {
    let values: [f64; 24] = std::array::from_fn(|at| (at / 4 * 17 % 50 + at % 4) as f64);
    let fates: Vec<Fate> = values.iter().map(|value| Total(*value)).collect();
    // Five clusters of four, and four samples that stand by themselves.
    let names = ["e", "b", "a", "d", "c"];
    let clusters: Vec<Option<&str>> = (0..24).map(|at| names.get(at / 4).copied()).collect();
    let rows = board_in_clusters(&FLIGHT, &[], &clusters, &[("m", &fates)], 1);
    let mut sums: Vec<[f64; 2]> = values
        .chunks(4)
        .take(5)
        .map(|of_cluster| [of_cluster.iter().sum(), 4.0])
        .collect();
    sums.extend(values[20..].iter().map(|value| [*value, 1.0]));
    let intervals = Intervals {
        confidence: CONFIDENCE,
        resampling: Resampling {
            resamples: 1000,
            seed: 0,
            threads: 1,
        },
    };
    // Below fifty clusters nothing is drawn, and their order does not matter.
    let terms = judica_stats::resampled::Terms::new(&sums);
    let expected = intervals.of(terms, &judica_stats::clusters::ratio).unwrap();
    let [lo, hi] = rows[0].ci.unwrap();
    assert!((lo - expected.lo).abs() < 1e-9 && (hi - expected.hi).abs() < 1e-9);
    let alone = board(&[("m", &fates)])[0].ci.unwrap();
    assert!((hi - lo) - (alone[1] - alone[0]) > 1.0, "{alone:?}");
}

#[test]
fn all_gated_is_the_cap() {
    let models: [(&str, &[Fate]); 2] = [("all gated", &[Gated, Gated]), ("fair", &[Total(1.0)])];
    let rows = board(&models);
    let expected = [
        (Some(1), "fair", Some(1.0)),
        (Some(2), "all gated", Some(0.0)),
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
    assert_eq!((gated.ci, gated.undefined.as_deref()), (None, None));
    // Even a cap below every score does not put it behind the undefined.
    let models: [(&str, &[Fate]); 2] = [("gated", &[Gated]), ("absent", &[NotAnswered, NoTotal])];
    let rows = board_of(
        &flight_with("cap = 0.0", "cap = -50.0"),
        &[true, false],
        &models,
        1,
    );
    assert_eq!(
        order(&rows),
        [(Some(1), "gated", Some(-50.0)), (None, "absent", None)]
    );
}

#[test]
fn a_gated_record_counts_as_the_cap_and_one_without_gold_not_at_all() {
    let fates: [(&str, &[Fate]); 1] = [("m", &[Total(90.0), Gated, NoTotal])];
    let gold = [true, true, false];
    let rows = board_of(&FLIGHT, &gold, &fates, 1);
    // (90 + 0) / 2; the third does not count. Two of three are eligible.
    assert_eq!(
        (rows[0].mean_total, rows[0].n, rows[0].n_eligible),
        (Some(45.0), 2, 1)
    );
    assert_eq!(rows[0].eligibility_rate, Some(200.0 / 3.0));
    let rows = board_of(&flight_with("cap = 0.0", "cap = 20.0"), &gold, &fates, 1);
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
    let of = |rows: &[LeaderboardRow], name: &str| {
        rows.iter()
            .find(|row| row.model_name == name)
            .and_then(|row| row.ci)
    };
    // What does not vary has no interval, and never one of no width.
    assert_eq!(of(&rows, "constant"), None);
    let constant = rows.iter().find(|row| row.model_name == "constant");
    let why = constant.and_then(|row| row.ci_undefined.as_deref());
    assert_eq!(why, Some("no variation among 40 items"));
    let mean = rows.iter().find(|row| row.model_name == "spread");
    let mean = mean.and_then(|row| row.mean_total).expect("a mean");
    assert!(of(&rows, "spread").is_some_and(|[lo, hi]| lo + 1.0 < mean && mean < hi - 1.0));
    assert_eq!(
        of(&board_on(&FLIGHT, &models, 7), "spread"),
        of(&rows, "spread")
    );
    assert_eq!(of(&board(&models[..1]), "spread"), of(&rows, "spread"));
}

/// A rank has an interval, or a reason; without a rank there is neither.
#[test]
fn a_rank_without_an_interval_says_why() {
    let fates = |n: usize, low: f64| -> Vec<Fate> {
        let fate = |at: usize| Total(low + (at % 7) as f64);
        (0..n).map(fate).collect()
    };
    for n in [49, 50] {
        let (good, poor) = (fates(n, 50.0), fates(n, 20.0));
        let nothing = vec![NotAnswered; n];
        let rows = board(&[("good", &good), ("poor", &poor), ("silent", &nothing)]);
        for row in &rows[..2] {
            let rank = row.rank.map(f64::from).expect("a rank");
            match n {
                50 => assert_eq!(
                    (row.rank_ci, &row.rank_ci_undefined),
                    (Some([rank; 2]), &None)
                ),
                _ => {
                    let why = "49 samples or clusters, and 50 are needed for resamples";
                    assert_eq!(row.rank_ci, None);
                    assert_eq!(row.rank_ci_undefined.as_deref(), Some(why));
                }
            }
        }
        if let Some(silent) = rows.get(2) {
            assert_eq!((silent.rank, &silent.rank_ci_undefined), (None, &None));
        }
    }
}
