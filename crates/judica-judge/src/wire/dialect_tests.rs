use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::chat::ReplySchema;

fn request() -> ChatRequest {
    ChatRequest {
        messages: Vec::new(),
        temperature: 0.0,
        max_output_tokens: Some(1),
        seed: Some(1),
        schema: Some(ReplySchema {
            name: "n".into(),
            schema: json!({}),
        }),
    }
}

fn named(body: serde_json::Value) -> Option<Part> {
    named_part(&Fault::read(400, body.to_string().as_bytes()))
}

#[test]
fn refusals_as_servers_word_them() {
    let error = |message: &str, param: Option<&str>| {
        named(
            json!({"error": {"message": message, "param": param, "type": "invalid_request_error"}}),
        )
    };
    let max_tokens = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                      Use 'max_completion_tokens' instead.";
    let temperature = "Unsupported value: 'temperature' does not support 0 with this model. \
                       Only the default (1) value is supported.";
    for (part, refusal) in [
        (Part::Limit, error(max_tokens, Some("max_tokens"))),
        (Part::Limit, error(max_tokens, None)),
        (Part::Temperature, error(temperature, Some("temperature"))),
        (Part::Temperature, error(temperature, None)),
        (Part::Seed, error("Unknown field", Some("seed"))),
        (
            Part::Seed,
            error("Unrecognized request argument supplied: 'seed'", None),
        ),
        (
            Part::Format,
            error("Invalid schema", Some("response_format.json_schema.strict")),
        ),
        (
            Part::Format,
            error(
                "Invalid parameter: 'response_format' of type 'json_schema'",
                None,
            ),
        ),
        (Part::Format, error("failed to parse grammar", None)),
        (
            Part::Format,
            error(
                "No endpoints found that can handle the requested parameters.",
                None,
            ),
        ),
        (
            Part::Seed,
            named(
                json!({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted",
                                     "input": "temperature"}]}),
            ),
        ),
    ] {
        assert_eq!(refusal, Some(part));
    }
}

#[test]
fn refusals_that_name_nothing() {
    for message in [
        "Bad request",
        "The model `m` does not exist",
        "the question speaks of a seed and of temperature",
        "Invalid: a seed grew here",
        "",
    ] {
        assert_eq!(
            named(json!({"error": {"message": message, "param": "messages"}})),
            None
        );
    }
    assert_eq!(
        named(json!({"error": {"message": "x", "param": "seedling"}})),
        None
    );
}

#[test]
fn each_ladder_ends() {
    let mut dialect = Dialect::default();
    let mut steps = 0;
    for part in [Part::Format, Part::Limit, Part::Seed, Part::Temperature] {
        while let Some(next) = dialect.step_down(part, &request()) {
            assert_ne!(next, dialect);
            assert_eq!(next.poorer_of(dialect), next);
            dialect = next;
            steps += 1;
        }
    }
    assert_eq!(steps, 5);
    assert_eq!(dialect.notes().len(), 4);
    assert!(Dialect::default().notes().is_empty());
}

#[test]
fn a_part_that_was_not_sent_is_not_to_blame() {
    let bare = ChatRequest {
        max_output_tokens: None,
        seed: None,
        schema: None,
        ..request()
    };
    for part in [Part::Format, Part::Limit, Part::Seed] {
        assert_eq!(Dialect::default().step_down(part, &bare), None);
    }
}

#[test]
fn news_is_told_once() {
    let learnt = Learnt::default();
    let poorer = Dialect::default()
        .step_down(Part::Format, &request())
        .unwrap();
    assert_eq!(learnt.adopt(poorer), Some([Dialect::default(), poorer]));
    assert_eq!(learnt.adopt(poorer), None);
    assert_eq!(learnt.adopt(Dialect::default()), None);
    let without_seed = Dialect::default()
        .step_down(Part::Seed, &request())
        .unwrap();
    let both = poorer.poorer_of(without_seed);
    assert_eq!(learnt.adopt(without_seed), Some([poorer, both]));
    // Only what is new is told.
    assert_eq!(both.notes_since(poorer), without_seed.notes());
    assert_eq!(learnt.now(), both);
}

proptest! {
    #[test]
    fn a_dialect_survives_being_packed(bits in 0u8..64) {
        let dialect = Dialect::from_bits(bits);
        prop_assert_eq!(Dialect::from_bits(dialect.to_bits()), dialect);
    }
}
