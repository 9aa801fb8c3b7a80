use std::fs;
use std::path::PathBuf;

use super::*;

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.sqlite");
    (folder, path)
}

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn commits_are_synced_and_the_file_says_whose_it_is() {
    let (_folder, path) = place();
    let connection = open(&path).unwrap();
    assert_eq!(number(&connection, "PRAGMA synchronous"), 2);
    assert_eq!(number(&connection, "PRAGMA user_version"), 1);
    assert_eq!(number(&connection, "PRAGMA application_id"), APPLICATION_ID);
    let mode: String = connection
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
    // Also when it is opened again.
    drop(connection);
    assert_eq!(number(&open(&path).unwrap(), "PRAGMA synchronous"), 2);
}

#[test]
fn an_empty_file_is_a_new_cache() {
    let (_folder, path) = place();
    fs::write(&path, "").unwrap();
    assert_eq!(
        number(&open(&path).unwrap(), "SELECT count(*) FROM replies"),
        0
    );
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let (_folder, path) = place();
    let text = "these are my notes, not a cache\n".repeat(100);
    fs::write(&path, &text).unwrap();
    let error = open(&path).unwrap_err();
    assert!(matches!(error, CacheError::Damaged { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.starts_with(&format!("SYSTEM_ERROR: {}: ", path.display())),
        "{message}"
    );
    assert!(
        message.contains("deleting the file") && message.contains("paid"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_cache_with_broken_pages_is_named_and_left_alone() {
    let (_folder, path) = place();
    {
        let mut connection = open(&path).unwrap();
        let writing = connection.transaction().unwrap();
        for number in 0..2000 {
            let row = (format!("{number}"), "x".repeat(100));
            let sql =
                "INSERT INTO replies (key, prompt_hash, reply) VALUES (CAST(?1 AS BLOB), '', ?2)";
            writing.execute(sql, row).unwrap();
        }
        writing.commit().unwrap();
    }
    let whole = fs::read(&path).unwrap();
    let mut broken = whole.clone();
    // Page 1 stays, so that opening succeeds or fails by what is met later.
    broken[4096..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    let cut = whole[..whole.len() / 2].to_vec();
    for bytes in [broken, cut] {
        fs::write(&path, &bytes).unwrap();
        let met = open(&path).and_then(|connection| {
            let sql = "SELECT count(reply) FROM replies";
            connection
                .query_row(sql, [], |row| row.get::<_, i64>(0))
                .map_err(|e| CacheError::sqlite(&path, e))
        });
        assert!(matches!(met, Err(CacheError::Damaged { .. })), "{met:?}");
        assert!(path.exists());
    }
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let (_folder, path) = place();
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE history (url TEXT)")
        .unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    let error = open(&path).unwrap_err();
    assert!(matches!(error, CacheError::Foreign { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let (_folder, path) = place();
    open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 7)
        .unwrap();
    let before = fs::read(&path).unwrap();
    let error = open(&path).unwrap_err();
    let expected = CacheError::Newer {
        path: path.clone(),
        found: 7,
        known: 1,
    };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("format 7"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_older_file_is_brought_up_to_date_and_keeps_its_rows() {
    let (_folder, path) = place();
    let sql = "INSERT INTO replies (key, prompt_hash, reply) VALUES (x'00', 'h', 'r')";
    open(&path).unwrap().execute(sql, []).unwrap();
    let steps = [
        STEPS[0],
        "ALTER TABLE replies ADD COLUMN note TEXT NOT NULL DEFAULT 'old';",
    ];
    for _ in 0..2 {
        let connection = open_with(&path, &steps).unwrap();
        assert_eq!(number(&connection, "PRAGMA user_version"), 2);
        let sql = "SELECT count(*) FROM replies WHERE note = 'old' AND reply = 'r'";
        assert_eq!(number(&connection, sql), 1);
    }
    // A step that fails leaves the file at its format.
    let failing = [
        steps[0],
        steps[1],
        "CREATE TABLE extra (x); CREATE TABLE replies (x);",
    ];
    assert!(open_with(&path, &failing).is_err());
    let connection = open_with(&path, &steps).unwrap();
    let sql = "SELECT count(*) FROM sqlite_master WHERE name = 'extra'";
    assert_eq!(number(&connection, sql), 0);
}

#[test]
fn places_that_cannot_hold_a_cache_are_named() {
    let (folder, path) = place();
    let error = open(folder.path()).unwrap_err();
    assert!(matches!(error, CacheError::File { .. }), "{error}");
    fs::write(&path, "").unwrap();
    let error = open(&path.join("below/a/file")).unwrap_err();
    assert!(
        error.to_string().contains("cannot create its folder"),
        "{error}"
    );
}

#[test]
fn names_that_mean_something_to_sqlite_are_plain_files() {
    let (folder, _) = place();
    for name in [":memory:", "file:x?mode=memory", "a b", "ü?#%"] {
        let path = folder.path().join(name);
        drop(open(&path).unwrap());
        assert!(path.is_file(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_refused_before_anything_is_paid() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = place();
    drop(open(&path).unwrap());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let probe = fs::OpenOptions::new().write(true).open(&path);
    // An administrator may write everything; then there is nothing to refuse.
    if probe.is_err() {
        let error = open(&path).unwrap_err();
        assert!(error.to_string().contains("may not be written"), "{error}");
    }
    drop(folder);
}
