//! `judica rules --from-schema`: a JSON Schema becomes a protocol, as far as one can say it;
//! what it cannot say stands as a comment in its place.
//!
//! What is read is the part of draft 2020-12 that structured-output interfaces use. Their
//! wrappings (`json_schema`, `function.parameters`, `input_schema`) are taken off.

use serde_json::{Map, Value, json};

use crate::calibrate::fit::quoted;
use crate::expr::Expr;
use crate::protocol::load;

mod join;
mod null;
mod pattern;
mod scalar;
mod whole;

use join::join;
use scalar::{OF_LISTS, OF_OBJECTS, Said, kind, notes, one_line, scalar, unread, unsaid, whole};

/// So deep references and objects are followed.
const DEEPEST: usize = 16;
/// So many fields are made.
const MOST: usize = 500;

/// The protocol of a schema; `name` is what it is called where the schema has no title.
pub fn protocol_of(schema: &Value, name: &str) -> Result<String, String> {
    let (root, wrapped) = unwrapped(schema);
    let mut made = Making {
        root,
        fields: String::new(),
        rules: String::new(),
        names: Vec::new(),
        seen: Seen::default(),
    };
    let at = Place {
        pointer: String::new(),
        words: Vec::new(),
        required: true,
        nullable: false,
        list: None,
        depth: 0,
    };
    let whole = made.resolved(root, 0);
    if !is_object(&whole) {
        return Err(
            "the schema does not describe an object with properties, and a response is one"
                .to_owned(),
        );
    }
    made.object(&whole, &at);
    if made.names.is_empty() {
        return Err("no property of the schema can be said as a field".to_owned());
    }
    let text = |key: &str| whole.get(key).and_then(Value::as_str);
    let title = wrapped.or(text("title")).unwrap_or(name);
    let extra = match (made.seen.open, made.seen.omitted) {
        (false, false) => "extra_keys = \"critical\"\n",
        (false, true) => {
            "# Some properties could not be said, so that their keys must be allowed.\nextra_keys = \"allow\"\n"
        }
        (true, _) if made.seen.closed => {
            "# not said: additionalProperties, which some objects forbid and others do not.\nextra_keys = \"allow\"\n"
        }
        (true, _) => "extra_keys = \"allow\"\n",
    };
    let family = match made.rules.is_empty() {
        true => "",
        false => {
            "\n[[family]]\nname = \"schema\"\ndepends_on = [\"type_validity\"]\ndescription = \"What the schema asks of numbers beyond a range.\"\n"
        }
    };
    let source = format!(
        "[protocol]\nname = {}\nversion = \"1\"\ndescription = {}\n\n[parsing]\n{extra}\n\
         [[task]]\nname = \"answer\"\nshape = \"scalar\"\n{}\
         \n# A number outside the schema's range breaks it, however little.\n[range]\ncritical_deviation = 0\n{family}{}\
         \n# Errors run from 0 (right) to 1 (wholly wrong) for every field; `scale` of a field says which is 1.\n\
         [scores]\nerror = \"scaled\"\nweights = {{ availability = 0.1, constraint_satisfaction = 0.2, conditional_error = 0.7 }}\n\
         mae_weight = 0.7\nrmse_weight = 0.3\nmae_curve = [[0, 100], [1, 0]]\nrmse_curve = [[0, 100], [1, 0]]\n",
        quoted(title),
        quoted(&one_line(text("description").unwrap_or_default())),
        made.fields,
        made.rules,
    );
    // What is printed can be used.
    match load::parse(&source, name) {
        Ok(_) => Ok(source),
        Err(error) => Err(format!(
            "what was made of the schema is no protocol: {error}"
        )),
    }
}

/// The schema itself, and the name that its wrapping gives it.
fn unwrapped(schema: &Value) -> (&Value, Option<&str>) {
    let (mut schema, mut name) = (schema, None);
    for _ in 0..4 {
        let inner = [
            "json_schema",
            "function",
            "schema",
            "parameters",
            "input_schema",
        ]
        .iter()
        .find_map(|key| schema.get(key).filter(|inner| inner.is_object()));
        let is_schema = ["properties", "$ref", "anyOf", "allOf"];
        let Some(inner) = inner.filter(|_| is_schema.iter().all(|key| schema.get(key).is_none()))
        else {
            break;
        };
        name = schema.get("name").and_then(Value::as_str).or(name);
        schema = inner;
    }
    (schema, name)
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("properties").is_some_and(Value::is_object)
}

