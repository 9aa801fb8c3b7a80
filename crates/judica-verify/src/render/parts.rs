//! What is the same for every atom of a check, rendered once.

use judica_data::json::text::{write_number, write_string};

use crate::checks::{CheckKind, Checks};
use crate::evidence::{self, family, field_slots};
use crate::protocol::Protocol;
use crate::protocol::file::Each;
use crate::protocol::levels::{Grade, Levels};
use crate::protocol::rule::{Bound, Limits, Rule};

/// What stands before the observed value.
pub const OBSERVED: &[u8] = b",\"observed\":";

/// The unchanging pieces of an atom's JSON, in the order they are written.
#[derive(Clone)]
pub struct CheckParts {
    /// From the end of the id to just before `"pass"`.
    pub identity: Vec<u8>,
    /// `pass`, `severity`, `scope` and `message` of a passed atom.
    pub passed: Vec<u8>,
    /// Everything between the id and the observed value of a passed atom, in one piece,
    /// unless limits must be computed: nine atoms in ten are written from this.
    pub passed_whole: Option<Vec<u8>>,
    /// The scope's name.
    pub scope: &'static str,
    /// From `"meta"` to just before `"observed"`, without limits that must be computed.
    pub meta: Vec<u8>,
    /// Whether limits depend on the record.
    pub computed_limits: bool,
}

impl CheckParts {
    /// Renders the pieces of one check.
    pub fn new(protocol: &Protocol, checks: &Checks, number: u16) -> CheckParts {
        let check = checks.get(number);
        let rule_name = &checks.rule_names[check.rule];
        let family = &protocol.families[check.family].name;
        let mut identity = b"\",\"type\":".to_vec();
        write_string(family, &mut identity);
        identity.extend_from_slice(b",\"rule\":");
        write_string(rule_name, &mut identity);
        identity.extend_from_slice(b",\"field\":");
        match checks.label(check) {
            Some(label) => write_string(label, &mut identity),
            None => identity.extend_from_slice(b"null"),
        }
        identity.push(b',');

        let scope = check.scope.name();
        // Passed atoms are nine tenths of a record as JSON: they are kept short.
        let score = match protocol.scores_atoms() {
            true => "\"score\":1,",
            false => "",
        };
        let passed = format!(
            "\"pass\":true,\"severity\":\"info\",{score}\"scope\":\"{scope}\",\"message\":\"passed\""
        )
        .into_bytes();

        let mut meta = b",\"meta\":{\"checker\":".to_vec();
        write_string(family, &mut meta);
        meta.extend_from_slice(b",\"config_version\":");
        write_string(&protocol.version, &mut meta);
        meta.extend_from_slice(b",\"constraint_id\":");
        write_string(&format!("constraint.{rule_name}"), &mut meta);
        if let Some(step) = check.step {
            meta.extend_from_slice(format!(",\"step\":{step}").as_bytes());
        }
        if let CheckKind::Rule(position) = check.kind
            && check.field.is_none()
        {
            meta.extend_from_slice(b",\"fields\":[");
            for (position, field) in protocol.rules[position].reads.iter().enumerate() {
                if position > 0 {
                    meta.push(b',');
                }
                write_string(&protocol.fields[*field].name, &mut meta);
            }
            meta.push(b']');
        }
        let computed_limits = !write_constant_limits(protocol, checks, number, &mut meta);
        // Values that are no numbers are shown by their text.
        let shows_text = family == evidence::TYPE_VALIDITY;
        let graded = match check.kind {
            CheckKind::Rule(position) => protocol.rules[position].levels.is_some(),
            CheckKind::BuiltIn(_) | CheckKind::External => false,
        };
        let passed_whole = (!computed_limits && !shows_text && !graded)
            .then(|| [&identity[..], &passed, &meta, OBSERVED].concat());
        CheckParts {
            identity,
            passed,
            passed_whole,
            scope,
            meta,
            computed_limits,
        }
    }
}

