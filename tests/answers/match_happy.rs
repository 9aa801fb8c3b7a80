//! What `judica match` says of a good file.

use serde_json::{Value, json};

use crate::answers::data::{matched, near, row, with};
use crate::support::{Place, keys};

/// Two rows by spelling, one by structure, one by neither.
fn four() -> Vec<Value> {
    let tokens = |input, output| json!({"tokens_input": input, "tokens_output": output});
    vec![
        with(row("<<User>>F p", "<<user>> f P"), tokens(10, 1)),
        with(row("<<A>>(p ∧ ¬q)", "<<A>>(p and !q)"), tokens(20, 2)),
        with(row("<<A>>G(p && q)", "<<A>>G((q) && p)"), tokens(30, 3)),
        with(row("<<A>>F p", "<<A>>G p"), tokens(40, 4)),
    ]
}

#[test]
fn metrics_worked_by_hand() {
    let (report, methods) = matched(&Place::new(), &four(), "");
    assert_eq!(methods, ["exact", "exact", "structural", "undecided"]);
    // Every key of the evaluator that the guide shows, in its order.
    assert_eq!(
        keys(&report)[..5],
        [
            "n_examples",
            "exact_match",
            "total_tokens_input",
            "total_tokens_output",
            "total_tokens"
        ]
    );
    assert_eq!(report["n_examples"], 4);
    assert_eq!(report["exact_match"], 0.5);
    assert_eq!(report["total_tokens_input"], 100);
    assert_eq!(report["total_tokens_output"], 10);
    assert_eq!(report["total_tokens"], 110);
    assert_eq!(report["structural"], 0.25);
    assert_eq!(report["matched"], 0.75);
    assert_eq!(
        report["counts"],
        json!({"exact": 2, "structural": 1, "matched": 3, "undecided": 1})
    );
    // Wilson, 2 of 4: half of 1 ± sqrt(z² / (4 + z²)).
    let z = 1.959_963_984_540_054_f64;
    let half = 0.5 * (z * z / (4.0 + z * z)).sqrt();
    near(&report["intervals"]["exact_match"]["ci"][0], 0.5 - half);
    near(&report["intervals"]["exact_match"]["ci"][1], 0.5 + half);
    assert_eq!(report["normalizer"], "atl");
    assert_eq!(report["inputs"], 4);
    assert_eq!(report["rejects"], 0);
    assert_eq!(report["notes"], json!([]));
}

#[test]
fn details_say_how_each_row_was_decided() {
    let place = Place::new();
    let mut rows = four();
    rows[1]["id"] = json!("second");
    rows[2]["id"] = json!(3);
    matched(&place, &rows, "");
    let details = place.json_lines("d.jsonl");
    assert_eq!(
        details[0],
        json!({
            "file": "p.jsonl", "line": 1, "id": null, "method": "exact", "matched": true,
            "gold": "<<user>>fp", "prediction": "<<user>>fp",
        })
    );
    assert_eq!(details[1]["id"], "second");
    assert_eq!(details[1]["gold"], "<<a>>(p&&!q)");
    assert_eq!(details[2]["id"], "3");
    assert_eq!(details[3]["line"], 4);
}

#[test]
fn the_report_is_printed_and_written_alike() {
    let place = Place::new();
    matched(&place, &four(), "--out reports/m.json");
    let written = place.text("reports/m.json");
    let printed = place.judica("match -p p.jsonl --json").exits(0).stdout;
    assert_eq!(written, printed);
    assert_eq!(place.names("reports"), ["m.json"]);
}

#[test]
fn tables_for_people_and_pages() {
    let place = Place::new();
    matched(&place, &four(), "");
    place.judica("match -p p.jsonl").exits(0).says(&[
        "Match by `atl`",
        "0.5000",
        "inputs 4 = records 4 + rejects 0",
    ]);
    let markdown = place.judica("match -p p.jsonl --format markdown").exits(0);
    assert!(
        markdown.stdout.contains("| data set |"),
        "{}",
        markdown.stdout
    );
    let latex = place.judica("match -p p.jsonl --format latex").exits(0);
    assert!(
        latex.stdout.contains(r"\begin{tabular}"),
        "{}",
        latex.stdout
    );
    let csv = place.judica("match -p p.jsonl --format csv").exits(0);
    assert!(csv.stdout.contains("data set,rows"), "{}", csv.stdout);
}

#[test]
fn a_folder_is_all_its_data_files_by_name() {
    let place = Place::new();
    place.write("preds/b.json", json!([row("p", "p")]).to_string());
    place.write("preds/a.jsonl", format!("{}\n", row("p", "q")));
    place.write("preds/.hidden.json", "not JSON");
    place.write("preds/readme.md", "not JSON either");
    let ran = place.judica("match -p preds --json").exits(0);
    let report = crate::answers::data::printed(&ran);
    let files = report["files"].as_array().expect("files");
    let rates: Vec<_> = files
        .iter()
        .map(|file| json!([file["dataset"], file["exact_match"], file["n_examples"]]))
        .collect();
    assert_eq!(rates, [json!(["a", 0.0, 1]), json!(["b", 1.0, 1])]);
    assert_eq!(report["exact_match"], 0.5);
}

#[test]
fn tokens_that_some_rows_lack_are_said_to_be_partial() {
    let mut rows = four();
    rows[0]
        .as_object_mut()
        .expect("a row")
        .remove("tokens_input");
    rows[1]["tokens_output"] = json!(null);
    let (report, _) = matched(&Place::new(), &rows, "");
    assert_eq!(report["total_tokens_input"], 90);
    assert_eq!(report["total_tokens_output"], 8);
    assert_eq!(report["tokens_rows"], 2);
    assert!(crate::answers::data::notes(
        &report,
        &["1 of 4", "`tokens_input`"]
    ));
    let (none, _) = matched(&Place::new(), &[row("p", "p")], "");
    for key in ["total_tokens_input", "total_tokens_output", "total_tokens"] {
        assert_eq!(none[key], json!(null), "{key} is not known, which is not 0");
    }
}