/// The keys that an object must have.
fn required(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let keys = object.get("required").and_then(Value::as_array);
    keys.into_iter().flatten().filter_map(Value::as_str)
}

/// Whether an object must have a property.
fn is_required(object: &Map<String, Value>, key: &str) -> bool {
    required(object).any(|known| known == key)
}

/// Where a property stands.
#[derive(Clone)]
struct Place {
    pointer: String,
    words: Vec<String>,
    required: bool,
    nullable: bool,
    /// Within the objects of a list: what is asked of it.
    list: Option<Vec<String>>,
    depth: usize,
}

/// What a field cannot say of a property, since what it stands in may be missing or null.
struct Lost<'a> {
    within: &'a str,
    required: bool,
}

struct Making<'s> {
    root: &'s Value,
    fields: String,
    rules: String,
    /// Names and aliases that are taken.
    names: Vec<String>,
    seen: Seen,
}

/// What has been seen so far.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Whether a property could not be said at all.
    omitted: bool,
    /// Whether some object may have other keys.
    open: bool,
    /// Whether some object may have none.
    closed: bool,
    /// How many fields there are.
    fields: usize,
    /// How many of them can never be null.
    never_null: usize,
    /// How many of them must be there.
    required: usize,
}

impl Making<'_> {
    /// A schema with what it refers to put in its place.
    fn resolved(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut own = match schema {
            Value::Object(own) => own.clone(),
            Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
            _ => Map::new(),
        };
        if depth > DEEPEST {
            return own;
        }
        let reference = own.get("$ref").and_then(Value::as_str).map(str::to_owned);
        let pointer = reference.as_deref().and_then(|name| name.strip_prefix('#'));
        let mut parts: Vec<Value> = Vec::new();
        if let Some(found) = pointer.and_then(|pointer| self.root.pointer(pointer)) {
            own.remove("$ref");
            parts.push(found.clone());
        }
        if let Some(Value::Array(all)) = own.remove("allOf") {
            parts.extend(all);
        }
        for part in parts {
            join(&mut own, self.resolved(&part, depth + 1));
        }
        own
    }

    fn comment(&mut self, at: &Place, what: &str) {
        let pointer = &at.pointer;
        self.fields
            .push_str(&format!("\n# {pointer}: {}\n", one_line(what)));
    }

    /// The properties of an object.
    fn object(&mut self, schema: &Map<String, Value>, at: &Place) {
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        self.seen.open |= !closed;
        self.seen.closed |= closed;
        // Keys that fit a pattern are allowed, and no field stands under them.
        self.seen.omitted |= schema.contains_key("patternProperties");
        for keyword in unsaid(schema, &OF_OBJECTS) {
            self.comment(at, &format!("not said: {keyword}"));
        }
        let more = schema.get("additionalProperties");
        if let Some(more) = more.filter(|more| more.as_object().is_some_and(|of| !of.is_empty())) {
            self.comment(at, &format!("not said: additionalProperties {more}"));
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for key in required(schema) {
            if properties.is_none_or(|known| !known.contains_key(key)) {
                let what = format!("not said: required {key}, which is no property");
                self.comment(at, &what);
            }
        }
        for (key, property) in properties.into_iter().flatten() {
            let escaped = judica_data::json::pointer_key(key);
            let mut words = at.words.clone();
            words.push(key.clone());
            let required = is_required(schema, key);
            let place = Place {
                pointer: format!("{}/{escaped}", at.pointer),
                words,
                required: at.required && required,
                depth: at.depth + 1,
                ..at.clone()
            };
            let lost = Lost {
                within: &at.pointer,
                required: required && !place.required,
            };
            self.property(property, &place, lost);
        }
    }

    fn property(&mut self, property: &Value, at: &Place, lost: Lost) {
        let (schema, null) = self.without_null(property, at.depth);
        let mut at = at.clone();
        let not_null = at.nullable && !null;
        at.nullable |= null;
        if at.depth > DEEPEST || self.names.len() >= MOST {
            self.seen.omitted = true;
            return self.comment(&at, "not said: the schema goes deeper than can be followed");
        }
        // `*` in a pointer means every element.
        let last = at.words.last().cloned().unwrap_or_default();
        if last == "*" {
            self.seen.omitted = true;
            return self.comment(&at, "not said: a key that is called *");
        }
        // A number in a pointer may be a position.
        if at.words.len() > 1 && last.parse::<usize>().is_ok() {
            let what = format!("not said: {} is no list", lost.within);
            self.comment(&at, &what);
        }
        let words = [(lost.required, "required"), (not_null, "not null")];
        let words: Vec<&str> = words
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, w)| *w)
            .collect();
        if !words.is_empty() {
            let what = format!("not said: {}, where {} is", words.join(", "), lost.within);
            self.comment(&at, &what);
        }
        match kind(&schema) {
            Some("object") if is_object(&schema) => self.of_properties(&schema, &at),
            Some("object") => self.whole_object(&schema, &at),
            Some("array") => self.array(&schema, &at),
            Some(kind) => match scalar(kind, &schema) {
                Some(said) => self.field(&schema, &at, said, None),
                None => self.unsaid(&schema, &at),
            },
            None => self.unsaid(&schema, &at),
        }
    }

    /// An object with a field for each property; where none can be one, the object is.
    fn of_properties(&mut self, schema: &Map<String, Value>, at: &Place) {
        let (written, before) = (self.fields.len(), self.seen);
        for note in notes(schema) {
            self.comment(at, &note);
        }
        let mut inner = at.clone();
        if at.required && at.nullable {
            self.comment(at, "not said: required, since it may be null");
            inner.required = false;
        }
        self.object(schema, &inner);
        if self.nothing_since(written, before) {
            return self.whole_object(schema, at);
        }
        self.unsaid_required(&inner, before);
        if !at.nullable && self.seen.never_null == before.never_null {
            let what = "not said: not null, since all that is said of it may be";
            self.comment(at, what);
        }
    }

    /// Whether no field was made since; then what was written is taken back, to be said whole.
    fn nothing_since(&mut self, written: usize, before: Seen) -> bool {
        let nothing = self.seen.fields == before.fields;
        if nothing {
            self.fields.truncate(written);
            self.seen = before;
        }
        nothing
    }

    /// Only fields are required, so that an object or a list of them must be there only where
    /// one of them must.
    fn unsaid_required(&mut self, at: &Place, before: Seen) {
        if at.required && self.seen.required == before.required {
            self.comment(at, "not said: required, since no field of it is");
        }
    }

    fn array(&mut self, schema: &Map<String, Value>, at: &Place) {
        let (items, null) = match schema.get("items") {
            Some(items) => self.without_null(items, at.depth + 1),
            None => return self.unsaid(schema, at),
        };
        if at.list.is_some() || null || schema.contains_key("prefixItems") {
            return self.unsaid(schema, at);
        }
        let mut asked = Vec::new();
        for (key, of) in [("min_items", "minItems"), ("max_items", "maxItems")] {
            asked.extend(whole(schema, of).map(|count| format!("{key} = {count}")));
        }
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let counts = ["minItems", "maxItems"];
        let rest = unsaid(schema, &OF_LISTS)
            .chain(unread(schema, &counts, |of| whole(schema, of).is_some()));
        match kind(&items) {
            Some("object") if is_object(&items) => {
                let (written, before) = (self.fields.len(), self.seen);
                for note in notes(schema) {
                    self.comment(at, &note);
                }
                for keyword in rest {
                    self.comment(at, &format!("not said: {keyword}"));
                }
                if unique {
                    self.comment(at, "not said: uniqueItems, of objects");
                }
                let mut inner = at.clone();
                inner.pointer.push_str("/*");
                inner.list = Some(asked);
                self.object(&items, &inner);
                if self.nothing_since(written, before) {
                    return self.unsaid(schema, at);
                }
                self.unsaid_required(at, before);
                if self.seen.never_null == before.never_null {
                    let what = "not said: not null, since all that is said of it may be";
                    self.comment(&inner, what);
                    if !at.nullable {
                        self.comment(at, what);
                    }
                }
            }
            Some("array" | "object") | None => self.unsaid(schema, at),
            Some(kind) => match scalar(kind, &items) {
                Some(mut said) => {
                    said.unsaid.extend(rest);
                    if unique {
                        asked.push("unique = true".to_owned());
                    }
                    self.field(schema, at, said, Some(asked));
                }
                None => self.unsaid(schema, at),
            },
        }
    }

    fn field(
        &mut self,
        schema: &Map<String, Value>,
        at: &Place,
        said: Said,
        list: Option<Vec<String>>,
    ) {
        let (name, alias) = self.named(at);
        let mut lines = vec!["[[field]]".to_owned(), format!("name = {}", quoted(&name))];
        lines.extend((alias != name).then(|| format!("alias = {}", quoted(&alias))));
        if at.pointer != format!("/{name}") {
            lines.push(format!("at = {}", quoted(&at.pointer)));
        }
        match &list {
            Some(_) => {
                lines.push("kind = \"list\"".to_owned());
                lines.push(format!("of = \"{}\"", said.kind));
            }
            None => lines.push(format!("kind = \"{}\"", said.kind)),
        }
        self.seen.fields += 1;
        self.seen.never_null += usize::from(!at.nullable);
        self.seen.required += usize::from(at.required);
        lines.extend((!at.required).then(|| "required = false".to_owned()));
        if at.nullable || !at.required {
            lines.push(format!("nullable = {}", at.nullable));
        }
        lines.extend(said.keys);
        let asked = list.as_ref().or(at.list.as_ref());
        lines.extend(asked.into_iter().flatten().cloned());
        let mut notes = notes(schema);
        notes.extend(said.unsaid.iter().map(|what| format!("not said: {what}")));
        self.fields.push('\n');
        for note in notes {
            self.fields.push_str(&format!("# {}\n", one_line(&note)));
        }
        self.fields.push_str(&lines.join("\n"));
        self.fields.push('\n');
        let of_list = asked.is_some();
        // An object of a list may lack it, and what is not there is none of the values, either.
        let may_lack = at.list.is_some() && (at.nullable || !at.required);
        for (id, condition, message) in said.rules {
            let condition = condition.replace("VALUE", &alias);
            let condition = match of_list {
                true if may_lack && condition.starts_with("not ") => {
                    format!("any(not is_null({alias}) and {condition})")
                }
                true => format!("any({condition})"),
                false => condition,
            };
            self.rules.push_str(&format!(
                "\n[[rule]]\nfamily = \"schema\"\nid = {}\ncritical_if = {}\nmessage = {}\n",
                quoted(&format!("{alias}_{id}")),
                quoted(&condition),
                quoted(&format!(
                    "{} {{{alias}}}: {message}",
                    name.replace(['{', '}'], "")
                ))
            ));
        }
        self.names.extend([name, alias]);
    }

    /// A name that no other field has, and one for expressions.
    fn named(&self, at: &Place) -> (String, String) {
        let word = |text: &str| -> String {
            let word = text.chars().map(|c| match c.is_ascii_alphanumeric() {
                true => c,
                false => '_',
            });
            word.collect()
        };
        let usable = |alias: &str| {
            let known = self.names.iter().any(|name| name == alias);
            let parsed = Expr::parse(alias, &[alias]);
            let variable = matches!(parsed, Ok(expr) if expr.variables() == [0]);
            !known && variable && !["value", "unit"].contains(&alias)
        };
        let joined = at.words.join("_");
        let own = at.words.len() == 1 && !self.names.contains(&joined);
        let mut alias = word(&joined);
        if !alias.starts_with(|c: char| c.is_ascii_alphabetic()) {
            alias.insert_str(0, "f_");
        }
        let numbered = (2..).map(|n| format!("{alias}_{n}"));
        let mut candidates = std::iter::once(alias.clone())
            .chain(numbered)
            .take(MOST + 2);
        let alias = candidates
            .find(|alias| usable(alias))
            .unwrap_or(alias.clone());
        match own {
            true => (joined, alias),
            false => (alias.clone(), alias),
        }
    }
}

#[cfg(test)]
#[path = "from_schema_tests.rs"]
mod tests;
