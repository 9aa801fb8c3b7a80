//! Whole checks: files in, results out.

use std::path::PathBuf;

use judica_model::gate::GateResult;
use serde_json::{Value, json};

use super::*;

mod compare;
mod significance;

/// A folder with the files of one check.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(report: &Value, gates: &str) -> Self {
        let case = Case {
            folder: tempfile::tempdir().unwrap(),
        };
        case.write("report.json", &report.to_string());
        case.write("gates.toml", &format!("version = 1\n{gates}"));
        case
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn check(
        &self,
        baseline: Option<&Value>,
        allow_undefined: bool,
    ) -> Result<CheckReport, String> {
        let baseline = baseline.map(|value| self.write("old.json", &value.to_string()));
        let request = CheckRequest {
            report: self.folder.path().join("report.json"),
            gates: self.folder.path().join("gates.toml"),
            baseline,
            allow_undefined,
        };
        let folder = format!("{}/", self.folder.path().display());
        check(&request).map_err(|error| {
            assert_eq!(error.exit_code().code(), 2, "{error}");
            error.to_string().replace(&folder, "")
        })
    }

    /// The result of the only gate.
    fn result(&self, baseline: Option<&Value>) -> Result<GateResult, String> {
        self.check(baseline, false)
            .map(|mut report| report.gates.remove(0))
    }
}

fn gate(metric: &str, rest: &str) -> String {
    format!("[[gate]]\nname = \"g\"\nmetric = \"{metric}\"\n{rest}\n")
}

fn held(report: &Value, baseline: Option<&Value>, metric: &str, rest: &str) -> GateResult {
    Case::new(report, &gate(metric, rest))
        .result(baseline)
        .unwrap()
}

#[test]
fn the_report_of_a_check() {
    let gates = gate("/kappa", "op = \">=\"\nthreshold = 0.75\nnote = \"why\"");
    let case = Case::new(
        &json!({"kappa": {"value": 0.71, "n": 40, "ci": [0.5, 0.9]}}),
        &gates,
    );
    let report = serde_json::to_value(case.check(None, false).unwrap()).unwrap();
    assert_eq!(
        report,
        json!({
            "schema_version": 1, "status": "FAIL", "report": "report.json",
            "gates_file": "gates.toml", "baseline": null,
            "gates": [{"name": "g", "metric": "/kappa", "value": 0.71, "op": ">=",
                "threshold": 0.75, "pass": false, "vacuous": false,
                "note": "n 40; interval [0.5, 0.9]; why"}],
            "gates_pass": false
        })
    );
    let tables = tables(&case.check(None, false).unwrap());
    assert_eq!(tables[0].title, "FAIL: report.json by gates.toml");
    assert_eq!(tables[0].rows.len(), 1);
}

#[test]
fn undefined_metrics_fail_with_their_reason_unless_they_are_allowed() {
    let report = json!({"m": {"value": null, "undefined": "no items"}, "bare": null,
        "kappa": 0.0, "kappa_undefined": true, "metrics": {"f1": null, "a/b": null},
        "undefined": {"f1": "no answers", "a/b": "no pairs"},
        "score": {"mean": null, "undefined": "no eligible samples"},
        "none": {"value": 0.0, "n": 0}, "zero": {"value": 0, "undefined": "no rows"},
        "flag": {"value": 1.0, "undefined": true}, "said": 1.0, "said_undefined": "no runs"});
    for (pointer, reason) in [
        ("/m", "no items"),
        ("/bare", "null in the report"),
        ("/kappa", "/kappa_undefined is true"),
        ("/metrics/f1", "no answers"),
        ("/metrics/a~1b", "no pairs"),
        ("/score/mean", "no eligible samples"),
        ("/none", "it rests on no items (n 0)"),
        ("/none/value", "it rests on no items (n 0)"),
        ("/zero", "no rows"),
        ("/zero/value", "no rows"),
        ("/flag", "`undefined` is true"),
        ("/said", "no runs"),
    ] {
        for op in [
            "op = \">=\"\nthreshold = 1",
            "op = \"lower_bound_at_least\"\nthreshold = 1",
        ] {
            let case = Case::new(&report, &gate(pointer, op));
            for allowed in [false, true] {
                let result = case.check(None, allowed).unwrap().gates.remove(0);
                assert_eq!(
                    (result.vacuous, result.pass, result.value),
                    (true, allowed, None)
                );
                assert_eq!(result.note.as_deref(), Some(reason));
            }
        }
    }
    // What says nothing of the kind is a number.
    for text in ["", " "] {
        let defined = json!({"m": {"value": 1.0, "n": 1, "undefined": text, "m_undefined": text}});
        let rule = "op = \">=\"\nthreshold = 1";
        assert!(held(&defined, None, "/m", rule).pass);
        assert!(held(&defined, None, "/m/value", rule).pass);
    }
    let old = json!({"m": 0.5, "kappa": {"value": null}});
    let rule = "op = \"max_drop\"\nthreshold = 0";
    let result = held(&json!({"kappa": 0.5}), Some(&old), "/kappa", rule);
    assert!(result.vacuous && !result.pass);
    assert!(
        result
            .note
            .unwrap()
            .starts_with("undefined in the baseline: null")
    );
}

