use super::*;
use crate::protocol::load;
use proptest::prelude::*;

const PROTOCOL: &str = r#"
[protocol]
name = "tiny"
version = "1"
[parsing]
api_error_keywords = ["timeout"]
[[field]]
name = "a"
alias = "a"
[[field]]
name = "b"
alias = "b"
[[task]]
name = "one"
shape = "scalar"
[[task]]
name = "three"
shape = "array"
horizon = 3
[scores]
weights = { availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }
mae_weight = 0.6
rmse_weight = 0.4
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#;

struct Read {
    outcome: ParseOutcome,
    states: Vec<FieldState>,
    values: Vec<f64>,
    texts: Vec<(u32, Box<str>)>,
}

fn read(text: &str, task: usize) -> Read {
    let protocol = load::parse(PROTOCOL, "tiny").expect("the test protocol is valid");
    let task = &protocol.tasks[task];
    let mut states = vec![FieldState::Missing; 2];
    let mut values = vec![0.0; 2 * task.horizon];
    let mut texts = Vec::new();
    let mut sink = FieldSink {
        states: &mut states,
        values: &mut values,
        held: &mut [],
        texts: &mut texts,
        texts_before: 0,
    };
    let outcome = ResponseReader::new(&protocol).read(text, task, &mut sink);
    Read {
        outcome,
        states,
        values,
        texts,
    }
}

