//! The file with a line for each row. Until it is known which way of deciding counts for a
//! data set, the lines of both wait: in memory as long as they are few, else in files
//! without a name, which are gone when the process is.

use std::io::{self, Seek, Write};
use std::path::Path;

use judica_data::atomic::{AtomicFile, prepare_folder};
use judica_data::error::DataError;
use tempfile::SpooledTempFile;

/// How much waits in memory.
const IN_MEMORY: usize = 1 << 20;

pub(super) struct Details {
    file: AtomicFile,
    waiting: [SpooledTempFile; 2],
    /// Which of the two counts, once that is known.
    settled: Option<usize>,
}

impl Details {
    /// Begins the file.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        let folder = path.parent().filter(|path| !path.as_os_str().is_empty());
        if let Some(folder) = folder {
            prepare_folder(folder)?;
        }
        let folder = folder.unwrap_or(Path::new("."));
        Ok(Details {
            // As large as the input, and can be made again from it.
            file: AtomicFile::create_bulk(path)?,
            waiting: [0, 1].map(|_| SpooledTempFile::new_in(IN_MEMORY, folder)),
            settled: None,
        })
    }

    /// Adds lines, as they are by each way of deciding.
    pub fn tell(&mut self, lines: [&[u8]; 2]) -> Result<(), DataError> {
        let written = match self.settled {
            Some(way) => self.file.write_all(lines[way]),
            None => {
                let mut both = self.waiting.iter_mut().zip(lines);
                both.try_for_each(|(waiting, lines)| waiting.write_all(lines))
            }
        };
        written.map_err(|error| DataError::writing(self.file.final_path(), error))
    }

    /// Settles which way counts for the data set at hand.
    pub fn settle(&mut self, way: usize) -> Result<(), DataError> {
        if self.settled.is_some() {
            return Ok(());
        }
        self.settled = Some(way);
        self.give(way)
            .map_err(|error| DataError::writing(self.file.final_path(), error))
    }

    fn give(&mut self, way: usize) -> io::Result<()> {
        self.waiting[way].rewind()?;
        io::copy(&mut self.waiting[way], &mut self.file)?;
        for waiting in &mut self.waiting {
            waiting.rewind()?;
            waiting.set_len(0)?;
        }
        Ok(())
    }

    /// What follows is another data set.
    pub fn next_dataset(&mut self) {
        self.settled = None;
    }

    /// Gives the file its name.
    pub fn commit(self) -> Result<(), DataError> {
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
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
