//! A Parquet file that many threads read at once, each where it likes: handles of one open
//! file share one position, so nobody here moves it.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bytes::Bytes;
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
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let from = From {
            file: Arc::clone(&self.file),
            at: start,
        };
        Ok(BufReader::with_capacity(HEADER, from))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.saturating_add(length as u64) > self.length {
            let why = format!("{length} bytes at {start} of {}", self.length);
            return Err(ParquetError::EOF(why));
        }
        let mut buffer = vec![0; length];
        let mut from = From {
            file: Arc::clone(&self.file),
            at: start,
        };
        from.read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}

/// What follows a place in a file.
pub(crate) struct From {
    file: Arc<File>,
    at: u64,
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}
