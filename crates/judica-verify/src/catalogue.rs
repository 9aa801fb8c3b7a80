//! The catalogue of rules: one entry per rule, from which `judica rules`, `judica
//! explain` and the documentation are made.

use serde::Serialize;

use crate::evidence::built_in;
use crate::external::FAILED;
use crate::protocol::Protocol;
use crate::protocol::file::Each;
use crate::protocol::levels::{Adjusting, Change, Grade, Levels};
use crate::protocol::rule::{Bound, Limits, Rule};
use crate::render::{plain_number, with_unit};
use judica_model::nearest::nearest;

/// What there is to know about a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleEntry {
    /// `<family>.<rule>`.
    pub rule: String,
    /// Its family.
    pub family: String,
    /// Families that run before.
    pub depends_on: Vec<String>,
    /// What holds when it passes.
    pub checks: String,
    /// Why it matters.
    pub why: String,
    /// When it fails, and how badly.
    pub fails_when: Vec<String>,
    /// What one atom is about.
    pub one_atom_per: String,
    /// Fields it reads.
    pub fields: Vec<String>,
    /// A worked example.
    pub example: String,
}

/// Every rule of a protocol, built-in ones first, in execution order.
pub fn rules(protocol: &Protocol) -> Vec<RuleEntry> {
    let families = built_in(protocol.is_mixed()).iter();
    let built_in = families.flat_map(|family| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        family.rules.iter().map(move |rule| RuleEntry {
            rule: format!("{}.{}", family.name, rule.id),
            family: family.name.to_owned(),
            depends_on: owned(family.depends_on),
            checks: rule.checks.to_owned(),
            why: rule.why.to_owned(),
            fails_when: (rule.fails_when)(protocol),
            one_atom_per: rule.one_atom_per.to_owned(),
            fields: protocol.fields.iter().filter_map(rule.of_field).collect(),
            example: rule.example.to_owned(),
        })
    });
    let own = protocol.rules.iter().flat_map(|rule| {
        let adjusting = rule.adjusted_by.iter();
        let adjusting = adjusting.map(|adjusting| adjusting_rule(protocol, rule, adjusting));
        std::iter::once(protocol_rule(protocol, rule)).chain(adjusting)
    });
    let programs = protocol.verifiers.iter().flat_map(|verifier| {
        let family = &protocol.families[verifier.family];
        let entry = |rule: String, checks: String, fails_when: String| RuleEntry {
            rule,
            family: family.name.clone(),
            depends_on: family.depends_on.clone(),
            checks,
            why: verifier.description.clone(),
            fails_when: vec![fails_when],
            one_atom_per: "what the program says of a record".to_owned(),
            fields: Vec::new(),
            example: String::new(),
        };
        let command = verifier.command.join(" ");
        [
            entry(
                format!("{}.*", family.name),
                format!("What `{command}` says; its rules are known when it is run."),
                "as the program says; needs --allow-commands".to_owned(),
            ),
            entry(
                FAILED.to_owned(),
                format!("`{command}` gave this record an answer that can be trusted."),
                "critical: it crashed, hung, answered twice, wrongly or not at all".to_owned(),
            ),
        ]
    });
    built_in.chain(own).chain(programs).collect()
}

/// The rule of this name, or the nearest name there is.
pub fn find(protocol: &Protocol, name: &str) -> Result<RuleEntry, Option<String>> {
    let wanted = Protocol::canonical_rule_name(name);
    let entries = rules(protocol);
    // The bare rule name is enough where only one family has it.
    let bare: Vec<&RuleEntry> = entries
        .iter()
        .filter(|entry| entry.rule.split('.').next_back() == Some(wanted))
        .collect();
    if let Some(entry) = entries.iter().find(|entry| entry.rule == wanted) {
        return Ok(entry.clone());
    }
    if let [entry] = bare[..] {
        return Ok(entry.clone());
    }
    let by_full_name = nearest(wanted, entries.iter().map(|entry| entry.rule.as_str()));
    let by_bare_name = || {
        nearest(
            wanted,
            entries
                .iter()
                .filter_map(|entry| entry.rule.split('.').next_back()),
        )
    };
    Err(by_full_name.or_else(by_bare_name).map(str::to_owned))
}

