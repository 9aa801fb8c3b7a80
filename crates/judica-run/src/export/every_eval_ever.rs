//! The schema of every_eval_ever, version 0.3.0: a document of what a model's metrics come to
//! on a data set, and beside it a line for each record and metric. Files stand where its data
//! store has them, `data/COLLECTION/DEVELOPER/MODEL/UUID.json`.

use std::path::PathBuf;

use chrono::DateTime;
use judica_model::metric::MetricValue;
use judica_model::run::{Direction, MetricKind, MetricSpec};
use serde_json::{Map, Value, json};

use super::logs::{Log, Measured, Sample, Shape, ids, plain};
use crate::open::Run;

/// How documents and lines are written.
pub static EVERY_EVAL_EVER: Shape = Shape {
    file: |run, log| PathBuf::from(path(run, log, "_samples.jsonl")),
    begin: |_, _| Vec::new(),
    sample,
    end: b"",
    beside: Some(|run, log| {
        let mut text = format!("{:#}", document(run, log)).into_bytes();
        text.push(b'\n');
        (PathBuf::from(path(run, log, ".json")), text)
    }),
};

const VERSION: &str = "0.3.0";

/// Where a file of a log stands, the same for the same run.
fn path(run: &Run, log: &Log, end: &str) -> String {
    let [high, low] = ids(run, log);
    // Two numbers in the form of a UUID of version 4.
    let uuid = format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    );
    let (developer, model) = model_id(log);
    let [collection, developer, model] =
        [&*log.dataset, &*developer, &*model].map(|name| match &*plain(&flat(name)) {
            // The one name that the store keeps for itself.
            "data" => "data_".to_owned(),
            name => name.to_owned(),
        });
    format!("data/{collection}/{developer}/{model}/{uuid}{end}")
}

/// A name as the store has it in paths, where it looks for a model by its id.
fn flat(name: &str) -> String {
    name.replace(['/', ':'], "_")
}

/// Who made the model, as far as its name says, and what it is called.
fn model_id(log: &Log) -> (String, String) {
    match log.subject.split_once('/') {
        Some((developer, model)) if !developer.is_empty() && !model.is_empty() => {
            (developer.to_owned(), model.to_owned())
        }
        _ => ("unknown".to_owned(), log.subject.clone()),
    }
}

fn id(log: &Log) -> String {
    let (developer, model) = model_id(log);
    format!("{developer}/{model}")
}

fn evaluation_id(run: &Run, log: &Log) -> String {
    format!("{}/{}/{}", log.dataset, id(log), made_at(run))
}

/// When the run was made, in seconds since 1970.
fn made_at(run: &Run) -> String {
    let at = &run.manifest.created_at;
    unix_seconds(at).map_or_else(|| at.clone(), |seconds| seconds.to_string())
}

