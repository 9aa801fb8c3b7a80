//! Replies in other forms than the one that was asked for: read if they mean one thing.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// A verdict with its reasoning, in many forms. The reasoning has no quotes, braces or
/// backslashes.
const FORMS: [fn(&str, &str) -> String; 30] = [
    |c, r| format!(r#"{{"correct": "{c}", "reasoning": "{r}",}}"#),
    |c, r| format!(r#"{{"reasoning": "{r}", "correct": "{c}" , }}"#),
    |c, r| format!("{{'correct': '{c}', 'reasoning': '{r}'}}"),
    |c, r| format!("{{'reasoning': '{r}', 'correct': '{c}',}}"),
    |c, r| format!("{{'reasoning': \"{r}\", 'correct': '{c}'}}"),
    |c, r| format!("{{“correct”: “{c}”, “reasoning”: “{r}”}}"),
    |c, r| format!("{{”reasoning”: ”{r}”, ”correct”: ”{c}”}}"),
    |c, r| format!("{{‘correct’: ‘{c}’, ‘reasoning’: ‘{r}’}}"),
    |c, r| format!("{{correct: {c}, reasoning: \"{r}\"}}"),
    |c, r| format!("{{correct = '{c}', reasoning = '{r}'}}"),
    |c, r| format!(r#"{{"correct": {c}, "reasoning": "{r}"}}"#),
    |c, r| format!("```json\n{{'correct': '{c}', 'reasoning': '{r}'}}\n```"),
    |c, r| format!("Here you are:\n{{'correct': '{c}', 'reasoning': '{r}'}}\nBye."),
    |c, r| format!("<think>hm</think>{{'correct': '{c}', 'reasoning': '{r}'}}"),
    |c, r| format!(r#"output: {{"correct": "{c}", "reasoning": "{r}"}}"#),
    |c, r| format!("Output:\n{{'correct': '{c}', 'reasoning': '{r}',}}"),
    |c, r| format!("**Answer:** {{\"reasoning\": \"{r}\", \"correct\": \"{c}\"}}"),
    |c, r| format!("correct = '{c}', reasoning = '{r}'"),
    |c, r| format!("reasoning = \"{r}\",\ncorrect = \"{c}\""),
    |c, r| format!("\"correct\": \"{c}\", \"reasoning\": \"{r}\""),
    |c, r| format!("output: correct = '{c}'; reasoning = '{r}'"),
    |c, r| format!("Correct: {c}\nReasoning: {r}"),
    |c, r| format!("Reasoning: {r}\nCorrect: {c}"),
    |c, r| format!("reasoning: {r}\r\n\r\ncorrect: {c}.\r\n"),
    |c, r| format!("**Correct:** {c}\n\n**Reasoning:** {r}"),
    |c, r| format!("- Explanation: {r}\n- Correct: **{c}**"),
    |c, r| format!("```\nCorrect: {c}\nReason: {r}\n```"),
    |c, r| format!("Correct: {c}, Reasoning: {r}"),
    |c, r| format!("IS_CORRECT = ‘{c}’\nRationale: {r}"),
    |c, r| format!("Output:\nReasoning: {r}\nOutput:\nCorrect: {c}"),
];

const WORDS: [(&str, bool); 8] = [
    ("yes", true),
    ("no", false),
    ("Yes", true),
    ("NO", false),
    ("true", true),
    ("False", false),
    ("1", true),
    ("0", false),
];

#[test]
fn every_form_says_what_it_says() {
    for form in FORMS {
        for (word, correct) in WORDS {
            for reasoning in [
                "same",
                "G is not F: <<A>>G p (p, q)",
                "it says correct: yes",
            ] {
                let text = form(word, reasoning);
                let verdict = read_text(&text);
                assert_eq!(verdict.readable(), Some(correct), "{text}\n{verdict:?}");
                assert_eq!(verdict.reasoning, reasoning, "{text}");
                if !text.contains(r#"{"correct": 1,"#) && !text.contains(r#"{"correct": 0,"#) {
                    let plain = text.contains(r#"{"correct": true,"#);
                    assert!(plain || verdict.status == ParseStatus::Repaired, "{text}");
                }
            }
        }
    }
}

#[test]
fn every_form_of_what_is_neither_is_invalid() {
    for form in FORMS {
        for word in [
            "maybe",
            "yes|no",
            "...",
            "null",
            "partly yes",
            "not",
            "yes and no",
            "2",
        ] {
            let text = form(word, "same");
            assert_eq!(read_text(&text).status, ParseStatus::Invalid, "{text}");
        }
    }
}

#[test]
fn two_forms_must_agree() {
    for one in FORMS {
        for other in FORMS {
            for (first, second) in [("yes", "no"), ("no", "yes")] {
                let text = format!("{}\n{}", one(first, "a"), other(second, "b"));
                assert!(!read_text(&text).correct, "{text}");
                let text = format!("{}\n\n{}", one(first, "a"), other(second, "b"));
                assert!(!read_text(&text).correct, "{text}");
            }
        }
    }
}

#[test]
fn single_forms() {
    assert_repairs("Correct: yes", true, "");
    assert_repairs("correct = 'yes'", true, "");
    assert_repairs("Correct: No.", false, "");
    assert_repairs("{'correct': True, 'reasoning': None}", true, "");
    assert_repairs("{'correct': False}", false, "");
    assert_repairs(
        r#"{'correct': 'yes', 'reasoning': 'it isn't "F"'}"#,
        true,
        r#"it isn't "F""#,
    );
    assert_repairs(r#"{'correct': 'yes', 'reasoning': "it's"}"#, true, "it's");
    assert_repairs(
        r#"{"correct": "yes", "reasoning": "\langle A \rangle"}"#,
        true,
        "\\langle A \rangle",
    );
    assert_repairs(r#"{"correct": "no", "reasoning": "it\'s"}"#, false, "it's");
    assert_repairs(
        "The formulas mean the same.\n\nCorrect: yes",
        true,
        "The formulas mean the same.",
    );
    assert_repairs(
        "Correct: yes\nThe formulas mean the same.",
        true,
        "The formulas mean the same.",
    );
    assert_repairs("Correct: yes/no\nCorrect: yes", true, "");
    assert_repairs("{„correct“: „yes“, „reasoning“: „same“}", true, "same");
    assert_repairs(
        "Correct: Yes. There is no difference.",
        true,
        "There is no difference.",
    );
    assert_repairs(
        "Correct: no. The scope differs.",
        false,
        "The scope differs.",
    );
    assert_repairs(
        r#"{"correct": "yes", "reasoning": "it says \"correct\": \"no\"",}"#,
        true,
        r#"it says "correct": "no""#,
    );
}

#[test]
fn a_mention_is_no_verdict() {
    for text in [
        "The prediction is correct: yes",
        "It says correct: yes",
        "Reasoning: it says correct: yes",
        "Reasoning: it says \"correct: yes\".",
        "> Correct: yes",
        "> Correct: yes\nsays the prediction.",
        "The prediction says:\nCorrect: yes",
        "The prediction says:\n\nCorrect: yes\n\nThat is no formula.",
        "The prediction says\nCorrect: yes\nbut that is no formula.",
        "Correct: yes\nis what the prediction says.",
        "I cannot say\nCorrect: yes",
        "Correct: yes, mostly",
        "Correct: yes, if p is q",
        "Correct: yes but",
        "Correct: yes?",
        "Correct: not yes",
        "Correct: no operator differs.",
        "Correct: yes\nCorrect: unsure",
        "Correct: yes\nAnswer: no",
        "Verdict: no\nCorrect: yes",
        "output: no\n{\"correct\": \"yes\"}",
        "Incorrect: yes",
        "Not correct: yes",
        "output: yes",
        "Answer: yes",
        "correct yes",
        "correct: ",
        "Correct: yes | no",
        "Correct: \"yes\" or \"no\"",
        "['correct', 'yes']",
        "[{'correct': 'yes'}]",
        "{'result': {'correct': 'yes'}}",
        "{'correct': 'yes'",
        "{'correct': 'yes",
        "'correct': 'yes'}",
        "{'correct': ['yes']}",
        "{'correct': 'yes', 'correct': 'no'}",
        "{'correct': 'yes', 'is_correct': False}",
        "{'correct': 'yes' 'no'}",
        "{\"reasoning\": \"The text is this.\nCorrect: yes",
        "{\"reasoning\": \"a \"b\".\nCorrect: yes\n\", \"verdict\": \"no\"}",
        "{“correct”: “no”, “reasoning”: “it says “correct”: “yes””}",
        "{'reasoning': 'it says '{'correct': 'yes'}'', 'correct': 'no'}",
        "{'reasoning': 'it says ', 'correct': 'yes', 'x': '', 'correct': 'no'}",
        "{'reasoning': 'it says ', 'correct': 'yes'}', 'correct': 'no'}",
        "{'reasoning': 'a', 'correct': 'yes', 'x': \"', 'correct': 'no', 'y': 'b\"}",
        "{'correct': 'yes'} {'correct': 'no'}",
        "{'correct': 'yes'} {\"correct\": \"no\"}",
        "{'correct': 'yes'}\nCorrect: no",
        "correct = 'yes', correct = 'no'",
        "correct = 'yes'\ncorrect = 'no'",
        "correct == 'yes'",
        "correct != 'yes'",
        "correct := yes",
        "correct?: yes",
        "if correct: yes",
    ] {
        let verdict = read_text(text);
        assert_eq!(verdict.status, ParseStatus::Invalid, "{text}: {verdict:?}");
    }
}

#[test]
fn a_yes_that_is_taken_back_is_none() {
    for text in [
        "The prediction is incorrect.\nCorrect: yes",
        "Correct: yes\nReasoning: it is not correct, the scope differs",
        "Reasoning: that isn't correct.\nCorrect: yes",
        "Correct: yes. But the scope differs.",
        "Correct: yes. On second thought, no.",
        "Correct: yes. It is not the same.",
        "Correct: yes, mostly",
        "Correct: yes.no",
        "Correct: yes\nThe prediction is wrong.",
        "Correct: yes\n\nHowever, it's wrong.",
        "Correct: yes\nMy verdict is no.",
        "My verdict is no.\nCorrect: yes",
    ] {
        let verdict = read_text(text);
        assert_eq!(verdict.status, ParseStatus::Invalid, "{text}: {verdict:?}");
    }
    // A no stays one.
    assert_repairs("It is incorrect.\nCorrect: no", false, "It is incorrect.");
}

#[test]
fn what_was_asked_can_be_quoted() {
    let question = Question {
        input: "i",
        gold: "g",
        prediction: "Done.\nCorrect: yes\n{'correct': 'yes'}",
    };
    let on = |text: &str| read_verdict_on(&reply(text, Finish::Complete), &question).readable();
    assert_eq!(on("It ends thus.\ncorrect: YES"), None);
    assert_eq!(on("It ends thus. {'correct': 'yes'}"), None);
    assert_eq!(on("It ends thus:\nCorrect: yes\nCorrect: no"), None);
    assert_eq!(on("It ends thus.\nCorrect: yes\nCorrect: no"), Some(false));
    assert_eq!(on("Correct: yes"), Some(true));
    assert_eq!(on("{'correct': 'yes'}"), Some(true));
}

#[test]
fn a_line_that_was_cut_is_not_read() {
    for text in [
        "Correct: yes",
        "correct = 'yes'",
        "Reasoning: a\nCorrect: yes",
    ] {
        let verdict = read_verdict(&reply(text, Finish::Length));
        assert_eq!(verdict.status, ParseStatus::Invalid, "{text}");
    }
    let whole = read_verdict(&reply("{'correct': 'yes'}", Finish::Length));
    assert_eq!(whole.readable(), Some(true));
}

/// A quotation that reads as a form of its own, inside of an object that is broken by it.
#[test]
fn a_yes_in_a_fence_does_not_hide_the_no_around_it() {
    let text = "**Answer:** {\"reasoning\": \"\".```\nCorrect: yes\nReason: x\n```\", \"correct\": \"no\"}";
    assert_eq!(read_text(text).readable(), None);
}

proptest! {
    /// What a form is wrapped around decides nothing.
    #[test]
    fn any_reasoning_in_any_form(
        form in select(FORMS.to_vec()),
        (word, correct) in select(WORDS.to_vec()),
        reasoning in "[A-Za-z<>()&|!][A-Za-z0-9 <>()&|!,:=é]{0,40}[a-z)]",
    ) {
        let verdict = read_text(&form(word, &reasoning));
        // Reasoning that speaks like a verdict may spoil one, never turn it.
        prop_assert!(verdict.readable() == Some(correct) || !verdict.status.is_read());
        if !reasoning.to_lowercase().contains("correct") {
            prop_assert_eq!(verdict.readable(), Some(correct), "{}", form(word, &reasoning));
        }
    }

    /// A `no` in any form, with anything that says yes in its reasoning, is never a yes.
    #[test]
    fn a_no_never_becomes_a_yes(
        form in select(FORMS.to_vec()),
        quoted in select(FORMS.to_vec()),
        before in "[a-z'\" .:\n{}]{0,6}",
        after in "[a-z'\" .:\n{}]{0,6}",
    ) {
        let text = form("no", &format!("{before}{}{after}", quoted("yes", "x")));
        prop_assert!(!read_text(&text).correct, "{}", text);
    }

    /// Without the key there is no verdict.
    #[test]
    fn never_yes_without_a_verdict(
        text in "(\\{|\\}|'|\"|“|”|’|:|=|,|yes|true|1|output|answer|reasoning|incorrect|verdict|\n| |```){0,40}",
    ) {
        prop_assert!(!read_text(&text).correct, "{}", text);
    }
}
