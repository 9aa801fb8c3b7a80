//! `judica lint`: what is odd about a protocol that can be read: rules that can never fail or
//! never pass, that say what another says, thresholds in the wrong order, fields that no rule
//! reads.
//!
//! Nothing is run: intervals are computed from the limits of the fields. They may be wider
//! than the truth, so that a finding is never wrong, while one may be missed.

mod outcome;

use std::collections::BTreeSet;

use judica_model::table::{Cell, Table};
use serde::Serialize;

use crate::expr::{Expr, Interval};
use crate::protocol::file::Each;
use crate::protocol::rule::{Bound, Limits};
use crate::protocol::{Field, FieldKind, Protocol, Rule};
use crate::render::plain_number;
use outcome::Outcome;

/// The version of the JSON form.
pub const SCHEMA: &str = "judica.lint/1";

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Oddity {
    /// No values within the limits fail it.
    NeverFails,
    /// All values within the limits fail it.
    NeverPasses,
    /// There is nothing that it would run for.
    NeverApplies,
    /// It fails where another does, and the other where it does.
    DuplicateRule,
    /// Where it fails, another fails at least as gravely.
    ShadowedRule,
    /// A critical threshold before the warning, or no room between above and below.
    ThresholdOrder,
    /// No rule reads the field.
    UnreadField,
}

impl Oddity {
    fn words(self) -> &'static str {
        match self {
            Oddity::NeverFails => "can never fail within the limits",
            Oddity::NeverPasses => "can never pass within the limits",
            Oddity::NeverApplies => "never applies",
            Oddity::DuplicateRule => "says the same as another rule",
            Oddity::ShadowedRule => "adds nothing to another rule",
            Oddity::ThresholdOrder => "has thresholds in the wrong order",
            Oddity::UnreadField => "is read by no rule",
        }
    }
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What is odd.
    pub kind: Oddity,
    /// The rule, `<family>.<rule>`, if it is about one.
    pub rule: Option<String>,
    /// The field's name, if it is about one.
    pub field: Option<String>,
    /// Why: the intervals that were derived.
    pub reason: String,
}

/// What was found in a protocol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lint {
    /// [`SCHEMA`].
    pub schema_version: &'static str,
    /// The protocol.
    pub protocol: String,
    /// The author's own version of it.
    pub version: String,
    /// How many rules were looked at.
    pub rules: usize,
    /// How many fields were looked at.
    pub fields: usize,
    /// Rules in execution order, then fields in the order of the file.
    pub findings: Vec<Finding>,
}

impl Lint {
    /// For people.
    pub fn table(&self) -> Table {
        let title = format!("Protocol {} {}", self.protocol, self.version);
        let mut table = Table::new(title)
            .left("rule or field")
            .left("finding")
            .left("reason");
        for finding in &self.findings {
            let about = [&finding.rule, &finding.field].into_iter().flatten();
            let about: Vec<&str> = about.map(String::as_str).collect();
            table.push([
                Cell::text(about.join(", ")),
                Cell::text(finding.kind.words()),
                Cell::text(&finding.reason),
            ]);
        }
        table
    }
}

/// Looks at every rule and every field.
pub fn lint(protocol: &Protocol) -> Lint {
    let mut findings = Vec::new();
    let mut values: Vec<Interval> = protocol.fields.iter().map(values_of).collect();
    // Whosever value of a field is read lies within its limits.
    let beyond = protocol.reads_beyond.iter();
    values.extend(beyond.map(|read| values_of(&protocol.fields[read.field])));
    for (position, rule) in protocol.rules.iter().enumerate() {
        let found = of_rule(protocol, rule, &values);
        let others = protocol.rules.iter().enumerate();
        let found = found.or_else(|| {
            others
                .filter(|(other, _)| *other != position)
                .find_map(|(other, shown)| repeated(rule, shown, other < position, &values))
        });
        findings.extend(found.map(|(kind, reason)| Finding {
            kind,
            rule: Some(rule.name.clone()),
            field: None,
            reason,
        }));
    }
    findings.extend(adjusting(protocol, &values));
    for (position, field) in protocol.fields.iter().enumerate() {
        findings.extend(slow_field(field));
        findings.extend(unread(protocol, position));
    }
    Lint {
        schema_version: SCHEMA,
        protocol: protocol.name.clone(),
        version: protocol.version.clone(),
        rules: protocol.all_rules().count(),
        fields: protocol.fields.len(),
        findings,
    }
}

