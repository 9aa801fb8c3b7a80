//! A file of rejects that exists only if there are any.

use std::path::{Path, PathBuf};

use super::{Reject, RejectWriter, read_rejects};
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

    /// Gives the file its name. If there was no reject, a file that an earlier run over
    /// the same inputs left is removed, so that nobody takes it for this run's; `ours`
    /// tells those inputs, and what holds rejects of others stays.
    pub fn commit(self, ours: impl Fn(&str) -> bool) -> Result<(), DataError> {
        if let Some(writer) = self.writer {
            return writer.into_inner().commit();
        }
        let first = match read_rejects(&self.path) {
            Ok(mut rejects) => rejects.next(),
            // Nothing there, or nothing that can be read: not ours to touch.
            Err(_) => None,
        };
        match first {
            Some(Ok(reject)) if ours(&reject.file) => {
                std::fs::remove_file(&self.path).map_err(|e| DataError::writing(&self.path, e))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        file.commit(|_| true).unwrap();
        let read: Result<Vec<_>, _> = read_rejects(&path).unwrap().collect();
        assert_eq!(read.unwrap(), [reject]);
        RejectFile::new(&path)
            .commit(|file| file == "other")
            .unwrap();
        assert!(path.exists(), "another input's");
        RejectFile::new(&path).commit(|file| file == "in").unwrap();
        assert!(!path.exists());
        RejectFile::new(&path).commit(|_| true).unwrap();
    }
}
