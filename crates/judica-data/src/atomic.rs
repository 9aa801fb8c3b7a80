//! Files that appear whole or not at all.
//!
//! Everything is written under a temporary name next to the final one and
//! renamed once it is safely on disk, so that a reader never meets half a
//! file, not even after a power cut.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::DataError;

/// What the names of temporary files end with.
pub const TEMPORARY_SUFFIX: &str = ".judica-tmp";
const BUFFER: usize = 1 << 20;

/// A file being written. Dropped without a commit, it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    names: Names,
    durable: bool,
}

/// A file that is on disk in full, but not yet under its name.
#[derive(Debug)]
pub struct StagedFile {
    names: Names,
    bytes: u64,
}

/// The two names of a file; removes the temporary one when dropped.
#[derive(Debug)]
struct Names {
    temporary: PathBuf,
    last: PathBuf,
}

impl Drop for Names {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, and a failure to clean
        // up must not hide the error that led here.
        let _ = fs::remove_file(&self.temporary);
    }
}

impl AtomicFile {
    /// Begins a file that will be called `final_path`, in an existing folder.
    pub fn create(final_path: &Path) -> Result<AtomicFile, DataError> {
        AtomicFile::begin(final_path, true)
    }

    /// Begins a file of bulk data, which is named without waiting for the disk: it can
    /// be gigabytes, and it can be made again. However the process ends, it appears
    /// whole or not at all; only a power cut soon after can cut it short, so whoever
    /// reads it should know how long it must be (see [`StagedFile::bytes`]).
    pub fn create_bulk(final_path: &Path) -> Result<AtomicFile, DataError> {
        AtomicFile::begin(final_path, false)
    }

    fn begin(final_path: &Path, durable: bool) -> Result<AtomicFile, DataError> {
        let (temporary, file) =
            create_temporary(final_path).map_err(|e| DataError::writing(final_path, e))?;
        Ok(AtomicFile {
            writer: BufWriter::with_capacity(BUFFER, file),
            names: Names {
                temporary,
                last: final_path.to_owned(),
            },
            durable,
        })
    }

    /// The name the file will have.
    pub fn final_path(&self) -> &Path {
        &self.names.last
    }

    /// Brings all bytes safely to disk, still under the temporary name.
    pub fn stage(self) -> Result<StagedFile, DataError> {
        let AtomicFile {
            mut writer,
            names,
            durable,
        } = self;
        let finished = writer.flush().and_then(|()| {
            if durable {
                writer.get_ref().sync_all()?;
            }
            Ok(writer.get_ref().metadata()?.len())
        });
        let bytes = finished.map_err(|e| DataError::writing(&names.last, e))?;
        // Closed before the rename, which some systems insist on.
        drop(writer);
        Ok(StagedFile { names, bytes })
    }

    /// Brings all bytes safely to disk and gives the file its name.
    pub fn commit(self) -> Result<(), DataError> {
        let staged = self.stage()?;
        let folder = folder_of(staged.final_path());
        staged.publish()?;
        sync_folder(&folder)
    }
}

fn create_temporary(final_path: &Path) -> io::Result<(PathBuf, File)> {
    let name = final_path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(TEMPORARY_SUFFIX);
    let temporary = final_path.with_file_name(hidden);
    // Removing what an interrupted run left and insisting on a new file makes
    // sure that no link planted under that name is followed.
    match fs::remove_file(&temporary) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).open(&temporary)?;
    Ok((temporary, file))
}

impl Write for AtomicFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let names = &self.names;
        let written = self.writer.write(buf);
        written.map_err(|e| named(&names.last, e))
    }

    fn flush(&mut self) -> io::Result<()> {
        let names = &self.names;
        let flushed = self.writer.flush();
        flushed.map_err(|e| named(&names.last, e))
    }
}

/// Puts the file's name into an error that passes through `Write`, except
/// where the kind is all that callers look at.
fn named(path: &Path, error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted {
        return error;
    }
    DataError::writing(path, error).into()
}

impl StagedFile {
    /// How long the file is.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The name the file will have.
    pub fn final_path(&self) -> &Path {
        &self.names.last
    }

    /// Gives the file its name, replacing what had it before.
    fn publish(self) -> Result<(), DataError> {
        fs::rename(&self.names.temporary, &self.names.last)
            .map_err(|e| DataError::writing(&self.names.last, e))
    }
}

/// The files of one run, which appear together: all are on disk before the
/// first gets its name, and the manifest, which marks the run as complete,
/// gets its name last. An earlier manifest of the same name goes first, so
/// that it never stands next to files it does not describe.
#[derive(Debug)]
pub struct RunFiles {
    folder: PathBuf,
    staged: Vec<StagedFile>,
    stale: Vec<PathBuf>,
}

