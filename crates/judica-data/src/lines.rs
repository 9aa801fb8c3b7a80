//! A file that this program wrote, one value after the other.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::chunks::{ChunkReader, RawRecord};
use crate::error::DataError;

/// How much is read at once.
const CHUNK_BYTES: usize = 1 << 16;

/// The values of a file, ending with the first error: a file of ours that cannot be read
/// was damaged, and what follows cannot be trusted.
pub struct ValueReader<T> {
    path: PathBuf,
    what: &'static str,
    parse: fn(&[u8]) -> Result<T, String>,
    chunks: ChunkReader,
    waiting: VecDeque<Result<T, DataError>>,
    done: bool,
}

impl<T> ValueReader<T> {
    /// Opens a file whose records `parse` reads. `what` names one of them in messages, with
    /// its article.
    pub fn open(
        path: &Path,
        what: &'static str,
        parse: fn(&[u8]) -> Result<T, String>,
    ) -> Result<Self, DataError> {
        Ok(ValueReader {
            path: path.to_owned(),
            what,
            parse,
            chunks: ChunkReader::unhashed(&[path.to_owned()], CHUNK_BYTES)?,
            waiting: VecDeque::new(),
            done: false,
        })
    }

    fn read(&self, record: &RawRecord) -> Result<T, DataError> {
        let read = match record.fault {
            Some(fault) => Err(fault.refusal().detail),
            None => (self.parse)(record.bytes),
        };
        read.map_err(|why| {
            let reason = format!("line {} is not {}: {why}", record.line, self.what);
            DataError::malformed(&self.path, Some(record.offset), reason)
        })
    }

    fn refill(&mut self) -> Result<bool, DataError> {
        let Some(chunk) = self.chunks.next_chunk()? else {
            return Ok(false);
        };
        for record in chunk.records() {
            let read = self.read(&record);
            self.waiting.push_back(read);
        }
        self.chunks.recycle(chunk);
        Ok(true)
    }
}

impl<T> Iterator for ValueReader<T> {
    type Item = Result<T, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            if let Some(result) = self.waiting.pop_front() {
                self.done = result.is_err();
                return Some(result);
            }
            match self.refill() {
                Ok(more) => self.done = !more,
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
