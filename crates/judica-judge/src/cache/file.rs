//! The file of a cache: how it is opened, laid out and brought up to date.
//!
//! Durability: write-ahead log with `synchronous = FULL`, so every commit is synced to the
//! disk. `NORMAL` would survive the end of the process as well, but lose the last commits
//! in a power cut; a sync costs 0.1 to 10 ms, a reply takes longer and costs money, and
//! replies that arrive together share one commit.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::error::CacheError;

/// "judi" in ASCII: marks the file as ours among all SQLite files.
const APPLICATION_ID: i64 = 0x6a75_6469;
/// How long to wait for another process. Its transactions take milliseconds, unless its
/// disk is busy.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often opening is tried while another process makes or recovers the same file,
/// which SQLite reports at once instead of waiting.
const OPENING_ATTEMPTS: u32 = 100;
const OPENING_PAUSE: Duration = Duration::from_millis(50);

/// The step at `n` takes a file from format `n` to `n + 1`; format 0 is an empty file.
/// Steps are only ever added, so that every old file can be brought up to date.
const STEPS: &[&str] = &["
    CREATE TABLE replies (
        sequence INTEGER PRIMARY KEY,     -- the order in which questions were first answered
        key BLOB NOT NULL UNIQUE,         -- SHA-256 of question and endpoint
        prompt_hash TEXT NOT NULL,
        reply TEXT NOT NULL               -- JSON
    ) STRICT;
"];

/// Opens a cache file for reading and writing.
pub(super) fn open(path: &Path) -> Result<Connection, CacheError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|e| CacheError::file(path, format!("cannot create its folder: {e}")))?;
    }
    let mut attempts = 1;
    loop {
        match open_with(path, STEPS) {
            Err(CacheError::Locked { .. }) if attempts < OPENING_ATTEMPTS => {
                attempts += 1;
                std::thread::sleep(OPENING_PAUSE);
            }
            opened => return opened,
        }
    }
}

fn open_with(path: &Path, steps: &[&str]) -> Result<Connection, CacheError> {
    // Without the dot, names like ":memory:" would mean something else than a file.
    let name = Path::new(".").join(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(name, flags).and_then(|mut connection| {
        connection.busy_timeout(PATIENCE)?;
        let state = prepare(&mut connection, steps)?;
        Ok((connection, state))
    });
    let (connection, state) = opened.map_err(|e| CacheError::sqlite(path, e))?;
    match state {
        State::Ready => Ok(connection),
        State::Foreign => Err(CacheError::Foreign {
            path: path.to_owned(),
        }),
        State::ReadOnly => Err(CacheError::file(path, "it may not be written")),
        State::Newer { found, known } => Err(CacheError::Newer {
            path: path.to_owned(),
            found,
            known,
        }),
    }
}

enum State {
    Ready,
    Foreign,
    ReadOnly,
    Newer { found: i64, known: i64 },
}

fn prepare(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<State> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    // Looked at before anything is written: a file that is not ours stays as it is. One
    // transaction, so that a file which another process makes is not seen half made.
    let reading = connection.transaction()?;
    let state = look(&reading, known)?;
    reading.finish()?;
    if !matches!(state, State::Ready) {
        return Ok(state);
    }
    if connection.is_readonly("main")? {
        return Ok(State::ReadOnly);
    }
    // Where the file system cannot have a shared log, SQLite keeps its rollback journal,
    // which is as safe and only slower.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    // On macOS a plain sync leaves data in the disk's own memory. Elsewhere no effect.
    connection.pragma_update(None, "fullfsync", true)?;
    // In KiB. Keys are hashes, so lookups jump about in their index; with the usual 2 MB
    // most of it would be read again and again. 32 MB hold that of half a million replies.
    connection.pragma_update(None, "cache_size", -32_768)?;
    bring_up_to_date(connection, steps, known)
}

fn look(connection: &Connection, known: i64) -> rusqlite::Result<State> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let found = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let objects = number("SELECT count(*) FROM sqlite_master")?;
    let empty = found == 0 && application == 0 && objects == 0;
    Ok(match () {
        () if application != APPLICATION_ID && !empty => State::Foreign,
        () if found > known => State::Newer { found, known },
        () => State::Ready,
    })
}

fn bring_up_to_date(
    connection: &mut Connection,
    steps: &[&str],
    known: i64,
) -> rusqlite::Result<State> {
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Again, now that nobody else can change it: another process may have been first.
    let state = look(&writing, known)?;
    if matches!(state, State::Ready) {
        let found: i64 = writing.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let done = usize::try_from(found).unwrap_or(0);
        if done < steps.len() {
            for step in &steps[done..] {
                writing.execute_batch(step)?;
            }
            writing.pragma_update(None, "application_id", APPLICATION_ID)?;
            writing.pragma_update(None, "user_version", known)?;
        }
    }
    writing.commit()?;
    Ok(state)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
