//! The rules of a protocol file, checked and compiled.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;

use super::file::{Each, ProtocolFile, RuleEntry, Threshold};
use super::graded;
use super::levels::Adjusting;
use super::names::Names;
use super::place::{Place, did_you_mean, known_family};
use super::rule::{Bound, FIELD_RULE_NAMES, Limits, Rule, crosses_none};
use super::shape;
use super::template::Template;
use super::{Family, Field};
use crate::evidence::built_in;
use crate::expr::{Expr, Kind, Reads, Scope, Variable};
use judica_model::nearest::nearest;

/// Checks and compiles the rules, in execution order. What is given for a rule with a mistake
/// is of no use, and never used.
pub(super) fn check_rules(
    place: &Place,
    file: &ProtocolFile,
    fields: &[Field],
    families: &[Family],
    reads: &Reads,
) -> Vec<Rule> {
    let family_names: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    let of_steps: Vec<Variable> = fields.iter().map(Field::variable).collect();
    let of_fields = FIELD_RULE_NAMES.map(Variable::number);
    let names = Names::of(file);
    let mut seen = BTreeSet::new();
    let mut rules: Vec<Rule> = Vec::new();
    let mut adjusting: Vec<(&RuleEntry, Adjusting)> = Vec::new();
    for entry in &file.rules {
        let family = known_family(place, &entry.family, &family_names, &names);
        let named = entry.family.get_ref();
        if built_in(true).iter().any(|family| family.name == named) {
            let message = format!(
                "family `{}` is built in and takes no rules",
                entry.family.get_ref()
            );
            place.tell(entry.family.span(), message, None);
        }
        let name = format!("{}.{}", entry.family.get_ref(), entry.id.get_ref());
        if !seen.insert(name.clone()) {
            place.tell(entry.id.span(), format!("duplicate rule id `{name}`"), None);
        }
        let checking = Checking {
            place,
            names: &names,
            fields,
            scope: match entry.each {
                Each::Field => Scope {
                    variables: &of_fields,
                    reads: None,
                },
                Each::Step => Scope {
                    variables: &of_steps,
                    reads: Some(reads),
                },
            },
            reads,
        };
        let factor = file.severity.critical_factor;
        let rule = checking.rule(entry, family.unwrap_or_default(), name, factor);
        let change = graded::change(place, entry);
        match (&entry.adjusts, change) {
            (None, _) => rules.push(rule),
            (Some(_), Some(change)) => adjusting.push((entry, Adjusting { rule, change })),
            (Some(_), None) => {}
        }
    }
    graded::attach(place, &file.rules, &mut rules, adjusting);
    // Execution order: by family, within it the order of the file (a stable sort).
    rules.sort_by_key(|rule| rule.family);
    rules
}

/// One rule being checked: what it may read.
struct Checking<'a> {
    place: &'a Place<'a>,
    names: &'a Names<'a>,
    fields: &'a [Field],
    scope: Scope<'a>,
    reads: &'a Reads,
}

