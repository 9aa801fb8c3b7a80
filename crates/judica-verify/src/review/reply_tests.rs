use proptest::prelude::*;

use super::*;

const REVIEW: &str = r#"{"checklist":[{"item":"i","evidence_ids":["EVID_001"]}],"attribution":[{"reason":"r","evidence_ids":"EVID_002"}],"narrative":"n {x}","adjudication":" Ineligible"}"#;

#[test]
fn a_review_is_found_wherever_it_stands() {
    let plain = read(REVIEW).expect("a review");
    assert_eq!(plain.adjudication.0, Adjudication::Ineligible);
    assert_eq!(plain.checklist[0].evidence_ids.as_slice(), ["EVID_001"]);
    assert_eq!(plain.attribution[0].evidence_ids.as_slice(), ["EVID_002"]);
    for text in [
        format!("Here it is:\n```json\n{REVIEW}\n```\nAnything else?"),
        format!("{{}} {{\"a\": {{}}}} {{ {REVIEW}"),
        format!("{{\"review\": {REVIEW}}}"),
        format!("{REVIEW}{REVIEW}"),
        format!("<think>{{\"narrative\": 3 {REVIEW}</THINK>\n{REVIEW}"),
        format!(" <Thinking></thinking>{REVIEW}"),
    ] {
        assert_eq!(read(&text).as_ref(), Ok(&plain), "{text}");
    }
}

#[test]
fn what_is_no_review_says_why() {
    for (text, words) in [
        ("", "no JSON object"),
        ("I refuse.", "no JSON object"),
        ("{}", "missing field"),
        (
            r#"{"narrative":"n","adjudication":"eligible"}"#,
            "missing field `attribution`",
        ),
        (
            r#"{"attribution":[],"narrative":"n"}"#,
            "missing field `adjudication`",
        ),
        (
            r#"{"attribution":[],"narrative":3,"adjudication":"eligible"}"#,
            "expected a string",
        ),
        (
            r#"{"attribution":[],"narrative":"n","adjudication":"maybe"}"#,
            "`maybe` is no adjudication",
        ),
        (
            r#"{"attribution":[],"narrative":"n","narrative":"m","adjudication":"eligible"}"#,
            "duplicate field",
        ),
        ("<think>half a thou", "before the thinking does"),
        (&REVIEW[..REVIEW.len() - 4], "no review"),
    ] {
        let problem = read(text).expect_err(text);
        assert!(problem.contains(words), "{text}: {problem}");
    }
}

#[test]
fn two_reviews_that_differ_are_none() {
    let other = REVIEW.replace("Ineligible", "eligible");
    let problem = read(&format!("{REVIEW}\n{other}")).expect_err("two");
    assert!(problem.contains("two reviews"), "{problem}");
}

#[test]
fn ids_may_be_left_out_here_and_are_missed_later() {
    let text = r#"{"checklist":[{"item":"i"}],"attribution":[{"reason":"r"}],"narrative":"n","adjudication":"eligible"}"#;
    let said = read(text).expect("a review");
    assert!(said.checklist[0].evidence_ids.as_slice().is_empty());
}

#[test]
fn depth_and_length_end_in_words() {
    let deep = r#"{"narrative":"#.repeat(50_000);
    assert!(read(&deep).is_err());
    assert!(read(&"{".repeat(1 << 20)).is_err());
    let wide = format!(r#"{{"a":[{}0]}}"#, "{},".repeat(1 << 16));
    assert!(read(&wide).is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in r#"([{}\[\]:,"]|narrative|adjudication|eligible|\PC){0,40}"#) {
        let _ = read(&text);
    }

    #[test]
    fn prose_around_it_changes_nothing(before in "[^{<]{0,20}", after in "[^{]{0,20}") {
        prop_assert_eq!(read(&format!("{before}{REVIEW}{after}")), read(REVIEW));
    }
}
