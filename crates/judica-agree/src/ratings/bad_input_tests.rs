//! What cannot be used is named, and never more than that is lost.

use super::tests::{CSV, Case, close, nominal, reasons};
use super::*;
use judica_model::exit_code::ExitCode;
use judica_model::metric::MetricValue;

#[test]
fn missing_ratings_are_counted_and_named() {
    let text = "item,rater,value\n1,a,x\n1,b,\n2,a,\n2,b,  \n3,a,y\n3,b,y\n3,c,\n1,b,x\n";
    let (report, rejects) = nominal("a.csv", text);
    assert!(rejects.is_empty());
    assert_eq!((report.rows, report.ratings, report.missing), (8, 4, 4));
    assert_eq!((report.items, report.raters), (3, 3));
    assert_eq!(
        (
            report.unrated_items.count,
            &report.unrated_items.examples[..]
        ),
        (1, &["2".to_owned()][..])
    );
    assert_eq!(
        (
            report.silent_raters.count,
            &report.silent_raters.examples[..]
        ),
        (1, &["c".to_owned()][..])
    );
    assert!(close(&report.coefficients.cohen_kappa, 1.0));
    let json = "{\"item\":1,\"rater\":\"a\",\"value\":null}\n{\"item\":1,\"rater\":\"b\",\"value\":\"\"}\n";
    let (report, _) = nominal("a.jsonl", json);
    assert_eq!(
        (
            report.missing,
            report.unrated_items.count,
            report.silent_raters.count
        ),
        (2, 1, 2)
    );
}

#[test]
fn bad_rows_are_refused_one_by_one() {
    let text = "item,rater,value\n,a,x\n1,,x\n1,a,x\n1,a,x\n1,a,y\n1\n1,b,x\n";
    let (report, rejects) = nominal("a.csv", text);
    assert_eq!(
        reasons(&rejects),
        [
            (2, "missing_item"),
            (3, "missing_rater"),
            (5, "duplicate_rating"),
            (6, "conflicting_rating"),
            (7, "wrong_field_count"),
        ]
    );
    assert_eq!(
        rejects[3].detail,
        "`a` rated `1` before, as `x` and not `y`; --item A,B,… names an item by several columns \
         together"
    );
    assert_eq!(
        (rejects[4].byte_offset, rejects[4].raw.kept()),
        (45, &b"1"[..])
    );
    assert_eq!(report.ratings, 2);
    // A value that was refused is no category.
    assert_eq!(report.labels.unwrap(), ["x"]);
    let mut refused = report.refused.by_reason();
    assert!(refused.any(|kind| kind == ("conflicting_rating", 1)));
}

#[test]
fn bad_json_rows_are_refused_one_by_one() {
    let text = concat!(
        "{\"item\": 1, \"rater\": \"a\", \"value\": {\"x\": 1}}\n",
        "{\"item\": 1, \"rater\": \"a\", \"value\": [1]}\n",
        "{\"item\": [1], \"rater\": \"a\", \"value\": 1}\n",
        "{\"item\": NaN, \"rater\": \"a\", \"value\": 1}\n",
        "{\"item\": 1, \"rater\": null, \"value\": 1}\n",
        "{\"item\": 1, \"rater\": \"a\"}\n",
        "{\"item\": 1, \"rater\": \"a\", \"value\": NaN}\n",
        "{\"item\": 1, \"rater\": \"a\", \"value\": -Infinity}\n",
        "{\"item\": 1, \"rater\": \"a\", \"value\": 1e999}\n",
        "{\"item\": 1, \"rater\": \"a\", \"value\": 1\n",
        "[1]\n",
        "hello\n",
        "{} {}\n",
        "{\"item\": \"\\u0031\", \"rater\": \"a\", \"value\": 1.0, \"value\": true}\n",
        "{\"item\": 1.0, \"rater\": \"a\", \"value\": \"true\"}\n",
    );
    let (report, rejects) = nominal("a.jsonl", text);
    assert_eq!(
        reasons(&rejects),
        [
            (1, "wrong_type"),
            (2, "wrong_type"),
            (3, "wrong_type"),
            (4, "missing_item"),
            (5, "missing_rater"),
            (6, "missing_value"),
            (7, "not_finite"),
            (8, "not_finite"),
            (9, "not_finite"),
            (10, "malformed_json"),
            (11, "not_an_object"),
            (12, "malformed_json"),
            (13, "malformed_json"),
            (15, "duplicate_rating"),
        ]
    );
    assert_eq!(
        (report.ratings, report.labels.unwrap()),
        (1, vec!["true".to_owned()])
    );
    let array =
        "[{\"item\": 1, \"rater\": 1, \"value\": 1} {\"item\": 1, \"rater\": 2, \"value\": 1}]";
    let (report, rejects) = nominal("a.json", array);
    assert_eq!(reasons(&rejects), [(1, "malformed_json")]);
    assert_eq!(report.ratings, 1);
    let broken = b"{\"item\": 1, \"rater\": \"a\", \"value\": \"x\"}\n{\"item\": \"\xff\"}\n";
    let case = Case::new(Level::Nominal).file("a.jsonl", broken);
    assert_eq!(reasons(&case.run().unwrap().1), [(2, "invalid_utf8")]);
}

