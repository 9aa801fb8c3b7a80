//! Dimensions, worked out by hand, in a record and through a run.

use serde_json::{Value, json};

use crate::protocol::Protocol;
use crate::protocol::load::parse;
use crate::test_support::{Bench, output};

const SOURCE: &str = r#"[protocol]
name = "tiny"
version = "1"
[[field]]
name = "Speed"
alias = "speed"
limit = [0, 100]
[[field]]
name = "Course"
alias = "course"
kind = "angle"
limit = [0, 360]
[[field]]
name = "Note"
alias = "note"
required = false
[[task]]
name = "one"
shape = "scalar"
[[family]]
name = "physics"
[[rule]]
family = "physics"
id = "fast"
value = "speed"
levels = [{ below = 10, score = 1.0 }, { below = 20, score = 0.5, severity = "critical" }]
else = { score = 0.0, severity = "warning" }
message = "fast"
[[dimension]]
name = "D1"
kind = "fields"
[[dimension]]
name = "D2"
families = ["numeric_validity", "range_sanity"]
weight = 3
[[dimension]]
name = "D3"
families = ["physics"]
[[dimension]]
name = "D5"
kind = "error"
[scores]
total = "dimensions"
gate = "D1"
"#;

fn protocol() -> Protocol {
    parse(SOURCE, "tiny").unwrap_or_else(|errors| panic!("{errors}"))
}

/// The scores of one answer.
#[track_caller]
fn scores(answer: impl Into<Value>, gold: Option<Value>) -> Value {
    let mut sample = json!({"sample_id": "s", "task_id": "one"});
    if let Some(gold) = gold {
        sample["gold"] = json!({"next_second": gold});
    }
    let bench = Bench::new(protocol(), &[sample]);
    let run = bench.run(&[output("m", "s", answer)]);
    let record: Value = serde_json::from_str(&bench.render(&run)[0]).expect("JSON");
    record["optional_scores"].clone()
}

#[track_caller]
fn dimensions(scores: &Value, wanted: [Option<f64>; 4], total: f64) {
    let found = ["D1", "D2", "D3", "D5"].map(|name| scores["dimensions"][name].as_f64());
    for (found, wanted) in found.iter().zip(&wanted) {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let same = match (found, wanted) {
            (Some(a), Some(b)) => near(*a, *b),
            (a, b) => a.is_none() && b.is_none(),
        };
        assert!(same, "{scores} {wanted:?}");
    }
    let found = scores["total_score"].as_f64().unwrap_or(f64::NAN);
    assert!((found - total).abs() < 1e-9, "{scores} {total}");
}

#[test]
fn worked_by_hand() {
    // All right: an error of 0.
    let right = json!({"Speed": 5, "Course": 10});
    let all = [Some(100.0); 4];
    dimensions(&scores(right.clone(), Some(right.clone())), all, 100.0);
    // Without gold there is no error, and the others make the total.
    let without = [Some(100.0), Some(100.0), Some(100.0), None];
    dimensions(&scores(right, None), without, 100.0);
    // A speed of 150 is outside by half of the width (warning), and beyond the levels. Across
    // north the course is 20 off, of 360; the speed 100, of 100.
    let wrong = scores(
        json!({"Speed": 150, "Course": 350}),
        Some(json!({"Speed": 50, "Course": 10})),
    );
    let d2 = 100.0 * (3.0 * 0.5) / (3.0 * 0.5 + 1.0);
    let (a, b) = (1.0, 20.0 / 360.0);
    let (mae, rmse) = ((a + b) / 2.0, f64::sqrt((a * a + b * b) / 2.0));
    let d5 = 100.0 * ((1.0 - mae) + (1.0 - rmse)) / 2.0;
    let total = (100.0 + 3.0 * d2 + 0.0 + d5) / 6.0;
    dimensions(&wrong, [Some(100.0), Some(d2), Some(0.0), Some(d5)], total);
    // A level's severity weighs, and half a score is half a score.
    let half = scores(json!({"Speed": 15, "Course": 0}), None);
    dimensions(
        &half,
        [Some(100.0), Some(100.0), Some(50.0), None],
        (100.0 + 300.0 + 50.0) / 5.0,
    );
    // An unusable value is no missing field: it lowers the share and is scored.
    let unusable = scores(json!({"Speed": null, "Course": 0}), None);
    let d2 = 100.0 * (2.0 * 0.5) / (2.0 * 0.5 + 3.0);
    dimensions(
        &unusable,
        [Some(50.0), Some(d2), None, None],
        (50.0 + 3.0 * d2) / 4.0,
    );
    assert_eq!(unusable["gating"]["passed"], true);
    assert_eq!(unusable["availability_score"], Value::Null);
    // Errors beyond every width, and beyond every number, leave nothing.
    let huge = json!({"Speed": 1e308, "Course": 0});
    let huge = scores(huge, Some(json!({"Speed": -1e308, "Course": 0})));
    assert_eq!(huge["dimensions"]["D5"].as_f64(), Some(0.0));
}

