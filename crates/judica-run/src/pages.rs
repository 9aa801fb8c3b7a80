//! A Parquet file that many threads read at once, each where it likes.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bytes::Bytes;
use judica_data::parquet::UntilEnd;
use judica_data::place::Following;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Headers of pages are short.
const HEADER: usize = 512;

/// An open file.
#[derive(Debug, Clone)]
pub(crate) struct Pages {
    file: Arc<File>,
    length: u64,
}

impl Pages {
    /// A file of which the length is known from now on.
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let file = Arc::new(file);
        Ok(Pages { file, length })
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Pages {
    type T = UntilEnd<BufReader<Following<Arc<File>>>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let following = Following::new(Arc::clone(&self.file), start);
        Ok(UntilEnd(BufReader::with_capacity(HEADER, following)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.saturating_add(length as u64) > self.length {
            let why = format!("{length} bytes at {start} of {}", self.length);
            return Err(ParquetError::EOF(why));
        }
        let mut buffer = vec![0; length];
        Following::new(&*self.file, start).read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}
