//! Two schemas that hold both, as one.

use serde_json::{Map, Value, json};

use super::scalar::{NOTED, OF_OBJECTS};

/// Where the larger of two bounds is the stricter.
const LEAST: [&str; 4] = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
/// Where the smaller is.
const MOST: [&str; 4] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

/// Takes into a schema what another asks as well. What one schema cannot say stays behind in
/// `allOf`, which is told as not said.
pub(super) fn join(mine: &mut Map<String, Value>, theirs: Map<String, Value>) {
    let mut rest = Vec::new();
    // What one object forbids beside its own properties another may not add.
    for (closed, other) in [(&*mine, &theirs), (&theirs, &*mine)] {
        rest.extend(forbidden(closed, other).map(|more| json!({ "additionalProperties": more })));
    }
    for (key, value) in theirs {
        let Some(own) = mine.get_mut(&key) else {
            mine.insert(key, value);
            continue;
        };
        match both(&key, own, &value) {
            Some(joined) => *own = joined,
            None => rest.push(json!({ key: value })),
        }
    }
    if !rest.is_empty()
        && let Value::Array(all) = mine.entry("allOf").or_insert_with(|| json!([]))
    {
        all.extend(rest);
    }
}

/// What an object says of other properties than its own, if the other has some.
fn forbidden<'m>(closed: &'m Map<String, Value>, other: &Map<String, Value>) -> Option<&'m Value> {
    let own = closed.get("properties").and_then(Value::as_object);
    let is_own = |key: &String| own.is_some_and(|own| own.contains_key(key));
    let mut more = other.get("properties")?.as_object()?.keys();
    let says = closed.get("additionalProperties");
    says.filter(|says| **says != true && more.any(|key| !is_own(key)))
}

/// One value of a keyword that asks what two ask, if there is one.
fn both(key: &str, own: &Value, other: &Value) -> Option<Value> {
    if own == other {
        return Some(own.clone());
    }
    if LEAST.contains(&key) || MOST.contains(&key) {
        let is_stricter = (other.as_f64()? > own.as_f64()?) == LEAST.contains(&key);
        return Some(if is_stricter { other } else { own }.clone());
    }
    match (key, own, other) {
        ("properties", Value::Object(own), Value::Object(other)) => {
            let mut joined = own.clone();
            for (name, schema) in other {
                let one = joined.entry(name).or_insert_with(|| schema.clone());
                if one != schema {
                    *one = json!({ "allOf": [one.take(), schema] });
                }
            }
            Some(Value::Object(joined))
        }
        ("items", ..) => Some(json!({ "allOf": [own, other] })),
        ("required" | "allOf", Value::Array(own), Value::Array(other)) => {
            Some(own.iter().chain(other).cloned().collect())
        }
        ("enum", Value::Array(own), Value::Array(other)) => {
            let is_other = |value: &&Value| other.iter().any(|other| same(value, other));
            let common = own.iter().filter(is_other).cloned();
            some_of(common.collect())
        }
        ("type", ..) => match some_of(common_types(own, other))? {
            Value::Array(types) if types.len() == 1 => types.into_iter().next(),
            types => Some(types),
        },
        ("uniqueItems", ..) => Some(Value::Bool(true)),
        ("additionalProperties", Value::Bool(false), _)
        | ("additionalProperties", _, Value::Bool(false)) => Some(Value::Bool(false)),
        // Of which only the strictest can be told.
        ("properties" | "required" | "additionalProperties", ..) => None,
        _ if NOTED.contains(&key) || OF_OBJECTS.contains(&key) => Some(own.clone()),
        _ => None,
    }
}

/// Whether they are one value to a schema: `1` and `1.0` are.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && one.as_f64() == other.as_f64()
}

fn some_of(values: Vec<Value>) -> Option<Value> {
    (!values.is_empty()).then_some(Value::Array(values))
}

/// The types that both allow; every integer is a number.
fn common_types(own: &Value, other: &Value) -> Vec<Value> {
    let types = |of: &Value| match of {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let (own, other) = (types(own), types(other));
    let allows = |types: &[Value], one: &Value| {
        types.contains(one) || *one == "integer" && types.contains(&json!("number"))
    };
    let mut common: Vec<Value> = own
        .iter()
        .filter(|one| allows(&other, one))
        .cloned()
        .collect();
    let more = other
        .iter()
        .filter(|one| !own.contains(one) && allows(&own, one));
    common.extend(more.cloned());
    common
}
