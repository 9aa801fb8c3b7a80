//! How well classes are told apart, over the normal forms of golds and predictions.
//!
//! The classes are those of the golds. A prediction of another label is wrong whatever it
//! says; for Matthews' correlation all such labels are one class that nobody meant.

use std::ops::Range;

use judica_model::metric::MetricValue;
use judica_run::values::metric_value;
use judica_stats::classes::{Average, ClassSums, Score};
use judica_stats::clusters::{Function, Intervals};
use judica_stats::estimate::{Clustered, Kind};
use judica_stats::functions::Functions;
use judica_stats::resampled::Terms;
use serde::Serialize;

use super::Section;
use super::kept::{Kept, NONE};

/// More classes than this are free text.
pub const MOST_CLASSES: usize = 100;
/// Labels of predictions that no gold has, by how often they come.
const SHOWN_LABELS: usize = 20;
/// More sums than this are not resampled: they would take more memory than answers are worth.
const MOST_SUMS: usize = 50_000_000;
const TOO_MANY: &str = "classes times clusters are more than are resampled";

/// The section of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Classes {
    /// Rows whose gold is one label.
    pub rows: u64,
    /// Rows whose gold is several, or has no normal form: they have no class.
    pub without_class: u64,
    /// The classes of golds, in byte order.
    pub classes: Vec<Class>,
    /// Every class counts the same.
    #[serde(rename = "macro")]
    pub macro_average: Scores,
    /// Every class counts as often as golds have it.
    pub weighted: Scores,
    /// Every row counts the same.
    pub micro: Scores,
    /// Matthews' correlation.
    pub matthews: MetricValue,
    /// By class of the gold, how often each class was predicted, and at last another label.
    pub confusion: Vec<Vec<u64>>,
    /// Classes that no prediction has.
    pub never_predicted: Vec<String>,
    /// Predictions of a label that no gold has.
    pub other_labels: OtherLabels,
}

/// One class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Class {
    /// Its normal form.
    pub label: String,
    /// Golds that have it.
    pub support: u64,
    /// Predictions that have it.
    pub predicted: u64,
    /// Its scores.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Precision, recall and F1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Of what was predicted, how much is right.
    pub precision: MetricValue,
    /// Of what was meant, how much was found.
    pub recall: MetricValue,
    /// The harmonic mean of both.
    pub f1: MetricValue,
}

/// Predictions of a label that no gold has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OtherLabels {
    /// How many predictions.
    pub rows: u64,
    /// Those of them that have no normal form.
    pub without_label: u64,
    /// How many labels.
    pub labels: u64,
    /// The most frequent ones.
    pub most_frequent: Vec<OtherLabel>,
}

/// A label that no gold has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherLabel {
    /// Its normal form.
    pub label: String,
    /// How many predictions.
    pub rows: u64,
}

