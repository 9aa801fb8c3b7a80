//! What a folder is.

use std::path::{Path, PathBuf};

use judica_data::foreign::fit::Fit;
use judica_data::foreign::head::FEW_BYTES;
use judica_data::listing::{self, Entry, entries};
use judica_data::work_error::WorkError;
use judica_import::open::harness_of;
use judica_model::table::counted;
use judica_model::text::{named, shell_path};
use judica_run::manifest::name::MANIFEST;
use judica_run::open::Run;
use judica_run::pieces;

use super::file::{self, fit};
use super::{Found, Held};

/// Files that are looked at.
pub const FILES: usize = 100;
/// Folders below that are looked into.
const DEPTH: usize = 3;

/// Looks at a folder, and at so many of its files.
pub fn look(path: &Path, most: usize) -> Result<Found, WorkError> {
    let mut found = Found {
        usable: true,
        ..Found::default()
    };
    found.fits.extend(whole(path));
    if !found.fits.is_empty() {
        if let Err(error) = run_is_whole(path) {
            found.notes.push(error.to_string());
        }
        return Ok(found);
    }
    let mut below = Below::default();
    let more = !below.walk(path, DEPTH, most)?;
    let files = &below.files;
    let mut kinds: Vec<(Fit, Vec<&PathBuf>)> = Vec::new();
    let mut held: Vec<Held> = Vec::new();
    let mut usable = false;
    for file in files {
        let looked = || file::look(file, FEW_BYTES).ok();
        let fit = whole(file).or_else(|| {
            let looked = looked()?;
            usable |= looked.usable;
            looked.fits.into_iter().next()
        });
        let fit = fit.unwrap_or_else(|| file::fit("other", "nothing known".to_owned(), &[]));
        match held.iter_mut().find(|held| held.what == fit.what) {
            Some(held) => held.files += 1,
            None => held.push(Held {
                what: fit.what.clone(),
                files: 1,
                first: inside(path, file),
            }),
        }
        match kinds.iter_mut().find(|(known, _)| is_alike(known, &fit)) {
            Some((_, files)) => files.push(file),
            None if fit.name == "other" => {}
            None => kinds.push((fit, vec![file])),
        }
    }
    found.holds = held;
    if more {
        found
            .notes
            .push(format!("Looked at its first {most} files."));
    }
    found.notes.extend(below.passed_over());
    let read = together(path, &kinds);
    let one = read.map(|(fit, note)| {
        found.notes.extend(note);
        fit
    });
    if one.is_none()
        && let Some((fit, file)) = first_of(path, &kinds)
    {
        found.fits.push(fit);
        found.about = Some(file.to_owned());
    }
    found.fits.extend(one);
    found.usable = usable || !found.fits.is_empty();
    if found.fits.is_empty() {
        let what = match files.is_empty() {
            true if below.passed_over().next().is_none() => "an empty folder",
            true => "a folder without files where they are looked for",
            false => "a folder of nothing that a command reads as it is",
        };
        found.fits.push(fit("other", what.to_owned(), &[]));
    }
    Ok(found)
}

/// A folder that is one thing.
fn whole(path: &Path) -> Option<Fit> {
    if !path.is_dir() {
        return None;
    }
    if let Ok(manifest) = judica_run::manifest::Manifest::read(path) {
        let counts = &manifest.counts;
        let (command, records, rejects) = (&manifest.command, counts.records, counts.rejects);
        let what = format!("a run of `judica {command}`: {records} records, {rejects} rejects");
        let export = "judica export IN --format csv --out records.csv";
        return Some(fit("run", what, &["judica show IN", export]));
    }
    let parts = pieces::count(path);
    if parts > 0 {
        let what = match pieces::Pieces::read(path) {
            Ok(read) => {
                let first = read.common();
                let (command, of) = (&first.command, first.parts);
                format!("an unfinished run of `judica {command}`: {parts} of {of} pieces")
            }
            Err(_) => format!("{parts} pieces of an unfinished run, not all of them there"),
        };
        return Some(fit("pieces", what, &["judica finish IN"]));
    }
    let harness = harness_of(path)?;
    let what = format!("a log of {}", harness.title());
    Some(fit("log", what, &["judica import IN --run a-run"]))
}

/// Whether the files of a run are those that were written.
fn run_is_whole(path: &Path) -> Result<(), WorkError> {
    match path.join(MANIFEST).is_file() {
        true => Run::open(path).map(|_| ()),
        false => Ok(()),
    }
}

/// What lies below a folder.
#[derive(Default)]
struct Below {
    /// Files, and folders that are one thing, by the bytes of their names.
    files: Vec<PathBuf>,
    /// Folders that lie too deep to be looked into.
    deeper: usize,
    /// Links, which are not followed.
    links: usize,
    /// Hidden files, which no command takes from a folder.
    hidden: usize,
}

