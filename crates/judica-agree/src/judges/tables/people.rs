//! Tables of judges against the truth, known or estimated.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table, counted};

use super::super::report::{HumanComparison, JudgesReport, VoteAccuracy};
use super::super::words::with;
use super::shown::{SHOWN, more};
use crate::cells::{cell, interval, percent, point};

/// How often each judge, and what they vote together, is right.
pub(super) fn accuracy(human: &HumanComparison, report: &JudgesReport) -> Table {
    let mut table = Table::new("Against people")
        .left("who")
        .right("items")
        .right("right")
        .right(format!(
            "accuracy {}",
            interval(report.bootstrap.confidence)
        ))
        .right("Cohen's kappa");
    for judge in &human.accuracy {
        table.push([
            Cell::text(&judge.judge),
            Cell::count(judge.n),
            Cell::count(judge.correct),
            cell(&judge.accuracy),
            point(&judge.kappa),
        ]);
    }
    let labels = report
        .aggregate
        .as_ref()
        .and_then(|found| found.human.as_ref());
    let votes: [(&str, Option<&VoteAccuracy>); 3] = [
        ("majority of judges", Some(&human.majority_vote)),
        ("unanimous judges", Some(&human.unanimous_vote)),
        ("estimated labels", labels),
    ];
    for (who, vote) in votes {
        let Some(vote) = vote else { continue };
        table.push([
            Cell::text(who),
            Cell::count(vote.n),
            Cell::count(vote.correct),
            cell(&vote.accuracy),
            Cell::missing("only for single judges"),
        ]);
        if vote.no_vote > 0 {
            let items = counted(vote.no_vote, ["item", "items"]);
            table.note(format!("{who}: no vote on {items}"));
        }
    }
    table.note(annotations(human));
    table
}

/// How often answers are right, corrected for each judge's errors.
pub(super) fn corrected(human: &HumanComparison, report: &JudgesReport) -> Table {
    let ci = interval(report.bootstrap.confidence);
    let mut table = Table::new("How often answers are right")
        .left("judge")
        .right("labels")
        .right(format!("says yes {ci}"))
        .right("no verdict")
        .right("corrected by labels (PPI)")
        .right("by its errors (Rogan and Gladen)")
        .right("labels alone");
    for judge in &human.corrected.judges {
        table.push([
            Cell::text(&judge.judge),
            Cell::count(judge.labels),
            cell(&judge.rate),
            Cell::count(judge.missing),
            cell(&judge.prediction_powered),
            cell(&judge.rogan_gladen),
            cell(&judge.labels_alone),
        ]);
        if let (Some([lo, hi]), true) = (judge.bounds, judge.missing > 0) {
            table.note(format!(
                "{}: between {lo:.4} and {hi:.4}, whatever the verdicts are that are missing",
                judge.judge
            ));
        }
    }
    let assumes = &human.corrected.assumes;
    table.note(format!("The corrections assume that {assumes}."));
    table
}

/// Each person, and how far they agree; nothing where there is only one.
pub(super) fn among_people(human: &HumanComparison) -> Option<Table> {
    if human.people.len() < 2 {
        return None;
    }
    let mut table = Table::new("People")
        .left("who")
        .right("items")
        .right("says yes")
        .right("as the reference");
    for person in human.people.iter().take(SHOWN) {
        table.push([
            Cell::text(&person.name),
            Cell::count(person.items),
            percent(&person.yes_rate),
            percent(&person.agrees),
        ]);
    }
    more(&mut table, human.people.len(), "people");
    for (name, value) in [
        ("percent agreement", &human.agreement.percent_agreement),
        ("Krippendorff's alpha", &human.agreement.krippendorff_alpha),
    ] {
        table.note(match value {
            MetricValue::Defined { value, n, ci, .. } => {
                let items = counted(*n, ["item", "items"]);
                let ci = ci.map(|[lo, hi]| format!(" [{lo:.4}, {hi:.4}]"));
                let ci = ci.unwrap_or_default();
                format!("Among people, {name}: {value:.4}{ci} on {items}.")
            }
            MetricValue::Undefined { reason } => format!("Among people, {name}: n/a, {reason}."),
        });
    }
    let without = human.no_reference;
    table.note(format!(
        "Judges are held against what people say together ({}); {} {} none.",
        human.reference,
        counted(without, ["item", "items"]),
        with(without, "has", "have")
    ));
    Some(table)
}

/// What became of people's annotations.
fn annotations(human: &HumanComparison) -> String {
    let left_out = human.unmatched_left_out;
    let nothing = human.unmatched - left_out;
    let duplicates = human.duplicates;
    let left_out = match left_out {
        0 => String::new(),
        n => format!(
            "{n} {} about rows that were left out, ",
            with(n, "is", "are")
        ),
    };
    format!(
        "{} {} a verdict on {}; {nothing} {} nothing, {left_out}{duplicates} {}, {} cannot be read.",
        counted(human.annotations, ["annotation", "annotations"]),
        with(human.annotations, "gives", "give"),
        counted(human.matched_items, ["item", "items"]),
        with(nothing, "matches", "match"),
        with(duplicates, "is a duplicate", "are duplicates"),
        human.refused_rows
    )
}

/// McNemar's tests.
pub(super) fn pair_tests(human: &HumanComparison) -> Option<Table> {
    if human.pair_tests.is_empty() {
        return None;
    }
    let mut table = Table::new("Is one of two judges right more often?")
        .left("first")
        .left("second")
        .right("items")
        .right("only first right")
        .right("only second right")
        .right("p (mid-p)");
    for test in human.pair_tests.iter().take(SHOWN) {
        table.push([
            Cell::text(&test.judges[0]),
            Cell::text(&test.judges[1]),
            Cell::count(test.n),
            Cell::count(test.only_first_correct),
            Cell::count(test.only_second_correct),
            Cell::probability_or(test.p_mid, 4, test.undefined.unwrap_or_default()),
        ]);
    }
    table.note(
        "McNemar's test on the items that both judged; not corrected for testing many pairs.",
    );
    more(&mut table, human.pair_tests.len(), "pairs");
    Some(table)
}

/// The judges' estimated errors.
pub(super) fn aggregate(report: &JudgesReport) -> Option<Table> {
    let found = report.aggregate.as_ref()?;
    let mut table = Table::new("Estimated from all votes (Dawid and Skene)")
        .left("judge")
        .right("votes")
        .right("sensitivity")
        .right("specificity");
    for judge in &found.judges {
        table.push([
            Cell::text(&judge.judge),
            Cell::count(judge.n),
            Cell::number_or(judge.sensitivity, 4, "no item it saw seems to be yes"),
            Cell::number_or(judge.specificity, 4, "no item it saw seems to be no"),
        ]);
    }
    let labels = found.labels;
    table.note(format!(
        "{} {} more probably yes, {} no, {} even.",
        counted(labels.yes, ["item", "items"]),
        with(labels.yes, "is", "are"),
        labels.no,
        labels.even
    ));
    let ended = if found.converged {
        "came to rest"
    } else {
        "did not come to rest"
    };
    table.note(format!(
        "The estimate {ended} after {}.",
        counted(found.iterations.into(), ["iteration", "iterations"])
    ));
    found.notes.iter().for_each(|note| table.note(note));
    Some(table)
}
