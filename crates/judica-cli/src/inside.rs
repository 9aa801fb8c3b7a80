//! A command inside another program: nothing is printed, no signal is watched, and several
//! can run at once without disturbing each other.
//!
//! What belongs to one call hangs on the thread that runs its command, since commands speak,
//! show progress and look at the flag there.

use std::cell::RefCell;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;
use judica_data::memory::{self, Inputs};
use judica_data::work_error::WorkError;
use judica_model::exit_code::ExitCode;

use crate::caught;
use crate::failure::Failure;
use crate::help;

/// How often it is looked whether calls with another limit have ended.
const LOOK: Duration = Duration::from_millis(5);

/// What whoever calls a command shares with it while it runs.
#[derive(Default)]
pub struct Call {
    /// Set to stop the command soon.
    pub(crate) interrupted: Arc<AtomicBool>,
    /// What paths in the arguments mean that are no files.
    inputs: Option<Inputs>,
    shown: Mutex<Option<ProgressBar>>,
    printed: Mutex<Vec<u8>>,
    told: Mutex<Vec<String>>,
}

/// What a command said and found.
#[derive(Debug)]
pub struct Answer {
    /// What the program would exit with.
    pub code: ExitCode,
    /// What would stand on standard output.
    pub printed: Vec<u8>,
    /// What would be told on standard error.
    pub told: Vec<String>,
}

thread_local! {
    static HERE: RefCell<Option<Arc<Call>>> = const { RefCell::new(None) };
}

/// The call for which this thread works, if it is one.
pub fn here() -> Option<Arc<Call>> {
    HERE.with_borrow(Clone::clone)
}

impl Call {
    /// A call that this flag stops, to which these inputs are known.
    pub fn new(interrupted: Arc<AtomicBool>, inputs: Option<Inputs>) -> Self {
        Call {
            interrupted,
            inputs,
            ..Call::default()
        }
    }

    /// How far the command is: records evaluated, or bytes read.
    pub fn progress(&self) -> u64 {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.as_ref().map_or(0, ProgressBar::position)
    }

    /// From now on this says how far the command is.
    pub(crate) fn shows(&self, bar: &ProgressBar) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    }

    pub(crate) fn print(&self, bytes: &[u8]) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        printed.extend_from_slice(bytes);
    }

    pub(crate) fn tell(&self, text: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(text.to_owned());
    }
}

/// Runs the command that the arguments name (the program's name is not among them) on this
/// thread, and keeps what it would print.
pub fn call(
    arguments: impl IntoIterator<Item = OsString>,
    call: &Arc<Call>,
) -> Result<Answer, Failure> {
    let words = std::iter::once(OsString::from("judica")).chain(arguments);
    let code = match help::parse(words) {
        Ok(arguments) => {
            let _limit = Limit::hold(arguments.longest(), &call.interrupted)?;
            let work = || memory::among(call.inputs.clone(), || caught(arguments));
            within(Some(Arc::clone(call)), work)?
        }
        Err(said) if parsing_code(&said) == ExitCode::Done => {
            call.print(said.to_string().as_bytes());
            ExitCode::Done
        }
        Err(said) => return Err(Failure::Usage(said.to_string())),
    };
    let taken = |held: &Mutex<Vec<u8>>| {
        std::mem::take(&mut *held.lock().unwrap_or_else(PoisonError::into_inner))
    };
    let mut told = call.told.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Answer {
        code,
        printed: taken(&call.printed),
        told: std::mem::take(&mut *told),
    })
}

/// What it means that arguments could not be parsed: help that was asked for is no mistake.
pub fn parsing_code(said: &clap::Error) -> ExitCode {
    match said.exit_code() {
        0 => ExitCode::Done,
        _ => ExitCode::BadInput,
    }
}

/// Works for a call, if it is one: threads that a command starts are not known to do so.
pub fn within<T>(call: Option<Arc<Call>>, work: impl FnOnce() -> T) -> T {
    let _until = Until(HERE.replace(call));
    work()
}

/// Puts back what was there before, also where work panics.
struct Until(Option<Arc<Call>>);

impl Drop for Until {
    fn drop(&mut self) {
        HERE.set(self.0.take());
    }
}

/// The limit of lines is one for the process, so calls that want another one wait.
struct Limit;

/// The limit, and how many calls hold it.
static HELD: Mutex<(usize, usize)> = Mutex::new((0, 0));

impl Limit {
    fn hold(longest: usize, interrupted: &AtomicBool) -> Result<Limit, WorkError> {
        loop {
            let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
            if held.1 == 0 || held.0 == longest {
                *held = (longest, held.1 + 1);
                return Ok(Limit);
            }
            drop(held);
            if interrupted.load(Ordering::Relaxed) {
                return Err(WorkError::Interrupted);
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        HELD.lock().unwrap_or_else(PoisonError::into_inner).1 -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(words: &[&str], with: &Arc<Call>) -> Result<Answer, Failure> {
        call(words.iter().map(OsString::from), with)
    }

    #[test]
    fn what_would_be_printed_is_given() {
        let answer = called(
            &["rules", "--protocol", "flight", "--json"],
            &Arc::default(),
        );
        let answer = answer.unwrap();
        assert_eq!(answer.code, ExitCode::Done);
        assert!(serde_json::from_slice::<serde_json::Value>(&answer.printed).is_ok());
        let help = called(&["eval", "--help"], &Arc::default()).unwrap();
        assert!(help.printed.starts_with(b"Verify"), "{:?}", help.code);
        assert!(here().is_none());
    }

    #[test]
    fn what_is_wrong_is_said_and_ends_nothing() {
        let wrong = called(&["eval"], &Arc::default()).unwrap_err();
        assert_eq!(wrong.exit_code(), ExitCode::BadInput);
        assert!(wrong.to_string().contains("--protocol"), "{wrong}");
        let unknown = called(&["rules", "--protocol", "fligth"], &Arc::default()).unwrap_err();
        assert!(unknown.text(false).contains("`flight`"), "{unknown}");
    }

    #[test]
    fn calls_with_another_limit_wait_until_they_are_stopped() {
        let held = Limit::hold(1 << 20, &AtomicBool::new(false)).unwrap();
        let _same = Limit::hold(1 << 20, &AtomicBool::new(false)).unwrap();
        let stopped = Limit::hold(1 << 21, &AtomicBool::new(true));
        assert!(matches!(stopped, Err(WorkError::Interrupted)));
        drop(held);
    }
}
