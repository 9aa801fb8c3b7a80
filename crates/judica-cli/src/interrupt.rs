//! Ctrl-C: stop soon, leave nothing half-written and nobody running.

use std::ffi::OsString;
use std::io::{self, Read};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;

use judica_data::temporary::abandon_all;
use judica_model::exit_code::ExitCode;

use crate::{inside, screen};

/// How long work may take to stop by itself.
const GRACE: Duration = Duration::from_millis(700);
/// How long processes that were started here may take, which have the same grace.
const CHILDREN_GRACE: Duration = Duration::from_millis(3000);
/// How often it is looked whether they have ended.
const LOOK: Duration = Duration::from_millis(20);
/// How long the last words may take to reach whoever reads them.
const WORDS: Duration = Duration::from_millis(200);

/// Set by Ctrl-C or a polite kill; work looks at it between chunks.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// The words that start this program again, if it is not a file of its own.
static STARTED_BY: OnceLock<Vec<OsString>> = OnceLock::new();
/// Processes that were started here and are not known to have ended.
static CHILDREN: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// The flag that says that work must stop: that of the call for which this thread works,
/// else that of the program.
pub fn interrupted() -> Arc<AtomicBool> {
    match inside::here() {
        Some(call) => Arc::clone(&call.interrupted),
        None => Arc::clone(&INTERRUPTED),
    }
}

/// Says by which words the program is started, where that is not its own file: an
/// interpreter and what it must be told.
pub fn started_by(words: Vec<OsString>) {
    // Said twice it is the same.
    let _ = STARTED_BY.set(words);
}

/// A process of this program.
pub fn ourselves() -> io::Result<Command> {
    let Some([program, words @ ..]) = STARTED_BY.get().map(Vec::as_slice) else {
        return Ok(Command::new(std::env::current_exe()?));
    };
    let mut command = Command::new(program);
    command.args(words);
    Ok(command)
}

/// From now on an interruption is noticed, and ends the program if the work does not stop
/// by itself in time (it may be waiting for standard input, or for a full pipe).
pub fn watch() {
    // Without a handler Ctrl-C ends the process at once: final files are safe even then.
    drop(ctrlc::set_handler(stop));
}

/// Runs a process of our own to its end, which comes early if we are interrupted.
pub fn run(command: &mut Command) -> io::Result<Output> {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut started = children();
    if interrupted().load(Ordering::Relaxed) {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let mut child = command.spawn()?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let id = child.id();
    started.push(child);
    drop(started);
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let other = scope.spawn(|| err.as_mut().map(|err| err.read_to_end(&mut stderr)));
        out.as_mut()
            .map(|out| out.read_to_end(&mut stdout))
            .transpose()?;
        let read = other
            .join()
            .map_err(|_| io::Error::other("reading failed"))?;
        read.transpose()
    })?;
    // Nobody may be signalled under a number that is free again, so the child leaves the
    // list in the same moment in which it is known to have ended.
    loop {
        let mut started = children();
        let place = started.iter().position(|child| child.id() == id);
        let place = place.ok_or(io::ErrorKind::NotFound)?;
        if started[place].try_wait()?.is_some() {
            let status = started.swap_remove(place).wait()?;
            return Ok(Output {
                status,
                stdout,
                stderr,
            });
        }
        drop(started);
        std::thread::sleep(LOOK);
    }
}

fn children() -> MutexGuard<'static, Vec<Child>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stop() {
    INTERRUPTED.store(true, Ordering::Relaxed);
    end_children();
    std::thread::sleep(GRACE);
    // No temporary file can be made from here to the end.
    let _abandoned = abandon_all();
    // Whoever reads standard error may have stopped reading without closing it.
    let (said, heard) = mpsc::channel();
    std::thread::spawn(move || {
        screen::tell("interrupted; nothing half-written was left behind");
        said.send(())
    });
    let _ = heard.recv_timeout(WORDS);
    std::process::exit(i32::from(ExitCode::Interrupted.code()));
}

/// Asks children to end, as we were asked, so that they too leave nothing half-written;
/// then makes them.
fn end_children() {
    for child in children().iter() {
        ask_to_end(child);
    }
    let mut waited = Duration::ZERO;
    while waited < CHILDREN_GRACE && !all_ended() {
        std::thread::sleep(LOOK);
        waited += LOOK;
    }
    for child in children().iter_mut() {
        let _ = child.kill();
    }
}

fn all_ended() -> bool {
    let ended = |child: &mut Child| matches!(child.try_wait(), Ok(Some(_)));
    children().iter_mut().all(ended)
}

#[cfg(unix)]
fn ask_to_end(child: &Child) {
    // A child that is on the list has not been waited for, so its number is still its own.
    let child = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process(child, rustix::process::Signal::TERM);
}

#[cfg(not(unix))]
fn ask_to_end(_: &Child) {}
