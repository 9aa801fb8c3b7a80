//! Judges against people.

use super::*;
use judica_model::exit_code::ExitCode;

fn three_judges() -> Dir {
    // Of ten items people have a verdict on eight, yes yes yes yes no no no no.
    Dir::new(&[
        ("a/d.json", &list("yyyyynnnyn")),
        ("b/d.json", &list("yyynynnnyn")),
        ("c/d.json", &list("yynn-nyny-")),
    ])
}

#[test]
fn worked_by_hand() {
    let dir = three_judges();
    let report = measure(&dir.human(&list("yyyynnnn"))).unwrap();
    let human = report.human.as_ref().unwrap();
    assert_eq!(
        (human.annotations, human.matched_items, human.unmatched),
        (8, 8, 0)
    );
    // a errs on item 4; b on 3 and 4; c on 2, 3 and 6 of seven.
    let counts: Vec<_> = human
        .accuracy
        .iter()
        .map(|j| (j.judge.as_str(), j.correct, j.n))
        .collect();
    assert_eq!(counts, [("a", 7, 8), ("b", 6, 8), ("c", 4, 7)]);
    assert_eq!(human.accuracy[0].accuracy.value(), Some(7.0 / 8.0));
    // a with people: observed 7/8; a says yes 5 of 8, people 4 of 8: expected 1/2.
    assert_eq!(human.accuracy[0].kappa.value(), Some((0.875 - 0.5) / 0.5));
    // Majorities: 3 yes 3, item 3 is no (wrong), item 4 has two votes, yes (wrong).
    let majority = &human.majority_vote;
    assert_eq!((majority.n, majority.correct, majority.no_vote), (8, 6, 0));
    // Of one mind: 0, 1, 4 (wrong), 5, 7.
    let unanimous = &human.unanimous_vote;
    assert_eq!(
        (unanimous.n, unanimous.correct, unanimous.no_vote),
        (5, 4, 3)
    );
    // a against b: only a is right on item 3.
    let test = &human.pair_tests[0];
    assert_eq!(
        (test.only_first_correct, test.only_second_correct, test.n),
        (1, 0, 8)
    );
    assert_eq!((test.p_exact, test.p_mid), (Some(1.0), Some(0.5)));
    // People are one more rater, and can be left aside.
    assert_eq!(report.pairwise.len(), 6);
    assert!(report.judges_only.is_some());
    assert_ne!(report.judges_only.as_ref(), Some(&report.overall));
    assert_eq!(
        report.disagreements[0].votes.keys().next_back().unwrap(),
        "human"
    );
    // Eight items are too few to compare errors, unless that is said to be enough. On the
    // seven that it shares with c, a never errs: of those two nothing is known.
    assert_eq!(report.effective_judges.basis, "panel");
    let enough = JudgesRequest {
        min_common: 7,
        ..dir.human(&list("yyyynnnn"))
    };
    let worth = measure(&enough).unwrap().effective_judges;
    assert_eq!(
        (worth.basis, worth.known_pairs, worth.experimental),
        ("human", 2, false)
    );
}

#[test]
fn without_people_judges_stand_alone() {
    let report = three_judges().report();
    assert_eq!((&report.human, &report.judges_only), (&None, &None));
    assert_eq!(report.effective_judges.basis, "panel");
}

#[test]
fn an_even_split_is_no_vote() {
    let dir = Dir::new(&[("a/d.json", &list("yyn")), ("b/d.json", &list("ynn"))]);
    let human = measure(&dir.human(&list("yyy"))).unwrap().human.unwrap();
    let majority = &human.majority_vote;
    assert_eq!((majority.n, majority.correct, majority.no_vote), (2, 1, 1));
}

#[test]
fn one_judge_casts_no_vote() {
    let dir = Dir::new(&[("a/d.json", &list("yn"))]);
    let report = measure(&dir.human(&list("yy"))).unwrap();
    let human = report.human.unwrap();
    assert_eq!((human.accuracy[0].n, human.accuracy[0].correct), (2, 1));
    assert_eq!(human.majority_vote.accuracy.value(), None);
    assert!(human.pair_tests.is_empty());
    // With people there are two raters.
    assert_eq!(report.overall.percent_agreement.value(), Some(0.5));
    assert_eq!(report.effective_judges.value.value(), None);
}

#[test]
fn both_formats_and_tolerant_fields() {
    let dir = three_judges();
    let tolerant = r#"{"run_name":"d","metrics":{},"annotations":[
        {"nl":"in 0","expected":"g","generated":"p","correct":1},
        {"input":"in 1","reference":"g","model_output":"p","correct":"TRUE"}]}"#;
    let report = measure(&dir.human(tolerant)).unwrap();
    assert_eq!(report.human.unwrap().matched_items, 2);
    let rows = format!(r#"{{"detailed_results":{}}}"#, list("yy"));
    assert_eq!(
        measure(&dir.human(&rows))
            .unwrap()
            .human
            .unwrap()
            .matched_items,
        2
    );
}

