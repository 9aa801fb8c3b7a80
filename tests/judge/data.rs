//! Predictions to be judged, servers that judge them, and what stands in the result.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::server::{Answer, Received, Server};
pub use crate::support::child::interrupt;
use crate::support::{Place, Ran, ran};

pub const YES: &str = r#"{"correct": "yes", "reasoning": "They mean the same."}"#;
pub const NO: &str = r#"{"correct": "no", "reasoning": "F is not G."}"#;

/// A row that no normaliser decides.
pub fn row(number: usize) -> Value {
    json!({
        "id": format!("r{number}"),
        "input": format!("question {number}"),
        "gold": format!("<<A>>F p{number}"),
        "prediction": format!("<<A>>G p{number}"),
    })
}

/// Writes rows that only a model can decide.
pub fn write_rows(place: &Place, name: &str, numbers: Range<usize>) {
    let lines: Vec<String> = numbers.map(|number| row(number).to_string()).collect();
    place.write_lines(name, &lines);
}

/// A place with so many undecided rows in `preds/set.jsonl`.
pub fn place_with(rows: usize) -> Place {
    let place = Place::new();
    write_rows(&place, "preds/set.jsonl", 0..rows);
    place
}

/// The usual command, with more arguments.
pub fn arguments(server: &Server, more: &str) -> String {
    let url = server.base_url();
    format!("judge --predictions preds --model m --base-url {url} --out judged {more}")
}

/// Judges `preds` by the model `m` into `judged`.
pub fn judge(place: &Place, server: &Server, more: &str) -> Ran {
    run(place, &arguments(server, more))
}

/// Runs the program without the caller's key.
pub fn run(place: &Place, arguments: &str) -> Ran {
    let mut command = place.command(arguments);
    command.env_remove("OPENAI_API_KEY");
    ran(command)
}

/// The `input` of the row that a request asks about.
pub fn asked(received: &Received) -> String {
    let body = received.json();
    let messages = body["messages"].as_array().expect("messages");
    let user = messages.last().expect("a message")["content"].as_str();
    let (_, after) = user
        .expect("text")
        .split_once("BEGIN INPUT ")
        .expect("data");
    let (_, data) = after.split_once('\n').expect("a line");
    data.split_once("\nEND INPUT ")
        .expect("an end")
        .0
        .to_owned()
}

/// What was asked about, in the order in which it came.
pub fn all_asked(server: &Server) -> Vec<String> {
    server.requests().iter().map(asked).collect()
}

/// A server that says yes.
pub fn yes() -> Server {
    Server::start(|_, _| Answer::says(YES))
}

/// A server that answers one question by `answer` until it is healed, and says yes to all
/// others.
pub fn faulty(question: &'static str, answer: Answer) -> (Server, Arc<AtomicBool>) {
    let healed = Arc::new(AtomicBool::new(false));
    let seen = healed.clone();
    let server = Server::start(move |received, _| {
        if !seen.load(Ordering::SeqCst) && asked(received) == question {
            answer.clone()
        } else {
            Answer::says(YES)
        }
    });
    (server, healed)
}

/// The judged data set of the usual command.
#[track_caller]
pub fn judged(place: &Place) -> Value {
    place.json("judged/m/set.json")
}

/// `correct` and `parse_status` of each row; nothing is written as `-`.
pub fn verdicts(document: &Value) -> Vec<String> {
    let rows = document["detailed_results"].as_array().expect("rows");
    let said = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    rows.iter()
        .map(|row| format!("{} {}", said(&row["correct"]), said(&row["parse_status"])))
        .collect()
}

/// The document without what may differ from run to run.
pub fn lasting(mut document: Value) -> Value {
    document["judge"]["n_from_cache"] = Value::Null;
    let rows = document["detailed_results"].as_array_mut().expect("rows");
    for row in rows {
        row.as_object_mut().expect("a row").remove("call");
        for vote in row["votes"].as_array_mut().into_iter().flatten() {
            vote.as_object_mut().expect("a vote").remove("call");
        }
    }
    document
}
