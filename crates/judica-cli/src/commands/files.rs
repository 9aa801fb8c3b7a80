//! Files that commands write.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use judica_data::atomic::{prepare_folder, write_atomic};
use judica_data::temporary::is_at;
use judica_data::work_error::WorkError;

use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// How often it is looked whether a folder is free.
const LOOK: Duration = Duration::from_millis(50);

/// A folder that is held. Let go, it is removed if it was made for this and stayed empty.
pub struct Held {
    made: Option<PathBuf>,
    /// Locked until it is closed; not every system can open or lock a folder.
    _locked: Option<File>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(folder) = &self.made {
            // One that is not empty stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Holds a folder that several files are written to, so that two programs at once do not
/// mix theirs: the second waits for the first.
pub fn hold(folder: &Path) -> Result<Held, Failure> {
    hold_by(folder, File::try_lock)
}

/// Holds a folder together with others that write pieces of the same run: only who writes
/// the run itself waits for them.
pub fn hold_for_pieces(folder: &Path) -> Result<Held, Failure> {
    hold_by(folder, File::try_lock_shared)
}

fn hold_by(folder: &Path, lock: fn(&File) -> Result<(), TryLockError>) -> Result<Held, Failure> {
    let mut told = false;
    let mut made = None;
    loop {
        if !folder.exists() {
            made = Some(folder.to_owned());
        }
        prepare_folder(folder)?;
        // A link to a folder is not the folder.
        let place = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let locked = match File::open(&place) {
            Err(_) => None,
            Ok(open) => match lock(&open) {
                // Whoever held it may have removed it, and a third made another one.
                Ok(()) if !is_at(&open, &place) => continue,
                Ok(()) => Some(open),
                Err(TryLockError::Error(_)) => None,
                Err(TryLockError::WouldBlock) => {
                    if interrupted().load(Ordering::Relaxed) {
                        return Err(WorkError::Interrupted.into());
                    }
                    if !std::mem::replace(&mut told, true) {
                        screen::tell(&format!(
                            "{}: another judica writes here; waiting for it",
                            shown(folder)
                        ));
                    }
                    std::thread::sleep(LOOK);
                    continue;
                }
            },
        };
        return Ok(Held {
            made,
            _locked: locked,
        });
    }
}

/// Writes a file whole or not at all, and its folder if need be.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(write_atomic(path, bytes)?)
}

/// A path as it can be printed: names of files may hold what a terminal obeys.
pub fn shown(path: &Path) -> String {
    judica_report::visible(&path.display().to_string())
}
