//! Outputs that say more than their answer: which repeat of the question they are, what they
//! stand or fall with, what they took.

use judica_run::export::each;
use judica_run::open::Run;
use serde_json::{Value, json};

use crate::support::flight::{EVAL, output, sample, state};
use crate::support::{self, Place};

/// An output with more keys.
fn with(line: String, more: &Value) -> String {
    let line = serde_json::from_str(&line).expect("an object");
    support::with(line, more).to_string()
}

/// Two samples, of which the first names a passage; one model that answers each of them
/// twice, badly the second time.
fn repeated() -> Place {
    let place = Place::new();
    let first = with(sample("a", "S1"), &json!({"cluster": "passage 1"}));
    place.write("s.jsonl", format!("{first}\n{}\n", sample("b", "S1")));
    let good = |sample: &str| output("m", sample, &state(&[]));
    let bad = |sample: &str| output("m", sample, &state(&[("Roll (deg)", json!(null))]));
    let lines = [
        with(
            good("a"),
            &json!({"latency_ms": 12.5, "tokens_input": 10, "tokens_out": "7", "usd": 0.25}),
        ),
        with(
            good("b"),
            &json!({"cluster": "own", "latency_ms": -1, "tokens_in": 1.5}),
        ),
        with(bad("a"), &json!({"epoch": 2, "cluster": "own"})),
        with(bad("b"), &json!({"epoch": 2})),
        with(good("a"), &json!({"epoch": 2})),
        with(good("a"), &json!({"epoch": 0})),
    ];
    place.write("o.jsonl", lines.join("\n"));
    place
}

/// A record as the run's head has it.
type Head = (String, i32, Option<String>, [Option<f64>; 4], bool);

fn heads(place: &Place) -> Vec<Head> {
    let run = Run::open(&place.path("run")).expect("a run");
    let mut heads = Vec::new();
    each(&run, &mut |record, _| {
        heads.push((
            record.item.to_owned(),
            record.epoch,
            record.cluster.map(str::to_owned),
            [
                record.latency_ms,
                record.tokens_in,
                record.tokens_out,
                record.usd,
            ],
            record.decision == Some("eligible"),
        ));
        Ok(())
    })
    .expect("readable");
    heads
}

#[test]
fn an_answer_may_be_repeated_in_another_epoch() {
    let place = repeated();
    place.judica(EVAL).exits(0).says(&[
        "records 4 + rejects 2",
        "1 × bad_epoch",
        "1 × duplicate_output",
    ]);
    let nothing = [None; 4];
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        heads(&place),
        [
            (
                "a".to_owned(),
                1,
                some("passage 1"),
                [Some(12.5), Some(10.0), Some(7.0), Some(0.25)],
                true
            ),
            // A number that cannot be is none.
            ("b".to_owned(), 1, some("own"), nothing, true),
            ("a".to_owned(), 2, some("own"), nothing, false),
            ("b".to_owned(), 2, None, nothing, false),
        ]
    );
    // Means run over records; the samples are what is drawn for the interval.
    let report = place.json("run/report.json");
    let row = &report["leaderboard"][0];
    let mean = row["mean_total"].as_f64().expect("a mean");
    let eligible = row["mean_total_eligible"].as_f64().expect("a mean");
    assert_eq!((&row["n"], &row["n_eligible"]), (&json!(4), &json!(2)));
    assert!((mean - eligible / 2.0).abs() < 1e-9, "{row}");
    // The same mean has the same interval wherever it is told: over the two clusters that are
    // named, and the sample whose output names none.
    let compared = place.judica("compare run run --json").exits(0).stdout;
    let compared: Value = serde_json::from_str(&compared).expect("JSON");
    let total = &compared["metrics"][0];
    assert_eq!(
        (&total["metric"], &total["clusters"]),
        (&json!("total"), &json!(3))
    );
    assert_eq!(row["ci"], total["a"]["ci"]);
    assert_eq!(report["scored_samples"], 2);
}

#[test]
fn every_reader_tells_repeats_apart() {
    let place = repeated();
    place.judica(&format!("{EVAL} --records both")).exits(0);
    place.judica("reproduce run").exits(0).says(&["identical"]);
    place
        .judica("show run a --epoch 2")
        .exits(0)
        .says(&["ineligible", "Roll (deg)"]);
    place
        .judica("show run a --epoch 1")
        .exits(0)
        .says(&["tokens in 10"]);
    let lines = place.text("run/records.jsonl");
    assert_eq!(
        place.judica("export run --format jsonl").exits(0).stdout,
        lines
    );
    let records: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(records[0]["tokens_in"], 10.0);
    assert_eq!(records[0].get("epoch"), None, "the first need not say so");
    assert_eq!(
        (&records[2]["epoch"], &records[2]["cluster"]),
        (&json!(2), &json!("own"))
    );
    let failed = place.judica("export run --format csv").exits(0).stdout;
    assert!(failed.contains("S1,a,m,2,own"), "{failed}");
}

#[test]
fn a_file_without_them_is_read_as_ever() {
    let place = repeated();
    let plain = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        let keys = [
            "epoch",
            "cluster",
            "latency_ms",
            "tokens_input",
            "tokens_in",
        ];
        let map = line.as_object_mut().expect("an object");
        keys.iter()
            .chain(&["tokens_out", "usd"])
            .for_each(|key| drop(map.remove(*key)));
        line.to_string()
    };
    let lines: Vec<String> = place.text("o.jsonl").lines().map(plain).collect();
    place.write("o.jsonl", lines.join("\n"));
    place
        .judica(EVAL)
        .exits(0)
        .says(&["records 2 + rejects 4", "4 × duplicate_output"]);
    let clusters: Vec<_> = heads(&place)
        .into_iter()
        .map(|head| (head.1, head.2))
        .collect();
    assert_eq!(clusters, [(1, Some("passage 1".to_owned())), (1, None)]);
}
