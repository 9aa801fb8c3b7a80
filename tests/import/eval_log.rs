//! A log as Inspect writes it: a ZIP, made here by hand so that tests can break it.

use std::io::Write;

use serde_json::{Value, json};

use crate::support::with;

/// How a member is stored: the number in the ZIP.
pub const PLAIN: u16 = 0;
pub const DEFLATE: u16 = 8;
pub const ZSTD: u16 = 93;

/// In values: a bare NaN, which JSON does not have.
pub const NAN: &str = "@NaN";

/// A ZIP.
#[derive(Default)]
pub struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

impl Zip {
    pub fn add(&mut self, name: &str, contents: &[u8], method: u16) {
        let stored = match method {
            DEFLATE => {
                let mut packer =
                    flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                packer.write_all(contents).unwrap();
                packer.finish().unwrap()
            }
            // Two frames, as a writer that appends leaves them.
            ZSTD => {
                let (one, two) = contents.split_at(contents.len() / 2);
                let pack = |part: &[u8]| zstd::encode_all(part, 3).unwrap();
                [pack(one), pack(two)].concat()
            }
            _ => contents.to_vec(),
        };
        let mut crc = flate2::Crc::new();
        crc.update(contents);
        self.add_stored(name, &stored, method, crc.sum(), contents.len() as u32);
    }

    /// A member that is packed already, and says of itself what it likes.
    pub fn add_stored(&mut self, name: &str, stored: &[u8], method: u16, crc: u32, length: u32) {
        let mut head = Vec::new();
        let put = |head: &mut Vec<u8>, number: u32, bytes: usize| {
            head.extend_from_slice(&number.to_le_bytes()[..bytes]);
        };
        // Version, flags (names are UTF-8), method, time, date.
        for number in [20, 0x800, u32::from(method), 0, 33] {
            put(&mut head, number, 2);
        }
        for number in [crc, stored.len() as u32, length] {
            put(&mut head, number, 4);
        }
        put(&mut head, name.len() as u32, 2);
        put(&mut head, 0, 2);
        let offset = self.bytes.len() as u32;
        self.bytes.extend_from_slice(b"PK\x03\x04");
        self.bytes.extend_from_slice(&head);
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(stored);
        self.directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        self.directory.extend_from_slice(&head);
        // Comment, disk, attributes, place.
        self.directory.extend_from_slice(&[0; 10]);
        put(&mut self.directory, offset, 4);
        self.directory.extend_from_slice(name.as_bytes());
        self.entries += 1;
    }

    pub fn finish(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        let start = bytes.len() as u32;
        bytes.extend_from_slice(&self.directory);
        bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        bytes.extend_from_slice(&self.entries.to_le_bytes());
        bytes.extend_from_slice(&self.entries.to_le_bytes());
        bytes.extend_from_slice(&(self.directory.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&start.to_le_bytes());
        bytes.extend_from_slice(&[0, 0]);
        bytes
    }
}

/// JSON as Python writes it.
pub fn python(value: &Value) -> Vec<u8> {
    value.to_string().replace("\"@NaN\"", "NaN").into_bytes()
}

/// A sample; `more` is added, or takes the place of what is there.
pub fn sample(id: Value, epoch: i32, scores: Value, more: Value) -> Value {
    let scores = scores.as_object().unwrap().iter();
    let scores = scores.map(|(scorer, value)| {
        let score = json!({"value": value, "answer": "a", "explanation": format!("why {scorer}"), "history": []});
        (scorer.clone(), score)
    });
    let sample = json!({
        "id": id,
        "epoch": epoch,
        "input": format!("question {id}"),
        "target": "yes",
        "messages": [{"role": "user", "content": "NaN"}],
        "output": {"model": "m", "choices": [], "completion": format!("answer {epoch}")},
        "scores": scores.collect::<serde_json::Map<_, _>>(),
        "metadata": {},
        "store": {"deep": [[[NAN]]]},
        "events": [{"event": "model", "x": NAN, "text": "say \"NaN\" \\"}],
        "model_usage": {"m": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}, "grader": {"input_tokens": 1, "output_tokens": 1}},
        "total_time": 0.25,
        "attachments": {},
    });
    with(sample, &more)
}

/// What a log says of itself.
pub fn header(task: &str, model: &str, created: &str, results: Value) -> Value {
    json!({
        "version": 2,
        "status": "success",
        "eval": {"task": task, "model": model, "created": created, "config": {"epochs": 1}},
        "results": results,
    })
}

/// Where a sample stands.
pub fn member(sample: &Value) -> String {
    let id = match &sample["id"] {
        Value::String(id) => id.clone(),
        id => id.to_string(),
    };
    format!("samples/{id}_epoch_{}.json", sample["epoch"])
}

/// A log of some samples.
pub fn eval(header: &Value, samples: &[Value], method: u16) -> Vec<u8> {
    let mut zip = Zip::default();
    let mut start = header.clone();
    start
        .as_object_mut()
        .unwrap()
        .retain(|key, _| key == "version" || key == "eval");
    zip.add("_journal/start.json", &python(&start), method);
    for sample in samples {
        zip.add(&member(sample), &python(sample), method);
    }
    zip.add("header.json", &python(header), method);
    zip.finish()
}

/// The same as one document.
pub fn document(header: &Value, samples: &[Value]) -> Vec<u8> {
    let mut log = header.clone();
    log["samples"] = samples.into();
    python(&log)
}

/// The numbers of one scorer.
pub fn results(completed: u32, scorer: &str, metrics: Value) -> Value {
    let metrics = metrics.as_object().unwrap().iter();
    let metrics = metrics.map(|(name, value)| {
        (
            name.clone(),
            json!({"name": name, "value": value, "params": {}}),
        )
    });
    let metrics: serde_json::Map<_, _> = metrics.collect();
    json!({
        "total_samples": completed,
        "completed_samples": completed,
        "scores": [{"name": scorer, "scorer": scorer, "metrics": metrics}],
    })
}

/// Samples `0…` whose one scorer gave these letters.
pub fn letters(letters: &str) -> Vec<Value> {
    let samples = letters.chars().enumerate();
    let samples = samples.map(|(id, letter)| {
        let value = Value::String(letter.to_string());
        sample(json!(id), 1, json!({"match": value}), json!({}))
    });
    samples.collect()
}

/// A log of these letters.
pub fn log_of(text: &str, created: &str) -> Vec<u8> {
    let right = text.chars().filter(|c| *c == 'C').count() as f64 / text.len() as f64;
    let results = results(text.len() as u32, "match", json!({"accuracy": right}));
    eval(
        &header("task", "model", created, results),
        &letters(text),
        ZSTD,
    )
}
