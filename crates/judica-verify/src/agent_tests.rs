//! Checklist, decision and reasons.

use judica_model::record::Record;
use serde_json::{Value, json};

use super::*;
use crate::evidence::Atoms;
use crate::test_support::{Bench, FLIGHT, FLIGHT_CHECKS, flight_with, key, output, sample, state};

/// Evidence of hand-picked atoms: (rule, field alias, step, severity), in family order.
fn with_evidence<R>(
    protocol: &Protocol,
    atoms: &[(&str, Option<&str>, Option<usize>, Severity)],
    use_it: impl Fn(&Evidence) -> R,
) -> R {
    let mut counts = vec![FamilyCount::default(); protocol.families.len()];
    let mut evidence = Atoms::default();
    for (rule, alias, step, code) in atoms {
        let rule = FLIGHT_CHECKS
            .rule_names
            .iter()
            .position(|name| name == rule)
            .expect("a rule");
        let label = alias.map(|alias| {
            FLIGHT_CHECKS
                .labels
                .iter()
                .position(|label| label == key(alias))
                .expect("a label")
        });
        let task = if step.is_some() { "M3" } else { "S1" };
        let task = FLIGHT.task_index(task).expect("a task");
        let number = FLIGHT_CHECKS
            .find(task, rule, label, *step)
            .expect("a check");
        evidence.push(number, *code, f64::NAN, f64::NAN);
        let count = &mut counts[FLIGHT_CHECKS.get(number).family];
        count.atoms += 1;
        count.critical += u32::from(*code == Severity::Critical);
        count.warning += u32::from(*code == Severity::Warning);
    }
    use_it(&Evidence {
        protocol,
        checks: &FLIGHT_CHECKS,
        atoms: evidence.of_record(0..evidence.len()),
        counts: &counts,
    })
}

const RANGE: &str = "range_sanity.out_of_range";
const JUMP: &str = "jump_dynamics.mutation_violation";
const DESCENT: &str = "safety_constraint.rapid_descent";
const ALTITUDE: &str = "cross_field_consistency.altitude_consistency";
use Severity::{Critical, Info, Warning};

#[test]
fn failed_atoms_of_one_rule_and_field_are_one_reason() {
    let atoms = [
        (RANGE, Some("lat"), Some(0), Warning),
        (JUMP, Some("lat"), Some(1), Warning),
        (ALTITUDE, None, Some(0), Warning),
        (ALTITUDE, None, Some(1), Info),
        (ALTITUDE, None, Some(2), Warning),
        (DESCENT, Some("vs"), Some(0), Warning),
        (DESCENT, Some("vs"), Some(1), Info),
        (DESCENT, Some("vs"), Some(2), Critical),
    ];
    let reasons = with_evidence(&FLIGHT, &atoms, |evidence| evidence.attribute());
    let told: Vec<_> = reasons
        .iter()
        .map(|reason| {
            (
                FLIGHT_CHECKS.rule_names[reason.rule].as_str(),
                reason.severity,
                reason.atoms.clone(),
            )
        })
        .collect();
    // The descent is as grave as its worst step and comes first; the others follow in
    // the order of their first atoms. Passed atoms are not cited.
    assert_eq!(
        told,
        [
            (DESCENT, Critical, vec![5, 7]),
            (RANGE, Warning, vec![0]),
            (JUMP, Warning, vec![1]),
            (ALTITUDE, Warning, vec![2, 4]),
        ]
    );
}

#[test]
fn one_rule_on_two_fields_gives_two_reasons() {
    let atoms = [
        (RANGE, Some("lat"), None, Warning),
        (RANGE, Some("lon"), None, Critical),
    ];
    let reasons = with_evidence(&FLIGHT, &atoms, |evidence| evidence.attribute());
    let labels: Vec<_> = reasons
        .iter()
        .map(|reason| {
            reason
                .label
                .map(|label| FLIGHT_CHECKS.labels[label].as_str())
        })
        .collect();
    assert_eq!(labels, [Some(key("lon")), Some(key("lat"))]);
}

