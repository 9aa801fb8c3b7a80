//! What is missing, equal, alone or wrong.

use judica_model::exit_code::ExitCode;
use proptest::prelude::*;
use serde_json::Value;

use super::*;

#[test]
fn runs_of_the_same_name_are_told_apart() {
    let facts = vec![
        run("m", "x", 1, 1),
        run("m", "x", 0, 1),
        run("n", "x", 1, 1),
        run("n", "y", 1, 1),
    ];
    let options = Options {
        by: By::Run,
        ..Options::default()
    };
    let report = report(facts, None, &options).unwrap();
    let labels: Vec<&str> = report.models.iter().map(|model| model.label()).collect();
    assert_eq!(labels, ["x (m)", "x (m) #2", "x (n)", "y"]);
}

#[test]
fn a_half_judged_model_is_not_half_judged() {
    let facts = vec![
        RunFacts {
            judged: judged(10, 10),
            ..run("m", "a", 5, 10)
        },
        run("m", "b", 4, 10),
        RunFacts {
            judged: judged(8, 9).map(|verdicts| Verdicts {
                missing: 1,
                ..verdicts
            }),
            ..run("n", "c", 5, 10)
        },
    ];
    let report = report(facts, None, &Options::default()).unwrap();
    assert_eq!(report.models[0].share.accuracy, Some(0.45));
    assert_eq!(
        report.models[0].share.accuracy_source,
        Some(AccuracySource::ExactMatch)
    );
    // Nor is one of which a row has no verdict.
    assert_eq!(report.models[1].share.accuracy, None);
    assert_eq!(report.models[1].share.accuracy_bounds, Some([0.8, 0.9]));
    assert_eq!(report.rankings.most_accurate.len(), 1);
    let has = |text: &str| report.notes.iter().any(|note| note.contains(text));
    assert!(
        has("`m`: judged are 1 of 2 runs only"),
        "{:?}",
        report.notes
    );
    assert!(has("`n`: no accuracy"));
    assert!(has(
        "1 of 10 rows have no verdict; it lies between 0.800 and 0.900"
    ));
    assert!(has("do not mean the same"));
    assert!(has("different numbers of rows"));
}

#[test]
fn models_without_cost_are_skipped_and_named() {
    let list = prices(
        "big: {price_input_per_1k: 0.01, price_output_per_1k: 0.05}\nlocl: {gpu_hour_usd: 1}\nsmall:\n",
    );
    let report = report(three(), Some(&list), &Options::default()).unwrap();
    let names: Vec<&str> = report
        .rankings
        .cheapest
        .iter()
        .map(|place| place.model.as_str())
        .collect();
    assert_eq!(names, ["big"]);
    let noted = |start: &str, end: &str| {
        let found = report
            .notes
            .iter()
            .any(|note| note.starts_with(start) && note.ends_with(end));
        assert!(found, "{:?}", report.notes);
    };
    noted(
        "`local`: no cost, so not in `cheapest`",
        "does not name `local` (did you mean `locl`?)",
    );
    noted(
        "`small`: no cost, so not in `cheapest`",
        "the price file has no price for it",
    );
    noted("cost is no part of the composite", "only one model has it");
    // The only priced model gets no free place: its composite is made of two terms.
    assert_eq!(report.models[0].composite.terms.cost, None);
    let score = report.models[0].composite.score.unwrap();
    assert!((score - (0.5 + 0.25 * 1600.0 / 3050.0) / 0.75).abs() < 1e-12);
    let left_out = &report.pareto.accuracy_cost.left_out;
    assert_eq!(left_out.len(), 2);
}

#[test]
fn one_model_alone_is_neither_best_nor_worst() {
    let report = report(vec![three().remove(0)], None, &Options::default()).unwrap();
    assert_eq!(report.models[0].composite.score, None);
    assert!(report.models[0].composite.score_undefined.is_some());
    assert_eq!(report.rankings.composite, []);
    assert_eq!(report.rankings.most_accurate[0].rank, 1);
    assert!(report.pareto.accuracy_latency.has("big"));
}

#[test]
fn equals_share_a_rank_and_stand_by_name() {
    let facts = [("c", 5), ("a", 5), ("b", 7), ("d", 1)]
        .map(|(name, correct)| run(name, name, correct, 10));
    let report = report(facts.to_vec(), None, &Options::default()).unwrap();
    let ranked: Vec<(u64, &str)> = report
        .rankings
        .most_accurate
        .iter()
        .map(|place| (place.rank, place.model.as_str()))
        .collect();
    assert_eq!(ranked, [(1, "b"), (2, "a"), (2, "c"), (4, "d")]);
}

