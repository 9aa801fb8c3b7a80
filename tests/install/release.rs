//! `docs/ci/action/install.sh` against a release on loopback that `.ci/package` made: the right
//! archive is installed and runs, and nothing else is.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::support::{JUDICA, Place, Ran};
use crate::{ran, root};

/// A server of releases, as GitHub is one: it sends whoever asks for a file elsewhere.
struct Releases {
    at: String,
    /// What was asked for, the last part of each path.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Releases {
    /// Serves the files of a folder as those of release v1.2.3 of me/judica, until the process ends.
    fn of(folder: PathBuf) -> Releases {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (here, told) = (at.clone(), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(stream, &here, &folder, &told);
            }
        });
        Releases { at, asked }
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("asked"))
    }
}

fn answer(
    stream: TcpStream,
    at: &str,
    folder: &Path,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(&stream).lines();
    let first = lines.next().unwrap_or(Ok(String::new()))?;
    while lines
        .next()
        .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
    {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (status, header, body) = match path.strip_prefix("/me/judica/releases/download/v1.2.3/") {
        Some(name) => {
            asked.lock().expect("asked").push(name.to_owned());
            (
                "302 Found",
                format!("Location: {at}/stored/{name}\r\n"),
                Vec::new(),
            )
        }
        None => match path
            .strip_prefix("/stored/")
            .and_then(|name| std::fs::read(folder.join(name)).ok())
        {
            Some(bytes) => ("200 OK", String::new(), bytes),
            None => ("404 Not Found", String::new(), Vec::new()),
        },
    };
    let length = body.len();
    write!(
        &stream,
        "HTTP/1.1 {status}\r\n{header}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    (&stream).write_all(&body)
}

/// A folder `dist` with the archive of a target, made of a program, and its checksum.
fn released(target: &str, program: &Path) -> Place {
    let place = Place::new();
    ran(Command::new(root().join(".ci/package"))
        .arg(target)
        .arg(program)
        .env("DIST", place.path("dist")))
    .exits(0);
    // As the workflow writes them.
    let sums = ran(Command::new("sh")
        .args(["-c", "sha256sum -- *"])
        .current_dir(place.path("dist")));
    place.write("dist/SHA256SUMS", sums.exits(0).stdout);
    place
}

/// A program that is quick to pack.
fn small(place: &Place, words: &str) -> PathBuf {
    let path = place.write("small", format!("#!/bin/sh\n{words}\n"));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it may be run");
    path
}

fn install(place: &Place, releases: &Releases, variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new("sh");
    command
        .arg(root().join("docs/ci/action/install.sh"))
        .current_dir(place.path(""))
        .env("GITHUB_SERVER_URL", &releases.at)
        .env("JUDICA_REPOSITORY", "me/judica")
        .env("JUDICA_VERSION", "v1.2.3")
        .env("JUDICA_FOLDER", place.path("bin dir"))
        .env("NO_PROXY", "127.0.0.1")
        .env_remove("JUDICA");
    command.envs(variables.iter().copied());
    ran(&mut command)
}

/// The target of the machine that runs the tests.
fn here() -> String {
    let system = match cfg!(target_os = "macos") {
        true => "apple-darwin",
        false => "unknown-linux-musl",
    };
    format!("{}-{system}", std::env::consts::ARCH)
}

#[test]
fn the_program_of_a_release_is_installed_and_runs() {
    let place = released(&here(), Path::new(JUDICA));
    let releases = Releases::of(place.path("dist"));
    let path = place.path("github path").display().to_string();
    let kept = place.path("kept").display().to_string();
    let variables = [("GITHUB_PATH", path.as_str()), ("JUDICA_DOWNLOADS", &kept)];
    let version = concat!("judica ", env!("CARGO_PKG_VERSION"));
    install(&place, &releases, &variables)
        .exits(0)
        .says(&[version]);
    ran(Command::new(place.path("bin dir/judica")).arg("--version"))
        .exits(0)
        .says(&[version]);
    let folder = format!("{}\n", place.path("bin dir").display());
    assert_eq!(place.text("github path"), folder);
    let archive = format!("judica-{}.tar.gz", here());
    assert_eq!(releases.asked(), ["SHA256SUMS", &archive]);

    // What was kept is not downloaded again, and held against the checksums again, which are.
    install(&place, &releases, &variables).exits(0);
    assert_eq!(releases.asked(), ["SHA256SUMS"]);
    place.write(&format!("kept/{archive}"), "rotten");
    std::fs::remove_file(place.path("bin dir/judica")).expect("removed");
    install(&place, &releases, &variables)
        .exits(3)
        .complains(&["SHA-256"]);
    assert!(place.names("bin dir").is_empty());
    // Nor does it fail for ever; a version may be said without its letter.
    let plain = [&variables[..], &[("JUDICA_VERSION", "1.2.3")]].concat();
    install(&place, &releases, &plain).exits(0);
}

#[test]
fn what_is_not_what_was_released_is_not_installed() {
    let place = Place::new();
    let place = released(&here(), &small(&place, "echo judica 1"));
    let releases = Releases::of(place.path("dist"));
    let archive = format!("judica-{}.tar.gz", here());
    let sums = place.text("dist/SHA256SUMS");

    let turned: String = sums
        .chars()
        .map(|c| if c == 'a' { 'b' } else { c })
        .collect();
    let others = sums.replace(&archive, "judica-other.tar.gz");
    for (wrong, words) in [
        (turned, "is not what was released"),
        (others, "nothing of it"),
        (String::new(), "nothing of it"),
    ] {
        place.write("dist/SHA256SUMS", wrong);
        install(&place, &releases, &[])
            .exits(3)
            .complains(&[&archive, words]);
        assert!(!place.path("bin dir").exists());
    }

    // The sums are right, and what they are of is no archive with the program.
    place.write(&format!("dist/{archive}"), "no archive");
    let sums = ran(Command::new("sha256sum")
        .arg(&archive)
        .current_dir(place.path("dist")));
    place.write("dist/SHA256SUMS", sums.stdout);
    install(&place, &releases, &[])
        .exits(3)
        .complains(&["cannot be unpacked"]);

    // A missing file is said with its address.
    std::fs::remove_file(place.path("dist").join(&archive)).expect("removed");
    let told = format!("/me/judica/releases/download/v1.2.3/{archive}");
    install(&place, &releases, &[])
        .exits(3)
        .complains(&["cannot download", &told, "v1.2.3"]);
    install(&place, &releases, &[("JUDICA_VERSION", "v9.9.9")])
        .exits(3)
        .complains(&["v9.9.9/SHA256SUMS"]);
    assert!(place.names("bin dir").is_empty());
}

#[test]
fn a_program_that_does_not_start_is_not_installed_in_silence() {
    let place = Place::new();
    let place = released(&here(), &small(&place, "exit 126"));
    let releases = Releases::of(place.path("dist"));
    install(&place, &releases, &[])
        .exits(3)
        .complains(&["does not start"]);
}

/// Systems are told by `uname` alone, so that another one's words stand for it.
#[test]
fn every_system_has_its_archive() {
    for (system, machine, target, name) in [
        ("Linux", "x86_64", "x86_64-unknown-linux-musl", "judica"),
        ("Linux", "aarch64", "aarch64-unknown-linux-musl", "judica"),
        ("Darwin", "x86_64", "x86_64-apple-darwin", "judica"),
        ("Darwin", "arm64", "aarch64-apple-darwin", "judica"),
        (
            "MINGW64_NT-10.0-26100",
            "x86_64",
            "x86_64-pc-windows-msvc",
            "judica.exe",
        ),
    ] {
        let made = Place::new();
        let place = released(target, &small(&made, "echo judica 1"));
        let releases = Releases::of(place.path("dist"));
        let uname = format!("case $1 in -s) echo {system} ;; -m) echo {machine} ;; esac");
        std::fs::create_dir(place.path("tools")).expect("a folder");
        std::fs::rename(small(&place, &uname), place.path("tools/uname")).expect("renamed");
        let path = std::env::var_os("PATH").expect("a path");
        let path = format!("{}:{}", place.path("tools").display(), path.display());
        install(&place, &releases, &[("PATH", &path)]).exits(0);
        assert_eq!(place.names("bin dir"), [name], "{system} {machine}");
        // The workflow makes it, under that name.
        let workflow = root().join(".github/workflows/release.yml");
        let workflow = std::fs::read_to_string(workflow).expect("a workflow");
        assert!(workflow.contains(&format!("target: {target},")), "{target}");
    }
}

#[test]
fn what_is_not_said_is_asked_for() {
    let place = Place::new();
    let releases = Releases::of(place.path("none"));
    for (name, value, words) in [
        ("JUDICA_REPOSITORY", "", "OWNER/NAME"),
        ("JUDICA_VERSION", "main", "begins with"),
        ("JUDICA_VERSION", "v1/../v2", "no version"),
    ] {
        install(&place, &releases, &[(name, value)])
            .exits(2)
            .complains(&[words]);
    }
    // Without a version, what is on the PATH will do, and nothing is no success.
    let there = ("JUDICA", JUDICA);
    install(&place, &releases, &[("JUDICA_VERSION", ""), there])
        .exits(0)
        .says(&[JUDICA, "already"]);
    install(
        &place,
        &releases,
        &[("JUDICA_VERSION", ""), ("JUDICA", "no-such-program")],
    )
    .exits(2)
    .complains(&["no version is given"]);
    assert!(releases.asked().is_empty());
}
