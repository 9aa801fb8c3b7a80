//! Lists of small random runs, held against going through the records one by one.

mod made;
mod naive;

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use judica_data::work_error::WorkError;
use judica_model::run::Verdict;
use proptest::prelude::*;

use self::made::{DATASETS, ITEMS, Made, SUBJECTS, records, write};
use self::naive::{counted, listed, query, question};
use super::query::{Dimension, Query};
use super::{Asked, Index};
use crate::manifest::name;
use crate::open::Run;
use crate::show::Wanted;

fn index(run: &Run, threads: usize) -> Index {
    Index::build(run, threads, &|_| (), &AtomicBool::new(false)).unwrap()
}

fn check(records: &[Made], query: &Query, index: &Index, graded: bool) {
    let expected = listed(records, query, graded);
    let filter = index.filter(query).unwrap();
    assert_eq!(index.rows(&filter), expected, "{query:?}");
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
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

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
        for (row, made) in records.iter().enumerate().take(4) {
            let row = row as u64;
            let same = |other: &&Made| (other.dataset, other.item) == (made.dataset, made.item);
            let found = index.same_item(row, usize::MAX).unwrap();
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
fn a_long_name_is_given_by_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let run = write(folder.path(), &[one(0), one(3), one(4)], false, true);
    let index = index(&run, 2);
    let of = |subject: &str| {
        let asked = Query::default().with(Dimension::Subject, subject);
        let filter = index.filter(&asked).unwrap();
        let values = filter.query().values(Dimension::Subject).to_vec();
        (values, index.rows(&filter))
    };
    assert_eq!(of(SUBJECTS[3]), (vec!["#3".to_owned()], vec![1]));
    assert_eq!(of("#3"), (vec!["#3".to_owned()], vec![1]));
    assert_eq!(of("#2"), (vec!["b".to_owned()], vec![0]));
    // Somebody is called so.
    assert_eq!(of("#1"), (vec!["#1".to_owned()], vec![2]));
}

#[test]
fn a_metric_without_its_column_has_no_values() {
    let folder = tempfile::tempdir().unwrap();
    let run = write(folder.path(), &[one(0), one(1)], false, true);
    let index = index(&run, 1);
    let rows = |pairs: &[(&str, &str)]| {
        let query = Query::parse(pairs.iter().copied()).unwrap();
        index.rows(&index.filter(&query).unwrap())
    };
    assert_eq!(rows(&[("sort", "-ghost")]), [0, 1]);
    assert!(rows(&[("metric", "ghost")]).is_empty());
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