/// Appends `,"limits":{…}` if they are the same for every record; says whether they are.
fn write_constant_limits(
    protocol: &Protocol,
    checks: &Checks,
    number: u16,
    out: &mut Vec<u8>,
) -> bool {
    let check = checks.get(number);
    match check.kind {
        CheckKind::BuiltIn(rule) => match (rule.limits)(&checks.spot(protocol, check)) {
            family::Limits::Expected(text) => {
                out.extend_from_slice(b",\"limits\":{\"expected\":");
                write_string(&text, out);
                out.push(b'}');
            }
            family::Limits::Bounds(bounds) => {
                write_limits(&bounds.map(|(name, bound)| (name, Some(bound))), out);
            }
        },
        CheckKind::External => out.extend_from_slice(b",\"limits\":{}"),
        CheckKind::Rule(position) => {
            let rule = &protocol.rules[position];
            if let Some(levels) = &rule.levels {
                write_levels(levels, out);
                return true;
            }
            return match rule.each {
                Each::Step if rule.above.is_constant() && rule.below.is_constant() => {
                    write_rule_limits(rule, &[], out);
                    true
                }
                Each::Field if !reads_change(&rule.above) && !reads_change(&rule.below) => {
                    let slots = check.field.map(|field| field_slots(protocol, field, None));
                    write_rule_limits(rule, &slots.unwrap_or([f64::NAN; 4]), out);
                    true
                }
                // What others than the answer itself say is not known later.
                Each::Step if rule.beyond => {
                    out.extend_from_slice(b",\"limits\":{}");
                    true
                }
                _ => false,
            };
        }
    }
    true
}

/// Appends `,"limits":{"levels":[…],"else":{…}}`.
fn write_levels(levels: &Levels, out: &mut Vec<u8>) {
    let worth = |grade: Grade, out: &mut Vec<u8>| {
        out.extend_from_slice(b"\"score\":");
        write_number(grade.score, out);
        out.extend_from_slice(format!(",\"severity\":\"{}\"}}", grade.severity.name()).as_bytes());
    };
    out.extend_from_slice(b",\"limits\":{\"levels\":[");
    for (position, level) in levels.levels.iter().enumerate() {
        let before = if position > 0 { "," } else { "" };
        out.extend_from_slice(format!("{before}{{\"{}\":", level.key()).as_bytes());
        write_number(level.bound, out);
        out.push(b',');
        worth(level.grade, out);
    }
    out.extend_from_slice(b"],\"else\":{");
    worth(levels.otherwise, out);
    out.push(b'}');
}

/// Whether a per-field rule's thresholds depend on the array at hand.
fn reads_change(limits: &Limits) -> bool {
    [&limits.warning, &limits.critical]
        .into_iter()
        .flatten()
        .any(|bound| match bound {
            Bound::Computed(expr) => expr.variables().contains(&0),
            Bound::Constant(_) => false,
        })
}

/// Appends `,"limits":{…}` of a rule for these values.
pub fn write_rule_limits(rule: &Rule, slots: &[f64], out: &mut Vec<u8>) {
    let slots = slots.into();
    let (warning_above, critical_above) = rule.above.at(slots, 1.0);
    let (warning_below, critical_below) = rule.below.at(slots, -1.0);
    write_limits(
        &[
            ("warning_above", warning_above),
            ("critical_above", critical_above),
            ("warning_below", warning_below),
            ("critical_below", critical_below),
        ],
        out,
    );
    out.pop();
    for (key, expr) in [
        ("warning_if", &rule.warning_if),
        ("critical_if", &rule.critical_if),
    ] {
        if let Some(expr) = expr {
            if out.last() != Some(&b'{') {
                out.push(b',');
            }
            write_string(key, out);
            out.push(b':');
            write_string(expr.source(), out);
        }
    }
    out.push(b'}');
}

fn write_limits(limits: &[(&str, Option<f64>)], out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"limits\":{");
    let mut first = true;
    for (key, limit) in limits {
        if let Some(limit) = limit {
            if !first {
                out.push(b',');
            }
            first = false;
            write_string(key, out);
            out.push(b':');
            write_number(*limit, out);
        }
    }
    out.push(b'}');
}
