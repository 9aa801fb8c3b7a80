//! The Python package: a virtual environment under `target/python`, the wheel built into it as
//! `pip install .` does, the suite beside this file, and a smoke test on every other Python.

#[path = "../support/mod.rs"]
mod support;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::needs::{Needs, on_path, say};
use support::{JUDICA, Place};

const REQUIREMENTS: &str = include_str!("requirements.txt");
const OLDEST: u32 = 10;

#[test]
fn the_suite_and_every_other_python() {
    let pythons = || Some(pythons()).filter(|found| !found.is_empty());
    let Some(pythons) = needs("no Python from 3.10 on with venv", &["python3-venv"]).met(pythons)
    else {
        return;
    };
    let java = needs("Spark needs Java 17", &["openjdk-17-jre-headless"]);
    // Without it the suite says which of its tests it skips.
    let _ = java.met(|| on_path("java"));
    let venv = match environment(&pythons[0].program) {
        Ok(venv) => venv,
        Err(told) => return needs(&told, &[]).missed(),
    };
    let wheel = wheel(&venv);
    let install = [
        "-m",
        "pip",
        "install",
        "-q",
        "--force-reinstall",
        "--no-deps",
    ];
    run(python(&venv).args(install).arg("--no-index").arg(&wheel));

    // The suite of the wheel, not of the folder beside which it stands.
    let mut suite = python(&venv);
    suite.args(["-m", "pytest", "tests/python", "-q", "-rs", "--durations=5"]);
    suite.args(["-p", "no:cacheprovider"]).env("JUDICA", JUDICA);
    say(&format!("\n{}\n", run(&mut suite)));
    run(Command::new(venv.join("bin/abi3audit"))
        .arg("--strict")
        .arg(&wheel));

    for other in &pythons[1..] {
        let folder = folder().join(format!("smoke-3.{}", other.minor));
        let _ = fs::remove_dir_all(&folder);
        run(Command::new(&other.program)
            .args(["-m", "venv"])
            .arg(&folder));
        run(python(&folder).args(install).arg("--no-index").arg(&wheel));
        run(python(&folder).arg("tests/python/smoke.py"));
        say(&format!("smoke test on Python 3.{}: passed\n", other.minor));
    }
}

/// The sources that a wheel is built from elsewhere are whole: cargo finds every crate in them.
#[test]
fn an_sdist_is_a_whole_workspace() {
    let Some(made) = pythons()
        .first()
        .and_then(|python| environment(&python.program).ok())
    else {
        return;
    };
    let place = Place::new();
    let folder = place.path("sdist");
    let mut maturin = Command::new(made.join("bin/maturin"));
    run(at_root(maturin.args(["sdist", "--out"]).arg(&folder)));
    let file = fs::read_dir(&folder).expect("a folder").next();
    let file = file.expect("an sdist").expect("its name").path();
    run(Command::new("tar")
        .arg("-xzf")
        .arg(file)
        .arg("-C")
        .arg(&folder));
    let root = folder.join(concat!("judica-", env!("CARGO_PKG_VERSION")));
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--offline", "--locked", "--format-version=1"]);
    run(metadata.current_dir(&root));
    for name in [
        "crates/judica-verify/protocols/flight.toml",
        "LICENSE-MIT",
        "crates/judica-py/python/judica/py.typed",
    ] {
        assert!(root.join(name).exists(), "{name}");
    }
}

fn needs<'a>(missing: &'a str, packages: &'a [&'a str]) -> Needs<'a> {
    Needs {
        suite: "the tests of the Python package",
        missing,
        variable: "JUDICA_PYTHON",
        packages,
    }
}

/// An interpreter.
struct Python {
    minor: u32,
    program: PathBuf,
}

