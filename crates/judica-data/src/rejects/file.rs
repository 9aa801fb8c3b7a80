//! A file of rejects that exists only if there are any.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{ByFile, Given, Reject, RejectWriter};
use crate::atomic::AtomicFile;
use crate::error::DataError;
use crate::foreign::Reads;
use crate::work_error::WorkError;

/// What marks the folder it stands in as a finished run.
pub const MANIFEST: &str = "manifest.json";

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
                // As large as the input at worst, and can be made again from it.
                let file = AtomicFile::create_bulk_in_folder(&self.path)?;
                none.insert(RejectWriter::new(file))
            }
        };
        let written = writer.write(reject);
        written.map_err(|e| DataError::writing(&self.path, e))
    }

    /// The name it has in the end, if there is a reject.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if none of these inputs, which serve one purpose, gave a row (see
    /// [`ByFile::check`]); what was refused is kept all the same. Else gives a note on each
    /// input of which nothing was used.
    pub fn usable(self, given: &[Given], format: Reads) -> Result<(Self, Vec<String>), WorkError> {
        let none = ByFile::default();
        let by_file = self.writer.as_ref().map_or(&none, RejectWriter::by_file);
        let message = match by_file.check(given, format) {
            Ok(unused) => return Ok((self, unused)),
            Err(message) => message,
        };
        let ours = |file: &str| given.iter().any(|input| input.name == file);
        Err(self.nothing_counts(message, ours))
    }

    /// The error of a command that comes to nothing, with where its refused rows are kept.
    pub fn nothing_counts(self, mut why: String, ours: impl Fn(&str) -> bool) -> WorkError {
        match (&self.writer, self.is_in_a_run()) {
            (None, _) => {}
            (Some(_), true) => why.push_str("\nthe run in the folder is left as it was"),
            (Some(_), false) => {
                why.push_str(&format!("\nrefused rows: {}", self.path.display()));
            }
        }
        let kept = self.give_up(ours);
        kept.map_or_else(WorkError::from, |()| WorkError::BadInput(why))
    }

    /// Keeps what was refused by a command that comes to nothing. A run that stands in the
    /// folder is another's: it is replaced as a whole, or stays whole.
    pub fn give_up(self, ours: impl Fn(&str) -> bool) -> Result<(), DataError> {
        match self.is_in_a_run() {
            true => Ok(()),
            false => self.commit(ours),
        }
    }

    fn is_in_a_run(&self) -> bool {
        self.path.with_file_name(MANIFEST).is_file()
    }

    /// The file as it is so far, for a run that names its files together; `None` if there was
    /// no reject.
    pub fn into_file(self) -> Option<AtomicFile> {
        self.writer.map(RejectWriter::into_inner)
    }

    /// Gives the file its name. If there was no reject, a file that an earlier run over
    /// the same inputs left is removed, so that nobody takes it for this run's; `ours`
    /// tells those inputs, and what holds rejects of others stays.
    pub fn commit(self, ours: impl Fn(&str) -> bool) -> Result<(), DataError> {
        if let Some(writer) = self.writer {
            return writer.into_inner().commit();
        }
        match first_input(&self.path) {
            Some(input) if ours(&input) => {
                std::fs::remove_file(&self.path).map_err(|e| DataError::writing(&self.path, e))
            }
            _ => Ok(()),
        }
    }
}

/// How much of an old file is looked at. Its first row names the input first of all, and
/// the rest of it may be anything.
const LOOKED_AT: u64 = 64 << 10;

/// The input that the first row of an old file of rejects names. `None` where there is no
/// such file, or nothing that can be read: then it is not ours to touch.
fn first_input(path: &Path) -> Option<String> {
    // A pipe would be waited for.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LOOKED_AT).read_to_end(&mut start).ok()?;
    let row = start.trim_ascii_start().strip_prefix(b"{\"file\":")?;
    let mut values = serde_json::Deserializer::from_slice(row).into_iter::<String>();
    let input = values.next()?.ok()?;
    row[values.byte_offset()..]
        .starts_with(b",\"line\":")
        .then_some(input)
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
            raw: b"raw"[..].into(),
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

    #[test]
    fn of_an_old_file_only_the_beginning_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rejects.jsonl");
        // A hole of 1 TiB: whoever reads it all never comes back.
        let row = b"{\"file\":\"in\",\"line\":1,\"byte_offset\":0,\"raw\":\"";
        for (start, removed) in [(&row[..], true), (b"{\"x\":1}", false), (b"", false)] {
            std::fs::write(&path, start).unwrap();
            let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(1 << 40).unwrap();
            RejectFile::new(&path).commit(|file| file == "in").unwrap();
            assert_eq!(!path.exists(), removed);
        }
    }
}
