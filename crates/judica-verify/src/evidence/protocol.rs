//! `protocol`: a response was received, and it holds a JSON object.
//!
//! Why: without an object there is nothing to verify. Its atoms exist only where it fails, are
//! critical, and no other family runs then. Cites the beginning of the text.

use super::Atoms;
use super::family::{BuiltIn, BuiltInRule, Limits, Look, Per, Says, Spot, the_same};
use crate::response::ParseOutcome;

/// The family.
pub const FAMILY: BuiltIn = BuiltIn {
    name: "protocol",
    depends_on: &[],
    description: "A response was received and holds a JSON object.",
    rules: &[
        BuiltInRule {
            id: "parse_failure",
            per: Per::Response,
            says: Says::Nothing,
            checks: "The response holds a JSON object: alone, in a fenced code block, or inside other text.",
            why: "Without an object there is nothing to verify. The atom exists only when this fails, and no other verifier runs then.",
            fails_when: |_| {
                let when = "critical: no object is found, the text nests deeper than 128, or it is longer than 16 MiB";
                vec![when.to_owned()]
            },
            one_atom_per: "response, only on failure",
            of_field: the_same,
            example: "`I cannot help with that.` holds no object: critical.",
            limits: an_object,
            message: |_, _, text| match text {
                "" => "the response is empty".to_owned(),
                text => format!("the response holds no usable JSON object: {text}"),
            },
        },
        BuiltInRule {
            id: "api_error",
            per: Per::Response,
            says: Says::Nothing,
            checks: "The response is an answer, not a failure of the provider.",
            why: "A rate limit is not the model's opinion; it is counted apart from answers that cannot be parsed.",
            fails_when: |_| {
                let when = "critical: no object is found and the text contains one of the protocol's api_error_keywords";
                vec![when.to_owned()]
            },
            one_atom_per: "response, only on failure",
            of_field: the_same,
            example: "`Rate limit exceeded, please retry`: critical.",
            limits: an_object,
            message: |_, _, text| {
                format!("the response is a provider failure, not an answer: {text}")
            },
        },
    ],
    verify,
};

fn an_object(_: &Spot) -> Limits {
    Limits::Expected("a JSON object".to_owned())
}

fn verify(look: &Look, first: &[u16], atoms: &mut Atoms) {
    let &[parse_failure, api_error] = first else {
        return;
    };
    let check = match look.reading.outcome {
        ParseOutcome::ApiError => api_error,
        outcome if outcome.succeeded() => return,
        _ => parse_failure,
    };
    let text = look.reading.texts.first();
    atoms.fail_with_text(check, text.map(|(_, text)| &**text));
}
