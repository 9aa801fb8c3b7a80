//! Samples: names, gold and state, under all the keys they come with.

use serde_json::{Value, json};

use super::*;
use crate::protocol;
use crate::response::FieldState;
use crate::test_support::{Bench, FLIGHT, field, good, key, output, state};

fn load(lines: &[Value]) -> Samples {
    let mut loader = SampleLoader::new(&FLIGHT, Some("S1"));
    for (number, line) in (1..).zip(lines) {
        loader
            .add(line.to_string().as_bytes(), number)
            .expect("a good sample");
    }
    loader.finish()
}

fn refusal(line: &str, default_task: Option<&str>) -> &'static str {
    let mut loader = SampleLoader::new(&FLIGHT, default_task);
    loader
        .add(line.as_bytes(), 1)
        .map_or_else(|refusal| refusal.reason, |()| "taken")
}

#[test]
fn public_files_are_matched_by_line() {
    let samples = load(&[
        json!({"next_second": good("S1")}),
        json!({"id": 17, "T+1": good("S1")}),
        json!({}),
    ]);
    let ids: Vec<&str> = samples.iter().map(|sample| &*sample.id).collect();
    assert_eq!(ids, ["S1_000", "17", "S1_002"]);
    let gold = |index: u32| {
        samples
            .gold(&FLIGHT, samples.get(index))
            .map(|gold| gold.numbers[field("gps_alt")])
    };
    assert_eq!(
        (gold(0), gold(1), gold(2)),
        (Some(3000.0), Some(3000.0), None)
    );
    // The guess is only a guess.
    assert_eq!(
        (
            samples.find("17", 0),
            samples.find("17", 1),
            samples.find("17", 99)
        ),
        (Some(1), Some(1), Some(1))
    );
    assert_eq!(samples.find("18", 1), None);
    assert_eq!(&*line_identifier("M3", 1234), "M3_1233");
}

#[test]
fn gold_inside_wins_over_gold_at_the_top() {
    let inner = json!({key("gps_alt"): 1});
    let samples = load(&[
        json!({"id": "a", "gold": {"next_second": inner}, "next_second": {key("gps_alt"): 2}}),
    ]);
    let gold = samples.gold(&FLIGHT, samples.get(0)).expect("gold");
    assert_eq!(gold.numbers[field("gps_alt")], 1.0);
    assert!(gold.numbers[field("lat")].is_nan());
}

#[test]
fn what_cannot_be_a_sample_is_refused_with_its_reason() {
    assert_eq!(refusal("{}", None), "missing_task");
    assert_eq!(refusal("{\"task_id\": \"S9\"}", None), "unknown_task");
    assert_eq!(refusal("{\"task_id\": []}", None), "invalid_task");
    assert_eq!(
        refusal("{\"task_id\": \"S1\", \"sample_id\": true}", None),
        "invalid_sample_id"
    );
    assert_eq!(refusal("[]", Some("S1")), "not_an_object");
    assert_eq!(refusal("{", Some("S1")), "malformed_json");
    let mut loader = SampleLoader::new(&FLIGHT, Some("S1"));
    assert!(loader.add(b"{\"id\": \"S1_001\"}", 1).is_ok());
    let second = loader.add(b"{}", 2).map_err(|refusal| refusal.reason);
    assert_eq!(second, Err("duplicate_sample"));
}

#[test]
fn gold_that_is_no_object_is_no_gold() {
    for gold in [
        json!(null),
        json!(7),
        json!([good("S1")]),
        json!("nothing"),
        json!({"next_second": 5}),
        json!({}),
    ] {
        let samples = load(&[json!({"id": "a", "gold": gold})]);
        assert!(samples.gold(&FLIGHT, samples.get(0)).is_none(), "{gold}");
    }
}

#[test]
fn a_null_does_not_hide_the_alias() {
    assert_eq!(
        refusal("{\"task_id\": null, \"task\": \"S1\"}", None),
        "taken"
    );
    let samples = load(&[
        json!({"sample_id": null, "id": "x", "gold": {"next_second": null, "T+1": good("S1")}}),
    ]);
    assert_eq!(&*samples.get(0).id, "x");
    assert!(samples.gold(&FLIGHT, samples.get(0)).is_some());
}

