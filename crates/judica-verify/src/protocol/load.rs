//! From the text of a protocol file to a checked [`Protocol`].

use std::ops::Range;
use std::path::Path;

use judica_stats::curve::Curve;
use toml::Spanned;

use super::error::ProtocolError;
use super::file::{Each, FieldEntry, ProtocolFile, RuleEntry, Shape, Threshold};
use super::graph::{GraphError, execution_order};
use super::hash::ContentHashes;
use super::rule::{Bound, FIELD_RULE_NAMES, Limits, Rule};
use super::template::Template;
use super::{Family, Field, Protocol, Task, builtin, family};
use crate::expr::{Expr, Kind, nearest};

/// The largest horizon of an array task: steps are one byte wide in the columns.
const MAX_HORIZON: u32 = 255;

/// Why a protocol could not be had at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No such built-in, and no such file.
    #[error("protocol `{name}`: no built-in protocol and no file of that name{hint}")]
    Unknown {
        /// As the user wrote it.
        name: String,
        /// The nearest built-in, in words.
        hint: String,
    },
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is wrong.
    #[error(transparent)]
    Invalid(Box<ProtocolError>),
}

/// Loads a protocol by built-in name or by path.
pub fn load(name: &str) -> Result<Protocol, LoadError> {
    if let Some(source) = builtin::source(name) {
        return parse(source, &format!("{name} (built in)")).map_err(|error| LoadError::Invalid(Box::new(error)));
    }
    let path = Path::new(name);
    if !path.exists() {
        let known = builtin::PROTOCOLS.iter().map(|(known, _)| *known);
        let hint = nearest(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(LoadError::Unknown { name: name.to_owned(), hint });
    }
    let source = std::fs::read_to_string(path)
        .map_err(|source| LoadError::Unreadable { path: name.to_owned(), source })?;
    parse(&source, name).map_err(|error| LoadError::Invalid(Box::new(error)))
}

/// Parses and checks the text of a protocol file.
pub fn parse(source: &str, origin: &str) -> Result<Protocol, ProtocolError> {
    // A byte-order mark is no part of TOML, but editors write it.
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let file: ProtocolFile = toml::from_str(source).map_err(|error| ProtocolError {
        file: origin.to_owned(),
        source: source.to_owned(),
        span: error.span().unwrap_or(0..0),
        help: nearest_expected(error.message()),
        message: error.message().to_owned(),
    })?;
    compile(file, origin, source)
}

/// The TOML reader says ``unknown field `limt`, expected one of `name`, `limit` ``;
/// this finds the nearest of the expected names.
fn nearest_expected(message: &str) -> Option<String> {
    if !message.starts_with("unknown") {
        return None;
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next()?;
    nearest(wrong, names).map(did_you_mean)
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// Where errors are made: knows the file.
struct Place<'a> {
    origin: &'a str,
    source: &'a str,
}

impl Place<'_> {
    fn error(&self, span: Range<usize>, message: impl Into<String>, help: Option<String>) -> ProtocolError {
        ProtocolError {
            file: self.origin.to_owned(),
            source: self.source.to_owned(),
            span,
            message: message.into(),
            help,
        }
    }

    /// Refuses the second of two equal names.
    fn unique<'n>(&self, what: &str, names: impl Iterator<Item = &'n Spanned<String>>) -> Result<(), ProtocolError> {
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            if !seen.insert(name.get_ref()) {
                return Err(self.error(name.span(), format!("duplicate {what} `{}`", name.get_ref()), None));
            }
        }
        Ok(())
    }

    /// Compiles an expression, moving its error from the expression to the file.
    ///
    /// The span of a TOML string includes its opening quote; a basic string without
    /// escapes maps byte for byte after it.
    fn expression(&self, text: &str, span: Range<usize>, names: &[&str], kind: Kind) -> Result<Expr, ProtocolError> {
        Expr::parse_as(text, names, kind).map_err(|error| {
            let start = span.start + self.quote_length(&span);
            let at = start + error.span.start..start + error.span.end.max(error.span.start + 1);
            let inside = at.end <= span.end && self.source.get(at.clone()).is_some();
            self.error(if inside { at } else { span }, error.message, error.help)
        })
    }

    fn quote_length(&self, span: &Range<usize>) -> usize {
        let text = self.source.get(span.clone()).unwrap_or_default();
        if text.starts_with("\"\"\"") || text.starts_with("'''") { 3 } else { 1 }
    }
}

