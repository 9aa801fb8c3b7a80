//! One row of a judged data set.

use judica_data::json::{Scanner, pointer_part};
use judica_data::row_keys::INPUT;
use judica_data::rows::{self, DEPTH, Spelt, spelt};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::names::{Kept, Members, kept_apart};
use crate::decide::Decision;
use crate::metrics::Judgement;
use crate::predictions::PredictionRow;
use crate::predictions::row::{GOLD_KEYS, PREDICTION_KEYS};
use crate::verdict::{Call, DecisionMethod, ParseStatus, RowVerdict, Vote};
use judica_text::normalize::{Matched, Normalizer};

/// What stands in every row, and in those that a model decided. Keys of the source with
/// these names are kept under others, and so are other names for input, gold and
/// prediction: every reader of the row must find the same that was judged.
const OURS: [&str; 13] = [
    "input",
    "gold",
    "prediction",
    "correct",
    "reasoning",
    "decision_method",
    "parse_status",
    "raw_reply",
    "judge_tokens_input",
    "judge_tokens_output",
    "judge_served_by",
    "votes",
    "call",
];

/// One row of a judged data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedRow {
    /// What was asked.
    pub input: Kept,
    /// What was expected, as it stood in the source.
    pub gold: Kept,
    /// What was answered, as it stood in the source.
    pub prediction: Kept,
    /// Everything else the source says of the row.
    #[serde(flatten)]
    pub others: Members,
    /// `yes` or `no`; null where no reply came.
    pub correct: Option<&'static str>,
    /// Why.
    pub reasoning: String,
    /// Who decided.
    pub decision_method: DecisionMethod,
    /// What became of the reply, if a model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_status: Option<ParseStatus>,
    /// The reply, or with several votes what they add up to.
    #[serde(flatten)]
    pub reply: Option<Reply>,
    /// The votes, if there were several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<JudgedVote>,
}

/// A judge's reply as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reply {
    /// As it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_reply: Option<String>,
    /// Tokens of the question; null where the server did not say.
    pub judge_tokens_input: Option<u64>,
    /// Tokens of the reply; null where the server did not say.
    pub judge_tokens_output: Option<u64>,
    /// The model that the server says it asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_served_by: Option<String>,
    /// How it came; the only part that differs from run to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
}

/// One of several votes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedVote {
    /// `yes` or `no`; null where no reply came.
    pub correct: Option<&'static str>,
    /// Why.
    pub reasoning: String,
    /// What became of the reply.
    pub parse_status: ParseStatus,
    /// The reply.
    #[serde(flatten)]
    pub reply: Reply,
}

impl JudgedRow {
    /// A row as it was decided; `verdict` counts only where the normaliser decided nothing,
    /// and without one the prediction counts as wrong.
    pub(super) fn new(
        row: PredictionRow,
        decision: Decision,
        verdict: Option<RowVerdict>,
        normalizer: &dyn Normalizer,
    ) -> JudgedRow {
        let (mut fields, mut spelt) = (row.fields, row.spelt);
        let mut take = |key: &String| taken(&mut fields, &mut spelt, key);
        let [input, gold, prediction] = row.keys.each_ref().map(&mut take);
        let ours = [&OURS[..], &INPUT, &GOLD_KEYS, &PREDICTION_KEYS].concat();
        let mut judged = JudgedRow {
            input,
            gold,
            prediction,
            others: kept_apart(fields, spelt, &ours),
            correct: Some("yes"),
            reasoning: String::new(),
            decision_method: DecisionMethod::Exact,
            parse_status: None,
            reply: None,
            votes: Vec::new(),
        };
        let reasoning = |matched| normalizer.reasoning(matched).unwrap_or_default().to_owned();
        match (decision, verdict) {
            (Decision::Exact, _) => judged.reasoning = reasoning(Matched::Exact),
            (Decision::Structural, _) => {
                judged.decision_method = DecisionMethod::Structural;
                judged.reasoning = reasoning(Matched::Structural);
            }
            (Decision::Undecided, Some(verdict)) => judged.judge(verdict),
            (Decision::Undecided, None) => {
                judged.correct = Some("no");
                judged.decision_method = DecisionMethod::NoLlm;
                "No match, and no model was to be asked.".clone_into(&mut judged.reasoning);
            }
        }
        judged
    }

