use super::*;

fn rows(text: &str) -> Vec<(&str, u64)> {
    let document = read(text.as_bytes(), false, JUDGED).unwrap();
    let rows = document.rows.iter();
    rows.map(|span| (&text[span.start..span.end], span.line))
        .collect()
}

fn refused(text: &str) -> NoDocument {
    read(text.as_bytes(), false, JUDGED).unwrap_err()
}

#[test]
fn objects_lists_and_lines() {
    let text = "{\"judge_model\": \" j \", \"x\": [1,\n2], \"detailed_results\": [\n {\"a\": 1},\n7 ], \"source_file\": \"s.json\"}";
    assert_eq!(rows(text), [("{\"a\": 1}", 3), ("7", 4)]);
    let document = read(text.as_bytes(), false, JUDGED).unwrap();
    assert_eq!(document.judge_model.as_deref(), Some("j"));
    assert_eq!(document.source_file.as_deref(), Some("s.json"));
    assert_eq!(rows("\n[{}, []]"), [("{}", 2), ("[]", 2)]);
    assert_eq!(
        rows("{\"correct\": 1}\r\n\n {\"b\"} \n"),
        [("{\"correct\": 1}", 1), ("{\"b\"}", 3)]
    );
    assert_eq!(rows("\n{\"correct\":\n1}\n"), [("{\"correct\":\n1}", 2)]);
    let lines = read(b"[1]\nx", true, JUDGED).unwrap();
    assert_eq!(lines.rows.len(), 2);
}

#[test]
fn the_preferred_key_counts() {
    let text = r#"{"predictions":[1],"annotations":[2],"detailed_results":[3],"run_name":"r"}"#;
    assert_eq!(rows(text), [("3", 1)]);
    let document = read(text.as_bytes(), false, ANNOTATED).unwrap();
    assert_eq!(&text[document.rows[0].start..document.rows[0].end], "2");
    assert_eq!(document.run_name.as_deref(), Some("r"));
    for key in ["items", "data"] {
        let text = format!(r#"{{"{key}":[{{"label":1}}],"reviewer":"ana","name":"set"}}"#);
        let document = read(text.as_bytes(), false, ANNOTATED).unwrap();
        assert_eq!(
            (document.rows.len(), document.rater.as_deref()),
            (1, Some("ana"))
        );
    }
}

#[test]
fn files_without_rows_say_why() {
    for (text, expected) in [
        ("", "empty_file"),
        (" \n ", "empty_file"),
        ("[]", "no_rows"),
        ("{}", "no_rows"),
        (r#"{"detailed_results":[]}"#, "no_rows"),
        (r#"{"detailed_results":{"a":1}}"#, "no_rows"),
        (r#"{"metrics":{"accuracy":1}}"#, "no_rows"),
    ] {
        let NoDocument::Other(reason, _) = refused(text) else {
            panic!("{text}");
        };
        assert_eq!(reason, expected, "{text}");
    }
    for (text, line) in [("x", 1), ("[1,\n2", 2), ("{\"a\":\n\n}", 3), ("[] x", 1)] {
        assert_eq!(refused(text), NoDocument::NotJson { line }, "{text}");
    }
    // Something behind the end, which is no line of its own.
    for (text, line) in [
        ("{\"correct\":1}}", 1),
        ("{\"correct\":1}\n}", 2),
        ("{\"correct\":1}\noops", 2),
        ("{\"correct\":1} {\"correct\":0}", 1),
        ("{\"correct\":\n1}\n{\"correct\":0}", 3),
        ("{\"predictions\":[7]}\n{\"predictions\":[7]}", 2),
    ] {
        assert_eq!(refused(text), NoDocument::NotJson { line }, "{text}");
    }
    let deep = format!("{{\"detailed_results\":[{}", "[".repeat(100_000));
    assert_eq!(refused(&deep), NoDocument::NotJson { line: 1 });
}
