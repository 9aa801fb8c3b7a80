//! The records of a run in other formats; [`logs`]: as the logs of other harnesses.

pub mod every_eval_ever;
pub mod inspect;
pub mod logs;

use std::io::Write;

use judica_data::work_error::WorkError;
use judica_model::run::{OwnValue, RunRecord};

use crate::family::Family;
use crate::layout::{head, head_fields};
use crate::open::Run;
use crate::rows::{Rows, Scratch};
use crate::show::json_of;

/// What is done with a record, given the names of its own columns.
pub type See<'s> = &'s mut dyn FnMut(&RunRecord, &[&str]) -> Result<(), WorkError>;

/// Calls `see` with every record of a run, in order, and the names of its own columns.
pub fn each(run: &Run, see: See) -> Result<(), WorkError> {
    for batch in run.records()?.batches(&[])? {
        let batch = batch?;
        let rows = Rows::new(&batch);
        let names = rows.own_names();
        for row in 0..rows.len() {
            let mut scratch = Scratch::default();
            see(&rows.get(row, &mut scratch), &names)?;
        }
    }
    Ok(())
}

/// A record as a line of JSON.
pub fn json_line(record: &RunRecord, own: &[&str], out: &mut Vec<u8>) {
    // Text and numbers always serialise; a number that is none is null.
    let _ = serde_json::to_writer(&mut *out, &json_of(record, own));
    let _ = out.write_all(b"\n");
}

/// Who writes the records of a run as lines of JSON: in the shape that the command promises,
/// else in that of all runs.
pub fn json_writer<'r>(run: &'r Run, family: &Family) -> Result<WriteJson<'r>, WorkError> {
    let promised = family.json.map(|writer| writer(run)).transpose()?;
    Ok(Box::new(move |record, own, out| match &promised {
        Some(write) => write(record, out),
        None => {
            json_line(record, own, out);
            Ok(())
        }
    }))
}

/// Writes a record, whose own columns have these names, as a line of JSON.
pub type WriteJson<'r> =
    Box<dyn Fn(&RunRecord, &[&str], &mut Vec<u8>) -> Result<(), WorkError> + 'r>;

/// The names of a record's columns in a file of separated values: all that hold one value,
/// and how many labels and pieces of evidence there are.
pub fn csv_names(run: &Run) -> Result<Vec<String>, WorkError> {
    let records = run.records()?;
    let lists = [head::LABELS, head::EVIDENCE];
    let columns = records.columns();
    let names = columns.iter().map(|name| match lists.contains(name) {
        true => format!("{name}_count"),
        false => (*name).to_owned(),
    });
    Ok(names.collect())
}

/// The same columns of a record.
pub fn csv_cells(record: &RunRecord, texts: bool) -> Vec<String> {
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let count = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    let place = record.place;
    let mut cells = vec![
        record.dataset.to_owned(),
        record.item.to_owned(),
        record.subject.to_owned(),
        record.epoch.to_string(),
        text(record.cluster),
        text(record.verdict.map(|verdict| verdict.name())),
        text(record.decision),
        number(record.score),
        text(place.map(|place| place.file)),
        count(place.map(|place| place.line)),
        count(place.and_then(|place| place.offset)),
        count(place.and_then(|place| place.bytes)),
        count(place.and_then(|place| place.hash)),
        number(record.latency_ms),
        number(record.tokens_in),
        number(record.tokens_out),
        number(record.usd),
        record.labels.len().to_string(),
        record.evidence.len().to_string(),
    ];
    debug_assert_eq!(cells.len(), head_fields().len());
    cells.extend(record.own.iter().map(|value| match value {
        OwnValue::Null => String::new(),
        OwnValue::Boolean(value) => value.to_string(),
        OwnValue::Integer(value) => value.to_string(),
        OwnValue::Number(value) => value.to_string(),
        OwnValue::Text(value) => (*value).to_owned(),
    }));
    if texts {
        let texts = [record.texts.input, record.texts.target, record.texts.output];
        cells.extend(texts.map(text));
    }
    cells
}
