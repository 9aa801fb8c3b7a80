//! Records as JSON: what is written by hand is what serde would write.

use std::collections::BTreeSet;

use judica_model::evidence::Severity;
use judica_model::record::{Adjudication, CheckStatus, Record};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::protocol::load::parse;
use crate::test_responses::{lines, samples};
use crate::test_support::{Bench, Run, good, output, sample, state};

fn record(text: &str) -> Record {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The line is a record, and serde writes it back to the byte.
fn same_bytes(text: &str) -> Record {
    let parsed = record(text);
    assert_eq!(serde_json::to_string(&parsed).expect("serialises"), text);
    parsed
}

/// What holds for every record.
fn well_formed(bench: &Bench, run: &Run) {
    let rendered = bench.render(run);
    assert_eq!(rendered.len(), run.evaluated.records.len());
    let families = bench.protocol.families.len();
    for (index, text) in rendered.iter().enumerate() {
        let record = same_bytes(text);
        let atoms = &record.evidence_pack.atoms;
        let ids: BTreeSet<&str> = atoms.iter().map(|atom| atom.id.as_str()).collect();
        assert_eq!(ids.len(), atoms.len());
        let cited = record
            .agent_output
            .attribution
            .iter()
            .flat_map(|reason| &reason.evidence_ids);
        let listed = record
            .agent_output
            .checklist
            .iter()
            .flat_map(|item| item.evidence_ids.iter().chain(&item.evidence_id));
        assert!(cited.chain(listed).all(|id| ids.contains(id.as_str())));
        // Counts, checklist and atoms tell the same.
        let counts = run.evaluated.counts_of(index, families);
        assert_eq!(
            counts
                .iter()
                .map(|count| count.atoms as usize)
                .sum::<usize>(),
            atoms.len()
        );
        for ((item, count), family) in record
            .agent_output
            .checklist
            .iter()
            .zip(counts)
            .zip(&bench.protocol.families)
        {
            let of_family = || atoms.iter().filter(|atom| atom.family == family.name);
            let with =
                |severity| of_family().filter(|atom| atom.severity == severity).count() as u32;
            assert_eq!(
                (count.critical, count.warning),
                (with(Severity::Critical), with(Severity::Warning))
            );
            let named: Vec<&String> = of_family().map(|atom| &atom.id).collect();
            assert_eq!(item.evidence_ids.iter().collect::<Vec<_>>(), named);
            let failed = count.critical + count.warning > 0;
            let status = match (named.is_empty(), failed) {
                (true, _) => CheckStatus::Unknown,
                (false, true) => CheckStatus::Fail,
                (false, false) => CheckStatus::Pass,
            };
            assert_eq!(item.status, status);
        }
        assert!(
            atoms
                .iter()
                .all(|atom| atom.pass == (atom.severity == Severity::Info))
        );
        let critical = atoms
            .iter()
            .any(|atom| !atom.pass && atom.severity == Severity::Critical);
        assert_eq!(
            record.agent_output.adjudication == Adjudication::Ineligible,
            critical
        );
        let scores = &record.optional_scores;
        assert_eq!(scores.gating.passed, !critical);
        if critical {
            assert_eq!(
                (scores.availability_score, scores.total_score),
                (None, None)
            );
        }
        // Required of every atom by the contract.
        for atom in atoms {
            for key in [
                "checker",
                "config_version",
                "constraint_id",
                "limits",
                "observed",
            ] {
                assert!(atom.meta.contains_key(key), "{key} of {}", atom.rule);
            }
            assert_eq!(
                atom.meta["constraint_id"],
                format!("constraint.{}", atom.rule)
            );
        }
        let top = record.agent_output.attribution;
        assert!(
            top.len() <= 5 && top.is_sorted_by_key(|reason| std::cmp::Reverse(reason.severity))
        );
        assert!(top.iter().zip(1..).all(|(reason, rank)| reason.rank == rank
            && reason.count as usize == reason.evidence_ids.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_outputs_give_well_formed_records(lines in lines(12)) {
        let bench = Bench::flight(&samples());
        let run = bench.run(&lines);
        let blank = lines.iter().filter(|line| line.trim().is_empty()).count();
        prop_assert_eq!(run.evaluated.records.len() + run.batch.refused.len() + blank, lines.len());
        well_formed(&bench, &run);
    }

    #[test]
    fn any_text_is_a_response(text: String, bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let bench = Bench::flight(&[sample("s", "S1"), sample("t", "M3"), sample("u", "M1")]);
        let lossy = String::from_utf8_lossy(&bytes).into_owned();
        let run = bench.run(&[output("m", "s", text.clone()), output("m", "t", lossy), output("m", "u", text)]);
        prop_assert_eq!(run.evaluated.records.len(), 3);
        well_formed(&bench, &run);
    }

    #[test]
    fn any_json_value_is_a_record_or_a_reject(value in any_json()) {
        let bench = Bench::flight(&[sample("s", "S1")]);
        let run = bench.run(&[output("m", "s", value.clone())]);
        let taken = value.is_string() || value.is_object();
        prop_assert_eq!(run.evaluated.records.len(), usize::from(taken), "{}", value);
        prop_assert_eq!(run.batch.refused.len(), usize::from(!taken));
        well_formed(&bench, &run);
    }

    #[test]
    fn any_bytes_as_a_line_are_a_record_or_a_reject(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        // A byte-order mark alone, or compressed data, is not lines of JSON.
        prop_assume!(!bytes.starts_with(&[0x1f, 0x8b]) && !bytes.starts_with(&[0x28, 0xb5]) && !bytes.starts_with(&[0xef, 0xbb]));
        let bench = Bench::flight(&[sample("s", "S1")]);
        let run = bench.run(&[&bytes]);
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| {
            !line.strip_suffix(b"\r").unwrap_or(line).trim_ascii_start().is_empty()
        });
        prop_assert_eq!(run.evaluated.records.len() + run.batch.refused.len(), lines.count());
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn one(task: &str, response: impl Into<Value>) -> Record {
    let bench = Bench::flight(&[sample("s", task)]);
    let run = bench.run(&[output("m", "s", response)]);
    well_formed(&bench, &run);
    record(&bench.render(&run)[0])
}

#[test]
fn keys_stand_in_the_order_of_the_contract() {
    let bench = Bench::flight(&[sample("s", "S1")]);
    let run = bench.run(&[output("m", "s", Value::Object(good("S1")))]);
    let value: Value = serde_json::from_str(&bench.render(&run)[0]).expect("JSON");
    let keys = |value: &Value| {
        value
            .as_object()
            .map(|map| map.keys().cloned().collect::<Vec<_>>())
            .unwrap_or_default()
    };
    assert_eq!(
        keys(&value),
        [
            "sample_id",
            "model_name",
            "task_id",
            "input_file",
            "input_line",
            "protocol_result",
            "evidence_pack",
            "agent_output",
            "optional_scores",
            "trace"
        ]
    );
    assert_eq!(
        keys(&value["agent_output"]),
        ["checklist", "adjudication", "attribution"]
    );
    assert_eq!(
        keys(&value["evidence_pack"]["atoms"][0]),
        [
            "id", "type", "rule", "field", "pass", "severity", "scope", "message", "meta"
        ]
    );
}

#[test]
fn completeness_and_validity_are_told_apart() {
    let mut object = state("S1", &[("slip", Value::Null), ("roll", json!([1]))]);
    object.remove("Latitude (WGS84 deg)");
    let result = one("S1", Value::Object(object)).protocol_result;
    assert_eq!(
        (
            result.field_completeness.present,
            result.field_completeness.required
        ),
        (18, 19)
    );
    assert_eq!(result.field_completeness.rate, Some(18.0 / 19.0));
    assert_eq!(result.field_completeness.missing, ["Latitude (WGS84 deg)"]);
    assert_eq!(result.type_validation.invalid, ["Roll (deg)", "Slip/Skid"]);
    assert!(!result.type_validation.valid);
    assert_eq!(
        (result.parsing.success, result.parsing.method.as_deref()),
        (true, Some("direct"))
    );
    let failed = one("S1", "Timeout").protocol_result;
    assert_eq!(
        (failed.parsing.success, failed.parsing.error.as_deref()),
        (false, Some("api_error"))
    );
    assert_eq!(
        (
            failed.field_completeness.present,
            failed.type_validation.valid
        ),
        (0, false)
    );
}

#[test]
fn a_hundred_atoms_and_more_are_numbered_with_three_digits() {
    // 141 atoms of a flawless array response.
    let atoms = one("M3", Value::Object(good("M3"))).evidence_pack.atoms;
    assert_eq!(atoms.len(), 141);
    assert_eq!(
        (
            atoms[0].id.as_str(),
            atoms[99].id.as_str(),
            atoms[140].id.as_str()
        ),
        ("EVID_001", "EVID_100", "EVID_141")
    );
}

#[test]
fn meta_names_what_decided() {
    let atoms = one(
        "S1",
        Value::Object(state(
            "S1",
            &[("gps_alt", json!(800)), ("vs", json!(-2500))],
        )),
    )
    .evidence_pack
    .atoms;
    let of = |rule: &str| {
        atoms
            .iter()
            .find(|atom| atom.rule.ends_with(rule))
            .map(|atom| (atom.meta.clone(), atom.message.clone()))
    };
    let (meta, message) = of("velocity_altitude_consistency").expect("an atom");
    assert_eq!(
        meta["fields"],
        json!(["GPS Altitude (WGS84 ft)", "Vertical Speed (fpm)"])
    );
    assert_eq!(
        (&meta["observed"], &meta["limit"]),
        (&json!(2500.0), &json!(2000.0))
    );
    assert_eq!(
        meta["limits"],
        json!({"warning_above": 2000.0, "critical_above": 3000.0})
    );
    assert_eq!(
        message,
        "vertical speed -2500 fpm at 800 ft GPS altitude: above the warning limit of 2000 fpm"
    );
    let (meta, _) = of("altitude_consistency").expect("an atom");
    // 3000 - 800 = 2200 ft apart.
    assert_eq!(
        (&meta["observed"], &meta["limit"]),
        (&json!(2200.0), &json!(1000.0))
    );
}

#[test]
fn a_protocol_without_required_fields_renders_records() {
    let source = crate::protocol::builtin::source("flight").expect("flight");
    let optional = source.replace("alias = ", "required = false\nalias = ");
    let bench = Bench::new(
        parse(&optional, "optional").expect("a protocol"),
        &[sample("s", "S1")],
    );
    let run = bench.run(&[output("m", "s", Value::Object(good("S1")))]);
    let record = same_bytes(&bench.render(&run)[0]);
    assert_eq!(record.protocol_result.field_completeness.rate, None);
    assert_eq!(record.optional_scores.availability_score, None);
}
