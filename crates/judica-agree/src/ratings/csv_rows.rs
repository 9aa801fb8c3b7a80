//! Rows from comma- or tab-separated values.

use std::sync::atomic::Ordering;

use judica_data::csv::CsvReader;
use judica_data::source::InputDigest;

use super::columns::{Columns, Part};
use super::load::{Loader, Place};
use super::value::Field;
use crate::error::AgreeError;

/// So many rows pass between two looks at the world outside.
const ROWS_AT_A_TIME: u64 = 1 << 16;

/// Reads all rows of a file.
pub(super) fn read(
    mut reader: CsvReader,
    columns: &Columns,
    file: &str,
    loader: &mut Loader,
    done_before: u64,
) -> Result<InputDigest, AgreeError> {
    let header = reader.header();
    if header.is_empty() {
        return Ok(reader.finish()?);
    }
    let mut at = [0; 3];
    for (at, part) in at.iter_mut().zip(Part::ALL) {
        *at = columns
            .find(part, header, file)?
            .ok_or_else(|| columns.missing(part, header, file))?;
    }
    let mut rows = 0;
    while let Some(record) = reader.next_record()? {
        let place = Place {
            file,
            line: record.line,
            offset: record.offset,
            raw: record.raw,
        };
        match record.fields {
            Ok(fields) => loader.row(at.map(|column| Field::text(fields.get(column))), place)?,
            Err(fault) => loader.refuse(place, fault.reason, fault.detail)?,
        }
        rows += 1;
        if rows % ROWS_AT_A_TIME == 0 {
            (loader.hooks.progress)(done_before + reader.raw_bytes());
            if loader.hooks.interrupted.load(Ordering::Relaxed) {
                return Err(AgreeError::Interrupted);
            }
        }
    }
    Ok(reader.finish()?)
}
