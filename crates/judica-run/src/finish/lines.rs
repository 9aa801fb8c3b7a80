//! Records as JSON lines, where the pieces have them.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};

use judica_data::atomic::AtomicFile;
use judica_data::error::DataError;
use judica_data::work_error::WorkError;

use crate::pieces::Pieces;
use crate::writer::RunWriter;

/// The file that has one record per line, where a command writes it.
const LINES: &str = "records.jsonl";

/// Records as lines, where pieces have them: each comes with its record.
pub(super) struct Lines {
    target: Option<AtomicFile>,
    readers: Vec<BufReader<File>>,
    line: Vec<u8>,
}

impl Lines {
    pub fn new(pieces: &Pieces, run: &RunWriter) -> Result<Self, WorkError> {
        let paths = pieces.list().iter().map(|piece| pieces.file(piece, LINES));
        let paths: Option<Vec<_>> = paths.collect();
        let mut readers = Vec::new();
        for path in paths.iter().flatten() {
            let file = File::open(path).map_err(|error| DataError::reading(path, error))?;
            readers.push(BufReader::with_capacity(1 << 16, file));
        }
        let target = paths.map(|_| run.begin(LINES)).transpose()?;
        Ok(Lines {
            target,
            readers,
            line: Vec::new(),
        })
    }

    /// Copies the next line of a piece.
    pub fn copy(&mut self, piece: usize) -> Result<(), WorkError> {
        let Some(target) = &mut self.target else {
            return Ok(());
        };
        self.line.clear();
        let read = self.readers[piece].read_until(b'\n', &mut self.line);
        read.map_err(|error| DataError::writing(target.final_path(), error))?;
        let written = target.write_all(&self.line);
        written.map_err(|error| DataError::writing(target.final_path(), error))?;
        Ok(())
    }

    /// Copies all lines of a piece.
    pub fn copy_all(&mut self, piece: usize) -> Result<(), WorkError> {
        if let Some(target) = &mut self.target {
            let copied = std::io::copy(&mut self.readers[piece], target);
            copied.map_err(|error| DataError::writing(target.final_path(), error))?;
        }
        Ok(())
    }

    /// The file, if pieces have such lines.
    pub fn into_file(self) -> Option<AtomicFile> {
        self.target
    }
}