#[test]
fn a_gate_says_itself_what_an_undefined_metric_means() {
    let rule = |vacuous: &str| {
        let rest = format!("op = \">=\"\nthreshold = 1\nvacuous = \"{vacuous}\"");
        Case::new(&json!({"m": null}), &gate("/m", &rest))
    };
    for (word, allowed, pass) in [
        ("pass", false, true),
        ("pass", true, true),
        ("fail", false, false),
        ("fail", true, false),
    ] {
        let result = rule(word).check(None, allowed).unwrap().gates.remove(0);
        assert_eq!(
            (result.vacuous, result.pass),
            (true, pass),
            "{word} {allowed}"
        );
    }
    let message = rule("pas").result(None).unwrap_err();
    assert!(
        message.contains("`vacuous` is \"fail\" or \"pass\"") && message.contains("`pass`?"),
        "{message}"
    );
    // It never makes a number pass.
    let rest = "op = \">=\"\nthreshold = 1\nvacuous = \"pass\"";
    assert!(!held(&json!({"m": 0.5}), None, "/m", rest).pass);
    // Nor does it make up for items that are missing.
    for (n, pass) in [(json!(null), false), (json!(0), false), (json!(5), true)] {
        let report = json!({"m": {"value": null, "n": n, "undefined": "no items"}});
        let result = held(&report, None, "/m", &format!("{rest}\nmin_n = 5"));
        assert_eq!((result.vacuous, result.pass), (true, pass), "{n}");
        let note = result.note.unwrap();
        assert_eq!(note.contains("min_n is 5"), !pass, "{note}");
    }
}

#[test]
fn what_is_missing_or_no_metric_is_an_error_and_never_a_pass() {
    let report = json!({"metrics": {"kappa": 0.5, "name": "x", "ok": true,
        "odd": {"value": "high"}, "bad": {"value": 1, "ci": [2, 1]}}});
    let rule = "op = \">=\"\nthreshold = 0";
    for (pointer, says) in [
        (
            "/metrics/kapa",
            "gates.toml:4:10: gate `g`: no metric at `/metrics/kapa` in report.json \
            (did you mean `/metrics/kappa`?)",
        ),
        ("/kappa", "(did you mean `/metrics/kappa`?)"),
        (
            "/metrics",
            "`/metrics` in report.json is an object; a number or an object with `value` \
            is needed (did you mean `/metrics/kappa`?)",
        ),
        ("/metrics/name", "is a string"),
        ("/metrics/ok", "is a boolean"),
        ("/metrics/odd", "has a `value` that is a string"),
        (
            "/metrics/bad",
            "`/metrics/bad/ci` in report.json is not an interval",
        ),
    ] {
        let message = Case::new(&report, &gate(pointer, rule))
            .result(None)
            .unwrap_err();
        assert!(message.contains(says), "{message}\nshould say\n{says}");
    }
    let message = Case::new(
        &report,
        &gate("/metrics/kappa", "op = \"max_drop\"\nthreshold = 0"),
    )
    .result(None)
    .unwrap_err();
    assert!(
        message.contains(
            "gates.toml:5:6: gate `g`: max_drop compares with an older report \
        (give one with --baseline)"
        ),
        "{message}"
    );
    let case = Case::new(
        &json!({"kappa": 1}),
        &gate("/kappa", "op = \"max_drop\"\nthreshold = 0"),
    );
    let message = case.result(Some(&json!({"kapa": 1}))).unwrap_err();
    assert!(message.contains("no metric at `/kappa` in old.json (did you mean `/kapa`?)"));
    let bound = "op = \"lower_bound_at_least\"\nthreshold = 0";
    let message = Case::new(&json!({"kappa": 1}), &gate("/kappa", bound))
        .result(None)
        .unwrap_err();
    assert!(message.contains("the metric at `/kappa` in report.json has no interval"));
}

#[test]
fn all_gates_that_find_nothing_are_named_at_once() {
    let two = gate("/a", "op = \">=\"\nthreshold = 0") + &gate("/b", "op = \">=\"\nthreshold = 0");
    let two = two.replacen("\"g\"", "\"h\"", 1);
    let message = Case::new(&json!({}), &two).check(None, false).unwrap_err();
    assert_eq!(message.lines().count(), 2, "{message}");
}

#[test]
fn a_malformed_report_is_named_with_its_place() {
    let case = Case::new(&json!(1), &gate("", "op = \">=\"\nthreshold = 1"));
    assert!(case.result(None).unwrap().pass);
    case.write("report.json", "{\"a\": 1,\n \"b\": NaN}");
    let message = case.result(None).unwrap_err();
    assert!(
        message.starts_with("report.json:2:7: a report is one JSON document"),
        "{message}"
    );
    case.write("report.json", "{\"a\": 0.1,\n \"a\": 0.9}");
    let message = case.result(None).unwrap_err();
    assert!(message.contains("the key `a` stands twice"), "{message}");
    std::fs::remove_file(case.folder.path().join("report.json")).unwrap();
    let request = CheckRequest {
        report: case.folder.path().join("report.json"),
        gates: case.folder.path().join("gates.toml"),
        baseline: None,
        allow_undefined: false,
    };
    assert_eq!(check(&request).unwrap_err().exit_code().code(), 3);
}
