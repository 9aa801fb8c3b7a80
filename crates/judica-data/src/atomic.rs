//! Files that appear whole or not at all.
//!
//! Everything is written under a temporary name next to the final one and
//! renamed once it is safely on disk, so that a reader never meets half a
//! file, not even after a power cut. What is no plain file is never replaced:
//! a link is followed, and a device or a pipe is written to as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::DataError;
use crate::temporary::{TemporaryFile, publishing};

const BUFFER: usize = 1 << 20;
/// Links are followed this far, as far as systems do.
const LINKS: usize = 40;

/// A file being written. Dropped without a commit, it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    place: Place,
    durable: bool,
}

/// A file that is on disk in full, but not yet under its name.
#[derive(Debug)]
pub struct StagedFile {
    place: Place,
    bytes: u64,
}

/// Where a file's bytes are, and what it is called in the end.
#[derive(Debug)]
struct Place {
    /// As it was given, for messages.
    given: PathBuf,
    /// Where links lead.
    target: PathBuf,
    /// Nothing where bytes go straight into a device or a pipe.
    temporary: Option<TemporaryFile>,
}

impl AtomicFile {
    /// Begins a file that will be called `final_path`, in a folder that is made if need be.
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

    /// The same in a folder that is made first, where the path names one.
    pub fn create_bulk_in_folder(final_path: &Path) -> Result<AtomicFile, DataError> {
        let folder = final_path.parent();
        if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
            prepare_folder(folder)?;
        }
        AtomicFile::create_bulk(final_path)
    }

    fn begin(final_path: &Path, durable: bool) -> Result<AtomicFile, DataError> {
        let writing = |e| DataError::writing(final_path, e);
        let (target, file, temporary) = match destination(final_path).map_err(writing)? {
            Destination::Stream => {
                let file = OpenOptions::new().write(true).open(final_path);
                (final_path.to_owned(), file.map_err(writing)?, None)
            }
            Destination::File(target) => {
                let folder = folder_of(&target);
                make_folder(&folder)?;
                let temporary = TemporaryFile::create_in(&folder).map_err(writing)?;
                let file = temporary.file().try_clone().map_err(writing)?;
                (target, file, Some(temporary))
            }
        };
        Ok(AtomicFile {
            writer: BufWriter::with_capacity(BUFFER, file),
            place: Place {
                given: final_path.to_owned(),
                target,
                temporary,
            },
            durable,
        })
    }

    /// The name the file will have.
    pub fn final_path(&self) -> &Path {
        &self.place.given
    }

    /// Brings all bytes safely to disk, still under the temporary name.
    pub fn stage(self) -> Result<StagedFile, DataError> {
        let AtomicFile {
            mut writer,
            place,
            durable,
        } = self;
        let finished = writer.flush().and_then(|()| {
            if durable && place.temporary.is_some() {
                writer.get_ref().sync_all()?;
            }
            Ok(writer.get_ref().metadata()?.len())
        });
        let bytes = finished.map_err(|e| DataError::writing(&place.given, e))?;
        Ok(StagedFile { place, bytes })
    }

    /// Brings all bytes safely to disk and gives the file its name.
    pub fn commit(self) -> Result<(), DataError> {
        let staged = self.stage()?;
        let through = staged.place.temporary.is_none();
        let folder = folder_of(&staged.place.target);
        staged.publish()?;
        if through {
            return Ok(());
        }
        sync_folder(&folder)
    }
}

/// What stands, or will stand, under a name.
pub enum Destination {
    /// A plain file, to be replaced: where links lead.
    File(PathBuf),
    /// A device or a pipe, to be written to as it is.
    Stream,
}

