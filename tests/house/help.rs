//! `--help`: commands in groups, examples that work as they are shown; and `--version`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::chat_server::{Answer, Server};
use crate::support::child::interrupt;
use crate::support::{JUDICA, Place};

pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The commands of a list in a help text, each below its heading.
pub fn listed(help: &str) -> Vec<(String, String)> {
    let mut heading = String::new();
    let mut found = Vec::new();
    let lines = help.lines().skip_while(|line| !line.starts_with("Usage"));
    for line in lines.skip(1).take_while(|line| *line != "Options:") {
        match (line.strip_suffix(':'), line.split_whitespace().next()) {
            (Some(name), _) => heading = name.to_owned(),
            (_, Some(name)) if line.starts_with("  ") && !line.starts_with("   ") => {
                found.push((heading.clone(), name.to_owned()));
            }
            _ => {}
        }
    }
    found
}

/// The words that name each command, below others too.
fn commands(place: &Place) -> Vec<String> {
    let help = |path: &str| place.judica(&format!("{path} --help")).exits(0).stdout;
    let mut found = Vec::new();
    for (_, name) in listed(&help("")) {
        let below = listed(&help(&name)).into_iter();
        let below = below.filter(|(heading, sub)| heading == "Commands" && sub != "help");
        found.extend(below.map(|(_, sub)| format!("{name} {sub}")));
        found.push(name);
    }
    found
}

/// The examples at the end of a help text, each as it would be typed.
#[track_caller]
fn examples(help: &str) -> Vec<String> {
    let (_, shown) = help.split_once("\nExamples:\n").expect("examples");
    let mut found: Vec<String> = Vec::new();
    for line in shown.lines() {
        let line = line.strip_prefix("  ").expect("nothing after the examples");
        match found.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => last.push_str(&format!("\n{line}")),
            None => found.push(line.to_owned()),
        }
    }
    found
}

/// A place with the documentation and its examples, as the root of a clone has them.
pub fn with_docs() -> Place {
    let place = Place::new();
    let copied = Command::new("cp")
        .args(["-r", "--", &format!("{ROOT}/docs")])
        .arg(place.path("docs"))
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    place
}

/// A shell in the place, with the program on its path.
pub fn shell(place: &Place, line: &str) -> Command {
    let mut command = Command::new("sh");
    let folder = Path::new(JUDICA).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    command
        .args(["-c", line])
        .env("PATH", std::env::join_paths(paths).expect("a path"))
        .current_dir(place.path("."));
    command
}

/// Pages are served until Ctrl-C.
fn served(place: &Place, line: &str) -> Option<i32> {
    let mut viewer = shell(place, &format!("exec {line} --no-open --port 0"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut first = String::new();
    let mut said = BufReader::new(viewer.stdout.take().expect("its output"));
    said.read_line(&mut first).expect("a line");
    assert!(first.starts_with("http://127.0.0.1:"), "{line}: {first}");
    interrupt(&viewer);
    viewer.wait().expect("an end").code()
}

#[test]
fn every_example_works_as_it_is_shown() {
    let server = Server::start(|_, _| Answer::says(r#"{"reasoning": "…", "correct": "yes"}"#));
    let all = commands(&Place::new());
    assert!(all.len() > 30, "{all:?}");
    for name in all {
        let place = with_docs();
        let help = place.judica(&format!("{name} --help")).exits(0).stdout;
        let shown = examples(&help);
        assert!((1..=3).contains(&shown.len()), "{name}: {shown:?}");
        for line in shown {
            let expected = match line.split_once("# exits ") {
                Some((_, code)) => code.parse().expect("a code"),
                None => 0,
            };
            if line.starts_with("judica view ") {
                assert_eq!(served(&place, &line), Some(expected), "{line}");
                continue;
            }
            // What answers on that port here is nobody's business.
            let line = line.replace("http://localhost:11434/v1", &server.base_url());
            let ran = shell(&place, &line).output().expect("a shell");
            let said = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(ran.status.code(), Some(expected), "{name}: {line}\n{said}");
        }
    }
    assert!(!server.requests().is_empty(), "no judge was asked");
}

/// The page lists the commands as the program does.
#[test]
fn the_page_of_commands_has_the_same_groups() {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/commands.md")).expect("the page");
    let (_, list) = page.split_once("## The commands\n").expect("the list");
    let list = list.split("\n## ").next().unwrap_or_default();
    let mut group = "";
    let mut found = Vec::new();
    for row in list.lines().filter(|line| line.starts_with('|')).skip(2) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if !cells[1].is_empty() {
            group = cells[1];
        }
        let name = cells[2].trim_start_matches('[').split(']').next();
        found.push((group.to_owned(), name.unwrap_or_default().to_owned()));
    }
    let help = Place::new().judica("--help").exits(0).stdout;
    assert_eq!(found, listed(&help));
}

/// In a checkout with git the commit is there, and it is the commit's date that is.
#[test]
fn the_version_names_the_commit() {
    let place = Place::new();
    let version = place.judica("--version").exits(0).stdout;
    assert_eq!(place.judica("-V").exits(0).stdout, version);
    let number = env!("CARGO_PKG_VERSION");
    let git = |words: &[&str]| {
        let said = Command::new("git").args(words).current_dir(ROOT).output();
        let said = said.ok().filter(|said| said.status.success());
        said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["log", "-1", "--abbrev=7", "--format=%h %cs"]) else {
        assert_eq!(version, format!("judica {number}\n"));
        return;
    };
    assert_eq!(version, format!("judica {number} ({commit})\n"));
    // What is compared byte by byte knows of no commit.
    place.write("p.jsonl", r#"{"id": 1, "gold": "a", "prediction": "a"}"#);
    place.judica("match --predictions p.jsonl --run r").exits(0);
    assert_eq!(place.json("r/manifest.json")["judica_version"], number);
}
