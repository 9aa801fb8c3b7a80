//! The catalogue of rules: one entry per rule, from which `judica rules`, `judica
//! explain` and the documentation are made.

use serde::Serialize;

use crate::checks::BUILT_IN_RULES;
use crate::protocol::file::Each;
use crate::protocol::rule::{Bound, Limits, Rule};
use crate::protocol::{JumpReference, Protocol};
use crate::render::plain_number;
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

/// The words for a built-in rule: checks, why, fails when, one atom per, example.
struct BuiltIn {
    checks: &'static str,
    why: &'static str,
    fails_when: &'static str,
    per: &'static str,
    example: &'static str,
}

/// In the order of [`BUILT_IN_RULES`].
const BUILT_IN: [BuiltIn; 7] = [
    BuiltIn {
        checks: "The response holds a JSON object: alone, in a fenced code block, or inside other text.",
        why: "Without an object there is nothing to verify. The atom exists only when this fails, and no other verifier runs then.",
        fails_when: "critical: no object is found, the text nests deeper than 128, or it is longer than 16 MiB",
        per: "response, only on failure",
        example: "`I cannot help with that.` holds no object: critical.",
    },
    BuiltIn {
        checks: "The response is an answer, not a failure of the provider.",
        why: "A rate limit is not the model's opinion; it is counted apart from answers that cannot be parsed.",
        fails_when: "critical: no object is found and the text contains one of the protocol's api_error_keywords",
        per: "response, only on failure",
        example: "`Rate limit exceeded, please retry`: critical.",
    },
    BuiltIn {
        checks: "Every required field is a key of the object.",
        why: "A prediction that leaves a field out has not answered the question.",
        fails_when: "critical: the key is absent",
        per: "required field that is absent",
        example: "An object without `Pitch (deg)`: critical.",
    },
    BuiltIn {
        checks: "Every field has the shape the task asks for: a number, or an array of the task's horizon.",
        why: "A scalar where three steps were asked for says nothing about two of them.",
        fails_when: "critical: a scalar for an array, an array for a scalar, or the wrong length",
        per: "field of the wrong shape",
        example: "`[1, 2]` where three values are wanted: critical.",
    },
    BuiltIn {
        checks: "Every value is a finite number. Numeric strings such as \" 5. \" or \"1e3\" count.",
        why: "null, true, text, NaN and infinities cannot be compared with anything.",
        fails_when: "critical: null, boolean, empty or non-numeric text, NaN, or an infinity",
        per: "required field; in array tasks, per element",
        example: "`\"about 90\"` for an airspeed: critical.",
    },
    BuiltIn {
        checks: "Every value lies within its field's limits.",
        why: "A value outside is not a bad prediction but an impossible one.",
        fails_when: "",
        per: "field with a limit (arrays: the element farthest out)",
        example: "A latitude of 95 degrees lies 5 outside [-90, 90], 2.8 % of its width: warning.",
    },
    BuiltIn {
        checks: "No field changes faster than it can. Angles take the shortest arc.",
        why: "The next state is never far from the last one.",
        fails_when: "",
        per: "field with a jump threshold and something to compare with",
        example: "A heading that goes from 355 to 40 degrees changes by 45; 30 x 1.5 allows 45: warning.",
    },
];

/// Every rule of a protocol, built-in ones first, in execution order.
pub fn rules(protocol: &Protocol) -> Vec<RuleEntry> {
    let built_in = BUILT_IN_RULES
        .iter()
        .zip(&BUILT_IN)
        .map(|((name, family), words)| {
            let family = &protocol.families[*family];
            RuleEntry {
                rule: (*name).to_owned(),
                family: family.name.clone(),
                depends_on: family.depends_on.clone(),
                checks: words.checks.to_owned(),
                why: words.why.to_owned(),
                fails_when: match words.fails_when {
                    "" => built_in_thresholds(protocol, name),
                    text => vec![text.to_owned()],
                },
                one_atom_per: words.per.to_owned(),
                fields: built_in_fields(protocol, name),
                example: words.example.to_owned(),
            }
        });
    built_in
        .chain(
            protocol
                .rules
                .iter()
                .map(|rule| protocol_rule(protocol, rule)),
        )
        .collect()
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

fn built_in_thresholds(protocol: &Protocol, name: &str) -> Vec<String> {
    let factor = plain_number(protocol.critical_factor);
    if name.starts_with("range_sanity") {
        let share = plain_number(100.0 * protocol.critical_deviation);
        return vec![
            "warning: outside the limits".to_owned(),
            format!("critical: outside by more than {share} % of their width"),
        ];
    }
    let reference = match protocol.jump_reference {
        JumpReference::PreviousOutput => {
            "the last valid value of the same model and task, in input order"
        }
        JumpReference::CurrentState => "the sample's own context.current_state",
    };
    vec![
        "warning: the change exceeds the field's jump threshold".to_owned(),
        format!("critical: it exceeds {factor} times the threshold"),
        format!("scalar tasks compare with {reference}; arrays take the largest change inside"),
    ]
}

fn built_in_fields(protocol: &Protocol, name: &str) -> Vec<String> {
    let unit = |unit: &str| {
        if unit.is_empty() {
            String::new()
        } else {
            format!(" {unit}")
        }
    };
    let entries = protocol.fields.iter().filter_map(|field| match name {
        "range_sanity.out_of_range" => field.limit.map(|[lo, hi]| {
            format!(
                "{}: {} to {}{}",
                field.name,
                plain_number(lo),
                plain_number(hi),
                unit(&field.unit)
            )
        }),
        "jump_dynamics.mutation_violation" => field.jump.map(|jump| {
            format!(
                "{}: {}{}",
                field.name,
                plain_number(jump),
                unit(&field.unit)
            )
        }),
        _ => None,
    });
    entries.collect()
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
            if let (_, Some(critical)) = limits.at(&[], sign) {
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
