use super::*;
use crate::eval_json::deprecated::Sentinel;

const GOOD: &str = r#"{
  "config_path": "c",
  "backend": "b",
  "metrics": {
    "num_episodes": 2,
    "num_steps": 10,
    "action_type_accuracy": 0.5,
    "mean_coord_error": 0.1,
    "coord_error_count": 4,
    "episode_success_rate": 0.5,
    "click_hit_rate": 0.25
  }
}
"#;

fn found(text: &str) -> (Vec<String>, Vec<String>) {
    let shown = |found: Vec<Problem>| {
        let shown = |p: Problem| format!("{}:{} {}", p.line, p.pointer, p.reason);
        found.into_iter().map(shown).collect()
    };
    let result = validate_text("f", text.as_bytes());
    assert_eq!(result.valid, result.problems.is_empty());
    (shown(result.problems), shown(result.warnings))
}

#[test]
fn a_good_file_is_good() {
    assert_eq!(found(GOOD), (vec![], vec![]));
    let crlf = GOOD.replace('\n', "\r\n");
    assert_eq!(found(&crlf), (vec![], vec![]));
}

#[test]
fn every_problem_has_its_line_and_pointer() {
    for (from, to, problems) in [
        (
            "0.5,\n    \"mean",
            "1.2,\n    \"mean",
            vec!["7:/metrics/action_type_accuracy out_of_range"],
        ),
        (
            "\"num_steps\": 10",
            "\"num_steps\": -1",
            vec!["6:/metrics/num_steps out_of_range"],
        ),
        (
            "\"num_steps\": 10",
            "\"num_steps\": NaN",
            vec!["6:/metrics/num_steps not_a_number"],
        ),
        (
            "0.25",
            "Infinity",
            vec!["11:/metrics/click_hit_rate not_a_number"],
        ),
        (
            "0.25",
            "1e400",
            vec!["11:/metrics/click_hit_rate too_large"],
        ),
        (
            "0.25",
            "\"0.25\"",
            vec!["11:/metrics/click_hit_rate wrong_type"],
        ),
        (
            "0.25",
            "0.25, \"num_steps\":\n 10",
            vec!["12:/metrics/num_steps duplicate_key"],
        ),
        (
            "\"num_steps\": 10,",
            "",
            vec!["4:/metrics/num_steps missing"],
        ),
        (
            "\"coord_error_count\": 4",
            "\"coord_error_count\": 0",
            vec![
                "8:/metrics/mean_coord_error inconsistent",
                "11:/metrics/click_hit_rate inconsistent",
            ],
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": \"b\", \"schema_version\": \"2.0\"",
            vec!["3:/schema_version version"],
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": \"b\", \"schema_version\": 1",
            vec!["3:/schema_version version"],
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": null",
            vec!["3:/backend wrong_type"],
        ),
        ("}\n}", "}", vec!["13: not_json"]),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD);
        assert_eq!(found(&text).0, problems, "{to}");
    }
    for lost in ["Infinity", "1e400"] {
        let warnings = found(&GOOD.replacen("0.25", lost, 1)).1;
        assert_eq!(warnings, [""; 0], "null is what was read, and not written");
    }
    assert_eq!(found("[]").0, ["1: not_an_eval"]);
    assert_eq!(found("{\"name\": \"x\"}").0, ["1: not_an_eval"]);
    assert_eq!(found("").0, ["1: not_json"]);
}