impl Below {
    /// Looks into a folder; false if there are more files.
    fn walk(&mut self, path: &Path, depth: usize, most: usize) -> Result<bool, WorkError> {
        for entry in entries(path)? {
            let hidden = entry.is_hidden();
            let Entry { path, kind, .. } = entry;
            if self.files.len() >= most {
                return Ok(false);
            }
            if hidden && kind.is_file() {
                self.hidden += 1;
            } else if kind.is_file() || whole(&path).is_some() {
                self.files.push(path);
            } else if kind.is_symlink() {
                self.links += 1;
            } else if !kind.is_dir() || hidden {
                continue;
            } else if depth == 0 {
                self.deeper += 1;
            } else if !self.walk(&path, depth - 1, most)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is said of what was not looked at.
    fn passed_over(&self) -> impl Iterator<Item = String> {
        let said = |count: usize, what| (count > 0).then(|| counted(count as u64, what));
        let deeper = ["folder that lies too deep", "folders that lie too deep"];
        let links = [
            "link, which is not followed",
            "links, which are not followed",
        ];
        let all = [
            said(self.deeper, deeper),
            said(self.links, links),
            said(self.hidden, ["hidden file", "hidden files"]),
        ];
        all.into_iter()
            .flatten()
            .map(|what| format!("Passed over: {what}."))
    }
}

/// The name of a file in a folder.
fn inside(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder)
        .unwrap_or(file)
        .display()
        .to_string()
}

/// Whether the same commands read files that are one and the other.
fn is_alike(one: &Fit, other: &Fit) -> bool {
    one.what == other.what && one.commands == other.commands && one.options == other.options
}

/// Files of one kind, in a folder that their command takes: what they are, and what of them it
/// does not read there.
fn of_one_kind(path: &Path, kinds: &[(Fit, Vec<&PathBuf>)]) -> Option<(Fit, Option<String>)> {
    let [(fit, files)] = kinds else { return None };
    let read = match fit.name.as_str() {
        "predictions" => {
            let read = judica_answer::predictions::list(&[path.to_owned()]).ok()?;
            read.into_iter().map(|file| file.path).collect()
        }
        "ratings" | "outputs" | "samples" => listing::folder(path).ok()?.data,
        _ => return None,
    };
    let (read, left): (Vec<&PathBuf>, _) = files.iter().partition(|file| read.contains(file));
    let left = left.iter().map(|file| inside(path, file));
    let note = (read.len() < files.len()).then(|| {
        format!(
            "Of a folder these are not read, by their names: {}. What is given by its name is \
             read.",
            named(left, files.len() - read.len())
        )
    });
    let counted = counted(read.len() as u64, ["file", "files"]);
    let mut fit = fit.clone();
    fit.what = format!("a folder with {counted} of {}", fit.what);
    (!read.is_empty()).then_some((fit, note))
}

/// What its files are together, and what is to be said of them.
fn together(path: &Path, kinds: &[(Fit, Vec<&PathBuf>)]) -> Option<(Fit, Option<String>)> {
    let one = as_one(path, kinds).map(|fit| (fit, None));
    one.or_else(|| of_one_kind(path, kinds))
}

/// The same of files that are one thing by how they lie.
fn as_one(path: &Path, kinds: &[(Fit, Vec<&PathBuf>)]) -> Option<Fit> {
    let of = |name: &str| {
        let found = kinds.iter().filter(|(fit, _)| fit.name == name);
        let files: Vec<&PathBuf> = found.flat_map(|(_, files)| files.iter().copied()).collect();
        (!files.is_empty()).then_some(files)
    };
    let counted = |things: &[&PathBuf], what| counted(things.len() as u64, what);
    let all: usize = kinds.iter().map(|(_, files)| files.len()).sum();
    if let Some(logs) = of("log").filter(|logs| logs.len() * 2 >= all) {
        let files = counted(&logs, ["log file", "log files"]);
        let what = format!("a folder with {files} of other harnesses");
        return Some(fit("logs", what, &["judica import IN --run a-run"]));
    }
    if let Some(runs) = of("run") {
        let commands: &[&str] = match runs.len() {
            1 => &["judica show"],
            _ => &["judica compare"],
        };
        let what = format!("a folder with {}", counted(&runs, ["run", "runs"]));
        let mut fit = fit("runs", what, commands);
        let two = runs
            .iter()
            .take(2)
            .map(|run| format!(" {}", shell_path(run)));
        fit.options = two.collect();
        return Some(fit);
    }
    if let Some(runs) = of("agent run") {
        let runs = counted(&runs, ["run", "runs"]);
        let what = format!("a folder with {runs} of an agent");
        let command = "judica gate golden --golden <golden queries> --outputs IN";
        // The queries may lie beside it; a folder of other things only holds the runs.
        return match of("golden queries") {
            None => Some(fit("agent runs", what, &[command])),
            Some(_) => None,
        };
    }
    let in_folders = |files: &[&PathBuf]| {
        let depth = |file: &Path| {
            file.strip_prefix(path)
                .map_or(0, |p| p.components().count())
        };
        files.iter().all(|file| depth(file) == 2)
    };
    if let Some(judged) = of("judged").filter(|files| in_folders(files)) {
        let what = format!("a folder of judges with {} judged data sets", judged.len());
        let command = "judica agree judges --eval-dir IN --out agreement.json";
        return Some(fit("judges", what, &[command]));
    }
    None
}

/// Of several things, the first that a command reads.
fn first_of<'f>(path: &Path, kinds: &[(Fit, Vec<&'f PathBuf>)]) -> Option<(Fit, &'f Path)> {
    let order = [
        "log",
        "samples",
        "outputs",
        "episodes",
        "golden queries",
        "pairs",
    ];
    let place = |fit: &Fit| {
        let known = order.iter().position(|name| *name == fit.name);
        known.unwrap_or(order.len())
    };
    let mut usable: Vec<_> = kinds
        .iter()
        .filter(|(fit, _)| !fit.commands.is_empty())
        .collect();
    usable.sort_by_key(|(fit, _)| place(fit));
    let (first, files) = usable.first()?;
    let mut fit = first.clone();
    let name = inside(path, files[0]);
    fit.name = "folder".to_owned();
    fit.why = Some(format!(
        "the first that a command reads: {name}, {}",
        first.what
    ));
    fit.what = "a folder of several things".to_owned();
    Some((fit, files[0]))
}
