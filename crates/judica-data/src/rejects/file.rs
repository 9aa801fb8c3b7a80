//! A file of rejects that exists only if there are any.

use std::path::{Path, PathBuf};

use super::{Reject, RejectWriter};
use crate::atomic::{AtomicFile, prepare_folder};
use crate::error::DataError;

/// A file of rejects that is begun with the first of them.
#[derive(Debug)]
pub struct RejectFile {
    path: PathBuf,
    writer: Option<RejectWriter<AtomicFile>>,
}

impl RejectFile {
    /// Nothing is written until there is a reject.
    pub fn new(path: &Path) -> Self {
        RejectFile {
            path: path.to_owned(),
            writer: None,
        }
    }

    /// Keeps a reject.
    pub fn write(&mut self, reject: &Reject) -> Result<(), DataError> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                let folder = self.path.parent();
                if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
                    prepare_folder(folder)?;
                }
                // As large as the input at worst, and can be made again from it.
                none.insert(RejectWriter::new(AtomicFile::create_bulk(&self.path)?))
            }
        };
        let written = writer.write(reject);
        written.map_err(|e| DataError::writing(&self.path, e))
    }

    /// Gives the file its name. If there was no reject, a file that an earlier run left
    /// is removed, so that nobody takes it for this run's.
    pub fn commit(self) -> Result<(), DataError> {
        match self.writer {
            Some(writer) => writer.into_inner().commit(),
            None => match std::fs::remove_file(&self.path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    Err(DataError::writing(&self.path, e))
                }
                _ => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rejects::read_rejects;

    #[test]
    fn there_is_a_file_only_if_there_is_a_reject() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/rejects.jsonl");
        let reject = Reject {
            file: "in".to_owned(),
            line: 3,
            byte_offset: 9,
            reason: "odd".into(),
            detail: "why".to_owned(),
            raw: b"raw".to_vec(),
        };
        let mut file = RejectFile::new(&path);
        file.write(&reject).unwrap();
        assert!(!path.exists(), "not before the commit");
        file.commit().unwrap();
        let read: Result<Vec<_>, _> = read_rejects(&path).unwrap().collect();
        assert_eq!(read.unwrap(), [reject]);
        RejectFile::new(&path).commit().unwrap();
        assert!(!path.exists());
        RejectFile::new(&path).commit().unwrap();
    }
}
