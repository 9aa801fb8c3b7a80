//! Under which names a row of predictions, of a judged document or of people's verdicts
//! holds what: one precedence for every reader.
//!
//! Of several names the first counts whose value is not null; of equal keys the last. For
//! the gold the order is [`GOLD_LISTS`], [`GOLD`], [`OUTPUT`]: a row's list and its joined
//! text say the same, and of the list the order does not matter. For the prediction it is
//! [`PREDICTION`], then [`OUTPUT`] where the gold stands elsewhere.

/// Under which key of a document its rows stand, the preferred one first.
pub const ROWS: [&str; 10] = [
    "predictions",
    "detailed_results",
    "ratings",
    "annotations",
    "results",
    "items",
    "data",
    "rows",
    "examples",
    "samples",
];
/// Several golds, all of them required. An empty list says nothing. `outputs` is a list of
/// objects, each with its gold under [`FORMULA`]; any other `outputs` is not gold.
pub const GOLD_LISTS: [&str; 3] = ["expected_options", "gold_options", OUTPUTS];
/// The one name in [`GOLD_LISTS`] whose elements are objects.
pub const OUTPUTS: &str = "outputs";
/// Where an element of [`OUTPUTS`] holds its gold.
pub const FORMULA: &str = "formula";
/// One gold.
pub const GOLD: [&str; 3] = ["expected", "gold", "reference"];
/// The prediction.
pub const PREDICTION: [&str; 4] = ["generated", "prediction", "model_output", "output_pred"];
/// The gold if no other name holds it, else the prediction if no other name holds that.
pub const OUTPUT: &str = "output";
/// What was asked.
pub const INPUT: [&str; 2] = ["input", "nl"];
/// What the row is called.
pub const ID: &str = "id";
/// Whose answer it is: of a row, or of all rows of a file.
pub const SUBJECT: [&str; 6] = [
    "model",
    "model_name",
    "model_short",
    "run_name",
    "author",
    "backend",
];
/// The data set: of a row, or of all rows of a file.
pub const DATASET: &str = "dataset";
/// Which repeat of the question it is.
pub const EPOCH: &str = "epoch";
/// What the question stands or falls with.
pub const CLUSTER: &str = "cluster";
/// Milliseconds that the answer took.
pub const LATENCY: &str = "latency_ms";
/// Tokens of the question.
pub const TOKENS_IN: [&str; 2] = ["tokens_input", "tokens_in"];
/// Tokens of the answer.
pub const TOKENS_OUT: [&str; 2] = ["tokens_output", "tokens_out"];
/// What the answer cost.
pub const USD: &str = "usd";
/// Who says so, where people do.
pub const RATER: [&str; 11] = [
    "annotator",
    "annotator_id",
    "rater",
    "rater_id",
    "worker",
    "worker_id",
    "reviewer",
    "reviewer_id",
    "user",
    "user_id",
    "name",
];
/// What was rated, of ratings in rows; its own name first.
pub const RATED: [&str; 5] = ["item", "item_id", "id", "unit", "subject"];
/// Who rated it.
pub const RATED_BY: [&str; 5] = ["rater", "rater_id", "coder", "judge", "annotator"];
/// The rating.
pub const RATING: [&str; 5] = ["value", "rating", "label", "score", "category"];
/// Whether the prediction was found correct: see [`verdict`].
pub const CORRECT: [&str; 2] = ["correct", "label"];
/// Who decided.
pub const METHOD: &str = "decision_method";
/// What became of the judge's reply.
pub const STATUS: [&str; 3] = ["parse_status", "judge_parse_status", "status"];

const YES: [&str; 12] = [
    "yes", "y", "true", "t", "1", "1.0", "correct", "right", "valid", "pass", "passed", "ok",
];
const NO: [&str; 12] = [
    "no",
    "n",
    "false",
    "f",
    "0",
    "0.0",
    "incorrect",
    "wrong",
    "invalid",
    "fail",
    "failed",
    "not ok",
];

/// What a word under [`CORRECT`] says, in any case and with blanks around it; `None` if it
/// is no verdict.
pub fn verdict(word: &str) -> Option<bool> {
    let word = word.trim();
    let is = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is(&YES) {
        Some(true)
    } else {
        is(&NO).then_some(false)
    }
}

/// What tools write for a value that is not there.
const MISSING: [&[u8]; 6] = [b"na", b"n/a", b"#n/a", b"nan", b"null", b"none"];

/// Whether a cell says that there is no value: it is blank, or such a word in any case.
pub fn is_missing(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    cell.is_empty() || MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_two_things() {
        let mut names: Vec<&str> = [&GOLD_LISTS[..], &GOLD, &PREDICTION, &INPUT].concat();
        names.extend([&CORRECT[..], &STATUS, &RATER].concat());
        names.extend([OUTPUT, ID, METHOD]);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn verdicts_in_all_spellings() {
        for word in [
            "yes", " Y ", "TRUE", "1", "1.0", "Correct", "right", "pass", "VALID\n",
        ] {
            assert_eq!(verdict(word), Some(true), "{word}");
        }
        for word in [
            "no",
            "N",
            "false",
            "0",
            "0.0",
            "incorrect",
            "Wrong",
            "fail",
            "invalid",
        ] {
            assert_eq!(verdict(word), Some(false), "{word}");
        }
        for word in ["", "maybe", "null", "2", "not correct"] {
            assert_eq!(verdict(word), None, "{word}");
        }
    }
}
