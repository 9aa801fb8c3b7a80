//! Random questions, answered by going through the records one by one.

use judica_model::run::Verdict;
use proptest::prelude::*;

use super::made::{DATASETS, GRADES, ITEMS, Made, RULES, SEVERITIES, SUBJECTS, TEXTS};
use crate::index::query::{Dimension, Query, Sort};

/// A question: names by their places, texts, bounds, an order.
pub type Question = (
    [Vec<usize>; 6],
    Vec<usize>,
    Option<(bool, Option<f64>, Option<f64>)>,
    Option<(bool, bool)>,
);

pub fn question() -> impl Strategy<Value = Question> {
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
pub fn asked(
    dimension: Dimension,
    at: usize,
    records: &[Made],
    graded: bool,
) -> Option<&'static str> {
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

pub fn metric(other: bool) -> &'static str {
    if other { "ratio" } else { "score" }
}

pub fn query(question: &Question, records: &[Made], graded: bool) -> Query {
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
pub fn lists(made: &Made, query: &Query, graded: bool, without: Option<Dimension>) -> bool {
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
pub fn listed(records: &[Made], query: &Query, graded: bool) -> Vec<u64> {
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
pub fn counted(records: &[Made], query: &Query, graded: bool, of: Dimension, name: &str) -> u64 {
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
