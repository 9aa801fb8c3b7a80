//! `/rules`: every rule of which an atom failed, and how often.

use maud::html;
use serde_json::json;

use super::{records_with, severity};
use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::viewer::Growing;
use crate::words::{counted, grouped, name, sentence};

/// Rules, and subjects of a rule, that are shown.
const RULES: usize = 300;
const SUBJECTS: usize = 3;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    visit.asked.end()?;
    let index = match visit.opened.index()? {
        Growing::Ready(index) => index,
        Growing::Percent(percent) => return Ok(Page::growing("Rules", percent)),
    };
    let rules = index.rules();
    let all = index.len().max(1);
    let body = html! {
        h1 { "Rules that failed" }
        @if rules.is_empty() {
            p { "No piece of evidence failed." }
        } @else {
            p.lead { (counted(rules.len() as u64, "rule", "rules")) " by severity; a record counts once for each" }
            div.scroll tabindex="0" role="region" aria-label="Rules that failed" {
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
                        @for rule in rules.iter().take(RULES) {
                            @let of = [("rule", &*rule.rule.value), ("severity", &*rule.severity.value)];
                            tr {
                                td { a href=(records_with(visit, &of)) { (sentence(rule.rule.name)) } }
                                td { (severity(rule.severity.name)) }
                                td.number { (grouped(rule.records)) }
                                td.number { (format!("{:.1} %", 100.0 * rule.records as f64 / all as f64)) }
                                td.number { (grouped(rule.atoms)) }
                                td {
                                    @for (at, subject) in rule.by_subject.iter().take(SUBJECTS).enumerate() {
                                        @if at > 0 { ", " }
                                        a href=(records_with(visit, &[of[0], of[1], ("subject", &subject.subject.value)])) {
                                            (name(subject.subject.name))
                                        }
                                        " " span.note { (grouped(subject.records)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if rules.len() > RULES { p.note { "… and " (rules.len() - RULES) " more" } }
        }
    };
    Ok(Page::new(
        "Rules",
        json!({"records": index.len(), "rules": rules}),
        body,
    ))
}