pub(super) fn of(kept: &Kept, rows: &[u32], intervals: &Intervals) -> Section<Classes> {
    let names = &kept.labels.names;
    let mut counts = vec![[0_u64; 2]; names.len()];
    let (mut without_class, mut without_label) = (0, 0);
    let mut used: Vec<u32> = Vec::with_capacity(rows.len());
    for row in rows {
        let (gold, said) = (kept.gold[*row as usize], kept.predicted[*row as usize]);
        if gold == NONE {
            without_class += 1;
            continue;
        }
        used.push(*row);
        counts[gold as usize][0] += 1;
        match said {
            NONE => without_label += 1,
            said => counts[said as usize][1] += 1,
        }
    }
    let is_class = |label: &usize| counts[*label][0] > 0;
    let mut classes: Vec<usize> = (0..names.len()).filter(is_class).collect();
    let undefined = |undefined| Section::Undefined { undefined };
    if classes.is_empty() {
        return undefined("no gold is a single label".to_owned());
    }
    if classes.len() > MOST_CLASSES {
        let found = classes.len();
        return undefined(format!("{found} classes are more than {MOST_CLASSES}"));
    }
    classes.sort_unstable_by_key(|label| &names[*label]);
    let mut class_of = vec![None; names.len()];
    for (at, label) in classes.iter().enumerate() {
        class_of[*label] = Some(at);
    }
    let class = |label: u32| class_of.get(label as usize).copied().flatten();
    let pair = |row: u32| {
        let row = row as usize;
        (
            class(kept.gold[row]).unwrap_or(0),
            class(kept.predicted[row]),
        )
    };
    let k = classes.len();
    let mut confusion = vec![vec![0; k + 1]; k];
    let [mut precision, mut recall] = [(); 2].map(|()| vec![Clustered::default(); k + 1]);
    for row in &used {
        let (gold, said) = pair(*row);
        confusion[gold][said.unwrap_or(k)] += 1;
        let right = [f64::from(u8::from(said == Some(gold))), 1.0];
        let cluster = kept.cluster(*row as usize);
        // The last is of all classes together.
        for at in [gold, k] {
            recall[at].add(cluster, right);
        }
        for at in said.into_iter().chain(said.map(|_| k)) {
            precision[at].add(cluster, right);
        }
    }
    let same = |a: &u32, b: &u32| kept.cluster(*a as usize) == kept.cluster(*b as usize);
    let too_many = 3 * k * used.chunk_by(same).count() > MOST_SUMS;
    let mut totals = vec![0.0; 3 * k];
    let add = |row: usize, terms: &mut [f64]| {
        let (gold, said) = pair(row as u32);
        ClassSums::add(terms, said, gold);
        true
    };
    let sums = match too_many {
        true => {
            let rows = used.iter().map(|row| *row as usize);
            rows.for_each(|row| _ = add(row, &mut totals));
            totals
        }
        false => kept.sums(&used, 3 * k, add),
    };
    let functions = Functions::new(Terms::flat(&sums, 3 * k), intervals);
    let n = used.len() as u64;
    let measure = |columns: Range<usize>, least: f64, why: &str, function: Function| match functions
        .of(columns, n, function)
    {
        Some(found) if too_many => MetricValue::new(found.value, n).without_ci(TOO_MANY),
        // Where items are few, the interval is Student's, which knows no bounds.
        found => metric_value(found, why).within([least, 1.0]),
    };
    let rates = |all: Vec<Clustered>, why: &str| -> Vec<MetricValue> {
        let rate = |one: Clustered| metric_value(one.estimate(Kind::Rate, intervals), why);
        all.into_iter().map(rate).collect()
    };
    let precision = rates(precision, "nobody predicts it");
    let recall = rates(recall, "no gold has it");
    let average = |average, score| {
        measure(0..3 * k, 0.0, "no class has it", &|sums| {
            ClassSums(sums).average(average, score)
        })
    };
    let averaged = |way| Scores {
        precision: average(way, Score::Precision),
        recall: average(way, Score::Recall),
        f1: average(way, Score::F1),
    };
    let micro = Scores {
        precision: precision[k].clone(),
        recall: recall[k].clone(),
        f1: average(Average::Micro, Score::F1),
    };
    let scored = classes.iter().enumerate().map(|(at, label)| {
        let [support, predicted] = counts[*label];
        let f1 = |sums: &[f64]| ClassSums(sums).score(Score::F1, 0);
        Class {
            label: names[*label].clone(),
            support,
            predicted,
            scores: Scores {
                precision: precision[at].clone(),
                recall: recall[at].clone(),
                f1: measure(3 * at..3 * at + 3, 0.0, "nobody has it", &f1),
            },
        }
    });
    let scored: Vec<Class> = scored.collect();
    let never = scored.iter().filter(|class| class.predicted == 0);
    Section::Defined(Classes {
        rows: n,
        without_class,
        macro_average: averaged(Average::Macro),
        weighted: Scores {
            // It is the share of rows that are right, and has its interval.
            recall: micro.recall.clone(),
            ..averaged(Average::Weighted)
        },
        micro,
        matthews: measure(
            0..3 * k,
            -1.0,
            "golds or predictions have only one class",
            &|sums| ClassSums(sums).matthews(),
        ),
        confusion,
        never_predicted: never.map(|class| class.label.clone()).collect(),
        other_labels: others(names, &counts, without_label),
        classes: scored,
    })
}

fn others(names: &[String], counts: &[[u64; 2]], without_label: u64) -> OtherLabels {
    let other = names.iter().zip(counts);
    let other = other.filter(|(_, [meant, said])| *meant == 0 && *said > 0);
    let mut labels: Vec<(&String, u64)> = other.map(|(name, [_, said])| (name, *said)).collect();
    labels.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    OtherLabels {
        rows: without_label + labels.iter().map(|(_, rows)| rows).sum::<u64>(),
        without_label,
        labels: labels.len() as u64,
        most_frequent: labels
            .into_iter()
            .take(SHOWN_LABELS)
            .map(|(label, rows)| OtherLabel {
                label: label.clone(),
                rows,
            })
            .collect(),
    }
}
