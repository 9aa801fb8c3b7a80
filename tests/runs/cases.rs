//! One case per command: how its run is made, and what can be asked of it.

use serde_json::{Value, json};

use crate::server::{Answer, Server};
use crate::support::{Place, Ran, flight, ran};

/// A command with its inputs.
pub struct Case {
    /// Its name in manifests.
    pub command: &'static str,
    /// Its arguments but for `--run`.
    pub arguments: &'static str,
    /// Writes its inputs, or those of a twin that does worse.
    pub inputs: fn(&Place, bool),
    /// An item of the run.
    pub item: &'static str,
    /// A metric of it, which is worse in the twin.
    pub metric: &'static str,
    /// Whose.
    pub subject: &'static str,
}

/// How many items there are: enough to tell the twin from the run.
const ITEMS: usize = 24;

/// All of them.
pub const CASES: [Case; 8] = [
    Case {
        command: "eval",
        arguments: "eval --protocol flight --samples s.jsonl --outputs o.jsonl",
        inputs: eval,
        item: "s03",
        metric: "total",
        subject: "m",
    },
    Case {
        command: "match",
        arguments: "match --predictions p.jsonl",
        inputs: answers,
        item: "q03",
        metric: "matched",
        subject: "m",
    },
    Case {
        command: "judge",
        arguments: "judge --predictions p.jsonl --model judge-1 --normalizer exact",
        inputs: answers,
        item: "q03",
        metric: "correct",
        subject: "m",
    },
    Case {
        command: "agree pairs",
        arguments: "agree pairs --pairs pairs.jsonl --tsv out/d.tsv",
        inputs: pairs,
        item: "q03",
        metric: "agree",
        subject: "answers",
    },
    Case {
        command: "agree judges",
        arguments: "agree judges --eval-dir judged",
        inputs: judged,
        item: "",
        metric: "agreement",
        subject: "",
    },
    Case {
        command: "agree ratings",
        arguments: "agree ratings --input r.csv --level nominal",
        inputs: ratings,
        item: "q03",
        metric: "agreement",
        subject: "answers",
    },
    Case {
        command: "episodes",
        arguments: "episodes --episodes e.jsonl --predictions p.jsonl --mode coord \
                    --config-path c.yaml --backend qwen3",
        inputs: episodes,
        item: "e03",
        metric: "action_type_accuracy",
        subject: "qwen3",
    },
    Case {
        command: "gate golden",
        arguments: "gate golden --golden golden.json --outputs runs",
        inputs: golden,
        item: "g03",
        metric: "golden_recall",
        subject: "agent",
    },
];

/// A server whose judge says yes to what is nearly right.
pub fn server() -> Server {
    Server::start(|received, _| {
        let asked = received.json().to_string();
        Answer::says(match asked.contains("nearly") {
            true => r#"{"correct": "yes", "reasoning": "Nearly is enough."}"#,
            false => r#"{"correct": "no", "reasoning": "It is another."}"#,
        })
    })
}

impl Case {
    /// Leaves a run in `folder`, with more arguments.
    pub fn run(&self, place: &Place, server: &Server, folder: &str, more: &str) -> Ran {
        let url = server.base_url();
        let server = match self.command {
            "judge" => format!("--base-url {url} --cache {folder}.sqlite"),
            _ => String::new(),
        };
        let arguments = format!("{} --run {folder} {server} {more}", self.arguments);
        let mut command = place.command(&arguments);
        command.env_remove("OPENAI_API_KEY");
        command.env("SOURCE_DATE_EPOCH", "1737282600");
        ran(command)
    }
}

fn lines(place: &Place, name: &str, row: impl Fn(usize) -> Value) {
    let lines: Vec<String> = (0..ITEMS).map(|at| row(at).to_string()).collect();
    place.write_lines(name, &lines);
}

/// Whether an item goes wrong: few do, in the twin most.
fn wrong(at: usize, twin: bool) -> bool {
    match twin {
        true => !at.is_multiple_of(4),
        false => at % 8 == 5,
    }
}

