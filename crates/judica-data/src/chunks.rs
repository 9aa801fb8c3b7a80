//! Inputs of any size as a sequence of chunks of whole records.
//!
//! Where one chunk ends and the next begins depends on the bytes and the
//! target size only, never on timing, so that results computed chunk by chunk
//! come out the same in every run.

mod buffer;
mod chunk;
mod cut;
mod fault;
mod file;
mod format;
mod long;
mod newlines;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::error::DataError;
use crate::limits;
use crate::rows::Placed;
use crate::source::{self, InputDigest, Source};
use crate::table::{TableRead, Tables};
use crate::work_error::WorkError;

pub use crate::elements::{AFTER_ARRAY, MISSING_COMMA, MISSING_ELEMENT, NOT_CLOSED};
pub(crate) use chunk::TableRow;
pub use chunk::{Chunk, Found, RawRecord};
pub use cut::{
    Cut, LineRange, MovedBatch, MovedRows, Moving, Rows, count_lines, moved_schema, ranges,
};
pub(crate) use fault::TO_UTF8;
pub use fault::{Fault, LINE_TOO_LONG, NOT_UTF8};
use file::{FileReader, Piece};
pub use format::is_not_lines;
pub(crate) use format::{DOCUMENT, layout};

/// No chunk aims at more than this.
const LARGEST_TARGET: usize = 1 << 30;
/// How many buffers given back are kept.
const KEPT_BUFFERS: usize = 64;

/// Reads files one after the other, chunk by chunk.
///
/// `.jsonl` and `.ndjson` files hold one record per line, unless their first lines show that
/// they hold one array or values spread over several lines. Others that begin with `[` are
/// one array whose elements are the records, a `.json` file whose first line is not a whole
/// object is a single record, and all else is lines again. See `format`.
///
/// With [`Self::with_tables`] tables are read, too, each row as an object; see
/// [`crate::table`]. And of one document that holds its rows under one of
/// [`ROWS`](crate::row_keys::ROWS) those are the records.
///
/// A record longer than [`limits::longest`] is passed over without being held, and given
/// with a [`Fault`].
pub struct ChunkReader {
    paths: Vec<PathBuf>,
    target: usize,
    next_file: usize,
    current: Option<FileReader>,
    digests: Vec<InputDigest>,
    finished_bytes: u64,
    buffers: Vec<Vec<u8>>,
    hashed: bool,
    failed: bool,
    longest: usize,
    tables: Option<Tables>,
    read: Vec<TableRead>,
    /// Where fields stand, if the user says so.
    placed: Placed,
    /// The first file, if it was open before.
    given: Option<Source>,
    /// What is read in place of whole files.
    cut: Option<Rows>,
    /// Whether the file at hand is read in part.
    in_range: bool,
}

impl ChunkReader {
    /// Prepares to read the files in the given order, in chunks of at least
    /// `target_bytes` (but for the last of each file). Fails at once when one
    /// is missing, not only when its turn comes.
    pub fn new(paths: &[PathBuf], target_bytes: usize) -> Result<ChunkReader, DataError> {
        paths.iter().try_for_each(|path| source::check(path))?;
        Ok(Self::empty(paths.to_vec(), target_bytes))
    }

    fn empty(paths: Vec<PathBuf>, target_bytes: usize) -> ChunkReader {
        ChunkReader {
            paths,
            target: target_bytes.clamp(1, LARGEST_TARGET),
            next_file: 0,
            current: None,
            digests: Vec::new(),
            finished_bytes: 0,
            buffers: Vec::new(),
            hashed: true,
            failed: false,
            longest: limits::longest(),
            tables: None,
            read: Vec::new(),
            placed: Placed::default(),
            given: None,
            cut: None,
            in_range: false,
        }
    }

    /// The same reader, which reads tables, too.
    #[must_use]
    pub fn with_tables(self, tables: &Tables) -> ChunkReader {
        ChunkReader {
            tables: Some(tables.clone()),
            ..self
        }
    }

