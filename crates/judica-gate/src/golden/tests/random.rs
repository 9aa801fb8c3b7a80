//! Random folders, counted again in the plainest way from what was written.

use proptest::prelude::*;

use super::*;

/// A run as it is made up; ids are small numbers.
#[derive(Clone, Debug)]
struct Run {
    objective: usize,
    stop: &'static str,
    claims: Vec<(&'static str, Vec<usize>)>,
    /// For each id: not there, or which record.
    evidence: Vec<Option<usize>>,
    /// Which manifest stands beside the step; whether there is a file, and what it holds.
    steps: Vec<(usize, Option<&'static str>)>,
    in_events: bool,
}

/// Records without their id, and whether they can be used.
fn records() -> [(Value, bool); 7] {
    [
        (json!({"quote": "q", "provenance": "p"}), true),
        (json!({"span": [2, 5], "provenance": [0]}), true),
        (
            json!({"quote": "", "span": {"start": 0, "end": 1}, "provenance": {"a": null}}),
            true,
        ),
        (json!({"quote": "q", "provenance": {}}), false),
        (json!({"quote": "q"}), false),
        (json!({"span": [5, 5], "provenance": "p"}), false),
        (
            json!({"quote": "\n", "span": null, "provenance": "p"}),
            false,
        ),
    ]
}

fn inline_manifests() -> [(Value, bool); 4] {
    [
        (json!(null), false),
        (json!({}), false),
        (json!({"k": 0}), true),
        (json!("m"), true),
    ]
}

fn run() -> impl Strategy<Value = Run> {
    let claim = (
        prop::sample::select(vec!["verified", "Verified", "open", "rejected"]),
        prop::collection::vec(0..6usize, 0..3),
    );
    let step = (
        0..4usize,
        prop::option::of(prop::sample::select(vec!["{}", "{"])),
    );
    (
        0..5usize,
        prop::sample::select(vec!["NO_EVIDENCE", "DONE"]),
        prop::collection::vec(claim, 0..4),
        prop::collection::vec(prop::option::of(0..7usize), 5),
        prop::collection::vec(step, 0..4),
        any::<bool>(),
    )
        .prop_map(
            |(objective, stop, claims, evidence, steps, in_events)| Run {
                objective,
                stop,
                claims,
                evidence,
                steps,
                in_events,
            },
        )
}

fn write(dir: &Dir, name: usize, run: &Run) {
    let claims = run.claims.iter().enumerate().map(|(id, (status, cited))| {
        let cited: Vec<String> = cited.iter().map(|id| format!("e{id}")).collect();
        json!({"id": id, "status": status, "evidence_ids": cited})
    });
    let evidence = run.evidence.iter().enumerate().filter_map(|(id, kind)| {
        let mut record = records()[(*kind)?].0.clone();
        record["id"] = json!(format!("e{id}"));
        Some(record)
    });
    let steps: Vec<Value> = run
        .steps
        .iter()
        .enumerate()
        .map(|(id, (inline, _))| json!({"type": "step", "id": id, "manifest": inline_manifests()[*inline].0}))
        .collect();
    let mut whole = json!({
        "run_id": name,
        "objective": format!("q{}", run.objective),
        "stop_reason": run.stop,
        "claims": claims.collect::<Vec<_>>(),
        "evidence": evidence.collect::<Vec<_>>(),
    });
    if run.in_events {
        let lines: Vec<String> = steps.iter().map(Value::to_string).collect();
        dir.write(&format!("{name}/events.jsonl"), lines.join("\n"));
    } else {
        whole["steps"] = json!(steps);
    }
    for (id, (_, file)) in run.steps.iter().enumerate() {
        if let Some(text) = file {
            dir.write(&format!("{name}/manifests/{id}.json"), text);
        }
    }
    dir.run(&name.to_string(), &whole);
}

/// Whether a run's ledger has a usable record of an id.
fn has(run: &Run, id: usize) -> bool {
    matches!(run.evidence.get(id), Some(Some(kind)) if records()[*kind].1)
}

fn verified(run: &Run) -> impl Iterator<Item = &Vec<usize>> {
    let claims = run.claims.iter();
    let verified = claims.filter(|(status, _)| status.to_lowercase() == "verified");
    verified.map(|(_, cited)| cited)
}

fn share(all: impl Iterator<Item = bool>) -> (u64, u64) {
    all.fold((0, 0), |(good, n), is_good| {
        (good + u64::from(is_good), n + 1)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn equal_to_counting_again(
        runs in prop::collection::vec(run(), 0..6),
        queries in prop::collection::vec((prop::collection::vec(0..6usize, 0..4), any::<bool>()), 1..5),
    ) {
        let golden: Vec<Value> = queries.iter().enumerate().map(|(at, (required, sufficient))| {
            let required: Vec<String> = required.iter().map(|id| format!("e{id}")).collect();
            let required: Vec<&str> = required.iter().map(String::as_str).collect();
            query(&format!("q{at}"), &required, *sufficient)
        }).collect();
        let dir = Dir::new(&json!(golden));
        runs.iter().enumerate().for_each(|(name, run)| write(&dir, name, run));
        let report = dir.report();

        let coverage = share(runs.iter().flat_map(|run| {
            verified(run).map(move |cited| cited.iter().any(|id| has(run, *id)))
        }));
        let manifests = share(runs.iter().flat_map(|run| {
            run.steps.iter().map(|(inline, file)| inline_manifests()[*inline].1 || *file == Some("{}"))
        }));
        let (mut required, mut abstained) = (Vec::new(), Vec::new());
        for (at, (ids, sufficient)) in queries.iter().enumerate() {
            let own: Vec<&Run> = runs.iter().filter(|run| run.objective == at).collect();
            for id in 0..6 {
                if ids.contains(&id) {
                    required.push(own.iter().any(|run| has(run, id)));
                }
            }
            if !sufficient {
                let right = |run: &&Run| run.stop == "NO_EVIDENCE" && verified(run).count() == 0;
                abstained.extend(own.iter().map(right));
                if own.is_empty() {
                    abstained.push(false);
                }
            }
        }
        prop_assert_eq!(ratio(&report, "evidence_coverage_rate"), coverage);
        prop_assert_eq!(ratio(&report, "manifest_integrity"), manifests);
        prop_assert_eq!(ratio(&report, "golden_recall"), share(required.into_iter()));
        prop_assert_eq!(ratio(&report, "abstention_accuracy"), share(abstained.into_iter()));

        let offenders = |list: &str| report["offenders"][list].as_array().unwrap().len() as u64;
        for (list, metric) in [
            ("claims", "evidence_coverage_rate"),
            ("evidence", "golden_recall"),
            ("abstentions", "abstention_accuracy"),
            ("steps", "manifest_integrity"),
        ] {
            let (good, all) = ratio(&report, metric);
            prop_assert_eq!(offenders(list), all - good, "{} are all named", list);
        }
        prop_assert_eq!(&report["malformed_runs"], &json!([]));
    }
}
