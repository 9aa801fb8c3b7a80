//! One process of a program: all of its input written, all of its output read, however it
//! behaves, within its time and a bounded memory.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use judica_data::work_error::WorkError;

/// Bytes that a program may print for a batch.
const MOST_PRINTED: usize = 64 << 20;
/// Bytes of what a program says to people that are kept: the last ones.
const LAST_WORDS: usize = 1024;
/// Of these lines and characters are shown.
const SHOWN_LINES: usize = 3;
const SHOWN_CHARS: usize = 300;
/// How often a process is looked at while it works, and when it is about to end.
const LOOK: Duration = Duration::from_millis(50);
const NEAR_LOOK: Duration = Duration::from_millis(1);
/// What of the environment a program is given: where programs and its own libraries are, how
/// text is written, where temporary files go. Keys and passwords are not among them.
const ENVIRONMENT: [&str; 12] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TEMP",
    "SYSTEMROOT",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
];

/// What came to an end.
enum Ended {
    Printed(Vec<u8>),
    TooMuch,
    Words(Vec<u8>),
}

/// Runs a program in a folder, and gives what it printed, or why that cannot be trusted.
pub fn run(
    command: &[PathBuf],
    folder: &Path,
    input: Vec<u8>,
    timeout: Duration,
    interrupted: &AtomicBool,
) -> Result<Result<Vec<u8>, String>, WorkError> {
    let mut child = match start(command, folder) {
        Ok(child) => child,
        Err(error) => return Ok(Err(format!("it cannot be started: {error}"))),
    };
    let (ended, ends) = channel();
    // These threads end with their pipe. Nobody waits for them: a process that outlives the
    // program may hold on to one.
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read is none of our business.
        std::thread::spawn(move || stdin.write_all(&input));
    }
    if let Some(stdout) = child.stdout.take() {
        let ended = ended.clone();
        std::thread::spawn(move || {
            let mut printed = Vec::new();
            let most = MOST_PRINTED as u64 + 1;
            let read = stdout.take(most).read_to_end(&mut printed);
            ended.send(match read {
                Ok(_) if printed.len() > MOST_PRINTED => Ended::TooMuch,
                _ => Ended::Printed(printed),
            })
        });
    }
    if let Some(stderr) = child.stderr.take() {
        std::thread::spawn(move || ended.send(Ended::Words(last_words(stderr))));
    }
    let heard = hear(&mut child, &ends, timeout, interrupted);
    if heard.is_err() {
        kill(&mut child);
    }
    let Heard {
        printed,
        words,
        status,
    } = match heard {
        Ok(heard) => heard,
        Err(None) => return Err(WorkError::Interrupted),
        Err(Some(why)) => return Ok(Err(why)),
    };
    if status.success() {
        return Ok(Ok(printed));
    }
    let how = match status.code() {
        Some(code) => format!("it ended with exit code {code}"),
        None => "it was ended by a signal".to_owned(),
    };
    Ok(Err(match shown(&words) {
        words if words.is_empty() => how,
        words => format!("{how}, and said: {words}"),
    }))
}

struct Heard {
    printed: Vec<u8>,
    words: Vec<u8>,
    status: ExitStatus,
}

/// Waits until a process has said everything and ended; `Err` says why it is to be ended, of
/// an interruption nothing.
fn hear(
    child: &mut Child,
    ends: &Receiver<Ended>,
    timeout: Duration,
    interrupted: &AtomicBool,
) -> Result<Heard, Option<String>> {
    let (mut printed, mut words) = (None, None);
    let mut waited = Duration::ZERO;
    loop {
        // Time is counted by the looks: no clock is needed that could show in a result.
        let said_all = printed.is_some() && words.is_some();
        let look = if said_all {
            NEAR_LOOK
        } else {
            LOOK.min(timeout)
        };
        match ends.recv_timeout(look) {
            Ok(Ended::Printed(all)) => printed = Some(all),
            Ok(Ended::Words(all)) => words = Some(all),
            Ok(Ended::TooMuch) => {
                let most = MOST_PRINTED >> 20;
                return Err(Some(format!("it printed more than {most} MiB")));
            }
            Err(RecvTimeoutError::Timeout) => waited += look,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(look);
                waited += look;
            }
        }
        if let (Some(all), Some(said)) = (&mut printed, &mut words)
            && let Some(status) = child.try_wait().map_err(|error| Some(error.to_string()))?
        {
            return Ok(Heard {
                printed: std::mem::take(all),
                words: std::mem::take(said),
                status,
            });
        }
        if interrupted.load(Ordering::Relaxed) {
            return Err(None);
        }
        if waited >= timeout {
            let seconds = timeout.as_secs_f64();
            return Err(Some(format!("it took longer than {seconds} s")));
        }
    }
}

fn start(command: &[PathBuf], folder: &Path) -> std::io::Result<Child> {
    let mut process = Command::new(&command[0]);
    process
        .args(&command[1..])
        .current_dir(folder)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in ENVIRONMENT {
        if let Some(value) = std::env::var_os(name) {
            process.env(name, value);
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // What it starts can be ended with it, and Ctrl-C is ours to hear.
        process.process_group(0);
    }
    process.spawn()
}

/// Ends a process, and what it started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        // It has not been waited for, so its number is still its own.
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// All of it is read, and the end of it kept.
fn last_words(mut stderr: impl Read) -> Vec<u8> {
    let (mut last, mut some) = (Vec::new(), [0; 8192]);
    while let Ok(read @ 1..) = stderr.read(&mut some) {
        last.extend_from_slice(&some[..read]);
        last.drain(..last.len().saturating_sub(LAST_WORDS));
    }
    last
}

/// The last lines of what was said, on one.
fn shown(words: &[u8]) -> String {
    let words = String::from_utf8_lossy(words);
    let lines: Vec<&str> = words.lines().map(str::trim).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let text: Vec<char> = last.join(" | ").chars().map(visible).collect();
    text[text.len().saturating_sub(SHOWN_CHARS)..]
        .iter()
        .collect()
}

/// Whether there is such a program: a file, or a name on the PATH.
pub fn can_be_found(program: &Path) -> bool {
    if program.components().count() > 1 || program.is_absolute() {
        return program.is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path);
    folders.any(|folder| {
        folder.join(program).is_file() || folder.join(program).with_extension("exe").is_file()
    })
}