/// Rules that adjust another, and never do.
fn adjusting(protocol: &Protocol, values: &[Interval]) -> Vec<Finding> {
    let pairs = protocol.rules.iter().flat_map(|rule| {
        let adjusting = rule.adjusted_by.iter();
        adjusting.map(move |adjusting| (rule, &adjusting.rule))
    });
    let found = pairs.filter_map(|(target, rule)| {
        let mut tasks = protocol.tasks.iter().map(|task| task.shape);
        let reason = match &rule.when {
            _ if !tasks.any(|shape| rule.runs_for(shape) && target.runs_for(shape)) => {
                format!("{} runs for no task that it runs for", target.name)
            }
            Some(when)
                if rule.each == Each::Step && !when.truth(&where_run(&[rule], values)).yes =>
            {
                format!("`when` never holds within the limits: {}", when.source())
            }
            _ => return None,
        };
        Some(Finding {
            kind: Oddity::NeverApplies,
            rule: Some(rule.name.clone()),
            field: None,
            reason,
        })
    });
    found.collect()
}

/// The values of a field within its limits: any number where it has none.
fn values_of(field: &Field) -> Interval {
    let [low, high] = field.limit.unwrap_or([f64::MIN, f64::MAX]);
    Interval::between(low, high)
}

/// What these rules can meet: a rule that asks whether a value is null runs where it is, too.
fn where_run(rules: &[&Rule], values: &[Interval]) -> Vec<Interval> {
    let mut values = values.to_vec();
    for slot in rules.iter().flat_map(|rule| &rule.dispensable) {
        values[*slot].nan = true;
    }
    values
}

/// How far two values of a field within its limits can be apart.
fn apart(field: &Field) -> f64 {
    let within = values_of(field);
    match field.kind {
        FieldKind::Angle => 180_f64.min(within.high - within.low),
        _ => within.high - within.low,
    }
}

/// An interval as people read it.
fn shown(interval: Interval) -> String {
    let numbers = if interval.is_empty() {
        "no number".to_owned()
    } else if interval.low == interval.high {
        plain_number(interval.low)
    } else {
        let end = |end: f64| match end {
            f64::MAX | f64::INFINITY => "inf".to_owned(),
            f64::MIN | f64::NEG_INFINITY => "-inf".to_owned(),
            end => plain_number(end),
        };
        format!("[{}, {}]", end(interval.low), end(interval.high))
    };
    let missing = if interval.nan { " or undefined" } else { "" };
    format!("{numbers}{missing}")
}

