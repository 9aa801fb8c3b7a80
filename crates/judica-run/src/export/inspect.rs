//! Inspect's `.json` logs, version 2: what `inspect view` shows and `read_eval_log` reads.

use std::fmt::Write as _;
use std::path::PathBuf;

use judica_model::metric::MetricValue;
use judica_model::run::{MetricKind, MetricSpec, OwnValue};
use serde_json::{Map, Value, json};

use super::logs::{Log, Measured, Sample, Shape, ids, plain};
use crate::open::Run;
use crate::show::own_json;

/// How Inspect's logs are written.
pub static INSPECT: Shape = Shape {
    file,
    begin,
    sample,
    end: b"\n]}\n",
    beside: None,
};

/// What the import of logs puts before the keys of a sample's metadata.
const METADATA: &str = "metadata.";
/// And after the name of a scorer for what it wrote.
const LOGGED: &str = "_logged";

/// As Inspect names them: only such files are listed.
fn file(run: &Run, log: &Log) -> PathBuf {
    let at = run.manifest.created_at.replace([':', ' '], "-");
    let [id, _] = ids(run, log);
    let (task, model) = (plain(&log.dataset), plain(&log.subject));
    PathBuf::from(format!("{at}_{task}_{model}_{id:016x}.json"))
}

fn begin(run: &Run, log: &Log) -> Vec<u8> {
    let manifest = &run.manifest;
    let [id, other] = ids(run, log).map(|id| format!("{id:016x}"));
    let metrics = manifest.metrics.iter().zip(&log.metrics);
    let scores: Vec<Value> = metrics
        .clone()
        .filter(|(spec, measured)| spec.estimator.is_none() && measured.scored > 0)
        .map(|(spec, measured)| score(spec, measured, log))
        .collect();
    // What is no sum over samples has no scorer.
    let others: Map<String, Value> = metrics
        .filter(|(spec, _)| spec.estimator.is_some())
        .map(|(spec, measured)| (spec.name.clone(), json!(measured.value)))
        .collect();
    let inputs = manifest.inputs.iter();
    let inputs: Vec<Value> = inputs
        .map(|input| json!({"path": input.path, "sha256": input.sha256}))
        .collect();
    let head = json!({
        "version": 2,
        "status": status(run),
        "eval": {
            "eval_id": id,
            "run_id": other,
            "task_id": id,
            "created": manifest.created_at,
            "task": log.dataset,
            "task_version": 0,
            "dataset": {"name": log.dataset, "samples": log.records},
            "model": log.subject,
            // Repeats count as they are, and stand or fall together.
            "config": match log.epochs {
                1 => json!({"epochs": 1}),
                n => json!({"epochs": n, "epochs_reducer": []}),
            },
            "packages": {"judica": manifest.judica_version},
            "metadata": {"judica": {"command": manifest.command, "inputs": inputs}},
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": log.records,
            "completed_samples": log.records - log.errors,
            "scores": scores,
            "metadata": match others.is_empty() {
                true => Value::Null,
                false => json!({"judica": others}),
            },
        },
        "stats": {
            "started_at": manifest.created_at,
            "completed_at": manifest.created_at,
            "model_usage": match log.usage == [0.0; 3] {
                true => json!({}),
                false => json!({&log.subject: usage(log.usage.map(Some))}),
            },
        },
    });
    let mut text = head.to_string();
    text.pop();
    text.push_str(",\"samples\":[");
    text.into_bytes()
}

/// How the logs ended that the run was made of: not well, if one of them did not.
fn status(run: &Run) -> String {
    let report = run.report().unwrap_or_default();
    let logs = report["logs"].as_array().into_iter().flatten();
    let mut statuses = logs.filter_map(|log| log["status"].as_str());
    let ended = statuses.find(|status| ["started", "cancelled", "error"].contains(status));
    ended.unwrap_or("success").to_owned()
}

/// Whether samples stand or fall together, be it as repeats of one item.
fn is_clustered(log: &Log) -> bool {
    log.clustered || log.epochs > 1
}

/// What a metric comes to.
fn score(spec: &MetricSpec, measured: &Measured, log: &Log) -> Value {
    let mut metrics = Map::new();
    let mut put = |key: &str, value: f64, params: Value| {
        let metric = json!({"name": key, "value": value, "params": params});
        metrics.insert(key.to_owned(), metric);
    };
    if let MetricValue::Defined { value, se, .. } = &measured.value {
        match (measured.even, spec.kind) {
            (false, _) => put(
                "ratio",
                *value,
                json!({"above": spec.above, "below": spec.below}),
            ),
            (true, MetricKind::Rate) => put("accuracy", *value, json!({})),
            (true, _) => put("mean", *value, json!({})),
        }
        let params = match is_clustered(log) {
            true => json!({"cluster": "cluster"}),
            false => json!({}),
        };
        if let (Some(se), true) = (se, measured.even) {
            put("stderr", *se, params);
        }
    }
    json!({
        "name": spec.name,
        "scorer": spec.name,
        "scored_samples": measured.scored,
        "params": {},
        "metrics": metrics,
    })
}

/// Tokens and dollars, as far as they are known.
fn usage([tokens_in, tokens_out, usd]: [Option<f64>; 3]) -> Value {
    let [tokens_in, tokens_out] = [tokens_in, tokens_out].map(|n| n.unwrap_or(0.0) as u64);
    let mut usage = json!({
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    });
    if let Some(usd) = usd.filter(|usd| *usd > 0.0) {
        usage["total_cost"] = json!(usd);
    }
    usage
}

fn sample(sample: &Sample, out: &mut Vec<u8>) {
    out.extend_from_slice(if sample.first { b"\n" } else { b",\n" });
    // Texts and numbers always serialise.
    let _ = serde_json::to_writer(out, &written(sample));
}

