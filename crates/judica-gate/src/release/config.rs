//! What is to be run.
//!
//! ```toml
//! version = 1
//! name = "assistant 2.3"
//!
//! [[step]]
//! name = "consistency"                          # unique
//! run = "agree pairs --pairs eval/pairs.jsonl"  # a judica command; or a list of words
//! report = "release/consistency.json"           # optional: where its JSON is kept
//! gates = "gates/consistency.toml"              # optional: gates to hold it against
//! baseline = "main/consistency.json"            # optional: for gates that compare
//! ```
//!
//! Paths are relative to the folder of the file. `--json` is added to every step.
//!
//! At least one step holds gates, its command's own or those of a file: a release that
//! nothing could stop is no test of anything.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use judica_data::source::read_by_hand;
use judica_data::work_error::WorkError;
use serde::Deserialize;

use super::default_report;

/// The only version there is.
const VERSION: u32 = 1;

/// A release to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What is released.
    pub name: String,
    /// The folder that paths are relative to.
    pub folder: PathBuf,
    /// What is run, in this order.
    pub steps: Vec<Step>,
}

/// One evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// The command, word by word, without the program's name.
    pub run: Vec<String>,
    /// Where its report is kept.
    pub report: PathBuf,
    /// Gates to hold it against.
    pub gates: Option<PathBuf>,
    /// An older report to compare with.
    pub baseline: Option<PathBuf>,
    /// Whether its command holds gates of its own.
    pub holds_gates: bool,
}

/// What a command is to a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// One with gates of its own.
    Gates,
    /// Another release.
    Release,
    /// Any other.
    Else,
}

/// What words run that no command understands: they will not be run, and are told then.
fn by_words(words: &[String]) -> Runs {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["agree", "pairs", ..] | ["gate", "golden" | "check", ..] => Runs::Gates,
        ["release", ..] => Runs::Release,
        _ => Runs::Else,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    name: String,
    #[serde(default, rename = "step")]
    steps: Vec<toml::Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    run: Words,
    report: Option<PathBuf>,
    gates: Option<PathBuf>,
    baseline: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Line(String),
    List(Vec<String>),
}

impl Config {
    /// Reads a config; every mistake is told with its place. `runs` says what the words of a
    /// step run, if they can be run: options of all commands may stand before the command.
    pub fn load(
        path: &Path,
        runs: impl Fn(&[String]) -> Option<Runs>,
    ) -> Result<Config, WorkError> {
        let text = String::from_utf8(read_by_hand(path)?)
            .map_err(|_| WorkError::BadInput(format!("{}: not UTF-8", path.display())))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        parse(&path.display().to_string(), &text, folder, runs).map_err(WorkError::BadInput)
    }
}

fn parse(
    file: &str,
    text: &str,
    folder: PathBuf,
    runs: impl Fn(&[String]) -> Option<Runs>,
) -> Result<Config, String> {
    let place = |start: usize, message: &str| {
        let before = text.get(..start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!("{file}:{line}:{column}: {message}")
    };
    let parsed: File = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        place(start, error.message())
    })?;
    if parsed.version != VERSION {
        let message = format!(
            "version {} is not known; there is version 1",
            parsed.version
        );
        return Err(place(0, &message));
    }
    if parsed.steps.is_empty() {
        return Err(place(0, "a release needs at least one [[step]]"));
    }
    let mut names = BTreeSet::new();
    let mut reports = BTreeSet::new();
    let mut steps = Vec::new();
    for spanned in parsed.steps {
        let start = spanned.span().start;
        let step = step(spanned.into_inner(), &runs).map_err(|message| place(start, &message))?;
        if !names.insert(step.name.clone()) {
            let message = format!("a step called `{}` was there before", step.name);
            return Err(place(start, &message));
        }
        if !reports.insert(step.report.clone()) {
            let message = format!("`{}` is another step's report", step.report.display());
            return Err(place(start, &message));
        }
        steps.push(step);
    }
    if !steps
        .iter()
        .any(|step| step.gates.is_some() || step.holds_gates)
    {
        let message = "no step holds a gate, so that this release would pass whatever it finds; \
                       give a step `gates`, or run `agree pairs`, `gate golden` or `gate check`";
        return Err(place(0, message));
    }
    Ok(Config {
        name: parsed.name,
        folder,
        steps,
    })
}

