//! What the values of a field look like, checked and compiled.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use jsonschema::Validator;
use judica_text::comparison::Comparison;
use regex::Regex;
use toml::Spanned;

use super::file::{By, FieldEntry, FieldKind, Order};
use super::place::{Place, did_you_mean};
use crate::expr::{pattern_error, pattern_help};
use crate::moment;
use judica_model::nearest::nearest;

/// What one value is, or one element of a list.
#[derive(Debug, Clone)]
pub enum Form {
    /// A number.
    Number {
        /// Whether it must be whole.
        whole: bool,
    },
    /// Text.
    Text(TextForm),
    /// One of some names.
    Enum(EnumForm),
    /// True or false.
    Boolean {
        /// Texts that are true.
        yes: Vec<String>,
        /// Texts that are false.
        no: Vec<String>,
    },
    /// A day, or a moment.
    Date(DateForm),
    /// An object.
    Object(Arc<Validator>),
}

/// Text.
#[derive(Debug, Clone)]
pub struct TextForm {
    /// What must be found in it.
    pub pattern: Option<Regex>,
    /// The fewest and the most characters.
    pub length: [Option<u32>; 2],
    /// The only texts there are; any if there are none.
    pub one_of: Vec<String>,
    /// How it is compared with the gold.
    pub compare: Comparison,
}

/// One of some names.
#[derive(Debug, Clone)]
pub struct EnumForm {
    /// The names.
    pub values: Vec<String>,
    /// Other spellings, and the position of what they mean.
    pub aliases: BTreeMap<String, usize>,
    /// The place of each name, where places count.
    pub order: Option<Vec<usize>>,
}

impl EnumForm {
    /// The position of the name that a text means.
    pub fn position(&self, text: &str) -> Option<usize> {
        let known = self.values.iter().position(|value| value == text);
        known.or_else(|| self.aliases.get(text).copied())
    }
}

impl TextForm {
    /// Whether a text can equal anything by the way it is compared: text that is no number
    /// equals none.
    pub fn can_compare(&self, text: &str) -> bool {
        let read = [Comparison::Number, Comparison::Json, Comparison::Atl];
        !read.contains(&self.compare) || self.compare.canonical(text).is_some()
    }
}

/// A day, or a moment.
#[derive(Debug, Clone)]
pub struct DateForm {
    /// Whether the time counts.
    pub with_time: bool,
    /// How it is written, if not by ISO 8601.
    pub format: Option<String>,
    /// The first plausible one.
    pub earliest: Option<f64>,
    /// The last plausible one.
    pub latest: Option<f64>,
}

impl DateForm {
    /// The moment that a text means.
    pub fn read(&self, text: &str) -> Option<f64> {
        match &self.format {
            Some(format) => moment::by_format(text, format, self.with_time),
            None if self.with_time => moment::iso(text),
            None => moment::iso_date(text),
        }
    }
}

/// A list.
#[derive(Debug, Clone)]
pub struct ListForm {
    /// The fewest and the most elements.
    pub items: [Option<u32>; 2],
    /// Whether elements must differ.
    pub unique: bool,
    /// How it is compared with the gold.
    pub by: By,
    /// Whether it is put together from the objects of a list.
    pub of_objects: bool,
}

impl Form {
    /// What a value should be, in words.
    pub fn expected(&self) -> String {
        match self {
            Form::Number { whole: false } => "a finite number".to_owned(),
            Form::Number { whole: true } => "a whole number".to_owned(),
            Form::Text(form) => {
                let mut words = "text".to_owned();
                match form.length {
                    [Some(least), Some(most)] => {
                        words.push_str(&format!(" of {least} to {most} characters"));
                    }
                    [Some(least), None] => {
                        words.push_str(&format!(" of at least {least} characters"));
                    }
                    [None, Some(most)] => {
                        words.push_str(&format!(" of at most {most} characters"));
                    }
                    [None, None] => {}
                }
                if let Some(pattern) = &form.pattern {
                    words.push_str(&format!(" that matches `{pattern}`"));
                }
                if !form.one_of.is_empty() {
                    words = format!("{words}, one of {}", form.one_of.join(", "));
                }
                words
            }
            Form::Enum(form) => format!("one of {}", form.values.join(", ")),
            Form::Boolean { yes, no } if yes.is_empty() && no.is_empty() => {
                "true or false".to_owned()
            }
            Form::Boolean { yes, no } => {
                let spelt = [&yes[..], no].concat();
                format!("true or false (or {})", spelt.join(", "))
            }
            Form::Date(form) => {
                let mut words = match (&form.format, form.with_time) {
                    (Some(format), _) => format!("a date written as {format}"),
                    (None, false) => "a date like 2024-12-31".to_owned(),
                    (None, true) => "a time like 2024-12-31T23:59:59Z".to_owned(),
                };
                let shown = |moment| moment::shown(moment, form.with_time);
                if let Some(earliest) = form.earliest {
                    words.push_str(&format!(" from {}", shown(earliest)));
                }
                if let Some(latest) = form.latest {
                    words.push_str(&format!(" to {}", shown(latest)));
                }
                words
            }
            Form::Object(_) => "an object that fits its schema".to_owned(),
        }
    }
}

