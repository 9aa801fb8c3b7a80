//! The table of agreement, and what the panel is worth.

use judica_model::metric::MetricValue;
use judica_model::table::{Cell, Table, counted};

use super::super::report::{EffectiveJudges, JudgesReport};
use super::super::words::with;
use super::shown::list;
use crate::cells::{cell, interval, items, remarks};

/// Every coefficient with the number of items it rests on, which is not the same for all.
pub(super) fn overall(report: &JudgesReport) -> Table {
    let mut table = Table::new(format!(
        "Agreement on {}",
        counted(report.items, ["item", "items"])
    ))
    .left("coefficient")
    .right(format!("value {}", interval(report.bootstrap.confidence)))
    .right("items");
    if report.judges_only.is_some() {
        table = table.right("judges only").right("items of judges");
    }
    let judges_only = report.judges_only.as_ref().map(|found| found.named());
    for (at, (key, value)) in report.overall.named().into_iter().enumerate() {
        // With yes and no there are no near misses: the weighted ones are the others.
        if matches!(
            key,
            "cohen_kappa_linear" | "cohen_kappa_quadratic" | "gwet_ac2"
        ) {
            continue;
        }
        let alone = judges_only.as_ref().map(|named| named[at].1);
        let values = [Some(value), alone].into_iter().flatten();
        let cells = values.flat_map(|value| [cell(value), items(value)]);
        table.push([Cell::text(title(key))].into_iter().chain(cells));
        remarks(value).for_each(|note| table.note(format!("{}: {note}", title(key))));
    }
    notes(&report.effective_judges).for_each(|note| table.note(note));
    table
}

/// What people call a coefficient.
fn title(key: &'static str) -> &'static str {
    match key {
        "percent_agreement" => "percent agreement",
        "cohen_kappa" => "Cohen's kappa",
        "scott_pi" => "Scott's pi",
        "fleiss_kappa" => "Fleiss' kappa",
        "krippendorff_alpha" => "Krippendorff's alpha",
        "gwet_ac1" => "Gwet's AC1",
        other => other,
    }
}

/// What the panel is worth, why that is not known, and who votes as one.
fn notes(effective: &EffectiveJudges) -> impl Iterator<Item = String> {
    let judges = counted(effective.judges, ["judge", "judges"]);
    let verb = with(effective.judges, "is", "are");
    let against = if effective.basis == "human" {
        "people's verdicts"
    } else {
        "their own votes (experimental)"
    };
    let at_least = effective.at_least.map(|at_least| format!("{at_least:.2}"));
    let worth = match &effective.value {
        MetricValue::Defined { value, ci, .. } => {
            let ci = ci.map(|[lo, hi]| format!(" [{lo:.2}, {hi:.2}]"));
            let ci = ci.unwrap_or_default();
            let at_least = at_least.map(|n| format!(", at least {n} whatever they share"));
            let at_least = at_least.unwrap_or_default();
            format!(
                "{judges} {verb} worth {value:.2}{ci} independent ones, by {against}{at_least}."
            )
        }
        MetricValue::Undefined { reason } => {
            let at_least = at_least.map(|n| format!("; at least {n}"));
            let at_least = at_least.unwrap_or_default();
            format!(
                "How many independent ones {judges} {verb} worth is not known{at_least}: {reason}."
            )
        }
    };
    let together = effective.voices.iter().filter(|voice| voice.len() > 1);
    let together: Vec<String> = together
        .map(|voice| list(voice.iter().map(String::as_str)))
        .collect();
    let voices = (!together.is_empty()).then(|| {
        let together = together.join("; ");
        format!("Vote as one (experimental): {together}.")
    });
    let unknown = effective.pairs - effective.known_pairs.min(effective.pairs);
    let unknown = (unknown > 0 && effective.known_pairs > 0).then(|| {
        format!(
            "Of {} pairs of judges {unknown} {} left out of this: fewer than {} common items on \
             which both vary.",
            effective.pairs,
            with(unknown, "is", "are"),
            effective.min_common
        )
    });
    [Some(worth), voices, unknown].into_iter().flatten()
}