    /// The same reader, which gives rows with fields where the user says that they stand.
    #[must_use]
    pub fn with_placed(mut self, placed: &Placed) -> ChunkReader {
        if let Some(tables) = &mut self.tables {
            tables.names.extend(placed.columns().cloned());
        }
        self.placed = placed.clone();
        self
    }

    /// The same reader, which reads some of the rows of its files in place of all. What is
    /// known of the files is given, too: nobody reads them whole here.
    #[must_use]
    pub fn with_cut(self, cut: Cut) -> ChunkReader {
        ChunkReader {
            cut: Some(cut.rows),
            digests: cut.digests,
            hashed: false,
            ..self
        }
    }

    /// The same reader, which reads only some of its files, whole, and hashes them.
    #[must_use]
    pub fn with_hashed_cut(self, files: VecDeque<LineRange>) -> ChunkReader {
        ChunkReader {
            cut: Some(Rows::Ranges(files)),
            ..self
        }
    }

    /// Whether some row had every column that was named, once all are read.
    pub fn check_placed(&self) -> Result<(), WorkError> {
        // Rows that are not read here may have what is missing.
        if self.cut.is_some() {
            return Ok(());
        }
        let names: Vec<String> = self.paths.iter().map(|p| p.display().to_string()).collect();
        match self.placed.missing().next() {
            Some((said, other)) => {
                let names = names.join(", ");
                let other = other.map(|other| format!("; if only the other input has it: {other}"));
                let other = other.unwrap_or_default();
                Err(WorkError::BadInput(format!(
                    "{said}: no row of {names} has it{other}"
                )))
            }
            None => Ok(()),
        }
    }

    /// How tables were read, as far as they have been read to their end.
    pub fn tables_read(&self) -> &[TableRead] {
        &self.read
    }

    /// The same as [`Self::new`] without SHA-256, for results that do not name their inputs by it: where
    /// reading is nearly all there is to do, hashing would be most of it. Nothing is
    /// added to [`Self::digests`].
    pub fn unhashed(paths: &[PathBuf], target_bytes: usize) -> Result<ChunkReader, DataError> {
        Ok(ChunkReader {
            hashed: false,
            ..Self::new(paths, target_bytes)?
        })
    }

    /// Reads a source that is open already: what has been read of it cannot always be read
    /// again.
    pub fn over(source: Source, target_bytes: usize) -> ChunkReader {
        let mut reader = ChunkReader::empty(vec![source.path().to_owned()], target_bytes);
        reader.given = Some(source);
        reader
    }

    /// The same reader with another limit on the length of a record.
    #[cfg(test)]
    pub(crate) fn limited(self, longest: usize) -> ChunkReader {
        ChunkReader { longest, ..self }
    }

