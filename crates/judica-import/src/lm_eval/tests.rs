use super::*;
use crate::testing::{checks, files as written, found, texts};

const STAMP: &str = "2026-11-15T21-29-09.710859";

fn log(files: &[(&str, &str)]) -> (tempfile::TempDir, LmEval) {
    let folder = tempfile::tempdir().expect("folder");
    let written = written(folder.path(), files);
    let log = LmEval::open(&written).expect("opened");
    (folder, log)
}

fn row(doc: u32, filter: &str, metrics: &str) -> String {
    format!(
        r#"{{"doc_id": {doc}, "doc": {{"q": 1}}, "target": "t{doc}", "arguments": {{"gen_args_0": {{"arg_0": "q{doc}", "arg_1": " x"}}}}, "filtered_resps": ["{filter}{doc}"], {filter}"doc_hash": "h{doc}", {metrics}}}"#
    )
}

/// A row with its filter and its list of metrics.
fn full(doc: u32, filter: &str, value: &str) -> String {
    format!(
        r#"{{"doc_id": {doc}, "target": "t{doc}", "arguments": {{"gen_args_0": {{"arg_0": "q{doc}", "arg_1": " x"}}}}, "filtered_resps": ["{filter}{doc}"], "filter": "{filter}", "metrics": ["em"], "doc_hash": "h{doc}", "em": {value}}}"#
    )
}

#[test]
fn rows_of_several_filters_make_one_record() {
    let rows = [
        full(0, "strict,one", "1.0"),
        full(1, "strict,one", "0.0"),
        full(0, "loose", "1.0"),
        full(1, "loose", "NaN"),
    ];
    let samples = format!("samples_my_task_{STAMP}.jsonl");
    let results = format!("results_{STAMP}.json");
    let numbers = r#"{"results": {"my_task": {"alias": "x", "em,strict,one": 0.5, "em_stderr,strict,one": 0.5, "em,loose": NaN, "em_stderr,loose": "N/A"}}, "higher_is_better": {"my_task": {"em": false}}, "model_name": "m"}"#;
    let (_folder, mut log) = log(&[(&results, numbers), (&samples, &rows.join("\n"))]);
    assert_eq!(
        found(&mut log),
        [
            "my_task 0 1 m em,strict,one=1 em,loose=1",
            "my_task 1 1 m em,strict,one=0 em,loose=-"
        ]
    );
    assert_eq!(
        texts(&mut log)[1],
        "q1 | t1 | strict,one1 [- - - -] doc_hash=h1"
    );
    assert_eq!(
        checks(&mut log),
        [
            "my_task strict,one em,strict,one equal",
            "my_task strict,one em_stderr,strict,one equal",
            "my_task loose em,loose equal",
            "my_task loose em_stderr,loose: the log says \"N/A\"",
        ]
    );
    assert_eq!(log.direction("em,strict,one"), Some(Direction::Lower));
    assert_eq!(log.about().stamp, STAMP);
    assert_eq!(log.about().status, "success");
}

