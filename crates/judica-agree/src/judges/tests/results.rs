//! What comes out, and that it always comes out the same.

use super::*;
use judica_stats::resample::Draws;
use proptest::prelude::*;

#[test]
fn worked_by_hand() {
    // Five items; a and b agree on four: yes yes no no, and differ on the last.
    let dir = Dir::new(&[("a/d.json", &list("yynny")), ("b/d.json", &list("yynnn"))]);
    let report = dir.report();
    assert_eq!((report.items, report.sources), (5, 1));
    assert_eq!(report.overall.percent_agreement.value(), Some(0.8));
    // Expected: yes 3/5 · 2/5, no 2/5 · 3/5, so 12/25. (20/25 − 12/25) / (13/25) = 8/13.
    let kappa = report.overall.cohen_kappa.value().unwrap();
    assert!((kappa - 8.0 / 13.0).abs() < 1e-12);
    let pair = &report.pairwise[0];
    assert_eq!(
        (&pair.labels[..], pair.n),
        (&["no".to_owned(), "yes".to_owned()][..], 5)
    );
    assert_eq!(pair.confusion, [[2, 0], [1, 2]]);
    assert_eq!(pair.rates, [[0.4, 0.6], [0.6, 0.4]]);
    assert_eq!(report.judges[0].yes_rate.value(), Some(0.6));
    assert_eq!(report.eval_dir, "evaluated");
    assert!(!json(&report).contains(&dir.path("").display().to_string()));
}

