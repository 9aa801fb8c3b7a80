//! Files that commands write.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use judica_data::atomic::{prepare_folder, write_atomic};
use judica_data::json::json_bytes;
use judica_verify::error::EvalError;
use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::screen;

/// How often it is looked whether a folder is free.
const LOOK: Duration = Duration::from_millis(50);

/// Writes the JSON report to a file, if one was named.
pub fn write_report(path: Option<&Path>, report: &impl Serialize) -> Result<(), Failure> {
    match path {
        Some(path) => write(path, &json_bytes(report)),
        None => Ok(()),
    }
}

/// Holds a folder that several files are written to, so that two programs at once do not
/// mix theirs: the second waits for the first. Held until what is given back is dropped.
pub fn hold(folder: &Path) -> Result<Option<File>, Failure> {
    prepare_folder(folder)?;
    // Not every system can open or lock a folder.
    let Ok(open) = File::open(folder) else {
        return Ok(None);
    };
    let mut told = false;
    loop {
        match open.try_lock() {
            Ok(()) => return Ok(Some(open)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
        }
        if INTERRUPTED.load(Ordering::Relaxed) {
            return Err(EvalError::Interrupted.into());
        }
        if !std::mem::replace(&mut told, true) {
            screen::tell(&format!(
                "{}: another judica writes here; waiting for it",
                shown(folder)
            ));
        }
        std::thread::sleep(LOOK);
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