fn written(sample: &Sample) -> Value {
    let record = sample.record;
    let input = record.texts.input.unwrap_or_default();
    let mut targets = sample.targets();
    let target = match targets.len() {
        0 | 1 => json!(targets.pop().unwrap_or_default()),
        _ => json!(targets),
    };
    let mut messages = vec![json!({"role": "user", "content": input})];
    let mut sample_of = Map::new();
    let mut put = |key: &str, value: Value| sample_of.insert(key.to_owned(), value);
    put("id", json!(record.item));
    put("epoch", json!(record.epoch));
    put("input", json!(input));
    put("target", target);
    if let Some(output) = record.texts.output {
        let message = json!({
            "role": "assistant",
            "content": output,
            "source": "generate",
            "model": record.subject,
        });
        messages.push(message.clone());
        put(
            "output",
            json!({
                "model": record.subject,
                "choices": [{"message": message, "stop_reason": "stop"}],
                "completion": output,
            }),
        );
    }
    put("messages", json!(messages));
    put("scores", scores(sample));
    put("metadata", metadata(sample));
    let used = [record.tokens_in, record.tokens_out, record.usd];
    if used.iter().any(Option::is_some) {
        put("model_usage", json!({record.subject: usage(used)}));
    }
    if let Some(latency) = record.latency_ms {
        put("total_time", json!(latency / 1000.0));
    }
    if let Some(error) = sample.error() {
        put(
            "error",
            json!({"message": error, "traceback": "", "traceback_ansi": ""}),
        );
    }
    Value::Object(sample_of)
}

/// A score for each metric, as the log had it that the run was made of.
fn scores(sample: &Sample) -> Value {
    let mut scores = Map::new();
    let metrics = &sample.run.manifest.metrics;
    let logged = |spec: &MetricSpec| match sample.own(&format!("{}{LOGGED}", spec.name)) {
        OwnValue::Text(text) => Some(json!(text)),
        _ => None,
    };
    for (_, spec, value) in sample.values() {
        let value = logged(spec).unwrap_or_else(|| json!(value));
        scores.insert(spec.name.clone(), json!({"value": value}));
    }
    for spec in metrics {
        if let (false, Some(value)) = (scores.contains_key(&spec.name), logged(spec)) {
            scores.insert(spec.name.clone(), json!({"value": value}));
        }
    }
    // What looked at the output itself explains the metric of its name, else the first.
    let mut explained: Map<String, Value> = Map::new();
    let first = sample.run.manifest.primary().map(|spec| &*spec.name);
    for atom in sample.record.evidence {
        let own = metrics.iter().any(|spec| spec.name == atom.rule);
        let of = match own {
            true => atom.rule,
            false => first.unwrap_or_default(),
        };
        if atom.rule == "error" || (atom.pass && atom.text.is_none()) {
            continue;
        }
        let mut line = String::new();
        if !own {
            line.push_str(atom.rule);
            let field = atom.field.map(|field| format!(" {field}"));
            let step = atom.step.map(|step| format!(" {step}"));
            line.extend([field, step].into_iter().flatten());
            line.push_str(if atom.pass { ": " } else { " failed: " });
        }
        line.push_str(atom.text.unwrap_or_default());
        for (what, number) in [("observed", atom.observed), ("limit", atom.limit)] {
            if let (Some(number), false) = (number, own) {
                let _ = write!(line, " ({what} {number})");
            }
        }
        match explained.get_mut(of) {
            Some(Value::String(lines)) => {
                lines.push('\n');
                lines.push_str(&line);
            }
            _ => drop(explained.insert(of.to_owned(), json!(line))),
        }
    }
    for (name, explanation) in explained {
        if let Some(score) = scores.get_mut(&name) {
            score["explanation"] = explanation;
        }
    }
    Value::Object(scores)
}

/// What else is known of a record.
fn metadata(sample: &Sample) -> Value {
    let record = sample.record;
    let metrics = &sample.run.manifest.metrics;
    let is_score = |name: &str| {
        metrics.iter().any(|spec| {
            [&spec.above, &spec.below]
                .into_iter()
                .flatten()
                .any(|column| column == name)
                || name.strip_suffix(LOGGED) == Some(&*spec.name)
        })
    };
    let mut known = Map::new();
    let own = sample.own.iter().zip(record.own);
    let mut own: Vec<_> = own.collect();
    // The sample's own metadata keep their names; what a command has beside goes by another.
    own.sort_by_key(|(name, _)| !name.starts_with(METADATA));
    for (name, value) in own {
        if *value != OwnValue::Null && !is_score(name) {
            let mut key = name.strip_prefix(METADATA).unwrap_or(name).to_owned();
            while known.contains_key(&key) {
                key.push_str("_column");
            }
            known.insert(key, own_json(value));
        }
    }
    let verdict = record.verdict.map(|verdict| verdict.name());
    let words = [
        (
            "cluster",
            record
                .cluster
                .or(is_clustered(sample.log).then_some(record.item)),
        ),
        ("verdict", verdict),
        ("decision", record.decision),
    ];
    for (name, word) in words {
        // What the run says of clusters is what its errors rest on.
        let free = name == "cluster" || !known.contains_key(name);
        if let (Some(word), true) = (word, free) {
            known.insert(name.to_owned(), json!(word));
        }
    }
    if !record.labels.is_empty() {
        let labels = record.labels.iter();
        let labels: Map<String, Value> = labels
            .map(|label| (label.rater.to_owned(), json!(label.value)))
            .collect();
        known.insert("labels".to_owned(), json!(labels));
    }
    Value::Object(known)
}