    /// The next chunk; `None` after the last one, and after an error.
    ///
    /// An error comes after all the whole records that precede it.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, DataError> {
        let result = self.advance();
        if result.is_err() {
            self.failed = true;
            self.current = None;
        }
        result
    }

    fn advance(&mut self) -> Result<Option<Chunk>, DataError> {
        while !self.failed {
            if let Some(Rows::Moved(_)) = self.cut {
                let moved = self.moved()?;
                return Ok(moved.map(|chunk| self.placed(chunk)));
            }
            let Some(mut reader) = self.current.take() else {
                match self.next_reader()? {
                    None => break,
                    reader => self.current = reader,
                }
                continue;
            };
            let buffer = self.buffers.pop().unwrap_or_default();
            if let Some(piece) = reader.next_piece(buffer, &mut self.buffers) {
                self.current = Some(reader);
                let chunk = self.chunk(piece);
                return Ok(Some(self.placed(chunk)));
            }
            let read = reader.table().map(|table| TableRead {
                file: self.next_file - 1,
                what: table.what(),
                how: table.how(),
                columns: table.columns(),
            });
            let how = read.as_ref().map(|read| read.how.clone());
            let source = reader.into_end()?;
            self.read.extend(read);
            if self.hashed {
                let digest = source.finish()?;
                let digest = InputDigest {
                    read_as: how.or(digest.read_as),
                    ..digest
                };
                self.finished_bytes += digest.bytes;
                self.digests.push(digest);
            } else {
                self.finished_bytes += source.raw_bytes();
            }
        }
        Ok(None)
    }

    /// The next file, or the next range of one.
    fn next_reader(&mut self) -> Result<Option<FileReader>, DataError> {
        let range = match &mut self.cut {
            Some(Rows::Ranges(ranges)) => match ranges.pop_front() {
                None => return Ok(None),
                Some(range) => {
                    self.next_file = range.file;
                    Some(range)
                }
            },
            _ => None,
        };
        let Some(path) = self.paths.get(self.next_file).cloned() else {
            return Ok(None);
        };
        self.next_file += 1;
        let (target, longest) = (self.target, self.longest);
        let part = range.and_then(|range| Some((range, range.end?)));
        self.in_range = part.is_some();
        if let Some((range, end)) = part {
            let source = cut::open(&path, &range, end)?;
            let reader = FileReader::of_lines(source, target, longest, range.first_line);
            return Ok(Some(reader));
        }
        let source = match self.given.take() {
            Some(source) => source,
            None => self.open(&path)?,
        };
        let tables = self.tables.as_ref();
        Ok(Some(FileReader::new(source, target, longest, tables)))
    }

    /// The next chunk of lines that were taken from their files.
    fn moved(&mut self) -> Result<Option<Chunk>, DataError> {
        let Some(Rows::Moved(moving)) = &mut self.cut else {
            return Ok(None);
        };
        let buffer = self.buffers.pop().unwrap_or_default();
        let moved = moving.next(self.target, buffer);
        let moved = moved.map_err(|why| DataError::malformed(&self.paths[0], None, why))?;
        let Some((file, data, lines)) = moved.filter(|(file, ..)| *file < self.paths.len()) else {
            return Ok(None);
        };
        Ok(Some(Chunk {
            file,
            data,
            base_offset: 0,
            first_line: 1,
            layout: chunk::Layout::Moved(lines),
            long: None,
            longest: self.longest,
            cut: true,
        }))
    }

    /// The chunk with fields where the user says that they stand.
    fn placed(&mut self, mut chunk: Chunk) -> Chunk {
        if !self.placed.is_empty() {
            let json = self.buffers.pop().unwrap_or_default();
            chunk.rewrite(json, |row, out| self.placed.write(row, out));
        }
        chunk
    }

    fn open(&self, path: &Path) -> Result<Source, DataError> {
        if self.hashed {
            Source::open(path)
        } else {
            Source::open_unhashed(path)
        }
    }

    fn chunk(&self, piece: Piece) -> Chunk {
        Chunk {
            file: self.next_file - 1,
            data: piece.data,
            base_offset: piece.base_offset,
            first_line: piece.first_line,
            layout: piece.layout,
            long: piece.long,
            longest: self.longest,
            cut: self.in_range,
        }
    }

    /// Gives a chunk's memory back for chunks to come.
    pub fn recycle(&mut self, chunk: Chunk) {
        for buffer in [Some(chunk.data), chunk.layout.into_source()]
            .into_iter()
            .flatten()
        {
            // A buffer that one huge record has grown would never shrink again.
            let usual = buffer.capacity() <= self.target.saturating_mul(4);
            if usual && self.buffers.len() < KEPT_BUFFERS {
                self.buffers.push(buffer);
            }
        }
    }

    /// The digests of the files read to their end, in order: of all files
    /// once `next_chunk` has returned `None` without an error before.
    pub fn digests(&self) -> &[InputDigest] {
        &self.digests
    }

    /// How many bytes have been read from the disk so far, for progress.
    pub fn raw_bytes(&self) -> u64 {
        let current = self.current.as_ref().map_or(0, FileReader::raw_bytes);
        self.finished_bytes + current
    }
}

#[cfg(test)]
mod array_tests;
#[cfg(test)]
mod long_tests;
#[cfg(test)]
mod tests;