    fn judge(&mut self, verdict: RowVerdict) {
        self.decision_method = DecisionMethod::Llm;
        self.correct = verdict.correct.map(yes_no);
        self.reasoning = verdict.reasoning;
        self.parse_status = Some(verdict.status);
        let mut votes = verdict.votes;
        if votes.len() <= 1 {
            self.reply = Some(votes.pop().map_or_else(Reply::default, Reply::of));
            return;
        }
        let sum = |tokens: fn(&Vote) -> Option<u64>| {
            votes
                .iter()
                .map(tokens)
                .try_fold(0_u64, |sum, tokens| Some(sum.saturating_add(tokens?)))
        };
        self.reply = Some(Reply {
            judge_tokens_input: sum(|vote| vote.tokens_input),
            judge_tokens_output: sum(|vote| vote.tokens_output),
            ..Reply::default()
        });
        self.votes = votes.into_iter().map(JudgedVote::of).collect();
    }

    /// What metrics need of it.
    pub fn judgement(&self) -> Judgement {
        Judgement {
            method: self.decision_method,
            correct: self.correct.map(|said| said == "yes"),
            status: self.parse_status,
        }
    }

    /// How each reply behind it came.
    pub fn calls(&self) -> impl Iterator<Item = Call> + '_ {
        let own = self.reply.as_ref().and_then(|reply| reply.call);
        own.into_iter()
            .chain(self.votes.iter().filter_map(|vote| vote.reply.call))
    }
}

impl Reply {
    fn of(vote: Vote) -> Reply {
        Reply {
            raw_reply: vote.raw_reply,
            judge_tokens_input: vote.tokens_input,
            judge_tokens_output: vote.tokens_output,
            judge_served_by: vote.served_by,
            call: vote.call,
        }
    }
}

impl JudgedVote {
    fn of(mut vote: Vote) -> JudgedVote {
        JudgedVote {
            correct: vote.correct.map(yes_no),
            reasoning: std::mem::take(&mut vote.reasoning),
            parse_status: vote.status,
            reply: Reply::of(vote),
        }
    }
}

/// What stands under a key, which goes, or at a pointer, of which the rest is kept.
fn taken(fields: &mut Map<String, Value>, spelt: &mut Spelt, key: &str) -> Kept {
    if let Some(value) = fields.shift_remove(key) {
        let spelt = spelt.remove(key);
        return Kept { value, spelt };
    }
    let found = key.strip_prefix('/').and_then(|pointer| {
        let (first, rest) = pointer.split_once('/').unwrap_or((pointer, ""));
        let rest = if rest.is_empty() {
            String::new()
        } else {
            format!("/{rest}")
        };
        let first = pointer_part(first);
        let value = fields.get(&first)?.pointer(&rest).cloned()?;
        let parts: Vec<String> = rest.split('/').skip(1).map(pointer_part).collect();
        let spelt = spelt.get(&first).and_then(|whole| inside(whole, &parts));
        Some(Kept { value, spelt })
    });
    found.unwrap_or(Kept {
        value: Value::Null,
        spelt: None,
    })
}

/// How a part of a value is written.
fn inside(whole: &RawValue, pointer: &[String]) -> Option<Box<RawValue>> {
    let mut scanner = Scanner::new(whole.get().as_bytes(), 0);
    match rows::Value::scan(&mut scanner, 0, DEPTH)
        .ok()??
        .at(pointer)?
    {
        rows::Value::Other(_, text) => spelt(text),
        rows::Value::Text(_) => None,
    }
}

fn yes_no(correct: bool) -> &'static str {
    if correct { "yes" } else { "no" }
}
