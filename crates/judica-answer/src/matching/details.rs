//! The file with a line for each row.

use std::io::{self, Write};
use std::path::Path;

use judica_data::atomic::{AtomicFile, folder_of};
use judica_data::error::DataError;

use super::waiting::Waiting;

pub(super) struct Details {
    file: AtomicFile,
    waiting: Waiting,
}

impl Details {
    /// Begins the file.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        Ok(Details {
            // As large as the input, and can be made again from it.
            file: AtomicFile::create_bulk_in_folder(path)?,
            waiting: Waiting::new(&folder_of(path)),
        })
    }

    /// Adds lines, as they are by each way of deciding.
    pub fn tell(&mut self, lines: [&[u8]; 2]) -> Result<(), DataError> {
        let written = match self.waiting.settled() {
            Some(way) => self.file.write_all(lines[way]),
            None => self.waiting.push(lines),
        };
        written.map_err(|error| DataError::writing(self.file.final_path(), error))
    }

    /// Settles which way counts for the data set at hand.
    pub fn settle(&mut self, way: usize) -> Result<(), DataError> {
        let file = &mut self.file;
        let settled = self
            .waiting
            .settle(way, |lines| io::copy(lines, file).map(|_| ()));
        settled.map_err(|error| DataError::writing(self.file.final_path(), error))
    }

    /// What follows is another data set.
    pub fn next_dataset(&mut self) {
        self.waiting.next_dataset();
    }

    /// Gives the file its name.
    pub fn commit(self) -> Result<(), DataError> {
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::super::waiting::IN_MEMORY;
    use super::*;

    #[test]
    fn what_waits_comes_before_what_follows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/d.jsonl");
        let mut details = Details::create(&path).unwrap();
        let long = "x".repeat(IN_MEMORY);
        for lines in ["a", long.as_str(), "b"] {
            details.tell([lines.as_bytes(), b"no"]).unwrap();
        }
        details.settle(0).unwrap();
        details.settle(1).unwrap();
        details.tell([b"c", b"no"]).unwrap();
        details.next_dataset();
        details.tell([b"no", b"d"]).unwrap();
        details.settle(1).unwrap();
        details.commit().unwrap();
        assert_eq!(
            std::fs::read_to_string(path).unwrap(),
            format!("a{long}bcd")
        );
        assert_eq!(
            std::fs::read_dir(folder.path().join("new"))
                .unwrap()
                .count(),
            1
        );
    }
}
