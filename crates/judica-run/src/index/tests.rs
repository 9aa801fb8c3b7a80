//! Lists of small random runs, held against going through the records one by one.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_schema::Schema;
use judica_data::parquet::{Encoder, TableSchema, TableWriter};
use judica_data::work_error::WorkError;
use judica_model::run::{
    Direction, Estimator, Evidence, MetricKind, MetricSpec, OwnValue, RunRecord, Verdict,
};
use proptest::prelude::*;
use serde_json::Value;

use super::query::{Dimension, Query, Sort};
use super::{Asked, Index};
use crate::layout::{Layout, OwnColumn, OwnKind, head_fields};
use crate::manifest::{Counts, name};
use crate::open::Run;
use crate::records::RecordColumns;
use crate::show::Wanted;
use crate::writer::{RunEnd, RunSpec, RunWriter};

const SUBJECTS: [&str; 3] = ["b", "a", "none"];
const DATASETS: [&str; 2] = ["d", "é"];
const ITEMS: [&str; 5] = ["q1", "q11", "1q", "", "x"];
const GRADES: [&str; 3] = ["A", "none", "B"];
const RULES: [&str; 3] = ["r.two", "r.one", ""];
const SEVERITIES: [&str; 3] = ["warning", "critical", "odd"];
const TEXTS: [&str; 5] = ["q", "1", "1q", "q11", "z"];
/// Records of a row group.
const GROUP: usize = 3;

#[derive(Debug, Clone)]
struct Made {
    subject: usize,
    dataset: usize,
    item: usize,
    epoch: i32,
    verdict: Option<usize>,
    grade: Option<usize>,
    score: Option<f64>,
    terms: (Option<f64>, Option<f64>),
    /// Rule, severity, whether it passed.
    atoms: Vec<(usize, usize, bool)>,
}

impl Made {
    fn value(&self, metric: &str) -> Option<f64> {
        match metric {
            "score" => self.score,
            _ => match self.terms {
                (Some(above), Some(below)) if below != 0.0 => Some(above / below),
                _ => None,
            },
        }
    }

    fn failed(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let failed = self.atoms.iter().filter(|(.., pass)| !pass);
        failed.map(|(rule, severity, _)| (RULES[*rule], SEVERITIES[*severity]))
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(-1.5),
        Just(1.0),
        Just(f64::INFINITY),
        Just(2.0)
    ]
}