/// Checks a parsed file and compiles it.
pub fn compile(file: ProtocolFile, origin: &str, source: &str) -> Result<Protocol, ProtocolError> {
    let place = Place { origin, source };
    let hashes = ContentHashes::of(&file);
    let fields = check_fields(&place, &file)?;
    let tasks = check_tasks(&place, &file)?;
    let families = check_families(&place, &file)?;
    let rules = check_rules(&place, &file, &families)?;
    let (mae_curve, rmse_curve) = check_scores(&place, &file)?;
    Ok(Protocol {
        origin: origin.to_owned(),
        source: source.to_owned(),
        name: file.protocol.name,
        version: file.protocol.version,
        description: file.protocol.description,
        api_error_keywords: file.parsing.api_error_keywords.iter().map(|word| word.to_lowercase()).collect(),
        field_by_name: fields.iter().enumerate().map(|(i, field)| (field.name.as_bytes().to_vec(), i)).collect(),
        task_by_name: tasks.iter().enumerate().map(|(i, task)| (task.name.clone(), i)).collect(),
        fields,
        tasks,
        families,
        rules,
        critical_factor: file.severity.critical_factor,
        severity_weights: file.severity.weights,
        critical_deviation: file.range.critical_deviation,
        jump_reference: file.jump.reference,
        gating_severity: file.gating.severity,
        cap: file.gating.cap,
        top_k: file.attribution.top_k as usize,
        score_weights: file.scores.weights,
        mae_weight: file.scores.mae_weight,
        rmse_weight: file.scores.rmse_weight,
        mae_curve,
        rmse_curve,
        grades: file.scores.grades.into_iter().map(|entry| (entry.grade, entry.from)).collect(),
        summary: file.summary,
        hashes,
    })
}

fn check_fields(place: &Place, file: &ProtocolFile) -> Result<Vec<Field>, ProtocolError> {
    place.unique("field name", file.fields.iter().map(|field| &field.name))?;
    place.unique("alias", file.fields.iter().map(|field| &field.alias))?;
    if file.fields.is_empty() {
        return Err(place.error(0..0, "a protocol needs at least one [[field]]", None));
    }
    file.fields.iter().map(|field| check_field(place, field)).collect()
}

fn check_field(place: &Place, field: &FieldEntry) -> Result<Field, ProtocolError> {
    let alias = field.alias.get_ref();
    // An alias must be readable as a variable, and not as anything else.
    if !matches!(Expr::parse(alias, &[alias.as_str()]), Ok(expr) if expr.variables() == [0]) {
        let message = format!("alias `{alias}` cannot be used as a name in expressions");
        let help = "use letters, digits and underscores, not a word of the language".to_owned();
        return Err(place.error(field.alias.span(), message, Some(help)));
    }
    if let Some(limit) = &field.limit {
        let [lo, hi] = *limit.get_ref();
        if !(lo.is_finite() && hi.is_finite() && lo < hi) {
            let message = format!("inverted range [{lo}, {hi}]: the lower limit must be below the upper one");
            return Err(place.error(limit.span(), message, Some(format!("did you mean [{hi}, {lo}]?"))));
        }
    }
    if let Some(jump) = &field.jump
        && !(jump.get_ref().is_finite() && *jump.get_ref() > 0.0)
    {
        return Err(place.error(jump.span(), "a jump threshold must be a positive number", None));
    }
    Ok(Field {
        name: field.name.get_ref().clone(),
        alias: alias.clone(),
        unit: field.unit.clone(),
        kind: field.kind,
        required: field.required,
        limit: field.limit.as_ref().map(|limit| *limit.get_ref()),
        jump: field.jump.as_ref().map(|jump| *jump.get_ref()),
    })
}

