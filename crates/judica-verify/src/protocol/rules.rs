//! The rules of a protocol file, checked and compiled.

use toml::Spanned;

use super::Family;
use super::error::ProtocolError;
use super::file::{Each, ProtocolFile, RuleEntry, Threshold};
use super::place::{Place, did_you_mean, known_name};
use super::rule::{Bound, FIELD_RULE_NAMES, Limits, Rule};
use super::template::Template;
use crate::evidence::FAMILIES;
use crate::expr::{Expr, Kind};
use judica_model::nearest::nearest;

/// Checks and compiles the rules, in execution order.
pub(super) fn check_rules(
    place: &Place,
    file: &ProtocolFile,
    families: &[Family],
) -> Result<Vec<Rule>, ProtocolError> {
    let family_names: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    let aliases: Vec<&str> = file
        .fields
        .iter()
        .map(|field| field.alias.get_ref().as_str())
        .collect();
    let mut rules: Vec<Rule> = Vec::new();
    for entry in &file.rules {
        let position = known_name(place, "family", &entry.family, &family_names)?;
        if position < FAMILIES.len() {
            let message = format!(
                "family `{}` is built in and takes no rules",
                entry.family.get_ref()
            );
            return Err(place.error(entry.family.span(), message, None));
        }
        let name = format!("{}.{}", entry.family.get_ref(), entry.id.get_ref());
        if rules.iter().any(|rule| rule.name == name) {
            return Err(place.error(entry.id.span(), format!("duplicate rule id `{name}`"), None));
        }
        rules.push(check_rule(
            place,
            entry,
            position,
            name,
            &aliases,
            file.severity.critical_factor,
        )?);
    }
    // Execution order: by family, within it the order of the file (a stable sort).
    rules.sort_by_key(|rule| rule.family);
    Ok(rules)
}

fn check_rule(
    place: &Place,
    entry: &RuleEntry,
    family: usize,
    name: String,
    aliases: &[&str],
    factor: f64,
) -> Result<Rule, ProtocolError> {
    let names: &[&str] = if entry.each == Each::Field {
        &FIELD_RULE_NAMES
    } else {
        aliases
    };
    let number =
        |text: &Option<Spanned<String>>| compile_optional(place, text, names, Kind::Number);
    let boolean =
        |text: &Option<Spanned<String>>| compile_optional(place, text, names, Kind::Boolean);
    let bound = |threshold: &Option<Spanned<Threshold>>| match threshold {
        None => Ok(None),
        Some(given) => compile_bound(place, given, names).map(Some),
    };
    let side = |warning, critical| -> Result<Limits, ProtocolError> {
        let (warning, critical) = (bound(warning)?, bound(critical)?);
        let factor = (warning.is_some() && critical.is_none()).then_some(factor);
        Ok(Limits {
            warning,
            critical,
            factor,
        })
    };
    let above = side(&entry.warning_above, &entry.critical_above)?;
    let below = side(&entry.warning_below, &entry.critical_below)?;
    check_order(place, entry, &above, &below)?;
    let has_limits = [&above, &below]
        .iter()
        .any(|side| side.warning.is_some() || side.critical.is_some());
    let rule = Rule {
        family,
        id: entry.id.get_ref().clone(),
        name,
        summary: entry.summary.clone(),
        why: entry.why.clone(),
        example: entry.example.clone(),
        each: entry.each,
        shapes: entry.shapes.clone(),
        when: boolean(&entry.when)?,
        value: number(&entry.value)?,
        unit: entry.unit.clone(),
        above,
        below,
        warning_if: boolean(&entry.warning_if)?,
        critical_if: boolean(&entry.critical_if)?,
        message: Template::parse(entry.message.get_ref(), aliases, entry.each == Each::Field)
            .map_err(|unknown| {
                let start = entry.message.span().start + place.quote_length(&entry.message.span());
                let known = ["value", "unit", "field"]
                    .into_iter()
                    .chain(aliases.iter().copied());
                let help = nearest(&unknown.name, known).map(did_you_mean);
                // Escapes shift the text against the file; then the whole message is shown.
                let at = start + unknown.at.start..start + unknown.at.end;
                let exact = place.text(&at) == Some(unknown.name.as_str());
                place.error(
                    if exact { at } else { entry.message.span() },
                    format!("unknown name `{}` in the message", unknown.name),
                    help,
                )
            })?,
        reads: Vec::new(),
    };
    if has_limits && rule.value.is_none() {
        return Err(place.error(
            entry.id.span(),
            "a rule with thresholds needs a `value`",
            None,
        ));
    }
    if !has_limits && rule.warning_if.is_none() && rule.critical_if.is_none() {
        let help = "give warning_above, critical_above, warning_below, critical_below, warning_if or critical_if";
        return Err(place.error(
            entry.id.span(),
            "a rule needs something that can fail",
            Some(help.to_owned()),
        ));
    }
    let reads = fields_read(&rule);
    if entry.each == Each::Step && reads.is_empty() {
        return Err(place.error(entry.id.span(), "the rule reads no field", None));
    }
    Ok(Rule { reads, ..rule })
}

/// Critical thresholds must lie beyond the warning ones, or warnings never show.
fn check_order(
    place: &Place,
    entry: &RuleEntry,
    above: &Limits,
    below: &Limits,
) -> Result<(), ProtocolError> {
    let constant = |bound: &Option<Bound>| match bound {
        Some(Bound::Constant(value)) => Some(*value),
        _ => None,
    };
    let inverted = |warning: Option<f64>, critical: Option<f64>, sign: f64| matches!((warning, critical), (Some(warning), Some(critical)) if (critical - warning) * sign < 0.0);
    if inverted(constant(&above.warning), constant(&above.critical), 1.0) {
        let span = entry
            .critical_above
            .as_ref()
            .map_or(entry.id.span(), Spanned::span);
        return Err(place.error(span, "critical_above lies below warning_above", None));
    }
    if inverted(constant(&below.warning), constant(&below.critical), -1.0) {
        let span = entry
            .critical_below
            .as_ref()
            .map_or(entry.id.span(), Spanned::span);
        return Err(place.error(span, "critical_below lies above warning_below", None));
    }
    Ok(())
}

fn compile_optional(
    place: &Place,
    text: &Option<Spanned<String>>,
    names: &[&str],
    kind: Kind,
) -> Result<Option<Expr>, ProtocolError> {
    text.as_ref()
        .map(|text| place.expression(text.get_ref(), text.span(), names, kind))
        .transpose()
}

fn compile_bound(
    place: &Place,
    given: &Spanned<Threshold>,
    names: &[&str],
) -> Result<Bound, ProtocolError> {
    let value = match given.get_ref() {
        Threshold::Number(value) => *value,
        Threshold::Expression(text) => {
            let expr = place.expression(text, given.span(), names, Kind::Number)?;
            match expr.constant() {
                Some(value) => value,
                None => return Ok(Bound::Computed(expr)),
            }
        }
    };
    if value.is_finite() {
        Ok(Bound::Constant(value))
    } else {
        Err(place.error(given.span(), "a threshold must be a finite number", None))
    }
}

/// Every field any part of the rule looks at (a per-field rule reads its own field only).
fn fields_read(rule: &Rule) -> Vec<usize> {
    if rule.each == Each::Field {
        return Vec::new();
    }
    let mut fields: Vec<usize> = rule
        .expressions()
        .flat_map(|expr| expr.variables().iter().copied())
        .collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