fn record() -> impl Strategy<Value = Made> {
    let names = (0..3_usize, 0..2_usize, 0..5_usize);
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

fn records() -> impl Strategy<Value = Vec<Made>> {
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
fn write(folder: &Path, records: &[Made], graded: bool, failures: bool) -> Run {
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

fn write_failures<'m>(
    run: &RunWriter,
    groups: impl Iterator<Item = &'m [Made]>,
) -> judica_data::atomic::AtomicFile {
    let mut fields = head_fields();
    fields.truncate(4);
    let parts = crate::layout::evidence_fields();
    fields.extend([&parts[0], &parts[4]].map(|part| part.as_ref().clone()));
    let schema = Arc::new(Schema::new(fields));
    let table = TableSchema::new(&schema).unwrap();
    let mut writer = TableWriter::new(run.begin(name::FAILURES).unwrap(), &table).unwrap();
    for group in groups {
        let failed = group
            .iter()
            .flat_map(|made| made.failed().map(move |atom| (made, atom)));
        let failed: Vec<(&Made, (&str, &str))> = failed.collect();
        let text = |of: &dyn Fn(&(&Made, (&'static str, &'static str))) -> &'static str| {
            let failed = group
                .iter()
                .flat_map(|made| made.failed().map(move |atom| (made, atom)));
            Arc::new(StringArray::from_iter_values(failed.map(|atom| of(&atom)))) as ArrayRef
        };
        let epochs = failed.iter().map(|(made, _)| made.epoch);
        let columns: Vec<ArrayRef> = vec![
            text(&|(made, _)| DATASETS[made.dataset]),
            text(&|(made, _)| ITEMS[made.item]),
            text(&|(made, _)| SUBJECTS[made.subject]),
            Arc::new(Int32Array::from_iter_values(epochs)),
            text(&|(_, (rule, _))| rule),
            text(&|(_, (_, severity))| severity),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        writer
            .append(Encoder::new().encode(&table, &[batch]).unwrap())
            .unwrap();
    }
    writer.finish().unwrap()
}

fn index(run: &Run, threads: usize) -> Index {
    Index::build(run, threads, &|_| (), &AtomicBool::new(false)).unwrap()
}

/// A question: names by their places, texts, bounds, an order.
type Question = (
    [Vec<usize>; 6],
    Vec<usize>,
    Option<(bool, Option<f64>, Option<f64>)>,
    Option<(bool, bool)>,
);

fn question() -> impl Strategy<Value = Question> {
    let names = || proptest::collection::vec(0..5_usize, 0..3);
    let bound = || proptest::option::of(prop_oneof![Just(-1.5), Just(0.0), Just(1.0)]);
    (
        [names(), names(), names(), names(), names(), names()],
        proptest::collection::vec(0..5_usize, 0..2),
        proptest::option::of((any::<bool>(), bound(), bound())),
        proptest::option::of((any::<bool>(), any::<bool>())),
    )
}

/// What a place among names asks for, in a run of these records; nothing if it has none there.
fn asked(dimension: Dimension, at: usize, records: &[Made], graded: bool) -> Option<&'static str> {
    let has = |yes: &dyn Fn(&Made) -> bool| records.iter().any(yes);
    match dimension {
        Dimension::Subject => {
            let name = *SUBJECTS.get(at)?;
            has(&|made| SUBJECTS[made.subject] == name).then_some(name)
        }
        Dimension::Dataset => {
            let name = *DATASETS.get(at)?;
            has(&|made| DATASETS[made.dataset] == name).then_some(name)
        }
        Dimension::Verdict => Some(["pass", "fail", "undecided", "error", "none"][at]),
        Dimension::Grade if !graded => None,
        Dimension::Grade => match *GRADES.get(at)? {
            "none" => Some("none"),
            name => {
                let one = |made: &Made| made.grade.map(|at| GRADES[at]) == Some(name);
                has(&one).then_some(name)
            }
        },
        Dimension::Rule => {
            let name = RULES.get(at).copied().filter(|name| !name.is_empty())?;
            has(&|made| made.failed().any(|(rule, _)| rule == name)).then_some(name)
        }
        Dimension::Severity => match *SEVERITIES.get(at)? {
            "odd" => has(&|made| made.failed().any(|(_, s)| s == "odd")).then_some("odd"),
            name => Some(name),
        },
    }
}

fn metric(other: bool) -> &'static str {
    if other { "ratio" } else { "score" }
}

fn query(question: &Question, records: &[Made], graded: bool) -> Query {
    let (names, texts, bounds, sort) = question;
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for (dimension, places) in Dimension::ALL.into_iter().zip(names) {
        let values = places
            .iter()
            .filter_map(|at| asked(dimension, *at, records, graded));
        pairs.extend(values.map(|value| (dimension.name(), value.to_owned())));
    }
    pairs.extend(texts.iter().map(|at| ("item", TEXTS[*at].to_owned())));
    if let Some((other, min, max)) = bounds {
        let (min, max) = match (min, max) {
            (Some(min), Some(max)) => (Some(min.min(*max)), Some(min.max(*max))),
            bounds => (*bounds.0, *bounds.1),
        };
        pairs.push(("metric", metric(*other).to_owned()));
        pairs.extend(min.map(|min| ("min", min.to_string())));
        pairs.extend(max.map(|max| ("max", max.to_string())));
    }
    if let Some((other, descending)) = sort {
        let sign = if *descending { "-" } else { "" };
        pairs.push(("sort", format!("{sign}{}", metric(*other))));
    }
    Query::parse(pairs.iter().map(|(name, value)| (*name, value.as_str()))).unwrap()
}