/// Keys that only some kinds have: the key, the kinds, whether the entry gives it.
type Owned = (
    &'static str,
    &'static [FieldKind],
    fn(&FieldEntry) -> Option<Range<usize>>,
);

macro_rules! owned {
    ($($key:ident: $kinds:expr,)*) => {
        [$((stringify!($key), &$kinds, |entry| entry.$key.as_ref().map(Spanned::span)),)*]
    };
}

const OWNED: [Owned; 15] = {
    use FieldKind::*;
    owned! {
        limit: [Linear, Angle, Integer],
        jump: [Linear, Angle, Integer],
        scale: [Linear, Angle, Integer, Date, Datetime],
        pattern: [Text],
        min_length: [Text],
        max_length: [Text],
        one_of: [Text],
        compare: [Text],
        values: [Enum],
        aliases: [Enum],
        order: [Enum],
        spellings: [Boolean],
        format: [Date, Datetime],
        earliest: [Date, Datetime],
        latest: [Date, Datetime],
    }
};
const OF_LISTS: [Owned; 4] = owned! {
    min_items: [FieldKind::List],
    max_items: [FieldKind::List],
    unique: [FieldKind::List],
    by: [FieldKind::List],
};

/// A field's form, and that of the list if it is one.
pub(super) fn check_form(
    place: &Place,
    entry: &FieldEntry,
    of_objects: bool,
) -> (Form, Option<ListForm>) {
    let is_list = entry.kind == FieldKind::List;
    let kind = match (&entry.of, is_list) {
        (Some(of), true) => *of.get_ref(),
        (None, true) => {
            let help = "write, for example, `of = \"text\"`".to_owned();
            place.tell(
                entry.name.span(),
                "a list needs `of`: what its elements are",
                Some(help),
            );
            FieldKind::Text
        }
        (Some(of), false) => {
            let help = "write `kind = \"list\"` beside it".to_owned();
            place.tell(of.span(), "`of` is for lists", Some(help));
            entry.kind
        }
        (None, false) => entry.kind,
    };
    if kind == FieldKind::List || is_list && of_objects {
        place.tell(
            entry.name.span(),
            "a list of lists cannot be described",
            None,
        );
    }
    let foreign = OWNED.iter().filter(|(_, kinds, _)| !kinds.contains(&kind));
    let of_lists = OF_LISTS.iter().filter(|_| !is_list && !of_objects);
    for (key, kinds, given) in foreign.chain(of_lists) {
        if let Some(span) = given(entry) {
            let kinds: Vec<String> = kinds.iter().map(|kind| word(*kind)).collect();
            let message = format!(
                "`{key}` is for kind {}, not {}",
                kinds.join(", "),
                word(kind)
            );
            place.tell(span, message, None);
        }
    }
    if let (Some(jump), true) = (&entry.jump, is_list || of_objects) {
        place.tell(
            jump.span(),
            "`jump` is for single numbers, not for lists",
            None,
        );
    }
    for (key, given) in [("scale", &entry.scale), ("weight", &entry.weight)] {
        if let Some(given) = given
            && !(given.get_ref().is_finite() && *given.get_ref() > 0.0)
        {
            let message = format!("`{key}` must be a positive number");
            place.tell(given.span(), message, None);
        }
    }
    let list = (is_list || of_objects).then(|| ListForm {
        items: bounds(place, &entry.min_items, &entry.max_items),
        unique: entry
            .unique
            .as_ref()
            .is_some_and(|unique| *unique.get_ref()),
        by: entry.by.as_ref().map_or(By::Set, |by| *by.get_ref()),
        of_objects,
    });
    let form = match kind {
        FieldKind::Linear | FieldKind::Angle | FieldKind::List => Form::Number { whole: false },
        FieldKind::Integer => Form::Number { whole: true },
        FieldKind::Text => Form::Text(text(place, entry)),
        FieldKind::Enum => Form::Enum(names(place, entry)),
        FieldKind::Boolean => {
            let spelt = entry.spellings.as_ref().map(Spanned::get_ref);
            let spelt = spelt.cloned().unwrap_or_default();
            if let Some(both) = spelt.yes.iter().find(|word| spelt.no.contains(word)) {
                let span = entry.spellings.as_ref().map_or(0..0, Spanned::span);
                place.tell(
                    span,
                    format!("`{both}` cannot be both true and false"),
                    None,
                );
            }
            Form::Boolean {
                yes: spelt.yes,
                no: spelt.no,
            }
        }
        FieldKind::Date => Form::Date(date(place, entry, false)),
        FieldKind::Datetime => Form::Date(date(place, entry, true)),
        FieldKind::Object => return (object(place, entry), list),
    };
    for (key, given) in [("schema", &entry.schema), ("when", &entry.when)] {
        if let Some(given) = given {
            let message = format!("`{key}` is for kind object");
            place.tell(given.span(), message, None);
        }
    }
    (form, list)
}

