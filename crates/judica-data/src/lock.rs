//! One process at a time.
//!
//! A lock is a file that its holder has locked by the operating system, which lets go of it
//! however the holder ends: a killed process blocks nobody. The file names the holder, so
//! that who waits can say for whom, and is removed by it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::DataError;
use crate::temporary::{Claim, is_at};

/// How often one who waits tries again.
const POLL: Duration = Duration::from_millis(50);
/// Shorter waits are not worth a word.
const POLLS_BEFORE_A_WORD: u32 = 3;
/// What a lock file holds before the number of a process.
const SIGNATURE: &str = "process ";
/// No signature is longer.
const LONGEST_SIGNATURE: u64 = 64;
/// Where the holder has not signed, or may not be read.
const UNKNOWN: &str = "another process";

/// A lock that is held. Dropping it lets go.
#[derive(Debug)]
pub struct FileLock {
    /// Removes the file before it is let go, also when the process is interrupted. Only
    /// where a removed file is told from the one that takes its place: elsewhere it stays,
    /// which is no harm, since it is the locking that counts.
    _claim: Option<Claim>,
    /// Locked until it is closed.
    _file: File,
}

impl FileLock {
    /// Takes the lock that the file `path` stands for, in an existing folder, as soon as
    /// nobody else holds it. `waiting` is told who does ("process 4711"), again if that
    /// changes. `None` if `interrupted` is raised while waiting.
    ///
    /// A process that holds a lock must not wait for it again: it would wait for itself.
    ///
    /// # Errors
    /// The file cannot be made or locked, or is somebody's file and no lock.
    pub fn acquire(
        path: &Path,
        mut waiting: impl FnMut(&str),
        interrupted: &AtomicBool,
    ) -> Result<Option<FileLock>, DataError> {
        let mut told = String::new();
        for polls in 0_u32.. {
            let holder = match FileLock::try_acquire(path)? {
                Ok(lock) => return Ok(Some(lock)),
                Err(holder) => holder,
            };
            if interrupted.load(Ordering::Relaxed) {
                break;
            }
            if polls >= POLLS_BEFORE_A_WORD && holder != told {
                waiting(&holder);
                told = holder;
            }
            std::thread::sleep(POLL);
        }
        Ok(None)
    }

    /// Takes the lock if nobody holds it; else says who does.
    ///
    /// # Errors
    /// As for [`FileLock::acquire`].
    pub fn try_acquire(path: &Path) -> Result<Result<FileLock, String>, DataError> {
        let failed = |e| DataError::attempted("cannot lock", path, e);
        loop {
            // What stands there already may be a link to something that is worth more.
            match fs::symlink_metadata(path) {
                Ok(found) if !found.is_file() => return Err(no_lock(path)),
                _ => {}
            }
            let mut options = File::options();
            let opened = options.read(true).write(true).create(true).truncate(false);
            let mut file = opened.open(path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(Err(holder(&mut file))),
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
            // Between opening and locking, its holder may have removed it: then whoever
            // comes next makes another file, and this lock keeps nobody out.
            if !is_at(&file, path) {
                continue;
            }
            let signature = signature(&mut file).map_err(failed)?;
            if !signature.is_empty() && !signature.starts_with(SIGNATURE) {
                return Err(no_lock(path));
            }
            sign(&mut file).map_err(failed)?;
            let claim = cfg!(unix).then(|| Claim::of(path)).transpose();
            return Ok(Ok(FileLock {
                _claim: claim.map_err(failed)?,
                _file: file,
            }));
        }
    }
}

fn no_lock(path: &Path) -> DataError {
    let reason = "stands where a lock of judica is needed and is none; move it away";
    DataError::malformed(path, None, reason)
}

/// Who holds the lock of a file, by its own words.
fn holder(file: &mut File) -> String {
    match signature(file) {
        Ok(text) if text.starts_with(SIGNATURE) => text.trim_end().to_owned(),
        _ => UNKNOWN.to_owned(),
    }
}

fn signature(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(LONGEST_SIGNATURE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(format!("{SIGNATURE}{}\n", std::process::id()).as_bytes())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    #[test]
    fn the_second_is_told_who_was_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let first = FileLock::try_acquire(&path).unwrap().unwrap();
        let holder = FileLock::try_acquire(&path).unwrap().unwrap_err();
        if cfg!(unix) {
            assert_eq!(holder, format!("process {}", std::process::id()));
        }
        drop(first);
        assert!(FileLock::try_acquire(&path).unwrap().is_ok());
        if cfg!(unix) {
            assert!(!path.exists(), "a lock that is let go leaves no file");
        }
    }

    #[test]
    fn who_waits_is_told_once_and_comes_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let first = FileLock::try_acquire(&path).unwrap().unwrap();
        let told = AtomicU32::new(0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let word = |_: &str| {
                    told.fetch_add(1, Ordering::SeqCst);
                };
                FileLock::acquire(&path, word, &NEVER).unwrap()
            });
            while told.load(Ordering::SeqCst) == 0 {
                std::thread::sleep(POLL);
            }
            std::thread::sleep(3 * POLL);
            drop(first);
            assert!(waiting.join().unwrap().is_some());
        });
        assert_eq!(told.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn waiting_can_be_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let _first = FileLock::try_acquire(&path).unwrap().unwrap();
        let interrupted = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| FileLock::acquire(&path, |_| (), &interrupted));
            std::thread::sleep(2 * POLL);
            interrupted.store(true, Ordering::SeqCst);
            assert!(waiting.join().unwrap().unwrap().is_none());
        });
    }

    #[test]
    fn what_a_killed_holder_left_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        fs::write(&path, "process 1\n").unwrap();
        let lock = FileLock::try_acquire(&path).unwrap().unwrap();
        let holder = FileLock::try_acquire(&path).unwrap().unwrap_err();
        assert_ne!(holder, "process 1");
        drop(lock);
    }

    #[test]
    fn somebodys_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        fs::write(&path, "thoughts on locks").unwrap();
        let error = FileLock::try_acquire(&path).unwrap_err().to_string();
        assert!(error.contains("is none; move it away"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"thoughts on locks");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(FileLock::try_acquire(&path).is_err());
        let nowhere = folder.path().join("none").join("a.lock");
        assert!(FileLock::try_acquire(&nowhere).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let precious = folder.path().join("precious");
        fs::write(&precious, "process of thought").unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        assert!(FileLock::try_acquire(&path).is_err());
        assert_eq!(fs::read(&precious).unwrap(), b"process of thought");
    }

    /// Many at once, coming and going: never are two of them inside.
    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        if let Ok(lock) = FileLock::try_acquire(&path).unwrap() {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