#[test]
fn annotations_that_are_not_used_are_named() {
    let dir = Dir::new(&[
        (
            "a/d.json",
            &format!(
                "[{},{}]",
                row(0, "yes", ""),
                row(1, "yes", r#","decision_method":"exact""#)
            ),
        ),
        ("b/d.json", &list("y")),
    ]);
    let text = [
        row(0, "yes", r#","annotator":"ana""#),
        row(0, "yes", r#","annotator":"ana""#),
        row(0, "no", r#","rater":"ana""#),
        row(1, "yes", ""),
        row(2, "yes", ""),
        row(3, "dunno", ""),
    ];
    let report = measure(&dir.human(&format!("[{}]", text.join(",\n")))).unwrap();
    assert_eq!(
        reasons(&report),
        [
            ("duplicate_row", 1),
            ("conflicting_row", 1),
            ("annotation_of_left_out_row", 1),
            ("unmatched_annotation", 1),
            ("unknown_verdict", 1)
        ]
    );
    let human = report.human.as_ref().unwrap();
    assert_eq!((human.annotations, human.matched_items), (6, 1));
    assert_eq!(
        (human.unmatched, human.duplicates, human.refused_rows),
        (2, 2, 1)
    );
    assert_eq!(human.unmatched_left_out, 1);
    assert!(report.rejects[4].file.ends_with("/human.json"));
    assert_eq!(report.rejects[4].line, 6);
    assert_eq!(report.rejects[4].raw.kept(), text[5].as_bytes());
}

#[test]
fn a_named_data_set_restricts_and_an_unknown_one_does_not() {
    let dir = Dir::new(&[
        ("a/d.json", &list("y")),
        ("a/e.json", &list("y")),
        ("b/d.json", &list("y")),
        ("b/e.json", &list("y")),
    ]);
    let named = |key: &str, name: &str| {
        let text = format!(r#"{{"{key}":"{name}","annotations":{}}}"#, list("n"));
        measure(&dir.human(&text))
            .unwrap()
            .human
            .unwrap()
            .matched_items
    };
    assert_eq!(named("source_file", "predictions/e.json"), 1);
    assert_eq!(named("run_name", "d"), 1);
    assert_eq!(named("run_name", "some run"), 2);
    assert_eq!(named("model", "d"), 2);
}

#[test]
fn an_id_on_both_sides_must_match() {
    let dir = Dir::new(&[
        (
            "a/d.json",
            &format!(
                "[{},{}]",
                row(0, "yes", r#","id":1"#),
                row(0, "no", r#","id":2"#)
            ),
        ),
        ("b/d.json", &format!("[{}]", row(0, "yes", ""))),
    ]);
    let matched = |more: &str| {
        let text = format!("[{}]", row(0, "yes", more));
        measure(&dir.human(&text))
            .unwrap()
            .human
            .unwrap()
            .matched_items
    };
    assert_eq!(matched(r#","id":"2""#), 2);
    assert_eq!(matched(r#","id":7"#), 1);
    assert_eq!(matched(""), 3);
}

#[test]
fn a_folder_of_people_among_the_judges() {
    let dir = three_judges();
    dir.write("human/d.json", list("yyyynnnn").as_bytes());
    let report = dir.report();
    assert_eq!(report.judges.len(), 3);
    assert_eq!(report.human.as_ref().unwrap().accuracy[0].correct, 7);
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("folder `human`"))
    );
    let error = measure(&dir.human(&list("y"))).unwrap_err();
    assert_eq!(error.exit_code(), ExitCode::BadInput);
}

#[test]
fn files_whose_judge_is_human_are_peoples() {
    let dir = three_judges();
    dir.write(
        "any name.json",
        judged("human", "d.json", "yyyynnnn").as_bytes(),
    );
    let report = dir.report();
    assert_eq!(report.judges.len(), 3);
    assert_eq!(report.human.as_ref().unwrap().accuracy[0].correct, 7);
    assert!(
        noted(&report, "`judge_model` is `human`: any name.json"),
        "{:?}",
        report.notes
    );
    let error = measure(&dir.human(&list("y"))).unwrap_err();
    assert_eq!(error.exit_code(), ExitCode::BadInput);
    assert!(error.to_string().contains("come twice"), "{error}");
    // Together with the folder they are people's verdicts in two files.
    dir.write("human/d.json", list("--------yn").as_bytes());
    assert_eq!(dir.report().human.unwrap().matched_items, 10);
}

#[test]
fn a_human_file_that_is_no_such_file_ends_the_run() {
    let dir = three_judges();
    for (text, code) in [
        ("", ExitCode::BadInput),
        ("[]", ExitCode::BadInput),
        ("{}", ExitCode::BadInput),
        ("yes", ExitCode::SystemError),
        ("[{]", ExitCode::SystemError),
    ] {
        let error = measure(&dir.human(text)).unwrap_err();
        assert_eq!(error.exit_code(), code, "{text}");
        assert!(error.to_string().contains("human.json"), "{error}");
    }
    let missing = JudgesRequest {
        human: vec![run::input(PEOPLE, &dir.path("missing.json"))],
        ..dir.request()
    };
    assert_eq!(
        measure(&missing).unwrap_err().exit_code(),
        ExitCode::SystemError
    );
}