/// What is odd about a rule on its own, and why.
fn of_rule(protocol: &Protocol, rule: &Rule, values: &[Interval]) -> Option<(Oddity, String)> {
    let runs = |shape| rule.shapes.is_empty() || rule.shapes.contains(&shape);
    if !protocol.tasks.iter().any(|task| runs(task.shape)) {
        let reason = "no task has a shape that it runs for".to_owned();
        return Some((Oddity::NeverApplies, reason));
    }
    let (outcomes, inputs): (Vec<Outcome>, String) = match rule.each {
        Each::Step => {
            let values = where_run(&[rule], values);
            let field = |field: &usize| {
                let alias = &protocol.fields[*field].alias;
                format!("{alias} in {}", shown(values[*field]))
            };
            let inputs: Vec<String> = rule.reads.iter().map(field).collect();
            (vec![Outcome::of(rule, &values)], inputs.join(", "))
        }
        Each::Field => {
            let slots = protocol.fields.iter().filter_map(|field| {
                let slots = per_field(protocol, rule, field);
                let read = |slot: &usize| !slots[*slot].is_empty();
                let mut expressions = rule.expressions();
                expressions
                    .all(|expr| expr.variables().iter().all(read))
                    .then(|| Outcome::of(rule, &slots))
            });
            (slots.collect(), "every field within its limits".to_owned())
        }
    };
    let every = |test: fn(&Outcome) -> bool| outcomes.iter().all(test);
    if outcomes.is_empty() {
        let reason = "no field has what it reads: a limit, a jump, a task with several steps";
        return Some((Oddity::NeverApplies, reason.to_owned()));
    }
    let why = |of: fn(&Outcome) -> &str| {
        let mut said: Vec<&str> = outcomes.iter().map(of).collect();
        said.dedup();
        // Of a rule per field, the first stands for all.
        format!(
            "with {inputs}: {}",
            said.first().copied().unwrap_or_default()
        )
    };
    if every(|outcome| !outcome.applies.yes) {
        return Some((Oddity::NeverApplies, why(|outcome| &outcome.when)));
    }
    if every(|outcome| outcome.order.is_some()) {
        let reason = why(|outcome| outcome.order.as_deref().unwrap_or_default());
        return Some((Oddity::ThresholdOrder, reason));
    }
    if every(|outcome| !outcome.fails.yes) {
        return Some((Oddity::NeverFails, why(|outcome| &outcome.reason)));
    }
    if every(|outcome| !outcome.fails.no) {
        return Some((Oddity::NeverPasses, why(|outcome| &outcome.reason)));
    }
    None
}

/// What a rule per field reads of one: see [`crate::protocol::rule::FIELD_RULE_NAMES`].
fn per_field(protocol: &Protocol, rule: &Rule, field: &Field) -> [Interval; 4] {
    let [low, high] = field.limit.unwrap_or([f64::NAN; 2]);
    let runs = |shape| rule.shapes.is_empty() || rule.shapes.contains(&shape);
    let mut tasks = protocol.tasks.iter();
    let steps = tasks.any(|task| task.horizon > 1 && runs(task.shape));
    let change = if steps { apart(field) } else { f64::NAN };
    [
        Interval::between(0.0, change),
        Interval::point(field.jump.unwrap_or(f64::NAN)),
        Interval::point(low),
        Interval::point(high),
    ]
}

/// Whether another rule makes this one superfluous; of two equal ones the later is.
fn repeated(
    rule: &Rule,
    other: &Rule,
    earlier: bool,
    values: &[Interval],
) -> Option<(Oddity, String)> {
    if !covers(other, rule, values) {
        return None;
    }
    if !covers(rule, other, values) {
        let reason = format!(
            "wherever it fails, {} fails at least as gravely: the same value, and no threshold later",
            other.name
        );
        return Some((Oddity::ShadowedRule, reason));
    }
    let reason = format!(
        "the same value, conditions and thresholds as {}",
        other.name
    );
    earlier.then_some((Oddity::DuplicateRule, reason))
}

/// Whether `wide` fails wherever `narrow` does, at least as gravely.
fn covers(wide: &Rule, narrow: &Rule, values: &[Interval]) -> bool {
    // Scores of two rules both count, even where one is never the better one.
    if wide.levels.is_some() || narrow.levels.is_some() {
        return false;
    }
    fn text(expr: &Option<Expr>) -> Option<Vec<&str>> {
        expr.as_ref().map(Expr::words)
    }
    let same_or_none = |wide: &_, narrow: &_| text(narrow).is_none() || text(wide) == text(narrow);
    let shapes = wide.shapes.is_empty()
        || !narrow.shapes.is_empty() && narrow.shapes.iter().all(|one| wide.shapes.contains(one));
    let values = match wide.each {
        Each::Step => where_run(&[wide, narrow], values),
        Each::Field => Vec::new(),
    };
    wide.each == narrow.each
        && needs(wide).is_subset(&needs(narrow))
        && shapes
        && (wide.when.is_none() || text(&wide.when) == text(&narrow.when))
        && text(&wide.value) == text(&narrow.value)
        && same_or_none(&wide.warning_if, &narrow.warning_if)
        && same_or_none(&wide.critical_if, &narrow.critical_if)
        && side_covers(&wide.above, &narrow.above, 1.0, &values)
        && side_covers(&wide.below, &narrow.below, -1.0, &values)
}

