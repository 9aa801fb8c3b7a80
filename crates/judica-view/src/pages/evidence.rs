//! One record: what it comes to, why, and what was seen.

use std::collections::BTreeSet;

use judica_model::run::{Evidence, RunRecord};
use judica_model::table::{Cell, Table};
use judica_report::figure::spark;
use judica_run::family::Described;
use judica_run::show::{labels, looked_at, own_values};
use judica_run::text::Said;
use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::{breakable, linked, number, severity, verdict};
use crate::table::{USUAL, no_link, table, table_with};
use crate::words::{grouped, lines, name, sentence};

/// Pieces of evidence that are shown, those that failed and those that passed.
const MOST_FAILED: usize = 100;
const MOST_PASSED: usize = 200;

/// The table that says why a decision is as it is: what people look for first.
const REASONS: &str = "Reasons";

/// A record to be shown.
pub struct Shown<'r> {
    record: &'r RunRecord<'r>,
    own: &'r [&'r str],
    described: Option<&'r Described>,
    prefix: String,
    /// What each piece of evidence is cited by, and what was seen in words.
    atoms: Vec<(String, &'r Evidence<'r>, Option<&'r str>)>,
    ids: BTreeSet<String>,
    rule: &'r dyn Fn(&str) -> Option<String>,
}

impl<'r> Shown<'r> {
    /// A record. Anchors begin with `prefix`, so that several can stand on a page; `rule` says
    /// where the name of a rule leads.
    pub fn new(
        record: &'r RunRecord<'r>,
        own: &'r [&'r str],
        described: Option<&'r Described>,
        prefix: &str,
        rule: &'r dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let words = |at: usize| described.and_then(|described| described.atoms.get(at));
        let atoms = record.evidence.iter().enumerate().map(|(at, atom)| {
            let words = words(at);
            let id = words.map_or_else(|| format!("atom-{}", at + 1), |words| words.id.clone());
            (id, atom, words.map(|words| words.message.as_str()))
        });
        let atoms: Vec<_> = atoms.collect();
        Shown {
            record,
            own,
            described,
            prefix: prefix.to_owned(),
            ids: atoms.iter().map(|(id, ..)| id.clone()).collect(),
            atoms,
            rule,
        }
    }

    /// What it comes to, why, and what failed.
    pub fn why(&self) -> Markup {
        html! {
            (facts(self.record))
            @for table in self.before().filter(|table| table.title == REASONS) { (self.cited(table)) }
            (self.failed())
        }
    }

    /// What else is known of it.
    pub fn more(&self) -> Markup {
        let values = own_values(self.record, self.own);
        let labels = labels(self.record);
        html! {
            @for table in self.before().filter(|table| table.title != REASONS) { (self.cited(table)) }
            @if self.described.is_none() && !values.rows.is_empty() { (table(&values, &no_link)) }
            @if !labels.rows.is_empty() { (table(&labels, &no_link)) }
            @if let Some(described) = self.described {
                @for table in &described.after { (self.cited(table)) }
            }
            (self.passed())
        }
    }

    fn before(&self) -> impl Iterator<Item = &'r Table> + use<'r> {
        let tables = self.described.map(|described| described.before.as_slice());
        let tables = tables.unwrap_or_default().iter();
        tables.filter(|table| !table.rows.is_empty())
    }

    /// A table whose citations lead to the evidence.
    fn cited(&self, of: &Table) -> Markup {
        let cites = of
            .columns
            .iter()
            .position(|c| c.name == "cites" || c.name == "evidence");
        let shown = |at: usize, cell: &Cell| match cell {
            Cell::Text(text) if Some(at) == cites => Some(self.citations(text)),
            _ => None,
        };
        table_with(of, &shown, USUAL)
    }

    /// Names of atoms, each leading to it.
    fn citations(&self, text: &str) -> Markup {
        let words = text.split_inclusive([' ', ',']);
        html! {
            @for word in words {
                @let id = word.trim_end_matches([' ', ',']);
                @if self.ids.contains(id) {
                    a href=(format!("#{}{id}", self.prefix)) { (id) } (&word[id.len()..])
                } @else { (sentence(word)) }
            }
        }
    }

    fn failed(&self) -> Markup {
        let failed: Vec<_> = self
            .atoms
            .iter()
            .filter(|(_, atom, _)| !atom.pass)
            .collect();
        html! {
            @if !failed.is_empty() {
                h2 { "Failed evidence (" (grouped(failed.len() as u64)) ")" }
                @for (id, atom, message) in failed.iter().take(MOST_FAILED) {
                    div.atom.(class(atom)) id=(format!("{}{id}", self.prefix)) {
                        p {
                            (severity(atom.severity)) " "
                            (linked((self.rule)(atom.rule), breakable(atom.rule)))
                            " " span.lead { (sentence(&looked_at(atom))) }
                            " " code { (id) }
                        }
                        @if let Some(text) = message.or(atom.text) { p { (sentence(text)) } }
                        (held_against(atom))
                    }
                }
                @if failed.len() > MOST_FAILED {
                    p.note { "… and " (grouped((failed.len() - MOST_FAILED) as u64)) " more" }
                }
            }
        }
    }

    /// What passed, folded.
    fn passed(&self) -> Markup {
        let passed: Vec<_> = self.atoms.iter().filter(|(_, atom, _)| atom.pass).collect();
        let worded = passed
            .iter()
            .any(|(_, atom, words)| words.is_some() || atom.text.is_some());
        html! {
            @if !passed.is_empty() {
                details {
                    summary { "Evidence that passed (" (grouped(passed.len() as u64)) ")" }
                    div.scroll tabindex="0" role="group" aria-label="Evidence that passed" {
                        table {
                            thead { tr {
                                th scope="col" { "id" }
                                th scope="col" { "rule" }
                                th scope="col" { "field" }
                                th.number scope="col" { "observed" }
                                @if worded { th scope="col" { "what was seen" } }
                            } }
                            tbody {
                                @for (id, atom, message) in passed.iter().take(MOST_PASSED) {
                                    tr id=(format!("{}{id}", self.prefix)) {
                                        td { code { (id) } }
                                        td { (breakable(atom.rule)) }
                                        td { (sentence(&looked_at(atom))) }
                                        td.number { (number(atom.observed)) }
                                        @if worded { td { (sentence(message.or(atom.text).unwrap_or_default())) } }
                                    }
                                }
                            }
                        }
                    }
                    @if passed.len() > MOST_PASSED {
                        p.note { "… and " (grouped((passed.len() - MOST_PASSED) as u64)) " more" }
                    }
                }
            }
        }
    }
}

