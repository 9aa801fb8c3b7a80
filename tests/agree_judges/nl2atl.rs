//! Files as the project writes them that the judges' report comes from.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, measured};
use crate::support::{Place, with};

/// A row of a judged file.
fn row(item: usize, correct: &str, method: &str, status: &str) -> Value {
    let several = item.is_multiple_of(3);
    let options: Vec<String> = (0..1 + usize::from(several))
        .map(|nth| format!("<<A>>F p{item}_{nth}"))
        .collect();
    json!({
        "id": item,
        "input": format!("input {item}"),
        "gold": options[0],
        "gold_options": options,
        "prediction": format!("<<A>>G p{item}"),
        "correct": correct,
        "reasoning": "as read",
        "decision_method": method,
        "prompt_version": "v3",
        "judge_prompt_sha256": "00",
        "raw_judge_response": "{\"correct\": \"yes\"}",
        "judge_parse_status": status,
        "judge_latency_ms": 12.5,
        "from_cache": false,
    })
}

/// One judge's file.
fn judged(place: &Place, judge: &str, named: bool, rows: &[Value]) {
    let mut file = json!({
        "run_id": "run_7", "model": "qwen-3b", "model_short": "qwen", "condition": "zero_shot",
        "seed": 42, "total_samples": rows.len(), "latency_mean_ms": 3.0, "metrics": {},
        "judge_model": judge, "judge_provider": "azure", "prompt_version": "v3",
        "detailed_results": rows,
    });
    if named {
        file["source_file"] = "run_7.json".into();
    }
    let name = format!("eval/{judge}/run_7__judge-{judge}.json");
    place.write(&name, file.to_string());
}

fn place() -> Place {
    let place = Place::new();
    let llm = |item: usize, correct: &str| row(item, correct, "llm", "parsed");
    let common = [
        row(10, "yes", "exact", "not_called_exact_match"),
        row(11, "no", "unmatched", "not_called_missing_data"),
    ];
    let gpt = [
        llm(0, "yes"),
        llm(1, "no"),
        llm(2, "yes"),
        row(3, "no", "llm", "invalid"),
        row(4, "no", "content_filtered", "content_filtered"),
        row(5, "yes", "llm", "repaired"),
    ];
    let ds = [0, 1, 2, 3, 4, 5].map(|item| llm(item, if item % 2 == 0 { "yes" } else { "no" }));
    judged(&place, "gpt-5.2", true, &[&gpt[..], &common].concat());
    // One whose file does not name its source: its own name does.
    judged(&place, "ds-v3.2", false, &[&ds[..], &common].concat());
    place
}

#[test]
fn two_judges_of_the_same_data_set() {
    let report = measured(&place(), "");
    assert_eq!([&report["sources"], &report["items"]], [1, 6]);
    assert_eq!(report["per_source"][0]["source"], "run_7");
    let [ds, gpt] = [&report["judges"][0], &report["judges"][1]];
    assert_eq!([&ds["used"], &gpt["used"]], [6, 5]);
    assert_eq!([&gpt["invalid"], &gpt["declined"]], [1, 1]);
    assert_eq!(
        gpt["left_out"],
        json!({"exact": 1, "structural": 0, "no_llm": 0, "unmatched": 1, "invalid": 0, "declined": 1})
    );
    // Of five items that both judged they agree on four: a filtered row says nothing.
    assert_eq!(report["pairwise"][0]["n"], 5);
    assert_eq!(report["pairwise"][0]["percent_agreement"]["value"], 0.8);
    assert_eq!(report["refused"], json!([]));
}

#[test]
fn where_a_row_names_no_method_its_status_does() {
    let place = place();
    let mut exact = row(0, "yes", "", "not_called_exact_match");
    exact
        .as_object_mut()
        .expect("a row")
        .remove("decision_method");
    judged(
        &place,
        "ds-v3.2",
        true,
        &[exact, row(1, "no", "llm", "parsed")],
    );
    let ds = measured(&place, "")["judges"][0].clone();
    assert_eq!([&ds["used"], &ds["left_out"]["exact"]], [1, 1]);
}

/// What people were given: all golds as a list, joined, in columns, or only the first.
#[test]
fn annotations_of_items_with_several_golds() {
    let place = place();
    let about = |gold: Value| {
        let row = json!({"input": "input 3", "prediction": "<<A>>G p3", "correct": "yes"});
        with(row, &gold)
    };
    let [first, second] = ["<<A>>F p3_0", "<<A>>F p3_1"];
    let joined = format!("{first}\n{second}");
    for gold in [
        json!({"gold_options": [first, second], "gold": first}),
        json!({"expected": "what else", "expected_options": [first, second]}),
        json!({"outputs": [{"formula": first}, {"formula": second}]}),
        json!({"gold": [first, second]}),
        json!({"expected": joined}),
        json!({"gold_1": first, "gold_2": second}),
        json!({"gold": first}),
    ] {
        place.write("human.json", json!([about(gold.clone())]).to_string());
        let report = measured(&place, "--human human.json");
        assert_eq!(report["human"]["matched_items"], 1, "{gold}");
    }
    place.write(
        "human.json",
        json!([about(json!({"gold": second}))]).to_string(),
    );
    place
        .judica(&format!("{JUDGES} --human human.json"))
        .exits(2)
        .complains(&["human.json", "unmatched_annotation"]);
}