impl RunFiles {
    /// Prepares `folder`: makes it if need be, makes sure it can be written
    /// to, and removes what interrupted runs have left there.
    pub fn new(folder: &Path) -> Result<RunFiles, DataError> {
        prepare_folder(folder)?;
        sweep_stale(folder)?;
        Ok(RunFiles {
            folder: folder.to_owned(),
            staged: Vec::new(),
            stale: Vec::new(),
        })
    }

    /// The folder the files go to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins a file of the run; it is to be given back to [`Self::stage`].
    pub fn create(&self, name: &str) -> Result<AtomicFile, DataError> {
        AtomicFile::create(&self.folder.join(name))
    }

    /// Begins a file of bulk data; see [`AtomicFile::create_bulk`].
    pub fn create_bulk(&self, name: &str) -> Result<AtomicFile, DataError> {
        AtomicFile::create_bulk(&self.folder.join(name))
    }

    /// Names and lengths of the files staged so far.
    pub fn lengths(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        self.staged.iter().map(|file| {
            let name = file.final_path().file_name().unwrap_or_default();
            (name.to_string_lossy().into_owned(), file.bytes())
        })
    }

    /// Takes a file that is fully written. Files get their names in the order
    /// in which they are staged.
    pub fn stage(&mut self, file: AtomicFile) -> Result<(), DataError> {
        self.staged.push(file.stage()?);
        Ok(())
    }

    /// Writes and stages a small file at once.
    pub fn stage_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), DataError> {
        let mut file = self.create(name)?;
        write_bytes(&mut file, bytes)?;
        self.stage(file)
    }

    /// Marks a file that an earlier run may have left under this name, and that this run
    /// does not write, to be removed on commit.
    pub fn discard(&mut self, name: &str) {
        self.stale.push(self.folder.join(name));
    }

    /// Gives all files their names, the manifest last.
    pub fn commit(self, manifest: AtomicFile) -> Result<(), DataError> {
        let manifest = manifest.stage()?;
        if remove_if_there(manifest.final_path())? {
            sync_folder(&self.folder)?;
        }
        // Only now: a manifest must never name files that are gone.
        for stale in &self.stale {
            remove_if_there(stale)?;
        }
        for staged in self.staged {
            staged.publish()?;
        }
        // Without this a power cut could keep the manifest and lose the rest.
        sync_folder(&self.folder)?;
        manifest.publish()?;
        sync_folder(&self.folder)
    }
}

/// Removes a file; says whether there was one.
fn remove_if_there(path: &Path) -> Result<bool, DataError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(DataError::writing(path, e)),
    }
}

/// Writes a whole file at once, atomically.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    let mut file = AtomicFile::create(path)?;
    write_bytes(&mut file, bytes)?;
    file.commit()
}

fn write_bytes(file: &mut AtomicFile, bytes: &[u8]) -> Result<(), DataError> {
    let written = file.write_all(bytes);
    written.map_err(|e| DataError::writing(file.final_path(), e))
}

/// Makes a folder, with its parents, unless it is there, and makes sure that
/// files can be created in it: better now than after hours of work.
pub fn prepare_folder(folder: &Path) -> Result<(), DataError> {
    fs::create_dir_all(folder)
        .map_err(|e| DataError::attempted("cannot create the folder", folder, e))?;
    create_temporary(&folder.join("probe"))
        .and_then(|(probe, _)| fs::remove_file(probe))
        .map_err(|e| DataError::attempted("cannot write to the folder", folder, e))
}

/// Removes the temporary files that interrupted runs have left in a folder,
/// and says which, in the order of their names. No folder, nothing to remove.
///
/// Must not be called while another run writes to the same folder.
pub fn sweep_stale(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let failed = |e| DataError::attempted("cannot list the folder", folder, e);
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed)?,
    };
    let mut stale = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let ours = name.starts_with(b".") && name.ends_with(TEMPORARY_SUFFIX.as_bytes());
        if ours && !entry.file_type().map_err(failed)?.is_dir() {
            stale.push(entry.path());
        }
    }
    stale.sort();
    for path in &stale {
        fs::remove_file(path)
            .map_err(|e| DataError::attempted("cannot remove this leftover", path, e))?;
    }
    Ok(stale)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Makes renames in a folder survive a power cut.
fn sync_folder(folder: &Path) -> Result<(), DataError> {
    // Only Unix can open a folder to sync it; elsewhere the rename has to do.
    if cfg!(unix) {
        File::open(folder)
            .and_then(|f| f.sync_all())
            .map_err(|e| DataError::attempted("cannot sync the folder", folder, e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