/// What is known of a record at a glance.
fn facts(record: &RunRecord) -> Markup {
    let mut facts: Vec<(&str, String)> = vec![("dataset", name(record.dataset))];
    if record.epoch != 1 {
        facts.push(("epoch", record.epoch.to_string()));
    }
    let texts = [("decision", record.decision), ("cluster", record.cluster)];
    facts.extend(
        texts
            .into_iter()
            .filter_map(|(of, text)| Some((of, name(text?)))),
    );
    let numbers = [
        ("score", record.score),
        ("latency (ms)", record.latency_ms),
        ("tokens in", record.tokens_in),
        ("tokens out", record.tokens_out),
        ("USD", record.usd),
    ];
    for (of, value) in numbers {
        if value.is_some() {
            facts.push((of, number(value)));
        }
    }
    if let Some(place) = &record.place {
        facts.push(("from", format!("{}:{}", name(place.file), place.line)));
    }
    html! {
        dl.facts {
            div { dt { "verdict" } dd { (verdict(record.verdict)) } }
            @for (of, value) in facts { div { dt { (of) } dd { (value) } } }
        }
    }
}

fn class(atom: &Evidence) -> &'static str {
    match atom.severity {
        "critical" => "critical",
        "warning" => "warning",
        _ => "info",
    }
}

/// What was seen and what was allowed, written and drawn.
fn held_against(atom: &Evidence) -> Markup {
    html! {
        @if let (Some(observed), Some(limit)) = (atom.observed, atom.limit) {
            p {
                "observed " strong { (number(Some(observed))) }
                ", limit " strong { (number(Some(limit))) } " "
                (PreEscaped(spark::against_limit(atom.rule, observed, limit, !atom.pass)))
            }
        }
    }
}

/// What was asked and answered.
pub fn words(said: &Said) -> Markup {
    html! {
        @match said {
            Said::Nowhere => {}
            Said::Gone(file, why) => {
                h2 { "Answer" }
                p.note { "not shown from " (name(file)) ": " (sentence(why)) }
            }
            Said::Kept(texts) => {
                h2 { "Question and answer" }
                dl.text {
                    @for (of, text) in texts { dt { (of) } dd { pre tabindex="0" { (lines(text)) } } }
                }
            }
            Said::Row(row) => {
                h2 { "Answer, as it stands in the input" }
                (row_words(row))
            }
        }
    }
}

/// A row of JSON key by key, texts as they read; any other row as it is.
fn row_words(row: &str) -> Markup {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(row) else {
        return html! { pre tabindex="0" { (lines(row)) } };
    };
    let short = |value: &Value| match value {
        Value::String(text) => text.len() < 80 && !text.contains('\n'),
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    };
    let (facts, texts): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| short(value));
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    html! {
        dl.facts {
            @for (key, value) in facts { div { dt { (name(key)) } dd { (sentence(&text(value))) } } }
        }
        dl.text {
            @for (key, value) in texts { dt { (name(key)) } dd { pre tabindex="0" { (lines(&text(value))) } } }
        }
    }
}
