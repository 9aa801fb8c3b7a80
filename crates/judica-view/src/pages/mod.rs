//! One file per page, and what several of them show.

pub mod about;
pub mod compare;
pub mod episode;
pub mod evidence;
pub mod item;
pub mod labels;
pub mod metrics;
pub mod overview;
pub mod record;
pub mod records;
pub mod rejects;
pub mod rules;

use judica_model::run::Verdict;
use judica_model::text::few;
use judica_run::index::query::Dimension;
use judica_run::index::{FailedRule, Index, Name, Row};
use maud::{Markup, html};

use crate::asked::address;
use crate::route::Visit;
use crate::words::{grouped, name};

/// A verdict, in colour and in words.
pub fn verdict(verdict: Option<Verdict>) -> Markup {
    let word = verdict.map_or("none", Verdict::name);
    html! { span.badge.(word) { (if word == "none" { "no verdict" } else { word }) } }
}

/// A severity, likewise.
pub fn severity(word: &str) -> Markup {
    let known = ["critical", "warning", "info"];
    let class = known.into_iter().find(|known| *known == word);
    html! { span.badge.(class.unwrap_or("none")) { (name(word)) } }
}

/// A number as people read it.
pub fn number(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value == value.trunc() && value.abs() < 1e15 => format!("{value}"),
        Some(value) if value.abs() >= 1e-4 && value.abs() < 1e9 => format!("{value:.4}"),
        Some(value) => format!("{value:.4e}"),
    }
}

/// Which repeat a record is, if not the first.
pub fn epoch(epoch: i32) -> Markup {
    html! { @if epoch != 1 { " (epoch " (epoch) ")" } }
}

/// Text that leads somewhere, or does not.
pub fn linked(to: Option<String>, text: Markup) -> Markup {
    html! { @match to { Some(to) => a href=(to) { (text) }, None => (text) } }
}

/// A name that may be broken where its parts meet.
pub fn breakable(text: &str) -> Markup {
    let shown = name(text);
    html! { @for part in shown.split_inclusive(['.', '_', '/']) { (part) wbr; } }
}

/// The address of the list of records with these filters.
pub fn records_with(visit: &Visit, pairs: &[(&str, &str)]) -> String {
    let run = visit.run();
    let run = run.iter().map(|(name, value)| (*name, value.as_str()));
    address("/records", run.chain(pairs.iter().copied()))
}

/// Where cells of a report's tables lead: names that the run knows lead to their records.
pub fn known_names<'v>(
    visit: &'v Visit,
    index: &'v Index,
) -> impl Fn(&str, &str) -> Option<String> + 'v {
    move |column, text| {
        let what = match column {
            "model" | "subject" | "backend" | "agent" => Dimension::Subject,
            "dataset" | "task" | "data set" | "benchmark" => Dimension::Dataset,
            "rule" | "most common failure" => Dimension::Rule,
            _ => return None,
        };
        let known = index.known(what, text)?;
        Some(records_with(visit, &[(what.name(), &known.value)]))
    }
}

/// The records of a list, each leading to its page.
pub fn list(rows: &[Row], to: &dyn Fn(u64) -> String, sorted: Option<&str>) -> Markup {
    let epochs = rows.iter().any(|row| row.epoch != 1);
    let failed = rows.iter().any(|row| !row.failed.is_empty());
    let decided = rows.iter().any(|row| row.decision.is_some());
    let graded = rows.iter().any(|row| row.grade.is_some());
    html! {
        div.scroll tabindex="0" role="group" aria-label="Records" {
            table {
                thead { tr {
                    th scope="col" { "item" }
                    @if epochs { th.number scope="col" { "epoch" } }
                    th scope="col" { "subject" }
                    th scope="col" { "dataset" }
                    th scope="col" { "verdict" }
                    @if decided { th scope="col" { "decision" } }
                    @if graded { th scope="col" { "grade" } }
                    th.number scope="col" { "score" }
                    @if let Some(sorted) = sorted { th.number scope="col" { (name(sorted)) } }
                    @if failed { th scope="col" { "failed" } }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            td class=[whole(&row.item)] { a data-row=(row.row) href=(to(row.row)) { (shown_item(&row.item)) } }
                            @if epochs { td.number { (row.epoch) } }
                            td class=[whole(row.subject.name)] { (name(row.subject.name)) }
                            td class=[whole(row.dataset.name)] { (name(row.dataset.name)) }
                            td { (verdict(row.verdict)) }
                            @if decided { td { (name(row.decision.as_deref().unwrap_or_default())) } }
                            @if graded { td { (row.grade.as_ref().map(|grade| name(grade.name)).unwrap_or_default()) } }
                            td.number { (number(row.score)) }
                            @if sorted.is_some() { td.number { (number(row.sorted_by)) } }
                            @if failed { td.failures { (failures(&row.failed)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A short name is not broken.
pub fn whole(text: &str) -> Option<&'static str> {
    (text.len() <= 30).then_some("nowrap")
}

/// Subjects of a rule that are named.
const SUBJECTS: usize = 3;

/// Rules of which atoms failed, each leading to its records.
pub fn top_rules(
    rules: &[FailedRule],
    records: u64,
    link: &dyn Fn(&FailedRule) -> Option<String>,
) -> Markup {
    let share = |of: u64| format!("{:.1} %", 100.0 * of as f64 / records.max(1) as f64);
    html! {
        div.scroll tabindex="0" role="group" aria-label="Rules that failed" {
            table {
                thead { tr {
                    th scope="col" { "rule" }
                    th scope="col" { "severity" }
                    th.number scope="col" { "records" }
                    th.number scope="col" { "of all" }
                    th.number scope="col" { "atoms" }
                    th scope="col" { "most often in" }
                } }
                tbody {
                    @for rule in rules {
                        tr {
                            td { (linked(link(rule), breakable(rule.rule.name))) }
                            td { (severity(rule.severity.name)) }
                            td.number { (grouped(rule.records)) }
                            td.number { (share(rule.records)) }
                            td.number { (grouped(rule.atoms)) }
                            td {
                                @for (at, of) in rule.by_subject.iter().take(SUBJECTS).enumerate() {
                                    @if at > 0 { ", " }
                                    (name(of.subject.name)) " " span.note { (grouped(of.records)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// An item, which can be clicked on even if it has no name.
pub fn shown_item(item: &str) -> String {
    match item.trim().is_empty() {
        true => "(no name)".to_owned(),
        false => name(item),
    }
}

/// The rules that failed, the first ones by name.
pub fn failures(failed: &[(Name, Name)]) -> String {
    const SHOWN: usize = 2;
    let mut rules: Vec<String> = failed.iter().map(|(rule, _)| name(rule.name)).collect();
    rules.dedup();
    few(rules.iter().take(SHOWN), ", ", rules.len())
}