fn protocol_rule(protocol: &Protocol, rule: &Rule) -> RuleEntry {
    let family = &protocol.families[rule.family];
    let value = rule
        .value
        .as_ref()
        .map(|value| value.source())
        .unwrap_or_default();
    let mut fails_when = Vec::new();
    for (side, limits) in [("above", &rule.above), ("below", &rule.below)] {
        fails_when.extend(threshold_lines(side, limits, value, &rule.unit));
    }
    for (severity, condition) in [
        ("warning", &rule.warning_if),
        ("critical", &rule.critical_if),
    ] {
        if let Some(condition) = condition {
            fails_when.push(format!("{severity}: {}", condition.source()));
        }
    }
    if let Some(levels) = &rule.levels {
        fails_when.extend(level_lines(levels, value, &rule.unit));
    }
    for adjusting in &rule.adjusted_by {
        let condition = adjusting
            .rule
            .when
            .as_ref()
            .map_or("", |when| when.source());
        let change = changed(adjusting);
        fails_when.push(format!(
            "{change} where {condition} ({})",
            adjusting.rule.id
        ));
    }
    if let Some(when) = &rule.when {
        fails_when.push(format!("only where {}", when.source()));
    }
    RuleEntry {
        rule: rule.name.clone(),
        family: family.name.clone(),
        depends_on: family.depends_on.clone(),
        checks: rule.summary.clone(),
        why: rule.why.clone(),
        fails_when,
        one_atom_per: match (rule.each, rule.shapes.is_empty()) {
            (Each::Field, true) => "field".to_owned(),
            (Each::Field, false) => format!("field, in {} tasks", shapes(rule)),
            (Each::Step, true) => "record; in array tasks, per step".to_owned(),
            (Each::Step, false) => format!("step, in {} tasks", shapes(rule)),
        },
        fields: rule
            .reads
            .iter()
            .map(|field| protocol.fields[*field].name.clone())
            .collect(),
        example: rule.example.clone(),
    }
}

/// A rule that changes the score of another.
fn adjusting_rule(protocol: &Protocol, target: &Rule, adjusting: &Adjusting) -> RuleEntry {
    let rule = &adjusting.rule;
    let condition = rule.when.as_ref().map_or("", |when| when.source());
    let change = changed(adjusting);
    RuleEntry {
        fails_when: vec![format!("{change} of {} where {condition}", target.name)],
        one_atom_per: format!(
            "nothing: it changes the score of an atom of {}",
            target.name
        ),
        ..protocol_rule(protocol, rule)
    }
}

fn changed(adjusting: &Adjusting) -> String {
    match adjusting.change {
        Change::Subtract(by) => format!("subtracts {} from the score", plain_number(by)),
        Change::Cap(most) => format!("allows at most {} as the score", plain_number(most)),
    }
}

/// What values are worth.
fn level_lines(levels: &Levels, value: &str, unit: &str) -> Vec<String> {
    let worth = |grade: Grade| {
        let (score, severity) = (plain_number(grade.score), grade.severity.name());
        format!("score {score} ({severity})")
    };
    let lines = levels.levels.iter().map(|level| {
        let side = if level.upto { "up to" } else { "below" };
        format!(
            "{}: {value} {side} {}",
            worth(level.grade),
            with_unit(level.bound, unit)
        )
    });
    let beyond = format!("{}: beyond that", worth(levels.otherwise));
    lines.chain([beyond]).collect()
}

fn shapes(rule: &Rule) -> String {
    let names: Vec<String> = rule
        .shapes
        .iter()
        .map(|shape| format!("{shape:?}").to_lowercase())
        .collect();
    names.join(" and ")
}

fn threshold_lines(side: &str, limits: &Limits, value: &str, unit: &str) -> Vec<String> {
    let constant = |limit: f64| match unit {
        "" => plain_number(limit),
        unit => format!("{} {unit}", plain_number(limit)),
    };
    let text = |bound: &Bound| match bound {
        Bound::Constant(limit) => constant(*limit),
        Bound::Computed(expr) => expr.source().to_owned(),
    };
    let mut lines = Vec::new();
    if let Some(warning) = &limits.warning {
        lines.push(format!("warning: {value} {side} {}", text(warning)));
    }
    // What is checked is asked, and not worked out a second time.
    let sign = if side == "above" { 1.0 } else { -1.0 };
    match (&limits.critical, &limits.warning, limits.factor) {
        (Some(critical), ..) => lines.push(format!("critical: {value} {side} {}", text(critical))),
        (None, Some(Bound::Constant(_)), Some(_)) => {
            if let (_, Some(critical)) = limits.at((&[]).into(), sign) {
                lines.push(format!("critical: {value} {side} {}", constant(critical)));
            }
        }
        (None, Some(Bound::Computed(_)), Some(factor)) => lines.push(format!(
            "critical: {side} that by more than {} % of its size",
            plain_number(100.0 * (factor - 1.0))
        )),
        (None, _, _) => {}
    }
    lines
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