fn eval(place: &Place, twin: bool) {
    let samples: Vec<String> = (0..ITEMS)
        .map(|at| flight::sample(&format!("s{at:02}"), "S1"))
        .collect();
    place.write_lines("s.jsonl", &samples);
    let outputs: Vec<String> = (0..ITEMS)
        .map(|at| {
            let changes: &[(&str, Value)] = match wrong(at, twin) {
                true => &[("Roll (deg)", json!(500.0))],
                false => &[],
            };
            let text = flight::state(changes).to_string();
            flight::answer("m", &format!("s{at:02}"), &text)
        })
        .collect();
    place.write_lines("o.jsonl", &outputs);
}

fn answers(place: &Place, twin: bool) {
    lines(place, "p.jsonl", |at| {
        let prediction = match (wrong(at, twin), at % 3) {
            (true, _) => format!("not {at}"),
            (false, 1) => format!("{at}, nearly"),
            (false, _) => at.to_string(),
        };
        json!({
            "id": format!("q{at:02}"),
            "model": "m",
            "input": format!("count to {at}"),
            "gold": at.to_string(),
            "prediction": prediction,
        })
    });
}

fn pairs(place: &Place, twin: bool) {
    lines(place, "pairs.jsonl", |at| {
        let other = if wrong(at, twin) { "REJECT" } else { "VALID" };
        let label = |label: &str| json!({"label": label, "reason": "as the passage says"});
        json!({
            "qid": format!("q{at:02}"),
            "scholar": label(if at % 5 == 0 { "REJECT" } else { "VALID" }),
            "auditor": label(if at % 5 == 0 { "REJECT" } else { other }),
        })
    });
}

fn judged(place: &Place, twin: bool) {
    for (judge, turns) in [("one", false), ("two", true)] {
        let rows: Vec<Value> = (0..ITEMS)
            .map(|at| {
                let yes = at % 3 == 0;
                let yes = if turns && wrong(at, twin) { !yes } else { yes };
                json!({
                    "input": format!("question {at:02}"),
                    "gold": format!("g{at}"),
                    "prediction": format!("p{at}"),
                    "correct": if yes { "yes" } else { "no" },
                    "reasoning": "so it seems",
                    "decision_method": "llm",
                })
            })
            .collect();
        let document = json!({"judge": {"model": judge}, "detailed_results": rows});
        place.write(&format!("judged/{judge}/set.json"), document.to_string());
    }
}

fn ratings(place: &Place, twin: bool) {
    let mut text = String::from("item,rater,value\n");
    for at in 0..ITEMS {
        for rater in ["ann", "bob", "cy"] {
            let value = at % 3;
            let value = if rater == "cy" && wrong(at, twin) {
                3 - value
            } else {
                value
            };
            text.push_str(&format!("q{at:02},{rater},{value}\n"));
        }
    }
    place.write("r.csv", text);
}

fn episodes(place: &Place, twin: bool) {
    let row = |at: usize, kinds: [&str; 2]| {
        let steps = kinds.map(|kind| json!({"action": {"type": kind, "x": 0.5, "y": 0.5}}));
        json!({"episode_id": format!("e{at:02}"), "goal": "log in", "steps": steps})
    };
    lines(place, "e.jsonl", |at| row(at, ["click", "type"]));
    lines(place, "p.jsonl", |at| match wrong(at, twin) {
        true => row(at, ["click", "scroll"]),
        false => row(at, ["click", "type"]),
    });
}

fn golden(place: &Place, twin: bool) {
    let queries: Vec<Value> = (0..ITEMS)
        .map(|at| {
            json!({
                "id": format!("g{at:02}"),
                "objective": format!("g{at:02}"),
                "required_evidence_ids": ["e1"],
                "evidence_sufficient": true,
            })
        })
        .collect();
    place.write("golden.json", json!(queries).to_string());
    for at in 0..ITEMS {
        let id = if wrong(at, twin) { "e2" } else { "e1" };
        let output = json!({
            "run_id": format!("r{at:02}"),
            "agent": "agent",
            "objective": format!("g{at:02}"),
            "stop_reason": "DONE",
            "claims": [{"id": "c1", "status": "verified", "evidence_ids": [id]}],
            "evidence": [{"id": id, "quote": "as it says", "provenance": {"url": "file:doc"}}],
            "steps": [{"id": "s1", "manifest": {"sources": ["doc"]}}],
        });
        place.write(&format!("runs/r{at:02}/output.json"), output.to_string());
    }
}
