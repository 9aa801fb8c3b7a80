//! Whole files, and rows fetched from their places.

use std::fs;
use std::path::Path;

use judica_data::error::DataError;
use judica_data::foreign::Reads;
use judica_data::source::{InputDigest, Source};

use super::document::{self, Document, NoDocument};
use super::folder::JudgedFile;
use super::row::Fault;
use crate::error::AgreeError;

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The number of its file.
    pub file: u32,
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// The line it begins on, from 1.
    pub line: u64,
}

/// Takes a file apart; a file that is no JSON ends the measurement, one without rows is
/// passed over.
pub(super) fn take_apart(
    path: &Path,
    bytes: &[u8],
    lines: bool,
    row_keys: &[&str],
) -> Result<Result<Document, Fault>, AgreeError> {
    match document::read(bytes, lines, row_keys) {
        Ok(document) => Ok(Ok(document)),
        Err(NoDocument::Other(reason, detail)) => Ok(Err(Fault::new(reason, detail))),
        Err(NoDocument::NotJson { line }) => {
            let message = format!("{}:{line}: not JSON from here on", path.display());
            Err(AgreeError::BadArtifact(message).explained(path, Reads::Judged))
        }
    }
}

/// A whole file, decompressed.
pub(super) struct Contents {
    /// Its bytes, without a byte order mark.
    pub bytes: Vec<u8>,
    /// Where the first of them stands.
    pub offset: u64,
    /// The digest of the file, if it was to be hashed.
    pub digest: InputDigest,
}

/// Reads a whole file. What it holds may be looked up again later, which a pipe would be
/// waited for in vain.
pub(super) fn contents(path: &Path, hashed: bool) -> Result<Contents, AgreeError> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let message = format!(
            "{}: a judged file is read more than once; put what this pipe or device gives into \
             a file",
            path.display()
        );
        return Err(AgreeError::BadInput(message));
    }
    let mut source = open(path, hashed)?;
    let offset = source.offset();
    let bytes = source.read_rest()?;
    let digest = source.finish()?;
    Ok(Contents {
        bytes,
        offset,
        digest,
    })
}

/// Opens a file, whose bytes are hashed for the manifest of a run.
pub(super) fn open(path: &Path, hashed: bool) -> Result<Source, DataError> {
    match hashed {
        true => Source::open(path),
        false => Source::open_unhashed(path),
    }
}

/// Calls `each` with every place, its bytes and where they begin in the file. Places must
/// be in order, so that no file is read twice.
pub(super) fn fetch(
    files: &[JudgedFile],
    places: impl IntoIterator<Item = Place>,
    mut each: impl FnMut(Place, &[u8], u64),
) -> Result<(), AgreeError> {
    let mut open: Option<(u32, Contents)> = None;
    for place in places {
        let path = &files[place.file as usize].path;
        if open.as_ref().is_none_or(|(file, _)| *file != place.file) {
            open = Some((place.file, contents(path, false)?));
        }
        let row = open.as_ref().and_then(|(_, contents)| {
            let row = contents
                .bytes
                .get(place.start as usize..place.end as usize)?;
            Some((row, contents.offset + place.start))
        });
        let Some((row, offset)) = row else {
            let message = format!("{}: changed while it was being read", path.display());
            return Err(AgreeError::BadArtifact(message));
        };
        each(place, row, offset);
    }
    Ok(())
}
