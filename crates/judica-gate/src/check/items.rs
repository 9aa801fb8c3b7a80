//! Results per item, for paired tests.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::document::Document;
use super::metric::{Complaint, kind};
use super::pointer::resolve;

/// Keys under which an item's id may stand; the first that is there counts.
const IDS: [&str; 4] = ["id", "qid", "sample_id", "episode_id"];
/// Keys under which its result may stand.
const RESULTS: [&str; 4] = ["value", "score", "correct", "success"];

/// The result of every item that has one; right is 1 and wrong is 0.
pub(super) type Items = BTreeMap<String, f64>;

/// Reads the results at `pointer`; `None` if there is nothing.
pub(super) fn read(document: &Document, pointer: &str) -> Result<Option<Items>, Complaint> {
    let Some(found) = resolve(&document.value, pointer) else {
        return Ok(None);
    };
    let complain = |what: String| (format!("`{pointer}` in {} {what}", document.name), None);
    let mut items = Items::new();
    match found {
        Value::Object(members) => {
            for (id, result) in members {
                let number = number(result).map_err(|is| complain(format!("`{id}`: {is}")))?;
                items.extend(number.map(|number| (id.clone(), number)));
            }
        }
        Value::Array(elements) => {
            let mut seen = std::collections::BTreeSet::new();
            for (i, element) in elements.iter().enumerate() {
                let (id, number) =
                    item(element).map_err(|is| complain(format!("element {i}: {is}")))?;
                if !seen.insert(id.clone()) {
                    return Err(complain(format!("element {i}: the id `{id}` comes twice")));
                }
                items.extend(number.map(|number| (id, number)));
            }
        }
        other => {
            let what = format!(
                "is {}; results per item are an array of objects or an object from id to number",
                kind(other)
            );
            return Err(complain(what));
        }
    }
    Ok(Some(items))
}

/// Whether an object is the result of an item, and not of a model or a task: `id` alone
/// may be the id of anything.
pub(super) fn is_item(members: &Map<String, Value>) -> bool {
    let has = |key: &&str| members.contains_key(*key);
    IDS[1..].iter().any(has) || has(&IDS[0]) && RESULTS.iter().any(has)
}

/// The id and the result of one element; no result if it is null.
fn item(element: &Value) -> Result<(String, Option<f64>), String> {
    let Value::Object(members) = element else {
        return Err(format!("is {}, not an object", kind(element)));
    };
    let id = match first(members, IDS)? {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        other => return Err(format!("its id is {}", kind(other))),
    };
    Ok((id, number(first(members, RESULTS)?)?))
}

fn first<'a>(members: &'a Map<String, Value>, keys: [&str; 4]) -> Result<&'a Value, String> {
    keys.iter()
        .find_map(|key| members.get(*key))
        .ok_or_else(|| format!("has none of {}", keys.join(", ")))
}

/// A result as a number; null is no result.
fn number(value: &Value) -> Result<Option<f64>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(right) => Ok(Some(f64::from(u8::from(*right)))),
        Value::Number(number) => Ok(number.as_f64().filter(|number| number.is_finite())),
        other => Err(format!(
            "its result is {}, not a number or boolean",
            kind(other)
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn items(value: Value) -> Result<Option<Items>, String> {
        let document = Document {
            name: "r.json".to_owned(),
            value: json!({ "items": value }),
            run: None,
        };
        read(&document, "/items").map_err(|(message, _)| message)
    }

    #[test]
    fn both_shapes_say_the_same() {
        let expected = Items::from([("1".into(), 1.0), ("b".into(), 0.25)]);
        let array = json!([{"qid": 1, "correct": true}, {"id": "b", "score": 0.25, "success": 1},
            {"sample_id": "c", "value": null}]);
        assert_eq!(items(array), Ok(Some(expected.clone())));
        assert_eq!(
            items(json!({"b": 0.25, "1": true, "c": null})),
            Ok(Some(expected))
        );
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (value, says) in [
            (json!("x"), "is a string"),
            (json!([3]), "element 0: is a number, not an object"),
            (json!([{"value": 1}]), "element 0: has none of id, qid"),
            (json!([{"id": "a"}]), "has none of value, score"),
            (
                json!([{"id": "a", "correct": "yes"}]),
                "its result is a string",
            ),
            (
                json!([{"id": "a", "value": 1}, {"qid": "a", "value": 0}]),
                "comes twice",
            ),
            (json!({"a": []}), "`a`: its result is an array"),
        ] {
            let message = items(value).unwrap_err();
            assert!(message.contains(says), "{message}");
        }
    }
}