fn word(kind: FieldKind) -> String {
    format!("{kind:?}").to_lowercase()
}

fn bounds(
    place: &Place,
    least: &Option<Spanned<u32>>,
    most: &Option<Spanned<u32>>,
) -> [Option<u32>; 2] {
    if let (Some(least), Some(most)) = (least, most)
        && least.get_ref() > most.get_ref()
    {
        place.tell(most.span(), "the most is less than the least", None);
    }
    [least, most].map(|bound| bound.as_ref().map(|bound| *bound.get_ref()))
}

fn text(place: &Place, entry: &FieldEntry) -> TextForm {
    let pattern = entry.pattern.as_ref().and_then(|given| {
        let refused = |error: regex::Error| {
            let message = format!("no pattern: {}", pattern_error(&error));
            let help = pattern_help(&error).map(str::to_owned);
            place.tell(given.span(), message, help);
        };
        Regex::new(given.get_ref()).map_err(refused).ok()
    });
    let compare = entry.compare.as_ref().and_then(|given| {
        let way = Comparison::by_name(given.get_ref());
        if way.is_none() {
            let names = Comparison::ALL.map(Comparison::name);
            let near = nearest(given.get_ref(), names.into_iter()).map(did_you_mean);
            let message = format!(
                "no comparison is called `{}`; there are {}",
                given.get_ref(),
                names.join(", ")
            );
            place.tell(given.span(), message, near);
        }
        way
    });
    TextForm {
        pattern,
        length: bounds(place, &entry.min_length, &entry.max_length),
        one_of: given_list(place, &entry.one_of),
        compare: compare.unwrap_or(Comparison::Exact),
    }
}

/// A list of names that must have some, and none twice.
fn given_list(place: &Place, given: &Option<Spanned<Vec<String>>>) -> Vec<String> {
    let Some(given) = given else {
        return Vec::new();
    };
    let names = given.get_ref();
    if names.is_empty() {
        place.tell(given.span(), "an empty list allows nothing", None);
    }
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            place.tell(given.span(), format!("`{name}` is listed twice"), None);
        }
    }
    names.clone()
}

