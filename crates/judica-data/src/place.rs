//! An open file that many threads read at once, each where it likes: handles of one open file
//! share one position, which nobody who reads here needs.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, Read};

/// Reads some bytes at a place. Windows moves the position of the file, Unix does not.
///
/// # Errors
/// As for reading.
pub fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, at);
}

/// What follows a place in a file.
#[derive(Debug)]
pub struct Following<F> {
    file: F,
    at: u64,
}

impl<F: Borrow<File>> Following<F> {
    /// From this place on.
    pub fn new(file: F, at: u64) -> Self {
        Following { file, at }
    }
}

impl<F: Borrow<File>> Read for Following<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file.borrow(), buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn every_reader_has_its_own_place() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let (mut one, mut other) = (Following::new(&file, 2), Following::new(&file, 8));
        let (mut some, mut rest) = ([0; 3], Vec::new());
        one.read_exact(&mut some).unwrap();
        assert_eq!(&some, b"234");
        other.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"89");
        one.read_exact(&mut some).unwrap();
        assert_eq!(&some, b"567");
        let short = one.read_exact(&mut some).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
        // Behind the end there is nothing, and that is no failure.
        assert_eq!(read_at(&file, &mut some, 99).unwrap(), 0);
    }
}