#[test]
fn old_rows_name_neither_filter_nor_metrics() {
    let old = |doc, value: &str| row(doc, "", &format!(r#""acc": {value}, "note": 7"#));
    let rows = [
        old(0, "true"),
        old(1, "false"),
        "{\"doc_id\"".to_owned(),
        old(0, "1"),
    ];
    let samples = format!("samples_a_{STAMP}.jsonl");
    let results = format!("results_{STAMP}.json");
    let one = r#"{"results": {"a": {"acc,none": 0.5}}, "higher_is_better": {"a": {"acc": true}}, "config": {"model": "hf", "model_args": "pretrained=org/m,x=1"}}"#;
    let (_folder, mut both) = log(&[(&results, one), (&samples, &rows.join("\n"))]);
    // The third row is no JSON, the fourth is a document that was met before: it is shown
    // again, without what is in no number, and whoever keeps records refuses it.
    assert_eq!(
        found(&mut both),
        [
            "a 0 1 org/m acc,none=1",
            "a 1 1 org/m acc,none=0",
            "refused 3 malformed_json",
            "a 0 1 org/m",
        ]
    );
    assert_eq!(
        checks(&mut both),
        ["a none acc,none: 1 rows of samples could not be read"]
    );

    // With two filters in the results a document that comes twice has both.
    let two = r#"{"results": {"a": {"acc,s": 0.5, "acc,l": 1}}, "higher_is_better": {"a": {"acc": true}}, "model_name": "m"}"#;
    let rows = [old(0, "1"), old(1, "0"), old(0, "1"), old(1, "1")];
    let (_folder, mut both) = log(&[(&results, two), (&samples, &rows.join("\n"))]);
    assert_eq!(
        found(&mut both),
        ["a 0 1 m acc,s=1 acc,l=1", "a 1 1 m acc,s=0 acc,l=1"]
    );
    assert_eq!(checks(&mut both), ["a s acc,s equal", "a l acc,l equal"]);
}

#[test]
fn samples_without_results_and_the_other_way_round() {
    let samples = format!("samples_a_b_{STAMP}.jsonl");
    let (_folder, mut alone) = log(&[(&samples, &row(3, "", r#""acc": 0.25"#))]);
    let lines = found(&mut alone);
    assert!(lines[0].starts_with("a_b 3 1 ") && lines[0].ends_with(" acc,none=0.25"));
    assert_eq!(alone.about().status, "no results");
    assert_eq!(checks(&mut alone), [""; 0]);

    let results = format!("results_{STAMP}.json");
    let text = r#"{"results": {"a": {"acc,none": 0.5, "acc_stderr,none": 0.1, "sample_len": 4}}, "model_name": "m", "lm_eval_version": "0.5.0"}"#;
    let (_folder, mut alone) = log(&[(&results, text)]);
    assert_eq!(found(&mut alone), [""; 0]);
    assert_eq!(alone.about().status, "no samples");
    assert_eq!(
        alone.about().notes,
        ["written by lm-eval 0.5.0; 0.4.x was expected"]
    );
    assert_eq!(
        checks(&mut alone),
        [
            "a none acc,none: no samples",
            "a none acc_stderr,none: no samples"
        ]
    );
}

#[test]
fn perplexities_medians_and_scores_of_pairs_are_computed_again() {
    let metrics = |pairs: &str| {
        format!(
            r#"{{"doc_id": {}, "filter": "none", {pairs}}}"#,
            pairs.len()
        )
    };
    let names = r#""metrics": ["word_perplexity", "bits_per_byte", "med", "f1", "mcc", "bleu"]"#;
    let row = |doc: u32, ll: f64, words: u32, med: u32, pair: &str| {
        metrics(&format!(
            r#"{names}, "word_perplexity": [{ll}, {words}], "bits_per_byte": [{ll}, {words}], "med": {med}, "f1": {pair}, "mcc": {pair}, "bleu": ["a", "b"], "pad": "{}""#,
            "x".repeat(doc as usize)
        ))
    };
    let rows = [
        row(0, -1.0, 2, 5, "[1, 1]"),
        row(1, -2.0, 4, 9, "[0, 1]"),
        row(2, -3.0, 6, 1, "[0, 0]"),
    ];
    let value = (6.0f64 / 12.0).exp();
    let results = format!(
        r#"{{"results": {{"t": {{"word_perplexity,none": {value}, "word_perplexity_stderr,none": "N/A", "bits_per_byte,none": {}, "med,none": 5, "med_stderr,none": 0.3, "f1,none": {}, "mcc,none": 0.5, "bleu,none": 3.5, "gone,none": 1}}}}, "configs": {{"t": {{"metric_list": [{{"metric": "word_perplexity"}}, {{"metric": "bits_per_byte"}}, {{"metric": "med", "aggregation": "median"}}, {{"metric": "bleu", "aggregation": "bleu"}}]}}}}}}"#,
        0.5 / std::f64::consts::LN_2,
        2.0 / 3.0
    );
    let (_folder, mut log) = log(&[
        (&format!("results_{STAMP}.json"), &results),
        (&format!("samples_t_{STAMP}.jsonl"), &rows.join("\n")),
    ]);
    let lines = found(&mut log);
    assert!(
        lines[0].contains("word_perplexity,none=[-1,2] "),
        "{lines:?}"
    );
    assert_eq!(
        checks(&mut log),
        [
            "t none word_perplexity,none equal",
            "t none word_perplexity_stderr,none: the log says \"N/A\"",
            "t none bits_per_byte,none equal",
            "t none med,none equal",
            "t none med_stderr,none: a bootstrap cannot be repeated",
            "t none f1,none equal",
            "t none mcc,none equal",
            "t none bleu,none: \"bleu\" is not computed here",
            "t none gone,none: no sample has it",
        ]
    );
}

#[test]
fn log_likelihoods_are_no_perplexity() {
    let row = |doc: u32, value: &str| full(doc, "none", value).replace("\"em\"", "\"perplexity\"");
    let rows = [row(0, "-1.0"), row(1, "-3.0")].join("\n");
    let samples = format!("samples_a_{STAMP}.jsonl");
    let results = format!("results_{STAMP}.json");
    let how = |listed: &str| {
        format!(
            r#"{{"results": {{"a": {{"perplexity,none": 7.38905609893065}}}}, "higher_is_better": {{"a": {{"perplexity": false}}}}, "configs": {{"a": {{"metric_list": [{listed}]}}}}, "model_name": "m"}}"#
        )
    };
    let (name, higher) = ("perplexity_loglikelihood,none", Some(Direction::Higher));
    let said = how(r#"{"metric": "perplexity", "aggregation": "perplexity"}"#);
    let (_folder, mut listed) = log(&[(&results, &said), (&samples, &rows)]);
    assert_eq!(found(&mut listed)[1], format!("a 1 1 m {name}=-3"));
    assert_eq!(listed.direction(name), higher);
    assert!(listed.about().notes[0].contains("of which more is better"));
    assert_eq!(checks(&mut listed), ["a none perplexity,none equal"]);

    // Where nothing says how they are put together, their sign does.
    let (_folder, mut alone) = log(&[(&samples, &rows)]);
    assert!(found(&mut alone)[0].ends_with(&format!(" {name}=-1")));
    assert_eq!(alone.direction(name), higher);
    // A perplexity of each document is one.
    let plain = rows.replace(": -", ": ");
    for listed in ["", r#"{"metric": "perplexity", "aggregation": "mean"}"#] {
        let (_folder, mut mean) = log(&[(&results, &how(listed)), (&samples, &plain)]);
        assert_eq!(found(&mut mean)[1], "a 1 1 m perplexity,none=3");
        assert_eq!(mean.direction("perplexity,none"), Some(Direction::Lower));
    }
}

#[test]
fn tasks_that_disagree_on_what_is_better_leave_it_open() {
    let results = |other: bool| {
        format!(
            r#"{{"results": {{}}, "higher_is_better": {{"a": {{"em": false}}, "b": {{"em": {other}}}}}, "model_name": "m"}}"#
        )
    };
    for (other, expected) in [(false, Direction::Lower), (true, Direction::None)] {
        let (_folder, log) = log(&[
            (&format!("results_{STAMP}.json"), &results(other)),
            (&format!("samples_a_{STAMP}.jsonl"), &full(0, "none", "1")),
            (&format!("samples_b_{STAMP}.jsonl"), &full(0, "none", "1")),
        ]);
        assert_eq!(log.direction("em,none"), Some(expected));
        let notes = &log.about().notes;
        let told = notes.iter().any(|note| note.starts_with("tasks disagree"));
        assert_eq!(told, other, "{notes:?}");
    }
}

#[test]
fn a_group_is_equal_if_either_formula_fits() {
    let rows = |values: &[&str]| {
        let rows = values
            .iter()
            .zip(0..)
            .map(|(value, doc)| full(doc, "none", value));
        rows.collect::<Vec<_>>().join("\n")
    };
    // One half of two, all of one: 2/3 over documents, 3/4 over tasks.
    let text = |logged: f64| {
        format!(
            r#"{{"results": {{"a": {{"em,none": 0.5}}, "b": {{"em,none": 1}}, "top": {{"em,none": {logged}}}}}, "group_subtasks": {{"top": ["g", "top"], "g": ["a", "b"]}}, "model_name": "m"}}"#
        )
    };
    for (logged, expected) in [
        (2.0 / 3.0, "top none em,none equal"),
        (0.75, "top none em,none equal"),
        (0.7, "top none em,none Some(0.7) Some(0.6666666666666666)"),
    ] {
        let (_folder, mut log) = log(&[
            (&format!("results_{STAMP}.json"), &text(logged)),
            (&format!("samples_a_{STAMP}.jsonl"), &rows(&["1", "0"])),
            (&format!("samples_b_{STAMP}.jsonl"), &rows(&["1"])),
        ]);
        assert_eq!(checks(&mut log)[2], expected);
    }
}

#[test]
fn a_stamp_takes_the_files_beside_it() {
    let folder = tempfile::tempdir().expect("folder");
    let other = "2026-11-16T00-00-00.1";
    let names = [
        format!("results_{STAMP}.json"),
        format!("samples_a_{STAMP}.jsonl"),
        format!("samples_b_c_{STAMP}.jsonl"),
        format!("results_{other}.json"),
        format!("samples_a_{other}.jsonl"),
        "readme.json".to_owned(),
    ];
    for name in &names {
        std::fs::write(folder.path().join(name), "{}").expect("written");
    }
    let of = |name: &str| {
        let files = files(&folder.path().join(name)).expect("listed");
        let name = |path: &PathBuf| name_of(path).unwrap().to_owned();
        files.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(of(&names[0]), names[..3]);
    assert_eq!(of(&names[2]), names[..3]);
    assert_eq!(of(&names[4]), names[3..5]);
    assert_eq!(of(&names[5]), names[5..]);
}

#[test]
fn results_that_break_off_are_no_log() {
    let whole = r#"{"results": {"a": {"em,none": 1}}, "configs": {"#;
    for cut in [whole, "{", ""] {
        let folder = tempfile::tempdir().expect("folder");
        let files = written(
            folder.path(),
            &[
                (&format!("results_{STAMP}.json"), cut),
                (&format!("samples_a_{STAMP}.jsonl"), &full(0, "none", "1")),
            ],
        );
        let why = LmEval::open(&files).err().map(|error| error.to_string());
        assert!(why.is_some_and(|why| why.contains("results_") && why.contains("ends within")));
    }
}

#[test]
fn a_row_that_stands_twice_is_in_no_number() {
    let rows = [
        full(0, "none", "1"),
        full(1, "none", "0"),
        full(1, "none", "1"),
    ];
    let (_folder, mut log) = log(&[
        (
            &format!("results_{STAMP}.json"),
            r#"{"results": {"a": {"em,none": 0.5}}}"#,
        ),
        (&format!("samples_a_{STAMP}.jsonl"), &rows.join("\n")),
    ]);
    assert_eq!(found(&mut log).len(), 3);
    assert_eq!(checks(&mut log), ["a none em,none equal"]);
}
