use proptest::prelude::*;
use serde_json::json;

use super::*;

fn reply(body: serde_json::Value) -> Reply {
    match read(body.to_string().as_bytes()) {
        Body::Reply(reply) => reply,
        other => panic!("{body} was read as {other:?}"),
    }
}

#[test]
fn an_ordinary_reply() {
    let read = reply(json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "m-2024",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "é \"yes\"\n", "refusal": null},
             "logprobs": null, "finish_reason": "stop"},
            {"message": {"content": "the second choice"}, "finish_reason": "length"},
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15,
                  "prompt_tokens_details": {"cached_tokens": 0}},
    }));
    assert_eq!(
        read,
        Reply {
            text: "é \"yes\"\n".into(),
            finish: Finish::Complete,
            usage: Usage {
                input_tokens: Some(12),
                output_tokens: Some(3)
            },
            served_by: Some("m-2024".into()),
        }
    );
}

#[test]
fn every_way_to_end() {
    for (reason, finish) in [
        (json!("stop"), Finish::Complete),
        (json!("length"), Finish::Length),
        (json!("content_filter"), Finish::Refused),
        (json!("tool_calls"), Finish::Other),
        (json!(null), Finish::Other),
        (json!(7), Finish::Other),
    ] {
        let body = json!({"choices": [{"message": {"content": "a"}, "finish_reason": reason}]});
        assert_eq!(reply(body).finish, finish, "{reason}");
    }
    let refused = reply(json!({"choices": [
        {"message": {"content": null, "refusal": "I cannot."}, "finish_reason": "stop"}]}));
    assert_eq!(
        (refused.text.as_str(), refused.finish),
        ("I cannot.", Finish::Refused)
    );
    let not_refused = reply(json!({"choices": [
        {"message": {"content": "a", "refusal": ""}, "finish_reason": "stop"}]}));
    assert_eq!(
        (not_refused.text.as_str(), not_refused.finish),
        ("a", Finish::Complete)
    );
}

#[test]
fn content_in_parts_or_absent() {
    let parts = json!([{"type": "text", "text": "a"}, {"type": "image"}, 7, {"text": "b"}]);
    let body = |content| json!({"choices": [{"message": {"content": content}}]});
    assert_eq!(reply(body(parts)).text, "ab");
    for content in [json!(null), json!(1), json!({"text": "a"})] {
        assert_eq!(reply(body(content)).text, "");
    }
}

#[test]
fn fields_of_unexpected_types_do_not_spoil_the_rest() {
    let read = reply(json!({
        "model": 7, "usage": [1], "error": null,
        "choices": [{"message": {"content": "a"}}],
    }));
    assert_eq!((read.text.as_str(), read.usage), ("a", Usage::default()));
    for tokens in [json!(-1), json!(1.5), json!("1"), json!(1e300), json!(null)] {
        let read = reply(json!({
            "usage": {"prompt_tokens": tokens, "completion_tokens": 2},
            "choices": [{"message": {}}],
        }));
        assert_eq!(read.usage.input_tokens, None, "{tokens}");
        assert_eq!(read.usage.output_tokens, Some(2));
    }
}

#[test]
fn what_is_no_reply() {
    for body in [
        "",
        " ",
        "null",
        "[]",
        "{}",
        "hello",
        "<html>",
        "\"a\"",
        "{\"choices\": []}",
        "{\"choices\": {}}",
        "{\"choices\": [{\"message\": null}]}",
        "{\"choices\": [{}]}",
        "{\"choices\": [{\"message\": {\"content\": \"cut sho",
        "{\"choices\": [{\"message\": {}}]} and more",
        "data: {\"choices\": [{\"delta\": {}}]}",
        "{\"error\": null}",
    ] {
        assert_eq!(read(body.as_bytes()), Body::Nonsense, "{body}");
    }
    for body in [
        "{\"error\": {\"message\": \"x\"}}",
        "{\"error\": \"x\", \"choices\": []}",
    ] {
        assert_eq!(read(body.as_bytes()), Body::Error, "{body}");
    }
}

#[test]
fn hostile_bodies_are_refused_without_recursion() {
    for open in [
        "[",
        "{\"a\":",
        "{\"choices\":[",
        "{\"choices\":[{\"message\":{\"content\":[",
    ] {
        assert_eq!(
            read(open.repeat(1_000_000).as_bytes()),
            Body::Nonsense,
            "{open}"
        );
    }
}

#[test]
fn a_byte_order_mark_and_bad_utf8_are_tolerated() {
    let body = b"\xef\xbb\xbf{\"choices\":[{\"message\":{\"content\":\"a\xff\"}}]}";
    match read(body) {
        Body::Reply(reply) => assert_eq!(reply.text, "a\u{fffd}"),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_comes_back_as_it_was(content in any::<String>(), ascii in any::<bool>()) {
        let mut body = json!({"choices": [{"message": {"content": content}}]}).to_string();
        if ascii {
            // As servers that escape everything write it.
            body = body.chars().flat_map(|c| {
                let mut units = [0; 2];
                let escaped: Vec<char> = if c.is_ascii() { vec![c] } else {
                    c.encode_utf16(&mut units).iter()
                        .flat_map(|unit| format!("\\u{unit:04x}").chars().collect::<Vec<_>>())
                        .collect()
                };
                escaped
            }).collect();
        }
        match read(body.as_bytes()) {
            Body::Reply(reply) => prop_assert_eq!(reply.text, content),
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn no_bytes_bring_it_down(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }
}