/// Whether a record is listed, looking at no other; conditions of one dimension left out.
fn lists(made: &Made, query: &Query, graded: bool, without: Option<Dimension>) -> bool {
    let wants = |dimension: Dimension, name: &str| {
        let values = query.values(dimension);
        values.is_empty() || without == Some(dimension) || values.iter().any(|value| value == name)
    };
    // A grade that is called `none` can be asked for by its place alone.
    let grade = made
        .grade
        .filter(|_| graded)
        .map_or("none", |at| match GRADES[at] {
            "none" => "#3",
            name => name,
        });
    let asks = |dimension| without != Some(dimension) && !query.values(dimension).is_empty();
    let value = query.metric.as_ref().map(|name| made.value(name));
    wants(Dimension::Subject, SUBJECTS[made.subject])
        && wants(Dimension::Dataset, DATASETS[made.dataset])
        && wants(
            Dimension::Verdict,
            made.verdict.map_or("none", |at| Verdict::ALL[at].name()),
        )
        && wants(Dimension::Grade, grade)
        && (!(asks(Dimension::Rule) || asks(Dimension::Severity))
            || made.failed().any(|(rule, severity)| {
                wants(Dimension::Rule, rule) && wants(Dimension::Severity, severity)
            }))
        && (query.item.is_empty()
            || query
                .item
                .iter()
                .any(|text| ITEMS[made.item].contains(text.as_str())))
        && value.is_none_or(|value| {
            value.is_some_and(|value| {
                query.min.is_none_or(|min| value >= min) && query.max.is_none_or(|max| value <= max)
            })
        })
}

/// The rows of a list, looking at records one by one.
fn listed(records: &[Made], query: &Query, graded: bool) -> Vec<u64> {
    let rows = records.iter().enumerate();
    let mut rows: Vec<usize> = rows
        .filter(|(_, made)| lists(made, query, graded, None))
        .map(|(row, _)| row)
        .collect();
    if let Some(Sort { name, descending }) = &query.sort {
        rows.sort_by(|a, b| {
            let [a, b] = [a, b].map(|row| records[*row].value(name));
            match (a, b) {
                (Some(a), Some(b)) if *descending => b.partial_cmp(&a).unwrap(),
                (Some(a), Some(b)) => a.partial_cmp(&b).unwrap(),
                (a, b) => a.is_none().cmp(&b.is_none()),
            }
        });
    }
    rows.into_iter().map(|row| row as u64).collect()
}

/// How many records a facet counts for a name.
fn counted(records: &[Made], query: &Query, graded: bool, of: Dimension, name: &str) -> u64 {
    let has = |made: &&Made| match of {
        Dimension::Subject => SUBJECTS[made.subject] == name,
        Dimension::Dataset => DATASETS[made.dataset] == name,
        Dimension::Verdict => made.verdict.map_or("none", |at| Verdict::ALL[at].name()) == name,
        Dimension::Grade => made.grade.map_or("none", |at| GRADES[at]) == name,
        Dimension::Rule => made.failed().any(|(rule, severity)| {
            let wanted = query.values(Dimension::Severity);
            rule == name && (wanted.is_empty() || wanted.iter().any(|s| s == severity))
        }),
        Dimension::Severity => made.failed().any(|(rule, severity)| {
            let wanted = query.values(Dimension::Rule);
            severity == name && (wanted.is_empty() || wanted.iter().any(|r| r == rule))
        }),
    };
    // The other one of rule and severity is looked at above, atom by atom.
    let listed = records.iter().filter(|made| match of {
        Dimension::Rule | Dimension::Severity => {
            let mut others = query.clone();
            others.values_mut(Dimension::Rule).clear();
            others.values_mut(Dimension::Severity).clear();
            lists(made, &others, graded, None)
        }
        of => lists(made, query, graded, Some(of)),
    });
    listed.filter(has).count() as u64
}