#[test]
fn the_gate_filters_what_does_not_parse_or_lacks_a_required_field() {
    let gold = || Some(json!({"Speed": 5, "Course": 10}));
    for (answer, why) in [
        (
            json!("no answer"),
            "D1: the response holds no usable object",
        ),
        (
            json!({"Speed": 5, "Note": 1}),
            "D1: 1 required field is missing",
        ),
        (json!({}), "D1: 2 required fields are missing"),
    ] {
        let scores = scores(answer, gold());
        dimensions(&scores, [Some(0.0), None, None, None], 0.0);
        assert_eq!(scores["gating"]["passed"], false);
        assert_eq!(scores["gating"]["reasons"], json!([why]));
        assert_eq!(scores["gating"]["grade"], "X");
        assert_eq!(scores["undefined"], "gated");
    }
    // Nothing else makes a record ineligible, not even what is critical.
    let critical = scores(json!({"Speed": 1e6, "Course": 10}), gold());
    assert_eq!(critical["gating"]["passed"], true);
    assert!(critical["total_score"].as_f64() > Some(0.0));
}

#[test]
fn scores_beside_a_total_of_dimensions_are_null_for_a_reason() {
    let three = format!(
        "{SOURCE}weights = {{ availability = 0.2, constraint_satisfaction = 0.3, \
         conditional_error = 0.5 }}\nmae_weight = 1\nrmse_weight = 0\n\
         mae_curve = [[0, 100], [1, 0]]\nrmse_curve = [[0, 100], [1, 0]]\n"
    );
    let answer = json!({"Speed": 5, "Course": 10});
    for source in [SOURCE, &three] {
        for (gold, why) in [
            (json!({"sample_id": "s"}), Some("no usable gold")),
            (json!({"sample_id": "s", "gold": answer}), None),
        ] {
            let protocol = parse(source, "tiny").unwrap_or_else(|errors| panic!("{errors}"));
            let bench = Bench::new(protocol, &[gold]);
            let run = bench.run(&[output("m", "s", answer.clone())]);
            let record: Value = serde_json::from_str(&bench.render(&run)[0]).expect("JSON");
            let scores = &record["optional_scores"];
            assert_eq!(scores["undefined"].as_str(), why);
            assert!(scores["total_score"].is_number());
        }
    }
}

#[test]
fn a_null_that_is_an_answer_is_a_usable_field() {
    let source = SOURCE.replacen("limit = [0, 100]", "limit = [0, 100]\nnullable = true", 1);
    let protocol = parse(&source, "tiny").unwrap_or_else(|errors| panic!("{errors}"));
    let sample = json!({"sample_id": "s", "task_id": "one"});
    let bench = Bench::new(protocol, &[sample]);
    for (answer, share) in [
        (json!({"Speed": null, "Course": 10}), 100.0),
        (json!({"Speed": 5, "Course": 10}), 100.0),
        (json!({"Speed": null, "Course": null}), 50.0),
    ] {
        let run = bench.run(&[output("m", "s", answer.clone())]);
        let record: Value = serde_json::from_str(&bench.render(&run)[0]).expect("JSON");
        let found = record["optional_scores"]["dimensions"]["D1"].as_f64();
        assert_eq!(found, Some(share), "{answer}");
    }
}
