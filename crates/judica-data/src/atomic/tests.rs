use super::*;
use crate::error::DataErrorKind;
use crate::temporary::TEMPORARY_SUFFIX;

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
    let [temporary] = &names(dir.path())[..] else {
        panic!("one file")
    };
    assert!(temporary.ends_with(TEMPORARY_SUFFIX));
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
    let mut run = RunFiles::new(dir.path()).unwrap();
    run.stage_bytes("a.csv", b"a").unwrap();
    // A folder under the name of a file makes its rename fail.
    fs::create_dir(dir.path().join("a.csv")).unwrap();
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

#[cfg(unix)]
#[test]
fn links_are_followed_and_stay() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("far")).unwrap();
    write_atomic(&at("far/old"), b"old").unwrap();
    symlink("far/old", at("link")).unwrap();
    symlink("link", at("link_to_link")).unwrap();
    symlink("far/new", at("dangling")).unwrap();
    symlink("round", at("round")).unwrap();
    write_atomic(&at("link_to_link"), b"new").unwrap();
    write_atomic(&at("dangling"), b"new").unwrap();
    assert_eq!(names(&at("far")), ["new", "old"]);
    for name in ["link", "link_to_link", "dangling"] {
        assert!(fs::symlink_metadata(at(name)).unwrap().is_symlink());
        assert_eq!(fs::read(at(name)).unwrap(), b"new");
    }
    assert!(write_atomic(&at("round"), b"").is_err());
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_a_link_stays_one() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("run")).unwrap();
    fs::create_dir_all(at("store")).unwrap();
    symlink("../store/manifest", at("run/manifest.json")).unwrap();
    // First it leads to nothing, then to the manifest of an earlier run.
    for text in ["one", "two"] {
        let run = RunFiles::new(&at("run")).unwrap();
        let mut manifest = run.create("manifest.json").unwrap();
        write_bytes(&mut manifest, text.as_bytes()).unwrap();
        run.commit(manifest).unwrap();
        let link = fs::symlink_metadata(at("run/manifest.json")).unwrap();
        assert!(link.is_symlink(), "{text}");
        assert_eq!(fs::read(at("run/manifest.json")).unwrap(), text.as_bytes());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_is_not_written_into_a_device() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    std::os::unix::fs::symlink("/dev/null", &path).unwrap();
    let mut run = RunFiles::new(dir.path()).unwrap();
    let begun = run.create("a.csv").unwrap_err();
    let other = AtomicFile::create(&path).unwrap();
    for error in [begun, run.stage(other).unwrap_err()] {
        assert!(
            error.to_string().contains("a.csv: cannot write: a device"),
            "{error}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_written_to_and_stay() {
    write_atomic(Path::new("/dev/null"), b"gone").unwrap();
    let full = write_atomic(Path::new("/dev/full"), b"no").unwrap_err();
    assert_eq!(full.kind(), DataErrorKind::DiskFull);
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    write_atomic(&pipe, b"through").unwrap();
    assert_eq!(reader.join().unwrap(), b"through");
    assert_eq!(names(dir.path()), ["pipe"]);
    let socket = dir.path().join("socket");
    let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(write_atomic(&socket, b"").is_err());
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
    let long = "x".repeat(300);
    let error = AtomicFile::create(&dir.path().join(&long)).unwrap_err();
    assert!(error.to_string().contains("xxx: cannot write: "), "{error}");
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
        place: Place {
            given: PathBuf::from("out/big.bin"),
            target: dir.path().join("big.bin"),
            temporary: None,
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