#[test]
fn objects_are_found_in_the_order_the_contract_names() {
    use ParseOutcome::*;
    for (text, outcome, a) in [
        (r#" {"a": 1} "#, Direct, 1.0),
        ("here:\n```json\n{\"a\": 2}\n```\nbye", Fenced, 2.0),
        ("{\"a\": 9} or\n```\n{\"a\": 3}\n```", Fenced, 3.0),
        ("```json {\"a\": 4}``` end", Fenced, 4.0),
        ("```\nnot it\n```\n```json\n{\"a\": 5}\n```", Fenced, 5.0),
        ("```json\n{\"a\": 6}", Fenced, 6.0),
        // Fences that others hide.
        ("{} ```b``` it\n```json\n{\"a\": 1}\n```", Fenced, 1.0),
        ("As ```json with {}:\n```json\n{\"a\": 2}\n```", Fenced, 2.0),
        ("{}\n```\n{\"b\": \"```\", \"a\": 3}\n```", Fenced, 3.0),
        ("{} ```{\"b\": \"```\", \"a\": 4}``` end", Fenced, 4.0),
        ("{}\n  ~~~json\r\n{\"a\": 5}\r\n~~~", Fenced, 5.0),
        ("{}\n````md\n```\n{\"a\": 6}\n```\n````", Fenced, 6.0),
        ("{}\n~~~\n{\"a\": 7}", Fenced, 7.0),
        ("{\"a\": 8}\n~~~~\n{}\n~~~", Embedded, 8.0),
        ("~~~\nx\n~~~\n{\"a\": 9}\n~~~\n{\"a\": 8}\n~~~", Fenced, 8.0),
        (r#"I say {"a": 7} and {"a": 8}"#, Embedded, 7.0),
        (r#"{oops {"a": 8}"#, Embedded, 8.0),
        (r#"{"a": 9"#, ParseFailure, f64::NAN),
        ("", ParseFailure, f64::NAN),
        ("[1, 2]", ParseFailure, f64::NAN),
        ("Request TIMEOUT", ApiError, f64::NAN),
        (r#"timeout {"a": 1}"#, Embedded, 1.0),
    ] {
        let read = read(text, 0);
        assert_eq!(read.outcome, outcome, "{text}");
        assert!(
            read.values[0] == a || (read.values[0].is_nan() && a.is_nan()),
            "{text}"
        );
    }
}

/// Each part is gone over a bounded number of times, whatever follows.
#[test]
fn many_fences_are_read_in_linear_time() {
    for part in [
        "```{",
        "```\n",
        "~~~{\"a\": \"",
        "```{\"a\": \"```",
        "`",
        "\n~",
    ] {
        let text = part.repeat((1 << 18) / part.len());
        assert_eq!(read(&text, 0).outcome, ParseOutcome::ParseFailure, "{part}");
    }
}

#[test]
fn scalars_say_what_is_wrong_with_them() {
    use FieldState::*;
    for (value, state) in [
        ("1", Valid),
        ("\" +1.5e0 \"", Valid),
        ("\"5.\"", Valid),
        ("null", Invalid),
        ("true", Invalid),
        ("\"\"", Invalid),
        ("\"abc\"", Invalid),
        ("NaN", Invalid),
        ("-Infinity", Invalid),
        ("1e400", Invalid),
        ("{\"x\": 1}", Invalid),
        ("[1]", WrongShape),
        ("[]", WrongShape),
    ] {
        let read = read(&format!("{{\"a\": {value}}}"), 0);
        assert_eq!(read.states[0], state, "{value}");
        assert_eq!(read.states[1], Missing);
        assert_eq!(read.texts.len(), usize::from(state != Valid), "{value}");
    }
}

#[test]
fn arrays_must_have_the_length_of_the_task() {
    use FieldState::*;
    for (value, state, usable) in [
        ("[1, \"2\", 3]", Valid, 3),
        ("[1, null, 3]", Invalid, 2),
        ("[1, [2], 3]", Invalid, 2),
        ("[1, 2]", WrongShape, 0),
        ("[1, 2, 3, 4]", WrongShape, 0),
        ("[]", WrongShape, 0),
        ("1", WrongShape, 0),
        ("null", WrongShape, 0),
    ] {
        let read = read(&format!("{{\"a\": {value}}}"), 1);
        assert_eq!(read.states[0], state, "{value}");
        assert_eq!(
            read.values[..3]
                .iter()
                .filter(|value| value.is_finite())
                .count(),
            usable,
            "{value}"
        );
    }
}

#[test]
fn the_last_of_duplicate_keys_wins_and_leaves_no_trace_of_the_first() {
    let last_valid = read(r#"{"a": null, "a": 2}"#, 0);
    assert_eq!(
        (last_valid.states[0], last_valid.values[0]),
        (FieldState::Valid, 2.0)
    );
    assert!(last_valid.texts.is_empty());
    let last_invalid = read(r#"{"a": 2, "a": "x"}"#, 0);
    assert_eq!(last_invalid.states[0], FieldState::Invalid);
    assert_eq!(&*last_invalid.texts[0].1, "\"x\"");
}

#[test]
fn depth_and_size_are_limited() {
    let nested = |n: usize| format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n));
    assert_eq!(read(&nested(128), 0).outcome, ParseOutcome::Direct);
    assert_eq!(read(&nested(129), 0).outcome, ParseOutcome::ParseFailure);
    assert_eq!(read(&nested(10_000), 0).outcome, ParseOutcome::ParseFailure);
    assert_eq!(
        read(&"[".repeat(10_000), 0).outcome,
        ParseOutcome::ParseFailure
    );
    assert_eq!(
        read(&"{".repeat(10_000), 0).outcome,
        ParseOutcome::ParseFailure
    );
    let large = format!("{}{{\"a\": 1}}", " ".repeat(MAX_BYTES));
    assert_eq!(read(&large, 0).outcome, ParseOutcome::ParseFailure);
}

#[test]
fn excerpts_end_at_characters() {
    assert_eq!(&*excerpt("é".repeat(80).as_bytes()), "é".repeat(80));
    assert_eq!(
        &*excerpt("é".repeat(81).as_bytes()),
        format!("{}…", "é".repeat(80))
    );
    assert_eq!(&*excerpt(b"\xff"), "\u{fffd}");
}

proptest! {
    #[test]
    fn any_text_ends_in_an_outcome(text in "\\PC*", task in 0usize..2) {
        let _ = read(&text, task);
    }

    #[test]
    fn any_brackets_end_in_an_outcome(text in r#"[\[\]{},:"`\\ab1NIy\- \n]{0,60}"#, task in 0usize..2) {
        let read = read(&text, task);
        if !read.outcome.succeeded() {
            prop_assert!(read.states.iter().all(|state| *state == FieldState::Missing));
            prop_assert!(read.texts.is_empty());
        }
    }

    /// A failed attempt in front of an object changes nothing about the object.
    #[test]
    fn what_an_abandoned_attempt_read_is_forgotten(value in -1e6f64..1e6) {
        let read = read(&format!("{{\"a\": null, \"b\": 3, oops {{\"b\": {value:?}}}"), 0);
        prop_assert_eq!(read.states[0], FieldState::Missing);
        prop_assert_eq!(read.values[1], value);
    }
}