fn check_tasks(place: &Place, file: &ProtocolFile) -> Result<Vec<Task>, ProtocolError> {
    place.unique("task", file.tasks.iter().map(|task| &task.name))?;
    if file.tasks.is_empty() {
        return Err(place.error(0..0, "a protocol needs at least one [[task]]", None));
    }
    let mut tasks = Vec::new();
    for task in &file.tasks {
        let name_span = task.name.span();
        let horizon = match (task.shape, &task.horizon) {
            (Shape::Scalar, None) => 1,
            (Shape::Scalar, Some(given)) if *given.get_ref() == 1 => 1,
            (Shape::Scalar, Some(given)) => {
                return Err(place.error(given.span(), "a scalar task has horizon 1", Some("shape = \"array\"?".into())));
            }
            (Shape::Array, None) => return Err(place.error(name_span, "an array task needs a horizon", None)),
            (Shape::Array, Some(given)) if (1..=MAX_HORIZON).contains(given.get_ref()) => *given.get_ref() as usize,
            (Shape::Array, Some(given)) => {
                return Err(place.error(given.span(), format!("a horizon lies between 1 and {MAX_HORIZON}"), None));
            }
        };
        tasks.push(Task {
            name: task.name.get_ref().clone(),
            shape: task.shape,
            horizon,
            description: task.description.clone(),
        });
    }
    Ok(tasks)
}

fn check_families(place: &Place, file: &ProtocolFile) -> Result<Vec<Family>, ProtocolError> {
    place.unique("family", file.families.iter().map(|entry| &entry.name))?;
    let known: Vec<&str> =
        family::NAMES.into_iter().chain(file.families.iter().map(|entry| entry.name.get_ref().as_str())).collect();
    for entry in &file.families {
        if family::NAMES.contains(&entry.name.get_ref().as_str()) {
            return Err(place.error(entry.name.span(), format!("family `{}` is built in", entry.name.get_ref()), None));
        }
        for needed in &entry.depends_on {
            known_name(place, "family", needed, &known)?;
        }
    }
    execution_order(&file.families).map_err(|GraphError::Cycle(names)| {
        let first = file.families.iter().find(|entry| names.contains(entry.name.get_ref()));
        let span = first.map_or(0..0, |entry| entry.name.span());
        place.error(span, format!("families depend on each other in a circle: {}", names.join(", ")), None)
    })
}

fn known_name(place: &Place, what: &str, name: &Spanned<String>, known: &[&str]) -> Result<usize, ProtocolError> {
    known.iter().position(|candidate| candidate == name.get_ref()).ok_or_else(|| {
        let help = nearest(name.get_ref(), known.iter().copied()).map(did_you_mean);
        place.error(name.span(), format!("unknown {what} `{}`", name.get_ref()), help)
    })
}

