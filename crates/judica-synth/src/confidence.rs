//! The confidence file: what each model is said to be worth before anyone looked.
//!
//! The numbers are priors, made up on purpose to disagree a little with the results:
//! a report that mixed them into a score would show it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::SynthOptions;
use crate::personality::{Model, PERSONALITIES};
use crate::plan::plan;
use crate::rng::model_stream;
use crate::source::Source;

/// Prior score of each personality, in their order. The unsafe model is trusted most.
const PRIOR: [f64; PERSONALITIES.len()] = [88.0, 74.0, 91.0, 82.0, 85.0];
/// A number of a stream that no task has.
const CONFIDENCE_STREAM: usize = 255;

#[derive(Serialize)]
struct ModelConfidence {
    model_name: String,
    confidence_m: Map<String, Value>,
    calculation_source: &'static str,
    version: &'static str,
    metadata: Value,
}

/// Writes the list of model confidences as indented JSON.
pub(crate) fn write(
    source: &dyn Source,
    options: &SynthOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shares = plan(source, options)?;
    let list: Vec<ModelConfidence> = (0..options.models)
        .map(|index| {
            let model = Model::new(index);
            let mut rng = model_stream(options.seed, source.domain(), index, CONFIDENCE_STREAM);
            // Every task of the domain is drawn, so a subset has the same numbers.
            let scores: Vec<f64> = source
                .tasks()
                .iter()
                .map(|_| ((PRIOR[model.kind as usize] + rng.gust(2.0)) * 100.0).round() / 100.0)
                .collect();
            ModelConfidence {
                model_name: model.name(),
                confidence_m: shares
                    .iter()
                    .map(|share| {
                        let key = format!("{}_score", share.task.name);
                        (key, json!(scores[share.index]))
                    })
                    .collect(),
                calculation_source: "judica synth",
                version: "1.0.0",
                metadata: json!({
                    "calculation_method": "a synthetic prior, unrelated to the outputs",
                    "personality": model.personality().name,
                    "seed": options.seed,
                }),
            }
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &list)?;
    out.write_all(b"\n")
}