#[test]
fn only_the_gravest_are_told() {
    // Six warnings, then a critical one: it must not be the one that falls out.
    let mut atoms: Vec<_> = ["lat", "lon", "gps_alt", "track", "heading", "ve"]
        .map(|alias| (RANGE, Some(alias), None, Warning))
        .to_vec();
    atoms.push((DESCENT, Some("vs"), None, Critical));
    let rules = |protocol: &Protocol| {
        with_evidence(protocol, &atoms, |evidence| {
            evidence
                .attribute()
                .iter()
                .map(|reason| reason.atoms[0])
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(rules(&FLIGHT), [6, 0, 1, 2, 3]);
    assert_eq!(rules(&flight_with("top_k = 5", "top_k = 2")), [6, 0]);
    assert_eq!(rules(&flight_with("top_k = 5", "top_k = 0")), [0u32; 0]);
    assert_eq!(
        rules(&flight_with("top_k = 5", "top_k = 100")),
        [6, 0, 1, 2, 3, 4, 5]
    );
}

#[test]
fn the_checklist_has_every_family_and_its_range_of_atoms() {
    let atoms = [
        (RANGE, Some("lat"), None, Info),
        (RANGE, Some("lon"), None, Info),
        (JUMP, Some("lat"), None, Warning),
        (DESCENT, Some("vs"), None, Critical),
    ];
    let list = with_evidence(&FLIGHT, &atoms, |evidence| evidence.checklist());
    let told: Vec<_> = list
        .iter()
        .map(|item| (item.family, item.atoms.clone(), item.status))
        .collect();
    use CheckStatus::{Fail, Pass, Unknown};
    assert_eq!(
        told,
        [
            (0, 0..0, Unknown),
            (1, 0..0, Unknown),
            (2, 0..2, Pass),
            (3, 2..3, Fail),
            (4, 3..3, Unknown),
            (5, 3..3, Unknown),
            (6, 3..4, Fail),
        ]
    );
}

#[test]
fn critical_gates_and_a_warning_does_not() {
    let decide = |protocol: &Protocol, severity| {
        with_evidence(
            protocol,
            &[(RANGE, Some("lat"), None, severity)],
            |evidence| evidence.adjudicate(),
        )
    };
    assert_eq!(decide(&FLIGHT, Info), Adjudication::Eligible);
    assert_eq!(decide(&FLIGHT, Warning), Adjudication::Eligible);
    assert_eq!(decide(&FLIGHT, Critical), Adjudication::Ineligible);
    let strict = flight_with("severity = \"critical\"", "severity = \"warning\"");
    assert_eq!(decide(&strict, Info), Adjudication::Eligible);
    assert_eq!(decide(&strict, Warning), Adjudication::Ineligible);
    assert_eq!(decide(&strict, Critical), Adjudication::Ineligible);
}

#[test]
fn the_lowest_gating_severity_gates_every_failure() {
    // file.rs: "The lowest severity whose failed atom gates the record."
    let protocol = flight_with("severity = \"critical\"", "severity = \"info\"");
    let decision = with_evidence(
        &protocol,
        &[(RANGE, Some("lat"), None, Critical)],
        |evidence| evidence.adjudicate(),
    );
    assert_eq!(decision, Adjudication::Ineligible);
}

#[test]
fn a_record_tells_all_of_it() {
    let bench = Bench::flight(&[sample("s", "M3")]);
    let response = state(
        "M3",
        &[
            ("vs", json!([-2500, 0, -2600])),
            ("slip", json!([0, 0, null])),
        ],
    );
    let run = bench.run(&[output("m", "s", Value::Object(response).to_string())]);
    let record: Record = serde_json::from_str(&bench.render(&run)[0]).expect("a record");
    let told: Vec<_> = record
        .agent_output
        .attribution
        .iter()
        .map(|reason| {
            (
                reason.rank,
                reason.rule.as_str(),
                reason.field.as_deref(),
                reason.count,
            )
        })
        .collect();
    // One element is not a number (critical). Then the warnings by family: vs changes
    // by 2500 and 2600, both beyond 1500, the larger at step 2 and beyond 1.5 · 1500 =
    // 2250, so critical; continuity allows 3000; the descent is a warning twice.
    assert_eq!(
        told,
        [
            (1, "numeric_validity.invalid_value", Some("Slip/Skid[2]"), 1),
            (
                2,
                "jump_dynamics.mutation_violation",
                Some("Vertical Speed (fpm)"),
                1
            ),
            (
                3,
                "safety_constraint.rapid_descent",
                Some("Vertical Speed (fpm)"),
                2
            ),
        ]
    );
    let checklist = &record.agent_output.checklist;
    assert_eq!(checklist.len(), 7);
    assert_eq!(
        (
            checklist[0].item_id.as_str(),
            checklist[0].constraint_id.as_str()
        ),
        ("CHECK_001", "PROTOCOL")
    );
    assert_eq!(
        (checklist[0].status, checklist[0].evidence_id.as_deref()),
        (CheckStatus::Unknown, None)
    );
    assert_eq!(checklist[1].evidence_id.as_deref(), Some("EVID_001"));
    // 57 elements, then range from 58 on, without slip: 18.
    assert_eq!(checklist[2].evidence_id.as_deref(), Some("EVID_058"));
    assert_eq!(checklist[2].evidence_ids.len(), 18);
    assert_eq!(checklist[6].constraint_id, "SAFETY_CONSTRAINT");
}
