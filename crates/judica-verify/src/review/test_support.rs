//! Records to review, and a reviewer that says what a test tells it to.

use std::sync::Mutex;

use judica_model::record::Record;
use serde_json::{Value, json};

use super::ask::{AskModel, Asked, Form, Halt, Question, Reply};
use crate::test_support::{Bench, output, sample, state};

/// The record of an answer to a sample of task S1.
pub fn record_of(answer: impl Into<Value>) -> Record {
    let bench = Bench::flight(&[sample("s", "S1")]);
    let run = bench.run(&[output("m", "s", answer)]);
    serde_json::from_str(&bench.render(&run)[0]).unwrap()
}

/// The record of the flawless answer with some values replaced.
pub fn record(edits: &[(&str, Value)]) -> Record {
    record_of(Value::Object(state("S1", edits)))
}

/// Ids of the record's failed atoms.
pub fn failed(record: &Record) -> Vec<&str> {
    let atoms = record.evidence_pack.atoms.iter();
    let failed = atoms.filter(|atom| !atom.pass);
    failed.map(|atom| atom.id.as_str()).collect()
}

/// A review that an honest reviewer of a record with failures would write.
pub fn honest(record: &Record) -> Value {
    let ids = failed(record);
    json!({
        "checklist": [{"item": "Are the values there?", "evidence_ids": ["EVID_001", "EVID_002"]}],
        "attribution": [{"reason": "Far outside.", "evidence_ids": ids}],
        "narrative": format!("It fails by {}.", ids[0]),
        "adjudication": record.agent_output.adjudication.name(),
    })
}

/// A reviewer that answers by a function and remembers what it was asked.
pub struct Script<F> {
    pub answer: F,
    pub asked: Mutex<Vec<Question>>,
    pub halt_after: usize,
}

impl<F: Fn(&Question) -> Reply + Sync> Script<F> {
    pub fn new(answer: F) -> Self {
        Script {
            answer,
            asked: Mutex::default(),
            halt_after: usize::MAX,
        }
    }
}

impl<F: Fn(&Question) -> Reply + Sync> AskModel for Script<F> {
    fn model(&self) -> &str {
        "reviewer-1"
    }

    fn identity(&self) -> &str {
        "script reviewer-1"
    }

    fn ask(&self, questions: &[Question], form: &Form) -> Asked {
        assert_eq!(form.schema_name, "review");
        let mut asked = self.asked.lock().unwrap();
        let mut replies = Vec::new();
        for question in questions {
            if asked.len() == self.halt_after {
                replies.push(Reply::NotAsked);
            } else {
                replies.push((self.answer)(question));
                asked.push(question.clone());
            }
        }
        let halt = replies.contains(&Reply::NotAsked).then(|| Halt {
            message: "the money is gone".to_owned(),
            interrupted: false,
        });
        Asked { replies, halt }
    }
}
