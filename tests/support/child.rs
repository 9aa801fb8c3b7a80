//! A program that runs beside the test.

use std::process::{Child, Command};
use std::time::Duration;

/// Longer than any stop takes, short enough to notice one that does not come.
const SOON: Duration = Duration::from_secs(20);

/// Sends a signal.
#[track_caller]
pub fn signal(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status();
    assert!(sent.expect("kill").success());
}

/// Presses Ctrl-C.
#[track_caller]
pub fn interrupt(child: &Child) {
    signal(child, "-INT");
}

/// Waits for the end, but not for ever.
#[track_caller]
pub fn end(child: &mut Child) -> Option<i32> {
    let step = Duration::from_millis(20);
    for _ in 0..SOON.as_millis() / step.as_millis() {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status.code().unwrap_or(-1));
        }
        std::thread::sleep(step);
    }
    child.kill().expect("killed");
    child.wait().expect("waited");
    None
}
