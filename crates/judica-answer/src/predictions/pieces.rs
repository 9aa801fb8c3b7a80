//! Files of predictions as runs of rows, whichever shape each file has.
//!
//! Lines and bare lists come in chunks as they are read. A file that is one object with its
//! rows under a key is held whole and handed out in parts, so that several threads can work
//! on it. What the start of a file looks like decides, and for files named `.jsonl` or
//! `.ndjson` the name.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use judica_data::chunks::{Chunk, ChunkReader, Cut, Fault, RawRecord};
use judica_data::foreign::{Reads, is_by_columns, is_surely_by_columns, seems};
use judica_data::json::{Scanner, ValueKind};
use judica_data::limits;
use judica_data::memory;
use judica_data::row_keys::ROWS;
use judica_data::rows::DEPTH;
use judica_data::source::InputDigest;
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use memchr::{memchr, memchr_iter};

use super::document::{Document, DocumentShape, shape};
use super::files::PredictionFile;

/// A run of whole rows of one file.
pub(crate) struct Piece {
    /// Which of the given files it comes from.
    pub file: usize,
    rows: Rows,
}

enum Rows {
    Chunk(Chunk),
    Part(Arc<Document>, Range<usize>),
}

impl Piece {
    /// The rows in the order of the file.
    pub fn records(&self) -> Box<dyn Iterator<Item = RawRecord<'_>> + '_> {
        match &self.rows {
            Rows::Chunk(chunk) => Box::new(chunk.records()),
            Rows::Part(document, part) => Box::new(document.records(part.clone())),
        }
    }

    /// The document it is a part of.
    pub fn document(&self) -> Option<&Document> {
        match &self.rows {
            Rows::Chunk(_) => None,
            Rows::Part(document, _) => Some(document),
        }
    }
}

/// Reads files one after the other, piece by piece.
pub(crate) struct PieceReader {
    files: Vec<PredictionFile>,
    chunks: ChunkReader,
    target: usize,
    /// The file of the last chunk.
    file: Option<usize>,
    /// Chunks read ahead, to be given as they are.
    ahead: VecDeque<Chunk>,
    /// Parts of a document, to be given.
    parts: VecDeque<(usize, Arc<Document>, Range<usize>)>,
}

impl PieceReader {
    /// Prepares to read the files in the given order. Fails at once when one is missing.
    pub fn new(files: &[PredictionFile], target: usize) -> Result<Self, WorkError> {
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        Ok(PieceReader {
            files: files.to_vec(),
            chunks: ChunkReader::new(&paths, target)?.with_tables(&tables(files)),
            target,
            file: None,
            ahead: VecDeque::new(),
            parts: VecDeque::new(),
        })
    }

    /// The same reader, which reads some of the rows in place of all.
    #[must_use]
    pub fn with_cut(self, cut: Cut) -> Self {
        PieceReader {
            chunks: self.chunks.with_cut(cut),
            ..self
        }
    }

    /// The next piece; `None` after the last one.
    pub fn next_piece(&mut self) -> Result<Option<Piece>, WorkError> {
        loop {
            if let Some((file, document, part)) = self.parts.pop_front() {
                let rows = Rows::Part(document, part);
                return Ok(Some(Piece { file, rows }));
            }
            let Some(chunk) = self.next_chunk()? else {
                return Ok(None);
            };
            let file = chunk.file;
            if chunk.is_cut() || self.file.replace(file) == Some(file) {
                let rows = Rows::Chunk(chunk);
                return Ok(Some(Piece { file, rows }));
            }
            let start = self.start_of_file(chunk)?;
            if self.may_be_document(&start)? {
                self.take_document(start)?;
            } else {
                self.give_later(start);
            }
        }
    }

    fn next_chunk(&mut self) -> Result<Option<Chunk>, WorkError> {
        match self.ahead.pop_front() {
            Some(chunk) => Ok(Some(chunk)),
            None => Ok(self.chunks.next_chunk()?),
        }
    }

    fn give_later(&mut self, chunks: Vec<Chunk>) {
        for chunk in chunks.into_iter().rev() {
            self.ahead.push_front(chunk);
        }
    }

    /// Reads on in a file until there are rows enough to tell its shape, however small the
    /// chunks are.
    fn start_of_file(&mut self, first: Chunk) -> Result<Vec<Chunk>, WorkError> {
        let file = first.file;
        let mut rows = first.records().take(SHAPE_ROWS).count();
        let mut start = vec![first];
        while rows < SHAPE_ROWS
            && let Some(chunk) = self.next_chunk()?
        {
            if chunk.file != file {
                self.ahead.push_front(chunk);
                break;
            }
            rows += chunk.records().take(SHAPE_ROWS).count();
            start.push(chunk);
        }
        Ok(start)
    }

    /// Gives a piece's memory back for pieces to come.
    pub fn recycle(&mut self, piece: Piece) {
        if let Rows::Chunk(chunk) = piece.rows {
            self.chunks.recycle(chunk);
        }
    }

    /// The digests of the files, in order, once all is read.
    pub fn digests(&self) -> &[InputDigest] {
        self.chunks.digests()
    }

    /// How many bytes have been read from the disk so far, for progress.
    pub fn raw_bytes(&self) -> u64 {
        self.chunks.raw_bytes()
    }

