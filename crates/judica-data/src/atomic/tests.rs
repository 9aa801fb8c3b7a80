use super::*;
use crate::error::DataErrorKind;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn appears_on_commit_only() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"hello").unwrap();
    assert_eq!(names(dir.path()), [".a.txt.judica-tmp"]);
    file.commit().unwrap();
    assert_eq!(names(dir.path()), ["a.txt"]);
    assert_eq!(fs::read(&path).unwrap(), b"hello");
    write_atomic(&path, b"again").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"again");
}

#[test]
fn dropping_keeps_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    write_atomic(&path, b"old").unwrap();
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"half").unwrap();
    drop(file);
    let staged = AtomicFile::create(&path).unwrap().stage().unwrap();
    assert_eq!(staged.final_path(), path);
    drop(staged);
    assert_eq!(names(dir.path()), ["a.txt"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_run_appears_with_its_manifest() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("deep/run");
    let mut run = RunFiles::new(&folder).unwrap();
    run.stage_bytes("b.csv", b"b").unwrap();
    let mut file = run.create("a.csv").unwrap();
    file.write_all(b"a").unwrap();
    run.stage(file).unwrap();
    let manifest = run.create("manifest.json").unwrap();
    assert!(names(&folder).iter().all(|n| n.ends_with(TEMPORARY_SUFFIX)));
    run.commit(manifest).unwrap();
    assert_eq!(names(&folder), ["a.csv", "b.csv", "manifest.json"]);
}

#[test]
fn a_failing_commit_leaves_no_manifest() {
    let dir = tempfile::tempdir().unwrap();
    write_atomic(&dir.path().join("manifest.json"), b"old").unwrap();
    // A folder under the name of a file makes its rename fail.
    fs::create_dir(dir.path().join("a.csv")).unwrap();
    let mut run = RunFiles::new(dir.path()).unwrap();
    run.stage_bytes("a.csv", b"a").unwrap();
    let manifest = run.create("manifest.json").unwrap();
    let error = run.commit(manifest).unwrap_err();
    assert!(error.path().ends_with("a.csv"), "{error}");
    assert!(error.is_environment());
    assert_eq!(names(dir.path()), ["a.csv"]);
}

#[test]
fn an_abandoned_run_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = RunFiles::new(dir.path()).unwrap();
    run.stage_bytes("a.csv", b"a").unwrap();
    drop(run);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn sweeping() {
    let dir = tempfile::tempdir().unwrap();
    let keep = ["a.judica-tmp", ".a", "a"];
    for name in keep.iter().chain(&[".b.judica-tmp", ".a.judica-tmp"]) {
        fs::write(dir.path().join(name), b"x").unwrap();
    }
    let swept = sweep_stale(dir.path()).unwrap();
    let expected = [".a.judica-tmp", ".b.judica-tmp"].map(|n| dir.path().join(n));
    assert_eq!(swept, expected);
    assert_eq!(names(dir.path()), [".a", "a", "a.judica-tmp"]);
    assert!(sweep_stale(&dir.path().join("none")).unwrap().is_empty());
}

#[test]
fn a_leftover_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".a.judica-tmp"), b"longer than the new").unwrap();
    write_atomic(&dir.path().join("a"), b"new").unwrap();
    assert_eq!(fs::read(dir.path().join("a")).unwrap(), b"new");
}

#[test]
fn errors_name_what_could_not_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    let error = prepare_folder(&file.join("run")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("file/run: cannot create the folder: "),
        "{error}"
    );
    let error = write_atomic(&dir.path().join("no/such"), b"").unwrap_err();
    assert!(
        error.to_string().contains("no/such: cannot write: "),
        "{error}"
    );
    assert_eq!(error.kind(), DataErrorKind::Io);
    assert_eq!(
        AtomicFile::create(Path::new("/")).unwrap_err().kind(),
        DataErrorKind::Io
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_is_named() {
    // Even root cannot create files here.
    let error = prepare_folder(Path::new("/proc")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("/proc: cannot write to the folder: "),
        "{error}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_called_so() {
    let dir = tempfile::tempdir().unwrap();
    let full = || AtomicFile {
        writer: BufWriter::with_capacity(16, File::create("/dev/full").unwrap()),
        durable: true,
        names: Names {
            temporary: dir.path().join("t"),
            last: PathBuf::from("out/big.bin"),
        },
    };
    let mut file = full();
    let error = file.write_all(&[0; 64]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(error.to_string(), "out/big.bin: disk full");
    let mut file = full();
    file.write_all(b"x").unwrap();
    let error = file.stage().unwrap_err();
    assert_eq!(error.kind(), DataErrorKind::DiskFull);
    assert_eq!(error.to_string(), "out/big.bin: disk full");
}
