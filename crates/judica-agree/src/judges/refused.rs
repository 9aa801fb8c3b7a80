//! What is not used: rows as rejects, rows and files counted by reason.

use std::borrow::Cow;
use std::collections::BTreeMap;

use judica_data::rejects::Reject;
use judica_data::work_error::WorkError;

use super::contents::fetch;
use super::folder::JudgedFile;
use super::human::Human;
use super::load::Loaded;
use super::row::RowDoor;
use crate::refusals::{Example, Refusals};

/// Rows that are not used, whole.
pub(super) fn rejects(
    files: &[JudgedFile],
    loaded: &Loaded,
    human: Option<&Human>,
    door: &RowDoor,
) -> Result<Vec<Reject>, WorkError> {
    let mut found = Vec::with_capacity(loaded.refused_rows.len());
    let mut rows = loaded.refused_rows.iter();
    let places = loaded.refused_rows.iter().map(|row| row.place);
    fetch(files, places, door, |place, fetched| {
        if let Some(row) = rows.next() {
            found.push(Reject {
                file: files[place.file as usize].given.clone(),
                line: place.line,
                byte_offset: fetched.offset,
                reason: row.fault.reason.into(),
                detail: row.fault.detail.clone(),
                raw: fetched.raw(),
            });
        }
    })?;
    found.extend(
        human
            .into_iter()
            .flat_map(|human| human.rejects.iter().cloned()),
    );
    Ok(found)
}

/// The code of a refusal.
fn reason(reject: &Reject) -> &'static str {
    match reject.reason {
        Cow::Borrowed(reason) => reason,
        Cow::Owned(_) => "refused",
    }
}

/// The first thing that is not used ends a strict run.
pub(super) fn strict(loaded: &Loaded, rejects: &[Reject]) -> Result<(), WorkError> {
    if let Some(file) = loaded.refused_files.first() {
        return Err(WorkError::Refused {
            file: file.name.clone(),
            line: 1,
            reason: file.fault.reason,
            detail: file.fault.detail.clone(),
        });
    }
    rejects.first().map_or(Ok(()), |row| {
        Err(WorkError::Refused {
            file: row.file.clone(),
            line: row.line,
            reason: reason(row),
            detail: row.detail.clone(),
        })
    })
}

/// Everything that is not used, counted by reason. Rejects name files as they were given, and
/// so tell folders apart; the report calls them the same everywhere.
pub(super) fn refusals<'f>(
    loaded: &Loaded,
    rejects: &[Reject],
    files: impl Iterator<Item = &'f JudgedFile>,
) -> Refusals {
    let names: BTreeMap<&str, &str> = files.map(|file| (&*file.given, &*file.name)).collect();
    let name = |given: &str| names.get(given).copied().unwrap_or(given).to_owned();
    let mut refusals = Refusals::default();
    for file in &loaded.refused_files {
        refusals.count(file.fault.reason, || Example {
            file: file.name.clone(),
            line: 1,
            detail: file.fault.detail.clone(),
        });
    }
    for row in rejects {
        refusals.count(reason(row), || Example {
            file: name(&row.file),
            line: row.line,
            detail: row.detail.clone(),
        });
    }
    refusals
}