#[test]
fn the_current_state_is_scalar_whatever_the_tasks() {
    let source = crate::protocol::builtin::source("flight").expect("flight");
    let source = source.replacen("shape = \"scalar\"", "shape = \"array\"\nhorizon = 1", 1);
    let source = source.replace(
        "reference = \"previous_output\"",
        "reference = \"current_state\"",
    );
    let protocol = crate::protocol::load::parse(&source, "changed").expect("a protocol");
    let line =
        json!({"sample_id": "s", "task_id": "M1", "context": {"current_state": state("S1", &[])}});
    let bench = Bench::new(protocol, &[line]);
    let run = bench.run(&[output("m", "s", Value::Object(good("S1")))]);
    assert_eq!(run.evaluated.counts_of(0, 7)[3].atoms, 19);
}

#[test]
fn a_line_nested_beyond_all_reason_is_no_crash() {
    let deep = "[".repeat(300_000);
    let closed = format!("{deep}{}", "]".repeat(300_000));
    assert_eq!(
        refusal(&format!("{{\"id\": {deep}"), Some("S1")),
        "malformed_json"
    );
    assert_eq!(
        refusal(&format!("{{\"x\": {closed}}}"), Some("S1")),
        "taken"
    );
    let bench = Bench::flight(&[
        crate::test_support::sample("s", "S1"),
        crate::test_support::sample("t", "S1"),
    ]);
    let object = format!("{{\"a\":{closed}}}");
    let line = format!("{{\"model\": \"m\", \"id\": \"t\", \"response\": {object}}}");
    let run = bench.run(&[output("m", "s", object), line]);
    // As text and as an object: a parse failure, and a record.
    assert_eq!(run.evaluated.records.len(), 2);
    assert!(
        run.evaluated
            .records
            .iter()
            .all(|row| row.outcome == crate::response::ParseOutcome::ParseFailure)
    );
}

fn flight_source() -> &'static str {
    protocol::builtin::source("flight").expect("flight")
}

/// The protocol with a field before the others that is no number.
fn with_a_note(source: &str) -> Protocol {
    let note = "[[field]]\nname = \"note\"\nkind = \"text\"\nrequired = false\n\n[[field]]";
    let source = source.replacen("[[field]]", note, 1);
    protocol::load::parse(&source, "p.toml").expect("a protocol")
}

#[test]
fn a_window_begins_with_the_second_that_a_scalar_task_asks_for() {
    let window = |values: Value| json!({"T+1": {key("gps_alt"): values}});
    let mixed = with_a_note(flight_source());
    let first = |line: Value| {
        let numbers = [(&*FLIGHT, 0), (&mixed, 1)].map(|(protocol, before)| {
            let mut loader = SampleLoader::new(protocol, Some("S1"));
            loader.add(line.to_string().as_bytes(), 1).expect("taken");
            let samples = loader.finish();
            let gold = samples.gold(protocol, samples.get(0));
            gold.map(|gold| gold.numbers[before + field("gps_alt")])
        });
        assert_eq!(
            numbers[0], numbers[1],
            "a field of another kind changes nothing"
        );
        numbers[0]
    };
    assert_eq!(first(window(json!([3000, 2, 1]))), Some(3000.0));
    assert_eq!(first(window(json!(["3000"]))), Some(3000.0));
    assert_eq!(first(window(json!(3000))), Some(3000.0));
    assert_eq!(first(json!({"gold": window(json!([7, 8, 9]))})), Some(7.0));
    // Whatever else is no gold: an empty window, one that begins with nothing, a window in
    // a window, a window where a second is told.
    assert_eq!(first(window(json!([]))), None);
    assert_eq!(first(window(json!(["", 2, 1]))), None);
    assert_eq!(first(window(json!([[1], 2, 1]))), None);
    assert_eq!(
        first(json!({"next_second": {key("gps_alt"): [3000, 2, 1]}})),
        None
    );
    // The array task takes the window as it is.
    let mut loader = SampleLoader::new(&FLIGHT, Some("M3"));
    let line = window(json!([3000, 2, 1])).to_string();
    loader.add(line.as_bytes(), 1).expect("a sample");
    let samples = loader.finish();
    let gold = samples.gold(&FLIGHT, samples.get(0)).expect("gold");
    let at = field("gps_alt") * 3;
    assert_eq!(gold.numbers[at..at + 3], [3000.0, 2.0, 1.0]);
}