/// What must be there for a rule to run.
fn needs(rule: &Rule) -> BTreeSet<usize> {
    let read = rule.expressions().flat_map(Expr::variables).copied();
    let dispensable = |slot: &usize| rule.dispensable.contains(slot);
    read.filter(|slot| !dispensable(slot)).collect()
}

/// Whether every threshold of `narrow` is reached no earlier than one as grave of `wide`.
fn side_covers(wide: &Limits, narrow: &Limits, sign: f64, values: &[Interval]) -> bool {
    let source = |bound: &Bound| match bound {
        Bound::Computed(expr) => Some(expr.source().to_owned()),
        Bound::Constant(_) => None,
    };
    let before = |wide: &Option<Bound>, narrow: &Bound| {
        wide.as_ref().is_some_and(|wide| {
            let same = source(wide).is_some() && source(wide) == source(narrow);
            let (w, n) = (outcome::range(wide, values), outcome::range(narrow, values));
            let gap = if sign > 0.0 {
                n.low - w.high
            } else {
                w.low - n.high
            };
            same || !w.nan && !n.nan && gap >= 0.0
        })
    };
    let warning = narrow
        .warning
        .as_ref()
        .is_none_or(|bound| before(&wide.warning, bound) || before(&wide.critical, bound));
    let critical = match (&narrow.critical, &narrow.warning) {
        (Some(bound), _) => before(&wide.critical, bound),
        // Critical is then a multiple of the warning. It grows with it on the graver side of
        // zero only.
        (None, Some(bound)) => {
            let n = outcome::range(bound, values);
            let graver = |end: f64| end * sign >= 0.0 && end.is_finite();
            let alike = wide.critical.is_none() && before(&wide.warning, bound);
            let grows = wide.warning.as_ref().is_some_and(|wide| {
                let w = outcome::range(wide, values);
                w == n || [w.low, w.high, n.low, n.high].into_iter().all(graver)
            });
            alike && grows || !n.is_unbounded() && before(&wide.critical, bound)
        }
        (None, None) => true,
    };
    warning && critical
}

/// A jump threshold that no change within the limits exceeds.
fn slow_field(field: &Field) -> Option<Finding> {
    let (jump, farthest) = (field.jump?, apart(field));
    (jump >= farthest).then(|| Finding {
        kind: Oddity::NeverFails,
        rule: Some("jump_dynamics.mutation_violation".to_owned()),
        field: Some(field.name.clone()),
        reason: format!(
            "values in {} are at most {} apart, and its jump is {}",
            shown(values_of(field)),
            plain_number(farthest),
            plain_number(jump)
        ),
    })
}

fn unread(protocol: &Protocol, field: usize) -> Option<Finding> {
    let reads = |rule: &Rule| rule.each == Each::Field || rule.reads.contains(&field);
    // A program may read whatever it is given.
    if !protocol.verifiers.is_empty() || protocol.all_rules().any(reads) {
        return None;
    }
    let entry = &protocol.fields[field];
    // Where fields say what their values may be, most need no rule.
    if protocol.is_mixed() {
        return None;
    }
    let reason = match (entry.limit, entry.jump) {
        (None, None) => "nothing but whether it is a number is checked",
        (Some(_), None) => "nothing but its limit is checked",
        (None, Some(_)) => "nothing but its jump is checked",
        (Some(_), Some(_)) => "nothing but its limit and its jump is checked",
    };
    Some(Finding {
        kind: Oddity::UnreadField,
        rule: None,
        field: Some(entry.name.clone()),
        reason: reason.to_owned(),
    })
}

#[cfg(test)]
#[path = "lint_tests.rs"]
mod tests;