fn document(run: &Run, log: &Log) -> Value {
    let manifest = &run.manifest;
    let results = manifest.metrics.iter().zip(&log.metrics);
    let results: Vec<Value> = results
        .filter_map(|(spec, measured)| result(log, spec, measured))
        .collect();
    let rows: u64 = log.metrics.iter().map(|measured| measured.scored).sum();
    let mut document = json!({
        "schema_version": VERSION,
        "evaluation_id": evaluation_id(run, log),
        "evaluation_timestamp": manifest.created_at,
        "retrieved_timestamp": made_at(run),
        "source_metadata": {
            "source_name": "judica",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "judica",
            "version": manifest.judica_version,
            "additional_details": {"command": manifest.command},
        },
        "model_info": {
            "name": log.subject,
            "id": id(log),
            "developer": model_id(log).0,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": results,
    });
    if rows > 0 {
        document["detailed_evaluation_results"] = json!({
            "format": "jsonl",
            "file_path": path(run, log, "_samples.jsonl"),
            "total_rows": rows,
            // Of a record without a value there is nothing that a line may say.
            "additional_details": {
                "records": log.records.to_string(),
                "records_in_error": log.errors.to_string(),
            },
        });
    }
    document
}

fn result(log: &Log, spec: &MetricSpec, measured: &Measured) -> Option<Value> {
    let MetricValue::Defined {
        value,
        n,
        clusters,
        se,
        ci,
        ..
    } = &measured.value
    else {
        return None;
    };
    let mut config = json!({
        "metric_id": spec.name,
        "metric_name": spec.name,
        "lower_is_better": spec.direction == Direction::Lower,
    });
    if spec.kind == MetricKind::Rate && (0.0..=1.0).contains(value) {
        config["score_type"] = json!("continuous");
        config["metric_unit"] = json!("proportion");
        config["min_score"] = json!(0.0);
        config["max_score"] = json!(1.0);
    } else if let Some(unit) = &spec.unit {
        config["metric_unit"] = json!(unit);
    }
    let mut uncertainty = Map::new();
    uncertainty.insert("num_samples".to_owned(), json!(n));
    if let Some(se) = se {
        uncertainty.insert("standard_error".to_owned(), json!({"value": se}));
    }
    if let Some([lower, upper]) = ci {
        let interval = json!({"lower": lower, "upper": upper, "confidence_level": 0.95});
        uncertainty.insert("confidence_interval".to_owned(), interval);
    }
    let mut details = Map::new();
    if let Some(clusters) = clusters {
        details.insert("clusters".to_owned(), json!(clusters.to_string()));
    }
    Some(json!({
        "evaluation_result_id": result_id(log, spec),
        "evaluation_name": log.dataset,
        "source_data": {"dataset_name": log.dataset, "source_type": "other"},
        "metric_config": config,
        "score_details": {
            "score": value,
            "details": details,
            "uncertainty": uncertainty,
        },
    }))
}

fn result_id(log: &Log, spec: &MetricSpec) -> String {
    format!("{}/{}", log.dataset, spec.name)
}

fn sample(sample: &Sample, out: &mut Vec<u8>) {
    let (run, log, record) = (sample.run, sample.log, sample.record);
    let texts = record.texts;
    let output: Vec<&str> = texts.output.into_iter().collect();
    let answer = output.iter().map(|text| {
        json!({
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": text,
            "extraction_method": run.manifest.command,
            "is_terminal": true,
        })
    });
    let answer: Vec<Value> = answer.collect();
    let mut metadata = Map::new();
    let words = [
        ("cluster", record.cluster),
        ("verdict", record.verdict.map(|verdict| verdict.name())),
        ("decision", record.decision),
    ];
    for (name, word) in words {
        metadata.extend(word.map(|word| (name.to_owned(), json!(word))));
    }
    metadata.insert("epoch".to_owned(), json!(record.epoch.to_string()));
    let mut line = json!({
        "schema_version": VERSION,
        "evaluation_id": evaluation_id(run, log),
        "model_id": id(log),
        "evaluation_name": log.dataset,
        "sample_id": record.item,
        "interaction_type": "single_turn",
        "input": {
            "raw": texts.input.unwrap_or_default(),
            "reference": sample.targets(),
        },
        "output": {"raw": output},
        "answer_attribution": answer,
        "metadata": metadata,
    });
    if let (Some(tokens_in), Some(tokens_out)) = (record.tokens_in, record.tokens_out) {
        let [tokens_in, tokens_out] = [tokens_in, tokens_out].map(|n| n as u64);
        line["token_usage"] = json!({
            "input_tokens": tokens_in,
            "output_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        });
    }
    if let Some(latency) = record.latency_ms.filter(|latency| *latency >= 0.0) {
        line["performance"] = json!({"latency_ms": latency});
    }
    if let Some(error) = sample.error() {
        line["error"] = json!(error);
    }
    for (_, spec, value) in sample.values() {
        line["evaluation_result_id"] = json!(result_id(log, spec));
        line["evaluation"] = json!({"score": value, "is_correct": is_correct(spec, value)});
        out.extend_from_slice(one_line(line.to_string()).as_bytes());
        out.push(b'\n');
    }
}

/// Escapes what JSON lets stand and the schema's own validator takes for the end of a line.
fn one_line(json: String) -> String {
    match json.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        true => json
            .replace('\u{85}', "\\u0085")
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029"),
        false => json,
    }
}

/// Whether a record is right by a metric: its share is whole, or there is nothing of what
/// should not be.
fn is_correct(spec: &MetricSpec, value: f64) -> bool {
    match spec.direction {
        Direction::Lower => value == 0.0,
        Direction::Higher | Direction::None => value >= 1.0,
    }
}

/// Seconds since 1970 of a time in RFC 3339.
fn unix_seconds(text: &str) -> Option<i64> {
    Some(DateTime::parse_from_rfc3339(text).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::unix_seconds;

    #[test]
    fn times_become_seconds() {
        assert_eq!(unix_seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_seconds("2000-02-29T00:00:00Z"), Some(951_782_400));
        assert_eq!(
            unix_seconds("2025-01-19T10:30:00.125Z"),
            Some(1_737_282_600)
        );
        assert_eq!(
            unix_seconds("2025-01-19T12:30:00+02:00"),
            Some(1_737_282_600)
        );
        assert_eq!(
            unix_seconds("2025-01-19T09:00:00-01:30"),
            Some(1_737_282_600)
        );
        assert_eq!(unix_seconds("yesterday"), None);
    }
}
