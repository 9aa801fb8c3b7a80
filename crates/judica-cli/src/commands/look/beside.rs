//! What a command needs besides the file that was looked at: what lies beside it.

use std::path::{Path, PathBuf};

use judica_data::foreign::fit::quoted;
use judica_data::foreign::head::Head;
use judica_data::source::STDIN;
use judica_verify::protocol::builtin::PROTOCOLS;
use judica_verify::protocol::load::load;

use super::{Found, file, folder};

/// Files and folders that are looked at.
const MOST: usize = 40;

/// Fills in what commands need: the file itself, and what lies beside it. What is not there
/// stands in capitals, and is told.
pub fn fill(path: &Path, found: &mut Found) {
    let place = Place {
        path,
        head: found.head.as_ref(),
    };
    let mut missing: Vec<String> = Vec::new();
    for fit in &mut found.fits {
        for command in &mut fit.commands {
            *command = place.filled(command, &mut missing);
        }
    }
    missing.sort();
    missing.dedup();
    for name in missing {
        let capitals = capitals(&name);
        found.notes.push(format!("{capitals} stands for: {name}."));
    }
}

fn capitals(name: &str) -> String {
    name.to_uppercase().replace(' ', "_")
}

struct Place<'a> {
    path: &'a Path,
    head: Option<&'a Head>,
}

impl Place<'_> {
    fn filled(&self, command: &str, missing: &mut Vec<String>) -> String {
        let mut text = String::new();
        let mut rest = command;
        while let Some((before, after)) = rest.split_once('<') {
            let Some((name, after)) = after.split_once('>') else {
                break;
            };
            text.push_str(before);
            match self.known(name) {
                Some(value) => text.push_str(&value),
                None => {
                    missing.push(name.to_owned());
                    text.push_str(&capitals(name));
                }
            }
            rest = after;
        }
        text.push_str(rest);
        // Names of columns may hold anything; the file's place comes first in every command.
        match text.contains("IN/") {
            true => self.inside(&text),
            false => text.replacen("IN", &shown(self.path), 1),
        }
    }

    /// Files of the folder that was looked at.
    fn inside(&self, text: &str) -> String {
        let words = text.split(' ').map(|word| match word.strip_prefix("IN/") {
            Some(name) => shown(&self.path.join(name)),
            None => word.to_owned(),
        });
        words.collect::<Vec<String>>().join(" ")
    }

    fn known(&self, name: &str) -> Option<String> {
        match name {
            "folder" => self.path.parent().map(|folder| match self.is_output() {
                true => shown(folder.parent().unwrap_or(folder)),
                false => shown(folder),
            }),
            "mode" => Some(self.mode().to_owned()),
            "level" => Some("nominal".to_owned()),
            "protocol" => self.protocol(),
            "judges" => self.judges(),
            _ => self.beside(name).map(|path| shown(&path)),
        }
    }

    /// A run of an agent that stands in a folder of its own.
    fn is_output(&self) -> bool {
        let name = self.path.file_stem().and_then(|name| name.to_str());
        name == Some("output")
    }

    /// How episodes name targets: by marks, if nothing has coordinates.
    fn mode(&self) -> &'static str {
        let start = self.head.map_or(&[][..], |head| &head.start);
        let holds = |word: &str| {
            start
                .windows(word.len())
                .any(|part| part == word.as_bytes())
        };
        match holds("\"element_index\"") && !holds("\"x\"") && !holds("normalized_coordinates") {
            true => "som",
            false => "coord",
        }
    }

    /// A protocol beside the file, or a built-in one that has its tasks.
    fn protocol(&self) -> Option<String> {
        if let Some(path) = self.beside("protocol") {
            return Some(shown(&path));
        }
        let columns = self.head?.columns.iter();
        let mut tasks = columns.filter(|column| matches!(&*column.name, "task_id" | "task"));
        let task = tasks.find_map(|column| column.values().next())?;
        let has = |name: &&str| load(name).is_ok_and(|found| found.task_index(task).is_some());
        let name = PROTOCOLS.iter().map(|(name, _)| *name).find(has);
        name.map(str::to_owned)
    }

    /// The folder of judges that the file lies in, or that lies beside it.
    fn judges(&self) -> Option<String> {
        let above = self.path.parent().and_then(Path::parent);
        let above = above.map(|above| match above.as_os_str().is_empty() {
            true => Path::new("."),
            false => above,
        });
        let is = |path: &&Path| kind(path).as_deref() == Some("judges");
        let above = above.filter(is).map(shown);
        above.or_else(|| self.beside("judges").map(|path| shown(&path)))
    }

    /// The first file or folder beside it that is of a kind.
    fn beside(&self, name: &str) -> Option<PathBuf> {
        if self.path == Path::new(STDIN) {
            return None;
        }
        let parent = self.path.parent()?;
        let folder = match parent.as_os_str().is_empty() {
            true => Path::new("."),
            false => parent,
        };
        let entries = std::fs::read_dir(folder).ok()?.flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort_unstable();
        let hidden = |name: &std::ffi::OsString| name.to_string_lossy().starts_with('.');
        names.retain(|name| !hidden(name) && Some(name.as_os_str()) != self.path.file_name());
        let paths = names.into_iter().take(MOST).map(|name| parent.join(name));
        paths
            .into_iter()
            .find(|path| kind(path).as_deref() == Some(name))
    }
}

/// Of which kind something is.
fn kind(path: &Path) -> Option<String> {
    let there = std::fs::symlink_metadata(path).ok()?;
    let found = match there.is_dir() {
        true => folder::look(path).ok()?,
        false if there.is_file() => file::look(path).ok()?,
        false => return None,
    };
    found.fits.into_iter().next().map(|fit| fit.name)
}

/// A path as a shell takes it, which no program takes for an option.
fn shown(path: &Path) -> String {
    let name = path.display().to_string();
    match name.starts_with('-') && path != Path::new(STDIN) {
        true => quoted(&format!("./{name}")),
        false if name.is_empty() => ".".to_owned(),
        false => quoted(&name),
    }
}
