//! Predictions read again by where they stand.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use judica_data::chunks::{Chunk, Found};
use judica_data::error::DataError;
use judica_data::memory;
use judica_data::source::STDIN;

/// A file of predictions that can be read from any place. A plain file is read where it
/// lies; what comes compressed or through a pipe is copied, as it is once decompressed, to
/// a file without a name that vanishes with the process.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: Mutex<File>,
    /// Whether it is a copy.
    copied: bool,
}

impl Store {
    /// Prepares to read `path` again, whose first chunk is `first`. A copy is made in
    /// `folder` if it is needed.
    pub fn new(path: &Path, first: Option<&Chunk>, folder: &Path) -> Result<Store, DataError> {
        let plain = match first {
            Some(first) => open_if_same(path, first),
            None => None,
        };
        let copied = plain.is_none();
        let file = match plain {
            Some(file) => file,
            None => tempfile::tempfile_in(folder).map_err(|e| DataError::writing(folder, e))?,
        };
        Ok(Store {
            path: path.to_owned(),
            file: Mutex::new(file),
            copied,
        })
    }

    /// Keeps the bytes of a chunk, if they could not be had again otherwise.
    pub fn keep(&self, chunk: &Chunk) -> Result<(), DataError> {
        if !self.copied {
            return Ok(());
        }
        let mut file = self.file.lock().unwrap_or_else(|p| p.into_inner());
        let written = file
            .seek(SeekFrom::Start(chunk.base_offset))
            .and_then(|_| file.write_all(&chunk.data));
        written.map_err(|e| DataError::writing(&self.path, e))
    }

    /// Appends the bytes from `from` to `to` to `block`.
    pub fn read(&self, from: u64, to: u64, block: &mut Vec<u8>) -> Result<(), DataError> {
        let start = block.len();
        block.resize(start + (to - from) as usize, 0);
        let mut file = self.file.lock().unwrap_or_else(|p| p.into_inner());
        let read = file
            .seek(SeekFrom::Start(from))
            .and_then(|_| file.read_exact(&mut block[start..]));
        read.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.changed(from),
            _ => DataError::reading(&self.path, error),
        })
    }

    /// The error of a file that no longer holds what it held.
    pub fn changed(&self, offset: u64) -> DataError {
        DataError::malformed(&self.path, Some(offset), "changed while it was read")
    }
}

/// Where the rows of a table stand in it, by their places in the store, which rise.
#[derive(Clone, Debug, Default)]
pub struct Stands(Arc<Mutex<Vec<(u64, Found)>>>);

impl Stands {
    /// Adds the next row.
    pub fn add(&self, place: u64, found: Found) {
        self.0
            .lock()
            .unwrap_or_else(|p| p.into_inner())
            .push((place, found));
    }

    /// Where a row stands, if it is one of a table.
    pub fn found(&self, place: u64) -> Option<Found> {
        let rows = self.0.lock().unwrap_or_else(|p| p.into_inner());
        let at = rows.binary_search_by_key(&place, |row| row.0).ok()?;
        Some(rows[at].1)
    }
}

/// The file, if its bytes are those of the chunk: then it is neither compressed nor
/// something that can be read only once.
fn open_if_same(path: &Path, first: &Chunk) -> Option<File> {
    // Standard input goes by a name that a file could have, too.
    if path == Path::new(STDIN) || memory::is_held(path) || !std::fs::metadata(path).ok()?.is_file()
    {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let mut bytes = vec![0; first.data.len()];
    file.seek(SeekFrom::Start(first.base_offset)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    (bytes == first.data).then_some(file)
}
