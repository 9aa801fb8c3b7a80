//! `/rules`: every rule of which an atom failed, and how often.

use judica_run::index::FailedRule;
use maud::html;
use serde_json::json;

use super::{records_with, top_rules};
use crate::refusal::Refusal;
use crate::route::{Page, Visit};
use crate::viewer::Growing;
use crate::words::counted;

/// Rules that are shown.
const RULES: usize = 300;

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    visit.asked.end()?;
    let index = match visit.opened.index()? {
        Growing::Ready(index) => index,
        Growing::Percent(percent) => return Ok(Page::growing("Rules", percent)),
    };
    let rules = index.rules();
    let link = |rule: &FailedRule| {
        let of = [
            ("rule", &*rule.rule.value),
            ("severity", &*rule.severity.value),
        ];
        Some(records_with(visit, &of))
    };
    let body = html! {
        h1 { "Rules that failed" }
        @if rules.is_empty() {
            p { "No piece of evidence failed." }
        } @else {
            p.lead { (counted(rules.len() as u64, "rule with a severity", "rules with a severity")) ", those of the most records first; a record counts once for each" }
            (top_rules(&rules[..rules.len().min(RULES)], index.len(), &link))
            @if rules.len() > RULES { p.note { "… and " (rules.len() - RULES) " more" } }
        }
    };
    Ok(Page::new(
        "Rules",
        json!({"records": index.len(), "rules": rules}),
        body,
    ))
}