fn check(records: &[Made], query: &Query, index: &Index, graded: bool) {
    let expected = listed(records, query, graded);
    let filter = index.filter(query).unwrap();
    assert_eq!(index.rows(&filter), expected);
    // Page by page, each of them where the last one says.
    let mut seen = Vec::new();
    let mut next = query.clone();
    loop {
        let filter = index.filter(&next).unwrap();
        let page = index.page(&filter, 2).unwrap();
        assert_eq!(
            (page.total, page.before),
            (expected.len() as u64, seen.len() as u64)
        );
        seen.extend(page.rows.iter().map(|row| row.row));
        for row in &page.rows {
            let made = &records[row.row as usize];
            assert_eq!(row.item, ITEMS[made.item]);
            assert_eq!((row.epoch, row.score), (made.epoch, made.score));
            assert_eq!(row.verdict, made.verdict.map(|at| Verdict::ALL[at]));
            assert_eq!(row.decision.is_some(), made.verdict.is_some());
            let mut failed: Vec<_> = made.failed().collect();
            failed.sort_unstable();
            failed.dedup();
            let found = row
                .failed
                .iter()
                .map(|(rule, severity)| (rule.name, severity.name));
            assert_eq!(found.collect::<Vec<_>>(), failed);
            let by = query
                .sort
                .as_ref()
                .map(|sort| &sort.name)
                .or(query.metric.as_ref());
            assert_eq!(row.sorted_by, by.and_then(|by| made.value(by)));
        }
        for facet in &page.facets {
            for pair in facet.counts.windows(2) {
                let key = |at: usize| (std::cmp::Reverse(pair[at].count), pair[at].name.name);
                let last = |at: usize| pair[at].name.value == "none";
                assert!(
                    pair[0].count > pair[1].count
                        || last(1)
                        || facet.dimension == Dimension::Verdict
                        || key(0) < key(1)
                );
            }
            for of in &facet.counts {
                let none_called_so = of.name.name == "none" && of.name.value != "none";
                if facet.dimension != Dimension::Grade
                    || (of.name.name != "none" && !none_called_so)
                {
                    let count = counted(records, query, graded, facet.dimension, of.name.name);
                    assert_eq!(of.count, count, "{:?} {:?}", facet.dimension, of.name);
                }
                // Every value that is given can be asked for.
                let asked = Query::default().with(facet.dimension, &of.name.value);
                assert_eq!(index.filter(&asked).unwrap().query(), &asked);
            }
        }
        match page.next {
            Some(row) => next = query.behind(row),
            None => break,
        }
    }
    assert_eq!(seen, expected);
    for row in 0..records.len() as u64 {
        let at = expected.iter().position(|listed| *listed == row);
        let found = index.neighbours(&filter, row);
        assert_eq!(found.rank, at.map(|at| at as u64 + 1));
        if let Some(at) = at {
            assert_eq!(found.previous, at.checked_sub(1).map(|at| expected[at]));
            assert_eq!(found.next, expected.get(at + 1).copied());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn lists_are_those_of_going_through_all_records(
        records in records(),
        questions in proptest::collection::vec(question(), 1..6),
        graded: bool,
        failures: bool,
        threads in 1..4_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let run = write(folder.path(), &records, graded, failures);
        let index = index(&run, threads);
        prop_assert_eq!(index.len(), records.len() as u64);
        for question in &questions {
            check(&records, &query(question, &records, graded), &index, graded);
        }
        for (row, made) in records.iter().enumerate() {
            let row = row as u64;
            let same = |other: &&Made| (other.dataset, other.item) == (made.dataset, made.item);
            let found = index.same_item(row).unwrap();
            prop_assert_eq!(found.len(), records.iter().filter(same).count());
            let wanted = Wanted {
                item: ITEMS[made.item].to_owned(),
                subject: Some(SUBJECTS[made.subject].to_owned()),
                dataset: Some(DATASETS[made.dataset].to_owned()),
                epoch: Some(made.epoch),
            };
            let found: Vec<u64> = index.find(&wanted).unwrap().iter().map(|row| row.row).collect();
            prop_assert_eq!(found, vec![row]);
            let seen = RefCell::new(Vec::new());
            index.record(row, &mut |record, own| {
                seen.borrow_mut().push((record.evidence.len(), own.len()));
                Ok(())
            }).unwrap();
            let own = if graded { 3 } else { 2 };
            prop_assert_eq!(seen.into_inner(), vec![(made.atoms.len(), own)]);
        }
        let cells = index.cross();
        prop_assert_eq!(cells.iter().map(|cell| cell.records).sum::<u64>(), index.len());
        for of in index.rules() {
            let atom = (of.rule.name, of.severity.name);
            let atoms = records.iter().flat_map(Made::failed).filter(|found| *found == atom);
            prop_assert_eq!(of.atoms, atoms.count() as u64);
            let having = records.iter().filter(|made| made.failed().any(|found| found == atom));
            prop_assert_eq!(of.records, having.count() as u64);
        }
    }
}

fn one(subject: usize) -> Made {
    Made {
        subject,
        dataset: 0,
        item: 0,
        epoch: 1,
        verdict: None,
        grade: None,
        score: Some(1.0),
        terms: (None, None),
        atoms: vec![(0, 0, false)],
    }
}

fn refused(index: &Index, pairs: &[(&str, &str)]) -> String {
    let query = match Query::parse(pairs.iter().copied()) {
        Ok(query) => query,
        Err(refused) => return refused.to_string(),
    };
    match index.filter(&query) {
        Err(Asked::Refused(refused)) => refused.to_string(),
        Err(Asked::Failed(error)) => panic!("{error}"),
        Ok(_) => panic!("{pairs:?} is not refused"),
    }
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = write(folder.path(), &[one(0), one(1)], false, false);
    let index = index(&run, 1);
    for (pairs, why) in [
        (
            &[("subjct", "a")][..],
            "`subjct=a`: there is no such condition; did you mean `subject`?",
        ),
        (&[("subject", "")], "`subject=`: it has no value"),
        (
            &[("subject", "A1")],
            "`subject=A1`: no record has such a subject",
        ),
        (
            &[("subject", "#3")],
            "`subject=#3`: no record has such a subject",
        ),
        (
            &[("subject", "#0")],
            "`subject=#0`: no record has such a subject",
        ),
        (
            &[("dataset", "D1")],
            "`dataset=D1`: no record has such a dataset",
        ),
        (
            &[("verdict", "passed")],
            "`verdict=passed`: a verdict is one of pass, fail, undecided, error, none; did you mean `pass`?",
        ),
        (&[("grade", "A")], "`grade=A`: the run gives no grade"),
        (
            &[("rule", "r.tow")],
            "`rule=r.tow`: no failed atom has such a rule; did you mean `r.two`?",
        ),
        (
            &[("severity", "grave")],
            "`severity=grave`: no failed atom has such a severity",
        ),
        (
            &[("metric", "rato")],
            "`metric=rato`: the run has no such metric; did you mean `ratio`?",
        ),
        (
            &[("metric", "kappa")],
            "`metric=kappa`: it is a coefficient, of which no record has a value",
        ),
        (&[("sort", "-kappa")], "`sort=kappa`: it is a coefficient"),
        (
            &[("min", "1")],
            "`min=1`: it bounds a metric, and none is named: add `metric`",
        ),
        (
            &[("metric", "score"), ("min", "NaN")],
            "`min=NaN`: that is no number",
        ),
        (
            &[("metric", "score"), ("max", "1e999")],
            "`max=1e999`: that is no number",
        ),
        (
            &[("metric", "score"), ("min", "2"), ("max", "1")],
            "`min=2`: it is more than `max=1`",
        ),
        (
            &[("sort", "score"), ("sort", "score")],
            "`sort=score`: it can be given once only",
        ),
        (&[("after", "-1")], "`after=-1`: that is no number of a row"),
        (&[("after", "2")], "`after=2`: the run has 2 records"),
    ] {
        let said = refused(&index, pairs);
        assert!(said.starts_with(why), "{said}");
    }
    let long = refused(&index, &[("subject", &"x".repeat(1 << 20))]);
    assert!(long.len() < 200, "{long}");
}

#[test]
fn the_same_question_is_the_same_pairs() {
    let asked = [
        ("sort", "-score"),
        ("subject", "b"),
        ("max", "1"),
        ("metric", "ratio"),
        ("after", "7"),
        ("subject", "a"),
        ("item", "é"),
        ("subject", "b"),
        ("min", "-0.1"),
    ];
    let query = Query::parse(asked).unwrap();
    let pairs = query.pairs();
    let shown: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(
        shown.join(" "),
        "subject=a subject=b item=é metric=ratio min=-0.1 max=1 sort=-score after=7"
    );
    let again = Query::parse(pairs.iter().map(|(name, value)| (*name, value.as_str())));
    assert_eq!(again.unwrap(), query);
    let fewer = query
        .without(Dimension::Subject, "a")
        .with(Dimension::Rule, "r");
    let again = fewer.with(Dimension::Rule, "r");
    assert_eq!(
        (fewer.values(Dimension::Subject), fewer.after),
        (&["b".to_owned()][..], None)
    );
    assert_eq!(again, fewer);
}

#[test]
fn failures_of_other_records_are_not_taken_for_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let run = write(folder.path(), &[one(0), one(1)], false, true);
    let other = tempfile::tempdir().unwrap();
    write(other.path(), &[one(1), one(2)], false, true);
    let file = |folder: &tempfile::TempDir| folder.path().join(name::FAILURES);
    std::fs::copy(file(&other), file(&folder)).unwrap();
    let built = Index::build(&run, 1, &|_| (), &AtomicBool::new(false));
    assert!(matches!(built, Err(WorkError::BadArtifact(_))));
    let stopped = Index::build(&run, 1, &|_| (), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(WorkError::Interrupted)));
}
