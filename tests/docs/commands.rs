//! Every command of the README and the book runs, in the order of its page, in a folder that
//! holds no more than a clone would. What the page shows as its output is its output.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::page::{Fence, chapters, fences, files, root, text};
use crate::support::{JUDICA, Place, note};

/// Commands that are not run here, by how they begin, and why.
const ELSEWHERE: [(&str, &str); 22] = [
    ("cargo test", "is what runs this"),
    ("cargo build", "is done when this runs"),
    ("cargo install ", "builds a release, for minutes"),
    ("cargo bench ", "measures for minutes"),
    ("cargo deny ", "needs cargo-deny"),
    ("docker ", "tests/install does it"),
    (
        "JUDICA_",
        "downloads a release; tests/install does it, from a local one",
    ),
    (".ci/", "packs what was built for another system"),
    ("scripts/", "needs a release build, and minutes"),
    ("cargo mutants ", "builds for hours"),
    ("cd /tmp/failures", "is there once a campaign has failed"),
    ("judica synth flight --task S1 --samples 10000 ", "700 MB"),
    ("judica eval --protocol flight --samples million/", "700 MB"),
    ("time ", "measures"),
    ("pip install ", "tests/python does it, by the same door"),
    ("maturin ", "tests/python does it, through pip"),
    ("ssh ", "needs another machine"),
    ("export AZURE_OPENAI_API_KEY=", "needs Azure"),
    (
        "judica judge --predictions preds --api azure ",
        "needs Azure",
    ),
    ("inspect ", "another harness"),
    ("oaieval ", "another harness"),
    ("promptfoo ", "another harness"),
];

/// The stand-in for a model, on a port of its own.
struct Model {
    process: Child,
    port: u16,
}

impl Model {
    fn start() -> Option<Model> {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let process = Command::new("python3")
            .arg(root().join("docs/examples/answers/server.py"))
            .arg(port.to_string())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut process) = process else {
            note("python3 is not here, commands that ask a model were not run");
            return None;
        };
        // It says its address once it listens.
        let mut said = [0];
        let out = process.stdout.as_mut().expect("a pipe");
        std::io::Read::read_exact(out, &mut said).expect("the server speaks");
        Some(Model { process, port })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("a copy")),
        }
    }
}

/// The block as a test can run it: what is run elsewhere left out, servers ended, and exit codes
/// that are announced asked for. `None` if a model is needed and there is none.
fn script(fence: &Fence, model: Option<&Model>) -> Option<String> {
    let mut made = String::from("set -e\n");
    let console = fence.language == "console";
    for line in fence.body.replace("\\\n", " ").lines() {
        let line = match console {
            true => match line.strip_prefix("$ ") {
                Some(line) => line,
                None => continue,
            },
            false => line,
        };
        if ELSEWHERE.iter().any(|(start, _)| line.starts_with(start)) || line.contains("server.py")
        {
            continue;
        }
        let mut line = match line.strip_prefix("cargo run --release -- ") {
            Some(rest) => format!("judica {rest}"),
            None => line.to_owned(),
        };
        for address in ["localhost:11434", "127.0.0.1:8099"] {
            if line.contains(address) {
                line = line.replace(address, &format!("127.0.0.1:{}", model?.port));
            }
        }
        let line = match line.split_once("# exits ") {
            Some((command, code)) => {
                let code = &code[..1];
                format!("code=0; {{ {command}; }} || code=$?; test $code -eq {code}")
            }
            // Serves until it is told to stop; what cannot serve ends by itself, otherwise.
            None if line.starts_with("judica view ") => {
                let (command, _) = line.split_once(" #").unwrap_or((&line, ""));
                format!(
                    "code=0; timeout -s INT 2 {command} --no-open --port 0 || code=$?; test $code -eq 124"
                )
            }
            None => line,
        };
        made.push_str(&line);
        made.push('\n');
    }
    Some(made)
}

/// Runs what a page shows, and says what is wrong with it.
fn wrong(page: &str, model: Option<&Model>) -> String {
    let (text, place) = (text(page), Place::new());
    let mut wrong = String::new();
    copy(&root().join("docs"), &place.path("docs"));
    let folder = Path::new(JUDICA).parent().expect("a folder");
    let run = |script: &str| {
        let line = format!("PATH='{}':\"$PATH\"\n{script}", folder.display());
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(place.path(""))
            .env_remove("SOURCE_DATE_EPOCH")
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    // What the reader of a page has at hand stands in a script of the page's name.
    let before = page
        .replace("docs/", "tests/docs/before/")
        .replace(".md", ".sh");
    if let Ok(before) = fs::read_to_string(root().join(before)) {
        let folder = root().join("tests/docs/before");
        let (code, said) = run(&format!("set -e\nBEFORE='{}'\n{before}", folder.display()));
        assert_eq!(code, Some(0), "{page}, before its first command: {said}");
    }
    let mut said = None;
    for fence in fences(&text).0 {
        if fence.apart {
            said = None;
        }
        match fence.language.as_str() {
            "sh" | "console" => {
                let Some(script) = script(&fence, model) else {
                    return wrong;
                };
                let (code, output) = run(&script);
                if code != Some(0) {
                    let _ = writeln!(
                        wrong,
                        "{page}:{}: ends with {code:?}\n{script}{output}",
                        fence.line
                    );
                }
                said = Some(output);
            }
            // Shown output may be cut, but no line of it is made up.
            "text" => {
                let Some(said) = &said else { continue };
                let known: Vec<&str> = said.lines().map(str::trim).collect();
                for line in fence.body.lines().map(str::trim) {
                    if !known.contains(&line) && !["", "…"].contains(&line) {
                        let _ = writeln!(wrong, "{page}:{}: nobody said\n{line}", fence.line);
                    }
                }
            }
            // What follows is the output of another program.
            _ => said = None,
        }
    }
    wrong
}

#[test]
fn every_command_runs_and_says_what_is_shown() {
    let model = Model::start();
    let mut pages = chapters();
    pages.insert(0, "README.md".to_owned());
    // Made of `--help`, whose examples tests/house runs.
    pages.retain(|page| !page.starts_with("docs/book/src/reference/"));
    let (next, told) = (AtomicUsize::new(0), Mutex::new(String::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wrong = wrong(page, model.as_ref());
                    told.lock().expect("no panic").push_str(&wrong);
                }
            });
        }
    });
    let told = told.into_inner().expect("no panic");
    assert!(told.is_empty(), "{told}");
}

/// What is left out is said somewhere, and for a reason.
#[test]
fn no_exception_is_left_over() {
    let mut pages: Vec<String> = chapters();
    pages.push("README.md".to_owned());
    let shown: Vec<String> = pages
        .iter()
        .flat_map(|page| fences(&text(page)).0)
        .map(|fence| fence.body)
        .collect();
    for (start, why) in ELSEWHERE {
        let used = shown
            .iter()
            .flat_map(|body| body.lines())
            .any(|line| line.trim_start_matches("$ ").starts_with(start));
        assert!(used && !why.is_empty(), "{start}: {why}");
    }
    for script in files("tests/docs/before", ".sh") {
        let page = script
            .replace("tests/docs/before/", "docs/")
            .replace(".sh", ".md");
        assert!(pages.contains(&page), "{script} belongs to no page");
    }
}
