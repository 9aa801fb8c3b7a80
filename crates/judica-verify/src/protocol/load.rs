//! From the text of a protocol file to a checked [`Protocol`].

use std::collections::BTreeSet;
use std::path::Path;

use judica_data::source::read_text;
use judica_stats::curve::Curve;
use toml::Spanned;

use super::dimensions;
use super::error::ProtocolErrors;
use super::file::{Errors, FamilyEntry, FieldEntry, ProtocolFile, Shape, TaskEntry, TotalKind};
use super::form::{Form, check_form};
use super::graph::{GraphError, execution_order};
use super::hash::ContentHashes;
use super::names::Names;
use super::nodes::{Node, Step};
use super::place::{Place, known_family};
use super::programs::{check_verifiers, with_those_of_verifiers};
use super::{Family, Field, Protocol, Task, ThreeScores, builtin, nodes, rules, shape};
use crate::columns;
use crate::evidence::built_in;
use crate::expr::{Expr, Kind, Reads, Scope, Variable};
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
    Invalid(#[from] ProtocolErrors),
}

/// Loads a protocol by built-in name or by path.
pub fn load(name: &str) -> Result<Protocol, LoadError> {
    if let Some(source) = builtin::source(name) {
        return Ok(parse(source, &format!("{name} (built in)"))?);
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
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut protocol = parse(&with_schemas(&source, folder), name)?;
    protocol
        .find_programs(folder)
        .map_err(|error| LoadError::Unreadable {
            path: error.path().display().to_string(),
            source: std::io::Error::other(error.reason()),
        })?;
    Ok(protocol)
}

/// The text with every schema that stands in a file of its own put in its place: a protocol is
/// one text, which a run keeps and whose hash says what it is. What cannot be read stays, and
/// is told of where it is used.
fn with_schemas(source: &str, folder: &Path) -> String {
    let mut whole = source.to_owned();
    let (root, _) = toml::de::DeTable::parse_recoverable(source);
    let Some(fields) = root
        .get_ref()
        .get("field")
        .and_then(|value| value.get_ref().as_array())
    else {
        return whole;
    };
    let mut schemas: Vec<_> = fields
        .iter()
        .filter_map(|field| field.get_ref().as_table()?.get("schema"))
        .collect();
    schemas.sort_by_key(|schema| std::cmp::Reverse(schema.span().start));
    for schema in schemas {
        let name = schema
            .get_ref()
            .as_str()
            .filter(|name| !name.trim_start().starts_with('{'));
        let text = name.and_then(|name| read_text(&folder.join(name)).ok());
        let json = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        if let Some(json) = json {
            // A string of JSON is one of TOML, too.
            let quoted = serde_json::Value::String(json.to_string()).to_string();
            whole.replace_range(schema.span(), &quoted);
        }
    }
    whole
}

/// Parses and checks the text of a protocol file.
///
/// # Errors
///
/// All that is wrong with it, in the order of the file.
pub fn parse(source: &str, origin: &str) -> Result<Protocol, ProtocolErrors> {
    // A byte-order mark is no part of TOML, but editors write it.
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let place = Place::new(origin, source);
    let protocol = shape::read(&place).and_then(|file| compile(file, origin, &place));
    if protocol.is_none() && place.told() == 0 {
        place.tell(0..0, "this cannot be read as a protocol", None);
    }
    place.verdict()?;
    // Something was told where there is none.
    protocol.ok_or_else(|| ProtocolErrors(Vec::new()))
}

/// Checks a parsed file and compiles it.
fn compile(file: ProtocolFile, origin: &str, place: &Place) -> Option<Protocol> {
    check_numbers(place, &file);
    let hashes = ContentHashes::of(&file);
    let fields = check_fields(place, &file);
    let tasks = check_tasks(place, &file);
    let mixed = is_mixed(&fields, &file);
    let families = check_families(place, &file, mixed);
    let reads = Reads::new(fields.len());
    let rules = rules::check_rules(place, &file, &fields, &families, &reads);
    let verifiers = check_verifiers(place, &file, &families, mixed);
    let three = check_scores(place, &file);
    let (dimensions, of_dimensions) = dimensions::check(place, &file, &families);
    if place.told() > 0 {
        return None;
    }
    let own_families = with_those_of_verifiers(&file, mixed);
    let protocol = Protocol {
        origin: origin.to_owned(),
        source: place.source.to_owned(),
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
        nodes: mixed.then(|| Node::of(&fields)),
        groups: nodes::groups(&fields),
        extra_keys: file.parsing.extra_keys,
        errors: file.scores.error,
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
        reads_beyond: reads.into_beyond(),
        critical_factor: file.severity.critical_factor,
        severity_weights: file.severity.weights,
        critical_deviation: file.range.critical_deviation,
        jump_reference: file.jump.reference,
        gating_severity: file.gating.severity,
        cap: file.gating.cap,
        top_k: file.attribution.top_k as usize,
        three,
        dimensions,
        of_dimensions,
        grades: file
            .scores
            .grades
            .into_iter()
            .map(|entry| (entry.grade, entry.from))
            .collect(),
        summary: file.summary,
        verifiers,
        programs: Vec::new(),
        hashes,
    };
    check_columns(place, &own_families, &protocol);
    Some(protocol)
}

/// Records have columns by names of families, fields and dimensions. Two are called the same
/// only where a family begins like the columns of the others.
fn check_columns(place: &Place, own_families: &[FamilyEntry], protocol: &Protocol) {
    let mut seen = BTreeSet::new();
    for column in columns::own(protocol).into_iter().map(|own| own.name) {
        if seen.insert(column.clone()) {
            continue;
        }
        let of_family = column.rsplit_once('_').map(|(family, _)| family);
        let mut families = own_families.iter();
        let family = families.find(|entry| Some(entry.name.get_ref().as_str()) == of_family);
        let span = family.map_or(0..0, |entry| entry.name.span());
        let message = format!("records would have two columns called `{column}`");
        let help = "another name of the family tells them apart".to_owned();
        place.tell(span, message, Some(help));
    }
}

/// Whether there is more than numbers under keys of their own.
fn is_mixed(fields: &[Field], file: &ProtocolFile) -> bool {
    let plain = |(field, entry): (&Field, &FieldEntry)| {
        matches!(field.form, Form::Number { whole: false })
            && field.list.is_none()
            && entry.at.is_none()
            && !field.nullable
    };
    !file.parsing.extra_keys.are_allowed()
        || file.scores.error != Errors::Raw
        || !fields.iter().zip(&file.fields).all(plain)
}

fn check_fields(place: &Place, file: &ProtocolFile) -> Vec<Field> {
    place.unique("alias", file.fields.iter().map(FieldEntry::alias));
    place.unique("field name", file.fields.iter().map(|field| &field.name));
    if file.fields.is_empty() {
        let help = shape::skeleton("field");
        place.tell(0..0, "a protocol needs at least one [[field]]", help);
    }
    let fields = file.fields.iter();
    let mut fields: Vec<Field> = fields.map(|field| check_field(place, field)).collect();
    check_whole(place, file, &fields);
    let whens: Vec<Option<Expr>> = {
        let variables: Vec<Variable> = fields.iter().map(Field::variable).collect();
        let scope = Scope {
            variables: &variables,
            reads: None,
        };
        let when = |entry: &FieldEntry| {
            let when = entry.when.as_ref()?;
            let names = Names::of(file);
            place.expression(when.get_ref(), when.span(), scope, Kind::Boolean, &names)
        };
        file.fields.iter().map(when).collect()
    };
    for (field, when) in fields.iter_mut().zip(whens) {
        field.when = when;
    }
    fields
}

/// What fields must be beside each other.
fn check_whole(place: &Place, file: &ProtocolFile, fields: &[Field]) {
    let arrays = file.tasks.iter().any(|task| task.shape == Shape::Array);
    for (field, entry) in fields.iter().zip(&file.fields) {
        if arrays && (field.list.is_some() || matches!(field.form, Form::Object(_))) {
            let message = "lists and objects cannot be fields of array tasks";
            let help = "a scalar task may have lists".to_owned();
            place.tell(entry.name.span(), message, Some(help));
        }
        let Some(key) = &entry.key else {
            continue;
        };
        let Some(each) = field.at.iter().position(|step| *step == Step::Each) else {
            place.tell(
                key.span(),
                "`key` is for fields of the objects of a list: `at` with `*`",
                None,
            );
            continue;
        };
        let mut wanted = field.at[..=each].to_vec();
        wanted.push(Step::Key(key.get_ref().clone()));
        if !fields.iter().any(|field| field.at == wanted) {
            let message = format!(
                "no field stands at key `{}` of these objects",
                key.get_ref()
            );
            place.tell(
                key.span(),
                message,
                Some("describe it by a [[field]], too".to_owned()),
            );
        }
    }
}

fn check_field(place: &Place, field: &FieldEntry) -> Field {
    let alias = field.alias().get_ref();
    // An alias must be readable as a variable, and not as anything else: not in
    // expressions, and not in messages, where these mean the observed value.
    if ["value", "unit"].contains(&alias.as_str())
        || !matches!(Expr::parse(alias, &[alias.as_str()]), Ok(expr) if expr.variables() == [0])
    {
        let (message, help) = match &field.alias {
            Some(_) => (
                format!("alias `{alias}` cannot be used as a name in expressions and messages"),
                "use letters, digits and underscores, not a word of the language",
            ),
            None => (
                format!("`{alias}` cannot be a name in expressions: the field needs an `alias`"),
                "write, for example, `alias = \"speed\"`",
            ),
        };
        place.tell(field.alias().span(), message, Some(help.to_owned()));
    }
    if let Some(limit) = &field.limit {
        let [lo, hi] = *limit.get_ref();
        if !(lo.is_finite() && hi.is_finite()) {
            let message = format!("both limits of [{lo}, {hi}] must be finite numbers");
            place.tell(limit.span(), message, None);
        } else if lo >= hi {
            let message =
                format!("inverted range [{lo}, {hi}]: the lower limit must be below the upper one");
            let help = (lo > hi).then(|| format!("did you mean [{hi}, {lo}]?"));
            place.tell(limit.span(), message, help);
        }
    }
    if let Some(jump) = &field.jump
        && !(jump.get_ref().is_finite() && *jump.get_ref() > 0.0)
    {
        let message = "a jump threshold must be a positive number";
        place.tell(jump.span(), message, None);
    }
    let at = match &field.at {
        Some(at) => nodes::steps(place, at.get_ref(), at.span()),
        None => vec![Step::Key(field.name.get_ref().clone())],
    };
    let of_objects = at.contains(&Step::Each);
    let (form, list) = check_form(place, field, of_objects);
    let limit = field.limit.as_ref().map(|limit| *limit.get_ref());
    let half = limit.map_or(1.0, |[lo, hi]| (hi - lo) / 2.0);
    Field {
        name: field.name.get_ref().clone(),
        alias: alias.clone(),
        unit: field.unit.clone(),
        kind: field.of.as_ref().map_or(field.kind, |of| *of.get_ref()),
        required: field.required,
        nullable: match &field.nullable {
            Some(nullable) => *nullable.get_ref(),
            // What may be left out may be null as well; of numbers it never was so.
            None => !field.required && !matches!(form, Form::Number { .. }),
        },
        limit,
        jump: field.jump.as_ref().map(|jump| *jump.get_ref()),
        form,
        list,
        at,
        scale: field.scale.as_ref().map_or(half, |scale| *scale.get_ref()),
        weight: field
            .weight
            .as_ref()
            .map_or(1.0, |weight| *weight.get_ref()),
        key: field.key.as_ref().map(|key| key.get_ref().clone()),
        when: None,
    }
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

fn check_tasks(place: &Place, file: &ProtocolFile) -> Vec<Task> {
    place.unique("task", file.tasks.iter().map(|task| &task.name));
    if file.tasks.is_empty() {
        let help = shape::skeleton("task");
        place.tell(0..0, "a protocol needs at least one [[task]]", help);
    }
    let tasks = file.tasks.iter().map(|task| Task {
        name: task.name.get_ref().clone(),
        shape: task.shape,
        horizon: check_horizon(place, task),
        description: task.description.clone(),
    });
    tasks.collect()
}

fn check_horizon(place: &Place, task: &TaskEntry) -> usize {
    match (task.shape, &task.horizon) {
        (Shape::Scalar, None) => {}
        (Shape::Scalar, Some(given)) => {
            if *given.get_ref() != 1 {
                let help = Some("shape = \"array\"?".into());
                place.tell(given.span(), "a scalar task has horizon 1", help);
            }
        }
        (Shape::Array, None) => {
            place.tell(task.name.span(), "an array task needs a horizon", None);
        }
        (Shape::Array, Some(given)) => {
            if (1..=MAX_HORIZON).contains(given.get_ref()) {
                return *given.get_ref() as usize;
            }
            let message = format!("a horizon lies between 1 and {MAX_HORIZON}");
            place.tell(given.span(), message, None);
        }
    }
    1
}

/// The families in execution order; in any order where something is wrong with them.
fn check_families(place: &Place, file: &ProtocolFile, mixed: bool) -> Vec<Family> {
    let told = place.told();
    place.unique("family", file.families.iter().map(|entry| &entry.name));
    let built_in = || built_in(mixed).iter().map(|family| family.name);
    let all = with_those_of_verifiers(file, mixed);
    let own = all.iter().map(|entry| entry.name.get_ref().as_str());
    let known: Vec<&str> = built_in().chain(own).collect();
    for entry in &all {
        let name = entry.name.get_ref();
        if built_in().any(|known| known == name) {
            let message = format!("family `{name}` is built in");
            place.tell(entry.name.span(), message, None);
        }
        for needed in &entry.depends_on {
            known_family(place, needed, &known, &Names::of(file));
        }
    }
    let entries: Vec<FamilyEntry> = if place.told() == told {
        all.clone()
    } else {
        let alone = |entry: &FamilyEntry| FamilyEntry {
            depends_on: Vec::new(),
            ..entry.clone()
        };
        all.iter().map(alone).collect()
    };
    match execution_order(&entries, mixed) {
        Ok(families) => families,
        Err(GraphError::Cycle(names)) => {
            let mut entries = all.iter();
            let first = entries.find(|entry| names.contains(entry.name.get_ref()));
            let span = first.map_or(0..0, |entry| entry.name.span());
            let circle = names.join(", ");
            let message = format!("families depend on each other in a circle: {circle}");
            place.tell(span, message, None);
            let alone = |name: &str| Family {
                name: name.to_owned(),
                depends_on: Vec::new(),
                description: String::new(),
            };
            known.into_iter().map(alone).collect()
        }
    }
}

/// Numbers that would turn the scales upside down.
fn check_numbers(place: &Place, file: &ProtocolFile) {
    let weights = &file.severity.weights;
    let scores = &file.scores;
    let not_negative = [
        ("critical", weights.critical),
        ("warning", weights.warning),
        ("info", weights.info),
        ("critical_deviation", file.range.critical_deviation),
        ("mae_weight", scores.mae_weight.unwrap_or(0.0)),
        ("rmse_weight", scores.rmse_weight.unwrap_or(0.0)),
    ];
    let weights = scores.weights.iter().flat_map(|weights| {
        [
            ("availability", weights.availability),
            ("constraint_satisfaction", weights.constraint_satisfaction),
            ("conditional_error", weights.conditional_error),
        ]
    });
    for (key, value) in not_negative.into_iter().chain(weights) {
        if !(value.is_finite() && value >= 0.0) {
            let message = format!("`{key}` must be a number of at least 0");
            place.tell(place.key(key), message, None);
        }
    }
    if !(file.severity.critical_factor.is_finite() && file.severity.critical_factor >= 1.0) {
        let message = "`critical_factor` must be at least 1: critical is graver than a warning";
        place.tell(place.key("critical_factor"), message, None);
    }
    if !file.gating.cap.is_finite() {
        place.tell(place.key("cap"), "`cap` must be a finite number", None);
    }
    if !scores
        .grades
        .is_sorted_by(|better, worse| better.from > worse.from)
    {
        let message = "`grades` must go from the best to the worst";
        place.tell(place.key("grades"), message, None);
    }
}

/// The three scores. They may be left out, but only whole, and where the total is made of
/// dimensions.
fn check_scores(place: &Place, file: &ProtocolFile) -> Option<ThreeScores> {
    let scores = &file.scores;
    let given = [
        ("weights", scores.weights.is_some()),
        ("mae_weight", scores.mae_weight.is_some()),
        ("rmse_weight", scores.rmse_weight.is_some()),
        ("mae_curve", scores.mae_curve.is_some()),
        ("rmse_curve", scores.rmse_curve.is_some()),
    ];
    let total = scores.total.as_ref().map(|total| *total.get_ref());
    if total == Some(TotalKind::Dimensions) && !given.iter().any(|(_, given)| *given) {
        return None;
    }
    let start = place.source.find("[scores]").unwrap_or(0);
    for (key, _) in given.into_iter().filter(|(_, given)| !given) {
        let help = shape::skeleton_line("scores", key);
        let message = format!("missing field `{key}`");
        place.tell(start..start + "[scores]".len(), message, help);
    }
    let curve = |points: &Option<Spanned<Vec<[f64; 2]>>>| {
        let points = points.as_ref()?;
        let pairs: Vec<(f64, f64)> = points.get_ref().iter().map(|[x, y]| (*x, *y)).collect();
        let told = |error| place.tell(points.span(), format!("{error}"), None);
        Curve::new(pairs).map_err(told).ok()
    };
    let (mae, rmse) = (curve(&scores.mae_curve), curve(&scores.rmse_curve));
    Some(ThreeScores {
        weights: scores.weights?,
        mae_weight: scores.mae_weight?,
        rmse_weight: scores.rmse_weight?,
        mae_curve: mae?,
        rmse_curve: rmse?,
    })
}

#[cfg(test)]
#[path = "load_tests.rs"]
pub(super) mod tests;