#[test]
fn nothing_known_is_null_with_a_reason() {
    let nothing = RunFacts {
        model: "m".into(),
        run: "r".into(),
        ..RunFacts::default()
    };
    let report = report(vec![nothing], None, &Options::default()).unwrap();
    let model = &json_of(&report)["models"][0];
    for pointer in [
        "/accuracy",
        "/accuracy_ci",
        "/accuracy_source",
        "/cost/avg_usd",
        "/cost/total_usd",
        "/cost/source",
        "/latency_ms/mean",
        "/latency_ms/std",
        "/throughput/rows_per_second",
        "/tokens/total",
        "/accuracy_per_dollar",
        "/accuracy_per_second",
        "/composite/score",
    ] {
        assert_eq!(model.pointer(pointer), Some(&Value::Null), "{pointer}");
    }
    for pointer in [
        "/accuracy_undefined",
        "/cost/undefined",
        "/latency_ms/undefined",
        "/throughput/undefined",
        "/tokens/undefined",
        "/accuracy_per_dollar_undefined",
        "/composite/score_undefined",
    ] {
        assert!(
            model.pointer(pointer).is_some_and(Value::is_string),
            "{pointer}"
        );
    }
    assert_eq!(
        report
            .rankings
            .named()
            .iter()
            .map(|(_, places)| places.len())
            .sum::<usize>(),
        0
    );
    for table in tables(&report) {
        assert!(table.grid().all(|row| row.len() == table.columns.len()));
    }
    assert_eq!(scatters(&report)[0].points, []);
    assert_eq!(scatters(&report)[0].left_out.len(), 1);
}

#[test]
fn no_runs_at_all_make_an_empty_report() {
    let report = report(Vec::new(), None, &Options::default()).unwrap();
    assert_eq!((report.models.len(), report.notes.len()), (0, 0));
    assert_eq!(tables(&report)[1].rows.len(), 6);
}

#[test]
fn what_is_free_is_cheapest_but_has_no_rate() {
    let list = prices(
        "big: {price_input_per_1k: 0, price_output_per_1k: 0}\nsmall: {gpu_hour_usd: 1}\nlocal: {gpu_hour_usd: 1}\n",
    );
    let report = report(three(), Some(&list), &Options::default()).unwrap();
    assert_eq!(report.rankings.cheapest[0].model, "big");
    assert!(
        report
            .rankings
            .accuracy_per_dollar
            .iter()
            .all(|place| place.model != "big")
    );
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.starts_with("`big`: costs nothing"))
    );
    assert!(!scatters(&report)[0].log_x);
}

#[test]
fn a_price_file_that_is_wrong_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml");
    std::fs::write(&path, "[m]\ngpu_hour_usd = -1\n").unwrap();
    let error = open_prices(&path).unwrap_err();
    assert_eq!(error.exit_code(), ExitCode::BadInput);
    let list = prices("a: {name: m, gpu_hour_usd: 1}\nb: {name: m, gpu_hour_usd: 2}\n");
    let error = report(vec![run("m", "r", 1, 1)], Some(&list), &Options::default()).unwrap_err();
    assert_eq!(error.exit_code(), ExitCode::BadInput);
    let error = open_prices(&folder.path().join("none")).unwrap_err();
    assert_eq!(error.exit_code(), ExitCode::SystemError);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_number_is_ever_made_of_nothing(
        runs in prop::collection::vec(
            (0u8..4, 0u64..5, prop::collection::vec(0.0f64..1e5, 0..4), 0u64..9, prop::option::of(0.0f64..10.0)),
            0..8,
        ),
        by_run in any::<bool>(),
    ) {
        let list = prices("m0: {price_input_per_1k: 1, price_output_per_1k: 0}\nm1: {gpu_hour_usd: 2}\nm2:\n");
        let facts: Vec<RunFacts> = runs
            .into_iter()
            .enumerate()
            .map(|(i, (model, correct, latencies_ms, tokens, stated_seconds))| RunFacts {
                rows: 4,
                latencies_ms,
                stated_seconds,
                tokens: Tokens { input: tokens, output: tokens / 2, rows: tokens.min(4) },
                ..run(&format!("m{model}"), &format!("r{i}"), correct.min(4), 4)
            })
            .collect();
        let by = if by_run { By::Run } else { By::Model };
        let options = Options { by, ..Options::default() };
        let report = report(facts, Some(&list), &options).unwrap();
        for model in &report.models {
            prop_assert_eq!(model.share.accuracy.is_none(), model.share.accuracy_undefined.is_some());
            prop_assert_eq!(model.cost.total_usd.is_none(), model.cost.undefined.is_some());
            prop_assert_eq!(model.latency_ms.mean.is_none(), model.latency_ms.undefined.is_some());
            prop_assert_eq!(model.composite.score.is_none(), model.composite.score_undefined.is_some());
            prop_assert_eq!(model.accuracy_per_dollar.is_none(), model.accuracy_per_dollar_undefined.is_some());
        }
        // serde_json writes what is not finite as null, so a NaN would show as one more.
        let text = serde_json::to_string(&report).unwrap();
        prop_assert!(!text.contains("NaN") && !text.contains("inf"));
        for (_, places) in report.rankings.named() {
            prop_assert!(places.windows(2).all(|pair| pair[0].rank <= pair[1].rank));
            prop_assert!(places.iter().all(|place| place.value.is_finite()));
        }
        prop_assert_eq!(tables(&report)[0].rows.len(), report.models.len());
    }
}
