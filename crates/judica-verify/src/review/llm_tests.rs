use serde_json::json;

use super::super::ask::Question;
use super::super::test_support::{Script, failed, honest, record};
use super::*;
use crate::test_support::FLIGHT;
use judica_model::record::Adjudication;

fn said(text: impl Into<String>) -> Reply {
    Reply::Said {
        text: text.into(),
        cut: false,
    }
}

/// What becomes of a reply to a record.
fn review(record: &Record, reply: Reply) -> Review {
    let script = Script::new(move |_: &Question| reply.clone());
    let agent = LlmAgent::new(&FLIGHT, &script);
    let mut reviewed = agent.review(std::slice::from_ref(record));
    assert!(reviewed.halt.is_none() && reviewed.not_asked == 0);
    reviewed.reviews.remove(0)
}

#[test]
fn an_honest_review_is_accepted() {
    let record = record(&[("baro_alt", json!(9000))]);
    let review = review(&record, said(honest(&record).to_string()));
    assert_eq!(review.status, ReviewStatus::Accepted);
    assert_eq!(review.problem, None);
    assert_eq!(review.adjudication, Adjudication::Ineligible);
    assert_eq!(review.agrees_with_rules, Some(true));
    assert_eq!(review.attribution[0].evidence_ids, failed(&record));
    assert!(review.narrative.unwrap().contains(failed(&record)[0]));
    // It stands in the file once, in parts.
    assert_eq!(review.raw_reply, None);
    assert_eq!(review.reviewer, "reviewer-1");
}

#[test]
fn a_refused_review_keeps_its_words_out_of_sight() {
    let record = record(&[("baro_alt", json!(9000))]);
    let mut words = honest(&record);
    words["narrative"] = json!("See EVID_999.");
    words["adjudication"] = json!("eligible");
    let review = review(&record, said(words.to_string()));
    assert_eq!(review.status, ReviewStatus::Refused);
    let problem = review.problem.unwrap();
    assert!(problem.contains("`EVID_999`") && problem.contains("says eligible"));
    assert_eq!(review.adjudication, Adjudication::Ineligible);
    assert_eq!(review.adjudication_stated, Some(Adjudication::Eligible));
    assert_eq!(review.agrees_with_rules, Some(false));
    assert_eq!((review.checklist.len(), review.attribution.len()), (0, 0));
    assert_eq!(review.narrative, None);
    assert_eq!(review.raw_reply, Some(words.to_string()));
}

#[test]
fn what_is_no_review_has_a_status_of_its_own() {
    let record = record(&[]);
    let cut = Reply::Said {
        text: "{\"narrative\": \"half".to_owned(),
        cut: true,
    };
    for (reply, status, words, raw) in [
        (
            said("no"),
            ReviewStatus::Unreadable,
            "no JSON object",
            Some("no"),
        ),
        (
            cut,
            ReviewStatus::Unreadable,
            "cut short",
            Some("{\"narrative\": \"half"),
        ),
        (
            Reply::Declined("filter".into()),
            ReviewStatus::Declined,
            "declined",
            Some("filter"),
        ),
        (
            Reply::Unreadable("<html>".into()),
            ReviewStatus::Unreadable,
            "no reply",
            Some("<html>"),
        ),
        (
            Reply::Failed("timeout".into()),
            ReviewStatus::Error,
            "timeout",
            None,
        ),
    ] {
        let review = review(&record, reply);
        assert_eq!(review.status, status);
        assert!(review.problem.unwrap().contains(words));
        assert_eq!(review.raw_reply.as_deref(), raw);
        assert_eq!(review.agrees_with_rules, None);
    }
}

#[test]
fn records_that_were_not_asked_about_have_no_review() {
    let records = [
        record(&[("ias", json!(null))]),
        record(&[("vs", json!(null))]),
    ];
    let mut script = Script::new(|_: &Question| said("no"));
    script.halt_after = 1;
    let reviewed = LlmAgent::new(&FLIGHT, &script).review(&records);
    assert_eq!((reviewed.reviews.len(), reviewed.not_asked), (1, 1));
    assert_eq!(reviewed.halt.unwrap().message, "the money is gone");
}