#[test]
fn coverage_counts_raters_per_item() {
    let dir = Dir::new(&[
        ("a/d.json", &list("yynnyy")),
        ("b/d.json", &list("yynn--")),
        ("c/d.json", &list("yn----")),
    ]);
    let report = dir.report();
    let groups: Vec<_> = report
        .coverage
        .iter()
        .map(|c| (c.raters, c.items))
        .collect();
    assert_eq!(groups, [(1, 2), (2, 2), (3, 2)]);
    assert_eq!(report.coverage[0].percent_agreement.value(), None);
    assert_eq!(report.coverage[1].percent_agreement.value(), Some(1.0));
    // One item of one mind, one two to one: (1 + 1/3) / 2.
    let mixed = report.coverage[2].percent_agreement.value().unwrap();
    assert!((mixed - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(
        report.items,
        report.coverage.iter().map(|c| c.items).sum::<u64>()
    );
}

#[test]
fn one_judge_and_one_category_are_undefined_and_say_why() {
    let alone = Dir::new(&[("a/d.json", &list("yn"))]).report();
    for (name, value) in alone.overall.named() {
        assert_eq!(value.value(), None, "{name}");
    }
    assert!(alone.pairwise.is_empty());
    let same = Dir::new(&[("a/d.json", &list("yy")), ("b/d.json", &list("yy"))]).report();
    assert_eq!(same.overall.cohen_kappa.value(), None);
    assert_eq!(same.overall.percent_agreement.value(), Some(1.0));
    for report in [alone, same] {
        assert!(!json(&report).contains("NaN"));
        assert!(!tables(&report).is_empty());
    }
}

#[test]
fn disagreements_come_most_evenly_split_first() {
    let reason = |judge: &str, i: usize, verdict: &str| {
        row(i, verdict, &format!(r#","reasoning":"{judge} on {i}""#))
    };
    let text = |judge: &str, verdicts: [&str; 4]| {
        let rows = verdicts
            .iter()
            .enumerate()
            .map(|(i, verdict)| reason(judge, i, verdict));
        format!("[{}]", rows.collect::<Vec<_>>().join(","))
    };
    let dir = Dir::new(&[
        ("a/d.json", &text("a", ["yes", "yes", "yes", "yes"])),
        ("b/d.json", &text("b", ["yes", "no", "yes", "no"])),
        ("c/d.json", &text("c", ["yes", "yes", "no", "no"])),
        ("d/d.json", &text("d", ["yes", "yes", "no", "no"])),
    ]);
    let report = dir.report();
    assert_eq!(report.disagreement_items, 3);
    let inputs: Vec<_> = report
        .disagreements
        .iter()
        .map(|d| d.input.as_str())
        .collect();
    assert_eq!(inputs, ["in 2", "in 1", "in 3"]);
    let first = &report.disagreements[0];
    assert_eq!(
        serde_json::to_string(&first.votes).unwrap(),
        r#"{"a":"yes","b":"yes","c":"no","d":"no"}"#
    );
    assert_eq!(first.reasoning["c"], "c on 2");
    let fewer = JudgesRequest {
        disagreements: 1,
        ..dir.request()
    };
    let fewer = measure(&fewer).unwrap();
    assert_eq!(
        (fewer.disagreement_items, fewer.disagreements.len()),
        (3, 1)
    );
}

/// Votes of judges who follow one of two minds.
fn six_that_vote_like_two() -> (Dir, String) {
    let mut draws = Draws::new(4, 0);
    let mut wrong = |text: &str, percent: u32| -> String {
        let flip = |v: char| {
            if (v == 'y') ^ (draws.below(100) < percent) {
                'y'
            } else {
                'n'
            }
        };
        text.chars().map(flip).collect()
    };
    let truth = wrong(&"y".repeat(600), 40);
    let minds = [wrong(&truth, 20), wrong(&truth, 20)];
    let dir = Dir::new(&[]);
    for judge in 0..6 {
        let text = list(&wrong(&minds[judge / 3], 1));
        dir.write(&format!("judge {judge}/d.json"), text.as_bytes());
    }
    (dir, list(&truth))
}

#[test]
fn a_panel_of_six_that_votes_like_two_says_so() {
    let (dir, truth) = six_that_vote_like_two();
    let report = dir.report();
    let by_votes = &report.effective_judges;
    let value = by_votes.value.value().unwrap();
    assert!((1.8..2.4).contains(&value), "{value}");
    assert_eq!((by_votes.basis, by_votes.judges), ("panel", 6));
    assert_eq!(
        by_votes.voices,
        [
            ["judge 0", "judge 1", "judge 2"],
            ["judge 3", "judge 4", "judge 5"]
        ]
    );
    let report = measure(&dir.human(&truth)).unwrap();
    let value = report.effective_judges.value.value().unwrap();
    assert!((1.8..2.4).contains(&value), "{value}");
    assert_eq!(report.effective_judges.basis, "human");
}

#[test]
fn labels_are_estimated_on_request() {
    let dir = Dir::new(&[
        ("a/d.json", &list("yyynnnynyy")),
        ("b/d.json", &list("yyynnnyynn")),
        ("c/d.json", &list("yyynnnnyy-")),
        ("d/d.json", "[{}]"),
    ]);
    let request = JudgesRequest {
        aggregate: Some(Aggregation::DawidSkene),
        aggregate_items: true,
        ..dir.human(&list("yyynnn"))
    };
    let found = measure(&request).unwrap().aggregate.unwrap();
    assert!(found.converged);
    assert_eq!(found.labels.yes + found.labels.no + found.labels.even, 10);
    assert!((found.priors.no + found.priors.yes - 1.0).abs() < 1e-12);
    assert_eq!((found.judges.len(), found.judges[3].n), (4, 0));
    assert_eq!(found.judges[3].sensitivity, None);
    assert_eq!(found.judges[2].n, 9);
    let sensitivity = found.judges[0].sensitivity.unwrap();
    assert_eq!(found.judges[0].confusion[1].unwrap().yes, sensitivity);
    assert_eq!(found.human.unwrap().accuracy.value(), Some(1.0));
    let items = found.items.unwrap();
    assert_eq!((items.len(), items[0].label), (10, Some("yes")));
    assert_eq!(items[9].votes.len(), 2);
    let short = JudgesRequest {
        aggregate_items: false,
        ..request
    };
    assert!(!json(&measure(&short).unwrap()).contains("yes_probability"));
    assert!(dir.report().aggregate.is_none());
}

#[test]
fn the_same_bytes_for_any_threads_and_any_order_of_files() {
    let (dir, _) = six_that_vote_like_two();
    let mut names: Vec<String> = (0..6)
        .map(|judge| format!("judge {judge}/d.json"))
        .collect();
    for extra in ["judge 3/broken.jsonl", "judge 1/also.jsonl", "top.jsonl"] {
        let text = format!("oops\n{}\n{}", row(1, "yes", ""), row(1, "no", ""));
        dir.write(extra, text.as_bytes());
        names.push(extra.to_owned());
    }
    let expected = json(&dir.report());
    assert!(expected.contains("conflicting_row") && expected.contains("no_judge"));
    // The same files, made last to first somewhere else.
    let copy = Dir::new(&[]);
    for name in names.iter().rev() {
        let bytes = fs::read(dir.path("evaluated").join(name)).unwrap();
        copy.write(name, &bytes);
    }
    for threads in [1, 2, 7] {
        let mut request = copy.request();
        request.bootstrap.threads = threads;
        let report = measure(&request).unwrap();
        assert_eq!(json(&report), expected, "{threads}");
        // Rejects name files as they were given.
        let elsewhere = |dir: &Dir| dir.path("").display().to_string();
        let mut rejects = dir.report().rejects;
        for reject in &mut rejects {
            reject.file = reject.file.replace(&elsewhere(&dir), &elsewhere(&copy));
        }
        assert_eq!(report.rejects, rejects);
    }
}

#[test]
fn tables_show_every_part() {
    let (dir, truth) = six_that_vote_like_two();
    dir.write(
        "judge 0/e.json",
        format!("[{},7]", row(0, "yes", "")).as_bytes(),
    );
    let request = JudgesRequest {
        aggregate: Some(Aggregation::DawidSkene),
        ..dir.human(&truth)
    };
    let titles: Vec<String> = tables(&measure(&request).unwrap())
        .into_iter()
        .map(|table| {
            assert!(!table.rows.is_empty(), "{}", table.title);
            assert!(
                table
                    .rows
                    .iter()
                    .all(|row| row.len() == table.columns.len())
            );
            table.title
        })
        .collect();
    assert_eq!(
        titles,
        [
            "Judges",
            "Agreement on 601 items",
            "Every two raters",
            "By data set",
            "By number of raters",
            "Against people",
            "How often answers are right",
            "Is one of two judges right more often?",
            "Estimated from all votes (Dawid and Skene)",
            "Which judges to keep",
            "Disagreements, the most evenly split first",
            "Not in the measurement"
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_order_of_rows_changes_no_number(
        verdicts in prop::collection::vec("[yn-]{8}", 2..4),
        order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let [straight, shuffled] = [Dir::new(&[("z/d.json", &list("y"))]), Dir::new(&[("z/d.json", &list("y"))])];
        for (judge, verdicts) in verdicts.iter().enumerate() {
            let name = format!("{judge}/d.json");
            straight.write(&name, list(verdicts).as_bytes());
            let rows = order.iter().filter(|&&i| verdicts.as_bytes()[i] != b'-');
            let rows = rows.map(|&i| row(i, if verdicts.as_bytes()[i] == b'y' { "yes" } else { "no" }, ""));
            let rows: Vec<String> = rows.collect();
            shuffled.write(&name, format!("[{}]", rows.join(",")).as_bytes());
        }
        let (a, b) = (straight.report(), shuffled.report());
        prop_assert_eq!(a.overall, b.overall);
        prop_assert_eq!(a.pairwise, b.pairwise);
        prop_assert_eq!(a.effective_judges, b.effective_judges);
        prop_assert_eq!((a.items, a.disagreement_items), (b.items, b.disagreement_items));
        for judge in &a.judges {
            prop_assert_eq!(judge.rows, judge.used + judge.left_out.total() + judge.duplicates + judge.refused_rows);
        }
    }
}