fn names(place: &Place, entry: &FieldEntry) -> EnumForm {
    if entry.values.is_none() {
        let help = "write, for example, `values = [\"low\", \"high\"]`".to_owned();
        place.tell(entry.name.span(), "an enum needs its `values`", Some(help));
    }
    let values = given_list(place, &entry.values);
    let known = |name: &str, span: Range<usize>| {
        let position = values.iter().position(|value| value == name);
        if position.is_none() {
            let near = nearest(name, values.iter().map(String::as_str)).map(did_you_mean);
            place.tell(span, format!("`{name}` is none of the values"), near);
        }
        position
    };
    let mut aliases = BTreeMap::new();
    for given in entry.aliases.iter() {
        for (alias, meant) in given.get_ref() {
            if values.contains(alias) {
                place.tell(given.span(), format!("`{alias}` is a value itself"), None);
            }
            aliases.extend(known(meant, given.span()).map(|at| (alias.clone(), at)));
        }
    }
    let order = entry
        .order
        .as_ref()
        .and_then(|order| match order.get_ref() {
            Order::AsListed(false) => None,
            Order::AsListed(true) => Some((0..values.len()).collect()),
            Order::Names(names) => {
                let places: Vec<usize> = names
                    .iter()
                    .filter_map(|name| known(name, order.span()))
                    .collect();
                let mut sorted = places.clone();
                sorted.sort_unstable();
                sorted.dedup();
                if sorted.len() != values.len() || names.len() != values.len() {
                    let message = "`order` must name every value once";
                    place.tell(order.span(), message, None);
                }
                let mut of_value = vec![0; values.len()];
                for (at, value) in places.iter().enumerate() {
                    of_value[*value] = at;
                }
                Some(of_value)
            }
        });
    EnumForm {
        values,
        aliases,
        order,
    }
}

fn date(place: &Place, entry: &FieldEntry, with_time: bool) -> DateForm {
    let format = entry.format.as_ref();
    if let Some(format) = format
        && chrono::format::StrftimeItems::new(format.get_ref())
            .any(|item| item == chrono::format::Item::Error)
    {
        let help = Some("for example `%d.%m.%Y`".to_owned());
        place.tell(format.span(), "no format of strftime", help);
    } else if let Some(format) = format
        && !moment::can_be_read(format.get_ref(), with_time)
    {
        let (kind, needed, help) = match with_time {
            false => ("date", "year, month and day", "for example `%d.%m.%Y`"),
            true => (
                "datetime",
                "year, month, day, hour and minute",
                "for example `%d.%m.%Y %H:%M`",
            ),
        };
        let message = format!("no {kind} can be read by this format: it needs {needed}");
        place.tell(format.span(), message, Some(help.to_owned()));
    }
    let mut form = DateForm {
        with_time,
        format: format.map(|format| format.get_ref().clone()),
        earliest: None,
        latest: None,
    };
    let bound = |given: &Option<Spanned<String>>| {
        let given = given.as_ref()?;
        let read = moment::iso(given.get_ref()).or_else(|| form.read(given.get_ref()));
        if read.is_none() {
            let help = Some("write it like \"2024-12-31\"".to_owned());
            place.tell(
                given.span(),
                format!("`{}` is no date", given.get_ref()),
                help,
            );
        }
        read
    };
    let (earliest, latest) = (bound(&entry.earliest), bound(&entry.latest));
    if let (Some(first), Some(last), Some(given)) = (earliest, latest, &entry.latest)
        && first > last
    {
        place.tell(given.span(), "`latest` is before `earliest`", None);
    }
    (form.earliest, form.latest) = (earliest, latest);
    form
}

fn object(place: &Place, entry: &FieldEntry) -> Form {
    let compiled = match &entry.schema {
        None => {
            let help = "write `schema = \"arguments.json\"`, or the schema itself in quotes";
            let message = "an object needs its `schema`";
            place.tell(entry.name.span(), message, Some(help.to_owned()));
            None
        }
        Some(given) if !given.get_ref().trim_start().starts_with('{') => {
            let message = format!("`{}` is no JSON file that can be read", given.get_ref());
            let help = "a file is looked for beside the protocol".to_owned();
            place.tell(given.span(), message, Some(help));
            None
        }
        Some(given) => {
            let schema = serde_json::from_str(given.get_ref());
            let schema = schema.map_err(|error| format!("the schema is no JSON: {error}"));
            let compiled = schema.and_then(|schema: serde_json::Value| {
                let compiled = jsonschema::validator_for(&schema);
                compiled.map_err(|error| format!("no JSON Schema: {error}"))
            });
            let refused = |message| place.tell(given.span(), message, None);
            compiled.map_err(refused).ok()
        }
    };
    // Anything fits where something is wrong, and is never used.
    let any = || jsonschema::validator_for(&serde_json::Value::Bool(true)).ok();
    match compiled.or_else(any) {
        Some(validator) => Form::Object(Arc::new(validator)),
        None => Form::Number { whole: false },
    }
}