#[test]
fn what_is_odd_but_possible_is_a_warning() {
    for (from, to, warning) in [
        (
            "0.25",
            "0.25, \"click_hit_rate_ci\": [0.3, 0.2]",
            "11:/metrics/click_hit_rate_ci interval",
        ),
        (
            "0.25",
            "0.25, \"click_hit_rate_ci\": [0.3, 0.4]",
            "11:/metrics/click_hit_rate_ci interval",
        ),
        (
            "0.25",
            "0.25, \"click_hit_rate_ci\": [-0.1, 0.4]",
            "11:/metrics/click_hit_rate_ci interval",
        ),
        (
            "0.25",
            "0.25, \"bbox_hit_rate\": null, \"bbox_hit_rate_ci\": [0, 1]",
            "11:/metrics/bbox_hit_rate_ci interval",
        ),
        ("0.25", "null", "11:/metrics/click_hit_rate inconsistent"),
        (
            ",\n    \"click_hit_rate\": 0.25",
            "",
            "4:/metrics/click_hit_rate missing",
        ),
        (
            "0.25",
            "0.25, \"element_accuracy\": 0.5",
            "11:/metrics/element_accuracy wrong_mode",
        ),
        (
            "0.25",
            "0.25, \"elment_accuracy\": 0.5",
            "11:/metrics/elment_accuracy unknown_metric",
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": \"b\", \"dsl_mode\": \"sum\"",
            "3:/dsl_mode unknown_mode",
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": \"b\", \"schema_version\": \"1.7\"",
            "3:/schema_version version",
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": \"b\", \"counts\": {\"coord_errors\": 4, \"click_hits\": 3}",
            "3:/counts/click_hits inconsistent",
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": \"b\", \"notes\": \"as people write\"",
            "3:/notes wrong_type",
        ),
        (
            "\"backend\": \"b\"",
            "\"backend\": \"b\", \"counts\": {\"click\": [3]}",
            "3:/counts/click wrong_type",
        ),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_eq!(found(&text), (vec![], vec![warning.to_owned()]), "{to}");
    }
    let som = GOOD.replacen("\"b\"", "\"b\", \"dsl_mode\": \"som\"", 1);
    assert_eq!(found(&som).1.len(), 2);
    let hits = "\"b\", \"counts\": {\"coord_errors\": 4, \"click_hits\": 5}";
    assert_eq!(
        found(&GOOD.replacen("\"b\"", hits, 1)).0,
        ["3:/counts/click_hits inconsistent"]
    );
}

#[test]
fn numbers_out_of_range_are_problems_wherever_they_stand() {
    let text = GOOD.replacen(
        "\"b\"",
        r#""b", "counts": {"x": -1}, "metrics_by_action_type": {"click": {"click_hit_rate": 2, "own": 3}}"#,
        1,
    );
    assert_eq!(
        found(&text).0,
        [
            "3:/counts/x out_of_range",
            "3:/metrics_by_action_type/click/click_hit_rate out_of_range"
        ]
    );
}

#[test]
fn nothing_to_measure_is_null_and_valid() {
    let empty = r#"{"config_path": "c", "backend": "b", "metrics": {"num_episodes": 0,
        "num_steps": 0, "action_type_accuracy": null, "mean_coord_error": null,
        "coord_error_count": 0, "episode_success_rate": null, "click_hit_rate": null}}"#;
    let (problems, warnings) = found(empty);
    assert_eq!((problems.len(), warnings.len()), (0, 2));
}

#[test]
fn old_files_are_pointed_to_migration() {
    let result = validate_text("f", br#"{"click_hit_rate": 0.5}"#);
    assert_eq!(result.version.as_deref(), Some("before 1.0"));
    let hint = result
        .problems
        .iter()
        .find(|p| p.pointer == "/metrics")
        .unwrap();
    assert!(hint.detail.contains("judica schema migrate"));
}

#[test]
fn a_deprecated_metric_is_warned_about_unless_it_holds_its_sentinel() {
    let table = [Deprecated {
        name: "click_hit_rate",
        since: "1.9",
        sentinel: Sentinel::Null,
        note: "Use `bbox_hit_rate`.",
    }];
    let warnings = |text: &str| with_deprecated("f", text.as_bytes(), &table).warnings;
    let used = warnings(GOOD);
    assert!(used.len() == 1 && used[0].detail.contains("since 1.9"));
    let unused = warnings(&GOOD.replace("0.25", "null"));
    assert!(unused.iter().all(|warning| warning.reason != "deprecated"));
}

#[test]
fn tables_hold_every_finding() {
    let bad = validate_text("f", GOOD.replace("10,", "-10,").as_bytes());
    let shown = tables(&[bad, validate_text("g", GOOD.as_bytes())]);
    assert_eq!((shown[0].rows.len(), shown[1].rows.len()), (2, 1));
    assert_eq!(tables(&[validate_text("g", GOOD.as_bytes())]).len(), 1);
}
