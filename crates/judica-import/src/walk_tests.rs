use super::*;

type Found = (String, u64, Result<String, String>);

/// The parts of a document: where they stand and their JSON, or why there is none.
fn parts(text: &str, want: &dyn Fn(&str) -> Want) -> Vec<Found> {
    let (parts, broken) = walked(text, want);
    assert_eq!(broken, None, "{text}");
    parts
}

/// The same, and why the document is none.
fn walked(text: &str, want: &dyn Fn(&str) -> Want) -> (Vec<Found>, Option<String>) {
    let file = tempfile::NamedTempFile::new().expect("file");
    std::fs::write(file.path(), text).expect("written");
    let mut parts = Vec::new();
    let broken = perhaps_document(file.path(), want, &mut |part| {
        let value = part.value.map(|raw| raw.json().to_owned());
        if let Ok(json) = &value {
            assert!(text[part.offset as usize..].starts_with(json), "{json}");
        }
        parts.push((
            part.path.to_owned(),
            part.place,
            value.map_err(|bad| bad.detail),
        ));
        Ok(())
    })
    .expect("walked");
    (parts, broken)
}

fn want(keys: &str) -> Want {
    match keys {
        "" | "run" => Want::Into,
        "run.rows" => Want::Each,
        "run.name" => Want::Take,
        _ => Want::Skip,
    }
}

fn ok(path: &str, place: u64, json: &str) -> (String, u64, Result<String, String>) {
    (path.to_owned(), place, Ok(json.to_owned()))
}

#[test]
fn wanted_parts_come_in_order() {
    let text = r#"{"skipped": {"rows": [1, "]}\"", {}]}, "run": { "rows" : [ {"a": "[\\"}, {"b": NaN},{} , []], "name":"ü"}, "run.name": 1}"#;
    let expected = vec![
        ok("run.rows", 1, r#"{"a": "[\\"}"#),
        ok("run.rows", 2, r#"{"b": NaN}"#),
        ok("run.rows", 3, "{}"),
        (
            "run.rows".to_owned(),
            4,
            Err("a row is a JSON object".to_owned()),
        ),
        ok("run.name", 0, "\"ü\""),
        ok("run.name", 0, "1"),
    ];
    assert_eq!(parts(text, &want), expected);
    assert_eq!(parts(r#"{"run": {"rows": []}}"#, &want), []);
    assert_eq!(parts(r#"{"run": 7}"#, &want), [ok("run", 0, "7")]);
    assert_eq!(
        parts(r#"{"run": {"rows": {}}}"#, &want),
        [ok("run.rows", 0, "{}")]
    );
}

#[test]
fn parts_may_be_longer_than_what_is_read_at_once() {
    let long = "y".repeat(STEP - 7);
    let row = format!("{{\"a\": \"{long}\\\"\"}}");
    let text = format!("{{\"z\": [{row}], \"run\": {{\"rows\": [{row}, {row}, {{}}]}}}}");
    let found = parts(&text, &want);
    assert_eq!(found.len(), 3);
    assert_eq!(found[1], ok("run.rows", 2, &row));
}

#[test]
fn what_is_passed_over_may_go_on_in_what_is_read_next() {
    for value in ["12.5", "true", "null"] {
        for split in 0..=value.len() {
            // A source looks for a mark in four bytes, which it gives by themselves.
            let name = "x".repeat(STEP - split);
            let text = format!("{{\"{name}\":{value}, \"run\": {{\"rows\": [{{}}]}}}}");
            let whole = (vec![ok("run.rows", 1, "{}")], None);
            assert_eq!(walked(&text, &want), whole, "{value}, split at {split}");
        }
    }
}

#[test]
fn a_document_that_breaks_off_says_so_after_what_was_whole() {
    for (text, whole) in [
        (r#"{"run": {"rows": [{"a": 1}, {"a": "#, 1),
        (r#"{"run": {"rows": [{}, {}"#, 2),
        (r#"{"run": {"rows": [{}]} "x": 1}"#, 1),
        (r#"{"run": {"rows": [{},]}}"#, 1),
        (r#"{"run" 1}"#, 0),
        (r#"{run: 1}"#, 0),
        (r#"{"run": {"rows": [{}]}} {"#, 1),
        ("", 0),
    ] {
        let (found, broken) = walked(text, &want);
        assert_eq!(found.len(), whole, "{text}: {found:?}");
        assert!(found.iter().all(|(_, _, value)| value.is_ok()), "{text}");
        assert!(broken.is_some(), "{text}");
    }
    let (_, broken) = walked(r#"{"run": {"rows": [{}]} "x": 1}"#, &want);
    assert_eq!(broken.as_deref(), Some("not JSON from byte 23 on"));
    let (_, broken) = walked(r#"{"run": {"name": tru}}"#, &want);
    assert!(broken.is_some_and(|why| why.starts_with("`run.name`: ")));
    // What is wrong within an element spoils that one alone.
    let found = parts(r#"{"run": {"rows": [{"a" 1}, {}]}}"#, &want);
    assert!(found[0].2.is_err() && found[1].2.is_ok() && found.len() == 2);
}
