//! Responses side by side are held against the same ones looked at one by one.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::evidence::{Known, Reading, Verifier};
use crate::score::{ScoreRow, Scored, score};
use crate::test_support::{Bench, flight_with, output, state};

/// What responses say in place of the flawless state, by number; the first says nothing.
fn edits(kind: usize) -> Vec<(&'static str, Value)> {
    match kind {
        // The direction of no speed is not looked at.
        1 => vec![("ve", json!(0.2)), ("vn", json!(0.1)), ("gs", json!(0.5))],
        2 => vec![("lat", json!(95.0))],
        3 => vec![("gps_alt", json!(900.0)), ("baro_alt", json!(950.0))],
        4 => vec![("vs", json!(-2500.0))],
        5 => vec![("pitch", json!(20.0))],
        6 => vec![("ias", json!(45.0)), ("pitch", json!(18.0))],
        7 => vec![("slip", Value::Null)],
        8 => vec![("slip", json!("much"))],
        9 => vec![("heading", json!(359.5)), ("roll", json!(-61.0))],
        10 => vec![("gps_alt", json!(-40.0))],
        _ => vec![],
    }
}

/// Scalar and array samples, with gold and without.
fn samples() -> Vec<Value> {
    let each = (0..120).map(|at| {
        let task = ["S1", "S1", "S1", "M1", "M3"][at % 5];
        let mut sample = json!({"sample_id": format!("s{at}"), "task_id": task});
        if at % 7 != 0 {
            let gold = match at % 11 {
                0 => vec![("lat", Value::Null)],
                _ => vec![("roll", json!(2.5)), ("heading", json!(359.0))],
            };
            sample["ground_truth"] = Value::Object(state(task, &gold));
        }
        sample
    });
    each.collect()
}

/// What one output is, looked at by itself.
fn alone(bench: &Bench, run: &crate::test_support::Run, at: usize) -> (Atoms, Vec<FamilyCount>) {
    let (protocol, batch) = (&*bench.protocol, &run.batch);
    let output = &batch.outputs[at];
    let fields = protocol.fields.len();
    let sample = bench.samples.get(output.sample);
    let width = fields * protocol.tasks[output.task as usize].horizon;
    let reading = Reading {
        outcome: output.outcome,
        states: batch.states_of(at, fields),
        values: batch.known(output, width).numbers,
        texts: batch.texts_of(at),
        references: &run.carried.references[at * fields..(at + 1) * fields],
        held: &[],
        gold: bench.samples.gold(protocol, sample),
        context: bench.samples.current_state(protocol, sample),
        external: &[],
    };
    let mut atoms = Atoms::default();
    let mut verifier = Verifier::new(protocol, &bench.checks);
    let counts = verifier.verify(output.task as usize, &reading, &mut atoms);
    (atoms, counts.to_vec())
}

/// Scores without what was compared side by side.
fn scores(
    bench: &Bench,
    run: &crate::test_support::Run,
    at: usize,
    counts: &[FamilyCount],
) -> ScoreRow {
    let protocol = &*bench.protocol;
    let (output, row) = (&run.batch.outputs[at], &run.evaluated.records[at]);
    let horizon = protocol.tasks[output.task as usize].horizon;
    let answer = run.batch.known(output, protocol.fields.len() * horizon);
    let sample = bench.samples.get(output.sample);
    let record = Scored {
        adjudication: row.adjudication,
        present: row.present,
        required: protocol.required_fields() as u32,
        counts,
        answer: Known { ..answer },
        gold: bench.samples.gold(protocol, sample),
        errors: None,
        compared: None,
        horizon,
        dimensions: &[],
    };
    score(protocol, &record)
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn same_as_alone(bench: &Bench, kinds: &[usize]) {
    let lines: Vec<String> = kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| {
            let task = ["S1", "S1", "S1", "M1", "M3"][at % 5];
            match kind {
                11 => output("m", &format!("s{at}"), "I cannot say."),
                12 => output("m", &format!("s{at}"), "{}"),
                _ => {
                    let text = Value::Object(state(task, &edits(*kind))).to_string();
                    output("m", &format!("s{at}"), text)
                }
            }
        })
        .collect();
    let run = bench.run(&lines);
    let families = bench.protocol.families.len();
    assert_eq!(run.evaluated.records.len(), kinds.len());
    for (at, row) in run.evaluated.records.iter().enumerate() {
        let (atoms, counts) = alone(bench, &run, at);
        let all = &run.evaluated.atoms;
        let own = row.atoms_at as usize..(row.atoms_at + row.atoms) as usize;
        assert_eq!(all.check[own.clone()], atoms.check, "{at}: {kinds:?}");
        assert_eq!(all.severity[own.clone()], atoms.severity);
        assert_eq!(bits(&all.observed[own.clone()]), bits(&atoms.observed));
        let limits = all
            .limits
            .iter()
            .filter(|(of, _)| own.contains(&(*of as usize)));
        let limits: Vec<(u32, f64)> = limits
            .map(|(of, limit)| (of - row.atoms_at, *limit))
            .collect();
        assert_eq!(limits, atoms.limits);
        assert_eq!(run.evaluated.counts_of(at, families), counts);
        let (own, expected) = (
            format!("{:?}", row.scores),
            scores(bench, &run, at, &counts),
        );
        assert_eq!(own, format!("{expected:?}"), "{at}: {kinds:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_stands_beside_a_response_changes_nothing(
        kinds in prop::collection::vec(
            prop_oneof![4 => Just(0), 1 => Just(1), 2 => 0usize..13],
            1..120,
        ),
    ) {
        same_as_alone(&Bench::flight(&samples()), &kinds);
    }
}

#[test]
fn whole_rows_of_lanes_and_what_is_left_are_the_same() {
    let bench = Bench::flight(&samples());
    for count in [1, 2, LANES - 1, LANES, LANES + 1, 2 * LANES, 120] {
        same_as_alone(&bench, &vec![0; count]);
        same_as_alone(&bench, &(0..count).map(|at| at % 4).collect::<Vec<_>>());
    }
}

#[test]
fn limits_that_records_compute_and_conditions_are_the_same() {
    let changes = [
        (
            "warning_above = 500\n",
            "warning_above = \"100 + gs / 9\"\n",
        ),
        ("warning_below = -2000\n", "warning_below = \"-20 * ias\"\n"),
        ("warning_above = 5\n", "warning_above = \"0 / vu\"\n"),
        ("value = \"abs(vs)\"", "value = \"sqrt(vs)\""),
        ("value = \"vs\"", "value = \"max(vs, min(vu, 3), 1)\""),
    ];
    for (from, to) in changes {
        let bench = Bench::new(flight_with(from, to), &samples());
        same_as_alone(&bench, &(0..100).map(|at| at % 6).collect::<Vec<_>>());
    }
}
