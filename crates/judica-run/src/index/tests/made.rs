//! Small random runs.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_schema::Schema;
use judica_data::parquet::{Encoder, TableSchema, TableWriter};
use judica_model::run::{
    Direction, Estimator, Evidence, MetricKind, MetricSpec, OwnValue, RunRecord, Verdict,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::layout::{Layout, OwnColumn, OwnKind, evidence_fields, head_fields};
use crate::manifest::{Counts, name};
use crate::open::Run;
use crate::records::RecordColumns;
use crate::writer::{RunEnd, RunSpec, RunWriter};

/// A name that is longer than a parameter gives.
const LONG: &str = match str::from_utf8(&[b'x'; 201]) {
    Ok(name) => name,
    Err(_) => "",
};
pub const SUBJECTS: [&str; 5] = ["b", "a", "none", LONG, "#1"];
pub const DATASETS: [&str; 2] = ["d", "é"];
pub const ITEMS: [&str; 5] = ["q1", "q11", "1q", "", "x"];
pub const GRADES: [&str; 3] = ["A", "none", "B"];
pub const RULES: [&str; 3] = ["r.two", "r.one", ""];
pub const SEVERITIES: [&str; 3] = ["warning", "critical", "odd"];
pub const TEXTS: [&str; 5] = ["q", "1", "1q", "q11", "z"];
/// Records of a row group.
pub const GROUP: usize = 3;

#[derive(Debug, Clone)]
pub struct Made {
    pub subject: usize,
    pub dataset: usize,
    pub item: usize,
    pub epoch: i32,
    pub verdict: Option<usize>,
    pub grade: Option<usize>,
    pub score: Option<f64>,
    pub terms: (Option<f64>, Option<f64>),
    /// Rule, severity, whether it passed.
    pub atoms: Vec<(usize, usize, bool)>,
}

impl Made {
    pub fn value(&self, metric: &str) -> Option<f64> {
        match metric {
            "score" => self.score,
            _ => match self.terms {
                (Some(above), Some(below)) if below != 0.0 => {
                    Some(above / below).filter(|value| !value.is_nan())
                }
                _ => None,
            },
        }
    }

    pub fn failed(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let failed = self.atoms.iter().filter(|(.., pass)| !pass);
        failed.map(|(rule, severity, _)| (RULES[*rule], SEVERITIES[*severity]))
    }
}

pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(-1.5),
        Just(1.0),
        Just(f64::INFINITY),
        Just(2.0)
    ]
}

pub fn record() -> impl Strategy<Value = Made> {
    let names = (0..5_usize, 0..2_usize, 0..5_usize);
    let own = (
        proptest::option::of(0..4_usize),
        proptest::option::of(0..3_usize),
        proptest::option::of(number()),
        (
            proptest::option::of(number()),
            proptest::option::of(number()),
        ),
    );
    let atoms = proptest::collection::vec((0..3_usize, 0..3_usize, any::<bool>()), 0..4);
    (names, own, atoms).prop_map(|((subject, dataset, item), own, atoms)| Made {
        subject,
        dataset,
        item,
        epoch: 1,
        verdict: own.0,
        grade: own.1,
        score: own.2,
        terms: own.3,
        atoms,
    })
}

pub fn records() -> impl Strategy<Value = Vec<Made>> {
    proptest::collection::vec(record(), 0..24).prop_map(|mut records| {
        for at in 0..records.len() {
            let key = |made: &Made| (made.subject, made.dataset, made.item);
            let before = records[..at]
                .iter()
                .filter(|made| key(made) == key(&records[at]));
            records[at].epoch = before.count() as i32 + 1;
        }
        records
    })
}

