//! What tests look at in a run folder.

use std::collections::BTreeMap;
use std::path::Path;

use judica_run::coefficient::Groups;
use judica_run::labels::Labels;
use judica_run::open::Run;
use judica_run::rows::{Rows, Scratch};
use serde_json::Value;

use crate::support::Place;

/// The files of a run that has rejects.
pub const WITH_REJECTS: [&str; 5] = [
    "manifest.json",
    "records.parquet",
    "rejects.jsonl",
    "report.json",
    "tables.json",
];

/// Every coefficient among a run's metrics, recomputed from its records by the estimator
/// alone; none where it is undefined.
pub fn recomputed(folder: &Path) -> BTreeMap<String, Option<f64>> {
    let run = Run::open(folder).expect("a run");
    let mut labels = Labels::default();
    for batch in run
        .records()
        .expect("records")
        .batches(&[])
        .expect("batches")
    {
        let batch = batch.expect("a batch");
        let rows = Rows::new(&batch);
        for row in 0..rows.len() {
            labels.push(rows.get(row, &mut Scratch::default()).labels);
        }
    }
    let specs = run.manifest.metrics.iter();
    let specs = specs.filter_map(|spec| Some((spec.name.clone(), spec.estimator.as_ref()?)));
    specs
        .map(|(name, estimator)| {
            let groups = Groups::new(estimator, &labels).expect("an estimator");
            (name, groups.value().ok())
        })
        .collect()
}

/// Insists that a recomputed coefficient is what the report says of it.
#[track_caller]
pub fn as_reported(name: &str, recomputed: Option<f64>, reported: &Value) {
    match (recomputed, reported["value"].as_f64()) {
        (Some(ours), Some(theirs)) => {
            assert!((ours - theirs).abs() <= 1e-12, "{name}: {ours} or {theirs}")
        }
        (None, None) => {}
        (ours, _) => panic!("{name}: {ours:?} or {reported}"),
    }
}

/// Runs a command with one thread and with three, without a clock, and has the run made
/// again: all must be the same to the byte.
#[track_caller]
pub fn same_run(place: &Place, arguments: &str, code: i32) {
    let run = |threads: usize| {
        let mut command = place.command(&format!("{arguments} --threads {threads}"));
        command.env("SOURCE_DATE_EPOCH", "1700000000");
        crate::support::ran(command).exits(code);
        place.files("run")
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        three.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &one {
        assert!(*bytes == three[name], "{name} differs with three threads");
    }
    place.judica("reproduce run").exits(0).says(&["identical"]);
}
