//! JSON pointers: Bryan, Zyp and Nottingham, "JavaScript Object Notation (JSON) Pointer",
//! RFC 6901, 2013.
//!
//! A pointer is empty (the whole document) or a `/` before each key; within a key, `~1`
//! stands for `/` and `~0` for `~`. The elements of an array are counted from 0.

use judica_data::json::{pointer_key, pointer_part};
use serde_json::Value;

use judica_model::nearest::nearest;

/// What keys that hold a name are called, or end in.
pub(super) const NAMES: [&str; 5] = ["name", "id", "label", "model", "task"];

/// Elements of an array that are looked into when something is suggested.
const ELEMENTS_LOOKED_AT: usize = 100;

/// What is wrong with a pointer's syntax, if anything.
pub(super) fn mistake(pointer: &str) -> Option<String> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Some(format!("did you mean `/{}`?", pointer.replace('.', "/")));
    }
    let mut rest = pointer;
    while let Some((_, after)) = rest.split_once('~') {
        if !after.starts_with(['0', '1']) {
            return Some("`~` is written `~0`, and `/` in a key is written `~1`".to_owned());
        }
        rest = after;
    }
    None
}

/// What a pointer leads to. Beyond the standard, a key may select an element of the array
/// it leads to by one of its members, so that nothing need be addressed by its rank:
/// `/leaderboard[model_name=medlm]/mean_total`.
pub(super) fn resolve<'d>(document: &'d Value, pointer: &str) -> Option<&'d Value> {
    find(document, pointer).ok()
}

/// The same, or how many elements a key selects where it is not one: what fits twice selects
/// nothing.
pub(super) fn find<'d>(document: &'d Value, pointer: &str) -> Result<&'d Value, usize> {
    if let Some(found) = document.pointer(pointer) {
        return Ok(found);
    }
    let mut here = document;
    for token in pointer.split('/').skip(1) {
        let selector = token
            .strip_suffix(']')
            .and_then(|rest| rest.split_once('['));
        let step = |value: &'d Value, key: &str| value.pointer(&format!("/{key}"));
        here = match selector.and_then(|(key, by)| Some((key, by.split_once('=')?))) {
            None => step(here, token).ok_or(0usize)?,
            Some((key, (member, wanted))) => {
                let (member, wanted) = (pointer_part(member), pointer_part(wanted));
                let is_wanted = |element: &&Value| match element.get(&member) {
                    Some(Value::String(text)) => *text == wanted,
                    // A number as it is written.
                    Some(other) => wanted == format!("{other}"),
                    None => false,
                };
                let elements = step(here, key).and_then(Value::as_array).ok_or(0usize)?;
                let fitting: Vec<&Value> = elements.iter().filter(is_wanted).collect();
                match fitting[..] {
                    [only] => only,
                    _ => return Err(fitting.len()),
                }
            }
        };
    }
    Ok(here)
}

/// The pointer to an element of the array at `here`: by what it is called, where nothing else
/// there is called so, and only else by its rank.
pub(super) fn to_element(document: &Value, here: &str, rank: usize, element: &Value) -> String {
    let called = NAMES.iter().find_map(|name| {
        let (member, value) = element
            .as_object()?
            .iter()
            .find(|(key, _)| is_name(key, name))?;
        let (member, value) = (pointer_key(member), pointer_key(value.as_str()?));
        let pointer = format!("{here}[{member}={value}]");
        let meant = find(document, &pointer).is_ok_and(|found| std::ptr::eq(found, element));
        (meant && mistake(&pointer).is_none()).then_some(pointer)
    });
    called.unwrap_or_else(|| format!("{here}/{rank}"))
}

/// Whether a key is that of a name, as `model_name` is.
pub(super) fn is_name(key: &str, name: &str) -> bool {
    let before = key.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
}

/// The pointer to a sibling: the same place, with `suffix` after the last key.
pub(super) fn sibling(pointer: &str, suffix: &str) -> Option<String> {
    (!pointer.is_empty()).then(|| format!("{pointer}{suffix}"))
}

/// Which pointer was probably meant, where nothing of the kind is found at `wanted`.
pub(super) fn suggestion(
    document: &Value,
    wanted: &str,
    fits: fn(&Value) -> bool,
) -> Option<String> {
    let mut fitting = Vec::new();
    collect(document, document, "", fits, &mut fitting);
    let below = || {
        let is_inside = |pointer: &&String| {
            let after = pointer.strip_prefix(wanted);
            after.is_some_and(|after| after.starts_with(['/', '[']))
        };
        fitting.iter().find(is_inside)
    };
    let close = || {
        let name = nearest(wanted, fitting.iter().map(String::as_str))?;
        fitting.iter().find(|pointer| *pointer == name)
    };
    // The right name in the wrong place; the least deep is the likeliest.
    let elsewhere = || {
        let (_, key) = wanted.rsplit_once('/')?;
        let ending = format!("/{key}");
        let found = fitting.iter().filter(|pointer| pointer.ends_with(&ending));
        found.min_by_key(|pointer| pointer.matches('/').count())
    };
    let found = below().or_else(close).or_else(elsewhere)?;
    Some(format!("did you mean `{found}`?"))
}