    /// Whether the file that begins so is, or may be, an object that holds rows.
    fn may_be_document(&self, start: &[Chunk]) -> Result<bool, WorkError> {
        let mut records = start.iter().flat_map(Chunk::records);
        let Some(first) = records.next() else {
            return Ok(false);
        };
        let file = start[0].file;
        // What was not held cannot be taken apart.
        if matches!(first.fault, Some(Fault::TooLong { .. })) {
            return Ok(false);
        }
        // An element of a list is a row, whatever it holds, and so is one that was handed over.
        let in_list = start[0].is_table()
            || memory::is_held(&self.files[file].path)
            || start[0].data.trim_ascii_start().starts_with(b"[");
        if in_list || !first.bytes.trim_ascii_start().starts_with(b"{") {
            return Ok(false);
        }
        let lines = self.files[file].has_lines();
        let mut records = records.peekable();
        let is_only = records.peek().is_none();
        let alone = !lines && is_only;
        // A log or a report may have lists under the names of rows.
        let is_other = || seems(&self.files[file].path, Reads::Judged).is_some();
        match shape(first.bytes) {
            // A table by columns has what a row has, and more than one of it.
            DocumentShape::Row
                if alone && is_by_columns(first.bytes)
                    || is_only && is_surely_by_columns(first.bytes) =>
            {
                Err(self.no_rows(file, "it holds columns, and no rows".to_owned()))
            }
            DocumentShape::Row => Ok(false),
            DocumentShape::Alone if alone && !is_other() => Ok(true),
            DocumentShape::Alone | DocumentShape::Neither if alone => {
                let keys = ROWS.map(|key| format!("`{key}`")).join(", ");
                let why = format!("expected a list of them under one of {keys}");
                Err(self.no_rows(file, why))
            }
            DocumentShape::Alone | DocumentShape::Neither => Ok(false),
            DocumentShape::Document => match records.next() {
                None => Ok(true),
                Some(second) => Err(self.broken(file, second.line, SECOND)),
            },
            DocumentShape::Broken(_) if lines => Ok(false),
            // Over several lines it can only be a document, and it is broken.
            DocumentShape::Broken(at) if memchr(b'\n', first.bytes).is_some() => {
                let line = first.line + newlines(&first.bytes[..at]);
                Err(self.broken(file, line, NOT_JSON))
            }
            // The first line of a document, or a line that was cut short among whole ones.
            DocumentShape::Broken(at) => {
                let cut = at >= first.bytes.trim_ascii_end().len();
                Ok(cut && !records.take(2).all(|next| is_object(next.bytes)))
            }
        }
    }

    /// Reads the file to its end as one document.
    fn take_document(&mut self, mut chunks: Vec<Chunk>) -> Result<(), WorkError> {
        let (file, base_offset) = (chunks[0].file, chunks[0].base_offset);
        let first_line = chunks[0].first_line;
        let second = chunks.iter().flat_map(Chunk::records).nth(1);
        let second_is_row = second.is_some_and(|row| is_object(row.bytes));
        let length = |chunks: &[Chunk]| chunks.iter().map(|chunk| chunk.data.len()).sum();
        let mut held: usize = length(&chunks);
        while let Some(chunk) = self.next_chunk()? {
            if chunk.file != file {
                self.ahead.push_front(chunk);
                break;
            }
            held += chunk.data.len();
            if held > limits::longest() {
                let path = &self.files[file].path;
                return Err(limits::too_long(path, limits::longest()).into());
            }
            chunks.push(chunk);
        }
        let data = match chunks.as_mut_slice() {
            [only] => std::mem::take(&mut only.data),
            several => several.iter().fold(Vec::new(), |mut whole, chunk| {
                whole.extend_from_slice(&chunk.data);
                whole
            }),
        };
        match Document::read(data, base_offset, first_line) {
            Ok(document) => {
                let document = Arc::new(document);
                let parts = document.parts(self.target);
                let parts = parts.into_iter().map(|part| (file, document.clone(), part));
                self.parts.extend(parts);
                Ok(())
            }
            // Lines after all: each is judged alone.
            Err((data, _)) if second_is_row => {
                if let [only] = chunks.as_mut_slice() {
                    only.data = data;
                }
                self.give_later(chunks);
                Ok(())
            }
            Err((data, at)) => {
                let line = first_line + newlines(&data[..at.min(data.len())]);
                Err(self.broken(file, line, NOT_JSON))
            }
        }
    }

    fn no_rows(&self, file: usize, why: String) -> WorkError {
        let PredictionFile { name, path, .. } = &self.files[file];
        let message = format!("{name}: no rows in it; {why}");
        WorkError::BadInput(message).explained(path, Reads::Judged)
    }

    fn broken(&self, file: usize, line: u64, what: &str) -> WorkError {
        let file = &self.files[file];
        let message = format!("{}:{line}: {what}", file.name);
        WorkError::BadArtifact(message).explained(&file.path, Reads::Judged)
    }
}

/// Names that columns of tables may have.
pub(crate) fn tables(files: &[PredictionFile]) -> Tables {
    let names = files.iter().flat_map(|file| file.columns.door.names());
    let names: BTreeSet<String> = names.collect();
    Tables {
        names: names.into_iter().collect(),
        whole_documents: true,
        ..Tables::default()
    }
}

/// Rows by which the shape of a file is told.
const SHAPE_ROWS: usize = 3;
const NOT_JSON: &str = "not JSON from here on; expected an object that holds rows";
const SECOND: &str = "this follows the document; expected one document in a file";

fn newlines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

fn is_object(bytes: &[u8]) -> bool {
    let mut scanner = Scanner::new(bytes, 0);
    let is_object = scanner.kind() == Ok(ValueKind::Object);
    is_object && scanner.skip_value(0, DEPTH).is_ok() && scanner.at_end()
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