impl Checking<'_> {
    fn rule(&self, entry: &RuleEntry, family: usize, name: String, factor: f64) -> Rule {
        let told = self.place.told();
        let side = |warning, critical| {
            let (warning, critical) = (self.bound(warning), self.bound(critical));
            let factor = (warning.is_some() && critical.is_none()).then_some(factor);
            Limits {
                warning,
                critical,
                factor,
            }
        };
        let above = side(&entry.warning_above, &entry.critical_above);
        let below = side(&entry.warning_below, &entry.critical_below);
        let mut rule = Rule {
            family,
            id: entry.id.get_ref().clone(),
            name,
            summary: entry.summary.clone(),
            why: entry.why.clone(),
            example: entry.example.clone(),
            each: entry.each,
            shapes: entry.shapes.clone(),
            when: self.expression(&entry.when, Kind::Boolean),
            value: self.expression(&entry.value, Kind::Number),
            unit: entry.unit.clone(),
            crosses_none: crosses_none(&above, &below),
            above,
            below,
            warning_if: self.expression(&entry.warning_if, Kind::Boolean),
            critical_if: self.expression(&entry.critical_if, Kind::Boolean),
            levels: graded::levels(self.place, entry),
            adjusted_by: Vec::new(),
            message: self.message(entry),
            reads: Vec::new(),
            slots: Vec::new(),
            dispensable: Vec::new(),
            beyond: false,
        };
        self.order(entry, &rule);
        let has_limits = entry.warning_above.is_some()
            || entry.critical_above.is_some()
            || entry.warning_below.is_some()
            || entry.critical_below.is_some();
        let id = entry.id.span();
        let graded = entry.levels.is_some() || entry.adjusts.is_some();
        if has_limits && entry.value.is_none() {
            let message = "a rule with thresholds needs a `value`";
            self.place.tell(id, message, None);
        } else if !graded && !graded::fails_otherwise(entry) {
            let help = "give warning_above, critical_above, warning_below, critical_below, warning_if, critical_if or levels";
            let message = "a rule needs something that can fail";
            self.place.tell(id, message, Some(help.to_owned()));
        } else {
            self.find_reads(&mut rule, graded);
            // What an expression with a mistake reads is not known.
            let all = rule.value.is_some() == entry.value.is_some() && self.place.told() == told;
            let all = all && (entry.adjusts.is_none() || entry.when.is_some());
            if all && entry.each == Each::Step && rule.reads.is_empty() {
                self.place.tell(id, "the rule reads no field", None);
            }
        }
        rule
    }

    fn message(&self, entry: &RuleEntry) -> Template {
        let Some(given) = &entry.message else {
            if entry.adjusts.is_none() {
                let help = shape::skeleton_line("rule", "message");
                let message = "missing field `message`";
                self.place.tell(entry.id.span(), message, help);
            }
            return Template::default();
        };
        let text = given.get_ref();
        match Template::parse(text, self.scope, entry.each == Each::Field) {
            Ok(template) => template,
            Err(unknown) => {
                for hole in unknown {
                    let known = ["value", "unit", "field"].into_iter();
                    let near = |known: &mut dyn Iterator<Item = &str>| {
                        nearest(&hole.name, known).map(did_you_mean)
                    };
                    let help = match entry.each {
                        Each::Field => near(&mut known.into_iter()),
                        Each::Step => self.names.other_than_alias(&hole.name).or_else(|| {
                            let aliases = self.scope.variables.iter().map(|v| v.name);
                            near(&mut known.chain(aliases))
                        }),
                    };
                    let at = self.place.inside(&given.span(), hole.at);
                    let message = format!("unknown name `{}` in the message", hole.name);
                    self.place.tell(at, message, help);
                }
                Template::default()
            }
        }
    }

    /// Critical thresholds must lie beyond the warning ones, or warnings never show.
    fn order(&self, entry: &RuleEntry, rule: &Rule) {
        let inverted = |limits: &Limits, sign: f64| match (&limits.warning, &limits.critical) {
            (Some(Bound::Constant(warning)), Some(Bound::Constant(critical))) => {
                (critical - warning) * sign < 0.0
            }
            _ => false,
        };
        let span = |critical: &Option<Spanned<Threshold>>| {
            critical.as_ref().map_or(entry.id.span(), Spanned::span)
        };
        if inverted(&rule.above, 1.0) {
            let message = "critical_above lies below warning_above";
            self.place.tell(span(&entry.critical_above), message, None);
        }
        if inverted(&rule.below, -1.0) {
            let message = "critical_below lies above warning_below";
            self.place.tell(span(&entry.critical_below), message, None);
        }
    }

    fn expression(&self, text: &Option<Spanned<String>>, kind: Kind) -> Option<Expr> {
        let text = text.as_ref()?;
        self.compiled(text.get_ref(), text.span(), kind)
    }

    fn compiled(&self, text: &str, span: Range<usize>, kind: Kind) -> Option<Expr> {
        self.place
            .expression(text, span, self.scope, kind, self.names)
    }

    fn bound(&self, given: &Option<Spanned<Threshold>>) -> Option<Bound> {
        let given = given.as_ref()?;
        let value = match given.get_ref() {
            Threshold::Number(value) => *value,
            Threshold::Expression(text) => {
                let expr = self.compiled(text, given.span(), Kind::Number)?;
                match expr.constant() {
                    Some(value) => value,
                    None => return Some(Bound::Computed(expr)),
                }
            }
        };
        if value.is_finite() {
            return Some(Bound::Constant(value));
        }
        let message = "a threshold must be a finite number";
        self.place.tell(given.span(), message, None);
        None
    }

    /// Every field any part of the rule looks at, and the slots that it needs (a per-field rule
    /// reads its own field only).
    fn find_reads(&self, rule: &mut Rule, graded: bool) {
        if rule.each == Each::Field {
            return;
        }
        let sorted = |mut slots: Vec<usize>| {
            slots.sort_unstable();
            slots.dedup();
            slots
        };
        let of = |pick: fn(&Expr) -> &[usize]| {
            let slots = rule
                .expressions()
                .flat_map(|expr| pick(expr).iter().copied());
            sorted(slots.collect())
        };
        let needed = of(Expr::variables);
        // What only the message shows may be missing.
        let shown = rule.message.slots();
        let shown = shown.filter(|slot| !needed.contains(slot)).collect();
        let dispensable = sorted([of(Expr::asked), shown].concat());
        let field = |slot: &usize| self.reads.of(*slot).field;
        let own = |slot: &usize| *slot < self.fields.len() && self.fields[*slot].is_number();
        let all = sorted([&needed[..], &dispensable].concat());
        rule.beyond = !all.iter().all(own) || !of(Expr::asked).is_empty();
        rule.reads = sorted(needed.iter().map(field).collect());
        if rule.beyond || graded {
            rule.slots = all;
        }
        rule.dispensable = dispensable;
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