#[test]
fn gold_that_is_given_and_no_use_says_why() {
    let given = |line: Value| {
        let mut loader = SampleLoader::new(&FLIGHT, Some("S1"));
        loader.add(line.to_string().as_bytes(), 1).expect("taken");
        let reading = loader.last_gold().expect("a sample");
        match reading.given {
            GivenGold::Nothing => "nothing",
            GivenGold::Unreadable { reason, .. } => reason,
            GivenGold::Read if reading.values.is_none() => "no value",
            GivenGold::Read => "usable",
        }
    };
    let good = || Value::Object(good("S1"));
    for nothing in [
        json!({}),
        json!({"gold": null, "next_second": null}),
        json!({"gold": {}}),
        json!({"gold": {"available": true}}),
        json!({"gold": {"next_second": good(), "available": false}}),
        json!({"next_second": good(), "available": false}),
        json!({"gold": {"x": 1}, "T+1": good(), "available": false}),
        json!({"T-1": good(), "T-2": good(), "T0": good(), "current_second": good()}),
        json!({"question": "?", "context": {}, "record_idx": 3}),
    ] {
        assert_eq!(given(nothing.clone()), "nothing", "{nothing}");
    }
    for misspelt in [
        json!({"next_secnd": good()}),
        json!({"Next_Second": good()}),
        json!({"t+1": good()}),
        json!({"golds": good()}),
        json!({"gold": {"next": good(), "available": true}}),
    ] {
        assert_eq!(given(misspelt.clone()), "unknown_key", "{misspelt}");
    }
    for available in [json!("false"), json!(0), json!(1), json!("no")] {
        for line in [
            json!({"gold": {"next_second": good(), "available": available}}),
            json!({"T+1": good(), "available": available}),
        ] {
            assert_eq!(given(line.clone()), "invalid_available", "{line}");
        }
    }
    for available in [json!(true), json!("true"), json!(null)] {
        let line = json!({"next_second": good(), "available": available});
        assert_eq!(given(line), "usable", "{available}");
    }
    // It is said of what it stands beside.
    let line = json!({"gold": {"next_second": good()}, "available": false});
    assert_eq!(given(line), "usable");
    assert_eq!(given(json!({"gold": good()})), "usable");
    assert_eq!(given(json!({"gold": good().to_string()})), "usable");
    for no_object in [
        json!({"gold": 5}),
        json!({"gold": "text"}),
        json!({"next_second": [good()]}),
        json!({"T+1": "no object"}),
        json!({"gold": {"T+1": 7}}),
    ] {
        assert_eq!(given(no_object.clone()), "not_an_object", "{no_object}");
    }
    assert_eq!(given(json!({"next_second": {}})), "no_known_field");
    assert_eq!(
        given(json!({"next_second": {"Latitude": 1}})),
        "no_known_field"
    );
    assert_eq!(given(json!({"next_second": {key("lat"): ""}})), "no value");
    assert_eq!(
        given(json!({"next_second": {key("lat"): [1, 2]}})),
        "no value"
    );
    assert_eq!(
        given(json!({"next_second": {key("lat"): " 4e1 "}})),
        "usable"
    );
    // A second key is as good as the first.
    assert_eq!(given(json!({"gold": 5, "next_second": good()})), "usable");
    assert_eq!(given(json!({"gold": {"x": 1}, "T+1": good()})), "usable");
}

#[test]
fn the_present_second_and_the_present_window_are_the_current_state() {
    let source = flight_source().replace(
        "reference = \"previous_output\"",
        "reference = \"current_state\"",
    );
    let plain = protocol::load::parse(&source, "p.toml").expect("a protocol");
    let mixed = with_a_note(&source);
    let state = |line: Value| {
        let numbers = [(&plain, 0), (&mixed, 1)].map(|(protocol, before)| {
            let mut loader = SampleLoader::new(protocol, Some("S1"));
            loader.add(line.to_string().as_bytes(), 1).expect("taken");
            let gold = loader.last_gold().expect("a sample");
            assert_eq!(
                gold.states[before + field("lat")],
                FieldState::Valid,
                "the gold's own"
            );
            let state = gold.current_state;
            state.map(|state| state.numbers[before + field("gps_alt")])
        });
        assert_eq!(
            numbers[0], numbers[1],
            "a field of another kind changes nothing"
        );
        numbers[0]
    };
    let gold = json!({key("lat"): 1});
    let moment = |alt: Value| json!({key("gps_alt"): alt});
    assert_eq!(state(json!({"next_second": gold})), None);
    assert_eq!(
        state(json!({"next_second": gold, "current_second": moment(json!("2500"))})),
        Some(2500.0)
    );
    assert_eq!(
        state(json!({"T+1": gold, "T0": moment(json!(7)), "T-1": moment(json!(8))})),
        Some(7.0)
    );
    // The present window ends with the present second.
    assert_eq!(
        state(json!({"T+1": gold, "T0": moment(json!([1, 2, 3]))})),
        Some(3.0)
    );
    // What is told outright wins.
    let all = json!({"T+1": gold, "T0": moment(json!(3)), "current_second": moment(json!(2)),
                     "context": {"current_state": moment(json!(1))}});
    assert_eq!(state(all), Some(1.0));
}