#[test]
fn strict_ends_at_the_first_bad_row() {
    let mut case = Case::new(Level::Nominal).file("a.csv", "item,rater,value\n1,a,x\n1,,x\n");
    case.request.strict = true;
    let (message, code) = case.failure();
    assert_eq!(
        message,
        "a.csv:3: missing_rater: the row does not say who rated it"
    );
    assert_eq!(code, ExitCode::BadInput);
}

#[test]
fn numbers_at_the_interval_and_ratio_level() {
    let text =
        "item,rater,value\n1,a,1.5\n1,b,1.50\n2,a,-3\n2,b,NaN\n3,a,inf\n3,b,x\n4,a,2\n4,b,2\n";
    for (level, notes) in [(Level::Interval, 0), (Level::Ratio, 1)] {
        let (report, rejects) = Case::new(level).file("a.csv", text).run().unwrap();
        assert_eq!(
            reasons(&rejects),
            [(5, "not_finite"), (6, "not_finite"), (7, "not_a_number")]
        );
        assert_eq!(report.labels.unwrap(), ["-3", "1.5", "2"]);
        assert!(close(&report.coefficients.krippendorff_alpha, 1.0));
        assert_eq!(report.notes.len(), notes, "{:?}", report.notes);
        assert_eq!(report.unrated_items.examples, ["3"]);
    }
}

#[test]
fn ordinal_values_need_an_order() {
    let words = "item,rater,value\n1,a,low\n1,b,high\n2,a,mid\n2,b,mid\n3,a,bad\n";
    let mut case = Case::new(Level::Ordinal).file("a.csv", words);
    let (message, code) = case.failure();
    assert!(
        message.starts_with("a.csv:2: `low` is not a number"),
        "{message}"
    );
    assert!(message.contains("--order"));
    assert_eq!(code, ExitCode::BadInput);
    case.request.options.order = Some(["low", "mid", "high"].map(str::to_owned).to_vec());
    let (report, rejects) = case.run().unwrap();
    assert_eq!(reasons(&rejects), [(6, "unknown_value")]);
    assert_eq!(report.labels.unwrap(), ["low", "mid", "high"]);
    assert_eq!(report.weights, "ordinal");
    let numbers = "item,rater,value\n1,a,10\n1,b,9\n2,a,9.0\n2,b,9\n";
    let (report, _) = Case::new(Level::Ordinal)
        .file("a.csv", numbers)
        .run()
        .unwrap();
    assert_eq!(report.labels.unwrap(), ["9", "10"]);
}

#[test]
fn columns_that_cannot_be_told_end_the_run() {
    for (name, text, message) in [
        (
            "a.csv",
            "item,rater\n1,a\n",
            "a.csv: no column for the value; name it with --value; columns found: `item`, `rater`",
        ),
        (
            "a.csv",
            "item,rater,score,label\n",
            "a.csv: the value may be any of `score`, `label`; say which with --value; columns found: `item`, `rater`, `score`, `label`",
        ),
        (
            "a.csv",
            "1,ann,3\n",
            "a.csv: no column for the item; name it with --item; columns found: `1`, `ann`, `3`",
        ),
        (
            "a.jsonl",
            "{\"item\": 1, \"who\": 2, \"value\": 3}\n",
            "a.jsonl: no column for the rater; name it with --rater; columns found: `item`, `who`, `value`",
        ),
        (
            "a.jsonl",
            "{\"id\": 1, \"unit\": 2, \"rater\": 3, \"value\": 4}\n",
            "a.jsonl: the item may be any of `id`, `unit`; say which with --item; columns found: `id`, `unit`, `rater`, `value`",
        ),
    ] {
        let case = Case::new(Level::Nominal).file(name, text);
        let (said, code) = case.failure();
        let (first, more) = said.split_once('\n').unwrap();
        assert_eq!((first, code), (message, ExitCode::BadInput));
        assert!(more.starts_with("  judica look "), "{more}");
    }
    let mut case =
        Case::new(Level::Nominal).file("a.jsonl", "{\"item\":1,\"rater\":2,\"value\":3}\n");
    case.request.options.columns.value = Some("vlaue".to_owned());
    let (message, _) = case.failure();
    assert!(
        message.starts_with("a.jsonl: no column `vlaue`; columns found"),
        "{message}"
    );
}