fn check_rules(place: &Place, file: &ProtocolFile, families: &[Family]) -> Result<Vec<Rule>, ProtocolError> {
    let family_names: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    let aliases: Vec<&str> = file.fields.iter().map(|field| field.alias.get_ref().as_str()).collect();
    let mut rules: Vec<Rule> = Vec::new();
    for entry in &file.rules {
        let position = known_name(place, "family", &entry.family, &family_names)?;
        if position < family::BUILT_IN {
            let message = format!("family `{}` is built in and takes no rules", entry.family.get_ref());
            return Err(place.error(entry.family.span(), message, None));
        }
        let name = format!("{}.{}", entry.family.get_ref(), entry.id.get_ref());
        if rules.iter().any(|rule| rule.name == name) {
            return Err(place.error(entry.id.span(), format!("duplicate rule id `{name}`"), None));
        }
        rules.push(check_rule(place, entry, position, name, &aliases, file.severity.critical_factor)?);
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
    let names: &[&str] = if entry.each == Each::Field { &FIELD_RULE_NAMES } else { aliases };
    let number = |text: &Option<Spanned<String>>| compile_optional(place, text, names, Kind::Number);
    let boolean = |text: &Option<Spanned<String>>| compile_optional(place, text, names, Kind::Boolean);
    let bound = |threshold: &Option<Spanned<Threshold>>| match threshold {
        None => Ok(None),
        Some(given) => compile_bound(place, given, names).map(Some),
    };
    let side = |warning, critical| -> Result<Limits, ProtocolError> {
        let (warning, critical) = (bound(warning)?, bound(critical)?);
        let factor = (warning.is_some() && critical.is_none()).then_some(factor);
        Ok(Limits { warning, critical, factor })
    };
    let above = side(&entry.warning_above, &entry.critical_above)?;
    let below = side(&entry.warning_below, &entry.critical_below)?;
    // "1.5 times below 30" would be a milder limit than 30, not a graver one.
    if let (Some(Bound::Constant(limit)), None) = (&below.warning, &below.critical)
        && *limit > 0.0
    {
        let message = "a positive warning_below needs a critical_below beside it";
        return Err(place.error(entry.id.span(), message, None));
    }
    check_order(place, entry, &above, &below)?;
    let has_limits = [&above, &below].iter().any(|side| side.warning.is_some() || side.critical.is_some());
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
        message: Template::parse(entry.message.get_ref(), aliases, entry.each == Each::Field).map_err(|unknown| {
            let start = entry.message.span().start + place.quote_length(&entry.message.span());
            let known = ["value", "unit", "field"].into_iter().chain(aliases.iter().copied());
            let help = nearest(&unknown.name, known).map(did_you_mean);
            place.error(
                start + unknown.at.start..start + unknown.at.end,
                format!("unknown name `{}` in the message", unknown.name),
                help,
            )
        })?,
        reads: Vec::new(),
    };
    if has_limits && rule.value.is_none() {
        return Err(place.error(entry.id.span(), "a rule with thresholds needs a `value`", None));
    }
    if !has_limits && rule.warning_if.is_none() && rule.critical_if.is_none() {
        let help = "give warning_above, critical_above, warning_below, critical_below, warning_if or critical_if";
        return Err(place.error(entry.id.span(), "a rule needs something that can fail", Some(help.to_owned())));
    }
    let reads = fields_read(&rule);
    if entry.each == Each::Step && reads.is_empty() {
        return Err(place.error(entry.id.span(), "the rule reads no field", None));
    }
    Ok(Rule { reads, ..rule })
}

/// Critical thresholds must lie beyond the warning ones, or warnings never show.
fn check_order(place: &Place, entry: &RuleEntry, above: &Limits, below: &Limits) -> Result<(), ProtocolError> {
    let constant = |bound: &Option<Bound>| match bound {
        Some(Bound::Constant(value)) => Some(*value),
        _ => None,
    };
    let inverted = |warning: Option<f64>, critical: Option<f64>, sign: f64| {
        matches!((warning, critical), (Some(warning), Some(critical)) if (critical - warning) * sign < 0.0)
    };
    if inverted(constant(&above.warning), constant(&above.critical), 1.0) {
        let span = entry.critical_above.as_ref().map_or(entry.id.span(), Spanned::span);
        return Err(place.error(span, "critical_above lies below warning_above", None));
    }
    if inverted(constant(&below.warning), constant(&below.critical), -1.0) {
        let span = entry.critical_below.as_ref().map_or(entry.id.span(), Spanned::span);
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
    text.as_ref().map(|text| place.expression(text.get_ref(), text.span(), names, kind)).transpose()
}

fn compile_bound(place: &Place, given: &Spanned<Threshold>, names: &[&str]) -> Result<Bound, ProtocolError> {
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
    let mut fields: Vec<usize> = rule.expressions().flat_map(|expr| expr.variables().iter().copied()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

fn check_scores(place: &Place, file: &ProtocolFile) -> Result<(Curve, Curve), ProtocolError> {
    let curve = |points: &Spanned<Vec<[f64; 2]>>| {
        let pairs: Vec<(f64, f64)> = points.get_ref().iter().map(|[x, y]| (*x, *y)).collect();
        Curve::new(pairs).map_err(|error| place.error(points.span(), format!("{error}"), None))
    };
    Ok((curve(&file.scores.mae_curve)?, curve(&file.scores.rmse_curve)?))
}