/// Every minor version that is there and can make virtual environments, the one called `python3`
/// first.
fn pythons() -> Vec<Python> {
    let mut names: Vec<PathBuf> = vec!["python3".into()];
    names.extend((OLDEST..30).map(|minor| format!("python3.{minor}").into()));
    let home = std::env::home_dir().map(|home| home.join(".pyenv"));
    let pyenv = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or(home);
    let versions = pyenv.and_then(|pyenv| fs::read_dir(pyenv.join("versions")).ok());
    let mut versions: Vec<PathBuf> = versions
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin/python3")))
        .collect();
    versions.sort();
    names.extend(versions);
    let mut found: Vec<Python> = Vec::new();
    for name in names {
        let asks =
            "import sys, venv, ensurepip; print(*sys.version_info[:2]); print(sys.executable)";
        let Ok(said) = Command::new(&name).args(["-c", asks]).output() else {
            continue;
        };
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let mut lines = said.lines();
        let minor = lines
            .next()
            .and_then(|line| line.strip_prefix("3 ")?.parse().ok());
        let (Some(minor), Some(program)) = (minor, lines.next()) else {
            continue;
        };
        if minor >= OLDEST && found.iter().all(|one| one.minor != minor) {
            let program = PathBuf::from(program);
            found.push(Python { minor, program });
        }
    }
    found
}

fn folder() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    target.expect("a folder above").join("python")
}

/// The virtual environment with what the suite needs; one that has it already is left as it is.
fn environment(program: &Path) -> Result<PathBuf, String> {
    let venv = folder().join("venv");
    fs::create_dir_all(folder()).expect("a folder");
    let lock = fs::File::create(folder().join("lock")).expect("a lock");
    lock.lock().expect("the lock");
    let (stamp, made_of) = (
        venv.join("made-of.txt"),
        format!("{program:?}\n{REQUIREMENTS}"),
    );
    if fs::read_to_string(&stamp).is_ok_and(|found| found == made_of) {
        return Ok(venv);
    }
    tried(
        Command::new(program)
            .args(["-m", "venv", "--clear"])
            .arg(&venv),
    )?;
    let pip = [
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "-r",
    ];
    tried(python(&venv).args(pip).arg("tests/python/requirements.txt"))?;
    fs::write(stamp, made_of).expect("a stamp");
    Ok(venv)
}

/// Builds the wheel by the door of `pip install .`, with the crates of the tests themselves: cargo
/// lets go of its folder before it runs a test.
fn wheel(venv: &Path) -> PathBuf {
    let wheels = folder().join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let mut pip = python(venv);
    pip.args([
        "-m",
        "pip",
        "wheel",
        ".",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "-w",
    ]);
    pip.arg(&wheels).env("MATURIN_PEP517_ARGS", "--profile dev");
    // pip's python is asked for abi3 whatever runs it; its scripts are those of the environment.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(venv.join("bin")).chain(std::env::split_paths(&path));
    pip.env("PATH", std::env::join_paths(path).expect("a path"));
    pip.env("CARGO_TARGET_DIR", folder().parent().expect("target"));
    run(&mut pip);
    let built = fs::read_dir(wheels).expect("a folder").next();
    built.expect("a wheel").expect("its name").path()
}

fn python(venv: &Path) -> Command {
    let mut python = Command::new(venv.join("bin/python"));
    // Nothing of whoever runs the tests is taken for what was installed.
    python.env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    python
}

fn at_root(command: &mut Command) -> &mut Command {
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs a program to its end; gives what it printed.
#[track_caller]
fn run(command: &mut Command) -> String {
    tried(command).unwrap_or_else(|told| panic!("{told}"))
}

fn tried(command: &mut Command) -> Result<String, String> {
    if command.get_current_dir().is_none() {
        at_root(command);
    }
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    match done.status.success() {
        true => Ok(out),
        false => {
            let name = command.get_args().filter_map(OsStr::to_str);
            let name: Vec<&str> = name.collect();
            Err(format!("{}: {}\n{out}\n{err}", name.join(" "), done.status))
        }
    }
}
