//! What a judge said.

use judica_judge::chat::{ChatReply, Finish, Usage};
use judica_judge::prompt::Question;
use judica_judge::reply::{ParseStatus, ReadVerdict, read_verdict, read_verdict_on};
use serde_json::{Map, Value};

/// What cannot be read is `no` and says why; an object that says yes or no is read so, and not
/// where it is a quotation.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let reply = |text: &str, finish| ChatReply {
        text: text.to_owned(),
        finish,
        usage: Usage::default(),
        served_by: None,
        latency_ms: 0,
        attempts: 1,
        left_out: Vec::new(),
    };
    for finish in [
        Finish::Length,
        Finish::Refused,
        Finish::Unreadable,
        Finish::Other,
    ] {
        check(&read_verdict(&reply(&text, finish)));
    }
    let reply = reply(&text, Finish::Complete);
    let verdict = read_verdict(&reply);
    check(&verdict);
    let question = Question {
        input: "",
        gold: "",
        prediction: &text,
    };
    let on_itself = read_verdict_on(&reply, &question);
    check(&on_itself);

    let object: Option<Map<String, Value>> = serde_json::from_str(text.trim()).ok();
    let once = text.matches("correct").count() == 1 && !text.contains(['\\', '<']);
    if let Some(object) = object.filter(|_| once)
        && let Some(Value::Bool(correct)) = object.get("correct")
    {
        assert_eq!(
            (verdict.correct, verdict.status),
            (*correct, ParseStatus::Ok)
        );
        assert_eq!(on_itself, verdict, "all that was replied is no quotation");
    }
}

fn check(verdict: &ReadVerdict) {
    assert_eq!(verdict.problem.is_some(), !verdict.status.is_read());
    assert!(verdict.status.is_read() || !verdict.correct);
}
