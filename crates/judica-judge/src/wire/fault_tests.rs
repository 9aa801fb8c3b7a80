use proptest::prelude::*;
use serde_json::json;

use super::*;

fn fault(status: u16, body: serde_json::Value) -> Fault {
    Fault::read(status, body.to_string().as_bytes())
}

#[test]
fn the_words_are_found_in_every_common_shape() {
    for (body, words) in [
        (
            json!({"error": {"message": "a", "type": "t", "code": "c"}}),
            "a",
        ),
        (json!({"error": "a"}), "a"),
        (json!({"message": "a"}), "a"),
        (json!({"detail": "a"}), "a"),
        (json!({"error": null, "message": "a"}), "a"),
        (json!({"error": {"code": 500}}), r#"{"error":{"code":500}}"#),
        (json!(["a"]), r#"["a"]"#),
    ] {
        assert_eq!(fault(400, body).message, words);
    }
    assert_eq!(
        Fault::read(502, b" <html>Bad Gateway</html>\n").message,
        "<html>Bad Gateway</html>"
    );
    assert_eq!(Fault::read(500, b"").message, "");
    assert_eq!(Fault::read(500, b"\xff").message, "\u{fffd}");
}

#[test]
fn content_filters_are_known_in_every_form() {
    for body in [
        json!({"error": {"code": "content_filter", "message": "m", "status": 400}}),
        json!({"error": {"code": "other", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        json!({"error": {"code": 403, "message": "flagged", "metadata": {"flagged_input": "…"}}}),
    ] {
        assert!(fault(400, body.clone()).is_content_filter(), "{body}");
        assert!(!fault(500, body).is_content_filter());
    }
    assert!(!fault(400, json!({"error": {"message": "content_filter"}})).is_content_filter());
    assert!(Fault::read_in_success(br#"{"error":{"code":"content_filter"}}"#).is_content_filter());
}

#[test]
fn an_error_with_success_is_judged_by_its_code() {
    for (code, status) in [
        (json!(429), 429),
        (json!("502"), 502),
        (json!("rate_limit_exceeded"), 429),
        (json!("invalid_api_key"), 401),
        (json!("model_not_found"), 404),
        (json!(200), 500),
        (json!(null), 500),
        (json!({}), 500),
    ] {
        let body = json!({"error": {"code": code, "message": "m"}}).to_string();
        assert_eq!(
            Fault::read_in_success(body.as_bytes()).status,
            status,
            "{code}"
        );
    }
}

#[test]
fn what_waiting_does_not_mend_is_known() {
    let quota = json!({"error": {"message": "You exceeded your quota", "type": "insufficient_quota",
                                 "code": "insufficient_quota"}});
    assert!(fault(429, quota).is_out_of_credit());
    assert!(fault(402, json!({})).is_out_of_credit());
    assert!(!fault(429, json!({"error": {"code": "rate_limit_exceeded"}})).is_out_of_credit());
    assert!(fault(400, json!({"error": {"code": "context_length_exceeded"}})).is_too_long());
    let words = json!({"object": "error", "message": "This model's maximum context length is 8"});
    assert!(fault(400, words).is_too_long());
    assert!(fault(413, json!({})).is_too_long());
    assert!(!fault(400, json!({"error": "no"})).is_too_long());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_bring_it_down(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Fault::read(400, &bytes);
        let _ = Fault::read_in_success(&bytes);
    }
}
