//! Folders of every kind.

use super::*;

fn tree(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    folder
}

#[test]
fn runs_are_folders_and_json_files_by_name() {
    let folder = tree(&[
        "b/x",
        "a.json",
        "a/output.json",
        "c.json.gz",
        "readme.md",
        ".h.json",
        ".git/x",
        "d.jsonl",
    ]);
    let found = list(folder.path()).unwrap();
    let names: Vec<&str> = found.runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["a", "a.json", "b", "c.json.gz"]);
    let stems: Vec<&str> = found.runs.iter().map(RunEntry::stem).collect();
    assert_eq!(stems, ["a", "a", "b", "c"]);
    assert_eq!(found.runs[2].output_name(), "b/output.json");
    assert_eq!(
        found.ignored.first(),
        [".git", ".h.json", "d.jsonl", "readme.md"]
    );
    assert!(found.links.is_empty());
}

#[test]
fn a_run_has_an_output_events_and_manifests() {
    let folder = tree(&[
        "r/output.json",
        "r/output.json.gz",
        "r/events.jsonl.zst",
        "r/log.txt",
        "r/manifests/a.json",
        "r/manifests/a-b.json",
        "r/manifests/note.txt",
        "r/manifests/deep/c.json",
    ]);
    let runs = list(folder.path()).unwrap().runs;
    let files = runs[0].files().unwrap();
    assert!(matches!(&files.output, MaybeFile::Here(file) if file.name == "r/output.json"));
    assert!(matches!(&files.events, MaybeFile::Here(file) if file.name == "r/events.jsonl.zst"));
    let manifests = files.manifests.unwrap();
    assert_eq!(manifests.of("a"), Some(OsStr::new("a.json")));
    assert_eq!(manifests.of("a-b"), Some(OsStr::new("a-b.json")));
    for absent in ["c", "deep/c", "../r/output", "a.json", "note", ""] {
        assert_eq!(manifests.of(absent), None);
    }
}

#[cfg(unix)]
#[test]
fn links_are_named_and_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = tree(&["r/manifests/a.json", "q/x"]);
    let at = |name: &str| folder.path().join(name);
    symlink("a.json", at("r/manifests/b.json")).unwrap();
    symlink("/etc/passwd", at("r/output.json")).unwrap();
    symlink("/", at("outside")).unwrap();
    symlink("r", at("inside.json")).unwrap();
    symlink("nowhere", at("q/manifests")).unwrap();
    let found = list(folder.path()).unwrap();
    assert_eq!(found.links.first(), ["inside.json", "outside"]);
    let [q, r] = [0, 1].map(|at| found.runs[at].files().unwrap());
    assert_eq!(r.output, MaybeFile::NotAFile("r/output.json".to_owned()));
    assert_eq!(r.links.first(), ["r/manifests/b.json", "r/output.json"]);
    assert_eq!(r.manifests.unwrap().of("b"), None);
    assert!(q.manifests.is_none() && q.output == MaybeFile::Nowhere);
    assert_eq!(q.links.first(), ["q/manifests"]);
}

#[test]
fn the_folder_must_be_one() {
    let folder = tree(&["a.json"]);
    for (name, reason) in [("none", "no such folder"), ("a.json", "is a file")] {
        let error = list(&folder.path().join(name)).unwrap_err().to_string();
        assert!(
            error.starts_with("SYSTEM_ERROR") && error.contains(reason),
            "{error}"
        );
    }
}
