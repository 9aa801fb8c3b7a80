use super::*;
use proptest::prelude::*;

/// The rules of each answer, `!` for one that cannot be trusted.
fn rules(printed: &str, asked: usize) -> Vec<String> {
    let Ok(answers) = answers(printed.as_bytes(), asked) else {
        return vec!["none".to_owned()];
    };
    let rules = answers.into_iter().map(|answer| match answer {
        Ok(atoms) => atoms.into_iter().map(|atom| atom.rule).collect(),
        Err(_) => "!".to_owned(),
    });
    rules.collect()
}

fn why(printed: &str, asked: usize) -> String {
    match answers(printed.as_bytes(), asked) {
        Err(why) => why,
        Ok(answers) => answers
            .into_iter()
            .find_map(Result::err)
            .unwrap_or_default(),
    }
}

const A: &str = r#"[{"rule":"a","pass":true}]"#;
const B: &str = r#"{"atoms":[{"rule":"b","pass":false,"severity":"warning","field":"f","message":"m","observed":1,"limit":2.5}]}"#;

#[test]
fn without_ids_lines_answer_in_order() {
    assert_eq!(rules(&format!("{A}\n{B}\n"), 2), ["a", "b"]);
    assert_eq!(rules(&format!("{A}\n{B}"), 2), ["a", "b"]);
    assert_eq!(rules("[]\n{\"atoms\":[]}", 2), ["", ""]);
    assert_eq!(rules(&format!("{A}\n"), 2), ["a", "!"]);
    assert_eq!(rules(&format!("{A}\n\n{B}\n"), 3), ["a", "!", "b"]);
    assert_eq!(rules(&format!("{A}\nhello\n{B}\n"), 3), ["a", "!", "b"]);
    assert_eq!(rules("", 2), ["!", "!"]);
    // Nobody knows which line is one too many.
    assert_eq!(rules(&format!("{A}\n{B}\n{A}\n"), 2), ["none"]);
    assert_eq!(rules(&format!("hello\n{A}\n{B}\n"), 2), ["none"]);
}

#[test]
fn with_ids_lines_come_in_any_order() {
    let id =
        |id: u64| format!("{{\"id\":{id},\"atoms\":[{{\"rule\":\"r{id}\",\"pass\":true}}]}}\n");
    let all = |ids: &[u64]| ids.iter().map(|n| id(*n)).collect::<String>();
    assert_eq!(rules(&all(&[2, 0, 1]), 3), ["r0", "r1", "r2"]);
    assert_eq!(rules(&all(&[2, 0]), 3), ["r0", "!", "r2"]);
    assert_eq!(rules(&all(&[2, 0, 0, 1]), 3), ["!", "r1", "r2"]);
    assert_eq!(rules(&all(&[0, 1, 9]), 3), ["r0", "r1", "!"]);
    assert!(why(&all(&[0, 1, 9]), 3).contains("id 9, which nobody asked"));
    assert_eq!(rules(&all(&[0, 1, 2, 9]), 3), ["none"]);
    assert_eq!(rules(&all(&[0, 1, 2, u64::MAX]), 3), ["none"]);
    assert_eq!(
        rules(&format!("{}oops\n{}", id(1), id(0)), 3),
        ["r0", "r1", "!"]
    );
    assert!(why(&format!("{}oops\n{}", id(1), id(0)), 3).contains("line 2 of its answers"));
    assert_eq!(rules(&format!("{}{A}\n", id(0)), 2), ["none"]);
}

#[test]
fn an_atom_has_its_types_and_nothing_else() {
    for wrong in [
        r#"[{"rule":"a"}]"#,
        r#"[{"pass":true}]"#,
        r#"[{"rule":1,"pass":true}]"#,
        r#"[{"rule":"a","pass":1}]"#,
        r#"[{"rule":"a","pass":false,"severity":"bad"}]"#,
        r#"[{"rule":"a","pass":false,"severity":"info"}]"#,
        r#"[{"rule":"a","pass":true,"severty":"info"}]"#,
        r#"[{"rule":"a","pass":true,"observed":"1"}]"#,
        r#"[{"rule":"a","pass":true,"observed":NaN}]"#,
        r#"[{"rule":"","pass":true}]"#,
        r#"[{"rule":"a\n","pass":true}]"#,
        r#"[{"rule":"a","pass":true,"field":""}]"#,
        r#"[{"rule":"a","pass":true}"#,
        r#"[["a",null,true,null,null,null,null]]"#,
        r#"{"atoms":[["a",null,true,null,null,null,null]]}"#,
        r#"{"atoms":[],"more":1}"#,
        r#"{"id":-1,"atoms":[]}"#,
        r#"{"id":0}"#,
        "null",
        "3",
        "\"a\"",
        "",
        "\u{feff}[]",
    ] {
        assert_eq!(rules(&format!("[]\n{wrong}\n"), 2), ["", "!"], "{wrong}");
    }
    let long = format!("[{{\"rule\":\"{}\",\"pass\":true}}]", "x".repeat(201));
    assert_eq!(rules(&long, 1), ["!"]);
    assert!(answers(b"[{\"rule\":\"\xff\",\"pass\":true}]", 1).unwrap()[0].is_err());
    assert_eq!(
        rules(
            r#"[{"rule":"a","pass":true,"severity":"critical","field":null,"observed":1e300}]"#,
            1
        ),
        ["a"]
    );
}

proptest! {
    #[test]
    fn nothing_is_lost_whatever_is_printed(
        printed in prop::collection::vec(
            prop::sample::select(vec![A, B, "[]", "", "x", "{\"id\":0,\"atoms\":[]}", "{\"id\":1,\"atoms\":[]}", "{\"id\":7,\"atoms\":[]}"]),
            0..6,
        ),
        asked in 1..5_usize,
    ) {
        let printed = printed.join("\n");
        if let Ok(answers) = answers(printed.as_bytes(), asked) {
            prop_assert_eq!(answers.len(), asked);
        }
    }
}