/// Writes a run of these records, with or without a table of failures.
pub fn write(folder: &Path, records: &[Made], graded: bool, failures: bool) -> Run {
    let number = |name| OwnColumn::new(name, OwnKind::Number);
    let mut own = vec![number("above"), number("below")];
    if graded {
        own.push(OwnColumn::new("grade", OwnKind::Text));
    }
    let mut layout = Layout::new(own, false);
    layout.group_rows = GROUP;
    let metric = MetricSpec::column("ratio", MetricKind::Ratio, Direction::Higher);
    let kappa = Estimator {
        name: "cohen_kappa".to_owned(),
        level: None,
        raters: Vec::new(),
        categories: Vec::new(),
    };
    let spec = RunSpec {
        command: "match",
        options: Value::Null,
        metrics: vec![
            metric.over("above", "below"),
            MetricSpec::coefficient("kappa", kappa),
            MetricSpec::column("ghost", MetricKind::Mean, Direction::Higher),
        ],
        created_at: "2026-01-01T00:00:00Z".to_owned(),
    };
    let mut run = RunWriter::create(folder, spec, layout).unwrap();
    let mut columns = RecordColumns::new(run.layout());
    for made in records {
        let atoms = made.atoms.iter().map(|(rule, severity, pass)| Evidence {
            rule: RULES[*rule],
            severity: SEVERITIES[*severity],
            pass: *pass,
            ..Evidence::default()
        });
        let atoms: Vec<Evidence> = atoms.collect();
        let mut own = vec![
            OwnValue::number(made.terms.0),
            OwnValue::number(made.terms.1),
        ];
        if graded {
            own.push(
                made.grade
                    .map_or(OwnValue::Null, |at| OwnValue::Text(GRADES[at])),
            );
        }
        columns.push(&RunRecord {
            subject: SUBJECTS[made.subject],
            dataset: DATASETS[made.dataset],
            item: ITEMS[made.item],
            epoch: made.epoch,
            verdict: made.verdict.map(|at| Verdict::ALL[at]),
            decision: made.verdict.map(|_| "said"),
            score: made.score,
            evidence: &atoms,
            own: &own,
            ..RunRecord::default()
        });
    }
    run.append(columns.take()).unwrap();
    if failures {
        let file = write_failures(&run, records.chunks(GROUP));
        run.stage(file, "failures", true).unwrap();
    }
    run.finish(RunEnd {
        inputs: Vec::new(),
        counts: Counts::default(),
        report: &Value::Null,
        tables: &[],
        rejects: None,
        trace: None,
    })
    .unwrap();
    Run::open(folder).unwrap()
}

pub struct Failed<'m> {
    made: &'m Made,
    rule: &'static str,
    severity: &'static str,
}

pub fn write_failures<'m>(
    run: &RunWriter,
    groups: impl Iterator<Item = &'m [Made]>,
) -> judica_data::atomic::AtomicFile {
    let mut fields = head_fields();
    fields.truncate(4);
    let parts = evidence_fields();
    fields.extend([&parts[0], &parts[4]].map(|part| part.as_ref().clone()));
    let schema = Arc::new(Schema::new(fields));
    let table = TableSchema::new(&schema).unwrap();
    let mut writer = TableWriter::new(run.begin(name::FAILURES).unwrap(), &table).unwrap();
    for group in groups {
        let failed = group.iter().flat_map(|made| {
            let atoms = made.failed();
            atoms.map(move |(rule, severity)| Failed {
                made,
                rule,
                severity,
            })
        });
        let failed: Vec<Failed> = failed.collect();
        let text = |of: fn(&Failed) -> &'static str| {
            Arc::new(StringArray::from_iter_values(failed.iter().map(of))) as ArrayRef
        };
        let epochs = failed.iter().map(|atom| atom.made.epoch);
        let columns: Vec<ArrayRef> = vec![
            text(|atom| DATASETS[atom.made.dataset]),
            text(|atom| ITEMS[atom.made.item]),
            text(|atom| SUBJECTS[atom.made.subject]),
            Arc::new(Int32Array::from_iter_values(epochs)),
            text(|atom| atom.rule),
            text(|atom| atom.severity),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        writer
            .append(Encoder::new().encode(&table, &[batch]).unwrap())
            .unwrap();
    }
    writer.finish().unwrap()
}