#[test]
fn nothing_to_measure_is_no_failure() {
    for (name, text) in [
        ("a.csv", ""),
        ("a.csv", "item,rater,value\n"),
        ("a.jsonl", ""),
        ("a.json", "[]"),
        ("a.json", ""),
        ("a", "\n\n"),
    ] {
        for level in Level::ALL {
            let (report, _) = Case::new(level).file(name, text).run().unwrap();
            assert_eq!((report.rows, report.items, report.categories), (0, 0, 0));
            for (key, value) in report.coefficients.named() {
                let MetricValue::Undefined { reason } = value else {
                    panic!("{key} is defined");
                };
                assert_eq!(reason, "no item was rated", "{key}");
            }
            assert!(!tables(&report).is_empty());
        }
    }
}

#[test]
fn degenerate_tables_have_reasons() {
    let (one_rater, _) = nominal("a.csv", "item,rater,value\n1,a,x\n2,a,y\n");
    let (one_value, _) = nominal("a.csv", "item,rater,value\n1,a,x\n1,b,x\n2,a,x\n2,b,x\n");
    let reason = |value: &MetricValue| match value {
        MetricValue::Undefined { reason } => reason.clone(),
        MetricValue::Defined { .. } => String::new(),
    };
    let found = &one_rater.coefficients;
    assert_eq!(
        reason(&found.krippendorff_alpha),
        "needs at least two raters"
    );
    assert_eq!(reason(&found.cohen_kappa), "needs at least two raters");
    assert_eq!(one_rater.pairwise.unwrap(), []);
    let found = &one_value.coefficients;
    assert_eq!(found.percent_agreement.value(), Some(1.0));
    assert_eq!(
        reason(&found.krippendorff_alpha),
        "only one category was used"
    );
}

#[test]
fn all_refused_leaves_items_and_raters_named() {
    let text = "item,rater,value\n1,a,x\n2,b,y\n";
    let (report, _) = Case::new(Level::Interval)
        .file("a.csv", text)
        .run()
        .unwrap();
    assert_eq!((report.ratings, report.refused.total()), (0, 2));
    assert_eq!(
        (report.unrated_items.count, report.silent_raters.count),
        (2, 2)
    );
}

#[test]
fn a_crowd_takes_room_for_what_it_said_only() {
    let mut hooks = Hooks {
        reject: &mut |_| Ok(()),
        progress: &|_| (),
        interrupted: &AtomicBool::new(false),
    };
    let scale = Scale::new(Level::Nominal, None).unwrap();
    let mut loader = Loader::new(scale, false, false, &mut hooks);
    let mut row = |item: usize, rater: usize| {
        let (item, rater) = (item.to_string(), rater.to_string());
        let fields = [&item[..], &rater[..], "x"].map(value::Field::text);
        let place = load::Place {
            file: "f",
            record: &judica_data::chunks::RawRecord::new(1, 1, 0, b""),
        };
        let about = load::About {
            epoch: 1,
            cluster: None,
            usage: [None; 4],
        };
        loader.row(fields, place, &about)
    };
    // A table of all items and raters would have ten billion cells.
    for i in 0..100_000 {
        row(i, i).unwrap();
    }
    row(0, 1).unwrap();
    row(99_999, 0).unwrap();
    assert_eq!(loader.cells.len(), 100_002);
    let silent = loader.cells.silent(loader.raters.len());
    assert!(silent.is_empty());
}

#[test]
fn requests_that_make_no_sense() {
    let failure = |change: &dyn Fn(&mut RatingsRequest)| {
        let mut case = Case::new(Level::Interval).file("a.csv", CSV);
        change(&mut case.request);
        let (message, code) = case.failure();
        assert_eq!(code, ExitCode::BadInput);
        message
    };
    assert_eq!(failure(&|r| r.inputs.clear()), "no input was given");
    let twice = failure(&|r| r.inputs = vec![run::input(RATINGS, Path::new(STDIN)); 2]);
    assert_eq!(twice, "standard input can be given only once");
    assert!(failure(&|r| r.options.bootstrap.confidence = 1.0).contains("--confidence"));
    assert!(failure(&|r| r.options.order = Some(vec!["a".into()])).starts_with("--order"));
    let case = Case::new(Level::Nominal);
    let mut missing = case.request.clone();
    let none = case.folder.path().join("none.csv");
    missing.inputs.push(run::input(RATINGS, &none));
    let missing = Case {
        request: missing,
        ..case
    };
    assert_eq!(
        missing.failure(),
        (
            "SYSTEM_ERROR: none.csv: no such file".into(),
            ExitCode::SystemError
        )
    );
}

#[test]
fn an_interrupted_run_says_so() {
    let case = Case::new(Level::Nominal).file("a.jsonl", "{\"item\":1,\"rater\":1,\"value\":1}\n");
    let stopped = measure(
        &case.request,
        &mut Hooks {
            reject: &mut |_| Ok(()),
            progress: &|_| (),
            interrupted: &AtomicBool::new(true),
        },
    );
    assert!(matches!(stopped, Err(WorkError::Interrupted)));
}