fn step(entry: Entry, runs: impl Fn(&[String]) -> Option<Runs>) -> Result<Step, String> {
    let run: Vec<String> = match entry.run {
        Words::Line(line) => line.split_whitespace().map(str::to_owned).collect(),
        Words::List(words) => words,
    };
    // It is added to every step, and may not be there twice.
    let run: Vec<String> = run.into_iter().filter(|word| word != "--json").collect();
    match run.first().map(String::as_str) {
        None => return Err(format!("step `{}` runs nothing", entry.name)),
        Some("judica") => {
            return Err("`run` is a judica command without the program's name".to_owned());
        }
        Some(_) => {}
    }
    let runs = runs(&run).unwrap_or_else(|| by_words(&run));
    if runs == Runs::Release {
        return Err("a release cannot run a release".to_owned());
    }
    if entry.name.trim().is_empty() {
        return Err("a step needs a name".to_owned());
    }
    if entry.baseline.is_some() && entry.gates.is_none() {
        return Err(format!("step `{}` has a baseline but no gates", entry.name));
    }
    Ok(Step {
        report: entry.report.unwrap_or_else(|| default_report(&entry.name)),
        name: entry.name,
        run,
        gates: entry.gates,
        baseline: entry.baseline,
        holds_gates: runs == Runs::Gates,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Config, String> {
        parse("r.toml", text, PathBuf::from("f"), |_| None)
    }

    #[test]
    fn a_config_is_read() {
        let config = parsed(
            "version = 1\nname = \"x\"\n[[step]]\nname = \"a b\"\nrun = \"agree pairs --pairs p\"\n\
             [[step]]\nname = \"c\"\nrun = [\"eval\", \"a b\"]\nreport = \"c.json\"\ngates = \"g.toml\"\n",
        )
        .unwrap();
        assert_eq!(config.steps[0].run, ["agree", "pairs", "--pairs", "p"]);
        assert_eq!(config.steps[0].report, Path::new("release/a-b.json"));
        assert_eq!(config.steps[1].run, ["eval", "a b"]);
        assert_eq!(config.steps[1].gates, Some(PathBuf::from("g.toml")));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let head = "version = 1\nname = \"x\"\n";
        let step = "[[step]]\nname = \"a\"\nrun = \"eval\"\n";
        for (text, place, word) in [
            ("name = \"x\"\n".to_owned(), "r.toml:1", "version"),
            (
                "version = 2\nname = \"x\"\n".to_owned(),
                "r.toml:1:1",
                "version 2",
            ),
            (head.to_owned(), "r.toml:1:1", "at least one"),
            (format!("{head}{step}nme = 1\n"), "r.toml:6:1", "nme"),
            (format!("{head}{step}{step}"), "r.toml:6:1", "`a` was there"),
            (
                format!("{head}[[step]]\nname = \"a\"\nrun = \"\"\n"),
                "r.toml:3:1",
                "nothing",
            ),
            (
                format!("{head}[[step]]\nname = \"a\"\nrun = \"release\"\n"),
                "r.toml:3:1",
                "cannot",
            ),
            (
                format!("{head}{step}"),
                "r.toml:1:1",
                "no step holds a gate",
            ),
            (
                format!("{head}{step}baseline = \"b\"\n"),
                "r.toml:3:1",
                "no gates",
            ),
        ] {
            let error = parsed(&text).unwrap_err();
            assert!(error.starts_with(place) && error.contains(word), "{error}");
        }
    }
}
