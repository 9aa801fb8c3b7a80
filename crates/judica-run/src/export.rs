//! The records of a run in other formats; [`logs`]: as the logs of other harnesses.

pub mod every_eval_ever;
pub mod inspect;
pub mod logs;

use std::io::Write;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use judica_data::parquet::{Encoder, TableSchema, TableWriter};
use judica_data::work_error::WorkError;
use judica_model::run::{OwnValue, RunRecord};

use crate::family::Family;
use crate::layout::{GROUP_ROWS, Layout, head, head_fields};
use crate::open::{Run, StoredRecords};
use crate::rows::{Rows, Scratch};
use crate::show::json_of;
use crate::writer::Groups;

/// What is done with a record, given the names of its own columns.
pub type See<'s> = &'s mut dyn FnMut(&RunRecord, &[&str]) -> Result<(), WorkError>;

/// Calls `see` with every record of a run, in order, and the names of its own columns.
pub fn each(run: &Run, see: See) -> Result<(), WorkError> {
    each_of(run, None, see)
}

/// The same with the records in some rows, in the order in which they are given.
pub fn each_of(run: &Run, rows: Option<&[u64]>, see: See) -> Result<(), WorkError> {
    each_batch(&run.records()?, rows, &mut |batch| {
        let rows = Rows::new(&batch);
        let names = rows.own_names();
        let mut seen = 0..rows.len();
        seen.try_for_each(|row| see(&rows.get(row, &mut Scratch::default()), &names))
    })
}

/// Writes the records in some rows as a table of the columns that the run's has.
pub fn table_of<W: Write + Send>(run: &Run, rows: &[u64], out: W) -> Result<W, WorkError> {
    let records = run.records()?;
    let groups = records.groups();
    let group_rows = match groups.as_slice() {
        [first, _, ..] => (first.end - first.start) as usize,
        _ => GROUP_ROWS,
    };
    let layout = Layout::of_stored(records.schema(), group_rows);
    let schema = TableSchema::new(layout.schema())?;
    let mut table = TableWriter::new(out, &schema)?;
    let mut encoder = Encoder::new();
    let mut waiting = Groups::new(&layout);
    each_batch(&records, Some(rows), &mut |batch| {
        for group in waiting.push(batch) {
            table.append(encoder.encode(&schema, &group)?)?;
        }
        Ok(())
    })?;
    table.append(encoder.encode(&schema, &waiting.rest())?)?;
    Ok(table.finish()?)
}

/// Records that are put into another order at a time. Each time most of the table is read.
const SORTED_ROWS: usize = 65_536;
/// Records that are picked out at a time.
const PICKED_ROWS: usize = 8_192;

/// Calls `see` with batches of all columns, of some rows in the order in which they are given.
fn each_batch(
    records: &StoredRecords,
    rows: Option<&[u64]>,
    see: &mut dyn FnMut(RecordBatch) -> Result<(), WorkError>,
) -> Result<(), WorkError> {
    let Some(rows) = rows else {
        return records.batches(&[])?.try_for_each(|batch| see(batch?));
    };
    if rows.is_sorted() {
        let mut parts = rows.chunks(PICKED_ROWS);
        return parts.try_for_each(|part| {
            let batches = records.rows(&[], part)?;
            batches.into_iter().try_for_each(&mut *see)
        });
    }
    let odd = |error| WorkError::BadArtifact(format!("records: {error}"));
    for part in rows.chunks(SORTED_ROWS) {
        let mut places = part.to_vec();
        places.sort_unstable();
        let batches = records.rows(&[], &places)?;
        let found = concat_batches(records.schema(), &batches).map_err(odd)?;
        let order = part
            .iter()
            .map(|row| places.partition_point(|at| at < row) as u64);
        let order = UInt64Array::from_iter_values(order);
        see(take_record_batch(&found, &order).map_err(odd)?)?;
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

/// The same columns of a record; none where it has no value.
pub fn csv_cells(record: &RunRecord, texts: bool) -> Vec<Option<String>> {
    let text = |value: Option<&str>| value.map(str::to_owned);
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let count = |value: Option<u64>| value.map(|value| value.to_string());
    let place = record.place;
    let mut cells = vec![
        Some(record.dataset.to_owned()),
        Some(record.item.to_owned()),
        Some(record.subject.to_owned()),
        Some(record.epoch.to_string()),
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
        Some(record.labels.len().to_string()),
        Some(record.evidence.len().to_string()),
    ];
    debug_assert_eq!(cells.len(), head_fields().len());
    cells.extend(record.own.iter().map(|value| match value {
        OwnValue::Null => None,
        OwnValue::Boolean(value) => Some(value.to_string()),
        OwnValue::Integer(value) => Some(value.to_string()),
        OwnValue::Number(value) => Some(value.to_string()),
        OwnValue::Text(value) => Some((*value).to_owned()),
    }));
    if texts {
        let texts = [record.texts.input, record.texts.target, record.texts.output];
        cells.extend(texts.map(text));
    }
    cells
}