/// The pointers to everything that fits, in the order of the document.
fn collect(
    document: &Value,
    value: &Value,
    here: &str,
    fits: fn(&Value) -> bool,
    found: &mut Vec<String>,
) {
    if fits(value) {
        found.push(here.to_owned());
    }
    let mut visit = |there: String, child| collect(document, child, &there, fits, found);
    match value {
        Value::Object(members) => {
            for (key, child) in members {
                visit(format!("{here}/{}", pointer_key(key)), child);
            }
        }
        Value::Array(elements) => {
            for (i, child) in elements.iter().take(ELEMENTS_LOOKED_AT).enumerate() {
                visit(to_element(document, here, i, child), child);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The examples of RFC 6901, section 5.
    #[test]
    fn the_examples_of_the_standard() {
        let document = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4,
            "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
        });
        for (pointer, found) in [
            ("", document.clone()),
            ("/foo", json!(["bar", "baz"])),
            ("/foo/0", json!("bar")),
            ("/", json!(0)),
            ("/a~1b", json!(1)),
            ("/c%d", json!(2)),
            ("/e^f", json!(3)),
            ("/g|h", json!(4)),
            ("/i\\j", json!(5)),
            ("/k\"l", json!(6)),
            ("/ ", json!(7)),
            ("/m~0n", json!(8)),
        ] {
            assert_eq!(mistake(pointer), None);
            assert_eq!(document.pointer(pointer), Some(&found), "{pointer}");
        }
        for nothing in [
            "/foo/2", "/foo/-", "/foo/00", "/foo/+1", "/foo/bar", "/x", "/foo/0/x",
        ] {
            assert_eq!(mistake(nothing), None);
            assert_eq!(document.pointer(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn elements_are_selected_by_a_member() {
        let document = json!({"rows": [
            {"name": "a", "v": 1}, {"name": "b/c", "v": [2]}, {"name": "d", "k": 7, "v": 3},
            {"name": "twice", "v": 4}, {"name": "twice", "v": 5}
        ], "odd[x=1]": 9});
        for (pointer, found) in [
            ("/rows[name=a]/v", Some(json!(1))),
            ("/rows[name=b~1c]/v/0", Some(json!(2))),
            ("/rows[k=7]/v", Some(json!(3))),
            ("/odd[x=1]", Some(json!(9))),
            ("/rows[name=z]/v", None),
            ("/rows[name=twice]/v", None),
            ("/rows[name]/v", None),
        ] {
            assert_eq!(resolve(&document, pointer), found.as_ref(), "{pointer}");
        }
    }

    #[test]
    fn bad_syntax_is_named() {
        let dotted = mistake("metrics.kappa").unwrap_or_default();
        assert!(dotted.contains("`/metrics/kappa`"));
        assert!(mistake("/a~b").is_some() && mistake("/a~").is_some() && mistake("/~2").is_some());
        assert_eq!(mistake("/~01"), None);
    }

    #[test]
    fn suggestions_are_close_or_of_the_same_name() {
        let document = json!({"metrics": {"kappa": 0.5, "alpha": 0.4}, "n": 3});
        let suggest = |wanted| suggestion(&document, wanted, Value::is_number);
        let meant = |pointer: &str| Some(format!("did you mean `{pointer}`?"));
        assert_eq!(suggest("/metrics/kapa"), meant("/metrics/kappa"));
        assert_eq!(suggest("/kappa"), meant("/metrics/kappa"));
        assert_eq!(suggest("/metrics"), meant("/metrics/kappa"));
        assert_eq!(suggest("/something/else"), None);
        // What has a name is not addressed by its rank, which may be another's tomorrow.
        let ranked = json!({"rows": [{"model_name": "a/b", "v": 1}, {"model_name": "c", "v": 2},
            {"model_name": "twice", "w": 3}, {"model_name": "twice", "x": 4}]});
        let suggest = |wanted| suggestion(&ranked, wanted, Value::is_number);
        assert_eq!(
            suggest("/rows[model_name=a/b]/v"),
            meant("/rows[model_name=a~1b]/v")
        );
        assert_eq!(
            suggest("/rows[model_name=d]/v"),
            meant("/rows[model_name=c]/v")
        );
        assert_eq!(suggest("/w"), meant("/rows/2/w"));
    }

    proptest! {
        #[test]
        fn every_key_can_be_pointed_to(keys in prop::collection::vec("[a/~01\\PC]{0,4}", 1..4)) {
            let nested = keys.iter().rev().fold(json!(1), |inner, key| json!({ key: inner }));
            let pointer: String = keys.iter().map(|key| format!("/{}", pointer_key(key))).collect();
            prop_assert_eq!(mistake(&pointer), None);
            prop_assert_eq!(nested.pointer(&pointer), Some(&json!(1)));
        }
    }
}
