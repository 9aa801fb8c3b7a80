//! `judica gate init`: a file to start from.

use serde_json::{Value, json};

use crate::gate::check_reports::pairs;
use crate::gate::data::{GOLDEN, each, failing, passing, report};
use crate::support::Place;
use crate::support::flight::tiny_run;

/// Writes gates for `r.json` and holds `r.json` against them.
#[track_caller]
fn passes_on_its_own(place: &Place) -> Value {
    place
        .judica("gate init --report r.json --out g.toml")
        .exits(0)
        .says(&["g.toml", "judica gate check --report r.json --gates g.toml"]);
    let ran = place.judica("gate check --report r.json --gates g.toml --json");
    report(&ran.exits(0))
}

#[test]
fn a_file_for_the_report_of_agree_pairs() {
    let place = Place::new();
    place.write_lines("p.jsonl", &pairs());
    let ran = place.judica("agree pairs --pairs p.jsonl --tsv d.tsv --resamples 100 --json");
    place.write("r.json", ran.exits(1).stdout);
    let report = passes_on_its_own(&place);
    let metrics = each(&report["gates"], "metric");
    for metric in ["/metrics/kappa", "/metrics/percent_agreement"] {
        assert!(metrics.contains(&metric), "{metrics:?}");
    }
    let text = place.text("g.toml");
    assert!(text.starts_with("# Gates for r.json."), "{text}");
    assert!(text.contains("now 0.516129, n 10, interval ["), "{text}");
    // Somewhat worse does not pass.
    let mut worse = place.json("r.json");
    worse["metrics"]["kappa"]["value"] = json!(0.4);
    place.write("r.json", worse.to_string());
    let ran = place.judica("gate check --report r.json --gates g.toml --json");
    assert!(failing(&self::report(&ran.exits(1))).contains(&"kappa"));
}

#[test]
fn a_file_for_the_report_of_gate_golden() {
    let place = passing();
    place.judica(&format!("{GOLDEN} --report r.json")).exits(0);
    let report = passes_on_its_own(&place);
    assert!(each(&report["gates"], "metric").contains(&"/metrics/golden_recall"));
    // It can be given to the command itself, too.
    place.judica(&format!("{GOLDEN} --gates g.toml")).exits(0);
}

#[test]
fn a_file_for_a_run_folder_of_eval() {
    let place = tiny_run("jsonl");
    place.write("r.json", place.read("run/report.json"));
    let report = passes_on_its_own(&place);
    assert!(!each(&report["gates"], "name").is_empty());
}

#[test]
fn directions_are_guessed_and_undefined_metrics_are_comments() {
    let place = Place::new();
    let document = json!({
        "accuracy": 0.876, "error_rate": 0.124, "n": 50, "seed": 7,
        "recall": {"value": null, "undefined": "no positives"},
        "nasty \"key\"\n\u{1b}": {"score": 0.5},
    });
    place.write("r.json", document.to_string());
    let report = passes_on_its_own(&place);
    let told: Vec<String> = report["gates"]
        .as_array()
        .expect("gates")
        .iter()
        .map(|gate| {
            format!(
                "{} {} {}",
                gate["name"].as_str().expect("a name"),
                gate["op"].as_str().expect("an op"),
                gate["threshold"]
            )
        })
        .collect();
    assert!(told.contains(&"accuracy >= 0.87".to_owned()), "{told:?}");
    assert!(told.contains(&"error_rate <= 0.13".to_owned()), "{told:?}");
    assert_eq!(told.len(), 3, "{told:?}");
    let text = place.text("g.toml");
    assert!(
        text.contains("# Undefined here: no positives\n# [[gate]]\n"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_file_that_exists_is_kept_unless_forced() {
    let place = Place::new();
    place.write("r.json", "{\"accuracy\": 0.5}");
    place.write("gates.toml", "# mine");
    place
        .judica("gate init --report r.json")
        .exits(2)
        .complains(&["gates.toml exists", "--force"]);
    assert_eq!(place.text("gates.toml"), "# mine");
    place.judica("gate init --report r.json --force").exits(0);
    assert!(place.text("gates.toml").contains("name = \"accuracy\""));
    let ran = place.judica("gate init --report r.json --out -").exits(0);
    assert_eq!(ran.stdout, place.text("gates.toml"));
    place
        .judica("gate init --report r.json --out r.json --force")
        .exits(2)
        .complains(&["overwrite"]);
}

#[test]
fn a_report_without_metrics_gives_no_file() {
    let place = Place::new();
    for (text, code, word) in [
        ("{\"n\": 3}", 2, "no metric found"),
        ("{\"accuracy\": null}", 2, "no metric found"),
        ("[]", 2, "no metric found"),
        ("{", 2, "r.json:1:"),
    ] {
        place.write("r.json", text);
        place
            .judica("gate init --report r.json")
            .exits(code)
            .complains(&[word]);
        assert!(!place.path("gates.toml").exists());
    }
    place
        .judica("gate init --report none.json")
        .exits(3)
        .complains(&["none.json"]);
}
