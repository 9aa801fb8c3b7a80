//! What a command needs besides the file that was looked at: what lies beside it.

use std::path::{Path, PathBuf};

use judica_data::foreign::fit::Fit;
use judica_data::foreign::head::{FEW_BYTES, Head};
use judica_data::foreign::shapes::SHAPES;
use judica_data::source::STDIN;
use judica_model::text::shell_path;
use judica_verify::protocol::builtin::PROTOCOLS;
use judica_verify::protocol::load::load;

use super::{Found, file, folder};

/// Files and folders that are looked at.
const MOST: usize = 40;

/// Fills in what commands need: the file itself, and what lies beside it. What is not there
/// stands in capitals, and is told.
pub fn fill(path: &Path, found: &mut Found) {
    let head = found.head.as_ref();
    let alike = "predictions of episodes";
    if found.fits.first().is_some_and(|fit| fit.name == alike) && found.fits.len() > 1 {
        let place = Place { path, head };
        // The other side lies beside it.
        if place.beside("episodes").is_some() {
            found.fits.truncate(1);
        }
    }
    for fit in &mut found.fits {
        let missing = fill_fit(path, head, fit);
        found.notes.extend(missing);
    }
    found.notes.dedup();
}

/// The same for one thing that it may be; what is not there.
pub fn fill_fit(path: &Path, head: Option<&Head>, fit: &mut Fit) -> Vec<String> {
    let imports = |command: &String| command.starts_with("judica import ");
    let piped = path == Path::new(STDIN) && fit.commands.iter().any(imports);
    let path = if piped { Path::new("FILE") } else { path };
    let place = Place { path, head };
    let mut missing: Vec<String> = Vec::new();
    for command in &mut fit.commands {
        *command = place.filled(command, &mut missing) + &fit.options;
    }
    // Said once.
    fit.options.clear();
    missing.sort();
    missing.dedup();
    let told = missing.iter().map(|name| {
        let shape = SHAPES
            .iter()
            .find(|shape| shape.name == name && name != "report");
        let what = shape.map_or(name.as_str(), |shape| shape.what);
        format!("{} stands for {what}; none lies beside it.", capitals(name))
    });
    let once = "FILE stands for what standard input gave: import reads it twice.".to_owned();
    told.chain(piped.then_some(once)).collect()
}

fn capitals(name: &str) -> String {
    name.to_uppercase().replace(' ', "_")
}

struct Place<'a> {
    path: &'a Path,
    head: Option<&'a Head>,
}

impl Place<'_> {
    /// A command of ours; what is filled in is not looked at again.
    fn filled(&self, command: &str, missing: &mut Vec<String>) -> String {
        let file = |said: &str| {
            let words = said.split(' ').map(|word| match word {
                "IN" => shell_path(self.path),
                word => word.to_owned(),
            });
            words.collect::<Vec<String>>().join(" ")
        };
        let mut text = String::new();
        let mut rest = command;
        while let Some((before, after)) = rest.split_once('<') {
            let (name, after) = after.split_once('>').unwrap_or((after, ""));
            text.push_str(&file(before));
            text.push_str(&self.known(name).unwrap_or_else(|| {
                missing.push(name.to_owned());
                capitals(name)
            }));
            rest = after;
        }
        text + &file(rest)
    }

    fn known(&self, name: &str) -> Option<String> {
        match name {
            "folder" => self.path.parent().map(|folder| match self.is_output() {
                true => shell_path(folder.parent().unwrap_or(folder)),
                false => shell_path(folder),
            }),
            "mode" => Some(self.mode().to_owned()),
            "level" => Some("nominal".to_owned()),
            "protocol" => self.protocol(),
            "judges" => self.judges(),
            _ => self.beside(name).map(|path| shell_path(&path)),
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
        // In a table the parts of an action are columns: `action.x`.
        let columns = self.head.filter(|head| head.table);
        let columns = columns.map_or(&[][..], |head| &head.columns);
        let has = |part: &str| {
            let is_part = |name: &str| name.rsplit('.').next() == Some(part);
            holds(&format!("\"{part}\"")) || columns.iter().any(|column| is_part(&column.name))
        };
        match has("element_index") && !has("x") && !holds("normalized_coordinates") {
            true => "som",
            false => "coord",
        }
    }

    /// A protocol beside the file, or a built-in one that has its tasks.
    fn protocol(&self) -> Option<String> {
        if let Some(path) = self.beside("protocol") {
            return Some(shell_path(&path));
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
        let is = |path: &&Path| kind(path, "judges").as_deref() == Some("judges");
        let above = above.filter(is).map(shell_path);
        above.or_else(|| self.beside("judges").map(|path| shell_path(&path)))
    }

    /// The first file or folder beside it that is of a kind.
    fn beside(&self, name: &str) -> Option<PathBuf> {
        if self.path == Path::new(STDIN) {
            return None;
        }
        let parent = self.path.parent()?;
        // Queries lie beside the folder of the runs.
        let found = self.in_folder(parent, name);
        match (found, parent.parent()) {
            (None, Some(above)) if name == "golden queries" => self.in_folder(above, name),
            (found, _) => found,
        }
    }

    fn in_folder(&self, parent: &Path, name: &str) -> Option<PathBuf> {
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
            .find(|path| kind(path, name).as_deref() == Some(name))
    }
}

/// Kinds that folders are.
const FOLDERS: [&str; 4] = ["judges", "agent runs", "predictions", "run"];
/// Files of a folder beside the file that are looked at.
const FILES: usize = 20;

/// Of which kind something is, where one of a kind is looked for.
fn kind(path: &Path, name: &str) -> Option<String> {
    let there = std::fs::symlink_metadata(path).ok()?;
    let found = match there.is_dir() {
        true if FOLDERS.contains(&name) => folder::look(path, FILES).ok()?,
        false if there.is_file() => file::look(path, FEW_BYTES).ok()?,
        _ => return None,
    };
    found.fits.into_iter().next().map(|fit| fit.name)
}
