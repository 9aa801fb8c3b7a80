//! Parquet that says more is there than is: who reads on behind the end is told so.

use std::io::{self, Read};

use ::parquet::errors::Result;
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

/// Bytes, or a file, behind whose end nothing can be read. The `parquet` crate passes over what
/// the header of a page speaks of without a look at whether it is there, two thousand million
/// numbers if need be, with a question for each.
pub struct UntilEnd<R>(pub R);

impl<R: Read> Read for UntilEnd<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buf)? {
            0 if !buf.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

impl<R: Length> Length for UntilEnd<R> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<R: ChunkReader> ChunkReader for UntilEnd<R> {
    type T = UntilEnd<R::T>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.0.get_read(start).map(UntilEnd)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_read_and_nothing_behind_it() {
        let input = UntilEnd(Bytes::from_static(b"abc"));
        let mut two = [0; 2];
        let mut reader = input.get_read(1).unwrap();
        reader.read_exact(&mut two).unwrap();
        assert_eq!((&two, input.len()), (b"bc", 3));
        assert_eq!(reader.read(&mut []).unwrap(), 0);
        // To pass over what is not there is no longer as good as having passed over it.
        let passed = io::copy(&mut reader.take(8), &mut io::sink());
        assert_eq!(passed.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
