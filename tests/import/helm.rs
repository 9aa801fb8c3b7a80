//! Logs of HELM.

use crate::import::shown::{log, records, verdicts};
use crate::support::Place;

fn stat(name: &str, value: f64) -> String {
    format!(
        r#"{{"name": {{"name": "{name}", "split": "test"}}, "count": 1, "sum": {value}, "mean": {value}}}"#
    )
}

fn write(place: &Place, folder: &str) {
    let write = |name: &str, text: &str| place.write(&format!("{folder}/{name}"), text);
    write(
        "run_spec.json",
        r#"{"name": "fx:model=org_m", "adapter_spec": {"model": "org/m"}}"#,
    );
    let typos = r#"{"name": "typos", "robustness": true, "computed_on": "perturbed"}"#;
    let instances = format!(
        r#"[{{"instance_id": "id1", "train_trial_index": 0, "stats": [{}]}},
            {{"instance_id": "id1", "train_trial_index": 0, "stats": [{}]}},
            {{"instance_id": "id1", "train_trial_index": 1, "stats": [{}]}},
            {{"instance_id": "id2", "train_trial_index": 0, "stats": [{}]}},
            {{"instance_id": "id1", "perturbation": {typos}, "train_trial_index": 0, "stats": []}}]"#,
        stat("exact_match", 1.0),
        stat("num_output_tokens", 3.0),
        stat("exact_match", 0.0),
        stat("exact_match", 0.0),
    );
    write("per_instance_stats.json", &instances);
    let state = |id: &str, trial: u32, rest: &str, result: &str| {
        format!(
            r#"{{"instance": {{"id": "{id}", "references": [{{"output": {{"text": "gold"}}, "tags": ["correct"]}}]{rest}}}, "train_trial_index": {trial}, "request": {{"prompt": "ask"}}, "result": {{{result}}}}}"#
        )
    };
    let good = r#""success": true, "completions": [{"text": "said", "logprob": NaN}], "request_time": 0.25"#;
    let states = [
        state("id1", 0, "", good),
        state("id1", 1, "", good),
        state("id1", 0, &format!(r#", "perturbation": {typos}"#), good),
        state(
            "id2",
            0,
            "",
            r#""success": false, "error": "429", "completions": []"#,
        ),
    ];
    let states = format!(r#"{{"request_states": [{}]}}"#, states.join(", "));
    write("scenario_state.json", &states);
    let worst = typos.replace("perturbed", "worst");
    write(
        "stats.json",
        &format!(
            r#"[{{"name": {{"name": "exact_match", "split": "test"}}, "count": 2, "mean": 0.25}},
                {{"name": {{"name": "exact_match", "split": "test", "perturbation": {worst}}}, "count": 1, "mean": 0.0}},
                {{"name": {{"name": "never"}}, "count": 0}}]"#
        ),
    );
}

#[test]
fn a_run_is_its_folder() {
    let place = Place::new();
    write(&place, "suite/fx");
    place.judica("import suite --run run").exits(0);
    let columns = [
        "exact_match",
        "tokens_out",
        "latency_ms",
        "input",
        "target",
        "output",
    ];
    assert_eq!(
        records(&place, "run", &columns),
        [
            "fx:model=org_m id1 1 org/m pass 1.0 3.0 250.0 ask gold said",
            "fx:model=org_m id1 2 org/m fail 0.0 - 250.0 ask gold said",
            "fx:model=org_m id1~typos 1 org/m undecided - - 250.0 ask gold said",
            "fx:model=org_m id2 1 org/m error - - - ask gold -",
        ]
    );
    // Trial means: 1 and 0 of the first, 0 of the second. The 0 of the error counts, as HELM
    // has it.
    assert_eq!(
        verdicts(&place, "run"),
        [
            "exact_match test mean equal",
            "exact_match test typos worst mean unchecked",
        ]
    );
    assert_eq!(log(&place, "run")["status"], "success");
    place
        .judica("import suite/fx/stats.json --run other")
        .exits(0);
    assert_eq!(log(&place, "other")["counts"], log(&place, "run")["counts"]);
    place.judica("reproduce run").exits(0);
    // It is one log, however often it is named.
    let twice = "import suite/fx/stats.json suite suite/fx --keep-all --run twice";
    place.judica(twice).exits(0);
    assert_eq!(log(&place, "twice")["counts"], log(&place, "run")["counts"]);
}

#[test]
fn what_is_missing_is_said() {
    let place = Place::new();
    write(&place, "fx");
    std::fs::remove_file(place.path("fx/scenario_state.json")).expect("removed");
    place.judica("import fx --run run").exits(0);
    assert_eq!(log(&place, "run")["status"], "no scenario_state.json");
    assert_eq!(records(&place, "run", &["input"]).len(), 4);
}
