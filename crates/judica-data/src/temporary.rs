//! Temporary files: under names that no other process has, and gone when this one ends.
//!
//! A name holds the process's number and a count, and a file is only taken if nobody had
//! that name before. While it is written it is locked, so that whoever finds it in a folder
//! can tell what a killed process left from what another one is writing. All names are
//! kept in one list, so that an interruption can remove every file in every folder.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the names of temporary files and folders end with.
pub const TEMPORARY_SUFFIX: &str = ".judica-tmp";

static NEXT: AtomicU64 = AtomicU64::new(0);
static OURS: Mutex<Ours> = Mutex::new(Ours {
    paths: BTreeSet::new(),
    swept: BTreeSet::new(),
});
/// Held while several files get their names together.
static PUBLISHING: Mutex<()> = Mutex::new(());

/// What this process has made and looked at.
struct Ours {
    paths: BTreeSet<PathBuf>,
    /// Folders in which leftovers of others have been looked for.
    swept: BTreeSet<PathBuf>,
}

fn ours() -> MutexGuard<'static, Ours> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An interruption waits until the guard is dropped: files that belong together get their
/// names all or none.
pub(crate) fn publishing() -> MutexGuard<'static, ()> {
    PUBLISHING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file of this process and keeps new ones from being made, for as
/// long as the guard lives: for a process that is about to end.
pub fn abandon_all() -> Abandoned {
    let publishing = publishing();
    let ours = ours();
    for path in &ours.paths {
        remove(path);
    }
    Abandoned {
        _ours: ours,
        _publishing: publishing,
    }
}

/// See [`abandon_all`].
pub struct Abandoned {
    _ours: MutexGuard<'static, Ours>,
    _publishing: MutexGuard<'static, ()>,
}

/// A name that is forgotten, and whatever stands under it removed, when this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
}

impl Claim {
    /// Of a file that is here already and is ours.
    pub(crate) fn of(path: &Path) -> io::Result<Claim> {
        let path = std::path::absolute(path)?;
        ours().paths.insert(path.clone());
        Ok(Claim { path })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut ours = ours();
        remove(&self.path);
        ours.paths.remove(&self.path);
    }
}

/// Removes a file or a folder. After a rename there is nothing to remove, and a failure to
/// clean up must not hide what led here.
fn remove(path: &Path) {
    let _ = match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path),
        _ => fs::remove_file(path),
    };
}

/// Makes something under a name that nobody has, and locks it for as long as it is open.
fn claim_locked(
    folder: &Path,
    make: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(Claim, File)> {
    loop {
        let (claim, file) = claim(folder, &make)?;
        // Whoever sweeps may have come between the making and the locking. Where the file
        // system has no locks, nobody can sweep.
        let lost = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !lost && is_at(&file, &claim.path) {
            return Ok((claim, file));
        }
    }
}

fn claim(folder: &Path, make: impl Fn(&Path) -> io::Result<File>) -> io::Result<(Claim, File)> {
    let folder = std::path::absolute(folder)?;
    // No file can appear between a look at the list and the end of the process.
    let mut ours = ours();
    sweep_once(&mut ours, &folder);
    loop {
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}-{count}{TEMPORARY_SUFFIX}", std::process::id());
        let path = folder.join(name);
        match make(&path) {
            Ok(made) => {
                ours.paths.insert(path.clone());
                return Ok((Claim { path }, made));
            }
            // Left by a process that had our number, or made on another machine that
            // shares the folder.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// A temporary file. Dropped without being renamed, it leaves nothing behind.
#[derive(Debug)]
pub struct TemporaryFile {
    claim: Claim,
    file: File,
}

impl TemporaryFile {
    /// Makes a file in an existing folder.
    pub fn create_in(folder: &Path) -> io::Result<TemporaryFile> {
        let (claim, file) = claim_locked(folder, |path| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true).open(path)
        })?;
        Ok(TemporaryFile { claim, file })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.claim.path
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name, replacing what had it before.
    pub fn rename(self, path: &Path) -> io::Result<()> {
        fs::rename(self.path(), path)
    }
}

/// A temporary folder, removed with all it holds when dropped.
#[derive(Debug)]
pub struct TemporaryFolder {
    claim: Claim,
    _locked: File,
}

impl TemporaryFolder {
    /// Makes a folder in an existing one.
    pub fn create_in(folder: &Path) -> io::Result<TemporaryFolder> {
        let (claim, locked) = claim_locked(folder, |path| {
            fs::create_dir(path)?;
            File::open(path)
        })?;
        Ok(TemporaryFolder {
            claim,
            _locked: locked,
        })
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.claim.path
    }
}

/// Whether an open file still has its name.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Elsewhere an open file cannot lose its name.
#[cfg(not(unix))]
pub fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Removes what killed processes have left in a folder, once for each folder: listing one
/// takes time. What cannot be removed stays; it is in nobody's way.
fn sweep_once(ours: &mut Ours, folder: &Path) {
    if !ours.swept.insert(folder.to_owned()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let path = entry.path();
        let temporary = name.starts_with(b".") && name.ends_with(TEMPORARY_SUFFIX.as_bytes());
        if !temporary || ours.paths.contains(&path) {
            continue;
        }
        let kind = entry.file_type();
        let opens = kind.is_ok_and(|kind| kind.is_file() || kind.is_dir());
        // The lock is held until the name is gone, so that nobody locks it in between.
        if opens
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn no_two_have_one_name_and_none_stays() {
        let folder = tempfile::tempdir().unwrap();
        let one = TemporaryFile::create_in(folder.path()).unwrap();
        let two = TemporaryFile::create_in(folder.path()).unwrap();
        let sub = TemporaryFolder::create_in(folder.path()).unwrap();
        fs::write(sub.path().join("x"), "x").unwrap();
        assert_ne!(one.path(), two.path());
        assert_eq!(names(folder.path()).len(), 3);
        one.rename(&folder.path().join("one")).unwrap();
        drop((two, sub));
        assert_eq!(names(folder.path()), ["one"]);
    }

    #[test]
    fn leftovers_go_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".a.judica-tmp", "a.judica-tmp", ".b"] {
            fs::write(at(name), "").unwrap();
        }
        let other = File::create(at(".c.judica-tmp")).unwrap();
        other.try_lock().unwrap();
        fs::create_dir(at(".d.judica-tmp")).unwrap();
        fs::write(at(".d.judica-tmp/x"), "").unwrap();
        drop(TemporaryFile::create_in(folder.path()).unwrap());
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, [".b", ".c.judica-tmp", "a.judica-tmp"]);
    }
}
