//! From the text of a protocol file to a checked [`Protocol`].

use std::path::Path;

use judica_data::source::read_text;
use judica_stats::curve::Curve;
use toml::Spanned;

use super::error::ProtocolError;
use super::file::{FieldEntry, ProtocolFile, Shape};
use super::graph::{GraphError, execution_order};
use super::hash::ContentHashes;
use super::place::{Place, did_you_mean, known_name};
use super::{Family, Field, Protocol, Task, builtin, rules};
use crate::evidence::FAMILIES;
use crate::expr::Expr;
use judica_model::nearest::nearest;

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
        return parse(source, &format!("{name} (built in)"))
            .map_err(|error| LoadError::Invalid(Box::new(error)));
    }
    let path = Path::new(name);
    if !path.exists() {
        let known = builtin::PROTOCOLS.iter().map(|(known, _)| *known);
        let hint = nearest(name, known)
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        return Err(LoadError::Unknown {
            name: name.to_owned(),
            hint,
        });
    }
    let source = read_text(path).map_err(|error| LoadError::Unreadable {
        path: name.to_owned(),
        source: std::io::Error::other(error.reason()),
    })?;
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

/// Checks a parsed file and compiles it.
pub fn compile(file: ProtocolFile, origin: &str, source: &str) -> Result<Protocol, ProtocolError> {
    let place = Place { origin, source };
    check_numbers(&place, &file)?;
    let hashes = ContentHashes::of(&file);
    let fields = check_fields(&place, &file)?;
    let tasks = check_tasks(&place, &file)?;
    let families = check_families(&place, &file)?;
    let rules = rules::check_rules(&place, &file, &families)?;
    let (mae_curve, rmse_curve) = check_scores(&place, &file)?;
    Ok(Protocol {
        origin: origin.to_owned(),
        source: source.to_owned(),
        name: file.protocol.name,
        version: file.protocol.version,
        description: file.protocol.description,
        api_error_keywords: file
            .parsing
            .api_error_keywords
            .iter()
            .map(|word| word.to_lowercase())
            .collect(),
        field_by_name: fields
            .iter()
            .enumerate()
            .map(|(i, field)| (field.name.as_bytes().to_vec(), i))
            .collect(),
        quoted_names: fields.iter().map(|field| quoted(&field.name)).collect(),
        task_by_name: tasks
            .iter()
            .enumerate()
            .map(|(i, task)| (task.name.clone(), i))
            .collect(),
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
        grades: file
            .scores
            .grades
            .into_iter()
            .map(|entry| (entry.grade, entry.from))
            .collect(),
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
    file.fields
        .iter()
        .map(|field| check_field(place, field))
        .collect()
}

fn check_field(place: &Place, field: &FieldEntry) -> Result<Field, ProtocolError> {
    let alias = field.alias.get_ref();
    // An alias must be readable as a variable, and not as anything else: not in
    // expressions, and not in messages, where these mean the observed value.
    if ["value", "unit"].contains(&alias.as_str())
        || !matches!(Expr::parse(alias, &[alias.as_str()]), Ok(expr) if expr.variables() == [0])
    {
        let message =
            format!("alias `{alias}` cannot be used as a name in expressions and messages");
        let help = "use letters, digits and underscores, not a word of the language".to_owned();
        return Err(place.error(field.alias.span(), message, Some(help)));
    }
    if let Some(limit) = &field.limit {
        let [lo, hi] = *limit.get_ref();
        if !(lo.is_finite() && hi.is_finite() && lo < hi) {
            let message =
                format!("inverted range [{lo}, {hi}]: the lower limit must be below the upper one");
            return Err(place.error(
                limit.span(),
                message,
                Some(format!("did you mean [{hi}, {lo}]?")),
            ));
        }
    }
    if let Some(jump) = &field.jump
        && !(jump.get_ref().is_finite() && *jump.get_ref() > 0.0)
    {
        return Err(place.error(
            jump.span(),
            "a jump threshold must be a positive number",
            None,
        ));
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

/// The name in quotes, or nothing if JSON would have to escape it.
fn quoted(name: &str) -> Vec<u8> {
    let plain = judica_data::json::text::plain_run_end(name.as_bytes(), 0) == name.len();
    if plain {
        format!("\"{name}\"").into_bytes()
    } else {
        Vec::new()
    }
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
                return Err(place.error(
                    given.span(),
                    "a scalar task has horizon 1",
                    Some("shape = \"array\"?".into()),
                ));
            }
            (Shape::Array, None) => {
                return Err(place.error(name_span, "an array task needs a horizon", None));
            }
            (Shape::Array, Some(given)) if (1..=MAX_HORIZON).contains(given.get_ref()) => {
                *given.get_ref() as usize
            }
            (Shape::Array, Some(given)) => {
                return Err(place.error(
                    given.span(),
                    format!("a horizon lies between 1 and {MAX_HORIZON}"),
                    None,
                ));
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
    let built_in = || FAMILIES.iter().map(|family| family.name);
    let known: Vec<&str> = built_in()
        .chain(
            file.families
                .iter()
                .map(|entry| entry.name.get_ref().as_str()),
        )
        .collect();
    for entry in &file.families {
        if built_in().any(|name| name == entry.name.get_ref()) {
            return Err(place.error(
                entry.name.span(),
                format!("family `{}` is built in", entry.name.get_ref()),
                None,
            ));
        }
        for needed in &entry.depends_on {
            known_name(place, "family", needed, &known)?;
        }
    }
    execution_order(&file.families).map_err(|GraphError::Cycle(names)| {
        let first = file
            .families
            .iter()
            .find(|entry| names.contains(entry.name.get_ref()));
        let span = first.map_or(0..0, |entry| entry.name.span());
        place.error(
            span,
            format!(
                "families depend on each other in a circle: {}",
                names.join(", ")
            ),
            None,
        )
    })
}

/// Numbers that would turn the scales upside down.
fn check_numbers(place: &Place, file: &ProtocolFile) -> Result<(), ProtocolError> {
    let weights = &file.severity.weights;
    let scores = &file.scores;
    let not_negative = [
        ("critical", weights.critical),
        ("warning", weights.warning),
        ("info", weights.info),
        ("critical_deviation", file.range.critical_deviation),
        ("availability", scores.weights.availability),
        (
            "constraint_satisfaction",
            scores.weights.constraint_satisfaction,
        ),
        ("conditional_error", scores.weights.conditional_error),
        ("mae_weight", scores.mae_weight),
        ("rmse_weight", scores.rmse_weight),
    ];
    for (key, value) in not_negative {
        if !(value.is_finite() && value >= 0.0) {
            return Err(place.error(
                place.key(key),
                format!("`{key}` must be a number of at least 0"),
                None,
            ));
        }
    }
    if !(file.severity.critical_factor.is_finite() && file.severity.critical_factor >= 1.0) {
        let message = "`critical_factor` must be at least 1: critical is graver than a warning";
        return Err(place.error(place.key("critical_factor"), message, None));
    }
    if !file.gating.cap.is_finite() {
        return Err(place.error(place.key("cap"), "`cap` must be a finite number", None));
    }
    if !scores
        .grades
        .is_sorted_by(|better, worse| better.from > worse.from)
    {
        return Err(place.error(
            place.key("grades"),
            "`grades` must go from the best to the worst",
            None,
        ));
    }
    Ok(())
}

fn check_scores(place: &Place, file: &ProtocolFile) -> Result<(Curve, Curve), ProtocolError> {
    let curve = |points: &Spanned<Vec<[f64; 2]>>| {
        let pairs: Vec<(f64, f64)> = points.get_ref().iter().map(|[x, y]| (*x, *y)).collect();
        Curve::new(pairs).map_err(|error| place.error(points.span(), format!("{error}"), None))
    };
    Ok((
        curve(&file.scores.mae_curve)?,
        curve(&file.scores.rmse_curve)?,
    ))
}

#[cfg(test)]
#[path = "load_tests.rs"]
pub(super) mod tests;