/// What a file of that name would be written to. Refuses what can neither be replaced nor
/// written to.
pub fn destination(path: &Path) -> io::Result<Destination> {
    let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if path.file_name().is_none() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if there.is_file() => match follow(path)? {
            // Such a link names a file that is open already: replaced, it would lose what
            // others write to it.
            target if names_an_open_file(&target) => {
                refuse("is an open file of a process; name the file itself")
            }
            target => Ok(Destination::File(target)),
        },
        Ok(there) if takes_a_stream(&there) => Ok(Destination::Stream),
        Ok(_) => refuse("is neither a file nor a pipe"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Destination::File(follow(path)?))
        }
        Err(error) => Err(error),
    }
}

/// Where links lead, also if nothing is there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            _ if names_an_open_file(&path) => return Ok(path),
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("links lead in a circle"))
}

/// Whether a path is one of those that stand for what a process has open; as links they do
/// not always lead where they say.
fn names_an_open_file(path: &Path) -> bool {
    path.starts_with("/proc") || path.starts_with("/dev/fd")
}

/// Whether bytes can be sent there one after the other.
#[cfg(unix)]
fn takes_a_stream(there: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = there.file_type();
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn takes_a_stream(_: &fs::Metadata) -> bool {
    false
}

impl Write for AtomicFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let given = &self.place.given;
        let written = self.writer.write(buf);
        written.map_err(|e| named(given, e))
    }

    fn flush(&mut self) -> io::Result<()> {
        let given = &self.place.given;
        let flushed = self.writer.flush();
        flushed.map_err(|e| named(given, e))
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
        &self.place.given
    }

    /// Gives the file its name, replacing what had it before.
    fn publish(self) -> Result<(), DataError> {
        let Place {
            given,
            target,
            temporary,
        } = self.place;
        match temporary {
            Some(temporary) => temporary.rename(&target),
            None => Ok(()),
        }
        .map_err(|e| DataError::writing(&given, e))
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
    /// to, and removes what killed runs have left there.
    pub fn new(folder: &Path) -> Result<RunFiles, DataError> {
        prepare_folder(folder)?;
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
        AtomicFile::create(&self.plain(name)?)
    }

    /// Begins a file of bulk data; see [`AtomicFile::create_bulk`].
    pub fn create_bulk(&self, name: &str) -> Result<AtomicFile, DataError> {
        AtomicFile::create_bulk(&self.plain(name)?)
    }

    /// Where a file of the run goes: what is written into a device or a pipe is not there when
    /// the run is read.
    fn plain(&self, name: &str) -> Result<PathBuf, DataError> {
        let path = self.folder.join(name);
        match destination(&path) {
            Ok(Destination::Stream) => Err(not_kept(&path)),
            // Other errors are told when it is begun.
            _ => Ok(path),
        }
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
        if file.place.temporary.is_none() {
            return Err(not_kept(file.final_path()));
        }
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
        let _together = publishing();
        // Where a link leads: the link stays.
        let target = &manifest.place.target;
        let home = folder_of(target);
        if remove_if_there(target)? {
            sync_folder(&home)?;
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
        sync_folder(&home)
    }
}

fn not_kept(path: &Path) -> DataError {
    let why = "a device or a pipe, and a file of a run is read again";
    DataError::writing(path, io::Error::new(io::ErrorKind::InvalidInput, why))
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

/// Writes to a file that is not yet in its place.
pub fn write_bytes(file: &mut AtomicFile, bytes: &[u8]) -> Result<(), DataError> {
    let written = file.write_all(bytes);
    written.map_err(|e| DataError::writing(file.final_path(), e))
}

/// Makes a folder, with its parents, unless it is there, and makes sure that
/// files can be created in it: better now than after hours of work.
pub fn prepare_folder(folder: &Path) -> Result<(), DataError> {
    make_folder(folder)?;
    TemporaryFile::create_in(folder)
        .map(drop)
        .map_err(|e| DataError::attempted("cannot write to the folder", folder, e))
}

fn make_folder(folder: &Path) -> Result<(), DataError> {
    fs::create_dir_all(folder)
        .map_err(|e| DataError::attempted("cannot create the folder", folder, e))
}

/// The folder a file stands in.
pub fn folder_of(path: &Path) -> PathBuf {
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
