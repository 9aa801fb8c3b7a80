//! Any text at all, and too much of it.

use proptest::prelude::*;

use super::*;

#[test]
fn hostile_sizes() {
    let size = 256 << 10;
    for piece in [
        "{",
        "[",
        "{\"a\":",
        "{\"",
        "{}",
        "[{\"a\":[",
        "\"correct\":",
        "correct",
        "<think>",
        "</think>{",
        "{'a':",
        "{'a': '",
        "{“",
        "{a'a",
        "['a', {a:",
        "Correct: yes, no, ",
        "Correct: yes\nno\n",
        "output:",
        "output:\n",
        "correct='",
    ] {
        let text = piece.repeat(size / piece.len());
        assert_eq!(read_text(&text).status, ParseStatus::Invalid, "{piece}");
    }
    // After all of that, a verdict is still a verdict.
    for piece in ["{", "[", "{\"", "[{\"a\":[", "</think>{", "{}"] {
        let text = piece.repeat(size / piece.len());
        let text = format!("{text}, then {{\"correct\": \"yes\"}}");
        assert_eq!(read_text(&text).readable(), Some(true), "{piece}");
    }
    assert_invalid(&"{".repeat(4 << 20), "no JSON object");
    let prose = format!(
        "{}{{\"correct\": \"yes\"}}",
        "Let me see. ".repeat(size / 12)
    );
    assert_eq!(read_text(&prose).readable(), Some(true));
}

proptest! {
    #[test]
    fn any_text_has_a_verdict(text in ".*") {
        let verdict = read_text(&text);
        prop_assert!(!verdict.correct || verdict.status.is_read());
    }

    #[test]
    fn any_soup_has_a_verdict(
        text in "(\\{|\\}|\\[|\\]|\"|'|“|”|’|=|output|reasoning|correct|is_|:|,|yes|no|true|1|\\\\|<think>|</think>|\n|é| |```){0,40}",
    ) {
        let verdict = read_text(&text);
        prop_assert_eq!(verdict.problem.is_some(), !verdict.status.is_read());
        prop_assert!(!verdict.correct || verdict.status.is_read());
    }

    #[test]
    fn a_verdict_in_prose_is_found(
        correct: bool, reasoning in ".*", before in "[^{}\\[\\]<]*", after in "[^{}\\[\\]]*",
    ) {
        let word = if correct { "yes" } else { "no" };
        let object = serde_json::json!({"correct": word, "reasoning": reasoning});
        let verdict = read_text(&format!("{before}{object}{after}"));
        prop_assert_eq!(verdict.readable(), Some(correct));
        prop_assert_eq!(verdict.reasoning, reasoning);
    }
}
