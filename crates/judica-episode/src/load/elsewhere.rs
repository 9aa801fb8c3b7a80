//! What looks like a target, where nothing looks for one.
//!
//! A file of another program may say what was clicked under a key of its own. Its steps
//! have no target then, and every click of the right type passes for right: somebody should
//! be told.

use judica_data::json::{Scanner, ValueKind, pointer_key};

use super::walk::{DEPTH, members, skip};
use crate::action::Mode;

/// How deep in a step is looked.
const LEVELS: usize = 4;

/// Where an element index is looked for, and a point or an area.
pub const PLACES: [&str; 2] = [
    "/action/element_index, /action/element/element_id and /action/raw/element_index",
    "/action/x and y, /action/normalized_coordinates, /action/coordinates, /action/bbox, \
     /action/raw/bbox and /action/element/bounds",
];

/// Parts of names that targets have.
const MARKS: [&str; 6] = ["element", "mark", "target", "node", "index", "som"];
const SPOTS: [&str; 8] = [
    "box", "bound", "rect", "coord", "point", "pos", "target", "center",
];

/// Keys of a step that have such a name, and are something else.
const OTHERS: [&[u8]; 4] = [b"step_index", b"type", b"text", b"observation"];
/// Keys whose objects are looked into; they are no target themselves.
const AROUND: [&[u8]; 3] = [b"action", b"element", b"raw"];

/// The JSON pointer of the first thing in a step that has the name of a target.
pub fn lookalike(step: &[u8], mode: Mode) -> Option<Box<str>> {
    let mut found = None;
    // What cannot be walked over was refused before.
    let _ = look(&mut Scanner::new(step, 0), mode, "", 0, &mut found);
    found.map(String::into_boxed_str)
}

fn look(
    scanner: &mut Scanner,
    mode: Mode,
    here: &str,
    level: usize,
    found: &mut Option<String>,
) -> Result<(), super::fault::Fault> {
    members(scanner, |key, scanner| {
        let kind = scanner.kind()?;
        let name = pointer_key(&String::from_utf8_lossy(key));
        let pointer = format!("{here}/{name}");
        if found.is_some() || OTHERS.contains(&key) || kind == ValueKind::Null {
            return skip(scanner);
        }
        let words: &[&str] = match mode {
            Mode::Som => &MARKS,
            Mode::Coord => &SPOTS,
        };
        let lower = name.to_ascii_lowercase();
        let object = kind == ValueKind::Object;
        let around = object && AROUND.contains(&key);
        if !around && words.iter().any(|word| lower.contains(word)) {
            *found = Some(pointer);
            return skip(scanner);
        }
        if object && level < LEVELS {
            return look(scanner, mode, &pointer, level + 1, found);
        }
        Ok(scanner.skip_value(0, DEPTH)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_targets_are_found_where_nothing_looks() {
        let at = |step: &str, mode| lookalike(step.as_bytes(), mode).map(String::from);
        for (step, mode, pointer) in [
            (
                r#"{"action":{"type":"click"},"target":7}"#,
                Mode::Som,
                Some("/target"),
            ),
            (
                r#"{"action":{"type":"click","mark_id":"3"}}"#,
                Mode::Som,
                Some("/action/mark_id"),
            ),
            (
                r#"{"action":{"type":"click","element":{"node_id":3}}}"#,
                Mode::Som,
                Some("/action/element/node_id"),
            ),
            (
                r#"{"step_index":1,"action":{"type":"click","text":"index"},"observation":{"elements":[]}}"#,
                Mode::Som,
                None,
            ),
            (
                r#"{"action":{"type":"click","args":{"bounding_box":{"x":1}}}}"#,
                Mode::Coord,
                Some("/action/args/bounding_box"),
            ),
            (
                r#"{"action":{"type":"click","bbox_norm":[0,0,1,1]}}"#,
                Mode::Coord,
                Some("/action/bbox_norm"),
            ),
            (
                r#"{"action":{"type":"click","bbox":null}}"#,
                Mode::Coord,
                None,
            ),
            (
                r#"{"action":{"type":"click","BBoxPx":[1]}}"#,
                Mode::Coord,
                Some("/action/BBoxPx"),
            ),
        ] {
            assert_eq!(at(step, mode).as_deref(), pointer, "{step}");
        }
    }
}
