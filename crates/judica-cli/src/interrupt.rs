//! Ctrl-C: stop soon, leave nothing half-written.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};
use std::time::Duration;

use judica_data::atomic::sweep_stale;
use judica_model::exit_code::ExitCode;

/// How long work may take to stop by itself.
const GRACE: Duration = Duration::from_millis(700);

/// Set by Ctrl-C or a polite kill; work looks at it between chunks.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Folders that are being written to.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static HANDLER: Once = Once::new();

/// From now on an interruption is noticed, and temporary files in `folder` are removed
/// if the work does not stop by itself in time (it may be waiting for standard input).
pub fn watch(folder: Option<&Path>) -> &'static AtomicBool {
    let mut folders = FOLDERS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    folders.extend(folder.map(Path::to_owned));
    // Without a handler Ctrl-C ends the process at once: final files are safe even then.
    HANDLER.call_once(|| drop(ctrlc::set_handler(stop)));
    &INTERRUPTED
}

fn stop() {
    INTERRUPTED.store(true, Ordering::Relaxed);
    std::thread::sleep(GRACE);
    for folder in FOLDERS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .iter()
    {
        // There is nobody left to tell if this fails.
        let _ = sweep_stale(folder);
    }
    crate::screen::tell("interrupted; nothing half-written was left behind");
    std::process::exit(i32::from(ExitCode::Interrupted.code()));
}
